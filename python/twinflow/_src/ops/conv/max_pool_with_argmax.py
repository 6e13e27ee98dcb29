"""Max pooling that also tells where the largest elements lie."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from twinflow._src.backends.host_checks import known_any
from twinflow._src.core.dtypes import int32, int64
from twinflow._src.core.errors import invalid
from twinflow._src.dispatch.op import API, Call, Kind, Type, op
from twinflow._src.ops.conv.checks import check_shape, unimplemented
from twinflow._src.ops.conv.geometry import Geometry, by_images, padded
from twinflow._src.ops.conv.pooling import MAX_TYPES, by_axis
from twinflow._src.ops.conv.pooling_checks import (
    check_batch,
    check_images,
    check_positive,
    check_windows,
    geometry_of,
)
from twinflow._src.ops.conv.pooling_shapes import argmax_grad_grad_shape, argmax_shape
from twinflow._src.shape_rules.demands import of_rank

_Places = Annotated[Any, Kind("Targmax", default=int64, allowed=frozenset((int32, int64)))]


def largest_places(xp: Any, x: Any, g: Geometry, across: bool) -> tuple[Any, Any]:
    """The first largest element of each window, and where it lies.

    Args:
        xp: The array module.
        x: Images.
        g: The geometry of the windows.
        across: Whether places count over the whole batch, and not in each image.

    Returns:
        The elements, and their places in row-major order.
    """
    best, places = by_images(xp, lambda part: _largest_pixels(xp, part, g), x)
    channels = x.shape[-1]
    places = places * channels + xp.arange(channels)
    if across:
        image = x.size // max(x.shape[0], 1)
        places = places + (xp.arange(x.shape[0]) * image).reshape(-1, 1, 1, 1)
    return best, places


def _largest_pixels(xp: Any, x: Any, g: Geometry) -> tuple[Any, Any]:
    """The first largest element of each window and its pixel."""
    best, places = _first_largest(xp, x, g)
    return _from_nan(xp, x, g, best, places) if x.dtype.kind in "fV" else (best, places)


def _first_largest(xp: Any, x: Any, g: Geometry) -> tuple[Any, Any]:
    """The first largest number of each window and its pixel, dimension after dimension."""
    pixels = xp.arange(g.sizes[0] * g.sizes[1]).reshape(1, *g.sizes, 1)
    # What is compared: elements, whether they are numbers, and their pixels.
    triple = [padded(xp, part, g) for part in (x, x == x, pixels)]
    for places in reversed(list(by_axis(g))):
        best, known, pixel = (part[places[0]] for part in triple)
        for where in places[1:]:
            other, counts, at = (part[where] for part in triple)
            better = counts & (~known | (other > best))
            best = xp.where(better, other, best)
            pixel = xp.where(better, at, pixel)
            known = known | counts
        triple = [best, known, pixel]
    return triple[0], xp.broadcast_to(triple[2], triple[0].shape)


def _from_nan(xp: Any, x: Any, g: Geometry, best: Any, places: Any) -> tuple[Any, Any]:
    """NaN where a window begins with it: it is less than nothing, so nothing replaces it."""
    rows, columns = (
        xp.maximum(xp.arange(n) * step - before, 0)
        for n, step, (before, _) in zip(g.outputs, g.strides, g.pads, strict=True)
    )
    first = x[:, rows][:, :, columns]
    pixel = (rows[:, None] * g.sizes[1] + columns).reshape(1, *g.outputs, 1)
    return xp.where(first != first, first, best), xp.where(first != first, pixel, places)


@op("MaxPoolWithArgmax", shape=argmax_shape, dtypes=MAX_TYPES)
def max_pool_with_argmax_of(
    xp: Any,
    input: Any,
    *,
    ksize: Any,
    strides: Any,
    padding: str,
    Targmax: Type = int64,
    include_batch_in_index: bool = False,
) -> Any:
    """Returns the largest element of each window over images, and where it lies.

    Args:
        input: A tensor of shape (batch, height, width, channels).
        ksize: The size of the windows in each dimension.
        strides: The step of the windows in each dimension.
        padding: ``"SAME"`` or ``"VALID"``.
        Targmax: The type of the positions.
        include_batch_in_index: Whether positions count over the whole batch.

    Returns:
        A tensor of the same type, and one of positions.

    Raises:
        InvalidArgumentError: The arguments do not fit the shape.
        UnimplementedError: Windows reach over the batch or the channels.
    """
    check_windows("MaxPoolingOp", "NHWC", ksize, strides)
    check_positive(ksize)
    check_batch(ksize, strides)
    if input.ndim != 4:
        raise invalid("tensor_in must be 4-dimensional (2)")
    if not input.size:
        raise invalid("tensor_in must not be empty (2)")
    check_images(input, ksize, strides)
    if ksize[3] > 1:
        raise unimplemented("MaxPoolingWithArgmax is not yet supported on the depth dimension.")
    g = geometry_of(input.shape, ksize, strides, padding)
    best, places = largest_places(xp, input, g, include_batch_in_index)
    return [best, places.astype(Targmax.np)]


# ------------------------------------------------------------------ adjoints


def _pooled(x: Any, ksize: Any, strides: Any, padding: str) -> tuple[int, ...]:
    """The shape of the largest elements of windows over images."""
    check_windows("MaxPoolingOp", "NHWC", ksize, strides)
    check_batch(ksize, strides)
    check_images(x, ksize, strides)
    g = geometry_of(x.shape, ksize, strides, padding)
    return (x.shape[0], *g.outputs, x.shape[-1])


def _indices(xp: Any, x: Any, argmax: Any, shape: tuple[int, ...], batch: bool) -> Any:
    """Where in all images, in a row, the largest elements lie."""
    check_shape(argmax, shape, "argmax")
    places = argmax.astype(np.int64)
    if not batch:
        image = x.size // max(x.shape[0], 1)
        places = places + (xp.arange(x.shape[0]) * image).reshape(-1, 1, 1, 1)
    bad = lambda: (places < 0) | (places >= x.size)
    if known_any(xp, bad):
        index = int(places.reshape(-1)[int(xp.argmax(bad()))])
        raise invalid(f"Invalid output gradient index: {index}, 0, {x.size}")
    return places.reshape(-1)


@op("MaxPoolGradWithArgmax", shape=of_rank(4), dtypes=MAX_TYPES)
def max_pool_grad_with_argmax(
    xp: Any,
    input: Any,
    grad: Any,
    argmax: _Places,
    *,
    ksize: Any,
    strides: Any,
    padding: str,
    include_batch_in_index: bool = False,
) -> Any:
    """Returns the derivative of max pooling over images by the images, from known places.

    Args:
        input: The images.
        grad: The derivative by the largest elements.
        argmax: Where the largest elements lie.
        ksize: The size of the windows in each dimension.
        strides: The step of the windows in each dimension.
        padding: ``"SAME"`` or ``"VALID"``.
        include_batch_in_index: Whether positions count over the whole batch.

    Returns:
        A tensor of the type and shape of the images.

    Raises:
        InvalidArgumentError: The arguments do not fit each other.
        UnimplementedError: Windows reach over the batch or the channels.
    """
    windows = {"ksize": ksize, "strides": strides, "padding": padding}
    shape = _pooled(input, **windows)
    check_shape(grad, shape, "grad")
    places = _indices(xp, input, argmax, shape, include_batch_in_index)
    result = xp.zeros(input.size, grad.dtype)
    xp.add.at(result, places, grad.reshape(-1))
    return result.reshape(input.shape)


@op("MaxPoolGradGradWithArgmax", shape=argmax_grad_grad_shape, dtypes=MAX_TYPES)
def max_pool_grad_grad_with_argmax(
    xp: Any,
    input: Any,
    grad: Any,
    argmax: _Places,
    *,
    ksize: Any,
    strides: Any,
    padding: str,
    include_batch_in_index: bool = False,
) -> Any:
    """Returns the adjoint of the derivative of max pooling over images, from known places.

    Args:
        input: The images.
        grad: A tensor of the shape of the images.
        argmax: Where the largest elements lie.
        ksize: The size of the windows in each dimension.
        strides: The step of the windows in each dimension.
        padding: ``"SAME"`` or ``"VALID"``.
        include_batch_in_index: Whether positions count over the whole batch.

    Returns:
        The elements of ``grad`` at the places of the largest elements.

    Raises:
        InvalidArgumentError: The arguments do not fit each other.
        UnimplementedError: Windows reach over the batch or the channels.
    """
    windows = {"ksize": ksize, "strides": strides, "padding": padding}
    shape = _pooled(input, **windows)
    check_shape(grad, input.shape, "grad")
    places = _indices(xp, input, argmax, shape, include_batch_in_index)
    return grad.reshape(-1)[places].reshape(shape)


# ------------------------------------------------------------------ gradients


def _windows_of(call: Call) -> dict[str, Any]:
    names = ("ksize", "strides", "padding", "include_batch_in_index")
    return {name: call.attrs[name] for name in names}


@max_pool_with_argmax_of.gradient
def _(call: Call, dy: Any, _: Any) -> Any:
    return max_pool_grad_with_argmax(call.inputs[0], dy, call.outputs[1], **_windows_of(call))


@max_pool_grad_with_argmax.gradient
def _(call: Call, dx: Any) -> Any:
    x, _, places = call.inputs
    adjoint = max_pool_grad_grad_with_argmax(x, dx, places, **_windows_of(call))
    return API["zeros_like"](x), adjoint, None


@max_pool_grad_grad_with_argmax.gradient
def _(call: Call, dy: Any) -> Any:
    x, _, places = call.inputs
    adjoint = max_pool_grad_with_argmax(x, dy, places, **_windows_of(call))
    return API["zeros_like"](x), adjoint, None
