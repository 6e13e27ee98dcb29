"""Functions of ``tf.compat.v1`` with other names, orders and defaults of arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.conversion.constant import constant as constant_v2
from twinflow._src.conversion.constant import convert_to_tensor as convert_to_tensor_v2
from twinflow._src.core import dtypes
from twinflow._src.core.context import thread
from twinflow._src.core.scopes import name_scope
from twinflow._src.core.shapes import static_sizes
from twinflow._src.dispatch.op import API
from twinflow._src.graph.default_graph import executing_eagerly
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.graph.tf_exact.gradients import filled_like
from twinflow._src.initializers.v1 import filling
from twinflow._src.ops.control.cond import branch
from twinflow._src.ops.control.loops import assert_loop, repeated


def renamed(new: str, value: Any, old: str, older: Any) -> Any:
    """Returns the value of an argument that has a present and a deprecated name, not both."""
    if older is None:
        return value
    if value is not None:
        raise ValueError(f"Cannot specify both '{old}' and '{new}'.")
    return older


def _reduction(name: str) -> Callable[..., Any]:
    def reduce(
        input_tensor: Any,
        axis: Any = None,
        keepdims: Any = None,
        name: str | None = None,
        reduction_indices: Any = None,
        keep_dims: Any = None,
    ) -> Any:
        axis = renamed("axis", axis, "reduction_indices", reduction_indices)
        keepdims = renamed("keepdims", keepdims, "keep_dims", keep_dims)
        return API[public](input_tensor, axis, bool(keepdims), name=name)

    public = name if name in API else f"math.{name}"
    reduce.__name__ = name
    reduce.__doc__ = f"""``tf.{name}`` with the older names of its arguments.

    Args:
        input_tensor: A tensor.
        axis: The dimensions; all where None.
        keepdims: Whether they stay, with size 1.
        name: A name.
        reduction_indices: The older name of ``axis``.
        keep_dims: The older name of ``keepdims``.
    """
    return reduce


REDUCTIONS: dict[str, Callable[..., Any]] = {
    name: _reduction(name)
    for name in [
        "reduce_all",
        "reduce_any",
        "reduce_logsumexp",
        "reduce_max",
        "reduce_mean",
        "reduce_min",
        "reduce_prod",
        "reduce_sum",
    ]
}


def count_nonzero(
    input_tensor: Any = None,
    axis: Any = None,
    keepdims: Any = None,
    dtype: Any = dtypes.int64,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
    input: Any = None,
) -> Any:
    """Calls ``tf.math.count_nonzero`` with deprecated argument names."""
    value = renamed("input", input, "input_tensor", input_tensor)
    axis = renamed("axis", axis, "reduction_indices", reduction_indices)
    keepdims = renamed("keepdims", keepdims, "keep_dims", keep_dims)
    return API["math.count_nonzero"](value, axis, keepdims, dtype, name=name)


def _extreme(name: str) -> Callable[..., Any]:
    def find_extreme_index(
        input: Any,
        axis: Any = None,
        name: str | None = None,
        dimension: Any = None,
        output_type: Any = dtypes.int64,
    ) -> Any:
        axis = renamed("axis", axis, "dimension", dimension)
        return API[public](input, 0 if axis is None else axis, output_type=output_type, name=name)

    public = f"math.{name}"
    find_extreme_index.__name__ = name
    find_extreme_index.__doc__ = f"``tf.{name}`` with the older name of its axis, ``dimension``."
    return find_extreme_index


argmax, argmin = _extreme("argmax"), _extreme("argmin")


def expand_dims(input: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Any:
    """Calls ``tf.expand_dims`` with the deprecated argument name ``dim``."""
    axis = renamed("axis", axis, "dim", dim)
    if axis is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    return API["expand_dims"](input, axis, name=name)


def squeeze(input: Any, axis: Any = None, name: str | None = None, squeeze_dims: Any = None) -> Any:
    """Calls ``tf.squeeze`` with the deprecated argument name ``squeeze_dims``."""
    return API["squeeze"](input, renamed("axis", axis, "squeeze_dims", squeeze_dims), name=name)


def div(x: Any, y: Any, name: str | None = None) -> Any:
    """Divides as in Python 2: floor division for integers, true division for floats."""
    with name_scope(name or "div") as path:
        x = convert_to_tensor_v2(x, name="x")
        y = convert_to_tensor_v2(y, x.dtype, name="y")
        inexact = x.dtype.is_floating or x.dtype.is_complex
        return API["math.divide" if inexact else "math.floordiv"](x, y, name=path)


def convert_to_tensor(
    value: Any,
    dtype: Any = None,
    name: str | None = None,
    preferred_dtype: Any = None,
    dtype_hint: Any = None,
) -> Any:
    """Calls ``tf.convert_to_tensor`` with the deprecated argument order."""
    hint = renamed("dtype_hint", dtype_hint, "preferred_dtype", preferred_dtype)
    return convert_to_tensor_v2(value, dtype, hint, name)


def constant(
    value: Any,
    dtype: Any = None,
    shape: Any = None,
    name: str = "Const",
    verify_shape: bool = False,
) -> Any:
    """Creates a constant; in a graph, the last element is repeated to fill the shape.

    Raises:
        TypeError: ``verify_shape`` is set and the value does not have the shape.
        ValueError: There are too many elements.
    """
    if not verify_shape:
        is_static = shape is not None and thread.scope.graph is not None
        return constant_v2(filling(value, dtype, shape) if is_static else value, dtype, shape, name)
    tensor = constant_v2(value, dtype, name=name)
    if shape is not None and tensor.shape.as_list() != list(static_sizes(shape)):
        raise TypeError(
            f"Expected Tensor's shape: {static_sizes(shape)}, but got {tuple(tensor.shape.as_list())}."
        )
    return tensor


def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    name: str | None = None,
    axis: Any = None,
    batch_dims: int = 0,
) -> Any:
    """Calls ``tf.gather`` with the deprecated argument order."""
    return API["gather"](params, indices, axis=axis, batch_dims=batch_dims, name=name)


def batch_gather(params: Any, indices: Any, name: str | None = None) -> Any:
    """Gathers along the last axis of the indices, per batch."""
    indices = convert_to_tensor_v2(indices)
    if indices.shape.rank is None:
        raise ValueError("batch_gather does not allow indices with unknown shape.")
    return API["gather"](
        params, indices, batch_dims=indices.shape.rank - 1, axis=indices.shape.rank - 1, name=name
    )


def shape(input: Any, name: str | None = None, out_type: Any = dtypes.int32) -> Any:
    """Calls ``tf.shape`` with the deprecated argument order."""
    return API["shape"](input, out_type, name=name)


def size(input: Any, name: str | None = None, out_type: Any = dtypes.int32) -> Any:
    """Calls ``tf.size`` with the deprecated argument order."""
    return API["size"](input, out_type, name=name)


def zeros_like(
    tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True
) -> Any:
    """Calls ``tf.zeros_like`` with the deprecated argument name."""
    return API["zeros_like"](tensor, dtype, name=name)


def ones_like(
    tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True
) -> Any:
    """Calls ``tf.ones_like`` with the deprecated argument name.

    In a graph, fills the dynamic shape.
    """
    if thread.scope.graph is None or not isinstance(tensor, SymbolicTensor):
        return API["ones_like"](tensor, dtype, name=name)
    return filled_like(tensor, dtype, name)


def transpose(a: Any, perm: Any = None, name: str = "transpose", conjugate: bool = False) -> Any:
    """Calls ``tf.transpose`` with the deprecated argument order."""
    return API["transpose"](a, perm, conjugate, name=name)


def cond(
    pred: Any,
    true_fn: Any = None,
    false_fn: Any = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Any = None,
    fn2: Any = None,
) -> Any:
    """Calls ``tf.cond`` with the deprecated argument names ``fn1`` and ``fn2``."""
    true_fn = renamed("true_fn", true_fn, "fn1", fn1)
    false_fn = renamed("false_fn", false_fn, "fn2", fn2)
    return branch(pred, true_fn, false_fn, strict, name)


def while_loop(
    cond: Any,
    body: Any,
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Any:
    """Calls ``tf.while_loop``; a single loop variable is returned without a structure.

    Args:
        cond: Returns True if another iteration follows.
        body: Returns the next values of the loop variables.
        loop_vars: Their initial values.
        shape_invariants: Shape invariants of the loop variables.
        parallel_iterations: Accepted and without effect.
        back_prop: Accepted and without effect.
        swap_memory: Accepted and without effect.
        name: A name.
        maximum_iterations: The maximum number of iterations, or None.
        return_same_structure: If True, a single loop variable is returned in its structure.
    """
    if executing_eagerly():
        assert_loop(cond, body, loop_vars, parallel_iterations)
        return repeated(cond, body, loop_vars, maximum_iterations, not return_same_structure)
    result = API["while_loop"](
        cond,
        body,
        loop_vars,
        shape_invariants,
        parallel_iterations,
        maximum_iterations=maximum_iterations,
        name=name,
    )
    alone = isinstance(result, (list, tuple)) and len(result) == 1
    return result[0] if alone and not return_same_structure else result


def _cast_to(function_name: str, dtype: Any) -> Callable[..., Any]:
    label = "To" + "".join(
        part.capitalize() for part in function_name.removeprefix("to_").split("_")
    ).replace("Bfloat", "BFloat")

    def to(x: Any, name: str = label) -> Any:
        return API["cast"](x, dtype, name=name)

    to.__name__ = function_name
    to.__doc__ = f"Converts a tensor to {dtype.name}."
    return to


CASTS: dict[str, Callable[..., Any]] = {
    name: _cast_to(name, getattr(dtypes, kind))
    for name, kind in {
        "to_float": "float32",
        "to_double": "float64",
        "to_int32": "int32",
        "to_int64": "int64",
        "to_bfloat16": "bfloat16",
        "to_complex64": "complex64",
        "to_complex128": "complex128",
    }.items()
}


def sparse_to_dense(
    sparse_indices: Any,
    output_shape: Any,
    sparse_values: Any,
    default_value: Any = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> Any:
    """Converts indices and values to a dense tensor with a default value.

    Args:
        sparse_indices: The indices: a scalar, a vector, or a matrix with a row per element.
        output_shape: The shape.
        sparse_values: The values, or a scalar for all indices.
        default_value: The value of all other elements.
        validate_indices: If True, indices must be sorted and unique.
        name: A name.
    """
    indices = convert_to_tensor_v2(sparse_indices, dtype_hint=dtypes.int64)
    rank = indices.shape.rank or 0
    indices = API["cast"](indices, dtypes.int64)
    rows = API["reshape"](indices, [-1, 1]) if rank < 2 else indices
    values = convert_to_tensor_v2(sparse_values)
    if values.shape.rank == 0:
        values = API["broadcast_to"](values, API["shape"](rows)[:1])
    dense = API["cast"](convert_to_tensor_v2(output_shape, dtype_hint=dtypes.int64), dtypes.int64)
    default = convert_to_tensor_v2(default_value, values.dtype)
    return API["sparse.to_dense"](
        SparseTensor(rows, values, dense), default, validate_indices, name=name
    )
