"""Configurations of ``tf.tpu.experimental``: embedding tables, features, quantization, hardware."""

from __future__ import annotations

import dataclasses
import enum
import logging
import math
from typing import Any

from twinflow._src.core.dtypes import float32, int32
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.op import API
from twinflow._src.initializers.plain import TruncatedNormal
from twinflow._src.wings.tpu.optimizers import Optimizer

_MODULE = "twinflow.tpu.experimental.embedding"


class HardwareFeature:
    """Features of a TPU.

    Args:
        tpu_hardware_feature_proto: A message ``TPUHardwareFeature``.
    """

    __module__ = "twinflow.tpu.experimental"

    class EmbeddingFeature(enum.Enum):
        """Versions of the embedding hardware."""

        UNSUPPORTED = "UNSUPPORTED"
        V1 = "V1"
        V2 = "V2"

    def __init__(self, tpu_hardware_feature_proto: Any) -> None:
        self.tpu_hardware_feature_proto = tpu_hardware_feature_proto

    @property
    def embedding_feature(self) -> EmbeddingFeature:
        """The version of the embedding hardware."""
        versions = list(self.EmbeddingFeature)  # in the order of the message's enum
        number = self.tpu_hardware_feature_proto.embedding_feature
        return versions[number if number < len(versions) else 0]

    @property
    def num_embedding_devices_per_chip(self) -> int:
        """The number of embedding devices of a chip."""
        return int(self.tpu_hardware_feature_proto.num_embedding_devices_per_chip)


class QuantizationConfig:
    """Simulated quantization of a table.

    Args:
        num_buckets: The number of values, at least 2.
        lower: The least of them.
        upper: The greatest of them.
    """

    __module__ = _MODULE

    def __init__(self, num_buckets: int, lower: float, upper: float) -> None:
        if num_buckets < 2:
            raise ValueError(
                f"num_buckets is {num_buckets}, must be at least 2 for simulated quantization."
            )
        self.num_buckets, self.lower, self.upper = num_buckets, lower, upper

    def __repr__(self) -> str:
        return (
            f"QuantizationConfig(num_buckets={self.num_buckets!r}, lower={self.lower!r}, "
            f"upper={self.upper!r})"
        )


@dataclasses.dataclass
class SparseCoreEmbeddingConfig:
    """Configuration of ``TPUEmbeddingV2``: limits and layouts of tables on a TPU."""

    __module__ = _MODULE
    disable_table_stacking: bool = False
    max_ids_per_chip_per_sample: int = 64
    max_ids_per_table: dict[str, int] | None = None
    max_unique_ids_per_table: dict[str, int] | None = None
    allow_id_dropping: bool = False
    initialize_tables_on_host: bool = True
    enable_fast_table_initialization: bool = False


class RowIdInitializer:
    """Initializer of rows that contain their number.

    Args:
        offset: The number of the first row.
    """

    __module__ = _MODULE

    def __init__(self, offset: int = 0) -> None:
        self.offset = offset

    def __call__(self, shape: Any, dtype: Any) -> Any:
        """Returns a tensor."""
        rows = API["range"](self.offset, self.offset + shape[0], 1, dtype)
        return rows[:, None] * API["ones"](shape, dtype)


class TableConfig:
    """Configuration of an embedding table.

    Args:
        vocabulary_size: The number of rows.
        dim: The size of an embedding.
        initializer: A function of a shape and a dtype; if None, a truncated normal distribution with
            the standard deviation ``1 / sqrt(dim)``.
        optimizer: The optimizer of the table; if None, that of the embedding API.
        combiner: ``"mean"``, ``"sum"`` or ``"sqrtn"``: how the embeddings of an example are combined.
        name: The name of the table.
        quantization_config: The simulated quantization, without effect on CPUs and GPUs.
        layout: The layout on a TPU.
        dtype: float32 or int32.
    """

    __module__ = _MODULE

    def __init__(
        self,
        vocabulary_size: int,
        dim: int,
        initializer: Any = None,
        optimizer: Any = None,
        combiner: Any = "mean",
        name: str | None = None,
        quantization_config: QuantizationConfig | None = None,
        layout: Any = None,
        dtype: Any = float32,
    ) -> None:
        if not isinstance(vocabulary_size, int) or vocabulary_size < 1:
            raise ValueError(
                "Argument `vocabulary_size` must be an int and must be >= 1. "
                f"Received: {vocabulary_size}"
            )
        if not isinstance(dim, int) or dim < 1:
            raise ValueError(
                "Argument `dim` (embedding dimension) must be an int and must be >= 1. "
                f"Received: {dim}"
            )
        if initializer is not None and not callable(initializer):
            raise ValueError(
                f"Argument `initializer` must be a callable (or None). Received: {initializer}"
            )
        combiners = ("mean", "sum", "sqrtn")
        if not isinstance(combiner, str):
            raise ValueError(
                "Argument `combiner` should either be a str or a CustomCombiner. "
                f"Received: {type(combiner)}"
            )
        if combiner not in combiners:
            raise ValueError(
                f"String argument `combiner` must be in {combiners}. Received: {combiner}"
            )
        if name is None:
            logging.getLogger("absl").warning(
                "Name of the table config must be specified for running on SparseCore. Different "
                "table configs must have unique names."
            )
        if dtype not in (float32, int32):
            raise ValueError(f"Argument `dtype` must be either float32 or int32. Received: {dtype}")
        self.vocabulary_size, self.dim = vocabulary_size, dim
        self.initializer = initializer or TruncatedNormal(0.0, 1 / math.sqrt(dim))
        self.optimizer, self.combiner, self.name = optimizer, combiner, name
        self.quantization_config, self.layout, self.dtype = quantization_config, layout, dtype

    def __repr__(self) -> str:
        x = self.initializer
        default = 1 / math.sqrt(self.dim)
        if isinstance(x, TruncatedNormal) and not x.mean and math.isclose(x.stddev, default):
            x = None
        return (
            f"TableConfig(vocabulary_size={self.vocabulary_size!r}, dim={self.dim!r}, "
            f"initializer={x!r}, optimizer={self.optimizer!r}, combiner={self.combiner!r}, "
            f"name={self.name!r}, quantization_config={self.quantization_config!r})"
        )


class FeatureConfig:
    """Configuration of a feature, whose ids are looked up in a table.

    Args:
        table: The table.
        max_sequence_length: The length to which sequences are padded or cut; 0 combines the
            embeddings of an example.
        validate_weights_and_indices: Whether lookups ignore invalid ids and weights.
        output_shape: The shape of the result without the size of an embedding.
        name: The name of the feature.
    """

    __module__ = _MODULE

    def __init__(
        self,
        table: TableConfig,
        max_sequence_length: int = 0,
        validate_weights_and_indices: bool = True,
        output_shape: Any = None,
        name: str | None = None,
    ) -> None:
        if not isinstance(table, TableConfig):
            raise ValueError(
                f"Argument `table` has invalid type {type(table)}. Expected "
                "`tf.tpu.experimental.embedding.TableConfig`."
            )
        if not isinstance(max_sequence_length, int) or max_sequence_length < 0:
            raise ValueError(
                "Argument `max_sequence_length` must be an int and must be >= 0. "
                f"Received: {max_sequence_length}"
            )
        if not isinstance(validate_weights_and_indices, bool):
            raise ValueError(
                "Argument `validate_weights_and_indices` must be a boolean. "
                f"Received: {validate_weights_and_indices}"
            )
        self.table, self.max_sequence_length, self.name = table, max_sequence_length, name
        self.output_shape = TensorShape(output_shape)
        self.validate_weights_and_indices = validate_weights_and_indices

    def __repr__(self) -> str:
        return (
            f"FeatureConfig(table={self.table!r}, max_sequence_length={self.max_sequence_length!r}, "
            f"validate_weights_and_indices={self.validate_weights_and_indices!r}, "
            f"output_shape={self.output_shape!r}, name={self.name!r})"
        )


def prepare_tables(tables: list[TableConfig], optimizer: Any) -> None:
    """Completes the names and optimizers of tables; raises for those that are not valid."""
    names = set[str]()
    for number, table in enumerate(tables):
        if table.optimizer is None:
            table.optimizer = optimizer
        if table.optimizer is not None and not isinstance(table.optimizer, Optimizer):
            raise ValueError(
                f"{type(table.optimizer)} is an unsupported optimizer class. Please pass an instance "
                "of one of the optimizer classes under tf.tpu.experimental.embedding."
            )
        if table.name is None:
            table.name = f"table_{number}"
        if table.name in names:
            raise ValueError(
                f"Tables must have a unique name. Multiple tables with name {table.name} found."
            )
        names.add(table.name)
