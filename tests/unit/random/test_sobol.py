"""Sobol sequences beside TensorFlow's numbers."""

from __future__ import annotations

import hashlib

import pytest

import twinflow as tf


def test_points():
    points = tf.math.sobol_sample(5, 9)
    assert points.numpy().tolist() == [
        [0.5, 0.5, 0.5, 0.5, 0.5],
        [0.75, 0.25, 0.25, 0.25, 0.75],
        [0.25, 0.75, 0.75, 0.75, 0.25],
        [0.375, 0.375, 0.625, 0.875, 0.375],
        [0.875, 0.875, 0.125, 0.375, 0.875],
        [0.625, 0.125, 0.875, 0.625, 0.625],
        [0.125, 0.625, 0.375, 0.125, 0.125],
        [0.1875, 0.3125, 0.9375, 0.4375, 0.5625],
        [0.6875, 0.8125, 0.4375, 0.9375, 0.0625],
    ]
    later = tf.math.sobol_sample(3, 4, skip=5, dtype=tf.float64)
    assert later.numpy().tolist() == points.numpy()[5:, :3].tolist()


@pytest.mark.parametrize(
    ("dim", "count", "skip", "dtype", "digest"),
    [
        (
            21200,
            40,
            1000,
            "float64",
            "89c767183a505cc5f17bf62a958f07731a0a3c13830716d5185410adef531a7e",
        ),
        (
            50,
            400000,
            0,
            "float32",
            "e1c379f8e93d707a9c170aacbdbd3036374639bd0ef8033e2b12dab2272b874f",
        ),
    ],
)
def test_all_bits(dim, count, skip, dtype, digest):
    points = tf.math.sobol_sample(dim, count, skip, dtype=dtype).numpy()
    assert hashlib.sha256(points.tobytes()).hexdigest() == digest


def test_in_functions():
    function = tf.function(lambda dim, count: tf.math.sobol_sample(dim, count))
    spec = tf.TensorSpec([], tf.int32)
    trace = function.get_concrete_function(spec, spec)
    assert trace.outputs[0].shape.as_list() == [None, None]
    assert function(2, 3).numpy().tolist() == [[0.5, 0.5], [0.75, 0.25], [0.25, 0.75]]
    known = tf.function(lambda: tf.math.sobol_sample(2, 3)).get_concrete_function()
    assert known.outputs[0].shape.as_list() == [3, 2]
    assert "sobol/SobolSample" in [op.name for op in known.graph.get_operations()]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((0, 4), "dim must be at least one"),
        ((21201, 1), "dim must be at most 21200"),
        ((2, 0), "num_results must be at least one"),
        ((2, 3, -1), "skip must be non-negative"),
        ((1, 3, 2**31 - 2), r"num_results\+skip must be less than 2147483647"),
        (([2], 1), "dim must be a scalar"),
        ((2, [1]), "num_results must be a scalar"),
        ((2, 1, [1]), "skip must be a scalar"),
        ((2, 1, 0, tf.float16), "is not in the list of allowed values: float, double"),
    ],
)
def test_errors(args, said):
    with pytest.raises(tf.errors.InvalidArgumentError, match=said):
        tf.math.sobol_sample(*args)
