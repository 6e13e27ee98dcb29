"""Embedding tables of ``tf.tpu.experimental.embedding`` and lookups in them on CPUs and GPUs."""

from __future__ import annotations

import functools
import logging
import math
from typing import Any, NoReturn

from twinflow._src.composite_tensors.ragged_factories import is_ragged
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.core import nest
from twinflow._src.core.dtypes import float32, int64
from twinflow._src.core.scopes import init_scope
from twinflow._src.core.shapes import static_sizes
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.op import API
from twinflow._src.trackable.trackable import AutoTrackable
from twinflow._src.variables.variable import Variable
from twinflow._src.wings.distribute.strategy_context import get_strategy
from twinflow._src.wings.private_api.nest_up_to import flatten_with_tuple_paths
from twinflow._src.wings.tpu.configs import FeatureConfig, TableConfig, prepare_tables

_MODULE = "twinflow.tpu.experimental.embedding"


class _Embedding(AutoTrackable):
    """Base class of the embedding APIs: the tables of features, and their variables."""

    __module__ = _MODULE

    def __init__(self, feature_config: Any, optimizer: Any) -> None:
        features = nest.flatten(feature_config)
        self._feature_config = feature_config
        self._output_shapes = [feature.output_shape for feature in features]
        self._table_config = list(dict.fromkeys(feature.table for feature in features))
        prepare_tables(self._table_config, optimizer)
        self._built = False

    def build(self) -> None:
        """Creates the variables of the tables and their slots."""
        if not self._built:
            self._variables = {table.name: self._create(table) for table in self._table_config}
            self._built = True

    def _create(self, table: TableConfig) -> dict[str, Any]:
        """Returns the variables of a table: its slots and ``parameters``."""
        shape = (table.vocabulary_size, table.dim)

        def variable(initializer: Any, shape: Any, dtype: Any, **kwargs: Any) -> Any:
            value = functools.partial(initializer, shape, dtype=dtype)
            return Variable(value, shape=shape, dtype=dtype, **kwargs)

        def create(name: str, initializer: Any, trainable: bool) -> Any:
            return self._add_variable_with_custom_getter(
                name, shape, float32, initializer, variable, trainable=trainable
            )

        def slot(name: str, initializer: Any) -> Any:
            return create(f"{table.name}/{name}", initializer, False)

        parameters = create(str(table.name), table.initializer, True)
        slots = {} if table.optimizer is None else table.optimizer._create_slots(parameters, slot)
        return {**slots, "parameters": parameters}

    def _maybe_build(self) -> None:
        if not self._built:
            with init_scope():
                self.build()

    @property
    def embedding_tables(self) -> dict[TableConfig, Any]:
        """The variables of the tables, by their configurations."""
        self._maybe_build()
        return {table: self._variables[table.name]["parameters"] for table in self._table_config}


class TPUEmbeddingForServing(_Embedding):
    """Embedding tables and lookups in them on CPUs and GPUs, with gradients.

    Args:
        feature_config: A structure of ``FeatureConfig``.
        optimizer: The optimizer of tables that have none; None for no slot variables.
        experimental_sparsecore_restore_info: Accepted and without effect.

    Raises:
        ValueError: An optimizer is not of ``tf.tpu.experimental.embedding``, or two tables have one
            name.
    """

    __module__ = _MODULE

    def __init__(
        self,
        feature_config: Any,
        optimizer: Any,
        experimental_sparsecore_restore_info: Any = None,
    ) -> None:
        super().__init__(feature_config, optimizer)

    @property
    def variables(self) -> dict[str, dict[str, Any]]:
        """The variables by table and slot."""
        self._maybe_build()
        return self._variables

    def __call__(self, features: Any, weights: Any = None) -> Any:
        """Returns the embeddings of features; see ``embedding_lookup``."""
        self.build()
        return self.embedding_lookup(features, weights)

    def embedding_lookup(self, features: Any, weights: Any = None) -> Any:
        """Returns the embeddings of features.

        Args:
            features: Ids: a structure of dense, sparse or ragged tensors like the configurations'.
            weights: Weights of sparse and ragged ids, or None.
        """
        return serving_embedding_lookup(
            features, weights, self.embedding_tables, self._feature_config
        )


class TPUEmbedding(_Embedding):
    """Embedding tables of a TPU; without one they can be created, saved and restored.

    Args:
        feature_config: A structure of ``FeatureConfig``.
        optimizer: The optimizer of tables that have none; None for no slot variables.
        pipeline_execution_with_tensor_core: Accepted and without effect.
    """

    __module__ = _MODULE

    def __init__(
        self,
        feature_config: Any,
        optimizer: Any,
        pipeline_execution_with_tensor_core: bool = False,
    ) -> None:
        super().__init__(feature_config, optimizer)

    def build(
        self, per_replica_input_shapes: Any = None, per_replica_batch_size: Any = None
    ) -> None:
        """Creates the variables of the tables and their slots.

        Args:
            per_replica_input_shapes: Accepted and without effect.
            per_replica_batch_size: Accepted and without effect.
        """
        super().build()

    def enqueue(
        self,
        features: Any,
        weights: Any = None,
        training: bool = True,
        name: str | None = None,
        device: str | None = None,
    ) -> None:
        """Raises ``RuntimeError``: there is no TPU to look up ids.

        Args:
            features: The ids.
            weights: Their weights.
            training: Whether gradients follow.
            name: The name of the operation.
            device: The TPU.
        """
        _refuse("enqueue")

    def dequeue(self, name: str | None = None) -> None:
        """Raises ``RuntimeError``: there is no TPU that looked up ids.

        Args:
            name: The name of the operation.
        """
        _refuse("dequeue")

    def apply_gradients(self, gradients: Any, name: str | None = None) -> None:
        """Raises ``RuntimeError``: there is no TPU that trains the tables.

        Args:
            gradients: The gradients of the embeddings.
            name: The name of the operation.
        """
        _refuse("apply_gradients")


def _refuse(method: str) -> NoReturn:
    raise RuntimeError(
        f"{method} is not valid when TPUEmbedding object is not created under a TPUStrategy."
    )


class TPUEmbeddingV0(_Embedding):
    """Embedding tables of a TPU without embedding hardware.

    Args:
        feature_config: A structure of ``FeatureConfig``.
        optimizer: The optimizer of tables that have none.

    Raises:
        RuntimeError: Always: there is no TPU.
    """

    __module__ = _MODULE

    def __init__(self, feature_config: Any, optimizer: Any) -> None:
        super().__init__(feature_config, optimizer)
        raise RuntimeError(
            f"{type(self).__name__} should be created under TPUStrategy but found {get_strategy()}."
        )


class TPUEmbeddingV2(TPUEmbeddingV0):
    """Embedding tables of a TPU's sparse cores.

    Args:
        feature_config: A structure of ``FeatureConfig``.
        optimizer: The optimizer of tables that have none.
        pipeline_execution_with_tensor_core: Accepted and without effect.
        sparse_core_embedding_config: Accepted and without effect.

    Raises:
        RuntimeError: Always: there is no TPU.
    """

    __module__ = _MODULE

    def __init__(
        self,
        feature_config: Any,
        optimizer: Any = None,
        pipeline_execution_with_tensor_core: bool = False,
        sparse_core_embedding_config: Any = None,
    ) -> None:
        super().__init__(feature_config, optimizer)


def serving_embedding_lookup(
    inputs: Any, weights: Any, tables: dict[TableConfig, Any], feature_config: Any
) -> Any:
    """Looks up embeddings on CPUs and GPUs by the configurations of features.

    Args:
        inputs: Ids: a structure of dense, sparse or ragged tensors.
        weights: Weights of sparse and ragged ids in the same structure, with None for no weights;
            or None.
        tables: The table of each configuration.
        feature_config: A structure of ``FeatureConfig`` that contains that of ``inputs``.

    Returns:
        Embeddings in the structure of ``inputs``.

    Raises:
        ValueError: A feature has no configuration, or ids or weights do not fit it.
    """
    paths = {"/".join(map(str, path)): x for path, x in flatten_with_tuple_paths(inputs)}
    if weights is None:
        flat_weights = [None] * len(paths)
    else:
        nest.assert_same_structure(inputs, weights)
        flat_weights = nest.flatten(weights)
    features = {"/".join(map(str, p)): x for p, x in flatten_with_tuple_paths(feature_config)}
    if not paths.keys() <= features.keys():
        raise ValueError(
            f"Inputs are not a subset of feature_config. Inputs keys are {set(paths)}, but "
            f"feature_config keys are {features.keys()}"
        )
    outputs = []
    for (path, ids), weight in zip(paths.items(), flat_weights):
        feature = features[path]
        _check(path, ids, weight, feature)
        table = tables[feature.table]
        if isinstance(ids, Tensor):
            outputs.append(API["nn.embedding_lookup"](table, ids))
        else:
            look_up = _look_up_ragged if is_ragged(ids) else _look_up_sparse
            outputs.append(look_up(table, ids, weight, feature))
    return nest.pack_sequence_as(inputs, outputs)


def _check(path: str, ids: Any, weight: Any, feature: FeatureConfig) -> None:
    """Raises for ids and weights that do not fit a feature."""
    if weight is not None:
        if isinstance(ids, Tensor):
            raise ValueError(f"Weight specified for {path}, but input is dense.")
        if type(weight) is not type(ids):
            raise ValueError(
                f"Weight for {path} is of type {type(weight)} but it does not match type of the "
                f"input which is {type(ids)}."
            )
        if feature.max_sequence_length > 0:
            raise ValueError(f"Weight specified for {path}, but this is a sequence feature.")
    if isinstance(ids, Tensor) and feature.max_sequence_length > 0:
        raise ValueError(f"Feature {path} is a sequence feature but a dense tensor was passed.")
    if not isinstance(ids, (Tensor, SparseTensor)) and not is_ragged(ids):
        raise ValueError(
            f"Input {path} is type {type(ids)}. Tensor, SparseTensor or RaggedTensor expected."
        )


def _look_up_sparse(table: Any, ids: Any, weight: Any, feature: FeatureConfig) -> Any:
    """Returns the embeddings of a sparse tensor: combined, or padded sequences."""
    rank, length = ids.shape.rank, feature.max_sequence_length
    if length > 0 and not feature.output_shape and rank in (None, 2):
        batch = API["cast"](API["shape"](ids)[0], int64)
        ids = API["sparse.slice"](ids, [0, 0], API["stack"]([batch, length]))
        rows = API["gather"](table.read_value(), ids.values)
        size = API["stack"]([batch, length, feature.table.dim])
        return API["scatter_nd"](ids.indices, rows, size)
    if length > 0:
        logging.getLogger("absl").warning(
            "max_sequence_length setting will be ignored because the rank of the input tensor is "
            "%d which is not 2.",
            rank,
        )
    is_safe = feature.validate_weights_and_indices or rank is None or rank > 2
    name = "nn.safe_embedding_lookup_sparse" if is_safe else "nn.embedding_lookup_sparse"
    return API[name](table, ids, weight, combiner=feature.table.combiner)


def _look_up_ragged(table: Any, ids: Any, weight: Any, feature: FeatureConfig) -> Any:
    """Returns the embeddings of a ragged matrix: combined, or padded sequences."""
    if ids.shape.rank != 2:
        raise ValueError(f"Only rank 2 ragged tensor is supported, but got rank {ids.shape.rank}")
    batch, dim, length = ids.shape[0], feature.table.dim, feature.max_sequence_length
    count = None
    if feature.output_shape:
        count = math.prod(static_sizes(feature.output_shape))
        if count < batch or count % batch:
            raise ValueError(
                "Output shape set in the FeatureConfig should be the factor of the input data batch "
                f"size. But instead got output shape {feature.output_shape}, input data batch size "
                f"{batch}"
            )
        length = 0 if count == batch else count // batch
    if length > 0:
        result = API["nn.embedding_lookup"](table, ids).to_tensor(shape=[batch, length, dim])
    else:
        result = _combine(table, ids, weight, feature.table.combiner)
    return result if count is None else API["reshape"](result, feature.output_shape + [dim])


def _combine(table: Any, ids: Any, weights: Any, combiner: str) -> Any:
    """Returns the weighted sum, mean or sqrtn of the embeddings of each row of ids."""
    weights = API["ones_like"](ids, dtype=table.dtype) if weights is None else weights
    weights = API["expand_dims"](weights, 2)
    total = API["reduce_sum"](API["nn.embedding_lookup"](table, ids) * weights, 1)
    if combiner == "sum":
        return total
    power = weights if combiner == "mean" else weights * weights
    scale = API["reduce_sum"](power, 1)
    scale = scale if combiner == "mean" else API["sqrt"](scale)
    return API["math.divide_no_nan"](total, scale)
