"""NVIDIA GPUs: CuPy, imported only where a driver can exist.

"No CuPy", "no driver" and "no device" all mean the same to a program: there is no GPU.
"""

from __future__ import annotations

import functools
import importlib.util
import os
from types import ModuleType
from typing import Any

import numpy as np

KIND = "GPU"
# What the CUDA driver creates; looking is cheaper than importing CuPy (0.3 s) to find nothing.
_DRIVER_FILES = (
    "/dev/nvidiactl",
    "/dev/dxg",
    "/dev/nvhost-ctrl-gpu",
    "/proc/driver/nvidia/version",
)


@functools.cache
def _cupy() -> ModuleType | None:
    if not any(map(os.path.exists, _DRIVER_FILES)) or importlib.util.find_spec("cupy") is None:
        return None
    import cupy

    return cupy


@functools.cache
def count() -> int:
    """The number of GPUs that CuPy can use; 0 where it, the driver or the device is missing."""
    cupy = _cupy()
    if cupy is None:
        return 0
    try:
        return cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError:
        return 0


def array_module() -> ModuleType:
    """The module whose functions kernels call."""
    cupy = _cupy()
    if cupy is None:
        raise RuntimeError("CuPy is not available; install twinflow[cuda12] or twinflow[cuda13].")
    return cupy


def from_host(array: np.ndarray[Any, Any], ordinal: int) -> Any:
    """Copies a host array to a GPU."""
    cupy = array_module()
    with cupy.cuda.Device(ordinal):
        return cupy.asarray(array)


def to_host(array: Any) -> np.ndarray[Any, Any]:
    """Copies a GPU array to the host; waits for the work that computes it."""
    return array_module().asnumpy(array)


def activate(ordinal: int) -> Any:
    """The context manager that makes a GPU the current one."""
    return array_module().cuda.Device(ordinal)


def details(ordinal: int) -> dict[str, Any]:
    """The name and the compute capability of a GPU."""
    found = array_module().cuda.runtime.getDeviceProperties(ordinal)
    name = found["name"].decode() if isinstance(found["name"], bytes) else found["name"]
    return {"device_name": name, "compute_capability": (found["major"], found["minor"])}


def memory(ordinal: int) -> tuple[int, int]:
    """The bytes of a GPU's memory that are in use, and those that are held for it."""
    cupy = array_module()
    with cupy.cuda.Device(ordinal):
        pool = cupy.get_default_memory_pool()
        return pool.used_bytes(), pool.total_bytes()


def release(ordinal: int) -> None:
    """Gives back the memory of a GPU that is held and not in use."""
    cupy = array_module()
    with cupy.cuda.Device(ordinal):
        cupy.get_default_memory_pool().free_all_blocks()
