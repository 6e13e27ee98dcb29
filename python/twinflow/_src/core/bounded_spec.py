"""Specs of tensors with bounds of their elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from twinflow._src.core.dtypes import as_dtype
from twinflow._src.core.specs import TensorSpec


class BoundedTensorSpec(TensorSpec):
    """The shape, the dtype, and inclusive bounds of the elements of a tensor.

    Args:
        shape: A value that ``tf.TensorShape`` takes.
        dtype: The dtype of the elements.
        minimum: The lower bounds, which broadcast to the shape.
        maximum: The upper bounds.
        name: A name.

    Raises:
        ValueError: A bound is None, or does not broadcast to the shape.
    """

    __slots__ = ("_maximum", "_minimum")

    def __init__(
        self, shape: Any, dtype: Any, minimum: Any, maximum: Any, name: str | None = None
    ) -> None:
        super().__init__(shape, dtype, name)
        self._minimum = self._bound("minimum", minimum)
        self._maximum = self._bound("maximum", maximum)

    def _bound(self, which: str, value: Any) -> np.ndarray[Any, Any]:
        if value is None:
            raise ValueError(f"`{which}` can not be None.")
        dims = self._shape._dims or ()
        pairs = zip(reversed(np.shape(value)), reversed(dims))
        if not all(dim is None or 1 in (size, dim) or size == dim for size, dim in pairs):
            raise ValueError(f"`{which}` {value} is not compatible with shape {self._shape}.")
        bound = np.array(value, dtype=self._dtype.as_numpy_dtype)
        bound.setflags(write=False)
        return bound

    @classmethod
    def from_spec(cls, spec: Any) -> BoundedTensorSpec:  # type: ignore[override]
        """Returns a copy of a spec, with the bounds of its dtype where it has none.

        Args:
            spec: A ``TensorSpec``, ``BoundedTensorSpec``, or an object with a shape, a dtype and a name.
        """
        dtype = as_dtype(spec.dtype)
        minimum, maximum = getattr(spec, "minimum", dtype.min), getattr(spec, "maximum", dtype.max)
        return cls(spec.shape, dtype, minimum, maximum, spec.name)

    @property
    def minimum(self) -> np.ndarray[Any, Any]:
        """The lower bounds, which broadcast to the shape."""
        return self._minimum

    @property
    def maximum(self) -> np.ndarray[Any, Any]:
        """The upper bounds, which broadcast to the shape."""
        return self._maximum

    def __repr__(self) -> str:
        return (
            f"BoundedTensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r}, "
            f"minimum={self._minimum!r}, maximum={self._maximum!r})"
        )

    def _has_bounds_of(self, other: Any) -> bool:
        return (
            isinstance(other, BoundedTensorSpec)
            and np.allclose(self._minimum, other._minimum)
            and np.allclose(self._maximum, other._maximum)
        )

    def __eq__(self, other: object) -> bool:
        return self._has_bounds_of(other) and super().__eq__(other)

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype))

    def most_specific_compatible_type(self, other: Any) -> BoundedTensorSpec:
        """Returns the most specific spec that matches every tensor of both.

        Args:
            other: A spec with the same bounds.

        Raises:
            ValueError: The dtypes, the names or the bounds differ.
        """
        if not self._has_bounds_of(other) or (self._dtype, self._name) != (
            other._dtype, other._name,
        ):  # fmt: skip
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        shape = self._shape.most_specific_compatible_shape(other._shape)
        return BoundedTensorSpec(shape, self._dtype, self._minimum, self._maximum, self._name)

    def most_specific_common_supertype(self, others: Sequence[Any]) -> BoundedTensorSpec | None:
        """Returns the most specific spec that matches every tensor of all specs, or None.

        Args:
            others: Specs.
        """
        supertype = self
        for other in others:
            try:
                supertype = supertype.most_specific_compatible_type(other)
            except ValueError:
                return None
        return supertype

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._minimum, self._maximum, self._name

    def __reduce__(self) -> tuple[Any, ...]:
        return BoundedTensorSpec, self._serialize()
