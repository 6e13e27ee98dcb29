"""``tf.types.experimental``: abstract classes for ``isinstance`` checks."""

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
    """Objects that are convertible to tensors by a ``__tf_tensor__`` method."""

    @classmethod
    def __subclasshook__(cls, other: type) -> bool:
        if cls is not TensorProtocol:
            return NotImplemented
        # Ragged and sparse tensors are not converted implicitly if the op supports them.
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
    """The type of an argument of a traced function; ``tf.TypeSpec`` is a subclass."""

    __module__ = "twinflow.types.experimental"

    @abc.abstractmethod
    def is_subtype_of(self, other: Any) -> bool:
        """Returns True if a trace for ``other`` can be called with values of this type.

        Args:
            other: Another type.
        """

    @abc.abstractmethod
    def most_specific_common_supertype(self, others: Any) -> Any:
        """Returns the most specific type that covers this type and all others, or None.

        Args:
            others: Other types.
        """

    @abc.abstractmethod
    def placeholder_value(self, placeholder_context: Any) -> Any:
        """Returns a placeholder for the argument during tracing.

        Args:
            placeholder_context: The tracing context.
        """

    def cast(self, value: Any, casting_context: Any) -> Any:
        """Converts a value to this type.

        Args:
            value: The value.
            casting_context: The rules of the conversion.
        """
        return value

    def flatten(self) -> list[Any]:
        """Returns the specs of the component tensors; empty by default."""
        return []

    def to_tensors(self, value: Any) -> list[Any]:
        """Returns the component tensors of a value; empty by default.

        Args:
            value: The value.
        """
        return []

    def from_tensors(self, tensors: Any) -> Any:
        """Builds a value from its component tensors.

        Args:
            tensors: An iterator of tensors.
        """
        return self.placeholder_value(None)

    @abc.abstractmethod
    def __eq__(self, other: object) -> bool: ...

    @abc.abstractmethod
    def __hash__(self) -> int: ...


class Callable(metaclass=abc.ABCMeta):  # noqa: B024
    """A callable that was created from a Python function, such as a ``tf.function``."""

    __module__ = "twinflow.types.experimental"


class PolymorphicFunction(Callable):
    """A callable that is traced for each input signature, as returned by ``tf.function``."""

    __module__ = "twinflow.types.experimental"


class ConcreteFunction(Callable):
    """A callable that is a single trace of a function."""

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
