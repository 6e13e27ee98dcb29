"""``tf.types.experimental``: classes to ask ``isinstance`` about."""

from __future__ import annotations

import abc
from typing import Any, Union

import numpy as np

from twinflow._src.core.specs import TypeSpec
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.op import export
from twinflow._src.function.concrete_function import ConcreteFunction as _ConcreteFunction
from twinflow._src.function.function import Function


class TensorProtocol(metaclass=abc.ABCMeta):  # noqa: B024
    """Objects that become tensors where one is asked for, by their method ``__tf_tensor__``."""

    @classmethod
    def __subclasshook__(cls, other: type) -> bool:
        if cls is not TensorProtocol:
            return NotImplemented
        # Ragged and sparse tensors become dense only where an operation takes no such ones.
        return hasattr(other, "__tf_tensor__") and not hasattr(other, "_type_spec")


TensorLike = Union[  # noqa: UP007 (what it prints as)
    Tensor,
    TensorProtocol,
    int,
    float,
    bool,
    str,
    bytes,
    complex,
    tuple,
    list,
    np.ndarray,
    np.generic,
]


class TraceType(abc.ABC):
    """What a trace of a function knows of an argument; specs are of this kind."""

    __module__ = "twinflow.types.experimental"

    @abc.abstractmethod
    def is_subtype_of(self, other: Any) -> bool:
        """Whether a trace for ``other`` serves values of this type.

        Args:
            other: Another type.
        """

    @abc.abstractmethod
    def most_specific_common_supertype(self, others: Any) -> Any:
        """The most precise type of the values of all types, or None.

        Args:
            others: Other types.
        """

    @abc.abstractmethod
    def placeholder_value(self, placeholder_context: Any) -> Any:
        """What stands for the argument while the function is traced.

        Args:
            placeholder_context: Where it is made.
        """

    def cast(self, value: Any, casting_context: Any) -> Any:
        """A value as a trace for this type takes it.

        Args:
            value: The value.
            casting_context: How far it may be changed.
        """
        return value

    def flatten(self) -> list[Any]:
        """The specs of the tensors that a value is made of: none, unless a class says otherwise."""
        return []

    def to_tensors(self, value: Any) -> list[Any]:
        """The tensors that a value is made of: none, unless a class says otherwise.

        Args:
            value: The value.
        """
        return []

    def from_tensors(self, tensors: Any) -> Any:
        """The value that tensors make.

        Args:
            tensors: An iterator of tensors.
        """
        return self.placeholder_value(None)

    @abc.abstractmethod
    def __eq__(self, other: object) -> bool: ...

    @abc.abstractmethod
    def __hash__(self) -> int: ...


class Callable(metaclass=abc.ABCMeta):  # noqa: B024
    """Functions that were made of Python functions."""

    __module__ = "twinflow.types.experimental"


class PolymorphicFunction(Callable):
    """Functions that are traced for each kind of arguments."""

    __module__ = "twinflow.types.experimental"


class ConcreteFunction(Callable):
    """Traces of functions."""

    __module__ = "twinflow.types.experimental"


TraceType.register(TypeSpec)
PolymorphicFunction.register(Function)
ConcreteFunction.register(_ConcreteFunction)

for _name, _class in {
    "TraceType": TraceType,
    "Callable": Callable,
    "GenericFunction": PolymorphicFunction,
    "PolymorphicFunction": PolymorphicFunction,
    "ConcreteFunction": ConcreteFunction,
}.items():
    export(f"types.experimental.{_name}")(_class)
