"""Names of ``tf.compat.v1`` that are missing in ``tf`` or differ from it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from twinflow._src import version
from twinflow._src.api.lazy_modules import V1 as DISTRIBUTION
from twinflow._src.api.lazy_modules import entries, makers
from twinflow._src.compat_v1.arguments import functions
from twinflow._src.compat_v1.renamed_args import CASTS, REDUCTIONS
from twinflow._src.compat_v1.variables import SCATTERS
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.signature_errors import strip_annotations
from twinflow._src.initializers.v1 import NAMES as INITIALIZERS

# All queues but FIFOQueue; also in "io".
_QUEUES = "PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue"

# By namespace: module and names; a different name in the module follows a colon.
_TABLE: dict[str, dict[str, str]] = {
    "": {
        "graph.graph": "Graph",
        "graph.symbolic": "Operation",
        "graph.gradients": "gradients:gradients_v1",
        "graph.collections": "GraphKeys",
        "graph.default_graph": "get_default_graph reset_default_graph disable_eager_execution enable_eager_execution "
        "executing_eagerly executing_eagerly_outside_functions",
        "compat_v1.session.session": "Session InteractiveSession get_default_session",
        "compat_v1.session.config": "ConfigProto GPUOptions GraphOptions OptimizerOptions RunOptions RunMetadata",
        "compat_v1.session.feeds_and_fetches": "SparseTensorValue",
        "graph.placeholders": "placeholder placeholder_with_default sparse_placeholder",
        "variables.creation": "Variable:VariableV1 variable_creator_scope enable_resource_variables "
        "disable_resource_variables resource_variables_enabled",
        "variables.scopes": "VariableScope AUTO_REUSE get_variable_scope variable_scope variable_op_scope get_variable get_local_variable no_regularizer create_partitioned_variables",
        "variables.templates": "make_template",
        "variables.partitioned": "fixed_size_partitioner variable_axis_size_partitioner "
        "min_max_variable_partitioner",
        "variables.v1_collections": "get_collection get_collection_ref add_to_collection add_to_collections "
        "global_variables local_variables trainable_variables model_variables moving_average_variables "
        "all_variables variables_initializer global_variables_initializer local_variables_initializer "
        "initialize_all_variables initialize_local_variables initialize_variables tables_initializer "
        "initialize_all_tables is_variable_initialized report_uninitialized_variables "
        "assert_variables_initialized",
        "graph.ops": "where",
        "compat_v1.renamed_args": "count_nonzero argmax argmin expand_dims squeeze "
        "div convert_to_tensor constant gather batch_gather shape size zeros_like ones_like transpose cond "
        "while_loop sparse_to_dense",
        "compat_v1.variables": "assign assign_add assign_sub count_up_to",
        "compat_v1.v1_functions": "string_split Print clip_by_average_norm convert_to_tensor_or_sparse_tensor convert_to_tensor_or_indexed_slices setdiff1d",
        "compat_v1.compat_utils": "dimension_at_index dimension_value",
        "wings.queue.queues": f"FIFOQueue {_QUEUES}",
        "ops.conv.space_and_depth": "batch_to_space_nd",
        "compat_v1.context_managers": "device name_scope op_scope colocate_with container control_dependencies "
        "add_check_numerics_ops get_session_handle get_session_tensor delete_session_tensor",
        "compat_v1.behavior_flags": "disable_v2_behavior enable_v2_behavior control_flow_v2_enabled enable_control_flow_v2 "
        "disable_control_flow_v2 enable_tensor_equality disable_tensor_equality disable_v2_tensorshape "
        "enable_v2_tensorshape",
        "random.seeds": "set_random_seed:set_seed get_seed",
        "core.shapes": "Dimension",
        "variables.options": "VariableAggregation",
        "core.devices": "DeviceSpec:DeviceSpecV1",
        "core.errors": "OpError",
        "graph_serialization.meta_graphs": "import_graph_def",
        "wings.queue.readers": "FixedLengthRecordReader IdentityReader ReaderBase TFRecordReader TextLineReader WholeFileReader",
    },
    "train": {
        "compat_v1.schedules": "piecewise_constant piecewise_constant_decay:piecewise_constant exponential_decay "
        "natural_exp_decay inverse_time_decay cosine_decay polynomial_decay cosine_decay_restarts linear_cosine_decay "
        "noisy_linear_cosine_decay",
        "compat_v1.optimizers": "ProximalGradientDescentOptimizer ProximalAdagradOptimizer Optimizer GradientDescentOptimizer MomentumOptimizer AdagradOptimizer AdadeltaOptimizer RMSPropOptimizer FtrlOptimizer AdagradDAOptimizer AdamOptimizer",
        "checkpoint.functions": "checkpoint_exists generate_checkpoint_state_proto get_checkpoint_mtimes "
        "remove_checkpoint update_checkpoint_state NewCheckpointReader:new_checkpoint_reader",
        "checkpoint.objects": "Checkpoint:CheckpointV1",
        "compat_v1.variables": "get_global_step create_global_step get_or_create_global_step assert_global_step global_step",
        "graph_serialization.utilities": "write_graph",
    },
    "nn": {
        "ops.nn.ctc": "ctc_loss:ctc_loss_v1",
        "ops.nn.ctc_decoders": "ctc_beam_search_decoder",
        "compat_v1.variables": "relu_layer xw_plus_b",
        "compat_v1.v1_functions": "fused_batch_norm",
    },
    "losses": {
        "compat_v1.losses": "Reduction absolute_difference add_loss compute_weighted_loss cosine_distance "
        "get_losses get_regularization_loss get_regularization_losses get_total_loss hinge_loss huber_loss "
        "log_loss mean_pairwise_squared_error mean_squared_error sigmoid_cross_entropy softmax_cross_entropy sparse_softmax_cross_entropy",
    },
    "app": {"compat_v1.flags": "run"},
    "distributions": {
        "compat_v1.distributions.base": "Distribution FULLY_REPARAMETERIZED NOT_REPARAMETERIZED RegisterKL "
        "ReparameterizationType kl_divergence",
        "compat_v1.distributions.continuous": "Beta Exponential Gamma Laplace Normal StudentT Uniform",
        "compat_v1.distributions.discrete": "Bernoulli Categorical Dirichlet DirichletMultinomial Multinomial",
    },
    "data": {
        "wings.data.v1_datasets": "Dataset:DatasetV1 FixedLengthRecordDataset:FixedLengthRecordDatasetV1 "
        "TFRecordDataset:TFRecordDatasetV1 TextLineDataset:TextLineDatasetV1",
        "wings.data.v1_iterators": "Iterator get_output_classes get_output_shapes get_output_types "
        "make_initializable_iterator make_one_shot_iterator",
    },
    "data.experimental": {
        "wings.data.v1_datasets": "CsvDataset:CsvDatasetV1 SqlDataset:SqlDatasetV1 RandomDataset:RandomDatasetV1 "
        "Counter choose_from_datasets make_batched_features_dataset make_csv_dataset "
        "map_and_batch_with_legacy_function sample_from_datasets",
        "wings.data.dataset": "DatasetStructure:DatasetSpec",
        "wings.data.optional": "OptionalStructure:OptionalSpec",
        "wings.data.legacy_structure": "RaggedTensorStructure SparseTensorStructure TensorArrayStructure TensorStructure",
        "core.specs": "Structure:TypeSpec",
    },
    "strings": {"compat_v1.v1_functions": "split"},
    "errors": {
        "compat_v1.v1_functions": "error_code_from_exception_type exception_type_from_error_code"
    },
    "manip": {"ops.conv.space_and_depth": "batch_to_space_nd"},
    "logging": {
        "compat_v1.logging": "DEBUG INFO WARN ERROR FATAL TaskLevelStatusMessage debug error fatal flush get_verbosity info log "
        "log_every_n log_first_n log_if set_verbosity vlog warn warning"
    },
    "io": {
        "io.records": "TFRecordCompressionType tf_record_iterator",
        "wings.queue.queues": _QUEUES,
    },
    "python_io": {
        "io.records": "TFRecordCompressionType TFRecordOptions TFRecordWriter tf_record_iterator"
    },
    "gfile": {
        "io.gfile": "GFile Open:GFile",
        "compat_v1.logging": "FastGFile Exists:exists IsDirectory:is_directory ListDirectory:list_directory "
        "MkDir:make_directory MakeDirs:make_directories DeleteRecursively:delete_recursively Remove:remove "
        "Copy:copy Rename:rename Glob:matching Stat:facts Walk:walk",
    },
    "metrics": {
        "compat_v1.metrics": "accuracy mean mean_tensor mean_relative_error percentage_below mean_iou precision recall auc",
    },
    "graph_util": {
        "graph_serialization.meta_graphs": "import_graph_def",
        "graph_serialization.utilities": "convert_variables_to_constants extract_sub_graph must_run_on_cpu remove_training_nodes "
        "tensor_shape_from_node_def_name",
    },
    "math": {"compat_v1.renamed_args": "count_nonzero argmax argmin"},
    "resource_loader": {
        "compat_v1.resource_loader": "get_data_files_path get_path_to_datafile get_root_dir_with_all_resources "
        "load_resource readahead_file_path",
    },
    "random": {"random.seeds": "set_random_seed:set_seed get_seed"},
    "ragged": {"compat_v1.session.feeds_and_fetches": "RaggedTensorValue"},
    "initializers": {
        "variables.v1_collections": "variables:variables_initializer global_variables:global_variables_initializer "
        "local_variables:local_variables_initializer tables_initializer",
    },
}

_FLAGS = (
    "FLAGS Flag FlagValues Error UnrecognizedFlagError IllegalFlagValueError DEFINE_string DEFINE_integer DEFINE_float "
    "DEFINE_boolean DEFINE_bool DEFINE_list DEFINE_spaceseplist DEFINE_multi_string DEFINE_multi_integer "
    "DEFINE_multi_float DEFINE_enum DEFINE_enum_class DEFINE_multi_enum DEFINE_alias FlagHolder:Flag ValidationError "
    "mark_flag_as_required mark_flags_as_required mark_flags_as_mutual_exclusive register_validator "
    "register_multi_flags_validator set_default validator"
)
_TABLE |= {"flags": {"compat_v1.flags": _FLAGS}, "app.flags": {"compat_v1.flags": _FLAGS}}

# Functions of ``tf.signal`` formerly in ``tf.spectral``.
_SPECTRAL = "dct idct fft fft2d fft3d ifft ifft2d ifft3d rfft rfft2d rfft3d irfft irfft2d irfft3d"

# TensorFlow 1 names of functions that have moved, by namespace.
_MOVED: dict[str, str] = {
    "math": "angle betainc ceil confusion_matrix conj cumprod cumsum digamma erf erfc expm1 "
    "floordiv floormod igamma igammac imag invert_permutation is_finite is_inf is_nan "
    "is_non_decreasing is_strictly_increasing lbeta lgamma log log1p log_sigmoid logical_xor mod:floormod "
    "polygamma real reciprocal rint rsqrt segment_max segment_mean segment_min segment_prod "
    "segment_sum squared_difference unsorted_segment_max unsorted_segment_mean unsorted_segment_min "
    "unsorted_segment_prod unsorted_segment_sqrt_n unsorted_segment_sum zeta accumulate_n bincount "
    "floor_div:floordiv div_no_nan:divide_no_nan",
    "linalg": "cholesky cholesky_solve cross diag:tensor_diag diag_part:tensor_diag_part "
    "matrix_band_part:band_part matrix_determinant:det matrix_diag:diag matrix_diag_part:diag_part "
    "matrix_inverse:inv matrix_set_diag:set_diag matrix_solve:solve matrix_solve_ls:lstsq "
    "matrix_transpose matrix_triangular_solve:triangular_solve qr self_adjoint_eig:eigh "
    "self_adjoint_eigvals:eigvalsh svd trace global_norm norm",
    "random": "random_gamma:gamma random_normal:normal random_poisson:poisson "
    "random_shuffle:shuffle random_uniform:uniform truncated_normal multinomial:categorical",
    "strings": "as_string regex_replace string_join:join string_strip:strip "
    "string_to_hash_bucket_fast:to_hash_bucket_fast string_to_hash_bucket_strong:to_hash_bucket_strong "
    "string_to_hash_bucket:to_hash_bucket string_to_number:to_number substr reduce_join",
    "signal": "fft fft2d fft3d ifft ifft2d ifft3d",
    "io": "decode_base64 decode_compressed decode_json_example decode_raw deserialize_many_sparse encode_base64 "
    "matching_files parse_tensor read_file serialize_many_sparse serialize_sparse serialize_tensor "
    "write_file decode_csv FixedLenFeature FixedLenSequenceFeature VarLenFeature SparseFeature "
    "parse_example parse_single_example",
    "debugging": "assert_equal assert_greater assert_greater_equal assert_integer assert_less "
    "assert_less_equal assert_near assert_negative assert_non_negative assert_non_positive "
    "assert_none_equal assert_positive assert_proper_iterable assert_rank assert_rank_at_least "
    "assert_rank_in assert_same_float_dtype assert_scalar assert_type check_numerics "
    "is_numeric_tensor verify_tensor_all_finite:assert_all_finite",
    "sparse": "sparse_add:add sparse_concat:concat sparse_fill_empty_rows:fill_empty_rows sparse_mask:mask "
    "sparse_maximum:maximum sparse_minimum:minimum sparse_reduce_max:reduce_max "
    "sparse_reduce_sum:reduce_sum sparse_reorder:reorder sparse_reset_shape:reset_shape "
    "sparse_reshape:reshape sparse_retain:retain sparse_segment_mean:segment_mean "
    "sparse_segment_sqrt_n:segment_sqrt_n sparse_segment_sum:segment_sum sparse_slice:slice "
    "sparse_softmax:softmax sparse_split:split sparse_tensor_dense_matmul:sparse_dense_matmul "
    "sparse_tensor_to_dense:to_dense sparse_to_indicator:to_indicator sparse_transpose:transpose",
    "nn": "depth_to_space space_to_depth space_to_batch",
    "": "arg_max:argmax arg_min:argmin reverse_v2:reverse tensor_scatter_add:tensor_scatter_nd_add tensor_scatter_sub:tensor_scatter_nd_sub "
    "tensor_scatter_update:tensor_scatter_nd_update py_func:numpy_function where_v2:where "
    "lin_space:linspace batch_to_space NotDifferentiable:no_gradient "
    "NoGradient:no_gradient",
    "quantization": "quantize_v2:quantize fake_quant_with_min_max_args fake_quant_with_min_max_args_gradient "
    "fake_quant_with_min_max_vars fake_quant_with_min_max_vars_gradient fake_quant_with_min_max_vars_per_channel "
    "fake_quant_with_min_max_vars_per_channel_gradient",
    "image": "random_crop",
}
# Aliases: the name in ``tf.compat.v1`` and that in ``tf``.
_ELSEWHERE = """
    manip.gather_nd=gather_nd manip.reshape=reshape manip.reverse=reverse manip.roll=roll manip.scatter_nd=scatter_nd
    manip.space_to_batch_nd=space_to_batch_nd manip.tile=tile linalg.transpose=linalg.matrix_transpose
    sets.set_difference=sets.difference sets.set_intersection=sets.intersection sets.set_size=sets.size
    sets.set_union=sets.union random.multinomial=random.categorical
    random.stateless_multinomial=random.stateless_categorical debugging.is_finite=math.is_finite
    debugging.is_inf=math.is_inf debugging.is_nan=math.is_nan debugging.is_non_decreasing=math.is_non_decreasing
    debugging.is_strictly_increasing=math.is_strictly_increasing dtypes.as_string=strings.as_string
    nn.avg_pool_v2=nn.avg_pool nn.ctc_beam_search_decoder_v2=nn.ctc_beam_search_decoder
    nn.depthwise_conv2d_native_backprop_filter=nn.depthwise_conv2d_backprop_filter
    nn.depthwise_conv2d_native_backprop_input=nn.depthwise_conv2d_backprop_input
    nn.log_uniform_candidate_sampler=random.log_uniform_candidate_sampler
    nn.uniform_candidate_sampler=random.uniform_candidate_sampler
    nn.ctc_loss_v2=nn.ctc_loss nn.max_pool_v2=nn.max_pool
    nn.softmax_cross_entropy_with_logits_v2=nn.softmax_cross_entropy_with_logits"""


_VERSIONS = "VERSION GIT_VERSION COMPILER_VERSION GRAPH_DEF_VERSION GRAPH_DEF_VERSION_MIN_CONSUMER GRAPH_DEF_VERSION_MIN_PRODUCER"


def _collect_moved_symbols() -> dict[str, Any]:
    symbols, public = {}, dict(API.items())
    for namespace, names in _MOVED.items():
        for old, new in entries(names):
            full = ".".join(filter(None, (namespace, new)))
            if full in public:
                symbols[old] = public[full]
    elsewhere = (entry.partition("=") for entry in _ELSEWHERE.split())
    return symbols | {old: public[new] for old, _, new in elsewhere}


def _collect_table() -> dict[str, Any]:
    symbols = {}
    for namespace, modules in _TABLE.items():
        for module, names in modules.items():
            source = importlib.import_module(f"twinflow._src.{module}")
            for name, source_name in entries(names):
                symbols[".".join(filter(None, (namespace, name)))] = getattr(source, source_name)
    return symbols


def _metrics() -> dict[str, Any]:
    from twinflow._src.compat_v1.metrics import AT_THRESHOLDS, COUNTERS, ERRORS

    return {
        f"metrics.{name}": value for name, value in {**AT_THRESHOLDS, **COUNTERS, **ERRORS}.items()
    }


def names() -> dict[str, Any]:
    """Returns the names of ``tf.compat.v1`` that differ from those of ``tf``, with their values."""
    reductions = {**REDUCTIONS, **{f"math.{name}": value for name, value in REDUCTIONS.items()}}
    values = {name: getattr(version, name) for name in _VERSIONS.split()} | {
        "__version__": version.VERSION
    }
    spectral = {f"spectral.{name}": API[f"signal.{name}"] for name in _SPECTRAL.split()}
    prefix, moved = "compat.v1.", _collect_moved_symbols()
    defined = {
        name.removeprefix(prefix): API[name] for name in API.listed() if name.startswith(prefix)
    }
    spelled = functions(moved)
    return {
        **defined,
        **moved,
        **spelled,
        **spectral,
        **reductions,
        **_metrics(),
        **CASTS,
        **SCATTERS,
        **INITIALIZERS,
        **_collect_table(),
        **values,
    }


def fill(namespace: Callable[[str], ModuleType]) -> None:
    """Fills the modules of ``tf.compat.v1``; ``namespace`` returns the module of a namespace."""
    for name, value in names().items():
        strip_annotations(value)
        path, _, leaf = name.rpartition(".")
        _ready(namespace, path).__dict__[leaf] = value


def _ready(namespace: Callable[[str], ModuleType], path: str) -> ModuleType:
    """Returns a namespace of ``tf.compat.v1``, which falls back to that of ``tf``."""
    module = namespace(".".join(filter(None, ("compat.v1", path))))
    if "_of" not in vars(module):
        vars(module)["_of"] = path

        def find(name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
            full = ".".join(filter(None, (path, name)))
            make = _LATE.get(full)
            if make is not None:
                return vars(module).setdefault(name, make())
            original = sys.modules.get(".".join(filter(None, ("twinflow", path))))
            value = getattr(original, name, _ABSENT)
            if value is _ABSENT and any(late.startswith(f"{full}.") for late in _LATE):
                return _ready(namespace, full)
            if value is _ABSENT:
                raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
            if isinstance(value, ModuleType):
                return _ready(namespace, ".".join(filter(None, (path, name))))
            return vars(module).setdefault(name, value)

        late = [name.removeprefix(f"{path}.") for name in _LATE if name.startswith(f"{path}.")]
        late = [name for name in (late if path else _LATE) if "." not in name]
        vars(module)["__getattr__"] = find
        vars(module)["__dir__"] = lambda: sorted({*vars(module), *late})
    return module


_ABSENT = object()

# Names whose modules are imported on first access; see ``_TABLE``.
_MODULES: dict[str, dict[str, str]] = {
    "": {
        "compat_v1.keras_2": "layers",
        "function.wrap_function": "wrap_function",
        "wings.sparse.v1_functions": "sparse_merge sparse_reduce_max_sparse sparse_reduce_sum_sparse sparse_matmul",
        "wings.queue.accumulators": "ConditionalAccumulator ConditionalAccumulatorBase SparseConditionalAccumulator",
    },
    "sparse": {
        "wings.sparse.v1_functions": "merge:sparse_merge reduce_max_sparse:sparse_reduce_max_sparse "
        "reduce_sum_sparse:sparse_reduce_sum_sparse matmul:sparse_matmul",
        "graph.placeholders": "placeholder:sparse_placeholder",
        "wings.queue.accumulators": "SparseConditionalAccumulator",
    },
    "ragged": {
        "wings.sparse.v1_functions": "constant_value:ragged_constant_value placeholder:ragged_placeholder"
    },
    "mixed_precision train.experimental": {
        "compat_v1.loss_scale": "DynamicLossScale FixedLossScale LossScale MixedPrecisionLossScaleOptimizer "
        "disable_mixed_precision_graph_rewrite enable_mixed_precision_graph_rewrite",
    },
    "mixed_precision.experimental": {
        "compat_v1.loss_scale": "DynamicLossScale FixedLossScale LossScale"
    },
    "train": {
        "compat_v1.saver.saver": "Saver",
        "compat_v1.variables": "init_from_checkpoint warm_start",
        "train.moving_averages": "ExponentialMovingAverage",
        "compat_v1.context_managers": "replica_device_setter",
        "wings.distribute.cluster": "Server",
        "wings.queue.runners": "QueueRunner add_queue_runner start_queue_runners batch batch_join input_producer "
        "limit_epochs match_filenames_once maybe_batch maybe_batch_join maybe_shuffle_batch maybe_shuffle_batch_join "
        "range_input_producer shuffle_batch shuffle_batch_join slice_input_producer string_input_producer",
        "wings.monitored.hooks": "CheckpointSaverHook CheckpointSaverListener FeedFnHook FinalOpsHook GlobalStepWaiterHook "
        "LoggingTensorHook NanLossDuringTrainingError NanTensorHook ProfilerHook SecondOrStepTimer "
        "SessionRunArgs SessionRunContext SessionRunHook SessionRunValues StepCounterHook "
        "StopAtStepHook SummarySaverHook",
        "wings.monitored.supervisor": "Supervisor basic_train_loop",
        "wings.monitored.sessions": "ChiefSessionCreator MonitoredSession MonitoredTrainingSession Scaffold "
        "SessionCreator SessionManager SingularMonitoredSession WorkerSessionCreator",
        "wings.monitored.sync_replicas": "SyncReplicasOptimizer",
        "compat_v1.coordinator": "Coordinator LooperThread",
        "graph_serialization.meta_graphs": "export_meta_graph import_meta_graph",
        "checkpoint.functions": "NewCheckpointReader:new_checkpoint_reader checkpoint_exists get_checkpoint_mtimes "
        "remove_checkpoint update_checkpoint_state generate_checkpoint_state_proto",
    },
    "metrics": {
        "compat_v1.ranking_metrics": "average_precision_at_k mean_cosine_distance mean_per_class_accuracy "
        "precision_at_k precision_at_top_k recall_at_k recall_at_top_k sensitivity_at_specificity "
        "sparse_average_precision_at_k sparse_precision_at_k specificity_at_sensitivity",
    },
    "nn": {
        "compat_v1.keras_2": "rnn_cell",
        "compat_v1.rnn": "bidirectional_dynamic_rnn dynamic_rnn raw_rnn static_bidirectional_rnn static_rnn "
        "static_state_saving_rnn",
    },
    "io": {"wings.queue.runners": "match_filenames_once"},
    "train.queue_runner": {
        "wings.queue.runners": "QueueRunner add_queue_runner start_queue_runners"
    },
    "image": {"wings.image.resizing": "ResizeMethod:ResizeMethodV1"},
    "lookup": {"wings.lookup.static_tables": "StaticHashTable:StaticHashTableV1"},
    "test": {
        "wings.test.gradients": "compute_gradient:gradient_in_graph compute_gradient_error:gradient_error",
        "wings.test.evaluation": "assert_equal_graph_def:assert_equal_graph_def_v1",
        "wings.test.case": "StubOutForTesting mock get_temp_dir test_src_dir_path",
    },
    **DISTRIBUTION,
}

# Protocol buffer messages by namespace: their classes are created on first access.
_MESSAGES = {
    "": "AttrValue Event GraphDef HistogramProto LogMessage MetaGraphDef NameAttrList NodeDef SessionLog Summary "
    "SummaryMetadata TensorInfo",
    "summary": "Event SessionLog Summary SummaryDescription TaggedRunMetadata",
    "train": "SaverDef",
    "saved_model": "TensorInfo",
}
_LATE = makers(_MODULES, _MESSAGES)
