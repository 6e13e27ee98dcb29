"""Serialization and naming of Keras objects: losses, metrics, optimizers, schedules."""

from __future__ import annotations

import inspect
import itertools
import re
import threading
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from twinflow._src.core.context import Block
from twinflow._src.core.scopes import name_scope

# Serialization.


def described(thing: Any, namespace: str) -> Any:
    """Serializes a Keras object as a dictionary; functions as their names, None as None."""
    # ``place`` is the namespace of its class.
    if thing is None:
        return None
    if inspect.isfunction(thing):
        return thing.__name__
    is_own = type(thing).__module__.split(".")[0] in ("twinflow", "tensorflow")
    return {
        "module": namespace if is_own else None,
        "class_name": type(thing).__name__,
        "config": thing.get_config(),
        "registered_name": None if is_own else type(thing).__name__,
    }


def build_from_config(
    config: Any,
    find: Callable[[str], Any],
    custom: dict[str, Any] | None,
    kind: str | None = None,
) -> Any:
    """Creates an object from its serialized form or name; ``custom`` has precedence over ``find``."""
    # Raises TypeError for an unknown class, ValueError for an unknown name, which is of a ``kind``.
    if config is None:
        return None
    name = config if isinstance(config, str) else config["class_name"]
    item = (custom or {}).get(name) or find(name)
    if isinstance(config, str):
        if item is None:
            raise ValueError(f"Unknown {kind or 'object'}: '{name}'.")
        return item
    if item is None:
        raise TypeError(
            f"Could not locate class '{name}'. Make sure custom classes are decorated with "
            f"`@keras.saving.register_keras_serializable()`. Full object config: {config}"
        )
    return item.from_config(dict(config["config"]))


# Names: automatic names of objects, and paths of variables.


_counts: defaultdict[str, itertools.count[int]] = defaultdict(itertools.count)


class _Place(threading.local):
    """Stack of name scopes with the objects that entered them, outermost first."""

    def __init__(self) -> None:
        self.names: tuple[tuple[str, object], ...] = ()


_place = _Place()


def snake_case(name: str) -> str:
    """Returns a name in snake case as Keras forms it, such as ``rm_sprop`` of ``RMSprop``."""
    name = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", re.sub(r"\W+", "", name))
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()


def auto_name(name: str) -> str:
    """Returns a unique name; a counter is appended from the second use on."""
    base = snake_case(name)
    count = next(_counts[base])
    return f"{base}_{count}" if count else base


class within(Block):
    """Context manager in which variables belong to an object; reentry by it adds no name."""

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
        self._replace(_place, "names", (*names, self._entry))

    def _restore(self) -> None:
        super()._restore()
        if len(self._changes) % 2:  # each entry makes two changes
            super()._restore()


def check(name: object) -> None:
    """Raises ValueError for a name that cannot be part of a path."""
    if not isinstance(name, str) or "/" in name:
        raise ValueError(
            f"Argument `name` must be a string and cannot contain character `/`. Received: name={name}"
        )


def path_of(name: str) -> str:
    """Returns the path of a variable created in the current scope."""
    return "/".join([*(outer for outer, _ in _place.names), name])
