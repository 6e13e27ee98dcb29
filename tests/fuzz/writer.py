"""Programs in the making: statements, the values that they have so far, and literals."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from .draws import Draws

FLOATS = ("float32", "float64", "float16", "bfloat16")
INTS = ("int32", "int64", "int8", "int16", "uint8", "uint16", "uint32", "uint64")
COMPLEX = ("complex64", "complex128")
NUMBERS = FLOATS + INTS + COMPLEX
_LIMITS = {
    "int8": (-128, 127), "int16": (-(2**15), 2**15 - 1), "int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1),
    "uint8": (0, 255), "uint16": (0, 2**16 - 1), "uint32": (0, 2**32 - 1), "uint64": (0, 2**64 - 1),
}  # fmt: skip
_SPECIAL = (
    'float("nan")',
    'float("inf")',
    'float("-inf")',
    "-0.0",
    "0.0",
    "1e30",
    "-1e-20",
    "65504.0",
    "1e5",
)
_TEXTS = ('""', '"a"', '"Ab c"', '"12"', '"-3.5"', '"xyx"', '"nan"', '"\\u00e4\\u00df"')


class Value(NamedTuple):
    """A name of the program.

    Attributes:
        name: The name.
        dtype: The type of the elements.
        shape: The shape.
        ulps: How many units in the last place it may be off; 0 where it is exact.
        variable: True for variables.
        large: True where edge values may be among the elements.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    ulps: int = 0
    variable: bool = False
    large: bool = False

    @property
    def size(self) -> int:
        """The number of elements."""
        n = 1
        for k in self.shape:
            n *= k
        return n


class Writer:
    """A program in the making.

    Attributes:
        draws: The choices.
        lines: The statements.
        ulps: How many units in the last place the result of each may be off.
        scopes: The values that can be used here, of the program and of the functions around.
        block: The lines of the body of a function that is being written; None outside.
        edges: How many of a hundred literals have edge values.
        types: The types that literals have.
        recent: How often of a hundred times the last value that fits is taken.
    """

    def __init__(self, seed: int) -> None:
        self.draws = Draws(seed)
        self.lines: list[str] = []
        self.ulps: list[int] = []
        self.scopes: list[list[Value]] = [[]]
        self.block: list[str] | None = None
        self.count, self.recent = 0, 35
        self.edges = self.draws.pick((0, 0, 0, 10, 40))
        main = self.draws.pick(
            (
                "float32",
                "float32",
                "float32",
                "float64",
                "int32",
                "int64",
                *NUMBERS,
                "bool",
                "string",
            )
        )
        self.types: tuple[str, ...] = (
            main,
            main,
            "float32",
            "int32",
            self.draws.pick((*NUMBERS, "bool")),
        )

    def name(self, letter: str = "x") -> str:
        """Returns a new name."""
        self.count += 1
        return f"{letter}{self.count}"

    def say(self, text: str, ulps: int = 0) -> None:
        """Adds a statement, or lines to the body that is being written."""
        if self.block is not None:
            self.block += text.split("\n")
        else:
            self.lines.append(text)
            self.ulps.append(min(ulps, 1 << 14))

    def let(
        self,
        expression: str,
        dtype: str,
        shape: Any,
        ulps: int = 0,
        large: bool = False,
        keep: bool = True,
    ) -> Value:
        """Adds a statement that gives a name to an expression."""
        value = Value(self.name(), dtype, tuple(shape), min(ulps, 1 << 12), large=large)
        self.say(f"{value.name} = {expression}", value.ulps)
        if keep:
            self.scopes[-1].append(value)
        return value

    @contextlib.contextmanager
    def body(self, *values: Value, alone: bool = False) -> Iterator[list[str]]:
        """Collects lines instead of statements; the values are visible in them, alone or beside those around."""
        outer, block, scopes = self.block, [], self.scopes
        self.block, self.scopes = block, [list(values)] if alone else [*self.scopes, list(values)]
        try:
            yield block
        finally:
            self.block, self.scopes = outer, scopes

    def visible(self, fits: Callable[[Value], bool]) -> list[Value]:
        """Returns the values that can be used here and fit."""
        return [value for scope in self.scopes for value in scope if fits(value)]

    def value(
        self, fits: Callable[[Value], bool] = lambda v: True, types: Any = None, shape: Any = None
    ) -> Value:
        """Returns a value that fits: one that is there, or a new literal of one of the types."""
        found = self.visible(
            lambda v: (
                (types is None or v.dtype in types)
                and (shape is None or v.shape == tuple(shape))
                and fits(v)
            )
        )
        if found and self.draws.chance(80):
            return found[-1] if self.draws.chance(self.recent) else self.draws.pick(found)
        own = [t for t in self.types if types is None or t in types] or list(types)
        for _ in range(20):
            made = Value("", self.draws.pick(own), self.shape() if shape is None else tuple(shape))
            if fits(made):
                return self.literal(made.dtype, made.shape)
        return (
            self.draws.pick(found)
            if found
            else self.literal(own[0], () if shape is None else shape)
        )

    def shape(self, least: int = 0, most: int = 3) -> tuple[int, ...]:
        """Returns a small shape."""
        rank = self.draws.pick([r for r in (0, 1, 1, 2, 2, 2, 3) if least <= r <= most])
        return tuple(
            self.draws.pick((1, 1, 2, 2, 3, 3, 4, 0) if self.draws.chance(15) else (1, 2, 2, 3))
            for _ in range(rank)
        )

    def literal(self, dtype: str, shape: Any) -> Value:
        """Adds a statement that makes a tensor of numbers."""
        edge = self.draws.chance(self.edges)
        return self.let(self.constant(dtype, shape, edge), dtype, shape, large=edge)

    def constant(self, dtype: str, shape: Any, edge: bool = False) -> str:
        """Returns the expression of a tensor of numbers."""
        shape, n = tuple(shape), Value("", dtype, tuple(shape)).size
        numbers = [self.number(dtype, edge) for _ in range(n)]
        if shape == ():
            return f"tf.constant({numbers[0]}, tf.{dtype})"
        if len(shape) == 1 and n and self.draws.chance(50):
            return f"tf.constant([{', '.join(numbers)}], tf.{dtype})"
        return f"tf.constant([{', '.join(numbers)}], tf.{dtype}, {list(shape)})"

    def number(self, dtype: str, edge: bool = False) -> str:
        """Returns a number of a type as text."""
        draws = self.draws
        if dtype == "bool":
            return draws.pick(("True", "False"))
        if dtype == "string":
            return draws.pick(_TEXTS)
        if dtype in INTS:
            low, high = _LIMITS[dtype]
            if edge and draws.chance(40):
                return str(draws.pick((low, high, high - 1, 0)))
            return str(max(low, draws.between(-5, 9)))
        if dtype in COMPLEX:
            return f"({self.number('float64', edge)} + {draws.between(-8, 8) / 4}j)"
        if edge and draws.chance(40):
            return draws.pick(_SPECIAL if dtype not in ("float16", "bfloat16") else _SPECIAL[:5])
        return (
            str(draws.between(-16, 16) / 4)
            if draws.chance(70)
            else str(draws.between(-3000, 3000) / 1000)
        )
