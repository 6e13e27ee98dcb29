"""Element-wise comparisons, logical ops and bitwise ops."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.dtypes import ANY, INTEGERS, ORDERED
from twinflow._src.core.shapes import broadcast, same
from twinflow._src.dispatch.op import Bools, op


def _truth(xp: Any, result: Any) -> Any:
    """Converts a comparison result to bool; comparisons of strings return objects."""
    return result if result.dtype.kind == "b" else result.astype(bool)


@op(
    "Equal",
    no_gradient=True,
    api=("equal", "math.equal"),
    r="==",
    shape=broadcast,
    dtypes=ANY,
    each=True,
)
def equal(xp: Any, x: Any, y: Any) -> Any:
    """Returns True where x == y, element-wise.

    Returns:
        A boolean tensor.
    """
    return _truth(xp, xp.equal(x, y))


equal.native("x == y")


@op(
    "NotEqual",
    no_gradient=True,
    api=("not_equal", "math.not_equal"),
    r="!=",
    shape=broadcast,
    dtypes=ANY,
    each=True,
)
def not_equal(xp: Any, x: Any, y: Any) -> Any:
    """Returns True where x != y, element-wise.

    Returns:
        A boolean tensor.
    """
    return _truth(xp, xp.not_equal(x, y))


not_equal.native("x != y")


@op(
    "Less",
    ufunc="less",
    no_gradient=True,
    api=("less", "math.less"),
    r="<",
    shape=broadcast,
    dtypes=ORDERED,
)
def less(xp: Any, x: Any, y: Any) -> Any:
    """Returns True where x < y, element-wise.

    Returns:
        A boolean tensor.
    """
    return xp.less(x, y)


less.cuda("x < y")


@op(
    "LessEqual",
    ufunc="less_equal",
    no_gradient=True,
    api=("less_equal", "math.less_equal"),
    r="<=",
    shape=broadcast,
    dtypes=ORDERED,
)
def less_equal(xp: Any, x: Any, y: Any) -> Any:
    """Returns True where x <= y, element-wise.

    Returns:
        A boolean tensor.
    """
    return xp.less_equal(x, y)


less_equal.cuda("x <= y")


@op(
    "Greater",
    ufunc="greater",
    no_gradient=True,
    api=("greater", "math.greater"),
    r=">",
    shape=broadcast,
    dtypes=ORDERED,
)
def greater(xp: Any, x: Any, y: Any) -> Any:
    """Returns True where x > y, element-wise.

    Returns:
        A boolean tensor.
    """
    return xp.greater(x, y)


greater.cuda("x > y")


@op(
    "GreaterEqual",
    ufunc="greater_equal",
    no_gradient=True,
    api=("greater_equal", "math.greater_equal"),
    r=">=",
    shape=broadcast,
    dtypes=ORDERED,
)
def greater_equal(xp: Any, x: Any, y: Any) -> Any:
    """Returns True where x >= y, element-wise.

    Returns:
        A boolean tensor.
    """
    return xp.greater_equal(x, y)


greater_equal.cuda("x >= y")


@op(
    "LogicalAnd",
    no_gradient=True,
    api=("logical_and", "math.logical_and"),
    r="&",
    shape=broadcast,
    each=True,
)
def logical_and(xp: Any, x: Bools, y: Bools) -> Any:
    """Returns the logical AND of x and y, element-wise."""
    return xp.logical_and(x, y)


logical_and.cuda("x && y")
logical_and.scalar("{x} & {y}")


@op(
    "LogicalOr",
    no_gradient=True,
    api=("logical_or", "math.logical_or"),
    r="|",
    shape=broadcast,
    each=True,
)
def logical_or(xp: Any, x: Bools, y: Bools) -> Any:
    """Returns the logical OR of x and y, element-wise."""
    return xp.logical_or(x, y)


logical_or.cuda("x || y")
logical_or.scalar("{x} | {y}")


@op(
    "LogicalNot",
    no_gradient=True,
    api=("logical_not", "math.logical_not"),
    r="!",
    shape=same,
    bulk="logical_not",
)
def logical_not(xp: Any, x: Bools) -> Any:
    """Returns the logical NOT of x, element-wise."""
    return xp.logical_not(x)


logical_not.cuda("!x")
logical_not.scalar("{x} == False")


@op(
    "BitwiseAnd",
    no_gradient=True,
    api="bitwise.bitwise_and",
    shape=broadcast,
    dtypes=INTEGERS,
    each=True,
)
def bitwise_and(xp: Any, x: Any, y: Any) -> Any:
    """Returns the bitwise AND of x and y, element-wise."""
    return xp.bitwise_and(x, y)


@op(
    "BitwiseOr",
    no_gradient=True,
    api="bitwise.bitwise_or",
    shape=broadcast,
    dtypes=INTEGERS,
    each=True,
)
def bitwise_or(xp: Any, x: Any, y: Any) -> Any:
    """Returns the bitwise OR of x and y, element-wise."""
    return xp.bitwise_or(x, y)


@op(
    "BitwiseXor",
    no_gradient=True,
    api="bitwise.bitwise_xor",
    shape=broadcast,
    dtypes=INTEGERS,
    each=True,
)
def bitwise_xor(xp: Any, x: Any, y: Any) -> Any:
    """Returns the bitwise XOR of x and y, element-wise."""
    return xp.bitwise_xor(x, y)


@op("Invert", no_gradient=True, api="bitwise.invert", shape=same, dtypes=INTEGERS, bulk="invert")
def invert(xp: Any, x: Any) -> Any:
    """Inverts all bits of x, element-wise."""
    return xp.invert(x)
