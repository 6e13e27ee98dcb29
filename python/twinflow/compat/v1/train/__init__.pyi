# Computed from the op table by tools/make_stubs.py.

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, SupportsFloat, SupportsIndex

from twinflow._src.checkpoint.functions import CheckpointReader
from twinflow._src.checkpoint.manager import CheckpointManager as CheckpointManager
from twinflow._src.checkpoint.object_graph import CheckpointView as CheckpointView
from twinflow._src.checkpoint.object_graph import TrackableView as TrackableView
from twinflow._src.checkpoint.objects import CheckpointV1 as _Checkpoint
from twinflow._src.checkpoint.options import CheckpointOptions as CheckpointOptions
from twinflow._src.compat_v1.coordinator import Coordinator as Coordinator
from twinflow._src.compat_v1.coordinator import LooperThread as LooperThread
from twinflow._src.compat_v1.optimizer_base import Optimizer as Optimizer
from twinflow._src.compat_v1.optimizers import AdadeltaOptimizer as AdadeltaOptimizer
from twinflow._src.compat_v1.optimizers import AdagradDAOptimizer as AdagradDAOptimizer
from twinflow._src.compat_v1.optimizers import AdagradOptimizer as AdagradOptimizer
from twinflow._src.compat_v1.optimizers import AdamOptimizer as AdamOptimizer
from twinflow._src.compat_v1.optimizers import FtrlOptimizer as FtrlOptimizer
from twinflow._src.compat_v1.optimizers import GradientDescentOptimizer as GradientDescentOptimizer
from twinflow._src.compat_v1.optimizers import MomentumOptimizer as MomentumOptimizer
from twinflow._src.compat_v1.optimizers import ProximalAdagradOptimizer as ProximalAdagradOptimizer
from twinflow._src.compat_v1.optimizers import (
    ProximalGradientDescentOptimizer as ProximalGradientDescentOptimizer,
)
from twinflow._src.compat_v1.optimizers import RMSPropOptimizer as RMSPropOptimizer
from twinflow._src.compat_v1.saver.saver import Saver as Saver
from twinflow._src.train.moving_averages import ExponentialMovingAverage as ExponentialMovingAverage
from twinflow._src.wings.distribute.cluster import Server as Server
from twinflow._src.wings.distribute.cluster_spec import ClusterSpec as ClusterSpec
from twinflow._src.wings.monitored.hooks import CheckpointSaverHook as CheckpointSaverHook
from twinflow._src.wings.monitored.hooks import CheckpointSaverListener as CheckpointSaverListener
from twinflow._src.wings.monitored.hooks import FeedFnHook as FeedFnHook
from twinflow._src.wings.monitored.hooks import FinalOpsHook as FinalOpsHook
from twinflow._src.wings.monitored.hooks import GlobalStepWaiterHook as GlobalStepWaiterHook
from twinflow._src.wings.monitored.hooks import LoggingTensorHook as LoggingTensorHook
from twinflow._src.wings.monitored.hooks import (
    NanLossDuringTrainingError as NanLossDuringTrainingError,
)
from twinflow._src.wings.monitored.hooks import NanTensorHook as NanTensorHook
from twinflow._src.wings.monitored.hooks import ProfilerHook as ProfilerHook
from twinflow._src.wings.monitored.hooks import SecondOrStepTimer as SecondOrStepTimer
from twinflow._src.wings.monitored.hooks import SessionRunArgs as SessionRunArgs
from twinflow._src.wings.monitored.hooks import SessionRunContext as SessionRunContext
from twinflow._src.wings.monitored.hooks import SessionRunHook as SessionRunHook
from twinflow._src.wings.monitored.hooks import SessionRunValues as SessionRunValues
from twinflow._src.wings.monitored.hooks import StepCounterHook as StepCounterHook
from twinflow._src.wings.monitored.hooks import StopAtStepHook as StopAtStepHook
from twinflow._src.wings.monitored.hooks import SummarySaverHook as SummarySaverHook
from twinflow._src.wings.monitored.sessions import ChiefSessionCreator as ChiefSessionCreator
from twinflow._src.wings.monitored.sessions import MonitoredSession as MonitoredSession
from twinflow._src.wings.monitored.sessions import Scaffold as Scaffold
from twinflow._src.wings.monitored.sessions import SessionCreator as SessionCreator
from twinflow._src.wings.monitored.sessions import SessionManager as SessionManager
from twinflow._src.wings.monitored.sessions import (
    SingularMonitoredSession as SingularMonitoredSession,
)
from twinflow._src.wings.monitored.sessions import WorkerSessionCreator as WorkerSessionCreator
from twinflow._src.wings.monitored.supervisor import Supervisor as Supervisor
from twinflow._src.wings.monitored.sync_replicas import (
    SyncReplicasOptimizer as SyncReplicasOptimizer,
)
from twinflow._src.wings.queue.runners import QueueRunner as QueueRunner
from twinflow.compat.v1.train import experimental as experimental
from twinflow.compat.v1.train import piecewise_constant as _piecewise_constant_decay
from twinflow.io import match_filenames_once as match_filenames_once
from twinflow.io import write_graph as write_graph
from twinflow.train import BytesList as BytesList
from twinflow.train import ClusterDef as ClusterDef
from twinflow.train import Example as Example
from twinflow.train import Feature as Feature
from twinflow.train import FeatureList as FeatureList
from twinflow.train import FeatureLists as FeatureLists
from twinflow.train import Features as Features
from twinflow.train import FloatList as FloatList
from twinflow.train import Int64List as Int64List
from twinflow.train import SequenceExample as SequenceExample
from twinflow.train import checkpoints_iterator as checkpoints_iterator
from twinflow.train import get_checkpoint_state as get_checkpoint_state
from twinflow.train import latest_checkpoint as latest_checkpoint
from twinflow.train import list_variables as list_variables
from twinflow.train import load_checkpoint as load_checkpoint
from twinflow.train import load_variable as load_variable

Checkpoint = _Checkpoint
piecewise_constant_decay = _piecewise_constant_decay

def MonitoredTrainingSession(
    master: str = "",
    is_chief: bool = True,
    checkpoint_dir: Any = None,
    scaffold: Any = None,
    hooks: Any = None,
    chief_only_hooks: Any = None,
    save_checkpoint_secs: Any = ...,
    save_summaries_steps: Any = ...,
    save_summaries_secs: Any = ...,
    config: Any = None,
    stop_grace_period_secs: SupportsFloat = 120,
    log_step_count_steps: Any = 100,
    max_wait_secs: SupportsFloat = 7200,
    save_checkpoint_steps: Any = ...,
    summary_dir: Any = None,
    save_graph_def: bool = True,
) -> MonitoredSession:
    """Creates a ``MonitoredSession`` for training, which writes checkpoints."""

def NewCheckpointReader(filepattern: Any) -> CheckpointReader:
    """Opens a checkpoint for reading."""

class SaverDef:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

def add_queue_runner(qr: Any, collection: Any = "queue_runners") -> None:
    """Adds a runner of a queue to a collection of the graph."""

def assert_global_step(global_step_tensor: Any) -> None:
    """Raises TypeError if a tensor is not an integer scalar."""

def basic_train_loop(
    supervisor: Any,
    train_step_fn: Callable[..., Any],
    args: Any = None,
    kwargs: Any = None,
    master: str = "",
) -> None:
    """Calls a function with a session of a supervisor until a stop is requested."""

def batch(
    tensors: Any,
    batch_size: Any,
    num_threads: SupportsIndex = 1,
    capacity: SupportsIndex = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Returns batches of tensors, by a queue and a runner that fills it."""

def batch_join(
    tensors_list: Sequence[Any],
    batch_size: Any,
    capacity: SupportsIndex = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Returns batches of several lists of tensors, with a thread for each; see ``batch``."""

def checkpoint_exists(checkpoint_prefix: Any) -> bool:
    """True if a checkpoint exists."""

def cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    alpha: SupportsFloat = 0.0,
    name: str | None = None,
) -> Any:
    """Returns a rate with cosine decay to the fraction ``alpha``; see ``exponential_decay``."""

def cosine_decay_restarts(
    learning_rate: Any,
    global_step: Any,
    first_decay_steps: Any,
    t_mul: SupportsFloat = 2.0,
    m_mul: SupportsFloat = 1.0,
    alpha: SupportsFloat = 0.0,
    name: str | None = None,
) -> Any:
    """Returns a rate with repeated cosine decay (warm restarts)."""

def create_global_step(graph: Any = None) -> Any:
    """Creates the global step."""

def exponential_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """Returns a rate with exponential decay."""

def export_meta_graph(
    filename: Any = None,
    meta_info_def: Any = None,
    graph_def: Any = None,
    saver_def: Any = None,
    collection_list: Iterable[str] | None = None,
    as_text: bool = False,
    graph: Any = None,
    export_scope: str | None = None,
    clear_devices: bool = False,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
    **kwargs: Any,
) -> Any:
    """Exports a graph with its collections, optionally to a file."""

def generate_checkpoint_state_proto(
    save_dir: Any,
    model_checkpoint_path: Any,
    all_model_checkpoint_paths: Any = None,
    all_model_checkpoint_timestamps: Any = None,
    last_preserved_timestamp: SupportsFloat | None = None,
) -> Any:
    """Returns the ``CheckpointState`` for the checkpoints of a directory."""

def get_checkpoint_mtimes(checkpoint_prefixes: Any) -> list[float]:
    """Returns the modification times of existing checkpoints, in seconds."""

def get_global_step(graph: Any = None) -> Any:
    """Returns the global step, a variable that counts training steps, or None."""

def get_or_create_global_step(graph: Any = None) -> Any:
    """Returns the global step; creates it if missing."""

def global_step(sess: Any, global_step_tensor: Any) -> int:
    """Returns the value of the global step in a session, or in eager execution."""

def import_meta_graph(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    import_scope: str | None = None,
    **kwargs: Any,
) -> Any:
    """Imports a graph with its collections into the default graph."""

def init_from_checkpoint(ckpt_dir_or_file: Any, assignment_map: Any) -> None:
    """Initializes variables from a checkpoint: replaces their initializers."""

def input_producer(
    input_tensor: Any,
    element_shape: Any = None,
    num_epochs: SupportsIndex | None = None,
    shuffle: bool = True,
    seed: SupportsIndex | None = None,
    capacity: SupportsIndex = 32,
    shared_name: str | None = None,
    summary_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> Any:
    """Creates a queue of the rows of a tensor, and adds a runner of it to the graph."""

def inverse_time_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """Returns a rate with inverse time decay; see ``exponential_decay``."""

def limit_epochs(
    tensor: Any, num_epochs: SupportsIndex | None = None, name: str | None = None
) -> Any:
    """Returns a tensor a number of times; then its operation raises OutOfRangeError."""

def linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    num_periods: SupportsFloat = 0.5,
    alpha: SupportsFloat = 0.0,
    beta: SupportsFloat = 0.001,
    name: str | None = None,
) -> Any:
    """Returns a rate with linear cosine decay."""

def maybe_batch(
    tensors: Any,
    keep_input: Any,
    batch_size: Any,
    num_threads: SupportsIndex = 1,
    capacity: SupportsIndex = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Returns batches of those tensors for which a condition holds; see ``batch``."""

def maybe_batch_join(
    tensors_list: Sequence[Any],
    keep_input: Any,
    batch_size: Any,
    capacity: SupportsIndex = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Returns batches of those tensors for which a condition holds; see ``batch_join``."""

def maybe_shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: SupportsIndex,
    min_after_dequeue: SupportsIndex,
    keep_input: Any,
    num_threads: SupportsIndex = 1,
    seed: SupportsIndex | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Returns batches of those tensors for which a condition holds; see ``shuffle_batch``."""

def maybe_shuffle_batch_join(
    tensors_list: Sequence[Any],
    batch_size: Any,
    capacity: SupportsIndex,
    min_after_dequeue: SupportsIndex,
    keep_input: Any,
    seed: SupportsIndex | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Returns batches of those tensors for which a condition holds; see ``shuffle_batch_join``."""

def natural_exp_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """Returns a rate with factor ``exp(-decay_rate)`` per decay; see ``exponential_decay``."""

def noisy_linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    initial_variance: SupportsFloat = 1.0,
    variance_decay: SupportsFloat = 0.55,
    num_periods: SupportsFloat = 0.5,
    alpha: SupportsFloat = 0.0,
    beta: SupportsFloat = 0.001,
    name: str | None = None,
) -> Any:
    """Returns a rate with linear cosine decay and decaying noise."""

def piecewise_constant(x: Any, boundaries: Any, values: Any, name: str | None = None) -> Any:
    """Returns a rate that is constant between boundaries."""

def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: Any = 0.0001,
    power: Any = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Any:
    """Returns a rate with polynomial decay."""

def range_input_producer(
    limit: Any,
    num_epochs: SupportsIndex | None = None,
    shuffle: bool = True,
    seed: SupportsIndex | None = None,
    capacity: SupportsIndex = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Creates a queue of the integers below a limit; see ``input_producer``."""

def remove_checkpoint(
    checkpoint_prefix: Any,
    checkpoint_format_version: SupportsIndex = 2,
    meta_graph_suffix: str = "meta",
) -> None:
    """Removes a checkpoint if it exists."""

def replica_device_setter(
    ps_tasks: SupportsIndex = 0,
    ps_device: str = "/job:ps",
    worker_device: str = "/job:worker",
    merge_devices: bool = True,
    cluster: Any = None,
    ps_ops: Any = None,
    ps_strategy: Callable[[Any], SupportsIndex] | None = None,
) -> Callable[[Any], str] | None:
    """Returns a device function that places variables on parameter servers, round robin."""

def shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: SupportsIndex,
    min_after_dequeue: SupportsIndex,
    num_threads: SupportsIndex = 1,
    seed: SupportsIndex | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Returns batches of tensors in a random order; see ``batch``."""

def shuffle_batch_join(
    tensors_list: Sequence[Any],
    batch_size: Any,
    capacity: SupportsIndex,
    min_after_dequeue: SupportsIndex,
    seed: SupportsIndex | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Returns batches of several lists of tensors in a random order; see ``batch_join``."""

def slice_input_producer(
    tensor_list: Sequence[Any],
    num_epochs: SupportsIndex | None = None,
    shuffle: bool = True,
    seed: SupportsIndex | None = None,
    capacity: SupportsIndex = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> list[Any]:
    """Returns rows of several tensors of one size, the same of each, from a queue of their indices."""

def start_queue_runners(
    sess: Any = None,
    coord: Any = None,
    daemon: bool = True,
    start: bool = True,
    collection: Any = "queue_runners",
) -> Any:
    """Creates the threads of all runners of a collection."""

def string_input_producer(
    string_tensor: Any,
    num_epochs: SupportsIndex | None = None,
    shuffle: bool = True,
    seed: SupportsIndex | None = None,
    capacity: SupportsIndex = 32,
    shared_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> Any:
    """Creates a queue of strings, such as file names; see ``input_producer``."""

def summary_iterator(path: Any) -> Iterator[Any]:
    """Returns an iterator of the events of an event file."""

def update_checkpoint_state(
    save_dir: Any,
    model_checkpoint_path: Any,
    all_model_checkpoint_paths: Any = None,
    latest_filename: Any = None,
    all_model_checkpoint_timestamps: Any = None,
    last_preserved_timestamp: SupportsFloat | None = None,
) -> None:
    """Writes the checkpoint state of a directory."""

def warm_start(
    ckpt_to_initialize_from: Any,
    vars_to_warm_start: Any = ".*",
    var_name_to_vocab_info: Any = None,
    var_name_to_prev_var_name: Mapping[str, str] | None = None,
) -> None:
    """Initializes variables from a checkpoint, by name."""
