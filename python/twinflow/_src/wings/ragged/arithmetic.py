"""Element-wise ops, Python operators, reductions and products of ragged tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.composite_tensors.ragged_factories import is_ragged
from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor
from twinflow._src.composite_tensors.row_partition import INDEX_TYPES
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import shapes
from twinflow._src.core.errors import InvalidArgumentError
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.execute import execute
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.registry import Op
from twinflow._src.wings.ragged.concat import expand_dims, stack
from twinflow._src.wings.ragged.dynamic_shape import broadcast_rows, indices_of, splits_of
from twinflow._src.wings.ragged.factory import assert_same_rows
from twinflow._src.wings.ragged.values import positive_axis

# Element-wise ops and Python operators on ragged tensors.


def elementwise(op: Op, inputs: list[Any], attrs: dict[str, Any]) -> Any:
    """Runs an element-wise op with a ragged input."""
    if len(inputs) == 2 and op.shape is shapes.broadcast:
        return binary(lambda x, y: execute(op, [x, y], attrs), *inputs)
    rt = next(x for x in inputs if is_ragged(x))
    flat = [x.flat_values if is_ragged(x) else x for x in inputs]
    return rt.with_flat_values(execute(op, flat, attrs))


def binary(function: Callable[[Any, Any], Any], x: Any, y: Any) -> Any:
    """Applies an element-wise binary function to two values, one of which is ragged."""
    *flat, wrap = broadcast_flat_values(x, y)
    return wrap(function(*flat))


def broadcast_flat_values(x: Any, y: Any) -> tuple[Any, Any, Callable[[Any], Any]]:
    """Broadcasts two values, one of which is ragged.

    Returns their flat values, and a function that wraps flat values in a ragged tensor of that
    shape.
    """
    x, y = _tensors(x, y)
    if is_ragged(x) and is_ragged(y):
        spread = True
    elif is_ragged(x):
        spread = x.flat_values.shape.rank <= y.shape.rank
    else:
        spread = y.flat_values.shape.rank <= x.shape.rank
    if spread:
        return broadcast_rows(x, y)
    rt = x if is_ragged(x) else y
    flat = (v.flat_values if is_ragged(v) else v for v in (x, y))
    return *flat, rt.with_flat_values


def _tensors(x: Any, y: Any) -> tuple[Any, Any]:
    """Converts both operands to tensors; a Python value takes the dtype of the other operand."""
    if not is_ragged(x):
        x = convert_to_tensor(x, dtype_hint=y.dtype)
    if not is_ragged(y):
        y = convert_to_tensor(y, dtype_hint=x.dtype)
    return x, y


def map_flat(tensors: list[Any], function: Callable[[list[Any]], Any]) -> Any:
    """Applies a function to the flat values of tensors; the ragged ones have the same rows.

    Raises InvalidArgumentError for different rows.
    """
    ragged = [x for x in tensors if is_ragged(x)]
    assert_same_rows(ragged)
    flat = [x.flat_values if is_ragged(x) else x for x in tensors]
    return ragged[0].with_flat_values(function(flat))


# ------------------------------------------------------------------ Python's operators

_OPERATORS = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "truediv",
    "floordiv": "math.floordiv",
    "mod": "math.floormod",
    "pow": "pow",
    "and": "logical_and",
    "or": "logical_or",
    "xor": "math.logical_xor",
}
_COMPARISONS = {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}


def _operator(name: str) -> Callable[..., Any]:
    return lambda self, other: API[name](self, other)


def _reflected(name: str) -> Callable[..., Any]:
    return lambda self, other: API[name](other, self)


def _equality(name: str, otherwise: bool) -> Callable[..., Any]:
    """Returns ``==`` or ``!=``: tensors with incompatible rows are unequal."""

    def method(self: Any, other: Any) -> Any:
        if other is None:
            return otherwise
        try:
            return API[name](self, other)
        except InvalidArgumentError:
            return otherwise

    return method


def _bind() -> None:
    cls: Any = RaggedTensor
    for python, name in _OPERATORS.items():
        setattr(cls, f"__{python}__", _operator(name))
        setattr(cls, f"__r{python}__", _reflected(name))
    for python, name in _COMPARISONS.items():
        setattr(cls, f"__{python}__", _operator(name))
    cls.__eq__, cls.__ne__ = _equality("equal", False), _equality("not_equal", True)
    cls.__neg__ = lambda self: API["negative"](self)
    cls.__abs__ = lambda self: API["abs"](self)
    cls.__invert__ = lambda self: API["logical_not"](self)


_bind()


def _axes(axis: Any, rank: int) -> list[int]:
    if isinstance(axis, EagerTensor):
        axis = axis.numpy()
        axis = axis.tolist() if axis.ndim else axis
    if not isinstance(axis, (list, tuple)):
        return [positive_axis(axis, rank)]
    axes = [positive_axis(a, rank, f"axis[{i}]") for i, a in enumerate(axis)]
    return sorted(set(axes), reverse=True)


def reduce(op: Op, rt: Any, axis: Any, keepdims: bool, attrs: dict[str, Any]) -> Any:
    """Reduces a ragged tensor by a reduction of dense ones.

    Returns a ragged tensor if the remaining dimensions are ragged.
    """
    if op.r in ("all", "any"):
        return _reduce_booleans(op, rt, axis, keepdims)
    if op.r == "mean":
        return _mean(rt, axis, keepdims)
    if axis is None:
        result = execute(op, [rt.flat_values, None], {**attrs, "keepdims": False})
        return API["reshape"](result, [1] * rt.shape.rank) if keepdims else result
    for a in _axes(axis, rt.shape.rank):
        rt = _along(op, rt, a, keepdims, attrs)
    return rt


def _along(op: Op, rt: Any, axis: int, keepdims: bool, attrs: dict[str, Any]) -> Any:
    if not is_ragged(rt):
        return execute(op, [rt, axis], {**attrs, "keepdims": keepdims})
    if axis > 1:
        return rt.with_values(_along(op, rt.values, axis - 1, keepdims, attrs))
    lengths = rt._lengths()
    if axis == 1:
        ids, count = np.repeat(np.arange(len(lengths)), lengths), len(lengths)
    else:
        starts = np.cumsum(lengths) - lengths
        ids = np.arange(int(lengths.sum())) - np.repeat(starts, lengths)
        count = int(lengths.max(initial=0))
    result = reduce_rows(API[f"math.unsorted_segment_{op.r}"], rt.values, ids, count)
    return expand_dims(result, axis) if keepdims else result


def reduce_rows(function: Callable[..., Any], data: Any, ids: Any, count: int) -> Any:
    """Applies a segment reduction to rows, for ragged data element by element."""
    if not is_ragged(data):
        return function(data, convert_to_tensor(ids), count)
    lengths = data._lengths()
    longest = np.zeros(count, np.int64)
    np.maximum.at(longest, ids, lengths)
    splits = splits_of(longest)
    first = np.repeat(splits[:-1][ids], lengths)
    within = np.arange(len(first)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    values = reduce_rows(function, data.values, first + within, int(splits[-1]))
    row_splits = convert_to_tensor(splits.astype(data.row_splits.dtype.np))
    return RaggedTensor._of(values, row_splits)


def reduce_segments(
    function: Any, data: Any, segment_ids: Any, num_segments: Any, name: Any = None
) -> Any:
    """Implements segment reductions of ragged data, or with ragged segment ids.

    Raises ValueError for ragged ids with dense data or ids that are not integers, and
    InvalidArgumentError for different rows.
    """
    segment_ids = segment_ids if is_ragged(segment_ids) else convert_to_tensor(segment_ids)
    if segment_ids.dtype not in INDEX_TYPES:
        raise ValueError("segment_ids must have dtype int32 or int64.")
    while is_ragged(segment_ids):
        if not is_ragged(data):
            raise ValueError(
                "segment_ids.shape must be a prefix of data.shape, but segment_ids is ragged and "
                "data is not."
            )
        API["debugging.assert_equal"](segment_ids.row_splits, data.row_splits)
        data, segment_ids = data.values, segment_ids.values
    ids = segment_ids._host()
    return reduce_rows(function, data, ids, int(num_segments))


# ------------------------------------------------------------------ composed of sums


def _mean(rt: Any, axis: Any, keepdims: bool) -> Any:
    total = API["reduce_sum"](rt, axis, keepdims)
    number = API["reduce_sum"](API["ones_like"](rt), axis, keepdims)
    return API["truediv"](total, number)


def _reduce_booleans(op: Op, rt: Any, axis: Any, keepdims: bool) -> Any:
    name = "reduce_prod" if op.r == "all" else "reduce_sum"
    return API["cast"](API[name](API["cast"](rt, "int32"), axis, keepdims), "bool")


def variance(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None) -> Any:
    """Implements ``tf.math.reduce_variance`` for ragged tensors."""
    mean_of_squares = API["reduce_mean"](API["square"](input_tensor), axis, keepdims)
    mean = API["reduce_mean"](input_tensor, axis, keepdims)
    return API["subtract"](mean_of_squares, API["square"](mean))


def std(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None) -> Any:
    """Implements ``tf.math.reduce_std`` for ragged tensors."""
    return API["sqrt"](variance(input_tensor, axis, keepdims))


def join_strings(
    inputs: Any, axis: Any = None, keepdims: bool = False, separator: str = "", name: Any = None
) -> Any:
    """Implements ``tf.strings.reduce_join`` for ragged tensors."""
    join = lambda values, ids, count: API["strings.unsorted_segment_join"](
        values, ids, count, separator
    )
    if axis is None:
        axis = list(range(inputs.shape.rank))
    for a in _axes(axis, inputs.shape.rank):
        inputs = _join_along(join, inputs, a, keepdims, separator)
    return inputs


def _join_along(join: Any, rt: Any, axis: int, keepdims: bool, separator: str) -> Any:
    if not is_ragged(rt):
        return API["strings.reduce_join"](rt, axis, keepdims, separator)
    if axis > 1:
        return rt.with_values(_join_along(join, rt.values, axis - 1, keepdims, separator))
    lengths = rt._lengths()
    rows = np.repeat(np.arange(len(lengths)), lengths)
    starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
    ids = rows if axis else np.arange(len(rows)) - starts
    count = len(lengths) if axis else int(lengths.max(initial=0))
    result = reduce_rows(join, rt.values, ids, count)
    return expand_dims(result, axis) if keepdims else result


# Matmul, cumulative sum and softmax of ragged tensors.


def _dense(x: Any) -> Any:
    """Converts a ragged matrix with rows of one length to a dense matrix."""
    if not is_ragged(x):
        return x
    result = x.to_tensor()
    API["debugging.assert_equal"](
        convert_to_tensor(x.flat_values.shape.num_elements()),
        convert_to_tensor(result.shape.num_elements()),
        message="The matrices in `a` and `b` may not be ragged in their innermost dimension.",
    )
    return result


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Any:
    """Implements ``tf.matmul`` for ragged tensors of matrices.

    ``a_is_sparse``, ``b_is_sparse``, ``grad_a`` and ``grad_b`` have no effect. Raises ValueError
    for different ranks, and InvalidArgumentError for a matrix with rows of different lengths.
    """
    a, b = (x if is_ragged(x) else convert_to_tensor(x) for x in (a, b))
    if a.shape.rank != b.shape.rank:
        raise ValueError("`a` and `b` must have the same rank.")
    options: dict[str, Any] = {
        "transpose_a": transpose_a,
        "transpose_b": transpose_b,
        "adjoint_a": adjoint_a,
        "adjoint_b": adjoint_b,
    }
    if a.shape.rank == 2:
        return API["matmul"](_dense(a), _dense(b), **options)
    pairs = zip(a, b, strict=True)
    return stack(
        [
            API["matmul"](*map(_dense, pair), **options)
            if a.shape.rank == 3
            else matmul(*pair, **options)
            for pair in pairs
        ]
    )


def _through_dense(function: Any, rt: Any, axis: Any, **attrs: Any) -> Any:
    """Applies a function to the zero-padded dense tensor, and restores the rows."""
    axis = positive_axis(int(axis), rt.shape.rank)
    dense = function(rt.to_tensor(), axis=axis, **attrs)
    return rt.with_flat_values(API["gather_nd"](dense, indices_of(rt)))


def cumsum(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: Any = None
) -> Any:
    """Implements ``tf.cumsum`` for ragged tensors."""
    return _through_dense(API["math.cumsum"], x, axis, exclusive=exclusive, reverse=reverse)


def softmax(logits: Any, axis: Any = None, name: str | None = None) -> Any:
    """Implements ``tf.nn.softmax`` for ragged tensors."""
    powers = API["exp"](logits)
    return powers / API["reduce_sum"](powers, -1 if axis is None else axis, keepdims=True)
