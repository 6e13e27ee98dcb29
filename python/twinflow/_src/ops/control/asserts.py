"""Assertions on values (``tf.debugging``), in graphs, too, and ``tf.debugging.check_numerics``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from twinflow._src.control_flow.py_function import later
from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import REALS, int32, string
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import same
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.op import API, Call, documented_like, export, op
from twinflow._src.graph.static_values import array_of
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.ops.array.gather import boolean_mask, where
from twinflow._src.ops.elementwise.arithmetic import abs as absolute
from twinflow._src.ops.elementwise.arithmetic import add, multiply, subtract
from twinflow._src.ops.elementwise.cast import identity
from twinflow._src.ops.elementwise.compare import (
    equal,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_not,
    not_equal,
)
from twinflow._src.ops.reduce.reduce import reduce_all


def _prefix(message: Any) -> str:
    return f"{message}.  " if message else ""


def describe(x: Any) -> str:
    """Returns a tensor's shape and dtype for an error message."""
    if isinstance(x, SymbolicTensor):
        return x.name
    return f"shape={x.shape} dtype={x.dtype.name}"


def _format_values(x: Any, summarize: int) -> str:
    """Returns the first values of a tensor as a string for an error message."""
    if not isinstance(x, Tensor):
        return str(x)
    array = convert_to_tensor(x)._host()
    if not array.ndim:
        return str(array[()])
    flat = array.reshape(-1)
    shown = [str(v) for v in flat[:summarize]]
    return str(shown + ["..."] if len(shown) < flat.size else shown)


@export("debugging.Assert", "Assert")
def Assert(condition: Any, data: Any, summarize: int | None = None, name: str | None = None) -> Any:
    """Raises InvalidArgumentError with the given data if a condition is False.

    Args:
        condition: A boolean scalar.
        data: The tensors to show in the error message.
        summarize: The number of values shown per tensor; -1 for all, 3 if None.

    Returns:
        None; in a graph the assert operation.

    Raises:
        InvalidArgumentError: The condition is False.
    """
    if thread.scope.graph is not None:
        return _add_assert(condition, data, summarize)
    if condition:
        return None
    if not isinstance(data, Sequence):
        raise TypeError("values must be a sequence.")
    lines = []
    for item in data:
        x = convert_to_tensor(item)
        array = x._host()
        count = 3 if summarize is None else array.size if summarize < 0 else summarize
        if array.ndim:
            flat = array.reshape(-1)
            shown = [str(v) for v in flat[:count]] + (["..."] if count < flat.size else [])
        else:
            shown = [str(array[()])] if count != 0 else []
        lines.append(", ".join(shown))
    listed = "\n".join(lines)
    raise invalid(f"Expected '{condition!s}' to be true. Summarized data: {listed}")


# ------------------------------------------------------------------ comparisons


def _compare(
    symbol: str,
    function: Callable[..., Any],
    x: Any,
    y: Any,
    message: Any,
    summarize: Any,
    data: list[Any] | None = None,
) -> None:
    x, y = convert_to_tensor(x), convert_to_tensor(y)
    holds = function(x, y)
    if reduce_all(holds):
        return
    if summarize is None:
        summarize = 3
    elif summarize < 0:
        summarize = int(1e9)
    if data is None:
        data = _differing(symbol, x, y, summarize, holds)
    if message is not None:
        data = [message, *data]
    raise invalid("\n".join(_format_values(item, summarize) for item in data))


def _differing(symbol: str, x: Any, y: Any, summarize: int, holds: Any) -> list[Any]:
    """Returns the error data of a failed comparison: differing elements and first elements."""
    data: list[Any] = [f"Condition x {symbol} y did not hold."]
    if summarize <= 0:
        return data
    if x.shape == y.shape and x.shape.as_list():
        bad = logical_not(holds)
        indices = where(bad).numpy()
        count = min(summarize, len(indices))
        data += [f"Indices of first {count} different values:", indices[:count]]
        for name, tensor in (("x", x), ("y", y)):
            values = boolean_mask(tensor, bad).numpy().reshape(-1)
            data += [f"Corresponding {name} values:", values[:count]]
    for name, tensor in (("x", x), ("y", y)):
        flat = np.reshape(tensor.numpy(), (-1,))
        count = min(flat.size, summarize)
        data += [f"First {count} elements of {name}:", flat[:count]]
    return data


_MESSAGE_DOC = "message: What the error's text begins with."
_SUMMARIZE_DOC = "summarize: How many values of each tensor are shown; -1 for all, 3 where None."
# One assertion of TensorFlow takes the two arguments in the other order.
_ORDERS = ((_MESSAGE_DOC, _SUMMARIZE_DOC), (_SUMMARIZE_DOC, _MESSAGE_DOC))


def _documentation(condition: str, *arguments: str) -> str:
    listed = "\n        ".join(arguments)
    return f"""Raises an error unless x {condition} for all elements.

    Args:
        {listed}
        name: A name for the operation.

    Returns:
        None.

    Raises:
        InvalidArgumentError: The condition does not hold for some elements.
    """


def _binary(symbol: str, name: str, function: Callable[..., Any], *api: str) -> Callable[..., Any]:
    label = name

    def assertion(
        x: Any, y: Any, message: Any = None, summarize: Any = None, name: str | None = None
    ) -> Any:
        if thread.scope.graph is not None:
            return _assert_comparison(symbol, name or label, function, x, y, message, summarize)
        if x is y and symbol == "==":
            return None  # NaN does not differ from itself here
        return _compare(symbol, function, x, y, message, summarize)

    def swapped(
        x: Any, y: Any, summarize: Any = None, message: Any = None, name: str | None = None
    ) -> Any:
        return assertion(x, y, message, summarize, name)

    public = swapped if symbol == "!=" else assertion
    public.__name__ = public.__qualname__ = name
    both = "x: A tensor.", "y: A tensor of the same type, broadcast against x."
    public.__doc__ = _documentation(f"{symbol} y", *both, *_ORDERS[symbol == "!="])
    return export(f"debugging.{name}", *api)(public)


assert_equal = _binary("==", "assert_equal", equal, "assert_equal")
assert_none_equal = _binary("!=", "assert_none_equal", not_equal)
assert_less = _binary("<", "assert_less", less, "assert_less")
assert_less_equal = _binary("<=", "assert_less_equal", less_equal)
assert_greater = _binary(">", "assert_greater", greater, "assert_greater")
assert_greater_equal = _binary(">=", "assert_greater_equal", greater_equal)


def _compare_with_zero(
    symbol: str, flipped: bool, function: Callable[..., Any], x: Any, message: Any, summarize: Any
) -> Any:
    x = convert_to_tensor(x)
    failed, shown = f"Condition x {symbol} 0 did not hold element-wise:", f"x ({describe(x)}) = "
    lines = [failed, shown] if symbol != "<=" else [failed + shown]
    zero = convert_to_tensor(0, dtype=x.dtype)
    first, second = (zero, x) if flipped else (x, zero)
    return _compare(symbol, function, first, second, None, summarize, [_prefix(message), *lines, x])


def _sign(symbol: str, name: str, flipped: bool, function: Callable[..., Any]) -> Any:
    label, inner = name, "assert_less_equal" if "=" in symbol else "assert_less"

    def assertion(
        x: Any, message: Any = None, summarize: Any = None, name: str | None = None
    ) -> Any:
        if thread.scope.graph is None:
            return _compare_with_zero(symbol, flipped, function, x, message, summarize)
        holds = (lambda x, zero: function(zero, x)) if flipped else function
        arguments = name or label, inner, holds, x, _prefix(message), summarize
        return _assert_sign(symbol, *arguments)

    assertion.__name__ = assertion.__qualname__ = name
    shown = "summarize: How many values are shown; -1 for all, 3 where None."
    assertion.__doc__ = _documentation(
        f"{symbol} 0", "x: A tensor of numbers.", _MESSAGE_DOC, shown
    )
    return export(f"debugging.{name}")(assertion)


assert_negative = _sign("<", "assert_negative", False, less)
assert_positive = _sign(">", "assert_positive", True, less)
assert_non_negative = _sign(">=", "assert_non_negative", True, less_equal)
assert_non_positive = _sign("<=", "assert_non_positive", False, less_equal)


@export("debugging.assert_near")
@documented_like(Assert)
def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    message: Any = None,
    summarize: Any = None,
    name: str | None = None,
) -> Any:
    """Raises InvalidArgumentError unless x and y are element-wise close.

    Args:
        x: A floating-point or complex tensor.
        y: A tensor of the same dtype, broadcast with x.
        rtol: The tolerance relative to y; ten times the machine epsilon of the dtype if None.
        atol: The absolute tolerance; ten times the machine epsilon of the dtype if None.
        message: A prefix for the error message.

    Raises:
        InvalidArgumentError: Some elements are not close.
    """
    if thread.scope.graph is not None:
        with thread.scope.graph.name_scope(name or "assert_near"):
            return _assert_near(x, y, rtol, atol, message, summarize)
    return _assert_near(x, y, rtol, atol, message, summarize)


def _assert_near(x: Any, y: Any, rtol: Any, atol: Any, message: Any, summarize: Any) -> Any:
    x = convert_to_tensor(x, name="x")
    y = convert_to_tensor(y, dtype=x.dtype, name="y")
    real = x.dtype.real_dtype
    if not real.is_floating:
        raise ValueError(f"data type {real.np.type!r} not inexact")
    default = 10 * ml_dtypes.finfo(real.np).eps
    rtol = convert_to_tensor(default if rtol is None else rtol, dtype=real, name="rtol")
    atol = convert_to_tensor(default if atol is None else atol, dtype=real, name="atol")
    tolerance = add(atol, multiply(rtol, absolute(y)))
    text = f"x and y not equal to tolerance rtol = {rtol!s}, atol = {atol!s}"
    data = [_prefix(message), text, f"x ({describe(x)}) = ", x, f"y ({describe(y)}) = ", y]
    return Assert(reduce_all(less(absolute(subtract(x, y)), tolerance)), data, summarize)


# ------------------------------------------------------------------ NaN and inf


@op(
    "CheckNumerics",
    api="debugging.check_numerics",
    shape=same,
    dtypes=REALS,
    impure=True,
    moves=True,
    flat=True,
)
def check_numerics(xp: Any, tensor: Any, *, message: str) -> Any:
    """Returns a tensor, or raises InvalidArgumentError if it contains NaN or inf.

    Args:
        tensor: A floating-point tensor.
        message: A prefix for the error message.

    Returns:
        The tensor.

    Raises:
        InvalidArgumentError: The tensor contains NaN or inf.
    """
    if xp.isfinite(tensor).all():
        return tensor
    kinds = []
    if xp.isinf(tensor).any():
        kinds.append("Inf")
    if xp.isnan(tensor).any():
        kinds.append("NaN")
    raise invalid(f"{message} : Tensor had {' and '.join(kinds)} values")


check_numerics.batched(lambda call: call.first())


@check_numerics.gradient
def _(call: Call, dy: Any) -> Any:
    what = "Not a number (NaN) or infinity (Inf) values detected in gradient."
    return check_numerics(dy, message=f"{what} {call.attrs['message']}")


@export("debugging.assert_all_finite")
@documented_like(check_numerics)
def assert_all_finite(x: Any, message: str, name: str | None = None) -> Any:
    """Returns a tensor, or raises InvalidArgumentError if it contains NaN or inf.

    Args:
        x: A floating-point tensor.
    """
    return identity(check_numerics(x, message=message))


# ------------------------------------------------------------------ assertions in graphs

# They are evaluated at trace time if the values are static.


_UNGUARDED = (string, int32)  # data of these dtypes need no AssertGuard branch


def _add_assert(condition: Any, data: Sequence[Any], summarize: Any) -> Any:
    """Adds an Assert operation to the graph and returns it."""
    count = 3 if summarize is None else summarize
    with thread.scope.graph.name_scope("Assert"):
        tensors = [convert_to_tensor(x, name=f"data_{i}") for i, x in enumerate(data)]
        guarded = any(x.dtype not in _UNGUARDED for x in tensors)

        def check(holds: Any, *values: Any) -> None:
            if not holds:
                shown = " ".join(f"[{summary(v._host(), count)}]" for v in values)
                raise invalid(f"assertion failed: {shown}")

        name = "AssertGuard/Assert" if guarded else "Assert"
        attrs = {"summarize": count}
        return later("Assert", check, [condition, *tensors], name=name, fixed_attrs=attrs)


def _assert_all(holds: Any, data: Sequence[Any], summarize: Any) -> Any:
    """Asserts that all elements are True; raises at trace time if they are known statically."""
    condition = API["reduce_all"](holds)
    static, values = array_of(condition), [array_of(x) if is_tensor(x) else x for x in data]
    if static is not None and not static and all(v is not None for v in values):
        raise invalid("\n".join(map(str, values)))
    if static is not None and static:
        return API["no_op"]("static_checks_determined_all_ok")
    return _add_assert(condition, data, summarize)


def _assert_comparison(
    symbol: str,
    name: str,
    function: Callable[..., Any],
    x: Any,
    y: Any,
    message: Any,
    summarize: Any,
) -> Any:
    """Asserts an element-wise comparison of two tensors."""
    if symbol == "==":
        thread.scope.graph.unique_name(name)  # reserves an unused scope name
    with thread.scope.graph.name_scope(name):
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, name="y")
        text = f"Condition x {symbol} y did not hold element-wise:"
        data = [text, f"x ({_name(x)}) = ", x, f"y ({_name(y)}) = ", y]
        data = data if message is None else [message, *data]
        return _assert_all(function(x, y), data, summarize)


def _assert_sign(
    symbol: str,
    name: str,
    inner: str,
    holds: Callable[[Any, Any], Any],
    x: Any,
    message: str,
    summarize: Any,
) -> Any:
    """Asserts an element-wise comparison of a tensor with zero; ``inner`` is a name scope."""
    with thread.scope.graph.name_scope(name):
        x = convert_to_tensor(x, name="x")
        zero = convert_to_tensor(0, dtype=x.dtype)
        text = f"Condition x {symbol} 0 did not hold element-wise:"
        with thread.scope.graph.name_scope(inner):
            return _assert_all(holds(x, zero), [message, text, f"x ({_name(x)}) = ", x], summarize)


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
