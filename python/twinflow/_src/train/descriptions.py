"""Keras's objects as plain descriptions, and back: losses, metrics, optimizers and schedules."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


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
