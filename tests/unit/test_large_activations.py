"""Activations of large arrays: the values of small ones, at every number of threads."""

import numpy as np
import pytest

import twinflow as tf
from twinflow.backends import pieces

SIZES = [8_191, 8_192, 131_072, 524_287, 524_288, 1_500_001]


def numbers(size, dtype):
    x = (np.random.default_rng(size).normal(size=size) * 30).astype(dtype)
    x[:6] = np.nan, np.inf, -np.inf, -0.0, 0.0, 1e4
    return x


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("size", SIZES)
def test_relu(size, dtype, monkeypatch):
    x = numbers(size, dtype)
    want = np.maximum(x, 0) + x.dtype.type(0)
    for threads in (1, 3):
        monkeypatch.setattr(pieces, "_allowed", threads)
        assert tf.nn.relu(x).numpy().tobytes() == want.tobytes()
        assert tf.nn.relu6(x).numpy().tobytes() == np.minimum(want, x.dtype.type(6)).tobytes()


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("size", SIZES)
def test_sigmoid(size, dtype, monkeypatch):
    for x in (numbers(size, dtype), np.nan_to_num(numbers(size, dtype)).clip(-99, 40)):
        power = np.exp(np.minimum(x, x.dtype.type(40)))
        for threads in (1, 3):
            monkeypatch.setattr(pieces, "_allowed", threads)
            assert tf.sigmoid(x).numpy().tobytes() == (power / (power + 1)).tobytes()
