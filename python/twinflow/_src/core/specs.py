"""``TypeSpec`` and ``TensorSpec``: descriptions of tensors and composite tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import DType, as_dtype
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.tensor import EagerTensor, Tensor

# The base class.


class TypeSpec:
    """Base class of type specs; ``_serialize`` returns the fields that identify a spec."""

    __module__ = "twinflow"

    __slots__ = ()

    # True for specs of values that are components of others and have none themselves.
    _is_component = False

    def _serialize(self) -> tuple[Any, ...]:
        raise NotImplementedError

    @classmethod
    def _deserialize(cls, serialization: Sequence[Any]) -> Any:
        """Returns the spec of the fields that ``_serialize`` returned."""
        return cls(*serialization)

    @property
    def value_type(self) -> type:
        """The Python type of the values that this spec describes."""
        raise NotImplementedError

    def _to_components(self, value: Any) -> list[Any]:
        """Returns the component tensors of a value."""
        raise NotImplementedError

    def _from_components(self, parts: Sequence[Any]) -> Any:
        """Returns the value of component tensors."""
        raise NotImplementedError

    def _consumers(self, value: Any) -> list[Any]:
        """Returns the graph operations that consume the components of a value."""
        parts = [
            part for part in self._to_components(value) if getattr(part, "graph", None) is not None
        ]
        return list(dict.fromkeys(operation for part in parts for operation in part.consumers()))

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Returns True if some value matches both this and another spec or value."""
        other = getattr(spec_or_value, "_type_spec", spec_or_value)
        if type(other) is not type(self):
            return False
        return _match(self._serialize(), other._serialize(), lambda a, b: a.is_compatible_with(b))

    def is_subtype_of(self, other: Any) -> bool:
        """Returns True if every value that matches this spec matches the other."""
        if type(other) is not type(self):
            return False
        return _match(self._serialize(), other._serialize(), lambda a, b: a.is_subtype_of(b))

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        """Returns the most specific spec that matches every value of all specs, or None."""
        fields = self._serialize()
        for other in others:
            if type(other) is not type(self):
                return None
            try:
                fields = _supertype(fields, other._serialize())
            except _NoSupertypeError:
                return None
        return type(self)(*fields)

    def most_specific_compatible_type(self, other: Any) -> Any:
        """Returns the most specific spec that matches every value of both.

        Raises:
            ValueError: No such spec exists.
        """
        supertype = self.most_specific_common_supertype([other])
        if supertype is None:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return supertype

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        """Returns the fields for equality and hashes, with shapes as tuples (None equals None)."""
        return tuple(map(_hashable, self._serialize()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self._serialize()))})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._serialize()

    def _with_tensor_ranks_only(self) -> Any:
        """Returns this spec with unknown sizes."""
        return type(self)(*(_map_field(_unsized, field) for field in self._serialize()))

    def _without_tensor_names(self) -> Any:
        """Returns this spec without the names of tensors."""
        return type(self)(*(_map_field(_unnamed, field) for field in self._serialize()))

    # Subclasses of libraries compare their fields with these two.
    @staticmethod
    def __is_compatible(a: Any, b: Any) -> bool:
        return _match(a, b, lambda x, y: x.is_compatible_with(y))

    def __make_cmp_key(self, value: Any) -> Any:
        return _hashable(value)


class DenseSpec(TypeSpec):
    """Base class of the specs of values with one shape and one dtype.

    Args:
        shape: A value that ``tf.TensorShape`` takes.
        dtype: The dtype of the elements.
        name: A name.
    """

    __slots__ = ("__weakref__", "_dtype", "_name", "_shape")

    def __init__(self, shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> None:
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(dtype)
        self._name = name

    @property
    def shape(self) -> TensorShape:
        """The shape."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """The name, or None."""
        return self._name

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._name

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(shape={self._shape}, dtype={self._dtype!r}, "
            f"name={self._name!r})"
        )


class BatchableTypeSpec(TypeSpec):
    """Base class of the specs of values that batches are made of, and of batches."""

    __slots__ = ()

    def _batch(self, batch_size: Any) -> Any:
        """Returns the spec of a batch of values."""
        raise NotImplementedError(f"{type(self).__name__}._batch")

    def _unbatch(self) -> Any:
        """Returns the spec of an element of a batch."""
        raise NotImplementedError(f"{type(self).__name__}._unbatch")


# Fields of specs: any structure of dictionaries, lists, tuples, arrays, shapes and specs.


def _hashable(field: Any) -> Any:
    """Returns a hashable value that is equal for equal fields."""
    if isinstance(field, TensorShape):
        return field._dims
    if isinstance(field, dict):
        return dict, tuple((key, _hashable(field[key])) for key in sorted(field))
    if isinstance(field, (list, tuple)):
        return type(field), tuple(map(_hashable, field))
    if isinstance(field, np.ndarray):
        return np.ndarray, field.shape, field.dtype.str, field.tobytes()
    return field


def _map_field(function: Callable[[Any], Any], field: Any) -> Any:
    """Applies a function to the shapes and specs in a field of a spec."""
    if isinstance(field, dict):
        return {key: _map_field(function, item) for key, item in field.items()}
    if isinstance(field, (list, tuple)) and not hasattr(field, "_fields"):
        return type(field)(_map_field(function, item) for item in field)
    return function(field) if isinstance(field, (TensorShape, TypeSpec)) else field


def _unsized(field: Any) -> Any:
    if isinstance(field, TypeSpec):
        return field._with_tensor_ranks_only()
    return field if field.rank is None else TensorShape([None] * field.rank)


def _unnamed(field: Any) -> Any:
    return field._without_tensor_names() if isinstance(field, TypeSpec) else field


def _match(a: Any, b: Any, match: Callable[[Any, Any], bool]) -> bool:
    """True if two fields are equal, but for shapes and specs, which ``match`` compares."""
    if isinstance(a, (TensorShape, TypeSpec)):
        return match(a, b)
    if isinstance(a, dict):
        return (
            type(a) is type(b)
            and a.keys() == b.keys()
            and all(_match(a[k], b[k], match) for k in a)
        )
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(_match, a, b, [match] * len(a)))
    return bool(_hashable(a) == _hashable(b))


class _NoSupertypeError(Exception):
    """Two fields have no common supertype."""


def _supertype(a: Any, b: Any) -> Any:
    """Returns the most specific field that includes two; shapes and specs may differ."""
    if isinstance(a, TensorShape):
        return a.most_specific_compatible_shape(b)
    supertype = a.most_specific_common_supertype([b]) if isinstance(a, TypeSpec) else None
    if supertype is not None:
        return supertype
    if isinstance(a, dict) and type(a) is type(b) and a.keys() == b.keys():
        return {key: _supertype(a[key], b[key]) for key in a}
    if isinstance(a, (list, tuple)) and type(a) is type(b) and len(a) == len(b):
        parts = map(_supertype, a, b)
        return type(a)(*parts) if hasattr(a, "_fields") else type(a)(parts)
    if isinstance(a, TypeSpec) or _hashable(a) != _hashable(b):
        raise _NoSupertypeError
    return a


# The spec of dense tensors.


class TensorSpec(DenseSpec, BatchableTypeSpec):
    """The shape, possibly not fully defined, and the dtype of a tensor.

    Args:
        shape: A value that ``tf.TensorShape`` takes.
        dtype: The dtype of the elements.
        name: A name.
    """

    __module__ = "twinflow"

    __slots__ = ()

    _is_component = True

    @property
    def value_type(self) -> type:
        """The Python type of the values that this spec describes."""
        return Tensor

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """Returns the spec of a tensor.

        Args:
            tensor: A tensor.
            name: A name; the name of the operation if None and the tensor is symbolic.

        Raises:
            ValueError: The value is not a tensor.
        """
        if not isinstance(tensor, Tensor):
            raise ValueError(f"`tensor` should be a tf.Tensor, but got type {type(tensor)}.")
        if name is None and not isinstance(tensor, EagerTensor):
            name = tensor.op.name  # type: ignore[attr-defined]
        return TensorSpec(tensor.shape, tensor.dtype, name)

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> TensorSpec:
        """Returns a copy of a spec, optionally with another name.

        Args:
            spec: A spec.
            name: A name; that of the other spec if None.
        """
        return cls(spec.shape, spec.dtype, name or spec.name)

    def is_compatible_with(self, spec_or_tensor: Any) -> bool:
        """Returns True if some tensor matches both this and another spec or tensor."""
        return (
            not hasattr(spec_or_tensor, "_type_spec")
            and hasattr(spec_or_tensor, "dtype")
            and hasattr(spec_or_tensor, "shape")
            and self._dtype.is_compatible_with(spec_or_tensor.dtype)
            and self._shape.is_compatible_with(spec_or_tensor.shape)
        )

    def is_subtype_of(self, other: Any) -> bool:
        """Returns True if every tensor that matches this spec matches the other."""
        return (
            isinstance(other, TensorSpec)
            and self._dtype is other._dtype
            and (not self._name or self._name == other._name)
            and self._shape.is_subtype_of(other._shape)
        )

    def _differs_in_shape_only(self, other: Any) -> bool:
        return isinstance(other, TensorSpec) and self._key()[1:] == other._key()[1:]

    def most_specific_compatible_type(self, other: TensorSpec) -> TensorSpec:
        """Returns the most specific spec that matches every tensor of both.

        Raises:
            ValueError: The dtypes or the names differ.
        """
        if not self._differs_in_shape_only(other):
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        shape = self._shape.most_specific_compatible_shape(other._shape)
        return TensorSpec(shape, self._dtype, self._name)

    def most_specific_common_supertype(self, others: Sequence[Any]) -> TensorSpec | None:
        """Returns the most specific spec that matches every tensor of all specs, or None."""
        supertype = self
        for other in others:
            if not supertype._differs_in_shape_only(other):
                return None
            supertype = supertype.most_specific_compatible_type(other)
        return supertype

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorSpec) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype))

    def _to_components(self, value: Any) -> list[Any]:
        return [value]

    def _from_components(self, parts: Sequence[Any]) -> Any:
        return parts[0]

    def _key(self) -> tuple[Any, ...]:
        return self._shape._dims, self._dtype, self._name

    def _batch(self, batch_size: Any) -> TensorSpec:
        return TensorSpec(TensorShape([batch_size]).concatenate(self._shape), self._dtype)

    def _without_tensor_names(self) -> TensorSpec:
        return self if self._name is None else TensorSpec(self._shape, self._dtype)

    def _unbatch(self) -> TensorSpec:
        if self._shape.rank == 0:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        return TensorSpec(self._shape[1:], self._dtype)

    def __reduce__(self) -> tuple[Any, ...]:
        return TensorSpec, (self._shape, self._dtype, self._name)


def type_spec_from_value(value: Any) -> Any:
    """Returns the TypeSpec of a tensor, composite tensor, or a value convertible to a tensor.

    Args:
        value: A tensor, array, number or nested sequence.

    Returns:
        A spec.

    Raises:
        TypeError: The value is not convertible to a tensor.
    """
    if hasattr(value, "_type_spec"):
        return value._type_spec
    if hasattr(value, "spec_of"):
        return value.spec_of(value)
    try:
        tensor = value if is_tensor(value) else convert_to_tensor(value)
    except (ValueError, TypeError) as error:
        raise TypeError(
            f"Could not build a TypeSpec for {value} of unsupported type {type(value)}."
        ) from error
    return TensorSpec(tensor.shape, tensor.dtype)
