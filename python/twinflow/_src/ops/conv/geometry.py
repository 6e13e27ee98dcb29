"""Sliding windows of convolution and pooling: arguments, geometry, im2col blocks, shape rules."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from twinflow._src.backends.cpu import blas
from twinflow._src.backends.cpu.parallel import shared
from twinflow._src.backends.host_checks import is_host
from twinflow._src.core.dtypes import int32
from twinflow._src.core.errors import UnimplementedError, invalid
from twinflow._src.core.shapes import Dims, refused, text
from twinflow._src.dispatch.registry import Kind
from twinflow._src.shape_rules.demands import merged_size, minus, ranked, sizes_value, times

# The texts of arguments of public functions.
TEXTS = {
    "block_shape": "The block size per spatial dimension.",
    "block_size": "The height and width of the blocks.",
    "crops": "One row per dimension of space: the elements to crop before and after.",
    "data_format": '``"NHWC"``.',
    "dilations": "The dilation rate of the filter.",
    "filters": "A tensor of the same dtype, of shape (height, width, channels, outputs).",
    "input": "A tensor of shape (batch, height, width, channels).",
    "name": "A name for the operation.",
    "out_backprop": "The upstream gradient.",
    "padding": '``"SAME"`` or ``"VALID"``.',
    "paddings": "One row per dimension of space: the zeros to pad before and after.",
    "rate": "The dilation rate of the filter.",
    "strides": "The strides, four integers.",
    "value": "A tensor of shape (batch, height, width, channels).",
}

# Window geometry, padding and patches.


_BLOCK_BYTES = 1 << 20  # bytes of patches per block: should fit in the cache of a core
_IMAGES_BYTES = 1 << 21  # bytes of images per task: limits the number of NumPy calls
_BLOCK_ELSEWHERE = 1 << 28  # large blocks for a GPU; bounds the temporary memory
# Patches of fewer channels are gathered transposed: short copies cost as much as long ones.
_FEW = 8
# Minimum number of gradient elements for the path for few channels.
_MANY = 1 << 16
# For larger patches a block has few rows, and accumulating its product costs as much as the product.
_WIDE = 1 << 11
# Number of partial sums over all windows; fixed, so that results do not depend on the number of threads.
_PARTS = 4


# Annotates a shape vector, which these ops accept as int32 only.
Lengths = Annotated[Any, Kind("int32", only=int32, host=True)]


class Geometry(NamedTuple):
    """The geometry of sliding windows over the spatial dimensions.

    Attributes:
        sizes: The sizes of the input.
        kernel: The sizes of a window.
        strides: The strides.
        dilations: The dilation rates.
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
    """Returns the window geometry for ``SAME``, ``VALID`` or explicit padding."""
    pairs = list(zip(explicit[::2], explicit[1::2], strict=True)) or [(0, 0)] * len(sizes)
    outputs = [
        _along(n, k, step, dilation, padding, pair)
        for n, k, step, dilation, pair in zip(sizes, kernel, strides, dilations, pairs, strict=True)
    ]
    shape = (tuple(sizes), tuple(kernel), tuple(strides), tuple(dilations))
    return Geometry(*shape, tuple(n for n, _ in outputs), tuple(pads for _, pads in outputs))


def _along(
    n: int, k: int, step: int, dilation: int, padding: str, pads: tuple[int, int]
) -> tuple[int, tuple[int, int]]:
    """Returns the number of windows along a dimension, and its padding."""
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


# ------------------------------------------------------------------ padding


def padded(xp: Any, x: Any, g: Geometry, fill: Any = 0) -> Any:
    """Pads the spatial dimensions of an array (batch, spatial dimensions, channels)."""
    if not any(map(any, g.pads)):
        return x
    sizes = [n + a + b for n, (a, b) in zip(g.sizes, g.pads, strict=True)]
    result = xp.full((x.shape[0], *sizes, x.shape[-1]), fill, x.dtype)
    result[inside(g)] = x
    return result


def inside(g: Geometry) -> tuple[slice, ...]:
    """Returns the index of the unpadded part of a padded array."""
    return (slice(None), *(slice(a, a + n) for n, (a, _) in zip(g.sizes, g.pads, strict=True)))


def unpadded(xp: Any, x: Any, g: Geometry) -> Any:
    """Returns an array without the padding of its spatial dimensions."""
    return xp.ascontiguousarray(x[inside(g)])


def padded_zeros(xp: Any, batch: int, g: Geometry, channels: int, dtype: Any) -> Any:
    """Returns zeros in the shape of a padded array."""
    sizes = [n + a + b for n, (a, b) in zip(g.sizes, g.pads, strict=True)]
    return xp.zeros((batch, *sizes, channels), dtype)


def offsets(g: Geometry) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """Yields each window offset and the strided slices of a padded array at it, for all windows."""
    for offset in np.ndindex(*g.kernel):
        yield offset, tuple(along(g, axis, at) for axis, at in enumerate(offset))


def along(g: Geometry, axis: int, offset: int, start: int = 0, count: int | None = None) -> slice:
    """Returns the strided slice of a padded spatial dimension at one window offset."""
    # It has ``count`` windows, or all, from ``start`` on.
    step, count = g.strides[axis], g.outputs[axis] if count is None else count
    first = offset * g.dilations[axis] + start * step
    return slice(first, first + (count - 1) * step + 1, step) if count else slice(0, 0)


# ------------------------------------------------------------------ blocks of patches


def view(xp: Any, x: Any, g: Geometry) -> Any:
    """Returns the windows of a padded array as a strided view: batch, outputs, kernel, channels."""
    batch, *inner, channel = x.strides
    shape = (x.shape[0], *g.outputs, *g.kernel, x.shape[-1])
    steps = [a * s for a, s in zip(inner, g.strides, strict=True)]
    within = [a * d for a, d in zip(inner, g.dilations, strict=True)]
    return xp.lib.stride_tricks.as_strided(x, shape, (batch, *steps, *within, channel))


def block_bytes(array: Any) -> int:
    """Returns the memory limit for the patches of a block."""
    return _BLOCK_BYTES if isinstance(array, np.ndarray) else _BLOCK_ELSEWHERE


def blocks(
    row: int, batch: int, first: int, limit: int = _BLOCK_BYTES
) -> Iterator[tuple[slice, slice]]:
    """Yields blocks of the batch and the first spatial dimension whose patches fit a memory limit."""
    # ``row`` is the size in bytes of the patches of one image at one index of that dimension.
    rows = max(1, limit // max(row, 1))
    images = max(1, rows // max(first, 1))
    for n in range(0, batch, images):
        for i in range(0, first, rows):
            yield slice(n, n + images), slice(i, i + rows)


def places(g: Geometry, windows: Any) -> list[tuple[slice, slice]]:
    """Returns the blocks of a view of all windows."""
    row = windows.dtype.itemsize * math.prod(windows.shape[2:])
    return list(blocks(row, windows.shape[0], g.outputs[0], block_bytes(windows)))


def patches(xp: Any, windows: Any, where: tuple[slice, slice], g: Geometry) -> Any:
    """Returns the patch matrix of a block, one row per window; transposed copy for few channels."""
    block, width = windows[where], math.prod(g.kernel) * windows.shape[-1]
    if windows.shape[-1] >= _FEW or len(g.kernel) * 2 + 2 != block.ndim:
        return block.reshape(-1, width)
    rank = len(g.kernel) + 1
    turned = xp.ascontiguousarray(block.transpose([*range(rank, block.ndim), *range(rank)]))
    return turned.reshape(width, -1).T


# ------------------------------------------------------------------ parallel loop over images


def by_images(xp: Any, function: Callable[..., Any], *arrays: Any) -> Any:
    """Applies a function of a batch in chunks of images on the thread pool of the host."""
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


# ------------------------------------------------------------------ convolution and its gradients


def convolve(xp: Any, x: Any, filters: Any, g: Geometry) -> Any:
    """Convolves an array with filters (kernel, channels, outputs): im2col and matrix product."""
    outputs = filters.shape[-1]
    if not (x.size and filters.size):
        return xp.zeros((x.shape[0], *g.outputs, outputs), x.dtype)
    matrix, row = (
        filters.reshape(-1, outputs),
        x.dtype.itemsize * math.prod(g.kernel) * x.shape[-1] * math.prod(g.outputs),
    )
    if not is_host(xp) and len(g.kernel) == 2 and row * x.shape[0] <= _BLOCK_ELSEWHERE:
        turned = x.shape[-1] < _FEW
        rows = xp.patches_of(x, g, turned)
        return xp.matmul(rows.T if turned else rows, matrix).reshape(
            x.shape[0], *g.outputs, outputs
        )
    result = xp.empty((x.shape[0], *g.outputs, outputs), x.dtype)
    windows = view(xp, padded(xp, x, g), g)

    def work(where: tuple[slice, slice]) -> None:
        part = result[where].reshape(-1, outputs)
        xp.matmul(patches(xp, windows, where, g), matrix, out=part)

    blas.each(xp, work, places(g, windows))
    return result


def convolve_backprop_input(xp: Any, dy: Any, filters: Any, g: Geometry) -> Any:
    """Computes the gradient with respect to the input: the adjoint of ``convolve``."""
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
    """``spread`` on a device: one matrix product for many windows and one kernel that sums them."""
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
    """``spread`` for few channels: channels become the first axis, so that rows are long."""
    channels, outputs = filters.shape[-2:]
    matrix, flat = filters.reshape(-1, outputs), dy.reshape(-1, outputs)
    with blas.alone():
        moved = np.matmul(matrix, flat.T)
    moved = moved.reshape(math.prod(g.kernel), channels, *dy.shape[:-1])  # there may be no images
    sizes = [n + a + b for n, (a, b) in zip(g.sizes, g.pads, strict=True)]
    total = np.zeros((channels, len(dy), *sizes), dy.dtype)
    for part, (_, where) in zip(moved, offsets(g)):
        total[(slice(None), slice(None), *where)] += part
    return unpadded(np, np.moveaxis(total, 0, -1), g)


def correlate(xp: Any, x: Any, dy: Any, g: Geometry) -> Any:
    """Computes the gradient with respect to the filters."""
    channels, outputs = x.shape[-1], dy.shape[-1]
    if not (dy.size and x.size):
        return xp.zeros((*g.kernel, channels, outputs), x.dtype)
    source = padded(xp, x, g)
    if channels * math.prod(g.kernel) > _WIDE and xp is np:
        return _place_by_place(source, dy, g)
    windows = view(xp, source, g)
    each = places(g, windows)
    if len(each) == 1 and xp is not np:
        product = xp.matmul(patches(xp, windows, each[0], g).T, dy.reshape(-1, outputs))
        return product.reshape(*g.kernel, channels, outputs)
    parts = blas.parts(len(each), 1, _PARTS)
    sums = xp.zeros((len(parts), math.prod(g.kernel) * channels, outputs), x.dtype)

    def work(i: int) -> None:
        for where in each[parts[i]]:
            sums[i] += xp.matmul(patches(xp, windows, where, g).T, dy[where].reshape(-1, outputs))

    blas.each(xp, work, range(len(parts)))
    return sums.sum(0).reshape(*g.kernel, channels, outputs)


def _place_by_place(source: Any, dy: Any, g: Geometry) -> Any:
    """``correlate`` with one matrix product per window offset."""
    channels, outputs = source.shape[-1], dy.shape[-1]
    flat = dy.reshape(-1, outputs)
    result = np.empty((*g.kernel, channels, outputs), dy.dtype)

    def work(item: Any) -> None:
        offset, where = item
        np.matmul(source[(slice(None), *where)].reshape(-1, channels).T, flat, out=result[offset])

    blas.each(np, work, list(offsets(g)))
    return result


# Validation of attributes and shapes, with the error messages of TensorFlow's kernels.


def unimplemented(message: str) -> UnimplementedError:
    """Returns the UnimplementedError for cases without a kernel in TensorFlow."""
    return UnimplementedError(None, None, message)


# ------------------------------------------------------------------ attributes


def sequence(value: Any, count: int, channel_index: int, name: str) -> list[int]:
    """Expands a size argument to one value per dimension, with 1 for batch and channels."""
    if value is None:
        return [1] * (count + 2)
    items = list(value) if hasattr(value, "__len__") else [value]
    if len(items) == count + 2:
        return items
    if len(items) == 1:
        items = items * count
    elif len(items) != count:
        raise ValueError(
            f"{name} should be of length 1, {count} or {count + 2}. "
            f"Received: {name}={items} of length {len(items)}"
        )
    return [1, 1, *items] if channel_index == 1 else [1, *items, 1]


def split_padding(padding: Any, expected: int = 4) -> tuple[str, list[int]]:
    """Splits a padding argument into its mode and the explicit paddings."""
    if padding == "EXPLICIT":
        raise ValueError(
            "'EXPLICIT' is not a valid value for `padding`. "
            "To use explicit padding, `padding` must be a list."
        )
    if not isinstance(padding, (list, tuple)):
        return padding, []
    numbers: list[int] = []
    for i, pair in enumerate(padding):
        kind = None if isinstance(pair, (list, tuple)) else f"of type {type(pair)}"
        kind = f"of size {len(pair)}" if kind is None and len(pair) != 2 else kind
        if kind is not None:
            raise ValueError(
                "When `padding` is a list, each element of `padding` must be a list/tuple of size 2. "
                f"Received: padding={padding} with element at index {i} {kind}"
            )
        numbers.extend(pair)
    if len(padding) != expected:
        raise ValueError(
            f"When padding is a list, it must be of size {expected}. "
            f"Received: padding={padding} of size {len(padding)}"
        )
    return "EXPLICIT", numbers


def check_padding(padding: str, explicit: Sequence[int], data_format: str, strict: bool) -> None:
    """Raises InvalidArgumentError for invalid explicit paddings."""
    # With ``strict`` they must be empty for other modes.
    if padding != "EXPLICIT":
        if strict and len(explicit):
            raise invalid(
                "explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT"
            )
        return
    expected = 2 * len(data_format)
    if len(explicit) != expected:
        raise invalid(
            f"explicit_paddings attribute must contain {expected} values, but got: {len(explicit)}"
        )
    if min(explicit) < 0:
        raise invalid("All elements of explicit_paddings must be nonnegative")
    if any(explicit[2 * i + side] for i in outer(data_format) for side in (0, 1)):
        raise invalid("Nonzero explicit padding in the batch or depth dimensions is not supported")


def outer(data_format: str) -> tuple[int, int]:
    """Returns the batch axis and the channel axis."""
    return data_format.index("N"), data_format.index("C")


def spatial(values: Sequence[Any], data_format: str) -> list[Any]:
    """Returns the items of a sequence for the spatial dimensions."""
    return [value for i, value in enumerate(values) if i not in outer(data_format)]


def spatial_pads(padding: str, explicit: Sequence[int], data_format: str) -> list[int]:
    """Returns the explicit paddings of the spatial dimensions."""
    if padding != "EXPLICIT":
        return []
    pairs = list(zip(explicit[::2], explicit[1::2], strict=True))
    return [number for pair in spatial(pairs, data_format) for number in pair]


# ------------------------------------------------------------------ shapes


def check_rank(x: Any, rank: int, message: str) -> None:
    """Raises InvalidArgumentError with the given message if the rank differs."""
    if x.ndim != rank:
        raise invalid(message)


def check_shape(x: Any, shape: Sequence[int], what: str) -> None:
    """Raises InvalidArgumentError if the shape differs."""
    if x.shape != tuple(shape):
        raise invalid(f"Expected {what} shape to be {text(tuple(shape))}, but got {text(x.shape)}")


# Shape rules of convolutions, with the error messages of TensorFlow's shape inference.


Size = int | None


def windowed(
    size: Size, kernel: Size, step: int, padding: str, dilation: int = 1, pads: int = 0
) -> Size:
    """Returns the number of windows along a dimension."""
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
    """Returns the numbers of windows along the spatial dimensions."""
    extra = [a + b for a, b in zip(pads[::2], pads[1::2], strict=True)] or [0] * len(sizes)
    within = dilations or [1] * len(sizes)
    return tuple(
        windowed(n, k, s, padding, d, p)
        for n, k, s, d, p in zip(sizes, kernel, strides, within, extra, strict=True)
    )


def arrange_dims(data_format: str, batch: Size, space: Sequence[Size], channels: Size) -> Dims:
    """Returns dimensions in the order of a data format."""
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
    """Shape rule of Conv2D."""
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
    """Shape rule of Conv3D."""
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
    return arrange_dims(data_format, x[batch], space, kernel[-1])


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
    """Shape rule of DepthwiseConv2dNative."""
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
    return arrange_dims(data_format, x[batch], space, times(depth, kernel[3]))


# ------------------------------------------------------------------ gradients


def of_sizes(position: int, rank: int) -> Any:
    """Returns the shape rule of an op whose output shape is the value of an input vector."""

    def rule(*inputs: Any, **_: Any) -> Dims:
        return ranked(sizes_value(inputs[position]), rank)

    return rule


def conv2d_input_shape(
    sizes: Any, filter: Dims | None, derivative: Dims | None, *, data_format: str, **_: Any
) -> Dims:
    """Shape rule of Conv2DBackpropInput."""
    dims, kernel, dy = sizes_value(sizes), ranked(filter, 4), ranked(derivative, 4)
    if dims is not None and len(dims) not in (2, 4):
        raise refused(
            "Conv2DBackpropInput requires input_sizes to contain 4 values or 2 values, but got: "
            f"{len(dims)}"
        )
    batch, channel = outer(data_format)
    merged_size(dy[channel], kernel[3])
    if dims is not None and len(dims) == 2:
        return arrange_dims(data_format, dy[batch], dims, kernel[2])
    whole = ranked(dims, 4)
    merged_size(whole[batch], dy[batch])
    return arrange_dims(data_format, dy[batch], spatial(whole, data_format), whole[channel])
