"""Depthwise convolutions of host images and their gradients by native loops, in the order of ``depthwise.py``."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from twinflow._src.backends.cpu.native import (
    NativeLoop,
    for_range,
    for_vectors,
    load_vector,
    store_vector,
)
from twinflow._src.ops.conv.geometry import Geometry

# Minimum of channels for vectors of channels, and sizes of those; size of vectors of neighbouring pixels.
_CHANNELS, _LANES, _PIXELS = 8, (128, 64, 32, 8, 1), 64


def convolve(xp: Any, source: Any, weights: Any, g: Geometry) -> Any:
    """Returns the sums of products of windows and weights; None if NumPy is to be used.

    Args:
        xp: The array module.
        source: Padded images (batch, height, width, channels).
        weights: The weights per window offset: (height, width, channels).
        g: The geometry of the windows.
    """
    size = len(source) * math.prod(g.outputs) * weights.size
    loop = _loop_of(xp, source, g.outputs, g.strides, size)
    if loop is None:
        return None
    return _convolve(loop, source, weights, g.outputs, g.strides, (0, source.shape[2], 1))


def scatter(xp: Any, dy: Any, weights: Any, g: Geometry) -> Any:
    """Returns the adjoint of ``convolve`` for images without padding; None if NumPy is to be used."""
    is_inside = all(max(pads) < size for pads, size in zip(g.pads, g.kernel))
    size = len(dy) * math.prod(g.sizes) * weights.size
    loop = _loop_of(xp, dy, g.sizes, (1, 1), size) if is_inside else None
    if loop is None or not np.isfinite(weights).all():  # zeros are inserted: products would be NaN
        return None
    sizes = [n + size - 1 for n, size in zip(g.sizes, g.kernel)]
    source = np.zeros((len(dy), *sizes, dy.shape[3]), dy.dtype)
    starts = [size - 1 - pad for size, (pad, _) in zip(g.kernel, g.pads)]
    rows, columns = (slice(start, None, step) for start, step in zip(starts, g.strides))
    source[:, rows, columns][:, : g.outputs[0], : g.outputs[1]] = dy
    last = (g.kernel[0] - 1) * sizes[1] + g.kernel[1] - 1
    return _convolve(loop, source, weights, g.sizes, (1, 1), (last, -sizes[1], -1))


def _loop_of(xp: Any, x: Any, outputs: Any, strides: Any, size: int) -> NativeLoop | None:
    """Returns the loop for images and a number of products; None if NumPy is to be used."""
    channels = x.shape[3]
    is_flat = strides[1] == 1 and outputs[1] * channels >= _PIXELS
    if xp is not np or not (is_flat or channels >= _CHANNELS):
        return None
    loop = _LOOPS.get((is_flat, x.dtype.char))
    return loop if loop is not None and loop.is_ready(size) else None


def _convolve(
    loop: NativeLoop, source: Any, weights: Any, outputs: Any, strides: Any, taps: Any
) -> Any:
    """Convolves by a loop; the taps are the first pixel of a window, and steps of rows and columns."""
    batch, height, width, channels = source.shape
    result = np.empty((batch, *outputs, channels), source.dtype)
    if loop in _FLAT:  # a vector may begin at any channel
        weights = np.tile(weights, -(-_PIXELS // channels) + 1)
    sizes = np.array([*outputs, height, width, *weights.shape, *strides, *taps, channels])
    arrays = [np.ascontiguousarray(array) for array in (source, weights)]
    loop([*arrays, result, sizes], 0, batch * outputs[0])
    return result


def _row_body(is_flat: bool, ir: Any, b: Any, pointers: list[Any], index: Any) -> None:
    """Emits a row of the result."""
    x, weights, out, sizes = pointers
    number = lambda value: ir.Constant(index.type, value)
    values = [b.load(b.gep(sizes, [number(i)])) for i in range(13)]
    rows, columns, height, width, high, wide, depth, down, across, *taps, channels = values
    first, row_step, column_step = taps
    row = b.add(b.mul(b.udiv(index, rows), height), b.mul(b.urem(index, rows), down))
    start = b.mul(b.add(b.mul(row, width), first), channels)
    target = b.mul(index, b.mul(columns, channels))
    row_step, column_step = (b.mul(step, channels) for step in (row_step, column_step))

    def vector(source: Any, weight: Any, place: Any, lanes: int) -> None:
        def over_row(i: Any, total: Any) -> Any:
            pixel = b.add(source, b.mul(i, row_step))
            tap = b.add(weight, b.mul(b.mul(i, wide), depth))

            def add(j: Any, total: Any) -> Any:
                values = load_vector(ir, b, x, b.add(pixel, b.mul(j, column_step)), lanes)
                factors = load_vector(ir, b, weights, b.add(tap, b.mul(j, depth)), lanes)
                return b.fadd(total, b.fmul(values, factors))

            return for_range(ir, b, number(0), wide, add, total)

        zero = ir.Constant(ir.VectorType(x.type.pointee, lanes), [0.0] * lanes)
        total = for_range(ir, b, number(0), high, over_row, zero)
        store_vector(ir, b, total, out, b.add(target, place))

    if is_flat:
        # the last vector overlaps with the one before
        last = b.sub(b.mul(columns, channels), number(_PIXELS))

        def pixels(k: Any) -> None:
            at = b.mul(k, number(_PIXELS))
            at = b.select(b.icmp_signed("<", at, last), at, last)
            vector(b.add(start, at), b.urem(at, channels), at, _PIXELS)

        count = b.udiv(b.add(last, number(2 * _PIXELS - 1)), number(_PIXELS))
        for_range(ir, b, number(0), count, pixels)
        return

    def pixel(column: Any) -> None:
        source = b.add(start, b.mul(b.mul(column, across), channels))
        place = b.mul(column, channels)

        def part(channel: Any, lanes: int) -> None:
            vector(b.add(source, channel), channel, b.add(place, channel), lanes)

        for_vectors(ir, b, channels, _LANES, part)

    for_range(ir, b, number(0), columns, pixel)


# ------------------------------------------------------------------ gradients of filters


def correlate(xp: Any, source: Any, dy: Any, g: Geometry) -> Any:
    """Returns the sums over columns of sums over rows of products with windows; None if NumPy is to be used.

    Args:
        xp: The array module.
        source: Padded images (batch, height, width, channels).
        dy: The upstream gradient.
        g: The geometry of the windows.

    Returns:
        An array (batch, height, width, channels) of sums per window offset.
    """
    batch, height, width, channels = source.shape
    loop = _SUMS.get(dy.dtype.char) if xp is np and channels >= _CHANNELS else None
    if loop is None or not loop.is_ready(dy.size * math.prod(g.kernel)):
        return None
    result = np.zeros((batch, *g.kernel, channels), dy.dtype)
    sizes = np.array([*g.outputs, height, width, *g.kernel, *g.strides, channels])
    arrays = [np.ascontiguousarray(array) for array in (source, dy)]
    loop([*arrays, result, sizes], 0, batch)
    return result


def _sum_body(ir: Any, b: Any, pointers: list[Any], index: Any) -> None:
    """Emits the sums of an image."""
    x, dy, out, sizes = pointers
    number = lambda value: ir.Constant(index.type, value)
    values = [b.load(b.gep(sizes, [number(i)])) for i in range(9)]
    rows, columns, height, width, high, wide, down, across, channels = values
    image, gradient = b.mul(index, height), b.mul(b.mul(index, rows), columns)
    target = b.mul(b.mul(index, high), wide)
    step = b.mul(down, width)

    def part(channel: Any, lanes: int) -> None:
        load = lambda array, pixel: load_vector(
            ir, b, array, b.add(b.mul(pixel, channels), channel), lanes
        )
        zero = ir.Constant(ir.VectorType(x.type.pointee, lanes), [0.0] * lanes)

        def column(c: Any) -> None:
            def tap(k: Any) -> None:
                i, j = b.udiv(k, wide), b.urem(k, wide)
                first = b.add(b.mul(b.add(image, i), width), b.add(b.mul(c, across), j))

                def add(r: Any, total: Any) -> Any:
                    value = load(x, b.add(first, b.mul(r, step)))
                    factor = load(dy, b.add(b.add(gradient, b.mul(r, columns)), c))
                    return b.fadd(total, b.fmul(value, factor))

                total = for_range(ir, b, number(0), rows, add, zero)
                place = b.add(b.mul(b.add(target, k), channels), channel)
                store_vector(
                    ir, b, b.fadd(load_vector(ir, b, out, place, lanes), total), out, place
                )

            for_range(ir, b, number(0), b.mul(high, wide), tap)

        for_range(ir, b, number(0), columns, column)

    for_vectors(ir, b, channels, _LANES, part)


_KEYS = (("f", "f4"), ("d", "f8"))
_LOOPS = {
    (is_flat, char): NativeLoop((key, key, key, "u8"), functools.partial(_row_body, is_flat))
    for is_flat in (False, True)
    for char, key in _KEYS
}
_FLAT = [loop for (is_flat, _), loop in _LOOPS.items() if is_flat]
_SUMS = {char: NativeLoop((key, key, key, "u8"), _sum_body) for char, key in _KEYS}
