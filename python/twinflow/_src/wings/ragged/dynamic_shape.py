"""DynamicRaggedShape: the shape of a tensor, ragged or not, as a value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor
from twinflow._src.composite_tensors.row_checks import INDEX_TYPES
from twinflow._src.composite_tensors.row_partition import RowPartition
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import DType, as_dtype, int64
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.op import API
from twinflow._src.wings.ragged.shapes import Dims, is_uniform, partition_dim, splits_of


class DynamicRaggedShape:
    """The shape of a tensor, ragged or not.

    Args:
        row_partitions: How the rows of the ragged dimensions are cut, the outermost first.
        inner_shape: The shape of the innermost values, a vector.
        dtype: int32 or int64; that of the row partitions, or int64, where None.
        validate: Accepted and without effect.
        static_inner_shape: What is known of the inner shape; accepted and without effect.

    Raises:
        TypeError: The row partitions are no list of row partitions.
        ValueError: The inner shape is no vector.
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
        found = row_partitions[0].dtype if row_partitions else int64
        wanted = as_dtype(dtype or found)
        self._partitions = tuple(
            p if p.dtype is wanted else p.with_dtype(wanted) for p in row_partitions
        )
        inner = convert_to_tensor(inner_shape, dtype_hint=wanted)
        inner.shape.assert_has_rank(1)
        self._inner = API["cast"](inner, wanted)

    # ---------------------------------------------------------------- making one

    @classmethod
    def from_tensor(cls, t: Any, dtype: Any = None) -> DynamicRaggedShape:
        """The shape of a tensor.

        Args:
            t: A tensor, ragged or not.
            dtype: int32 or int64; that of the row splits, or int64, where None.
        """
        t = t if isinstance(t, RaggedTensor) else convert_to_tensor(t)
        if not isinstance(t, RaggedTensor):
            return cls((), API["shape"](t, out_type=int64), dtype)
        return cls(t._partitions, API["shape"](t.flat_values, out_type=int64), dtype)

    @classmethod
    def from_row_partitions(
        cls, row_partitions: Sequence[RowPartition], dtype: Any = None
    ) -> DynamicRaggedShape:
        """The shape of a ragged tensor whose innermost values are scalars.

        Args:
            row_partitions: How the rows are cut, the outermost first.
            dtype: int32 or int64; that of the row partitions where None.

        Raises:
            ValueError: There are none.
        """
        if not row_partitions:
            raise ValueError("row_partitions cannot be empty")
        return cls(row_partitions, [row_partitions[-1].nvals()], dtype)

    @classmethod
    def from_lengths(
        cls, lengths: Any, num_row_partitions: int | None = None, dtype: Any = int64
    ) -> DynamicRaggedShape:
        """The shape of given sizes.

        Args:
            lengths: For each dimension its size, or a tuple with the length of each row.
            num_row_partitions: How many dimensions after the first are cut into rows; up to the last
                one that is given as a tuple where None.
            dtype: int32 or int64.

        Raises:
            ValueError: The lengths do not fit each other.
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
        """The shape of dimensions on the host.

        Args:
            dims: The dimensions.
            count: How many of those after the first are cut into rows.
            dtype: int32 or int64.
        """
        lengths = [d if is_uniform(d) else tuple(np.asarray(d).tolist()) for d in dims]
        return cls.from_lengths(lengths, count, dtype)

    # ---------------------------------------------------------------- what it is

    @property
    def dtype(self) -> DType:
        """The type of the sizes."""
        return self._inner.dtype

    @property
    def row_partitions(self) -> tuple[RowPartition, ...]:
        """How the rows of the ragged dimensions are cut, the outermost first."""
        return self._partitions

    @property
    def num_row_partitions(self) -> int:
        """The number of dimensions that are cut into rows."""
        return len(self._partitions)

    @property
    def inner_shape(self) -> Any:
        """The shape of the innermost values, a vector."""
        return self._inner

    @property
    def inner_rank(self) -> int:
        """The rank of the innermost values."""
        return self._inner.shape[0]

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return self.inner_rank + self.num_row_partitions

    def _dims(self) -> Dims:
        """The dimensions on the host."""
        inner = [int(n) for n in self._inner._host()]
        if not self._partitions:
            return inner
        outer = [self._partitions[0].static_nrows, *map(partition_dim, self._partitions)]
        return [*outer, *inner[1:]]

    def is_uniform(self, axis: int) -> bool:
        """Whether all rows of a dimension are known to have one length.

        Args:
            axis: The dimension.

        Raises:
            IndexError: There is no such dimension.
        """
        if axis < 0:
            raise IndexError("Negative axis values are not supported")
        if axis >= self.rank:
            raise IndexError(f"Expected axis={axis} < rank={self.rank}")
        return is_uniform(self._dims()[axis])

    def static_lengths(self, ragged_lengths: bool = True) -> list[Any]:
        """The sizes, with a tuple of lengths for each ragged dimension.

        Args:
            ragged_lengths: Whether ragged dimensions are given by tuples, or by None.
        """
        return [
            d if is_uniform(d) else tuple(np.asarray(d).tolist()) if ragged_lengths else None
            for d in self._dims()
        ]

    def with_dtype(self, dtype: Any) -> DynamicRaggedShape:
        """Returns the same shape in another type.

        Args:
            dtype: int32 or int64.

        Raises:
            ValueError: It is another type.
        """
        wanted = as_dtype(dtype)
        if wanted not in INDEX_TYPES:
            raise ValueError(f"Illegal dtype: {wanted}")
        return DynamicRaggedShape(self._partitions, self._inner, wanted)

    def _with_flat_values(self, flat_values: Any) -> Any:
        """Returns a tensor of this shape.

        Args:
            flat_values: Its innermost values, of the inner shape.
        """
        for partition in reversed(self._partitions):
            flat_values = RaggedTensor(flat_values, partition, internal=True)
        return flat_values

    # ---------------------------------------------------------------- as a sequence

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._part(index)
        at = index + self.rank if index < 0 else index
        if at < 0:
            raise IndexError(f"Index must be non-negative: {at}")
        if at >= self.rank:
            next_to = at == self.num_row_partitions + 1
            raise IndexError(f"Expected axis={at} < rank={self.rank}" if next_to else f"Index is too big: {at}>={self.rank}")
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
        kept = self._partitions[:count]
        if count < self.num_row_partitions or stop <= count:
            return DynamicRaggedShape(kept, API["stack"]([kept[-1].nvals()]), self.dtype)
        return DynamicRaggedShape(kept, self._inner[: stop - count], self.dtype)

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
        """How ``tf.print`` shows it."""
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
