"""Making ragged tensors of their elements and a description of their rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from .constant import convert_to_tensor
from .dtypes import DType, int32, int64
from .op import API
from .tensor import Tensor

_INDEX_TYPES = (int32, int64)


def is_ragged(value: Any) -> bool:
    """Whether a value is a ragged tensor."""
    return isinstance(value, Rows)


def as_values(value: Any) -> Any:
    """A tensor, ragged or not."""
    return value if is_ragged(value) else convert_to_tensor(value)


def partition(value: Any, what: str, dtype: DType | None = None) -> Any:
    """A vector that describes rows, checked."""
    tensor = convert_to_tensor(value, dtype_hint=dtype or int64)
    if tensor.dtype not in _INDEX_TYPES:
        raise ValueError(f"{what} must have dtype int32 or int64")
    if tensor.shape.rank != 1:
        raise ValueError(f"Shape {tensor.shape} must have rank 1")
    return tensor


def size_of(values: Any) -> int:
    """The number of rows of a tensor, ragged or not."""
    return values._count() if is_ragged(values) else values.shape[0]


def _assert_fits(values: Any, total: int) -> None:
    if total != size_of(values):
        API["debugging.assert_equal"](
            convert_to_tensor(total, dtype=int64),
            convert_to_tensor(size_of(values), dtype=int64),
            message="Arguments to _from_row_partition do not form a valid RaggedTensor",
        )


class Rows:
    """The class methods that make ragged tensors."""

    __slots__ = ()

    def __init__(self, values: Any, row_splits: Any, uniform_row_length: int | None = None) -> None:
        raise NotImplementedError

    @classmethod
    def from_row_splits(
        cls, values: Any, row_splits: Any, name: str | None = None, validate: bool = True
    ) -> Any:
        """Makes a ragged tensor of its elements and of where its rows begin and end.

        Args:
            values: The elements.
            row_splits: Ascending positions from 0 to the number of elements.
            name: A name for the operation.
            validate: Whether the positions are checked.

        Returns:
            A ragged tensor.

        Raises:
            ValueError: The positions are no integers or no vector.
            InvalidArgumentError: They do not fit the elements.
        """
        if isinstance(row_splits, (list, tuple)) and not row_splits:
            raise ValueError("row_splits tensor may not be empty.")
        splits = partition(row_splits, "row_splits")
        if splits.shape[0] == 0:
            raise ValueError("row_splits tensor may not be empty.")
        values = as_values(values)
        if validate:
            what = "Arguments to from_row_splits do not form a valid RaggedTensor"
            zero = convert_to_tensor(0, dtype=splits.dtype)
            API["debugging.assert_equal"](splits[0], zero, message=f"{what}:zero")
            API["debugging.assert_non_negative"](
                splits[1:] - splits[:-1], message=f"{what}:monotonic"
            )
            _assert_fits(values, int(splits[-1]))
        return cls(values, splits)

    @classmethod
    def from_row_lengths(
        cls, values: Any, row_lengths: Any, name: str | None = None, validate: bool = True
    ) -> Any:
        """Makes a ragged tensor of its elements and the lengths of its rows.

        Args:
            values: The elements.
            row_lengths: The lengths.
            name: A name for the operation.
            validate: Whether the lengths are checked.

        Returns:
            A ragged tensor.

        Raises:
            InvalidArgumentError: The lengths are negative or do not fit the elements.
        """
        lengths, values = partition(row_lengths, "row_lengths"), as_values(values)
        if validate:
            API["debugging.assert_non_negative"](
                lengths, message="Arguments to from_row_lengths do not form a valid RowPartition"
            )
        splits = np.concatenate([[0], np.cumsum(lengths._host())]).astype(lengths.dtype.np)
        if validate:
            _assert_fits(values, int(splits[-1]))
        return cls(values, convert_to_tensor(splits))

    @classmethod
    def from_value_rowids(
        cls,
        values: Any,
        value_rowids: Any,
        nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Makes a ragged tensor of its elements and the row of each.

        Args:
            values: The elements.
            value_rowids: The row of each element, in ascending order.
            nrows: The number of rows; one more than the last row where None.
            name: A name for the operation.
            validate: Whether the rows are checked.

        Returns:
            A ragged tensor.

        Raises:
            ValueError: There are not as many rows as elements, or too few rows.
            InvalidArgumentError: The rows do not ascend.
        """
        rowids, values = partition(value_rowids, "value_rowids"), as_values(values)
        if rowids.shape[0] != size_of(values):
            raise ValueError(f"Shapes ({size_of(values)},) and {rowids.shape} are incompatible")
        ids = rowids._host()
        count = (int(ids[-1]) + 1 if ids.size else 0) if nrows is None else int(nrows)
        if count < 0:
            raise ValueError(f"Expected nrows >= 0; got {count}")
        if validate:
            what = "Arguments to from_value_rowids do not form a valid RowPartition"
            API["debugging.assert_non_negative"](rowids[1:] - rowids[:-1], message=what)
            API["debugging.assert_non_negative"](rowids[:1], message=what)
            if ids.size and nrows is not None:
                limit = convert_to_tensor(count, dtype=rowids.dtype)
                API["debugging.assert_less"](rowids[-1:], limit, message=what)
        lengths = np.bincount(ids, minlength=count) if count else np.zeros(0, np.int64)
        splits = np.concatenate([[0], np.cumsum(lengths)]).astype(rowids.dtype.np)
        return cls(values, convert_to_tensor(splits))

    @classmethod
    def from_row_starts(
        cls, values: Any, row_starts: Any, name: str | None = None, validate: bool = True
    ) -> Any:
        """Makes a ragged tensor of its elements and of where its rows begin.

        Args:
            values: The elements.
            row_starts: Ascending positions, the first of which is 0.
            name: A name for the operation.
            validate: Whether the positions are checked.

        Returns:
            A ragged tensor.

        Raises:
            InvalidArgumentError: The positions do not fit the elements.
        """
        starts, values = partition(row_starts, "row_starts"), as_values(values)
        end = convert_to_tensor([size_of(values)], dtype=starts.dtype)
        return cls.from_row_splits(values, API["concat"]([starts, end], 0), validate=validate)

    @classmethod
    def from_row_limits(
        cls, values: Any, row_limits: Any, name: str | None = None, validate: bool = True
    ) -> Any:
        """Makes a ragged tensor of its elements and of where its rows end.

        Args:
            values: The elements.
            row_limits: Ascending positions, the last of which is the number of elements.
            name: A name for the operation.
            validate: Whether the positions are checked.

        Returns:
            A ragged tensor.

        Raises:
            InvalidArgumentError: The positions do not fit the elements.
        """
        limits = partition(row_limits, "row_limits")
        zero = convert_to_tensor([0], dtype=limits.dtype)
        return cls.from_row_splits(values, API["concat"]([zero, limits], 0), validate=validate)

    @classmethod
    def from_uniform_row_length(
        cls,
        values: Any,
        uniform_row_length: Any,
        nrows: Any = None,
        validate: bool = True,
        name: str | None = None,
    ) -> Any:
        """Makes a ragged tensor whose rows have one length.

        Args:
            values: The elements.
            uniform_row_length: The length of the rows.
            nrows: The number of rows; needed where the length is 0.
            validate: Whether the length is checked.
            name: A name for the operation.

        Returns:
            A ragged tensor.

        Raises:
            ValueError: The length does not divide the number of elements.
        """
        values, length = as_values(values), int(uniform_row_length)
        total = size_of(values)
        count = (total // length if length else 0) if nrows is None else int(nrows)
        if validate and count * length != total:
            raise ValueError(
                f"`nvals` must be a multiple of `uniform_row_length`; got {total} and {length}"
            )
        splits = np.arange(count + 1, dtype=np.int64) * length
        return cls(values, convert_to_tensor(splits), length)

    @classmethod
    def from_nested_row_splits(
        cls,
        flat_values: Any,
        nested_row_splits: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Makes a ragged tensor of several ragged dimensions.

        Args:
            flat_values: The elements.
            nested_row_splits: The row splits of each dimension, the outermost first.
            name: A name for the operation.
            validate: Whether the positions are checked.

        Returns:
            A ragged tensor.

        Raises:
            TypeError: The splits are not given as a list.
        """
        if isinstance(nested_row_splits, Tensor):
            raise TypeError(
                f"nested_row_splits must be a list of Tensors. Received {nested_row_splits!s}."
            )
        result = flat_values
        for splits in reversed(nested_row_splits):
            result = cls.from_row_splits(result, splits, validate=validate)
        return result

    @classmethod
    def from_nested_row_lengths(
        cls,
        flat_values: Any,
        nested_row_lengths: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Makes a ragged tensor of several ragged dimensions.

        Args:
            flat_values: The elements.
            nested_row_lengths: The row lengths of each dimension, the outermost first.
            name: A name for the operation.
            validate: Whether the lengths are checked.

        Returns:
            A ragged tensor.
        """
        result = flat_values
        for lengths in reversed(nested_row_lengths):
            result = cls.from_row_lengths(result, lengths, validate=validate)
        return result

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
        """Makes a ragged tensor of a tensor, without what pads its rows.

        Args:
            tensor: A tensor of rank 2 or more.
            lengths: The lengths of the rows, or None.
            padding: A value that ends rows where it fills them to the end, or None.
            ragged_rank: The number of ragged dimensions.
            name: A name for the operation.
            row_splits_dtype: int32 or int64.

        Returns:
            A ragged tensor.

        Raises:
            ValueError: The rank is less than 2, or both lengths and padding are given.
        """
        from . import ragged_convert

        return ragged_convert.from_tensor(tensor, lengths, padding, ragged_rank, row_splits_dtype)

    @classmethod
    def from_sparse(
        cls, st_input: Any, name: str | None = None, row_splits_dtype: Any = int64
    ) -> Any:
        """Makes a ragged tensor of a sparse matrix whose rows are filled from the left.

        Args:
            st_input: A sparse tensor of rank 2.
            name: A name for the operation.
            row_splits_dtype: int32 or int64.

        Returns:
            A ragged tensor.
        """
        rows = st_input.indices[:, 0]
        found = cls.from_value_rowids(st_input.values, rows, nrows=st_input.dense_shape[0])
        return found.with_row_splits_dtype(row_splits_dtype)
