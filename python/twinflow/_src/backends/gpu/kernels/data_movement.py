"""GPU kernels of data movement, one per element size for all dtypes.

Concatenation, padding, band matrices, one-hot, image patches (im2col) and row shuffles. CuPy's
functions take two to five times as long to launch, as they look a kernel up by dtypes and
dimensions.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

from twinflow._src.backends.gpu.kernels.launch import (
    allocator,
    compile_raw,
    declare_integers,
    grid_of,
    pack_integers,
    signed,
)
from twinflow._src.backends.gpu.kernels.random import ROUNDS

# C type by element size in bytes.
_WORDS = {
    1: "unsigned char",
    2: "unsigned short",
    4: "unsigned int",
    8: "unsigned long long",
    16: "double2",
}
# Maximum number of arrays to concatenate, and maximum rank.
_MOST, _RANK = 16, 6
_EACH = """{declared}
extern "C" __global__ void {name}({arrays}, const twinflow_integers packed, {word} *out) {{
    {unpacked}
    const long long step = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < total; i += step) {{ {text} }}
}}"""


def _kernel(
    cupy: Any, name: str, arrays: Sequence[str], sizes: Sequence[str], text: str, size: int
) -> Callable[..., Any]:
    """Returns the launcher of a kernel that writes element ``i`` of an array."""
    # The launcher takes the input arrays, the integers ``sizes``, and the output array.
    declared, unpacked = declare_integers([*sizes, "total"])
    code = _EACH.format(
        name=name,
        arrays=", ".join(arrays).format(word=_WORDS[size]),
        declared=declared,
        unpacked=unpacked,
        word=_WORDS[size],
        text=text,
    )
    kernel = compile_raw(cupy, code, name)

    def run(arrays: Sequence[Any], sizes: Sequence[int], out: Any) -> Any:
        total = out.size
        kernel(*grid_of(total), (*arrays, pack_integers(*sizes, total), out))
        return out

    return run


# ------------------------------------------------------------------ concatenation


@functools.cache
def _joiner(cupy: Any, count: int, size: int) -> Callable[..., Any]:
    arrays, widths = (
        [f"const {{word}} *x{i}" for i in range(count)],
        [f"w{i}" for i in range(count)],
    )
    text = "const long long row = i / all; long long at = i % all; " + " else ".join(
        f"if (at < w{i} || !(at -= w{i}, 1)) out[i] = x{i}[row * w{i} + at];" for i in range(count)
    )
    return _kernel(cupy, f"twinflow_join_{count}_{size}", arrays, [*widths, "all"], text, size)


def concatenate(cupy: Any) -> Callable[..., Any]:
    """Returns ``concatenate`` for C-contiguous arrays of one dtype; CuPy's is the fallback."""
    plain, array = cupy.concatenate, cupy.ndarray

    def concat_arrays(arrays: Any, axis: int = 0) -> Any:
        first: Any = (
            arrays[0] if type(arrays) in (list, tuple) and 1 < len(arrays) <= _MOST else None
        )
        if type(first) is not array or not -first.ndim <= axis < first.ndim:
            return plain(arrays, axis)
        dtype, shape, axis = first.dtype, first.shape, axis % first.ndim
        before, after, widths, inner = (
            shape[:axis],
            shape[axis + 1 :],
            [],
            math.prod(shape[axis + 1 :]),
        )
        for x in arrays:
            if (
                type(x) is not array
                or x.dtype is not dtype
                or x.ndim != len(shape)
                or not x.flags.c_contiguous
            ):
                return plain(arrays, axis)
            sizes = x.shape
            if sizes[:axis] != before or sizes[axis + 1 :] != after:
                return plain(arrays, axis)
            widths.append(sizes[axis] * inner)
        whole = sum(widths)
        out = cupy.ndarray((*before, whole // inner if inner else 0, *after), dtype)
        if not inner or not out.size:
            return plain(arrays, axis)
        return _joiner(cupy, len(widths), dtype.itemsize)(arrays, (*widths, whole), out)

    return concat_arrays


# ------------------------------------------------------------------ padding


@functools.cache
def _framer(cupy: Any, rank: int, size: int) -> Callable[..., Any]:
    sizes = [f"{name}{i}" for name in ("whole", "size", "low") for i in range(rank)]
    lines = ["long long rest = i, at = 0, stride = 1; bool inside = true;"]
    for i in reversed(range(rank)):
        lines.append(
            f"{{ const long long p = rest % whole{i} - low{i}; rest /= whole{i}; "
            f"inside = inside && p >= 0 && p < size{i}; at += p * stride; stride *= size{i}; }}"
        )
    lines.append(f"const {_WORDS[size]} none = {{}}; out[i] = inside ? x[at] : none;")
    return _kernel(
        cupy, f"twinflow_frame_{rank}_{size}", ["const {word} *x"], sizes, " ".join(lines), size
    )


def framed(cupy: Any) -> Callable[..., Any]:
    """Returns the function that pads an array with zeros: of array, offsets, and the new shape."""

    array = allocator(cupy)

    def frame(x: Any, low: Sequence[int], whole: tuple[int, ...]) -> Any:
        out = array(whole, x.dtype)
        if out.size and 0 < x.ndim <= _RANK and x.flags.c_contiguous:
            return _framer(cupy, x.ndim, x.dtype.itemsize)((x,), (*whole, *x.shape, *low), out)
        out.fill(0)
        out[tuple(slice(a, a + n) for a, n in zip(low, x.shape))] = x
        return out

    return frame


# ------------------------------------------------------------------ band matrices


@functools.cache
def _bander(cupy: Any, size: int) -> Callable[..., Any]:
    text = f"const long long apart = i % columns - i / columns % rows; const {_WORDS[size]} none = {{}}; "
    text += "out[i] = apart >= -low && apart <= high ? x[i] : none;"
    return _kernel(
        cupy,
        f"twinflow_band_{size}",
        ["const {word} *x"],
        ["rows", "columns", "low", "high"],
        text,
        size,
    )


def banded(cupy: Any) -> Callable[..., Any]:
    """Returns the function that zeroes matrices outside a band of given bandwidths."""

    def band(x: Any, low: int, high: int) -> Any:
        out = cupy.ndarray(x.shape, x.dtype)
        return (
            _bander(cupy, x.dtype.itemsize)(
                (cupy.ascontiguousarray(x),), (*x.shape[-2:], low, high), out
            )
            if out.size
            else out
        )

    return band


# ------------------------------------------------------------------ one-hot

_INDEX_TYPES = {
    "b": "signed char",
    "B": "unsigned char",
    "i": "int",
    "l": "long long",
    "q": "long long",
}


@functools.cache
def _marker(cupy: Any, char: str, size: int) -> Callable[..., Any]:
    text = "out[i] = (long long)indices[i / (depth * inner) * inner + i % inner] == i / inner % depth ? *on : *off;"
    arrays = [f"const {_INDEX_TYPES[char]} *indices", "const {word} *on", "const {word} *off"]
    return _kernel(cupy, f"twinflow_mark_{char}_{size}", arrays, ["depth", "inner"], text, size)


def one_hot(cupy: Any) -> Callable[..., Any]:
    """Returns the one-hot function: an "on" value at an index along a new axis, "off" elsewhere."""

    array = allocator(cupy)

    def mark(indices: Any, depth: int, on: Any, off: Any, at: int) -> Any:
        shape = indices.shape
        out = array((*shape[:at], depth, *shape[at:]), on.dtype)
        if out.size:
            straight = indices if indices.flags.c_contiguous else cupy.ascontiguousarray(indices)
            _marker(cupy, indices.dtype.char, out.itemsize)(
                (straight, on, off), (depth, math.prod(shape[at:])), out
            )
        return out

    return mark


# ------------------------------------------------------------------ patches

_SIZES = (
    "channels",
    "height",
    "width",
    "rows",
    "columns",
    "high",
    "wide",
    "step_y",
    "step_x",
    "apart_y",
    "apart_x",
    "above",
    "left",
)
# Window index and index within the window, by whether the matrix is transposed.
_ORDERS = {False: ("i / all", "i % all"), True: ("i % (total / all)", "i / (total / all)")}
_PATCH = """
    const long long all = high * wide * channels, window = {window}, offset = {offset};
    const long long c = offset % channels, k = offset / channels, image = window / columns / rows;
    const long long y = window / columns % rows * step_y + k / wide * apart_y - above;
    const long long x = window % columns * step_x + k % wide * apart_x - left;
    const {word} none = {{}};
    out[i] = y < 0 || y >= height || x < 0 || x >= width ? none : images[((image * height + y) * width + x) * channels + c];
"""


@functools.cache
def _patcher(cupy: Any, turned: bool, size: int) -> Callable[..., Any]:
    window, offset = _ORDERS[turned]
    text = _PATCH.format(window=window, offset=offset, word=_WORDS[size])
    return _kernel(
        cupy, f"twinflow_patches_{int(turned)}_{size}", ["const {word} *images"], _SIZES, text, size
    )


def patches_of(cupy: Any) -> Callable[..., Any]:
    """Returns im2col: a matrix with a row (or column) per window, zero-padded at the borders."""

    def patches(images: Any, g: Any, turned: bool) -> Any:
        count, width = len(images) * math.prod(g.outputs), math.prod(g.kernel) * images.shape[-1]
        if (
            not turned
            and g.outputs == g.sizes
            and width == images.shape[-1]
            and max(g.strides) == 1
        ):
            return images.reshape(count, width)
        if not images.flags.c_contiguous:
            images = cupy.ascontiguousarray(images)
        out = cupy.ndarray((width, count) if turned else (count, width), images.dtype)
        sizes = (
            images.shape[-1],
            *g.sizes,
            *g.outputs,
            *g.kernel,
            *g.strides,
            *g.dilations,
            g.pads[0][0],
            g.pads[1][0],
        )
        return _patcher(cupy, turned, out.itemsize)((images,), sizes, out)

    return patches


# ------------------------------------------------------------------ shuffle of rows

_MOST_ROWS = 1024
# Each thread block computes the order itself: sequential swaps of i with j[i] >= i (Fisher-Yates).
_SHUFFLE = """
extern "C" __global__ void twinflow_shuffle_{size}(unsigned long long low, unsigned long long high, unsigned long long key,
        long long rows, long long width, const {word} *x, long long total, {word} *out) {{
    __shared__ unsigned int order[{most}], other[{most}];
    const unsigned int count = (unsigned int)rows;
    for (unsigned int block = threadIdx.x; 4 * block < count; block += blockDim.x) {{
        const unsigned long long offset = block;
        {rounds}
        const unsigned int words[4] = {{c0, c1, c2, c3}};
        for (unsigned int k = 0, i = 4 * block; k < 4 && i < count; ++k, ++i) {{ order[i] = i; other[i] = words[k] % (count - i) + i; }}
    }}
    __syncthreads();
    if (threadIdx.x == 0)
        for (unsigned int i = 0; i < count; ++i) {{ const unsigned int kept = order[i]; order[i] = order[other[i]]; order[other[i]] = kept; }}
    __syncthreads();
    const long long step = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < total; i += step)
        out[i] = x[order[i / width] * width + i % width];
}}"""


@functools.cache
def _shuffler(cupy: Any, size: int) -> Any:
    code = _SHUFFLE.format(size=size, word=_WORDS[size], most=_MOST_ROWS, rounds=ROUNDS)
    return compile_raw(cupy, code, f"twinflow_shuffle_{size}")


def shuffled(cupy: Any) -> Callable[..., Any]:
    """Returns the function that shuffles up to 1024 rows: of array, random key and counter."""

    def shuffle(x: Any, key: int, counter: int) -> Any:
        out, start = (
            cupy.ndarray(x.shape, x.dtype),
            (signed(counter), signed(counter >> 64), signed(key)),
        )
        _shuffler(cupy, x.itemsize)(
            *grid_of(out.size), (*start, len(x), out.size // len(x), x, out.size, out)
        )
        return out

    return shuffle
