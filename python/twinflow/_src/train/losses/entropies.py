"""Losses of classes as functions: cross entropies of probabilities or of logits."""

from __future__ import annotations

import warnings
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.dispatch.op import API
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.train.losses.functions import EPSILON, mean


def _logits(output: Any, from_logits: bool, type: str, name: str) -> tuple[Any, bool]:
    """In a graph, probabilities that come from logits give way to those."""
    made = isinstance(output, SymbolicTensor) and output.op.type == type
    if made and from_logits:
        warnings.warn(
            f'"`{name}` received `from_logits=True`, but the `output` argument was produced by a {type} '
            'activation and thus does not represent logits. Was this intended?',
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
    """The cross entropy between distributions over classes.

    Args:
        y_true: The right distributions.
        y_pred: The predicted ones.
        from_logits: Whether predictions are logits.
        label_smoothing: What part of the right distributions is spread over all classes.
        axis: The axis of the classes.

    Returns:
        A tensor without that axis.

    Raises:
        ValueError: The shapes differ, or the axis is no integer.
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
    output, from_logits = _logits(output, from_logits, "Softmax", "categorical_crossentropy")
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
    """The cross entropy between classes and distributions over them.

    Args:
        y_true: The right classes.
        y_pred: The predicted distributions.
        from_logits: Whether predictions are logits.
        ignore_class: A class that gives no loss.
        axis: The axis of the classes, the last one.

    Returns:
        A tensor without that axis.

    Raises:
        ValueError: The shapes do not fit, or the axis is not the last one.
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
    output, from_logits = _logits(output, from_logits, "Softmax", "sparse_categorical_crossentropy")
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
    """The mean cross entropy of yes and no.

    Args:
        y_true: What is right, 0 or 1.
        y_pred: The probability of 1 that was predicted.
        from_logits: Whether predictions are logits.
        label_smoothing: How far labels are moved towards a half.
        axis: The axis of which the mean is taken.

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
    output, from_logits = _logits(output, from_logits, "Sigmoid", "binary_crossentropy")
    if from_logits:
        return API["nn.sigmoid_cross_entropy_with_logits"](target, output)
    output = _inside(output)
    log, log_rest = API["math.log"](output), API["math.log"](1 - output)
    return -(target * log + (1 - target) * log_rest)
