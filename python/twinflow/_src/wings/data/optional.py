"""``tf.experimental.Optional``: values that may be absent."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.core.dtypes import bool_, variant
from twinflow._src.core.errors import OutOfRangeError, invalid
from twinflow._src.core.specs import TensorSpec, TypeSpec
from twinflow._src.dispatch.docstrings import documented_like
from twinflow._src.wings.data.dataset import makes
from twinflow._src.wings.data.dataset_ops import (
    box,
    component_tensors,
    element_attrs,
    element_results,
    packed,
    run_op,
)
from twinflow._src.wings.data.structure import Elements, map_leaves, normalized, spec_of

_VARIANT: tuple[list[Any], list[Any], bool] = [variant], [()], True


class Optional:
    """A value that may be absent: base class of optionals."""

    __module__ = "twinflow.experimental"

    def has_value(self, name: str | None = None) -> Any:
        """Returns a bool scalar: True if there is a value.

        Args:
            name: A name for the operation.
        """
        raise NotImplementedError("Optional.has_value()")

    def get_value(self, name: str | None = None) -> Any:
        """Returns the value; raises InvalidArgumentError if there is none.

        Args:
            name: A name for the operation.
        """
        raise NotImplementedError("Optional.get_value()")

    @property
    def element_spec(self) -> Any:
        """The type specification of the value."""
        raise NotImplementedError("Optional.element_spec")

    @staticmethod
    def empty(element_spec: Any) -> Optional:
        """Returns an optional without a value.

        Args:
            element_spec: The structure of specs of the value.
        """
        tensor = run_op("OptionalNone", lambda: box(None), [], (), _VARIANT)
        return _OptionalImpl(tensor, element_spec)

    @staticmethod
    def from_value(value: Any) -> Optional:
        """Returns an optional with a value.

        Args:
            value: A structure of tensors.
        """
        tensors = normalized(value)
        spec = map_leaves(spec_of, tensors)
        parts = component_tensors(Elements(spec), tensors)
        tensor = run_op("OptionalFromValue", lambda *arrays: box(arrays), parts, (), _VARIANT)
        return _OptionalImpl(tensor, spec)


class _OptionalImpl(Optional):
    """An optional in a variant tensor.

    Args:
        variant_tensor: The variant.
        element_spec: The structure of specs of the value.
    """

    def __init__(self, variant_tensor: Any, element_spec: Any) -> None:
        self._variant_tensor, self._element_spec = variant_tensor, element_spec

    def has_value(self, name: str | None = None) -> Any:
        """Returns a bool scalar: True if there is a value."""
        kernel = lambda value: np.asarray(value[()] is not None)
        inputs, results = [self._variant_tensor], ([bool_], [()], True)
        return run_op("OptionalHasValue", kernel, inputs, (), results, name=name)

    def get_value(self, name: str | None = None) -> Any:
        """Returns the value; raises InvalidArgumentError if there is none."""

        def kernel(value: Any) -> Any:
            if value[()] is None:
                raise invalid("The given optional does not have a value.")
            return list(value[()])

        elements = Elements(self._element_spec)
        results = element_results(elements)
        attrs, inputs = element_attrs(elements), [self._variant_tensor]
        tensors = run_op("OptionalGetValue", kernel, inputs, (), results, name=name, attrs=attrs)
        return packed(elements, tensors)

    @property
    def element_spec(self) -> Any:
        """The type specification of the value."""
        return self._element_spec

    @property
    def _type_spec(self) -> OptionalSpec:
        return OptionalSpec(self._element_spec)


@documented_like(_OptionalImpl)
class OptionalSpec(TypeSpec):
    """The type of optionals whose values have a type."""

    __module__ = "twinflow"

    __slots__ = ("_element_spec",)

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    @property
    def value_type(self) -> type:
        """The class of optionals."""
        return _OptionalImpl

    @property
    def _component_specs(self) -> list[TensorSpec]:
        return [TensorSpec([], variant)]

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_spec,)

    def _to_components(self, value: Any) -> list[Any]:
        return [value._variant_tensor]

    def _from_components(self, parts: Any) -> Any:
        return _OptionalImpl(parts[0], self._element_spec)

    @staticmethod
    def from_value(value: Any) -> OptionalSpec:
        """Returns the spec of an optional.

        Args:
            value: The optional.
        """
        return OptionalSpec(value.element_spec)

    def __repr__(self) -> str:
        return f"OptionalSpec({self._element_spec!r},)"


@makes("next_as_optional")
def next_as_optional(iterator: Any, elements: Elements) -> Optional:
    """Returns the next element of an iterator resource as an optional, empty at the end."""

    def kernel(value: Any) -> Any:
        try:
            return box(tuple(value[()].next_arrays()))
        except OutOfRangeError:
            return box(None)

    attrs = element_attrs(elements)
    tensor = run_op(
        "IteratorGetNextAsOptional", kernel, [iterator], (), _VARIANT, True, attrs=attrs
    )
    return _OptionalImpl(tensor, elements.spec)


def get_next_as_optional(iterator: Any) -> Optional:
    """Returns the next element of an iterator as an optional, empty at the end.

    Args:
        iterator: An iterator over a dataset.
    """
    return iterator.get_next_as_optional()
