"""Device allocation and copies; MemoryError becomes ResourceExhaustedError."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from twinflow._src.core.devices import Device
from twinflow._src.core.dtypes import DType
from twinflow._src.core.errors import OpError, exhausted, invalid
from twinflow._src.core.shapes import Dims, text


def no_room(dims: Dims | None, dtype: str, device: str) -> OpError:
    """Returns the out-of-memory error for a tensor, or the error for an impossible size."""
    if math.prod(size or 0 for size in dims or ()) >= 2**63:
        return invalid(f"Shape {text(dims)} would have more than 2**63 - 1 elements")
    return exhausted(text(dims), dtype, device)


def allocate_on_device(
    device: Device, dims: Dims, dtype: DType, make: Callable[..., Any], *args: Any
) -> Any:
    """Returns the result of a function that allocates device memory; names the tensor if that fails.

    ``device.backend.run`` and the like free cached memory and retry.
    """
    try:
        return make(*args)
    except MemoryError as error:
        raise no_room(dims, dtype.cname, device.name) from error


def copy_to_device(array: Any, device: Device, dtype: DType) -> Any:
    """Copies a host array to a device; on the CPU it returns the array itself."""
    return allocate_on_device(
        device, array.shape, dtype, device.backend.from_host, array, device.ordinal
    )


def copied(array: Any, source: Device, device: Device, dtype: DType) -> Any:
    """Returns a new copy of an array on a device, which may be the one that it is on."""
    if source.backend is device.backend:
        return allocate_on_device(
            device, array.shape, dtype, device.backend.copied, array, device.ordinal
        )
    return copy_to_device(source.backend.to_host(array), device, dtype)


def repeats_one(array: Any) -> bool:
    """True if an array is a broadcast view of a single element (all strides are 0)."""
    return type(array) is np.ndarray and array.size > 1 and not any(array.strides)


def written_out(array: np.ndarray[Any, Any], dtype: DType, device: str) -> np.ndarray[Any, Any]:
    """Copies an array, possibly a view, to a contiguous array with memory for each element."""
    if array.nbytes > available():
        raise no_room(array.shape, dtype.cname, device)
    try:
        return np.array(array, order="C")
    except MemoryError as error:
        raise no_room(array.shape, dtype.cname, device) from error


def available() -> float:
    """Returns the available host memory in bytes; infinity if the system does not report it.

    Systems that overcommit memory would kill the process during a write.
    """
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return math.inf
    return next(
        (1024.0 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")),
        math.inf,
    )
