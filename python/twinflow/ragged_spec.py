"""RaggedTensorSpec."""

from __future__ import annotations

from typing import Any

from . import dtypes
from .dtypes import as_dtype, int64
from .ragged_tensor import RaggedTensor
from .shapes import TensorShape
from .tensor import Tensor


class RaggedTensorSpec:
    """The shape and type of a ragged tensor that is not there yet.

    Args:
        shape: The shape, with None for ragged dimensions.
        dtype: The type of the elements.
        ragged_rank: The number of ragged dimensions; all but the first where None.
        row_splits_dtype: int32 or int64.
    """

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        ragged_rank: int | None = None,
        row_splits_dtype: Any = int64,
    ) -> None:
        self._shape, self._dtype = TensorShape(shape), as_dtype(dtype)
        self._row_splits_dtype = as_dtype(row_splits_dtype)
        rank = self._shape.rank
        if ragged_rank is None:
            if rank is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = rank - 1
        self._ragged_rank = ragged_rank

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

    def _parts(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RaggedTensorSpec) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(self._parts())

    def __repr__(self) -> str:
        shape, dtype, rank, splits = self._parts()
        return f"RaggedTensorSpec({shape!r}, {dtype!r}, {rank}, {splits!r})"
