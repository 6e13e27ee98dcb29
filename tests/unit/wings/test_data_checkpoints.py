"""Iterators in checkpoints."""

import numpy as np
import pytest

import twinflow as tf

Dataset = tf.data.Dataset
PIPELINES = {
    "rows": lambda: Dataset.range(40).batch(3),
    "strings": lambda: Dataset.from_tensor_slices([b"a", b"b", b"c", b"d"]).map(lambda x: x + x),
    "shuffle": lambda: Dataset.range(40).shuffle(7, seed=1).repeat(2).batch(3),
    "mapped": lambda: Dataset.range(40).map(lambda x: x * 2).shuffle(7, seed=1).skip(2),
    "parallel": lambda: Dataset.range(40).map(
        lambda x: tf.numpy_function(lambda y: y + 1, [x], tf.int64), num_parallel_calls=3
    ),
    "nested": lambda: Dataset.range(9).interleave(lambda x: Dataset.range(x), cycle_length=3),
    "scan": lambda: Dataset.range(9).scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s)),
}


def values(iterator, count):
    return [np.asarray(next(iterator)).tolist() for _ in range(count)]


@pytest.mark.parametrize("name", PIPELINES)
def test_positions_are_restored(name, tmp_path):
    iterator = iter(PIPELINES[name]())
    values(iterator, 2)
    path = tf.train.Checkpoint(iterator=iterator).save(str(tmp_path / "c"))
    expected = values(iterator, 2)
    tf.train.Checkpoint(iterator=iterator).restore(path)
    assert values(iterator, 2) == expected
    other = iter(PIPELINES[name]())
    tf.train.Checkpoint(iterator=other).restore(path).assert_consumed()
    assert values(other, 2) == expected


def test_iterators_inside_windows_go_on_where_they_were(tmp_path):
    make = lambda: iter(Dataset.range(20).window(4).flat_map(lambda window: window.batch(2)))
    iterator, other = make(), make()
    for _ in range(3):
        next(iterator)
    path = tf.train.Checkpoint(iterator=iterator).save(str(tmp_path / "c"))
    rest = [element.numpy().tolist() for element in iterator]
    tf.train.Checkpoint(iterator=other).restore(path)
    assert len(rest) == 7
    assert [element.numpy().tolist() for element in other] == rest
