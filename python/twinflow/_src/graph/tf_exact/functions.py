"""Functions composed of several operations, in the structure and order of TensorFlow's graphs.

The public functions are written for eager values, and call these in graphs after they have
validated their arguments.
"""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import is_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import int32
from twinflow._src.dispatch.op import API, OPS, execute
from twinflow._src.graph.tf_exact.gradients import filled_like


def _select_without_broadcast(condition: Any, x: Any, y: Any) -> Any:
    """Selects as in TensorFlow 1, without broadcasting."""
    from twinflow._src.graph.ops import where

    return where(condition, x, y)


def logistic_loss(labels: Any, logits: Any) -> Any:
    """Returns the loss of ``tf.nn.sigmoid_cross_entropy_with_logits``."""
    zeros = API["zeros_like"](logits)
    positive = API["greater_equal"](logits, zeros)
    relu = _select_without_broadcast(positive, logits, zeros)
    small = _select_without_broadcast(positive, -logits, logits)
    return API["add"](relu - logits * labels, API["math.log1p"](API["exp"](small)))


def weighted_logistic_loss(labels: Any, logits: Any, pos_weight: Any) -> Any:
    """Returns the loss of ``tf.nn.weighted_cross_entropy_with_logits``."""
    weight, negative = 1 + (pos_weight - 1) * labels, (1 - labels) * logits
    log = API["math.log1p"](API["exp"](-API["abs"](logits)))
    return API["add"](negative, weight * (log + API["nn.relu"](-logits)))


def cross_entropy(labels: Any, logits: Any) -> Any:
    """Returns the loss of ``tf.nn.softmax_cross_entropy_with_logits``; classes on the last axis."""
    rank, sizes = API["rank"](logits), API["shape"](logits)
    flat = [_rows(x) for x in (logits, labels)]
    losses = execute(OPS["SoftmaxCrossEntropyWithLogits"], flat, {"name": thread.scope.name})[0]
    last = API["subtract"](rank, 1)
    result = API["reshape"](losses, API["slice"](sizes, [0], [last]))
    result.set_shape(logits.shape[:-1])
    return result


def _rows(x: Any) -> Any:
    """Reshapes a tensor to a matrix whose rows are its last axis."""
    rank = API["rank"](x)
    last = API["slice"](API["shape"](x), [API["subtract"](rank, 1)], [1])
    return API["reshape"](x, API["concat"]([[-1], last], 0))


def clipped_by_norm(values: Any, clip_norm: Any, axes: Any) -> Any:
    """Returns the result of ``tf.clip_by_norm``."""
    if is_tensor(clip_norm):
        clip_norm = API["maximum"](clip_norm, 0)
    squares = API["reduce_sum"](values * values, axes, keepdims=True)
    positive = squares > 0
    root = API["sqrt"](_select_without_broadcast(positive, squares, filled_like(squares)))
    norm = _select_without_broadcast(positive, root, squares)
    clipped = values * clip_norm
    values.shape.assert_is_compatible_with(clipped.shape)
    return API["identity"](clipped / API["maximum"](norm, clip_norm))


def log_sum_exp(x: Any, axis: Any, keepdims: bool) -> Any:
    """Returns the result of ``tf.reduce_logsumexp``."""
    highest = API["reduce_max"](x, axis, keepdims=True)
    finite = execute(
        OPS["SelectV2"], [API["math.is_finite"](highest), highest, 0], {"name": "SelectV2"}
    )
    offset = API["stop_gradient"](finite)
    total = API["reduce_sum"](API["exp"](API["subtract"](x, offset)), axis, keepdims=keepdims)
    result = API["math.log"](total)
    if not keepdims:
        offset = API["reshape"](
            offset, execute(OPS["Shape"], [result], {"name": "Shape", "out_type": int32})
        )
    return API["add"](result, offset)
