"""Conversion of Python values to arrays for graph constants and tensor protos.

NumPy infers the dtype; incompatible elements are reported one by one, in the words of TensorFlow's
graph mode.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.conversion.constant import is_tensor
from twinflow._src.conversion.sequences import first_path, leaves_of, string_array
from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import DType, as_dtype
from twinflow._src.core.shapes import Dimension
from twinflow._src.core.tensor import EagerTensor, Tensor

# Python types that are compatible with each kind of dtype.
_FITS: dict[str, tuple[type, ...]] = {
    "b": (bool, np.bool_),
    "i": (int, np.integer, np.bool_, Dimension),
    "u": (int, np.integer, np.bool_),
    "f": (int, float, np.integer, np.floating, np.bool_),
    "c": (int, float, complex, np.number, np.bool_),
    "s": (str, bytes),
}


def _convert_to_dtype(values: Any, dtype: DType) -> np.ndarray[Any, Any]:
    """Converts Python values to an array of the requested dtype."""
    for leaf in leaves_of(values):
        if not isinstance(leaf, _FITS.get(dtype.kind, ())):
            raise TypeError(
                f"Expected {dtype.name}, but got {leaf} of type '{type(leaf).__name__}'."
            )
    if dtype.kind != "s":
        return np.array(values).astype(dtype.np)
    shape, path = np.array(values, object).shape, first_path(values)
    if shape != path:
        raise ValueError(
            f"Expected values {values} to be a dense tensor with shape {list(path)}, but got shape {list(shape)}."
        )
    return string_array(list(leaves_of(values))).reshape(shape) if shape else string_array(values)


def _inferred(values: Any) -> np.ndarray[Any, Any]:
    """Converts Python values to an array of the inferred dtype."""
    leaves = list(leaves_of(values))
    if any(map(is_tensor, leaves)):
        raise TypeError("Expected any non-tensor type, but got a tensor instead.")
    texts = [isinstance(leaf, (str, bytes)) for leaf in leaves]
    array = np.array(values)
    if texts and all(texts):
        return string_array(values)
    if any(texts) or array.dtype.kind not in "biufc":
        raise TypeError(
            f"Failed to convert elements of {values} to Tensor. Consider casting elements to a "
            "supported type. See https://www.tensorflow.org/api_docs/python/tf/dtypes for supported "
            "TF dtypes."
        )
    narrow = {"float64": np.float32, "int64": np.int32}.get(array.dtype.name, array.dtype)
    fits = array.dtype.kind == "f" or (array.astype(narrow) == array).all()
    return array.astype(narrow) if fits else array


def python_array(values: Any, dtype: DType | None) -> tuple[np.ndarray[Any, Any], DType]:
    """Converts a Python or NumPy value to an array; returns it and its dtype.

    The value is a number, string, NumPy array, eager tensor, or nested list of numbers or strings.
    """
    if values is None:
        raise ValueError("None values not supported.")
    if is_tensor(values) and (isinstance(values, EagerTensor) or not isinstance(values, Tensor)):
        values = np.asarray(values.numpy())
    if not isinstance(values, (np.ndarray, np.generic)):
        array = _inferred(values) if dtype is None else _convert_to_dtype(values, dtype)
        return array, dtype or as_dtype(array.dtype)
    array = np.asarray(values)
    if array.dtype.kind in "SUO":
        for item in array.ravel().tolist():
            if not isinstance(item, (str, bytes)):
                raise TypeError(f"Expected binary or unicode string, got {item!r}")
        return string_array(array.tolist()), dtypes.string
    dtype = dtype or as_dtype(array.dtype)
    return array.astype(dtype.np), dtype
