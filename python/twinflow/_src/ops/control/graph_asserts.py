"""Assertions in graphs, evaluated at trace time if the values are static."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from twinflow._src.control_flow.py_function import later
from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import int32, string
from twinflow._src.core.errors import invalid
from twinflow._src.dispatch.op import API
from twinflow._src.graph.static_values import array_of

_UNGUARDED = (string, int32)  # data of these dtypes need no AssertGuard branch


def asserted(condition: Any, data: Sequence[Any], summarize: Any) -> Any:
    """Adds an Assert operation to the graph and returns it.

    Args:
        condition: A boolean scalar.
        data: The data of the error message.
        summarize: The number of values shown per tensor; -1 for all, 3 if None.
    """
    count = 3 if summarize is None else summarize
    with thread.scope.graph.name_scope("Assert"):
        tensors = [convert_to_tensor(x, name=f"data_{i}") for i, x in enumerate(data)]
        guarded = any(x.dtype not in _UNGUARDED for x in tensors)

        def check(holds: Any, *values: Any) -> None:
            if not holds:
                shown = " ".join(f"[{summary(v._host(), count)}]" for v in values)
                raise invalid(f"assertion failed: {shown}")

        name = "AssertGuard/Assert" if guarded else "Assert"
        return later("Assert", check, [condition, *tensors], name=name)


def checked(holds: Any, data: Sequence[Any], summarize: Any) -> Any:
    """Asserts that all elements are True; raises at trace time if they are known statically."""
    condition = API["reduce_all"](holds)
    known, values = array_of(condition), [array_of(x) if is_tensor(x) else x for x in data]
    if known is not None and not known and all(v is not None for v in values):
        raise invalid("\n".join(map(str, values)))
    if known is not None and known:
        return API["no_op"]("static_checks_determined_all_ok")
    return asserted(condition, data, summarize)


def compared(
    symbol: str,
    name: str,
    function: Callable[..., Any],
    x: Any,
    y: Any,
    message: Any,
    summarize: Any,
) -> Any:
    """Asserts an element-wise comparison of two tensors.

    Args:
        symbol: The comparison operator as a string.
        name: The name of the assertion.
        function: The comparison.
        x: A tensor.
        y: A tensor.
        message: A prefix for the error message, or None.
        summarize: The number of values shown per tensor.
    """
    if symbol == "==":
        thread.scope.graph.unique_name(name)  # reserves an unused scope name
    with thread.scope.graph.name_scope(name):
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, name="y")
        said = f"Condition x {symbol} y did not hold element-wise:"
        data = [said, f"x ({_name(x)}) = ", x, f"y ({_name(y)}) = ", y]
        data = data if message is None else [message, *data]
        return checked(function(x, y), data, summarize)


def signed(
    symbol: str,
    name: str,
    inner: str,
    holds: Callable[[Any, Any], Any],
    x: Any,
    message: str,
    summarize: Any,
) -> Any:
    """Asserts an element-wise comparison of a tensor with zero.

    Args:
        symbol: The comparison operator as a string.
        name: The name of the assertion.
        inner: The name scope of the inner assertion.
        holds: The comparison of the tensor and zero.
        x: A tensor.
        message: A prefix for the error message.
        summarize: The number of values shown.
    """
    with thread.scope.graph.name_scope(name):
        x = convert_to_tensor(x, name="x")
        zero = convert_to_tensor(0, dtype=x.dtype)
        said = f"Condition x {symbol} 0 did not hold element-wise:"
        with thread.scope.graph.name_scope(inner):
            return checked(holds(x, zero), [message, said, f"x ({_name(x)}) = ", x], summarize)


def _name(x: Any) -> str:
    return getattr(thread.scope.graph.own(x), "name", "")


# ------------------------------------------------------------------ formatting of values


def summary(array: Any, count: int) -> str:
    """Formats the first ``count`` values of an array (all if negative), with brackets per row."""
    limit = array.size if count < 0 else min(count, array.size)
    if not array.ndim:
        return _format_element(array[()])
    text, _ = _rows(array, limit)
    return f"{text}..." if limit < array.size and not text.endswith("...") else text


def _rows(array: Any, limit: int) -> tuple[str, int]:
    """Formats at most ``limit`` values, and returns the string and the number of values."""
    if array.ndim == 1:
        text = " ".join(map(_format_element, array[:limit]))
        return text, min(limit, len(array))
    parts, used = [], 0
    for row in array:
        if used >= limit:
            break
        text, count = _rows(row, limit - used)
        cut = count < row.size and row.ndim == 1
        parts.append(f"[{text}{'...' if cut else ''}]")
        used += count
    return "".join(parts), used


def _format_element(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, (float, np.floating)):
        return f"{float(value):.6g}"
    return str(int(value)) if isinstance(value, (bool, np.bool_)) else str(value)
