"""Max and average pooling ops, their validation, shape rules and gradients."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from twinflow._src.backends.cpu.native import TAKES_SECOND_ZERO
from twinflow._src.backends.host_checks import is_host
from twinflow._src.core.dtypes import INTEGERS, REALS, float64, uint32, uint64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import Dims, refused
from twinflow._src.dispatch.op import API, OPS, Call, op
from twinflow._src.ops.conv import native_pooling
from twinflow._src.ops.conv.geometry import (
    Geometry,
    Lengths,
    along,
    arrange_dims,
    by_images,
    check_padding,
    check_shape,
    geometry,
    of_sizes,
    offsets,
    outer,
    padded,
    spatial,
    spatial_pads,
    unimplemented,
    unpadded,
    windowed,
    windowed_all,
)
from twinflow._src.ops.nn.basics import wide
from twinflow._src.shape_rules.demands import merged, ranked

# Validation of attributes and shapes, with the error messages of TensorFlow's kernels.


def check_windows(
    kernel: str, data_format: str, ksize: Sequence[int], strides: Any, named: str = "stride"
) -> None:
    """Validates window sizes, strides and data format for a kernel."""
    rank = 4 if data_format in ("NHWC", "NCHW_VECT_C") else 5
    if data_format == "NCHW_VECT_C":
        raise invalid(f"Default {kernel} only supports NHWC on device type CPU")
    for name, values in (("ksize", ksize), (named, strides)):
        if len(values) != rank:
            raise invalid(f"Sliding window {name} field must specify {rank} dimensions")


def check_batch(ksize: Sequence[int], strides: Sequence[int]) -> None:
    """Raises UnimplementedError for pooling over the batch dimension."""
    if ksize[0] != 1 or strides[0] != 1:
        raise unimplemented("Pooling is not yet supported on the batch dimension.")


def check_depth(
    ksize: Sequence[int], strides: Sequence[int], message: str, channel: int = -1
) -> None:
    """Raises UnimplementedError with the given message for pooling over the channel dimension."""
    if ksize[channel] != 1 or strides[channel] != 1:
        raise unimplemented(message)


def check_images(x: Any, ksize: Sequence[int], strides: Sequence[int]) -> None:
    """Validates that windows fit images."""
    if x.ndim != 4:
        raise invalid(f"tensor_in_shape must have 2 spatial dimensions. {x.ndim} 0")
    if ksize[3] == 1:
        return
    if ksize[1] != 1 or ksize[2] != 1:
        raise unimplemented(
            "MaxPooling supports exactly one of pooling across depth or pooling across width/height."
        )
    if x.shape[3] % ksize[3]:
        raise unimplemented(
            "Depthwise max pooling requires the depth window to evenly divide the input depth"
        )
    if ksize[3] != strides[3]:
        raise unimplemented(
            "Depthwise max pooling requires the depth window to equal the depth stride"
        )


def geometry_of(
    shape: Sequence[int], ksize: Sequence[int], strides: Any, padding: str, explicit: Any = ()
) -> Geometry:
    """Returns the window geometry for a shape with channels last."""
    formats = {4: "NHWC", 5: "NDHWC"}
    pads = spatial_pads(padding, explicit, formats[len(shape)])
    ones = [1] * (len(shape) - 2)
    return geometry(shape[1:-1], ksize[1:-1], strides[1:-1], ones, padding, pads)


_SIDES = ("Top", "Bottom", "Left", "Right")


def check_explicit(padding: str, explicit: Sequence[int], ksize: Sequence[int]) -> None:
    """Raises InvalidArgumentError if explicit padding is not less than the window size."""
    check_padding(padding, explicit, "NHWC", strict=False)
    if padding != "EXPLICIT":
        return
    for side, pad, size in zip(_SIDES, explicit[2:6], (ksize[1], ksize[1], ksize[2], ksize[2])):
        if pad >= size:
            raise invalid(f"{side} padding {pad} needs to be smaller than the window size {size}")


def check_positive(ksize: Sequence[int]) -> None:
    """Raises InvalidArgumentError for a window size that is not positive."""
    for size in ksize:
        if size < 1:
            raise invalid(f"ksize must be a positive int32 value, got:{size}")


def volume_windows(x: Any, ksize: Any, strides: Any, padding: str, data_format: str) -> Geometry:
    """Returns the window geometry of pooling over volumes, after checks of all arguments."""
    check_windows("Pooling3DOp", data_format, ksize, strides)
    if min(ksize) < 1:
        raise invalid("Sliding window ksize field must have non-negative dimensions")
    check_batch(ksize, strides)
    check_depth(ksize, strides, "Pooling is not yet supported on the depth dimension.")
    if x.ndim != 5:
        raise invalid("tensor_in must be 5-dimensional")
    return geometry_of(x.shape, ksize, strides, padding)


# Shape rules of pooling, with the error messages of TensorFlow's shape inference.


def _checked(demand: str, what: str, values: Sequence[int], count: int) -> None:
    if len(values) != count:
        raise refused(
            f"{demand} the {what} attribute to contain {count} values, but got: {len(values)}"
        )


def average_shape(
    value: Dims | None, *, ksize: Any, strides: Any, padding: str, data_format: str = "NHWC"
) -> Dims:
    """Shape rule of AvgPool."""
    x = ranked(value, 4)
    _checked("AvgPool requires", "stride", strides, 4)
    _checked("AvgPool requires", "ksize", ksize, 4)
    batch, channel = outer(data_format)
    steps = spatial(strides, data_format)
    space = windowed_all(spatial(x, data_format), spatial(ksize, data_format), steps, padding)
    return arrange_dims(data_format, x[batch], space, x[channel])


def max_pool_shape(
    input: Dims | None,
    *,
    ksize: Any,
    strides: Any,
    padding: str,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
) -> Dims:
    """Shape rule of MaxPool."""
    x = ranked(input, 4)
    _checked("MaxPool requires", "stride", strides, 4)
    _checked("MaxPool requires", "ksize", ksize, 4)
    check_padding(padding, explicit_paddings, data_format, strict=True)
    batch, channel = outer(data_format)
    space = windowed_all(
        spatial(x, data_format),
        spatial(ksize, data_format),
        spatial(strides, data_format),
        padding,
        pads=spatial_pads(padding, explicit_paddings, data_format),
    )
    depth = windowed(x[channel], ksize[channel], strides[channel], padding)
    return arrange_dims(data_format, x[batch], space, depth)


def argmax_shape(input: Dims | None, *, ksize: Any, **attrs: Any) -> list[Dims]:
    """Shape rule of MaxPoolWithArgmax."""
    for size in ksize:
        if size < 1:
            raise refused(f"ksize must be a positive int32 value, got:{size}")
    shape = max_pool_shape(input, ksize=ksize, **_window_attrs(attrs))
    return [shape, shape]


def _window_attrs(attrs: dict[str, Any]) -> dict[str, Any]:
    return {name: attrs[name] for name in ("strides", "padding")}


def volume_shape(
    input: Dims | None, *, ksize: Any, strides: Any, padding: str, data_format: str = "NDHWC"
) -> Dims:
    """Shape rule of MaxPool3D and AvgPool3D."""
    x = ranked(input, 5)
    _checked("Pool3D ops require", "stride", strides, 5)
    _checked("Pool3D requires", "ksize", ksize, 5)
    batch, channel = outer(data_format)
    steps = spatial(strides, data_format)
    space = windowed_all(spatial(x, data_format), spatial(ksize, data_format), steps, padding)
    return arrange_dims(data_format, x[batch], space, x[channel])


# ------------------------------------------------------------------ gradients


def argmax_grad_grad_shape(
    input: Dims | None, derivative: Dims | None, argmax: Dims | None, *, ksize: Any, **attrs: Any
) -> Dims:
    """Shape rule of MaxPoolGradGradWithArgmax."""
    shape = max_pool_shape(input, ksize=ksize, **_window_attrs(attrs))
    merged(input, derivative)
    merged(argmax, shape)
    return shape


def of_pooled(pooled: Callable[..., Dims]) -> Callable[..., Dims]:
    """Returns the shape rule of a second-order gradient: the pooling's, merged with its output."""

    def rule(
        input: Dims | None, output: Dims | None, derivative: Dims | None, **attrs: Any
    ) -> Dims:
        shape = pooled(input, **attrs)
        merged(input, derivative)
        merged(output, shape)
        return shape

    return rule


# Max and average pooling.


MAX_TYPES = REALS | INTEGERS - {uint32, uint64}


def lowest(xp: Any, dtype: Any) -> Any:
    """Returns the lowest finite value of a dtype, the initial value of TensorFlow's max pooling."""
    if dtype.kind in "iu":
        return xp.iinfo(dtype).min
    if dtype.kind == "V":  # bfloat16, for which there is no finfo
        return -float.fromhex("0x1.fep127")
    return float(xp.finfo(dtype).min)


def by_axis(g: Geometry) -> Iterator[list[tuple[slice, ...]]]:
    """Yields for each spatial dimension the strided slices at all window offsets along it."""
    for axis, size in enumerate(g.kernel):
        before = (slice(None),) * (axis + 1)
        yield [(*before, along(g, axis, offset)) for offset in range(size)]


def _combined(function: Any, x: Any, g: Geometry) -> Any:
    """Reduces windows by a binary function, axis by axis (separable)."""
    for first, *others in by_axis(g):
        result = x[first]
        for i, where in enumerate(others):
            result = function(result, x[where], **({"out": result} if i else {}))
        x = result
    return x


# ------------------------------------------------------------------ max pooling


def _largest(xp: Any, x: Any, g: Geometry) -> Any:
    """Returns the maximum of each window; NaN is ignored."""
    least = x.dtype.type(lowest(xp, x.dtype))
    source = padded(xp, x, g, least)
    if max(g.kernel) > 1 and (x.dtype.kind in "iu" or (is_host(xp) and x.dtype.char in "fd")):
        result = _combined(xp.maximum, source, g)  # NaN if any element is NaN
        if x.dtype.kind in "iu" or not result.size or result.min() >= least:
            return result
        return xp.maximum(
            least, _combined(xp.maximum, xp.where(source == source, source, least), g)
        )
    larger = xp.fmax if x.dtype.kind in "fV" else xp.maximum
    return larger(_combined(larger, source, g), least)


def _largest_of_channels(xp: Any, x: Any, count: int) -> Any:
    """Returns the maximum of groups of ``count`` channels; as in TensorFlow a leading NaN stays."""
    parts = x.reshape(*x.shape[:3], x.shape[3] // count, count)
    result = parts[..., 0]
    for i in range(1, count):
        result = xp.where(parts[..., i] > result, parts[..., i], result)
    return result


def _largest_of_volumes(xp: Any, x: Any, g: Geometry) -> Any:
    """Returns the maximum of each window; the element after a NaN replaces it, as in TensorFlow."""
    source = padded(xp, x, g, lowest(xp, x.dtype))
    result = xp.full((x.shape[0], *g.outputs, x.shape[-1]), -xp.inf, x.dtype)
    parts = [source[(slice(None), *where)] for _, where in offsets(g)]
    if is_host(xp) and TAKES_SECOND_ZERO and x.dtype.char == "f":
        for part in parts:
            np.maximum(result, part, out=result)
        if not np.isnan(result).any():
            return result
        result[...] = -np.inf
    for part in parts:
        result = xp.where(result > part, result, part)
    return result


@op(
    "MaxPool",
    shape=max_pool_shape,
    dtypes=MAX_TYPES,
    tf_name="MaxPool2d",
    opens_scope=True,
    layout=("image", "image"),
)
def max_pool_of(
    xp: Any,
    input: Any,
    *,
    ksize: Any,
    strides: Any,
    padding: str,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
) -> Any:
    """Performs max pooling over images."""
    check_windows("MaxPoolingOp", data_format, ksize, strides)
    if min(ksize) < 1:
        listed = ",".join(map(str, ksize))
        raise invalid(
            f"Sliding window ksize must be positive. The specified or inferred ksize is: {listed}"
        )
    check_explicit(padding, explicit_paddings, ksize)
    check_batch(ksize, strides)
    check_images(input, ksize, strides)
    g = geometry_of(input.shape, ksize, strides, padding, explicit_paddings)
    if ksize[3] > 1:
        return _largest_of_channels(xp, input, ksize[3])
    result = native_pooling.pool(xp, "max", input, g)
    return by_images(xp, lambda x: _largest(xp, x, g), input) if result is None else result


@max_pool_of.gradient(reads=("input",))
def _(call: Call, dy: Any) -> Any:
    return OPS["MaxPoolGrad"].public(call.inputs[0], call.outputs, dy, **call.attrs)


@op(
    "MaxPool3D",
    shape=volume_shape,
    dtypes=REALS - {float64},
    opens_scope=True,
    layout=("image", "image"),
)
def max_pool3d_of(
    xp: Any,
    input: Any,
    *,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
) -> Any:
    """Performs max pooling over volumes."""
    g = volume_windows(input, ksize, strides, padding, data_format)
    return by_images(xp, lambda x: _largest_of_volumes(xp, x, g), input)


@max_pool3d_of.gradient
def _(call: Call, dy: Any) -> Any:
    return OPS["MaxPool3DGrad"].public(call.inputs[0], call.outputs, dy, **call.attrs)


# ------------------------------------------------------------------ average pooling


def counts(xp: Any, g: Geometry, dtype: Any) -> Any:
    """Returns the number of unpadded elements per window, broadcastable to the outputs."""
    rank = len(g.kernel) + 2
    result = xp.ones((1,) * rank, dtype)
    for axis, (before, _) in enumerate(g.pads):
        start = xp.arange(g.outputs[axis]) * g.strides[axis] - before
        valid = xp.minimum(start + g.kernel[axis], g.sizes[axis]) - xp.maximum(start, 0)
        shape = [1] * rank
        shape[axis + 1] = g.outputs[axis]
        result = result * valid.reshape(shape).astype(dtype)
    return result


def _mean(xp: Any, x: Any, g: Geometry) -> Any:
    total = _combined(xp.add, padded(xp, wide(xp, x), g), g)
    if not any(map(any, g.pads)):  # all windows have the same size
        return (total / total.dtype.type(math.prod(g.kernel))).astype(x.dtype, copy=False)
    return (total / counts(xp, g, total.dtype)).astype(x.dtype, copy=False)


@op(
    "AvgPool",
    shape=average_shape,
    dtypes=REALS,
    tf_name="AvgPool2D",
    opens_scope=True,
    layout=("image", "image"),
)
def avg_pool_of(
    xp: Any,
    value: Any,
    *,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
) -> Any:
    """Performs average pooling over images; padding is not counted."""
    check_windows("AvgPoolingOp", data_format, ksize, strides)
    check_batch(ksize, strides)
    check_positive(ksize)
    check_images(value, ksize, strides)
    if ksize[3] > 1:
        raise unimplemented("Non-spatial pooling is not yet supported. Volunteers? :)")
    g = geometry_of(value.shape, ksize, strides, padding)
    result = native_pooling.pool(xp, "mean", value, g)
    return by_images(xp, lambda x: _mean(xp, x, g), value) if result is None else result


@avg_pool_of.gradient(reads=())
def _(call: Call, dy: Any) -> Any:
    return OPS["AvgPoolGrad"].public(API["shape"](call.inputs[0]), dy, **call.attrs)


@op("AvgPool3D", shape=volume_shape, dtypes=REALS, opens_scope=True, layout=("image", "image"))
def avg_pool3d_of(
    xp: Any,
    input: Any,
    *,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
) -> Any:
    """Performs average pooling over volumes; padding is not counted."""
    g = volume_windows(input, ksize, strides, padding, data_format)
    return by_images(xp, lambda x: _mean(xp, x, g), input)


@avg_pool3d_of.gradient
def _(call: Call, dy: Any) -> Any:
    return OPS["AvgPool3DGrad"].public(API["shape"](call.inputs[0]), dy, **call.attrs)


# Gradients of average pooling.


def _shared(xp: Any, dy: Any, g: Geometry) -> Any:
    """Distributes each gradient equally over its window: the adjoint of average pooling."""
    whole = wide(xp, dy)
    part = whole / counts(xp, g, whole.dtype)
    result = native_pooling.scatter(xp, part, g) if dy.ndim == 4 else None
    if result is not None:
        return result.astype(dy.dtype, copy=False)
    for axis in reversed(range(len(g.kernel))):
        shape = list(part.shape)
        shape[axis + 1] = g.sizes[axis] + sum(g.pads[axis])
        total = xp.zeros(shape, whole.dtype)
        for offset in range(g.kernel[axis]):
            total[(slice(None),) * (axis + 1) + (along(g, axis, offset),)] += part
        part = total
    return unpadded(xp, part, g).astype(dy.dtype, copy=False)


def _windows(sizes: Any, grad: Any, ksize: Any, strides: Any, padding: str) -> Geometry:
    """Returns the window geometry of the forward pooling; validates the upstream gradient."""
    shape = sizes.tolist()
    for n in shape:
        if n < 0:
            raise invalid(f"Expected a non-negative size, got {n}")
    g = geometry_of(shape, ksize, strides, padding)
    check_shape(grad, (shape[0], *g.outputs, shape[-1]), "grad")
    return g


@op("AvgPoolGrad", shape=of_sizes(0, 4), dtypes=REALS, layout=("sizes", "image", "image"))
def avg_pool_grad(
    xp: Any,
    orig_input_shape: Lengths,
    grad: Any,
    *,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
) -> Any:
    """Computes the gradient of average pooling over images."""
    check_windows("AvgPoolingGradOp", data_format, ksize, strides, "strides")
    check_batch(ksize, strides)
    if orig_input_shape.shape != (4,):
        raise invalid("out_backprop must be 1-dimensional and 4 elements")
    if grad.ndim != 4:
        raise invalid("out_backprop must be 4-dimensional")
    if ksize[3] != 1:
        raise unimplemented("Non-spatial pooling is not yet supported. Volunteers? :)")
    g = _windows(orig_input_shape, grad, ksize, strides, padding)
    return by_images(xp, lambda dy: _shared(xp, dy, g), grad)


@op("AvgPool3DGrad", shape=of_sizes(0, 5), dtypes=REALS, layout=("sizes", "image", "image"))
def avg_pool3d_grad(
    xp: Any,
    orig_input_shape: Lengths,
    grad: Any,
    *,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
) -> Any:
    """Computes the gradient of average pooling over volumes."""
    check_windows("AvgPooling3dGradOp", data_format, ksize, strides)
    check_batch(ksize, strides)
    check_depth(ksize, strides, "Pooling is not yet supported on the depth dimension.")
    if orig_input_shape.shape != (5,):
        raise invalid("tensor_in must be 1-dimensional and 5 elements")
    if grad.ndim != 5:
        raise invalid("out_backprop must be 5-dimensional")
    g = _windows(orig_input_shape, grad, ksize, strides, padding)
    return by_images(xp, lambda dy: _shared(xp, dy, g), grad)


# ------------------------------------------------------------------ gradients


avg_pool_grad.gradient(lambda call, dx: (None, avg_pool_of(dx, **call.attrs)))


avg_pool3d_grad.gradient(lambda call, dx: (None, avg_pool3d_of(dx, **call.attrs)))
