"""Elementwise GPU kernels, generated in one way: eager calls, fused operations and update rules.

A kernel is a sequence of C++ statements, one for each operation. The statement of an operation is
the CUDA formula that is registered on the op (``@op.cuda``), or a trace of the op's own kernel
(``Tracer``): the kernel runs on symbols, and each array-module call becomes a C++ statement, in the
same order and precision as on the host. All kernels are compiled with the same options
(``launch.py``), and each operation is rounded to its dtype, so that eager and fused calls have the
same bits. 16-bit floats are computed in float32 and rounded once per operation.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from twinflow._src.backends.gpu.kernels.launch import compile_elementwise
from twinflow._src.core.shapes import broadcast

# Statements.


# By dtype character: the name for CuPy's parameters, the C++ type, and that of the computation.
_TYPES = {
    "?": ("bool", "bool", "bool"),
    "e": ("float16", "float16", "float"),
    "f": ("float32", "float", "float"),
    "d": ("float64", "double", "double"),
}
_FLOATS = frozenset("efd")
_PREAMBLE = """
template<typename T> __device__ T twinflow_min(T x, T y) { return x < y || x != x ? x : y; }
template<typename T> __device__ T twinflow_max(T x, T y) { return x > y || x != x ? x : y; }
template<typename T> __device__ T twinflow_sign(T x) { return x < 0 ? T(-1) : x > 0 ? T(1) : x - x; }
"""


def has_statement(op: Any, chars: Sequence[str]) -> bool:
    """True if an op has a statement for these dtype characters of its tensors and result."""
    return op.cuda is not None and not op.lists and all(char in _TYPES for char in chars)


def statement(op: Any, result: str, operands: Sequence[tuple[str, str]], char: str) -> str:
    """Returns the C++ definition of the result of an operation."""
    # ``operands`` are the dtype character and the source of each tensor and attribute, ``char`` is
    # the dtype of the result.
    c_type, compute = _TYPES[char][1], _TYPES[char if char != "?" else operands[0][0]][2]
    names = [param.name for param in (*op.tensors, *op.attrs)]
    types = [_TYPES[kind][2 if op.cuda else 1] for kind, _ in operands]
    lines = [f"typedef {compute} number;"]
    lines += [
        f"const {type} {name} = {source};"
        for type, name, (_, source) in zip(types, names, operands, strict=True)
    ]
    formula = op.cuda
    if not op.cuda:
        tracer = Tracer()
        symbols = [Symbol(tracer, name, kind) for name, (kind, _) in zip(names, operands)]
        formula = op.kernel(tracer, *symbols).astype(np.dtype(char)).name
        lines += tracer.lines
    return f"{c_type} {result}; {{ {' '.join(lines)} {result} = ({c_type})({formula}); }}"


def literal(value: float, char: str) -> str:
    """Returns the C++ source of an attribute in a dtype; like tensors, it is float32 first."""
    number = float(np.dtype(char).type(np.float32(value)))
    if math.isfinite(number):
        return repr(number)
    return "number(0) / 0" if number != number else f"number({math.copysign(1, number)}) / 0"


@functools.cache
def compiled(cupy: Any, inputs: str, results: str, text: str, name: str) -> Callable[..., Any]:
    """Returns the kernel of statements, for the dtype characters of inputs and results."""
    # The inputs are ``x0_``, ``x1_``, ..., the results ``result0_``, ``result1_``, ...

    def declare(prefix: str, chars: str) -> str:
        return ", ".join(f"{_TYPES[char][0]} {prefix}{i}_" for i, char in enumerate(chars))

    return compile_elementwise(
        cupy, declare("x", inputs), declare("result", results), text, name, _PREAMBLE
    )


# Eager calls.


def elementwise_kernel(cupy: Any, op: Any) -> Callable[..., Any]:
    """Returns the GPU kernel of an op with a statement, for floats of one dtype."""
    # The op's own kernel is the fallback; it also refuses shapes.
    kernel, count = op.kernel, len(op.tensors)
    spreads, takes_scalars = op.shape is broadcast, not op.cuda

    @functools.cache
    def compiled_for(char: str) -> Callable[..., Any]:
        operands = [(char, f"x{i}_") for i in range(count + len(op.attrs))]
        text = f"{statement(op, 'value_', operands, char)} result0_ = value_;"
        return compiled(cupy, char * len(operands), char, text, f"twinflow_{op.type}")

    def run(xp: Any, first: Any, *others: Any, **attrs: Any) -> Any:
        dtype, shape = first.dtype, first.shape
        fits = dtype.char in _FLOATS
        for x in others:
            alike = spreads or x.shape == shape or (takes_scalars and not (x.ndim and first.ndim))
            fits = fits and alike and x.dtype is dtype
        if not fits:
            return kernel(xp, first, *others, **attrs)
        numbers = [dtype.type(np.float32(value)) for value in attrs.values()]
        return compiled_for(dtype.char)(first, *others, *numbers)

    return run


# Update rules.


def fused(cupy: Any) -> Callable[..., Any]:
    """Returns the function that fuses a function of an array module and arrays to one kernel."""
    # The function takes arrays that broadcast, and returns an array or several. Integers and
    # complex numbers are computed function by function.

    def fuse(function: Callable[..., Any], name: str) -> Callable[..., Any]:
        @functools.cache
        def compiled_for(chars: str) -> Callable[..., Any]:
            tracer = Tracer()
            symbols = [Symbol(tracer, f"x{i}_", char) for i, char in enumerate(chars)]
            results = function(tracer, *symbols)
            results = results if isinstance(results, (list, tuple)) else [results]
            stores = [f"result{i}_ = {x.name};" for i, x in enumerate(results)]
            text = "\n".join([*tracer.lines, *stores])
            return compiled(cupy, chars, "".join(x.char for x in results), text, name)

        def run(*arrays: Any) -> Any:
            chars = "".join([x.dtype.char for x in arrays])
            if not _FLOATS.issuperset(chars):
                return function(cupy, *arrays)
            return compiled_for(chars)(*arrays)

        return run

    return fuse


# Traces.


_DTYPES = {char: np.dtype(char) for char in _TYPES}
_CONSTANTS = "const double zero_ = 0.0, infinite_ = 1.0 / zero_, nan_ = infinite_ - infinite_;"
# C++ operators and functions by NumPy name; those in ``_PREDICATES`` return booleans.
_OPERATORS = {
    "add": "+", "subtract": "-", "multiply": "*", "true_divide": "/", "less": "<", "less_equal": "<=", "greater": ">",
    "greater_equal": ">=", "equal": "==", "not_equal": "!=",
}  # fmt: skip
_FUNCTIONS = {
    **{name: name for name in ("exp", "log", "log1p", "sqrt", "sin", "cos", "tan", "floor", "fmod", "copysign")},
    "abs": "fabs", "absolute": "fabs", "round": "rint", "power": "pow",
    "minimum": "twinflow_min", "maximum": "twinflow_max", "sign": "twinflow_sign",
}  # fmt: skip
_PREDICATES = ("isnan", "isinf", "isfinite", "signbit")
_COMPARISONS = {"<", "<=", ">", ">=", "==", "!=", "&&", "||"}


class Symbol:
    """A scalar variable of a kernel that is being traced.

    Args:
        tracer: The tracer.
        name: Its name in the source.
        char: Its dtype character.
    """

    ndim, shape, size = 0, (), 1

    def __init__(self, tracer: Tracer, name: str, char: str) -> None:
        self.tracer, self.name, self.char = tracer, name, char

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype."""
        return _DTYPES[self.char]

    def astype(self, dtype: Any, copy: bool = True) -> Symbol:
        """Returns the value cast to another dtype."""
        char = np.dtype(dtype).char
        if char == self.char:
            return self
        short = "(float)" * ("e" in (char, self.char))  # float16 converts only via float
        return self.tracer.define(char, f"({_TYPES[char][1]}){short}{self.name}")

    def any(self) -> bool:
        """Returns True: the code of an iteration is always generated."""
        return True

    def __pow__(self, exponent: float) -> Symbol:
        base: Any = self
        return base * base if exponent == 2 else self.tracer.call("pow", self, exponent)

    def __neg__(self) -> Symbol:
        return self.tracer.define(self.char, f"-{self.name}")

    def __invert__(self) -> Symbol:
        return self.tracer.define("?", f"!{self.name}")

    __hash__ = None  # type: ignore[assignment]


def _operator(sign: str, reflected: bool = False) -> Callable[[Symbol, Any], Symbol]:
    def apply(self: Symbol, other: Any) -> Symbol:
        return self.tracer.operate(sign, *((other, self) if reflected else (self, other)))

    return apply


for _name, _sign in {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "and": "&&",
    "or": "||",
}.items():
    setattr(Symbol, f"__{_name}__", _operator(_sign))
    setattr(Symbol, f"__r{_name}__", _operator(_sign, reflected=True))
for _name, _sign in {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}.items():
    setattr(Symbol, f"__{_name}__", _operator(_sign))


class Tracer:
    """An array module whose arrays are symbols: its functions append statements to ``lines``."""

    __name__ = "traced"
    inf, nan, pi = math.inf, math.nan, math.pi
    float64, float32, ndarray = np.float64, np.float32, Symbol

    def __init__(self) -> None:
        self.lines: list[str] = [_CONSTANTS]
        self._count = 0

    def __getattr__(self, name: str) -> Any:
        if name in _PREDICATES:
            return lambda x: self.define("?", f"{name}({x.name})")
        if name in _OPERATORS:
            return functools.partial(self.operate, _OPERATORS[name])
        if name in _FUNCTIONS:
            return functools.partial(self.call, _FUNCTIONS[name])
        raise AttributeError(name)

    def name(self) -> str:
        """Returns a new variable name."""
        self._count += 1
        return f"t{self._count}_"

    def define(self, char: str, text: str) -> Symbol:
        """Appends the definition of a new variable."""
        name = self.name()
        self.lines.append(f"const {_TYPES[char][1]} {name} = {text};")
        return Symbol(self, name, char)

    def common(self, *values: Any) -> str:
        """Returns the dtype character of the widest symbol; float64 if there are numbers only."""
        chars = [x.char for x in values if isinstance(x, Symbol)]
        return max(chars, key="?efd".index, default="d")

    def source(self, value: Any, char: str) -> str:
        """Returns the source of an operand in a dtype."""
        if isinstance(value, Symbol):
            return value.astype(_DTYPES[char]).name
        value = float(value)
        if not math.isfinite(value):
            text = "nan_" if value != value else "infinite_" if value > 0 else "(-infinite_)"
        else:
            text = f"({value!r})"
        cast = {"e": "(float16)(float)", "f": "(float)"}.get(char, "")
        return f"({cast}{text})" if cast else text

    def operate(self, sign: str, x: Any, y: Any) -> Symbol:
        """Applies a C++ operator; 16-bit floats are computed in float32."""
        common = self.common(x, y)
        char = "f" if common == "e" else common
        text = f"{self.source(x, char)} {sign} {self.source(y, char)}"
        if sign in _COMPARISONS:
            return self.define("?", text)
        return self.define(char, text).astype(_DTYPES[common])

    def call(self, name: str, *values: Any) -> Symbol:
        """Calls a C++ function; 16-bit floats are computed in float32."""
        common = self.common(*values)
        char = "f" if common == "e" else common
        text = f"{name}({', '.join(self.source(x, char) for x in values)})"
        return self.define(char, text).astype(_DTYPES[common])

    def square(self, x: Symbol) -> Symbol:
        """Returns the square."""
        return self.operate("*", x, x)

    def negative(self, x: Symbol) -> Symbol:
        """Returns -x."""
        return -x

    def where(self, condition: Symbol, x: Any, y: Any) -> Symbol:
        """Selects one of two values."""
        char = self.common(x, y)
        return self.define(
            char, f"{condition.name} ? {self.source(x, char)} : {self.source(y, char)}"
        )

    def clip(self, x: Symbol, low: float, high: float) -> Symbol:
        """Limits a value to bounds."""
        return self.call("twinflow_min", self.call("twinflow_max", x, low), high)

    def asarray(self, x: Any) -> Any:
        """Returns the value itself."""
        return x

    def broadcast_arrays(self, *arrays: Any) -> tuple[Any, ...]:
        """Returns the values themselves: kernels work on one element of each."""
        return arrays

    def full_like(self, x: Symbol, value: float) -> Symbol:
        """Returns a constant of a symbol's dtype."""
        return self.define(x.char, self.source(value, x.char))

    def ones_like(self, x: Symbol) -> Symbol:
        """Returns one."""
        return self.full_like(x, 1.0)

    def zeros_like(self, x: Symbol) -> Symbol:
        """Returns zero."""
        return self.full_like(x, 0.0)

    def rounds(
        self, step: Callable[..., Any], first: int, most: int, apart: int, state: Sequence[Symbol]
    ) -> list[Symbol]:
        """Generates a loop from one iteration number to another.

        ``step`` takes the iteration number and the state; it returns the new state, and the
        condition to go on, which is checked every ``apart`` iterations.
        """
        variables = [Symbol(self, self.name(), x.char) for x in state]
        self.lines += [
            f"{_TYPES[x.char][1]} {x.name} = {initial.name};"
            for x, initial in zip(variables, state)
        ]
        number = Symbol(self, self.name(), "d")
        index = f"i_{number.name}"
        self.lines.append(f"for (int {index} = {first}; {index} < {most}; ++{index}) {{")
        self.lines.append(f"const double {number.name} = {index};")
        *updated, moving = step(number, *variables)
        self.lines += [f"{x.name} = {new.name};" for x, new in zip(variables, updated)]
        self.lines.append(f"if ({index} % {apart} == 0 && !{moving.name}) break; }}")
        return variables
