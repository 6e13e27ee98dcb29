"""Reductions made of other operations: norms, counts, logarithms of sums of exponentials."""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor, dense
from twinflow._src.core import dtypes
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import NUMBERS, as_dtype, int64
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.op import API, Call, Ints, export, op
from twinflow._src.graph.tf_exact import functions as forms
from twinflow._src.ops.array.fill import zeros_like
from twinflow._src.ops.array.gather import where
from twinflow._src.ops.array.shapes import reshape, shape
from twinflow._src.ops.elementwise.arithmetic import add_n
from twinflow._src.ops.elementwise.cast import cast, stop_gradient
from twinflow._src.ops.elementwise.compare import not_equal
from twinflow._src.ops.elementwise.math import exp, log
from twinflow._src.ops.elementwise.rounding import is_finite
from twinflow._src.ops.reduce.reduce import _axes, _spread, reduce_max, reduce_sum
from twinflow._src.shape_rules.gather import reduced


@export("reduce_logsumexp", "math.reduce_logsumexp")
def reduce_logsumexp(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """Returns log(sum(exp(x))) along dimensions, without overflow.

    Args:
        input_tensor: A tensor of floating numbers.
        axis: The dimensions; all of them where None.
        keepdims: Whether the dimensions stay, with size 1.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: An axis lies outside the shape or occurs twice.
    """
    x = dense(input_tensor)
    if thread.scope.graph is not None:
        return forms.log_sum_exp(x, axis, bool(keepdims))
    highest = reduce_max(x, axis, keepdims=True)
    offset = stop_gradient(where(is_finite(highest), highest, zeros_like(highest)))
    result = log(reduce_sum(exp(x - offset), axis, keepdims=keepdims))
    return result + reshape(offset, shape(result))


@export("math.count_nonzero")
def count_nonzero(
    input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    dtype: Any = dtypes.int64,
    name: str | None = None,
) -> Any:
    """Returns the numbers of elements that are not zero (or an empty string) along dimensions.

    Args:
        input: A tensor.
        axis: The dimensions; all of them where None.
        keepdims: Whether the dimensions stay, with size 1.
        dtype: The type of the result.
        name: A name for the operation.

    Returns:
        A tensor of integers.

    Raises:
        InvalidArgumentError: An axis lies outside the shape or occurs twice.
    """
    x = convert_to_tensor(input)
    found = not_equal(x, zeros_like(x) if thread.scope.graph is None else API["zeros"]([], x.dtype))
    counts = reduce_sum(cast(found, int64), axis, keepdims=bool(keepdims))
    return cast(counts, as_dtype(dtype))


@op("EuclideanNorm", api="math.reduce_euclidean_norm", shape=reduced, dtypes=NUMBERS)
def reduce_euclidean_norm(
    xp: Any, input_tensor: Any, axis: Ints = None, *, keepdims: bool = False
) -> Any:
    """Returns square roots of sums of squares along dimensions; rounded down for integers.

    Args:
        input_tensor: A tensor of numbers.
        axis: The dimensions; all of them where None.
        keepdims: Whether the dimensions stay, with size 1.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: An axis lies outside the shape or occurs twice.
    """
    x, axes = input_tensor, _axes(input_tensor, axis)
    squares = (x * xp.conj(x)).real if x.dtype.kind == "c" else x * x
    total = squares.sum(axes, dtype=squares.dtype, keepdims=bool(keepdims))
    return xp.sqrt(total).astype(x.dtype, copy=False)


@reduce_euclidean_norm.gradient
def _(call: Call, dy: Any) -> Any:
    x, axis = call.inputs
    return _spread(dy / call.outputs, x, axis) * x, None


@export("math.accumulate_n")
def accumulate_n(
    inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: str | None = None
) -> Any:
    """Returns the sum of tensors of one shape.

    Args:
        inputs: A sequence of tensors of one type and shape.
        shape: The shape, to be checked.
        tensor_dtype: The type, to be checked.
        name: A name for the operation.

    Returns:
        A tensor of the same type and shape.

    Raises:
        ValueError: There is no tensor, or the types or shapes differ.
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
