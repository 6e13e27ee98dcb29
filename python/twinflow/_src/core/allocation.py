"""Memory of devices: what is made or copied there, or the error that says for what there was no room."""

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
    """The error for a tensor that memory has no room for, or that none can have room for.

    Args:
        dims: Its sizes, where they are known.
        dtype: The name of its type.
        device: The name of the device whose memory is meant.
    """
    if math.prod(size or 0 for size in dims or ()) >= 2**63:
        return invalid(f"Shape {text(dims)} would have more than 2**63 - 1 elements")
    return exhausted(text(dims), dtype, device)


def made(device: Device, dims: Dims, dtype: DType, make: Callable[..., Any], *args: Any) -> Any:
    """What a function gives that takes memory of a device.

    Args:
        device: The device.
        dims: The sizes of the array.
        dtype: Its type.
        make: The function; ``device.backend.run`` and its like give memory back and try again.
        *args: What it is given.

    Raises:
        ResourceExhaustedError: There is no room.
        InvalidArgumentError: Nor can there be.
    """
    try:
        return make(*args)
    except MemoryError as error:
        raise no_room(dims, dtype.cname, device.name) from error


def sent(array: Any, device: Device, dtype: DType) -> Any:
    """An array of the host on a device: the same one where that is a CPU."""
    return made(device, array.shape, dtype, device.backend.from_host, array, device.ordinal)


def copied(array: Any, source: Device, device: Device, dtype: DType) -> Any:
    """A copy of an array on a device, which nobody else has.

    Args:
        array: The array.
        source: The device that holds it.
        device: The device, which may be the same one.
        dtype: The type of its elements, which the device holds.
    """
    if source.backend is device.backend:
        return made(device, array.shape, dtype, device.backend.copied, array, device.ordinal)
    return sent(source.backend.to_host(array), device, dtype)


def repeats_one(array: Any) -> bool:
    """Whether an array is a view that shows one value at many places."""
    return type(array) is np.ndarray and array.size > 1 and not any(array.strides)


def written_out(array: np.ndarray[Any, Any], dtype: DType, device: str) -> np.ndarray[Any, Any]:
    """A copy of an array that has memory for each element.

    Args:
        array: The array, which may be a view.
        dtype: The type of its elements.
        device: The name of the host.

    Raises:
        ResourceExhaustedError: There is no room.
        InvalidArgumentError: Nor can there be.
    """
    if array.nbytes > available():
        raise no_room(array.shape, dtype.cname, device)
    try:
        return np.array(array, order="C")
    except MemoryError as error:
        raise no_room(array.shape, dtype.cname, device) from error


def available() -> float:
    """The bytes of the host that programs can still have; infinite where the system does not tell.

    Systems that promise more memory than there is would end the program in the course of a write.
    """
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return math.inf
    return next(
        (1024.0 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")),
        math.inf,
    )
