"""Conversion of tensors to R: values, dims, strings, and copies into R's memory."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

import twinflow
from twinflow._src.autodiff.tape import GradientTape
from twinflow._src.core.context import thread
from twinflow._src.r_bridge.from_r import MISSING, copy_turned
from twinflow._src.r_bridge.session import get_device_array, live_array, session
from twinflow._src.variables.variable import Variable

tf: Any = twinflow  # names are registered by the op table

_KINDS = {"f": "double", "i": "integer", "u": "integer", "b": "logical", "c": "complex"}
_R_DTYPES: dict[str, np.dtype[Any]] = {
    "double": np.dtype(np.float64),
    "integer": np.dtype(np.int32),
    "logical": np.dtype(np.int32),
    "complex": np.dtype(np.complex128),
}
SMALL = 4096  # elements; smaller arrays pass through reticulate, larger ones by copy_into()


def kind_of(array: np.ndarray) -> str:
    """Returns the R type that can represent every value of an array."""
    kind = array.dtype.kind
    if kind == "O":
        return "character"
    if kind in "iu" and (array.dtype.itemsize > 4 or array.dtype == np.uint32):
        return "double"
    if kind == "V":  # ml_dtypes: bfloat16, float8, int4, uint4
        return "integer" if "int" in array.dtype.name else "double"
    return _KINDS.get(kind, "double")


def decoded(array: np.ndarray) -> list[str]:
    flat = array.ravel(order="F").tolist()
    return [v.decode("utf-8", "replace") if isinstance(v, bytes) else str(v) for v in flat]


def is_followed(x: Any) -> bool:
    """True if a running tape records what is computed from a tensor or variable."""
    tapes = [o for o in thread.scope.observers if isinstance(o, GradientTape)]
    if not tapes or not (x.dtype.is_floating or x.dtype.is_complex):
        return False
    is_read = isinstance(x, Variable) and bool(getattr(x, "trainable", False))
    return any(tape.follows(x) or (is_read and tape._watch_accessed) for tape in tapes)


def as_r(x: Any) -> Any:
    """Returns [dims, type, values, is_followed] of a tensor.

    ``values`` is None if R has to call copy_into().
    """
    array = get_device_array(x)
    if not isinstance(array, np.ndarray) and array.size <= SMALL:
        array = live_array(x)
    kind = kind_of(array)
    dims = r_sizes(array.shape)
    if kind == "character":
        return [dims, kind, decoded(array), False]
    if array.size > SMALL:
        return [dims, kind, None, is_followed(x)]
    flat = array.ravel(order="F")
    target = np.dtype(np.bool_) if kind == "logical" else _R_DTYPES[kind]
    values = flat.astype(target)
    return [dims, kind, values, is_followed(x)]


def r_memory(memory: np.ndarray, dtype: np.dtype[Any], shape: tuple[int, ...]) -> np.ndarray:
    """Returns a writable view of a new R vector, by the address of reticulate's read-only view."""
    address = memory.__array_interface__["data"][0]
    buffer = (ctypes.c_char * (math.prod(shape) * dtype.itemsize)).from_address(address)
    return np.frombuffer(memoryview(buffer), dtype=dtype).reshape(shape, order="F")


def copy_into(x: Any, memory: np.ndarray) -> None:
    """Copies a tensor into a new R array in column-major order.

    R's logical vectors hold 32-bit integers. A GPU casts and transposes on the device.
    """
    array = get_device_array(x)
    if not isinstance(array, np.ndarray):
        out = r_memory(memory, _R_DTYPES[kind_of(array)], array.shape)
        backend = x._device.backend
        backend.run(lambda: backend.to_host(array.astype(out.dtype), out), x._device.ordinal)
        return
    copy_turned(r_memory(memory, _R_DTYPES[kind_of(array)], array.shape), array)


def copy_part(x: Any, start: float, memory: np.ndarray) -> None:
    """Copies a chunk of a tensor into a new R vector, from an offset in R's order."""
    array = live_array(x)
    flat = array.T.reshape(-1)  # no copy for a vector; only vectors are longer than R's dims allow
    out = r_memory(memory, _R_DTYPES[kind_of(array)], (memory.size,))
    np.copyto(out, flat[int(start) : int(start) + memory.size], casting="unsafe")


def copy_bits(x: Any, memory: np.ndarray) -> None:
    """Copies int64 values into an R array of doubles, in bit64's representation."""
    array = live_array(x)
    out = r_memory(memory, np.dtype(np.int64), array.shape)
    copy_turned(out, array)
    if array.dtype == np.uint64 and (out < 0).any():
        out[out < 0] = MISSING[out.dtype]
        session.warning("NAs produced: numbers of 2^63 and more are no 64-bit integers of R's")


def dims(x: Any) -> list[Any] | None:
    """Returns the dims of a tensor or shape, -1 for unknown sizes; None for an unknown rank."""
    shape = x if isinstance(x, tf.TensorShape) else x.shape
    if shape.rank is None:
        return None
    return r_sizes([-1 if n is None else int(n) for n in shape.as_list()])


def r_sizes(sizes: Iterable[int]) -> list[Any]:
    """Returns sizes as R numbers: all floats if one exceeds R's integer range."""
    sizes = list(sizes)
    return [float(n) for n in sizes] if any(n >= 2**31 for n in sizes) else sizes


def limit(dtype: Any, name: str) -> Any:
    """Returns the max, min or limits of a dtype as R numbers."""
    value = getattr(dtype, name)
    return tuple(r_number(v) for v in value) if isinstance(value, tuple) else r_number(value)


def r_number(value: Any) -> Any:
    """Converts a number to an R number: a large integer becomes a float."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    value = value.item() if hasattr(value, "item") else value
    return float(value) if isinstance(value, int) and abs(value) > 2**31 - 1 else value


def make_shape(dims: Any) -> Any:
    return tf.TensorShape(None if dims is None else [n if n is None else int(n) for n in dims])


def merge_shapes(x: Any, y: Any) -> Any:
    return x.merge_with(y)


def text(x: Any) -> str:
    return str(x)


def text_with(
    x: Any, digits: int | None = None, width: int | None = None, most: int | None = None
) -> str:
    """Returns the text of a tensor with R's options: significant digits, columns, and values shown."""
    options: dict[str, Any] = {}
    if digits is not None:
        options["formatter"] = {"float_kind": lambda value: f"{value:.{int(digits)}g}"}
    if width is not None:
        options["linewidth"] = int(width)
    if most is not None:
        options["threshold"] = int(most)
    with np.printoptions(**options):
        shown = str(x)
    if digits is not None and x.shape.rank == 0 and x.dtype.is_floating and hasattr(x, "numpy"):
        value = x.numpy()  # NumPy's options do not reach scalars
        shown = shown.replace(str(value), f"{float(value):.{int(digits)}g}", 1)
    return shown


def repr_text(x: Any) -> str:
    return repr(x)
