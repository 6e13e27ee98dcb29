"""Accuracy functions: 1 or 0 per sample."""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.dispatch.op import API
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.train.losses.functions import same_rank
from twinflow._src.variables.keras_variable import converted, together


def accuracy(y_true: Any, y_pred: Any) -> Any:
    """Compares predictions with the ground truth.

    Args:
        y_true: The ground truth.
        y_pred: The predictions.

    Returns:
        A float32 tensor of ones and zeros.
    """
    y_pred = convert_to_tensor(y_pred)
    y_true, y_pred = same_rank(converted(y_true, y_pred.dtype), y_pred)
    return cast(API["equal"](y_true, y_pred), "float32")


def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Any:
    """Compares predictions at a threshold with binary labels.

    Args:
        y_true: The labels, 0 or 1.
        y_pred: The predictions.
        threshold: The threshold.

    Returns:
        A float32 tensor of ones and zeros.
    """
    y_true, y_pred = same_rank(convert_to_tensor(y_true), convert_to_tensor(y_pred))
    above = API["greater"](*together(y_pred, convert_to_tensor(threshold)))
    return cast(API["equal"](y_true, cast(above, y_true.dtype)), "float32")


def categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """Compares the argmax of predictions with the true class; see ``accuracy``."""
    right = API["argmax"](convert_to_tensor(y_true), -1)
    return _matches(right, API["argmax"](convert_to_tensor(y_pred), -1))


def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """Compares the argmax of predictions with integer labels; see ``accuracy``."""
    y_pred = convert_to_tensor(y_pred)
    y_true = converted(y_true, y_pred.dtype)
    shape = API["shape"](y_true)
    column = len(y_true.shape) == len(y_pred.shape) and y_true.shape[-1] == 1
    if column:
        y_true = API["squeeze"](y_true, [-1])
    matches = _matches(y_true, cast(API["argmax"](y_pred, -1), y_true.dtype))
    matches = API["reshape"](matches, shape) if column else matches
    narrow = len(matches.shape) > 1 and matches.shape[-1] == 1
    return API["squeeze"](matches, [-1]) if narrow else matches


def _matches(y_true: Any, y_pred: Any) -> Any:
    return cast(API["equal"](y_true, y_pred), "float32")


def top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """Checks if the true class is among the top k predictions.

    Args:
        y_true: The true distributions.
        y_pred: The predicted distributions.
        k: The number of top predictions.

    Returns:
        A float32 tensor of ones and zeros.
    """
    y_pred = convert_to_tensor(y_pred)
    return _among_best(API["argmax"](converted(y_true, y_pred.dtype), -1), y_pred, k)


def sparse_top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """Checks if integer labels are in the top k predictions; see ``top_k_categorical_accuracy``."""
    return _among_best(converted(y_true, "int32"), convert_to_tensor(y_pred), k)


def _among_best(classes: Any, y_pred: Any, k: int) -> Any:
    shape = API["shape"](classes)
    if len(y_pred.shape) > 2:
        y_pred = API["reshape"](y_pred, [-1, y_pred.shape[-1]])
    flat = API["reshape"](classes, [-1]) if len(classes.shape) > 1 else classes
    matches = cast(API["math.in_top_k"](cast(flat, "int32"), y_pred, k), "float32")
    return API["reshape"](matches, shape) if len(classes.shape) > 1 else matches
