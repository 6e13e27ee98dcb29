"""Kernels of several operations on each element, which follow each other: each is rounded as it would be alone."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from twinflow._src.backends.gpu.kernels.formulas import FORMULAS, NUMBERS, PREAMBLE

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
        ", ".join(f"{TYPES[char][0]} {name}{i}_" for i, char in enumerate(chars)) for name, chars in (("x", inputs), ("result", results))
    )
    # No product and sum are rounded together: the operations alone would not be either.
    made: Callable[..., Any] = xp.ElementwiseKernel(
        given, found, text, "twinflow_blend", preamble=PREAMBLE, options=("--fmad=false",)
    )
    return made
