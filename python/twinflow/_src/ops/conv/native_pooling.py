"""Max and average pooling of host images by native loops, with the bits of the passes in ``pooling.py``.

Those reduce rows first, then columns: the columns of a window are in the outer loop here.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from twinflow._src.backends.cpu.elementwise import bounds
from twinflow._src.backends.cpu.native import (
    TAKES_SECOND_ZERO,
    NativeLoop,
    for_range,
    for_vectors,
    load_vector,
    splat,
    store_vector,
)
from twinflow._src.backends.cpu.parallel import all_cores, shared
from twinflow._src.ops.conv.geometry import Geometry

# Elements of the input per chunk, for several threads; minimum of channels, and sizes of vectors of them.
_BLOCK, _CHANNELS, _LANES = 1 << 17, 8, (32, 8, 1)
# The first row or column, and the one after the last.
_Ends = tuple[Any, Any]


def pool(xp: Any, name: str, x: Any, g: Geometry) -> Any:
    """Returns the maximum or mean of windows (batch, height, width, channels); None if NumPy is to be used."""
    loop = _LOOPS.get((name, x.dtype.char)) if xp is np and x.shape[-1] >= _CHANNELS else None
    if loop is None or (name == "max" and not TAKES_SECOND_ZERO) or not loop.is_ready(x.size):
        return None
    result = np.empty((len(x), *g.outputs, x.shape[3]), x.dtype)
    before = [pad for pad, _ in g.pads]
    sizes = np.array([*g.outputs, *g.sizes, *g.kernel, *g.strides, *before, x.shape[3]])
    rows, size = result.shape[0] * result.shape[1], x.size
    arrays = [np.ascontiguousarray(x), result, sizes]
    spans = bounds(rows, max(_BLOCK * rows // size, 1))
    shared(lambda span: loop(arrays, *span), spans, all_cores())
    return result


def _row_body(name: str, least: float, ir: Any, b: Any, pointers: list[Any], index: Any) -> None:
    """Emits a row of windows."""
    x, out, sizes = pointers
    number = lambda value: ir.Constant(index.type, value)
    values = (b.load(b.gep(sizes, [number(i)])) for i in range(11))
    height, width, *inner, high, wide, down, across, top, left, channels = values
    row = b.urem(index, height)
    image = b.mul(b.udiv(index, height), inner[0])
    rows = _ends(b, b.sub(b.mul(row, down), top), high, inner[0])

    def window(position: Any) -> None:
        columns = _ends(b, b.sub(b.mul(position, across), left), wide, inner[1])
        target = b.mul(b.add(b.mul(index, width), position), channels)

        def vector(channel: Any, lanes: int) -> None:
            constant = lambda value: ir.Constant(
                ir.VectorType(x.type.pointee, lanes), [value] * lanes
            )

            def load(i: Any, j: Any) -> Any:
                pixel = b.add(b.mul(b.add(image, i), inner[1]), j)
                return load_vector(ir, b, x, b.add(b.mul(pixel, channels), channel), lanes)

            if name == "max":
                result = _largest(ir, b, load, rows, columns, constant(least))
            else:
                zeros = constant(-0.0), constant(0.0)
                result = _mean(ir, b, load, rows, columns, b.mul(high, wide), zeros)
            store_vector(ir, b, result, out, b.add(target, channel))

        for_vectors(ir, b, channels, _LANES, vector)

    for_range(ir, b, number(0), width, window)


def _ends(b: Any, start: Any, count: Any, size: Any) -> _Ends:
    """Emits the ends of a window inside of the image."""
    zero, stop = start.type(0), b.add(start, count)
    first = b.select(b.icmp_signed(">", start, zero), start, zero)
    return first, b.select(b.icmp_signed("<", stop, size), stop, size)


def _largest(ir: Any, b: Any, load: Any, rows: _Ends, columns: _Ends, least: Any) -> Any:
    """Emits the maximum of a window, of equal elements the last one; it is searched backwards."""
    last_row, last_column = (b.sub(b.add(*ends), ends[0].type(1)) for ends in (rows, columns))

    def column(j: Any, best: Any) -> Any:
        def larger(i: Any, best: Any) -> Any:
            value = load(b.sub(last_row, i), b.sub(last_column, j))
            return b.select(b.fcmp_ordered(">", value, best), value, best)

        return for_range(ir, b, *rows, larger, best)

    return for_range(ir, b, *columns, column, least)


def _mean(
    ir: Any, b: Any, load: Any, rows: _Ends, columns: _Ends, size: Any, zeros: tuple[Any, Any]
) -> Any:
    """Emits the mean of a window; where it is padded, with zeros, a sum of -0 is 0."""

    def column(j: Any, total: Any) -> Any:
        add = lambda i, part: b.fadd(part, load(i, j))
        return b.fadd(total, for_range(ir, b, *rows, add, zeros[0]))

    count = b.mul(*(b.sub(stop, start) for start, stop in (rows, columns)))
    start = b.select(b.icmp_signed("==", count, size), *zeros)
    total = for_range(ir, b, *columns, column, start)
    kind = total.type
    return b.fdiv(total, splat(ir, b, b.sitofp(count, kind.element), kind.count))


# ------------------------------------------------------------------ gradients of means


def scatter(xp: Any, parts: Any, g: Geometry) -> Any:
    """Returns the sums of what windows add to the pixels of images; None if NumPy is to be used."""
    channels = parts.shape[3]
    loop = _SUMS.get(parts.dtype.char) if xp is np and channels >= _CHANNELS else None
    if loop is None or not loop.is_ready(len(parts) * math.prod(g.sizes) * channels):
        return None
    result = np.empty((len(parts), *g.sizes, channels), parts.dtype)
    before = [pad for pad, _ in g.pads]
    sizes = np.array([*g.outputs, *g.sizes, *g.kernel, *g.strides, *before, channels])
    loop([np.ascontiguousarray(parts), result, sizes], 0, len(parts) * g.sizes[0])
    return result


def _pixels_body(ir: Any, b: Any, pointers: list[Any], index: Any) -> None:
    """Emits a row of pixels."""
    x, out, sizes = pointers
    number = lambda value: ir.Constant(index.type, value)
    values = (b.load(b.gep(sizes, [number(i)])) for i in range(11))
    height, width, rows, columns, high, wide, down, across, top, left, channels = values
    image = b.mul(b.udiv(index, rows), height)
    last_row, down_ends = _windows(b, b.add(b.urem(index, rows), top), high, down, height)

    def pixel(position: Any) -> None:
        last, ends = _windows(b, b.add(position, left), wide, across, width)
        target = b.mul(b.add(b.mul(index, columns), position), channels)

        def vector(channel: Any, lanes: int) -> None:
            zero = ir.Constant(ir.VectorType(x.type.pointee, lanes), [0.0] * lanes)

            def row(i: Any, total: Any) -> Any:
                first = b.mul(b.add(image, b.sub(last_row, i)), width)

                def add(j: Any, part: Any) -> Any:
                    at = b.mul(b.add(first, b.sub(last, j)), channels)
                    return b.fadd(part, load_vector(ir, b, x, b.add(at, channel), lanes))

                return b.fadd(total, for_range(ir, b, *ends, add, zero))

            total = for_range(ir, b, *down_ends, row, zero)
            store_vector(ir, b, total, out, b.add(target, channel))

        for_vectors(ir, b, channels, _LANES, vector)

    for_range(ir, b, number(0), columns, pixel)


def _windows(b: Any, position: Any, size: Any, step: Any, count: Any) -> tuple[Any, _Ends]:
    """Emits the last window that could hold a position, and how far before it windows hold it."""
    zero, one = size.type(0), size.type(1)
    last, offset = b.udiv(position, step), b.urem(position, step)
    first = b.sub(last, b.sub(count, one))
    # of offsets, offset + step, and so on that are less than the size
    stop = b.sdiv(b.add(b.sub(size, offset), b.sub(step, one)), step)
    limit = b.add(last, one)
    first = b.select(b.icmp_signed(">", first, zero), first, zero)
    return last, (first, b.select(b.icmp_signed("<", stop, limit), stop, limit))


_SUMS = {
    char: NativeLoop((key, key, "u8"), _pixels_body) for char, key in (("f", "f4"), ("d", "f8"))
}
_LOOPS = {
    (name, char): NativeLoop(
        (key, key, "u8"), functools.partial(_row_body, name, float(np.finfo(key).min))
    )
    for name in ("max", "mean")
    for char, key in (("f", "f4"), ("d", "f8"))
}
