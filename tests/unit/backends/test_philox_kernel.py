"""The text of the GPU's kernel of Philox, compiled for the host where there is a compiler: the same bits."""

import ctypes

import numpy as np
import pytest

from tests.compiling import compiled
from twinflow._src.backends.gpu.kernels.random import BODY
from twinflow._src.random.philox import Stream, block

_FUNCTION = """
#include <stdint.h>
extern "C" void blocks(long n, const uint64_t *offsets, uint64_t low, uint64_t high, uint64_t key, uint64_t *a, uint64_t *b) {
    for (long i = 0; i < n; ++i) {
        uint64_t offset = offsets[i], first, second;
        %s
        a[i] = first; b[i] = second;
    }
}
"""


@pytest.fixture(scope="module")
def blocks(tmp_path_factory):
    return compiled(_FUNCTION % BODY, tmp_path_factory.mktemp("philox"), "-O1").blocks


@pytest.mark.parametrize("counter", [0, 5, 2**32 - 3, 2**64 - 2, 2**96 + 7, 2**128 - 1 - 1000])
@pytest.mark.parametrize("key", [0, 0x0123456789ABCDEF, 2**64 - 1])
def test_same_bits(blocks, key, counter):
    offsets = np.array([0, 1, 2, 3, 100], np.uint64)
    first, second = np.zeros(5, np.uint64), np.zeros(5, np.uint64)
    point = lambda array: array.ctypes.data_as(ctypes.c_void_p)
    number = ctypes.c_uint64
    blocks(ctypes.c_long(5), point(offsets), number(counter & 2**64 - 1), number(counter >> 64), number(key),
           point(first), point(second))  # fmt: skip
    for i, offset in enumerate(offsets.tolist()):
        w = block(Stream(key, counter), offset)
        assert (int(first[i]), int(second[i])) == (w[0] << 32 | w[1], w[2] << 32 | w[3])
