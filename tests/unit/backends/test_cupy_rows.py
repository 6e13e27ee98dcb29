"""The texts of the GPU's kernels of rows, compiled for the host where there is a compiler: as NumPy computes."""

import ctypes

import numpy as np
import pytest

from tests.compiling import compiled
from twinflow._src.backends.gpu.kernels.rows import RESULTS, text
from twinflow._src.dispatch.op import OPS

# A group of one thread.
_KNOWN = """
#include <cmath>
using namespace std;
#define __global__
#define __shared__
#define __syncthreads()
struct Place { long long x; };
static Place threadIdx = {0}, blockIdx = {0}, blockDim = {1};
"""
_RUN = """
extern "C" void run(long long rows, {number} *x, {given} *given, {number} *y, {number} *losses, long long width) {{
    for (blockIdx.x = 0; blockIdx.x < rows; ++blockIdx.x) twinflow_{type}(x, given, y, losses, width);
}}
"""


def function(type, char, given, folder):
    number = {"f": "float", "d": "double"}[char]
    whole = _KNOWN + text(type, char, given) + _RUN.format(number=number, given=given, type=type)
    return compiled(whole, folder, "-O1").run


@pytest.mark.parametrize("char", "fd")
@pytest.mark.parametrize("type", RESULTS)
def test_rows(type, char, tmp_path):
    rng, number = np.random.default_rng(2), {"f": "float", "d": "double"}[char]
    x, y, losses = (
        4 * rng.normal(size=(6, 17)).astype(char),
        np.zeros((6, 17), char),
        np.zeros(6, char),
    )
    x[1, 3], x[2, 0], x[3] = np.nan, np.inf, -np.inf
    given, name = rng.random((6, 17)).astype(char), number
    if type.startswith("Sparse"):
        given, name = np.array([0, 5, 16, 3, 2, 9]), "long long"
    run = function(type, char, name, tmp_path)
    at = [array.ctypes.data_as(ctypes.c_void_p) for array in (x, given, y, losses)]
    run(ctypes.c_longlong(6), *at, ctypes.c_longlong(17))
    with np.errstate(all="ignore"):
        expected = OPS[type].kernel(np, x, given) if "Entropy" in type else OPS[type].kernel(np, x)
    found = [losses, y] if "Entropy" in type else y
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(
            one, other, rtol=1e-5 if char == "f" else 1e-12, atol=1e-6 if char == "f" else 1e-14
        )
