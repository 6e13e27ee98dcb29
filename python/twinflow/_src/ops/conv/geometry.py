"""Sliding windows: the geometry that convolutions and pooling share."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.backends.cpu import blas
from twinflow._src.backends.cpu.parallel import shared
from twinflow._src.backends.host_checks import is_host
from twinflow._src.core.errors import invalid

_BLOCK_BYTES = 1 << 20  # patches that are gathered at a time: they should stay in the cache of a core
_IMAGES_BYTES = 1 << 21  # images that pass through a few functions at a time: calls of NumPy are to be few
_BLOCK_ELSEWHERE = 1 << 28  # a GPU wants much to do at a time; the limit bounds its memory
# Windows over fewer channels are gathered the other way round: a copy of a few numbers costs as much as one of many.
_FEW = 8
# Fewer derivatives are left to the way that suits many channels.
_MANY = 1 << 16
# Of larger windows a block holds so few that adding its product costs as much as the product.
_WIDE = 1 << 11
# Sums over all windows are made of so many parts, at every number of threads.
_PARTS = 4


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
    sizes = [n + a + b for n, (a, b) in zip(g.sizes, g.pads, strict=True)]
    result = xp.full((x.shape[0], *sizes, x.shape[-1]), fill, x.dtype)
    result[inside(g)] = x
    return result


def inside(g: Geometry) -> tuple[slice, ...]:
    """Where in a padded array what is not padding lies."""
    return (slice(None), *(slice(a, a + n) for n, (a, _) in zip(g.sizes, g.pads, strict=True)))


def unpadded(xp: Any, x: Any, g: Geometry) -> Any:
    """What remains of an array without the padding around its spatial dimensions."""
    return xp.ascontiguousarray(x[inside(g)])


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


def block_bytes(array: Any) -> int:
    """How much memory the patches of an array may take at a time."""
    return _BLOCK_BYTES if isinstance(array, np.ndarray) else _BLOCK_ELSEWHERE


def blocks(row: int, batch: int, first: int, limit: int = _BLOCK_BYTES) -> Iterator[tuple[slice, slice]]:
    """Parts of the batch and of the first spatial dimension whose patches take little memory.

    Args:
        row: The bytes of the patches of one image and one place in the first spatial dimension.
        batch: The number of images.
        first: The number of places.
        limit: The bytes of a part's patches.
    """
    rows = max(1, limit // max(row, 1))
    images = max(1, rows // max(first, 1))
    for n in range(0, batch, images):
        for i in range(0, first, rows):
            yield slice(n, n + images), slice(i, i + rows)


def places(g: Geometry, windows: Any) -> list[tuple[slice, slice]]:
    """The blocks of windows, a view of them all."""
    row = windows.dtype.itemsize * math.prod(windows.shape[2:])
    return list(blocks(row, windows.shape[0], g.outputs[0], block_bytes(windows)))


def patches(xp: Any, windows: Any, where: tuple[slice, slice], g: Geometry) -> Any:
    """A matrix with a row for each window of a block; of few channels it is the transpose of a copy."""
    block, width = windows[where], math.prod(g.kernel) * windows.shape[-1]
    if windows.shape[-1] >= _FEW or len(g.kernel) * 2 + 2 != block.ndim:
        return block.reshape(-1, width)
    rank = len(g.kernel) + 1
    turned = xp.ascontiguousarray(block.transpose([*range(rank, block.ndim), *range(rank)]))
    return turned.reshape(width, -1).T


# ------------------------------------------------------------------ images by themselves


def by_images(xp: Any, function: Callable[..., Any], *arrays: Any) -> Any:
    """What a function of images gives that treats each by itself, on the threads of the host.

    Args:
        xp: The array module.
        function: The function, of arrays of one batch; it gives an array or a tuple of some.
        *arrays: The arrays.
    """
    batch, size = len(arrays[0]), sum(array.nbytes for array in arrays)
    images = max(1, _IMAGES_BYTES // max(size // max(batch, 1), 1))
    if xp is not np or images >= batch:
        return function(*arrays)
    none = function(*(array[:0] for array in arrays))
    wholes = [np.empty((batch, *part.shape[1:]), part.dtype) for part in _several(none)]

    def work(start: int) -> None:
        at = slice(start, start + images)
        for whole, part in zip(wholes, _several(function(*(array[at] for array in arrays)))):
            whole[at] = part

    shared(work, range(0, batch, images))
    return tuple(wholes) if isinstance(none, tuple) else wholes[0]


def _several(arrays: Any) -> tuple[Any, ...]:
    return arrays if isinstance(arrays, tuple) else (arrays,)


# ------------------------------------------------------------------ convolution and its adjoints


def convolve(xp: Any, x: Any, filters: Any, g: Geometry) -> Any:
    """The convolution of an array with filters (kernel, channels, outputs): patches times them."""
    outputs = filters.shape[-1]
    if not (x.size and filters.size):
        return xp.zeros((x.shape[0], *g.outputs, outputs), x.dtype)
    matrix, row = filters.reshape(-1, outputs), x.dtype.itemsize * math.prod(g.kernel) * x.shape[-1] * math.prod(g.outputs)
    if not is_host(xp) and len(g.kernel) == 2 and row * x.shape[0] <= _BLOCK_ELSEWHERE:
        turned = x.shape[-1] < _FEW
        found = xp.patches_of(x, g, turned)
        return xp.matmul(found.T if turned else found, matrix).reshape(x.shape[0], *g.outputs, outputs)
    result = xp.empty((x.shape[0], *g.outputs, outputs), x.dtype)
    windows = view(xp, padded(xp, x, g), g)

    def work(where: tuple[slice, slice]) -> None:
        part = result[where].reshape(-1, outputs)
        xp.matmul(patches(xp, windows, where, g), matrix, out=part)

    blas.each(xp, work, places(g, windows))
    return result


def spread(xp: Any, dy: Any, filters: Any, g: Geometry) -> Any:
    """What each input contributes, given the derivative by the outputs: the adjoint of ``convolve``."""
    channels, outputs = filters.shape[-2:]
    if channels < _FEW and xp is np and dy.size >= _MANY and filters.size:
        return by_images(xp, lambda part: _spread_by_channels(part, filters, g), dy)
    if xp is not np and len(g.kernel) == 2 and dy.size and filters.size:
        return _gathered(xp, dy, filters, g)
    total = padded_zeros(xp, dy.shape[0], g, channels, dy.dtype)
    if dy.size and filters.size:
        matrix = xp.ascontiguousarray(filters.reshape(-1, channels, outputs).swapaxes(1, 2))
        row = dy.dtype.itemsize * (channels + outputs) * math.prod(g.outputs)
        images = max(1, block_bytes(dy) // row)

        def work(first: int) -> None:
            part, sums = dy[first : first + images], total[first : first + images]
            flat = part.reshape(-1, outputs)
            for weights, (_, where) in zip(matrix, offsets(g)):
                moved = xp.matmul(flat, weights)
                sums[(slice(None), *where)] += moved.reshape(*part.shape[:-1], channels)

        blas.each(xp, work, range(0, dy.shape[0], images))
    return unpadded(xp, total, g)


def _gathered(xp: Any, dy: Any, filters: Any, g: Geometry) -> Any:
    """The same on a device: one product for many windows, and one kernel that adds them up."""
    channels, outputs = filters.shape[-2:]
    matrix = filters.reshape(-1, outputs).T
    row = dy.dtype.itemsize * len(matrix.T) * math.prod(g.outputs)
    images, parts = max(1, block_bytes(dy) // row), []
    for first in range(0, dy.shape[0], images):
        part = dy[first : first + images]
        parts.append(xp.gather_windows(xp.matmul(part.reshape(-1, outputs), matrix), len(part), channels, g))
    return parts[0] if len(parts) == 1 else xp.concatenate(parts)


def _spread_by_channels(dy: Any, filters: Any, g: Geometry) -> Any:
    """The same for few channels: each is an image by itself, whose rows are long."""
    channels, outputs = filters.shape[-2:]
    matrix, flat = filters.reshape(-1, outputs), dy.reshape(-1, outputs)
    with blas.alone():
        moved = np.matmul(matrix, flat.T).reshape(-1, channels, *dy.shape[:-1])
    sizes = [n + a + b for n, (a, b) in zip(g.sizes, g.pads, strict=True)]
    total = np.zeros((channels, len(dy), *sizes), dy.dtype)
    for part, (_, where) in zip(moved, offsets(g)):
        total[(slice(None), slice(None), *where)] += part
    return unpadded(np, np.moveaxis(total, 0, -1), g)


def correlate(xp: Any, x: Any, dy: Any, g: Geometry) -> Any:
    """The derivative by the filters, given that by the outputs."""
    channels, outputs = x.shape[-1], dy.shape[-1]
    if not (dy.size and x.size):
        return xp.zeros((*g.kernel, channels, outputs), x.dtype)
    source = padded(xp, x, g)
    if channels * math.prod(g.kernel) > _WIDE and xp is np:
        return _place_by_place(source, dy, g)
    windows = view(xp, source, g)
    each = places(g, windows)
    if len(each) == 1 and xp is not np:
        found = xp.matmul(patches(xp, windows, each[0], g).T, dy.reshape(-1, outputs))
        return found.reshape(*g.kernel, channels, outputs)
    parts = blas.parts(len(each), 1, _PARTS)
    sums = xp.zeros((len(parts), math.prod(g.kernel) * channels, outputs), x.dtype)

    def work(i: int) -> None:
        for where in each[parts[i]]:
            sums[i] += xp.matmul(patches(xp, windows, where, g).T, dy[where].reshape(-1, outputs))

    blas.each(xp, work, range(len(parts)))
    return sums.sum(0).reshape(*g.kernel, channels, outputs)


def _place_by_place(source: Any, dy: Any, g: Geometry) -> Any:
    """The derivative by the filters: for each place in a window one product."""
    channels, outputs = source.shape[-1], dy.shape[-1]
    flat = dy.reshape(-1, outputs)
    result = np.empty((*g.kernel, channels, outputs), dy.dtype)

    def work(item: Any) -> None:
        place, where = item
        np.matmul(source[(slice(None), *where)].reshape(-1, channels).T, flat, out=result[place])

    blas.each(np, work, list(offsets(g)))
    return result
