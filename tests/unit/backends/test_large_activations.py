"""Activations of large arrays: the values of small ones, at every number of threads."""

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.backends.cpu import float32_functions, parallel

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
        monkeypatch.setattr(parallel, "_allowed", threads)
        assert tf.nn.relu(x).numpy().tobytes() == want.tobytes()
        assert tf.nn.relu6(x).numpy().tobytes() == np.minimum(want, x.dtype.type(6)).tobytes()


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
@pytest.mark.parametrize("with_nan", [True, False])
def test_relu_of_short_floats(dtype, with_nan):
    x = np.arange(1 << 16, dtype=np.uint16).view(dtype.as_numpy_dtype)
    with np.errstate(invalid="ignore"):
        wide = x.astype(np.float32)
    if not with_nan:
        x, wide = x[~np.isnan(wide)], wide[~np.isnan(wide)]
    for found, most in ((tf.nn.relu(x), np.inf), (tf.nn.relu6(x), 6)):
        want = np.where(
            np.isnan(wide), wide, np.minimum(np.where(wide > 0, wide, np.float32(0)), most)
        )
        assert found.dtype is dtype
        with np.errstate(invalid="ignore"):
            result = found.numpy().astype(np.float32)
        assert (
            np.array_equal(result, want, equal_nan=True)
            and not np.signbit(result[~np.isnan(wide)]).any()
        )


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("size", SIZES)
def test_sigmoid_without_llvmlite(size, dtype, monkeypatch):
    monkeypatch.setattr(float32_functions, "is_installed", lambda: False)
    for x in (numbers(size, dtype), np.nan_to_num(numbers(size, dtype)).clip(-99, 40)):
        power = np.exp(np.minimum(x, x.dtype.type(40)))
        for threads in (1, 3):
            monkeypatch.setattr(parallel, "_allowed", threads)
            assert tf.sigmoid(x).numpy().tobytes() == (power / (power + 1)).tobytes()
