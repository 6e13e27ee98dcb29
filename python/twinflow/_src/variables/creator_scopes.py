"""``tf.variable_creator_scope``: functions of the program that take part in ``tf.Variable(...)``."""

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
    """The thread's functions, innermost last."""

    stack: tuple[Creator, ...] = ()


creators = _Creators()


@export("variable_creator_scope")
def variable_creator_scope(variable_creator: Creator) -> Any:
    """A block in which a function makes the variables that ``tf.Variable(...)`` asks for.

    Args:
        variable_creator: Called as ``variable_creator(next_creator, **options)`` with every option of
            ``tf.Variable`` by name. It gives the variable, as a rule what ``next_creator(**options)``
            gives, with these options or others. Of blocks within each other the innermost is asked first.
    """
    return altered(creators, "stack", lambda outer: (*outer, variable_creator))


def created(make: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What the thread's functions give for a variable.

    Args:
        make: The class, which is asked last.
        args: The arguments of ``tf.Variable``.
        kwargs: Those by name.
    """
    bound = _signature(make).bind(None, *args, **kwargs)
    bound.apply_defaults()
    _, *names, _ = bound.arguments  # without self and what no option takes
    step = _last(make)
    for creator in creators.stack:
        step = _step(creator, step)
    variable = step(**{name: bound.arguments[name] for name in names})
    if variable is None:
        raise NotImplementedError
    return variable


@functools.cache
def _signature(make: Any) -> inspect.Signature:
    """The signature of a class's ``__init__``, which ends in ``**_``."""
    return inspect.signature(make.__init__)


def _last(make: type) -> Creator:
    return lambda **options: make(**options)


def _step(creator: Creator, after: Creator) -> Creator:
    return lambda **options: creator(after, **options)
