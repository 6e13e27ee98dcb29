"""Cross entropies between softmax distributions and labels."""

from __future__ import annotations

from typing import Annotated, Any

from twinflow._src.autodiff.reverse import unbroadcast, unseen
from twinflow._src.backends.host_checks import all_within, is_host
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import REALS, int32, int64
from twinflow._src.core.errors import InvalidArgumentError, invalid
from twinflow._src.core.shapes import Dims, broadcast, refused, text
from twinflow._src.dispatch.op import API, Call, Kind, op
from twinflow._src.ops.nn.basics import wide
from twinflow._src.ops.nn.softmaxes import log_softmax, logarithms_and_probabilities, softmax
from twinflow._src.shape_rules.demands import merged_size, ranked

_Labels = Annotated[Any, Kind("Tlabels", default=int64, allowed=frozenset((int32, int64)))]


def _crossed(features: Dims | None, labels: Dims | None, **_: Any) -> list[Dims]:
    """The shapes of losses and of their derivatives: of matrices that broadcast against each other.

    A size that is not known may be any beside a 1; TensorFlow takes it for 1.
    """
    both = ((None, None) if dims is None else dims for dims in (features, labels))
    shape = broadcast(*both) or ()
    if len(shape) != 2:
        raise refused(f"Shape must be broadcasted with rank 2, but is rank {len(shape)}")
    return [shape[:1], shape]


@op("SoftmaxCrossEntropyWithLogits", shape=_crossed, dtypes=REALS, partial=True)
def softmax_cross_entropy(xp: Any, features: Any, labels: Any) -> Any:
    """Returns cross entropies between softmax distributions and labels, and their derivatives.

    Args:
        features: A matrix of logits, a row an example.
        labels: A matrix of the same type: probabilities.

    Returns:
        A vector of losses, and a matrix of derivatives by the logits.

    Raises:
        InvalidArgumentError: The shapes do not fit.
    """
    try:
        shape = broadcast(features.shape, labels.shape) or ()
    except InvalidArgumentError:
        raise invalid(
            f"logits and labels must be broadcastable: logits_size={text(features.shape)} "
            f"labels_size={text(labels.shape)}"
        ) from None
    if len(shape) != 2:
        raise invalid(
            "logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional"
        )
    x, target = wide(xp, features), wide(xp, labels)
    if x.shape != shape or target.shape != shape:
        x, target = xp.broadcast_to(x, shape), xp.broadcast_to(target, shape)
    logarithms, probabilities = logarithms_and_probabilities(xp, x)
    loss = (target * -logarithms).sum(axis=-1)
    dtype = features.dtype
    return [loss.astype(dtype), (probabilities - target).astype(dtype)]


def _given(call: Call, dloss: Any, dderivatives: Any) -> tuple[Any, Any]:
    """The gradients by losses and their derivatives; the latter None where it is none and no log shows zeros."""
    dloss = API["zeros_like"](call.outputs[0]) if dloss is None else dloss
    if dderivatives is None and not unseen(dloss) and thread.scope.graph is None:
        return dloss, API["zeros_like"](call.outputs[1])
    return dloss, dderivatives


def _by_logits(logits: Any, derivatives: Any, dloss: Any, dderivatives: Any) -> Any:
    """The gradient by logits of losses and, for second derivatives, of their first derivatives."""
    if dderivatives is None:
        return API["expand_dims"](dloss, -1) * derivatives
    y = softmax(logits)
    inner = API["reduce_sum"](dderivatives * y, -1, keepdims=True)
    return API["expand_dims"](dloss, -1) * derivatives + (dderivatives - inner) * y


@softmax_cross_entropy.gradient
def _(call: Call, dloss: Any, dderivatives: Any) -> Any:
    features, labels = call.inputs
    dloss, dderivatives = _given(call, dloss, dderivatives)
    dfeatures = unbroadcast(_by_logits(features, call.outputs[1], dloss, dderivatives), features)

    def by_labels() -> Any:
        dlabels = -API["expand_dims"](dloss, -1) * log_softmax(features)
        return unbroadcast(dlabels if dderivatives is None else dlabels - dderivatives, labels)

    return dfeatures, by_labels if unseen(dloss) else by_labels()


def _of_classes(features: Dims | None, labels: Dims | None, **_: Any) -> list[Dims]:
    """The shapes of losses and of their derivatives, where labels are classes."""
    x, classes = ranked(features, 2), ranked(labels, 1)
    batch = merged_size(x[0], classes[0])
    return [(batch,), (batch, x[1])]


@op("SparseSoftmaxCrossEntropyWithLogits", shape=_of_classes, dtypes=REALS, partial=True)
def sparse_cross_entropy(xp: Any, features: Any, labels: _Labels) -> Any:
    """Returns cross entropies between softmax distributions and classes, and their derivatives.

    Args:
        features: A matrix of logits, a row an example.
        labels: The class of each example.

    Returns:
        A vector of losses, and a matrix of derivatives by the logits.

    Raises:
        InvalidArgumentError: The shapes do not fit, or there is no such class.
    """
    if features.ndim != 2:
        raise invalid(f"logits must be 2-D, but got shape {text(features.shape)}")
    if labels.ndim != 1:
        raise invalid(f"labels must be 1-D, but got shape {text(labels.shape)}")
    if labels.shape != features.shape[:1]:
        raise invalid(
            "logits and labels must have the same first dimension, got logits shape "
            f"{text(features.shape)} and labels shape {text(labels.shape)}"
        )
    count, classes = features.shape
    if count and not classes:
        raise invalid(f"Must have at least one class, but got logits shape {text(features.shape)}")
    if is_host(xp) and not all_within(labels, classes):
        bad = (labels < 0) | (labels >= classes)
        listed = " ".join(str(int(label)) for label in labels)
        raise invalid(
            f"Received a label value of {int(labels[xp.argmax(bad)])} which is outside the valid range "
            f"of [0, {classes}).  Label values: {listed}"
        )
    logarithms, backprop = logarithms_and_probabilities(xp, wide(xp, features))
    rows = xp.arange(count)
    loss = -logarithms[rows, labels]
    backprop[rows, labels] -= 1
    return [loss.astype(features.dtype), backprop.astype(features.dtype)]


@sparse_cross_entropy.gradient
def _(call: Call, dloss: Any, dderivatives: Any) -> Any:
    dloss, dderivatives = _given(call, dloss, dderivatives)
    return _by_logits(call.inputs[0], call.outputs[1], dloss, dderivatives), None
