"""Shape inference for reshape, concat, split, slice, pad and tile ops, and strided slices."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from twinflow._src.core.errors import InvalidArgumentError
from twinflow._src.core.shapes import Dims, refused, text
from twinflow._src.shape_rules.demands import (
    Size,
    at_least,
    at_most,
    axis_of,
    concat_shapes,
    flatten_known,
    merged,
    merged_all,
    merged_size,
    minus,
    parted,
    plus,
    ranked,
    scalar_value,
    size_value,
    sized,
    sizes_value,
    times,
    value_dims,
    vector,
)

# Reshape, concat, split, slice, pad, tile.


# ------------------------------------------------------------------ changes of shape


def reshaped(dims: Dims | None, shape: Any) -> Dims | None:
    """Infers the output shape of ``Reshape``; one dimension may follow from the element count."""
    result = sizes_value(shape)
    if result is None or dims is None:
        return result
    before, after = _count(dims), _count(result)
    if None in (before, after):
        return result
    (count, from_), (target, to) = before, after  # type: ignore[misc]
    if from_ is None and to is None and count != target:
        raise refused(
            f"Cannot reshape a tensor with {count} elements to shape {text(result)} ({target} elements)"
        )
    if from_ is None and to is not None and target:
        return _but(result, to, parted(count, target))
    if from_ is not None and to is None and count:
        parted(target, count)
    return result


def _count(dims: Dims) -> tuple[int, int | None] | None:
    """Returns the product of known dimensions, and the axis of the unknown; None if several."""
    if 0 in dims:
        return 0, None
    unknown = [i for i, size in enumerate(dims) if size is None]
    if len(unknown) > 1:
        return None
    return math.prod(size for size in dims if size), unknown[0] if unknown else None


def _but(dims: Dims, axis: int, size: Size) -> Dims:
    """Returns the dimensions with one replaced."""
    return (*dims[:axis], size, *dims[axis:][1:])


def expanded(dims: Dims | None, axis: Any) -> Dims | None:
    """Infers the output shape of ``ExpandDims``."""
    result = flatten_known(axis)
    if result is not None and len(result) != 1:
        raise refused("'dim' input must be a tensor with a single value")
    if dims is None or result is None:
        return None
    where, rank = result[0], len(dims)
    if not -rank - 1 <= where <= rank:
        raise refused(f"dim {where} not in the interval [{-rank - 1}, {rank}].")
    where %= rank + 1
    return (*dims[:where], 1, *dims[where:])


def squeezed(dims: Dims | None, *, axis: Any = None) -> Dims | None:
    """Infers the output shape of ``Squeeze``."""
    axes = [] if axis is None else [axis] if not hasattr(axis, "__len__") else list(axis)
    if dims is None or (not axes and None in dims):
        return None
    rank = len(dims)
    for n, i in enumerate(axes):
        if not -rank <= i < rank:
            raise refused(f"squeeze_dims[{n}] not in [{-rank},{rank}).")
    for i in axes:
        if dims[i] not in (1, None):
            raise refused(
                f"Can not squeeze dim[{i % rank}], expected a dimension of 1, got {dims[i]}"
            )
    gone = {i % rank for i in axes} if axes else {i for i in range(rank) if dims[i] == 1}
    return tuple(size for i, size in enumerate(dims) if i not in gone)


def transposed(dims: Dims | None, perm: Any = None) -> Dims | None:
    """Infers the output shape of ``Transpose``."""
    if perm is None:
        return None if dims is None else dims[::-1]
    shape, order = value_dims(perm), flatten_known(perm)
    length = None if shape is None or None in shape else math.prod(shape)  # type: ignore[arg-type]
    if dims is None and (length is None or length < 2):
        return None
    rank = len(dims) if dims is not None else length
    assert rank is not None
    dims = ranked(dims, rank)
    if vector(shape) is not None:
        sized(length, rank)
    for axis in order or ():
        if not -rank <= axis < rank:
            raise refused(f"perm dim {axis} is out of range of input rank {rank}")
    return (None,) * rank if order is None else tuple(dims[axis] for axis in order)


def broadcast_onto(dims: Dims | None, shape: Any) -> Dims | None:
    """Infers the output shape of ``BroadcastTo``."""
    length = vector(value_dims(shape))
    if length is not None:
        at_most(dims, length)
    result = sizes_value(shape)
    if result is None or dims is None:
        return result
    values = list(result)
    for i in range(-1, -len(dims) - 1, -1):
        size = dims[i]
        if size is not None and size > 1:
            values[i] = merged_size(size, values[i])
    return tuple(values)


def tiled(dims: Dims | None, multiples: Any) -> Dims | None:
    """Infers the output shape of ``Tile``."""
    length = vector(value_dims(multiples))
    rank = length if dims is None else len(dims)
    if rank is None:
        return None
    ranked(None if length is None else (None,) * length, rank)
    counts = ranked(sizes_value(multiples), rank)
    dims = ranked(dims, rank)
    return tuple(times(n, k) for n, k in zip(dims, counts, strict=True))


def with_paddings(dims: Dims | None, paddings: Any, *_: Any, **__: Any) -> Dims | None:
    """Infers the output shape of padding ops."""
    count, pair = ranked(value_dims(paddings), 2)
    sized(pair, 2)
    if count is None and dims is not None:
        count = len(dims)
    if count is None:
        return None
    dims, values = ranked(dims, count), flatten_known(paddings)
    if values is None:
        return (None,) * count
    if min(values, default=0) < 0:
        raise refused("Paddings must be non-negative")
    return tuple(plus(size, sum(values[2 * i : 2 * i + 2])) for i, size in enumerate(dims))


def without_paddings(dims: Dims | None, paddings: Any, **_: Any) -> Dims | None:
    """Infers the output shape of the gradient of ``MirrorPad``."""
    padded = with_paddings(dims, paddings)  # validates the paddings
    values = flatten_known(paddings)
    if dims is None or values is None:
        return padded
    return tuple(minus(size, sum(values[2 * i : 2 * i + 2])) for i, size in enumerate(dims))


def with_depth(
    indices: Dims | None, depth: Any, on: Dims | None, off: Dims | None, *, axis: int = -1
) -> Dims | None:
    """Infers the output shape of ``OneHot``."""
    if axis < -1:
        raise refused("axis must be >= -1")
    size = size_value(depth, 1)
    if indices is None:
        return None
    where = len(indices) if axis == -1 else axis
    return (*indices[:where], size, *indices[where:])


# ------------------------------------------------------------------ stack, concat and split


def _new_axis(axis: int, rank: int) -> int:
    if not -rank <= axis < rank:
        raise refused(f"Invalid axis: {axis}; must be in [{-rank},{rank})")
    return axis % rank


def packed(values: tuple[Dims | None, ...], *, axis: int = 0) -> Dims | None:
    """Infers the output shape of ``Pack``."""
    dims = merged_all(values)
    if dims is None:
        return None
    where = _new_axis(axis, len(dims) + 1)
    return (*dims[:where], len(values), *dims[where:])


def unpacked(dims: Dims | None, *, num: int | None = None, axis: int = 0) -> Any:
    """Infers the output shapes of ``Unpack``; None if the number of outputs is unknown."""
    if dims is None:
        return None if num is None else [None] * num
    where = _new_axis(axis, len(dims))
    if num is not None and dims[where] not in (None, num):
        raise refused(f"Dimension must be {num} but is {dims[where]}")
    count = dims[where] if num is None else num
    return None if count is None else [(*dims[:where], *dims[where + 1 :])] * count


def concatenated(values: tuple[Dims | None, ...], axis: Any) -> Dims | None:
    """Infers the output shape of ``ConcatV2``."""
    where, rank = scalar_value(axis), _one_rank(values)
    if where is None:
        return None if rank is None else (None,) * rank
    for value in values:
        at_least(value, -where if where < 0 else where + 1)
    after = where + 1 or None  # for the last axis from the end, nothing follows
    size: Size = 0
    head: Dims | None = None
    tail: Dims | None = None if after else ()
    for value in reversed(values):
        if value is not None:
            size, head = plus(size, value[where]), merged(value[:where], head)
            tail = merged(value[after:] if after else (), tail)
        else:
            size = None
    return concat_shapes(head, (size,), tail)


def _one_rank(values: tuple[Dims | None, ...]) -> int | None:
    """Returns the common rank of all inputs, if known."""
    rank = next((len(v) for v in values if v is not None), None)
    if rank == 0:
        raise refused("Can't concatenate scalars (use tf.stack instead)")
    for value in values:
        ranked(value, rank or 0) if value is not None else None
    return rank


def split_evenly(axis: Any, value: Dims | None, *, num_split: int) -> list[Dims | None]:
    """Infers the output shape of ``Split``."""
    where = _split_axis(axis, value)
    if where is None or value is None:
        return _parts_of(value, num_split)
    try:
        size = parted(value[where], num_split)
    except InvalidArgumentError as error:
        raise refused(
            f"{error}\n\tNumber of ways to split should evenly divide the split dimension"
        ) from None
    return [_but(value, where, size)] * num_split


def split_by(value: Dims | None, sizes: Any, axis: Any, *, num_split: int | None = None) -> Any:
    """Infers the output shapes of ``SplitV``; None if the number of outputs is unknown."""
    if value == ():
        raise refused("Can't split scalars")
    where, result = _split_axis(axis, value), flatten_known(sizes)
    count = merged_size(vector(value_dims(sizes)), num_split)
    if count is None:
        return None
    if where is None or value is None:
        return _parts_of(value, count)
    parts = [None] * count if result is None else _part_sizes(value[where], result)
    return [_but(value, where, size) for size in parts]


def _split_axis(axis: Any, value: Dims | None) -> int | None:
    """Returns the split axis, if it and the rank are known."""
    result = flatten_known(axis)
    if result is not None and axis.ndim:
        raise refused(f"Input must be scalar but has rank {axis.ndim}")
    return None if result is None or value is None else axis_of(result[0], len(value))


def _parts_of(value: Dims | None, count: int) -> list[Dims | None]:
    """Returns output shapes of which only the rank is known."""
    return [None if value is None else (None,) * len(value)] * count


def _part_sizes(total: Size, sizes: list[int]) -> list[Size]:
    """Returns the sizes of the splits; one may be -1, the remainder."""
    if sizes.count(-1) > 1:
        raise refused("size_splits can only have one -1")
    used, at = sum(size for size in sizes if size != -1), sizes.index(-1) if -1 in sizes else None
    if at is not None:
        sizes[at] = -1 if total is None else total - used
        if total is not None and sizes[at] < 0:
            raise refused(f"Split size at index {at} must be >= 0. Got: {sizes[at]}")
    elif total not in (None, used):
        listed = ",".join(map(str, sizes))
        raise refused(f"can't split axis of size {total} into pieces of size [{listed}]")
    return [None if size < 0 else size for size in sizes]


def sliced(dims: Dims | None, begin: Any, size: Any) -> Dims | None:
    """Infers the output shape of ``Slice``."""
    count = merged((vector(value_dims(begin)),), (vector(value_dims(size)),))
    if count is not None and count[0] is not None:
        dims = ranked(dims, count[0])
    first, sizes = sizes_value(begin), flatten_known(size)
    if sizes is None:
        result = sizes_value(size)
        return (None if dims is None else (None,) * len(dims)) if result is None else result
    sizes_value(size)
    dims, first = ranked(dims, len(sizes)), ranked(first, len(sizes))
    return tuple(minus(n, b) if s == -1 else s for n, b, s in zip(dims, first, sizes, strict=True))


# Strided slices, such as ``x[1:, ..., tf.newaxis, 0]``.


_NEW, _SHRUNK = -1, -2


class _Axis(NamedTuple):
    """The slice of one dimension; None is an unknown bound."""

    begin: int | None = None
    end: int | None = None
    stride: int = 1
    from_start: bool = True
    to_end: bool = True
    shrink: bool = False


def strided(
    dims: Dims | None,
    begin: Any,
    end: Any,
    strides: Any,
    *,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Dims | None:
    """Infers the output shape of ``StridedSlice``."""
    _check_bounds(begin, end, strides)
    steps = flatten_known(strides)
    if dims is None or steps is None:
        return None
    masks = begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask
    axes, order = _dense(len(dims), flatten_known(begin), flatten_known(end), steps, masks)
    if any(a.shrink and a.stride < 0 for n, a in zip(dims, axes, strict=True) if n is not None):
        raise refused("only stride 1 allowed on non-range indexing.")
    sizes = [_length(i, size, axis) for i, (size, axis) in enumerate(zip(dims, axes, strict=True))]
    return tuple(1 if i == _NEW else sizes[i] for i in order if i != _SHRUNK)


def slice_assigned(
    variable: Dims | None, begin: Any, end: Any, strides: Any, value: Any, **_: Any
) -> list[Any]:
    """Infers no outputs for ``ResourceStridedSliceAssign``; checks its bounds."""
    _check_bounds(begin, end, strides)
    return []


def slice_updated(
    dims: Dims | None, begin: Any, end: Any, strides: Any, value: Dims | None, **_: Any
) -> Dims | None:
    """Infers the output shape of ``TensorStridedSliceUpdate``."""
    _check_bounds(begin, end, strides)
    return dims


def _check_bounds(*bounds: Any) -> None:
    """Checks that begin, end and strides are vectors of one length."""
    count: Dims | None = (None,)
    for values in bounds:
        count = merged(count, (vector(value_dims(values)),))


def slice_gradient(
    shape: Any, begin: Any, end: Any, strides: Any, dy: Any, **_: Any
) -> Dims | None:
    """Infers the output shape of ``StridedSliceGrad``: that of the sliced tensor."""
    return sizes_value(shape)


def _dense(
    rank: int,
    begin: list[int] | None,
    end: list[int] | None,
    strides: list[int],
    masks: tuple[int, ...],
) -> tuple[list[_Axis], list[int]]:
    """Expands a slice specification: a slice per dimension, and the output dimensions in order."""
    from_start, to_end, ellipsis, new, shrink = masks
    count = len(strides)
    if ellipsis & (ellipsis - 1):
        raise refused("Multiple ellipses in slice spec not allowed")
    if not ellipsis & ((1 << count) - 1):
        ellipsis, count = 1 << count, count + 1
    taking = [i for i in range(count) if not (ellipsis | new) >> i & 1]
    axes: list[_Axis] = []
    order: list[int] = []
    for i in range(count):
        bit = 1 << i
        if ellipsis & bit:
            left = sum(j > i for j in taking)
            order += range(len(axes), rank - left)
            axes += [_Axis()] * (rank - left - len(axes))
        elif new & bit:
            order.append(_NEW)
        else:
            if len(axes) == rank:
                raise _too_many(rank)
            order.append(_SHRUNK if shrink & bit else len(axes))
            first, last = (None if b is None else b[i] for b in (begin, end))
            flags = (bool(mask & bit) for mask in (from_start, to_end, shrink))
            axes.append(_Axis(first, last, strides[i], *flags))
    return axes, order


def _too_many(rank: int) -> Exception:
    if not rank:
        return refused("Attempting to slice scalar input.")
    return refused(f"Index out of range using input dim {rank}; input has only {rank} dims")


def _length(i: int, size: Size, axis: _Axis) -> Size:
    """Returns the number of elements in a slice of a dimension."""
    if not axis.stride:
        raise refused(f"strides[{i}] must be non-zero")
    if size is None:
        return None
    if axis.shrink:
        return _one(i, size, axis)
    is_full = axis.from_start and axis.to_end
    if not is_full and (axis.begin is None or axis.end is None):
        return None
    bounds = slice(
        None if axis.from_start else axis.begin, None if axis.to_end else axis.end, axis.stride
    )
    return len(range(size)[bounds])


def _one(i: int, size: int, axis: _Axis) -> int:
    """Checks that an index is within a dimension."""
    if axis.begin is not None and axis.end is not None and not -size <= axis.begin < size:
        at = axis.begin + size if axis.begin < 0 else axis.begin
        raise refused(f"slice index {at} of dimension {i} out of bounds.")
    return 1
