"""float32 functions of host arrays with TensorFlow's digits, by the name of NumPy's.

TensorFlow computes vectors of eight elements by a formula, and those that are left by the C library,
which rounds once. These do the same where llvmlite is installed, by a loop of machine code or, until
that is compiled, by NumPy's operations: the bits are the same, so that it does not matter when it is.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.backends.cpu.native import NativeUfunc, is_installed
from twinflow._src.numerics import float32_formulas as formulas

# Elements of a vector; blocks of an array are multiples of it.
VECTOR = 8


class Float32Function:
    """A function with TensorFlow's digits.

    Args:
        name: Its name.
        formula: The formula.
        rest: The function of the elements after the last whole vector, if it is another one.
    """

    def __init__(
        self, name: str, formula: formulas.Formula, rest: Callable[..., Any] | None = None
    ) -> None:
        self._formula, self._rest = formula, rest
        self._native = NativeUfunc(name, functools.partial(_body, formula))

    def __call__(self, x: Any, out: Any = None) -> Any:
        """Computes the function of an array of float32; ``out`` is another, contiguous array."""
        x = np.asarray(x, order="C")
        if self._rest and x.size < VECTOR and out is None:
            return self._rest(x)
        if self._native.is_ready(max(x.size, VECTOR)):
            out = self._native(x, out)
        elif out is None:
            out = np.asarray(self._formula(formulas.ArrayArithmetic, x))
        else:
            out[...] = self._formula(formulas.ArrayArithmetic, x)
        if self._rest and x.size % VECTOR:
            last = slice(x.size - x.size % VECTOR, None)
            out.reshape(-1)[last] = self._rest(x.reshape(-1)[last])
        return out


def _body(formula: formulas.Formula, llvm: Any, b: Any, x: Any) -> Any:
    return formula(llvm.RegisterArithmetic(b), llvm.Register(b, x)).value


def _rounded_once(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x: function(x.astype(np.float64)).astype(np.float32)


_exp, _log1p = _rounded_once(np.exp), _rounded_once(np.log1p)
_ARRAYS = formulas.ArrayArithmetic


def _few_sigmoids(x: Any) -> Any:
    power = _exp(np.minimum(x, formulas.SIGMOID_ONE))
    return power / (power + formulas.ONE)


# The functions of elements after the last vector; None if they have the formula, too.
_REST: dict[str, Callable[..., Any] | None] = {
    "exp": _exp,
    "log": _rounded_once(np.log),
    "log1p": _log1p,
    "expm1": _rounded_once(np.expm1),
    "sigmoid": _few_sigmoids,
    "softplus": lambda x: formulas.softplus(
        _ARRAYS, x, lambda _, x: _exp(x), lambda _, x: _log1p(x)
    ),
    "tanh": None,
    "erf": None,
    "erfc": lambda x: formulas.erfc(_ARRAYS, x, lambda _, x: _exp(x)),
}
_FUNCTIONS = {
    name: Float32Function(name, getattr(formulas, name), rest) for name, rest in _REST.items()
}


def float32_function(name: str, dtype: Any) -> Float32Function | None:
    """Returns the function of host arrays that has TensorFlow's digits, if there is one."""
    return _FUNCTIONS.get(name) if dtype.char == "f" and is_installed() else None


def host_function(name: str, dtype: Any) -> Any:
    """Returns the function that has TensorFlow's digits, or else NumPy's."""
    return float32_function(name, dtype) or getattr(np, name)
