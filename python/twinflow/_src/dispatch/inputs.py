"""Conversion of an op's inputs to tensors, with TensorFlow's rules."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor, is_tensor, scalars
from twinflow._src.conversion.sequences import has_floats
from twinflow._src.core import errors, whole_numbers
from twinflow._src.core.context import entered, hosted, runtime, thread
from twinflow._src.core.devices import Device
from twinflow._src.core.dtypes import DType, as_dtype
from twinflow._src.core.fork import around_forks
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch import opdefs
from twinflow._src.dispatch.attributes import python_name
from twinflow._src.dispatch.registry import OPS, Kind, Op, Param
from twinflow._src.graph.signatures import input_name


def converted(
    op: Op, values: list[Any], check: Callable[..., None] | None = None
) -> tuple[Op, list[Any], DType | None]:
    """Converts an op's inputs to tensors; inputs that share a type attribute get the same dtype.

    Returns the op or its variant for the dtype, the tensors, and the dtype of the type attribute
    "T". ``check`` raises if an input has a dtype that it cannot have; None means the check of eager
    calls.
    """
    if runtime.log_placement:
        _log_absent(op, values)
    _check_lists(op, values)
    if whole_numbers.may_come():
        values = with_integers(op, values)
    strict = thread.scope.graph is not None or not any(
        map(_is_slow, op.tensors[op.converts :], values[op.converts :])
    )
    attr_dtypes = _known_types(op, values, strict)
    fixed_attrs = () if strict else _find_fixed_attrs(op, values)
    tensors = list(values)
    for position in range(len(values)) if strict else _slow_order(op):
        kind, value = op.kinds[position], values[position]
        if type(value) is not EagerTensor or value.dtype is not attr_dtypes.get(kind.attr):
            tensors[position] = _fit(
                op, position, kind, value, attr_dtypes, strict or kind.attr in fixed_attrs
            )
        if (
            check is not None and not op.variants
        ):  # a graph checks an input before it converts the next one
            check(op, position, kind, tensors[position], attr_dtypes)
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
    dtype = attr_dtypes.get("T")
    if check is not None and not op.variants:
        return op, tensors, dtype
    if op.variants and dtype in op.variants:
        op = OPS[op.variants[dtype]]
    for position, (kind, tensor) in enumerate(zip(op.kinds, tensors)):
        (check or _check_type)(op, position, kind, tensor, attr_dtypes)
    return op, tensors, dtype


def with_integers(op: Op, values: list[Any]) -> list[Any]:
    """Returns inputs in which integers stand for whole floats where the op takes no floats.

    So it is where the type attribute has integers alone, or a tensor of integers stands beside.
    """
    results = list(values)
    attr_dtypes: dict[str, DType] | None = None
    for i, (kind, value) in enumerate(zip(op.kinds, values)):
        if value is None or kind.mixed or kind.attr == "resource" or not _is_float(value):
            continue
        allowed = (kind.only,) if kind.only is not None else kind.allowed or op.dtypes
        of_integers = [dtype for dtype in allowed if dtype.kind in "iu"]
        if is_tensor(value):
            if of_integers and not any(dtype.kind in "fc" for dtype in allowed):
                results[i] = _cast_if_whole(value, kind.default or kind.only, of_integers)
            continue
        if any(dtype.kind in "fc" for dtype in allowed):
            if attr_dtypes is None:
                attr_dtypes = _known_types(op, values, True)
            beside = attr_dtypes.get(kind.attr)
            of_integers = [] if beside is None or beside.kind not in "iu" else [beside]
        whole = whole_numbers.as_integers(value) if of_integers else None
        if whole is not None:
            results[i] = whole
    return results


def _is_float(value: Any) -> bool:
    if is_tensor(value):  # IndexedSlices of a Python number have no dtype
        dtype = getattr(value, "dtype", None)
        return dtype is not None and bool(dtype.kind == "f")
    return value.dtype.kind == "f" if isinstance(value, np.ndarray) else has_floats(value)


def _cast_if_whole(tensor: Any, default: DType | None, allowed: list[DType]) -> Any:
    """Returns a tensor of integers for one of whole floats whose values are known."""
    array: Any = None
    if isinstance(tensor, EagerTensor):
        array = tensor._host()
    elif getattr(getattr(tensor, "op", None), "type", "") == "Const":
        array = tensor.op.attrs.get("value")
    whole = None if array is None else whole_numbers.as_integers(np.asarray(array))
    if whole is None:
        return tensor
    dtype = default if default in allowed else min(allowed, key=lambda d: (d.size < 4, d.size))
    return convert_to_tensor(whole, dtype=dtype)


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
    attr_values = [(kind.attr, value) for kind, value in zip(op.kinds, values) if kind.only is None]
    loose = {
        attr
        for attr, value in attr_values
        if not all(
            type(x) is EagerTensor for x in (value if type(value) in (list, tuple) else (value,))
        )
    }
    return {attr for attr, _ in attr_values} - loose


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
    attr_dtypes: dict[str, DType] = {}
    by_value: set[str] = set()  # by the value of an earlier input
    graph = thread.scope.graph is not None
    for kind, value in zip(op.kinds, values):
        if (
            kind.only is None
            and kind.attr not in attr_dtypes
            and kind.attr not in by_value
            and not kind.mixed
        ):
            if type(value) is EagerTensor:
                attr_dtypes[kind.attr] = value.dtype
            else:
                items = value if kind.many and isinstance(value, (list, tuple)) else (value,)
                first = next(filter(is_tensor, items), None)
                if first is not None and (strict or op.hinted or type(first) is EagerTensor):
                    attr_dtypes[kind.attr] = as_dtype(first.dtype).base_dtype
            if graph:
                by_value.add(kind.attr)
        if op.hinted:
            break
    return attr_dtypes


def _fit(
    op: Op, position: int, kind: Kind, value: Any, attr_dtypes: dict[str, DType], strict: bool
) -> Any:
    if kind.attr == "resource" or (value is None and op.tensors[position].default is None):
        return value
    if kind.mixed:
        return tuple(convert_to_tensor(item, name=_input_name(op, position)) for item in value)
    if kind.many:
        name = _input_name(op, position)
        names = [name and f"{name}_{i}" for i in range(len(value))]
        return tuple(
            _fit_one(op, i, kind, item, attr_dtypes, strict, names[i])
            for i, item in enumerate(value)
        )
    if (
        kind.host
        and not is_tensor(value)
        and thread.scope.graph is None
        and runtime.default.kind != "CPU"
    ):
        # the kernel reads the value on the host
        with entered(thread.scope.but(device=runtime.host.name)):
            return _fit_one(op, position, kind, value, attr_dtypes, strict, None)
    return _fit_one(op, position, kind, value, attr_dtypes, strict, _input_name(op, position))


def _fit_one(
    op: Op,
    position: int,
    kind: Kind,
    value: Any,
    attr_dtypes: dict[str, DType],
    strict: bool,
    name: str | None,
) -> EagerTensor:
    expected = kind.only or attr_dtypes.get(kind.attr)
    if is_tensor(value):
        target_dtype = None if strict or (op.hinted and position) else expected
        tensor = convert_to_tensor(value, dtype=target_dtype)
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
    attr_dtypes.setdefault(kind.attr, tensor.dtype)
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


def _check_type(
    op: Op, position: int, kind: Kind, tensor: Any, attr_dtypes: dict[str, DType]
) -> None:
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
    expected = kind.only or attr_dtypes[kind.attr]
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


# Types whose ``_array``, ``_device`` and ``dtype`` the fast paths may read; variables are added.
FAST: set[type] = {EagerTensor}


def on_host() -> contextlib.AbstractContextManager[Any]:
    """Returns a scope that places new constants on the host, to avoid a round trip to a device."""
    if runtime.default.kind == "CPU" or thread.scope.graph is not None:
        return contextlib.nullcontext()
    return hosted(thread.scope)


def vector(sizes: Any) -> EagerTensor:
    """Converts integers to a vector on the host; short eager ones are cached."""
    cached = runtime.home is not None and thread.scope.eager and len(sizes) <= _LONGEST
    if cached and set(map(type, sizes)) == {int}:  # True == 1
        return EagerTensor(*_vector(tuple(sizes)))
    return convert_to_tensor(sizes)


_LONGEST = 8


@functools.lru_cache(maxsize=4096)
def _vector(sizes: tuple[int, ...]) -> tuple[Any, Device, DType]:
    with on_host():
        tensor = convert_to_tensor(sizes)
    return tensor._array, tensor._device, tensor.dtype


for _cache in (_vector.cache_clear, scalars.clear):
    around_forks(child=_cache)
