"""Keras's objects as plain descriptions, and back: losses, metrics, optimizers and schedules.

Keras's names: those that objects get by themselves, and the paths of variables.
"""

from __future__ import annotations

import inspect
import itertools
import re
import threading
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from twinflow._src.core.context_managers import Block
from twinflow._src.core.scopes import name_scope

# Keras's objects as plain descriptions, and back: losses, metrics, optimizers and schedules.


def described(thing: Any, place: str) -> Any:
    """An object of Keras as a dictionary; functions become their names, None stays None.

    Args:
        thing: The object.
        place: The namespace of its class.
    """
    if thing is None:
        return None
    if inspect.isfunction(thing):
        return thing.__name__
    own = type(thing).__module__.split(".")[0] == "twinflow"
    return {
        "module": place if own else None,
        "class_name": type(thing).__name__,
        "config": thing.get_config(),
        "registered_name": None if own else type(thing).__name__,
    }


def made(
    config: Any,
    known: Callable[[str], Any],
    custom: dict[str, Any] | None,
    kind: str | None = None,
) -> Any:
    """The object of a description.

    Args:
        config: What ``described`` gave, or a name.
        known: Gives the class or the function of a name, or None.
        custom: More of them.
        kind: The word for such objects in a message.

    Raises:
        TypeError: There is no such class.
        ValueError: There is no such name.
    """
    if config is None:
        return None
    name = config if isinstance(config, str) else config["class_name"]
    found = (custom or {}).get(name) or known(name)
    if isinstance(config, str):
        if found is None:
            raise ValueError(f"Unknown {kind or 'object'}: '{name}'.")
        return found
    if found is None:
        raise TypeError(
            f"Could not locate class '{name}'. Make sure custom classes are decorated with "
            f"`@keras.saving.register_keras_serializable()`. Full object config: {config}"
        )
    return found.from_config(dict(config["config"]))


# Keras's names: those that objects get by themselves, and the paths of variables.


_counts: defaultdict[str, itertools.count[int]] = defaultdict(itertools.count)


class _Place(threading.local):
    """The names around, from the outermost to the innermost, with the objects that set them."""

    def __init__(self) -> None:
        self.names: tuple[tuple[str, object], ...] = ()


_place = _Place()


def snake_case(name: str) -> str:
    """``RMSprop`` as ``rm_sprop``, as Keras has it."""
    name = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", re.sub(r"\W+", "", name))
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()


def auto_name(name: str) -> str:
    """A name that no other object has got from here: numbered from the second time on."""
    base = snake_case(name)
    count = next(_counts[base])
    return f"{base}_{count}" if count else base


class within(Block):
    """A block in which variables belong to an object; inside its own block it is not named again.

    Args:
        name: The object's name.
        owner: The object.

    Raises:
        ValueError: The name is no string or has a slash.
    """

    def __init__(self, name: str, owner: object) -> None:
        super().__init__()
        check(name)
        self._entry, self._scope = (name, owner), name_scope(name)
        self._scope._changes = self._changes

    def __enter__(self) -> None:
        names = _place.names
        if names and names[-1][1] is self._entry[1] and names[-1][0] == self._entry[0]:
            return
        self._scope.__enter__()
        self._put(_place, "names", (*names, self._entry))

    def _restore(self) -> None:
        super()._restore()
        if len(self._changes) % 2:  # of the two that each entry makes
            super()._restore()


def check(name: object) -> None:
    """Refuses what cannot be part of a path."""
    if not isinstance(name, str) or "/" in name:
        raise ValueError(
            f"Argument `name` must be a string and cannot contain character `/`. Received: name={name}"
        )


def path_of(name: str) -> str:
    """The path of a variable that is made now."""
    return "/".join([*(outer for outer, _ in _place.names), name])
