"""Factory methods of RaggedTensor: values and a description of the rows."""

from __future__ import annotations

from typing import Any

from twinflow._src.composite_tensors.row_partition import RowPartition, vector
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import int64
from twinflow._src.core.shapes import static_size
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.op import API


def is_ragged(value: Any) -> bool:
    """True for a RaggedTensor."""
    return isinstance(value, Rows)


def as_values(value: Any) -> Any:
    """Converts a value to a tensor, unless it is a RaggedTensor."""
    return value if is_ragged(value) else convert_to_tensor(value)


def size_of(values: Any) -> int:
    """Returns the number of rows of a Tensor or RaggedTensor."""
    return values._count() if is_ragged(values) else static_size(values.shape, 0)


def _tensor_of_count(values: Any, dtype: Any) -> Any:
    if thread.scope.graph is None:
        return convert_to_tensor(_count(values), dtype=dtype)
    return values.nrows(dtype) if is_ragged(values) else API["shape"](values, dtype)[0]


def _count(values: Any) -> Any:
    """Returns the number of rows of a Tensor or RaggedTensor of rank 1 or more."""
    if is_ragged(values):
        return values._count()
    if thread.scope.graph is not None and values.shape.rank:
        count = static_size(values.shape, 0)
        if count is not None:
            return count
    count = API["shape"](values, int64)[0]
    return int(count) if thread.scope.graph is None else count


def _assert_bool(validate: Any) -> None:
    if not isinstance(validate, bool):
        raise TypeError(f"Argument `validate` must have type bool. Received {validate}.")


class Rows:
    """Factory methods of RaggedTensor."""

    __slots__ = ()

    def __init__(self, values: Any, row_partition: Any, internal: bool = False) -> None:
        raise NotImplementedError

    @classmethod
    def _from_row_partition(
        cls, values: Any, row_partition: RowPartition, validate: bool = True
    ) -> Any:
        """Creates a RaggedTensor from values and a row partition."""
        values = as_values(values)
        if validate:
            count = _tensor_of_count(values, row_partition.dtype)
            if thread.scope.graph is not None or int(row_partition.nvals()) != int(count):
                API["debugging.assert_equal"](
                    row_partition.nvals(),
                    count,
                    message="Arguments to _from_row_partition do not form a valid RaggedTensor",
                )
        return cls(values, row_partition, internal=True)

    @classmethod
    def from_row_splits(
        cls, values: Any, row_splits: Any, name: str | None = None, validate: bool = True
    ) -> Any:
        """Creates a RaggedTensor from values and row splits.

        Args:
            values: The elements.
            row_splits: Non-decreasing offsets from 0 to the number of elements.
            name: A name for the op.
            validate: If True, validates the arguments.

        Returns:
            A ragged tensor.

        Raises:
            ValueError: The splits are not an integer vector.
            InvalidArgumentError: They do not match the elements.
        """
        _assert_bool(validate)
        partition = RowPartition.from_row_splits(row_splits, validate)
        return cls._from_row_partition(values, partition, validate)

    @classmethod
    def from_row_lengths(
        cls, values: Any, row_lengths: Any, name: str | None = None, validate: bool = True
    ) -> Any:
        """Creates a RaggedTensor from values and row lengths.

        Args:
            values: The elements.
            row_lengths: The lengths.
            name: A name for the op.
            validate: If True, validates the arguments.

        Returns:
            A ragged tensor.

        Raises:
            InvalidArgumentError: The lengths are negative or do not match the elements.
        """
        _assert_bool(validate)
        partition = RowPartition.from_row_lengths(row_lengths, validate)
        return cls._from_row_partition(values, partition, validate)

    @classmethod
    def from_value_rowids(
        cls,
        values: Any,
        value_rowids: Any,
        nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Creates a RaggedTensor from values and the row index of each.

        Args:
            values: The elements.
            value_rowids: The row index of each element, non-decreasing.
            nrows: The number of rows; one more than the last row index if None.
            name: A name for the op.
            validate: If True, validates the arguments.

        Returns:
            A ragged tensor.

        Raises:
            ValueError: The numbers of row indices and elements differ, or there are too few rows.
            InvalidArgumentError: The row indices decrease.
        """
        _assert_bool(validate)
        values = as_values(values)
        rows = vector(value_rowids, "value_rowids")
        if thread.scope.graph is None and rows.shape != values.shape[:1]:
            raise ValueError(f"Shapes {values.shape[:1]} and {rows.shape} are incompatible")
        partition = RowPartition.from_value_rowids(rows, nrows, validate)
        return cls._from_row_partition(values, partition, validate)

    @classmethod
    def from_row_starts(
        cls, values: Any, row_starts: Any, name: str | None = None, validate: bool = True
    ) -> Any:
        """Creates a RaggedTensor from values and the offsets of row starts.

        Args:
            values: The elements.
            row_starts: Non-decreasing offsets, the first of which is 0.
            name: A name for the op.
            validate: If True, validates the arguments.

        Returns:
            A ragged tensor.

        Raises:
            InvalidArgumentError: The offsets do not match the elements.
        """
        _assert_bool(validate)
        values = as_values(values)
        partition = RowPartition.from_row_starts(row_starts, _count(values), validate)
        return cls._from_row_partition(values, partition, validate)

    @classmethod
    def from_row_limits(
        cls, values: Any, row_limits: Any, name: str | None = None, validate: bool = True
    ) -> Any:
        """Creates a RaggedTensor from values and the offsets of row ends.

        Args:
            values: The elements.
            row_limits: Non-decreasing offsets, the last of which is the number of elements.
            name: A name for the op.
            validate: If True, validates the arguments.

        Returns:
            A ragged tensor.

        Raises:
            InvalidArgumentError: The offsets do not match the elements.
        """
        _assert_bool(validate)
        partition = RowPartition.from_row_limits(row_limits, validate)
        return cls._from_row_partition(values, partition, validate)

    @classmethod
    def from_uniform_row_length(
        cls,
        values: Any,
        uniform_row_length: Any,
        nrows: Any = None,
        validate: bool = True,
        name: str | None = None,
    ) -> Any:
        """Creates a RaggedTensor whose rows have one length.

        Args:
            values: The elements.
            uniform_row_length: The length of the rows.
            nrows: The number of rows; required if the length is 0.
            validate: If True, validates the arguments.
            name: A name for the op.

        Returns:
            A ragged tensor.

        Raises:
            ValueError: The length does not divide the number of elements.
        """
        _assert_bool(validate)
        values = as_values(values)
        partition = RowPartition.from_uniform_row_length(
            uniform_row_length, _count(values), nrows, validate
        )
        return cls._from_row_partition(values, partition, validate)

    @classmethod
    def from_nested_row_splits(
        cls,
        flat_values: Any,
        nested_row_splits: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Creates a RaggedTensor from flat values and nested row splits.

        Args:
            flat_values: The elements.
            nested_row_splits: The row splits of each dimension, outermost first.
            name: A name for the op.
            validate: If True, validates the arguments.

        Returns:
            A ragged tensor.

        Raises:
            TypeError: The splits are not a list.
        """
        _assert_bool(validate)
        _check_list(nested_row_splits, "nested_row_splits")
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
        """Creates a RaggedTensor from flat values and nested row lengths.

        Args:
            flat_values: The elements.
            nested_row_lengths: The row lengths of each dimension, outermost first.
            name: A name for the op.
            validate: If True, validates the arguments.

        Returns:
            A ragged tensor.

        Raises:
            TypeError: The lengths are not a list.
        """
        _assert_bool(validate)
        _check_list(nested_row_lengths, "nested_row_lengths")
        result = flat_values
        for lengths in reversed(nested_row_lengths):
            result = cls.from_row_lengths(result, lengths, validate=validate)
        return result

    @classmethod
    def from_nested_value_rowids(
        cls,
        flat_values: Any,
        nested_value_rowids: Any,
        nested_nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Creates a RaggedTensor from flat values and nested row indices.

        Args:
            flat_values: The elements.
            nested_value_rowids: The row index of each element, per dimension, outermost first.
            nested_nrows: The number of rows per dimension; last row index plus one if None.
            name: A name for the op.
            validate: If True, validates the arguments.

        Returns:
            A ragged tensor.

        Raises:
            TypeError: The row indices are not a list.
            ValueError: The numbers of row counts and dimensions differ.
        """
        _assert_bool(validate)
        _check_list(nested_value_rowids, "nested_value_rowids")
        counts = nested_nrows
        if counts is None:
            counts = [None] * len(nested_value_rowids)
        _check_list(counts, "nested_nrows")
        if len(counts) != len(nested_value_rowids):
            raise ValueError(
                "Argument `nested_nrows` must have the same length as argument `nested_value_rowids`. "
                f"len(nested_nrows) = {len(counts)} vs. len(nested_values_rowids) = "
                f"{len(nested_value_rowids)}."
            )
        result = flat_values
        for rowids, nrows in zip(reversed(nested_value_rowids), reversed(counts), strict=True):
            result = cls.from_value_rowids(result, rowids, nrows, validate=validate)
        return result


def _check_list(value: Any, what: str) -> None:
    if isinstance(value, Tensor):
        raise TypeError(f"Argument `{what}` must be a list of Tensors. Received {value}.")
