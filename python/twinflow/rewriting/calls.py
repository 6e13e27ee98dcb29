"""Calls in rewritten functions: what they call is rewritten, too."""

from __future__ import annotations

import builtins
import inspect
import sys
import types
from collections.abc import Callable
from typing import Any

from ..dtypes import string
from ..op import API
from ..tensor_array import TensorArray
from .values import is_symbolic

Convert = Callable[[Any], Any]


def _range(*args: Any) -> Any:
    return API["range"](*args) if any(map(is_symbolic, args)) else builtins.range(*args)


def _len(value: Any) -> Any:
    if not is_symbolic(value):
        return builtins.len(value)
    if isinstance(value, TensorArray):
        return value.size()
    static = value.shape[0] if value.shape.rank else None
    return API["shape"](value)[0] if static is None else static


def _number(kind: type, dtype: str) -> Callable[..., Any]:
    def converted(value: Any = 0) -> Any:
        if not is_symbolic(value):
            return kind(value)
        return API["strings.to_number"](value, dtype) if value.dtype is string else API["cast"](value, dtype)

    return converted


def _sorted(items: Any, *, key: Any = None, reverse: bool = False) -> Any:
    if not is_symbolic(items):
        return builtins.sorted(items, key=key, reverse=reverse)
    if items.shape.rank != 1:
        raise ValueError("sort only supports only 1D tensors")
    direction = "DESCENDING" if reverse else "ASCENDING"
    if key is None:
        return API["sort"](items, direction=direction)
    return API["gather"](items, API["argsort"](API["map_fn"](key, items), direction=direction))


_BUILTINS: dict[Any, Callable[..., Any]] = {
    builtins.range: _range,
    builtins.len: _len,
    builtins.int: _number(int, "int32"),
    builtins.float: _number(float, "float32"),
    builtins.sorted: _sorted,
    builtins.abs: lambda value: API["abs"](value) if is_symbolic(value) else builtins.abs(value),
}

_OWN = ("twinflow", "numpy", "builtins")


def callee_for(convert: Convert) -> Callable[[Any], Any]:
    """What a rewritten function does to what it calls.

    Args:
        convert: Rewrites a function.

    Returns:
        A function that gives what is called in place of its argument.
    """

    def callee(function: Any) -> Any:
        try:
            known = _BUILTINS.get(function)
        except TypeError:  # not hashable
            return function
        if known is not None:
            return known
        if isinstance(function, types.FunctionType):
            return convert(function) if _is_users(function) else function
        if isinstance(function, types.MethodType) and isinstance(function.__func__, types.FunctionType):
            if not _is_users(function.__func__):
                return function
            return types.MethodType(convert(function.__func__), function.__self__)
        return _of_object(function)

    def _of_object(function: Any) -> Any:
        own = own_call(function)
        return function if own is None else types.MethodType(convert(own), function)

    return callee


def own_call(function: Any) -> types.FunctionType | None:
    """What the class of a program's own object runs when that is called, or None."""
    own = None if inspect.isclass(function) else vars(type(function)).get("__call__")
    return own if isinstance(own, types.FunctionType) and _is_users(own) else None


def _is_users(function: types.FunctionType) -> bool:
    """Whether a function is a program's own, or one around it that is to be rewritten as well, and not a library's."""
    if hasattr(function, "_is_rewritten"):
        return True
    name = function.__globals__.get("__name__") if hasattr(function, "__wrapped__") else function.__module__
    top = (name or "").partition(".")[0]
    return (top not in _OWN and top not in sys.stdlib_module_names) or top == "__main__"
