"""Reductions (sum, mean, prod, max, min, any, all), and ``tf.size`` and ``tf.rank``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from twinflow._src.autodiff.reverse import conjugate, unseen
from twinflow._src.backends.cpu.reductions import EXACT, LEAST, MANY_ROWS, has_short_rows
from twinflow._src.backends.cpu.reductions import reduced as along
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor, SparseTensorValue
from twinflow._src.conversion.constant import constant, convert_to_tensor, dense
from twinflow._src.core import dtypes
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import NUMBERS, ORDERED, as_dtype, int32
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import UNKNOWN, static_sizes
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.op import API, Bools, Call, Ints, documented_like, export, op
from twinflow._src.dispatch.registry import Op
from twinflow._src.graph.ops import holding
from twinflow._src.graph.static_values import array_of
from twinflow._src.ops.array.shapes import (
    concat_sizes,
    places_of,
    rank_of,
    size_of,
    sizes_of,
    turned_back,
    with_last,
)
from twinflow._src.shape_rules.gather import reduced
from twinflow._src.variables.variable import BaseResourceVariable

# Reductions.


def _axes(x: Any, axis: Any) -> tuple[int, ...] | None:
    """Returns the validated axes of an axis argument; None for all."""
    if axis is None:
        return None
    rank, listed = x.ndim, axis.reshape(-1).tolist()
    axes = tuple([a % rank for a in listed if -rank <= a < rank])
    if len(set(axes)) < len(listed):
        raise _refused(listed, rank)
    return axes


def _refused(axes: list[int], rank: int) -> Exception:
    """Returns the InvalidArgumentError for axes that are out of range or duplicate."""
    for i, a in enumerate(axes):
        if not -rank <= a < rank:
            return invalid(f"Invalid reduction dimension ({a} for input with {rank} dimension(s)")
        if a % rank in [before % rank for before in axes[:i]]:
            break
    return invalid(f"Invalid reduction arguments: Axes contains duplicate dimension: {a % rank}")


def _count(x: Any) -> int | None:
    """Returns the number of elements of a tensor, or None if unknown."""
    return x._array.size if type(x) is EagerTensor else x.shape.num_elements()


def _broadcast_reduced(value: Any, x: Any, axis: Any) -> Any:
    """Broadcasts the result of a reduction over the reduced axes."""
    dims, static_axes = x.shape._dims, None if axis is None else array_of(axis)
    if dims is None or None in dims or (axis is not None and static_axes is None):
        return _spread_by_value(value, x, axis)
    axes = (
        range(len(dims))
        if static_axes is None
        else {int(a) % len(dims) for a in static_axes.reshape(-1)}
    )
    if len(axes) == len(dims):
        if unseen(value):
            return API["broadcast_to"](value, list(dims))
        return API["tile"](API["reshape"](value, _ones_of_rank(len(dims))), list(dims))
    kept = [1 if i in axes else n for i, n in enumerate(dims)]
    return API["broadcast_to"](API["reshape"](value, kept), list(dims))


_ones: dict[int, Any] = {}


def _ones_of_rank(rank: int) -> Any:
    """Returns a cached vector of ``rank`` ones, created once as in TensorFlow's placement log."""
    if thread.scope.graph is not None:
        return [1] * rank
    if rank not in _ones:
        _ones[rank] = convert_to_tensor([1] * rank, dtype=int32)
    return _ones[rank]


def _spread_by_value(value: Any, x: Any, axis: Any) -> Any:
    """Broadcasts as ``_spread``, for shapes or axes unknown before the graph runs."""
    sizes = API["shape"](x)
    axes = convert_to_tensor(places_of(axis, rank_of(x)), dtype=int32)
    indices = API["expand_dims"](axes, 1)
    kept = API["tensor_scatter_nd_update"](sizes, indices, API["ones_like"](axes))
    return API["broadcast_to"](API["reshape"](value, kept), sizes)


def _shared(call: Call, dy: Any) -> Any:
    """Returns the gradient of max or min, divided equally among the elements that attain it."""
    x, axis = call.inputs
    chosen = API["cast"](API["equal"](x, _broadcast_reduced(call.outputs, x, axis)), dy.dtype)
    count = reduce_sum(chosen, axis, keepdims=True)
    return _broadcast_reduced(dy, x, axis) * chosen / count


# Dtypes that NumPy reduces directly; float16 sums would be rounded at each step.
_REDUCED = frozenset("?bhilqBHILQfdFD")


def _specialized(name: str) -> Callable[..., Any]:
    """Returns the rule of a reduction by a function of the array module, for known axes."""

    def specialize(
        xp: Any, dtype: Any, /, axis: Any, *, keepdims: bool
    ) -> Callable[..., Any] | None:
        if dtype.char not in _REDUCED:
            return None
        reduce = getattr(xp, name).reduce
        axes = None if axis is None else tuple(axis.reshape(-1).tolist())

        def reduction(x: Any) -> Any:
            if x.size < LEAST and (x.size < MANY_ROWS or not has_short_rows(x, axes)):
                return reduce(x, axes, dtype, None, keepdims)
            return along(xp, name, x, axes and normalize_axis_tuple(axes, x.ndim), keepdims)

        return reduction

    return specialize


_specialized_sum = _specialized("add")


def _whole_scalar(node: Any, values: Any) -> Any:
    """Returns the input of a reduction of a scalar along no axis, which is its result."""
    axes_are_none = len(values) == 1 or (values[1] is not None and not values[1].size)
    return node.tensors[0] if node.tensors[0]._dims == () and axes_are_none else None


@op("Sum", api=("reduce_sum", "math.reduce_sum"), r="sum", shape=reduced, dtypes=NUMBERS)
def reduce_sum(xp: Any, input_tensor: Any, axis: Ints = None, *, keepdims: bool = False) -> Any:
    """Computes the sum of elements along axes.

    Args:
        input_tensor: A numeric tensor.
        axis: The axes; all of them if None.
        keepdims: If True, keeps the reduced axes with size 1.

    Returns:
        A tensor of the same dtype.

    Raises:
        InvalidArgumentError: An axis is out of range or occurs twice.
    """
    x = input_tensor
    return along(xp, "add", x, _axes(x, axis), bool(keepdims))


reduce_sum.native("sum")
reduce_sum.specialize(_specialized_sum, devices=("CPU",))


@reduce_sum.gradient(reads=("axis",))
def _(call: Call, dy: Any) -> Any:
    x = call.inputs[0]
    return _broadcast_reduced(dy, x, call.inputs[1]), None


@op("Mean", api=("reduce_mean", "math.reduce_mean"), r="mean", shape=reduced, dtypes=NUMBERS)
@documented_like(reduce_sum)
def reduce_mean(xp: Any, input_tensor: Any, axis: Ints = None, *, keepdims: bool = False) -> Any:
    """Computes the mean of elements along axes.

    Integers are summed in 64 bits and the means rounded towards zero.
    """
    x, axes = input_tensor, _axes(input_tensor, axis)
    if x.dtype.kind not in "iu":
        total = along(xp, "add", x, axes, bool(keepdims), narrow=False)
        count = x.size // max(total.size, 1)
        if total.dtype is x.dtype and x.dtype.kind == "f" and count <= EXACT:
            return total / count
        return xp.true_divide(total, xp.int64(count)).astype(x.dtype)
    wide = xp.dtype(
        xp.int64 if x.dtype.kind == "i" else xp.uint64
    )  # as in TensorFlow, sums of smaller integers are 64-bit
    total = x.sum(axis=axes, dtype=wide, keepdims=bool(keepdims))
    count = x.size // max(total.size, 1)
    if not count:
        return total.astype(x.dtype)
    rest = xp.fmod(total, wide.type(count))
    return ((total - rest) // wide.type(count)).astype(x.dtype, copy=False)


reduce_mean.native("mean")


@reduce_mean.specialize(devices=("CPU",))
def _(xp: Any, dtype: Any, /, axis: Any, *, keepdims: bool) -> Callable[..., Any] | None:
    total = _specialized_sum(xp, dtype, axis, keepdims=keepdims) if dtype.char in "fd" else None
    if total is None:
        return None

    def mean(x: Any) -> Any:
        result = total(x)
        count = x.size // max(result.size, 1)
        if count > EXACT:
            raise ValueError(count)
        return result / count

    return mean


@reduce_mean.gradient(reads=("axis",))
def _(call: Call, dy: Any) -> Any:
    x = call.inputs[0]
    whole, left = _count(x), _count(dy)
    if whole is None or left is None:
        sizes = API["size"](x), API["size"](call.outputs)
        count = API["cast"](API["maximum"](sizes[0] // API["maximum"](sizes[1], 1), 1), dy.dtype)
    else:
        count = max(whole // max(left, 1), 1)
    if unseen(dy):
        return _broadcast_reduced(dy / count, x, call.inputs[1]), None
    return _broadcast_reduced(dy, x, call.inputs[1]) / count, None


@op("Prod", api=("reduce_prod", "math.reduce_prod"), r="prod", shape=reduced, dtypes=NUMBERS)
@documented_like(reduce_sum)
def reduce_prod(xp: Any, input_tensor: Any, axis: Ints = None, *, keepdims: bool = False) -> Any:
    """Computes the product of elements along axes."""
    x = input_tensor
    return along(xp, "multiply", x, _axes(x, axis), bool(keepdims))


reduce_prod.native("prod")
reduce_prod.specialize(_specialized("multiply"), devices=("CPU",))


@reduce_prod.gradient
def _(call: Call, dy: Any) -> Any:
    # The product of the other elements is that of two cumulative products, also correct for zeros.
    x, axis = call.inputs
    axes = places_of(axis, rank_of(x))
    order = with_last(axes, rank_of(x))
    turned = API["transpose"](x, order)
    flat = API["reshape"](turned, _flat_sizes(turned, axes))
    left = API["math.cumprod"](flat, -1, exclusive=True)
    right = API["math.cumprod"](flat, -1, exclusive=True, reverse=True)
    others = API["reshape"](conjugate(left * right), sizes_of(turned))
    return _broadcast_reduced(dy, x, axis) * API["transpose"](others, turned_back(order)), None


def _flat_sizes(x: Any, axes: Any) -> Any:
    """Returns the shape with the last ``len(axes)`` dimensions merged to one."""
    if isinstance(axes, list) and x.shape.is_fully_defined():
        kept = x.shape.rank - len(axes)
        return [*static_sizes(x.shape[:kept]), math.prod(static_sizes(x.shape[kept:]))]
    count, sizes = size_of(convert_to_tensor(axes, dtype=int32), 0), API["shape"](x)
    kept = rank_of(x) - count
    return concat_sizes(sizes[:kept], reduce_prod(sizes[kept:], keepdims=True))


def _limit(x: Any, low: bool) -> Any:
    """Returns the lowest (highest) value of a dtype: the maximum (minimum) of an empty array."""
    if x.dtype.kind in "fV":
        return x.dtype.type(float("-inf") if low else float("inf"))
    dtype = dtypes.FROM_NUMPY[x.dtype]
    return dtype.min if low else dtype.max


@op("Max", api=("reduce_max", "math.reduce_max"), r="max", shape=reduced, dtypes=ORDERED)
@documented_like(reduce_sum)
def reduce_max(xp: Any, input_tensor: Any, axis: Ints = None, *, keepdims: bool = False) -> Any:
    """Computes the maximum of elements along axes; NaN if one is NaN.

    Args:
        input_tensor: A tensor of a real dtype.
    """
    x, axes = input_tensor, _axes(input_tensor, axis)
    if x.size:
        return along(xp, "maximum", x, axes, bool(keepdims))
    return xp.max(x, axis=axes, keepdims=bool(keepdims), initial=_limit(x, True))


reduce_max.native("max")
reduce_max.specialize(_specialized("maximum"), devices=("CPU",))
reduce_max.gradient(lambda call, dy: (_shared(call, dy), None))


@op("Min", api=("reduce_min", "math.reduce_min"), r="min", shape=reduced, dtypes=ORDERED)
@documented_like(reduce_max)
def reduce_min(xp: Any, input_tensor: Any, axis: Ints = None, *, keepdims: bool = False) -> Any:
    """Computes the minimum of elements along axes; NaN if one is NaN."""
    x, axes = input_tensor, _axes(input_tensor, axis)
    if x.size:
        return along(xp, "minimum", x, axes, bool(keepdims))
    return xp.min(x, axis=axes, keepdims=bool(keepdims), initial=_limit(x, False))


reduce_min.native("min")
reduce_min.specialize(_specialized("minimum"), devices=("CPU",))
reduce_min.gradient(lambda call, dy: (_shared(call, dy), None))


@op("Any", api=("reduce_any", "math.reduce_any"), r="any", shape=reduced)
@documented_like(reduce_sum)
def reduce_any(xp: Any, input_tensor: Bools, axis: Ints = None, *, keepdims: bool = False) -> Any:
    """Computes the logical OR of elements along axes.

    Args:
        input_tensor: A boolean tensor.

    Returns:
        A boolean tensor.
    """
    return along(xp, "logical_or", input_tensor, _axes(input_tensor, axis), bool(keepdims))


reduce_any.native("any")
reduce_any.specialize(_specialized("logical_or"), devices=("CPU",))
reduce_any.no_op(_whole_scalar)


@op("All", api=("reduce_all", "math.reduce_all"), r="all", shape=reduced)
@documented_like(reduce_any)
def reduce_all(xp: Any, input_tensor: Bools, axis: Ints = None, *, keepdims: bool = False) -> Any:
    """Computes the logical AND of elements along axes."""
    return along(xp, "logical_and", input_tensor, _axes(input_tensor, axis), bool(keepdims))


reduce_all.native("all")
reduce_all.specialize(_specialized("logical_and"), devices=("CPU",))
reduce_all.no_op(_whole_scalar)


# ``tf.size`` and ``tf.rank``.


@export("size")
def size(input: Any, out_type: Any = None, name: str | None = None) -> Any:
    """Returns the number of elements of a tensor.

    Args:
        input: A tensor.
        out_type: int32 (if None) or int64.

    Returns:
        A scalar.
    """
    input = _value(input)
    count = input.shape.num_elements()
    if count is None:
        kind = as_dtype(out_type or dtypes.int32)
        if isinstance(input, SparseTensor):
            return API["reduce_prod"](API["cast"](input.dense_shape, kind), 0, name=name)
        return _add_shape_node(SIZE, input, {"out_type": kind}, name)
    return constant(count, out_type or dtypes.int32, name=name or _label("Size"))


@export("rank")
@documented_like(size)
def rank(input: Any, name: str | None = None) -> Any:
    """Returns the number of dimensions of a tensor.

    Returns:
        An int32 scalar.
    """
    input = _value(input)
    static_rank = input.shape.rank
    if static_rank is None and isinstance(input, SparseTensor):
        return size(input.dense_shape, name=name)
    if static_rank is None:
        return _add_shape_node(RANK, input, {}, name)
    return constant(static_rank, dtypes.int32, name=name or _label("Rank"))


def _value(input: Any) -> Any:
    """Returns a tensor; a variable is read, so that tapes record the read."""
    if isinstance(input, SparseTensorValue):
        return SparseTensor.from_value(input)
    return convert_to_tensor(input) if isinstance(input, BaseResourceVariable) else dense(input)


def _label(type: str) -> str:
    graph = thread.scope.graph
    return type if graph is None else graph.step(type, type)


def _add_shape_node(op: Op, input: Any, attrs: dict[str, Any], name: str | None) -> Any:
    """Adds a Size or Rank node to the graph, for a shape that is not static."""
    graph = thread.scope.graph
    return graph.add(
        op,
        (graph.own(convert_to_tensor(input)),),
        attrs,
        graph.name_of_node(name or _label(op.type)),
    )


def _size(xp: Any, x: Any, *, out_type: Any) -> Any:
    return np.asarray(x.size, out_type.np)


def _rank(xp: Any, x: Any) -> Any:
    return np.asarray(x.ndim, np.int32)


def _static_size(node: Any, index: int) -> Any:
    dims = node.tensors[0]._dims
    is_static = dims is not None and None not in dims
    return np.prod(dims, dtype=np.int64).astype(node.outputs[0].dtype.np) if is_static else UNKNOWN


def _static_rank(node: Any, index: int) -> Any:
    dims = node.tensors[0]._dims
    return UNKNOWN if dims is None else np.array(len(dims), np.int32)


SIZE, RANK = holding("Size", _size, 1), holding("Rank", _rank, 1)
SIZE.register("static_value", _static_size, of_shapes=True)
RANK.register("static_value", _static_rank, of_shapes=True)
SIZE.infer, SIZE.no_gradient = (lambda node: ([node.attrs["out_type"]], [()], True)), True
RANK.infer, RANK.no_gradient = (lambda node: ([dtypes.int32], [()], True)), True
