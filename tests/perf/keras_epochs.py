"""Processor times of epochs of Keras' models beside TensorFlow's.

    CLIENTS_PYTHON=python TF_PYTHON=python python -m tests.perf.keras_epochs [model ...]   # `make bench-keras`

Both Pythons have Keras. Each library trains in a process of its own, in turns; a row has the median of the
fastest epochs, and of the first epochs, which trace, in seconds; the ratio is twinflow's time over TensorFlow's.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROUNDS, EPOCHS, BATCH = 3, 6, 32


def _models(keras: Any, np: Any) -> dict[str, Any]:
    """Returns functions by name that build a model and its data."""
    layers, rng = keras.layers, np.random.default_rng(0)

    def tokens(length: int) -> tuple[Any, Any]:
        return rng.integers(0, 200, (1024, length)), rng.integers(0, 5, 1024)

    def mlp() -> Any:
        x, y = rng.normal(size=(2000, 20)).astype("float32"), rng.integers(0, 5, 2000)
        hidden = [layers.Dense(32, "relu"), layers.BatchNormalization(), layers.Dropout(0.3)]
        return keras.Sequential([keras.Input((20,)), *hidden, layers.Dense(5)]), x, y

    def cnn() -> Any:
        x, y = rng.normal(size=(1024, 28, 28, 1)).astype("float32"), rng.integers(0, 10, 1024)
        stages = [
            (layers.Conv2D(n, 3, activation="relu"), layers.MaxPooling2D(2)) for n in (16, 32)
        ]
        stack = [layer for stage in stages for layer in stage]
        top = [layers.Flatten(), layers.Dense(10)]
        return keras.Sequential([keras.Input((28, 28, 1)), *stack, *top]), x, y

    def recurrent(kind: Any) -> Any:
        stack = [layers.Embedding(200, 32), kind(32), layers.Dense(5)]
        return keras.Sequential([keras.Input((20,), dtype="int32"), *stack]), *tokens(20)

    def transformer() -> Any:
        inputs = keras.Input((32,), dtype="int32")
        x = layers.Embedding(200, 32)(inputs)
        x = layers.LayerNormalization()(x + layers.MultiHeadAttention(2, 16, dropout=0.1)(x, x))
        hidden = layers.Dense(32)(layers.Dense(64, "gelu")(x))
        x = layers.GlobalAveragePooling1D()(layers.LayerNormalization()(x + hidden))
        return keras.Model(inputs, layers.Dense(5)(x)), *tokens(32)

    return {
        "MLP": mlp,
        "CNN": cnn,
        "LSTM": lambda: recurrent(layers.LSTM),
        "GRU": lambda: recurrent(layers.GRU),
        "Transformer": transformer,
    }


def _measure(names: list[str]) -> None:
    """Prints the times of the first and the fastest epoch of models, and their last losses."""
    import keras
    import numpy as np

    class Clock(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
            self.start = time.process_time()

        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            times.append(time.process_time() - self.start)

    results = {}
    for name, build in _models(keras, np).items():
        if names and name not in names:
            continue
        keras.utils.set_random_seed(1)
        model, x, y = build()
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile("adam", loss, metrics=["accuracy"])
        times: list[float] = []
        options = {"batch_size": BATCH, "epochs": EPOCHS, "verbose": 0, "callbacks": [Clock()]}
        losses = model.fit(x, y, **options).history["loss"]
        results[name] = [times[0], min(times[1:]), losses[-1]]
    print(json.dumps(results))


def _run(command: list[str], names: list[str]) -> dict[str, list[float]]:
    settings = {"KERAS_BACKEND": "tensorflow", "TF_CPP_MIN_LOG_LEVEL": "3"}
    settings |= {"TF_ENABLE_ONEDNN_OPTS": "0", "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
    paths = {"PYTHONPATH": str(Path(__file__).parents[2] / "python")} if "-m" in command else {}
    whole = [*command, __file__, "--measure", *names]
    environment = {**os.environ, **settings, **paths}
    done = subprocess.run(whole, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    results: dict[str, list[float]] = json.loads(done.stdout.splitlines()[-1])
    return results


def main(names: list[str]) -> None:
    """Prints the table."""
    ours, theirs = os.environ.get("CLIENTS_PYTHON", sys.executable), os.environ.get("TF_PYTHON")
    if theirs is None:
        sys.exit("TF_PYTHON must name a Python that has TensorFlow and Keras.")
    commands = [[ours, "-m", "twinflow.run"], [theirs]]
    rounds = [[_run(command, names) for command in commands] for _ in range(ROUNDS)]
    print(
        f"{'model':<12} {'epoch':>7} {'TF':>7} {'ratio':>6} {'first':>7} {'TF':>7} {'loss - TF':>10}"
    )
    for name in rounds[0][0]:
        pair = [[pair[side][name] for pair in rounds] for side in (0, 1)]
        first, epoch, loss = zip(
            *([statistics.median(column) for column in zip(*side)] for side in pair)
        )
        print(
            f"{name:<12} {epoch[0]:7.3f} {epoch[1]:7.3f} {epoch[0] / epoch[1]:6.2f} "
            f"{first[0]:7.2f} {first[1]:7.2f} {loss[0] - loss[1]:10.1e}"
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        _measure(sys.argv[2:])
    else:
        main(sys.argv[1:])
