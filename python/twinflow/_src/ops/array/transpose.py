"""Blocked transposition on the host, and data format ops (NCHW, NHWC)."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from twinflow._src.backends.cpu.elementwise import bounds
from twinflow._src.backends.cpu.native import NativeLoop, for_range
from twinflow._src.backends.cpu.parallel import all_cores, shared
from twinflow._src.core.dtypes import int32, int64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import Dims, refused, same, text
from twinflow._src.dispatch.op import op

# Transposed copies.


# Minimum bytes for tiling (smaller arrays fit in the cache); elements per tile; minimum extent of a tile
# along the axis that is contiguous in the source or in the copy.
_LARGE, _TILE, _REACH = 1 << 19, 1 << 18, 512
# Strides that are multiples of this many bytes map to few cache sets.
_MEETING = 512


def transpose_contiguous(xp: Any, x: Any, order: Sequence[int] | None) -> Any:
    """Returns a transposed array in row-major layout; the axes are reversed if ``order`` is None."""
    # On the host a large array is copied tile by tile, so that each cache line is fully used while
    # it is in the cache.
    moved = x.transpose(order)
    if xp is not np or x.nbytes < _LARGE or moved.flags.c_contiguous:
        return xp.asarray(moved, order="C")
    result = np.empty(moved.shape, x.dtype)
    sizes, loop = _matrices_of(moved), _LOOPS.get(x.itemsize)
    if loop and sizes and x.dtype.kind != "O" and loop.is_ready(x.size):
        _transpose_natively(loop, x, result, *sizes)
        return result
    wide = [i for i, size in enumerate(moved.shape) if size > 1]
    steps = _steps(moved, wide)
    meeting = moved.strides[wide[-1]] % _MEETING == 0

    def copy(start: tuple[int, ...]) -> None:
        tile = tuple(slice(i, i + step) for i, step in zip(start, steps))
        result[tile] = _copy_padded(moved[tile]) if meeting else moved[tile]

    shared(copy, list(itertools.product(*map(range, [0] * x.ndim, moved.shape, steps))))
    return result


def _steps(moved: Any, wide: list[int]) -> list[int]:
    """Returns the tile extents: first the contiguous axes of source and copy, then the others."""
    near = sorted(
        (wide[-1], min(wide, key=lambda i: moved.strides[i])), key=lambda i: moved.shape[i]
    )
    steps, left = [1] * moved.ndim, _TILE
    for i in [*near, *reversed(wide)]:
        if steps[i] == 1:
            steps[i] = min(moved.shape[i], _REACH if i == near[0] else left)
            left = max(1, left // steps[i])
    return steps


def _matrices_of(moved: Any) -> tuple[int, int, int] | None:
    """Returns the number, rows and columns of the matrices that a transposed view consists of.

    Returns None if it is another one, or if the matrices are narrow.
    """
    axes: list[tuple[int, int]] = []
    for size, stride in zip(moved.shape, moved.strides):
        if axes and axes[-1][1] == size * stride:
            axes[-1] = axes[-1][0] * size, stride
        elif size > 1:
            axes.append((size, stride))
    if len(axes) not in (2, 3):
        return None
    (count, distance), (columns, near), (rows, far) = [(1, moved.nbytes), *axes][-3:]
    is_matrix = near == moved.itemsize and far == columns * near and distance == rows * far
    return (count, rows, columns) if is_matrix and min(rows, columns) >= _BAND else None


def _transpose_natively(
    loop: NativeLoop, x: Any, result: Any, count: int, rows: int, columns: int
) -> None:
    """Transposes matrices by a native loop over bands of rows in stripes of columns."""
    bands, stripes = -(-rows // _BAND), -(-columns // _STRIPE)
    sizes, steps = np.array([rows, columns, bands, stripes], np.uint64), count * bands * stripes
    spans = bounds(steps, max(_TILE * steps // x.size, 1))
    shared(lambda span: loop([x, result, sizes], *span), spans, all_cores())


def _transposition_body(ir: Any, b: Any, pointers: list[Any], index: Any) -> None:
    """Emits the transposition of a band in a stripe; the last tiles overlap those before them."""
    x, out, sizes = pointers
    number = functools.partial(ir.Constant, index.type)
    rows, columns, bands, stripes = (b.load(b.gep(sizes, [number(i)])) for i in range(4))
    lesser = lambda v, w: b.select(b.icmp_unsigned("<", v, w), v, w)
    row = lesser(b.mul(b.urem(index, bands), number(_BAND)), b.sub(rows, number(_BAND)))
    index = b.udiv(index, bands)
    left = b.mul(b.urem(index, stripes), number(_STRIPE))
    first = b.mul(b.udiv(index, stripes), b.mul(rows, columns))
    width = lesser(number(_STRIPE), b.sub(columns, left))

    def slot(array: Any, start: Any, width: Any, line: int) -> Any:
        pointer = b.gep(array, [b.add(start, b.mul(width, number(line)))])
        return b.bitcast(pointer, ir.VectorType(x.type.pointee, _LANES).as_pointer())

    def transpose_square(row: Any, column: Any) -> None:
        source = b.add(first, b.add(b.mul(row, columns), column))
        target = b.add(first, b.add(b.mul(column, rows), row))
        align, lines = x.type.pointee.width // 8, range(_LANES)
        vectors = [b.load(slot(x, source, columns, i), align=align) for i in lines]
        for i, vector in enumerate(_transpose_vectors(ir, b, vectors)):
            b.store(vector, slot(out, target, rows, i), align=align)

    def transpose_tile(i: Any) -> None:
        column = lesser(b.add(left, b.mul(i, number(_LANES))), b.sub(columns, number(_LANES)))
        for start in range(0, _BAND, _LANES):
            transpose_square(b.add(row, number(start)), column)

    tiles = b.udiv(b.add(width, number(_LANES - 1)), number(_LANES))
    for_range(ir, b, number(0), tiles, transpose_tile)


def _transpose_vectors(ir: Any, b: Any, vectors: list[Any]) -> list[Any]:
    """Emits the transposition of a square of vectors: blocks are swapped, of half the size each time."""
    vectors, size, lanes = list(vectors), len(vectors) // 2, range(len(vectors))
    kind = ir.VectorType(ir.IntType(32), len(vectors))
    while size:
        upper = ir.Constant(kind, [k - size + len(lanes) if k & size else k for k in lanes])
        lower = ir.Constant(kind, [k + len(lanes) if k & size else k + size for k in lanes])
        for i in (i for i in lanes if not i & size):
            pair = vectors[i], vectors[i + size]
            vectors[i], vectors[i + size] = (b.shuffle_vector(*pair, m) for m in (upper, lower))
        size //= 2
    return vectors


# The side of a square of a native loop, which fits into the registers of AVX2; the rows of a band, whose
# columns fill a cache line, and the columns of a stripe. Loops by the size of elements.
_LANES, _BAND, _STRIPE = 8, 16, 256
_LOOPS = {
    size: NativeLoop((f"u{size}", f"u{size}", "u8"), _transposition_body) for size in (2, 4, 8)
}


def _copy_padded(part: Any) -> Any:
    """Returns a copy in memory order with padded rows, which changes the stride."""
    order = sorted(range(part.ndim), key=lambda i: -part.strides[i])
    shape = [part.shape[i] for i in order]
    copy = np.empty([*shape[:-1], shape[-1] + 16], part.dtype)[..., : shape[-1]]
    copy = copy.transpose(np.argsort(order))
    copy[...] = part
    return copy


# Data formats.


_TYPES = frozenset((int32, int64))


def _assert_formats(source: str, destination: str) -> None:
    """Raises InvalidArgumentError if two data formats are not permutations of each other."""
    for what, form in (("Source", source), ("Destination", destination)):
        if len(form) not in (4, 5):
            short = {"Source": "src", "Destination": "dst"}[what]
            raise invalid(
                f"{what} format must be of length 4 or 5, received {short}_format = {form}"
            )
    if (
        len(set(source)) != len(source)
        or set(source) != set(destination)
        or len(source) != len(destination)
    ):
        raise invalid(
            f"Destination and source format must determine a permutation, got {source} and {destination}"
        )


@op("DataFormatDimMap", shape=same, dtypes=_TYPES)
def data_format_dim_map(
    xp: Any, x: Any, *, src_format: str = "NHWC", dst_format: str = "NCHW"
) -> Any:
    """Maps axes of one data format to axes of another."""
    _assert_formats(src_format, dst_format)
    return xp.asarray([dst_format.index(axis) for axis in src_format], x.dtype)[x % len(src_format)]


def _permuted(x: Dims | None, **_: Any) -> Dims | None:
    if x is not None and len(x) not in (1, 2):
        raise refused(f"input must be a vector or 2D tensor, but got shape {text(x)}", _ranks(x))
    return x


def _ranks(x: Dims) -> str:
    demand, which = ("at most", 2) if len(x) > 2 else ("at least", 1)
    return f"Shape must be {demand} rank {which} but is rank {len(x)}"


def _assert_sizes(x: Any, rank: int) -> None:
    if x.ndim not in (1, 2):
        raise invalid(f"input must be a vector or 2D tensor, but got shape {text(x.shape)}")
    if x.shape[0] not in (rank - 2, rank):
        which = "1D" if x.ndim == 1 else "First dimension of 2D"
        raise invalid(
            f"{which} input must be of size {rank - 2} or {rank}, but got shape {text(x.shape)}"
        )
    if x.ndim == 2 and x.shape[1] != 2:
        raise invalid(
            f"Second dimension of 2D input must be of size 2, but got shape {text(x.shape)}"
        )


@op("DataFormatVecPermute", shape=_permuted, dtypes=_TYPES)
def data_format_vec_permute(
    xp: Any, x: Any, *, src_format: str = "NHWC", dst_format: str = "NCHW"
) -> Any:
    """Permutes sizes, or pairs of them, from one data format to another."""
    _assert_formats(src_format, dst_format)
    _assert_sizes(x, len(src_format))
    if len(x) != len(src_format):
        src_format, dst_format = (
            "".join(c for c in form if c not in "NC") for form in (src_format, dst_format)
        )
    return x[xp.asarray([src_format.index(axis) for axis in dst_format])]


data_format_dim_map.op.no_gradient = data_format_vec_permute.op.no_gradient = True
