"""Methods of ``tf.RaggedTensor`` for conversion and for replacing values."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from twinflow._src.composite_tensors.ragged_factories import as_values, is_ragged
from twinflow._src.composite_tensors.row_partition import INDEX_TYPES
from twinflow._src.core.dtypes import as_dtype, int64
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.op import API

# Axes of ragged tensors.


def positive_axis(axis: int, rank: int, what: str = "axis") -> int:
    """Returns the non-negative axis.

    ``what`` is its name in errors. Raises TypeError for other types, and ValueError if the axis is
    out of range.
    """
    if not isinstance(axis, int):
        raise TypeError(f"{what} must be an int; got {type(axis).__name__}")
    if not -rank <= axis < rank:
        raise ValueError(f"{what}={axis} out of bounds: expected {-rank}<={what}<{rank}")
    return axis % rank


# Methods of ``tf.RaggedTensor`` for conversion and for replacing values.


class Converted:
    """Mixin of conversions between ragged tensors and other tensors."""

    __slots__ = ()

    if TYPE_CHECKING:  # attributes of ragged tensors

        def __init__(self, values: Any, row_partition: Any, internal: bool = False) -> None: ...

        def __getattr__(self, name: str) -> Any: ...

    @classmethod
    def from_tensor(
        cls,
        tensor: Any,
        lengths: Any = None,
        padding: Any = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: Any = int64,
    ) -> Any:
        """Converts a dense tensor to a ragged tensor, optionally without padding.

        Args:
            tensor: A tensor of rank 2 or more.
            lengths: The row lengths, or None.
            padding: The trailing padding value to remove, or None.
            ragged_rank: The number of ragged dimensions.
            name: A name for the operation.
            row_splits_dtype: int32 or int64.

        Returns:
            A ragged tensor.

        Raises:
            ValueError: The rank is less than 2, or both lengths and padding are not None.
        """
        from twinflow._src.wings.ragged import convert as ragged_convert

        return ragged_convert.from_tensor(tensor, lengths, padding, ragged_rank, row_splits_dtype)

    @classmethod
    def from_sparse(
        cls, st_input: Any, name: str | None = None, row_splits_dtype: Any = int64
    ) -> Any:
        """Converts a sparse matrix, whose rows are filled from the left, to a ragged tensor.

        Args:
            st_input: A sparse tensor of rank 2.
            name: A name for the operation.
            row_splits_dtype: int32 or int64.

        Returns:
            A ragged tensor.

        Raises:
            TypeError: The input is not a sparse tensor.
            ValueError: It is not of rank 2.
            InvalidArgumentError: A row is not filled from the left.
        """
        from twinflow._src.wings.ragged import convert as ragged_convert

        return ragged_convert.from_sparse(st_input, as_dtype(row_splits_dtype))

    def with_values(self, new_values: Any) -> Any:
        """Returns a copy with the same rows and other values.

        Args:
            new_values: The new values, as many as before.

        Returns:
            A ragged tensor.
        """
        new_values = as_values(new_values)
        new_values.shape.with_rank_at_least(1)
        self._values.shape[:1].assert_is_compatible_with(new_values.shape[:1])
        return type(self)(new_values, self._partition, internal=True)

    def with_flat_values(self, new_values: Any) -> Any:
        """Returns a copy with the same rows and other flat values.

        Args:
            new_values: The new flat values, as many as before.

        Returns:
            A ragged tensor.
        """
        inner = self._values
        if is_ragged(inner):
            return self.with_values(inner.with_flat_values(new_values))
        return self.with_values(new_values)

    def with_row_splits_dtype(self, dtype: Any) -> Any:
        """Returns a copy with row splits of another dtype.

        Args:
            dtype: int32 or int64.

        Returns:
            A ragged tensor.

        Raises:
            ValueError: The dtype is not supported.
        """
        splits_dtype, inner = as_dtype(dtype), self._values
        if splits_dtype not in INDEX_TYPES:
            raise ValueError(
                f"Argument `row_splits` dtype must be int32 or int64. Received {dtype}."
            )
        if is_ragged(inner):
            inner = inner.with_row_splits_dtype(splits_dtype)
        return type(self)(inner, self._partition.with_dtype(splits_dtype), internal=True)

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Any:
        """Merges adjacent dimensions into one.

        Args:
            outer_axis: The first dimension of the range.
            inner_axis: The last dimension of the range.

        Returns:
            A dense or ragged tensor.

        Raises:
            ValueError: An axis is out of range, or the first comes after the last.
        """
        rank = self.shape.rank
        outer = positive_axis(outer_axis, rank, "outer_axis")
        inner = positive_axis(inner_axis, rank, "inner_axis")
        if outer > inner:
            raise ValueError(
                f"Expected outer_axis ({outer_axis}) to be less than or equal to inner_axis "
                f"({inner_axis})."
            )
        if outer == inner:
            return self
        if outer > 0:
            if outer == 1 and not is_ragged(self._values):
                return self._with_merged_rows(inner)
            if outer == 1:
                nested = self._values
                splits = API["gather"](nested.row_splits, self._splits)
                merged = self._of(nested.values, splits)
                return merged if inner == 2 else merged.merge_dims(1, inner - 1)
            return self.with_values(self._values.merge_dims(outer - 1, inner - 1))
        if inner == 1:
            return self._values
        if is_ragged(self._values):
            return self._values.merge_dims(0, inner - 1)
        return API["reshape"](self._values, [-1, *self._values.shape.as_list()[inner:]])

    def _with_merged_rows(self, inner: int) -> Any:
        dims = self._values.shape.as_list()
        factor = int(np.prod(dims[1:inner]))
        flat = API["reshape"](self._values, [-1, *dims[inner:]])
        return self._of(flat, self._splits * factor)

    def to_tensor(
        self, default_value: Any = None, name: str | None = None, shape: Any = None
    ) -> Any:
        """Pads the rows to a dense tensor.

        Args:
            default_value: The padding value; zero or an empty string if None.
            name: A name for the operation.
            shape: The shape, with None for inferred sizes; or None.

        Returns:
            A dense tensor.
        """
        from twinflow._src.wings.ragged import convert as ragged_convert

        return ragged_convert.to_tensor(self, default_value, shape)

    def to_sparse(self, name: str | None = None) -> Any:
        """Converts to a sparse tensor of the same elements.

        Args:
            name: A name for the operation.

        Returns:
            A sparse tensor.
        """
        from twinflow._src.wings.ragged import convert as ragged_convert

        return ragged_convert.to_sparse(self)

    def to_list(self) -> list[Any]:
        """Returns the elements as nested lists."""
        if not isinstance(self._splits, EagerTensor):
            raise ValueError("to_list can only be used in eager mode.")
        splits = self._splits._host().tolist()
        inner = self._values
        items = inner.to_list() if is_ragged(inner) else inner.numpy().tolist()
        return [items[a:b] for a, b in itertools.pairwise(splits)]

    def numpy(self) -> np.ndarray[Any, Any]:
        """Returns a NumPy array; an object array of arrays if rows differ in length."""
        if not isinstance(self._splits, EagerTensor):
            raise ValueError("RaggedTensor.numpy() is only supported in eager mode.")
        splits, values = self._splits._host(), np.asarray(self._values.numpy())
        rows = [values[a:b] for a, b in itertools.pairwise(splits)]
        if not rows:
            return np.zeros((0, 0) + values.shape[1:], dtype=values.dtype)
        if all(len(row) == len(rows[0]) for row in rows):
            return np.array(rows)
        return _object_rows(rows)

    def _printed(self, summarize: int) -> bytes:
        """Returns the string for ``tf.print``."""
        from twinflow._src.ops.strings.text import ragged_text

        return ragged_text(self, summarize)


def _object_rows(rows: list[Any]) -> np.ndarray[Any, Any]:
    result = np.empty(len(rows), object)
    for i, row in enumerate(rows):
        result[i] = row
    return result
