"""Hooks of pytest: the collector of garbage, and the score of the goldens at the end."""

import gc
import re
from pathlib import Path

import pytest

from tests.golden import replay
from twinflow._src.random.seeds import seeds

TESTS = Path(__file__).parent
# `make quick` leaves these out: products over all ops and samples, processes that are started, files by the thousand.
SLOW = [
    "standin",
    "test_graph_ops.py",
    "test_ops.py",
    "unit/autodiff/test_broadcast_gradients.py",
    "unit/checkpoint/test_checkpoint_faults.py",
    "unit/checkpoint/test_checkpoint_manager.py",
    "unit/wings/test_cluster.py",
    "unit/wings/test_cluster_failures.py",
    "unit/wings/test_cluster_resolvers.py",
    "unit/wings/test_cluster_sessions.py",
    "unit/wings/test_collectives.py",
    "unit/wings/test_distributed_datasets.py",
    "unit/wings/test_multi_worker.py",
    "unit/wings/test_parameter_server.py",
    "unit/control_flow/test_control_flow_programs.py",
    "unit/backends/test_cupy_along.py",
    "unit/backends/test_cupy_kernels.py",
    "unit/dispatch/test_dispatch_cache.py",
    "unit/dispatch/test_cache_keys.py",
    "unit/dispatch/test_derived_definitions.py",
    "unit/compat_v1/test_tf1_modes.py",
    "unit/test_docs.py",
    "unit/test_words.py",
    "unit/wings/test_distribution.py",
    "unit/autodiff/test_edge_gradients.py",
    "unit/backends/test_elementwise.py",
    "unit/core/test_forks.py",
    "unit/autodiff/test_gradients_in_graphs.py",
    "unit/autodiff/test_gradients_table.py",
    "unit/autodiff/test_gradients_windows.py",
    "unit/core/test_interrupts.py",
    "unit/backends/test_large_matrices.py",
    "unit/backends/test_large_products.py",
    "unit/backends/test_large_reductions.py",
    "unit/dispatch/test_late_tables.py",
    "unit/backends/test_memory.py",
    "unit/wings/test_numpy_namespace.py",
    "unit/train/test_optimizers.py",
    "unit/backends/test_out_of_memory.py",
    "unit/programs/test_properties.py",
    "unit/compiler/test_quick_ways.py",
    "unit/backends/test_gpu_measurements.py",
    "unit/api/test_stubs.py",
    "unit/compiler/test_native.py",
    "unit/compiler/test_scaling.py",
    "unit/wings/test_testing.py",
    "unit/api/test_alias.py",
    "unit/api/test_public_names.py",
    "unit/compat_v1/test_threads_in_graphs.py",
    "unit/config/test_devices.py",
    "unit/ops/image/test_files.py",
    "unit/variables/test_variable_memory.py",
]


def pytest_addoption(parser):
    parser.addoption("--quick", action="store_true", help="leave out what takes long")


def pytest_ignore_collect(collection_path, config):
    if config.getoption("--quick") and collection_path.relative_to(TESTS).as_posix() in SLOW:
        return True
    return None


def pytest_collection_modifyitems(config, items):
    """Leaves out the larger half of the goldens, recorded later or with a process each, and of random objects."""
    if config.getoption("--quick"):
        goldens = r"test_golden\.py::test_probes\[(more_|device_isolated)"
        objects = r"test_checkpoint_objects\.py::test_random_objects_\w+\[(?!0\])"
        groups = re.compile(f"{goldens}|{objects}")
        later = [item for item in items if groups.search(item.nodeid)]
        config.hook.pytest_deselected(items=later)
        items[:] = [item for item in items if item not in set(later)]


def pytest_runtest_setup():
    """Forgets the global seed that an earlier test has set."""
    if seeds.seed is not None:
        seeds.set(None)


def pytest_collection_finish():
    """Keeps the collector from what stays until the end: each of its searches would go through all tests, for a second."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish(session):
    """Returns a worker's score to the process that prints it, where tests run in parallel."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["goldens"] = {name: dict(count) for name, count in replay.score.items()}


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Adds a worker's score to that of the others."""
    for name, count in getattr(node, "workeroutput", {}).get("goldens", {}).items():
        replay.score[name].update(count)


def pytest_terminal_summary(terminalreporter):
    if replay.score:
        terminalreporter.section("goldens: TensorFlow's recorded answers")
        for line in replay.summary():
            terminalreporter.line(line)
