"""The short way of an op's inputs: eager tensors that need no conversion, and numbers beside them."""

from __future__ import annotations

import contextlib
import itertools
from typing import Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor, scalars
from twinflow._src.core.context import hosted, runtime, thread
from twinflow._src.core.devices import Device
from twinflow._src.core.dtypes import DType, int32, string
from twinflow._src.core.fork import around_forks
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.registry import Kind, Op, T

# Classes whose ``_array``, ``_device`` and ``dtype`` the short ways may read; variables join it.
FAST: set[type] = {EagerTensor}

# Sizes and axes that were given as numbers, with the type that these get, or as lists; nobody writes to them.
_made: dict[Any, tuple[Any, Device, DType]] = {}
for _kept in (_made, scalars):
    around_forks(child=_kept.clear)
_MOST_MADE = 4096
_LONGEST = 8
_INTS, _ROWS, _SIMPLE = {int}, {list, tuple}, {int, float, bool, str, bytes}
_NOT_PLAIN: Any = object()


def is_direct(op: Op) -> bool:
    """Whether the inputs of an op may go the short way: they have no types in common but T."""
    own = [kind.attr for kind in op.kinds if kind.attr not in ("T", "resource") and kind.only is None]
    return len(own) == len(set(own)) and len(op.lists) < 2 and not any(kind.mixed for kind in op.kinds)


def is_plain(op: Op) -> bool:
    """Whether an op takes nothing but tensors of the op's one type."""
    return bool(op.kinds) and all(kind is T for kind in op.kinds)


def ready(
    op: Op, values: list[Any], home: Device
) -> tuple[list[Any], list[Any], DType | None, bool] | None:
    """The tensors that an op's inputs are, their arrays, and their type, where that takes no conversion.

    Args:
        op: The op.
        values: One value for each tensor parameter.
        home: Where plain ops run.

    Returns:
        None where the general way is to be taken, which knows all rules; nothing was read then. Last, whether
        what the kernel takes on its device is there for sure.
    """
    if op.plain and home.kind in op.devices:
        found = _of_one_type(op, values, home)
        if found is not None:
            return found
    dtype, reads, loose, tensors, arrays = None, False, False, [], []
    for kind, value, optional in zip(op.kinds, values, op.optional):
        if kind is T and type(value) is EagerTensor and value._device is home:  # the usual case, quicker
            if dtype is None and value.dtype in op.dtypes:
                dtype = value.dtype
            elif value.dtype is not dtype:
                return None
            array = value._array
        elif kind.host and (kind.only is None or kind.only is int32) and _are_sizes(value):
            array, device, own = _sizes(kind, value)
            if kind.only is not None and own is not kind.only:
                return None
            value = EagerTensor(array, device, own)
            if dtype is None and kind.attr == "T":
                dtype, loose = own, True
        elif type(value) in FAST and (value._device is home or kind.host) and not kind.many:
            found = value.dtype
            if kind.attr == "T" and dtype is None and found in (kind.allowed or op.dtypes):
                dtype, loose = found, loose or kind.host
            elif not _fits(op, kind, value, dtype):
                return None
            reads = reads or (type(value) is not EagerTensor and kind.attr != "resource")
            array = _array(kind, value)
        elif kind.many:
            if type(value) not in (list, tuple):
                return None
            dtype, value = _common(op, kind, value, home, dtype), tuple(value)
            if dtype is None:
                return None
            array = [item._array for item in value]
        else:
            array = None
            if value is not None or not optional or not kind.host:
                value, loose = _plain(op, kind, value, dtype), loose or not kind.host
                if value is _NOT_PLAIN:
                    return None
                if dtype is None and kind.attr == "T":
                    dtype = value.dtype
                array = _array(kind, value)
        tensors.append(value)
        arrays.append(array)
    if dtype in op.variants or home.kind not in op.devices or (dtype is string and home.kind != "CPU"):
        return None
    if reads:
        tensors = [_read(kind, value) for kind, value in zip(op.kinds, tensors)]
        arrays = [_array(kind, tensor) for kind, tensor in zip(op.kinds, tensors)]
    return tensors, arrays, dtype, not loose and (dtype is not None or not all(kind.host for kind in op.kinds))


def _of_one_type(op: Op, values: list[Any], home: Device) -> Any:
    """See ``ready``: where all inputs are tensors of one type, the most frequent case."""
    dtype, reads = getattr(values[0], "dtype", None), False
    for value in values:
        if type(value) is not EagerTensor:
            if type(value) not in FAST:
                return None
            reads = True
        if value._device is not home or value.dtype is not dtype:
            return None
    if dtype not in op.dtypes or dtype in op.variants:
        return None
    if reads:
        values = [value if type(value) is EagerTensor else value._read() for value in values]
    return values, [value._array for value in values], dtype, True


def _read(kind: Kind, value: Any) -> Any:
    """What is read of a variable; another value as it is."""
    if type(value) is EagerTensor or type(value) not in FAST or kind.attr == "resource":
        return value
    return value._read()


def _array(kind: Kind, tensor: Any) -> Any:
    """What the kernel gets of an input that is on the home device."""
    if type(tensor) is EagerTensor:
        return tensor._host() if kind.host else tensor._array
    return [item._array for item in tensor] if kind.many else tensor


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
    if kind.attr != "T":
        return None
    for value in values:
        if type(value) is not EagerTensor or value._device is not home:
            return None
        dtype = dtype or value.dtype
        if value.dtype is not dtype:
            return None
    return dtype if dtype in (kind.allowed or op.dtypes) else None


def _plain(op: Op, kind: Kind, value: Any, dtype: DType | None) -> Any:
    """The tensor of a value that is none, where it becomes that in any case."""
    if kind.attr == "resource" or not _is_simple(value):
        return _NOT_PLAIN
    wanted, hint, allowed = kind.only, kind.default, kind.allowed or op.dtypes
    if type(value) in (list, tuple):  # which has its own type where that is allowed
        hint = None
    if kind.attr == "T" and dtype is not None:
        wanted, hint, allowed = None if op.hinted else dtype, dtype, frozenset((dtype,))
    elif kind.attr == "T" and not op.single:
        return _NOT_PLAIN
    try:
        tensor = (_on_host if kind.host else convert_to_tensor)(value, wanted, None if wanted else hint)
    except (TypeError, ValueError):
        return _NOT_PLAIN  # the general way says in which words
    return tensor if wanted is not None or tensor.dtype in allowed else _NOT_PLAIN


def _are_sizes(value: Any) -> bool:
    """Whether a value is an integer or a short list of integers."""
    if type(value) is int:
        return True
    return type(value) in (list, tuple) and 0 < len(value) <= _LONGEST and set(map(type, value)) == _INTS


def _is_simple(value: Any) -> bool:
    """Whether a value is a plain number or string, an array of numbers, or has rows of such values of one type."""
    if type(value) in _SIMPLE:
        return True
    if type(value) is np.ndarray:
        return value.dtype.kind in "biuf"
    if type(value) not in (list, tuple) or not value:
        return False
    types = set(map(type, value))
    if types <= _ROWS:
        types = set(map(type, itertools.chain.from_iterable(value)))
    return len(types) == 1 and types <= _SIMPLE


def _sizes(kind: Kind, value: Any) -> tuple[Any, Device, DType]:
    """What the tensor is made of that a kernel reads of an integer or a list of integers."""
    key: Any = (value, kind.default) if type(value) is int else tuple(value)
    parts = _made.get(key)
    if parts is None:
        tensor = _on_host(value, None, kind.default) if type(value) is int else _on_host(key, None, None)
        if len(_made) >= _MOST_MADE:
            _made.clear()
        parts = _made[key] = tensor._array, tensor._device, tensor.dtype
    return parts


def _on_host(value: Any, dtype: DType | None, hint: DType | None) -> EagerTensor:
    """A value as a tensor that kernels read on the host."""
    with on_host():
        return convert_to_tensor(value, dtype, hint)


def on_host() -> contextlib.AbstractContextManager[Any]:
    """A block in which numbers that a kernel reads become tensors of the host: there is no way to a device and back."""
    if runtime.default.kind == "CPU" or thread.scope.graph is not None:
        return contextlib.nullcontext()
    return hosted(thread.scope)


def vector(values: Any) -> EagerTensor:
    """Integers as a vector; a short list is made once where nothing surrounds the call.

    Args:
        values: A list of integers, or what else becomes such a vector.
    """
    if type(values) is not int and _are_sizes(values) and runtime.home is not None and thread.scope.eager:
        return EagerTensor(*_sizes(T, values))
    return convert_to_tensor(values)
