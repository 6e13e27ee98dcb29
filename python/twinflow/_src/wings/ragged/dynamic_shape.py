"""Shapes of ragged or dense tensors (``tf.experimental.DynamicRaggedShape``), and broadcasting.

Dimensions are kept on the host: an ``int`` for a uniform dimension, else an array of row lengths.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.composite_tensors.ragged_factories import is_ragged
from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor
from twinflow._src.composite_tensors.row_partition import INDEX_TYPES, RowPartition
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import DType, as_dtype, int64
from twinflow._src.core.shapes import TensorShape, static_size, static_sizes
from twinflow._src.dispatch.op import API

# Broadcasting of ragged shapes on the host.


Dimension = Any  # int, or an array of row lengths
Dims = list[Dimension]


class Broadcast(NamedTuple):
    """The broadcast of two shapes, with gather indices into both operands.

    Attributes:
        dims: The dimensions.
        first: For each position of the result the index in the first operand.
        second: The same for the second operand.
    """

    dims: Dims
    first: Any
    second: Any


def partition_dim(partition: Any) -> Dimension:
    """Returns the dimension of a row partition."""
    if partition._uniform is not None:
        return int(partition._uniform)
    return np.diff(partition._splits._host())


def dims_of(x: Any) -> Dims:
    """Returns the dimensions of a ragged or dense tensor."""
    partitions = getattr(x, "_partitions", ())
    if not partitions:
        return list(static_sizes(x.shape))
    outer = [partitions[0].static_nrows, *map(partition_dim, partitions)]
    return [*outer, *static_sizes(x.flat_values.shape[1:])]


def pad_dims(dims: Dims, rank: int) -> Dims:
    """Prepends ones to dimensions up to a rank."""
    return [1] * (rank - len(dims)) + dims


def is_uniform(dim: Dimension) -> bool:
    """True if all rows have the same length."""
    return isinstance(dim, int)


def _lengths(dim: Dimension, rows: Any) -> Any:
    """Returns the lengths of the given rows."""
    return np.full(len(rows), dim) if is_uniform(dim) else dim[rows]


def _starts(dim: Dimension, rows: Any) -> Any:
    """Returns the start offsets of the given rows."""
    return rows * dim if is_uniform(dim) else (np.cumsum(dim) - dim)[rows]


def splits_of(lengths: Any) -> Any:
    """Returns the row splits of row lengths."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def indices_of(rt: Any) -> Any:
    """Returns the indices of the flat values, a matrix."""
    ids = np.arange(rt._partitions[0].static_nrows)
    columns: list[Any] = []
    for partition in rt._partitions:
        splits = partition._splits._host()
        rows = np.repeat(np.arange(len(splits) - 1), np.diff(splits))
        columns = [column[rows] for column in columns] if columns else [ids[rows]]
        columns.append(np.arange(len(rows)) - splits[:-1][rows])
    return np.stack(columns, axis=1).astype(np.int64)


def _elements_of(starts: Any, lengths: Any, single: bool) -> Any:
    """Returns the indices of all elements of rows; if ``single``, one element is repeated."""
    first = np.repeat(starts, lengths)
    if single:
        return first
    return first + np.arange(len(first)) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def _assert_same(a: Dimension, b: Dimension, first: Any, second: Any) -> None:
    if is_uniform(a) and is_uniform(b):
        if a != b:
            API["debugging.assert_equal"](False, True)
    elif not np.array_equal(first, second):
        x, y = (convert_to_tensor(splits_of(lengths)) for lengths in (first, second))
        API["debugging.assert_equal"](x, y)


def broadcast(a: Dims, b: Dims, depth: int, check: Any = _assert_same) -> Broadcast:
    """Broadcasts the first ``depth`` dimensions of two shapes of one rank.

    ``check`` is called with two dimensions and their row lengths, and raises if they are
    incompatible.
    """
    dims: Dims = []
    first = second = np.zeros(1, np.int64)
    for x, y in zip(a[:depth], b[:depth], strict=True):
        ones = [is_uniform(d) and d == 1 for d in (x, y)]
        in_a, in_b = _lengths(x, first), _lengths(y, second)
        if not any(ones):
            swap = is_uniform(y) and not is_uniform(
                x
            )  # TensorFlow's errors name the uniform dimension first
            check(*((y, x, in_b, in_a) if swap else (x, y, in_a, in_b)))
        lengths = in_b if ones[0] else in_a
        dim = y if ones[0] else x
        first = _elements_of(_starts(x, first), lengths, ones[0])
        second = _elements_of(_starts(y, second), lengths, ones[1] and not ones[0])
        uniform = is_uniform(dim) and (any(ones) or is_uniform(y))
        dims.append(dim if uniform else lengths)
    return Broadcast(dims, first, second)


def merge_outer_dims(x: Any, dims: Dims, depth: int) -> Any:
    """Returns the elements of a tensor with its first dimensions merged."""
    ragged_rank = getattr(x, "ragged_rank", 0)
    flat = x.flat_values if ragged_rank else x
    if ragged_rank + 1 == depth:
        return flat
    return API["reshape"](flat, [-1, *dims[depth:]])


def gather_elements(values: Any, where: Any) -> Any:
    """Gathers elements by index; returns them unchanged if the indices are the identity."""
    count = static_size(values.shape, 0)
    if len(where) == count and np.array_equal(where, np.arange(count)):
        return values
    return API["gather"](values, convert_to_tensor(where))


# DynamicRaggedShape.


class DynamicRaggedShape:
    """The shape of a ragged or dense tensor.

    Args:
        row_partitions: The row partitions of the ragged dimensions, outermost first.
        inner_shape: The shape of the flat values, a vector.
        dtype: int32 or int64; that of the row partitions, or int64, if None.
        validate: Accepted and without effect.
        static_inner_shape: Accepted and without effect.

    Raises:
        TypeError: The row partitions are not a list of row partitions.
        ValueError: The inner shape is not a vector.
    """

    __module__ = "twinflow.experimental"

    _counts_as_tensor = True

    def __init__(
        self,
        row_partitions: Sequence[RowPartition],
        inner_shape: Any,
        dtype: Any = None,
        validate: bool = False,
        static_inner_shape: Any = None,
    ) -> None:
        if not isinstance(row_partitions, (list, tuple)):
            raise TypeError(
                f"row_partitions should be a list of row partitions. Instead, got {row_partitions}"
            )
        for partition in row_partitions:
            if not isinstance(partition, RowPartition):
                raise TypeError(f"row_partitions contains {partition} which is not a RowPartition")
        default = row_partitions[0].dtype if row_partitions else int64
        splits_dtype = as_dtype(dtype or default)
        self._partitions = tuple(
            p if p.dtype is splits_dtype else p.with_dtype(splits_dtype) for p in row_partitions
        )
        inner = convert_to_tensor(inner_shape, dtype_hint=splits_dtype)
        inner.shape.assert_has_rank(1)
        self._inner = API["cast"](inner, splits_dtype)

    # ---------------------------------------------------------------- constructors

    @classmethod
    def from_tensor(cls, t: Any, dtype: Any = None) -> DynamicRaggedShape:
        """Creates the shape of a tensor.

        Args:
            t: A ragged or dense tensor.
            dtype: int32 or int64; that of the row splits, or int64, if None.
        """
        t = t if isinstance(t, RaggedTensor) else convert_to_tensor(t)
        if not isinstance(t, RaggedTensor):
            return cls((), API["shape"](t, out_type=int64), dtype)
        return cls(t._partitions, API["shape"](t.flat_values, out_type=int64), dtype)

    @classmethod
    def from_row_partitions(
        cls, row_partitions: Sequence[RowPartition], dtype: Any = None
    ) -> DynamicRaggedShape:
        """Creates the shape of a ragged tensor whose flat values are a vector.

        Args:
            row_partitions: The row partitions, outermost first.
            dtype: int32 or int64; that of the row partitions if None.

        Raises:
            ValueError: There are no row partitions.
        """
        if not row_partitions:
            raise ValueError("row_partitions cannot be empty")
        return cls(row_partitions, [row_partitions[-1].nvals()], dtype)

    @classmethod
    def from_lengths(
        cls, lengths: Any, num_row_partitions: int | None = None, dtype: Any = int64
    ) -> DynamicRaggedShape:
        """Creates a shape from sizes and row lengths.

        Args:
            lengths: For each dimension its size, or a tuple of row lengths.
            num_row_partitions: The number of row partitions; if None, up to the last dimension that
                is a tuple.
            dtype: int32 or int64.

        Raises:
            ValueError: The lengths are inconsistent.
        """
        _check_lengths(lengths)
        ragged = [i for i, length in enumerate(lengths) if isinstance(length, tuple)]
        if ragged and ragged[0] == 0:
            TensorShape([1, len(lengths[0])]).assert_has_rank(1)
        count = max(ragged, default=0) if num_row_partitions is None else int(num_row_partitions)
        size, partitions = lengths[0] if lengths else 0, []
        for length in lengths[1 : count + 1]:
            if isinstance(length, tuple) and len(length) != size:
                raise ValueError("Shape not consistent.")
            of_each = np.asarray(length) if isinstance(length, tuple) else np.full(size, length)
            splits = convert_to_tensor(splits_of(of_each).astype(as_dtype(dtype).np))
            uniform = length if isinstance(length, int) else None
            size = int(of_each.sum())
            partitions.append(RowPartition._of(splits, uniform, size))
        inner = [size, *lengths[count + 1 :]] if lengths else []
        return cls(partitions, np.array(inner, np.int64), dtype)

    @classmethod
    def _of_dims(cls, dims: Dims, count: int, dtype: DType) -> DynamicRaggedShape:
        """Creates a shape from host dimensions with ``count`` row partitions."""
        lengths = [d if is_uniform(d) else tuple(np.asarray(d).tolist()) for d in dims]
        return cls.from_lengths(lengths, count, dtype)

    # ---------------------------------------------------------------- properties

    @property
    def dtype(self) -> DType:
        """The dtype of the sizes."""
        return self._inner.dtype

    @property
    def row_partitions(self) -> tuple[RowPartition, ...]:
        """The row partitions of the ragged dimensions, outermost first."""
        return self._partitions

    @property
    def num_row_partitions(self) -> int:
        """The number of row partitions."""
        return len(self._partitions)

    @property
    def inner_shape(self) -> Any:
        """The shape of the flat values, a vector."""
        return self._inner

    @property
    def inner_rank(self) -> int:
        """The rank of the flat values."""
        return static_size(self._inner.shape, 0)

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return self.inner_rank + self.num_row_partitions

    def _dims(self) -> Dims:
        """Returns the dimensions on the host."""
        inner = [int(n) for n in self._inner._host()]
        if not self._partitions:
            return inner
        outer = [self._partitions[0].static_nrows, *map(partition_dim, self._partitions)]
        return [*outer, *inner[1:]]

    def is_uniform(self, axis: int) -> bool:
        """Returns True if all rows of a dimension are known to have the same length.

        Args:
            axis: The dimension.

        Raises:
            IndexError: The axis is out of range.
        """
        if axis < 0:
            raise IndexError("Negative axis values are not supported")
        if axis >= self.rank:
            raise IndexError(f"Expected axis={axis} < rank={self.rank}")
        return is_uniform(self._dims()[axis])

    def static_lengths(self, ragged_lengths: bool = True) -> list[Any]:
        """Returns the static sizes; ragged dimensions are tuples of row lengths.

        Args:
            ragged_lengths: If False, ragged dimensions are None.
        """
        return [
            d if is_uniform(d) else tuple(np.asarray(d).tolist()) if ragged_lengths else None
            for d in self._dims()
        ]

    def with_dtype(self, dtype: Any) -> DynamicRaggedShape:
        """Returns the same shape with another dtype.

        Args:
            dtype: int32 or int64.

        Raises:
            ValueError: The dtype is not supported.
        """
        result_dtype = as_dtype(dtype)
        if result_dtype not in INDEX_TYPES:
            raise ValueError(f"Illegal dtype: {result_dtype}")
        return DynamicRaggedShape(self._partitions, self._inner, result_dtype)

    def _with_flat_values(self, flat_values: Any) -> Any:
        """Returns a tensor of this shape with the given flat values."""
        for partition in reversed(self._partitions):
            flat_values = RaggedTensor(flat_values, partition, internal=True)
        return flat_values

    # ---------------------------------------------------------------- sequence protocol

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._part(index)
        at = index + self.rank if index < 0 else index
        if at < 0:
            raise IndexError(f"Index must be non-negative: {at}")
        if at >= self.rank:
            next_to = at == self.num_row_partitions + 1
            raise IndexError(
                f"Expected axis={at} < rank={self.rank}"
                if next_to
                else f"Index is too big: {at}>={self.rank}"
            )
        if at > self.num_row_partitions or not self._partitions:
            return self._inner[at - self.num_row_partitions]
        if not at:
            return API["cast"](self._partitions[0].nrows(), self.dtype)
        length = self._partitions[at - 1].static_uniform_row_length
        if length is None:
            raise ValueError(f"Index {at} is not uniform")
        return convert_to_tensor(length, dtype=self.dtype)

    def _part(self, key: slice) -> DynamicRaggedShape:
        start, stop, step = key.indices(self.rank)
        if step != 1:
            raise IndexError("Cannot stride through a shape")
        count = min(self.num_row_partitions, max(stop - 1, 0))
        uniform = all(p.is_uniform() for p in self._partitions[:count])
        if start and start < stop and not uniform:
            raise ValueError("All relevant dimensions must be uniform")
        if start or not count:
            sizes = [self[i] for i in range(start, stop)]
            inner = API["stack"](sizes) if sizes else np.zeros(0, np.int64)
            return DynamicRaggedShape((), inner, self.dtype)
        partitions = self._partitions[:count]
        if count < self.num_row_partitions or stop <= count:
            return DynamicRaggedShape(
                partitions, API["stack"]([partitions[-1].nvals()]), self.dtype
            )
        return DynamicRaggedShape(partitions, self._inner[: stop - count], self.dtype)

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, DynamicRaggedShape):
            return NotImplemented
        a, b = self._dims(), other._dims()
        same_inner = np.array_equal(self._inner._host(), other._inner._host())
        if len(a) != len(b) or not same_inner:
            return False
        same = all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))
        return convert_to_tensor(same)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        lengths = ", ".join(map(str, self.static_lengths()))
        return (
            f"<DynamicRaggedShape lengths=[{lengths}] num_row_partitions={self.num_row_partitions}>"
        )

    def _printed(self, summarize: int) -> bytes:
        """Returns the string for ``tf.print``."""
        return repr(self).encode()

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        raise ValueError("TypeError: object of type 'DynamicRaggedShape' has no len()")


def _check_lengths(lengths: Any) -> None:
    if not isinstance(lengths, list):
        raise ValueError("lengths should be a list")
    for length in lengths:
        of_ints = isinstance(length, tuple) and all(isinstance(n, int) for n in length)
        if not isinstance(length, int) and not of_ints:
            raise ValueError(
                f"element of lengths should be int or tuple of ints: instead {length!r}"
            )


# Broadcasting of ragged tensors.


def same_splits_type(tensors: list[Any]) -> None:
    """Raises ValueError if ragged tensors have row splits of different dtypes."""
    if len({x.row_splits.dtype for x in tensors if is_ragged(x)}) > 1:
        raise ValueError(
            "Input RaggedTensors have mismatched row_splits dtypes; use "
            "RaggedTensor.with_row_splits_dtype() to convert them to compatible dtypes."
        )


def broadcast_rows(x: Any, y: Any) -> tuple[Any, Any, Any]:
    """Broadcasts the rows of two tensors; returns flat values and a function that wraps results.

    Inner dimensions that neither operand partitions are left to the op that follows.
    """
    same_splits_type([x, y])
    a, b = dims_of(x), dims_of(y)
    rank = max(len(a), len(b))
    depth = (
        max(t.ragged_rank + rank - len(dims) for t, dims in ((x, a), (y, b)) if is_ragged(t)) + 1
    )
    low_first = len(a) <= len(b)  # TensorFlow's errors name the operand of lower rank first
    pair = (
        (pad_dims(a, rank), pad_dims(b, rank))
        if low_first
        else (pad_dims(b, rank), pad_dims(a, rank))
    )
    result = broadcast(*pair, depth)
    first, second = (result.first, result.second) if low_first else (result.second, result.first)
    like = next(t for t in (x, y) if is_ragged(t))
    count = sum(1 for _ in like._partitions)
    source = first if like is x else second
    if count + 1 == depth and np.array_equal(
        source, np.arange(static_size(like.flat_values.shape, 0))
    ):
        wrap = like.with_flat_values
    else:
        wrap = _wrapper(result.dims, depth, like.row_splits.dtype)
    values = [
        gather_elements(merge_outer_dims(t, pad_dims(dims, rank), depth), at)
        for t, dims, at in ((x, a, first), (y, b, second))
    ]
    return values[0], values[1], wrap


def _wrapper(dims: Any, depth: int, dtype: Any) -> Any:
    shape = DynamicRaggedShape._of_dims(dims, depth - 1, dtype)
    return shape._with_flat_values


def _assert_reached(a: Any, b: Any, first: Any, second: Any) -> None:
    if not np.array_equal(first, second):
        x, y = (convert_to_tensor(np.asarray(lengths, np.int64)) for lengths in (first, second))
        API["debugging.assert_equal"](x, y, message="Cannot broadcast")


def broadcast_to(x: Any, shape: DynamicRaggedShape) -> Any:
    """Broadcasts a ragged or dense tensor to a shape that may be ragged."""
    x = x if is_ragged(x) else convert_to_tensor(x)
    target = shape._dims()
    if not shape.num_row_partitions and not is_ragged(x):
        return API["broadcast_to"](x, target)
    dims, depth = pad_dims(dims_of(x), len(target)), shape.num_row_partitions + 1
    result = broadcast(dims, target, depth, _assert_reached)
    values = gather_elements(merge_outer_dims(x, dims, depth), result.first)
    inner = [static_size(values.shape, 0), *target[depth:]]
    if values.shape.as_list() != inner:
        values = API["broadcast_to"](values, inner)
    return shape._with_flat_values(values)


def broadcast_dynamic_shape(
    shape_x: DynamicRaggedShape, shape_y: DynamicRaggedShape
) -> DynamicRaggedShape:
    """Returns the shape that two shapes broadcast to."""
    low, high = sorted((shape_x, shape_y), key=lambda s: s.rank)
    rank = high.rank
    result = broadcast(pad_dims(low._dims(), rank), pad_dims(high._dims(), rank), rank)
    count = max(shape_x.num_row_partitions, shape_y.num_row_partitions)
    last = max((i for i, d in enumerate(result.dims) if not is_uniform(d)), default=0)
    dtype = shape_x.dtype if shape_x.dtype is shape_y.dtype else int64
    return DynamicRaggedShape._of_dims(result.dims, max(count, last), dtype)
