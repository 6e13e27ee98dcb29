"""Conversion of an op's inputs to tensors, with a fast path for inputs that need none.

``converted`` applies all of TensorFlow's conversion rules. ``ready`` is the fast path: eager
tensors of matching dtypes, and numbers beside them.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor, is_tensor, scalars
from twinflow._src.core import errors
from twinflow._src.core.context import entered, hosted, runtime, thread
from twinflow._src.core.devices import Device
from twinflow._src.core.dtypes import DType, as_dtype, int32, string
from twinflow._src.core.fork import around_forks
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch import opdefs
from twinflow._src.dispatch.attributes import python_name
from twinflow._src.dispatch.registry import OPS, Kind, Op, Param, T
from twinflow._src.graph.signatures import input_name

# Slow path: conversion to tensors of the dtypes that the op takes.


def converted(
    op: Op, values: list[Any], check: Callable[..., None] | None = None
) -> tuple[Op, list[Any], DType | None]:
    """Converts an op's inputs to tensors; inputs that share a type attribute get the same dtype.

    Args:
        op: The op.
        values: One value for each tensor parameter.
        check: Raises if an input has a dtype that it cannot have; None means the check of eager
            calls.

    Returns:
        The op or its variant for the dtype, the tensors, and the dtype of the type attribute "T".
    """
    if runtime.log_placement:
        _log_absent(op, values)
    _check_lists(op, values)
    strict = thread.scope.graph is not None or not any(
        map(_is_slow, op.tensors[op.converts :], values[op.converts :])
    )
    known = _known_types(op, values, strict)
    settled = () if strict else _find_fixed_attrs(op, values)
    tensors = list(values)
    for position in range(len(values)) if strict else _slow_order(op):
        kind, value = op.kinds[position], values[position]
        if type(value) is not EagerTensor or value.dtype is not known.get(kind.attr):
            tensors[position] = _fit(
                op, position, kind, value, known, strict or kind.attr in settled
            )
        if (
            check is not None and not op.variants
        ):  # a graph checks an input before it converts the next one
            check(op, position, kind, tensors[position], known)
    for i in op.lists:
        kind = op.kinds[i]
        if tensors[i] or kind.only is not None:
            continue
        error = (
            opdefs.empty_type_list(op.type, kind.attr)
            if kind.mixed
            else opdefs.empty_list(op.type, i)
        )
        if error is not None:
            raise error
    dtype = known.get("T")
    if check is not None and not op.variants:
        return op, tensors, dtype
    if op.variants and dtype in op.variants:
        op = OPS[op.variants[dtype]]
    for position, (kind, tensor) in enumerate(zip(op.kinds, tensors)):
        (check or _check_type)(op, position, kind, tensor, known)
    return op, tensors, dtype


def _check_lists(op: Op, values: list[Any]) -> None:
    """Raises an error if a list input is no list, or if paired lists differ in length."""
    for i in op.lists:
        if not isinstance(values[i], (list, tuple)):
            raise TypeError(
                f"Expected list for '{op.params[i].name}' argument to '{python_name(op.type)}' Op, not "
                f"{values[i]!r}."
            )
    for i, j in zip(op.lists, op.lists[1:]):
        counts = opdefs.counts(op.type)
        if counts.get(i) and counts.get(i) == counts.get(j) and len(values[i]) != len(values[j]):
            raise ValueError(
                f"List argument '{op.params[j].name}' to '{python_name(op.type)}' Op with length "
                f"{len(values[j])} must match length {len(values[i])} of argument '{op.params[i].name}'."
            )


# Types that TensorFlow's fast path takes besides tensors and variables. If any input has another
# type, all take its slow path: there the first input determines the dtype (tensors before
# variables), and a tensor of another dtype fails as a conversion.
_QUICK = (int, float, np.ndarray)


def _find_fixed_attrs(op: Op, values: list[Any]) -> set[str]:
    """Returns the type attributes whose inputs are all tensors, which keep their dtypes."""
    own = [(kind.attr, value) for kind, value in zip(op.kinds, values) if kind.only is None]
    loose = {
        attr
        for attr, value in own
        if not all(
            type(x) is EagerTensor for x in (value if type(value) in (list, tuple) else (value,))
        )
    }
    return {attr for attr, _ in own} - loose


def _slow_order(op: Op) -> list[int]:
    """Returns the order of conversion on the slow path: inputs of a fixed dtype come last."""
    return sorted(range(len(op.kinds)), key=lambda i: op.kinds[i].only is not None)


def _is_slow(param: Param, value: Any) -> bool:
    if type(value) is EagerTensor or (value is None and param.default is None):
        return False
    many = param.kind is not None and param.kind.many and isinstance(value, (list, tuple))
    return not all(isinstance(x, _QUICK) or is_tensor(x) for x in (value if many else (value,)))


def _log_absent(op: Op, values: list[Any]) -> None:
    """Logs the placement of omitted axes.

    TensorFlow makes them a vector constant before it reads variables.
    """
    for kind, value in zip(op.kinds, values):
        if value is None and kind.host:
            runtime.log("_EagerConst", runtime.place(thread.scope.device))


def _known_types(op: Op, values: list[Any], strict: bool) -> dict[str, DType]:
    """Returns the dtypes that tensors among the values determine; the first tensor wins.

    A graph converts its inputs in order: only within a list does a tensor determine the dtype of
    earlier values.
    """
    known: dict[str, DType] = {}
    told: set[str] = set()  # by the value of an earlier input
    graph = thread.scope.graph is not None
    for kind, value in zip(op.kinds, values):
        if (
            kind.only is None
            and kind.attr not in known
            and kind.attr not in told
            and not kind.mixed
        ):
            if type(value) is EagerTensor:
                known[kind.attr] = value.dtype
            else:
                items = value if kind.many and isinstance(value, (list, tuple)) else (value,)
                first = next(filter(is_tensor, items), None)
                if first is not None and (strict or op.hinted or type(first) is EagerTensor):
                    known[kind.attr] = as_dtype(first.dtype).base_dtype
            if graph:
                told.add(kind.attr)
        if op.hinted:
            break
    return known


def _fit(
    op: Op, position: int, kind: Kind, value: Any, known: dict[str, DType], strict: bool
) -> Any:
    if kind.attr == "resource" or (value is None and op.tensors[position].default is None):
        return value
    if kind.mixed:
        return tuple(convert_to_tensor(item, name=_input_name(op, position)) for item in value)
    if kind.many:
        name = _input_name(op, position)
        names = [name and f"{name}_{i}" for i in range(len(value))]
        return tuple(
            _fit_one(op, i, kind, item, known, strict, names[i]) for i, item in enumerate(value)
        )
    if (
        kind.host
        and not is_tensor(value)
        and thread.scope.graph is None
        and runtime.default.kind != "CPU"
    ):
        # the kernel reads the value on the host
        with entered(thread.scope.but(device=runtime.host.name)):
            return _fit_one(op, position, kind, value, known, strict, None)
    return _fit_one(op, position, kind, value, known, strict, _input_name(op, position))


def _fit_one(
    op: Op,
    position: int,
    kind: Kind,
    value: Any,
    known: dict[str, DType],
    strict: bool,
    name: str | None,
) -> EagerTensor:
    expected = kind.only or known.get(kind.attr)
    if is_tensor(value):
        wanted = None if strict or (op.hinted and position) else expected
        tensor = convert_to_tensor(value, dtype=wanted)
    elif expected is not None and not (op.hinted and position):
        tensor = _of_type(op, value, expected, name)
    else:
        try:
            tensor = _unknown(kind, value, expected, strict, name)
        except ValueError as error:
            raise error if name is None or op.hinted else _failed(name, error) from error
        eager = thread.scope.graph is None
        if (
            kind.default is not None
            and strict
            and eager
            and tensor.dtype not in (kind.allowed or ())
        ):
            raise TypeError(
                f"Cannot convert {value!r} to EagerTensor of dtype {kind.default.cname}"
            )
    known.setdefault(kind.attr, tensor.dtype)
    return tensor


def _of_type(op: Op, value: Any, dtype: DType, name: str | None) -> Any:
    if name is None:
        return convert_to_tensor(value, dtype=dtype)
    try:
        return convert_to_tensor(value, dtype=dtype, name=name)
    except TypeError as error:
        raise TypeError(
            f"Expected {dtype.name} passed to parameter '{name}' of op '{op.type}', got {value!r} of type "
            f"'{type(value).__name__}' instead. Error: {error}"
        ) from error
    except ValueError as error:
        raise _failed(name, error) from error


def _failed(name: str, error: ValueError) -> ValueError:
    """Returns the error for an input that cannot become a graph tensor."""
    return ValueError(f"Tried to convert '{name}' to a tensor and failed. Error: {error}")


def _unknown(kind: Kind, value: Any, hint: Any, strict: bool, name: str | None) -> EagerTensor:
    """Converts a value whose dtype no tensor determines, to its own dtype or the default."""
    if hint is None and kind.default is not None and not (strict and thread.scope.graph is None):
        tensor = convert_to_tensor(value, name=name)
        if tensor.dtype in (kind.allowed or ()):
            return tensor
    return convert_to_tensor(value, dtype_hint=hint or kind.default, name=name)


def _input_name(op: Op, position: int) -> str | None:
    """Returns the name of the graph constant that an input becomes; None outside graphs."""
    return None if thread.scope.graph is None else input_name(op, position)


def _check_type(op: Op, position: int, kind: Kind, tensor: Any, known: dict[str, DType]) -> None:
    if tensor is None:
        return
    if kind.attr == "resource":
        if tensor.dtype not in op.dtypes:
            raise opdefs.not_allowed(op.type, position, tensor.dtype, op.dtypes)
        return
    if kind.mixed:
        wrong = next((x.dtype for x in tensor if x.dtype not in (kind.allowed or op.dtypes)), None)
        if wrong is not None:
            raise opdefs.not_allowed(op.type, position, wrong, kind.allowed or op.dtypes)
        return
    expected = kind.only or known[kind.attr]
    if kind.only is None:
        allowed = kind.allowed or op.dtypes
        if expected not in allowed:
            raise opdefs.not_allowed(op.type, position, expected, allowed)
    for i, item in enumerate(tensor if kind.many else (tensor,)):
        if item.dtype is not expected:
            raise errors.invalid(
                f"cannot compute {op.type} as input #{position + i}(zero-based) was expected to be a "
                f"{expected.cname} tensor but is a {item.dtype.cname} tensor [Op:{op.type}] name: "
            )


# Fast path: eager tensors that need no conversion, and numbers beside them.


# Types whose ``_array``, ``_device`` and ``dtype`` the fast paths may read; variables are added.
FAST: set[type] = {EagerTensor}

# Cache of the host arrays of sizes and axes passed as integers or lists; they are read-only.
_made: dict[Any, tuple[Any, Device, DType]] = {}
for _kept in (_made, scalars):
    around_forks(child=_kept.clear)
_MOST_MADE = 4096
_LONGEST = 8
_INTS, _ROWS, _SIMPLE = {int}, {list, tuple}, {int, float, bool, str, bytes}
_NOT_PLAIN: Any = object()


def is_direct(op: Op) -> bool:
    """True if an op may take the fast path: its inputs share no type attribute but T."""
    own = [
        kind.attr for kind in op.kinds if kind.attr not in ("T", "resource") and kind.only is None
    ]
    return (
        len(own) == len(set(own)) and len(op.lists) < 2 and not any(kind.mixed for kind in op.kinds)
    )


def is_plain(op: Op) -> bool:
    """True if all inputs of an op are tensors of its dtype T."""
    return bool(op.kinds) and all(kind is T for kind in op.kinds)


def ready(
    op: Op, values: list[Any], home: Device
) -> tuple[list[Any], list[Any], DType | None, bool] | None:
    """Returns an op's inputs as tensors and arrays if they need no conversion (fast path).

    Args:
        op: The op.
        values: One value for each tensor parameter.
        home: The device on which ops run.

    Returns:
        The tensors, their arrays, their dtype, and True if every device input is certainly on the
        device. None if the slow path is required; no variable has been read then.
    """
    if op.plain and home.kind in op.devices:
        found = _of_one_type(op, values, home)
        if found is not None:
            return found
    dtype, reads, loose, tensors, arrays = None, False, False, [], []
    for kind, value, optional in zip(op.kinds, values, op.optional):
        if (
            kind is T and type(value) is EagerTensor and value._device is home
        ):  # the most frequent case first
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
    if (
        dtype in op.variants
        or home.kind not in op.devices
        or (dtype is string and home.kind != "CPU")
    ):
        return None
    if reads:
        tensors = [_read(kind, value) for kind, value in zip(op.kinds, tensors)]
        arrays = [_array(kind, tensor) for kind, tensor in zip(op.kinds, tensors)]
    return (
        tensors,
        arrays,
        dtype,
        not loose and (dtype is not None or not all(kind.host for kind in op.kinds)),
    )


def _of_one_type(op: Op, values: list[Any], home: Device) -> Any:
    """Returns the result of ``ready`` if all inputs are tensors of one dtype, the usual case."""
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
    """Returns the value of a variable; other values as they are."""
    if type(value) is EagerTensor or type(value) not in FAST or kind.attr == "resource":
        return value
    return value._read()


def _array(kind: Kind, tensor: Any) -> Any:
    """Returns the kernel argument of an input that is on the home device."""
    if type(tensor) is EagerTensor:
        return tensor._host() if kind.host else tensor._array
    return [item._array for item in tensor] if kind.many else tensor


def _fits(op: Op, kind: Kind, value: Any, dtype: DType | None) -> bool:
    """True if a tensor has the dtype of its parameter; T is already bound to ``dtype``."""
    found = value.dtype
    if kind.attr == "T":
        return found is dtype
    if kind.attr == "resource":
        return type(value) is not EagerTensor and found in op.dtypes
    return found is kind.only if kind.only else kind.allowed is not None and found in kind.allowed


def _common(op: Op, kind: Kind, values: Any, home: Device, dtype: DType | None) -> DType | None:
    """Returns the common dtype of a list of tensors that agrees with ``dtype``, or None."""
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
    """Converts a plain Python value or array to a tensor, if its dtype is unambiguous."""
    if kind.attr == "resource" or not _is_simple(value):
        return _NOT_PLAIN
    wanted, hint, allowed = kind.only, kind.default, kind.allowed or op.dtypes
    if type(value) in (list, tuple):  # lists keep their own dtype if it is allowed
        hint = None
    if kind.attr == "T" and dtype is not None:
        wanted, hint, allowed = None if op.hinted else dtype, dtype, frozenset((dtype,))
    elif kind.attr == "T" and not op.single:
        return _NOT_PLAIN
    try:
        tensor = (_on_host if kind.host else convert_to_tensor)(
            value, wanted, None if wanted else hint
        )
    except (TypeError, ValueError):
        return _NOT_PLAIN  # the slow path raises the error
    return tensor if wanted is not None or tensor.dtype in allowed else _NOT_PLAIN


def _are_sizes(value: Any) -> bool:
    """True if a value is an integer or a short list of integers."""
    if type(value) is int:
        return True
    return (
        type(value) in (list, tuple)
        and 0 < len(value) <= _LONGEST
        and set(map(type, value)) == _INTS
    )


def _is_simple(value: Any) -> bool:
    """True for a number or string, a numeric array, or lists of one such type up to rank 2."""
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
    """Returns array, device and dtype of the host tensor of an integer or integer list, cached."""
    key: Any = (value, kind.default) if type(value) is int else tuple(value)
    parts = _made.get(key)
    if parts is None:
        tensor = (
            _on_host(value, None, kind.default) if type(value) is int else _on_host(key, None, None)
        )
        if len(_made) >= _MOST_MADE:
            _made.clear()
        parts = _made[key] = tensor._array, tensor._device, tensor.dtype
    return parts


def _on_host(value: Any, dtype: DType | None, hint: DType | None) -> EagerTensor:
    """Converts a value to a host tensor, for parameters that kernels read on the host."""
    with on_host():
        return convert_to_tensor(value, dtype, hint)


def on_host() -> contextlib.AbstractContextManager[Any]:
    """Returns a scope that places new constants on the host, to avoid a round trip to a device."""
    if runtime.default.kind == "CPU" or thread.scope.graph is not None:
        return contextlib.nullcontext()
    return hosted(thread.scope)


def vector(values: Any) -> EagerTensor:
    """Converts integers to a vector; short lists are cached in eager mode."""
    if (
        type(values) is not int
        and _are_sizes(values)
        and runtime.home is not None
        and thread.scope.eager
    ):
        return EagerTensor(*_sizes(T, values))
    return convert_to_tensor(values)
