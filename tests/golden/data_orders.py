"""Random orders of datasets: what TensorFlow's shuffles, random datasets and samplers yield from given seeds.

python -m tests.golden.data_orders --record    records them, for a Python that has TensorFlow
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve().parent / "data_orders.json"
SIZES = (1, 2, 3, 5, 9, 10, 11, 100)
SEEDS = (0, 1, 42, 2**31 - 1, 2**40 + 3, -1)


def numbers(dataset: Any, count: int | None = None) -> list[int]:
    return [int(x) for x in (dataset if count is None else dataset.take(count))]


def twice(dataset: Any) -> list[list[int]]:
    return [numbers(dataset), numbers(dataset)]


def shuffle(tf: Any, size: int = 4, seed: Any = 7, n: int = 10, **kwargs: Any) -> Any:
    return tf.data.Dataset.range(n).shuffle(size, seed=seed, **kwargs)


def shuffle_and_repeat(tf: Any, n: int, size: int, count: int) -> list[list[int]]:
    verb = tf.data.experimental.shuffle_and_repeat(size, count, seed=7)
    return twice(tf.data.Dataset.range(n).apply(verb))


def ranges(tf: Any) -> list[Any]:
    return [tf.data.Dataset.range(start, start + 20) for start in (0, 100, 200)]


def sample(tf: Any, weights: Any = None, **kwargs: Any) -> list[list[int]]:
    return twice(tf.data.Dataset.sample_from_datasets(ranges(tf), weights=weights, **kwargs))


def sample_by_dataset(tf: Any) -> list[list[int]]:
    weights = tf.data.Dataset.from_tensor_slices([[0.5, 0.2, 0.3], [0, 0, 1.0]]).repeat()
    return sample(tf, weights, seed=9, stop_on_empty_dataset=True)


def resample(tf: Any, target: list[float], initial: list[float] | None = None) -> list[list[int]]:
    dataset = tf.data.Dataset.range(60).rejection_resample(
        lambda x: tf.cast(x % 3, tf.int32), target, initial_dist=initial, seed=4
    )
    return twice(dataset.map(lambda _, x: x))


def with_global_seed(seed: Any, program: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def run(tf: Any) -> Any:
        tf.random.set_seed(seed)
        try:
            return program(tf)
        finally:
            tf.random.set_seed(None)

    return run


def several_iterators(tf: Any) -> list[list[int]]:
    dataset = shuffle(tf)
    first, second = iter(dataset), iter(dataset)
    return [
        [int(next(first)) for _ in range(3)],
        [int(next(second)) for _ in range(10)],
        [int(x) for x in first],
    ]


def several_datasets(tf: Any) -> list[list[int]]:
    dataset = shuffle(tf)
    added = dataset.map(lambda x: x + 100)
    both = tf.data.Dataset.zip((dataset, dataset)).map(lambda x, y: x * 100 + y)
    return [numbers(dataset), numbers(added), numbers(dataset), numbers(both)]


def random(tf: Any, seed: Any = 4, **kwargs: Any) -> Any:
    return tf.data.Dataset.random(seed=seed, **kwargs).take(6)


FIXED = {"reshuffle_each_iteration": False}
AGAIN = {"rerandomize_each_iteration": True}
WEIGHTS = [0.5, 0.2, 0.3]
PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "shuffle": lambda tf: [
        [size, seed, numbers(shuffle(tf, size, seed))] for size in SIZES for seed in SEEDS
    ],
    "shuffle/iterations": lambda tf: [*twice(d := shuffle(tf)), *twice(d)],
    "shuffle/fixed": lambda tf: twice(shuffle(tf, **FIXED)),
    "shuffle/large": lambda tf: numbers(shuffle(tf, 300, 1, 1000)),
    "repeat": lambda tf: twice(shuffle(tf).repeat(3)),
    "repeat/fixed": lambda tf: twice(shuffle(tf, **FIXED).repeat(3)),
    "repeat/after map": lambda tf: twice(shuffle(tf).map(lambda x: x + 1).repeat(3)),
    "repeat/before": lambda tf: twice(shuffle(tf, n=3).repeat(3).shuffle(4, seed=7)),
    "repeat/forever": lambda tf: [
        numbers(d := shuffle(tf, 50, n=3).repeat(), 20),
        numbers(d, 20),
    ],
    "shuffle_and_repeat": lambda tf: shuffle_and_repeat(tf, 10, 4, 3),
    "shuffle_and_repeat/14": lambda tf: shuffle_and_repeat(tf, 10, 14, 3),
    "shuffle_and_repeat/50": lambda tf: shuffle_and_repeat(tf, 3, 50, 7),
    "global": with_global_seed(
        5, lambda tf: [*twice(shuffle(tf, seed=None)), *(twice(shuffle(tf, seed=None)))]
    ),
    "global/seeds": with_global_seed(
        5,
        lambda tf: [numbers(shuffle(tf, seed=seed)) for seed in (None, None, 3, 3)],
    ),
    "global/random": with_global_seed(
        5, lambda tf: [numbers(shuffle(tf, seed=None)), twice(random(tf, None)), twice(random(tf))]
    ),
    "global/0": with_global_seed(
        0, lambda tf: [numbers(shuffle(tf, seed=0)), numbers(random(tf, 0))]
    ),
    "iterators": several_iterators,
    "datasets": several_datasets,
    "random": lambda tf: twice(random(tf)),
    "random/again": lambda tf: twice(random(tf, **AGAIN)),
    "random/repeat": lambda tf: twice(random(tf, **AGAIN).repeat(3)),
    "sample": lambda tf: sample(tf, seed=3),
    "sample/weights": lambda tf: sample(tf, WEIGHTS, seed=3),
    "sample/stop": lambda tf: sample(tf, WEIGHTS, seed=3, stop_on_empty_dataset=True),
    "sample/again": lambda tf: sample(tf, WEIGHTS, seed=3, **AGAIN),
    "sample/global": with_global_seed(11, lambda tf: sample(tf, WEIGHTS)),
    "sample/dataset": sample_by_dataset,
    "resample": lambda tf: resample(tf, [0.6, 0.2, 0.2]),
    "resample/initial": lambda tf: resample(tf, [0.6, 0.2, 0.2], WEIGHTS[1:] + WEIGHTS[:1]),
    "resample/mild": lambda tf: resample(tf, [0.3, 0.4, 0.3], WEIGHTS[1:] + WEIGHTS[:1]),
}


def recorded() -> dict[str, Any]:
    return json.loads(FILE.read_text())


def record() -> None:
    import tensorflow as tf

    lines = [f"{json.dumps(name)}: {json.dumps(run(tf))}" for name, run in PROGRAMS.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__" and "--record" in sys.argv:
    record()
