"""Placement of ops on devices other than the host, and kernel launches there."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

from twinflow._src.core.context import quiet, quietly, runtime
from twinflow._src.core.devices import Device
from twinflow._src.core.dtypes import DType, bfloat16, int32
from twinflow._src.dispatch.bfloat16 import has_short, run_rounded
from twinflow._src.dispatch.registry import Op


def able(op: Op, tensors: list[Any], attrs: dict[str, Any], device: Device) -> Device:
    """Returns the device, or the host if the device lacks the kernel or a dtype of the call.

    An op on int32 alone runs on the host while all of its inputs are there: such values are sizes,
    indices and counters, which Python soon reads. Dtypes among the attributes are those of results.
    """
    if device.remote:
        return device
    if device.kind not in op.devices:
        return runtime.host
    if _at_home(op, tensors, attrs, device):
        return device
    relevant = list(_tensors(op, tensors, False)) or list(_tensors(op, tensors, True))
    results = (
        [op.out] if isinstance(op.out, DType) else [] if op.out is None else _listed(attrs[op.out])
    )
    types = [*(tensor.dtype for tensor in relevant), *results]
    for dtype in (*types, *(value for value in attrs.values() if isinstance(value, DType))):
        if not device.backend.holds(dtype.np):
            return runtime.host
    draws = op.impure and all(kind.host for kind in op.kinds)  # random numbers may have any dtype
    small = relevant and not draws and all(dtype is int32 for dtype in types)
    return runtime.host if small and all(x._device.kind == "CPU" for x in relevant) else device


def _at_home(op: Op, tensors: list[Any], attrs: dict[str, Any], device: Device) -> bool:
    """True if all device inputs are on the device and it supports the results, the usual case."""
    has_tensor = False
    for kind, value in zip(op.kinds, tensors):
        if kind.host or value is None or kind.attr == "resource":
            continue
        for tensor in value if kind.many else (value,):
            if tensor._device is not device:
                return False
            has_tensor = True
    return has_tensor and has_supported_dtypes(op, attrs, device)


def has_supported_dtypes(op: Op, attrs: dict[str, Any], device: Device) -> bool:
    """True if a device supports the dtypes among an op's attributes and of its results."""
    for value in attrs.values() if op.has_dtype_attrs else ():
        if type(value) is DType and not device.backend.holds(value.np):
            return False
    out = op.out
    if type(out) is str:  # an attribute, already checked above
        return type(attrs[out]) is DType
    return out is None or (type(out) is DType and bool(device.backend.holds(out.np)))


def makes(device: Device, dtype: DType) -> bool:
    """True if an array may be created by a plain call of the array module of the device.

    int32 values are sizes and stay on the host.
    """
    is_native = dtype is not int32 and dtype is not bfloat16
    return device.kind == "CPU" or (
        is_native and device.backend.in_line() and bool(device.backend.holds(dtype.np))
    )


def _listed(value: Any) -> list[DType]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _tensors(op: Op, tensors: list[Any], host: bool) -> Iterator[Any]:
    """Yields the inputs that the kernel reads on the host (``host``), or those on its device."""
    for kind, value in zip(op.kinds, tensors):
        if kind.host is host and kind.attr != "resource" and value is not None:
            yield from value if kind.many else (value,)


def run_elsewhere(
    op: Op, device: Device, arrays: list[Any], attrs: dict[str, Any], dtype: DType | None
) -> Any:
    """Runs a kernel on a device other than the host, which holds its inputs.

    ``dtype`` is the dtype of T if known. Raises MemoryError if the allocation of a result failed.
    """
    if device.remote:
        return device.backend.run_op(op, arrays, attrs)
    launch = launch_of(op, device)
    short = (
        dtype is bfloat16
        or (op.has_dtype_attrs and has_short((), attrs))
        or (not op.dtype_is_decisive and has_short(arrays, attrs))
    )
    if short and not op.shape_only:
        kernel = functools.partial(quietly, launch, **attrs)
        return device.backend.run(run_rounded, device.ordinal, op, kernel, tuple(arrays), attrs)
    try:
        return quiet().run(launch, *arrays, **attrs)
    except MemoryError:
        pass  # the arrays of the failed call are released outside the handler
    return device.backend.run(quiet().run, device.ordinal, launch, *arrays, **attrs)


def launch_of(op: Op, device: Device) -> Callable[..., Any]:
    """Returns the launch function of an op's kernel on a device other than the host, cached."""
    launch = op.launches.get(device)
    if launch is not None:
        return launch
    if op.shape_only:
        launch = functools.partial(op.kernel, runtime.host.xp)
    else:
        kernel = functools.partial(device.xp.kernel_of(op), device.xp)
        launch = device.backend.bind_device(kernel, device.ordinal)
    op.launches[device] = launch
    return launch
