"""Dynamic partition and dynamic stitch."""

from __future__ import annotations

from typing import Annotated, Any

from twinflow._src.core.dtypes import int32
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import API, Call, Kind, Tensors, op
from twinflow._src.ops.array.shapes import sizes_of
from twinflow._src.shape_rules.gather import partitioned, stitched

Partitions = Annotated[Any, Kind("partitions", only=int32)]
Positions = Annotated[Any, Kind("indices", only=int32, many=True, host=True)]


@op("DynamicPartition", api="dynamic_partition", shape=partitioned)
def dynamic_partition(xp: Any, data: Any, partitions: Partitions, *, num_partitions: int) -> Any:
    """Partitions the elements or slices of a tensor into several tensors by partition index.

    Args:
        data: A tensor.
        partitions: For each element or slice, the index of the tensor that it goes to.
        num_partitions: The number of tensors.

    Returns:
        A list of tensors of the same dtype.

    Raises:
        InvalidArgumentError: The shapes are incompatible, or a partition index is out of range.
    """
    rank = partitions.ndim
    if data.shape[:rank] != partitions.shape:
        raise invalid(
            "data.shape must start with partitions.shape, got data.shape = "
            f"{text(data.shape)}, partitions.shape = {text(partitions.shape)}"
        )
    bad = (partitions < 0) | (partitions >= num_partitions)
    if xp.any(bad):
        where = tuple(int(i) for i in xp.argwhere(bad)[0])
        raise invalid(
            f"partitions{text(where) if where else ''} = {int(partitions[where])} is not in "
            f"[0, {num_partitions})"
        )
    return [xp.asarray(data[partitions == i], order="C") for i in range(num_partitions)]


@dynamic_partition.gradient
def _(call: Call, *dys: Any) -> Any:
    data, partitions = call.inputs
    numbers = API["reshape"](API["range"](API["size"](partitions)), sizes_of(partitions))
    indices = dynamic_partition(numbers, partitions, **call.attrs)
    return API["reshape"](dynamic_stitch(indices, list(dys)), sizes_of(data)), None


@op("DynamicStitch", api="dynamic_stitch", shape=stitched)
def dynamic_stitch(xp: Any, indices: Positions, data: Tensors) -> Any:
    """Interleaves slices of several tensors into one; for duplicate indices the last slice wins.

    Args:
        indices: For each tensor, the indices of its slices in the result.
        data: The tensors.

    Returns:
        A tensor of the same dtype.

    Raises:
        InvalidArgumentError: The shapes are incompatible.
    """
    return _stitched(xp, indices, data)


@op("ParallelDynamicStitch", shape=stitched)
def parallel_dynamic_stitch(xp: Any, indices: Positions, data: Tensors) -> Any:
    """Interleaves slices of several tensors into one; duplicate indices have no defined order."""
    return _stitched(xp, indices, data)


def _stitched(xp: Any, indices: Any, data: Any) -> Any:
    rest = data[0].shape[indices[0].ndim :]
    for i, (where, values) in enumerate(zip(indices, data, strict=True)):
        if values.shape[: where.ndim] != where.shape:
            raise invalid(
                f"data[{i}].shape = {text(values.shape)} does not start with "
                f"indices[{i}].shape = {text(where.shape)}"
            )
        if values.shape[where.ndim :] != rest:
            raise invalid(
                f"Need data[0].shape[{indices[0].ndim}:] = data[{i}].shape[{where.ndim}:], got "
                f"data[0].shape = {text(data[0].shape)}, data[{i}].shape = {text(values.shape)}, "
                f"indices[0].shape = {text(indices[0].shape)}, indices[{i}].shape = {text(where.shape)}"
            )
        if where.size and int(xp.min(where)) < 0:
            raise invalid(f"indices[{int(xp.argmax(where.reshape(-1) < 0))}] is out of range")
    length = max((int(xp.max(where)) + 1 for where in indices if where.size), default=0)
    result = xp.full((length, *rest), b"" if data[0].dtype.kind == "O" else 0, dtype=data[0].dtype)
    for where, values in zip(indices, data, strict=True):
        result[where] = values
    return result


@parallel_dynamic_stitch.gradient
@dynamic_stitch.gradient
def _(call: Call, dy: Any) -> Any:
    indices = call.inputs[0]
    return [*(None for _ in indices), *(API["gather"](dy, where) for where in indices)]
