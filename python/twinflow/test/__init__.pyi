# Computed from the op table by tools/make_stubs.py.

from collections.abc import Callable
from typing import Any, SupportsFloat, SupportsIndex

from twinflow._src.compat_v1.session.config import ConfigProto
from twinflow._src.wings.distribute.cluster import Server
from twinflow._src.wings.test.benchmarks import Benchmark as Benchmark
from twinflow._src.wings.test.case import TensorFlowTestCase as _TestCase
from twinflow.test import experimental as experimental
from twinflow.test import is_built_with_cuda as _is_built_with_gpu_support

TestCase = _TestCase
is_built_with_gpu_support = _is_built_with_gpu_support

def assert_equal_graph_def(expected: Any, actual: Any) -> None:
    """Fails where two graphs, as messages, differ in a node."""

def benchmark_config() -> ConfigProto:
    """The settings of a session that measures."""

def compute_gradient(
    f: Callable[..., Any], x: Any, delta: SupportsFloat | None = None
) -> tuple[Any, Any]:
    """The derivatives of a function at a point, once by a tape and once by differences of values."""

def create_local_cluster(
    num_workers: SupportsIndex,
    num_ps: SupportsIndex,
    protocol: str = "grpc",
    worker_config: Any = None,
    ps_config: Any = None,
) -> tuple[list[Server], list[Server]]:
    """Starts a cluster at free ports of this machine, in this process."""

def disable_with_predicate(pred: Callable[[], bool], skip_message: str) -> Callable[..., Any]:
    """A decorator of tests that are left out where a function says so."""

def gpu_device_name() -> str:
    """The name of the first GPU, or an empty string."""

def is_built_with_cuda() -> bool:
    """Whether GPUs can be used: whether CuPy and a driver are there."""

def is_built_with_rocm() -> bool:
    """Whether AMD's GPUs can be used: no."""

def is_built_with_xla() -> bool:
    """Whether functions may ask to be compiled: they may; it has no effect."""

def is_cpu_target_available(target: str) -> bool:
    """Whether a kind of processor is one that TensorFlow knows."""

def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: Any = None) -> bool:
    """Whether there is a GPU that tensors can be placed on."""

def main(argv: Any = None) -> None:
    """Runs the tests of the program, or its benchmarks where ``--benchmarks=PATTERN`` is given."""

def with_eager_op_as_function(cls: Any = None, only_as_function: bool = False) -> Any:
    """Gives a class of tests as it is: operations run in one way only."""
