"""Dispatch cache: from the second call with one signature on, an op runs as a bound call.

The key is the device, the form of the call (number of positional arguments, keywords in order), the
dtypes of tensors and variables, the types of numbers, arrays and short lists that become tensors,
and the values of everything else: attributes, and inputs that the kernel reads on the host. A bound
call holds the kernel and every argument but the arrays, and the dtype to which each value that is
no tensor is converted. Misses, calls whose conversion or kernel raises, and calls that no key
describes go through ``dispatch``.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.backends.cpu.elementwise import is_large
from twinflow._src.compiler.specialize import specialize_kernel
from twinflow._src.conversion.arrays import to_array
from twinflow._src.core import whole_numbers
from twinflow._src.core.context import quiet, runtime, strict, thread
from twinflow._src.core.devices import Device
from twinflow._src.core.dtypes import DType, bfloat16, int32
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.bfloat16 import has_short
from twinflow._src.dispatch.execute import array_on, dispatch, observed, own, place, wrapped
from twinflow._src.dispatch.inputs import FAST, converted
from twinflow._src.dispatch.placement import has_supported_dtypes, launch_of
from twinflow._src.dispatch.registry import Kind, Op

# Roles of arguments: attributes and host inputs are part of a key by value, tensors by dtype.
_VALUE, _HOST, _TENSOR, _TENSORS, _VARIABLE = range(5)
_BY_VALUE, _LISTS = frozenset((int, bool, str, type(None), DType)), frozenset((list, tuple))
_NUMBERS, _TENSOR_ONLY = frozenset((int, float, bool, str, bytes)), frozenset((EagerTensor,))
_LONGEST = 256  # elements of a list in a key
_CAPACITY = 1024
_ABSENT: Any = object()
_ONCE: Any = object()
_FAILURES = (ValueError, TypeError, IndexError, MemoryError, ArithmeticError)


class BoundCall(NamedTuple):
    """An op bound to the arguments that are the same in all calls with one key."""

    run: Callable[..., Any]  # called with the arrays, ``last`` and ``options``
    last: list[Any]
    options: dict[str, Any]
    dtype: DType | None  # of the result; None if only the result determines it
    storage: Any  # the NumPy dtype
    array_type: type
    recipe: tuple[tuple[int, DType], ...]  # arrays that are still values, and their dtypes
    order: tuple[tuple[int, int], ...]  # of each array, the parameter and the argument
    fixed: list[Any]  # the inputs by parameter, None where the call has an array
    attrs: dict[str, Any]

    def inputs(self, arguments: tuple[Any, ...], arrays: list[Any], home: Device) -> Any:
        """Returns the inputs as observers get them."""
        inputs = self.fixed.copy()
        for param, at in self.order:
            value = arguments[at]
            inputs[param] = tuple(value) if type(value) is list else value
        for i, dtype in self.recipe:
            inputs[self.order[i][0]] = EagerTensor(arrays[i], home, dtype)
        return tuple(inputs)


def _role(kind: Kind | None) -> int:
    if kind is None or kind.host:
        return _VALUE if kind is None else _HOST
    return _VARIABLE if kind.attr == "resource" else _TENSORS if kind.many else _TENSOR


def cached(new: Op) -> Callable[..., Any]:
    """Returns the public function of an op: the dispatch cache in front of ``dispatch``."""
    tensor, fast, settings, local, enter = EagerTensor, FAST, runtime, thread, quiet
    calls, by_value, lists, allocate = new.calls, _BY_VALUE, _LISTS, object.__new__
    roles = tuple(_role(param.kind) for param in new.params)
    named = {param.name: role for param, role in zip(new.params, roles)}
    count, blocked = len(roles), new.blocked
    forms: dict[Any, tuple[int, ...]] = {}  # the roles of arguments by the form of a call

    def roles_of(form: tuple[Any, ...]) -> tuple[int, ...]:
        forms[form] = (*roles[: form[0]], *(named.get(name, _VALUE) for name in form[1:]))
        return forms[form]

    def function(*args: Any, **kwargs: Any) -> Any:
        home, scope = settings.home, local.scope
        if home is None or not scope.eager or len(args) > count:
            return dispatch(new, *new.bind(args, kwargs))
        arrays: list[Any] = []
        if kwargs:
            kwargs.pop("name", None)  # without effect in eager mode
            form = (len(args), *kwargs)
            key: list[Any] = [home, form]
            pairs = zip((*args, *kwargs.values()), forms.get(form) or roles_of(form))
        else:
            key, pairs = [home, len(args)], zip(args, roles)
        for value, role in pairs:
            kind = type(value)
            if kind is tensor:
                device = value._device
                if role is _HOST:  # the kernel reads it on the host
                    if device.kind != "CPU":
                        break
                elif role is not _TENSOR or device is not home:
                    break
                arrays.append(value._array)
                key.append(value.dtype)
            elif role <= _HOST:
                if kind in by_value:
                    key += kind, value
                elif kind is float:  # 0.0 == -0.0
                    key += kind, value or repr(value)
                elif kind not in lists or len(value) > _LONGEST:
                    break
                elif value and type(value[0]) in lists:
                    key += kind, len(value), *map(_row, value)
                else:
                    key += kind, *_row(value)
            elif value is None:
                key.append(None)
            elif role is _VARIABLE:
                if kind not in fast or value._device is not home:
                    break
                arrays.append(value)
                key += kind, value.dtype
            elif kind in fast:
                if scope.observers:  # they are notified of reads, in the order of the parameters
                    args = tuple(map(_read, roles, args))
                    for name in filter(kwargs.__contains__, named):
                        kwargs[name] = _read(named[name], kwargs[name])
                    return function(*args, **kwargs)
                array = value._array  # None amid a write of another thread, and before the first
                if array is None or value._device is not home:
                    break
                arrays.append(array)
                key += kind, value.dtype
            elif role is _TENSORS:
                group = _group(value, home, _TENSOR_ONLY if scope.observers else fast)
                if group is None:
                    break
                arrays.append(group)
                key += kind, len(group), value[0].dtype
            else:
                leaf = _leaf(value)
                if leaf is None:
                    break
                arrays.append(value)
                key += kind, leaf
        else:
            try:
                call: Any = calls.get(tuple(key))
            except TypeError:  # nested lists are not hashable
                return dispatch(new, *new.bind(args, kwargs))
            if type(call) is not BoundCall:
                call = _look_up(new, tuple(key), args, kwargs)
            if call is not None:
                try:
                    for i, dtype in call.recipe:
                        arrays[i] = _convert(arrays[i], dtype)
                    if blocked and (is_large(arrays[0]) or is_large(arrays[-1])):
                        return dispatch(new, *new.bind(args, kwargs))
                    result = enter().run(call.run, *arrays, *call.last, **call.options)
                except _FAILURES:
                    return dispatch(new, *new.bind(args, kwargs))
                if type(result) is call.array_type and result.dtype is call.storage:
                    t = allocate(tensor)
                    t._array, t._device, t.dtype = result, home, call.dtype
                else:
                    t = wrapped(result, home, call.dtype)
                    if call.dtype is None and type(t) is tensor:
                        calls[tuple(key)] = call._replace(dtype=t.dtype, storage=t.dtype.np)
                if scope.observers:
                    inputs = call.inputs((*args, *kwargs.values()), arrays, home)
                    observed(scope, new, inputs, call.attrs, own(t))
                return t
        return dispatch(new, *new.bind(args, kwargs))

    return function


def _row(values: Any) -> tuple[Any, ...]:
    """Returns the key of a row of a list by value: types and values."""
    if type(values) not in _LISTS:
        return _row((values,))
    types = tuple(map(type, values))
    if float in types or len(types) > _LONGEST:
        return ([],)  # not hashable: 0.0 == -0.0
    return (len(types), *types, *values)


def _read(role: int, value: Any) -> Any:
    """Returns the value of a variable that an op takes as a tensor, anything else as it is."""
    is_variable = role == _TENSOR and type(value) in FAST and type(value) is not EagerTensor
    return value._read() if is_variable else value


def _group(values: Any, home: Device, kinds: Collection[type]) -> list[Any] | None:
    """Returns the arrays of tensors of one dtype on a device, or None if they are not."""
    if type(values) not in _LISTS or not values or type(values[0]) not in kinds:
        return None
    dtype, arrays = values[0].dtype, []
    for value in values:
        if type(value) not in kinds or value._device is not home or value.dtype is not dtype:
            return None
        array = value._array
        if array is None:  # of a variable amid a write of another thread
            return None
        arrays.append(array)
    return arrays


def _leaf(value: Any) -> Any:
    """Returns the type of the numbers of a value that a recipe may convert; None for others."""
    kind = type(value)
    if kind in _NUMBERS:
        return kind
    if kind is np.ndarray:
        return value.dtype if value.dtype.kind in "biuf" else None
    if kind not in _LISTS or not 0 < len(value) <= _LONGEST:
        return None
    types = set(map(type, value))
    if types <= _LISTS:
        if len(value) * len(value[0]) > _LONGEST:
            return None
        types = set(map(type, itertools.chain.from_iterable(value)))
    return types.pop() if len(types) == 1 and types <= _NUMBERS else None


def _convert(value: Any, dtype: DType) -> Any:
    """Converts a number, array or list to an array of a dtype, or raises an error."""
    if type(value) is not np.ndarray and dtype.np.kind in "biufc":
        return strict().run(np.array, value, dtype.np)
    return to_array(value, dtype)[0]


def _look_up(
    op: Op, key: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> BoundCall | None:
    """Returns the bound call of a key from its second occurrence on; None if it has none."""
    calls = op.calls
    call = calls.get(key, _ABSENT)  # looked up once: another thread may clear the cache meanwhile
    if call is _ABSENT:
        if len(calls) >= _CAPACITY:
            calls.clear()
        call = calls[key] = _ONCE
    elif call is _ONCE:
        values, attrs = op.bind(args, kwargs)
        params = (*range(len(args)), *map(op.names.index, kwargs))
        call = calls[key] = bind_call(op, values, attrs, key[0], params)
    return None if call is _ONCE else call


def bind_call(
    op: Op, values: list[Any], attrs: dict[str, Any], home: Device, params: tuple[int, ...]
) -> BoundCall | None:
    """Binds an op to the parts of a call that its cache key fixes.

    ``params`` are the parameters in the order of the call's arguments. The result is None if calls
    with the same key may differ in more than their arrays.
    """
    attrs.pop("name", None)
    whole = whole_numbers.count
    variant, tensors, dtype = converted(op, values)
    if whole_numbers.count != whole:  # the key tells no whole float from another one
        return None
    n = len(tensors)
    order = [i for i in params if i < n and _is_array(op.kinds[i], values[i])]
    if variant is not op or not order or place(op, tensors, attrs, thread.scope) is not home:
        return None
    recipe = _recipe(op, values, tensors, order, home)
    run = _runner(op, dtype, attrs, home)
    result = dtype if op.out is None else attrs[op.out] if isinstance(op.out, str) else op.out
    if recipe is None or run is None or isinstance(result, (list, tuple)):
        return None
    fixed = [None if i in order else x for i, x in enumerate(tensors)]
    if any(x is not None and not op.kinds[i].host for i, x in enumerate(fixed)):
        return None
    hosted = [array_on(home, op.kinds[i], x) for i, x in enumerate(fixed)]
    first, end = min(order), max(order) + 1
    special = None
    if not op.shape_only and order == sorted(order) and not any(op.kinds[i].host for i in order):
        last = [x for i, x in enumerate(hosted) if i not in order]
        special = _specialize_call(op, dtype, last, attrs, home)
    if special is not None:
        run, last, options = special, [], {}
    elif order == list(range(first, end)):
        run, last, options = functools.partial(run, *hosted[:first]), hosted[end:], attrs
    else:
        run, last, options = _interleaved(run, hosted, order), [], attrs
    places = tuple((i, at) for at, i in enumerate(params) if i in order)
    storage, array_type = result and result.np, home.xp.ndarray
    return BoundCall(run, last, options, result, storage, array_type, recipe, places, fixed, attrs)


def _is_array(kind: Kind, value: Any) -> bool:
    """True if a key has an input by dtype: a tensor, or what becomes one; the kernel gets an array."""
    return value is not None and (not kind.host or type(value) is EagerTensor)


def _recipe(
    op: Op, values: list[Any], tensors: list[Any], order: list[int], home: Device
) -> tuple[tuple[int, DType], ...] | None:
    """Returns the values of a call that need a conversion, or None if no key tells their dtypes."""
    free = [i for i in order if type(values[i]) is EagerTensor or values[i] is tensors[i]]
    free += [i for i in order if i not in free and type(values[i]) in FAST]
    free += [i for i in order if op.kinds[i].many]
    bound = {op.kinds[i].attr for i in free}
    recipe = []
    for at, i in enumerate(order):
        if i in free:
            continue
        kind = op.kinds[i]
        if home.kind != "CPU" or tensors[i]._device is not home:
            return None
        dtype = tensors[i].dtype
        # alone, integers become int32, or int64 where a value requires it: the conversion to int32
        # raises an error for such a value, the conversion to int64 would not for others
        free_int = kind.only is None and kind.attr not in bound and _leaf(values[i]) is int
        if free_int and dtype is not int32:
            return None
        recipe.append((at, dtype))
    return tuple(recipe)


def _interleaved(run: Callable[..., Any], inputs: list[Any], order: list[int]) -> Any:
    """Returns a function of the arrays, in the order of a call, that adds the fixed inputs."""

    def interleaved(*arrays: Any, **options: Any) -> Any:
        args = inputs.copy()
        for i, x in zip(order, arrays):
            args[i] = x
        return run(*args, **options)

    return interleaved


def _runner(
    op: Op, dtype: DType | None, attrs: dict[str, Any], home: Device
) -> Callable[..., Any] | None:
    """Returns the runner of an op on arrays, or None if it depends on more than their dtypes."""
    if home.kind == "CPU":
        return functools.partial(op.kernel, home.xp)
    short = (
        dtype is bfloat16
        or not op.dtype_is_decisive
        or (op.has_dtype_attrs and has_short((), attrs))
    )
    return None if short or not has_supported_dtypes(op, attrs, home) else launch_of(op, home)


def _specialize_call(
    op: Op, dtype: DType | None, last: list[Any], attrs: dict[str, Any], home: Device
) -> Callable[..., Any] | None:
    """Returns a kernel of the arrays alone, specialized for sizes and attributes, or None."""
    input_dtype = dtype or next((kind.only for kind in op.kinds if kind.only is not None), None)
    if input_dtype is None:
        return None
    kernel: Any = op.kernel
    if home.kind != "CPU":
        kernel = home.xp.kernel_of(op)
        if (
            op.bulk is not None and not last and not attrs
        ):  # each array function is a launch on a device, so one call is best
            function = getattr(home.xp, op.bulk)
            return home.backend.bind_device(getattr(function, "plain", function), home.ordinal)
    special = specialize_kernel(home.xp, op, input_dtype.np, kernel, last, attrs)
    if special is None or home.kind == "CPU":
        return special
    return home.backend.bind_device(special, home.ordinal)
