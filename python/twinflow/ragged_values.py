"""Ragged tensors with other values, and as other things."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from .dtypes import as_dtype
from .op import API
from .ragged_making import _INDEX_TYPES, as_values, is_ragged, size_of


class Converted:
    """The methods of ragged tensors that make other things of them."""

    __slots__ = ()

    if TYPE_CHECKING:  # what ragged tensors have

        def __init__(self, values: Any, row_splits: Any, uniform: Any = None) -> None: ...

        def __getattr__(self, name: str) -> Any: ...

    def with_values(self, new_values: Any) -> Any:
        """Returns these rows with other elements.

        Args:
            new_values: As many values.

        Returns:
            A ragged tensor.
        """
        new_values = as_values(new_values)
        if size_of(new_values) != size_of(self._values):
            raise ValueError(
                f"Shapes {new_values.shape[:1]} and {self._values.shape[:1]} are incompatible"
            )
        return type(self)(new_values, self._splits, self._uniform)

    def with_flat_values(self, new_values: Any) -> Any:
        """Returns these rows with other innermost elements.

        Args:
            new_values: As many values.

        Returns:
            A ragged tensor.
        """
        inner = self._values
        if is_ragged(inner):
            return self.with_values(inner.with_flat_values(new_values))
        return self.with_values(new_values)

    def with_row_splits_dtype(self, dtype: Any) -> Any:
        """Returns these rows with splits of another type.

        Args:
            dtype: int32 or int64.

        Returns:
            A ragged tensor.

        Raises:
            ValueError: It is another type.
        """
        wanted, inner = as_dtype(dtype), self._values
        if wanted not in _INDEX_TYPES:
            raise ValueError(
                f"Argument `row_splits` dtype must be int32 or int64. Received {dtype}."
            )
        if is_ragged(inner):
            inner = inner.with_row_splits_dtype(wanted)
        return type(self)(inner, API["cast"](self._splits, wanted), self._uniform)

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Any:
        """Returns these elements with adjacent dimensions made one.

        Args:
            outer_axis: The first of the dimensions.
            inner_axis: The last of them.

        Returns:
            A tensor or ragged tensor.
        """
        rank = self.shape.rank
        outer, inner = outer_axis % rank, inner_axis % rank
        if outer == inner:
            return self
        if outer > 0:
            if outer == 1 and not is_ragged(self._values):
                return self._with_merged_rows(inner)
            if outer == 1:
                nested = self._values
                splits = API["gather"](nested.row_splits, self._splits)
                merged = type(self)(nested.values, splits)
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
        return type(self)(flat, self._splits * factor)

    def to_tensor(
        self, default_value: Any = None, name: str | None = None, shape: Any = None
    ) -> Any:
        """Returns a tensor that holds all rows, filled up to one length.

        Args:
            default_value: What fills rows up; zero or an empty string where None.
            name: A name for the operation.
            shape: The shape, with None for as large as needed; or None.

        Returns:
            A tensor.
        """
        from . import ragged_convert

        return ragged_convert.to_tensor(self, default_value, shape)

    def to_sparse(self, name: str | None = None) -> Any:
        """Returns a sparse tensor of the same elements.

        Args:
            name: A name for the operation.

        Returns:
            A sparse tensor.
        """
        from .sparse_tensor import SparseTensor

        rowids = [ids._host() for ids in self.nested_value_rowids()]
        columns: list[Any] = []
        index = np.arange(size_of(self.flat_values))
        for ids, splits in zip(reversed(rowids), reversed(self.nested_row_splits), strict=True):
            columns.insert(0, index - splits._host()[:-1][ids])
            index = ids
            columns = [columns[0], *columns[1:]]
        expanded = [index]
        for ids in rowids[1:]:
            expanded[0] = expanded[0][ids]
        rows, depth = expanded[0], len(rowids)
        for level in range(depth - 1):
            for ids in rowids[level + 1 :]:
                columns[level] = columns[level][ids]
        indices = np.stack([rows, *columns], axis=1).astype(np.int64)
        return SparseTensor(indices, self.flat_values, self._bounds())

    def to_list(self) -> list[Any]:
        """Returns nested lists of the elements."""
        splits = self._splits._host().tolist()
        inner = self._values
        items = inner.to_list() if is_ragged(inner) else inner.numpy().tolist()
        return [items[a:b] for a, b in itertools.pairwise(splits)]

    def numpy(self) -> np.ndarray[Any, Any]:
        """Returns a NumPy array, of arrays for rows of different lengths."""
        splits, values = self._splits._host(), np.asarray(self._values.numpy())
        rows = [values[a:b] for a, b in itertools.pairwise(splits)]
        if not rows:
            return np.zeros((0, 0) + values.shape[1:], dtype=values.dtype)
        if all(len(row) == len(rows[0]) for row in rows):
            return np.array(rows)
        return _object_rows(rows)

    def _printed(self, summarize: int) -> bytes:
        """How ``tf.print`` shows it."""
        from .ops.text import ragged_text

        return ragged_text(self, summarize)


def _object_rows(rows: list[Any]) -> np.ndarray[Any, Any]:
    result = np.empty(len(rows), object)
    for i, row in enumerate(rows):
        result[i] = row
    return result
