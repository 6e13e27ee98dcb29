"""RowPartition: partition of a sequence of values into rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core import whole_numbers
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import DType, as_dtype, int32, int64
from twinflow._src.core.shapes import static_size
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.op import API
from twinflow._src.graph.static_values import array_of
from twinflow._src.graph.symbolic import SymbolicTensor

# Validation of the vectors that describe rows.


INDEX_TYPES = (int32, int64)


def vector(value: Any, what: str, dtype: Any = None) -> Any:
    """Returns a validated int32 or int64 vector that describes rows."""
    value = whole_numbers.with_integers(value)
    hint = None if isinstance(value, np.ndarray) else int64
    tensor = convert_to_tensor(value, dtype_hint=hint)
    if tensor.dtype not in INDEX_TYPES or (
        dtype is not None and as_dtype(dtype) not in INDEX_TYPES
    ):
        raise ValueError(f"{what} must have dtype int32 or int64")
    tensor.shape.assert_has_rank(1)
    return tensor if dtype is None else API["cast"](tensor, as_dtype(dtype))


def integers(value: Any, what: str, rank: int, hint: Any = None) -> Any:
    """Returns a validated integer tensor."""
    tensor = convert_to_tensor(value, dtype_hint=hint)
    if not tensor.dtype.is_integer:
        whole = whole_numbers.as_integers(value)
        if whole is not None:
            return integers(whole, what, rank, hint)
        shown = tensor.numpy() if isinstance(tensor, EagerTensor) else tensor
        raise TypeError(
            f"Argument `tensor` (name: {what}) must be of type integer. Received `tensor` = "
            f"{shown} of dtype: {tensor.dtype}"
        )
    tensor.shape.assert_has_rank(rank)
    return tensor


def _read_scalar(tensor: Any) -> int:
    """Returns the integer value of a scalar tensor; one of a graph has to be constant."""
    value = array_of(tensor)
    return int(tensor if value is None else value)


def scalar(value: Any, dtype: DType) -> int:
    """Returns the integer value of a scalar; ``dtype`` is the preferred dtype of a Python number."""
    tensor = convert_to_tensor(whole_numbers.with_integers(value), dtype_hint=dtype)
    if tensor.dtype not in INDEX_TYPES:
        raise ValueError("UniformRowLength must have dtype int32 or int64")
    tensor.shape.assert_has_rank(0)
    return _read_scalar(tensor)


def number_of_rows(value: Any, dtype: DType) -> int:
    """Returns a validated number of rows."""
    tensor = convert_to_tensor(value, dtype=dtype, name="nrows")
    tensor.shape.assert_has_rank(0)
    return _read_scalar(tensor)


def summed(lengths: Any, dtype: DType) -> Any:
    """Returns row splits from row lengths, as an array."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(dtype.np)


def assert_ascending(values: Any, message: str) -> None:
    """Raises InvalidArgumentError if the values decrease."""
    API["debugging.assert_non_negative"](values[1:] - values[:-1], message=message)


def check_count(count: int, ids: Any) -> None:
    """Raises ValueError if a number of rows is negative or too small for the last row index."""
    if count < 0:
        raise ValueError(f"Expected nrows >= 0; got {count}")
    if ids.size and int(ids[-1]) >= count:
        raise ValueError(
            f"Expected nrows >= value_rowids[-1] + 1; got nrows={count}, "
            f"value_rowids[-1]={int(ids[-1])}"
        )


# RowPartition.


def splits_by_lengths(lengths: Any) -> Any:
    """Returns row splits from row lengths, as a tensor."""
    zero = convert_to_tensor([0], dtype=lengths.dtype)
    return API["concat"]([zero, API["cumsum"](lengths)], 0)


class RowPartition:
    """Partition of a sequence of values into rows; created by the ``from_...`` class methods."""

    __module__ = "twinflow.experimental"

    __slots__ = ("__weakref__", "_nvals", "_splits", "_uniform")

    def __init__(
        self,
        row_splits: Any,
        uniform_row_length: int | None = None,
        nvals: int | None = None,
        internal: bool = False,
    ) -> None:
        if not internal:
            raise ValueError(
                "RowPartition constructor is private; please use one of the factory methods instead "
                "(e.g., RowPartition.from_row_lengths())"
            )
        self._splits, self._uniform, self._nvals = row_splits, uniform_row_length, nvals

    @classmethod
    def _of(cls, splits: Any, uniform: int | None = None, nvals: int | None = None) -> RowPartition:
        """Returns a partition with valid row splits."""
        return cls(splits, uniform, nvals, internal=True)

    # ---------------------------------------------------------------- factory methods

    @classmethod
    def from_row_splits(
        cls, row_splits: Any, validate: bool = True, dtype: Any = None
    ) -> RowPartition:
        """Creates a row partition from row splits.

        Args:
            row_splits: Non-decreasing offsets, the first of which is 0.
            validate: If True, validates the arguments.
            dtype: int32 or int64; that of the splits if None.

        Returns:
            A row partition.

        Raises:
            ValueError: The splits are not an integer vector, or are empty.
            InvalidArgumentError: They do not start at 0, or decrease.
        """
        if isinstance(row_splits, (list, tuple)) and not row_splits:
            raise ValueError("row_splits tensor may not be empty.")
        splits = vector(row_splits, "row_splits", dtype)
        if static_size(splits.shape, 0) == 0:
            raise ValueError("row_splits tensor may not be empty.")
        if validate:
            what = "Arguments to from_row_splits do not form a valid RaggedTensor"
            zero = convert_to_tensor(0, dtype=splits.dtype)
            API["debugging.assert_equal"](splits[0], zero, message=f"{what}:zero")
            assert_ascending(splits, f"{what}:monotonic")
        return cls._of(splits)

    @classmethod
    def from_row_lengths(
        cls, row_lengths: Any, validate: bool = True, dtype: Any = None
    ) -> RowPartition:
        """Creates a row partition from row lengths.

        Args:
            row_lengths: The lengths.
            validate: If True, validates the arguments.
            dtype: int32 or int64; that of the lengths if None.

        Returns:
            A row partition.

        Raises:
            ValueError: The lengths are not an integer vector.
            InvalidArgumentError: A length is negative.
        """
        lengths = vector(row_lengths, "row_lengths", dtype)
        if validate:
            API["debugging.assert_non_negative"](
                lengths, message="Arguments to from_row_lengths do not form a valid RowPartition"
            )
        if thread.scope.graph is not None:
            return cls._of(splits_by_lengths(lengths))
        return cls._of(convert_to_tensor(summed(lengths._host(), lengths.dtype)))

    @classmethod
    def from_value_rowids(
        cls, value_rowids: Any, nrows: Any = None, validate: bool = True, dtype: Any = None
    ) -> RowPartition:
        """Creates a row partition from the row index of each value.

        Args:
            value_rowids: The row index of each value, non-decreasing.
            nrows: The number of rows; one more than the last row index if None.
            validate: If True, validates the arguments.
            dtype: int32 or int64; that of the row indices if None.

        Returns:
            A row partition.

        Raises:
            ValueError: There are too few rows for the last row index.
            InvalidArgumentError: The row indices decrease.
        """
        rowids = vector(value_rowids, "value_rowids", dtype)
        if thread.scope.graph is not None:
            return cls._of_rows(rowids, nrows, validate)
        ids = rowids._host()
        count = (
            (int(ids[-1]) + 1 if ids.size else 0)
            if nrows is None
            else number_of_rows(nrows, rowids.dtype)
        )
        if nrows is not None:
            check_count(count, ids)
        if validate:
            what = "Arguments to from_value_rowids do not form a valid RowPartition"
            assert_ascending(rowids, what)
            API["debugging.assert_non_negative"](rowids[:1], message=what)
        lengths = np.bincount(ids, minlength=count) if count else np.zeros(0, np.int64)
        splits = summed(lengths, rowids.dtype)
        return cls._of(convert_to_tensor(splits), nvals=len(ids))

    @classmethod
    def _of_rows(cls, rowids: Any, nrows: Any, validate: bool) -> RowPartition:
        """Implements ``from_value_rowids`` in a graph."""
        if validate:
            what = "Arguments to from_value_rowids do not form a valid RowPartition"
            assert_ascending(rowids, what)
            API["debugging.assert_non_negative"](rowids[:1], message=what)
        ids = API["cast"](rowids, int32)
        count = None if nrows is None else API["cast"](nrows, int32)
        lengths = API["math.bincount"](ids, minlength=count, maxlength=count, dtype=rowids.dtype)
        return cls._of(splits_by_lengths(lengths), nvals=static_size(rowids.shape, 0))

    @classmethod
    def from_row_starts(
        cls, row_starts: Any, nvals: Any, validate: bool = True, dtype: Any = None
    ) -> RowPartition:
        """Creates a row partition from the offsets of row starts.

        Args:
            row_starts: Non-decreasing offsets, the first of which is 0.
            nvals: The number of values.
            validate: If True, validates the arguments.
            dtype: int32 or int64; that of the offsets if None.

        Returns:
            A row partition.

        Raises:
            InvalidArgumentError: The offsets do not start at 0, decrease, or are too large.
        """
        starts = vector(row_starts, "row_starts", dtype)
        if isinstance(nvals, SymbolicTensor):
            nvals = API["cast"](nvals, starts.dtype)
        end = convert_to_tensor(nvals if is_tensor(nvals) else int(nvals), dtype=starts.dtype)
        if validate:
            what = "Arguments to from_row_starts do not form a valid RaggedTensor"
            zero = convert_to_tensor(0, dtype=starts.dtype)
            API["debugging.assert_equal"](starts[:1], zero, message=what)
            assert_ascending(starts, what)
            API["debugging.assert_less_equal"](starts[-1:], end, message=what)
        return cls._of(
            API["concat"]([starts, API["expand_dims"](end, 0)], 0),
            nvals=None if thread.scope.graph else int(nvals),
        )

    @classmethod
    def from_row_limits(
        cls, row_limits: Any, validate: bool = True, dtype: Any = None
    ) -> RowPartition:
        """Creates a row partition from the offsets of row ends.

        Args:
            row_limits: Non-decreasing offsets.
            validate: If True, validates the arguments.
            dtype: int32 or int64; that of the offsets if None.

        Returns:
            A row partition.

        Raises:
            InvalidArgumentError: The offsets decrease.
        """
        limits = vector(row_limits, "row_limits", dtype)
        if validate:
            what = "Arguments to from_row_limits do not form a valid RaggedTensor"
            API["debugging.assert_non_negative"](limits[:1], message=what)
            assert_ascending(limits, what)
        zero = convert_to_tensor([0], dtype=limits.dtype)
        return cls._of(API["concat"]([zero, limits], 0))

    @classmethod
    def from_uniform_row_length(
        cls,
        uniform_row_length: Any,
        nvals: Any = None,
        nrows: Any = None,
        validate: bool = True,
        dtype: Any = None,
    ) -> RowPartition:
        """Creates a row partition with rows of one length.

        Args:
            uniform_row_length: The length.
            nvals: The number of values; derived from the rows if None.
            nrows: The number of rows; derived from the values if None.
            validate: If True, checks that the numbers are consistent.
            dtype: int32 or int64; int64 if None.

        Returns:
            A row partition.

        Raises:
            ValueError: Neither number is given, or they are inconsistent with the length.
        """
        if nvals is None and nrows is None:
            raise ValueError("Either (or both) of nvals and nrows must be specified")
        index_type = as_dtype(dtype or getattr(uniform_row_length, "dtype", int64))
        if thread.scope.graph is not None and any(
            map(is_tensor, (uniform_row_length, nvals, nrows))
        ):
            return cls._of_one_length(uniform_row_length, nvals, nrows, validate, index_type)
        length = scalar(uniform_row_length, index_type)
        if length < 0:
            raise ValueError("uniform_row_length must be >= 0.")
        count = (
            number_of_rows(nrows, index_type)
            if nrows is not None
            else int(nvals) // length
            if length
            else 0
        )
        total = count * length if nvals is None else int(nvals)
        if validate and count * length != total:
            raise ValueError(
                f"uniform_row_length={length} times nrows={count} must equal nvals={total}"
            )
        splits = (np.arange(count + 1) * length).astype(index_type.np)
        return cls._of(convert_to_tensor(splits), length, total)

    @classmethod
    def _of_one_length(
        cls, length: Any, nvals: Any, nrows: Any, validate: bool, dtype: DType
    ) -> RowPartition:
        """Implements ``from_uniform_row_length`` in a graph with symbolic numbers."""
        cast: Any = API["cast"]
        zero: Any = convert_to_tensor(0, dtype)
        length = integers(length, "UniformRowLength", 0, dtype)
        value = array_of(length)
        length = cast(length, dtype)
        total = None if nvals is None else cast(nvals, dtype)
        if nrows is not None:
            count = cast(nrows, dtype)
        else:
            count = API["where"](
                API["equal"](length, zero), zero, total // API["maximum"](length, zero + 1)
            )
        checks = []
        if validate and total is not None:
            what = ["uniform_row_length", length, "times nrows", count, "must equal nvals", total]
            checks.append(API["debugging.Assert"](API["equal"](length * count, total), what))
        with API["control_dependencies"](checks):
            splits = API["range"](count + 1) * length
        if value is None or is_tensor(nvals):
            return cls._of(splits)
        return cls._of(splits, int(value), nvals)

    # ---------------------------------------------------------------- properties

    @property
    def dtype(self) -> DType:
        """The dtype of the row splits."""
        return self._splits.dtype

    def row_splits(self) -> Any:
        """Returns the row splits."""
        return self._splits

    def row_lengths(self) -> Any:
        """Returns the lengths of the rows."""
        return self._splits[1:] - self._splits[:-1]

    def row_starts(self) -> Any:
        """Returns the offsets of row starts."""
        return self._splits[:-1]

    def row_limits(self) -> Any:
        """Returns the offsets of row ends."""
        return self._splits[1:]

    def value_rowids(self) -> Any:
        """Returns the row index of each value."""
        if thread.scope.graph is not None:
            lengths = self.row_lengths()
            return API["repeat"](API["range"](API["size"](lengths, self.dtype)), lengths)
        rows = np.repeat(np.arange(len(self._splits) - 1), np.diff(self._splits._host()))
        return convert_to_tensor(rows.astype(self.dtype.np))

    def offsets_in_rows(self) -> Any:
        """Returns the offset of each value in its row."""
        if thread.scope.graph is not None:
            starts = API["repeat"](self.row_starts(), self.row_lengths())
            return API["range"](API["size"](starts, self.dtype)) - starts
        splits = self._splits._host()
        rows = np.repeat(splits[:-1], np.diff(splits))
        return convert_to_tensor((np.arange(len(rows)) - rows).astype(self.dtype.np))

    def nrows(self) -> Any:
        """Returns the number of rows."""
        if self.static_nrows is None:
            return API["size"](self._splits, self.dtype) - 1
        return convert_to_tensor(self.static_nrows, dtype=self.dtype)

    def nvals(self) -> Any:
        """Returns the number of values."""
        return self._splits[-1]

    def uniform_row_length(self) -> Any:
        """Returns the length of all rows if statically uniform, else None."""
        return None if self._uniform is None else convert_to_tensor(self._uniform, dtype=self.dtype)

    def is_uniform(self) -> bool:
        """Returns True if all rows are statically known to have one length."""
        return self._uniform is not None

    @property
    def static_nrows(self) -> int | None:
        """The static number of rows, or None."""
        splits = self._splits.shape
        count = static_size(splits, 0)
        return None if count is None else count - 1

    @property
    def static_nvals(self) -> Any:
        """The static number of values, or None."""
        return self._nvals if self._uniform is None else np.int64(self._nvals or 0)

    @property
    def static_uniform_row_length(self) -> Any:
        """The static uniform row length, or None."""
        return None if self._uniform is None else np.int64(self._uniform)

    def with_dtype(self, dtype: Any) -> RowPartition:
        """Returns the partition with row splits of another dtype.

        Args:
            dtype: int32 or int64.

        Returns:
            A row partition.

        Raises:
            ValueError: The dtype is neither int32 nor int64.
        """
        target = as_dtype(dtype)
        if target not in INDEX_TYPES:
            raise ValueError(f"Argument `dtype` must be int32 or int64. Received {dtype}.")
        return RowPartition._of(API["cast"](self._splits, target), self._uniform, self._nvals)

    def __repr__(self) -> str:
        if self._uniform is not None:
            count = len(self._splits) - 1
            return f"tf.RowPartition(nrows={count}, uniform_row_length={self._uniform})"
        is_eager = isinstance(self._splits, EagerTensor)
        return f"tf.RowPartition(row_splits={self._splits._host() if is_eager else self._splits})"
