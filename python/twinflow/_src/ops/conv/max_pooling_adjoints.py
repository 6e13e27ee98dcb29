"""The derivatives of max pooling, and their adjoints."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from twinflow._src.backends.host_checks import is_host
from twinflow._src.core.dtypes import REALS, float64
from twinflow._src.dispatch.op import API, Call, op
from twinflow._src.ops.array.select import chosen
from twinflow._src.ops.conv.checks import check_padding, check_rank, check_shape, outer
from twinflow._src.ops.conv.geometry import (
    Geometry,
    by_images,
    offsets,
    padded,
    padded_zeros,
    unpadded,
)
from twinflow._src.ops.conv.max_pool_with_argmax import largest_places
from twinflow._src.ops.conv.pooling import MAX_TYPES, by_axis, lowest
from twinflow._src.ops.conv.pooling_checks import (
    check_batch,
    check_depth,
    check_explicit,
    check_windows,
    geometry_of,
)
from twinflow._src.ops.conv.pooling_shapes import max_pool_shape, of_pooled, volume_shape
from twinflow._src.shape_rules.demands import of_rank

_DEPTH = "is not yet supported on the depth dimension."


def _check_tensors(x: Any, y: Any, grad: Any, rank: int, third: str) -> None:
    for array, what in ((x, "tensor_in"), (y, "tensor_out"), (grad, third)):
        check_rank(array, rank, f"{what} must be {rank}-dimensional")


def _first_equal(xp: Any, x: Any, y: Any, values: Any, g: Geometry) -> Any:
    """For each window the value at the first place whose element is the window's result, or 0."""
    inside = xp.ones((1, *g.sizes, 1), bool)
    source, known, taken = padded(xp, x, g), padded(xp, inside, g), padded(xp, values, g)
    result, open_ = xp.zeros(y.shape, values.dtype), xp.ones(y.shape, bool)
    for _, where in offsets(g):
        at = (slice(None), *where)
        hit = open_ & known[at] & (source[at] == y)
        result = xp.where(hit, taken[at], result)
        open_ &= ~hit
    return result


# ------------------------------------------------------------------ images


@op("MaxPoolGrad", shape=of_rank(4), dtypes=MAX_TYPES)
def max_pool_grad(
    xp: Any,
    orig_input: Any,
    orig_output: Any,
    grad: Any,
    *,
    ksize: Any,
    strides: Any,
    padding: str,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
) -> Any:
    """Returns the derivative of max pooling over images: each goes to the first largest element.

    Args:
        orig_input: The images.
        orig_output: The largest elements.
        grad: The derivative by the largest elements.
        ksize: The size of the windows in each dimension.
        strides: The step of the windows in each dimension.
        padding: ``"SAME"``, ``"VALID"`` or ``"EXPLICIT"``.
        explicit_paddings: The numbers before and after each dimension, for explicit padding.
        data_format: ``"NHWC"``.

    Returns:
        A tensor of the type and shape of the images.

    Raises:
        InvalidArgumentError: The arguments do not fit each other.
        UnimplementedError: Windows reach over the batch or the channels.
    """
    check_windows("MaxPoolingGradOp", data_format, ksize, strides, "strides")
    check_batch(ksize, strides)
    check_depth(ksize, strides, f"MaxPoolingGrad {_DEPTH}")
    check_padding(padding, explicit_paddings, "NHWC", strict=False)
    _check_tensors(orig_input, orig_output, grad, 4, "out_backprop")
    check_explicit(padding, explicit_paddings, ksize)
    g = geometry_of(orig_input.shape, ksize, strides, padding, explicit_paddings)
    shape = (orig_input.shape[0], *g.outputs, orig_input.shape[-1])
    check_shape(orig_output, shape, "orig_output")
    check_shape(grad, shape, "grad")
    return by_images(xp, lambda x, dy: _to_largest(xp, x, dy, g), orig_input, grad)


def _to_largest(xp: Any, x: Any, dy: Any, g: Geometry) -> Any:
    """Each derivative at the place of the first largest element of its window, the sum where they meet."""
    if is_host(xp) and x.dtype.kind in "fiu" and x.dtype.itemsize >= 4 and not np.isnan(x).any():
        return _where_equal(x, dy, g)
    if not is_host(xp) and x.dtype.char in "fd" and len(g.kernel) == 2:
        return xp.to_largest(x, dy, g)
    _, places = largest_places(xp, x, g, across=True)
    result = xp.zeros(x.size, dy.dtype)
    xp.add.at(result, places.reshape(-1), dy.reshape(-1))
    return result.reshape(x.shape)


def _where_equal(x: Any, dy: Any, g: Geometry) -> Any:
    """The same of numbers that are all comparable: place after place in all windows at once."""
    source = padded(np, x, g, -np.inf if x.dtype.kind == "f" else lowest(np, x.dtype))
    known = padded(np, np.ones((1, *g.sizes, 1), bool), g)
    largest, places = source, [(slice(None), *where) for _, where in offsets(g)]
    for along in by_axis(g):
        largest = functools.reduce(np.maximum, [largest[where] for where in along])
    free, hits = np.ones(dy.shape, bool), []
    for at in places:
        hit = source[at] == largest
        hit &= free
        hit &= known[at]
        free ^= hit
        hits.append(hit)
    total = padded_zeros(np, len(x), g, x.shape[-1], dy.dtype)
    for at, hit in zip(reversed(places), reversed(hits)):  # windows that lie before others come first
        total[at] += chosen(np, hit, dy, dy.dtype.type(0))
    return unpadded(np, total, g)


@op("MaxPoolGradGrad", shape=of_pooled(max_pool_shape), dtypes=MAX_TYPES)
def max_pool_grad_grad(
    xp: Any,
    orig_input: Any,
    orig_output: Any,
    grad: Any,
    *,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
) -> Any:
    """Returns the adjoint of the derivative of max pooling over images.

    Args:
        orig_input: The images.
        orig_output: The largest elements.
        grad: A tensor of the shape of the images.
        ksize: The size of the windows in each dimension.
        strides: The step of the windows in each dimension.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NHWC"``.

    Returns:
        The elements of ``grad`` at the places of the largest elements.

    Raises:
        InvalidArgumentError: The arguments do not fit each other.
        UnimplementedError: Windows reach over the batch or the channels.
    """
    check_windows("MaxPoolingGradGradOp", data_format, ksize, strides, "strides")
    check_batch(ksize, strides)
    check_depth(ksize, strides, f"MaxPoolingGradGrad {_DEPTH}")
    _check_tensors(orig_input, orig_output, grad, 4, "out_grad_backprop")
    return _gathered(xp, orig_input, orig_output, grad, ksize, strides, padding)


def _gathered(
    xp: Any, x: Any, y: Any, grad: Any, ksize: Any, strides: Any, padding: str
) -> Any:
    g = geometry_of(x.shape, ksize, strides, padding)
    check_shape(y, (x.shape[0], *g.outputs, x.shape[-1]), "orig_output")
    check_shape(grad, x.shape, "grad")
    return _first_equal(xp, x, y, grad, g)


# ------------------------------------------------------------------ volumes


@op("MaxPool3DGrad", shape=of_rank(5), dtypes=REALS - {float64})
def max_pool3d_grad(
    xp: Any,
    orig_input: Any,
    orig_output: Any,
    grad: Any,
    *,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
) -> Any:
    """Returns the derivative of max pooling over volumes: each goes to all largest elements.

    Args:
        orig_input: The volumes.
        orig_output: The largest elements.
        grad: The derivative by the largest elements.
        ksize: The size of the windows in each dimension.
        strides: The step of the windows in each dimension.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NDHWC"``.

    Returns:
        A tensor of the type and shape of the volumes.

    Raises:
        InvalidArgumentError: The arguments do not fit each other.
        UnimplementedError: Windows reach over the batch or the channels.
    """
    check_windows("MaxPooling3dGradOp", data_format, ksize, strides)
    check_batch(ksize, strides)
    check_depth(ksize, strides, f"Pooling {_DEPTH}")
    _check_tensors(orig_input, orig_output, grad, 5, "out_backprop")
    g = geometry_of(orig_input.shape, ksize, strides, padding)
    shape = (orig_input.shape[0], *g.outputs, orig_input.shape[-1])
    check_shape(orig_output, shape, "orig_output")
    check_shape(grad, shape, "grad")
    source = padded(xp, orig_input, g)
    total = padded_zeros(xp, shape[0], g, shape[-1], grad.dtype)
    for _, where in offsets(g):
        at = (slice(None), *where)
        total[at] += xp.where(source[at] == orig_output, grad, grad.dtype.type(0))
    return unpadded(xp, total, g)


@op(
    "MaxPool3DGradGrad",
    shape=of_pooled(volume_shape),
    dtypes=REALS - {float64},
)
def max_pool3d_grad_grad(
    xp: Any,
    orig_input: Any,
    orig_output: Any,
    grad: Any,
    *,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
) -> Any:
    """Returns the adjoint of the derivative of max pooling over volumes.

    Args:
        orig_input: The volumes.
        orig_output: The largest elements.
        grad: A tensor of the shape of the volumes.
        ksize: The size of the windows in each dimension.
        strides: The step of the windows in each dimension.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NDHWC"``.

    Returns:
        The elements of ``grad`` at the first places of the largest elements.

    Raises:
        InvalidArgumentError: The arguments do not fit each other.
        UnimplementedError: Windows reach over the batch or the channels.
    """
    if len(ksize) == len(strides) == 5:
        channel = outer(data_format)[1]
        check_batch(ksize, strides)
        check_depth(ksize, strides, f"MaxPooling3dGradGrad {_DEPTH}", channel)
    check_windows("MaxPooling3dGradGradOp", data_format, ksize, strides, "strides")
    _check_tensors(orig_input, orig_output, grad, 5, "out_grad_backprop")
    return _gathered(xp, orig_input, orig_output, grad, ksize, strides, padding)


# ------------------------------------------------------------------ gradients


@max_pool_grad.gradient
def _(call: Call, dx: Any) -> Any:
    # There is no adjoint for explicit padding, and TensorFlow says so.
    attrs = {name: v for name, v in call.attrs.items() if name != "explicit_paddings"}
    return _by_derivative(call, max_pool_grad_grad(*call.inputs[:2], dx, **attrs))


@max_pool_grad_grad.gradient
def _(call: Call, dy: Any) -> Any:
    return _by_derivative(call, max_pool_grad(*call.inputs[:2], dy, **call.attrs))


@max_pool3d_grad.gradient
def _(call: Call, dx: Any) -> Any:
    return _by_derivative(call, max_pool3d_grad_grad(*call.inputs[:2], dx, **call.attrs))


@max_pool3d_grad_grad.gradient
def _(call: Call, dy: Any) -> Any:
    return _by_derivative(call, max_pool3d_grad(*call.inputs[:2], dy, **call.attrs))


def _by_derivative(call: Call, gradient: Any) -> Any:
    """Gradients of what is constant in the images, as long as the largest elements stay the same."""
    zeros = API["zeros_like"]
    return zeros(call.inputs[0]), zeros(call.inputs[1]), gradient
