# Computed from the op table by tools/make_stubs.py.

from collections.abc import Callable, Iterator
from typing import Any, SupportsFloat

from twinflow._src.checkpoint.functions import CheckpointReader
from twinflow._src.checkpoint.manager import CheckpointManager as CheckpointManager
from twinflow._src.checkpoint.object_graph import CheckpointView as CheckpointView
from twinflow._src.checkpoint.object_graph import TrackableView as TrackableView
from twinflow._src.checkpoint.objects import Checkpoint as Checkpoint
from twinflow._src.checkpoint.options import CheckpointOptions as CheckpointOptions
from twinflow._src.compat_v1.coordinator import Coordinator as Coordinator
from twinflow._src.train.moving_averages import ExponentialMovingAverage as ExponentialMovingAverage
from twinflow._src.wings.distribute.cluster_spec import ClusterSpec as ClusterSpec
from twinflow.train import experimental as experimental

class BytesList:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class ClusterDef:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class Example:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class Feature:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class FeatureList:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class FeatureLists:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class Features:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class FloatList:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class Int64List:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class SequenceExample:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

def checkpoints_iterator(
    checkpoint_dir: Any,
    min_interval_secs: SupportsFloat = 0,
    timeout: SupportsFloat | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """Yields new checkpoints of a directory: always the latest one, and each at most once."""

def get_checkpoint_state(checkpoint_dir: Any, latest_filename: Any = None) -> Any:
    """Returns the checkpoint state of a directory."""

def latest_checkpoint(checkpoint_dir: Any, latest_filename: Any = None) -> str | None:
    """Returns the latest checkpoint of a directory."""

def list_variables(ckpt_dir_or_file: Any) -> list[tuple[str, list[int]]]:
    """Returns names and shapes of the tensors of a checkpoint."""

def load_checkpoint(ckpt_dir_or_file: Any) -> CheckpointReader:
    """Opens a checkpoint for reading."""

def load_variable(ckpt_dir_or_file: Any, name: Any) -> Any:
    """Returns a tensor of a checkpoint."""
