"""argmax and argmin, variance and standard deviation, logsumexp, counts and Euclidean norm."""

from __future__ import annotations

import math
from typing import Any

from twinflow._src.backends.cpu.reductions import counts_extremes, first_extreme
from twinflow._src.backends.host_checks import is_host
from twinflow._src.conversion.constant import convert_to_tensor, dense, is_tensor
from twinflow._src.core import dtypes, whole_numbers
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import NUMBERS, ORDERED, DType, as_dtype, int64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import TensorShape, text
from twinflow._src.dispatch import opdefs
from twinflow._src.dispatch.op import API, Call, Ints, Type, documented_like, export, op
from twinflow._src.graph.tf_exact import functions as forms
from twinflow._src.ops.array.fill import zeros_like
from twinflow._src.ops.array.gather import where
from twinflow._src.ops.array.shapes import reshape, shape
from twinflow._src.ops.elementwise.arithmetic import add_n, square, subtract
from twinflow._src.ops.elementwise.cast import cast, stop_gradient
from twinflow._src.ops.elementwise.compare import not_equal
from twinflow._src.ops.elementwise.complex_numbers import conj, real
from twinflow._src.ops.elementwise.division import is_finite
from twinflow._src.ops.elementwise.math import exp, log, sqrt
from twinflow._src.ops.reduce.reduce import (
    _axes,
    _broadcast_reduced,
    reduce_max,
    reduce_mean,
    reduce_sum,
)
from twinflow._src.shape_rules.gather import arg_reduced, reduced

# argmax and argmin, variance and standard deviation.


_ARG_TYPES = ORDERED | {dtypes.bool_}


def _arg_axis(x: Any, dimension: Any) -> int:
    if dimension.ndim:
        raise invalid(
            f"dim must be a scalar, but received tensor of shape: {text(dimension.shape)}"
        )
    axis = int(dimension)
    if not -x.ndim <= axis < x.ndim:
        raise invalid(f"Expected dimension in the range [{-x.ndim}, {x.ndim}), but got {axis}")
    if not x.shape[axis]:
        raise invalid(f"Reduction axis {axis} is empty in shape {list(x.shape)}".replace(", ", ","))
    return axis


_INDEX_TYPES = (dtypes.int16, dtypes.uint16, dtypes.int32, dtypes.int64)


def _arg_of(xp: Any, which: str, x: Any, dimension: Any, output_type: DType) -> Any:
    """Returns the argmax or argmin along an axis, ignoring NaN unless all elements are NaN."""
    if output_type not in _INDEX_TYPES:
        opdefs.check_attr("ArgMax" if which == "argmax" else "ArgMin", "output_type", output_type)
    axis, find = _arg_axis(x, dimension) % x.ndim, getattr(xp, which)
    numbers = x.dtype.kind in "fV" and x.size
    if not is_host(xp):
        worst = x.dtype.type(-xp.inf if which == "argmax" else xp.inf) if numbers else None
        index = (
            find(xp.fmax(x, worst) if which == "argmax" else xp.fmin(x, worst), axis=axis)
            if numbers
            else find(x, axis=axis)
        )
        return index.astype(output_type.np, copy=False)
    index = first_extreme(which, x, axis)
    if numbers and not counts_extremes(x, axis) and xp.isnan(_at(xp, x, axis, index)).any():
        worst = -xp.inf if which == "argmax" else xp.inf
        index = find(xp.where(xp.isnan(x), x.dtype.type(worst), x), axis=axis)
    return index.astype(output_type.np)


def _at(xp: Any, x: Any, axis: int, indices: Any) -> Any:
    """Returns the elements at indices along an axis."""
    inner = math.prod(x.shape[axis + 1 :])
    rows, columns = xp.arange(indices.size // inner), xp.arange(inner)
    return x.reshape(-1, x.shape[axis], inner)[rows[:, None], indices.reshape(-1, inner), columns]


def _arg_input(axis: Any) -> Any:
    """Returns the axis: an int, or an integer tensor, cast to int32 if it has 8 or 16 bits."""
    if axis is None:
        return 0
    if isinstance(axis, int):
        return axis
    if not hasattr(axis, "dtype"):
        if isinstance(axis := whole_numbers.with_integers(axis), int):
            return axis
        raise TypeError("axis must be int or Tensor with integer datatype")
    if not is_tensor(axis) or not axis.dtype.is_integer:
        raise TypeError(f"axis tensor dtypes {axis.dtype} is not supported")
    return axis if axis.dtype.size >= 4 else API["cast"](axis, dtypes.int32)


@op("ArgMax", shape=arg_reduced, no_gradient=True, dtypes=_ARG_TYPES, out="output_type")
def arg_max(xp: Any, input: Any, dimension: Ints, *, output_type: Type = dtypes.int64) -> Any:
    """Returns the index of the maximum along an axis."""
    return _arg_of(xp, "argmax", input, dimension, output_type)


@op("ArgMin", shape=arg_reduced, no_gradient=True, dtypes=_ARG_TYPES, out="output_type")
def arg_min(xp: Any, input: Any, dimension: Ints, *, output_type: Type = dtypes.int64) -> Any:
    """Returns the index of the minimum along an axis."""
    return _arg_of(xp, "argmin", input, dimension, output_type)


for function in (arg_max, arg_min):
    function.batched(lambda call: call.along(1))


@export("argmax", "math.argmax")
def argmax(
    input: Any, axis: Any = None, output_type: Any = dtypes.int64, name: str | None = None
) -> Any:
    """Returns the index of the maximum along an axis, the first one in case of ties.

    Args:
        input: A numeric tensor.
        axis: The axis; 0 if None.
        output_type: int32 or int64.

    Returns:
        A tensor with one dimension less.

    Raises:
        InvalidArgumentError: The axis is out of range, or is empty.
    """
    return arg_max(input, _arg_input(axis), output_type)


@export("argmin", "math.argmin")
@documented_like(argmax)
def argmin(
    input: Any, axis: Any = None, output_type: Any = dtypes.int64, name: str | None = None
) -> Any:
    """Returns the index of the minimum along an axis, the first one in case of ties."""
    return arg_min(input, 0 if axis is None else axis, output_type)


@export("math.reduce_variance")
def reduce_variance(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """Computes the (population) variance of elements along axes.

    Args:
        input_tensor: A floating-point or complex tensor.
        axis: The axes; all of them if None.
        keepdims: If True, keeps the reduced axes with size 1.

    Returns:
        A tensor of the corresponding real dtype.

    Raises:
        TypeError: The tensor is an integer tensor.
    """
    x = input_tensor if is_tensor(input_tensor) else convert_to_tensor(input_tensor)
    means = reduce_mean(x, axis, keepdims=True)
    if means.dtype.is_integer:
        raise TypeError(
            f"Input must be either real or complex. Received integer type {means.dtype}."
        )
    difference = subtract(x, means)
    squares = (
        real(difference * conj(difference)) if difference.dtype.is_complex else square(difference)
    )
    return reduce_mean(squares, axis, keepdims=keepdims)


@export("math.reduce_std")
@documented_like(reduce_variance)
def reduce_std(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """Computes the (population) standard deviation of elements along axes."""
    return sqrt(API["math.reduce_variance"](input_tensor, axis, keepdims))


# Reductions composed of other ops.


@export("reduce_logsumexp", "math.reduce_logsumexp")
@documented_like(reduce_sum)
def reduce_logsumexp(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """Computes ``log(sum(exp(x)))`` along axes, without overflow.

    Args:
        input_tensor: A floating-point tensor.
    """
    x = dense(input_tensor)
    if thread.scope.graph is not None:
        return forms.log_sum_exp(x, axis, bool(keepdims))
    highest = reduce_max(x, axis, keepdims=True)
    offset = stop_gradient(where(is_finite(highest), highest, zeros_like(highest)))
    result = log(reduce_sum(exp(x - offset), axis, keepdims=keepdims))
    return result + reshape(offset, shape(result))


@export("math.count_nonzero")
@documented_like(reduce_logsumexp)
def count_nonzero(
    input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    dtype: Any = dtypes.int64,
    name: str | None = None,
) -> Any:
    """Counts the nonzero elements (non-empty strings) along axes.

    Args:
        input: A tensor.
        dtype: The dtype of the result.

    Returns:
        A tensor of the counts.
    """
    x = convert_to_tensor(input)
    is_nonzero = not_equal(
        x, zeros_like(x) if thread.scope.graph is None else API["zeros"]([], x.dtype)
    )
    counts = reduce_sum(cast(is_nonzero, int64), axis, keepdims=bool(keepdims))
    return cast(counts, as_dtype(dtype))


@op("EuclideanNorm", api="math.reduce_euclidean_norm", shape=reduced, dtypes=NUMBERS)
@documented_like(reduce_logsumexp)
def reduce_euclidean_norm(
    xp: Any, input_tensor: Any, axis: Ints = None, *, keepdims: bool = False
) -> Any:
    """Computes the Euclidean norm of elements along axes; rounded down for integers.

    Args:
        input_tensor: A numeric tensor.
    """
    x, axes = input_tensor, _axes(input_tensor, axis)
    squares = (x * xp.conj(x)).real if x.dtype.kind == "c" else x * x
    total = squares.sum(axes, dtype=squares.dtype, keepdims=bool(keepdims))
    return xp.sqrt(total).astype(x.dtype, copy=False)


@reduce_euclidean_norm.gradient
def _(call: Call, dy: Any) -> Any:
    x, axis = call.inputs
    return _broadcast_reduced(dy / call.outputs, x, axis) * x, None


@export("math.accumulate_n")
def accumulate_n(
    inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: str | None = None
) -> Any:
    """Computes the element-wise sum of a list of tensors.

    Args:
        inputs: A sequence of tensors of one dtype and shape.
        shape: The expected shape, or None.
        tensor_dtype: The expected dtype, or None.

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        ValueError: There is no tensor, or the dtypes or shapes differ.
    """
    message = "inputs must be a list of at least one Tensor with the same dtype and shape"
    if not inputs or not isinstance(inputs, (list, tuple)):
        raise ValueError(message)
    tensors = [dense(value) for value in inputs]
    if any(t.dtype != tensors[0].dtype for t in tensors):
        raise ValueError(message)
    if tensor_dtype is not None and as_dtype(tensor_dtype) is not tensors[0].dtype:
        raise TypeError(
            f"The `tensor_dtype` argument is {as_dtype(tensor_dtype)}, but `input` is of type "
            f"{tensors[0].dtype}. These must be equal. Try casting the input to the desired type."
        )
    common = TensorShape(shape)
    for tensor in tensors:
        common = common.merge_with(tensor.shape)
    return add_n(tensors)
