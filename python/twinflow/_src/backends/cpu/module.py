"""The interface of the CPU backend: NumPy on the host."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from twinflow._src.backends.cpu.malloc import Peak

KIND = "CPU"


def array_module(ordinal: int = 0) -> ModuleType:
    """Returns the array module of kernels."""
    return np


def count() -> int:
    """Returns the number of devices, which is 1."""
    return 1


def holds(dtype: np.dtype[Any]) -> bool:
    """True if the device supports a dtype; the host supports all."""
    return True


def from_host(array: np.ndarray[Any, Any], ordinal: int) -> np.ndarray[Any, Any]:
    """Returns a host array on this device: the array itself."""
    return array


def to_host(array: Any) -> np.ndarray[Any, Any]:
    """Returns an array on the host: the array itself."""
    return array


def copied(array: np.ndarray[Any, Any], ordinal: int) -> np.ndarray[Any, Any]:
    """Copies an array."""
    return array.copy()


def runner(function: Callable[..., Any], ordinal: int) -> Callable[..., Any]:
    """Returns a function that runs another one on this device: that function itself."""
    return function


def run(function: Callable[..., Any], ordinal: int, /, *args: Any, **options: Any) -> Any:
    """Calls a function on this device."""
    return function(*args, **options)


def synchronize(ordinal: int) -> None:
    """Waits for all pending work; there is none on the host."""


_peak = Peak()


def memory(ordinal: int) -> tuple[int, int] | None:
    """Returns the bytes in use by the process, and the sampled peak."""
    return _peak.now()


def forget_peak(ordinal: int) -> None:
    """Resets the peak."""
    _peak.forget()
