"""Loss functions for regression, margins and classification: one value per sample.

Cross entropies take probabilities or logits.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import as_dtype
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.registry import OPS, Op
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.variables.keras_variable import converted, together

# Regression and margin losses.


EPSILON = 1e-7


def mean(x: Any, axis: Any = None) -> Any:
    """Returns the mean along axes; dtypes of fewer than 32 bits are accumulated in float32."""
    if x.dtype.is_floating and x.dtype.size >= 4:
        return API["reduce_mean"](x, axis)
    found = API["reduce_mean"](cast(x, "float32"), axis)
    return cast(found, x.dtype) if x.dtype.is_floating else found


def same_rank(x: Any, y: Any, expands: bool = True) -> tuple[Any, Any]:
    """Squeezes or expands the last axis of size 1 so that two tensors have the same rank."""
    a, b = len(x.shape), len(y.shape)
    if a == b + 1 and x.shape[-1] == 1:
        if b == 1 and expands:
            return x, API["expand_dims"](y, -1)
        return API["squeeze"](x, [-1]), y
    if b == a + 1 and y.shape[-1] == 1:
        if a == 1 and expands:
            return API["expand_dims"](x, -1), y
        return x, API["squeeze"](y, [-1])
    return x, y


def _pair(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    y_pred = convert_to_tensor(y_pred)
    return converted(y_true, y_pred.dtype), y_pred


def _alike(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    return same_rank(*_pair(y_true, y_pred))


# ------------------------------------------------------------------ regression


def mean_squared_error(y_true: Any, y_pred: Any) -> Any:
    """Computes the mean squared error.

    Args:
        y_true: The ground truth.
        y_pred: The predictions.

    Returns:
        A tensor without the last axis.
    """
    y_true, y_pred = _alike(y_true, y_pred)
    return mean(API["square"](y_true - y_pred), -1)


def mean_absolute_error(y_true: Any, y_pred: Any) -> Any:
    """Computes the mean absolute error; see ``mean_squared_error``."""
    y_true, y_pred = _alike(y_true, y_pred)
    return mean(API["abs"](y_true - y_pred), -1)


def mean_absolute_percentage_error(y_true: Any, y_pred: Any) -> Any:
    """Computes the mean absolute percentage error; see ``mean_squared_error``."""
    y_true, y_pred = _alike(y_true, y_pred)
    least = convert_to_tensor(EPSILON, y_pred.dtype)
    return 100.0 * mean(
        API["abs"]((y_true - y_pred) / API["maximum"](API["abs"](y_true), least)), -1
    )


def mean_squared_logarithmic_error(y_true: Any, y_pred: Any) -> Any:
    """Computes the mean squared logarithmic error; see ``mean_squared_error``."""
    y_true, y_pred = _alike(y_true, y_pred)
    least = convert_to_tensor(EPSILON)
    logs = (API["math.log"](API["maximum"](*together(y, least)) + 1.0) for y in (y_pred, y_true))
    return mean(API["square"](next(logs) - next(logs)), -1)


def cosine_similarity(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """Computes the negative cosine similarity of vectors.

    Args:
        y_true: The ground truth.
        y_pred: The predictions.
        axis: The axis of the vectors.

    Returns:
        A tensor without that axis.
    """
    y_true, y_pred = (_normalized(y, axis) for y in _alike(y_true, y_pred))
    return -API["reduce_sum"](y_true * y_pred, axis)


def _normalized(x: Any, axis: int) -> Any:
    x = x if x.dtype.is_floating else cast(x, "float32")
    scale = API["math.rsqrt"](API["reduce_sum"](API["square"](x), axis, True))
    return x * API["minimum"](scale, 1.0 / EPSILON)


def huber(y_true: Any, y_pred: Any, delta: float = 1.0) -> Any:
    """Computes the Huber loss: quadratic for small errors, linear for large ones.

    Args:
        y_true: The ground truth.
        y_pred: The predictions.
        delta: The threshold between both.

    Returns:
        A tensor without the last axis.
    """
    y_true, y_pred = _alike(y_true, y_pred)
    bound, half = (convert_to_tensor(x, y_pred.dtype) for x in (delta, 0.5))
    error = y_pred - y_true
    size = API["abs"](error)
    large = bound * size - half * API["square"](bound)
    return mean(API["where"](size <= bound, half * API["square"](error), large), -1)


def log_cosh(y_true: Any, y_pred: Any) -> Any:
    """Computes the mean of log(cosh(error)); see ``mean_squared_error``."""
    y_true, y_pred = _alike(y_true, y_pred)
    x, log2 = y_pred - y_true, convert_to_tensor(math.log(2.0), y_pred.dtype)
    return mean(x + API["nn.softplus"](x * -2.0) - log2, -1)


# ------------------------------------------------------------------ margins


def _signs(y_true: Any) -> Any:
    """Converts labels of 0 and 1 to -1 and 1; leaves others unchanged."""
    binary = API["reduce_all"](API["equal"](y_true, 0) | API["equal"](y_true, 1))
    return API["cond"](binary, lambda: 2.0 * y_true - 1.0, lambda: y_true)


def hinge(y_true: Any, y_pred: Any) -> Any:
    """Computes the hinge loss, ``max(1 - y_true * y_pred, 0)``; see ``mean_squared_error``."""
    return mean(_lacking(y_true, y_pred), -1)


def squared_hinge(y_true: Any, y_pred: Any) -> Any:
    """Computes the squared hinge loss; see ``mean_squared_error``."""
    return mean(API["square"](_lacking(y_true, y_pred)), -1)


def _lacking(y_true: Any, y_pred: Any) -> Any:
    y_pred = convert_to_tensor(y_pred)
    y_true = _signs(cast(y_true, y_pred.dtype))
    return API["maximum"](1.0 - y_true * y_pred, 0.0)


def categorical_hinge(y_true: Any, y_pred: Any) -> Any:
    """Computes the categorical hinge loss; see ``mean_squared_error``."""
    y_pred = convert_to_tensor(y_pred)
    y_true = cast(y_true, y_pred.dtype)
    right = API["reduce_sum"](y_true * y_pred, -1)
    wrong = API["reduce_max"]((1.0 - y_true) * y_pred, -1)
    return API["maximum"](wrong - right + 1.0, cast(0.0, y_pred.dtype))


# ------------------------------------------------------------------ distributions


def kl_divergence(y_true: Any, y_pred: Any) -> Any:
    """Computes the Kullback-Leibler divergence; see ``mean_squared_error``."""
    y_true, y_pred = (API["clip_by_value"](y, EPSILON, 1.0) for y in _pair(y_true, y_pred))
    return API["reduce_sum"](y_true * API["math.log"](y_true / y_pred), -1)


def poisson(y_true: Any, y_pred: Any) -> Any:
    """Computes the Poisson loss; see ``mean_squared_error``."""
    y_true, y_pred = _pair(y_true, y_pred)
    least = convert_to_tensor(EPSILON, as_dtype(y_pred.dtype))
    return mean(y_pred - y_true * API["math.log"](y_pred + least), -1)


# Cross entropies.


def _logits(output: Any, from_logits: bool, op: Op, name: str) -> tuple[Any, bool]:
    """Replaces probabilities computed by a Softmax or Sigmoid op of the graph by its logits."""
    made = isinstance(output, SymbolicTensor) and output.op.type == op.type
    if made and from_logits:
        warnings.warn(
            f'"`{name}` received `from_logits=True`, but the `output` argument was produced by a {op.type} '
            "activation and thus does not represent logits. Was this intended?",
            stacklevel=3,
        )
    return (output.op.inputs[0], True) if made else (output, from_logits)


def _check_alike(target: Any, output: Any) -> None:
    shapes = f"Received: target.shape={target.shape}, output.shape={output.shape}"
    if len(target.shape) != len(output.shape):
        raise ValueError(
            f"Arguments `target` and `output` must have the same rank (ndim). {shapes}"
        )
    if not target.shape.is_compatible_with(output.shape):
        raise ValueError(f"Arguments `target` and `output` must have the same shape. {shapes}")


def _inside(output: Any) -> Any:
    return API["clip_by_value"](output, EPSILON, 1.0 - EPSILON)


def categorical_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    """Computes the cross entropy between distributions over classes.

    Args:
        y_true: The true distributions.
        y_pred: The predicted distributions.
        from_logits: True if predictions are logits.
        label_smoothing: Fraction of the true distributions that is spread over all classes.
        axis: The axis of the classes.

    Returns:
        A tensor without that axis.

    Raises:
        ValueError: The shapes differ, or ``axis`` is a bool.
    """
    if isinstance(axis, bool):
        raise ValueError(
            f"`axis` must be of type `int`. Received: axis={axis} of type {type(axis)}"
        )
    y_pred = convert_to_tensor(y_pred)
    y_true = cast(y_true, y_pred.dtype)
    if y_pred.shape[-1] == 1:
        _warn_of_one_class("categorical_crossentropy", y_pred)
    if label_smoothing:
        classes = cast(API["shape"](y_true)[-1], y_pred.dtype)
        y_true = y_true * (1.0 - label_smoothing) + label_smoothing / classes
    return _categorical(y_true, y_pred, from_logits, axis)


def _warn_of_one_class(name: str, y_pred: Any) -> None:
    warnings.warn(
        f"In loss {name}, expected y_pred.shape to be (batch_size, num_classes) with num_classes > 1. "
        f"Received: y_pred.shape={y_pred.shape}. Consider using 'binary_crossentropy' if you only have "
        "2 classes.",
        SyntaxWarning,
        stacklevel=3,
    )


def _categorical(target: Any, output: Any, from_logits: bool, axis: int) -> Any:
    if len(target.shape) < 1:
        raise ValueError(
            "Arguments `target` and `output` must be at least rank 1. Received: "
            f"target.shape={target.shape}, output.shape={output.shape}"
        )
    _check_alike(target, output)
    output, from_logits = _logits(output, from_logits, OPS["Softmax"], "categorical_crossentropy")
    if from_logits:
        return API["nn.softmax_cross_entropy_with_logits"](target, output, axis)
    output = _inside(output / API["reduce_sum"](output, axis, True))
    return -API["reduce_sum"](target * API["math.log"](output), axis)


def sparse_categorical_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    ignore_class: int | None = None,
    axis: int = -1,
) -> Any:
    """Computes the cross entropy between integer labels and distributions over classes.

    Args:
        y_true: The true classes.
        y_pred: The predicted distributions.
        from_logits: True if predictions are logits.
        ignore_class: A class without loss, or None.
        axis: The axis of the classes, the last one.

    Returns:
        A tensor without that axis.

    Raises:
        ValueError: The shapes are incompatible, or the axis is not the last one.
    """
    y_true, y_pred = (y if hasattr(y, "shape") else convert_to_tensor(y) for y in (y_true, y_pred))
    if len(y_true.shape) == len(y_pred.shape) and y_true.shape[axis] == 1:
        y_true = API["squeeze"](y_true, [axis])
    if ignore_class is None:
        return _sparse(y_true, convert_to_tensor(y_pred), from_logits, axis)
    valid = API["not_equal"](y_true, cast(ignore_class, y_true.dtype))
    y_true = API["where"](valid, y_true, API["zeros_like"](y_true))
    y_pred = API["where"](API["expand_dims"](valid, axis), y_pred, API["zeros_like"](y_pred))
    losses = _sparse(y_true, y_pred, from_logits, axis)
    return API["where"](valid, losses, API["zeros_like"](losses))


def _sparse(target: Any, output: Any, from_logits: bool, axis: int) -> Any:
    if axis not in (-1, len(output.shape) - 1):
        raise ValueError(f"Only axis=-1 is currently supported. Received: axis={axis}")
    output, from_logits = _logits(
        output, from_logits, OPS["Softmax"], "sparse_categorical_crossentropy"
    )
    target = cast(target, "int64")
    _check_sparse(target, output)
    if not from_logits:
        output = API["math.log"](_inside(output))
    return API["nn.sparse_softmax_cross_entropy_with_logits"](target, output)


def _check_sparse(target: Any, output: Any) -> None:
    if len(output.shape) < 1:
        raise ValueError(
            f"Argument `output` must be at least rank 1. Received: output.shape={output.shape}"
        )
    if len(target.shape) != len(output.shape) - 1:
        raise ValueError(
            "Argument `output` must have rank (ndim) `target.ndim - 1`. Received: "
            f"target.shape={target.shape}, output.shape={output.shape}"
        )
    if not target.shape.is_compatible_with(output.shape[:-1]):
        raise ValueError(
            "Arguments `target` and `output` must have the same shape up until the last dimension: "
            f"target.shape={target.shape}, output.shape={output.shape}"
        )


def binary_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    """Computes the mean binary cross entropy.

    Args:
        y_true: The labels, 0 or 1.
        y_pred: The predicted probabilities of 1.
        from_logits: True if predictions are logits.
        label_smoothing: Fraction by which labels are moved towards 0.5.
        axis: The axis of the mean.

    Returns:
        A tensor without that axis.

    Raises:
        ValueError: The shapes differ.
    """
    y_pred = convert_to_tensor(y_pred)
    y_true = cast(y_true, y_pred.dtype)
    if label_smoothing:
        y_true = y_true * (1.0 - label_smoothing) + 0.5 * label_smoothing
    return mean(_binary(y_true, y_pred, from_logits), axis)


def _binary(target: Any, output: Any, from_logits: bool) -> Any:
    _check_alike(target, output)
    output, from_logits = _logits(output, from_logits, OPS["Sigmoid"], "binary_crossentropy")
    if from_logits:
        return API["nn.sigmoid_cross_entropy_with_logits"](target, output)
    output = _inside(output)
    log, log_rest = API["math.log"](output), API["math.log"](1 - output)
    return -(target * log + (1 - target) * log_rest)
