"""Sliding windows: the geometry that convolutions and pooling share.

What operations on windows demand of their attributes and shapes, in the words of the kernels.

Shape rules of convolutions, in the words of TensorFlow's shape inference.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.backends.cpu import blas
from twinflow._src.backends.cpu.parallel import shared
from twinflow._src.backends.host_checks import is_host
from twinflow._src.core.errors import UnimplementedError, invalid
from twinflow._src.core.shapes import Dims, refused, text
from twinflow._src.shape_rules.demands import merged_size, minus, ranked, sizes_value, times

# Sliding windows: the geometry that convolutions and pooling share.


_BLOCK_BYTES = (
    1 << 20
)  # patches that are gathered at a time: they should stay in the cache of a core
_IMAGES_BYTES = (
    1 << 21
)  # images that pass through a few functions at a time: calls of NumPy are to be few
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
        for n, k, step, dilation, pair in zip(sizes, kernel, strides, dilations, pairs, strict=True)
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


def blocks(
    row: int, batch: int, first: int, limit: int = _BLOCK_BYTES
) -> Iterator[tuple[slice, slice]]:
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
    matrix, row = (
        filters.reshape(-1, outputs),
        x.dtype.itemsize * math.prod(g.kernel) * x.shape[-1] * math.prod(g.outputs),
    )
    if not is_host(xp) and len(g.kernel) == 2 and row * x.shape[0] <= _BLOCK_ELSEWHERE:
        turned = x.shape[-1] < _FEW
        found = xp.patches_of(x, g, turned)
        return xp.matmul(found.T if turned else found, matrix).reshape(
            x.shape[0], *g.outputs, outputs
        )
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
        parts.append(
            xp.gather_windows(xp.matmul(part.reshape(-1, outputs), matrix), len(part), channels, g)
        )
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


# What operations on windows demand of their attributes and shapes, in the words of the kernels.


def unimplemented(message: str) -> UnimplementedError:
    """The error of what TensorFlow has no kernel for."""
    return UnimplementedError(None, None, message)


# ------------------------------------------------------------------ attributes


def check_padding(padding: str, explicit: Sequence[int], data_format: str, strict: bool) -> None:
    """Raises InvalidArgumentError where numbers of explicit padding are not as they must be.

    Args:
        padding: ``"SAME"``, ``"VALID"`` or ``"EXPLICIT"``.
        explicit: The numbers before and after each dimension.
        data_format: ``"NHWC"`` or ``"NCHW"``.
        strict: Whether there must be none for other paddings.
    """
    if padding != "EXPLICIT":
        if strict and len(explicit):
            raise invalid(
                "explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT"
            )
        return
    wanted = 2 * len(data_format)
    if len(explicit) != wanted:
        raise invalid(
            f"explicit_paddings attribute must contain {wanted} values, but got: {len(explicit)}"
        )
    if min(explicit) < 0:
        raise invalid("All elements of explicit_paddings must be nonnegative")
    if any(explicit[2 * i + side] for i in outer(data_format) for side in (0, 1)):
        raise invalid("Nonzero explicit padding in the batch or depth dimensions is not supported")


def outer(data_format: str) -> tuple[int, int]:
    """Where the batch and the channels lie."""
    return data_format.index("N"), data_format.index("C")


def spatial(values: Sequence[Any], data_format: str) -> list[Any]:
    """The items of a sequence that belong to the spatial dimensions."""
    return [value for i, value in enumerate(values) if i not in outer(data_format)]


def spatial_pads(padding: str, explicit: Sequence[int], data_format: str) -> list[int]:
    """The numbers of explicit padding that belong to the spatial dimensions."""
    if padding != "EXPLICIT":
        return []
    pairs = list(zip(explicit[::2], explicit[1::2], strict=True))
    return [number for pair in spatial(pairs, data_format) for number in pair]


# ------------------------------------------------------------------ shapes


def check_rank(x: Any, rank: int, message: str) -> None:
    """Raises InvalidArgumentError with a message where an array has another rank."""
    if x.ndim != rank:
        raise invalid(message)


def check_shape(x: Any, shape: Sequence[int], what: str) -> None:
    """Raises InvalidArgumentError where an array has another shape."""
    if x.shape != tuple(shape):
        raise invalid(f"Expected {what} shape to be {text(tuple(shape))}, but got {text(x.shape)}")


# Shape rules of convolutions, in the words of TensorFlow's shape inference.


Size = int | None


def windowed(
    size: Size, kernel: Size, step: int, padding: str, dilation: int = 1, pads: int = 0
) -> Size:
    """The number of windows along a dimension.

    Args:
        size: The size of the dimension.
        kernel: The size of the windows.
        step: The step from one window to the next.
        padding: ``"SAME"``, ``"VALID"`` or ``"EXPLICIT"``.
        dilation: The step within a window.
        pads: What explicit padding adds to the size.
    """
    if step < 1:
        raise refused(f"Stride must be > 0, but got {step}")
    if dilation < 1:
        raise refused(f"Dilation rate must be >= 1, but got {dilation}")
    if padding == "SAME":
        return None if size is None else -(-size // step)
    if size is None or kernel is None or kernel < 0:
        return None
    reach = kernel if dilation == 1 else minus(kernel, 1) * dilation + 1  # type: ignore[operator]
    rest = minus(size + pads, reach)
    return None if rest is None else rest // step + 1


def windowed_all(
    sizes: Sequence[Size],
    kernel: Sequence[Size],
    strides: Sequence[int],
    padding: str,
    dilations: Sequence[int] = (),
    pads: Sequence[int] = (),
) -> tuple[Size, ...]:
    """The numbers of windows along the spatial dimensions."""
    extra = [a + b for a, b in zip(pads[::2], pads[1::2], strict=True)] or [0] * len(sizes)
    within = dilations or [1] * len(sizes)
    return tuple(
        windowed(n, k, s, padding, d, p)
        for n, k, s, d, p in zip(sizes, kernel, strides, within, extra, strict=True)
    )


def placed(data_format: str, batch: Size, space: Sequence[Size], channels: Size) -> Dims:
    """Dimensions in the order of a format."""
    ends = (batch, *space, channels) if data_format.endswith("C") else (batch, channels, *space)
    return tuple(ends)


# ------------------------------------------------------------------ convolutions


def conv2d_shape(
    input: Dims | None,
    filter: Dims | None,
    *,
    strides: Any,
    padding: str,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
) -> Dims:
    """The shape of a two-dimensional convolution."""
    x, kernel = ranked(input, 4), ranked(filter, 4)
    if len(dilations) != 4:
        raise _wanted("Conv2D requires the dilation", 4, dilations)
    if len(strides) != 4:
        raise _wanted(f"Conv2D on data format {data_format} requires the stride", 4, strides)
    return _convolved(x, kernel, strides, padding, explicit_paddings, data_format, dilations)


def conv3d_shape(
    input: Dims | None,
    filter: Dims | None,
    *,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1),
) -> Dims:
    """The shape of a three-dimensional convolution."""
    x, kernel = ranked(input, 5), ranked(filter, 5)
    if len(dilations) != 5:
        raise _wanted("Conv3D requires the dilation", 5, dilations)
    if len(strides) != 5:
        raise _wanted("Conv3D requires the stride", 5, strides)
    return _convolved(x, kernel, strides, padding, (), data_format, dilations)


def _wanted(what: str, count: int, values: Sequence[int]) -> Exception:
    return refused(f"{what} attribute to contain {count} values, but got: {len(values)}")


def _convolved(
    x: Dims, kernel: Dims, strides: Any, padding: str, explicit: Any, data_format: str, rates: Any
) -> Dims:
    batch, channel = outer(data_format)
    _check_depths(x[channel], kernel[-2], kernel[-1])
    check_padding(padding, explicit, data_format, strict=True)
    space = windowed_all(
        spatial(x, data_format),
        kernel[:-2],
        spatial(strides, data_format),
        padding,
        spatial(rates, data_format),
        spatial_pads(padding, explicit, data_format),
    )
    return placed(data_format, x[batch], space, kernel[-1])


def _check_depths(depth: Size, part: Size, outputs: Size) -> None:
    if depth is None or part is None:
        return
    if part == 0:
        raise refused("Depth of filter must not be 0")
    if depth % part:
        raise refused(
            f"Depth of input ({depth}) is not a multiple of input depth of filter ({part})"
        )
    groups = depth // part
    if outputs is not None and groups == 0:
        raise refused("Number of groups must not be 0")
    if outputs is not None and outputs % groups:
        raise refused(
            f"Depth of output ({outputs}) is not a multiple of the number of groups ({groups})"
        )


def depthwise_shape(
    input: Dims | None,
    filter: Dims | None,
    *,
    strides: Any,
    padding: str,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
) -> Dims:
    """The shape of a convolution of each channel by itself."""
    x, kernel = ranked(input, 4), ranked(filter, 4)
    if len(strides) != 4:
        raise _wanted("DepthwiseConv2D requires the stride", 4, strides)
    batch, channel = outer(data_format)
    depth = merged_size(x[channel], kernel[2])
    check_padding(padding, explicit_paddings, data_format, strict=True)
    space = windowed_all(
        spatial(x, data_format),
        kernel[:2],
        spatial(strides, data_format),
        padding,
        pads=spatial_pads(padding, explicit_paddings, data_format),
    )
    return placed(data_format, x[batch], space, times(depth, kernel[3]))


# ------------------------------------------------------------------ their adjoints


def of_sizes(position: int, rank: int) -> Any:
    """The rule of an op whose result has the shape that a vector of sizes tells.

    Args:
        position: Which input the vector is.
        rank: How many sizes there must be.
    """

    def rule(*inputs: Any, **_: Any) -> Dims:
        return ranked(sizes_value(inputs[position]), rank)

    return rule


def conv2d_input_shape(
    sizes: Any, filter: Dims | None, derivative: Dims | None, *, data_format: str, **_: Any
) -> Dims:
    """The shape of the derivative of a two-dimensional convolution by its input."""
    found, kernel, dy = sizes_value(sizes), ranked(filter, 4), ranked(derivative, 4)
    if found is not None and len(found) not in (2, 4):
        raise refused(
            "Conv2DBackpropInput requires input_sizes to contain 4 values or 2 values, but got: "
            f"{len(found)}"
        )
    batch, channel = outer(data_format)
    merged_size(dy[channel], kernel[3])
    if found is not None and len(found) == 2:
        return placed(data_format, dy[batch], found, kernel[2])
    whole = ranked(found, 4)
    merged_size(whole[batch], dy[batch])
    return placed(data_format, dy[batch], spatial(whole, data_format), whole[channel])
