"""Native code of one element: the formulas of elementwise operations as LLVM instructions.

The formulas are those of GPU kernels (``@op.cuda``), in which ``number`` is the type of the
computation. Functions of float32 are TensorFlow's formulas, as on the host (docs/adr/0008); those that
have none, and up to seven elements, are computed in float64 and rounded once, by polynomials that LLVM
turns into vector instructions. Those of float64 are the C library's.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import llvmlite.binding as binding
import numpy as np
from llvmlite import ir

from twinflow._src.backends.cpu.llvm import Register, RegisterArithmetic
from twinflow._src.numerics import float32_formulas

_DOUBLE, _I32, _I64, _BOOL = ir.DoubleType(), ir.IntType(32), ir.IntType(64), ir.IntType(1)
TYPES: dict[str, ir.Type] = {
    "b1": _BOOL,
    "f4": ir.FloatType(),
    "f8": _DOUBLE,
    **{f"{kind}{size}": ir.IntType(8 * size) for kind in "iu" for size in (1, 2, 4, 8)},
}
_TOKEN = re.compile(r"\s*(\d+\.?\d*(?:[eE][-+]?\d+)?|[A-Za-z_]\w*|&&|\|\||[<>=!]=|[-+*/<>?:(),!])")
_LEVELS = (("||",), ("&&",), ("==", "!="), ("<", "<=", ">", ">="), ("+", "-"), ("*", "/"))
_FLOAT_OPS = {"+": "fadd", "-": "fsub", "*": "fmul", "/": "fdiv"}
_INT_OPS = {"+": "add", "-": "sub", "*": "mul"}
_COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">="))
_INTRINSICS = {
    "sqrt": "sqrt", "rint": "rint", "floor": "floor", "ceil": "ceil", "fabs": "fabs",
}  # fmt: skip
# The C library's functions of one argument; those that are missing on a platform are unsupported.
_LIBRARY = frozenset(
    [
        "exp",
        "expm1",
        "log",
        "log1p",
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "asinh",
        "acosh",
        "atanh",
        "erf",
        "erfc",
        "lgamma",
    ]
)
_LIBRARY_OF_TWO = frozenset(("pow", "fmod", "atan2"))
_LN2 = math.log(2)
# Functions of one argument with a formula of TensorFlow's; and what those are otherwise that no library has.
_FORMULAS = frozenset(
    ("erf", "erfc", "exp", "expm1", "log", "log1p", "sigmoid", "softplus", "tanh")
)
_COMPOSITES = {
    "sigmoid": "exp(x > 40 ? 40 : x) / (exp(x > 40 ? 40 : x) + 1)",
    "softplus": "(x < 0 ? 0 : x) + log1p(exp(-fabs(x)))",
}


class Unsupported(Exception):
    """An operation or dtype that has no native code."""


class Scalar(NamedTuple):
    """A value in a register and its dtype, such as "f4"."""

    value: Any
    key: str


def key_of(dtype: np.dtype[Any]) -> str:
    """Returns the name of a dtype; raises Unsupported if it has no native code."""
    key = f"{'b' if dtype.kind == 'b' else dtype.kind}{dtype.itemsize}"
    if key not in TYPES or not dtype.isnative:
        raise Unsupported(dtype)
    return key


class Scalars:
    """Emits arithmetic on scalars at the position of a builder.

    Attributes:
        is_single: True if functions of float32 have TensorFlow's formulas, as vectors have there.
    """

    is_single = False

    def __init__(self, module: ir.Module, builder: ir.IRBuilder) -> None:
        self.module, self.builder = module, builder

    def constant(self, value: Any, key: str) -> Scalar:
        """Returns a constant."""
        number = float(value) if key[0] == "f" else int(value)
        return Scalar(ir.Constant(TYPES[key], number), key)

    def cast(self, x: Any, key: str) -> Scalar:
        """Converts a scalar or number to a dtype; floats have no conversion to integers."""
        if not isinstance(x, Scalar):
            return self.constant(x, key)
        if x.key == key:
            return x
        b, to, source = self.builder, TYPES[key], x.key
        if key == "b1":
            return self.operate("!=", x, self.constant(0, source))
        if source[0] == "f":
            if key[0] != "f":
                raise Unsupported(f"{source} to {key}")
            return Scalar((b.fpext if key == "f8" else b.fptrunc)(x.value, to), key)
        if key[0] == "f":
            return Scalar((b.sitofp if source[0] == "i" else b.uitofp)(x.value, to), key)
        if int(key[1:]) < int(source[1:]):
            return Scalar(b.trunc(x.value, to), key)
        if int(key[1:]) == int(source[1:]) and source != "b1":
            return Scalar(x.value, key)
        return Scalar((b.sext if source[0] == "i" else b.zext)(x.value, to), key)

    def operate(self, sign: str, x: Any, y: Any) -> Any:
        """Applies a C operator to scalars of one dtype, or to a scalar and a number."""
        if not isinstance(x, Scalar) and not isinstance(y, Scalar):
            return eval(f"x {sign} y", {}, {"x": x, "y": y})
        key = x.key if isinstance(x, Scalar) else y.key
        x, y, b = self.cast(x, key), self.cast(y, key), self.builder
        if sign in ("&&", "||"):
            return Scalar((b.and_ if sign == "&&" else b.or_)(x.value, y.value), "b1")
        if sign in _COMPARISONS:
            if key[0] == "f":
                compare = b.fcmp_unordered if sign == "!=" else b.fcmp_ordered
            else:
                compare = b.icmp_signed if key[0] == "i" else b.icmp_unsigned
            return Scalar(compare(sign, x.value, y.value), "b1")
        name = (_FLOAT_OPS if key[0] == "f" else _INT_OPS).get(sign)
        if name is None or key == "b1":
            raise Unsupported(f"{key} {sign} {key}")
        return Scalar(getattr(b, name)(x.value, y.value), key)

    def select(self, condition: Scalar, x: Any, y: Any) -> Any:
        """Returns one of two values."""
        key = x.key if isinstance(x, Scalar) else y.key if isinstance(y, Scalar) else None
        if key is None:  # two literals, such as "x > 0 ? 1 : 0"
            return Choice(condition, x, y)
        x, y = self.cast(x, key), self.cast(y, key)
        return Scalar(self.builder.select(condition.value, x.value, y.value), key)

    def call(self, name: str, *args: Any) -> Scalar:
        """Calls a function of the formulas."""
        key = next(x.key for x in args if isinstance(x, Scalar))
        args = tuple(self.cast(x, key) for x in args)
        x = args[0]
        if name in ("max", "min"):
            return self.select(self.operate(">" if name == "max" else "<", *args), *args)
        if name == "fabs" and key[0] == "i":
            return self.select(self.operate("<", x, 0), self.operate("-", 0, x), x)
        if key[0] != "f":
            raise Unsupported(f"{name} of {key}")
        if name == "isnan":
            return self.operate("!=", x, x)
        if name in ("isinf", "isfinite"):
            size = self.call("fabs", x)
            return self.operate("==" if name == "isinf" else "<", size, math.inf)
        if name in _INTRINSICS:
            return Scalar(self._intrinsic(_INTRINSICS[name], x.value), key)
        if key == "f8" and name == "lgamma":
            raise Unsupported("the C library's lgamma is off by 1,770 ulp near its zeros")
        is_formula = key == "f4" and (self.is_single or name in ("tanh", "erf", "erfc"))
        if is_formula and name in _FORMULAS:
            formula, m = getattr(float32_formulas, name), RegisterArithmetic(self.builder)
            return Scalar(formula(m, Register(self.builder, x.value)).value, key)
        if name in _COMPOSITES:
            return self.cast(Formula(_COMPOSITES[name]).emit(self, {"x": x}, key), key)
        if key == "f8":
            return self._library(name, args)
        wide = [self.cast(arg, "f8") for arg in args]
        polynomial = getattr(self, f"_{name}", None)
        value = self._library(name, wide) if polynomial is None else polynomial(*wide)
        return self.cast(value, "f4")

    def _intrinsic(self, name: str, value: Any) -> Any:
        function = self.module.declare_intrinsic(f"llvm.{name}", [value.type])
        return self.builder.call(function, [value])

    def _library(self, name: str, args: Sequence[Scalar]) -> Scalar:
        names = _LIBRARY if len(args) == 1 else _LIBRARY_OF_TWO
        if name not in names or binding.address_of_symbol(name) is None:
            raise Unsupported(name)
        function = self.module.globals.get(name)
        if function is None:
            kind = ir.FunctionType(_DOUBLE, [_DOUBLE] * len(args))
            function = ir.Function(self.module, kind, name)
            for attribute in ("nounwind", "readnone"):
                function.attributes.add(attribute)
        return Scalar(self.builder.call(function, [arg.value for arg in args]), "f8")

    # ---------------------------------------------------------------- functions of float32
    # Of numbers in float64 that were float32. Relative errors are below 2^-36, so that one result
    # in thousands is not the nearest float32, but the one beside it.
    def _series(self, x: Scalar, coefficients: Sequence[float]) -> Scalar:
        """Returns a polynomial; the constant coefficient comes first."""
        total: Any = coefficients[-1]
        for coefficient in coefficients[-2::-1]:
            total = self.operate("+", self.operate("*", total, x), coefficient)
        return total

    def _exp(self, x: Scalar) -> Scalar:
        """Returns 2^k exp(r) with the Taylor series of exp up to r^9, where |r| <= ln(2) / 2."""
        b, op = self.builder, self.operate
        x = self.select(op("<", x, -120.0), -120.0, x)
        x = self.select(op(">", x, 120.0), 120.0, x)
        # adding 1.5 * 2^52 rounds to an integer, which is then in the low bits
        shifter = 1.5 * 2.0**52
        shifted = op("+", op("*", x, 1 / _LN2), shifter)
        k = op("-", shifted, shifter)
        high = math.ldexp(math.floor(math.ldexp(_LN2, 32)), -32)
        r = op("-", op("-", x, op("*", k, high)), op("*", k, _LN2 - high))
        power = b.shl(b.bitcast(shifted.value, _I64), ir.Constant(_I64, 52))
        power = b.add(power, ir.Constant(_I64, 1023 << 52))
        series = self._series(r, [1 / math.factorial(n) for n in range(10)])
        return op("*", series, Scalar(b.bitcast(power, _DOUBLE), "f8"))

    def _expm1(self, x: Scalar) -> Scalar:
        """Returns exp(x) - 1, near 0 by the Taylor series."""
        series = self._series(x, [1 / math.factorial(n + 1) for n in range(9)])
        near = self.operate("<", self.call("fabs", x), 0.25)
        return self.select(near, self.operate("*", series, x), self.operate("-", self._exp(x), 1.0))

    def _log(self, x: Scalar) -> Scalar:
        """Returns k ln(2) + 2 artanh(s) with x = 2^k m, s = (m - 1) / (m + 1)."""
        b, op = self.builder, self.operate
        integer = lambda value: ir.Constant(_I64, value)
        bits = b.bitcast(x.value, _I64)
        # the exponent of x / sqrt(1/2), so that m is between sqrt(1/2) and sqrt(2)
        least = int(np.float64(math.sqrt(0.5)).view(np.int64))
        moved = b.ashr(b.sub(bits, integer(least)), integer(52))
        m = Scalar(b.bitcast(b.sub(bits, b.shl(moved, integer(52))), _DOUBLE), "f8")
        k = Scalar(b.sitofp(b.trunc(moved, ir.IntType(32)), _DOUBLE), "f8")
        s = op("/", op("-", m, 1.0), op("+", m, 1.0))
        series = self._series(op("*", s, s), [2 / (2 * n + 1) for n in range(9)])
        result = op("+", op("*", k, _LN2), op("*", s, series))
        result = self.select(op("<", x, math.inf), result, x)  # also NaN
        result = self.select(op("==", x, 0.0), -math.inf, result)
        return self.select(op("<", x, 0.0), math.nan, result)

    def _log1p(self, x: Scalar) -> Scalar:
        """Returns log(1 + x), corrected for what the sum loses."""
        op = self.operate
        total = op("+", x, 1.0)
        same = op("==", total, 1.0)
        lost = op("-", x, op("-", total, 1.0))
        log = op("+", self._log(total), op("/", lost, total))
        edge = self.select(op("<", x, math.inf), log, x)
        edge = self.select(op("<=", x, -1.0), self._log(total), edge)
        return self.select(same, x, edge)


class Choice(NamedTuple):
    """A choice between two literals, which has the dtype of what it meets."""

    condition: Scalar
    x: Any
    y: Any


class Formula:
    """A C expression, evaluated to instructions.

    Args:
        text: The expression: operators, ``?:``, calls, literals and names.
    """

    def __init__(self, text: str) -> None:
        self._tokens = _TOKEN.findall(text)
        if "".join(self._tokens) != re.sub(r"\s", "", text):
            raise Unsupported(text)

    def emit(self, scalars: Scalars, names: dict[str, Scalar], number: str) -> Any:
        """Returns the value for some operands; ``number`` is the dtype of the computation."""
        self._scalars, self._names, self._number = scalars, names, number
        self._position = 0
        return self._ternary()

    def _next(self) -> str:
        self._position += 1
        return self._tokens[self._position - 1]

    def _is_next(self, *signs: str) -> bool:
        return self._position < len(self._tokens) and self._tokens[self._position] in signs

    def _ternary(self) -> Any:
        condition = self._binary(0)
        if not self._is_next("?"):
            return condition
        self._next()
        x = self._ternary()
        self._next()
        y = self._ternary()
        x, y = (self._typed(v) if isinstance(v, Choice) else v for v in (x, y))
        return self._scalars.select(condition, x, y)

    def _typed(self, value: Any) -> Any:
        """Returns a choice of literals in the dtype of the computation."""
        if not isinstance(value, Choice):
            return value
        x, y = (self._scalars.cast(v, self._number) for v in (value.x, value.y))
        return self._scalars.select(value.condition, x, y)

    def _binary(self, level: int) -> Any:
        if level == len(_LEVELS):
            return self._unary()
        x = self._binary(level + 1)
        while self._is_next(*_LEVELS[level]):
            sign = self._next()
            x = self._scalars.operate(sign, self._typed(x), self._typed(self._binary(level + 1)))
        return x

    def _unary(self) -> Any:
        if not self._is_next("-", "!"):
            return self._primary()
        sign, x = self._next(), self._unary()
        if sign == "!":
            return Scalar(self._scalars.builder.not_(x.value), "b1")
        if not isinstance(x, Scalar):
            return -x
        if x.key[0] == "f":
            return Scalar(self._scalars.builder.fneg(x.value), x.key)
        return self._scalars.operate("-", 0, x)

    def _primary(self) -> Any:
        token = self._next()
        if token == "(":
            value = self._ternary()
            self._next()
            return value
        if token[0].isdigit():
            return float(token) if re.search(r"[.eE]", token) else int(token)
        if not self._is_next("("):
            if token not in self._names:
                raise Unsupported(token)
            return self._names[token]
        self._next()
        args = [self._ternary()]
        while self._next() == ",":
            args.append(self._ternary())
        args = [self._typed(x) for x in args]
        if token == "number":
            return self._scalars.cast(args[0], self._number)
        return self._scalars.call(token, *args)
