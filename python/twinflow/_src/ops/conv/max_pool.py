"""Max pooling with argmax, and the gradients of max pooling."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from twinflow._src.backends.host_checks import is_host, known_any
from twinflow._src.core.dtypes import REALS, float64, int32, int64
from twinflow._src.core.errors import invalid
from twinflow._src.dispatch.op import API, Call, Kind, OpFunction, Type, op
from twinflow._src.ops.array.select import select_elements
from twinflow._src.ops.conv.geometry import (
    Geometry,
    by_images,
    check_padding,
    check_rank,
    check_shape,
    offsets,
    outer,
    padded,
    padded_zeros,
    unimplemented,
    unpadded,
)
from twinflow._src.ops.conv.pooling import (
    MAX_TYPES,
    argmax_grad_grad_shape,
    argmax_shape,
    by_axis,
    check_batch,
    check_depth,
    check_explicit,
    check_images,
    check_positive,
    check_windows,
    geometry_of,
    lowest,
    max_pool_shape,
    of_pooled,
    volume_shape,
)
from twinflow._src.shape_rules.demands import of_rank

# Max pooling with argmax.


_Places = Annotated[Any, Kind("Targmax", default=int64, allowed=frozenset((int32, int64)))]


def largest_places(xp: Any, x: Any, g: Geometry, across: bool) -> tuple[Any, Any]:
    """Returns the maximum of each window and its flat index in row-major order."""
    # The first one for ties. With ``across``, indices include the batch dimension; else they are
    # per image.
    best, indices = by_images(xp, lambda part: _largest_pixels(xp, part, g), x)
    channels = x.shape[-1]
    indices = indices * channels + xp.arange(channels)
    if across:
        image = x.size // max(x.shape[0], 1)
        indices = indices + (xp.arange(x.shape[0]) * image).reshape(-1, 1, 1, 1)
    return best, indices


def _largest_pixels(xp: Any, x: Any, g: Geometry) -> tuple[Any, Any]:
    """Returns the first maximum of each window and its pixel index."""
    best, pixels = _first_largest(xp, x, g)
    return _from_nan(xp, x, g, best, pixels) if x.dtype.kind in "fV" else (best, pixels)


def _first_largest(xp: Any, x: Any, g: Geometry) -> tuple[Any, Any]:
    """Returns the first non-NaN maximum of each window and its pixel index, axis by axis."""
    pixels = xp.arange(g.sizes[0] * g.sizes[1]).reshape(1, *g.sizes, 1)
    # The reduced arrays: elements, masks of non-NaN elements, and pixel indices.
    triple = [padded(xp, part, g) for part in (x, x == x, pixels)]
    for slices in reversed(list(by_axis(g))):
        best, valid, pixel = (part[slices[0]] for part in triple)
        for where in slices[1:]:
            other, counts, at = (part[where] for part in triple)
            better = counts & (~valid | (other > best))
            best = xp.where(better, other, best)
            pixel = xp.where(better, at, pixel)
            valid = valid | counts
        triple = [best, valid, pixel]
    return triple[0], xp.broadcast_to(triple[2], triple[0].shape)


def _from_nan(xp: Any, x: Any, g: Geometry, best: Any, pixels: Any) -> tuple[Any, Any]:
    """Returns NaN for windows that start with NaN, as TensorFlow's comparisons with NaN fail."""
    rows, columns = (
        xp.maximum(xp.arange(n) * step - before, 0)
        for n, step, (before, _) in zip(g.outputs, g.strides, g.pads, strict=True)
    )
    first = x[:, rows][:, :, columns]
    pixel = (rows[:, None] * g.sizes[1] + columns).reshape(1, *g.outputs, 1)
    return xp.where(first != first, first, best), xp.where(first != first, pixel, pixels)


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
    """Performs max pooling over images and returns the maxima and their indices."""
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
    best, indices = largest_places(xp, input, g, include_batch_in_index)
    return [best, indices.astype(Targmax.np)]


# ------------------------------------------------------------------ gradients with argmax


def _pooled(x: Any, ksize: Any, strides: Any, padding: str) -> tuple[int, ...]:
    """Returns the shape of max pooling over images."""
    check_windows("MaxPoolingOp", "NHWC", ksize, strides)
    check_batch(ksize, strides)
    check_images(x, ksize, strides)
    g = geometry_of(x.shape, ksize, strides, padding)
    return (x.shape[0], *g.outputs, x.shape[-1])


def _indices(xp: Any, x: Any, argmax: Any, shape: tuple[int, ...], batch: bool) -> Any:
    """Returns the flat indices of the maxima in the whole batch; validated."""
    check_shape(argmax, shape, "argmax")
    indices = argmax.astype(np.int64)
    if not batch:
        image = x.size // max(x.shape[0], 1)
        indices = indices + (xp.arange(x.shape[0]) * image).reshape(-1, 1, 1, 1)
    bad = lambda: (indices < 0) | (indices >= x.size)
    if known_any(xp, bad):
        index = int(indices.reshape(-1)[int(xp.argmax(bad()))])
        raise invalid(f"Invalid output gradient index: {index}, 0, {x.size}")
    return indices.reshape(-1)


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
    """Computes the gradient of max pooling over images, with given argmax indices."""
    windows = {"ksize": ksize, "strides": strides, "padding": padding}
    shape = _pooled(input, **windows)
    check_shape(grad, shape, "grad")
    indices = _indices(xp, input, argmax, shape, include_batch_in_index)
    result = xp.zeros(input.size, grad.dtype)
    xp.add.at(result, indices, grad.reshape(-1))
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
    """Computes the second-order gradient of max pooling over images, with given argmax indices."""
    windows = {"ksize": ksize, "strides": strides, "padding": padding}
    shape = _pooled(input, **windows)
    check_shape(grad, input.shape, "grad")
    indices = _indices(xp, input, argmax, shape, include_batch_in_index)
    return grad.reshape(-1)[indices].reshape(shape)


# ------------------------------------------------------------------ gradients


def _windows_of(call: Call) -> dict[str, Any]:
    names = ("ksize", "strides", "padding", "include_batch_in_index")
    return {name: call.attrs[name] for name in names}


@max_pool_with_argmax_of.gradient
def _(call: Call, dy: Any, _: Any) -> Any:
    return max_pool_grad_with_argmax(call.inputs[0], dy, call.outputs[1], **_windows_of(call))


def _argmax_adjoint(pool: OpFunction) -> Callable[[Call, Any], Any]:
    """Returns the gradient function of a gradient op with argmax whose adjoint is another one."""

    def gradient(call: Call, dx: Any) -> Any:
        x, _, argmax = call.inputs
        return API["zeros_like"](x), pool(x, dx, argmax, **_windows_of(call)), None

    return gradient


max_pool_grad_with_argmax.gradient(_argmax_adjoint(max_pool_grad_grad_with_argmax))
max_pool_grad_grad_with_argmax.gradient(_argmax_adjoint(max_pool_grad_with_argmax))


# Gradients of max pooling, first and second order.


_DEPTH = "is not yet supported on the depth dimension."


def _check_tensors(x: Any, y: Any, grad: Any, rank: int, third: str) -> None:
    for array, what in ((x, "tensor_in"), (y, "tensor_out"), (grad, third)):
        check_rank(array, rank, f"{what} must be {rank}-dimensional")


def _first_equal(xp: Any, x: Any, y: Any, values: Any, g: Geometry) -> Any:
    """Returns for each window the value at the first element equal to its maximum, or 0."""
    inside = xp.ones((1, *g.sizes, 1), bool)
    source, valid, taken = padded(xp, x, g), padded(xp, inside, g), padded(xp, values, g)
    result, open_ = xp.zeros(y.shape, values.dtype), xp.ones(y.shape, bool)
    for _, where in offsets(g):
        at = (slice(None), *where)
        hit = open_ & valid[at] & (source[at] == y)
        result = xp.where(hit, taken[at], result)
        open_ &= ~hit
    return result


# ------------------------------------------------------------------ images


@op("MaxPoolGrad", shape=of_rank(4), dtypes=MAX_TYPES, layout=("image", "image", "image", "image"))
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
    """Computes the gradient of max pooling over images; it goes to the first maximum of a window."""
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
    """Scatters each gradient to the first maximum of its window, summed over windows."""
    if is_host(xp) and x.dtype.kind in "fiu" and x.dtype.itemsize >= 4 and not np.isnan(x).any():
        return _where_equal(x, dy, g)
    if not is_host(xp) and x.dtype.char in "fd" and len(g.kernel) == 2:
        return xp.to_largest(x, dy, g)
    _, indices = largest_places(xp, x, g, across=True)
    result = xp.zeros(x.size, dy.dtype)
    xp.add.at(result, indices.reshape(-1), dy.reshape(-1))
    return result.reshape(x.shape)


def _where_equal(x: Any, dy: Any, g: Geometry) -> Any:
    """``_to_largest`` without NaN: a loop over window offsets, vectorized over all windows."""
    source = padded(np, x, g, -np.inf if x.dtype.kind == "f" else lowest(np, x.dtype))
    valid = padded(np, np.ones((1, *g.sizes, 1), bool), g)
    largest, slices = source, [(slice(None), *where) for _, where in offsets(g)]
    for along in by_axis(g):
        largest = functools.reduce(np.maximum, [largest[where] for where in along])
    free, hits = np.ones(dy.shape, bool), []
    for at in slices:
        hit = source[at] == largest
        hit &= free
        hit &= valid[at]
        free ^= hit
        hits.append(hit)
    total = padded_zeros(np, len(x), g, x.shape[-1], dy.dtype)
    for at, hit in zip(reversed(slices), reversed(hits)):  # sums in the order of the windows
        total[at] += select_elements(np, hit, dy, dy.dtype.type(0))
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
    """Computes the second-order gradient of max pooling over images."""
    check_windows("MaxPoolingGradGradOp", data_format, ksize, strides, "strides")
    check_batch(ksize, strides)
    check_depth(ksize, strides, f"MaxPoolingGradGrad {_DEPTH}")
    _check_tensors(orig_input, orig_output, grad, 4, "out_grad_backprop")
    return _gathered(xp, orig_input, orig_output, grad, ksize, strides, padding)


def _gathered(xp: Any, x: Any, y: Any, grad: Any, ksize: Any, strides: Any, padding: str) -> Any:
    g = geometry_of(x.shape, ksize, strides, padding)
    check_shape(y, (x.shape[0], *g.outputs, x.shape[-1]), "orig_output")
    check_shape(grad, x.shape, "grad")
    return _first_equal(xp, x, y, grad, g)


# ------------------------------------------------------------------ volumes


@op(
    "MaxPool3DGrad",
    shape=of_rank(5),
    dtypes=REALS - {float64},
    layout=("image", "image", "image", "image"),
)
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
    """Computes the gradient of max pooling over volumes; it goes to all maxima of a window."""
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
    """Computes the second-order gradient of max pooling over volumes."""
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
    # Explicit padding has no second-order gradient in TensorFlow.
    attrs = {name: v for name, v in call.attrs.items() if name != "explicit_paddings"}
    return _by_derivative(call, max_pool_grad_grad(*call.inputs[:2], dx, **attrs))


def _adjoint(pool: OpFunction) -> Callable[[Call, Any], Any]:
    """Returns the gradient function of a gradient op whose adjoint is another one."""
    return lambda call, dy: _by_derivative(call, pool(*call.inputs[:2], dy, **call.attrs))


max_pool_grad_grad.gradient(_adjoint(max_pool_grad))
max_pool3d_grad.gradient(_adjoint(max_pool3d_grad_grad))
max_pool3d_grad_grad.gradient(_adjoint(max_pool3d_grad))


def _by_derivative(call: Call, gradient: Any) -> Any:
    """Returns gradients for inputs and outputs (zeros) and for the upstream gradient."""
    zeros = API["zeros_like"]
    return zeros(call.inputs[0]), zeros(call.inputs[1]), gradient
