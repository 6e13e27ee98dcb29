"""Calls from R into the core: methods by name, counted results, contexts, and long vectors."""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import twinflow
from twinflow._src.core import dtypes
from twinflow._src.core.context import strict
from twinflow._src.core.dtypes import DType, as_dtype
from twinflow._src.dispatch.registry import Op
from twinflow._src.r_bridge.session import VARIABLES, handed

tf: Any = twinflow  # names are registered by the op table


def invoker(name: str) -> Callable[..., Any]:
    """Returns a function that calls a method of its first argument, and counts a tensor it returns."""
    assigns = name in _ASSIGNMENTS

    def call(x: Any, /, *args: Any, **kwargs: Any) -> Any:
        method = getattr(x, name)
        if _has_vectors(args, kwargs):
            to_dtype = _of_dtype(x.dtype) if assigns and isinstance(x, VARIABLES) else None
            args, kwargs = _without_vectors(args, kwargs, "value", to_dtype)
        try:
            value = method(*args, **kwargs)
        except (TypeError, ValueError, AttributeError) as error:
            _name_arguments(error, method, args, kwargs)
            raise
        handed(value)
        return value

    return call


_ASSIGNMENTS = frozenset(("assign", "assign_add", "assign_sub"))


def attribute(x: Any, name: str) -> Any:
    """Returns an attribute of an object; the memory of a tensor is counted."""
    value = getattr(x, name)
    handed(value)
    return value


def counting(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that calls another, and counts the memory of a tensor that it returns."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if _has_vectors(args, kwargs):
            args, kwargs = _without_vectors(args, kwargs, *_conversion(function, args, kwargs))
        try:
            value = function(*args, **kwargs)
        except (TypeError, ValueError, AttributeError) as error:
            _name_arguments(error, function, args, kwargs)
            raise
        handed(value)
        return value

    return call


_MISSING = "Missing required positional argument"


def _name_arguments(
    error: Exception,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> None:
    """Adds to the message of an error the names of the arguments that it is about, if it has none."""
    text = str(error)
    if len(text) > _LONGEST:
        return
    try:
        signature = inspect.signature(function)
        bound = signature.bind_partial(*args, **kwargs).arguments
    except (TypeError, ValueError):  # no signature, or another one
        return
    if text == _MISSING:
        required = [p.name for p in signature.parameters.values() if p.default is p.empty]
        names = [name for name in required if name not in bound]
        error.args = (f"{_MISSING}: {', '.join(names)}",)
        return
    bound.update(bound.pop(_variadic_name(signature, inspect.Parameter.VAR_KEYWORD), {}))
    bound.pop(_variadic_name(signature, inspect.Parameter.VAR_POSITIONAL), None)
    names = [name for name, value in bound.items() if _is_about(text, value)]
    if len(names) == 1 and not re.search(rf"\b{names[0]}\b", text):
        internal = re.match(r"'(\w+)' object (has no attribute|is not)", text)
        kind = _IN_R.get(internal[1], "such a value") if internal else None
        text = (
            f"`{names[0]}` cannot be {kind}" if kind else f"{text}\nThe argument is `{names[0]}`."
        )
        error.args = (text,)


_LONGEST = 2000  # reticulate cuts longer messages


def _variadic_name(signature: inspect.Signature, kind: Any) -> str:
    """Returns the name of the variadic parameter of a kind; "" if there is none."""
    return next((p.name for p in signature.parameters.values() if p.kind is kind), "")


def _is_about(text: str, value: Any) -> bool:
    """True if the message of an error quotes a value of R's, or its type."""
    kind = type(value).__name__
    if kind not in _IN_R:
        return False
    quotes = (f"({value!r})", f"convert {value!r} to", f": {value!r} to", f"'{kind}'")
    return any(quote in text for quote in quotes)


# Types as R users know their values.
_IN_R = {
    "NoneType": "NULL",
    "bool": "TRUE or FALSE",
    "int": "a number",
    "float": "a number",
    "str": "a string",
    "list": "a vector or a list",
    "dict": "a data frame or a named list",
    "function": "a function",
    "PyCapsule": "a formula, an environment or a piece of code",
}


def enter(context: Any) -> Any:
    """Enters a context, as a with statement does; returns None for the context itself."""
    value = context.__enter__()
    return None if value is context else value


def leave(context: Any) -> None:
    """Leaves a context without an exception: those of R pass outside of Python."""
    context.__exit__(None, None, None)


def is_method(x: Any, name: str) -> bool:
    """True if all objects of a class have the same method, with the same parameters, by this name."""
    cls = type(x)
    static = inspect.getattr_static(cls, name, None)
    is_shadowed = name in getattr(x, "__dict__", ())
    return isinstance(static, _METHODS) and not is_shadowed and "<locals>" not in cls.__qualname__


_METHODS = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    classmethod,
    staticmethod,
)


# -- long vectors ----------------------------------------------------------------------------------


class Vector:
    """A long vector of R on its way into a function, which gets a list of its values.

    Where a function makes nothing but a tensor of the list, it gets an array of the dtype that the
    tensor of the list would have: the list would take ten times as long as all else.
    """

    __slots__ = ("values",)

    def __init__(self, values: np.ndarray) -> None:
        self.values = values  # a view of R's memory

    def as_list(self) -> list[Any]:
        result: list[Any] = self.values.tolist()
        return result

    def as_array(self, dtype: DType | None) -> np.ndarray | None:
        """Returns the array of the tensor of the list; None if that takes the list itself."""
        kind = self.values.dtype.kind
        if kind != "f":
            same = {"i": dtypes.int32, "b": dtypes.bool_, "c": dtypes.complex128}[kind]
            return self.values.copy() if dtype in (None, same) else None
        if dtype is dtypes.float64:
            return self.values.copy()
        if dtype not in (None, dtypes.float32):
            return None
        try:
            return strict().run(self.values.astype, np.float32)
        except FloatingPointError:  # beyond float32
            return None


def vector(values: np.ndarray) -> Vector:
    """Takes over a long vector of R."""
    return Vector(values)


Conversion = Callable[[Vector], Any]


def _has_vectors(args: Iterable[Any], kwargs: dict[str, Any]) -> bool:
    return Vector in map(type, args) or (bool(kwargs) and Vector in map(type, kwargs.values()))


def _without_vectors(
    args: tuple[Any, ...], kwargs: dict[str, Any], name: str, conversion: Conversion | None
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Returns arguments with arrays and lists for vectors; the first parameter may take an array."""

    def settle(value: Any, is_first: bool) -> Any:
        if type(value) is not Vector:
            return value
        array = conversion(value) if conversion is not None and is_first else None
        return value.as_list() if array is None else array

    return (
        tuple(settle(value, i == 0) for i, value in enumerate(args)),
        {key: settle(value, not args and key == name) for key, value in kwargs.items()},
    )


def _of_dtype(dtype: DType | None) -> Conversion:
    return lambda values: values.as_array(dtype)


def _conversion(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[str, Conversion | None]:
    """Returns the name of a function's first parameter, and how a vector there becomes an array."""
    if function in (tf.constant, tf.convert_to_tensor, tf.Variable):
        positions = {tf.constant: 1, tf.convert_to_tensor: 1, tf.Variable: 6}
        position = positions[function]
        dtype = args[position] if len(args) > position else kwargs.get("dtype")
        hint = kwargs.get("dtype_hint") or (function is tf.convert_to_tensor and len(args) > 2)
        name = "initial_value" if function is tf.Variable else "value"
        return name, None if hint else _of_dtype(None if dtype is None else as_dtype(dtype))
    if function is tf.cast:
        return "x", _of_dtype(None)
    op: Any = getattr(function, "op", None)
    return (op.params[0].name, _of_dtype(None)) if _takes_one(op) else ("", None)


def _takes_one(op: Any) -> bool:
    """True if the first input alone determines the dtype of an op, and may have any."""
    if not isinstance(op, Op) or not op.tensors or op.tensors[0] is not op.params[0]:
        return False
    first = op.kinds[0]
    is_free = first.only is None and first.default is None and not (first.many or first.mixed)
    return is_free and all(kind.attr != first.attr for kind in op.kinds[1:])
