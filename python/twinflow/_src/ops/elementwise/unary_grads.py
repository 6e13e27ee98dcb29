"""Slopes of functions times a gradient, which TensorFlow has as ops of their own.

Where the gradient is zero the slopes of roots and reciprocals do not count, even where they are infinite
or NaN: so a branch that ``tf.where`` did not take spoils nothing.
"""

from __future__ import annotations

from typing import Annotated, Any

from twinflow._src.autodiff.reverse import conjugate
from twinflow._src.core.dtypes import INEXACT, ORDERED, REALS
from twinflow._src.core.shapes import Dims, same
from twinflow._src.dispatch.op import API, Call, op
from twinflow._src.ops.array.select import chosen
from twinflow._src.shape_rules.demands import merged

Real = Annotated[Any, float]


def both(one: Dims | None, other: Dims | None, **_: Any) -> Dims | None:
    """The shape of two tensors, which must be the same."""
    return merged(one, other)


def _where_any(xp: Any, dy: Any, value: Any) -> Any:
    """A product with a gradient, and 0 where the gradient is."""
    return chosen(xp, dy != 0, value, dy.dtype.type(0))


@op("SqrtGrad", shape=same, dtypes=INEXACT, each=True)
def sqrt_grad(xp: Any, y: Any, dy: Any) -> Any:
    """Returns the gradient of a square root's argument.

    Args:
        y: The square root.
        dy: Its gradient, a tensor of the same type and shape.

    Returns:
        A tensor of the same type and shape.
    """
    return _where_any(xp, dy, dy * dy.dtype.type(0.5) / xp.conj(y))


@sqrt_grad.gradient
def _(call: Call, dz: Any) -> Any:
    share = dz / call.inputs[0]
    return -conjugate(share) * call.outputs, 0.5 * share


@op("RsqrtGrad", shape=same, dtypes=INEXACT, each=True)
def rsqrt_grad(xp: Any, y: Any, dy: Any) -> Any:
    """Returns the gradient of the argument of a reciprocal square root.

    Args:
        y: The reciprocal square root.
        dy: Its gradient, a tensor of the same type and shape.

    Returns:
        A tensor of the same type and shape.
    """
    root = xp.conj(y)
    return _where_any(xp, dy, dy * dy.dtype.type(-0.5) * root * root * root)


@rsqrt_grad.gradient
def _(call: Call, dz: Any) -> Any:
    y, dy = call.inputs
    root = conjugate(y)
    return -1.5 * conjugate(dz) * dy * root * root, rsqrt_grad(root, dz)


@op("ReciprocalGrad", shape=same, dtypes=INEXACT, each=True)
def reciprocal_grad(xp: Any, y: Any, dy: Any) -> Any:
    """Returns the gradient of the argument of a reciprocal.

    Args:
        y: The reciprocal.
        dy: Its gradient, a tensor of the same type and shape.

    Returns:
        A tensor of the same type and shape.
    """
    value = xp.conj(y)
    return _where_any(xp, dy, -dy * value * value)


@reciprocal_grad.gradient
def _(call: Call, dz: Any) -> Any:
    y, dy = call.inputs
    value = conjugate(y)
    return -2 * conjugate(dz) * dy * value, reciprocal_grad(value, dz)


def _where_positive(xp: Any, gradients: Any, features: Any, out: Any) -> None:
    """See ``relu_grad``: in memory that is there."""
    xp.greater(features, features.dtype.type(0), out=out)
    xp.multiply(gradients, out, out=out)


@op("ReluGrad", shape=both, dtypes=ORDERED, each=True, fill=_where_positive)
def relu_grad(xp: Any, gradients: Any, features: Any) -> Any:
    """Returns gradients where numbers are positive, else 0.

    Args:
        gradients: A tensor of real numbers.
        features: The numbers, a tensor of the same type and shape.

    Returns:
        A tensor of the same type and shape.
    """
    return gradients * (features > 0).astype(gradients.dtype)


@relu_grad.gradient
def _(call: Call, dz: Any) -> Any:
    features = call.inputs[1]
    return relu_grad(dz, features), API["zeros_like"](features)


@op("Relu6Grad", shape=both, dtypes=ORDERED, each=True)
def relu6_grad(xp: Any, gradients: Any, features: Any) -> Any:
    """Returns gradients where numbers are between 0 and 6, else 0.

    Args:
        gradients: A tensor of real numbers.
        features: The numbers, a tensor of the same type and shape.

    Returns:
        A tensor of the same type and shape.
    """
    return gradients * ((features > 0) & (features < 6)).astype(gradients.dtype)


@relu6_grad.gradient
def _(call: Call, dz: Any) -> Any:
    features = call.inputs[1]
    return relu6_grad(dz, features), API["zeros_like"](features)


@op("LeakyReluGrad", shape=both, dtypes=REALS, each=True)
def leaky_grad(xp: Any, gradients: Any, features: Any, *, alpha: Real = 0.2) -> Any:
    """Returns gradients where numbers are positive, else times a factor.

    Args:
        gradients: A tensor of floating numbers.
        features: The numbers, a tensor of the same type and shape.
        alpha: The factor.

    Returns:
        A tensor of the same type and shape.
    """
    factor = xp.float32(alpha).astype(gradients.dtype)  # an op's attributes have single precision
    return chosen(xp, features > 0, gradients, gradients * factor)


@leaky_grad.gradient
def _(call: Call, dz: Any) -> Any:
    features = call.inputs[1]
    return leaky_grad(dz, features, alpha=call.attrs["alpha"]), API["zeros_like"](features)
