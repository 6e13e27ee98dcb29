"""Operations on ragged tensors element by element, and Python's operators."""

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

# Ops whose result has the shape of their one tensor, but which are not element-wise.
_WHOLE = frozenset(("Softmax", "LogSoftmax", "LRN"))
# Ops on each element of the first tensor whose shape rule is not the one of such ops.
_FLAT = frozenset(
    ("Bitcast", "Substr", "CheckNumerics", "ComplexAbs", "DecodeBase64", "EncodeBase64")
)


def is_elementwise(op: Op) -> bool:
    """Whether an op works element by element."""
    alone = op.shape is shapes.same and len(op.tensors) == 1 and op.type not in _WHOLE
    return alone or op.shape is shapes.broadcast or op.type in _FLAT


def elementwise(op: Op, inputs: list[Any], attrs: dict[str, Any]) -> Any:
    """Runs an element-wise op of which an input is ragged.

    Args:
        op: The op.
        inputs: Its inputs.
        attrs: Its attributes.

    Returns:
        A ragged tensor.
    """
    if len(inputs) == 2 and op.shape is shapes.broadcast:
        return binary(lambda x, y: execute(op, [x, y], attrs), *inputs)
    rt = next(x for x in inputs if is_ragged(x))
    flat = [x.flat_values if is_ragged(x) else x for x in inputs]
    return rt.with_flat_values(execute(op, flat, attrs))


def binary(function: Callable[[Any, Any], Any], x: Any, y: Any) -> Any:
    """What a function that works element by element makes of two values, of which one is ragged.

    Args:
        function: Called with flat values.
        x: A value.
        y: Another one.

    Returns:
        A ragged tensor.
    """
    *flat, wrap = flattened(x, y)
    return wrap(function(*flat))


def flattened(x: Any, y: Any) -> tuple[Any, Any, Callable[[Any], Any]]:
    """The flat values of two values that are brought to one shape; one is ragged.

    Args:
        x: A value.
        y: Another one.

    Returns:
        Both flat, and what makes of other flat values a ragged tensor of that shape.
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
    """Both operands as tensors, of which a Python value takes the type of the other where it can."""
    if not is_ragged(x):
        x = convert_to_tensor(x, dtype_hint=y.dtype)
    if not is_ragged(y):
        y = convert_to_tensor(y, dtype_hint=x.dtype)
    return x, y


def together(tensors: list[Any], function: Callable[[list[Any]], Any]) -> Any:
    """What a function makes of the flat values of several tensors, of which the ragged ones agree.

    Args:
        tensors: The tensors.
        function: Called with their flat values.

    Returns:
        A ragged tensor.

    Raises:
        InvalidArgumentError: They have different rows.
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
    """``==`` or ``!=``: tensors whose rows do not fit are simply not equal."""

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
