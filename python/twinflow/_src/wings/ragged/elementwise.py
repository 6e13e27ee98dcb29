"""Element-wise ops and Python operators on ragged tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.composite_tensors.ragged_factories import is_ragged
from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import shapes
from twinflow._src.core.errors import InvalidArgumentError
from twinflow._src.dispatch.execute import execute
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.registry import Op
from twinflow._src.wings.ragged.broadcast import brought_together
from twinflow._src.wings.ragged.factory import assert_same_rows

def elementwise(op: Op, inputs: list[Any], attrs: dict[str, Any]) -> Any:
    """Runs an element-wise op with a ragged input."""
    if len(inputs) == 2 and op.shape is shapes.broadcast:
        return binary(lambda x, y: execute(op, [x, y], attrs), *inputs)
    rt = next(x for x in inputs if is_ragged(x))
    flat = [x.flat_values if is_ragged(x) else x for x in inputs]
    return rt.with_flat_values(execute(op, flat, attrs))


def binary(function: Callable[[Any, Any], Any], x: Any, y: Any) -> Any:
    """Applies an element-wise binary function to two values, one of which is ragged."""
    *flat, wrap = flattened(x, y)
    return wrap(function(*flat))


def flattened(x: Any, y: Any) -> tuple[Any, Any, Callable[[Any], Any]]:
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
        return brought_together(x, y)
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


def together(tensors: list[Any], function: Callable[[list[Any]], Any]) -> Any:
    """Applies a function to the flat values of tensors; the ragged ones have the same rows.

    Raises InvalidArgumentError for different rows.
    """
    found = [x for x in tensors if is_ragged(x)]
    assert_same_rows(found)
    flat = [x.flat_values if is_ragged(x) else x for x in tensors]
    return found[0].with_flat_values(function(flat))


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
