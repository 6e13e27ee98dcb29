"""From tensors to R: values, dims, text, and copies straight into R's memory."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable
from typing import Any

import numpy as np

import twinflow
from twinflow.border.calls import live_array

tf: Any = twinflow  # its names come from the op table

_KINDS = {"f": "double", "i": "integer", "u": "integer", "b": "logical", "c": "complex"}
_R_DTYPES: dict[str, np.dtype[Any]] = {
    "double": np.dtype(np.float64),
    "integer": np.dtype(np.int32),
    "logical": np.dtype(np.int32),
    "complex": np.dtype(np.complex128),
}
THREADED = 2**21  # values; from here on the copy into R's memory uses threads
SMALL = 4096  # values; fewer travel through reticulate, more are copied once into R's memory


def kind_of(array: np.ndarray) -> str:
    """The R type that holds every value of that array."""
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


def as_r(x: Any) -> Any:
    """[dims, kind, values] of a tensor; values is None where R should call copy_into()."""
    array = live_array(x)
    kind = kind_of(array)
    dims = r_sizes(array.shape)
    if kind == "character":
        return [dims, kind, decoded(array)]
    if array.size > SMALL:
        return [dims, kind, None]
    flat = array.ravel(order="F")
    target = np.dtype(np.bool_) if kind == "logical" else _R_DTYPES[kind]
    values = flat.astype(target)
    return [dims, kind, values]


def copy_into(x: Any, memory: np.ndarray) -> None:
    """Writes a tensor into a fresh R vector: one copy, column-major, straight into R's memory.

    `memory` is reticulate's view of that vector with the dims of the tensor; only its address is
    used. R's logical vectors hold 32-bit integers.
    """
    array = live_array(x)
    target = _R_DTYPES[kind_of(array)]
    address = memory.__array_interface__["data"][0]
    buffer = (ctypes.c_char * (array.size * target.itemsize)).from_address(address)
    out = np.frombuffer(memoryview(buffer), dtype=target).reshape(array.shape, order="F")
    copy_threaded(out, array)


def copy_threaded(out: np.ndarray, array: np.ndarray) -> None:
    """copy_blocked() in as many threads as pay: the copy is bound by memory."""
    threads = min(4, os.cpu_count() or 1)
    if array.ndim < 2 or array.size < THREADED or threads == 1:
        return copy_blocked(out, array)
    step = -(-array.shape[0] // threads)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        for i in range(0, array.shape[0], step):
            pool.submit(copy_blocked, out[i : i + step], array[i : i + step])


def copy_blocked(out: np.ndarray, array: np.ndarray, side: int = 512) -> None:
    """np.copyto between the two memory orders, in blocks that stay in the processor's cache."""
    if array.ndim < 2 or array.size < side * side:
        np.copyto(out, array, casting="unsafe")
        return
    if array.ndim > 2:  # merge what row-major order lets us merge: walk the first axis
        for one_out, one in zip(out, array, strict=True):
            copy_blocked(one_out, one, side)
        return
    out, array = out.T, array.T  # NumPy is quicker where what it writes comes in C order
    columns, rows = array.shape
    for j in range(0, columns, side):
        for i in range(0, rows, side):
            block = np.s_[j : j + side, i : i + side]
            np.copyto(out[block], array[block], casting="unsafe")


def int64_bits(x: Any) -> np.ndarray:
    """64-bit integers in the memory of doubles, as bit64 keeps them."""
    return np.asfortranarray(live_array(x).astype(np.int64)).view(np.float64)


def dims(x: Any) -> list[Any] | None:
    """The dims of a tensor or shape, with -1 where one is unknown; None without a known rank."""
    shape = x if isinstance(x, tf.TensorShape) else x.shape
    if shape.rank is None:
        return None
    return r_sizes([-1 if n is None else int(n) for n in shape.as_list()])


def r_sizes(sizes: Iterable[int]) -> list[Any]:
    """Sizes as R numbers: all as floats where one is beyond R's integers."""
    sizes = list(sizes)
    return [float(n) for n in sizes] if any(n >= 2**31 for n in sizes) else sizes


def limit(dtype: Any, name: str) -> Any:
    """max, min or limits of a dtype as R numbers: a large Python integer becomes a float."""
    value = getattr(dtype, name)
    if isinstance(value, tuple):
        return [float(v) for v in value]
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


def repr_text(x: Any) -> str:
    return repr(x)
