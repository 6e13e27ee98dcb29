"""Kernels and composite functions that take a shorter way for what programs do all the time."""

import itertools

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.backends.host_checks import all_within
from twinflow._src.ops.array.sort import along

RNG = np.random.default_rng(20240229)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "i4", "i8"])
def test_indices_within_a_dimension(dtype):
    for values in (
        [],
        [0],
        [-1],
        [4, 5],
        [2, 4],
        [np.iinfo(dtype).min],
        [[0, 1], [np.iinfo(dtype).max, 2]],
    ):
        indices = np.array(
            values if np.min(values, initial=0) >= np.iinfo(dtype).min else [0], dtype
        )
        assert all_within(indices, 5) == bool(np.all((indices >= 0) & (indices < 5)))
    assert all_within(np.array(3, dtype), 4) and not all_within(np.array(4, dtype), 4)


@pytest.mark.parametrize("shape", [(5,), (2, 3), (4, 0, 3), (2, 2, 7)])
def test_elements_along_the_last_dimension(shape):
    rows = RNG.normal(size=shape)
    places = RNG.integers(0, shape[-1], (*shape[:-1], 4))
    assert np.array_equal(along(np, rows, places), np.take_along_axis(rows, places, -1))


@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (2, 5), (5, 2), (2, 3, 4), (3, 0), (0, 3)])
def test_one_diagonal(shape):
    x = RNG.normal(size=shape)
    for k in range(1 - shape[-2], shape[-1]) or (0,):
        found = tf.linalg.diag_part(x, k=k).numpy()
        assert np.array_equal(found, np.diagonal(x, k, -2, -1))
        ones = tf.linalg.set_diag(x, tf.ones_like(found), k=k).numpy()
        rows, cols = np.indices(shape[-2:])
        assert np.array_equal(ones, np.where(cols - rows == k, 1.0, x))
        if found.shape[-1]:
            made = tf.linalg.diag(
                found, k=k, num_rows=shape[-2], num_cols=shape[-1], padding_value=7.0
            )
            assert np.array_equal(made, np.where(cols - rows == k, x, 7.0))


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_parts_along_a_dimension(axis):
    x = RNG.normal(size=(4, 6, 2))
    for found, expected in zip(tf.split(x, 2, axis), np.split(x, 2, axis), strict=True):
        assert np.array_equal(found, expected) and found.numpy().flags.c_contiguous
    assert np.array_equal(tf.stack(tf.unstack(x, axis=axis), axis), x)
    assert np.array_equal(tf.reverse(x, [axis, (axis + 1) % 3]), np.flip(x, (axis, (axis + 1) % 3)))
    for by in (-9, -1, 0, 5):
        assert np.array_equal(tf.roll(x, [by, 1], [axis, 0]), np.roll(x, (by, 1), (axis, 0)))


@pytest.mark.parametrize(
    "x",
    [[], [3, 1, 3, 2, 1], [0.0, -0.0, np.nan, 1.0, np.nan], [True, False, True], ["b", "a", "b"]],
)
def test_distinct_elements(x):
    x = np.array(x, object if x and isinstance(x[0], str) else None)
    y, places, counts = tf.unique_with_counts(x)
    firsts = [i for i, value in enumerate(x) if value not in list(x[:i])]
    values = y.numpy()
    assert [str(v) for v in values] == [
        str(np.asarray(tf.constant(x[i : i + 1]))[0]) for i in firsts
    ]
    kept = (
        np.array([v == v for v in values.tolist()], bool)[places.numpy()]
        if len(x)
        else np.zeros(0, bool)
    )
    assert np.array_equal(values[places.numpy()][kept], tf.constant(x).numpy()[kept])
    assert np.array_equal(counts, np.bincount(places.numpy(), minlength=len(values)))


def _answer(call):
    try:
        found = call()
    except (ValueError, TypeError, tf.errors.OpError) as error:
        return type(error), str(error)
    return [
        (x.dtype, x.shape, x.numpy().tobytes())
        for x in (found if isinstance(found, list) else [found])
    ]


def _calls():
    ends = [(0.0, 1.0), (-3, 9), ([1.0, 2.0], [3.0, 5.0]), ([[1.0], [2.0]], [3.0, 5.0, 6.0])]
    for (start, stop), num, axis in itertools.product(ends, (-1, 0, 1, 2, 5, [3], 2.5), (0, -1, 1)):
        yield lambda start=start, stop=stop, num=num, axis=axis: tf.linspace(
            start, stop, num, axis=axis
        )
    values = [
        tf.constant([1.5, 2.5]),
        tf.constant([[1, 2], [3, 4]]),
        tf.constant(3.0),
        tf.zeros([0, 2]),
    ]
    for x, times, axis in itertools.product(
        values, (2, 0, -1, [2], [1, 2], 2.5, tf.constant(3)), (None, 0, 1, -1)
    ):
        yield lambda x=x, times=times, axis=axis: tf.repeat(x, times, axis)
    for x, y, indexing in itertools.product(values, values, ("xy", "ij")):
        yield lambda x=x, y=y, indexing=indexing: tf.meshgrid(x, y, indexing=indexing)


def test_what_a_log_would_show_changes_nothing(capfd):
    quick = [_answer(call) for call in _calls()]
    tf.debugging.set_log_device_placement(True)
    try:
        shown = [_answer(call) for call in _calls()]
    finally:
        tf.debugging.set_log_device_placement(False)
    assert quick == shown
