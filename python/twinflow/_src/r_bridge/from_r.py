"""Conversion of R values to tensors (``as_tensor()``).

Arrays are copied between row-major and column-major order tile by tile, in parallel on CPU threads.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterable, Sequence
from typing import Any

import ml_dtypes
import numpy as np

import twinflow
from twinflow._src.backends.cpu.parallel import shared
from twinflow._src.core.context import runtime, thread
from twinflow._src.core.tensor import Tensor, from_array
from twinflow._src.r_bridge.session import (
    IntegerRangeError,
    RError,
    count_transfer,
    live_array,
    session,
)
from twinflow._src.variables.variable import Variable

# Tiled copies from row-major to column-major order.


# Tile height in R's columns and elements per tile, so that a tile stays in the cache.
ROWS, TILE = 512, 2**18
LONG = 2**22  # elements above which a vector is copied by several threads
NARROW = 32  # for matrices with rows this short, tiles may be of any height


def copy_turned(out: np.ndarray, array: np.ndarray) -> None:
    """Copies a row-major array into a column-major array of the same shape, as ``np.copyto`` would.

    The leading axes are merged into the rows of a matrix and the others into its columns, so that
    any array is a matrix transpose. Types of one or two bytes are transposed before the cast, which
    then reads contiguous memory. The dtype of ``out`` must represent all the values.
    """
    dims = [n for n in array.shape if n > 1]
    if not worth_sharing(array, dims):
        return np.copyto(out, array, casting="unsafe")
    lead = leading(dims)
    source = array.reshape(math.prod(dims[:lead]), -1)
    target = out.reshape(-1, order="F").reshape(source.shape[::-1])
    rows_in_order = in_r_order(dims[:lead])
    columns_in_order = in_r_order(dims[lead:])
    order = None if columns_in_order is None else np.argsort(columns_in_order)

    def copy(tile: tuple[slice, slice]) -> None:
        rows, columns = tile
        part = source[rows if rows_in_order is None else rows_in_order[rows], columns].T
        if array.itemsize <= 2:
            part = np.ascontiguousarray(part)
        if order is None:
            np.copyto(target[columns, rows], part, casting="unsafe")
        else:
            target[order[columns], rows] = part

    shared(copy, tiles(*source.shape))
    return None


def worth_sharing(array: np.ndarray, dims: Sequence[int]) -> bool:
    """True if tiles on several threads are faster than one ``np.copyto``.

    A vector is read at memory bandwidth, so that only casts of 16-bit floats profit from more
    threads.
    """
    straight = len(dims) < 2 and (array.itemsize > 2 or array.dtype.kind in "biu")
    return array.size >= (LONG if straight else TILE)


def leading(dims: Sequence[int]) -> int:
    """Returns the number of leading axes whose size is closest to the square root of the total."""
    sizes = list(itertools.accumulate(dims, operator.mul))
    away = [abs(2 * math.log(size) - math.log(sizes[-1])) for size in sizes]
    return 1 + away.index(min(away))


def in_r_order(dims: Sequence[int]) -> np.ndarray | None:
    """Returns the row-major indices in R's order (column-major); None if both orders agree."""
    return np.arange(math.prod(dims)).reshape(dims).ravel(order="F") if len(dims) > 1 else None


def tiles(height: int, width: int) -> list[tuple[slice, slice]]:
    """Returns the tiles of a matrix as pairs of slices; all but the last have the same height."""
    most = ROWS if width > NARROW else TILE // width
    rows = -(-height // -(-height // most))
    columns = TILE // rows
    return [
        (slice(i, i + rows), slice(j, j + columns))
        for i in range(0, height, rows)
        for j in range(0, width, columns)
    ]


# Conversion of R values to tensors.


tf: Any = twinflow  # names are registered by the op table

INT_NA = -(2**31)  # R's NA_integer_
MISSING = {
    np.dtype(np.int32): INT_NA,
    np.dtype(np.int64): -(2**63),
}  # and the NA of bit64's integers
NA_MESSAGE = "converting R numerics with NA values to integer dtypes not supported"

_SCALARS: dict[type, Any] = {
    bool: np.bool_,
    int: np.int32,
    float: np.float64,
    complex: np.complex128,
}


def bytes_array(values: Any) -> np.ndarray:
    """Returns strings (a string, a list or an array of strings) as an object array of bytes."""
    source = np.asarray(values, dtype=object)
    out = np.empty(source.shape, dtype=object)
    for index in np.ndindex(source.shape):
        item = source[index]
        if isinstance(item, str):
            item = item.encode("utf-8")
        elif not isinstance(item, bytes):
            raise RError("NA in a character array cannot become a string tensor")
        out[index] = item
    return out


def r_array(value: Any) -> np.ndarray:
    """Returns the array of an atomic R value from reticulate; it may be a view, in any order."""
    scalar = _SCALARS.get(type(value))
    if scalar is not None:
        return np.array(value, dtype=scalar)
    if isinstance(value, np.ndarray) and value.dtype.kind != "O":
        return value
    return bytes_array(value)


def filled(shape: Sequence[int], dtype: np.dtype, source: np.ndarray) -> np.ndarray:
    """Returns a new row-major array of a shape: a copy of ``source``, cast to ``dtype``."""
    out = np.empty(tuple(shape), dtype)
    with np.errstate(invalid="ignore"):  # R's NA is a signalling NaN
        if source.flags.f_contiguous:
            copy_turned(out.reshape(source.shape).T, source.T)
        else:
            np.copyto(out.reshape(source.shape), source, casting="unsafe")
    return out


def goes_to_device(array: np.ndarray) -> bool:
    """True if a tensor of this array is placed on a GPU, so that the device copies it itself."""
    device = runtime.place(thread.scope.device)
    if (
        device.kind == "CPU"
        or device.remote
        or array.dtype == np.int32
        or thread.scope.graph is not None
    ):
        return False
    return bool(device.backend.holds(array.dtype))


def owned(array: np.ndarray) -> np.ndarray:
    if array.flags.owndata and array.flags.c_contiguous and array.flags.writeable:
        return array
    return filled(array.shape, array.dtype, array)


def check_there(array: np.ndarray) -> None:
    """Raises RError if an array holds NA, NaN or inf, which integers cannot represent."""
    if has_missing(array) or not np.isfinite(array).all():
        raise RError(NA_MESSAGE)


def has_missing(array: np.ndarray) -> bool:
    """True if an integer array holds R's NA."""
    return array.dtype in MISSING and array.size > 0 and int(array.min()) == MISSING[array.dtype]


def to_integer(array: np.ndarray, target: np.dtype) -> np.ndarray:
    """Casts numbers to integers: fractions are truncated, values out of range saturate."""
    limits = np.iinfo(target)
    if not array.size:
        return filled(array.shape, target, array)
    if array.dtype.kind == "f":
        check_there(array)
        low, high = float(array.min()), float(array.max())
        if limits.bits <= 32 and max(-low, high) > max(limits.max, 2**31 - 1):
            raise IntegerRangeError(NA_MESSAGE)
    else:
        low, high = int(array.min()), int(array.max())
        if low == MISSING.get(array.dtype):
            raise RError(NA_MESSAGE)
    if low >= limits.min and high < limits.max:
        return filled(array.shape, target, array)
    with np.errstate(invalid="ignore"):
        out = filled(array.shape, target, np.clip(array, limits.min, limits.max))
    out[array >= limits.max] = limits.max  # the limit may have no exact float64 representation
    return out


def to_float(array: np.ndarray, target: np.dtype) -> np.ndarray:
    """Casts numbers to floating point; finite values out of range saturate, infinities are kept."""
    with np.errstate(over="ignore"):
        out = filled(array.shape, target, array)
    if has_missing(array):
        out[array == MISSING[array.dtype]] = np.nan
    if target.itemsize < array.dtype.itemsize and np.isinf(out).any():
        beyond = np.isinf(out) & np.isfinite(array)
        out[beyond] = np.copysign(ml_dtypes.finfo(target).max, array[beyond])
    return out


# R's names of types.
_R_TYPES = {
    "logical": "bool",
    "integer": "int32",
    "numeric": "float64",
    "complex": "complex128",
    "character": "string",
}


def dtype_of(dtype: Any) -> Any:
    """Returns the dtype that R names. Python numbers, such as R's NA, are rejected."""
    if isinstance(dtype, bool | int | float | list | np.ndarray):
        is_shape = not isinstance(dtype, bool) and np.asarray(dtype).dtype.kind in "if"
        hint = "; a shape has its name before it, as in as_tensor(x, shape = c(2, 3))"
        raise RError(
            f'dtype must be a name such as "float32", or a dtype{hint if is_shape else ""}'
        )
    return tf.as_dtype(_R_TYPES.get(dtype, dtype) if isinstance(dtype, str) else dtype)


def converted(array: np.ndarray, dtype: Any) -> Any:
    """Casts an array by the rules of ``as_tensor(dtype=)``.

    Returns an array that owns its memory, or a tensor if the cast is done by the core.
    """
    target_dtype = dtype_of(dtype)
    kind = array.dtype.kind
    if kind in "fiub":
        target = np.dtype(target_dtype.as_numpy_dtype)
        if target == array.dtype:
            return owned(array)
        if kind == "b" and target.kind in "iuf":
            return filled(array.shape, target, array)
        if target.kind in "iu" and target_dtype.is_integer and target.isbuiltin == 1:
            return to_integer(array, target)
        if target.kind == "f" or target_dtype == tf.bfloat16:
            return to_float(array, target)
        if kind in "fi" and (target_dtype.is_bool or target_dtype.is_integer):
            check_there(array)
        elif kind == "i" and (target_dtype.is_floating or target_dtype.is_complex):
            array, kind = to_float(array, np.dtype(np.float64)), "f"
    if (
        kind == "c"
        and not (target_dtype.is_complex or target_dtype == tf.string)
        and array.imag.any()
    ):
        session.warning("imaginary parts discarded in coercion")
    source = from_array(owned(array))
    numeric = (
        kind in "fiu"
        and not (target_dtype.is_bool or target_dtype.is_complex)
        and target_dtype != tf.string
    )
    return tf.saturate_cast(source, target_dtype) if numeric else tf.cast(source, target_dtype)


def create_constant(array: np.ndarray) -> Any:
    """Returns a tensor that takes over an array, logged as a constant in the placement log."""
    if thread.scope.graph is not None:
        return tf.constant(array)
    x = from_array(array)
    if runtime.log_placement and thread.scope.device != runtime.host.name:
        runtime.log("_EagerConst", x._device)
    return x


# -- as_tensor -------------------------------------------------------------------------------------


def dims_of(shape: Any) -> tuple[int, ...] | None:
    """Returns a shape from R's argument: numbers (None or -1 if unknown), TensorShape, tensor."""
    if isinstance(shape, Tensor | Variable):
        shape = live_array(shape).tolist()
    if isinstance(shape, tf.TensorShape):
        if shape.rank is None:
            return None
        shape = shape.as_list()
    if not isinstance(shape, Iterable):
        shape = [shape]
    dims = tuple(-1 if n is None else int(n) for n in shape)
    if any(n < -1 for n in dims):
        raise ValueError(f"Dimension {min(dims)} must be >= 0")
    return dims


def full_dims(array: np.ndarray, dims: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the full shape of an array; a single value fills any known shape."""
    if array.size == 1 and -1 not in dims:
        return dims
    if -1 in dims or array.size != int(np.prod(dims, dtype=np.int64)):
        return np.empty(array.shape, np.bool_).reshape(dims).shape  # NumPy's own message
    return dims


def shaped_array(array: np.ndarray, dims: tuple[int, ...]) -> np.ndarray:
    """Reshapes an R array in row-major order, or fills a fully known shape with a single value."""
    if array.size == 1 and -1 not in dims:
        return np.full(dims, array.reshape(())[()], dtype=array.dtype)
    return filled(full_dims(array, dims), array.dtype, array)


def shaped_tensor(x: Any, dims: tuple[int, ...]) -> Any:
    if x.shape.num_elements() == 1 and -1 not in dims:
        return tf.fill(list(dims), tf.reshape(x, []))
    return tf.reshape(x, list(dims))


def is_alike_anywhere(array: np.ndarray, dtype: Any) -> bool:
    """True if a device converts like the host without inspecting the values."""
    return dtype is None or (
        array.dtype.kind == "f" and dtype_of(dtype) in (tf.float32, tf.float64)
    )


def moved_first(array: np.ndarray, dtype: Any, dims: tuple[int, ...] | None) -> Any:
    """Returns a tensor on the scope's device, which casts and transposes R's memory itself."""
    dims = None if dims is None else full_dims(array, dims)
    x = create_constant(array)
    x = x if dtype is None else recast(x, dtype_of(dtype))
    return x if dims is None else shaped_tensor(x, dims)


def tensor(value: Any, dtype: Any = None, shape: Any = None) -> Any:
    """Converts an atomic R value to a tensor (``as_tensor()``)."""
    if dtype is None and shape is None and type(value) in _SCALARS and value != INT_NA:
        return tf.constant(value, dtype=_SCALARS[type(value)])
    array: Any = r_array(value)
    dims = None if shape is None else dims_of(shape)
    if dtype is None and has_missing(array):
        raise RError(
            f"NA cannot become an {array.dtype} tensor; a floating-point type holds it as NaN, as in "
            'as_tensor(x, "float64")'
        )
    if goes_to_device(array) and is_alike_anywhere(array, dtype):
        return count_transfer(moved_first(array, dtype, dims))
    if dtype is not None:
        array = converted(array, dtype)
        if isinstance(array, Tensor):
            return count_transfer(array if dims is None else shaped_tensor(array, dims))
    array = owned(array) if dims is None else shaped_array(array, dims)
    return count_transfer(create_constant(array))


def retensor(value: Any, dtype: Any = None, shape: Any = None) -> Any:
    """Converts any other value to a tensor: tensors, variables, shapes, lists, Python objects."""
    if isinstance(value, tf.TensorShape):
        value = np.array([-1 if n is None else n for n in value.as_list()], dtype=np.int32)
    x = tf.convert_to_tensor(value)
    if dtype is not None:
        x = recast(x, dtype_of(dtype))
    dims = None if shape is None else dims_of(shape)
    return count_transfer(x if dims is None else shaped_tensor(x, dims))


def recast(x: Any, dtype: Any) -> Any:
    """Casts a tensor; finite values out of range saturate, infinities are kept."""
    if dtype == x.dtype:
        return x
    if x.dtype.is_integer and x.dtype.size >= 4 and dtype == tf.float16:
        x = tf.cast(x, tf.float64)
    if not may_overflow(x.dtype, dtype):
        return tf.cast(x, dtype)
    out = tf.saturate_cast(x, dtype)
    both = x.dtype.is_floating and dtype.is_floating
    return tf.where(tf.math.is_inf(x), tf.cast(x, dtype), out) if both else out


def may_overflow(source: Any, target: Any) -> bool:
    """True if ``saturate_cast()`` is needed.

    It applies the limits of floating-point types to integers, which are wrong for them.
    """
    if source.is_bool or target.is_bool or tf.string in (source, target):
        return False
    if source.is_integer:
        return bool(target.is_integer or source.size < 4)
    return not (source.is_floating and target.is_floating and target.size > source.size)


def integer64(value: Any, dtype: Any = None, shape: Any = None) -> Any:
    """Converts bit64's integers to a tensor (``as_tensor()``)."""
    return tensor(wide_integers(value), dtype, shape)


def wide_integers(value: Any) -> np.ndarray:
    """Returns bit64's integers (int64 values stored in doubles) as a row-major array."""
    return np.array(value, np.float64, order="C").view(np.int64)


# -- vectors that are longer than R's dims allow ---------------------------------------------------


def long_array(kind: str, size: float) -> np.ndarray:
    """Allocates an array for a long R vector, which R then copies in chunks."""
    return np.empty(int(size), _TYPES[kind])


def put_piece(array: np.ndarray, start: float, piece: np.ndarray) -> None:
    array[int(start) : int(start) + piece.size] = piece


_TYPES: dict[str, Any] = {
    "logical": np.bool_,
    "integer": np.int32,
    "double": np.float64,
    "complex": np.complex128,
}
