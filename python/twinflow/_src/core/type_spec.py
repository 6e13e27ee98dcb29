"""``TypeSpec``: what the descriptions of values that are not there yet have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twinflow._src.core.shapes import TensorShape


class TypeSpec:
    """The type and the shape of a value; ``_serialize`` gives what tells it from others of its class."""

    __module__ = "twinflow"

    __slots__ = ()

    def _serialize(self) -> tuple[Any, ...]:
        raise NotImplementedError

    @property
    def value_type(self) -> type:
        """The class of the values that this describes."""
        raise NotImplementedError

    def _to_components(self, value: Any) -> list[Any]:
        """The tensors that a value is made of."""
        raise NotImplementedError

    def _from_components(self, parts: Sequence[Any]) -> Any:
        """The value that tensors make."""
        raise NotImplementedError

    def _consumers(self, value: Any) -> list[Any]:
        """The operations that take the tensors that a value is made of; none outside of graphs."""
        parts = [part for part in self._to_components(value) if getattr(part, "graph", None) is not None]
        return list(dict.fromkeys(operation for part in parts for operation in part.consumers()))

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether some value matches both this and another spec or value."""
        other = getattr(spec_or_value, "_type_spec", spec_or_value)
        if type(other) is not type(self):
            return False
        pairs = zip(self._serialize(), other._serialize(), strict=True)
        return all(
            a.is_compatible_with(b) if isinstance(a, TensorShape) else a == b for a, b in pairs
        )

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every value that matches this spec matches the other."""
        if type(other) is not type(self):
            return False
        pairs = zip(self._serialize(), other._serialize(), strict=True)
        return all(a.is_subtype_of(b) if isinstance(a, TensorShape) else a == b for a, b in pairs)

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        """The most precise spec that every value of all specs matches, or None."""
        fields = self._serialize()
        for other in others:
            if type(other) is not type(self):
                return None
            pairs = list(zip(fields, other._serialize(), strict=True))
            if any(a != b for a, b in pairs if not isinstance(a, TensorShape)):
                return None
            fields = tuple(
                a.most_specific_compatible_shape(b) if isinstance(a, TensorShape) else a
                for a, b in pairs
            )
        return type(self)(*fields)

    def most_specific_compatible_type(self, other: Any) -> Any:
        """The most precise spec that every value of both matches.

        Raises:
            ValueError: There is none.
        """
        found = self.most_specific_common_supertype([other])
        if found is None:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return found

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        """What is compared; unlike shapes themselves, their sizes compare as unknown or equal."""
        return tuple(f._dims if isinstance(f, TensorShape) else f for f in self._serialize())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self._serialize()))})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._serialize()
