"""The general path of an op: convert, place, log, run, wrap, tell observers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import dtypes, errors, opdefs, shapes
from .attributes import python_name
from .constant import convert_to_tensor, is_tensor
from .context import Scope, quiet, quietly, runtime, thread
from .devices import Device
from .dtypes import FROM_NUMPY, DType, as_dtype
from .schema import OPS, Call, Kind, Op, Param
from .signatures import input_name
from .tensor import EagerTensor, Tensor, moved

# Runs an op of which an input is of a composite type (ragged, sparse): a function of op, inputs and
# attributes for each such type; it gives NotImplemented where the op is to go on as usual.
COMPOSITES: dict[type, Callable[[Op, list[Any], dict[str, Any]], Any]] = {}


def execute(op: Op, inputs: list[Any], attrs: dict[str, Any]) -> Any:
    """Runs an op whatever surrounds it: converts, places, logs, runs, wraps, tells observers.

    Args:
        op: The op.
        inputs: One value for each tensor parameter.
        attrs: A value for each attribute.

    Returns:
        A tensor, or a list of tensors where the op has several results.

    Raises:
        OpError: The op cannot take the inputs, or failed.
    """
    for kind, value in zip(op.kinds, inputs):
        for item in value if kind.many and type(value) in (list, tuple) else (value,):
            if type(item) in COMPOSITES:
                result = COMPOSITES[type(item)](op, inputs, attrs)
                if result is not NotImplemented:
                    return result
    return _execute(op, inputs, attrs)


def _execute(op: Op, inputs: list[Any], attrs: dict[str, Any]) -> Any:
    """Runs an op on what tensors are made of."""
    scope = thread.scope
    if scope.graph is not None:
        return scope.graph.call(op, inputs, attrs)
    op, tensors, dtype = converted(op, inputs)
    device = place(op, tensors, dtype, scope)
    arrays = [
        tensor._array
        if type(tensor) is EagerTensor and tensor._device is device and not kind.host
        else _array_on(device, kind, tensor)
        for kind, tensor in zip(op.kinds, tensors)
    ]
    if runtime.log_placement:
        runtime.log(op.type, device)
    try:
        if device.kind == "CPU":
            result = quiet().run(op.kernel, device.xp, *arrays, **attrs)
        else:
            with device.backend.activate(device.ordinal):
                result = quietly(op.kernel, device.xp, *arrays, **attrs)
    except (ValueError, TypeError, MemoryError) as error:
        raise explained(op, tensors, attrs, dtype, device, error) from error
    if op.out is not None:
        dtype = op.out if isinstance(op.out, DType) else attrs[op.out]
    outputs = wrapped(result, device, dtype)
    for observer in scope.observers:
        observer.record(Call(op, tuple(tensors), attrs, outputs))
    return outputs


def converted(
    op: Op, values: list[Any], check: Callable[..., None] | None = None
) -> tuple[Op, list[Any], DType | None]:
    """The tensors that an op's inputs become; those of one type attribute agree on their type.

    Args:
        op: The op.
        values: One value for each tensor parameter.
        check: Raises where an input has a type that it cannot have; as for a call that runs where None.

    Returns:
        The op itself or the variant of it that serves their type, the tensors, and that type.
    """
    if runtime.log_placement:
        _log_absent(op, values)
    _check_lists(op, values)
    strict = thread.scope.graph is not None or not any(
        map(_is_slow, op.tensors[op.converts :], values[op.converts :])
    )
    known = _known_types(op, values, strict)
    tensors = list(values)
    for position in range(len(values)) if strict else _slow_order(op):
        kind, value = op.kinds[position], values[position]
        if type(value) is not EagerTensor or value.dtype is not known.get(kind.attr):
            tensors[position] = _fit(op, position, kind, value, known, strict)
    for i in op.lists:
        if not (tensors[i] or op.kinds[i].mixed) and op.kinds[i].only is None:
            raise opdefs.empty_list(op.type, i)
    dtype = known.get("T")
    if op.variants and dtype in op.variants:
        op = OPS[op.variants[dtype]]
    for position, (kind, tensor) in enumerate(zip(op.kinds, tensors)):
        (check or _check_type)(op, position, kind, tensor, known)
    return op, tensors, dtype


def _check_lists(op: Op, values: list[Any]) -> None:
    """What an op wants lists for are lists, and of one length where they belong together."""
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


# What TensorFlow's quick path takes besides tensors and variables; where another value is among the inputs, all
# take the other path, on which the first input decides the type (a tensor before a variable), and a tensor of
# another type is refused as a conversion.
_QUICK = (int, float, np.ndarray)


def _slow_order(op: Op) -> list[int]:
    """The other path converts inputs of a certain type after all the others."""
    return sorted(range(len(op.kinds)), key=lambda i: op.kinds[i].only is not None)


def _is_slow(param: Param, value: Any) -> bool:
    if type(value) is EagerTensor or (value is None and param.default is None):
        return False
    many = param.kind is not None and param.kind.many and isinstance(value, (list, tuple))
    return not all(isinstance(x, _QUICK) or is_tensor(x) for x in (value if many else (value,)))


def _log_absent(op: Op, values: list[Any]) -> None:
    """Axes that are not given mean all of them: a vector constant, made before variables are read."""
    for kind, value in zip(op.kinds, values):
        if value is None and kind.host:
            runtime.log("_EagerConst", runtime.place(thread.scope.device))


def _known_types(op: Op, values: list[Any], strict: bool) -> dict[str, DType]:
    """The types that tensors among the values fix, by type attribute; the first one decides."""
    known: dict[str, DType] = {}
    for kind, value in zip(op.kinds, values):
        if kind.only is None and kind.attr not in known and not kind.mixed:
            if type(value) is EagerTensor:
                known[kind.attr] = value.dtype
            else:
                items = value if kind.many and isinstance(value, (list, tuple)) else (value,)
                first = next(filter(is_tensor, items), None)
                if first is not None and (strict or op.hinted or type(first) is EagerTensor):
                    known[kind.attr] = as_dtype(first.dtype).base_dtype
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
        return tuple(_fit_one(op, i, kind, item, known, strict) for i, item in enumerate(value))
    return _fit_one(op, position, kind, value, known, strict)


def _fit_one(
    op: Op, position: int, kind: Kind, value: Any, known: dict[str, DType], strict: bool
) -> EagerTensor:
    expected = kind.only or known.get(kind.attr)
    if is_tensor(value):
        wanted = None if strict or (op.hinted and position) else expected
        tensor = convert_to_tensor(value, dtype=wanted)
    elif expected is not None and not (op.hinted and position):
        tensor = _of_type(op, position, value, expected)
    else:
        tensor = _unknown(kind, value, expected, strict, _input_name(op, position))
        if kind.default is not None and strict and tensor.dtype not in (kind.allowed or ()):
            raise TypeError(
                f"Cannot convert {value!r} to EagerTensor of dtype {kind.default.cname}"
            )
    known.setdefault(kind.attr, tensor.dtype)
    return tensor


def _of_type(op: Op, position: int, value: Any, dtype: DType) -> Any:
    name = _input_name(op, position)
    if name is None:
        return convert_to_tensor(value, dtype=dtype)
    try:
        return convert_to_tensor(value, dtype=dtype, name=name)
    except (TypeError, ValueError) as error:
        wrong = value
        while isinstance(wrong, (list, tuple)) and wrong:
            wrong = wrong[0]
        kind = type(wrong).__name__
        raise TypeError(
            f"Expected {dtype.name} passed to parameter '{name}' of op '{op.type}', got {value!r} of type "
            f"'{type(value).__name__}' instead. Error: Expected {dtype.name}, but got {wrong!r} of type '{kind}'."
        ) from error


def _unknown(kind: Kind, value: Any, hint: Any, strict: bool, name: str | None) -> EagerTensor:
    """A value whose type no tensor tells: its own one where that is allowed, else the default one."""
    if hint is None and kind.default is not None and not strict:
        tensor = convert_to_tensor(value, name=name)
        if tensor.dtype in (kind.allowed or ()):
            return tensor
    return convert_to_tensor(value, dtype_hint=hint or kind.default, name=name)


def _input_name(op: Op, position: int) -> str | None:
    """How a graph names the constant that an input becomes."""
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


def place(op: Op, tensors: list[Any], dtype: DType | None, scope: Scope) -> Device:
    """The device that runs an op.

    State ops run where the state is; others where the scope says, or on the default device; an op
    or a type that the chosen kind of device cannot have goes to the host.
    """
    if op.impure and tensors and op.kinds[0].attr == "resource":
        return tensors[0]._device
    device = runtime.place(scope.device)
    if device.kind not in op.devices or (device.kind != "CPU" and dtype is dtypes.string):
        return runtime.host
    return device


def _array_on(device: Device, kind: Any, tensor: Any) -> Any:
    if kind.attr == "resource" or tensor is None:
        return tensor
    if kind.many:
        return [moved(item, device)._array for item in tensor]
    return tensor._host() if kind.host else moved(tensor, device)._array


def wrapped(result: Any, device: Device, dtype: DType | None) -> Any:
    """Tensors of a kernel's results; what NumPy gives as scalars become arrays here, once."""
    if type(result) is np.ndarray and dtype is not None and result.dtype is dtype.np:
        return EagerTensor(result, device, dtype)
    if isinstance(result, (list, tuple)):
        return [wrapped(item, device, dtype) for item in result]
    if isinstance(result, Tensor) or result is None:
        return result
    if isinstance(result, (np.generic, bytes)):
        result = device.xp.asarray(result, dtype=object if isinstance(result, bytes) else None)
    found = result.dtype
    if dtype is None or found is not dtype.np:
        dtype = dtype if dtype is not None and found == dtype.np else FROM_NUMPY[found]
    return EagerTensor(result, device, dtype)


# What NumPy says of sizes that no memory can hold.
_TOO_LARGE = ("too big", "too large", "Maximum allowed")


def explained(
    op: Op, tensors: list[Any], attrs: dict[str, Any], dtype: Any, device: Device, error: Exception
) -> Exception:
    """What TensorFlow says where NumPy failed: the op's shape rule knows, or memory ran out."""
    try:
        shape = op.shape(*map(_known, op.kinds, tensors), **attrs)
    except errors.OpError as known:
        return known
    if op.out is not None:
        dtype = op.out if isinstance(op.out, DType) else attrs[op.out]
    if isinstance(error, MemoryError) or any(words in str(error) for words in _TOO_LARGE):
        return errors.ResourceExhaustedError(
            None,
            None,
            f"OOM when allocating tensor with shape{shapes.text(shape)} and type "
            f"{getattr(dtype, 'cname', 'unknown')} on {device.name} by allocator cpu [Op:{op.type}]",
        )
    return errors.invalid(f"{error} [Op:{op.type}]") if isinstance(error, ValueError) else error


def _known(kind: Kind, tensor: Any) -> Any:
    """What a shape rule is given: the value of a parameter that is read on the host, else its dims."""
    if isinstance(tensor, tuple):
        return tuple(_known(kind, item) for item in tensor)
    if tensor is None:
        return None
    return tensor._host() if kind.host else tensor.shape._dims
