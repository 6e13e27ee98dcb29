"""Keras's initializers as a family: their names, their descriptions and what they share."""

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
# Names that only ``get`` knows.
_SHORT = {"zeros": "zero", "ones": "one", "random_normal": "normal", "random_uniform": "uniform"}


def named(*more: str) -> Callable[[C], C]:
    """Gives an initializer its names: that of the class, the same in lower case, and others."""

    def register(cls: C) -> C:
        name = cls.__name__
        lower = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
        names = (name, *more) if name == "Initializer" else (name, lower, *more)
        _CLASSES.update(dict.fromkeys((*names, _SHORT.get(lower, name)), cls))
        export(*(f"{place}.{n}" for place in _PLACES for n in names))(cls)
        return cls

    return register


def type_of(dtype: Any) -> DType:
    """A type by any of the names that Keras takes; float32 where None."""
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
    """What Keras's initializers have in common."""

    __module__ = "twinflow.keras"

    # The parameters that make up the configuration, in its order.
    _config: ClassVar[tuple[str, ...]] = ()

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        """Makes a tensor.

        Args:
            shape: The shape.
            dtype: The type; float32 where None.

        Returns:
            A tensor.
        """
        raise NotImplementedError("Initializer subclasses must implement the `__call__()` method.")

    def get_config(self) -> dict[str, Any]:
        """What ``from_config`` needs to make the same initializer again."""
        return {name: getattr(self, name) for name in self._config}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Makes an initializer of what ``get_config`` gave."""
        return cls(**config)

    def clone(self) -> Any:
        """Makes an initializer like this one."""
        return self.from_config(self.get_config())


# ------------------------------------------------------------------ names and descriptions


@export(*(f"{place}.serialize" for place in _PLACES))
def serialize(initializer: Any) -> Any:
    """Describes an initializer by plain values.

    Args:
        initializer: An initializer; plain values stay as they are.

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
    """Makes an initializer of its description.

    Args:
        config: What ``serialize`` gave, or the name of a class.
        custom_objects: More classes by their names.

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
    """Finds or makes an initializer.

    Args:
        identifier: A name, a description, a class, a function, an initializer, or a tensor, which then
            is the value; None stays None.

    Returns:
        An initializer or a function.

    Raises:
        ValueError: The value means no initializer.
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
    """A function that gives a tensor, whatever is asked for, if it has that shape."""

    def initialize(shape: Any, dtype: Any = None) -> Any:
        found = type_of(dtype)
        if tuple(shape) != tuple(value.shape):
            raise ValueError(
                f"Expected `shape` to be {value.shape} for direct tensor as initializer. "
                f"Received shape={shape}"
            )
        return cast(convert_to_tensor(value), found)

    return initialize
