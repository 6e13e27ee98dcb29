"""The shape rule of strided slices: of ``x[1:, ..., tf.newaxis, 0]``."""

from __future__ import annotations

from typing import Any, NamedTuple

from twinflow._src.core.shapes import Dims, refused
from twinflow._src.shape_rules.demands import Size, known, merged, sizes_value, value_dims, vector

_NEW, _SHRUNK = -1, -2


class _Axis(NamedTuple):
    """What is done to one dimension; a bound that is not known is None."""

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
    """The rule of ``StridedSlice``."""
    _check_bounds(begin, end, strides)
    steps = known(strides)
    if dims is None or steps is None:
        return None
    masks = begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask
    axes, order = _dense(len(dims), known(begin), known(end), steps, masks)
    if any(a.shrink and a.stride < 0 for n, a in zip(dims, axes, strict=True) if n is not None):
        raise refused("only stride 1 allowed on non-range indexing.")
    sizes = [_length(i, size, axis) for i, (size, axis) in enumerate(zip(dims, axes, strict=True))]
    return tuple(1 if i == _NEW else sizes[i] for i in order if i != _SHRUNK)


def slice_assigned(
    variable: Dims | None, begin: Any, end: Any, strides: Any, value: Any, **_: Any
) -> list[Any]:
    """The rule of ``ResourceStridedSliceAssign``, which has no result."""
    _check_bounds(begin, end, strides)
    return []


def slice_updated(
    dims: Dims | None, begin: Any, end: Any, strides: Any, value: Dims | None, **_: Any
) -> Dims | None:
    """The rule of ``TensorStridedSliceUpdate``."""
    _check_bounds(begin, end, strides)
    return dims


def _check_bounds(*bounds: Any) -> None:
    """Sees that the beginnings, ends and steps are vectors of one length."""
    count: Dims | None = (None,)
    for values in bounds:
        count = merged(count, (vector(value_dims(values)),))


def slice_gradient(
    shape: Any, begin: Any, end: Any, strides: Any, dy: Any, **_: Any
) -> Dims | None:
    """The rule of ``StridedSliceGrad``: the shape that was sliced."""
    return sizes_value(shape)


def _dense(
    rank: int,
    begin: list[int] | None,
    end: list[int] | None,
    strides: list[int],
    masks: tuple[int, ...],
) -> tuple[list[_Axis], list[int]]:
    """What is done to each dimension, and the dimensions of the result in order."""
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
    """How many elements of a dimension are taken."""
    if not axis.stride:
        raise refused(f"strides[{i}] must be non-zero")
    if size is None:
        return None
    if axis.shrink:
        return _one(i, size, axis)
    whole = axis.from_start and axis.to_end
    if not whole and (axis.begin is None or axis.end is None):
        return None
    bounds = slice(
        None if axis.from_start else axis.begin, None if axis.to_end else axis.end, axis.stride
    )
    return len(range(size)[bounds])


def _one(i: int, size: int, axis: _Axis) -> int:
    """Sees that an index lies within a dimension."""
    if axis.begin is not None and axis.end is not None and not -size <= axis.begin < size:
        at = axis.begin + size if axis.begin < 0 else axis.begin
        raise refused(f"slice index {at} of dimension {i} out of bounds.")
    return 1
