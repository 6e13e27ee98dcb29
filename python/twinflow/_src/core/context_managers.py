"""Context managers that replace attributes and restore them, safe against interrupts."""

from __future__ import annotations

import contextlib
import functools
import weakref
from collections.abc import Callable
from threading import get_ident
from typing import TYPE_CHECKING, Any


class _Exit:
    """Descriptor for ``__exit__`` that restores state even if an interrupt hits the entry.

    A with statement looks ``__exit__`` up before it enters and drops it at the end in any case; the
    drop triggers the restore if ``__exit__`` did not run.
    """

    def __get__(self, block: Any, owner: Any = None) -> Any:
        if block is None:
            return _leave
        alive: list[Any] = []
        leave = functools.partial(_leave_alive, block, alive)
        alive.append(weakref.ref(leave, functools.partial(_abandon, block, len(block._changes))))
        return leave


def _leave(block: Block, *exc: Any) -> None:
    block._restore()


def _leave_alive(block: Block, alive: list[Any], *exc: Any) -> None:
    block._restore()
    alive.clear()  # nothing left to restore when the with statement drops it


def _abandon(block: Block, depth: int, _: Any) -> None:
    while len(block._changes) > depth:
        block._restore()


class Block:
    """Base class of context managers that replace attributes, such as the scope of a thread.

    On exit the changes are reverted where they were made, also from another thread and for context
    managers that do not exit in order. It is not a generator: one left unfinished by an interrupt
    would revert its changes at an arbitrary time.
    """

    __slots__ = ("_changes",)

    def __init__(self) -> None:
        self._changes: list[
            tuple[Any, ...]
        ] = []  # (thread id, attributes of the owner, name, outer value, inner value)

    def _replace(self, owner: Any, name: str, inner: Any) -> None:
        self._changes.append((get_ident(), vars(owner), name, getattr(owner, name), inner))
        setattr(owner, name, inner)

    def _restore(self) -> None:
        changes, here = self._changes, get_ident()
        if not changes:
            return
        i = len(changes) - 1
        if changes[i][0] != here:  # other threads may have entered the same object
            i = next((k for k in range(i, -1, -1) if changes[k][0] == here), i)
        _, owner, name, outer, inner = changes[i]
        value = owner.get(name, outer)
        owner[name] = outer if value is inner else without(value, outer, inner)
        del changes[i]

    if TYPE_CHECKING:

        def __exit__(self, *exc: Any) -> None: ...

    else:
        __exit__ = _Exit()


def without(value: Any, outer: Any, inner: Any) -> Any:
    """Returns a value with the difference between ``outer`` and ``inner`` reverted."""
    if value is outer or value is inner:
        return outer
    if hasattr(value, "without"):
        return value.without(outer, inner)
    if isinstance(value, tuple) and isinstance(outer, tuple):
        kept = [x for x in outer if x in value or x not in inner]
        return (*kept, *(x for x in value if x not in inner and x not in kept))
    return value


class altered(Block, contextlib.ContextDecorator):
    """A context manager that replaces an attribute of an object.

    Args:
        owner: The object.
        name: The attribute.
        change: Returns the new value from the outer one.
        value: The value of the ``as`` clause.
    """

    def __init__(
        self, owner: Any, name: str, change: Callable[[Any], Any], value: Any = None
    ) -> None:
        super().__init__()
        self._owner, self._name, self._change, self._value = owner, name, change, value

    def __enter__(self) -> Any:
        self._replace(self._owner, self._name, self._change(getattr(self._owner, self._name)))
        return self._value


# The repr of TensorFlow's context managers of this kind, which are generators.
altered.__module__, altered.__name__, altered.__qualname__ = (
    "contextlib",
    *("_GeneratorContextManager",) * 2,
)
