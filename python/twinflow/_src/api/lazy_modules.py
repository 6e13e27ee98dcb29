"""The index of public names whose modules are imported on first access, and their lazy lookup."""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from twinflow._src.core.fork import brief_lock
from twinflow._src.core.protos import message
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.signature_errors import strip_annotations
from twinflow._src.graph.symbolic import serializer

_REGRESSION = (
    "MAE:mean_absolute_error mae:mean_absolute_error MSE:mean_squared_error mse:mean_squared_error "
    "MAPE:mean_absolute_percentage_error mape:mean_absolute_percentage_error "
    "MSLE:mean_squared_logarithmic_error msle:mean_squared_logarithmic_error "
    "KLD:kl_divergence kld:kl_divergence kullback_leibler_divergence:kl_divergence "
    "logcosh:log_cosh "
)
_ENTROPIES = "binary_crossentropy categorical_crossentropy sparse_categorical_crossentropy"
SAVED_MODEL_CONSTANTS = (
    "ASSETS_DIRECTORY ASSETS_KEY CLASSIFY_INPUTS CLASSIFY_METHOD_NAME CLASSIFY_OUTPUT_CLASSES "
    "CLASSIFY_OUTPUT_SCORES DEBUG_DIRECTORY DEBUG_INFO_FILENAME_PB DEFAULT_SERVING_SIGNATURE_DEF_KEY GPU "
    "PREDICT_INPUTS PREDICT_METHOD_NAME PREDICT_OUTPUTS REGRESS_INPUTS REGRESS_METHOD_NAME REGRESS_OUTPUTS "
    "SAVED_MODEL_FILENAME_PB SAVED_MODEL_FILENAME_PBTXT SAVED_MODEL_SCHEMA_VERSION SERVING TPU TRAINING "
    "VARIABLES_DIRECTORY VARIABLES_FILENAME"
)
# By namespace: a module and its names, ``public:own`` where they differ.
MODULES: dict[str, dict[str, str]] = {
    "compat": {
        "compat_v1.compat_utils": "as_bytes as_str as_str_any as_text bytes_or_text_types complex_types dimension_at_index "
        "dimension_value forward_compatibility_horizon forward_compatible integral_types path_to_str real_types",
    },
    "optimizers keras.optimizers": {
        "train.optimizers.base": "Optimizer",
        "train.optimizers.classes": "Adadelta Adagrad Adam AdamW Adamax Ftrl Lion Nadam RMSprop SGD deserialize get serialize",
        "train.optimizers.loss_scale": "LossScaleOptimizer",
        "train.optimizers.normalized": "Adafactor Lamb Muon ScheduleFreeAdamW",
    },
    "optimizers.schedules keras.optimizers.schedules": {
        "train.schedules": "LearningRateSchedule serialize:described_schedule deserialize:revived ExponentialDecay InverseTimeDecay PiecewiseConstantDecay PolynomialDecay CosineDecay CosineDecayRestarts",
    },
    "losses keras.losses": {
        "train.losses": "BinaryCrossentropy CategoricalCrossentropy CategoricalHinge CosineSimilarity "
        "Hinge Huber KLDivergence LogCosh Loss MeanAbsoluteError MeanAbsolutePercentageError "
        "MeanSquaredError MeanSquaredLogarithmicError Poisson SparseCategoricalCrossentropy "
        "SquaredHinge categorical_hinge cosine_similarity hinge huber poisson squared_hinge "
        "deserialize:deserialize_loss get:get_loss serialize:serialize_loss "
        + _REGRESSION
        + _ENTROPIES,
    },
    "metrics keras.metrics": {
        "train.metrics": "Mean MeanMetricWrapper Metric Sum Accuracy BinaryAccuracy BinaryCrossentropy "
        "CategoricalAccuracy CategoricalCrossentropy CategoricalHinge Hinge KLDivergence LogCoshError "
        "MeanAbsoluteError MeanAbsolutePercentageError MeanSquaredError MeanSquaredLogarithmicError "
        "Poisson RootMeanSquaredError SparseCategoricalAccuracy SparseCategoricalCrossentropy "
        "SquaredHinge TopKCategoricalAccuracy Precision Recall binary_accuracy categorical_accuracy "
        "sparse_categorical_accuracy sparse_top_k_categorical_accuracy top_k_categorical_accuracy "
        "deserialize:deserialize_metric get:get_metric serialize:serialize_metric",
        "train.losses": _REGRESSION
        + "categorical_hinge hinge huber poisson squared_hinge "
        + _ENTROPIES,
    },
    "": {
        "wings.data.optional": "OptionalSpec",
        "graph_serialization.meta_graphs": "import_graph_def",
        "wings.queue.critical": "CriticalSection",
    },
    "linalg": {
        "wings.linear_operators.base": "LinearOperator",
        "wings.linear_operators.blocks": "LinearOperatorBlockDiag LinearOperatorBlockLowerTriangular",
        "wings.linear_operators.circulant": "LinearOperatorCirculant LinearOperatorCirculant2D LinearOperatorCirculant3D",
        "wings.linear_operators.compositions": "LinearOperatorAdjoint LinearOperatorComposition LinearOperatorInversion",
        "wings.linear_operators.dense": "LinearOperatorDiag LinearOperatorFullMatrix LinearOperatorLowerTriangular",
        "wings.linear_operators.identities": "LinearOperatorIdentity LinearOperatorScaledIdentity LinearOperatorZeros",
        "wings.linear_operators.kronecker": "LinearOperatorKronecker",
        "wings.linear_operators.low_rank": "LinearOperatorLowRankUpdate",
        "wings.linear_operators.structured": "LinearOperatorHouseholder LinearOperatorPermutation LinearOperatorTridiag LinearOperatorToeplitz",
    },
    "linalg.experimental": {"wings.linear_operators.conjugate_gradient": "conjugate_gradient"},
    "experimental.dtensor": {
        "wings.private_api.control": "UNSHARDED",
        "wings.private_api.training": "DTensorDataset DVariable",
    },
    "queue": {
        "wings.queue.queues": "FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue"
    },
    "image": {"wings.image.resizing": "ResizeMethod"},
    "experimental": {"wings.data.optional": "Optional"},
    "data": {
        "wings.data.datasets": "AUTOTUNE Dataset:DatasetV2 DatasetSpec INFINITE_CARDINALITY Iterator:IteratorBase "
        "IteratorSpec NumpyIterator Options ThreadingOptions UNKNOWN_CARDINALITY",
        "wings.data.readers": "FixedLengthRecordDataset:FixedLengthRecordDatasetV2 TextLineDataset:TextLineDatasetV2 "
        "TFRecordDataset:TFRecordDatasetV2",
    },
    "data.experimental": {
        "wings.data.csv_dataset": "CsvDataset:CsvDatasetV2",
        "wings.data.sql_dataset": "SqlDataset:SqlDatasetV2",
        "wings.data.readers": "TFRecordWriter",
        "wings.data.datasets": "AUTOTUNE INFINITE_CARDINALITY UNKNOWN_CARDINALITY",
        "wings.data.nesting": "RandomDataset:_RandomDataset",
        "wings.data.options": "AutoShardPolicy AutotuneAlgorithm AutotuneOptions DistributeOptions ExternalStatePolicy "
        "OptimizationOptions ServiceOptions ThreadingOptions",
        "wings.data.optional": "Optional get_next_as_optional",
        "wings.data.folding": "Reducer group_by_reducer pad_to_cardinality",
        "wings.data.experimental": "Counter SHARD_HINT assert_cardinality at bucket_by_sequence_length cardinality "
        "choose_from_datasets copy_to_device dense_to_ragged_batch dense_to_sparse_batch enable_debug_mode enumerate_dataset from_list "
        "from_variant get_model_proto get_single_element get_structure group_by_window ignore_errors load map_and_batch "
        "parallel_interleave prefetch_to_device rejection_resample sample_from_datasets save scan shuffle_and_repeat "
        "snapshot take_while to_variant unbatch unique",
        "wings.data.tables": "DatasetInitializer index_table_from_dataset table_from_dataset",
        "wings.data.make_csv": "make_batched_features_dataset make_csv_dataset parse_example_dataset",
    },
    "data.experimental.service": {
        "wings.distribute.data_service": "CrossTrainerCache DispatchServer DispatcherConfig WorkerConfig WorkerServer "
        "distribute from_dataset_id register_dataset",
        "wings.distribute.data_sharding": "ShardingPolicy",
    },
    "lookup": {
        "wings.lookup.static_tables": "StaticHashTable StaticVocabularyTable KeyValueTensorInitializer TextFileIndex TextFileInitializer",
    },
    "profiler.experimental": {"wings.profiler": "Profile ProfilerOptions Trace"},
    "lookup.experimental": {
        "wings.lookup.mutable_tables": "MutableHashTable DenseHashTable",
    },
    "graph_util": {"graph_serialization.meta_graphs": "import_graph_def"},
    "io": {
        "wings.queue.runners": "match_filenames_once",
        "graph_serialization.utilities": "write_graph",
    },
    "keras": {
        "variables.keras_variable": "Variable",
        "train.losses": "Loss",
        "train.metrics": "Metric",
        "train.optimizers.base": "Optimizer",
    },
    "train": {
        "checkpoint.functions": "load_checkpoint load_variable list_variables latest_checkpoint get_checkpoint_state",
        "checkpoint.options": "CheckpointOptions",
        "checkpoint.objects": "Checkpoint",
        "checkpoint.manager": "CheckpointManager checkpoints_iterator",
        "checkpoint.object_graph": "CheckpointView TrackableView",
        "wings.distribute.cluster_spec": "ClusterSpec",
        "compat_v1.coordinator": "Coordinator",
        "train.moving_averages": "ExponentialMovingAverage",
    },
    "train.experimental": {"checkpoint.objects": "PythonState"},
    "saved_model": {
        "wings.saved_model.constants": SAVED_MODEL_CONSTANTS,
        "wings.saved_model.files": "contains_saved_model",
        "wings.saved_model.assets": "Asset",
        "wings.saved_model.load": "load",
        "wings.saved_model.save": "save",
        "wings.saved_model.options": "LoadOptions SaveOptions",
    },
    "saved_model.experimental": {
        "wings.saved_model.options": "VariablePolicy",
        "wings.saved_model.fingerprints": "Fingerprint read_fingerprint",
        "wings.saved_model.assets": "TrackableResource",
    },
    "distribute": {
        "wings.distribute.strategy": "Strategy StrategyExtended",
        "wings.distribute.strategies": "MirroredStrategy OneDeviceStrategy TPUStrategy:TPUStrategyV2",
        "wings.distribute.multi_worker": "MultiWorkerMirroredStrategy:CollectiveAllReduceStrategy",
        "wings.distribute.cross_device": "ReduceOp CrossDeviceOps HierarchicalCopyAllReduce NcclAllReduce ReductionToOneDevice",
        "wings.distribute.replica_context": "ReplicaContext InputContext InputOptions InputReplicationMode RunOptions",
        "wings.distribute.values": "DistributedValues",
        "wings.distribute.datasets": "DistributedDataset:DistributedDatasetInterface DistributedIterator:DistributedIteratorInterface",
        "wings.distribute.strategy_context": "experimental_set_strategy:set_everywhere get_replica_context get_strategy has_strategy "
        "in_cross_replica_context",
        "wings.distribute.cluster": "Server",
        "wings.distribute.parameter_server": "ParameterServerStrategy:ParameterServerStrategyV2",
    },
    "distribute.coordinator": {
        "wings.distribute.coordinator": "ClusterCoordinator RemoteValue PerWorkerValue:PerWorkerValues experimental_get_current_worker_index",
    },
    "distribute.experimental.coordinator": {
        "wings.distribute.coordinator": "ClusterCoordinator RemoteValue PerWorkerValues",
    },
    "distribute.experimental.partitioners": {
        "wings.distribute.parameter_server": "Partitioner FixedShardsPartitioner MinSizePartitioner MaxSizePartitioner",
    },
    "distribute.experimental": {
        "wings.distribute.strategies": "TPUStrategy CentralStorageStrategy",
        "wings.distribute.multi_worker": "MultiWorkerMirroredStrategy:CollectiveAllReduceStrategyOlder CommunicationImplementation "
        "CollectiveCommunication:CommunicationImplementation CommunicationOptions CollectiveHints:collective_hints",
        "wings.distribute.replica_context": "ValueContext",
        "wings.distribute.parameter_server": "ParameterServerStrategy:ParameterServerStrategyV2",
        "wings.distribute.preemption": "PreemptionCheckpointHandler PreemptionWatcher TerminationConfig",
    },
    "distribute.cluster_resolver": {
        "wings.distribute.cluster_spec": "ClusterResolver SimpleClusterResolver SlurmClusterResolver TFConfigClusterResolver UnionResolver",
        "wings.distribute.cloud_resolvers": "GCEClusterResolver KubernetesClusterResolver KubernetesExecutableLocation:ExecutableLocation "
        "TPUClusterResolver",
        "wings.distribute.dask_resolver": "DaskClusterResolver",
        "wings.distribute.mpi_resolver": "MPIClusterResolver",
    },
    "tpu.experimental": {"wings.tpu.configs": "HardwareFeature"},
    "tpu.experimental.embedding": {
        "wings.tpu.configs": "FeatureConfig QuantizationConfig RowIdInitializer SparseCoreEmbeddingConfig TableConfig",
        "wings.tpu.embeddings": "TPUEmbedding TPUEmbeddingForServing TPUEmbeddingV0 TPUEmbeddingV2 serving_embedding_lookup",
        "wings.tpu.optimizers": "Adagrad AdagradMomentum Adam FTRL SGD",
    },
    "types.experimental": {"api.type_names": "TensorLike"},
    "types.experimental.distributed": {"wings.distribute.values": "Mirrored PerReplica"},
    "test": {
        "wings.test.case": "TestCase:TensorFlowTestCase disable_with_predicate main with_eager_op_as_function "
        "is_cpu_target_available is_gpu_available",
        "wings.test.benchmarks": "Benchmark benchmark_config",
        "wings.test.gradients": "compute_gradient",
        "wings.test.evaluation": "assert_equal_graph_def",
        "wings.distribute.cluster": "create_local_cluster",
    },
    "config.experimental": {"wings.distribute.cluster_spec": "ClusterDeviceFilters"},
    "config": {
        "wings.distribute.cluster": "experimental_connect_to_cluster:connect_to_cluster experimental_connect_to_host:connect_to_host"
    },
}
_SIGNATURE_DEFS = "build_signature_def classification_signature_def is_valid_signature predict_signature_def regression_signature_def"
_TENSOR_INFOS = "build_tensor_info get_tensor_from_tensor_info"
# Names of ``tf.compat.v1`` that differ; same format.
V1: dict[str, dict[str, str]] = {
    "saved_model": {
        "wings.saved_model.constants": "LEGACY_INIT_OP_KEY MAIN_OP_KEY",
        "wings.saved_model.signature_defs": f"{_SIGNATURE_DEFS} {_TENSOR_INFOS}",
        "wings.saved_model.v1_builder": "Builder:SavedModelBuilder simple_save main_op_with_restore",
        "wings.saved_model.v1_loader": "load maybe_saved_model_directory",
        "wings.saved_model.load": "load_v2:load",
    },
    "saved_model.experimental": {"wings.saved_model.save": "save"},
    "saved_model.builder": {"wings.saved_model.v1_builder": "SavedModelBuilder"},
    "saved_model.loader": {"wings.saved_model.v1_loader": "load maybe_saved_model_directory"},
    "saved_model.main_op": {"wings.saved_model.v1_builder": "main_op main_op_with_restore"},
    "saved_model.utils": {"wings.saved_model.signature_defs": _TENSOR_INFOS},
    "saved_model.signature_def_utils": {
        "wings.saved_model.signature_defs": f"{_SIGNATURE_DEFS} MethodNameUpdater"
    },
    "saved_model.constants": {
        "wings.saved_model.constants": "ASSETS_DIRECTORY ASSETS_KEY DEBUG_DIRECTORY DEBUG_INFO_FILENAME_PB "
        "LEGACY_INIT_OP_KEY MAIN_OP_KEY SAVED_MODEL_FILENAME_PB SAVED_MODEL_FILENAME_PBTXT SAVED_MODEL_SCHEMA_VERSION "
        "VARIABLES_DIRECTORY VARIABLES_FILENAME"
    },
    "saved_model.signature_constants": {
        "wings.saved_model.constants": "CLASSIFY_INPUTS CLASSIFY_METHOD_NAME CLASSIFY_OUTPUT_CLASSES "
        "CLASSIFY_OUTPUT_SCORES DEFAULT_SERVING_SIGNATURE_DEF_KEY PREDICT_INPUTS PREDICT_METHOD_NAME PREDICT_OUTPUTS "
        "REGRESS_INPUTS REGRESS_METHOD_NAME REGRESS_OUTPUTS"
    },
    "saved_model.tag_constants": {"wings.saved_model.constants": "GPU SERVING TPU TRAINING"},
    "distribute": {
        "wings.distribute.strategy": "Strategy:StrategyV1",
        "wings.distribute.strategies": "MirroredStrategy:MirroredStrategyV1 OneDeviceStrategy:OneDeviceStrategyV1",
    },
    "distribute.experimental": {
        "wings.distribute.strategies": "CentralStorageStrategy:CentralStorageStrategyV1",
        "wings.distribute.multi_worker": "MultiWorkerMirroredStrategy:CollectiveAllReduceStrategyV1",
    },
}
# Protocol buffer messages by namespace; their classes are created on first access.
MESSAGES = {
    "train": "BytesList ClusterDef Example Feature FeatureList FeatureLists Features FloatList Int64List SequenceExample",
}


def entries(names: str) -> Iterator[tuple[str, str]]:
    """Yields the public names in a string with their names in the module (``public:own``)."""
    for entry in names.split():
        name, _, inner = entry.partition(":")
        yield name, inner or name


def makers(
    modules: Mapping[str, Mapping[str, str]], messages: Mapping[str, str]
) -> dict[str, Callable[[], Any]]:
    """Returns factories for the objects in the name tables, by public name."""
    imports: dict[str, Callable[[], Any]] = {
        f"{space}.{name}".lstrip("."): functools.partial(_import_name, module, inner)
        for spaces, listed in modules.items()
        for module, names in listed.items()
        for name, inner in entries(names)
        for space in spaces.split(" ")
    }
    return imports | {
        f"{space}.{name}".lstrip("."): functools.partial(message, name)
        for space, names in messages.items()
        for name in names.split()
    }


def _import_name(module: str, name: str) -> Any:
    value = getattr(importlib.import_module(f"twinflow._src.{module}"), name)
    strip_annotations(value)
    return value


serializer.module = "twinflow._src.graph_serialization.messages"
NAMES = makers(MODULES, MESSAGES)
_ABSENT = object()
# Names of ``twinflow`` that are not listed.
_UNLISTED: dict[str, Callable[[], Any]] = {
    "as_tensorflow": functools.partial(_import_name, "api.alias", "as_tensorflow"),
    "__internal__": lambda: importlib.import_module("twinflow._src.api.private_names").module(
        "tf.__internal__"
    ),
    "__operators__": lambda: importlib.import_module("twinflow._src.api.private_names").module(
        "tf.__operators__"
    ),
}
_HIDDEN = {"as_tensorflow"}
# Functions to be called with a public name and its object when it is looked up first.
RESOLVED: list[Callable[[str, Any], None]] = []


def install(namespace: Callable[[str], ModuleType]) -> None:
    """Installs lazy attribute lookup in the modules of namespaces."""
    for path in {name.rpartition(".")[0] for name in (*NAMES, *API.listed())}:
        if not path.startswith("compat.v1."):  # these are filled together, with those below
            _make_late(namespace(path), path)
    _fill_when_asked(
        lambda: _import_name("compat_v1.names", "fill")(namespace), namespace("compat.v1")
    )
    numpy_ = namespace("experimental.numpy"), namespace("experimental.numpy.random")
    _fill_when_asked(lambda: importlib.import_module("twinflow._src.wings.numpy_ops"), *numpy_)
    _prepare_raw_ops(namespace("raw_ops"))


def _make_late(module: ModuleType, path: str) -> None:
    def find(name: str) -> Any:
        if name == "__all__":
            return [name for name in names() if not name.startswith("_")]
        full = f"{path}.{name}".lstrip(".")
        if full in _UNLISTED:
            value = _UNLISTED[full]()
        else:
            value = _ABSENT if name.startswith("_") else _resolve_name(full)
        if value is _ABSENT:
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        for notify in RESOLVED:
            notify(full, value)
        return vars(module).setdefault(name, value)

    def names() -> list[str]:
        return sorted({*listed(vars(module)), *late_in(path)} - _HIDDEN)

    module.__getattr__, module.__dir__ = find, names  # type: ignore[method-assign]


def _resolve_name(name: str) -> Any:
    """Returns the object of a public name."""
    if name not in API and name in NAMES:
        return NAMES[name]()
    return API.get(name, _ABSENT)


def late_in(path: str) -> Iterator[str]:
    """Yields the names of a namespace that are defined by modules, loaded or not."""
    for name in (*NAMES, *API.listed()):
        space, _, leaf = name.rpartition(".")
        if space == path:
            yield leaf


def listed(names: Mapping[str, Any]) -> list[str]:
    """Returns the public names of a module, without the package's own submodules."""
    return [
        name
        for name, value in names.items()
        if not (isinstance(value, ModuleType) and "__file__" in vars(value))
    ]


def _fill_when_asked(fill: Callable[[], Any], *modules: ModuleType) -> None:
    """Defers the initialization of modules to the first access of a missing attribute."""
    lock, begun = brief_lock(), list[bool]()

    def filled() -> None:
        with lock:  # other threads block until the names are bound
            if begun:
                return
            begun.append(True)
            try:
                fill()
            except BaseException:  # for example an interrupt: the next access tries again
                begun.clear()
                raise

    for module in modules:
        _make_filling(module, filled)


def _make_filling(module: ModuleType, filled: Callable[[], None]) -> None:
    def find(name: str) -> Any:
        # Python reads names such as __path__ on import; __all__ means "all names".
        if name.startswith("__") and name not in ("__all__", "__version__"):
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        filled()
        if vars(module).get("__getattr__") is find:  # afterwards it is an ordinary module
            vars(module).pop("__getattr__", None)
        return getattr(module, name)

    def names() -> list[str]:
        filled()
        listing = vars(module)["__dir__"]
        return sorted(vars(module)) if listing is names else listing()

    module.__getattr__, module.__dir__ = find, names  # type: ignore[method-assign]


# ------------------------------------------------------------------ tf.raw_ops


def _prepare_raw_ops(module: ModuleType) -> None:
    """Installs lazy lookup of op functions in a module."""

    def find(name: str) -> Any:
        if name == "__all__" or not name.startswith("_"):  # Python looks up special names itself
            from twinflow._src.wings.raw_ops import functions

            if name == "__all__":
                return functions.names()
            if name in functions.names():
                return vars(module).setdefault(name, functions.function(name))
        raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")

    def names() -> list[str]:
        from twinflow._src.wings.raw_ops import functions

        return sorted({*(n for n in vars(module) if n.startswith("__")), *functions.names()})

    vars(module)["__getattr__"], vars(module)["__dir__"] = find, names


# ------------------------------------------------------------------ tf.compat

_COMPAT = "twinflow.compat"
# Module attributes that programs read from the package.
_SPECIAL = (
    "__version__",
    "__git_version__",
    "__compiler_version__",
    "__all__",
    "__internal__",
    "__operators__",
)


class _Namespaces(MetaPathFinder, Loader):
    """Import hook for modules below ``twinflow.compat``, such as ``twinflow.compat.v1.nn``."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        parent, _, leaf = fullname.rpartition(".")
        if not parent.startswith(_COMPAT) or not isinstance(
            getattr(sys.modules[parent], leaf, None), ModuleType
        ):
            return None
        return ModuleSpec(fullname, self)

    def exec_module(self, module: ModuleType) -> None:
        parent, _, leaf = module.__name__.rpartition(".")
        sys.modules[module.__name__] = getattr(sys.modules[parent], leaf)


def install_compat(namespace: Callable[[str], ModuleType]) -> None:
    """Creates ``tf.compat.v2``, which has the names of ``tf``."""
    module, whole = namespace("compat.v2"), namespace("")

    def find(name: str) -> Any:
        if name == "enable_v2_behavior":
            return importlib.import_module(
                "twinflow._src.compat_v1.behavior_flags"
            ).enable_v2_behavior
        if name.startswith("_") and name not in _SPECIAL:
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        try:
            return getattr(whole, name)
        except AttributeError as e:
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}") from e

    names = lambda: sorted(
        {*(name for name in dir(whole) if not name.startswith("_")), "enable_v2_behavior"}
    )
    module.__getattr__, module.__dir__ = find, names  # type: ignore[method-assign]
    if not any(isinstance(finder, _Namespaces) for finder in sys.meta_path):
        sys.meta_path.append(_Namespaces())
