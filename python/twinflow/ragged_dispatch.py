"""Operations on ragged tensors: Python's operators, element-wise ops and reductions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import shapes
from .constant import convert_to_tensor
from .dtypes import bool_
from .execute import COMPOSITES, execute
from .op import API
from .ragged_factory import assert_same_rows
from .ragged_functions import HANDLERS
from .ragged_making import is_ragged
from .ragged_tensor import RaggedTensor
from .schema import Op
from .tensor import Tensor

# Ops whose result has the shape of their one tensor, but which are not element-wise.
_WHOLE = frozenset(("Softmax", "LogSoftmax", "LRN"))
_REDUCTIONS: dict[str, str] = {
    "Sum": "sum",
    "Prod": "prod",
    "Max": "max",
    "Min": "min",
}


# ------------------------------------------------------------------ element by element


def _matched(values: list[Any]) -> tuple[Any, list[Any]]:
    """The first ragged tensor, and values that go with its flat values."""
    found = [x for x in values if is_ragged(x)]
    if any(x.ragged_rank != found[0].ragged_rank for x in found):
        raise ValueError("Ragged tensors of different ragged ranks do not broadcast here.")
    assert_same_rows(found)
    rt = found[0]
    return rt, [x.flat_values if is_ragged(x) else _spread(rt, x) for x in values]


def _spread(rt: Any, value: Any) -> Any:
    """A value broadcast against the flat values of a ragged tensor."""
    if value is None or not isinstance(value, (Tensor, np.ndarray, list, tuple)):
        return value  # numbers stay what they are: they take the tensor's type
    x = convert_to_tensor(value)
    rank = rt.shape.rank
    if x.shape.num_elements() == 1 and x.shape.rank <= rank:
        inner = rank - rt.ragged_rank
        return API["reshape"](x, [1] * inner) if x.shape.rank else x
    if x.shape.rank < rank - rt.ragged_rank + 1:
        return x  # lies within the uniform inner dimensions
    return _spread_rows(rt, x)


def _spread_rows(rt: Any, x: Any) -> Any:
    dims = [1] * (rt.shape.rank - x.shape.rank) + x.shape.as_list()
    x = API["reshape"](x, dims)
    for splits in rt.nested_row_splits:
        host = splits._host()
        rows, lengths = len(host) - 1, np.diff(host)
        if dims[0] not in (1, rows):
            raise ValueError(f"Unable to broadcast: dimension size mismatch: {dims[0]} and {rows}")
        if dims[1] != 1 and (lengths != dims[1]).any():
            raise ValueError("Unable to broadcast: dimension size mismatch in a ragged dimension")
        ids = np.repeat(np.arange(rows), lengths) if dims[0] != 1 else np.zeros(host[-1], np.int64)
        within = (
            np.arange(host[-1]) - np.repeat(host[:-1], lengths)
            if dims[1] != 1
            else np.zeros(host[-1], np.int64)
        )
        x = API["gather_nd"](x, np.stack([ids, within], axis=1).astype(np.int64))
        dims = x.shape.as_list()
    return x


def _is_elementwise(op: Op) -> bool:
    alone = op.shape is shapes.same and len(op.tensors) == 1 and op.type not in _WHOLE
    return alone or op.shape is shapes.broadcast


def _elementwise(op: Op, inputs: list[Any], attrs: dict[str, Any]) -> Any:
    rt, values = _matched(inputs)
    return rt.with_flat_values(execute(op, values, attrs))


# ------------------------------------------------------------------ reductions


def _reduced(op: Op, inputs: list[Any], attrs: dict[str, Any]) -> Any:
    rt, axis = inputs
    keepdims = attrs.get("keepdims", False)
    if axis is None:
        flat = execute(op, [rt.flat_values, None], {**attrs, "keepdims": False})
        return API["reshape"](flat, [1] * rt.shape.rank) if keepdims else flat
    host = convert_to_tensor(axis)._host()
    axes = sorted({int(a) % rt.shape.rank for a in host.reshape(-1)}, reverse=True)
    result = rt
    for a in axes:
        result = _along(op, result, a, keepdims, attrs)
    return result


def _along(op: Op, rt: Any, axis: int, keepdims: bool, attrs: dict[str, Any]) -> Any:
    if not is_ragged(rt):
        return execute(op, [rt, axis], attrs)
    if axis > 1:
        return rt.with_values(_along(op, rt.values, axis - 1, keepdims, attrs))
    values = rt.values
    if is_ragged(values):
        values = values.to_tensor()
    host = rt.row_splits._host()
    lengths = np.diff(host)
    if axis == 1:
        ids, count = np.repeat(np.arange(len(lengths)), lengths), len(lengths)
    else:
        ids = np.arange(host[-1]) - np.repeat(host[:-1], lengths)
        count = int(lengths.max()) if lengths.size else 0
    result = _segments(op.type, values, ids, count)
    return API["expand_dims"](result, axis) if keepdims else result


def _segments(type: str, values: Any, ids: Any, count: int) -> Any:
    """A reduction of the elements with one number, for each number."""
    if type in ("All", "Any"):
        counts = API["cast"](values if type == "Any" else API["logical_not"](values), "int32")
        found = _segments("Sum", counts, ids, count) > 0
        return found if type == "Any" else API["logical_not"](found)
    if type == "Mean":
        total = _segments("Sum", values, ids, count)
        number = np.bincount(ids, minlength=count).reshape(-1, *[1] * (values.shape.rank - 1))
        return total / API["cast"](convert_to_tensor(number), values.dtype)
    name = f"math.unsorted_segment_{_REDUCTIONS[type]}"
    return API[name](values, convert_to_tensor(ids), count)


def dispatched(op: Op, inputs: list[Any], attrs: dict[str, Any]) -> Any:
    """Runs an op of which an input is ragged."""
    if op.type in _REDUCTIONS or op.type in ("Mean", "All", "Any"):
        return _reduced(op, inputs, attrs)
    if op.type in HANDLERS:
        return HANDLERS[op.type](inputs, attrs)
    if _is_elementwise(op):
        return _elementwise(op, inputs, attrs)
    if op.type == "StringJoin":
        rt, values = _matched(list(inputs[0]))
        return rt.with_flat_values(execute(op, [values], attrs))
    if op.type == "GatherV2" and is_ragged(inputs[1]) and not is_ragged(inputs[0]):
        flat = execute(op, [inputs[0], inputs[1].flat_values, *inputs[2:]], attrs)
        return inputs[1].with_flat_values(flat)
    if op.type == "GatherV2" and np.all(np.asarray(inputs[2]) == 0) and not is_ragged(inputs[1]):
        from .ragged_indexing import _rows

        return _rows(inputs[0], convert_to_tensor(inputs[1])._host())
    return NotImplemented


COMPOSITES[RaggedTensor] = dispatched


# ------------------------------------------------------------------ Python's operators


def _binary(name: str, reflected: bool = False) -> Callable[..., Any]:
    def method(self: Any, other: Any) -> Any:
        operands = (other, self) if reflected else (self, other)
        function = API[_LOGICAL.get(name, name) if self.dtype is bool_ else name]
        if reflected:
            other = _spread(self, other)
            if not isinstance(other, Tensor):
                other = convert_to_tensor(other, dtype=self.dtype)
            return self.with_flat_values(function(other, self.flat_values))
        return function(*operands)

    return method


_LOGICAL = {
    "bitwise.bitwise_and": "logical_and",
    "bitwise.bitwise_or": "logical_or",
    "bitwise.bitwise_xor": "math.logical_xor",
}
_OPERATORS = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "truediv",
    "floordiv": "math.floordiv",
    "mod": "math.floormod",
    "pow": "pow",
    "and": "bitwise.bitwise_and",
    "or": "bitwise.bitwise_or",
    "xor": "bitwise.bitwise_xor",
}
_COMPARISONS = {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}


def _equality(name: str, otherwise: bool) -> Callable[..., Any]:
    def method(self: Any, other: Any) -> Any:
        return otherwise if other is None else API[name](self, other)

    return method


def _bind() -> None:
    cls: Any = RaggedTensor
    for python, name in _OPERATORS.items():
        setattr(cls, f"__{python}__", _binary(name))
        setattr(cls, f"__r{python}__", _binary(name, reflected=True))
    for python, name in _COMPARISONS.items():
        setattr(cls, f"__{python}__", _binary(name))
    cls.__eq__, cls.__ne__ = _equality("equal", False), _equality("not_equal", True)
    cls.__hash__ = object.__hash__
    cls.__neg__ = lambda self: API["negative"](self)
    cls.__abs__ = lambda self: API["abs"](self)
    cls.__invert__ = lambda self: API["logical_not" if self.dtype is bool_ else "bitwise.invert"](
        self
    )


_bind()
