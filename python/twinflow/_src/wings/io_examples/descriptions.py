"""Descriptions of features, sorted into what an op is told of each kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import as_dtype, int64, string
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch import opdefs
from twinflow._src.dispatch.op import API
from twinflow._src.wings.io_examples.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    UniformRowLength,
    VarLenFeature,
)


class Features:
    """What an op is told of features, kind by kind, from their descriptions.

    Attributes:
        sparse: The types of the sparse features by name.
        dense: The types, shapes and defaults of the dense ones by name.
        ragged: The types of the values and row splits of the ragged ones by name.
        missing: Of which dense lists examples may lack.
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

    # ---------------------------------------------------------------- one kind each
    def add_sparse(self, key: str, dtype: Any) -> None:
        """A feature with any number of values."""
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
        if shape.rank and shape[0] is None:
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
            raise ValueError("Unsupported: FixedLenSequenceFeature requires allow_missing to be True.")
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

    # ---------------------------------------------------------------- for the op
    def defaults(self) -> list[Any]:
        """For each dense feature the values where it is missing, or none."""
        return [one.filler(key) for key, one in self.dense.items()]

    def check(self, op: str, prefix: str = "") -> None:
        """Raises InvalidArgumentError where the op has no features of a type."""
        for dtype in self.sparse.values():
            opdefs.check_attr(op, f"{prefix}sparse_types", dtype)


class Dense(NamedTuple):
    """A dense feature: its type, its shape, and what it is where it is missing."""

    dtype: Any
    dims: Any
    default: Any

    def filler(self, key: str) -> Any:
        """The values where the feature is missing, or none."""
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
