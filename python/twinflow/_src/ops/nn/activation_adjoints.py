"""The derivatives of activation functions."""

from __future__ import annotations

from typing import Any

from twinflow._src.autodiff.reverse import conjugate
from twinflow._src.core.dtypes import INEXACT, REALS
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import same, text
from twinflow._src.dispatch.op import API, Call, op
from twinflow._src.ops.array.select import chosen
from twinflow._src.ops.elementwise.unary_grads import both
from twinflow._src.ops.nn.activations import SELU_ALPHA, SELU_SCALE


def _check(op: str, one: Any, other: Any) -> None:
    if one.shape != other.shape:
        raise invalid(
            f"Inputs to operation {op} of type {op} must have the same size and shape.  Input 0: "
            f"{text(one.shape)} != input 1: {text(other.shape)}"
        )


# ------------------------------------------------------------------ exponential ones


@op("EluGrad", shape=both, dtypes=REALS, each=True)
def elu_grad(xp: Any, gradients: Any, outputs: Any) -> Any:
    """Returns the derivatives of exponential linear units.

    Args:
        gradients: The derivatives by the result.
        outputs: The result.

    Returns:
        A tensor of the same type and shape.

    Raises:
        InvalidArgumentError: The shapes differ.
    """
    _check("EluGrad", gradients, outputs)
    return chosen(xp, outputs < 0, (outputs + outputs.dtype.type(1)) * gradients, gradients)


@elu_grad.gradient
def _(call: Call, dx: Any) -> Any:
    return elu_grad(dx, call.inputs[1]), _where_negative(call, dx)


def _where_negative(call: Call, dx: Any) -> Any:
    """The gradient by the result, on which the derivative of negative numbers depends."""
    dy, y = call.inputs
    return API["where"](y < 0, dx * dy, API["zeros_like"](y))


@op("SeluGrad", shape=both, dtypes=REALS, each=True)
def selu_grad(xp: Any, gradients: Any, outputs: Any) -> Any:
    """Returns the derivatives of scaled exponential linear units.

    Args:
        gradients: The derivatives by the result.
        outputs: The result.

    Returns:
        A tensor of the same type and shape.

    Raises:
        InvalidArgumentError: The shapes differ.
    """
    _check("SeluGrad", gradients, outputs)
    kind = outputs.dtype.type
    low = gradients * (outputs + kind(SELU_SCALE * SELU_ALPHA))
    return chosen(xp, outputs < 0, low, gradients * kind(SELU_SCALE))


@selu_grad.gradient
def _(call: Call, dx: Any) -> Any:
    return selu_grad(dx, call.inputs[1]), _where_negative(call, dx)


# ------------------------------------------------------------------ smooth ones


@op("SoftsignGrad", shape=both, dtypes=REALS, each=True)
def softsign_grad(xp: Any, gradients: Any, features: Any) -> Any:
    """Returns the derivatives of x / (1 + |x|).

    Args:
        gradients: The derivatives by the result.
        features: The input.

    Returns:
        A tensor of the same type and shape.

    Raises:
        InvalidArgumentError: The shapes differ.
    """
    _check("SoftsignGrad", gradients, features)
    whole = xp.abs(features) + features.dtype.type(1)
    return gradients / (whole * whole)


@softsign_grad.gradient
def _(call: Call, dx: Any) -> Any:
    dy, x = call.inputs
    whole = 1 + API["abs"](x)
    return softsign_grad(dx, x), -2 * dx * dy * API["sign"](x) / (whole * whole * whole)


@op("SigmoidGrad", shape=same, dtypes=INEXACT, each=True)
def sigmoid_grad(xp: Any, y: Any, dy: Any) -> Any:
    """Returns the derivatives of the logistic function.

    Args:
        y: The result of the function.
        dy: The derivatives by the result.

    Returns:
        A tensor of the same type and shape.

    Raises:
        InvalidArgumentError: The shapes differ.
    """
    return _shaped(dy, y) * y * (y.dtype.type(1) - y)


def _shaped(dy: Any, y: Any) -> Any:
    """Derivatives by a result in its shape."""
    if y.size != dy.size:
        raise invalid(
            f"The two arguments to a cwise op must have same number of elements, got {y.size} and {dy.size}"
        )
    return dy.reshape(y.shape)


@sigmoid_grad.gradient
def _(call: Call, dx: Any) -> Any:
    y, dy = (conjugate(value) for value in call.inputs)
    slope = dx * dy
    return slope - 2 * slope * y, sigmoid_grad(y, dx)


@op("TanhGrad", shape=same, dtypes=INEXACT, each=True)
def tanh_grad(xp: Any, y: Any, dy: Any) -> Any:
    """Returns the derivatives of the hyperbolic tangent.

    Args:
        y: The result of the function.
        dy: The derivatives by the result.

    Returns:
        A tensor of the same type and shape.

    Raises:
        InvalidArgumentError: The shapes differ.
    """
    return _shaped(dy, y) * (y.dtype.type(1) - y * y)


@tanh_grad.gradient
def _(call: Call, dx: Any) -> Any:
    y, dy = (conjugate(value) for value in call.inputs)
    return dx * -2.0 * y * dy, tanh_grad(y, dx)
