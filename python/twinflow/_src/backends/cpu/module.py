"""The host: NumPy."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from twinflow._src.backends.cpu.malloc import Peak

KIND = "CPU"


def array_module(ordinal: int = 0) -> ModuleType:
    """The module whose functions kernels call."""
    return np


def count() -> int:
    """The number of devices: the host is one."""
    return 1


def holds(dtype: np.dtype[Any]) -> bool:
    """Whether arrays of a type can be on this device: of any."""
    return True


def from_host(array: np.ndarray[Any, Any], ordinal: int) -> np.ndarray[Any, Any]:
    """The array on this device; the host's arrays are here already."""
    return array


def to_host(array: Any) -> np.ndarray[Any, Any]:
    """The array on the host."""
    return array


def copied(array: np.ndarray[Any, Any], ordinal: int) -> np.ndarray[Any, Any]:
    """A copy of an array."""
    return array.copy()


def runner(function: Callable[..., Any], ordinal: int) -> Callable[..., Any]:
    """A function that runs another one on this device: that one."""
    return function


def run(function: Callable[..., Any], ordinal: int, /, *args: Any, **options: Any) -> Any:
    """Calls a function on this device."""
    return function(*args, **options)


def synchronize(ordinal: int) -> None:
    """Waits until all is done that was asked for: it is."""


_peak = Peak()


def memory(ordinal: int) -> tuple[int, int] | None:
    """The bytes of memory that the process uses, and the most that it held when somebody asked."""
    return _peak.now()


def forget_peak(ordinal: int) -> None:
    """Counts the most that was held from now on."""
    _peak.forget()
