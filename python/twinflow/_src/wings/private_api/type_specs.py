"""Specs of values that are tensors, variables and composite tensors of libraries."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from twinflow._src.composite_tensors.component_specs import composite_spec
from twinflow._src.composite_tensors.ragged_tensor import RaggedTensorSpec
from twinflow._src.composite_tensors.sparse_tensor import SparseTensorSpec
from twinflow._src.control_flow.tensor_array import TensorArraySpec
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import nest, specs
from twinflow._src.core.specs import TensorSpec, TypeSpec
from twinflow._src.variables.variable import BaseResourceVariable
from twinflow._src.variables.variable_spec import VariableSpec


def type_spec_from_value(value: Any) -> Any:
    """Returns the spec of a value; that of a variable is a ``VariableSpec``.

    Args:
        value: A variable, or a value that ``tf.type_spec_from_value`` takes.

    Raises:
        TypeError: The value is not convertible to a tensor.
    """
    if isinstance(value, BaseResourceVariable):
        return VariableSpec.from_value(value)
    return specs.type_spec_from_value(value)


def convert_variables_to_tensors(values: Any) -> Any:
    """Returns a structure with the values of variables in their place, in composite tensors too.

    Args:
        values: A structure.
    """

    def convert(value: Any) -> Any:
        if isinstance(value, BaseResourceVariable):
            return convert_to_tensor(value)
        is_composite = composite_spec(value) is not None
        inner = getattr(value, "_convert_variables_to_tensors", None) if is_composite else None
        return value if inner is None else inner()

    return nest.map_structure(convert, values)


# ------------------------------------------------------------------ names of the classes of type specs


C = TypeVar("C", bound=type)
_NAME = re.compile(r"^(\w+\.)+\w+$")
_CLASSES: dict[str, Any] = {
    "tf.TensorSpec": TensorSpec,
    "tf.SparseTensorSpec": SparseTensorSpec,
    "tf.RaggedTensorSpec": RaggedTensorSpec,
    "tf.TensorArraySpec": TensorArraySpec,
    "tf.VariableSpec": VariableSpec,
}
_NAMES: dict[Any, str] = {cls: name for name, cls in _CLASSES.items()}


def register(name: str) -> Callable[[C], C]:
    """Decorator that registers a class of type specs under a name.

    Args:
        name: The name, ``project.type``.

    Raises:
        TypeError: ``name`` is not a string, or the class is not one of type specs.
        ValueError: The name has another form, or the name or the class is registered already.
    """
    if not isinstance(name, str):
        raise TypeError(f"Expected `name` to be a string; got {name!r}")
    if not _NAME.match(name):
        raise ValueError(
            "Registered name must have the form '{project_name}.{type_name}' "
            f"(e.g. 'my_project.MyTypeSpec'); got {name!r}."
        )

    def decorate(cls: C) -> C:
        if not (isinstance(cls, type) and issubclass(cls, TypeSpec)):
            raise TypeError(f"Expected `cls` to be a TypeSpec; got {cls!r}")
        if cls in _NAMES:
            raise ValueError(
                f"Class {cls.__module__}.{cls.__name__} has already been registered with name {get_name(cls)}."
            )
        if name in _CLASSES:
            other = _CLASSES[name]
            raise ValueError(
                f"Name {name} has already been registered for class {other.__module__}.{other.__name__}."
            )
        _CLASSES[name], _NAMES[cls] = cls, name
        return cls

    return decorate


def get_name(cls: Any) -> str:
    """Returns the name of a class of type specs.

    Args:
        cls: The class.

    Raises:
        TypeError: It is not a class of type specs.
        ValueError: It is not registered.
    """
    if not (isinstance(cls, type) and issubclass(cls, TypeSpec)):
        raise TypeError(f"Expected `cls` to be a TypeSpec; got {cls!r}")
    if cls not in _NAMES:
        raise ValueError(f"TypeSpec {cls.__module__}.{cls.__name__} has not been registered.")
    return _NAMES[cls]


def find(name: str) -> Any:
    """Returns the class of type specs of a name, None for a name that is not registered."""
    return _CLASSES.get(name)


def lookup(name: str) -> Any:
    """Returns the class of type specs of a name.

    Args:
        name: The name.

    Raises:
        TypeError: ``name`` is not a string.
        ValueError: No class is registered with it.
    """
    if not isinstance(name, str):
        raise TypeError(f"Expected `name` to be a string; got {name!r}")
    if name not in _CLASSES:
        raise ValueError(f"No TypeSpec has been registered with name {name!r}")
    return _CLASSES[name]
