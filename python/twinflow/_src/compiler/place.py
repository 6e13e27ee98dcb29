"""Placement of program instructions on several devices: transfers of arrays before a kernel runs.

The device of an array is read from the array, so nothing needs to be known about earlier
instructions. On machines with the host alone, instructions do not check it.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from twinflow._src.compiler.fold import is_of_sizes
from twinflow._src.compiler.fuse_elementwise import Chain
from twinflow._src.core.context import runtime
from twinflow._src.core.devices import REMOTE_ARRAYS, Device
from twinflow._src.core.dtypes import variant
from twinflow._src.dispatch.bfloat16 import has_short, run_rounded
from twinflow._src.dispatch.registry import Kind, Op
from twinflow._src.variables.variable import BaseResourceVariable

if TYPE_CHECKING:
    from twinflow._src.compiler.lower import Step
    from twinflow._src.graph.symbolic import Operation

_PLAIN = Kind()


def elsewhere() -> bool:
    """True if there are devices other than the host."""
    return any(device.kind != "CPU" for device in runtime.devices)


def holder(array: Any, expected: Device | None = None) -> Device:
    """Returns the device that holds an array; lists of arrays count as host arrays.

    ``expected`` is the logical device to prefer among those that share the memory of the array.
    """
    if type(array) in REMOTE_ARRAYS:
        return array.device
    # on the instance, the property would create the interface dict
    if not hasattr(type(array), "__cuda_array_interface__"):
        return expected if expected is not None and expected.kind == "CPU" else runtime.host
    for device in runtime.devices if expected is None else (expected, *runtime.devices):
        if device.kind != "CPU" and device.ordinal == device.backend.ordinal_of(array):
            return device
    raise RuntimeError("an array lies on a device that the program does not use")


def transfer_array(array: Any, device: Device, kind: Kind = _PLAIN) -> Any:
    """Transfers an array to a kernel's device, or to the host for parameters of a host ``kind``.

    An array may be a list of arrays, or a variable, which is not transferred.
    """
    if isinstance(array, list) and kind.many:
        return [transfer_array(item, device) for item in array]
    source = holder(array, device)
    target = runtime.host if kind.host else device
    if source is target or not (source.kind != "CPU" or isinstance(array, np.ndarray)):
        return array
    if source.remote or target.remote:
        array = source.backend.to_host(array)
        return target.backend.from_host(array, target.ordinal) if target.kind != "CPU" else array
    if source.kind != "CPU" and target.kind != "CPU":
        return target.backend.copied(array, target.ordinal)
    if target.kind == "CPU":
        return source.backend.to_host(array)
    return (
        target.backend.from_host(array, target.ordinal)
        if target.backend.holds(array.dtype)
        else array
    )


def able_of(node: Operation, device: Device) -> Device:
    """Returns the device, or the host if the device lacks the kernel or a dtype of an operation."""
    if device.kind == "CPU" or _is_free(node.definition, node):
        return device
    if device.remote:
        return device
    types = [
        tensor.dtype for tensor in (*node.tensors, *node.outputs) if tensor.dtype is not variant
    ]
    is_supported = all(device.backend.holds(dtype.np) for dtype in types)
    return device if is_supported and device.kind in node.definition.devices else runtime.host


def _is_free(op: Op, node: Operation) -> bool:
    """True if an operation passes its arrays on wherever they are: branches, loops, sizes."""
    if op.expand is not None:
        return True
    is_graph_op = op.infer is not None and "GPU" in op.devices
    return is_graph_op and not any(isinstance(x, BaseResourceVariable) for x in node.arguments)


def located(step: Step, run: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps an instruction so that its arrays are transferred to its device before ``run``."""
    op, device = step.node.definition, step.device
    if device.remote and not _is_free(op, step.node):
        return lambda *arrays: device.backend.run_op(op, arrays, step.attrs)
    if device.remote and op.expand is None:
        return lambda *arrays: run(*(transfer_array(array, runtime.host) for array in arrays))
    if _is_free(op, step.node) and not isinstance(step.kernel, Chain):
        return run
    if op.shape_only:
        return lambda *arrays: step.kernel(runtime.host.xp, *arrays, **step.attrs)
    kinds = op.kinds if not isinstance(step.kernel, Chain) else [_PLAIN] * len(step.reads)
    run = getattr(run, "plain", run)
    alone = device.kind == "CPU" or device.backend.count() == 1
    _, stream, ours = (
        device.backend.load_stream_getters()
        if alone and device.kind != "CPU"
        else (None, None, None)
    )
    seen: set[tuple[type, ...]] = (
        set()
    )  # array types that needed no transfer and no bfloat16 handling
    small = device.kind != "CPU" and not isinstance(step.kernel, Chain) and is_of_sizes(step.node)

    def run_with_transfers(*arrays: Any) -> Any:
        if seen and tuple(map(type, arrays)) in seen and (stream is None or stream() is ours):
            try:
                return run(*arrays)
            except MemoryError:
                pass  # the slow path frees cached memory first
        if small and all(holder(x).kind == "CPU" for x in _flat(arrays)):
            return step.kernel(runtime.host.xp, *arrays, **step.attrs)
        transferred = [transfer_array(array, device, kind) for array, kind in zip(arrays, kinds)]
        if alone and _stay(arrays, transferred) and not has_short(transferred, step.attrs):
            seen.add(tuple(map(type, arrays)))
        if device.kind == "CPU":
            return device.backend.run(lambda: run(*transferred), device.ordinal)
        return device.backend.run(
            lambda: run_rounded(op, run, tuple(transferred), step.attrs), device.ordinal
        )

    return run_with_transfers


def sent_once(steps: Iterable[Step], slots: set[int]) -> list[tuple[int, Device]]:
    """Returns the slots that several kernels of one GPU read, and that GPU.

    ``slots`` are those that may be transferred before the instructions run, if they hold host
    arrays.
    """
    takers: dict[int, list[Device]] = {}
    for step in steps:
        if _is_free(step.node.definition, step.node) and not isinstance(step.kernel, Chain):
            continue
        kinds = (
            itertools.repeat(_PLAIN)
            if isinstance(step.kernel, Chain)
            else step.node.definition.kinds
        )
        for slot, kind in zip(step.reads, kinds):
            if slot in slots and not kind.host:
                takers.setdefault(slot, []).append(step.device)
    return [
        (slot, devices[0])
        for slot, devices in takers.items()
        if len(devices) > 1 == len(set(devices)) and devices[0].kind == "GPU"
    ]


def try_transfer(array: np.ndarray[Any, Any], device: Device) -> Any:
    """Transfers a host array to a GPU; returns it as is for int32 or if out of memory.

    If out of memory, the instruction that reads it raises the error.
    """
    if array.dtype == np.int32 or device.remote:
        return array
    try:
        return transfer_array(array, device)
    except MemoryError:
        return array


def _stay(arrays: tuple[Any, ...], transferred: list[Any]) -> bool:
    """True if no array was transferred, and arrays of these types will not need a transfer."""
    return list not in map(type, transferred) and all(map(operator.is_, arrays, transferred))


def _flat(arrays: tuple[Any, ...]) -> list[Any]:
    return [item for x in arrays for item in (x if isinstance(x, list) else (x,))]
