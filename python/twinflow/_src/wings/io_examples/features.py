"""What programs say of the features of an example: of fixed length, of any, sparse, ragged."""

from __future__ import annotations

from collections import namedtuple
from typing import Any, NamedTuple

from twinflow._src.core.dtypes import as_dtype, float32, int32, int64, string
from twinflow._src.dispatch.op import export

_plain_tuple: Any = namedtuple


def _tuple(name: str, fields: str, defaults: tuple[Any, ...], doc: str) -> Any:
    """A class of named tuples that is public under ``tf.io``."""
    made = _plain_tuple(name, fields.split(), defaults=defaults)
    made.__doc__ = doc
    made.__module__ = "twinflow.io"
    return export(f"io.{name}")(made)


FixedLenFeature = _tuple(
    "FixedLenFeature",
    "shape dtype default_value",
    (None,),
    """A feature with the same number of values in every example.

    Args:
        shape: The shape of the values.
        dtype: Their type: float32, int64 or string.
        default_value: The values of an example that lacks the feature; None where none may lack it.
    """,
)
VarLenFeature = _tuple(
    "VarLenFeature",
    "dtype",
    (),
    """A feature with any number of values, which becomes a sparse tensor.

    Args:
        dtype: The type of the values: float32, int64 or string.
    """,
)
FixedLenSequenceFeature = _tuple(
    "FixedLenSequenceFeature",
    "shape dtype allow_missing default_value",
    (False, None),
    """A feature with any number of items of one shape; shorter examples are filled up.

    Args:
        shape: The shape of an item.
        dtype: The type of the values: float32, int64 or string.
        allow_missing: Whether an example may lack the feature.
        default_value: What shorter examples are filled up with; zeros or empty strings where None.
    """,
)
SparseFeature = _tuple(
    "SparseFeature",
    "index_key value_key dtype size already_sorted",
    (False,),
    """A sparse tensor of which one feature holds the values and others where they stand.

    Args:
        index_key: The name of the feature with the indices, or a list of names, one a dimension.
        value_key: The name of the feature with the values.
        dtype: The type of the values: float32, int64 or string.
        size: The size of the dimension, or a list of sizes.
        already_sorted: Whether the indices are in order.
    """,
)


class RowSplits(NamedTuple):
    """Where the rows begin and end, in one feature."""

    key: str


class RowLengths(NamedTuple):
    """The lengths of the rows, in a feature."""

    key: str


class RowStarts(NamedTuple):
    """Where the rows begin, in a feature."""

    key: str


class RowLimits(NamedTuple):
    """Where the rows end, in a feature."""

    key: str


class ValueRowIds(NamedTuple):
    """The row of each value, in a feature."""

    key: str


class UniformRowLength(NamedTuple):
    """One length for all rows."""

    length: int


PARTITIONS = (RowSplits, RowLengths, RowStarts, RowLimits, ValueRowIds, UniformRowLength)
_RAGGED = ["dtype", "value_key", "partitions", "row_splits_dtype", "validate"]
_RaggedBase: Any = _plain_tuple("RaggedFeature", _RAGGED)


class RaggedFeature(_RaggedBase):
    """A feature that becomes a ragged tensor.

    Args:
        dtype: The type of the values: float32, int64 or string.
        value_key: The name of the feature; the key under which it is parsed where None.
        partitions: How the values of an example are parted into rows, from the inside out:
            ``tf.io.RaggedFeature.RowSplits(key)`` and its like name a feature.
        row_splits_dtype: int32 or int64.
        validate: Whether partitions are checked.

    Raises:
        TypeError: A partition is something else.
        ValueError: There are no features or no ragged tensors of such a type.
    """

    __module__ = "twinflow.io"

    RowSplits, RowLengths, RowStarts = RowSplits, RowLengths, RowStarts
    RowLimits, ValueRowIds, UniformRowLength = RowLimits, ValueRowIds, UniformRowLength

    def __new__(
        cls,
        dtype: Any,
        value_key: str | None = None,
        partitions: Any = (),
        row_splits_dtype: Any = int32,
        validate: bool = False,
    ) -> RaggedFeature:
        dtype, splits = as_dtype(dtype), as_dtype(row_splits_dtype)
        if splits not in (int32, int64):
            raise ValueError(f"Argument `row_splits_dtype` must be int32 or int64; got{splits!r}")
        if not isinstance(partitions, (list, tuple)):
            raise TypeError(
                "Argument `partitions` must be a list or tuple. "
                f"Receivedpartitions={partitions} of type {type(partitions).__name__}."
            )
        for part in partitions:
            if not isinstance(part, PARTITIONS):
                raise TypeError(
                    "Argument `partitions` cannot be cast to any of the partition types in "
                    f"{PARTITIONS}; got: {part} with type {type(part)}"
                )
        if dtype not in (int64, float32, string):
            raise ValueError(f"Argument `dtype` must be int64, float32, or bytes; got {dtype!r}")
        return super().__new__(cls, dtype, value_key, tuple(partitions), splits, bool(validate))


export("io.RaggedFeature")(RaggedFeature)
