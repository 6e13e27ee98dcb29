"""Feature specifications for parsing examples: ``tf.io.FixedLenFeature`` and its relatives.

``Features`` sorts them by kind (dense, sparse, ragged) into the attributes of the parsing ops.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any, NamedTuple

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import as_dtype, float32, int32, int64, string
from twinflow._src.core.shapes import TensorShape, static_size
from twinflow._src.dispatch import opdefs
from twinflow._src.dispatch.op import API, export

# Feature specifications.


_plain_tuple: Any = namedtuple


def _tuple(name: str, fields: str, defaults: tuple[Any, ...], doc: str) -> Any:
    """Creates a named tuple class and exports it under ``tf.io``."""
    cls = _plain_tuple(name, fields.split(), defaults=defaults)
    cls.__doc__ = doc
    cls.__module__ = "twinflow.io"
    return export(f"io.{name}")(cls)


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
    """A partition by row splits, which a feature contains."""

    key: str


class RowLengths(NamedTuple):
    """A partition by row lengths, which a feature contains."""

    key: str


class RowStarts(NamedTuple):
    """A partition by row starts, which a feature contains."""

    key: str


class RowLimits(NamedTuple):
    """A partition by row limits, which a feature contains."""

    key: str


class ValueRowIds(NamedTuple):
    """A partition by the row id of each value, which a feature contains."""

    key: str


class UniformRowLength(NamedTuple):
    """A partition into rows of one length."""

    length: int


PARTITIONS = (RowSplits, RowLengths, RowStarts, RowLimits, ValueRowIds, UniformRowLength)
_RAGGED = ["dtype", "value_key", "partitions", "row_splits_dtype", "validate"]
_RaggedBase: Any = _plain_tuple("RaggedFeature", _RAGGED)


class RaggedFeature(_RaggedBase):
    """Configuration for parsing a feature as a ragged tensor.

    Args:
        dtype: The dtype of the values: float32, int64 or string.
        value_key: The name of the feature; the key of this specification if None.
        partitions: The row partitions of the values of an example, from the inside out:
            ``tf.io.RaggedFeature.RowSplits(key)`` and its relatives name a feature.
        row_splits_dtype: int32 or int64.
        validate: If True, validates the partitions.

    Raises:
        TypeError: A partition has an unsupported type.
        ValueError: The dtype is not supported for features or for row splits.
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


# Feature specifications sorted into op attributes.


class Features:
    """Attributes of the parsing ops by kind of feature, derived from feature specifications.

    Attributes:
        sparse: The dtypes of the sparse features by name.
        dense: The dtypes, shapes and defaults of the dense features by name.
        ragged: The dtypes of the values and row splits of the ragged features by name.
        missing: For each dense feature list whether it may be missing.
    """

    def __init__(self, features: Any, kinds: tuple[Any, ...], within: str = "") -> None:
        self.sparse: dict[str, Any] = {}
        self.dense: dict[str, Dense] = {}
        self.ragged: dict[str, tuple[Any, Any]] = {}
        self.missing: list[bool] = []
        self.described = dict(features.items()) if features is not None else {}
        self._within = within
        for key in sorted(self.described):
            feature = self.described[key]
            if not isinstance(feature, kinds):
                self._refuse(key, feature)
            _ADDERS[type(feature)](self, key, feature)
        self._assert_apart()

    @staticmethod
    def _refuse(key: str, feature: Any) -> None:
        raise ValueError(f"Unsupported {type(feature).__name__} {feature} for key '{key}'")

    # ---------------------------------------------------------------- by kind
    def add_sparse(self, key: str, dtype: Any) -> None:
        """Adds a feature with a variable number of values."""
        self.sparse[key] = as_dtype(dtype)

    def add_var_len(self, key: str, feature: Any) -> None:
        if not feature.dtype:
            raise ValueError(f"Missing type for feature {key}. Received feature={feature}")
        self.add_sparse(key, feature.dtype)

    def add_sparse_feature(self, key: str, feature: Any) -> None:
        for index in _keys(feature.index_key):
            self.add_sparse(index, int64)
        self.add_sparse(feature.value_key, feature.dtype)

    def add_fixed(self, key: str, feature: Any) -> None:
        if not feature.dtype:
            raise ValueError(f"Missing type for feature {key}. Received feature={feature}.")
        if feature.shape is None:
            raise ValueError(f"Missing shape for feature {key}. Received feature={feature}.")
        shape = TensorShape(feature.shape)
        if shape.rank and static_size(shape, 0) is None:
            raise ValueError(
                f"First dimension of shape for feature {key} unknown. Consider using "
                f"FixedLenSequenceFeature. Received feature={feature}."
            )
        if not shape.is_fully_defined():
            raise ValueError(
                f"All dimensions of shape for feature {key} need to be known but received {shape}."
            )
        self.dense[key] = Dense(as_dtype(feature.dtype), shape._dims, feature.default_value)

    def add_sequence(self, key: str, feature: Any) -> None:
        if not feature.dtype:
            raise ValueError(f"Missing type for feature {key}. Received feature={feature}.")
        dims = TensorShape(feature.shape)._dims
        dims = dims if self._within == "lists" else (None, *(dims or ()))
        self.dense[key] = Dense(as_dtype(feature.dtype), dims, feature.default_value)
        self.missing.append(feature.allow_missing)
        if self._within != "lists" and not feature.allow_missing:
            raise ValueError(
                "Unsupported: FixedLenSequenceFeature requires allow_missing to be True."
            )
        if self._within == "lists" and feature.default_value is not None:
            raise ValueError(f"Value feature_list.dense_defaults[{key}] must be None")

    def add_ragged(self, key: str, feature: Any) -> None:
        self.ragged[key if feature.value_key is None else feature.value_key] = (
            feature.dtype,
            feature.row_splits_dtype,
        )
        for part in feature.partitions:
            if not isinstance(part, UniformRowLength):
                self.ragged[part.key] = (int64, feature.row_splits_dtype)

    def _assert_apart(self) -> None:
        sparse, dense, ragged = map(sorted, (self.sparse, self.dense, self.ragged))
        if both := {*dense} & {*sparse}:
            raise ValueError(
                f"Dense and sparse keys must not intersect; dense_keys: {dense}, "
                f"sparse_keys: {sparse}, intersection: {both}"
            )
        if both := {*dense} & {*ragged}:
            raise ValueError(
                "Dense and ragged keys must not intersect; dense_keys: ",
                f"{dense}, ragged_keys: {ragged}, intersection: {both}",
            )
        if both := {*ragged} & {*sparse}:
            raise ValueError(
                f"Ragged and sparse keys must not intersect; ragged_keys: {ragged}, "
                f"sparse_keys: {sparse}, intersection: {both}"
            )

    # ---------------------------------------------------------------- op inputs
    def defaults(self) -> list[Any]:
        """Returns the default values of each dense feature, empty for a required feature."""
        return [feature.filler(key) for key, feature in self.dense.items()]

    def check(self, op: str, prefix: str = "") -> None:
        """Raises InvalidArgumentError if the op does not support the dtype of a feature."""
        for dtype in self.sparse.values():
            opdefs.check_attr(op, f"{prefix}sparse_types", dtype)


class Dense(NamedTuple):
    """A dense feature: its dtype, shape and default."""

    dtype: Any
    dims: Any
    default: Any

    def filler(self, key: str) -> Any:
        """Returns the default values, empty for a required feature."""
        sequence = bool(self.dims) and self.dims[0] is None
        if self.default is None:
            value: Any = [] if not sequence else "" if self.dtype is string else 0
            return convert_to_tensor(value, dtype=self.dtype)
        name = f"key_{key}"
        value = convert_to_tensor(self.default, dtype=self.dtype, name=name)
        return API["reshape"](value, [] if sequence else list(self.dims))


def _keys(keys: Any) -> list[str]:
    return list(keys) if isinstance(keys, (list, tuple)) else [keys]


_ADDERS: dict[Any, Callable[[Features, str, Any], None]] = {
    VarLenFeature: Features.add_var_len,
    SparseFeature: Features.add_sparse_feature,
    FixedLenFeature: Features.add_fixed,
    FixedLenSequenceFeature: Features.add_sequence,
    RaggedFeature: Features.add_ragged,
}
