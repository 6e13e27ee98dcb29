"""Dispatch of ops and public functions on ragged tensors and dynamic ragged shapes."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from twinflow._src.composite_tensors.ragged_factories import is_ragged
from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor
from twinflow._src.composite_tensors.row_partition import RowPartition
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core.dtypes import DType, int32
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.execute import COMPOSITES, execute
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.registry import Op
from twinflow._src.dispatch.signature_errors import parted, refused
from twinflow._src.wings.extension_types.dispatch import ASSERTS, BINARY, UNARY
from twinflow._src.wings.ragged import arithmetic, concat, gather
from twinflow._src.wings.ragged.arithmetic import broadcast_flat_values, elementwise, map_flat
from twinflow._src.wings.ragged.dynamic_shape import (
    DynamicRaggedShape,
    broadcast_dynamic_shape,
    broadcast_to,
)

Handler = Callable[..., Any]

# ------------------------------------------------------------------ ops

_REDUCTIONS = frozenset(("sum", "prod", "max", "min", "mean", "all", "any"))
_HANDLED: dict[str, Callable[[list[Any], dict[str, Any]], Any]] = {
    "ExpandDims": lambda inputs, attrs: concat.expand_dims(inputs[0], convert_to_tensor(inputs[1])),
    "Squeeze": lambda inputs, attrs: concat.squeeze(inputs[0], attrs["axis"]),
    "ReverseV2": lambda inputs, attrs: concat.reverse(inputs[0], inputs[1]),
    "Tile": lambda inputs, attrs: concat.tile(inputs[0], inputs[1]),
    "Cumsum": lambda inputs, attrs: arithmetic.cumsum(inputs[0], inputs[1], **attrs),
    "DynamicPartition": lambda inputs, attrs: gather.dynamic_partition(*inputs, **attrs),
    "Shape": lambda inputs, attrs: DynamicRaggedShape.from_tensor(inputs[0], attrs["out_type"]),
    "Reshape": lambda inputs, attrs: _reshape(*inputs),
    "BroadcastTo": lambda inputs, attrs: (
        broadcast_to(*inputs) if isinstance(inputs[1], DynamicRaggedShape) else NotImplemented
    ),
    "StringJoin": lambda inputs, attrs: map_flat(
        list(inputs[0]), lambda flat: API["strings.join"](flat, **attrs)
    ),
    "AddN": lambda inputs, attrs: map_flat(list(inputs[0]), API["add_n"]),
}


def dispatch_op(op: Op, inputs: list[Any], attrs: dict[str, Any]) -> Any:
    """Runs an op with a ragged input.

    Returns NotImplemented for ops that do not accept ragged tensors.
    """
    if op.r in _REDUCTIONS:
        keepdims = attrs.get("keepdims", False)
        return arithmetic.reduce(op, inputs[0], inputs[1], keepdims, attrs)
    if op.type in _HANDLED:
        return _HANDLED[op.type](inputs, attrs)
    if op.type.startswith("UnsortedSegment"):
        return arithmetic.reduce_segments(lambda *args: execute(op, list(args), attrs), *inputs)
    return elementwise(op, inputs, attrs) if op.is_flat else NotImplemented


COMPOSITES[RaggedTensor] = dispatch_op


def _dispatch_on_shape(op: Op, inputs: list[Any], attrs: dict[str, Any]) -> Any:
    """Runs an op with a ``DynamicRaggedShape`` input."""
    if op.type == "BroadcastTo":
        return broadcast_to(*inputs)
    return _reshape(*inputs) if op.type == "Reshape" else NotImplemented


COMPOSITES[DynamicRaggedShape] = _dispatch_on_shape


def _reshape(tensor: Any, shape: Any, name: str | None = None) -> Any:
    flat = tensor.flat_values if is_ragged(tensor) else tensor
    if not isinstance(shape, DynamicRaggedShape):
        return API["reshape"](flat, shape)
    return shape._with_flat_values(API["reshape"](flat, shape.inner_shape))


# ------------------------------------------------------------------ functions


def _flat(name: str) -> Handler:
    """Returns a handler that applies a function to the flat values of its first argument."""

    def handler(x: Any, *args: Any, **kwargs: Any) -> Any:
        rest = [v.flat_values if is_ragged(v) else v for v in args]
        named = {k: v.flat_values if is_ragged(v) else v for k, v in kwargs.items()}
        return x.with_flat_values(API[name](x.flat_values, *rest, **named))

    return handler


def _unary_handler(plain: Callable[..., Any]) -> Handler:
    """Returns a handler that applies an element-wise function to its argument's flat values."""

    def handler(*args: Any, **kwargs: Any) -> Any:
        bound = inspect.signature(plain).bind(*args, **kwargs)
        first, x = next(iter(bound.arguments.items()))
        if not is_ragged(x):
            return plain(*args, **kwargs)
        bound.arguments[first] = x.flat_values
        return x.with_flat_values(plain(*bound.args, **bound.kwargs))

    return handler


def _binary_handler(plain: Callable[..., Any], is_reduction: bool = False) -> Handler:
    """Returns a handler that applies an element-wise binary function to flat values.

    If ``is_reduction``, the function reduces all elements.
    """

    def handler(*args: Any, **kwargs: Any) -> Any:
        bound = inspect.signature(plain).bind(*args, **kwargs)
        (first, x), (second, y) = list(bound.arguments.items())[:2]
        bound.arguments[first], bound.arguments[second], wrap = broadcast_flat_values(x, y)
        result = plain(*bound.args, **bound.kwargs)
        return result if is_reduction else wrap(result)

    return handler


def _size(input: Any, out_type: Any = None, name: str | None = None) -> Any:
    return API["size"](input.flat_values, out_type=out_type or int32)


def _build_concat_handler(stacked: bool) -> Handler:
    def handler(values: Any, axis: Any = 0, name: str | None = None) -> Any:
        if not isinstance(axis, int) and not is_tensor(axis):
            raise TypeError(f"axis must be an int; got {type(axis).__name__}")
        parts = list(values)
        if stacked and not any(map(is_ragged, parts)):  # rows of one ragged tensor
            return API["stack"](parts, axis)
        return concat.concat_or_stack(parts, int(axis), stacked)

    return handler


def _repeat(input: Any, repeats: Any, axis: Any = None, name: str | None = None) -> Any:
    if axis is not None:
        raise ValueError("tf.repeat takes ragged tensors only without an axis.")
    return API["repeat"](input.flat_values, repeats)


def _one_hot(indices: Any, depth: Any, *args: Any, **kwargs: Any) -> Any:
    return indices.with_flat_values(API["one_hot"](indices.flat_values, depth, *args, **kwargs))


def _fill_shape(dims: Any, value: Any, name: str | None = None) -> Any:
    return dims._with_flat_values(API["fill"](dims.inner_shape, value))


def _ones(shape: Any, *args: Any, **kwargs: Any) -> Any:
    return shape._with_flat_values(API["ones"](shape.inner_shape, *args, **kwargs))


def _zeros(shape: Any, *args: Any, **kwargs: Any) -> Any:
    return shape._with_flat_values(API["zeros"](shape.inner_shape, *args, **kwargs))


def _bincount(*args: Any, **kwargs: Any) -> Any:
    from twinflow._src.wings.sparse.counts import dense_bincount

    return dense_bincount(*args, **kwargs)


# Handlers of composite public functions for ragged arguments.
_FUNCTIONS: dict[str, Handler] = {
    "size": _size,
    "where": gather.where,
    "gather": gather.gather,
    "gather_nd": gather.gather_nd,
    "concat": _build_concat_handler(stacked=False),
    "stack": _build_concat_handler(stacked=True),
    "split": concat.split,
    "squeeze": concat.squeeze,
    "repeat": _repeat,
    "linalg.matmul": arithmetic.matmul,
    "nn.softmax": arithmetic.softmax,
    "math.reduce_variance": arithmetic.variance,
    "math.reduce_std": arithmetic.std,
    "strings.reduce_join": arithmetic.join_strings,
    "one_hot": _one_hot,
    "add_n": lambda inputs, name=None: map_flat(list(inputs), API["add_n"]),
    "fill": _fill_shape,
    "ones": _ones,
    "zeros": _zeros,
    "broadcast_dynamic_shape": broadcast_dynamic_shape,
    "boolean_mask": lambda tensor, *args, **kwargs: convert_to_tensor(tensor),  # rejects it
    "math.bincount": _bincount,
    **{name: _flat(name) for name in ("bitcast", "nn.dropout")},
}
_REFUSING = frozenset(("nn.log_softmax",))  # requires uniform rows
# Handler factories by name of the public function.
_MAKERS: dict[str, Callable[[Callable[..., Any]], Handler]] = {
    **dict.fromkeys(ASSERTS, functools.partial(_binary_handler, is_reduction=True)),
    **dict.fromkeys(BINARY, _binary_handler),
    **dict.fromkeys(UNARY, _unary_handler),
}
_RAGGED = (RaggedTensor, DynamicRaggedShape)
_SPARSE_TOO = frozenset(("math.bincount",))


# Common argument types that are never of these classes, for a fast path.
_NEVER = frozenset((EagerTensor, int, float, bool, str, type(None), DType))


def _has_one(args: Any, kwargs: Any, classes: tuple[type, ...]) -> bool:
    for value in (*args, *kwargs.values()) if kwargs else args:
        if type(value) in _NEVER:
            continue
        for item in value if isinstance(value, (list, tuple)) else (value,):
            if type(item) not in _NEVER and isinstance(item, classes):
                return True
    return False


def _wrap(
    function: Callable[..., Any], handler: Handler, classes: tuple[type, ...]
) -> Callable[..., Any]:
    """Wraps a public function to dispatch calls with an argument of some classes to a handler."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not _has_one(args, kwargs, classes):
            return function(*args, **kwargs)
        error = refused(function, args, kwargs)
        if error is not None:
            raise error
        return handler(*args, **kwargs)

    return parted(function, call, functools.partial(_has_one, classes=classes))


def taking_ragged(names: list[str], plain: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a public function to dispatch calls with ragged tensors, if the tables list it.

    Ops inspect their inputs themselves.
    """
    if hasattr(plain, "op") or not _REFUSING.isdisjoint(names):
        return plain
    classes = _RAGGED if _SPARSE_TOO.isdisjoint(names) else (*_RAGGED, SparseTensor)
    for name in names:
        if name in _FUNCTIONS:
            return _wrap(plain, _FUNCTIONS[name], classes)
    maker = next((_MAKERS[name] for name in names if name in _MAKERS), None)
    return plain if maker is None else _wrap(plain, maker(plain), classes)


API.define("experimental.RowPartition", RowPartition)
API.define("experimental.DynamicRaggedShape", DynamicRaggedShape)
