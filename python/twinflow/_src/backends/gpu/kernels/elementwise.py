"""Elementwise operations of many steps as one kernel of a GPU, written by running their own kernels on symbols.

What an operation's kernel asks of the array module becomes a line of C++ each: the formulas are those of the host, in the
same order and in the same precision. Rounds that go on until all elements have settled become a loop for each element.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

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
        return self if char == self.char else self.writer.line(char, f"({_C[char]}){short}{self.name}")

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
        return self.writer.line("?" if sign in _COMPARED else char, text).astype(_DTYPES["?" if sign in _COMPARED else common])

    return apply


for _name, _sign in {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "and": "&&", "or": "||"}.items():
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
            return short + ("none_" if value != value else "infinite_" if value > 0 else "(-infinite_)")
        return f"{short}({value!r})"

    def call(self, name: str, *values: Any) -> Symbol:
        """A function of C++."""
        return self.line("d", f"{name}({', '.join(self.text(x) for x in values)})")

    def where(self, condition: Symbol, one: Any, other: Any) -> Symbol:
        """One number or another."""
        char = self.common(one, other) if isinstance(one, Symbol) or isinstance(other, Symbol) else "d"
        return self.line(char, f"{condition.name} ? {self.text(one, char)} : {self.text(other, char)}")

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

    def rounds(self, step: Callable[..., Any], first: int, most: int, apart: int, state: Sequence[Symbol]) -> list[Symbol]:
        """A loop.

        Args:
            step: Called with the number of the round and the state; gives the state anew, and whether to go on.
            first: The number of the first round.
            most: The number of the one that does not come any more.
            apart: Whether to go on is asked every so many rounds.
            state: The state at first.
        """
        kept = [Symbol(self, self.name(), x.char) for x in state]
        self.lines += [f"{_C[x.char]} {x.name} = {given.name};" for x, given in zip(kept, state, strict=True)]
        number = Symbol(self, self.name(), "d")
        self.lines.append(f"for (int i_{number.name} = {first}; i_{number.name} < {most}; ++i_{number.name}) {{")
        self.lines.append(f"const double {number.name} = i_{number.name};")
        *new, moving = step(number, *kept)
        self.lines += [f"{x.name} = {given.name};" for x, given in zip(kept, new, strict=True)]
        self.lines.append(f"if (i_{number.name} % {apart} == 0 && !{moving.name}) break; }}")
        return kept


def written(kernel: Callable[..., Any], names: Sequence[str], chars: Sequence[str], **attrs: Any) -> str:
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
    return cupy.ElementwiseKernel(inputs, f"{_NAMES[chars[0]]} result_", text, f"twinflow_{type}", preamble=_PREAMBLE)


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
