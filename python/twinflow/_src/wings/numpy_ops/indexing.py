"""NumPy's ``x[...]``: slices, and arrays of indices, which may be mixed.

A slice is taken first, with every array of indices standing for a whole axis; then the arrays choose
from those axes.
"""

from __future__ import annotations

import numbers
from typing import Any, NamedTuple

import numpy as np

import twinflow as tf
from twinflow._src.core.shapes import Dimension
from twinflow._src.ops.array.strided_slice import MASKS
from twinflow._src.wings.numpy_ops.arrays import promoted
from twinflow._src.wings.numpy_ops.concat import broadcast
from twinflow._src.wings.numpy_ops.registry import tnp


def _refused(item: Any) -> IndexError:
    return IndexError(
        "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean "
        f"arrays are valid indices, got {item!r}"
    )


def _index(item: Any, scalar: bool = True) -> tuple[Any, bool]:
    """An index as an integer or a tensor of int32 or int64, and whether it is one number."""
    if isinstance(item, (numbers.Integral, Dimension)):
        return item, True
    data = tnp.asarray(item)
    if data.dtype == tf.bool:
        if data.ndim != 1:
            raise NotImplementedError(f"Need rank 1 for bool index {item!s}")
        data = tf.reshape(tf.where(data), [-1])
    if (scalar and data.ndim) or not data.dtype.is_integer:
        raise _refused(item)
    if data.dtype not in (tf.int32, tf.int64):
        common = np.promote_types(np.int32, data.dtype.as_numpy_dtype)
        if common not in (np.int32, np.int64):
            raise _refused(item)
        data = tf.cast(data, common)
    return data, data.ndim == 0


class _Spec:
    """What an index expression means: a strided slice, and arrays of indices by position."""

    def __init__(self, key: tuple[Any, ...]) -> None:
        self.begin: list[Any] = []
        self.end: list[Any] = []
        self.strides: list[Any] = []
        self.masks = dict.fromkeys(MASKS, 0)
        self.arrays: list[tuple[int, Any, bool]] = []  # position, indices, whether behind an ellipsis
        self.taken: list[int] = []  # positions of single numbers
        self.length = len(key)
        for position, item in enumerate(key):
            self._add(position, item)

    def _add(self, position: int, item: Any) -> None:
        if isinstance(item, slice):
            low = self._bound(item.start, "begin_mask", position)
            high = self._bound(item.stop, "end_mask", position)
            self._put(low, high, 1 if item.step is None else _index(item.step)[0])
        elif item is Ellipsis or item is None:
            self._mark("ellipsis_mask" if item is Ellipsis else "new_axis_mask", position)
            self._put(0, 0, 1)
        else:
            self._add_index(position, *_index(item, scalar=False))

    def _add_index(self, position: int, index: Any, single: bool) -> None:
        if single:
            self._mark("shrink_axis_mask", position)
            self.taken.append(position)
            self._put(index, index + 1, 1)
            return
        self.arrays.append((position, index, bool(self.masks["ellipsis_mask"])))
        self._mark("begin_mask", position)
        self._mark("end_mask", position)
        self._put(0, 0, 1)

    def _put(self, low: Any, high: Any, step: Any) -> None:
        self.begin.append(low)
        self.end.append(high)
        self.strides.append(step)

    def _mark(self, mask: str, position: int) -> None:
        self.masks[mask] |= 1 << position

    def _bound(self, value: Any, mask: str, position: int) -> Any:
        if value is None:
            self._mark(mask, position)
            return 0
        return _index(value)[0]

    def sliced(self, tensor: Any) -> Any:
        """The slice of a tensor."""
        if not self.begin:
            vectors = [tf.constant([], dtype=tf.int32)] * 3
        else:
            vectors = [tf.stack(part) for part in (self.begin, self.end, self.strides)]
            if any(v.dtype == tf.int64 for v in vectors):
                vectors = [tf.cast(v, tf.int64) for v in vectors]
        return tf.strided_slice(tensor, *vectors, **self.masks)

    def axes(self) -> dict[int, Any]:
        """The arrays of indices by axis of the slice, counted from its end behind an ellipsis."""
        found = {}
        for position, indices, behind in self.arrays:
            if behind:
                position += sum(i > position for i in self.taken) - self.length
            else:
                position -= sum(i < position for i in self.taken)
            found[position] = indices
        return found


class _Choice(NamedTuple):
    """Axes, in ascending order, and the indices along each of them."""

    axes: list[int]
    indices: list[Any]

    @property
    def together(self) -> bool:
        """Whether the axes stand side by side."""
        return all(b == a + 1 for a, b in zip(self.axes, self.axes[1:])) and not (
            self.axes[0] < 0 <= self.axes[-1]
        )


def _apart(tensor: Any, choice: _Choice) -> Any:
    """Elements where the axes do not stand side by side: they come first in the result."""
    count = len(choice.axes)
    tensor = tnp.moveaxis(tensor, choice.axes, range(count))
    places = tf.stack(choice.indices, axis=-1)
    sizes = tf.shape(tensor, out_type=places.dtype)[:count]
    return tf.gather_nd(tensor, tf.where(places < 0, places + sizes, places))


def _side_by_side(tensor: Any, choice: _Choice) -> Any:
    """Elements where the axes stand side by side: they become one axis, from which rows are taken."""
    axes = [axis + tensor.ndim if axis < 0 else axis for axis in choice.axes]
    shape = tf.shape(tensor)
    sizes = tf.gather(shape, axes)
    places = choice.indices[0] if len(axes) == 1 else tf.stack(choice.indices, axis=-1)
    places = tf.cast(places, tf.int32)
    places = tf.where(places < 0, places + sizes, places)
    first = axes[0]
    if len(axes) > 1:
        weights = tf.math.cumprod(sizes, reverse=True, exclusive=True)
        places = tf.reduce_sum(places * tf.broadcast_to(weights, tf.shape(places)), axis=-1)
        flat = [shape[:first], [-1], shape[first + len(axes) :]]
        tensor = tf.reshape(tensor, tf.concat(flat, axis=0))
    return tf.gather(tensor, places, axis=first)


_ARRAYS: Any = (tf.Tensor, np.ndarray)


def _as_key(key: Any) -> tuple[Any, ...]:
    """A list that holds slices, sequences or arrays is a key of several axes; others are indices."""
    several = isinstance(key, (list, tuple)) and any(
        item is None
        or item is Ellipsis
        or isinstance(item, (list, tuple, slice))
        or (isinstance(item, _ARRAYS) and item.ndim != 0)
        for item in key
    )
    return tuple(key) if several else (key,)


def _is_mask(key: Any) -> bool:
    if isinstance(key, bool):
        return True
    return (isinstance(key, np.ndarray) or tf.is_tensor(key)) and key.dtype == np.bool_


_plain_getitem = tf.Tensor.__getitem__  # this package is loaded before another takes its place
_PLAIN = (int, type(None), type(...))


def _is_plain(key: Any) -> bool:
    """Whether an index has the same meaning with and without NumPy's rules: that way is the fast one."""
    if type(key) is tuple:
        return all(map(_is_plain, key))
    if type(key) is slice:
        return all(type(x) in _PLAIN[:2] for x in (key.start, key.stop, key.step))
    return type(key) in _PLAIN


def getitem(tensor: Any, key: Any) -> Any:
    """``tensor[key]`` by NumPy's rules.

    Args:
        tensor: A tensor.
        key: Integers, slices, an ellipsis, new axes, arrays of indices, or one boolean mask.

    Returns:
        A tensor.

    Raises:
        IndexError: Something else stands in the index.
        InvalidArgumentError: An index lies outside the shape.
        NotImplementedError: A mask within the index is not of rank 1.
    """
    if _is_plain(key):
        return _plain_getitem(tensor, key)
    if _is_mask(key):
        return tf.boolean_mask(tensor=tensor, mask=key)
    spec = _Spec(key if isinstance(key, tuple) else _as_key(key))
    tensor = spec.sliced(tensor)
    arrays = spec.axes()
    if not arrays:
        return tensor
    axes = sorted(arrays)
    choice = _Choice(axes, list(broadcast(*promoted(*[arrays[axis] for axis in axes]))))
    return (_side_by_side if choice.together else _apart)(tensor, choice)
