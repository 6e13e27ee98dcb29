"""The public names whose modules are imported when one of them is first asked for: what only some programs need."""

from __future__ import annotations

_REGRESSION = (
    "MAE:mean_absolute_error mae:mean_absolute_error MSE:mean_squared_error mse:mean_squared_error "
    "MAPE:mean_absolute_percentage_error mape:mean_absolute_percentage_error "
    "MSLE:mean_squared_logarithmic_error msle:mean_squared_logarithmic_error "
    "KLD:kl_divergence kld:kl_divergence kullback_leibler_divergence:kl_divergence "
    "logcosh:log_cosh "
)
_ENTROPIES = "binary_crossentropy categorical_crossentropy sparse_categorical_crossentropy"
# By namespaces: the module and its names; a name in the module that differs follows a colon.
MODULES: dict[str, dict[str, str]] = {
    "compat": {
        "legacy.compat_values": "as_bytes as_str as_str_any as_text bytes_or_text_types complex_types dimension_at_index "
        "dimension_value forward_compatibility_horizon forward_compatible integral_types path_to_str real_types",
    },
    "optimizers keras.optimizers": {
        "training.optimizers.base": "Optimizer",
        "training.optimizers.classes": "Adadelta Adagrad Ftrl Lion RMSprop SGD",
        "training.optimizers.adam": "Adam AdamW Adamax Nadam",
        "training.optimizers.lookup": "deserialize get serialize",
    },
    "optimizers.schedules keras.optimizers.schedules": {
        "training.schedules.base": "LearningRateSchedule serialize:described_schedule deserialize:revived",
        "training.schedules.classes": "ExponentialDecay InverseTimeDecay PiecewiseConstantDecay PolynomialDecay",
        "training.schedules.cosine": "CosineDecay CosineDecayRestarts",
    },
    "losses keras.losses": {
        "training.losses.classes": "BinaryCrossentropy CategoricalCrossentropy CategoricalHinge CosineSimilarity "
        "Hinge Huber KLDivergence LogCosh Loss MeanAbsoluteError MeanAbsolutePercentageError "
        "MeanSquaredError MeanSquaredLogarithmicError Poisson SparseCategoricalCrossentropy "
        "SquaredHinge",
        "training.losses.functions": _REGRESSION + "categorical_hinge cosine_similarity hinge huber poisson "
        "squared_hinge",
        "training.losses.entropies": _ENTROPIES,
        "training.losses.lookup": "deserialize:deserialize_loss get:get_loss serialize:serialize_loss",
    },
    "metrics keras.metrics": {
        "training.metrics.base": "Mean MeanMetricWrapper Metric Sum",
        "training.metrics.classes": "Accuracy BinaryAccuracy BinaryCrossentropy CategoricalAccuracy "
        "CategoricalCrossentropy CategoricalHinge Hinge KLDivergence LogCoshError MeanAbsoluteError "
        "MeanAbsolutePercentageError MeanSquaredError MeanSquaredLogarithmicError Poisson "
        "RootMeanSquaredError SparseCategoricalAccuracy SparseCategoricalCrossentropy SquaredHinge "
        "TopKCategoricalAccuracy",
        "training.metrics.counts": "Precision Recall",
        "training.metrics.functions": "binary_accuracy categorical_accuracy sparse_categorical_accuracy "
        "sparse_top_k_categorical_accuracy top_k_categorical_accuracy",
        "training.losses.functions": _REGRESSION + "categorical_hinge hinge huber poisson squared_hinge",
        "training.losses.entropies": _ENTROPIES,
        "training.losses.lookup": "deserialize:deserialize_metric get:get_metric serialize:serialize_metric",
    },
    "": {"graph_files.importing": "import_graph_def", "queues.critical": "CriticalSection"},
    "queue": {"queues.queues": "FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue"},
    "lookup": {
        "tables.static": "StaticHashTable StaticVocabularyTable",
        "tables.initialising": "KeyValueTensorInitializer TextFileIndex TextFileInitializer",
    },
    "lookup.experimental": {"tables.mutable": "MutableHashTable", "tables.dense": "DenseHashTable"},
    "graph_util": {"graph_files.importing": "import_graph_def"},
    "io": {"graph_files.utilities": "write_graph"},
    "keras": {
        "variables.keras_variable": "Variable",
        "training.losses.classes": "Loss",
        "training.metrics.base": "Metric",
        "training.optimizers.base": "Optimizer",
    },
    "train": {
        "checkpoint.functions": "load_checkpoint load_variable list_variables latest_checkpoint get_checkpoint_state",
        "checkpoint.objects": "Checkpoint",
        "checkpoint.options": "CheckpointOptions",
        "checkpoint.manager": "CheckpointManager checkpoints_iterator",
        "checkpoint.views": "CheckpointView TrackableView",
        "distribution.cluster_spec": "ClusterSpec",
        "training.moving_averages": "ExponentialMovingAverage",
    },
    "train.experimental": {"checkpoint.python_state": "PythonState"},
    "distribute": {
        "distribution.strategy": "Strategy",
        "distribution.extended": "StrategyExtended",
        "distribution.mirrored": "MirroredStrategy",
        "distribution.one_device": "OneDeviceStrategy",
        "distribution.collective": "MultiWorkerMirroredStrategy:CollectiveAllReduceStrategy",
        "distribution.reduce_op": "ReduceOp",
        "distribution.replica_context": "ReplicaContext",
        "distribution.values": "DistributedValues",
        "distribution.cross_device": "CrossDeviceOps HierarchicalCopyAllReduce NcclAllReduce ReductionToOneDevice",
        "distribution.contexts": "experimental_set_strategy:set_everywhere get_replica_context get_strategy has_strategy "
        "in_cross_replica_context",
        "distribution.cluster": "Server",
        "distribution.input_options": "InputContext InputOptions InputReplicationMode RunOptions",
    },
    "distribute.experimental": {
        "distribution.central_storage": "CentralStorageStrategy",
        "distribution.collective": "MultiWorkerMirroredStrategy:CollectiveAllReduceStrategyOlder CommunicationImplementation "
        "CollectiveCommunication:CommunicationImplementation CommunicationOptions CollectiveHints:collective_hints",
        "distribution.replica_context": "ValueContext",
    },
    "distribute.cluster_resolver": {
        "distribution.cluster_resolvers": "ClusterResolver SimpleClusterResolver TFConfigClusterResolver UnionResolver",
    },
    "types.experimental": {"public_names.type_names": "TensorLike"},
    "types.experimental.distributed": {"distribution.values": "Mirrored PerReplica"},
    "test": {
        "testing.case": "TestCase:TensorFlowTestCase disable_with_predicate main with_eager_op_as_function",
        "testing.benchmarks": "Benchmark benchmark_config",
        "testing.gradients": "compute_gradient",
        "testing.machine": "is_cpu_target_available is_gpu_available",
        "testing.protos": "assert_equal_graph_def",
        "distribution.cluster": "create_local_cluster",
    },
    "config": {
        "distribution.cluster": "experimental_connect_to_cluster:connect_to_cluster experimental_connect_to_host:connect_to_host"
    },
}
# What ``tf.compat.v1`` has in other words; as above.
V1: dict[str, dict[str, str]] = {
    "distribute": {
        "distribution.strategy": "Strategy:StrategyV1",
        "distribution.mirrored": "MirroredStrategy:MirroredStrategyV1",
        "distribution.one_device": "OneDeviceStrategy:OneDeviceStrategyV1",
    },
    "distribute.experimental": {
        "distribution.central_storage": "CentralStorageStrategy:CentralStorageStrategyV1",
        "distribution.collective": "MultiWorkerMirroredStrategy:CollectiveAllReduceStrategyV1",
    },
}
# The messages of files, by namespace: their classes are made when they are first asked for.
MESSAGES = {
    "train": "BytesList ClusterDef Example Feature FeatureList FeatureLists Features FloatList Int64List SequenceExample",
}
