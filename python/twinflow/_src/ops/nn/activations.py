"""Activation functions and the ops of their gradients."""

from __future__ import annotations

from typing import Annotated, Any

from twinflow._src.autodiff.reverse import conjugate
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import INEXACT, ORDERED, REALS, float32
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import same
from twinflow._src.dispatch.op import API, OPS, Call, documented_like, export, op
from twinflow._src.ops.array.concat import concat
from twinflow._src.ops.array.select import select_elements
from twinflow._src.ops.elementwise.arithmetic import add, multiply, negative, pow
from twinflow._src.ops.elementwise.cast import cast, identity
from twinflow._src.ops.elementwise.math import accurate, both, leaky_grad, relu6_grad, tanh
from twinflow._src.ops.nn.basics import limited, relu, sigmoid, softplus
from twinflow._src.shape_rules.demands import check_same_shape

# Activation functions.


Real = Annotated[Any, float]
# SELU's scale and alpha, with which activations keep mean 0 and variance 1.
SELU_SCALE = 1.0507009873554804934193349852946
_SELU_BOTH = 1.7580993408473768599402175208123  # by alpha, as TensorFlow writes it


# ------------------------------------------------------------------ rectifiers


@op("Relu6", shape=same, dtypes=ORDERED, light=True, opens_scope=True)
def relu6_of(xp: Any, features: Any) -> Any:
    """Computes ReLU6 element-wise: ``min(max(features, 0), 6)``."""
    return limited(xp, features, 6)


relu6_of.cuda("features <= 0 ? 0 : features > 6 ? 6 : features")
relu6_of.gradient(lambda call, dy: relu6_grad(dy, call.outputs), reads=("result",))


@export("nn.relu6")
def relu6(features: Any, name: str | None = None) -> Any:
    """Computes ReLU6 element-wise: ``min(max(features, 0), 6)``.

    Args:
        features: A tensor of a real dtype.

    Returns:
        A tensor of the same dtype and shape.
    """
    return relu6_of(features)


@op("LeakyRelu", shape=same, dtypes=REALS, each=True, opens_scope=True)
def leaky(xp: Any, features: Any, *, alpha: Real = 0.2) -> Any:
    """Computes leaky ReLU element-wise: ``features`` if positive, else ``alpha * features``."""
    factor = xp.float32(alpha).astype(
        features.dtype
    )  # float attributes of ops have single precision
    low = features * factor
    return (
        xp.maximum(low, features)
        if 0 < factor <= 1
        else select_elements(xp, features > 0, features, low)
    )


leaky.cuda("features > 0 ? features : features * alpha")


@leaky.gradient(reads=("features",))
def _(call: Call, dy: Any) -> Any:
    return leaky_grad(dy, call.inputs[0], alpha=call.attrs["alpha"])


@export("nn.leaky_relu")
@documented_like(relu6)
def leaky_relu(features: Any, alpha: Any = 0.2, name: str | None = None) -> Any:
    """Computes leaky ReLU element-wise: ``features`` if positive, else ``alpha * features``.

    Args:
        features: A tensor of a real dtype; integers become float32.
        alpha: The slope for negative elements.
    """
    features = convert_to_tensor(features)
    if features.dtype.is_integer:
        features = cast(features, float32)
    return leaky(features, alpha=alpha)


@op("Elu", api="nn.elu", shape=same, dtypes=REALS, each=True)
def elu(xp: Any, features: Any) -> Any:
    """Computes the exponential linear unit element-wise: x if positive, else ``exp(x) - 1``."""
    # Computed in the input dtype, as in TensorFlow, although precision is lost near 0.
    return select_elements(xp, features < 0, accurate(xp, "exp", features) - 1, features)


elu.cuda("features < 0 ? exp(features) - 1 : features")
elu.gradient(lambda call, dy: OPS["EluGrad"].public(dy, call.outputs), reads=("result",))


@op("Selu", api="nn.selu", shape=same, dtypes=REALS, each=True)
def selu(xp: Any, features: Any) -> Any:
    """Computes the scaled exponential linear unit (SELU) element-wise."""
    kind = features.dtype.type
    low = kind(_SELU_BOTH) * (accurate(xp, "exp", features) - 1)
    return select_elements(xp, features < 0, low, kind(SELU_SCALE) * features)


selu.cuda(
    "features < 0 ? number(1.7580993408473768599) * (exp(features) - 1) : number(1.0507009873554804934) * features"
)


selu.gradient(lambda call, dy: OPS["SeluGrad"].public(dy, call.outputs), reads=("result",))


@export("nn.crelu")
def crelu(features: Any, axis: int = -1, name: str | None = None) -> Any:
    """Computes concatenated ReLU: ``relu(features)`` and ``relu(-features)``, joined along an axis.

    Args:
        features: A tensor of a real dtype.
        axis: The axis of the concatenation, whose size doubles.

    Returns:
        A tensor of the same dtype.
    """
    features = convert_to_tensor(features)
    return relu(concat([features, negative(features)], axis))


# ------------------------------------------------------------------ smooth activations


@op("Softsign", api=("nn.softsign", "math.softsign"), shape=same, dtypes=REALS, each=True)
def softsign(xp: Any, features: Any) -> Any:
    """Computes softsign element-wise: ``x / (1 + abs(x))``."""
    return features / (xp.abs(features) + features.dtype.type(1))


softsign.cuda("features / (fabs(features) + 1)")
softsign.gradient(lambda call, dy: OPS["SoftsignGrad"].public(dy, call.inputs[0]))


@export("nn.gelu")
@documented_like(relu6)
def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Any:
    """Computes the Gaussian error linear unit (GELU): x times the standard normal CDF of x.

    Args:
        features: A floating-point tensor.
        approximate: If True, uses the tanh approximation.

    Raises:
        ValueError: The tensor is not floating-point.
    """
    features = convert_to_tensor(features)
    if not features.dtype.is_floating:
        raise ValueError(
            "`features.dtype` must be a floating point tensor."
            f"Received:features.dtype={features.dtype}"
        )
    half = multiply(convert_to_tensor(0.5, features.dtype), features)
    if approximate:
        cubed = multiply(cast(0.044715, features.dtype), pow(features, 3))
        inner = multiply(
            convert_to_tensor(0.7978845608028654, features.dtype), add(features, cubed)
        )
        return multiply(half, add(convert_to_tensor(1.0, features.dtype), tanh(inner)))
    # As in TensorFlow, the constant is rounded to float32 first.
    scaled = multiply(negative(features), cast(0.7071067811865476, features.dtype))
    return multiply(half, API["math.erfc"](scaled))


@export("nn.silu", "nn.swish")
@documented_like(elu)
def silu(features: Any, beta: Any = 1.0) -> Any:
    """Computes SiLU (swish) element-wise: ``x * sigmoid(beta * x)``.

    Args:
        beta: The factor of the sigmoid's argument.
    """
    features = convert_to_tensor(features)
    factor = cast(
        convert_to_tensor(beta), features.dtype
    )  # as in TensorFlow, rounded to float32 first
    return identity(multiply(features, sigmoid(factor * features)))


@export("math.log_sigmoid")
@documented_like(relu6)
def log_sigmoid(x: Any, name: str | None = None) -> Any:
    """Computes the logarithm of the sigmoid element-wise, without overflow.

    Args:
        x: A floating-point tensor.
    """
    return negative(softplus(negative(convert_to_tensor(x))))


# Gradient ops of activation functions.


# ------------------------------------------------------------------ exponential activations


@op("EluGrad", shape=both, dtypes=REALS, each=True)
def elu_grad(xp: Any, gradients: Any, outputs: Any) -> Any:
    """Computes the gradients of the exponential linear unit."""
    check_same_shape("EluGrad", gradients, outputs)
    return select_elements(
        xp, outputs < 0, (outputs + outputs.dtype.type(1)) * gradients, gradients
    )


elu_grad.cuda("outputs < 0 ? (outputs + 1) * gradients : gradients")
elu_grad.gradient(lambda call, dx: (elu_grad(dx, call.inputs[1]), _where_negative(call, dx)))


def _where_negative(call: Call, dx: Any) -> Any:
    """Returns the gradient with respect to the output, which is nonzero for negative outputs."""
    dy, y = call.inputs
    return API["where"](y < 0, dx * dy, API["zeros_like"](y))


@op("SeluGrad", shape=both, dtypes=REALS, each=True)
def selu_grad(xp: Any, gradients: Any, outputs: Any) -> Any:
    """Computes the gradients of the scaled exponential linear unit."""
    check_same_shape("SeluGrad", gradients, outputs)
    kind = outputs.dtype.type
    low = gradients * (outputs + kind(_SELU_BOTH))
    return select_elements(xp, outputs < 0, low, gradients * kind(SELU_SCALE))


selu_grad.cuda(
    "gradients * (outputs < 0 ? outputs + number(1.7580993408473768599) : number(1.0507009873554804934))"
)


selu_grad.gradient(lambda call, dx: (selu_grad(dx, call.inputs[1]), _where_negative(call, dx)))


# ------------------------------------------------------------------ smooth activations


@op("SoftsignGrad", shape=both, dtypes=REALS, each=True)
def softsign_grad(xp: Any, gradients: Any, features: Any) -> Any:
    """Computes the gradients of softsign."""
    check_same_shape("SoftsignGrad", gradients, features)
    whole = xp.abs(features) + features.dtype.type(1)
    return gradients / (whole * whole)


softsign_grad.cuda("gradients / ((fabs(features) + 1) * (fabs(features) + 1))")


@softsign_grad.gradient
def _(call: Call, dx: Any) -> Any:
    dy, x = call.inputs
    whole = 1 + API["abs"](x)
    return softsign_grad(dx, x), -2 * dx * dy * API["sign"](x) / (whole * whole * whole)


@op("SigmoidGrad", shape=same, dtypes=INEXACT, each=True)
def sigmoid_grad(xp: Any, y: Any, dy: Any) -> Any:
    """Computes the gradients of the sigmoid."""
    return _shaped(dy, y) * y * (y.dtype.type(1) - y)


sigmoid_grad.cuda("dy * y * (1 - y)")


def _shaped(dy: Any, y: Any) -> Any:
    """Reshapes upstream gradients to the shape of the output."""
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
    """Computes the gradients of the hyperbolic tangent."""
    return _shaped(dy, y) * (y.dtype.type(1) - y * y)


tanh_grad.cuda("dy * (1 - y * y)")


@tanh_grad.gradient
def _(call: Call, dx: Any) -> Any:
    y, dy = (conjugate(value) for value in call.inputs)
    return dx * -2.0 * y * dy, tanh_grad(y, dx)
