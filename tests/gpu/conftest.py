"""Collects the tests of this folder where CuPy finds a device, and keeps going whatever one of them does.

Several processes share the tests: TWINFLOW_GPU_PART is "2/8", say. What each began and how it ended is a line of the
file TWINFLOW_GPU_DONE. A kernel that reads where nothing is breaks its process's context for good, and one that never ends
holds it: such a process ends, and ``tools/gpu.sh`` starts another one, which passes over what was begun.
"""

import faulthandler
import os
import signal
from pathlib import Path

import pytest

from tests.gpu import closeness
from twinflow._src.backends.gpu import device

if not device.count():
    collect_ignore = [
        "test_cases.py",
        "test_derivatives.py",
        "test_programs.py",
        "test_samples.py",
    ]  # test_present.py says why

DONE = os.environ.get("TWINFLOW_GPU_DONE")
# A test that takes so many seconds hangs; the slowest compile many kernels.
LONGEST = 120
# Programs first: they tell most.
ORDER = {
    "test_present": 0,
    "test_programs": 1,
    "test_samples": 2,
    "test_cases": 3,
    "test_derivatives": 4,
}
BROKEN = 99


def note(text):
    """Writes a line that is there whatever comes after."""
    if DONE:
        with open(DONE, "a", encoding="utf-8") as file:
            file.write(f"{text}\n")


def begun():
    """The tests that processes before this one began."""
    lines = Path(DONE).read_text("utf-8").splitlines() if DONE and Path(DONE).exists() else []
    return {line.partition("\t")[2] for line in lines if line.startswith("BEGUN\t")}


def pytest_configure():
    """Tells what was found until then when the time is up."""
    if "TWINFLOW_GPU_PART" in os.environ:
        signal.signal(signal.SIGTERM, signal.default_int_handler)


def pytest_collection_modifyitems(items):
    """Takes every n-th test where several processes share the work, but for those that were begun."""
    part, _, parts = os.environ.get("TWINFLOW_GPU_PART", "0/1").partition("/")
    items.sort(key=lambda item: ORDER.get(item.path.stem, 0))
    known = begun()
    items[:] = [item for item in items[int(part) :: int(parts)] if item.nodeid not in known]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    note(f"BEGUN\t{item.nodeid}")
    if DONE:
        faulthandler.dump_traceback_later(LONGEST, exit=True)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        note(f"{report.outcome.upper()}\t{report.nodeid}\t{report.duration:.1f} s")


def broken():
    """True if the device takes no more work from this process."""
    import cupy

    try:
        cupy.cuda.runtime.deviceSynchronize()
        cupy.zeros(1).get()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return str(error)
    return None


def pytest_runtest_teardown(item):
    failed = device.count() and getattr(item.session, "testsfailed", 0)
    why = broken() if failed else None
    if why:
        note(f"BROKEN\t{item.nodeid}")
        pytest.exit(f"the device's context is broken: {why}", returncode=BROKEN)


def pytest_sessionfinish(exitstatus):
    if exitstatus != BROKEN:
        note("FINISHED")


def pytest_terminal_summary(terminalreporter):
    if closeness.apart:
        terminalreporter.section("the GPU against the CPU: relative distances, the largest first")
        for line in closeness.summary():
            terminalreporter.line(line)
