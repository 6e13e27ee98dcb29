"""Collects the tests of this folder where CuPy finds a device, and tells how far results were apart."""

import os
import signal

from tests.gpu import closeness
from twinflow.backends import gpu

if not gpu.count():
    collect_ignore = ["test_cases.py", "test_programs.py", "test_samples.py"]  # test_present.py says why


def pytest_configure():
    """Tells what was found until then when the time is up."""
    if "TWINFLOW_GPU_PART" in os.environ:
        signal.signal(signal.SIGTERM, signal.default_int_handler)


def pytest_collection_modifyitems(items):
    """Takes every n-th test where several processes share the work: TWINFLOW_GPU_PART is "2/8", say."""
    part, _, parts = os.environ.get("TWINFLOW_GPU_PART", "0/1").partition("/")
    items[:] = items[int(part) :: int(parts)]


def pytest_terminal_summary(terminalreporter):
    if closeness.apart:
        terminalreporter.section("the GPU against the CPU: relative distances, the largest first")
        for line in closeness.summary():
            terminalreporter.line(line)
