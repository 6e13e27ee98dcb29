"""Sliding windows: the geometry that convolutions and pooling share."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...errors import invalid

_BLOCK_BYTES = 1 << 23  # patches that are gathered at a time: they should stay in the cache


class Geometry(NamedTuple):
    """How windows slide over the spatial dimensions.

    Attributes:
        sizes: The sizes of the input.
        kernel: The sizes of a window.
        strides: The steps from one window to the next.
        dilations: The steps within a window.
        outputs: The number of windows.
        pads: The padding before and after each dimension.
    """

    sizes: tuple[int, ...]
    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    outputs: tuple[int, ...]
    pads: tuple[tuple[int, int], ...]


def geometry(
    sizes: Sequence[int],
    kernel: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    padding: str,
    explicit: Sequence[int] = (),
) -> Geometry:
    """The geometry of windows, with ``SAME``, ``VALID`` or explicit padding.

    Args:
        sizes: The sizes of the input's spatial dimensions.
        kernel: The sizes of a window.
        strides: The steps from one window to the next.
        dilations: The steps within a window.
        padding: ``"SAME"``, ``"VALID"`` or ``"EXPLICIT"``.
        explicit: For explicit padding, a number before and one after each dimension.

    Raises:
        InvalidArgumentError: There are fewer than no windows, or they do not move.
    """
    pairs = list(zip(explicit[::2], explicit[1::2], strict=True)) or [(0, 0)] * len(sizes)
    found = [
        _along(n, k, step, dilation, padding, pair)
        for n, k, step, dilation, pair in zip(
            sizes, kernel, strides, dilations, pairs, strict=True
        )
    ]
    shape = (tuple(sizes), tuple(kernel), tuple(strides), tuple(dilations))
    return Geometry(*shape, tuple(n for n, _ in found), tuple(pads for _, pads in found))


def _along(
    n: int, k: int, step: int, dilation: int, padding: str, pads: tuple[int, int]
) -> tuple[int, tuple[int, int]]:
    """The number of windows along a dimension, and the padding there."""
    if step < 1:
        raise invalid(f"Stride must be > 0, but got {step}")
    reach = (k - 1) * dilation + 1
    if padding == "SAME":
        count = -(-n // step)
        total = max((count - 1) * step + reach - n, 0)
        return count, (total // 2, total - total // 2)
    before, after = pads if padding == "EXPLICIT" else (0, 0)
    rest = n + before + after - reach + step
    count = rest // step if rest >= 0 else -(-rest // step)  # rounded towards 0, as in C
    if count < 0:
        raise invalid(
            f"Computed output size would be negative: {count} [input_size: {n}, "
            f"effective_filter_size: {reach}, stride: {step}]"
        )
    return count, (before, after)


# ------------------------------------------------------------------ padding, and what lies in it


def padded(xp: Any, x: Any, g: Geometry, fill: Any = 0) -> Any:
    """An array (batch, spatial dimensions, channels) with padding around its spatial dimensions."""
    if not any(map(any, g.pads)):
        return x
    return xp.pad(x, [(0, 0), *g.pads, (0, 0)], constant_values=fill)


def unpadded(xp: Any, x: Any, g: Geometry) -> Any:
    """What remains of an array without the padding around its spatial dimensions."""
    inside = tuple(slice(a, a + n) for n, (a, _) in zip(g.sizes, g.pads, strict=True))
    return xp.ascontiguousarray(x[(slice(None), *inside)])


def padded_zeros(xp: Any, batch: int, g: Geometry, channels: int, dtype: Any) -> Any:
    """Zeros in the shape of a padded array."""
    sizes = [n + a + b for n, (a, b) in zip(g.sizes, g.pads, strict=True)]
    return xp.zeros((batch, *sizes, channels), dtype)


def offsets(g: Geometry) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """Each place in a window, and where in a padded array that place lies for all windows."""
    for place in np.ndindex(*g.kernel):
        yield place, tuple(along(g, axis, at) for axis, at in enumerate(place))


def along(g: Geometry, axis: int, place: int, start: int = 0, count: int | None = None) -> slice:
    """Where along a spatial dimension of a padded array a place in a window lies for some windows.

    Args:
        g: The geometry.
        axis: The spatial dimension.
        place: The place in a window.
        start: The first window.
        count: How many windows; all where None.
    """
    step, count = g.strides[axis], g.outputs[axis] if count is None else count
    first = place * g.dilations[axis] + start * step
    return slice(first, first + (count - 1) * step + 1, step) if count else slice(0, 0)


# ------------------------------------------------------------------ blocks of patches


def view(xp: Any, x: Any, g: Geometry) -> Any:
    """The windows of a padded array, as a view: batch, outputs, kernel, channels."""
    batch, *inner, channel = x.strides
    shape = (x.shape[0], *g.outputs, *g.kernel, x.shape[-1])
    steps = [a * s for a, s in zip(inner, g.strides, strict=True)]
    within = [a * d for a, d in zip(inner, g.dilations, strict=True)]
    return xp.lib.stride_tricks.as_strided(x, shape, (batch, *steps, *within, channel))


def blocks(row: int, batch: int, first: int) -> Iterator[tuple[slice, slice]]:
    """Parts of the batch and of the first spatial dimension whose patches take little memory.

    Args:
        row: The bytes of the patches of one image and one place in the first spatial dimension.
        batch: The number of images.
        first: The number of places.
    """
    rows = max(1, _BLOCK_BYTES // max(row, 1))
    images = max(1, rows // max(first, 1))
    for n in range(0, batch, images):
        for i in range(0, first, rows):
            yield slice(n, n + images), slice(i, i + rows)


def patches(xp: Any, x: Any, g: Geometry) -> Iterator[tuple[tuple[slice, slice], Any]]:
    """The windows of an array, block by block: where a block lies, and a matrix with a row a window."""
    windows = view(xp, padded(xp, x, g), g)
    row = windows.dtype.itemsize * math.prod(windows.shape[2:])
    width = math.prod(g.kernel) * x.shape[-1]
    for where in blocks(row, x.shape[0], g.outputs[0]):
        yield where, windows[where].reshape(-1, width)


# ------------------------------------------------------------------ convolution and its adjoints


def convolve(xp: Any, x: Any, filters: Any, g: Geometry) -> Any:
    """The convolution of an array with filters (kernel, channels, outputs): patches times them."""
    result = xp.zeros((x.shape[0], *g.outputs, filters.shape[-1]), x.dtype)
    if result.size and x.size and filters.size:
        matrix = filters.reshape(-1, filters.shape[-1])
        for where, rows in patches(xp, x, g):
            part = result[where]
            part[...] = xp.matmul(rows, matrix).reshape(part.shape)
    return result


def spread(xp: Any, dy: Any, filters: Any, g: Geometry) -> Any:
    """What each input contributes, given the derivative by the outputs: the adjoint of ``convolve``."""
    channels, outputs = filters.shape[-2:]
    total = padded_zeros(xp, dy.shape[0], g, channels, dy.dtype)
    if dy.size and filters.size:
        matrix = filters.reshape(-1, outputs).T
        row = dy.dtype.itemsize * matrix.shape[1] * math.prod(g.outputs[1:])
        for images, rows in blocks(row, dy.shape[0], g.outputs[0]):
            part = dy[images, rows]
            moved = xp.matmul(part.reshape(-1, outputs), matrix)
            moved = moved.reshape(*part.shape[:-1], *g.kernel, channels)
            for place, (_, *where) in offsets(g):
                first = along(g, 0, place[0], rows.start, part.shape[1])
                total[(images, first, *where)] += moved[(..., *place, slice(None))]
    return unpadded(xp, total, g)


def correlate(xp: Any, x: Any, dy: Any, g: Geometry) -> Any:
    """The derivative by the filters, given that by the outputs."""
    channels, outputs = x.shape[-1], dy.shape[-1]
    result = xp.zeros((math.prod(g.kernel) * channels, outputs), x.dtype)
    if dy.size and x.size:
        for where, rows in patches(xp, x, g):
            result += xp.matmul(rows.T, dy[where].reshape(-1, outputs))
    return result.reshape(*g.kernel, channels, outputs)
