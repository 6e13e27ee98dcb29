"""Bilinear crops and weighted sums of rows and columns of host images, by native loops.

The bits are those of the passes over whole arrays in ``resize.py``, ``crop_and_resize.py`` and ``sampling.py``.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from twinflow._src.backends.cpu.elementwise import bounds
from twinflow._src.backends.cpu.native import (
    NativeLoop,
    for_range,
    for_vectors,
    load_vector,
    splat,
    store_vector,
)
from twinflow._src.backends.cpu.parallel import all_cores, shared

# Elements of the result per chunk, for several threads.
_BLOCK = 1 << 17
# Counts of channels that are one vector; others are loops.
_VECTORS = (1, 3, 4)

# ------------------------------------------------------------------ bilinear interpolation

# The lower and the upper neighbours of positions, int64, and the part of the way between them, float32.
Ends = tuple[Any, Any, Any]


def bilinear_loop(images: Any, size: int) -> NativeLoop | None:
    """Returns the native loop for images and a result of a size; None if NumPy is to be used."""
    channels = images.shape[3]
    loop = _LOOPS[images.dtype.char == "B", channels if channels in _VECTORS else 0]
    return loop if loop.is_ready(size) else None


def interpolate(loop: NativeLoop, images: Any, rows: Ends, columns: Ends, out: Any) -> Any:
    """Computes crops (crops, height, width, channels) of images; returns them.

    Args:
        loop: The loop for the images.
        images: An array (batch, height, width, channels).
        rows: The neighbours of each row of the crops, counted through the batch: (crops, height).
        columns: Those of each column: (crops, width), or (1, width) for all crops.
        out: The float32 array of the crops.
    """
    if images.dtype.char != "B":
        images = images.astype(np.float32, copy=False)
    crops, height, width, channels = out.shape
    step = width if len(columns[0]) > 1 else 0
    sizes = np.array([height, width, step, images.shape[2], channels])
    arrays = [np.ascontiguousarray(array) for array in (images, out, *rows, *columns, sizes)]
    spans = bounds(crops * height, max(_BLOCK // (width * channels), 1))
    shared(lambda span: loop(arrays, *span), spans, all_cores())
    return out


def _crop_body(channels: int, ir: Any, b: Any, pointers: list[Any], index: Any) -> None:
    """Emits a row of a crop; 0 channels mean any number."""
    x, out, tops, bottoms, downs, lefts, rights, acrosses, sizes = pointers
    load = lambda array, i: b.load(b.gep(array, [i]))
    number = lambda value: ir.Constant(index.type, value)
    height, width, step, inner, depth = (load(sizes, number(i)) for i in range(5))
    depth = number(channels) if channels else depth
    top, bottom = (b.mul(load(rows, index), inner) for rows in (tops, bottoms))
    down, to = load(downs, index), b.mul(index, width)
    first = b.mul(b.udiv(index, height), step)

    def pixel(column: Any) -> None:
        at = b.add(first, column)
        across, sides = load(acrosses, at), (load(lefts, at), load(rights, at))
        places = [b.mul(b.add(row, side), depth) for row in (top, bottom) for side in sides]
        target = b.mul(b.add(to, column), depth)

        def vector(channel: Any, lanes: int) -> None:
            floats = ir.VectorType(ir.FloatType(), lanes)
            values = [load_vector(ir, b, x, b.add(place, channel), lanes) for place in places]
            if x.type.pointee != ir.FloatType():
                values = [b.uitofp(value, floats) for value in values]
            left, right, lower_left, lower_right = values
            along, below = splat(ir, b, across, lanes), splat(ir, b, down, lanes)
            upper, lower = (
                _between(b, left, right, along),
                _between(b, lower_left, lower_right, along),
            )
            store_vector(ir, b, _between(b, upper, lower, below), out, b.add(target, channel))

        _by_channels(ir, b, channels, depth, vector)

    for_range(ir, b, number(0), width, pixel)


def add_crops(total: Any, grads: Any, rows: Ends, columns: Ends, inside: tuple[Any, Any]) -> bool:
    """Adds the gradients by crops to those by their images; False if NumPy is to be used.

    Args:
        total: The gradients of the pixels, (pixels, channels).
        grads: The float32 gradients by crops (crops, height, width, channels).
        rows: The first pixels of the rows that are neighbours of each row of the crops: (crops, height).
        columns: The neighbours of each column: (crops, width).
        inside: The rows and the columns that are inside of the image.
    """
    channels = grads.shape[3]
    loop = _ADDITIONS[channels if channels in _VECTORS else 0]
    if total.dtype.char != "f" or not loop.is_ready(grads.size):
        return False
    tables = [*rows, *columns, *(part.view(np.uint8) for part in inside), np.array(grads.shape)]
    arrays = [total, *(np.ascontiguousarray(array) for array in (grads, *tables))]
    loop(arrays, 0, len(grads))  # in order: crops overlap
    return True


def _addition_body(channels: int, ir: Any, b: Any, pointers: list[Any], index: Any) -> None:
    """Emits a crop, pixel by pixel; 0 channels mean any number."""
    total, x, tops, bottoms, downs, lefts, rights, acrosses, in_rows, in_columns, sizes = pointers
    load = lambda array, i: b.load(b.gep(array, [i]))
    number = lambda value: ir.Constant(index.type, value)
    height, width, depth = (load(sizes, number(i)) for i in (1, 2, 3))
    depth = number(channels) if channels else depth
    is_inside = lambda array, i: b.icmp_unsigned("!=", load(array, i), ir.IntType(8)(0))

    def row(r: Any) -> None:
        place = b.add(b.mul(index, height), r)
        with b.if_then(is_inside(in_rows, place)):
            for_range(ir, b, number(0), width, lambda c: column(place, c))

    def column(row: Any, c: Any) -> None:
        place = b.add(b.mul(index, width), c)
        with b.if_then(is_inside(in_columns, place)):
            pixel(row, place, b.mul(b.add(b.mul(row, width), c), depth))

    def pixel(row: Any, column: Any, source: Any) -> None:
        one = ir.FloatType()(1.0)
        down, across = load(downs, row), load(acrosses, column)
        by_row = (tops, b.fsub(one, down)), (bottoms, down)
        by_column = (lefts, b.fsub(one, across)), (rights, across)

        def vector(channel: Any, lanes: int) -> None:
            grad = load_vector(ir, b, x, b.add(source, channel), lanes)
            for firsts, weight in by_row:
                part = b.fmul(splat(ir, b, weight, lanes), grad)
                for sides, weight in by_column:
                    value = b.fmul(splat(ir, b, weight, lanes), part)
                    to = b.add(load(firsts, row), load(sides, column))
                    to = b.add(b.mul(to, depth), channel)
                    value = b.fadd(load_vector(ir, b, total, to, lanes), value)
                    store_vector(ir, b, value, total, to)

        _by_channels(ir, b, channels, depth, vector)

    for_range(ir, b, number(0), height, row)


def _between(b: Any, start: Any, end: Any, part: Any) -> Any:
    return b.fadd(b.fmul(b.fsub(end, start), part), start)


def _by_channels(ir: Any, b: Any, channels: int, depth: Any, body: Any) -> None:
    """Emits a pixel: one vector if the number of channels is known."""
    if channels:
        body(ir.Constant(depth.type, 0), channels)
    else:
        for_vectors(ir, b, depth, (16, 1), body)


# ------------------------------------------------------------------ weighted sums


def sum_rows(x: Any, indices: Any, weights: Any) -> Any:
    """Returns weighted sums of the rows of flat images; None if NumPy is to be used.

    Args:
        x: The images: (batch, height, width * channels).
        indices: The rows of each sum, int64: (rows, taps).
        weights: Their weights, float32.
    """
    return _sum_natively(
        _ROWS, x, (len(x), len(indices), x.shape[2]), x.shape[1], 1, indices, weights
    )


def sum_columns(x: Any, channels: int, indices: Any, weights: Any) -> Any:
    """Returns weighted sums of the columns of flat images; None if NumPy is to be used."""
    loop = _COLUMNS[channels if channels in _VECTORS else 0]
    shape = *x.shape[:2], len(indices) * channels
    return _sum_natively(loop, x, shape, x.shape[2], channels, indices, weights)


def _sum_natively(
    loop: NativeLoop, x: Any, shape: Any, size: int, channels: int, indices: Any, weights: Any
) -> Any:
    if x.dtype.char != "f" or weights.dtype.char != "f" or not loop.is_ready(math.prod(shape)):
        return None
    result = np.empty(shape, np.float32)
    sizes = np.array([indices.shape[0], indices.shape[1], size, shape[2], channels])
    arrays = [np.ascontiguousarray(array) for array in (x, result, indices, weights, sizes)]
    loop(arrays, 0, shape[0] * shape[1])
    return result


def _rows_body(ir: Any, b: Any, pointers: list[Any], index: Any) -> None:
    """Emits a sum of rows."""
    x, out, indices, weights, sizes = pointers
    number = lambda value: ir.Constant(index.type, value)
    rows, taps, height, width, _ = (b.load(b.gep(sizes, [number(i)])) for i in range(5))
    first, to = b.mul(b.urem(index, rows), taps), b.mul(index, width)
    image = b.mul(b.udiv(index, rows), height)

    def vector(column: Any, lanes: int) -> None:
        place = lambda row: b.add(b.mul(b.add(image, row), width), column)
        total = _sum_taps(ir, b, x, place, lanes, (indices, weights, first, taps))
        store_vector(ir, b, total, out, b.add(to, column))

    for_vectors(ir, b, width, (32, 1), vector)


def _columns_body(channels: int, ir: Any, b: Any, pointers: list[Any], index: Any) -> None:
    """Emits the sums of columns of a row; 0 channels mean any number."""
    x, out, indices, weights, sizes = pointers
    number = lambda value: ir.Constant(index.type, value)
    columns, taps, inner, width, depth = (b.load(b.gep(sizes, [number(i)])) for i in range(5))
    depth = number(channels) if channels else depth
    row, to = b.mul(index, inner), b.mul(index, width)

    def pixel(column: Any) -> None:
        first, target = b.mul(column, taps), b.add(to, b.mul(column, depth))

        def vector(channel: Any, lanes: int) -> None:
            place = lambda source: b.add(b.add(row, b.mul(source, depth)), channel)
            total = _sum_taps(ir, b, x, place, lanes, (indices, weights, first, taps))
            store_vector(ir, b, total, out, b.add(target, channel))

        _by_channels(ir, b, channels, depth, vector)

    for_range(ir, b, number(0), columns, pixel)


def _sum_taps(ir: Any, b: Any, x: Any, place: Any, lanes: int, table: Any) -> Any:
    """Emits the sum of vectors at the places of some taps."""
    indices, weights, first, taps = table

    def product(tap: Any) -> Any:
        weight = splat(ir, b, b.load(b.gep(weights, [tap])), lanes)
        vector = load_vector(ir, b, x, place(b.load(b.gep(indices, [tap]))), lanes)
        return b.fmul(vector, weight)

    add = lambda tap, total: b.fadd(total, product(tap))
    start = b.add(first, ir.Constant(first.type, 1))
    return for_range(ir, b, start, b.add(first, taps), add, product(first))


_TABLES = ("u8", "u8", "f4")
_LOOPS = {
    (is_bytes, channels): NativeLoop(
        ("u1" if is_bytes else "f4", "f4", *_TABLES, *_TABLES, "u8"),
        functools.partial(_crop_body, channels),
    )
    for is_bytes in (False, True)
    for channels in (0, *_VECTORS)
}
_ADDITIONS = {
    n: NativeLoop(
        ("f4", "f4", *_TABLES, *_TABLES, "u1", "u1", "u8"), functools.partial(_addition_body, n)
    )
    for n in (0, *_VECTORS)
}
_SUM = ("f4", "f4", "u8", "f4", "u8")
_ROWS = NativeLoop(_SUM, _rows_body)
_COLUMNS = {n: NativeLoop(_SUM, functools.partial(_columns_body, n)) for n in (0, *_VECTORS)}
