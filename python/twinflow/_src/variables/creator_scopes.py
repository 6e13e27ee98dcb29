"""Variable creator scopes of ``tf.Variable``: ``tf.variable_creator_scope``."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable
from typing import Any

from twinflow._src.core.context_managers import altered
from twinflow._src.dispatch.op import export

Creator = Callable[..., Any]


class _Creators(threading.local):
    """The variable creators of the thread, innermost last."""

    stack: tuple[Creator, ...] = ()


creators = _Creators()


@export("variable_creator_scope")
def variable_creator_scope(variable_creator: Creator) -> Any:
    """Returns a context manager in which a function creates the variables of ``tf.Variable(...)``.

    Args:
        variable_creator: Called as ``variable_creator(next_creator, **options)`` with every option
            of ``tf.Variable`` by name. It returns the variable, usually the result of
            ``next_creator(**options)`` with these or other options. Of nested scopes the innermost
            creator is called first.
    """
    return altered(creators, "stack", lambda outer: (*outer, variable_creator))


def created(make: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Creates a variable through the creators of the thread; the class ``make`` is called last."""
    bound = _signature(make).bind(None, *args, **kwargs)
    bound.apply_defaults()
    _, *names, _ = bound.arguments  # without self and **_
    step = _last(make)
    for creator in creators.stack:
        step = _step(creator, step)
    variable = step(**{name: bound.arguments[name] for name in names})
    if variable is None:
        raise NotImplementedError
    return variable


@functools.cache
def _signature(make: Any) -> inspect.Signature:
    """Returns the signature of a class's ``__init__``, which ends in ``**_``."""
    return inspect.signature(make.__init__)


def _last(make: type) -> Creator:
    return lambda **options: make(**options)


def _step(creator: Creator, after: Creator) -> Creator:
    return lambda **options: creator(after, **options)
