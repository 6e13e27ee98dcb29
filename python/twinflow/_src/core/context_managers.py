"""Blocks: what with statements change for a while, and how it is changed back."""

from __future__ import annotations

import contextlib
import functools
import weakref
from collections.abc import Callable
from threading import get_ident
from typing import TYPE_CHECKING, Any


class _Exit:
    """The ``__exit__`` of blocks, which end even where an interrupt comes as it begins.

    A with statement looks it up before it enters the block and drops what it got at the end, however the block ends.
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
    alive.clear()  # nothing is left to do when the with statement drops it


def _abandon(block: Block, depth: int, _: Any) -> None:
    while len(block._changes) > depth:
        block._restore()


class Block:
    """A block for the length of which something has another value, as the thread its scope.

    At its end, what it changed is changed back where it was changed: also by another thread, and where blocks do not end in
    order. No generator: one that an interrupt leaves unfinished would change things back at any later time.
    """

    __slots__ = ("_changes",)

    def __init__(self) -> None:
        self._changes: list[
            tuple[Any, ...]
        ] = []  # the thread, what was changed, its name, both values

    def _put(self, owner: Any, name: str, inner: Any) -> None:
        self._changes.append((get_ident(), vars(owner), name, getattr(owner, name), inner))
        setattr(owner, name, inner)

    def _restore(self) -> None:
        changes, here = self._changes, get_ident()
        if not changes:
            return
        place = len(changes) - 1
        if changes[place][0] != here:  # other threads may have entered it, too
            place = next((i for i in range(place, -1, -1) if changes[i][0] == here), place)
        _, home, name, outer, inner = changes[place]
        value = home.get(name, outer)
        home[name] = outer if value is inner else without(value, outer, inner)
        del changes[place]

    if TYPE_CHECKING:

        def __exit__(self, *exc: Any) -> None: ...

    else:
        __exit__ = _Exit()


def without(value: Any, outer: Any, inner: Any) -> Any:
    """Returns a value without what ``inner`` has changed of ``outer``."""
    if value is outer or value is inner:
        return outer
    if hasattr(value, "without"):
        return value.without(outer, inner)
    if isinstance(value, tuple) and isinstance(outer, tuple):
        kept = [x for x in outer if x in value or x not in inner]
        return (*kept, *(x for x in value if x not in inner and x not in kept))
    return value


class altered(Block, contextlib.ContextDecorator):
    """A block for the length of which an attribute has another value.

    Args:
        owner: The object.
        name: The attribute.
        change: Makes the value of the one around the block.
        value: What the with statement gives.
    """

    def __init__(
        self, owner: Any, name: str, change: Callable[[Any], Any], value: Any = None
    ) -> None:
        super().__init__()
        self._owner, self._name, self._change, self._value = owner, name, change, value

    def __enter__(self) -> Any:
        self._put(self._owner, self._name, self._change(getattr(self._owner, self._name)))
        return self._value


# As TensorFlow's blocks of these names, which are generators, print.
altered.__module__, altered.__name__, altered.__qualname__ = (
    "contextlib",
    *("_GeneratorContextManager",) * 2,
)
