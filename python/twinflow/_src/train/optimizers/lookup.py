"""Optimizers by name and as plain descriptions."""

from __future__ import annotations

from typing import Any

from twinflow._src.train.descriptions import described, made
from twinflow._src.train.optimizers.adam import Adam, Adamax, AdamW, Nadam
from twinflow._src.train.optimizers.base import Optimizer
from twinflow._src.train.optimizers.classes import SGD, Adadelta, Adagrad, Ftrl, Lion, RMSprop

_CLASSES: dict[str, Any] = {
    cls.__name__.lower(): cls
    for cls in (SGD, Adam, AdamW, Adagrad, RMSprop, Adadelta, Adamax, Nadam, Ftrl, Lion, Optimizer)
}


def serialize(optimizer: Any) -> Any:
    """Describes an optimizer by plain values, without its state.

    Args:
        optimizer: An optimizer.

    Returns:
        A dictionary.
    """
    return described(optimizer, "keras.optimizers")


def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """Makes an optimizer of its description.

    Args:
        config: What ``serialize`` gave.
        custom_objects: More classes by their names.

    Returns:
        An optimizer.

    Raises:
        TypeError: There is no such class.
    """
    name = config["class_name"]
    config = {**config, "class_name": name.lower() if name.lower() in _CLASSES else name}
    return made(config, _CLASSES.get, custom_objects)


def get(identifier: Any) -> Any:
    """Finds or makes an optimizer.

    Args:
        identifier: An optimizer, a name, or a description; None stays None.

    Returns:
        An optimizer.

    Raises:
        ValueError: The value means no optimizer.
    """
    if identifier is None:
        return None
    found = identifier
    if isinstance(identifier, str) and identifier.lower() in _CLASSES:
        found = _CLASSES[identifier.lower()]()
    elif isinstance(identifier, dict):
        found = deserialize(identifier)
    if isinstance(found, Optimizer):
        return found
    raise ValueError(f"Could not interpret optimizer identifier: {identifier}")
