"""Call cache of ops with attributes, axes or sizes: one prepared call per op and argument key.

The key consists of the home device, the dtypes of the tensor arguments and the types and values of
all other arguments. On a hit, binding, conversion and placement are skipped: the entry holds the
runner and every kernel argument but the arrays. Misses, and calls whose kernel raises, go through
``execute``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from twinflow._src.backends.cpu.elementwise import is_large
from twinflow._src.compiler.specialize import specialize_kernel
from twinflow._src.core.context import quiet, runtime, thread
from twinflow._src.core.devices import Device
from twinflow._src.core.dtypes import DType, bfloat16
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.bfloat16 import has_short
from twinflow._src.dispatch.execute import execute, observed, wrapped
from twinflow._src.dispatch.inputs import ready
from twinflow._src.dispatch.placement import has_supported_dtypes, launch_of
from twinflow._src.dispatch.registry import Op

# Types of non-tensor arguments that are part of a cache key by value, alone or in lists. float is
# not among them, because 0.0 == -0.0.
_TOLD, _LISTS = frozenset((int, bool, str, type(None), DType)), frozenset((list, tuple))
_MOST = 1024
_NEVER: Any = object()
_ONCE: Any = object()


class Repeated(NamedTuple):
    """A cached call: its runner and all arguments but the arrays."""

    run: Callable[..., Any]  # called with the arrays, ``last`` and ``options``
    last: list[Any]
    options: dict[str, Any]
    dtype: DType | None  # of the result; None if only the result determines it
    form: Any  # the NumPy dtype
    array_type: type
    fixed: dict[int, Any]  # the inputs that are the same in each call, by index
    attrs: dict[str, Any]
    settled: bool  # True if ``run`` is specialized for these sizes, axes and attributes

    def inputs(self, values: list[Any]) -> tuple[Any, ...]:
        """Returns the inputs of the call as observers get them."""
        return tuple(
            self.fixed[i] if i in self.fixed else tuple(x) if type(x) is list else x
            for i, x in enumerate(values)
        )


def repeating(new: Op) -> Callable[..., Any]:
    """Returns the public function of an op with a call cache in front of ``execute``."""
    if not new.direct or new.impure:
        return lambda *args, **kwargs: execute(new, *new.bind(args, kwargs))
    tensor, settings, local, enter, allocate = EagerTensor, runtime, thread, quiet, object.__new__
    known, told, lists, many, blocked = new.repeats, _TOLD, _LISTS, bool(new.lists), new.blocked
    most = sum(not kind.host for kind in new.kinds)

    def function(*args: Any, **kwargs: Any) -> Any:
        home, scope = settings.home, local.scope
        if home is None or not scope.eager:
            return execute(new, *new.bind(args, kwargs))
        arrays: list[Any] = []
        key: list[Any] = [home, *kwargs]
        for value in (*args, *kwargs.values()) if kwargs else args:
            kind = type(value)
            if kind is tensor:
                if value._device is not home or len(arrays) == most:  # one more is a size
                    break
                arrays.append(value._array)
                key.append(value.dtype)
            elif kind in told:
                key += kind, value
            elif kind not in lists:
                break
            elif many and value and type(value[0]) is tensor:
                group = _group(value, home)
                if group is None:
                    break
                arrays.append(group)
                key += kind, value[0].dtype
            elif value and type(value[0]) in lists:
                key += kind, *map(_row, value)
            else:
                key += tuple(map(type, value)), *value
        else:
            try:
                call: Any = known.get(tuple(key))
            except TypeError:  # nested lists are not hashable
                return execute(new, *new.bind(args, kwargs))
            if type(call) is not Repeated:
                call = _noticed(new, tuple(key), args, kwargs)
            if call is not None and not (blocked and (is_large(arrays[0]) or is_large(arrays[-1]))):
                try:
                    result = enter().run(call.run, *arrays, *call.last, **call.options)
                except (ValueError, TypeError, IndexError, MemoryError):
                    return execute(new, *new.bind(args, kwargs))
                if type(result) is call.array_type and result.dtype is call.form:
                    t = allocate(tensor)
                    t._array, t._device, t.dtype = result, home, call.dtype
                else:
                    t = wrapped(result, home, call.dtype)
                    if call.dtype is None and type(t) is tensor:
                        known[tuple(key)] = call._replace(dtype=t.dtype, form=t.dtype.np)
                if scope.observers:
                    observed(scope, new, call.inputs(new.bind(args, kwargs)[0]), call.attrs, t)
                return t
        return execute(new, *new.bind(args, kwargs))

    return function


def _group(values: Any, home: Device) -> list[Any] | None:
    """Returns the arrays of tensors of one dtype on a device, or None if they are not."""
    dtype = values[0].dtype
    for value in values:
        if type(value) is not EagerTensor or value._device is not home or value.dtype is not dtype:
            return None
    return [value._array for value in values]


def _row(values: Any) -> tuple[Any, ...]:
    """Returns the key of a row of a nested list: types and values."""
    return (*map(type, values), *values) if type(values) in _LISTS else (type(values), values)


def _noticed(
    op: Op, key: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Repeated | None:
    """Returns a call's cache entry from its second occurrence on; None if it has none."""
    known = op.repeats
    found = known.get(key, _NEVER)  # looked up once: another thread may clear the cache meanwhile
    if found is _NEVER:
        if len(known) >= _MOST:
            known.clear()
        found = known[key] = _ONCE
    elif found is _ONCE:
        values, attrs = op.bind(args, kwargs)
        sized = any(kind.host and isinstance(x, EagerTensor) for kind, x in zip(op.kinds, values))
        found = known[key] = None if sized else repeated(op, values, attrs, key[0])
    return None if found is _ONCE else found


def repeated(op: Op, values: list[Any], attrs: dict[str, Any], home: Device) -> Repeated | None:
    """Returns a prepared call, or None if it is not the same for all arrays of these dtypes."""
    found = ready(op, values, home)
    if found is None:
        return None
    tensors, arrays, dtype, there = found
    fixed = {i: x for i, (kind, x) in enumerate(zip(op.kinds, tensors)) if kind.host or x is None}
    own = [i for i in range(len(tensors)) if i not in fixed]
    if not there or not own:
        return None
    run = _runner(op, dtype, attrs, home)
    result = dtype if op.out is None else attrs[op.out] if isinstance(op.out, str) else op.out
    if run is None or isinstance(result, list):
        return None
    known = [x for i, x in enumerate(arrays) if i in fixed]
    made = None if op.sizes else _specialize_call(op, dtype, known, attrs, home)
    if made is not None:
        run, last, options = made, [], {}
    elif own == list(range(own[0], own[-1] + 1)):
        run, last, options = functools.partial(run, *arrays[: own[0]]), arrays[own[-1] + 1 :], attrs
    else:
        run, last, options = _woven(run, arrays, own), [], attrs
    return Repeated(
        run,
        last,
        options,
        result,
        result and result.np,
        home.xp.ndarray,
        fixed,
        attrs,
        made is not None,
    )


def _woven(run: Callable[..., Any], arrays: list[Any], own: list[int]) -> Callable[..., Any]:
    """Returns a function of the variable inputs that inserts the fixed ones at their positions."""

    def woven(*given: Any, **options: Any) -> Any:
        inputs = arrays.copy()
        for i, x in zip(own, given):
            inputs[i] = x
        return run(*inputs, **options)

    for i in own:  # releases the arrays of the first call
        arrays[i] = None
    return woven


def _runner(
    op: Op, dtype: DType | None, attrs: dict[str, Any], home: Device
) -> Callable[..., Any] | None:
    """Returns the runner of an op on arrays, or None if it depends on more than their dtypes."""
    if home.kind == "CPU":
        return functools.partial(op.kernel, home.xp)
    short = dtype is bfloat16 or not op.tells or (op.typed and has_short((), attrs))
    return None if short or not has_supported_dtypes(op, attrs, home) else launch_of(op, home)


def _specialize_call(
    op: Op, dtype: DType | None, last: list[Any], attrs: dict[str, Any], home: Device
) -> Callable[..., Any] | None:
    """Returns a kernel of the arrays alone, specialized for sizes and attributes, or None."""
    own = dtype or next((kind.only for kind in op.kinds if kind.only is not None), None)
    if own is None:
        return None
    kernel: Any = op.kernel
    if home.kind != "CPU":
        kernel = home.xp.kernel_of(op.type, kernel)
        if (
            op.bulk is not None and not last and not attrs
        ):  # each array function is a launch on a device, so one call is best
            function = getattr(home.xp, op.bulk)
            return home.backend.bind_device(getattr(function, "plain", function), home.ordinal)
    made = specialize_kernel(home.xp, op, own.np, kernel, last, attrs)
    return (
        made if made is None or home.kind == "CPU" else home.backend.bind_device(made, home.ordinal)
    )
