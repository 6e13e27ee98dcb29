"""Element-wise comparisons, logical ops and bitwise ops."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.dtypes import ANY, INTEGERS, ORDERED
from twinflow._src.core.shapes import broadcast, same
from twinflow._src.dispatch.op import Bools, OpFunction, named, op


def _comparison(type: str, name: str, symbol: str, **options: Any) -> OpFunction:
    """Defines the comparison by a function of the array module."""

    def compare(xp: Any, x: Any, y: Any) -> Any:
        result = getattr(xp, name)(x, y)
        return result if result.dtype.kind == "b" else result.astype(bool)  # of strings: objects

    doc = f"Returns True where x {symbol} y, element-wise.\n\nReturns:\n    A boolean tensor."
    define = op(
        type,
        no_gradient=True,
        api=(name, f"math.{name}"),
        r=symbol,
        shape=broadcast,
        **options,
    )
    return define(named(compare, name, doc))


equal = _comparison("Equal", "equal", "==", dtypes=ANY, each=True)
equal.native("x == y")
not_equal = _comparison("NotEqual", "not_equal", "!=", dtypes=ANY, each=True)
not_equal.native("x != y")
less = _comparison("Less", "less", "<", dtypes=ORDERED, ufunc="less")
less.cuda("x < y")
less_equal = _comparison("LessEqual", "less_equal", "<=", dtypes=ORDERED, ufunc="less_equal")
less_equal.cuda("x <= y")
greater = _comparison("Greater", "greater", ">", dtypes=ORDERED, ufunc="greater")
greater.cuda("x > y")
greater_equal = _comparison(
    "GreaterEqual", "greater_equal", ">=", dtypes=ORDERED, ufunc="greater_equal"
)
greater_equal.cuda("x >= y")


def _logical(type: str, name: str, word: str, symbol: str) -> OpFunction:
    """Defines the op of two booleans by a function of the array module."""

    def combine(xp: Any, x: Bools, y: Bools) -> Any:
        return getattr(xp, name)(x, y)

    api, doc = (name, f"math.{name}"), f"Returns the logical {word} of x and y, element-wise."
    define = op(type, no_gradient=True, api=api, r=symbol, shape=broadcast, each=True)
    function = define(named(combine, name, doc))
    function.cuda(f"x {symbol}{symbol} y")
    function.scalar(f"{{x}} {symbol} {{y}}")
    return function


logical_and = _logical("LogicalAnd", "logical_and", "AND", "&")
logical_or = _logical("LogicalOr", "logical_or", "OR", "|")


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


def _bitwise(type: str, name: str, word: str) -> OpFunction:
    """Defines the op of the bits of two integers by a function of the array module."""

    def combine(xp: Any, x: Any, y: Any) -> Any:
        return getattr(xp, name)(x, y)

    api, doc = f"bitwise.{name}", f"Returns the bitwise {word} of x and y, element-wise."
    define = op(type, no_gradient=True, api=api, shape=broadcast, dtypes=INTEGERS, each=True)
    return define(named(combine, name, doc))


bitwise_and = _bitwise("BitwiseAnd", "bitwise_and", "AND")
bitwise_or = _bitwise("BitwiseOr", "bitwise_or", "OR")
bitwise_xor = _bitwise("BitwiseXor", "bitwise_xor", "XOR")


@op("Invert", no_gradient=True, api="bitwise.invert", shape=same, dtypes=INTEGERS, bulk="invert")
def invert(xp: Any, x: Any) -> Any:
    """Inverts all bits of x, element-wise."""
    return xp.invert(x)
