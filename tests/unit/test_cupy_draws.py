"""The texts of the GPU's kernels of random numbers, compiled for the host where there is a compiler: the host's bits."""

import ctypes

import numpy as np
import pytest

from tests.compiling import compiled
from twinflow.backends.cupy_draws import PREAMBLE, body
from twinflow.random_numbers import distributions
from twinflow.random_numbers.philox import Stream

# What a GPU's compiler knows by itself.
_KNOWN = """
#include <cmath>
#include <cstring>
#define __device__ static
static double __dmul_rn(double x, double y) { return x * y; }
static double __dadd_rn(double x, double y) { return x + y; }
static float __fmul_rn(float x, float y) { return x * y; }
static float __fsqrt_rn(float x) { return std::sqrt(x); }
template<typename T, typename F> static T as(F x) { T y; memcpy(&y, &x, sizeof(T)); return y; }
#define __int_as_float as<float>
#define __longlong_as_double as<double>
#define __double_as_longlong as<long long>
"""
_RUN = """
extern "C" void {kind}_{char}(long long n, unsigned long long low, unsigned long long high, unsigned long long key,
        long long count, unsigned long long apart, {type} *out) {{
    for (long long i = 0; i < n; ++i) {{ {body} }}
}}
"""
_TYPES = {"f": "float", "d": "double"}
_WIDTHS = {"f": 4, "d": 2}
KINDS = ("uniform", "normal", "truncated")


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    texts = [_RUN.format(kind=k, char=c, type=t, body=body(k, c)) for k in KINDS for c, t in _TYPES.items()]
    return compiled(_KNOWN + PREAMBLE + "".join(texts), tmp_path_factory.mktemp("draws"), "-O1", "-ffp-contract=off")


@pytest.mark.parametrize("counter", [0, 5, 2**32 - 2, 2**64 - 3, 2**128 - 2])
@pytest.mark.parametrize("char", _TYPES)
@pytest.mark.parametrize("kind", KINDS)
def test_same_numbers(library, kind, char, counter):
    for count in (1, 2, 3, 5, 6007):
        expected = getattr(distributions, kind)(np, Stream(2**63 + 11, counter), count, char)
        found, width = np.full(count + 1, 7, char), _WIDTHS[char]
        number, long = ctypes.c_uint64, ctypes.c_longlong
        apart = width * distributions.ROOM // 4
        start = number(counter & 2**64 - 1), number(counter >> 64), number(2**63 + 11)
        run = getattr(library, f"{kind}_{char}")
        run(long(-(-count // width)), *start, long(count), number(apart), found.ctypes.data_as(ctypes.c_void_p))
        assert found[count] == 7
        if char == "f" or kind == "uniform":
            np.testing.assert_array_equal(found[:count], expected)
        else:  # logarithm, sine and cosine of 64 bits are the library's
            np.testing.assert_allclose(found[:count], expected, rtol=1e-14, atol=1e-15)
