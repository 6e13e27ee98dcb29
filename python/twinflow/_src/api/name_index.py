"""Index of public names whose modules are imported on first access."""

from __future__ import annotations

_REGRESSION = (
    "MAE:mean_absolute_error mae:mean_absolute_error MSE:mean_squared_error mse:mean_squared_error "
    "MAPE:mean_absolute_percentage_error mape:mean_absolute_percentage_error "
    "MSLE:mean_squared_logarithmic_error msle:mean_squared_logarithmic_error "
    "KLD:kl_divergence kld:kl_divergence kullback_leibler_divergence:kl_divergence "
    "logcosh:log_cosh "
)
_ENTROPIES = "binary_crossentropy categorical_crossentropy sparse_categorical_crossentropy"
# By namespace: a module and its names, ``public:own`` where they differ.
MODULES: dict[str, dict[str, str]] = {
    "compat": {
        "compat_v1.compat_utils": "as_bytes as_str as_str_any as_text bytes_or_text_types complex_types dimension_at_index "
        "dimension_value forward_compatibility_horizon forward_compatible integral_types path_to_str real_types",
    },
    "optimizers keras.optimizers": {
        "train.optimizers.base": "Optimizer",
        "train.optimizers.classes": "Adadelta Adagrad Adam AdamW Adamax Ftrl Lion Nadam RMSprop SGD deserialize get serialize",
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
        "graph_serialization.importing": "import_graph_def",
        "wings.queue.critical": "CriticalSection",
    },
    "queue": {
        "wings.queue.queues": "FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue"
    },
    "lookup": {
        "wings.lookup.static_tables": "StaticHashTable StaticVocabularyTable KeyValueTensorInitializer TextFileIndex TextFileInitializer",
    },
    "lookup.experimental": {
        "wings.lookup.mutable_tables": "MutableHashTable DenseHashTable",
    },
    "graph_util": {"graph_serialization.importing": "import_graph_def"},
    "io": {"graph_serialization.utilities": "write_graph"},
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
        "train.moving_averages": "ExponentialMovingAverage",
    },
    "train.experimental": {"checkpoint.objects": "PythonState"},
    "distribute": {
        "wings.distribute.strategy": "Strategy StrategyExtended",
        "wings.distribute.strategies": "MirroredStrategy OneDeviceStrategy MultiWorkerMirroredStrategy:CollectiveAllReduceStrategy",
        "wings.distribute.cross_device": "ReduceOp CrossDeviceOps HierarchicalCopyAllReduce NcclAllReduce ReductionToOneDevice",
        "wings.distribute.replica_context": "ReplicaContext InputContext InputOptions InputReplicationMode RunOptions",
        "wings.distribute.values": "DistributedValues",
        "wings.distribute.strategy_context": "experimental_set_strategy:set_everywhere get_replica_context get_strategy has_strategy "
        "in_cross_replica_context",
        "wings.distribute.cluster": "Server",
    },
    "distribute.experimental": {
        "wings.distribute.strategies": "CentralStorageStrategy MultiWorkerMirroredStrategy:CollectiveAllReduceStrategyOlder CommunicationImplementation "
        "CollectiveCommunication:CommunicationImplementation CommunicationOptions CollectiveHints:collective_hints",
        "wings.distribute.replica_context": "ValueContext",
    },
    "distribute.cluster_resolver": {
        "wings.distribute.cluster_spec": "ClusterResolver SimpleClusterResolver TFConfigClusterResolver UnionResolver",
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
    "config": {
        "wings.distribute.cluster": "experimental_connect_to_cluster:connect_to_cluster experimental_connect_to_host:connect_to_host"
    },
}
# Names of ``tf.compat.v1`` that differ; same format.
V1: dict[str, dict[str, str]] = {
    "distribute": {
        "wings.distribute.strategy": "Strategy:StrategyV1",
        "wings.distribute.strategies": "MirroredStrategy:MirroredStrategyV1 OneDeviceStrategy:OneDeviceStrategyV1",
    },
    "distribute.experimental": {
        "wings.distribute.strategies": "CentralStorageStrategy:CentralStorageStrategyV1 "
        "MultiWorkerMirroredStrategy:CollectiveAllReduceStrategyV1",
    },
}
# Protocol buffer messages by namespace; their classes are created on first access.
MESSAGES = {
    "train": "BytesList ClusterDef Example Feature FeatureList FeatureLists Features FloatList Int64List SequenceExample",
}
