# Computed from the op table by tools/make_stubs.py.

from typing import Any, SupportsFloat, SupportsIndex

from twinflow._src.checkpoint.functions import CheckpointOptions as CheckpointOptions
from twinflow._src.checkpoint.functions import CheckpointReader
from twinflow._src.checkpoint.manager import CheckpointManager as CheckpointManager
from twinflow._src.checkpoint.objects import CheckpointV1 as _Checkpoint
from twinflow._src.checkpoint.views import CheckpointView as CheckpointView
from twinflow._src.checkpoint.views import TrackableView as TrackableView
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
from twinflow._src.train.moving_averages import ExponentialMovingAverage as ExponentialMovingAverage
from twinflow._src.wings.distribute.cluster_spec import ClusterSpec as ClusterSpec
from twinflow.compat.v1.train import experimental as experimental
from twinflow.compat.v1.train import piecewise_constant as _piecewise_constant_decay
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

def NewCheckpointReader(filepattern: Any) -> CheckpointReader:
    """Opens a checkpoint for reading."""

def assert_global_step(global_step_tensor: Any) -> None:
    """Raises TypeError where a tensor is no integer scalar."""

def checkpoint_exists(checkpoint_prefix: Any) -> bool:
    """Whether there is a checkpoint."""

def cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    alpha: SupportsFloat = 0.0,
    name: str | None = None,
) -> Any:
    """A rate that falls along half a cosine to a share ``alpha``; see ``exponential_decay``."""

def cosine_decay_restarts(
    learning_rate: Any,
    global_step: Any,
    first_decay_steps: Any,
    t_mul: SupportsFloat = 2.0,
    m_mul: SupportsFloat = 1.0,
    alpha: SupportsFloat = 0.0,
    name: str | None = None,
) -> Any:
    """``cosine_decay`` that begins again and again."""

def create_global_step(graph: Any = None) -> Any:
    """Makes the variable that counts the steps of training."""

def exponential_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """A rate that is multiplied by a factor every so many steps."""

def generate_checkpoint_state_proto(
    save_dir: Any,
    model_checkpoint_path: Any,
    all_model_checkpoint_paths: Any = None,
    all_model_checkpoint_timestamps: Any = None,
    last_preserved_timestamp: SupportsFloat | None = None,
) -> Any:
    """The message that tells which checkpoints a directory has."""

def get_checkpoint_mtimes(checkpoint_prefixes: Any) -> list[float]:
    """When checkpoints were saved, in seconds; those that are not there are left out."""

def get_global_step(graph: Any = None) -> Any:
    """The variable that counts the steps of training, or None."""

def get_or_create_global_step(graph: Any = None) -> Any:
    """The variable that counts the steps of training; made where there is none."""

def global_step(sess: Any, global_step_tensor: Any) -> int:
    """The number of steps in a session; in eager mode that of the variable."""

def inverse_time_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """A rate divided by a number that grows evenly; see ``exponential_decay``."""

def linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    num_periods: SupportsFloat = 0.5,
    alpha: SupportsFloat = 0.0,
    beta: SupportsFloat = 0.001,
    name: str | None = None,
) -> Any:
    """A rate that falls along a line and a cosine."""

def natural_exp_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """``exponential_decay`` with a factor that is given by its negative logarithm."""

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
    """``linear_cosine_decay`` with noise on the line, whose variance falls."""

def piecewise_constant(x: Any, boundaries: Any, values: Any, name: str | None = None) -> Any:
    """A rate that changes at some steps."""

def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: Any = 0.0001,
    power: Any = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Any:
    """A rate that falls to another one along a power."""

def remove_checkpoint(
    checkpoint_prefix: Any,
    checkpoint_format_version: SupportsIndex = 2,
    meta_graph_suffix: str = "meta",
) -> None:
    """Removes a checkpoint; nothing happens where there is none."""

def update_checkpoint_state(
    save_dir: Any,
    model_checkpoint_path: Any,
    all_model_checkpoint_paths: Any = None,
    latest_filename: Any = None,
    all_model_checkpoint_timestamps: Any = None,
    last_preserved_timestamp: SupportsFloat | None = None,
) -> None:
    """Writes which checkpoints a directory has."""
