"""Conversion of feature values of examples from protobuf messages to arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.core.dtypes import DType, float32, int64, string
from twinflow._src.core.errors import OpError, invalid
from twinflow._src.core.protos import message, needed
from twinflow._src.core.shapes import text

# The three list types of a feature, with their dtypes and names in error messages.
_LISTS: dict[str, tuple[DType, str]] = {
    "int64_list": (int64, "int64"),
    "float_list": (float32, "float"),
    "bytes_list": (string, "bytes"),
}


class FeatureValues(NamedTuple):
    """The values of a feature and their dtype."""

    dtype: DType
    values: Sequence[Any]


def parse_message(kind: str, data: bytes, otherwise: Callable[[], OpError]) -> Any:
    """Parses a serialized message of a kind; raises ``otherwise()`` if it is invalid."""
    try:
        return message(kind).FromString(data)
    except needed("google.protobuf.message", "protobuf").DecodeError:
        raise otherwise() from None


def read_feature(feature: Any) -> FeatureValues | None:
    """Returns the values of a feature, None if no list is set."""
    kind = feature.WhichOneof("kind") if feature is not None else None
    return None if kind is None else FeatureValues(_LISTS[kind][0], getattr(feature, kind).value)


def list_field(dtype: DType) -> tuple[str, str]:
    """Returns the list field of a dtype, and the dtype's name in error messages."""
    return next((kind, name) for kind, (list_dtype, name) in _LISTS.items() if list_dtype is dtype)


def array(values: Sequence[Any], dtype: DType) -> Any:
    """Returns values as a vector."""
    if dtype is not string:
        return np.array(values, dtype.np)
    result = np.empty(len(values), object)
    result[:] = list(values)
    return result


def flatten(rows: Sequence[Sequence[Any]], dtype: DType) -> Any:
    """Concatenates the values of all rows."""
    return array([value for row in rows for value in row], dtype)


def sparse(rows: Sequence[Sequence[Any]], dtype: DType) -> tuple[Any, Any, Any]:
    """Returns rows as the indices, values and shape of a sparse matrix."""
    lengths = np.array([len(row) for row in rows], np.int64)
    ids = np.repeat(np.arange(len(rows)), lengths)
    columns = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    indices = np.stack([ids, columns], axis=1).astype(np.int64)
    width = lengths.max() if len(rows) else 0
    return indices, flatten(rows, dtype), np.array([len(rows), width], np.int64)


def splits(rows: Sequence[Sequence[Any]], dtype: DType) -> Any:
    """Returns the row splits of rows."""
    return np.cumsum([0, *map(len, rows)]).astype(dtype.np)


def pad(rows: Sequence[Sequence[Any]], dtype: DType, item: tuple[int, ...], filler: Any) -> Any:
    """Pads rows of items of one shape to an array with filler items."""
    stride = math.prod(item)
    most = max((len(row) // stride for row in rows), default=0) if stride else 0
    result = np.full((len(rows), most * stride), filler, dtype.np)
    for row, values in enumerate(rows):
        result[row, : len(values)] = array(values, dtype)
    return result.reshape(len(rows), most, *item)


def assert_names(names: Any, serialized: Any) -> None:
    """Raises InvalidArgumentError unless there is one name for each message."""
    if serialized.ndim > 1:
        raise invalid(
            f"Expected serialized to be a scalar or vector, got shape: {text(serialized.shape)}"
        )
    if names.size and names.shape != serialized.shape:
        raise invalid(
            "Expected names have the same shape as serialized: "
            f"name.shape={text(names.shape)}, serialized.shape={text(serialized.shape)}"
        )


def name_of(names: Any, row: int) -> str:
    """Returns the name of an example for error messages."""
    return names.reshape(-1)[row].decode("utf-8", "replace") if names.size else "<unknown>"
