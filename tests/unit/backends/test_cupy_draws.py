"""The texts of the GPU's kernels of random numbers, compiled for the host where there is a compiler: the host's bits."""

import ctypes

import numpy as np
import pytest

from tests.compiling import compiled
from twinflow._src.backends.gpu.kernels import categorical
from twinflow._src.backends.gpu.kernels.random import TYPES, WIDTHS, text
from twinflow._src.random import distributions
from twinflow._src.random.categorical import draw_categories
from twinflow._src.random.philox import Stream

# What a GPU's compiler knows by itself.
_KNOWN = """
#include <cmath>
#include <cstring>
#define __device__ static
#define __global__
struct Place { long long x; };
static Place threadIdx = {0}, blockIdx = {0}, blockDim = {1}, gridDim = {1};
static double __dmul_rn(double x, double y) { return x * y; }
static double __dadd_rn(double x, double y) { return x + y; }
static float __fmul_rn(float x, float y) { return x * y; }
static float __fadd_rn(float x, float y) { return x + y; }
static float __fsqrt_rn(float x) { return std::sqrt(x); }
template<typename T, typename F> static T as(F x) { T y; memcpy(&y, &x, sizeof(T)); return y; }
#define __int_as_float as<float>
#define __longlong_as_double as<double>
#define __double_as_longlong as<long long>
"""


class Packed(ctypes.Structure):
    """The arguments of a kernel."""

    _fields_ = [
        (name, ctypes.c_uint64) for name in ("low", "high", "key", "count", "apart", "lowest")
    ]


_TYPES = {char: TYPES[char] for char in "fd"}
KINDS = ("uniform", "normal", "truncated")
WHOLE = [(kind, char) for kind in ("integers", "bounded") for char in "iq"]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    made = [(kind, char) for kind in KINDS for char in _TYPES] + WHOLE
    texts = [f"namespace {kind}_{char} {{ {text(kind, char)} }}" for kind, char in made]
    return compiled(
        _KNOWN + "".join(texts), tmp_path_factory.mktemp("draws"), "-O1", "-ffp-contract=off"
    )


def drawn(library, kind, char, counter, count, apart, lowest=0):
    """Numbers, and one element more that is not written to."""
    found = np.full(count + 1, 7, char)
    packed = Packed(
        counter & 2**64 - 1, counter >> 64, 2**63 + 11, count, apart, lowest & 2**64 - 1
    )
    run = getattr(library, f"twinflow_{kind}_{found.dtype}")
    run(packed, found.ctypes.data_as(ctypes.c_void_p))
    assert found[count] == 7
    return found[:count]


@pytest.mark.parametrize("counter", [0, 5, 2**32 - 2, 2**64 - 3, 2**128 - 2])
@pytest.mark.parametrize("char", _TYPES)
@pytest.mark.parametrize("kind", KINDS)
def test_same_numbers(library, kind, char, counter):
    for count in (1, 2, 3, 5, 6007):
        expected = getattr(distributions, kind)(np, Stream(2**63 + 11, counter), count, char)
        found = drawn(library, kind, char, counter, count, WIDTHS[char] * distributions.ROOM // 4)
        if char == "f" or kind == "uniform":
            np.testing.assert_array_equal(found, expected)
        else:  # logarithm, sine and cosine of 64 bits are the library's
            np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("result", ["i", "l"])
@pytest.mark.parametrize("char", _TYPES)
def test_same_categories(tmp_path, char, result):
    code = _KNOWN + "using std::isfinite;\n" + categorical.text(char, result)
    run, number, long = (
        compiled(code, tmp_path, "-O1", "-ffp-contract=off").twinflow_categories,
        ctypes.c_uint64,
        ctypes.c_longlong,
    )
    logits = 3 * np.random.default_rng(1).normal(size=(5, 7)).astype(char)
    logits[1, 2:] = -np.inf, np.nan, np.inf, -np.inf, 2
    logits[3] = -np.inf
    for samples in (1, 3, 600):
        found, stream = np.full((5, samples), 77, result), Stream(2**63 + 11, 2**64 - 3)
        start = number(stream.counter), number(0), number(stream.key), long(found.size)
        pointer = lambda x: x.ctypes.data_as(ctypes.c_void_p)
        run(*start, pointer(logits), long(7), long(samples), pointer(found))
        np.testing.assert_array_equal(
            found, draw_categories(np, stream, logits, samples, np.dtype(result))
        )


@pytest.mark.parametrize(("low", "high"), [(0, 7), (-5, 3), (-(2**31), 2**31 - 1), (0, 1)])
@pytest.mark.parametrize("char", "iq")
def test_same_integers(library, char, low, high):
    for count in (1, 3, 6007):
        stream = Stream(2**63 + 11, 2**64 - 3)
        found = drawn(library, "bounded", char, 2**64 - 3, count, high - low, low)
        np.testing.assert_array_equal(
            found, distributions.bounded(np, stream, count, char, low, high)
        )
        found = drawn(library, "integers", char, 2**64 - 3, count, 0)
        np.testing.assert_array_equal(found, distributions.integers(np, stream, count, char))
