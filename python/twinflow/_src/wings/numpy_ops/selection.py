"""Elements of arrays by place, by condition and by order."""

from __future__ import annotations

from typing import Any

import numpy as np

import twinflow as tf
from twinflow._src.wings.numpy_ops.arrays import promoted
from twinflow._src.wings.numpy_ops.promotion import settings
from twinflow._src.wings.numpy_ops.registry import expose, tnp
from twinflow._src.wings.numpy_ops.sizes import size_of


@expose("take")
def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "clip") -> Any:
    """Returns elements by their indices.

    Args:
        a: An array.
        indices: The indices.
        axis: The axis to take from; the row of all elements where None.
        out: None; results are new tensors.
        mode: What an index beyond the end means: "clip" the last element, "wrap" one counted on from
            the beginning.

    Returns:
        A tensor.

    Raises:
        ValueError: ``out`` or another mode is given.
    """
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


@expose("take_along_axis")
def take_along_axis(arr: Any, indices: Any, axis: Any) -> Any:
    """Returns for each place the element of a line of the array that an index names.

    Args:
        arr: An array.
        indices: The indices; they broadcast against the array but along the axis.
        axis: The axis; the row of all elements where None.

    Returns:
        A tensor.
    """
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
    """A shape with one size replaced."""
    return tf.tensor_scatter_nd_update(shape, [[axis]], [size])


@expose("compress")
def compress(condition: Any, a: Any, axis: Any = None) -> Any:
    """Returns the parts of an array for which a condition is true.

    Args:
        condition: Booleans of rank 1; missing ones at the end count as false.
        a: An array.
        axis: The axis; the row of all elements where None.

    Returns:
        A tensor.

    Raises:
        ValueError: The condition is not of rank 1.
    """
    condition, a = tnp.asarray(condition, dtype=bool), tnp.asarray(a)
    if condition.ndim != 1:
        raise ValueError("condition must be a 1-d array.")
    if a.ndim == 0 or axis is None:
        a = tnp.ravel(a)
        axis = 0 if axis is None else axis
    axis = axis + a.ndim if axis < 0 else axis
    assert 0 <= axis < a.ndim
    missing = a.shape[axis] - condition.shape[0]
    if missing > 0:
        condition = tf.concat([condition, tf.fill([missing], False)], axis=0)
    return tf.boolean_mask(tensor=a, mask=condition, axis=axis)


@expose("where")
def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Returns elements of one of two arrays, or the places where a condition is true.

    Args:
        condition: Booleans.
        x: What is taken where the condition is true.
        y: What is taken where it is false.

    Returns:
        A tensor; with a condition alone, the indices of its true elements, a tensor for each axis.

    Raises:
        ValueError: Only one of the arrays is given.
    """
    condition = tnp.asarray(condition, dtype=np.bool_)
    if x is None and y is None:
        return tnp.nonzero(condition)
    if x is None or y is None:
        raise ValueError("Both x and y must be ndarrays, or both must be None.")
    return tf.where(condition, *promoted(x, y))


@expose("select")
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """Returns elements of the first array whose condition is true.

    Args:
        condlist: The conditions.
        choicelist: The arrays.
        default: What is taken where no condition is true.

    Returns:
        A tensor.

    Raises:
        ValueError: There are no conditions, or not as many as arrays.
    """
    if len(condlist) != len(choicelist):
        raise ValueError(
            "condlist must have length equal to choicelist "
            f"({len(condlist)} vs {len(choicelist)})"
        )
    if not condlist:
        raise ValueError("condlist must be non-empty")
    result, *choices = promoted(default, *choicelist)
    for condition, choice in zip(reversed(condlist), reversed(choices)):
        result = tnp.where(condition, choice, result)
    return result


@expose("nonzero")
def nonzero(a: Any) -> Any:
    """Returns the places of the elements that are not zero.

    Args:
        a: An array.

    Returns:
        A list of tensors: the indices along each axis.
    """
    a = tnp.atleast_1d(a)
    return tf.unstack(tf.where(tf.cast(a, tf.bool)), a.ndim, axis=1)


@expose("count_nonzero")
def count_nonzero(a: Any, axis: Any = None) -> Any:
    """Returns the number of elements that are not zero.

    Args:
        a: An array.
        axis: The axes to count along; all where None.

    Returns:
        A tensor.
    """
    return tf.math.count_nonzero(tnp.array(a), axis)


# ------------------------------------------------------------------ order


def _check_kind(kind: str, allowed: tuple[str, ...], order: Any) -> None:
    if kind not in allowed:
        known = " and ".join(f'kind="{name}"' for name in allowed)
        verb = "is" if len(allowed) == 1 else "are"
        raise ValueError(
            f"Invalid value for argument `kind`. Only {known} {verb} supported. Received: kind={kind}"
        )
    if order is not None:
        raise ValueError("The `order` argument is not supported. Pass order=None")


@expose("sort")
def sort(a: Any, axis: Any = -1, kind: str = "quicksort", order: Any = None) -> Any:
    """Returns an array with its elements in ascending order.

    Args:
        a: An array.
        axis: The axis; the row of all elements where None.
        kind: "quicksort".
        order: None; there are no fields.

    Returns:
        A tensor.

    Raises:
        ValueError: Another kind or an order is given.
    """
    _check_kind(kind, ("quicksort",), order)
    a = tnp.array(a)
    return tf.sort(tf.reshape(a, [-1]), 0) if axis is None else tf.sort(a, axis)


@expose("argsort")
def argsort(a: Any, axis: Any = -1, kind: str = "quicksort", order: Any = None) -> Any:
    """Returns the indices by which an array is in ascending order.

    Args:
        a: An array.
        axis: The axis; the row of all elements where None.
        kind: "quicksort" or "stable".
        order: None; there are no fields.

    Returns:
        A tensor.

    Raises:
        TypeError: The array is complex.
        ValueError: Another kind or an order is given.
    """
    _check_kind(kind, ("quicksort", "stable"), order)
    a = tnp.array(a)
    if a.dtype.is_complex:
        raise TypeError(
            f"argsort does not support complex64/complex128 dtypes. Received dtype: {a.dtype}"
        )
    wanted = int if settings.automatic else np.intp
    if a.ndim == 0:
        return tnp.array(tf.constant([0]), dtype=wanted)
    if axis is None:
        a, axis = tf.reshape(a, [-1]), 0
    return tnp.array(tf.argsort(a, axis, stable=kind == "stable"), dtype=wanted)


def _extreme(name: str, path: str, what: str) -> None:
    """Defines ``argmax`` or ``argmin``."""

    def place(a: Any, axis: Any = None) -> Any:
        a = tnp.array(a)
        a = tf.reshape(a, [-1]) if axis is None else tnp.atleast_1d(a)
        return getattr(tf, path)(input=a, axis=axis)

    place.__doc__ = f"""Returns the index of the {what} element.

    Args:
        a: An array.
        axis: The axis to search along; the row of all elements where None.

    Returns:
        A tensor.
    """
    expose(name)(place)


_extreme("argmax", "argmax", "largest")
_extreme("argmin", "argmin", "smallest")
