"""Parallel reductions, row sums, argmax and argmin of large host arrays.

Arrays are split by their shape alone, so that results are identical to the bit for any number of
threads. Where NumPy's order of additions costs nothing, it is kept: for reductions along any but
the last dimension. Sums of rows and of all elements use another order that is as accurate, and so
does a long dimension before a short one, of which many elements are reduced at a time. 16-bit
floats are reduced in float32 and rounded once.

Row sums: NumPy's sum of a row has an overhead of 20 nanoseconds; ``einsum`` takes four and adds
whole SIMD vectors. Such a loop has few accumulators, so longer rows are split into pieces,
recursively: the chains of additions are as short as in NumPy's pairwise summation. The sum of a row
depends on that row alone.

Argmax and argmin: NumPy searches a dimension other than the last column by column. Short dimensions
are counted instead, long ones are first reduced in blocks, which reads contiguous rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from twinflow._src.backends.cpu.elementwise import bounds
from twinflow._src.backends.cpu.float16 import is_short_float, widened
from twinflow._src.backends.cpu.native_reductions import (
    FOLD,
    FOLDED,
    LONG_ROW,
    VECTOR_BYTES,
    reduce_rows,
)
from twinflow._src.backends.cpu.parallel import shared

# Row sums.


# Rows of up to this number of bytes are summed in one loop; longer ones in pieces of half the size.
_LOOP = 1024
# Number of elements of a vector that are summed in one loop.
_PIECE = 256
# Minimum of elements for several threads; elements per chunk; and maximum number of chunks.
_ALONE, _BLOCK, _PARTS = 1 << 20, 1 << 17, 16


def pays(dtype: Any, size: int) -> bool:
    """True if row sums are faster here than by NumPy; for long rows only in single precision."""
    if dtype.kind == "f" or is_short_float(dtype):
        return dtype.itemsize <= 4 or size * dtype.itemsize <= _LOOP
    return dtype.kind in "iu" and size * dtype.itemsize <= _LOOP


def total(x: Any) -> Any:
    """Returns the sum of a float32 or 16-bit float vector.

    The row sums of its pieces are added by pairwise summation.
    """
    whole = x.size - x.size % _PIECE
    return np.add.reduce(row_sums(x[:whole].reshape(-1, _PIECE))) + np.add.reduce(
        widened(x[whole:])
    )


def row_sums(x: Any) -> Any:
    """Returns the row sums of an integer or float matrix; of 16-bit floats in float32."""
    short = is_short_float(x.dtype)
    result = np.empty(len(x), np.float32 if short else x.dtype)
    if x.size < _ALONE and not short:
        _row_sums(x, result)
        return result
    elements = _BLOCK if short else max(_BLOCK, x.size // _PARTS)
    step = max(elements // x.shape[1], 1)
    parts = [slice(start, start + step) for start in range(0, len(x), step)]
    shared(lambda at: _row_sums(widened(x[at]), result[at]), parts)
    return result


def _row_sums(x: Any, out: Any) -> None:
    """Computes row sums by one loop per row, or by the sums of the pieces."""
    rows, size = x.shape
    piece = _LOOP // 2 // x.itemsize
    if size <= 2 * piece:
        np.einsum("ij->i", x, out=out)
        return
    whole = size - size % piece
    sums = np.empty((rows, -(-size // piece)), x.dtype)
    np.einsum("ijk->ij", x[:, :whole].reshape(rows, -1, piece), out=sums[:, : whole // piece])
    if whole < size:
        np.einsum("ij->i", x[:, whole:], out=sums[:, -1])
    _row_sums(sums, out)


# Reductions along dimensions.


# Smaller arrays are left to NumPy, unless they have so many rows of so few elements.
LEAST = 1 << 15
MANY_ROWS, _FEW_IN_ROW = 768, 20
# Integers up to here are exact in float32: a quotient is rounded once, as if computed in double.
EXACT = 1 << 24
# float32 sums of fewer elements are left to NumPy as well.
_FEW = 1 << 17
# Number of elements per transposed chunk, which fits into the cache of a core.
_TURNED = 1 << 15
# Rows of fewer elements are short: several of them are reduced together, up to this many elements.
_SHORT, _TOGETHER = 192, 2048
# Row sizes up to which transposing is faster, by function; size of items that are transposed as
# one.
_SHORT_ROWS, _NARROW = {np.add: 20}, 32
# Row sizes up to which columns are combined in place, by function; and rows per chunk.
_COLUMNS, _HIGH = {np.add: 8, np.multiply: 13}, 1 << 14

Function = Callable[..., Any]


def reduced(
    xp: Any, name: str, x: Any, axes: tuple[int, ...] | None, keepdims: bool, narrow: bool = True
) -> Any:
    """Reduces an array along non-empty dimensions by a binary NumPy function.

    ``axes`` are non-negative; None means all. If ``narrow``, 16-bit floats are rounded to their
    dtype; otherwise the result is float32.
    """
    dtype = x.dtype if narrow or not is_short_float(x.dtype) else np.dtype(np.float32)
    few = x.size < LEAST and (x.size < MANY_ROWS or not has_short_rows(x, axes))
    alone = few or (x.size < _FEW and axes is None and name == "add" and x.dtype.char == "f")
    if alone and xp is np and x.dtype.kind in "fiuc":
        return getattr(np, name).reduce(x, axis=axes, dtype=dtype, keepdims=keepdims)
    axes = tuple(range(x.ndim)) if axes is None else axes
    if few or xp is not np or x.dtype.kind not in "fiubcV" or not x.flags.c_contiguous:
        result = _as_it_is(xp, name, x.astype(dtype, copy=False), axes, keepdims)
        return result if result.dtype is dtype else result.astype(dtype, copy=False)
    function = getattr(np, name)
    shape = tuple(1 if i in axes else n for i, n in enumerate(x.shape))
    rows = [(x.size // x.shape[-1], x.shape[-1], 1)] if x.size < LEAST else None
    for outer, size, inner in rows or _groups(x.shape, axes):
        x = _along(function, x.reshape(outer, size, inner))
    kept = shape if keepdims else tuple(n for i, n in enumerate(shape) if i not in axes)
    return x.astype(dtype, copy=False).reshape(kept)


def has_short_rows(x: Any, axes: tuple[int, ...] | None) -> bool:
    """True if the rows of an array are to be reduced, and there are many short ones."""
    if axes not in ((x.ndim - 1,), (-1,)) or is_short_float(x.dtype):
        return False
    return bool(1 < x.shape[-1] < _FEW_IN_ROW and x.size >= MANY_ROWS * x.shape[-1])


def _as_it_is(xp: Any, name: str, x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    if name == "add" and x.dtype.kind == "V":  # NumPy's own sums round at each step
        return x.astype(xp.float32).sum(axes, keepdims=keepdims)
    whole = {"dtype": x.dtype} if name in ("add", "multiply") else {}
    if xp is np:
        return getattr(np, name).reduce(x, axis=axes, keepdims=keepdims, **whole)
    method = {
        "add": "sum",
        "multiply": "prod",
        "maximum": "max",
        "minimum": "min",
        "logical_or": "any",
        "logical_and": "all",
    }
    return getattr(xp, method[name])(x, axis=axes, keepdims=keepdims, **whole)


def _groups(shape: tuple[int, ...], axes: tuple[int, ...]) -> list[tuple[int, int, int]]:
    """Groups adjacent reduced dimensions, from the last: the sizes before, of, and after them."""
    groups, dims = [], list(shape)
    for last in reversed(range(len(dims))):
        if last in axes and (last + 1 == len(shape) or last + 1 not in axes):
            first = last
            while first and first - 1 in axes:
                first -= 1
            sizes = (
                dims[:first],
                shape[first : last + 1],
                [n for i, n in enumerate(shape) if i > last and i not in axes],
            )
            groups.append((math.prod(sizes[0]), math.prod(sizes[1]), math.prod(sizes[2])))
    return groups


def _along(function: Any, x: Any) -> Any:
    """Reduces the middle of three dimensions; 16-bit floats in float32."""
    outer, size, inner = x.shape
    if (
        outer == inner == 1
        and function is np.add
        and (x.dtype.char == "f" or is_short_float(x.dtype))
    ):
        return total(x.reshape(-1))
    if inner == 1 and (rows := reduce_rows(function, x[..., 0])) is not None:
        return rows
    if 1 < inner < _SHORT and size * inner >= _BLOCK:
        return _together(function, x)
    if inner == 1 and outer > 1 and 1 < size < _COLUMNS.get(function, 0):
        return _column_by_column(function, x[..., 0])
    if inner == 1 and outer > 1 and function is np.add and pays(x.dtype, size):
        return row_sums(x.reshape(outer, size))
    short = size < _SHORT_ROWS.get(function, LONG_ROW) if inner == 1 else inner < _NARROW
    if short and outer > 1 and size * inner < _TURNED:
        return _side_by_side(function, x)
    if inner == 1:
        x = x.reshape(-1) if outer == 1 else x.reshape(outer, size)
    in_parts = (
        function is np.multiply or is_short_float(x.dtype) or (x.ndim == 1 and x.dtype.kind == "c")
    )
    if x.size < _ALONE and not in_parts:
        return _of(function, x.dtype)(x, min(x.ndim - 1, 1))
    return (_reduce_vector, _rows, _reduce_middle_axis)[x.ndim - 1](function, x)


def _empty(shape: Any, dtype: Any) -> Any:
    return np.empty(shape, np.float32 if is_short_float(dtype) else dtype)


def steps(size: int, step: int) -> list[slice]:
    """Splits a dimension into slices; the last one may be smaller."""
    return [slice(start, min(start + step, size)) for start in range(0, size, max(step, 1))]


def _whole_steps(size: int, step: int) -> list[slice]:
    """Splits a dimension into slices; the last one includes the remainder."""
    return [slice(*ends) for ends in bounds(size, step)]


def _of(function: Any, dtype: Any) -> Function:
    """Returns a reduction that accumulates in the dtype itself."""
    whole = {} if dtype.kind == "b" or function not in (np.add, np.multiply) else {"dtype": dtype}
    return lambda x, axis=0, out=None: function.reduce(x, axis=axis, out=out, **whole)


# ------------------------------------------------------------------ vectors and rows


def _reduce_vector(function: Any, x: Any) -> Any:
    """Reduces all elements of a vector."""
    if function is np.multiply and x.dtype.kind != "i":
        return _together(function, x.reshape(1, -1, 1))
    if function is np.add and x.dtype.kind == "f":
        return _paired_whole(x)
    parts = steps(x.size, _BLOCK)
    result = _empty(len(parts), x.dtype)
    run = _of(function, result.dtype)

    def work(i: int) -> None:
        result[i] = run(widened(x[parts[i]]))

    shared(work, range(len(parts)))
    return run(result)


def _paired_whole(x: Any) -> Any:
    """Returns the sum of a float64 vector in NumPy's pairwise order, in multiples of eight."""
    leaves: list[slice] = []
    most = max(_BLOCK, x.size // _PARTS)

    def planned(start: int, size: int) -> Any:
        if size <= most:
            leaves.append(slice(start, start + size))
            return len(leaves) - 1
        half = size // 2 - size // 2 % 8
        return planned(start, half), planned(start + half, size - half)

    tree = planned(0, x.size)
    sums = np.empty(len(leaves), x.dtype)

    def work(i: int) -> None:
        sums[i] = np.add.reduce(x[leaves[i]])

    shared(work, range(len(leaves)))
    return np.asarray(_added(tree, sums), sums.dtype)


def _added(tree: Any, sums: Any) -> Any:
    return _added(tree[0], sums) + _added(tree[1], sums) if isinstance(tree, tuple) else sums[tree]


def _rows(function: Any, x: Any) -> Any:
    """Reduces each of many long rows."""
    result = _empty(len(x), x.dtype)
    run = _of(function, result.dtype)
    if function is np.multiply:
        run = lambda x, axis, out: np.copyto(out, _row_products(x))
    shared(
        lambda at: run(widened(x[at]), 1, result[at]), steps(len(x), max(1, _BLOCK // x.shape[1]))
    )
    return result


def _row_products(x: Any) -> Any:
    """Returns the products of rows of 64 or more numbers, many factors at a time.

    Consecutive factors would each wait for the product before.
    """
    if x.shape[1] >= FOLDED:
        whole = x.shape[1] // FOLD * FOLD
        folded = np.multiply.reduce(x[:, :whole].reshape(len(x), -1, FOLD), 1, x.dtype)
        folded[:, : x.shape[1] - whole] *= x[:, whole:]
        x = folded
    lanes = max(VECTOR_BYTES // x.itemsize, 1)
    whole = x.shape[1] // lanes * lanes
    turned = np.ascontiguousarray(x[:, :whole].view(f"V{lanes * x.itemsize}").T).view(x.dtype)
    product = np.multiply.reduce(turned, 0, x.dtype).reshape(-1, lanes)
    while lanes > 1:
        lanes //= 2
        product = product[:, :lanes] * product[:, lanes:]
    for i in range(whole, x.shape[1]):
        product[:, 0] *= x[:, i]
    return product[:, 0]


def _side_by_side(function: Any, x: Any) -> Any:
    """Reduces the middle of three dimensions if it or the last one is short, by transposing.

    Chunks are transposed to columns, so that whole rows of them are combined at a time.
    """
    outer, size, inner = x.shape
    result = _empty((outer, inner), x.dtype)
    run = _of(function, result.dtype)
    work = lambda at: run(widened(_transpose_items(x[at])), 0, result[at].reshape(-1))
    shared(work, steps(outer, max(1, _TURNED // (size * inner))))
    return result


def _transpose_items(x: Any) -> Any:
    """Transposes the second of three dimensions to the front, as a matrix.

    The last dimension is transposed as one item.
    """
    outer, size, inner = x.shape
    items = x.reshape(outer, size * inner).view(f"V{inner * x.dtype.itemsize}")
    return np.ascontiguousarray(items.T).view(x.dtype)


def _column_by_column(function: Any, x: Any) -> Any:
    """Reduces each of many rows of two or a few more elements."""
    result = _empty(len(x), x.dtype)

    def work(at: slice) -> None:
        columns, into = widened(x[at]).T, result[at]
        function(columns[0], columns[1], out=into)
        for column in columns[2:]:
            function(into, column, out=into)
        if function is np.add:
            into += 0  # a sum of -0 is 0

    shared(work, steps(len(x), _HIGH))
    return result


# ------------------------------------------------------------------ dimensions before others


def _reduce_middle_axis(function: Any, x: Any) -> Any:
    """Reduces a dimension before a long one, or one of few elements."""
    outer, size, inner = x.shape
    result = _empty((outer, inner), x.dtype)
    run = _of(function, result.dtype)
    if outer >= _PARTS:
        at = [(rows, slice(None)) for rows in steps(outer, max(1, _BLOCK // (size * inner)))]
    else:
        width = max(1024, -(-inner // _PARTS))
        at = [(slice(i, i + 1), columns) for i in range(outer) for columns in steps(inner, width)]
    shared(lambda index: run(widened(x[index[0], :, index[1]]), 1, result[index]), at)
    return result


def _together(function: Any, x: Any) -> Any:
    """Reduces a long dimension before a short one: many elements at a time, then the rest."""
    outer, size, inner = x.shape
    many = max(1, _TOGETHER // inner)
    parts = _whole_steps(size, max(many, _BLOCK // inner // many * many))
    result = _empty((outer, len(parts), many * inner), x.dtype)
    run = _of(function, result.dtype)

    def work(index: tuple[int, int]) -> None:
        part = widened(x[index[0], parts[index[1]]])
        into, whole = result[index], len(part) - len(part) % many
        run(part[:whole].reshape(-1, many * inner), 0, into)
        rest = part[whole:].reshape(-1)
        function(into[: rest.size], rest, out=into[: rest.size])

    shared(work, list(np.ndindex(outer, len(parts))))
    partial = run(result, 1)
    return run(partial.reshape(outer, many, inner), 1)


def split_around_axis(shape: Sequence[int], axis: int) -> list[tuple[slice, ...]]:
    """Splits an array into slices that are complete along a dimension."""
    outer = max(
        (i for i in range(len(shape)) if i != axis),
        key=lambda i: (shape[i] >= _PARTS, -i),
        default=None,
    )
    if outer is None:
        return [(slice(None),) * len(shape)]
    return [
        (*(slice(None),) * outer, part) for part in steps(shape[outer], -(-shape[outer] // _PARTS))
    ]


# Argmax and argmin.


# Columns per chunk of counting.
_WIDTH = 1 << 15
# Maximum sizes for counting: of rows, which are transposed; of other dimensions, and their minimum
# inner size.
_COUNTED, _COUNTED_COLUMNS, _BESIDE = 25, 192, 1 << 12
# Minimum inner size, size along the dimension and number of elements for blocks of this height.
_LINES, _TALL, _TALL_ONES, _HEIGHT = 128, 512, 1 << 18, 32
# Minimum inner size and number of bytes for blocks of _BLOCK elements, where the inner size is smaller.
_NARROW_LINES, _NARROW_BYTES = 8, 1 << 24


def counts_extremes(x: Any, axis: int) -> bool:
    """True if ``first_extreme`` counts along a dimension.

    There NaN is ignored; otherwise the first NaN is the extreme element.
    """
    size, inner = x.shape[axis], math.prod(x.shape[axis + 1 :])
    short = size < (_COUNTED if inner == 1 else _COUNTED_COLUMNS if inner >= _BESIDE else 0)
    return short and x.size >= LEAST and x.flags.c_contiguous and not is_short_float(x.dtype)


def first_extreme(name: str, x: Any, axis: int) -> Any:
    """Returns the argmax or argmin along a dimension; 0 if all elements are NaN."""
    outer, size, inner = math.prod(x.shape[:axis]), x.shape[axis], math.prod(x.shape[axis + 1 :])
    if not x.flags.c_contiguous or is_short_float(x.dtype):
        return getattr(np, name)(x, axis=axis)
    whole = x.reshape(outer, size, inner)
    if counts_extremes(x, axis):
        result = _counted(name, whole)
    elif inner == 1 and x.size >= _ALONE:
        result = np.empty((outer, 1), np.intp)
        run = lambda at: getattr(np, name)(whole[at], axis=1, out=result[at])
        shared(run, steps(outer, max(1, _BLOCK // size)))
    elif inner >= _LINES and size >= _TALL and x.size >= _TALL_ONES:
        result = _of_blocks(name, whole, _HEIGHT)
    elif outer == 1 and _NARROW_LINES <= inner < _LINES and x.nbytes >= _NARROW_BYTES:
        result = _of_blocks(name, whole, -(-_BLOCK // inner))
    else:
        return getattr(np, name)(x, axis=axis)
    return result.reshape((*x.shape[:axis], *x.shape[axis + 1 :]))


def _counted(name: str, x: Any) -> Any:
    """Computes ``first_extreme`` along the middle of three dimensions, a short one, by counting."""
    outer, size, inner = x.shape
    result = np.empty((outer, inner), np.intp)
    if inner == 1:
        run = lambda at: _running(name, np.ascontiguousarray(x[at, :, 0].T), result[at, 0])
        shared(run, steps(outer, _BLOCK // size))
    else:
        indices = [(i, at) for i in range(outer) for at in steps(inner, _WIDTH)]
        shared(lambda index: _running(name, x[index[0], :, index[1]], result[index]), indices)
    return result


def _of_blocks(name: str, x: Any, height: int) -> Any:
    """Computes ``first_extreme`` for blocks first, then within the best block."""
    size = x.shape[1]
    whole = size - size % height
    function = "maximum" if name == "argmax" else "minimum"
    best = reduced(np, function, x[:, :whole].reshape(len(x), -1, height, x.shape[2]), (2,), False)
    if whole < size:
        rest = getattr(np, function).reduce(x[:, whole:], 1, keepdims=True)
        best = np.concatenate([best, rest], 1)
    find = getattr(np, name)
    start = np.minimum(find(best, 1) * height, size - height)[:, None]
    within = np.take_along_axis(x, start + np.arange(height)[:, None], 1)
    return start[:, 0] + find(within, 1)


def _running(name: str, x: Any, into: Any) -> None:
    """Counts from the end of a short first dimension; the largest count marks the first extreme."""
    size, floating = len(x), x.dtype.kind == "f"
    function = {"argmax": (np.maximum, np.fmax), "argmin": (np.minimum, np.fmin)}[name][floating]
    extreme = function.reduce(x)
    counts = (x == extreme).view(np.uint8)
    counts *= np.arange(size, 0, -1, dtype=np.uint8)[:, None]
    count = np.maximum.reduce(counts)
    if floating:  # index 0 if there is nothing but NaN and the worst infinity
        lost = extreme == (-np.inf if name == "argmax" else np.inf)
        lost |= count == 0
        count[lost] = size
    into[...] = size - count
