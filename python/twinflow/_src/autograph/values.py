"""Variables and expressions of rewritten functions."""

from __future__ import annotations

import builtins
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import bool_
from twinflow._src.dispatch.op import API

# What gives the variables of a function that a part of it sets, and what sets them.
Get: TypeAlias = Callable[[], tuple[Any, ...]]
Put: TypeAlias = Callable[[Sequence[Any]], None]


class Undefined:
    """The value of a variable before it has one.

    Args:
        name: The variable's name.
    """

    def __init__(self, name: str) -> None:
        self.name = name


def ld(value: Any) -> Any:
    """A variable's value; UnboundLocalError where it has none."""
    if type(value) is Undefined:
        raise UnboundLocalError(f"'{value.name}' is used before assignment")
    return value


def at(place: Callable[[], Any], name: str) -> Any:
    """The value of an attribute or element; undefined where there is none."""
    try:
        return place()
    except (AttributeError, LookupError, NameError):
        return Undefined(name)


def is_new(value: Any, place: Callable[[], Any]) -> bool:
    """Whether an attribute or element has another value than the one to set."""
    old = at(place, "")
    return old is not value and not (type(old) is Undefined and type(value) is Undefined)


def result(value: Any) -> Any:
    """What a function returns: None where nothing was returned."""
    return None if type(value) is Undefined else value


def in_space(function: Callable[..., Any], globals_: dict[str, Any], space: dict[str, Any], *args: Any) -> Any:
    """What ``locals``, ``vars``, ``dir``, ``eval`` and ``exec`` do with the variables around them.

    Args:
        function: One of these, or another function of that name.
        globals_: The variables of the module.
        space: What gives each local variable.
        *args: What it is called with.
    """
    if function not in (builtins.locals, builtins.vars, builtins.dir, builtins.eval, builtins.exec):
        return function(*args)
    if function in (builtins.vars, builtins.dir) and args:
        return function(*args)
    found = {name: value for name, get in space.items() if type(value := at(get, name)) is not Undefined}
    if function in (builtins.locals, builtins.vars):
        return found
    return sorted(found) if function is builtins.dir else function(*args, globals_, found)


def is_condition(value: Any) -> bool:
    """Whether a condition is a tensor of the graph; variables are read there."""
    return thread.scope.graph is not None and is_tensor(value)


def checked_condition(test: Any, what: str) -> Any:
    """A condition as a scalar.

    Args:
        test: A tensor.
        what: The kind of statement that it decides.

    Raises:
        ValueError: It is no boolean, or several.
    """
    found = convert_to_tensor(test)
    hint = "to check for None, use `is not None`"
    if found.dtype is not bool_:
        hint = f"to use as boolean Tensor, use `tf.cast`; {hint}"
    elif math.prod(size or 1 for size in found.shape._dims or ()) <= 1:
        return found if found.shape.rank == 0 else API["reshape"](found, [])
    raise ValueError(f"condition of {what} expected to be `tf.bool` scalar, got {found!s}; {hint}")


def not_(value: Any) -> Any:
    """``not value``."""
    return API["logical_not"](value) if is_condition(value) else not value


def and_(*values: Callable[[], Any]) -> Any:
    """``a and b and ...``."""
    return _chained(values, lambda found, rest: (rest, lambda: found), lambda found: not found)


def or_(*values: Callable[[], Any]) -> Any:
    """``a or b or ...``."""
    return _chained(values, lambda found, rest: (lambda: found, rest), bool)


def _chained(values: Sequence[Callable[[], Any]], branches: Any, decided: Callable[[Any], bool]) -> Any:
    found = values[0]()
    if len(values) == 1:
        return found
    rest = functools.partial(_chained, values[1:], branches, decided)
    if is_condition(found):
        return API["cond"](found, *branches(found, rest))
    return found if decided(found) else rest()


def if_exp(test: Any, body: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
    """``body if test else orelse``."""
    if is_condition(test):
        return API["cond"](test, body, orelse)
    return body() if test else orelse()
