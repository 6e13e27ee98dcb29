"""Indexing: ``x[...]`` with TensorFlow's rules, and assignment to slices of variables."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import dtypes
from ..context import PLAIN, runtime, thread
from ..errors import invalid
from ..op import Ints, Resource, execute, export, op
from ..shapes import text
from ..tensor import EagerTensor, Tensor, convert_to_tensor, is_tensor
from ..variable import BaseResourceVariable
from .array import boolean_mask

_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


def _numpy_index(shape: tuple[int, ...], begin: Any, end: Any, strides: Any, masks: dict[str, int]) -> Any:
    """The NumPy index that a strided slice means, checked against a shape."""
    index: list[Any] = []
    axis, count = 0, len(begin)
    if bin(masks["ellipsis_mask"]).count("1") > 1:
        raise invalid("Multiple ellipses in slice spec not allowed")
    taking = [i for i in range(count) if not (masks["ellipsis_mask"] | masks["new_axis_mask"]) >> i & 1]
    if not shape and taking:
        raise invalid("Attempting to slice scalar input.")
    if len(taking) > len(shape):
        raise invalid(
            f"Index out of range using input dim {len(shape)}; input has only {len(shape)} dims"
        )
    for i in range(count):
        bit = 1 << i
        if masks["ellipsis_mask"] & bit:
            index.append(Ellipsis)
            axis = len(shape) - sum(j > i for j in taking)
        elif masks["new_axis_mask"] & bit:
            index.append(None)
        else:
            index.append(_one_axis(shape, axis, i, int(begin[i]), int(end[i]), int(strides[i]), masks))
            axis += 1
    return tuple(index)


def _one_axis(shape: Any, axis: int, i: int, begin: int, end: int, stride: int, masks: dict[str, int]) -> Any:
    bit = 1 << i
    if stride == 0:
        raise invalid(f"strides[{i}] must be non-zero")
    if masks["shrink_axis_mask"] & bit:
        if not -shape[axis] <= begin < shape[axis]:
            raise invalid(f"slice index {begin} of dimension {axis} out of bounds.")
        return begin
    start = None if masks["begin_mask"] & bit else begin
    stop = None if masks["end_mask"] & bit else end
    return slice(start, stop, stride)


@op("StridedSlice", api=())
def _strided_slice(
    xp: Any,
    input: Any,
    begin: Ints,
    end: Ints,
    strides: Ints,
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
    masks = dict(zip(_MASKS, (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask), strict=True))
    where = _numpy_index(input.shape, begin, end, strides, masks)
    return _owned(xp, input[where])


def _owned(xp: Any, part: Any) -> Any:
    """A C-ordered array: contiguous parts share memory, others are copied."""
    if part.__class__ is np.ndarray and not part.flags.c_contiguous:
        return np.ascontiguousarray(part)
    return part if part.__class__ is np.ndarray else xp.ascontiguousarray(xp.asarray(part)).reshape(np.shape(part))


@op("ResourceStridedSliceAssign", impure=True)
def _strided_slice_assign(
    xp: Any,
    resource: Resource,
    begin: Ints,
    end: Ints,
    strides: Ints,
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
    masks = dict(zip(_MASKS, (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask), strict=True))
    shape = handle.lend().shape
    where = _numpy_index(shape, begin, end, strides, masks)
    slot = np.empty(shape, bool)[where].shape
    if np.broadcast_shapes(slot, (1,) * value.ndim)[-len(slot) or None :] != slot or not _fits(value.shape, slot):
        raise invalid(f"Cannot broadcast input shape {text(value.shape)} into final shape {text(slot)}")

    def write(old: Any, out: Any) -> Any:
        if out is not old:
            xp.copyto(out, old)
        out[where] = value
        return out

    handle.update(write)


def _fits(shape: tuple[int, ...], slot: tuple[int, ...]) -> bool:
    """Whether a shape broadcasts to that of a slice; leading dimensions of size 1 may be too many."""
    while len(shape) > len(slot) and shape[0] == 1:
        shape = shape[1:]
    if len(shape) > len(slot):
        return False
    return all(a in (1, b) for a, b in zip(reversed(shape), reversed(slot), strict=False))


# ------------------------------------------------------------------ x[...]


def _refused(item: Any) -> TypeError:
    return TypeError(
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
        f"tf.int32/tf.int64 tensors are valid indices, got {item!r}"
    )


def _position(value: Any) -> Any:
    """One bound of a slice, or an index: an integer, or a scalar tensor of one."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return int(value)
    if is_tensor(value) and value.dtype in (dtypes.int32, dtypes.int64, dtypes.int16) and value.shape.rank == 0:
        return value
    if isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "iu":
        return int(value)
    raise _refused(value)


def _spec(key: Any) -> tuple[list[Any], list[Any], list[Any], dict[str, int]]:
    """The inputs and masks of a strided slice that an index expression means."""
    begin: list[Any] = []
    end: list[Any] = []
    strides: list[Any] = []
    masks = dict.fromkeys(_MASKS, 0)
    for i, item in enumerate(key if isinstance(key, (list, tuple)) else (key,)):
        bit, low, high, step = 1 << i, 0, 0, 1
        if isinstance(item, slice):
            low, masks["begin_mask"] = _bound(item.start, masks["begin_mask"], bit)
            high, masks["end_mask"] = _bound(item.stop, masks["end_mask"], bit)
            step = 1 if item.step is None else _position(item.step)
        elif item is Ellipsis:
            masks["ellipsis_mask"] |= bit
        elif item is None:
            masks["new_axis_mask"] |= bit
        else:
            low = _position(item)
            high = low + 1
            masks["shrink_axis_mask"] |= bit
        begin.append(low)
        end.append(high)
        strides.append(step)
    return begin, end, strides, masks


def _bound(value: Any, mask: int, bit: int) -> tuple[Any, int]:
    return (0, mask | bit) if value is None else (_position(value), mask)


def _as_vector(positions: list[Any]) -> EagerTensor:
    if not any(map(is_tensor, positions)):
        return convert_to_tensor(np.array(positions, np.int64) if _wide(positions) else positions or np.zeros(0, np.int32))
    kinds = {p.dtype for p in positions if is_tensor(p)}
    wanted = dtypes.int64 if dtypes.int64 in kinds else dtypes.int32
    return convert_to_tensor([int(p) for p in positions], dtype=wanted)


def _wide(positions: list[int]) -> bool:
    return any(not -(2**31) <= p < 2**31 for p in positions)


def _is_mask(key: Any) -> bool:
    if isinstance(key, (bool, np.bool_)):
        return True
    if isinstance(key, np.ndarray):
        return key.dtype.kind == "b"
    return is_tensor(key) and key.dtype is dtypes.bool_


_SIMPLE = (int, slice, type(None), type(Ellipsis))


def _simple(key: Any) -> bool:
    """Whether NumPy reads an index expression as TensorFlow does."""
    if type(key) is tuple:
        return all(map(_simple, key)) and sum(item is Ellipsis for item in key) < 2
    if type(key) is slice:
        return all(type(x) is int or x is None for x in (key.start, key.stop, key.step))
    return type(key) in _SIMPLE


def _sliced(self: Any, key: Any) -> Any:
    """``x[key]``: integers, slices, ellipsis, new axes, scalar integer tensors, or a boolean mask.

    Raises:
        InvalidArgumentError: An index lies outside the shape.
        TypeError: Something else stands in the index.
    """
    if thread.scope is PLAIN and type(self) is EagerTensor and runtime.home is self._device and _simple(key):
        try:
            return EagerTensor(_owned(self._device.xp, self._array[key]), self._device, self.dtype)
        except (IndexError, ValueError):
            pass  # the general path says in TensorFlow's words what is wrong
    if _is_mask(key):
        return boolean_mask(self, key)
    begin, end, strides, masks = _spec(key)
    base = convert_to_tensor(self)
    vectors = [_as_vector(positions) for positions in (begin, end, strides)]
    if len({v.dtype for v in vectors}) > 1:
        vectors = [convert_to_tensor(v._host().astype(np.int64)) for v in vectors]
    return execute(_strided_slice.op, [base, *vectors], masks)  # type: ignore[attr-defined]


def _sliced_variable(self: Any, key: Any) -> Any:
    """``v[key]``: a slice of the value, with a method ``assign`` that replaces it in the variable."""
    result = _sliced(self, key)
    if not _is_mask(key):
        begin, end, strides, masks = _spec(key)
        vectors = [_as_vector(positions) for positions in (begin, end, strides)]

        def assign(value: Any, name: str | None = None) -> Any:
            """Replaces the slice in the variable and gives the variable back."""
            tensor = convert_to_tensor(value, self.dtype)
            execute(_strided_slice_assign.op, [self, *vectors, tensor], masks)  # type: ignore[attr-defined]
            return self._updated(True)

        result.assign = assign
    return result


Tensor.__getitem__ = _sliced  # type: ignore[attr-defined]
BaseResourceVariable.__getitem__ = _sliced_variable  # type: ignore[attr-defined]


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
    steps = strides if strides is not None else np.ones_like(np.asarray(begin))
    masks = dict(zip(_MASKS, (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask), strict=True))
    return execute(_strided_slice.op, [input_, begin, end, steps], masks)  # type: ignore[attr-defined]


@op("Slice", api="slice")
def slice_(xp: Any, input_: Any, begin: Ints, size: Ints) -> Any:
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
    if len(begin) != input_.ndim or len(size) != input_.ndim:
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
    return _owned(xp, input_[tuple(where)])
