"""Base class, registry and serialization of Keras initializers."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core.dtypes import DType, as_dtype
from twinflow._src.dispatch.op import export
from twinflow._src.initializers.keras_seeds import SeedGenerator
from twinflow._src.ops.elementwise.cast import cast

C = TypeVar("C", bound=type)
_CLASSES: dict[str, type] = {}
_PLACES = ("initializers", "keras.initializers")
# Aliases accepted only by ``get``.
_SHORT = {"zeros": "zero", "ones": "one", "random_normal": "normal", "random_uniform": "uniform"}


def named(*more: str) -> Callable[[C], C]:
    """Registers an initializer under its class name, the snake case name, and more names."""

    def register(cls: C) -> C:
        name = cls.__name__
        lower = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
        names = (name, *more) if name == "Initializer" else (name, lower, *more)
        _CLASSES.update(dict.fromkeys((*names, _SHORT.get(lower, name)), cls))
        export(*(f"{place}.{n}" for place in _PLACES for n in names))(cls)
        return cls

    return register


def type_of(dtype: Any) -> DType:
    """Returns the dtype of any name that Keras accepts; float32 if None."""
    plain: dict[Any, str] = {bool: "bool", int: "int64", float: "float32", str: "string"}
    given: Any = "float32" if dtype is None else dtype
    given = plain.get(given, given) if isinstance(given, type) else given
    name = getattr(given, "name", None) or getattr(given, "__name__", given)
    try:
        return as_dtype("int64" if name == "int" else name)
    except TypeError:
        raise ValueError(f"Invalid dtype: {name}") from None


@export("keras.Initializer")
@named()
class Initializer:
    """Base class of Keras initializers."""

    __module__ = "twinflow.keras"

    # Names of the attributes that make up the configuration, in order.
    _config: ClassVar[tuple[str, ...]] = ()

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        """Creates a tensor.

        Args:
            shape: The shape.
            dtype: The dtype; float32 if None.

        Returns:
            A tensor.
        """
        raise NotImplementedError("Initializer subclasses must implement the `__call__()` method.")

    def get_config(self) -> dict[str, Any]:
        """Returns the configuration, from which ``from_config`` creates the same initializer."""
        return {name: getattr(self, name) for name in self._config}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Creates the initializer of a configuration; see ``get_config``."""
        return cls(**config)

    def clone(self) -> Any:
        """Creates a copy of the initializer from its configuration."""
        return self.from_config(self.get_config())


# ------------------------------------------------------------------ serialization and lookup


@export(*(f"{place}.serialize" for place in _PLACES))
def serialize(initializer: Any) -> Any:
    """Serializes an initializer.

    Args:
        initializer: An initializer; plain values are returned unchanged.

    Returns:
        A dictionary with the class and its configuration.
    """
    if not hasattr(initializer, "get_config"):
        return initializer
    place = "keras.random" if isinstance(initializer, SeedGenerator) else "keras.initializers"
    return {
        "module": place,
        "class_name": type(initializer).__name__,
        "config": initializer.get_config(),
        "registered_name": None,
    }


@export(*(f"{place}.deserialize" for place in _PLACES))
def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """Creates an initializer from its serialized form.

    Args:
        config: The result of ``serialize``, or the name of a class.
        custom_objects: Additional classes by name.

    Returns:
        An initializer.

    Raises:
        ValueError: There is no such class.
    """
    from twinflow._src.initializers import keras  # noqa: F401 (with it all classes are defined)

    if isinstance(config, str):
        config = {"class_name": config}
    name = config["class_name"]
    cls: Any = {**_CLASSES, **(custom_objects or {})}.get(name)
    if cls is None:
        raise ValueError(f"Could not interpret initializer identifier: {name}")
    return cls.from_config(dict(config.get("config", {})))


@export(*(f"{place}.get" for place in _PLACES))
def get(identifier: Any) -> Any:
    """Returns an initializer by name, serialized form, class, function or value.

    Args:
        identifier: A name, a serialized form, a class, a function, an initializer, or a tensor,
            whose value is used; None is returned unchanged.

    Returns:
        An initializer or a function.

    Raises:
        ValueError: The identifier is not an initializer.
    """
    if identifier is None:
        return None
    if isinstance(identifier, (str, dict)):
        return deserialize(identifier)
    if is_tensor(identifier) or isinstance(identifier, (np.generic, np.ndarray)):
        return _value(identifier)
    if not callable(identifier):
        raise ValueError(f"Could not interpret initializer identifier: {identifier}")
    return identifier() if inspect.isclass(identifier) else identifier


def _value(value: Any) -> Callable[..., Any]:
    """Returns an initializer function of a constant value, whose shape must be the requested one."""

    def initialize(shape: Any, dtype: Any = None) -> Any:
        found = type_of(dtype)
        if tuple(shape) != tuple(value.shape):
            raise ValueError(
                f"Expected `shape` to be {value.shape} for direct tensor as initializer. "
                f"Received shape={shape}"
            )
        return cast(convert_to_tensor(value), found)

    return initialize
