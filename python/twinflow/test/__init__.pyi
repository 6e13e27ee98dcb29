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
    """Asserts that two graph definitions have equal nodes."""

def benchmark_config() -> ConfigProto:
    """Returns the session configuration for benchmarks."""

def compute_gradient(
    f: Callable[..., Any], x: Any, delta: SupportsFloat | None = None
) -> tuple[Any, Any]:
    """Computes the theoretical (gradient tape) and numerical (finite differences) Jacobians."""

def create_local_cluster(
    num_workers: SupportsIndex,
    num_ps: SupportsIndex,
    protocol: str = "grpc",
    worker_config: Any = None,
    ps_config: Any = None,
) -> tuple[list[Server], list[Server]]:
    """Starts a cluster of in-process servers at free ports of this machine."""

def disable_with_predicate(pred: Callable[[], bool], skip_message: str) -> Callable[..., Any]:
    """Decorator that skips a test if a predicate returns True."""

def gpu_device_name() -> str:
    """Returns the name of the first GPU, or an empty string."""

def is_built_with_cuda() -> bool:
    """Returns True if GPUs are usable (CuPy and a driver are present)."""

def is_built_with_rocm() -> bool:
    """Returns False: there is no support for ROCm."""

def is_built_with_xla() -> bool:
    """Returns True: functions accept ``jit_compile`` (see ``tf.function``)."""

def is_cpu_target_available(target: str) -> bool:
    """Returns True for a CPU target that TensorFlow knows."""

def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: Any = None) -> bool:
    """Returns True if there is a GPU that tensors can be placed on."""

def main(argv: Any = None) -> None:
    """Runs the tests of the program, or its benchmarks for ``--benchmarks=PATTERN``."""

def with_eager_op_as_function(cls: Any = None, only_as_function: bool = False) -> Any:
    """Returns a test class unchanged: ops are executed in one way only."""
