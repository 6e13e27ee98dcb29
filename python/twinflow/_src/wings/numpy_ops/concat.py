"""Joining, tiling, padding, broadcasting and splitting of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

import twinflow as tf
from twinflow._src.wings.numpy_ops.arrays import promoted, shape_with_ones
from twinflow._src.wings.numpy_ops.registry import expose, tnp

# Joining, tiling, padding and broadcasting.


@expose("concatenate")
def concatenate(arys: Any, axis: int = 0) -> Any:
    """Joins arrays along an existing axis.

    Args:
        arys: Arrays.
        axis: The axis.

    Returns:
        A tensor.

    Raises:
        ValueError: There are no arrays.
    """
    if not isinstance(arys, (list, tuple)):
        arys = [arys]
    if not arys:
        raise ValueError(
            f"Need at least one array to concatenate. Received empty input: arys={arys}"
        )
    dtype = tnp.result_type(*arys)
    return tf.concat([tnp.array(a, dtype=dtype) for a in arys], axis)


@expose("append")
def append(arr: Any, values: Any, axis: Any = None) -> Any:
    """Appends values to the end of an array.

    Args:
        arr: An array.
        values: The values.
        axis: The axis; both are flattened if None.

    Returns:
        A tensor.
    """
    if axis is None:
        return tnp.concatenate([tnp.ravel(arr), tnp.ravel(values)], 0)
    return tnp.concatenate([arr, values], axis=axis)


@expose("stack")
def stack(arrays: Any, axis: int = 0) -> Any:
    """Joins arrays along a new axis.

    Args:
        arrays: Arrays, or one array that is split along its first axis.
        axis: The index of the new axis.

    Returns:
        A tensor.
    """
    if isinstance(arrays, tf.Tensor):
        arrays = tnp.asarray(arrays)
        return arrays if axis == 0 else tnp.swapaxes(arrays, 0, axis)
    return tnp.asarray(tf.stack(promoted(*arrays), axis))


@expose("hstack")
def hstack(tup: Any) -> Any:
    """Stacks arrays horizontally (column-wise).

    Args:
        tup: Arrays.

    Returns:
        A tensor.
    """
    arrays = promoted(*[tnp.atleast_1d(a) for a in tup])
    return tf.concat(arrays, axis=0 if arrays[0].ndim == 1 else 1)


@expose("vstack")
def vstack(tup: Any) -> Any:
    """Stacks arrays vertically (row-wise).

    Args:
        tup: Arrays.

    Returns:
        A tensor.
    """
    return tf.concat(promoted(*[tnp.atleast_2d(a) for a in tup]), axis=0)


@expose("dstack")
def dstack(tup: Any) -> Any:
    """Stacks arrays depth-wise (along the third axis).

    Args:
        tup: Arrays.

    Returns:
        A tensor.
    """
    return tf.concat(promoted(*[tnp.atleast_3d(a) for a in tup]), axis=2)


@expose("tile")
def tile(a: Any, reps: Any) -> Any:
    """Repeats an array as tiles along its axes.

    Args:
        a: An array.
        reps: The number of repetitions of each axis; leading axes default to 1.

    Returns:
        A tensor.
    """
    a = tnp.array(a)
    reps = tf.reshape(tnp.array(reps, dtype=tf.int32), [-1])
    missing = a.ndim - reps.shape[0]
    reps = tf.pad(reps, [[max(missing, 0), 0]], constant_values=1)
    return tf.tile(tf.reshape(a, shape_with_ones(a, max(-missing, 0))), reps)


@expose("repeat")
def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    """Repeats each element of an array.

    Args:
        a: An array.
        repeats: The number of repetitions: one number, or one for each element of the axis.
        axis: The axis; the flattened array if None.

    Returns:
        A tensor.
    """
    a = tnp.asarray(a)
    expected = _repeated(a.shape.as_list(), repeats, axis) if a.shape.is_fully_defined() else None
    result = tf.repeat(a, tnp.asarray(repeats), axis)
    if expected is not None:
        result.set_shape(expected)
    return result


def _repeated(shape: list[int], repeats: Any, axis: Any) -> Any:
    """Returns the static shape of an array with repeated elements."""
    if not shape:
        return (repeats,)
    counts = np.ravel(np.array(repeats))
    many = counts.size != 1
    if axis is None:
        return (counts.sum() if many else counts.item() * np.prod(shape),)
    shape[axis] = counts.sum() if many else counts.item() * shape[axis]
    return shape


@expose("pad")
def pad(array: Any, pad_width: Any, mode: str, **kwargs: Any) -> Any:
    """Pads an array.

    Args:
        array: An array.
        pad_width: The number of elements before and after, for each axis.
        mode: "constant", "reflect" or "symmetric".
        **kwargs: ``constant_values``: the padding value of mode "constant", 0 by default.

    Returns:
        A tensor.

    Raises:
        ValueError: The mode is not supported.
    """
    if mode not in ("constant", "reflect", "symmetric"):
        raise ValueError("Unsupported padding mode: " + mode)
    return tf.pad(
        tensor=tnp.asarray(array),
        paddings=tnp.asarray(pad_width, dtype=tf.int32),
        mode=mode.upper(),
        constant_values=kwargs.get("constant_values", 0),
    )


@expose("broadcast_arrays")
def broadcast_arrays(*args: Any, **kwargs: Any) -> Any:
    """Broadcasts arrays against each other.

    Args:
        *args: Arrays.
        **kwargs: ``subok``: False.

    Returns:
        A list of tensors.

    Raises:
        ValueError: An unsupported argument is given.
    """
    if kwargs.pop("subok", False):
        raise ValueError("subok=True is not supported.")
    if kwargs:
        raise ValueError(f"Received unsupported arguments {kwargs.keys()}")
    return broadcast(*map(tnp.asarray, args))


def broadcast(*tensors: Any) -> Any:
    """Broadcasts tensors against each other."""
    if len(tensors) <= 1:
        return tensors
    shape = tf.shape(tensors[0])
    for tensor in tensors[1:]:
        shape = tf.broadcast_dynamic_shape(shape, tf.shape(tensor))
    return [tf.broadcast_to(tensor, shape) for tensor in tensors]


@expose("meshgrid")
def meshgrid(*xi: Any, **kwargs: Any) -> Any:
    """Returns coordinate matrices from coordinate vectors.

    Args:
        *xi: The coordinates along each axis.
        **kwargs: ``indexing``: "xy" or "ij". ``sparse``: False. ``copy``: True.

    Returns:
        A list of tensors, one for each axis.

    Raises:
        ValueError: ``sparse`` or ``copy`` has an unsupported value.
    """
    sparse, copied = kwargs.get("sparse", False), kwargs.get("copy", True)
    if sparse:
        raise ValueError(
            f"Function `meshgrid` does not support returning sparse arrays yet. Received: sparse={sparse}"
        )
    if not copied:
        raise ValueError(f"Function `meshgrid` only supports copy=True. Received: copy={copied}")
    return tf.meshgrid(*map(tnp.asarray, xi), indexing=kwargs.get("indexing", "xy"))


@expose("ix_")
def ix_(*args: Any) -> Any:
    """Constructs an open mesh of indices from sequences.

    Args:
        *args: The indices of each axis, or a boolean mask.

    Returns:
        A list of tensors that broadcast against each other.

    Raises:
        ValueError: An argument is not of rank 1, or neither integer nor boolean.
    """
    return [_open(i, tnp.asarray(a), len(args)) for i, a in enumerate(args)]


def _open(i: int, a: Any, count: int) -> Any:
    if a.ndim != 1:
        raise ValueError(f"Arguments must be 1-d, got arg {i} of rank {a.ndim}")
    shape = [-1 if axis == i else 1 for axis in range(count)]
    if a.dtype == tf.bool:
        return tf.reshape(tnp.nonzero(a)[0], shape)
    if a.dtype.is_integer:
        return tf.reshape(a, shape)
    raise ValueError(f"Only integer and bool dtypes are supported, got {a.dtype}")


# Splitting.


@expose("split")
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Splits an array along an axis.

    Args:
        ary: An array.
        indices_or_sections: The number of equal parts, or the split indices.
        axis: The axis.

    Returns:
        A list of tensors.

    Raises:
        ValueError: The axis is out of range, or the indices are not sorted.
    """
    ary = tnp.asarray(ary)
    if not isinstance(indices_or_sections, int):
        indices_or_sections = _sizes(ary.shape, indices_or_sections, axis)
    return tf.split(ary, indices_or_sections, axis=axis)


def _sizes(shape: Any, cuts: Any, axis: int) -> list[int]:
    """Returns the sizes of the parts between split indices, clipped to the axis."""
    if axis >= len(shape):
        raise ValueError(f"axis {axis} is out of bound for shape {shape}")
    left, before, sizes = shape[axis], 0, []
    for i, cut in enumerate(cuts):
        if cut - before < 0:
            raise ValueError(
                f"The {i}-th boundary {cut} is smaller than the previous boundary {before}"
            )
        sizes.append(min(cut - before, max(0, left)))
        left, before = left - sizes[-1], cut
    return [*sizes, max(0, left)]


def _split_along(name: str, axis: int) -> None:
    """Defines ``vsplit``, ``hsplit`` or ``dsplit``."""

    def parts(ary: Any, indices_or_sections: Any) -> Any:
        along = 0 if axis == 1 and tnp.ndim(ary) == 1 else axis  # a vector has only axis 0
        if isinstance(indices_or_sections, int) and ary.shape[along] % indices_or_sections:
            raise ValueError("array split does not result in an equal division")
        return tnp.split(ary, indices_or_sections, axis=along)

    parts.__doc__ = f"""Returns the parts of an array along its axis {axis}.

    Args:
        ary: A tensor{"; a row is cut along its one axis" if axis == 1 else ""}.
        indices_or_sections: How many equal parts, or where to cut.

    Returns:
        A list of tensors.

    Raises:
        ValueError: The parts would not be equal.
    """
    expose(name)(parts)


for _name, _axis in (("vsplit", 0), ("hsplit", 1), ("dsplit", 2)):
    _split_along(_name, _axis)
