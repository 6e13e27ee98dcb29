"""RaggedTensorSpec."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor
from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import as_dtype, int64
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.tensor import Tensor
from twinflow._src.core.type_spec import TypeSpec


class RaggedTensorSpec(TypeSpec):
    """The shape and type of a ragged tensor that is not there yet.

    Args:
        shape: The shape, with None for ragged dimensions.
        dtype: The type of the elements.
        ragged_rank: The number of ragged dimensions; all but the first where None.
        row_splits_dtype: int32 or int64.
        flat_values_spec: What describes the innermost values, or None.
    """

    __module__ = "twinflow"

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        ragged_rank: int | None = None,
        row_splits_dtype: Any = int64,
        flat_values_spec: Any = None,
    ) -> None:
        self._shape = TensorShape(shape)
        self._row_splits_dtype, self._flat = as_dtype(row_splits_dtype), flat_values_spec
        if dtype is None and flat_values_spec is None:
            raise ValueError("At least one of dtype or flat_values_spec must be provided")
        self._dtype = as_dtype(flat_values_spec.dtype if dtype is None else dtype)
        rank = self._shape.rank
        if ragged_rank is None:
            if rank is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = rank - 1
        if not isinstance(ragged_rank, int):
            raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank}.")
        if rank is not None and ragged_rank >= rank:
            raise ValueError(
                f"Argument `ragged_rank` ({ragged_rank}) must be less than rank ({rank})."
            )
        self._ragged_rank = ragged_rank

    @classmethod
    def from_value(cls, value: Any) -> RaggedTensorSpec:
        """The shape and type of a ragged tensor.

        Args:
            value: A ragged tensor.
        """
        dtype = value.flat_values.dtype
        return cls(value.shape, dtype, value.ragged_rank, value.row_splits.dtype)

    @property
    def shape(self) -> TensorShape:
        """The shape."""
        return self._shape

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the elements."""
        return self._dtype

    @property
    def ragged_rank(self) -> int:
        """The number of ragged dimensions."""
        return self._ragged_rank

    @property
    def row_splits_dtype(self) -> dtypes.DType:
        """The type of the row splits."""
        return self._row_splits_dtype

    @property
    def value_type(self) -> type:
        """The class of the values that this describes."""
        return RaggedTensor if self._ragged_rank > 0 else Tensor

    @property
    def flat_values_spec(self) -> Any:
        """What describes the innermost values, where it was given; else None."""
        return self._flat

    def _serialize(self) -> tuple[Any, ...]:
        parts = (self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype)
        return parts if self._flat is None else (*parts, self._flat)

    def _to_components(self, value: Any) -> list[Any]:
        if not isinstance(value, RaggedTensor):
            return [value]
        return [value.flat_values, *value.nested_row_splits]

    def _from_components(self, parts: Sequence[Any]) -> Any:
        result, *nested = parts
        sizes = [None] * (len(nested) + 1) if self._shape.rank is None else self._shape.as_list()
        for splits, size in zip(reversed(nested), reversed(sizes[1 : len(nested) + 1])):
            result = RaggedTensor._of(result, splits, size)
        return result
