"""What can run on a device other than the host, and how it is run there."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from .context import quiet, quietly, runtime
from .devices import Device
from .dtypes import DType, int32
from .rounding import has_short, run_rounded
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
    if _at_home(op, tensors, attrs, device):
        return device
    own = list(_tensors(op, tensors, False)) or list(_tensors(op, tensors, True))
    results = [op.out] if isinstance(op.out, DType) else [] if op.out is None else _listed(attrs[op.out])
    types = [*(tensor.dtype for tensor in own), *results]
    for dtype in (*types, *(value for value in attrs.values() if isinstance(value, DType))):
        if not device.backend.holds(dtype.np):
            return runtime.host
    small = own and all(dtype is int32 for dtype in types)
    return runtime.host if small and all(x._device.kind == "CPU" for x in own) else device


def _at_home(op: Op, tensors: list[Any], attrs: dict[str, Any], device: Device) -> bool:
    """Whether all inputs that the kernel takes there are on the device, which holds the results: the usual case."""
    holds, found = device.backend.holds, False
    for kind, value in zip(op.kinds, tensors):
        if kind.host or value is None or kind.attr == "resource":
            continue
        for tensor in value if kind.many else (value,):
            if tensor._device is not device:
                return False
            found = True
    for value in attrs.values():
        if type(value) is DType and not holds(value.np):
            return False
    out = attrs[op.out] if type(op.out) is str else op.out
    return found and (out is None or (type(out) is DType and holds(out.np)))


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
    if op.sizes:
        return quietly(op.kernel, runtime.host.xp, *arrays, **attrs)
    kernel = device.xp.kernel_of(op.type, op.kernel)
    if not has_short(arrays, attrs):
        return device.backend.run(quiet().run, device.ordinal, kernel, device.xp, *arrays, **attrs)
    kernel = functools.partial(quietly, kernel, device.xp, **attrs)
    return device.backend.run(run_rounded, device.ordinal, op, kernel, tuple(arrays), attrs)
