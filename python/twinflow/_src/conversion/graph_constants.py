"""Python values as arrays, as graphs and files take them: NumPy decides, and what does not fit is told element by element."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.conversion.constant import is_tensor
from twinflow._src.conversion.sequences import first_path, leaves_of, string_array
from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import DType, as_dtype
from twinflow._src.core.shapes import Dimension
from twinflow._src.core.tensor import EagerTensor, Tensor

# What Python values may become elements of each kind of type.
_FITS: dict[str, tuple[type, ...]] = {
    "b": (bool, np.bool_),
    "i": (int, np.integer, np.bool_, Dimension),
    "u": (int, np.integer, np.bool_),
    "f": (int, float, np.integer, np.floating, np.bool_),
    "c": (int, float, complex, np.number, np.bool_),
    "s": (str, bytes),
}


def _asked(values: Any, dtype: DType) -> np.ndarray[Any, Any]:
    """Python values as an array of a type."""
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
    """Python values as an array of the type that they have."""
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
    """A Python or NumPy value as an array.

    Args:
        values: A number, string, NumPy array, tensor with a value, or nested list of numbers or strings.
        dtype: The type of the elements; inferred where None.

    Returns:
        The array and the type.

    Raises:
        TypeError: An element does not fit the type, or is of no type that tensors have.
        ValueError: The value is None, or its rows are of different lengths.
    """
    if values is None:
        raise ValueError("None values not supported.")
    if is_tensor(values) and (isinstance(values, EagerTensor) or not isinstance(values, Tensor)):
        values = np.asarray(values.numpy())
    if not isinstance(values, (np.ndarray, np.generic)):
        array = _inferred(values) if dtype is None else _asked(values, dtype)
        return array, dtype or as_dtype(array.dtype)
    array = np.asarray(values)
    if array.dtype.kind in "SUO":
        for item in array.ravel().tolist():
            if not isinstance(item, (str, bytes)):
                raise TypeError(f"Expected binary or unicode string, got {item!r}")
        return string_array(array.tolist()), dtypes.string
    dtype = dtype or as_dtype(array.dtype)
    return array.astype(dtype.np), dtype
