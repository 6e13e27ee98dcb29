"""Losses of regression and of margins, as functions: a number for each sample."""

from __future__ import annotations

import math
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import as_dtype
from twinflow._src.dispatch.op import API
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.variables.keras_variable import converted, together

EPSILON = 1e-7


def mean(x: Any, axis: Any = None) -> Any:
    """The mean along axes; numbers of fewer than 32 bits are added up with 32."""
    if x.dtype.is_floating and x.dtype.size >= 4:
        return API["reduce_mean"](x, axis)
    found = API["reduce_mean"](cast(x, "float32"), axis)
    return cast(found, x.dtype) if x.dtype.is_floating else found


def same_rank(x: Any, y: Any, expands: bool = True) -> tuple[Any, Any]:
    """Two tensors of which one may have a last axis of size 1 that the other lacks."""
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
    """The mean of squared differences.

    Args:
        y_true: What is right.
        y_pred: What was predicted.

    Returns:
        A tensor without the last axis.
    """
    y_true, y_pred = _alike(y_true, y_pred)
    return mean(API["square"](y_true - y_pred), -1)


def mean_absolute_error(y_true: Any, y_pred: Any) -> Any:
    """The mean of absolute differences; see ``mean_squared_error``."""
    y_true, y_pred = _alike(y_true, y_pred)
    return mean(API["abs"](y_true - y_pred), -1)


def mean_absolute_percentage_error(y_true: Any, y_pred: Any) -> Any:
    """The mean of absolute differences in percent; see ``mean_squared_error``."""
    y_true, y_pred = _alike(y_true, y_pred)
    least = convert_to_tensor(EPSILON, y_pred.dtype)
    return 100.0 * mean(API["abs"]((y_true - y_pred) / API["maximum"](API["abs"](y_true), least)), -1)


def mean_squared_logarithmic_error(y_true: Any, y_pred: Any) -> Any:
    """The mean of squared differences of logarithms; see ``mean_squared_error``."""
    y_true, y_pred = _alike(y_true, y_pred)
    least = convert_to_tensor(EPSILON)
    logs = (API["math.log"](API["maximum"](*together(y, least)) + 1.0) for y in (y_pred, y_true))
    return mean(API["square"](next(logs) - next(logs)), -1)


def cosine_similarity(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """Minus the cosine of the angle between vectors.

    Args:
        y_true: What is right.
        y_pred: What was predicted.
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
    """Squares of small differences and the size of large ones.

    Args:
        y_true: What is right.
        y_pred: What was predicted.
        delta: What is large.

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
    """The mean of logarithms of hyperbolic cosines; see ``mean_squared_error``."""
    y_true, y_pred = _alike(y_true, y_pred)
    x, log2 = y_pred - y_true, convert_to_tensor(math.log(2.0), y_pred.dtype)
    return mean(x + API["nn.softplus"](x * -2.0) - log2, -1)



# ------------------------------------------------------------------ margins


def _signs(y_true: Any) -> Any:
    """Labels of 0 and 1 become -1 and 1; others stay."""
    binary = API["reduce_all"](API["equal"](y_true, 0) | API["equal"](y_true, 1))
    return API["cond"](binary, lambda: 2.0 * y_true - 1.0, lambda: y_true)


def hinge(y_true: Any, y_pred: Any) -> Any:
    """How much predictions lack to a margin of 1; see ``mean_squared_error``."""
    return mean(_lacking(y_true, y_pred), -1)


def squared_hinge(y_true: Any, y_pred: Any) -> Any:
    """The square of what predictions lack to a margin of 1; see ``mean_squared_error``."""
    return mean(API["square"](_lacking(y_true, y_pred)), -1)


def _lacking(y_true: Any, y_pred: Any) -> Any:
    y_pred = convert_to_tensor(y_pred)
    y_true = _signs(cast(y_true, y_pred.dtype))
    return API["maximum"](1.0 - y_true * y_pred, 0.0)


def categorical_hinge(y_true: Any, y_pred: Any) -> Any:
    """What the right class lacks to a margin over the best other one; see ``mean_squared_error``."""
    y_pred = convert_to_tensor(y_pred)
    y_true = cast(y_true, y_pred.dtype)
    right = API["reduce_sum"](y_true * y_pred, -1)
    wrong = API["reduce_max"]((1.0 - y_true) * y_pred, -1)
    return API["maximum"](wrong - right + 1.0, cast(0.0, y_pred.dtype))


# ------------------------------------------------------------------ distributions


def kl_divergence(y_true: Any, y_pred: Any) -> Any:
    """The divergence of Kullback and Leibler; see ``mean_squared_error``."""
    y_true, y_pred = (API["clip_by_value"](y, EPSILON, 1.0) for y in _pair(y_true, y_pred))
    return API["reduce_sum"](y_true * API["math.log"](y_true / y_pred), -1)


def poisson(y_true: Any, y_pred: Any) -> Any:
    """The loss of counts; see ``mean_squared_error``."""
    y_true, y_pred = _pair(y_true, y_pred)
    least = convert_to_tensor(EPSILON, as_dtype(y_pred.dtype))
    return mean(y_pred - y_true * API["math.log"](y_pred + least), -1)
