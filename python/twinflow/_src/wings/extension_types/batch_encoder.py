"""Specs of batches and of their elements, and the encoder of batches of extension types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.specs import TypeSpec
from twinflow._src.dispatch.op import export


def _map_fields(function: Callable[[Any], Any], value: Any) -> Any:
    """Applies a function to the shapes and specs in a field of a spec."""
    if isinstance(value, (TensorShape, TypeSpec)):
        return function(value)
    if isinstance(value, tuple):
        return tuple(_map_fields(function, item) for item in value)
    if isinstance(value, Mapping):
        return type(value)({key: _map_fields(function, item) for key, item in value.items()})  # type: ignore[call-arg]
    return value


def _batched(value: Any, size: Any) -> Any:
    """Returns a shape or spec with a further first dimension."""
    if isinstance(value, TensorShape):
        return TensorShape([size]).concatenate(value)
    return value._batch(size)


def _unbatched(value: Any) -> Any:
    """Returns a shape or spec without its first dimension."""
    if isinstance(value, TensorShape):
        return value[1:]
    return value._unbatch()


class ExtensionTypeBatchEncoder:
    """Encoder of extension types as tensors that are sliced and stacked.

    A subclass is assigned to ``__batch_encoder__`` of a ``BatchableExtensionType``.
    """

    __module__ = "twinflow.experimental"

    def batch(self, spec: Any, batch_size: Any) -> Any:
        """Returns the spec of a batch.

        Args:
            spec: The spec of an element.
            batch_size: The number of elements, or None.
        """
        parts = [_map_fields(lambda x: _batched(x, batch_size), p) for p in spec._serialize()]
        return spec._with_parts(parts)

    def unbatch(self, spec: Any) -> Any:
        """Returns the spec of an element.

        Args:
            spec: The spec of a batch.
        """
        return spec._with_parts([_map_fields(_unbatched, part) for part in spec._serialize()])

    def encode(self, spec: Any, value: Any, minimum_rank: int = 0) -> Any:
        """Returns the tensors of a value, whose first dimensions are that of the batch.

        Args:
            spec: The spec of the value.
            value: An extension type.
            minimum_rank: The smallest rank of the tensors.
        """
        return tuple(value.__dict__[name] for name in self._tensor_fields(spec))

    def decode(self, spec: Any, encoded_value: Any) -> Any:
        """Returns the value of tensors; the inverse of ``encode``.

        Args:
            spec: The spec of the value.
            encoded_value: The tensors.
        """
        tensors = dict(zip(self._tensor_fields(spec), encoded_value, strict=True))
        result: Any = object.__new__(spec.value_type)
        for name in type(spec)._fields_of:
            result.__dict__[name] = tensors.get(name, spec.__dict__[name])
        result.__validate__()
        return result

    def encoding_specs(self, spec: Any) -> Any:
        """Returns the specs of the tensors that ``encode`` returns.

        Args:
            spec: The spec of a value.
        """
        return tuple(spec.__dict__[name] for name in self._tensor_fields(spec))

    def _tensor_fields(self, spec: Any) -> list[str]:
        """Returns the names of the fields that are tensors."""
        return [name for name in type(spec)._fields_of if isinstance(spec.__dict__[name], TypeSpec)]


export("experimental.ExtensionTypeBatchEncoder")(ExtensionTypeBatchEncoder)
