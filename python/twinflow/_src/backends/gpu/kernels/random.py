"""GPU kernels of random numbers, from Philox counters to distributions.

The algorithms and the order of operations are those of ``_src/random/philox.py``,
``_src/random/distributions.py`` and ``_src/numerics/libmf.py``. Philox is integer arithmetic, and
each product and sum is rounded separately, so that 32-bit results are identical to the bit. One
kernel replaces about eighty that would each read and write memory.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.backends.gpu.kernels.launch import (
    allocator,
    compile_elementwise,
    compile_raw,
    grid_of,
)
from twinflow._src.numerics import libmf

# Philox4x32-10.


INPUTS = "uint64 offset, uint64 low, uint64 high, uint64 key"
OUTPUTS = "uint64 first, uint64 second"
# The words c0 to c3 of the block at ``offset``.
ROUNDS = """
    unsigned long long lo = low + offset;
    unsigned long long hi = high + (lo < low ? 1ULL : 0ULL);
    unsigned int c0 = (unsigned int)lo, c1 = (unsigned int)(lo >> 32);
    unsigned int c2 = (unsigned int)hi, c3 = (unsigned int)(hi >> 32);
    unsigned int k0 = (unsigned int)key, k1 = (unsigned int)(key >> 32);
    for (int turn = 0; turn < 10; ++turn) {
        unsigned long long p0 = (unsigned long long)c0 * 0xD2511F53ULL;
        unsigned long long p1 = (unsigned long long)c2 * 0xCD9E8D57ULL;
        c0 = (unsigned int)(p1 >> 32) ^ c1 ^ k0;
        c1 = (unsigned int)p1;
        c2 = (unsigned int)(p0 >> 32) ^ c3 ^ k1;
        c3 = (unsigned int)p0;
        k0 += 0x9E3779B9U;
        k1 += 0xBB67AE85U;
    }
"""
BODY = (
    ROUNDS
    + """
    first = ((unsigned long long)c0 << 32) | c1;
    second = ((unsigned long long)c2 << 32) | c3;
"""
)


def philox(cupy: Any) -> Callable[..., Any]:
    """Returns the function that generates Philox blocks."""
    # It takes the block offsets, a uint64 vector, and a stream's key and counter. It returns two
    # uint64 vectors: words 0 and 1 of each block, and words 2 and 3.
    kernel = compile_elementwise(cupy, INPUTS, OUTPUTS, BODY, "twinflow_philox")

    def blocks(offsets: Any, key: int, counter: int) -> tuple[Any, Any]:
        low, high = np.uint64(counter & _MASK64), np.uint64(counter >> 64)
        words: tuple[Any, Any] = kernel(offsets, low, high, np.uint64(key))
        return words

    return blocks


# Distributions.


_MASK64 = 2**64 - 1
# Numbers per block, and their C types, by dtype character; 32- and 64-bit integers are "i" and "q".
WIDTHS = {"f": 4, "d": 2, "i": 4, "q": 2}
TYPES = {"f": "float", "d": "double", "i": "int", "q": "long long"}
_NAMES = {"f": "float32", "d": "float64", "i": "int32", "q": "int64"}
_LETTERS = {
    char: char if char in "fd" else "i" if np.dtype(char).itemsize == 4 else "q"
    for char in "fdiIlLqQ"
}
# The kernel's struct argument.
_PACKED = struct.Struct("=QQQqQQ")
_STRUCTURE = """
struct twinflow_draw { unsigned long long low, high, key; long long count; unsigned long long apart, lowest; };
"""


def _list(values: tuple[float, ...]) -> str:
    return ", ".join(map(repr, values))


PREAMBLE = f"""
__device__ double twinflow_mul(double x, double y) {{ return __dmul_rn(x, y); }}
__device__ double twinflow_add(double x, double y) {{ return __dadd_rn(x, y); }}
__device__ float twinflow_unit(unsigned int bits) {{
    return __int_as_float((int)((bits & 0x7FFFFFU) | 0x3F800000U)) - 1.0f;
}}
__device__ double twinflow_unit2(unsigned int first, unsigned int second) {{
    unsigned long long bits = ((unsigned long long)first << 32) | second;
    return __longlong_as_double((long long)((bits & 0xFFFFFFFFFFFFFULL) | (1023ULL << 52))) - 1.0;
}}
__device__ unsigned long long twinflow_long(unsigned int first, unsigned int second) {{
    return ((unsigned long long)second << 32) | first;
}}
__device__ float twinflow_logf(float x) {{
    const double reciprocals[16] = {{{_list(libmf._RECIPROCALS)}}};
    const double logarithms[16] = {{{_list(libmf._LOGARITHMS)}}};
    const double a[3] = {{{_list(libmf._LOG)}}};
    long long index = (__double_as_longlong((double)x) - {libmf._FIRST + (libmf._LOWEST << 52)}LL) >> 48;
    int exponent = {libmf._LOWEST} + (int)(index >> 4), entry = (int)(index & 15);
    double r = twinflow_add(twinflow_mul(ldexp(reciprocals[entry], -exponent), (double)x), -1.0);
    double y = twinflow_mul(r, a[0]);
    y = twinflow_mul(twinflow_add(y, a[1]), r);
    y = twinflow_mul(twinflow_add(y, a[2]), r);
    y = twinflow_mul(twinflow_add(y, 1.0), r);
    double whole = twinflow_add(logarithms[entry], twinflow_mul((double)exponent, {libmf._LN2!r}));
    return (float)twinflow_add(y, whole);
}}
__device__ double twinflow_polynomial(double x, const double *a, int last) {{
    double y = twinflow_mul(x, a[last]);
    for (int i = last - 1; i > 0; --i) y = twinflow_mul(twinflow_add(y, a[i]), x);
    return twinflow_add(y, a[0]);
}}
__device__ void twinflow_sincosf(float angle, float *sine, float *cosine) {{
    const double s[] = {{{_list(libmf._SIN)}}}, c[] = {{{_list(libmf._COS)}}};
    double x = (double)angle;
    int quarter = ((int)twinflow_mul(x, {libmf._QUARTERS!r}) + 0x800000) >> 24;
    x = twinflow_add(x, -twinflow_mul((double)quarter, {libmf._QUARTER!r}));
    double square = twinflow_mul(x, x);
    double even = twinflow_add(twinflow_mul(twinflow_polynomial(square, c, {len(libmf._COS) - 1}), square), 1.0);
    double odd = twinflow_mul(twinflow_mul(twinflow_polynomial(square, s, {len(libmf._SIN) - 1}), square), x);
    float first = (float)twinflow_add(odd, x), second = (float)even;
    if (quarter & 1) {{ float other = first; first = second; second = other; }}
    *sine = quarter & 2 ? -first : first;
    *cosine = (quarter ^ (quarter << 1)) & 2 ? -second : second;
}}
__device__ void twinflow_pair(unsigned int one, unsigned int other, float *to) {{
    float size = twinflow_unit(one), sine, cosine;
    size = __fsqrt_rn(__fmul_rn(twinflow_logf(size < 1.0e-7f ? 1.0e-7f : size), -2.0f));
    twinflow_sincosf((float)twinflow_mul((double)twinflow_unit(other), 6.283185307179586), &sine, &cosine);
    to[0] = __fmul_rn(sine, size);
    to[1] = __fmul_rn(cosine, size);
}}
__device__ void twinflow_pair2(unsigned int c0, unsigned int c1, unsigned int c2, unsigned int c3, double *to) {{
    double size = twinflow_unit2(c0, c1), angle = twinflow_mul(twinflow_unit2(c2, c3), 6.283185307179586);
    size = sqrt(twinflow_mul(log(size < 1.0e-7 ? 1.0e-7 : size), -2.0));
    to[0] = twinflow_mul(sin(angle), size);
    to[1] = twinflow_mul(cos(angle), size);
}}
"""
# The conversion of the words c0 to c3 of a block to the numbers ``values``.
_VALUES = {
    ("uniform", "f"): "values[0] = twinflow_unit(c0); values[1] = twinflow_unit(c1); values[2] = twinflow_unit(c2); values[3] = twinflow_unit(c3);",
    ("uniform", "d"): "values[0] = twinflow_unit2(c0, c1); values[1] = twinflow_unit2(c2, c3);",
    ("normal", "f"): "twinflow_pair(c0, c1, values); twinflow_pair(c2, c3, values + 2);",
    ("normal", "d"): "twinflow_pair2(c0, c1, c2, c3, values);",
    ("integers", "i"): "values[0] = (int)c0; values[1] = (int)c1; values[2] = (int)c2; values[3] = (int)c3;",
    ("integers", "q"): "values[0] = (long long)twinflow_long(c0, c1); values[1] = (long long)twinflow_long(c2, c3);",
    ("bounded", "i"): "unsigned int words[4] = {c0, c1, c2, c3}; "
    "for (int j = 0; j < 4; ++j) values[j] = (int)(words[j] % (unsigned int)apart + (unsigned int)lowest);",
    ("bounded", "q"): "values[0] = (long long)(twinflow_long(c0, c1) % apart + lowest); "
    "values[1] = (long long)(twinflow_long(c2, c3) % apart + lowest);",
}  # fmt: skip
_ALL = """
    unsigned long long offset = i;
    {rounds}
    {type} values[{width}];
    {values}
    for (int j = 0; j < {width}; ++j) if (i * {width} + j < count) out[i * {width} + j] = values[j];
"""
# Numbers beyond 2 standard deviations are redrawn, from the next block of the same group.
_WITHIN = """
    int have = 0;
    for (unsigned long long more = 0; have < {width}; ++more) {{
        unsigned long long offset = i * apart + more;
        {rounds}
        {type} values[{width}];
        {values}
        for (int j = 0; j < {width}; ++j)
            if (have < {width} && values[j] < ({type})2 && values[j] > ({type})-2) {{
                if (i * {width} + have < count) out[i * {width} + have] = values[j];
                ++have;
            }}
    }}
"""


def body(kind: str, char: str) -> str:
    """Returns the source that computes block ``i``."""
    # The kinds are ``uniform``, ``normal``, ``truncated``, ``integers`` and ``bounded``.
    text, source = (_WITHIN, "normal") if kind == "truncated" else (_ALL, kind)
    return text.format(
        rounds=ROUNDS, type=TYPES[char], width=WIDTHS[char], values=_VALUES[source, char]
    )


def text(kind: str, char: str) -> str:
    """Returns the source of a kernel; see ``body``."""
    type, width = TYPES[char], WIDTHS[char]
    return f"""{PREAMBLE}{_STRUCTURE}
extern "C" __global__ void twinflow_{kind}_{_NAMES[char]}(const twinflow_draw packed, {type} *out) {{
    const unsigned long long low = packed.low, high = packed.high, key = packed.key, apart = packed.apart, lowest = packed.lowest;
    const long long count = packed.count, all = (count + {width - 1}) / {width}, step = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < all; i += step) {{ {body(kind, char)} }}
}}"""


@functools.cache
def _kernel(cupy: Any, kind: str, char: str) -> Any:
    return compile_raw(cupy, text(kind, char), f"twinflow_{kind}_{_NAMES[char]}")


def draws(cupy: Any) -> Callable[..., Any]:
    """Returns the function that draws random numbers."""
    # It takes the kind of numbers (see ``body``), a stream's key and counter, the shape and dtype
    # of the result (float32, float64, int32 or int64), the number of blocks per group of truncated
    # numbers or the size of the integer range, and the lowest integer.
    array = allocator(cupy)

    def generate_numbers(
        kind: str, key: int, counter: int, shape: tuple[int, ...], dtype: Any, apart: int = 0, lowest: int = 0,
    ) -> Any:  # fmt: skip
        out = array(shape, dtype)
        count, char = out.size, _LETTERS[dtype.char]
        if count:
            packed = _PACKED.pack(
                counter & _MASK64, counter >> 64, key, count, apart, lowest & _MASK64
            )
            _kernel(cupy, kind, char)(*grid_of(-(-count // WIDTHS[char])), (np.void(packed), out))
        return out

    return generate_numbers
