"""Dispatch of an op that is not cached: conversion, placement, log, kernel, wrapping, observers."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.backends.cpu import elementwise
from twinflow._src.backends.cpu.elementwise import is_large
from twinflow._src.core import errors
from twinflow._src.core.context import Scope, quiet, runtime, thread
from twinflow._src.core.devices import Device, assert_type, no_room
from twinflow._src.core.dtypes import FROM_NUMPY, DType
from twinflow._src.core.tensor import EagerTensor, Tensor, transfer_tensor
from twinflow._src.dispatch.inputs import converted
from twinflow._src.dispatch.placement import able, run_elsewhere
from twinflow._src.dispatch.registry import Kind, Op
from twinflow._src.dispatch.signature_errors import FAILURES, fall_back

# Handlers of composite inputs (ragged, sparse) by type: functions of op, inputs and attributes that
# return NotImplemented to fall through to the usual path.
COMPOSITES: dict[type, Callable[[Op, list[Any], dict[str, Any]], Any]] = {}


def execute(op: Op, inputs: list[Any], attrs: dict[str, Any]) -> Any:
    """Runs an op on one value for each tensor parameter, through the dispatch cache if there is one."""
    if op.cached is not None and runtime.home is not None and thread.scope.eager:
        return op.cached(*inputs, **attrs)
    return dispatch(op, inputs, attrs)


def dispatch(op: Op, inputs: list[Any], attrs: dict[str, Any]) -> Any:
    """Runs an op in any context: converts, places, logs, runs the kernel, notifies observers."""
    for kind, value in zip(op.kinds, inputs):
        for item in value if kind.many and type(value) in (list, tuple) else (value,):
            if type(item) in COMPOSITES:
                result = COMPOSITES[type(item)](op, inputs, attrs)
                if result is not NotImplemented:
                    return result
    scope = thread.scope
    try:
        if scope.graph is not None:
            return scope.graph.call(op, inputs, attrs)
        attrs.pop("name", None)
        op, tensors, dtype = converted(op, inputs)
    except FAILURES:
        result = fall_back(op.public, inputs, attrs) if op.api else NotImplemented
        if result is NotImplemented:
            raise
        return result
    device = place(op, tensors, attrs, scope)
    arrays = [array_on(device, kind, tensor) for kind, tensor in zip(op.kinds, tensors)]
    if runtime.log_placement:
        runtime.log(op.type, device)
    return _run(op, tensors, arrays, dtype, attrs, device, scope)


def _run(
    op: Op,
    tensors: list[Any],
    arrays: list[Any],
    dtype: DType | None,
    attrs: dict[str, Any],
    device: Device,
    scope: Scope,
) -> Any:
    """Runs an op on tensors of the right dtypes whose arrays are on the device of the op."""
    try:
        if device.kind == "CPU":
            result = None
            if op.blocked and (is_large(arrays[0]) or is_large(arrays[-1])):
                result = quiet().run(elementwise.run, op, arrays, attrs)
            if result is None:
                result = quiet().run(op.kernel, device.xp, *arrays, **attrs)
        else:
            result = run_elsewhere(op, device, arrays, attrs, dtype)
    except (ValueError, TypeError, IndexError, MemoryError) as error:
        raise explained(op, tensors, attrs, dtype, device, error) from None
    if op.out is not None:
        dtype = op.out if isinstance(op.out, DType) else attrs[op.out]
    array_type = getattr(device.xp, "ndarray", None)  # remote devices have no array module
    if type(result) is array_type and dtype is not None and result.dtype is dtype.np:
        outputs = EagerTensor(result, device, dtype)
    else:
        outputs = wrapped(result, device, dtype)
    if scope.observers:
        observed(scope, op, tuple(tensors), attrs, own(outputs))
    return outputs


def own(outputs: Any) -> Any:
    """Returns the outputs to record: callers may change a list of theirs."""
    return list(outputs) if type(outputs) is list else outputs


def observed(
    scope: Scope, op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], outputs: Any
) -> None:
    """Notifies the observers of an op that ran."""
    for observer in scope.observers:
        observer.record(op, inputs, attrs, outputs)


def place(op: Op, tensors: list[Any], attrs: dict[str, Any], scope: Scope) -> Device:
    """Returns the device that runs an op.

    Ops on state run on the device of the state; others on the device of the scope, or on the
    default device. An op or dtype that this kind of device does not support falls back to the host.
    Without soft placement it is an error if the scope requests that kind of device.
    """
    if op.impure and tensors and op.kinds[0].attr == "resource":
        return tensors[0]._device
    try:
        device = runtime.place(scope.device)
    except errors.InvalidArgumentError as error:
        raise errors.invalid(f"{error.message} [Op:{op.type}] name: ") from None
    if device.kind == "CPU":
        return device
    if scope.device is not None and not runtime.soft_placement and not device.remote:
        assert_type(scope.device, device, op.devices, runtime.devices)
    return able(op, tensors, attrs, device)


def array_on(device: Device, kind: Any, tensor: Any) -> Any:
    """Returns the array that a kernel on a device gets for an input: on the host where it asks so."""
    if kind.attr == "resource" or tensor is None:
        return tensor
    if kind.many:
        return [transfer_tensor(item, device)._array for item in tensor]
    return tensor._host() if kind.host else transfer_tensor(tensor, device)._array


def wrapped(result: Any, device: Device, dtype: DType | None) -> Any:
    """Wraps a kernel's results in tensors; NumPy scalars become arrays of rank 0."""
    if isinstance(result, np.generic) and dtype is not None and device.kind == "CPU":
        array = np.asarray(result)  # of rank 0, the most frequent case
        if array.dtype is dtype.np:
            return EagerTensor(array, device, dtype)
    if device.kind != "CPU" and isinstance(result, (np.ndarray, np.generic, bytes)):
        device = runtime.host  # e.g. sizes, which a kernel knows without a synchronization
    if isinstance(result, (list, tuple)):
        types = dtype if isinstance(dtype, tuple) else itertools.repeat(dtype)
        array_type = getattr(device.xp, "ndarray", None)  # remote devices have no array module
        return [
            EagerTensor(item, device, each)
            if type(item) is array_type and each is not None and item.dtype is each.np
            else wrapped(item, device, each)
            for item, each in zip(result, types)
        ]
    if isinstance(result, Tensor) or result is None:
        return result
    if isinstance(result, (np.generic, bytes)):
        result = device.xp.asarray(result, dtype=object if isinstance(result, bytes) else None)
    array_dtype = result.dtype
    if dtype is None or array_dtype is not dtype.np:
        dtype = dtype if dtype is not None and array_dtype == dtype.np else FROM_NUMPY[array_dtype]
    return EagerTensor(result, device, dtype)


# Parts of NumPy's messages for sizes that exceed any memory.
_TOO_LARGE = ("too big", "too large", "Maximum allowed")


def explained(
    op: Op, tensors: list[Any], attrs: dict[str, Any], dtype: Any, device: Device, error: Exception
) -> Exception:
    """Returns TensorFlow's error for a failed kernel, from the shape rule or out of memory."""
    large = isinstance(error, MemoryError) or any(words in str(error) for words in _TOO_LARGE)
    try:
        shape = op.shape(*map(_get_rule_argument, op.kinds, tensors), **attrs)
    except errors.OpError as known:
        if not large:
            return known
        shape = getattr(error, "shape", None)  # the shape of the failed allocation
    if shape and isinstance(shape[0], (tuple, list)):  # of several results the first
        shape = shape[0]
    if op.out is not None:
        dtype = op.out if isinstance(op.out, DType) else attrs[op.out]
    if large:
        # An update has no result: NumPy's error holds the shape and dtype of the failed allocation.
        error_dtype: Any = getattr(error, "dtype", None)
        shape, dtype = shape or getattr(error, "shape", None), dtype or FROM_NUMPY.get(error_dtype)
        return no_room(shape, getattr(dtype, "cname", "unknown"), device.name)
    if isinstance(error, (ValueError, IndexError)):
        return errors.invalid(f"{error} [Op:{op.type}]")
    return error


def _get_rule_argument(kind: Kind, tensor: Any) -> Any:
    """Returns a shape rule's argument: the value of a host parameter, else the dims."""
    if isinstance(tensor, tuple):
        return tuple(_get_rule_argument(kind, item) for item in tensor)
    if tensor is None:
        return None
    return tensor._host() if kind.host else tensor.shape._dims
