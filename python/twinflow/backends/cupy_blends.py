"""Kernels of several operations on each element, which follow each other: each is rounded as it would be alone."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from .cupy_formulas import FORMULAS, NUMBERS, PREAMBLE

# By NumPy's letter: how CuPy's parameters and C++ name a type.
_TYPES = {"f": ("float32", "float"), "d": ("float64", "double"), "?": ("bool", "bool")}
# By the type of an operation: the names of its inputs, and its result; beside ``FORMULAS``.
_PLAIN = {
    "AddV2": "x + y", "Sub": "x - y", "Mul": "x * y", "RealDiv": "x / y", "Pow": "pow(x, y)",
    "Maximum": "x != x || x > y ? x : y", "Minimum": "x != x || x < y ? x : y",
    "Less": "x < y", "LessEqual": "x <= y", "Greater": "x > y", "GreaterEqual": "x >= y",
    "LogicalAnd": "x && y", "LogicalOr": "x || y",
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
        attrs: The operation's attributes, which are numbers.
        char: The letter of the type of the result.
    """
    names, formula = _FORMULAS.get(type, ("", ""))
    given = [*inputs, *((char, repr(float(value))) for value in attrs.values() if formula)]
    if len(given) != len(names.split()) or not formula:
        return None
    wide = _TYPES[char if char != "?" else inputs[0][0]][1]
    said = [(_TYPES[kind][1], name, text) for name, (kind, text) in zip(names.split(), given)]
    said += [(wide, name, value) for name, value in NUMBERS.items()]
    known = " ".join(f"const {kind} {name} = {text};" for kind, name, text in said)
    own = _TYPES[char][1]
    return f"{own} {result}; {{ typedef {wide} twinflow_wide; {known} {result} = ({own})({formula}); }}"


@functools.cache
def kernel(xp: Any, chars: tuple[str, ...], text: str) -> Callable[..., Any]:
    """The kernel of a text.

    Args:
        xp: The array module.
        chars: The letters of the types of its inputs ``x0_``, ``x1_``, ..., and of its result ``result_``.
        text: The text.
    """
    *inputs, result = (_TYPES[char][0] for char in chars)
    given = ", ".join(f"{name} x{i}_" for i, name in enumerate(inputs))
    # No product and sum are rounded together: the operations alone would not be either.
    made: Callable[..., Any] = xp.ElementwiseKernel(
        given,
        f"{result} result_",
        text,
        "twinflow_blend",
        preamble=PREAMBLE,
        options=("--fmad=false",),
    )
    return made
