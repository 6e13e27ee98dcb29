"""The host: NumPy."""

from __future__ import annotations

import contextlib
from types import ModuleType
from typing import Any

import numpy as np

KIND = "CPU"


def array_module() -> ModuleType:
    """The module whose functions kernels call."""
    return np


def count() -> int:
    """The number of devices: the host is one."""
    return 1


def from_host(array: np.ndarray[Any, Any], ordinal: int) -> np.ndarray[Any, Any]:
    """The array on this device; the host's arrays are here already."""
    return array


def to_host(array: Any) -> np.ndarray[Any, Any]:
    """The array on the host."""
    return array


def activate(ordinal: int) -> contextlib.AbstractContextManager[None]:
    """What has to surround a kernel on this device: nothing."""
    return contextlib.nullcontext()
