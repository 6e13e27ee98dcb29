"""pytest -p tests.onhost.plugin: tests find GPUs that are the host.

TWINFLOW_GPUS says how many. With ONHOST_BACKWARDS=1 the last thread of a kernel is the first; with ONHOST_EXACT=1 each array has memory of
its own, with the margin right behind it, instead of a part of CuPy's pool.
"""

import os
from pathlib import Path

from . import start

cupy = start(Path("build/onhost").absolute(), int(os.environ.get("TWINFLOW_GPUS", "1")))
if os.environ.get("ONHOST_EXACT"):
    cupy.cuda.set_allocator(None)

from twinflow._src.backends.gpu import device  # noqa: E402

device._DRIVER_FILES = ("/",)  # there is no driver to be found
# Kernels end before the call that asks for them returns.
_NOT_HERE = {"test_work_is_asked_for_and_not_waited_for"}
if os.environ.get("ONHOST_EXACT"):  # there is no pool
    _NOT_HERE |= {
        "test_memory_runs_out_with_an_error_that_says_so",
        "test_memory_is_counted",
        "test_copies_without_room_are_errors_that_say_so",
    }


def pytest_collection_modifyitems(config, items):
    """Leaves out what a host cannot show."""
    gone = [item for item in items if item.name in _NOT_HERE]
    if gone:
        config.hook.pytest_deselected(items=gone)
        items[:] = [item for item in items if item not in gone]
