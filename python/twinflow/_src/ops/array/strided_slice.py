"""Slices of tensors, and assignment to slices of variables."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import int32, int64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import API, Call, Kind, Resource, execute, export, op
from twinflow._src.dispatch.registry import PLACES
from twinflow._src.ops.array.static_sizes import sizes_of
from twinflow._src.shape_rules.array import sliced
from twinflow._src.shape_rules.slicing import slice_assigned, slice_gradient, strided

_SIZES = frozenset((int32, int64))
Index = Annotated[Any, Kind("Index", allowed=PLACES, host=True)]
Sizes = Annotated[Any, Kind("Index", allowed=_SIZES, host=True)]

MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


def _taking(shape: tuple[int, ...], count: int, masks: dict[str, int]) -> list[int]:
    """Which parts of a strided slice each take a dimension of a shape."""
    if bin(masks["ellipsis_mask"]).count("1") > 1:
        raise invalid("Multiple ellipses in slice spec not allowed")
    taking = [i for i in range(count) if not (masks["ellipsis_mask"] | masks["new_axis_mask"]) >> i & 1]
    if not shape and taking:
        raise invalid("Attempting to slice scalar input.")
    if len(taking) > len(shape):
        raise invalid(
            f"Index out of range using input dim {len(shape)}; input has only {len(shape)} dims"
        )
    return taking


def _numpy_index(
    shape: tuple[int, ...], begin: Any, end: Any, strides: Any, masks: dict[str, int]
) -> Any:
    """The NumPy index that a strided slice means, checked against a shape."""
    if begin.ndim != 1 or not begin.shape == end.shape == strides.shape:
        raise invalid(
            "Expected begin, end, and strides to be 1D equal size tensors, but got shapes "
            f"{text(begin.shape)}, {text(end.shape)}, and {text(strides.shape)} instead."
        )
    index: list[Any] = []
    axis, count = 0, len(begin)
    taking = _taking(shape, count, masks)
    for i in range(count):
        bit = 1 << i
        if masks["ellipsis_mask"] & bit:
            index.append(Ellipsis)
            axis = len(shape) - sum(j > i for j in taking)
        elif masks["new_axis_mask"] & bit:
            index.append(None)
        else:
            index.append(
                _one_axis(shape, axis, i, int(begin[i]), int(end[i]), int(strides[i]), masks)
            )
            axis += 1
    return tuple(index)


def _one_axis(
    shape: Any, axis: int, i: int, begin: int, end: int, stride: int, masks: dict[str, int]
) -> Any:
    bit = 1 << i
    if stride == 0:
        raise invalid(f"strides[{i}] must be non-zero")
    if masks["shrink_axis_mask"] & bit:
        if not -shape[axis] <= begin < shape[axis]:
            at = begin + shape[axis] if begin < 0 else begin
            raise invalid(f"slice index {at} of dimension {axis} out of bounds.")
        return begin
    start = None if masks["begin_mask"] & bit else begin
    stop = None if masks["end_mask"] & bit else end
    return slice(start, stop, stride)


@op("StridedSlice", api=(), shape=strided)
def _strided_slice(
    xp: Any,
    input: Any,
    begin: Index,
    end: Index,
    strides: Index,
    *,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Any:
    """Returns a slice of a tensor.

    Args:
        input: A tensor.
        begin: Where each dimension starts.
        end: Where it ends, exclusively.
        strides: The steps.
        begin_mask: Bits of the dimensions that start at their beginning.
        end_mask: Bits of the dimensions that go to their end.
        ellipsis_mask: Bit of an ellipsis.
        new_axis_mask: Bits of new dimensions of size 1.
        shrink_axis_mask: Bits of the dimensions of which one element is taken.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: An index lies outside the shape, or a step is 0.
    """
    masks = dict(
        zip(
            MASKS,
            (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask),
            strict=True,
        )
    )
    where = _numpy_index(input.shape, begin, end, strides, masks)
    return owned(xp, input, where)


@_strided_slice.gradient
def _(call: Call, dy: Any) -> Any:
    x, begin, end, strides = call.inputs
    known = sizes_of(x)
    shape = (
        convert_to_tensor(known, dtype=begin.dtype)
        if isinstance(known, list)
        else API["cast"](known, begin.dtype)
    )
    return execute(_slice_grad.op, [shape, begin, end, strides, dy], call.attrs), None, None, None


@op("StridedSliceGrad", shape=slice_gradient)
def _slice_grad(
    xp: Any,
    shape: Sizes,
    begin: Index,
    end: Index,
    strides: Index,
    dy: Any,
    *,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Any:
    """Returns zeros with a slice replaced; the gradient of a strided slice.

    Args:
        shape: The shape of the tensor that was sliced.
        begin: Where each dimension starts.
        end: Where it ends, exclusively.
        strides: The steps.
        dy: The gradient of the slice.
        begin_mask: Bits of the dimensions that start at their beginning.
        end_mask: Bits of the dimensions that go to their end.
        ellipsis_mask: Bit of an ellipsis.
        new_axis_mask: Bits of new dimensions of size 1.
        shrink_axis_mask: Bits of the dimensions of which one element is taken.

    Returns:
        A tensor of the given shape and the type of dy.
    """
    values = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    result = xp.zeros(tuple(shape.tolist()), dy.dtype)
    where = _numpy_index(result.shape, begin, end, strides, dict(zip(MASKS, values)))
    result[where] = dy
    return result


@_slice_grad.gradient
def _(call: Call, dx: Any) -> Any:
    _shape, begin, end, strides, _ = call.inputs
    again = execute(_strided_slice.op, [dx, begin, end, strides], call.attrs)
    return None, None, None, None, again


def owned(xp: Any, array: Any, where: Any) -> Any:
    """A part of an array in C order: contiguous parts share memory, others are copied."""
    part = array[where]
    if part.__class__ is xp.ndarray:
        return part if part.flags.c_contiguous else xp.ascontiguousarray(part)
    return xp.asarray(part, dtype=array.dtype, order="C").reshape(np.shape(part))


@op("ResourceStridedSliceAssign", shape=slice_assigned, impure=True)
def _strided_slice_assign(
    xp: Any,
    resource: Resource,
    begin: Index,
    end: Index,
    strides: Index,
    value: Any,
    *,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> None:
    """Replaces a slice of a variable.

    Args:
        resource: A variable.
        begin: Where each dimension starts.
        end: Where it ends, exclusively.
        strides: The steps.
        value: What replaces the slice; broadcast to it.
        begin_mask: Bits of the dimensions that start at their beginning.
        end_mask: Bits of the dimensions that go to their end.
        ellipsis_mask: Bit of an ellipsis.
        new_axis_mask: Bits of new dimensions of size 1.
        shrink_axis_mask: Bits of the dimensions of which one element is taken.

    Returns:
        Nothing.

    Raises:
        InvalidArgumentError: An index lies outside the shape, or the value does not fit the slice.
    """
    handle = resource._handle
    masks = dict(
        zip(
            MASKS,
            (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask),
            strict=True,
        )
    )
    shape = handle.lend().shape
    where = _numpy_index(shape, begin, end, strides, masks)
    slot = np.empty(shape, bool)[where].shape
    if 0 in slot:
        return  # whatever the value is, there is no place for it
    if not _fits(value.shape, slot):
        raise invalid(
            f"Cannot broadcast input shape {text(value.shape)} into final shape {text(slot)}"
        )

    value = value.reshape(value.shape[value.ndim - min(value.ndim, len(slot)) :])

    def write(old: Any, out: Any) -> Any:
        if out is not old:
            xp.copyto(out, old)
        out[where] = value if value.ndim else value[()]  # an array in an array of strings would stay one
        return out

    handle.update(write)


def _fits(shape: tuple[int, ...], slot: tuple[int, ...]) -> bool:
    """Whether a shape broadcasts to that of a slice; leading dimensions of size 1 may be too many."""
    while len(shape) > len(slot) and shape[0] == 1:
        shape = shape[1:]
    if len(shape) > len(slot):
        return False
    return all(a in (1, b) for a, b in zip(reversed(shape), reversed(slot), strict=False))


@export("strided_slice")
def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Any:
    """Returns a slice of a tensor; see ``x[...]`` for the usual way.

    Args:
        input_: A tensor.
        begin: Where each dimension starts.
        end: Where it ends, exclusively.
        strides: The steps; 1 where None.
        begin_mask: Bits of the dimensions that start at their beginning.
        end_mask: Bits of the dimensions that go to their end.
        ellipsis_mask: Bit of an ellipsis.
        new_axis_mask: Bits of new dimensions of size 1.
        shrink_axis_mask: Bits of the dimensions of which one element is taken.
        var: Accepted and without effect.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: An index lies outside the shape, or a step is 0.
    """
    steps = strides if strides is not None else API["ones_like"](begin)
    masks = dict(
        zip(
            MASKS,
            (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask),
            strict=True,
        )
    )
    return execute(_strided_slice.op, [input_, begin, end, steps], masks)


@op("Slice", api="slice", shape=sliced)
def slice_(xp: Any, input_: Any, begin: Sizes, size: Sizes) -> Any:
    """Returns a block of a tensor.

    Args:
        input_: A tensor.
        begin: Where each dimension starts.
        size: How many elements to take; -1 for all that are left.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The block does not lie within the tensor.
    """
    where = []
    if begin.shape != (input_.ndim,) or size.shape != (input_.ndim,):
        raise invalid(
            f"Expected begin and size arguments to be 1-D tensors of size {input_.ndim}, but got shapes "
            f"{text(begin.shape)} and {text(size.shape)} instead."
        )
    for axis, (low, count) in enumerate(zip(begin.tolist(), size.tolist(), strict=True)):
        length = input_.shape[axis]
        if not 0 <= low <= length:
            raise invalid(f"Expected begin[{axis}] in [0, {length}], but got {low}")
        count = length - low if count == -1 else count
        if not 0 <= count <= length - low:
            raise invalid(f"Expected size[{axis}] in [0, {length - low}], but got {count}")
        where.append(slice(low, low + count))
    return owned(xp, input_, tuple(where))


@slice_.gradient
def _(call: Call, dy: Any) -> Any:
    x, begin, _ = call.inputs
    before = API["cast"](begin, "int32")
    after = API["subtract"](API["subtract"](sizes_of(x), before), sizes_of(dy))
    return API["pad"](dy, API["stack"]([before, after], 1)), None, None
