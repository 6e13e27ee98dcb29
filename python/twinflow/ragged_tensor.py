"""RaggedTensor: tensors whose rows have different lengths.

The elements lie one after the other in ``values``; row ``i`` is ``values[splits[i]:splits[i + 1]]``.
Values may be ragged themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .constant import convert_to_tensor
from .dtypes import DType, as_dtype, int32, int64
from .op import API
from .shapes import TensorShape
from .tensor import Tensor

_INDEX_TYPES = (int32, int64)


def is_ragged(value: Any) -> bool:
    """Whether a value is a ragged tensor."""
    return isinstance(value, RaggedTensor)


def _formatted(x: Any) -> str:
    if isinstance(x, np.ndarray):
        return np.array2string(x, separator=", ") if x.size else repr(x.tolist())
    return str(x)


def _as_values(value: Any) -> Any:
    return value if isinstance(value, RaggedTensor) else convert_to_tensor(value)


def _partition(value: Any, what: str, dtype: DType | None = None) -> Any:
    """A vector that describes rows, checked."""
    tensor = convert_to_tensor(value, dtype_hint=dtype or int64)
    if tensor.dtype not in _INDEX_TYPES:
        raise ValueError(f"{what} must have dtype int32 or int64")
    if tensor.shape.rank != 1:
        raise ValueError(f"Shape {tensor.shape} must have rank 1")
    return tensor


def _size(values: Any) -> int:
    """The number of rows of a tensor, ragged or not."""
    return values._count() if isinstance(values, RaggedTensor) else values.shape[0]


def _assert_fits(values: Any, total: int) -> None:
    if total != _size(values):
        API["debugging.assert_equal"](
            convert_to_tensor(total, dtype=int64),
            convert_to_tensor(_size(values), dtype=int64),
            message="Arguments to _from_row_partition do not form a valid RaggedTensor",
        )


class RaggedTensor:
    """A tensor whose rows have different lengths; made by the ``from_...`` class methods.

    Args:
        values: The elements of all rows, a tensor or a ragged tensor.
        row_splits: Where the rows begin and end in them, a vector.
        uniform_row_length: The length of all rows where it is known to be the same.
    """

    __array_priority__ = 100
    __slots__ = ("__weakref__", "_splits", "_uniform", "_values")

    def __init__(self, values: Any, row_splits: Any, uniform_row_length: int | None = None) -> None:
        self._values, self._splits, self._uniform = values, row_splits, uniform_row_length

    # ---------------------------------------------------------------- making one
    @classmethod
    def from_row_splits(
        cls, values: Any, row_splits: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
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
        splits = _partition(row_splits, "row_splits")
        if splits.shape[0] == 0:
            raise ValueError("row_splits tensor may not be empty.")
        values = _as_values(values)
        if validate:
            what = "Arguments to from_row_splits do not form a valid RaggedTensor"
            zero = convert_to_tensor(0, dtype=splits.dtype)
            API["debugging.assert_equal"](splits[0], zero, message=f"{what}:zero")
            API["debugging.assert_non_negative"](splits[1:] - splits[:-1], message=f"{what}:monotonic")
            _assert_fits(values, int(splits[-1]))
        return cls(values, splits)

    @classmethod
    def from_row_lengths(
        cls, values: Any, row_lengths: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
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
        lengths, values = _partition(row_lengths, "row_lengths"), _as_values(values)
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
    ) -> RaggedTensor:
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
        rowids, values = _partition(value_rowids, "value_rowids"), _as_values(values)
        if rowids.shape[0] != _size(values):
            raise ValueError(f"Shapes ({_size(values)},) and {rowids.shape} are incompatible")
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
    ) -> RaggedTensor:
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
        starts, values = _partition(row_starts, "row_starts"), _as_values(values)
        end = convert_to_tensor([_size(values)], dtype=starts.dtype)
        return cls.from_row_splits(values, API["concat"]([starts, end], 0), validate=validate)

    @classmethod
    def from_row_limits(
        cls, values: Any, row_limits: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
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
        limits = _partition(row_limits, "row_limits")
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
    ) -> RaggedTensor:
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
        values, length = _as_values(values), int(uniform_row_length)
        total = _size(values)
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
        from . import ragged_factory

        return ragged_factory.from_tensor(tensor, lengths, padding, ragged_rank, row_splits_dtype)

    @classmethod
    def from_sparse(
        cls, st_input: Any, name: str | None = None, row_splits_dtype: Any = int64
    ) -> RaggedTensor:
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

    # ---------------------------------------------------------------- what it is
    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._values.dtype

    @property
    def values(self) -> Any:
        """The elements of all rows: a tensor, or a ragged one of a dimension less."""
        return self._values

    @property
    def flat_values(self) -> Any:
        """The innermost values: a tensor."""
        return self._values.flat_values if isinstance(self._values, RaggedTensor) else self._values

    @property
    def row_splits(self) -> Any:
        """Where the rows begin and end in ``values``."""
        return self._splits

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The row splits of all ragged dimensions, the outermost first."""
        inner = self._values.nested_row_splits if isinstance(self._values, RaggedTensor) else ()
        return (self._splits, *inner)

    @property
    def ragged_rank(self) -> int:
        """The number of ragged dimensions."""
        return 1 + (self._values.ragged_rank if isinstance(self._values, RaggedTensor) else 0)

    @property
    def uniform_row_length(self) -> Any:
        """The length of all rows where it is known to be the same, else None."""
        return None if self._uniform is None else convert_to_tensor(self._uniform, dtype=int64)

    @property
    def shape(self) -> TensorShape:
        """The shape, with None for ragged dimensions."""
        inner = self._values.shape.as_list()[1:]
        return TensorShape([self._count(), self._uniform, *inner])

    def get_shape(self) -> TensorShape:
        """The shape, with None for ragged dimensions."""
        return self.shape

    def _count(self) -> int:
        return self._splits.shape[0] - 1

    def _lengths(self) -> np.ndarray[Any, Any]:
        return np.diff(self._splits._host())

    def nrows(self, out_type: Any = None, name: str | None = None) -> Any:
        """Returns the number of rows.

        Args:
            out_type: int32 or int64.
            name: A name for the operation.

        Returns:
            An integer scalar.
        """
        return convert_to_tensor(self._count(), dtype=out_type or self._splits.dtype)

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """Returns the lengths of the rows.

        Args:
            axis: The ragged dimension.
            name: A name for the operation.

        Returns:
            An integer vector, or a ragged tensor of lengths for a dimension further in.
        """
        if axis > 1:
            return self.with_values(self._values.row_lengths(axis - 1))
        if axis == 0:
            return self.nrows()
        return self._splits[1:] - self._splits[:-1]

    def row_starts(self, name: str | None = None) -> Any:
        """Returns where the rows begin in ``values``.

        Args:
            name: A name for the operation.

        Returns:
            An integer vector.
        """
        return self._splits[:-1]

    def row_limits(self, name: str | None = None) -> Any:
        """Returns where the rows end in ``values``.

        Args:
            name: A name for the operation.

        Returns:
            An integer vector.
        """
        return self._splits[1:]

    def value_rowids(self, name: str | None = None) -> Any:
        """Returns the row of each element of ``values``.

        Args:
            name: A name for the operation.

        Returns:
            An integer vector.
        """
        rows = np.repeat(np.arange(self._count()), self._lengths())
        return convert_to_tensor(rows.astype(self._splits.dtype.np))

    def nested_row_lengths(self, name: str | None = None) -> tuple[Any, ...]:
        """Returns the lengths of the rows of all ragged dimensions.

        Args:
            name: A name for the operation.

        Returns:
            Integer vectors, the outermost first.
        """
        return tuple(splits[1:] - splits[:-1] for splits in self.nested_row_splits)

    def nested_value_rowids(self, name: str | None = None) -> tuple[Any, ...]:
        """Returns the row of each element, for all ragged dimensions.

        Args:
            name: A name for the operation.

        Returns:
            Integer vectors, the outermost first.
        """
        inner = self._values.nested_value_rowids() if isinstance(self._values, RaggedTensor) else ()
        return (self.value_rowids(), *inner)

    def bounding_shape(
        self, axis: Any = None, name: str | None = None, out_type: Any = None
    ) -> Any:
        """Returns the shape of the smallest tensor that holds all rows.

        Args:
            axis: One dimension or a list of some; all of them where None.
            name: A name for the operation.
            out_type: int32 or int64.

        Returns:
            An integer vector, or a scalar for one dimension.
        """
        sizes = convert_to_tensor(self._bounds(), dtype=out_type or self._splits.dtype)
        return sizes if axis is None else API["gather"](sizes, axis)

    def _bounds(self) -> list[int]:
        lengths = self._lengths()
        longest = int(lengths.max()) if lengths.size else 0
        inner = self._values
        rest = inner._bounds()[1:] if isinstance(inner, RaggedTensor) else inner.shape.as_list()[1:]
        return [self._count(), longest, *rest]

    # ---------------------------------------------------------------- other values
    def with_values(self, new_values: Any) -> RaggedTensor:
        """Returns these rows with other elements.

        Args:
            new_values: As many values.

        Returns:
            A ragged tensor.
        """
        new_values = _as_values(new_values)
        if _size(new_values) != _size(self._values):
            raise ValueError(f"Shapes {new_values.shape[:1]} and {self._values.shape[:1]} are incompatible")
        return RaggedTensor(new_values, self._splits, self._uniform)

    def with_flat_values(self, new_values: Any) -> RaggedTensor:
        """Returns these rows with other innermost elements.

        Args:
            new_values: As many values.

        Returns:
            A ragged tensor.
        """
        inner = self._values
        if isinstance(inner, RaggedTensor):
            return self.with_values(inner.with_flat_values(new_values))
        return self.with_values(new_values)

    def with_row_splits_dtype(self, dtype: Any) -> RaggedTensor:
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
            raise ValueError(f"Argument `row_splits` dtype must be int32 or int64. Received {dtype}.")
        if isinstance(inner, RaggedTensor):
            inner = inner.with_row_splits_dtype(wanted)
        return RaggedTensor(inner, API["cast"](self._splits, wanted), self._uniform)

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Any:
        """Returns these elements with adjacent dimensions made one.

        Args:
            outer_axis: The first of the dimensions.
            inner_axis: The last of them.

        Returns:
            A tensor or ragged tensor.
        """
        rank = self.shape.rank
        outer, inner = outer_axis % rank, inner_axis % rank  # type: ignore[operator]
        if outer == inner:
            return self
        if outer > 0:
            if outer == 1 and not isinstance(self._values, RaggedTensor):
                return self._with_merged_rows(inner)
            if outer == 1:
                nested = self._values
                splits = API["gather"](nested.row_splits, self._splits)
                merged = RaggedTensor(nested.values, splits)
                return merged if inner == 2 else merged.merge_dims(1, inner - 1)
            return self.with_values(self._values.merge_dims(outer - 1, inner - 1))
        if inner == 1:
            return self._values
        if isinstance(self._values, RaggedTensor):
            return self._values.merge_dims(0, inner - 1)
        return API["reshape"](self._values, [-1, *self._values.shape.as_list()[inner:]])

    def _with_merged_rows(self, inner: int) -> RaggedTensor:
        dims = self._values.shape.as_list()
        factor = int(np.prod(dims[1:inner]))
        flat = API["reshape"](self._values, [-1, *dims[inner:]])
        return RaggedTensor(flat, self._splits * factor)

    # ---------------------------------------------------------------- as something else
    def to_tensor(self, default_value: Any = None, name: str | None = None, shape: Any = None) -> Any:
        """Returns a tensor that holds all rows, filled up to one length.

        Args:
            default_value: What fills rows up; zero or an empty string where None.
            name: A name for the operation.
            shape: The shape, with None for as large as needed; or None.

        Returns:
            A tensor.
        """
        from . import ragged_factory

        return ragged_factory.to_tensor(self, default_value, shape)

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
        index = np.arange(_size(self.flat_values))
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
        items = inner.to_list() if isinstance(inner, RaggedTensor) else inner.numpy().tolist()
        return [items[a:b] for a, b in zip(splits[:-1], splits[1:], strict=True)]

    def numpy(self) -> np.ndarray[Any, Any]:
        """Returns a NumPy array, of arrays for rows of different lengths."""
        splits, values = self._splits._host(), np.asarray(self._values.numpy())
        rows = [values[a:b] for a, b in zip(splits[:-1], splits[1:], strict=True)]
        if not rows:
            return np.zeros((0, 0) + values.shape[1:], dtype=values.dtype)
        if all(len(row) == len(rows[0]) for row in rows):
            return np.array(rows)
        return _object_rows(rows)

    def consumers(self) -> list[Any]:
        """Returns nothing: values that are computed at once have no consumers."""
        return []

    def __repr__(self) -> str:
        with np.printoptions(formatter={"all": _formatted}):  # type: ignore[typeddict-item]
            return f"<tf.RaggedTensor {_formatted(self.numpy())}>"

    def _printed(self, summarize: int) -> bytes:
        """How ``tf.print`` shows it."""
        from .ops.text import ragged_text

        return ragged_text(self, summarize)

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        raise ValueError("TypeError: object of type 'RaggedTensor' has no len()")

    # ---------------------------------------------------------------- as Python values
    def __bool__(self) -> bool:
        raise TypeError("RaggedTensor may not be used as a boolean.")

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(self._count()))

    def __getitem__(self, key: Any) -> Any:
        from .ragged_indexing import getitem

        return getitem(self, key)


def _object_rows(rows: list[Any]) -> np.ndarray[Any, Any]:
    result = np.empty(len(rows), object)
    for i, row in enumerate(rows):
        result[i] = row
    return result
