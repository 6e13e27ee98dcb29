"""NumPy's basic and advanced indexing, and functions of selection and sorting.

A strided slice is taken first, in which every index array stands for a full axis; then the index
arrays gather from those axes.
"""

from __future__ import annotations

import numbers
from typing import Any, NamedTuple

import numpy as np

import twinflow as tf
from twinflow._src.core.shapes import Dimension, static_size
from twinflow._src.ops.array.strided_slice import MASKS
from twinflow._src.wings.numpy_ops.arrays import promote, size_of
from twinflow._src.wings.numpy_ops.promotion import settings
from twinflow._src.wings.numpy_ops.registry import expose, tnp
from twinflow._src.wings.numpy_ops.reshape import broadcast

# NumPy's indexing: slices and index arrays, which may be mixed.


def _index_error(item: Any) -> IndexError:
    return IndexError(
        "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean "
        f"arrays are valid indices, got {item!r}"
    )


def _index(item: Any, scalar: bool = True) -> tuple[Any, bool]:
    """Returns an index as an integer or an int32 or int64 tensor, and True if it is a scalar."""
    if isinstance(item, (numbers.Integral, Dimension)):
        return item, True
    data = tnp.asarray(item)
    if data.dtype == tf.bool:
        if data.ndim != 1:
            raise NotImplementedError(f"Need rank 1 for bool index {item!s}")
        data = tf.reshape(tf.where(data), [-1])
    if (scalar and data.ndim) or not data.dtype.is_integer:
        raise _index_error(item)
    if data.dtype not in (tf.int32, tf.int64):
        common = np.promote_types(np.int32, data.dtype.as_numpy_dtype)
        if common not in (np.int32, np.int64):
            raise _index_error(item)
        data = tf.cast(data, common)
    return data, data.ndim == 0


class _Spec:
    """A parsed index expression: a strided slice, and index arrays by position."""

    def __init__(self, key: tuple[Any, ...]) -> None:
        self.begin: list[Any] = []
        self.end: list[Any] = []
        self.strides: list[Any] = []
        self.masks = dict.fromkeys(MASKS, 0)
        self.arrays: list[
            tuple[int, Any, bool]
        ] = []  # position, indices, True if behind an ellipsis
        self.scalars: list[int] = []  # positions of scalar indices
        self.length = len(key)
        for position, item in enumerate(key):
            self._add(position, item)

    def _add(self, position: int, item: Any) -> None:
        if isinstance(item, slice):
            low = self._bound(item.start, "begin_mask", position)
            high = self._bound(item.stop, "end_mask", position)
            self._append(low, high, 1 if item.step is None else _index(item.step)[0])
        elif item is Ellipsis or item is None:
            self._mark("ellipsis_mask" if item is Ellipsis else "new_axis_mask", position)
            self._append(0, 0, 1)
        else:
            self._add_index(position, *_index(item, scalar=False))

    def _add_index(self, position: int, index: Any, single: bool) -> None:
        if single:
            self._mark("shrink_axis_mask", position)
            self.scalars.append(position)
            self._append(index, index + 1, 1)
            return
        self.arrays.append((position, index, bool(self.masks["ellipsis_mask"])))
        self._mark("begin_mask", position)
        self._mark("end_mask", position)
        self._append(0, 0, 1)

    def _append(self, low: Any, high: Any, step: Any) -> None:
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

    def slice(self, tensor: Any) -> Any:
        """Applies the strided slice to a tensor."""
        if not self.begin:
            vectors = [tf.constant([], dtype=tf.int32)] * 3
        else:
            vectors = [tf.stack(part) for part in (self.begin, self.end, self.strides)]
            if any(v.dtype == tf.int64 for v in vectors):
                vectors = [tf.cast(v, tf.int64) for v in vectors]
        begin, end, strides = vectors
        masks: dict[str, Any] = {**self.masks}
        return tf.strided_slice(tensor, begin, end, strides, **masks)

    def axes(self) -> dict[int, Any]:
        """Returns the index arrays by axis of the slice, counted from its end after an ellipsis."""
        arrays = {}
        for position, indices, behind in self.arrays:
            if behind:
                position += sum(i > position for i in self.scalars) - self.length
            else:
                position -= sum(i < position for i in self.scalars)
            arrays[position] = indices
        return arrays


class _AdvancedIndex(NamedTuple):
    """The axes of advanced indices, in ascending order, and the index arrays."""

    axes: list[int]
    indices: list[Any]

    @property
    def is_adjacent(self) -> bool:
        """True if the axes are adjacent."""
        return all(b == a + 1 for a, b in zip(self.axes, self.axes[1:])) and not (
            self.axes[0] < 0 <= self.axes[-1]
        )


def _gather_separated(tensor: Any, index: _AdvancedIndex) -> Any:
    """Gathers by index arrays on separated axes, whose dimensions come first in the result."""
    count = len(index.axes)
    tensor = tnp.moveaxis(tensor, index.axes, range(count))
    indices = tf.stack(index.indices, axis=-1)
    sizes = tf.shape(tensor, out_type=indices.dtype)[:count]
    return tf.gather_nd(tensor, tf.where(indices < 0, indices + sizes, indices))


def _gather_adjacent(tensor: Any, index: _AdvancedIndex) -> Any:
    """Gathers by index arrays on adjacent axes, which are merged into one."""
    axes = [axis + tensor.ndim if axis < 0 else axis for axis in index.axes]
    shape = tf.shape(tensor)
    sizes = tf.gather(shape, axes)
    indices = index.indices[0] if len(axes) == 1 else tf.stack(index.indices, axis=-1)
    indices = tf.cast(indices, tf.int32)
    indices = tf.where(indices < 0, indices + sizes, indices)
    first = axes[0]
    if len(axes) > 1:
        weights = tf.math.cumprod(sizes, reverse=True, exclusive=True)
        indices = tf.reduce_sum(indices * tf.broadcast_to(weights, tf.shape(indices)), axis=-1)
        flat = [shape[:first], [-1], shape[first + len(axes) :]]
        tensor = tf.reshape(tensor, tf.concat(flat, axis=0))
    return tf.gather(tensor, indices, axis=first)


_ARRAYS: Any = (tf.Tensor, np.ndarray)


def _as_key(key: Any) -> tuple[Any, ...]:
    """Converts a list with slices, sequences or arrays to a tuple key; other lists are indices."""
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


_plain_getitem = tf.Tensor.__getitem__  # before it is replaced
_PLAIN = (int, type(None), type(...))


def _is_plain(key: Any) -> bool:
    """True if an index means the same without NumPy's rules, so that the fast path applies."""
    if type(key) is tuple:
        return all(map(_is_plain, key))
    if type(key) is slice:
        return all(type(x) in _PLAIN[:2] for x in (key.start, key.stop, key.step))
    return type(key) in _PLAIN


def getitem(tensor: Any, key: Any) -> Any:
    """Implements ``tensor[key]`` with NumPy's rules: slices, index arrays, or one boolean mask."""
    if _is_plain(key):
        return _plain_getitem(tensor, key)
    if _is_mask(key):
        return tf.boolean_mask(tensor=tensor, mask=key)
    spec = _Spec(key if isinstance(key, tuple) else _as_key(key))
    tensor = spec.slice(tensor)
    arrays = spec.axes()
    if not arrays:
        return tensor
    axes = sorted(arrays)
    index = _AdvancedIndex(axes, list(broadcast(*promote(*[arrays[axis] for axis in axes]))))
    return (_gather_adjacent if index.is_adjacent else _gather_separated)(tensor, index)


# Selection by index and by condition, and sorting.


@expose(
    "take",
    indices="The indices.",
    axis="The axis; the flattened array if None.",
    mode='"clip" or "wrap": the treatment of indices out of range.',
    raises="ValueError: ``out`` is not None, or the mode is not supported.",
)
def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "clip") -> Any:
    """Takes elements from an array along an axis."""
    if out is not None:
        raise ValueError("out argument is not supported in take.")
    if mode not in ("raise", "clip", "wrap"):
        raise ValueError(f"Invalid mode '{mode}' for take")
    a, indices = tnp.asarray(a), tnp.asarray(indices)
    if axis is None:
        a, axis = tf.reshape(a, [-1]), 0
    size = tf.shape(a, out_type=indices.dtype)[axis]
    if mode == "raise":
        raise ValueError("The 'raise' mode to take is not supported.")
    if mode == "clip":
        indices = tf.clip_by_value(indices, 0, size - 1)
    else:
        indices = tf.math.floormod(indices, size)
    return tf.gather(a, indices, axis=axis)


@expose(
    "take_along_axis",
    indices="The indices; they broadcast against the array except along the axis.",
    axis="The axis; the flattened array if None.",
)
def take_along_axis(arr: Any, indices: Any, axis: Any) -> Any:
    """Takes elements along an axis by matching index and data slices."""
    arr, indices = tnp.asarray(arr), tnp.asarray(indices)
    if axis is None:
        return tnp.take_along_axis(arr.ravel(), indices, 0)
    rank = arr.ndim
    axis = axis + rank if axis < 0 else axis
    ours, theirs = (tf.shape(x, out_type=indices.dtype) for x in (arr, indices))
    common = tf.broadcast_dynamic_shape(_with(ours, axis, 1), _with(theirs, axis, 1))
    arr = tf.broadcast_to(arr, _with(common, axis, ours[axis]))
    indices = tf.broadcast_to(indices, _with(common, axis, theirs[axis]))
    shape = indices.shape
    indices = tf.where(indices < 0, indices + ours[axis], indices)
    last = axis == rank - 1
    arr, indices = (x if last else tnp.swapaxes(x, axis, -1) for x in (arr, indices))
    rows, picks = (tf.reshape(x, [-1, size_of(x, -1)]) for x in (arr, indices))
    result = tf.reshape(tf.gather(rows, picks, batch_dims=1), tf.shape(indices))
    result = result if last else tnp.swapaxes(result, axis, -1)
    result.set_shape(shape)
    return result


def _with(shape: Any, axis: int, size: Any) -> Any:
    """Returns a shape with one size replaced."""
    return tf.tensor_scatter_nd_update(shape, [[axis]], [size])


@expose(
    "compress",
    condition="A boolean vector; missing trailing elements are False.",
    axis="The axis; the flattened array if None.",
    raises="ValueError: The condition is not of rank 1.",
)
def compress(condition: Any, a: Any, axis: Any = None) -> Any:
    """Returns the slices of an array along an axis for which a condition is True."""
    condition, a = tnp.asarray(condition, dtype=bool), tnp.asarray(a)
    if condition.ndim != 1:
        raise ValueError("condition must be a 1-d array.")
    if a.ndim == 0 or axis is None:
        a = tnp.ravel(a)
        axis = 0 if axis is None else axis
    axis = axis + a.ndim if axis < 0 else axis
    assert 0 <= axis < a.ndim
    missing = static_size(a.shape, axis) - static_size(condition.shape, 0)
    if missing > 0:
        condition = tf.concat([condition, tf.fill([missing], False)], axis=0)
    return tf.boolean_mask(tensor=a, mask=condition, axis=axis)


@expose(
    "where",
    condition="A boolean array.",
    x="The values where the condition is True.",
    y="The values where it is False.",
    returns="A tensor; with a condition only, the indices of its True elements, a tensor for each axis.",
    raises="ValueError: Only one of ``x`` and ``y`` is None.",
)
def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Selects elements from ``x`` or ``y`` by a condition; with a condition only, see ``nonzero``."""
    condition = tnp.asarray(condition, dtype=np.bool_)
    if x is None and y is None:
        return tnp.nonzero(condition)
    if x is None or y is None:
        raise ValueError("Both x and y must be ndarrays, or both must be None.")
    return tf.where(condition, *promote(x, y))


@expose(
    "select",
    condlist="The conditions.",
    choicelist="The arrays.",
    default="The value if no condition is True.",
    raises="ValueError: There are no conditions, or their number differs from that of arrays.",
)
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """Selects elements from a list of arrays by the first condition that is True."""
    if len(condlist) != len(choicelist):
        raise ValueError(
            f"condlist must have length equal to choicelist ({len(condlist)} vs {len(choicelist)})"
        )
    if not condlist:
        raise ValueError("condlist must be non-empty")
    result, *choices = promote(default, *choicelist)
    for condition, choice in zip(reversed(condlist), reversed(choices)):
        result = tnp.where(condition, choice, result)
    return result


@expose("nonzero", returns="A list of tensors: the indices along each axis.")
def nonzero(a: Any) -> Any:
    """Returns the indices of the nonzero elements."""
    a = tnp.atleast_1d(a)
    return tf.unstack(tf.where(tf.cast(a, tf.bool)), a.ndim, axis=1)


@expose("count_nonzero", axis="The axes to count along; all if None.")
def count_nonzero(a: Any, axis: Any = None) -> Any:
    """Counts the nonzero elements."""
    return tf.math.count_nonzero(tnp.array(a), axis)


# ------------------------------------------------------------------ sorting


def _check_kind(kind: str, allowed: tuple[str, ...], order: Any) -> None:
    if kind not in allowed:
        names = " and ".join(f'kind="{name}"' for name in allowed)
        verb = "is" if len(allowed) == 1 else "are"
        raise ValueError(
            f"Invalid value for argument `kind`. Only {names} {verb} supported. Received: kind={kind}"
        )
    if order is not None:
        raise ValueError("The `order` argument is not supported. Pass order=None")


@expose(
    "sort",
    axis="The axis; the flattened array if None.",
    kind='Must be "quicksort".',
    order="Must be None.",
    raises="ValueError: An argument has an unsupported value.",
)
def sort(a: Any, axis: Any = -1, kind: str = "quicksort", order: Any = None) -> Any:
    """Returns a sorted copy of an array."""
    _check_kind(kind, ("quicksort",), order)
    a = tnp.array(a)
    return tf.sort(tf.reshape(a, [-1]), 0) if axis is None else tf.sort(a, axis)


@expose(
    "argsort",
    axis="The axis; the flattened array if None.",
    kind='"quicksort" or "stable".',
    order="Must be None.",
    raises="TypeError: The array is complex.\nValueError: An argument has an unsupported value.",
)
def argsort(a: Any, axis: Any = -1, kind: str = "quicksort", order: Any = None) -> Any:
    """Returns the indices that sort an array."""
    _check_kind(kind, ("quicksort", "stable"), order)
    a = tnp.array(a)
    if a.dtype.is_complex:
        raise TypeError(
            f"argsort does not support complex64/complex128 dtypes. Received dtype: {a.dtype}"
        )
    dtype = int if settings.automatic else np.intp
    if a.ndim == 0:
        return tnp.array(tf.constant([0]), dtype=dtype)
    if axis is None:
        a, axis = tf.reshape(a, [-1]), 0
    return tnp.array(tf.argsort(a, axis, stable=kind == "stable"), dtype=dtype)


def _define_extremum(name: str, adjective: str) -> None:
    """Defines ``argmax`` or ``argmin``."""

    def arg_extremum(a: Any, axis: Any = None) -> Any:
        a = tnp.array(a)
        a = tf.reshape(a, [-1]) if axis is None else tnp.atleast_1d(a)
        return getattr(tf, name)(input=a, axis=axis)

    expose(
        name,
        doc=f"Returns the index of the {adjective} element.",
        axis="The axis to search along; the row of all elements where None.",
    )(arg_extremum)


_define_extremum("argmax", "largest")
_define_extremum("argmin", "smallest")
