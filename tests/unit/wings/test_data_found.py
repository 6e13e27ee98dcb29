"""Pipelines that random programs found to differ from TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import twinflow as tf

Data = tf.data.Dataset


def _numbers(dataset):
    return [x.numpy().tolist() for x in dataset]


def test_padded_batches_of_strings_hold_strings():
    (batch,) = Data.from_tensors("a").repeat(2).padded_batch(3)
    assert [type(x) for x in batch.numpy()] == [bytes, bytes]
    rows = Data.from_tensors("a").repeat(2).padded_batch(3).unbatch()
    assert [x.numpy() for x in rows] == [b"a", b"a"]


def test_rows_of_ragged_tensors_without_ragged_dimensions():
    rows = Data.from_tensor_slices(tf.ragged.constant([[1], [2, 3], [], [4, 5, 6], [7]]))
    assert _numbers(rows.rebatch(5)) == [[1, 2, 3, 4, 5], [6, 7]]
    assert _numbers(rows.unbatch()) == [1, 2, 3, 4, 5, 6, 7]
    assert _numbers(rows.unbatch().batch(4)) == [[1, 2, 3, 4], [5, 6, 7]]


def test_a_repetition_starts_its_first_pass_at_once():
    # TensorFlow 2.21's order: the seeds of the pass after the last one are drawn, too.
    tf.random.set_seed(7)
    dataset = Data.range(5).shuffle(5, seed=13).take(4).repeat(3).repeat(2)
    list(dataset)
    assert _numbers(dataset)[:8] == [3, 0, 2, 1, 0, 1, 2, 3]


@pytest.mark.parametrize("compression", [None, "GZIP"])
def test_iterators_over_saved_datasets_are_saved(tmp_path, compression):
    Data.range(9).save(str(tmp_path / "data"), compression=compression)
    iterator = iter(Data.load(str(tmp_path / "data"), compression=compression))
    first = [int(next(iterator)) for _ in range(3)]
    path = tf.train.Checkpoint(it=iterator).save(str(tmp_path / "checkpoint"))
    rest = [int(x) for x in iterator]
    other = iter(Data.load(str(tmp_path / "data"), compression=compression))
    tf.train.Checkpoint(it=other).restore(path)
    assert [int(x) for x in other] == rest and first + rest == list(range(9))


def test_an_iterator_that_writes_a_cache_is_restored(tmp_path):
    dataset = Data.range(6).cache(str(tmp_path / "cache")).repeat(2).map(lambda x: x * 2)
    iterator = iter(dataset)
    next(iterator), next(iterator)
    checkpoint = tf.train.Checkpoint(it=iterator)
    path = checkpoint.save(str(tmp_path / "checkpoint"))
    rest = [int(x) for x in iterator]
    iterator = iter(Data.range(6).cache(str(tmp_path / "other")).repeat(2).map(lambda x: x * 2))
    next(iterator)
    tf.train.Checkpoint(it=iterator).restore(path)
    assert [int(x) for x in iterator] == rest == [4, 6, 8, 10, 0, 2, 4, 6, 8, 10]


def test_functions_of_groups_return_scalars():
    batches, window = Data.range(9).batch(2), lambda key, window: window
    with pytest.raises(ValueError, match=r"`key_func` must return a single `tf\.int64` scalar"):
        batches.group_by_window(lambda x: x % 4, window, 3)
    with pytest.raises(ValueError, match=r"`window_size_func` must return a single `tf\.int64`"):
        batches.group_by_window(lambda x: x[0], window, window_size_func=lambda k: tf.stack([k]))


def test_types_of_states_are_named_as_by_tensorflow():
    said = r"Expected <dtype: 'int32'>, got <dtype: 'int64'>"
    with pytest.raises(TypeError, match=f"Invalid `scan_func`.*{said}"):
        Data.range(9).scan(0, lambda s, x: (x, x))
    with pytest.raises(TypeError, match=r"Expected <dtype: 'int32'> but got <dtype: 'int64'>"):
        Data.range(9).reduce(np.int32(0), lambda s, x: x)


def test_numbers_that_must_be_scalars():
    batches = Data.range(6).batch(2)
    for make in (Data.range, Data.range(5).take, Data.range(5).batch, Data.range(5).shuffle):
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be a scalar"):
            make([1, 2])
        with pytest.raises(ValueError, match="Shape must be rank 0 but is rank 1"):
            batches.flat_map(lambda x, make=make: make(x))
