"""The short way of an op's inputs: eager tensors that need no conversion, and numbers beside them."""

from __future__ import annotations

from typing import Any

from .constant import CACHED_TYPES, convert_to_tensor
from .devices import Device
from .dtypes import DType, string
from .schema import Kind, Op
from .tensor import EagerTensor

# Classes whose ``_array``, ``_device`` and ``dtype`` the short ways may read; variables join it.
FAST: set[type] = {EagerTensor}

# Sizes and axes that were given as lists; nobody writes to them.
_lists: dict[tuple[int, ...], tuple[Any, Device, DType]] = {}
_MOST_LISTS = 4096
_LONGEST = 8


def is_direct(op: Op) -> bool:
    """Whether the inputs of an op may go the short way: they have no types in common but T."""
    own = [kind.attr for kind in op.kinds if kind.attr not in ("T", "resource") and kind.only is None]
    return len(own) == len(set(own)) and len(op.lists) < 2 and not any(kind.mixed for kind in op.kinds)


def ready(op: Op, values: list[Any], home: Device) -> tuple[list[Any], DType | None] | None:
    """The tensors that an op's inputs are, and their type, where that takes no conversion.

    Args:
        op: The op.
        values: One value for each tensor parameter.
        home: Where plain ops run.

    Returns:
        None where the general way is to be taken, which knows all rules; nothing was read then.
    """
    dtype = None
    for kind, value in zip(op.kinds, values):
        if type(value) in FAST and value._device is home and not kind.many:
            found = value.dtype
            if kind.attr == "T" and dtype is None and found in (kind.allowed or op.dtypes):
                dtype = found
            elif not _fits(op, kind, value, dtype):
                return None
        elif kind.many:
            dtype = _common(op, kind, value, home, dtype)
            if dtype is None:
                return None
        elif not _is_plain(op, kind, value, dtype):
            return None
    if dtype in op.variants or home.kind not in op.devices or (dtype is string and home.kind != "CPU"):
        return None
    return [_tensor(kind, value, dtype) for kind, value in zip(op.kinds, values)], dtype


def _fits(op: Op, kind: Kind, value: Any, dtype: DType | None) -> bool:
    """Whether a tensor has the type that its parameter wants, after a first one had ``dtype``."""
    found = value.dtype
    if kind.attr == "T":
        return found is dtype
    if kind.attr == "resource":
        return type(value) is not EagerTensor and found in op.dtypes
    return found is kind.only if kind.only else kind.allowed is not None and found in kind.allowed


def _common(op: Op, kind: Kind, values: Any, home: Device, dtype: DType | None) -> DType | None:
    """The type of all tensors of a list, after a first one had ``dtype``; None where there is none."""
    if kind.attr != "T" or type(values) not in (list, tuple):
        return None
    for value in values:
        if type(value) is not EagerTensor or value._device is not home:
            return None
        dtype = dtype or value.dtype
        if value.dtype is not dtype:
            return None
    return dtype if dtype in (kind.allowed or op.dtypes) else None


def _is_plain(op: Op, kind: Kind, value: Any, dtype: DType | None) -> bool:
    """Whether a value beside tensors becomes what it would become in any case."""
    if kind.host and kind.only is None:
        if type(value) in (list, tuple):
            return 0 < len(value) <= _LONGEST and all(type(item) is int for item in value)
        if value is None:
            return all(param.default is None for param in op.tensors if param.kind is kind)
        return type(value) is int
    return kind.attr == "T" and dtype is not None and type(value) in CACHED_TYPES and not op.hinted


def _tensor(kind: Kind, value: Any, dtype: DType | None) -> Any:
    if type(value) is EagerTensor or value is None or kind.attr == "resource":
        return value
    if type(value) in FAST:
        return value._read()
    if kind.many:
        return tuple(value)
    if kind.host:
        return _sizes(kind, value)
    return convert_to_tensor(value, dtype=dtype)


def _sizes(kind: Kind, value: Any) -> EagerTensor:
    """An integer or a list of integers as the tensor that a kernel reads."""
    if type(value) is int:
        return convert_to_tensor(value, dtype_hint=kind.default)
    key = tuple(value)
    parts = _lists.get(key)
    if parts is None:
        tensor = convert_to_tensor(value)
        if len(_lists) >= _MOST_LISTS:
            _lists.clear()
        parts = _lists[key] = tensor._array, tensor._device, tensor.dtype
    return EagerTensor(*parts)
