"""Elementwise operations of many steps as one kernel of a GPU, written by running their own kernels on symbols.

What an operation's kernel asks of the array module becomes a line of C++ each: the formulas are those of the host, in the
same order and in the same precision. Rounds that go on until all elements have settled become a loop for each element.

Operations on each element that are several of CuPy's functions, as one kernel each.

Asking for a kernel costs the host as much as a million additions cost a GPU: what a formula holds is asked for once.
The formulas are texts that C++ and Python read alike, so that tests can compare them with the operations' own
kernels on a machine without a compiler for GPUs. Short floats are computed in float32 and rounded once.

Kernels of several operations on each element, which follow each other: each is rounded as it would be alone.

What kernels of a GPU are told besides arrays, and how many threads run them.
"""

from __future__ import annotations

import functools
import math
import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

# Elementwise operations of many steps as one kernel of a GPU, written by running their own
# kernels on symbols.


_NAMES = {"e": "float16", "f": "float32", "d": "float64"}
_C = {"?": "bool", "e": "float16", "f": "float", "d": "double"}
_DTYPES = {char: np.dtype(char) for char in _C}
_PREAMBLE = """
__device__ double twinflow_least(double x, double y) { return x < y || x != x ? x : y; }
__device__ double twinflow_most(double x, double y) { return x > y || x != x ? x : y; }
"""
_NUMBERS = "const double zero_ = 0.0, infinite_ = 1.0 / zero_, none_ = infinite_ - infinite_;"
# How C++ names a function; those that tell something give booleans.
_FUNCTIONS = {
    **dict.fromkeys(("exp", "log", "log1p", "sqrt", "sin", "cos", "tan", "floor", "fmod", "copysign"), ""),
    "abs": "fabs", "round": "rint", "power": "pow", "minimum": "twinflow_least", "maximum": "twinflow_most",
}  # fmt: skip
_TELLING = ("isnan", "isinf", "isfinite", "signbit")
_COMPARED = {"<", "<=", ">", ">=", "==", "!=", "&&", "||"}


class Symbol:
    """A number of a kernel that is being written.

    Args:
        writer: What writes the kernel.
        name: The number's name there.
        char: The letter of its type.
    """

    ndim, shape, size = 0, (), 1

    def __init__(self, writer: Writer, name: str, char: str) -> None:
        self.writer, self.name, self.char = writer, name, char

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type."""
        return _DTYPES[self.char]

    def astype(self, dtype: Any, copy: bool = True) -> Symbol:
        """The number in another type."""
        char = np.dtype(dtype).char
        short = "(float)" * ("e" in (char, self.char))  # there is no other way from and to it
        return (
            self if char == self.char else self.writer.line(char, f"({_C[char]}){short}{self.name}")
        )

    def any(self) -> bool:
        """Whether a round that some elements need is written down: it always is."""
        return True

    def __pow__(self, exponent: float) -> Symbol:
        twice: Any = self
        return twice * twice if exponent == 2 else self.writer.call("pow", self, exponent)

    def __neg__(self) -> Symbol:
        return self.writer.line(self.char, f"-{self.name}")

    def __invert__(self) -> Symbol:
        return self.writer.line("?", f"!{self.name}")

    __hash__ = None  # type: ignore[assignment]


def _operator(sign: str, turned: bool) -> Callable[[Symbol, Any], Symbol]:
    def apply(self: Symbol, other: Any) -> Symbol:
        first, second = (other, self) if turned else (self, other)
        common = self.writer.common(first, second)
        char = "f" if common == "e" else common
        text = f"{self.writer.text(first, char)} {sign} {self.writer.text(second, char)}"
        return self.writer.line("?" if sign in _COMPARED else char, text).astype(
            _DTYPES["?" if sign in _COMPARED else common]
        )

    return apply


for _name, _sign in {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "and": "&&",
    "or": "||",
}.items():
    setattr(Symbol, f"__{_name}__", _operator(_sign, False))
    setattr(Symbol, f"__r{_name}__", _operator(_sign, True))
for _name, _sign in {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}.items():
    setattr(Symbol, f"__{_name}__", _operator(_sign, False))


class Writer:
    """An array module whose arrays are symbols: what it is asked becomes a text.

    Attributes:
        lines: The text.
    """

    __name__ = "written"
    inf, nan, pi = math.inf, math.nan, math.pi
    float64, float32, ndarray = np.float64, np.float32, Symbol

    def __init__(self) -> None:
        self.lines: list[str] = [_NUMBERS]
        self._count = 0

    def __getattr__(self, name: str) -> Any:
        if name in _TELLING:
            return lambda x: self.line("?", f"{name}({x.name})")
        if name in _FUNCTIONS:
            return functools.partial(self.call, _FUNCTIONS[name] or name)
        raise AttributeError(name)

    def name(self) -> str:
        """A name that is new."""
        self._count += 1
        return f"t{self._count}_"

    def line(self, char: str, text: str) -> Symbol:
        """Writes down what a new number is."""
        name = self.name()
        self.lines.append(f"const {_C[char]} {name} = {text};")
        return Symbol(self, name, char)

    def common(self, *values: Any) -> str:
        """The letter of the type of a result: that of the widest symbol, as numbers of Python have none."""
        return max((x.char for x in values if isinstance(x, Symbol)), key="?efd".index)

    def text(self, value: Any, char: str = "d") -> str:
        """How a value is written beside others."""
        if isinstance(value, Symbol):
            return value.astype(_DTYPES[char]).name
        value, short = float(value), "(float16)(float)" * (char == "e")
        if not math.isfinite(value):
            return short + (
                "none_" if value != value else "infinite_" if value > 0 else "(-infinite_)"
            )
        return f"{short}({value!r})"

    def call(self, name: str, *values: Any) -> Symbol:
        """A function of C++."""
        return self.line("d", f"{name}({', '.join(self.text(x) for x in values)})")

    def where(self, condition: Symbol, one: Any, other: Any) -> Symbol:
        """One number or another."""
        char = (
            self.common(one, other) if isinstance(one, Symbol) or isinstance(other, Symbol) else "d"
        )
        return self.line(
            char, f"{condition.name} ? {self.text(one, char)} : {self.text(other, char)}"
        )

    def clip(self, x: Symbol, low: float, high: float) -> Symbol:
        """A number within bounds."""
        return self.call("twinflow_least", self.call("twinflow_most", x, low), high)

    def asarray(self, x: Any) -> Any:
        """The number."""
        return x

    def broadcast_arrays(self, *arrays: Any) -> tuple[Any, ...]:
        """The numbers: elements that belong together."""
        return arrays

    def full_like(self, x: Symbol, value: float) -> Symbol:
        """A number of a symbol's type."""
        return self.line(x.char, self.text(value, x.char))

    def ones_like(self, x: Symbol) -> Symbol:
        """One."""
        return self.full_like(x, 1.0)

    def zeros_like(self, x: Symbol) -> Symbol:
        """Zero."""
        return self.full_like(x, 0.0)

    def rounds(
        self, step: Callable[..., Any], first: int, most: int, apart: int, state: Sequence[Symbol]
    ) -> list[Symbol]:
        """A loop.

        Args:
            step: Called with the number of the round and the state; gives the state anew, and whether to go on.
            first: The number of the first round.
            most: The number of the one that does not come any more.
            apart: Whether to go on is asked every so many rounds.
            state: The state at first.
        """
        kept = [Symbol(self, self.name(), x.char) for x in state]
        self.lines += [
            f"{_C[x.char]} {x.name} = {given.name};" for x, given in zip(kept, state, strict=True)
        ]
        number = Symbol(self, self.name(), "d")
        self.lines.append(
            f"for (int i_{number.name} = {first}; i_{number.name} < {most}; ++i_{number.name}) {{"
        )
        self.lines.append(f"const double {number.name} = i_{number.name};")
        *new, moving = step(number, *kept)
        self.lines += [f"{x.name} = {given.name};" for x, given in zip(kept, new, strict=True)]
        self.lines.append(f"if (i_{number.name} % {apart} == 0 && !{moving.name}) break; }}")
        return kept


def written(
    kernel: Callable[..., Any], names: Sequence[str], chars: Sequence[str], **attrs: Any
) -> str:
    """The text of a kernel.

    Args:
        kernel: An operation's own kernel.
        names: The names of its inputs in the text.
        chars: The letters of their types.
        **attrs: Its attributes.
    """
    writer = Writer()
    given = [Symbol(writer, name, char) for name, char in zip(names, chars, strict=True)]
    result = kernel(writer, *given, **attrs)
    return "\n".join([*writer.lines, f"result_ = {result.name};"])


@functools.cache
def _kernel(cupy: Any, type: str, kernel: Callable[..., Any], chars: tuple[str, ...]) -> Any:
    names = [f"x{i}_" for i in range(len(chars))]
    inputs = ", ".join(f"{_NAMES[char]} {name}" for char, name in zip(chars, names, strict=True))
    text = written(kernel, names, chars)
    return cupy.ElementwiseKernel(
        inputs, f"{_NAMES[chars[0]]} result_", text, f"twinflow_{type}", preamble=_PREAMBLE
    )


def written_kernel(cupy: Any, type: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel of an operation that is written out.

    Args:
        cupy: The module.
        type: The type of the operation.
        kernel: The operation's own, which also refuses shapes.
    """

    def run(xp: Any, *arrays: Any) -> Any:
        chars = tuple(x.dtype.char for x in arrays)
        shapes = {x.shape for x in arrays if x.ndim}
        if not set(chars) <= _NAMES.keys() or (len(shapes) > 1 and type not in _SPREAD):
            return kernel(xp, *arrays)
        return _kernel(cupy, type, kernel, chars)(*arrays)

    return run


# Operations whose inputs spread over each other, and all that are written.
_SPREAD = frozenset(("Igamma", "Igammac", "IgammaGradA", "RandomGammaGrad", "Polygamma", "Zeta"))
WRITTEN = _SPREAD | frozenset(
    ("Betainc", "BesselI0", "BesselI0e", "BesselI1", "BesselI1e", "BesselK0", "BesselK0e", "BesselK1", "BesselK1e", "BesselY1",
     "Dawsn", "Digamma", "Erfinv", "Expint", "FresnelCos", "FresnelSin", "Ndtri", "Spence")
)  # fmt: skip


# Operations on each element that are several of CuPy's functions, as one kernel each.


_SELU_SCALE, _SELU = "1.0507009873554804934", "1.7580993408473768599"
_LOGISTIC = "where(x >= 0, one / (one + exp(-x)), exp(x) / (one + exp(x)))"

# By the type of an operation: the names of its inputs, which its attributes of the same names follow, and its result.
FORMULAS: dict[str, tuple[str, str]] = {
    "Sigmoid": ("x", _LOGISTIC),
    "Softplus": ("x", "where(x < 0, zero, x) + log1p(exp(-fabs(x)))"),
    "Relu": ("x", "where(x <= 0, zero, x)"),
    "Relu6": ("x", "where(x < 0, zero, where(x > 6, six, x))"),
    "LeakyRelu": ("x alpha", "where(x > 0, x, x * alpha)"),
    "Elu": ("x", "where(x < 0, exp(x) - one, x)"),
    "Selu": ("x", f"where(x < 0, number({_SELU}) * (exp(x) - one), number({_SELU_SCALE}) * x)"),
    "Softsign": ("x", "x / (fabs(x) + one)"),
    "Rsqrt": ("x", "one / sqrt(x)"),
    "Erf": ("x", "erf(x)"),
    "Erfc": ("x", "erfc(x)"),
    "Lgamma": ("x", "lgamma(x)"),
    "BesselJ0": ("x", "j0(x) + zero * x"),
    "BesselJ1": ("x", "j1(x) + zero * x"),
    "BesselY0": ("x", "where(x <= 0, -one / zero, y0(x) + zero * x)"),
    "ReluGrad": ("g x", "g * where(x > 0, one, zero)"),
    "Relu6Grad": ("g x", "g * where((x > 0) & (x < 6), one, zero)"),
    "LeakyReluGrad": ("g x alpha", "where(x > 0, g, g * alpha)"),
    "EluGrad": ("g y", "where(y < 0, (y + one) * g, g)"),
    "SeluGrad": ("g y", f"where(y < 0, g * (y + number({_SELU})), g * number({_SELU_SCALE}))"),
    "SoftsignGrad": ("g x", "g / ((fabs(x) + one) * (fabs(x) + one))"),
    "SigmoidGrad": ("y g", "g * y * (one - y)"),
    "TanhGrad": ("y g", "g * (one - y * y)"),
    "SqrtGrad": ("y g", "where(g == 0, zero, g * half / y)"),
    "RsqrtGrad": ("y g", "where(g == 0, zero, -g * half * y * y * y)"),
    "ReciprocalGrad": ("y g", "where(g == 0, zero, -g * y * y)"),
    "SquaredDifference": ("x y", "(x - y) * (x - y)"),
    "FloorMod": (
        "x y",
        "fmod(x, y) + where((fmod(x, y) != 0) & ((y < 0) != (fmod(x, y) < 0)), y, zero)",
    ),
    "DivNoNan": ("x y", "where(y == 0, zero, x / y)"),
    "MulNoNan": ("x y", "where(y == 0, zero, x * y)"),
    "Xlogy": ("x y", "where(x == 0, zero, x * log(y))"),
    "Xlog1py": ("x y", "where(x == 0, zero, x * log1p(y))"),
    "Xdivy": ("x y", "where(x == 0, zero, x / y)"),
}
# Those whose inputs spread over each other; the inputs of others have one shape.
_FORMULAS_SPREAD = frozenset(
    ("SquaredDifference", "FloorMod", "DivNoNan", "MulNoNan", "Xlogy", "Xlog1py", "Xdivy")
)
# How parameters, C++ and what computes name the types.
_TYPES = {
    "e": ("float16", "float16", "float"),
    "f": ("float32", "float", "float"),
    "d": ("float64", "double", "double"),
}
# What the formulas say in Python's words; each number has the type in which they are computed.
PREAMBLE = """
#define where(condition, one_value, other) ((condition) ? (one_value) : (other))
#define number(value) ((twinflow_wide)value)
"""
NUMBERS = {"zero": "0", "half": "0.5", "one": "1", "six": "6"}


@functools.cache
def _formulas_kernel(cupy: Any, type: str, char: str) -> Any:
    """The kernel of an operation on a type of floats."""
    names, formula = FORMULAS[type]
    name_of, own, wide = _TYPES[char]
    inputs = ", ".join(f"{name_of} {name}_" for name in names.split())
    given = " ".join(f"{wide} {name} = ({wide}){name}_;" for name in names.split())
    numbers = " ".join(f"const {wide} {name} = {value};" for name, value in NUMBERS.items())
    body = f"typedef {wide} twinflow_wide; {given} {numbers} result_ = ({own})({formula});"
    return cupy.ElementwiseKernel(
        inputs, f"{name_of} result_", body, f"twinflow_{type}", preamble=PREAMBLE
    )


def formula_kernel(cupy: Any, type: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel of an operation that has a formula.

    Args:
        cupy: The module.
        type: The type of the operation.
        kernel: The operation's own, which runs on other types than floats, and refuses shapes.

    Returns:
        A function of the array module, the inputs and the attributes.
    """
    spreads = type in _FORMULAS_SPREAD

    def run(xp: Any, first: Any, *others: Any, **attrs: Any) -> Any:
        dtype = first.dtype
        alike = not others or (
            others[0].dtype is dtype and (spreads or others[0].shape == first.shape)
        )
        if dtype.char not in _TYPES or not alike:
            return kernel(xp, first, *others, **attrs)
        return _formulas_kernel(cupy, type, dtype.char)(
            first, *others, *(dtype.type(np.float32(x)) for x in attrs.values())
        )

    return run


# Kernels of several operations on each element, which follow each other: each is rounded as it
# would be alone.


# By NumPy's letter: how CuPy's parameters and C++ name a type.
TYPES = {"f": ("float32", "float"), "d": ("float64", "double"), "?": ("bool", "bool")}
# By the type of an operation: the names of its inputs, and its result; beside ``FORMULAS``.
_PLAIN = {
    "AddV2": "x + y", "Sub": "x - y", "Mul": "x * y", "RealDiv": "x / y", "Pow": "pow(x, y)",
    "Maximum": "x != x || x > y ? x : y", "Minimum": "x != x || x < y ? x : y",
    "Less": "x < y", "LessEqual": "x <= y", "Greater": "x > y", "GreaterEqual": "x >= y",
    "IsFinite": "isfinite(x)", "LogicalNot": "!x", "Cast": "x", "LogicalAnd": "x && y", "LogicalOr": "x || y",
    "Neg": "-x", "Abs": "fabs(x)", "Square": "x * x", "Reciprocal": "one / x", "Sqrt": "sqrt(x)", "Exp": "exp(x)",
    "Expm1": "expm1(x)", "Log": "log(x)", "Log1p": "log1p(x)", "Tanh": "tanh(x)", "Identity": "x", "ZerosLike": "zero", "OnesLike": "one", "StopGradient": "x",
}  # fmt: skip
_FORMULAS = {type: ("x y" if "y" in text else "x", text) for type, text in _PLAIN.items()}
_FORMULAS |= {"SelectV2": ("condition x y", "condition ? x : y")} | FORMULAS


def line(
    result: str, type: str, inputs: Sequence[tuple[str, str]], attrs: dict[str, Any], char: str
) -> str | None:
    """What computes an operation's result; None where there is no formula.

    Args:
        result: The name of the result.
        type: The type of the operation.
        inputs: The letter of the type of each input, and what stands for it.
        attrs: The operation's attributes: numbers, which are further inputs, and the type of a cast.
        char: The letter of the type of the result.
    """
    names, formula = _FORMULAS.get(type, ("", ""))
    numbers = attrs.values() if formula and type != "Cast" else ()
    given = [*inputs, *((char, repr(float(np.float32(value)))) for value in numbers)]
    if len(given) != len(names.split()) or not formula:
        return None
    wide = TYPES[char if char != "?" else inputs[0][0]][1]
    said = [(TYPES[kind][1], name, text) for name, (kind, text) in zip(names.split(), given)]
    said += [(wide, name, value) for name, value in NUMBERS.items()]
    known = " ".join(f"const {kind} {name} = {text};" for kind, name, text in said)
    own = TYPES[char][1]
    return f"{own} {result}; {{ typedef {wide} twinflow_wide; {known} {result} = ({own})({formula}); }}"


@functools.cache
def kernel(xp: Any, inputs: str, results: str, text: str) -> Callable[..., Any]:
    """The kernel of a text.

    Args:
        xp: The array module.
        inputs: The letters of the types of its inputs ``x0_``, ``x1_``, ...
        results: Those of its results ``result0_``, ``result1_``, ...
        text: The text.
    """
    given, found = (
        ", ".join(f"{TYPES[char][0]} {name}{i}_" for i, char in enumerate(chars))
        for name, chars in (("x", inputs), ("result", results))
    )
    # No product and sum are rounded together: the operations alone would not be either.
    made: Callable[..., Any] = xp.ElementwiseKernel(
        given, found, text, "twinflow_blend", preamble=PREAMBLE, options=("--fmad=false",)
    )
    return made


# What kernels of a GPU are told besides arrays, and how many threads run them.


_MASK64, _SIGN = 2**64 - 1, 2**63
# Threads of a group, and the most groups: a thread does several things where there are more.
_THREADS, _MOST_GROUPS = 128, 1 << 16


@functools.lru_cache(1 << 12)
def numbers(*values: int) -> Any:
    """Whole numbers of 64 bits, which come again, as one argument of a kernel that has a structure for them.

    CuPy passes it on as it is, and takes half a microsecond for each number elsewhere.
    """
    return np.void(struct.pack(f"={len(values)}q", *values))


def structure(names: Sequence[str]) -> tuple[str, str]:
    """The text of a structure ``twinflow_numbers``, and what finds its numbers in one that is called ``told``."""
    return f"struct twinflow_numbers {{ long long {', '.join(names)}; }};", " ".join(
        f"const long long {name} = told.{name};" for name in names
    )


def signed(value: int) -> int:
    """A number of 64 bits as the integer with the same bits."""
    return (value & _MASK64) - ((value & _SIGN) << 1)


@functools.lru_cache(1 << 12)
def groups(count: int) -> tuple[tuple[int], tuple[int]]:
    """How many groups of how many threads do so many things."""
    return (min(-(-count // _THREADS), _MOST_GROUPS),), (_THREADS,)
