# Computed from the op table by tools/make_stubs.py.

from typing import Any, SupportsFloat

from twinflow._src.wings.test.benchmarks import Benchmark as Benchmark
from twinflow._src.wings.test.case import StubOutForTesting as StubOutForTesting
from twinflow._src.wings.test.case import TensorFlowTestCase as _TestCase
from twinflow.compat.v1.test import experimental as experimental
from twinflow.test import benchmark_config as benchmark_config
from twinflow.test import create_local_cluster as create_local_cluster
from twinflow.test import disable_with_predicate as disable_with_predicate
from twinflow.test import gpu_device_name as gpu_device_name
from twinflow.test import is_built_with_cuda as _is_built_with_gpu_support
from twinflow.test import is_built_with_cuda as is_built_with_cuda
from twinflow.test import is_built_with_rocm as is_built_with_rocm
from twinflow.test import is_built_with_xla as is_built_with_xla
from twinflow.test import is_cpu_target_available as is_cpu_target_available
from twinflow.test import is_gpu_available as is_gpu_available
from twinflow.test import main as main
from twinflow.test import with_eager_op_as_function as with_eager_op_as_function

TestCase = _TestCase
get_temp_dir: Any
is_built_with_gpu_support = _is_built_with_gpu_support

def assert_equal_graph_def(
    actual: Any, expected: Any, checkpoint_v2: bool = False, hash_table_shared_name: bool = False
) -> None:
    """Asserts that two graph definitions have equal nodes; ``actual`` comes first."""

def compute_gradient(
    x: Any,
    x_shape: Any,
    y: Any,
    y_shape: Any,
    x_init_value: Any = None,
    delta: SupportsFloat = 0.001,
    init_targets: Any = None,
    extra_feed_dict: Any = None,
) -> Any:
    """Computes the theoretical and numerical Jacobians of a graph tensor."""

def compute_gradient_error(*args: Any, **kwargs: Any) -> float:
    """Returns the maximum error between both Jacobians of ``gradient_in_graph``."""

def test_src_dir_path(relative_path: str) -> str:
    """Returns the path of a file relative to the package."""
