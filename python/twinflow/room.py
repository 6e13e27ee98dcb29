"""Memory of devices: what is made or copied there, or the error that says for what there was no room."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .devices import Device
from .dtypes import DType
from .errors import OpError, exhausted, invalid
from .shapes import Dims, text


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
