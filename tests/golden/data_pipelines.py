"""Random pipelines of datasets, and what TensorFlow yields for each.

python -m tests.golden.data_pipelines --record    records them, for a Python that has TensorFlow

A program that has no end there would have none here; those are not among the seeds that are recorded.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np

FILE = Path(__file__).resolve().parent / "data_pipelines.json"
_MOST = 26

SOURCES = (
    "D.range({n} + 8)",
    "D.range(-{n}, 20, {m})",
    "D.from_tensor_slices(np.arange({n} * 2))",
    "D.from_tensors(tf.constant([{n}, {m}, 4, 1], tf.int64)).unbatch()",
    "D.random(seed={seed}).take({n}).map(lambda x: x % 50)",
    "D.from_generator(lambda: iter([{n}, {m}, 5]), output_signature=tf.TensorSpec([], tf.int64))",
)
STEPS = (
    ".map(lambda x: x * {n} + 1, num_parallel_calls={parallel})",
    ".filter(lambda x: tf.reduce_sum(x) % {n} != 1)",
    ".batch({n}, drop_remainder={flag})",
    ".batch({n}, num_parallel_calls={parallel})",
    ".padded_batch({n}, padding_values=tf.constant(-1, tf.int64))",
    ".unbatch()",
    ".rebatch({n}, drop_remainder={flag})",
    ".rebatch([{n}, {m}])",
    ".shuffle({n} * 2, seed={seed}, reshuffle_each_iteration={flag})",
    ".repeat({m})",
    ".repeat().take({n} * 3)",
    ".take({n})",
    ".skip({m})",
    ".take_while(lambda x: tf.reduce_max(x) < {n} * 6)",
    ".shard({n}, {m})",
    ".cache()",
    ".prefetch({m})",
    ".prefetch(tf.data.AUTOTUNE)",
    ".concatenate(D.range({n}))",
    ".enumerate().map(lambda i, x: i + x)",
    ".scan(tf.constant(0, tf.int64), lambda s, x: (s + tf.reduce_sum(x), s + x))",
    ".window({n}, shift={m}, stride=2, drop_remainder={flag}).flat_map(lambda w: w.batch(2))",
    ".flat_map(lambda x: D.range(tf.abs(tf.reduce_sum(x)) % {n}))",
    ".interleave(lambda x: D.from_tensors(x).repeat({n}), {m}, 2)",
    ".interleave(lambda x: D.from_tensors(x).repeat({n}), 4, {m}, num_parallel_calls={parallel})",
    ".group_by_window(lambda x: tf.reduce_sum(x) % {n}, lambda k, w: w.batch({m}), {m})",
    ".unique()",
    ".ignore_errors()",
    ".map(lambda x: 12 // (x - {n}), num_parallel_calls=2).prefetch(2)",
    ".apply(tf.data.experimental.assert_cardinality({n} * 2))",
)
MIXES = (
    "D.zip(({source}, D.range({n} + 3))).map(lambda x, y: x + y)",
    "D.sample_from_datasets([{source}, D.range(9)], weights=[.3, .7], seed={seed})",
    "D.choose_from_datasets([{source}, D.range(9)], D.range(2).repeat({n}))",
)


def program(seed: int) -> str:
    """Returns the pipeline that a seed draws."""
    draw = random.Random(seed)

    def filled(text: str, source: str = "") -> str:
        return text.format(
            source=source,
            n=draw.randint(2, 6),
            m=draw.randint(1, 3),
            seed=draw.randint(0, 99),
            flag=draw.choice([True, False]),
            parallel=draw.choice(["None", "2", "tf.data.AUTOTUNE"]),
        )

    text = filled(draw.choice(SOURCES))
    for _ in range(draw.randint(1, 6)):
        text += filled(draw.choice(STEPS))
        if draw.random() < 0.15:
            text = filled(draw.choice(MIXES), text)
    return text


def answer(tf: Any, seed: int) -> Any:
    """Returns the first elements of a pipeline, its error, cardinality and type; or its error alone."""
    tf.random.set_seed(seed)
    values: list[Any] = []
    try:
        dataset = eval(program(seed), {"D": tf.data.Dataset, "tf": tf, "np": np})
    except Exception as error:
        return type(error).__name__
    failure = None
    try:
        for x in dataset.take(_MOST):
            values.append(x.numpy().tolist())
    except tf.errors.OpError as error:
        failure = type(error).__name__
    return [values, failure, int(dataset.cardinality()), repr(dataset.element_spec)]


def main() -> None:
    """Records the answers of the seeds in the file, or those that are arguments."""
    import tensorflow as tf

    seeds = range(*map(int, sys.argv[2:])) if sys.argv[2:] else map(int, recorded())
    FILE.write_text(json.dumps({seed: answer(tf, seed) for seed in seeds}, indent=0) + "\n")


def recorded() -> dict[str, Any]:
    """Returns the recorded answers by their seeds."""
    result: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
    return result


if __name__ == "__main__" and "--record" in sys.argv:
    main()
