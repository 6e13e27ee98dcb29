"""Segments of many rows: reduced run by run, as exact as row after row and the same at every number of threads."""

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.backends.cpu import parallel

SHAPES = [
    ((40_000,), 100),
    ((40_000, 1), 1_250),
    ((40_000, 1), 1_251),
    ((20_000, 2, 4), 50),
    ((3_000, 128), 7),
    ((3_000, 129), 7),
]
WAYS = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}


def sorted_ids(rows, count):
    ids = np.sort(np.random.default_rng(rows).integers(0, count, rows))
    return np.where(ids == 3, 4, ids).astype(np.int32)  # one segment has no rows


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", "i4"])
@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("shape, count", SHAPES)
def test_long_segments(shape, count, name, dtype, monkeypatch):
    ids = sorted_ids(shape[0], count)
    x = (1 + np.random.default_rng(1).normal(size=shape) / 1000).astype(dtype)
    want = np.full(
        (ids[-1] + 1, *shape[1:]), {"sum": 0, "prod": 1, "max": -9, "min": 9}[name], "f8"
    )
    WAYS[name].at(want, ids, x.astype("f8"))
    if name in ("max", "min"):
        want[3] = 0
    found = []
    for threads in (1, 3):
        monkeypatch.setattr(parallel, "_allowed", threads)
        found.append(getattr(tf.math, f"segment_{name}")(x, ids).numpy())
    assert found[0].tobytes() == found[1].tobytes()
    assert (found[0].dtype, found[0].shape) == (x.dtype, want.shape)
    assert np.allclose(found[0], want, rtol={"f4": 1e-5, "f8": 1e-12, "f2": 2e-3, "i4": 0}[dtype])


def test_a_segment_of_minus_zeros_is_zero():
    x = np.full(40_000, -0.0, np.float32)
    assert not np.signbit(tf.math.segment_sum(x, sorted_ids(40_000, 10)).numpy()).any()


def test_nan_and_infinity_stay_in_their_segments():
    x, ids = np.ones(40_000, np.float32), np.arange(40_000) // 400
    x[450], x[900], x[1300:1302] = np.nan, np.inf, (np.inf, -np.inf)
    found = tf.math.segment_sum(x, ids).numpy()
    assert (
        np.isnan(found[[1, 3]]).all()
        and found[2] == np.inf
        and (np.delete(found, [1, 2, 3]) == 400).all()
    )
    assert np.isnan(tf.math.segment_max(x, ids).numpy()).nonzero()[0].tolist() == [1]


def test_gathered_rows_by_segment_and_their_gradient():
    rng = np.random.default_rng(3)
    x, places, ids = (
        rng.normal(size=(500, 8)).astype("f4"),
        rng.integers(0, 500, 9_000),
        sorted_ids(9_000, 20),
    )
    want = np.zeros((20, 8))
    np.add.at(want, ids, x[places].astype("f8"))
    assert np.allclose(tf.sparse.segment_sum(x, places, ids), want, rtol=1e-4, atol=1e-3)
    data = tf.constant(rng.normal(size=(9_000, 8)).astype("f4"))
    with tf.GradientTape() as tape:
        tape.watch(data)
        total = tf.reduce_sum(tf.math.segment_sum(data, ids)[4])
    assert np.array_equal(tape.gradient(total, data).numpy()[:, 0], (ids == 4).astype("f4"))
