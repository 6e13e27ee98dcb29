"""Operations on each element that are several of CuPy's functions, as one kernel each.

Asking for a kernel costs the host as much as a million additions cost a GPU: what a formula holds is asked for once.
The formulas are texts that C++ and Python read alike, so that tests can compare them with the operations' own
kernels on a machine without a compiler for GPUs. Short floats are computed in float32 and rounded once.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

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
    "FloorMod": ("x y", "fmod(x, y) + where((fmod(x, y) != 0) & ((y < 0) != (fmod(x, y) < 0)), y, zero)"),
    "DivNoNan": ("x y", "where(y == 0, zero, x / y)"),
    "MulNoNan": ("x y", "where(y == 0, zero, x * y)"),
    "Xlogy": ("x y", "where(x == 0, zero, x * log(y))"),
    "Xlog1py": ("x y", "where(x == 0, zero, x * log1p(y))"),
    "Xdivy": ("x y", "where(x == 0, zero, x / y)"),
}
# Those whose inputs spread over each other; the inputs of others have one shape.
_SPREAD = frozenset(("SquaredDifference", "FloorMod", "DivNoNan", "MulNoNan", "Xlogy", "Xlog1py", "Xdivy"))
# How parameters, C++ and what computes name the types.
_TYPES = {"e": ("float16", "float16", "float"), "f": ("float32", "float", "float"), "d": ("float64", "double", "double")}
# What the formulas say in Python's words; each number has the type in which they are computed.
PREAMBLE = """
#define where(condition, one_value, other) ((condition) ? (one_value) : (other))
#define number(value) ((twinflow_wide)value)
"""
NUMBERS = {"zero": "0", "half": "0.5", "one": "1", "six": "6"}


@functools.cache
def _kernel(cupy: Any, type: str, char: str) -> Any:
    """The kernel of an operation on a type of floats."""
    names, formula = FORMULAS[type]
    name_of, own, wide = _TYPES[char]
    inputs = ", ".join(f"{name_of} {name}_" for name in names.split())
    given = " ".join(f"{wide} {name} = ({wide}){name}_;" for name in names.split())
    numbers = " ".join(f"const {wide} {name} = {value};" for name, value in NUMBERS.items())
    body = f"typedef {wide} twinflow_wide; {given} {numbers} result_ = ({own})({formula});"
    return cupy.ElementwiseKernel(inputs, f"{name_of} result_", body, f"twinflow_{type}", preamble=PREAMBLE)


def formula_kernel(cupy: Any, type: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel of an operation that has a formula.

    Args:
        cupy: The module.
        type: The type of the operation.
        kernel: The operation's own, which runs on other types than floats, and refuses shapes.

    Returns:
        A function of the array module, the inputs and the attributes.
    """
    spreads = type in _SPREAD

    def run(xp: Any, first: Any, *others: Any, **attrs: Any) -> Any:
        dtype = first.dtype
        alike = not others or (others[0].dtype is dtype and (spreads or others[0].shape == first.shape))
        if dtype.char not in _TYPES or not alike:
            return kernel(xp, first, *others, **attrs)
        return _kernel(cupy, type, dtype.char)(first, *others, *(dtype.type(np.float32(x)) for x in attrs.values()))

    return run
