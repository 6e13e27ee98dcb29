"""Partitioned variables and partitioners."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from twinflow._src.core.context import thread
from twinflow._src.core.shapes import TensorShape, static_size
from twinflow._src.dispatch.op import API

Partitioner = Callable[..., list[int]]


class PartitionedVariable:
    """A variable that is split into partitions along one dimension.

    Args:
        name: The name of the full variable.
        shape: The shape of the full variable.
        dtype: The dtype.
        variable_list: The partitions, in order.
        partitions: The number of partitions along each dimension.
    """

    _counts_as_tensor = True

    def __init__(
        self, name: str, shape: Any, dtype: Any, variable_list: list[Any], partitions: list[int]
    ) -> None:
        if not isinstance(variable_list, (list, tuple)):
            raise TypeError(f"variable_list is not a list or tuple: {variable_list}")
        if not isinstance(partitions, (list, tuple)):
            raise TypeError(f"partitions is not a list or tuple: {partitions}")
        self._name, self._shape, self._dtype = name, TensorShape(shape), dtype
        self._parts = list(variable_list)
        self._partitions = list(partitions)

    @property
    def name(self) -> str:
        """The name of the full variable."""
        return self._name

    @property
    def dtype(self) -> Any:
        """The dtype."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The shape of the full variable."""
        return self._shape

    def get_shape(self) -> TensorShape:
        """Returns the shape of the full variable."""
        return self._shape

    def _get_variable_list(self) -> list[Any]:
        return self._parts

    def _get_partitions(self) -> list[int]:
        return self._partitions

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parts)

    def __len__(self) -> int:
        axes = self._partition_axes()
        if len(axes) > 1:
            raise ValueError(f"Cannot get a length for {len(axes)} > 1 partition axes")
        return len(self._parts)

    def _partition_axes(self) -> list[int]:
        axes = [i for i, count in enumerate(self._partitions) if count > 1]
        return axes or [0]

    def as_tensor(self) -> Any:
        """Returns the concatenated partitions as one tensor."""
        with API["control_dependencies"](None):
            return self._concat()

    def _concat(self) -> Any:
        """Concatenates the partitions; reads and concatenation have a name scope of their own."""
        graph = thread.scope.graph
        if graph is None:
            return API["concat"](self._parts, self._partition_axes()[0])
        if len(self._parts) == 1:
            joined = self._parts[0]
        else:
            with graph.name_scope(f"{self._name}/ConcatPartitions/"):
                joined = API["concat"](self._parts, self._partition_axes()[0])
        with graph.name_scope(None):
            return API["identity"](joined, name=self._name)

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        return self._concat()

    def _each(self, method: str, value: Any, **options: Any) -> list[Any]:
        """Updates each partition with its slice of a value."""
        if isinstance(value, (list, PartitionedVariable)):
            values = list(value)
        else:
            axis = self._partition_axes()[0]
            values = API["split"](
                value, [static_size(part.shape, axis) for part in self._parts], axis
            )
        return [getattr(part, method)(v, **options) for part, v in zip(self._parts, values)]

    def assign(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> list[Any]:
        """Replaces the value; returns a list of the results of the partitions' updates."""
        return self._each("assign", value, name=name, read_value=read_value)

    def assign_add(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> list[Any]:
        """Adds to the value; see ``assign``."""
        return self._each("assign_add", value, name=name, read_value=read_value)

    def assign_sub(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> list[Any]:
        """Subtracts from the value; see ``assign``."""
        return self._each("assign_sub", value, name=name, read_value=read_value)


# ------------------------------------------------------------------ partitioners


def parts_of(partitioner: Any, shape: TensorShape, dtype: Any) -> list[int]:
    """Returns the number of partitions along each dimension, of which at most one is split."""
    if not callable(partitioner):
        raise ValueError(f"Partitioner must be callable, but received: {partitioner}")
    counts = partitioner(shape=shape, dtype=dtype)
    if not isinstance(counts, Sequence):
        raise ValueError(f"Partitioner must return a sequence, but saw: {counts}")
    if len(counts) != shape.rank:
        raise ValueError(
            f"Partitioner returned a partition list that does not match the Variable's rank: {counts} vs. {shape}"
        )
    if any(count < 1 for count in counts):
        raise ValueError(f"Partitioner returned zero partitions for some axes: {counts}")
    if sum(count > 1 for count in counts) > 1:
        raise ValueError(
            f"Can only slice a variable along one dimension: shape: {shape}, partitioning: {counts}"
        )
    for axis, (count, size) in enumerate(zip(counts, _sizes(shape))):
        if count > max(size, 1):
            offset = [size if i == axis else 0 for i in range(len(counts))]
            raise ValueError(
                f"Expected 0 <= offset < shape but found offset={size}, shape={size} for var_offset={offset}, "
                f"full_shape={shape.as_list()}"
            )
    return list(counts)


def part_shapes(shape: TensorShape, counts: list[int]) -> Iterator[tuple[list[int], list[int]]]:
    """Yields the offset and shape of each partition; the first ones are larger by one if uneven."""
    rows = []
    for size, count in zip(_sizes(shape), counts):
        even, more = divmod(size, count)
        sizes = [even + (i < more) for i in range(count)]
        rows.append(list(zip(itertools.accumulate([0, *sizes]), sizes)))
    for extents in itertools.product(*rows):
        yield [start for start, _ in extents], [size for _, size in extents]


def _sizes(shape: Any) -> list[Any]:
    return TensorShape(shape).as_list()


def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Partitioner:
    """Returns a partitioner that splits one dimension into a fixed number of partitions.

    Args:
        num_shards: The number of partitions.
        axis: The dimension.
    """

    def partitioner(shape: Any, **_: Any) -> list[int]:
        counts = [1] * len(shape)
        counts[axis] = min(num_shards, _sizes(shape)[axis])
        return counts

    return partitioner


def variable_axis_size_partitioner(
    max_shard_bytes: int,
    axis: int = 0,
    bytes_per_string_element: int = 16,
    max_shards: int | None = None,
) -> Partitioner:
    """Returns a partitioner that limits the size of a partition.

    Args:
        max_shard_bytes: The maximum size of a partition in bytes.
        axis: The dimension to split.
        bytes_per_string_element: The assumed size of a string in bytes.
        max_shards: The maximum number of partitions, or None.

    Raises:
        ValueError: A number is not positive.
    """
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise ValueError(
            "Both max_shard_bytes and bytes_per_string_element must be positive. "
            f"Currently, max_shard_bytes is {max_shard_bytes} and"
            f"bytes_per_string_element is {bytes_per_string_element}"
        )
    if max_shards and max_shards < 1:
        raise ValueError("max_shards must be positive.")

    def partitioner(shape: Any, dtype: Any) -> list[int]:
        sizes = _sizes(shape)
        counts = [1] * len(sizes)
        element = bytes_per_string_element if dtype.kind == "s" else dtype.size
        row = math.prod(n for i, n in enumerate(sizes) if i != axis) * element
        rows = max(1, math.floor(max_shard_bytes / row)) if row else sizes[axis]
        number = math.ceil(sizes[axis] / rows)
        counts[axis] = max(1, min(number, max_shards or number, sizes[axis]))
        return counts

    return partitioner


def min_max_variable_partitioner(
    max_partitions: int = 1,
    axis: int = 0,
    min_slice_size: int = 256 << 10,
    bytes_per_string_element: int = 16,
) -> Partitioner:
    """Returns a partitioner that makes as many partitions of a minimum size as possible.

    Args:
        max_partitions: The maximum number of partitions.
        axis: The dimension to split.
        min_slice_size: The minimum size of a partition in bytes.
        bytes_per_string_element: The assumed size of a string in bytes.
    """

    def partitioner(shape: Any, dtype: Any) -> list[int]:
        sizes = _sizes(shape)
        counts = [1] * len(sizes)
        element = bytes_per_string_element if dtype.kind == "s" else dtype.size
        possible = max(1, math.ceil(math.prod(sizes) * element / min_slice_size))
        counts[axis] = min(max_partitions, possible, sizes[axis])
        return counts

    return partitioner
