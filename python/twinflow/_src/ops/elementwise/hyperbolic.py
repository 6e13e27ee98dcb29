"""Hyperbolic functions and their inverses."""

from __future__ import annotations

from typing import Any

from twinflow._src.autodiff.reverse import conjugate
from twinflow._src.core.dtypes import INEXACT
from twinflow._src.core.shapes import same
from twinflow._src.dispatch.op import OPS, Call, op
from twinflow._src.ops.elementwise.math import reciprocal, rounded, squared


@op("Sinh", api=("sinh", "math.sinh"), r="sinh", shape=same, dtypes=INEXACT, bulk="sinh")
def sinh(xp: Any, x: Any) -> Any:
    """Returns the hyperbolic sine of x.

    Args:
        x: A tensor of floating or complex numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return rounded(xp.sinh, x)


@sinh.gradient
def _(call: Call, dy: Any) -> Any:
    return dy * cosh(conjugate(call.inputs[0]))


@op("Cosh", api=("cosh", "math.cosh"), r="cosh", shape=same, dtypes=INEXACT, bulk="cosh")
def cosh(xp: Any, x: Any) -> Any:
    """Returns the hyperbolic cosine of x.

    Args:
        x: A tensor of floating or complex numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return rounded(xp.cosh, x)


@cosh.gradient
def _(call: Call, dy: Any) -> Any:
    return dy * sinh(conjugate(call.inputs[0]))


@op("Tanh", api=("tanh", "math.tanh", "nn.tanh"), r="tanh", shape=same, dtypes=INEXACT, bulk="tanh")
def tanh(xp: Any, x: Any) -> Any:
    """Returns the hyperbolic tangent of x.

    Args:
        x: A tensor of floating or complex numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return rounded(xp.tanh, x)


@tanh.gradient
def _(call: Call, dy: Any) -> Any:
    return OPS["TanhGrad"].public(conjugate(call.outputs), dy)


@op("Asinh", api=("asinh", "math.asinh"), r="asinh", shape=same, dtypes=INEXACT, bulk="arcsinh")
def asinh(xp: Any, x: Any) -> Any:
    """Returns the number whose hyperbolic sine is x.

    Args:
        x: A tensor of floating or complex numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return rounded(xp.arcsinh, x)


@asinh.gradient
def _(call: Call, dy: Any) -> Any:
    return dy / cosh(conjugate(call.outputs))


@op("Acosh", api=("acosh", "math.acosh"), r="acosh", shape=same, dtypes=INEXACT, bulk="arccosh")
def acosh(xp: Any, x: Any) -> Any:
    """Returns the number whose hyperbolic cosine is x.

    Args:
        x: A tensor of floating or complex numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return rounded(xp.arccosh, x)


@acosh.gradient
def _(call: Call, dy: Any) -> Any:
    return dy / sinh(conjugate(call.outputs))


@op("Atanh", api=("atanh", "math.atanh"), r="atanh", shape=same, dtypes=INEXACT, bulk="arctanh")
def atanh(xp: Any, x: Any) -> Any:
    """Returns the number whose hyperbolic tangent is x.

    Args:
        x: A tensor of floating or complex numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return rounded(xp.arctanh, x)


@atanh.gradient
def _(call: Call, dy: Any) -> Any:
    return dy * reciprocal(1 - squared(call))
