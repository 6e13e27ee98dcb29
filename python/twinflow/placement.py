"""What can run on a device other than the host, and how it is run there."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from .context import quietly, runtime
from .devices import Device
from .dtypes import DType, int32
from .rounding import run_rounded
from .schema import Op


def able(op: Op, tensors: list[Any], attrs: dict[str, Any], device: Device) -> Device:
    """The device, or the host where the device has no kernel, or cannot hold what goes in or comes out.

    An op on int32 alone runs on the host while all of its inputs are there: such numbers are the sizes, places
    and counters of a program, and Python soon asks for them.

    Args:
        op: The op.
        tensors: Its inputs.
        attrs: Its attributes; those that are dtypes tell what comes out.
        device: A device that is not the host.
    """
    if device.remote:
        return device
    if device.kind not in op.devices:
        return runtime.host
    own = list(_tensors(op, tensors, False)) or list(_tensors(op, tensors, True))
    results = [op.out] if isinstance(op.out, DType) else [] if op.out is None else _listed(attrs[op.out])
    types = [*(tensor.dtype for tensor in own), *results]
    for dtype in (*types, *(value for value in attrs.values() if isinstance(value, DType))):
        if not device.backend.holds(dtype.np):
            return runtime.host
    small = own and all(dtype is int32 for dtype in types)
    return runtime.host if small and all(x._device.kind == "CPU" for x in own) else device


def _listed(value: Any) -> list[DType]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _tensors(op: Op, tensors: list[Any], host: bool) -> Iterator[Any]:
    """The inputs that the kernel takes on the host, or those that it takes on its device."""
    for kind, value in zip(op.kinds, tensors):
        if kind.host is host and kind.attr != "resource" and value is not None:
            yield from value if kind.many else (value,)


def run_elsewhere(op: Op, device: Device, arrays: list[Any], attrs: dict[str, Any]) -> Any:
    """Runs a kernel on a device that is not the host.

    Args:
        op: The op.
        device: The device.
        arrays: Its inputs, there.
        attrs: Its attributes.

    Raises:
        MemoryError: There is no room for the results.
    """
    if device.remote:
        return device.backend.run_op(op, arrays, attrs)
    xp = runtime.host.xp if op.sizes else device.xp
    kernel = functools.partial(quietly, op.kernel, xp, **attrs)
    return device.backend.run(lambda: run_rounded(op, kernel, tuple(arrays), attrs), device.ordinal)
