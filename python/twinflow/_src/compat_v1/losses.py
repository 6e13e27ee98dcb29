"""``tf.compat.v1.losses``: losses that are added to a collection of the graph.

The first part validates and broadcasts weights, and squeezes dimensions of size 1.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from twinflow._src.compat_v1.context_managers import control_dependencies, name_scope
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import float32
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.signature_errors import wraps
from twinflow._src.graph.collections import GraphKeys
from twinflow._src.graph.default_graph import executing_eagerly, get_default_graph

# Weights: validation of broadcasting, and squeezing.


_PREFIX = "weights can not be broadcast to values."


def checked_weights(weights: Any, values: Any) -> Any:
    """Returns weights as a tensor that broadcasts to values; checks unknown shapes at run time."""
    with name_scope("assert_broadcastable"):
        weights = convert_to_tensor(weights, name="weights")
        if weights.shape.rank == 0 or _fits(weights, values):
            return weights
        sizes, expected = API["shape"](weights), API["shape"](values)
        alone = API["equal"](API["rank"](weights), 0)
        possible = API["cond"](alone, lambda: alone, lambda: _fit(sizes, expected))
        texts = [
            _PREFIX,
            "weights.shape=",
            _name(weights),
            sizes,
            "values.shape=",
            _name(values),
            expected,
            "is_scalar=",
            alone,
        ]
        with control_dependencies([API["debugging.Assert"](possible, texts)]):
            return API["identity"](weights)


def _fits(weights: Any, values: Any) -> bool:
    """True if static shapes broadcast, False if they are unknown; else raises ValueError."""
    dims, theirs = weights.shape, values.shape
    received = f"Received weights={weights}, values={values}"
    if dims.rank is None or theirs.rank is None:
        return False
    if dims.rank != theirs.rank:
        raise ValueError(
            f"{_PREFIX} values.rank={theirs.rank}. weights.rank={dims.rank}. values.shape={theirs}. "
            f"weights.shape={dims}. {received}"
        )
    pairs = list(zip(dims.as_list(), theirs.as_list()))
    for i, (size, expected) in enumerate(pairs):
        if None not in (size, expected) and size not in (1, expected):
            listed = [f"[{' '.join(str(pair[k]) for pair in pairs)}]" for k in (1, 0)]
            raise ValueError(
                f"{_PREFIX} Mismatch at dim {i}. values.shape={listed[0]}, weights.shape={listed[1]}. {received}"
            )
    return all(size == 1 or (size is not None and size == expected) for size, expected in pairs)


def _fit(sizes: Any, expected: Any) -> Any:
    same = API["equal"](API["size"](sizes), API["size"](expected))
    each = lambda: API["reduce_all"](
        API["logical_or"](API["equal"](sizes, 1), API["equal"](sizes, expected))
    )
    return API["cond"](same, each, lambda: same)


def _name(tensor: Any) -> str:
    return getattr(tensor, "name", "") if hasattr(tensor, "op") else ""


def squeezed_labels(labels: Any, logits: Any) -> Any:
    """Squeezes the last dimension of labels if they have the rank of logits."""
    labels, logits = convert_to_tensor(labels), convert_to_tensor(logits)
    return _without_last(labels, logits.shape.rank, lambda: API["rank"](logits))


def squeezed_weights(weights: Any, labels: Any) -> Any:
    """Squeezes the last dimension of weights if their rank is one more than that of labels."""
    weights = convert_to_tensor(weights)
    if weights.shape.rank == 0:
        return weights
    rank = labels.shape.rank
    if None not in (rank, weights.shape.rank):
        return API["squeeze"](weights, [-1]) if weights.shape.rank == rank + 1 else weights
    return _without_last(
        weights, None if rank is None else rank + 1, lambda: API["rank"](labels) + 1
    )


def _without_last(value: Any, rank: int | None, known_later: Any) -> Any:
    """Squeezes the last dimension of a value if it has a rank."""
    shape = value.shape
    if shape.rank is not None and rank is not None:
        dropped = shape.rank == rank and shape.rank > 0 and shape.as_list()[-1] in (1, None)
        return API["squeeze"](value, [-1]) if dropped else value
    if shape.rank is not None and (shape.rank == 0 or shape.as_list()[-1] not in (1, None)):
        return value
    same = API["equal"](API["rank"](value), known_later())
    return API["cond"](same, lambda: API["squeeze"](value, [-1]), lambda: value)


# Losses.


F = TypeVar("F", bound=Callable[..., Any])


class Reduction:
    """Reductions of the losses of elements."""

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """Returns all reductions."""
        weighted = cls.SUM_OVER_NONZERO_WEIGHTS, cls.SUM_BY_NONZERO_WEIGHTS
        return cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE, *weighted

    @classmethod
    def validate(cls, key: str) -> None:
        """Raises ValueError for an unknown reduction."""
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}. Key should be one of {cls.all()}.")


def add_loss(loss: Any, loss_collection: Any = GraphKeys.LOSSES) -> None:
    """Adds a loss to a collection of the graph; no effect in eager execution."""
    if loss_collection and not executing_eagerly():
        get_default_graph().add_to_collection(loss_collection, loss)


def get_losses(scope: str | None = None, loss_collection: Any = GraphKeys.LOSSES) -> list[Any]:
    """Returns the losses of the graph."""
    return get_default_graph().get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """Returns the regularization losses of the graph."""
    return get_default_graph().get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(
    scope: str | None = None, name: str = "total_regularization_loss"
) -> Any:
    """Returns the sum of the regularization losses."""
    losses = get_regularization_losses(scope)
    return API["add_n"](losses, name=name) if losses else convert_to_tensor(0.0)


def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None
) -> Any:
    """Returns the sum of all losses."""
    losses = get_losses(scope)
    if add_regularization_losses:
        losses += get_regularization_losses(scope)
    return API["add_n"](losses, name=name)


def _within(default: str) -> Callable[[F], F]:
    """Decorates a function to run in the name scope of its parameter ``scope`` or a default."""

    def decorate(function: F) -> F:
        signature = inspect.signature(function)

        @wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            bound = signature.bind(*args, **kwargs)
            with name_scope(bound.arguments.get("scope"), default) as bound.arguments["scope"]:
                return function(*bound.args, **bound.kwargs)

        return called  # type: ignore[return-value]

    return decorate


@_within("weighted_loss")
def compute_weighted_loss(
    losses: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """Computes the weighted and reduced loss, and adds it to a collection.

    Args:
        losses: The losses of elements.
        weights: A scalar, or a tensor that broadcasts to the losses.
        scope: A name scope.
        loss_collection: The collection of the result.
        reduction: The reduction.

    Raises:
        ValueError: The reduction is unknown.
    """
    Reduction.validate(reduction)
    losses = convert_to_tensor(losses)
    dtype = losses.dtype
    weights = API["cast"](checked_weights(weights, losses), float32)
    losses = API["cast"](losses, float32)
    weighted = API["multiply"](losses, weights)
    result = (
        weighted if reduction == Reduction.NONE else _reduced(losses, weights, weighted, reduction)
    )
    result = API["cast"](result, dtype)
    add_loss(result, loss_collection)
    return result


def _reduced(losses: Any, weights: Any, weighted: Any, reduction: str) -> Any:
    total = API["reduce_sum"](weighted)
    spread = API["broadcast_to"](weights, API["shape"](losses))
    if reduction == Reduction.MEAN:
        return _mean(total, API["reduce_sum"](spread))
    if reduction == Reduction.SUM_BY_NONZERO_WEIGHTS:
        present = API["cast"](API["not_equal"](spread, 0.0), float32)
        return _mean(total, API["reduce_sum"](present))
    if reduction == Reduction.SUM_OVER_BATCH_SIZE:
        return _mean(total, API["cast"](API["size"](losses), float32))
    return total


def _mean(total: Any, count: Any) -> Any:
    return API["math.divide_no_nan"](total, count, name="value")


def _assert_given(**arguments: Any) -> None:
    """Raises ValueError if an argument is None."""
    for name, value in arguments.items():
        if value is None:
            raise ValueError(f"Argument `{name}` must not be None.")


def _pair(labels: Any, predictions: Any) -> tuple[Any, Any]:
    _assert_given(labels=labels, predictions=predictions)
    predictions = API["cast"](convert_to_tensor(predictions), float32)
    labels = API["cast"](convert_to_tensor(labels), float32)
    predictions.shape.assert_is_compatible_with(labels.shape)
    return labels, predictions


_KEY, _BY_WEIGHTS = GraphKeys.LOSSES, Reduction.SUM_BY_NONZERO_WEIGHTS


@_within("mean_squared_error")
def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = _KEY,
    reduction: str = _BY_WEIGHTS,
) -> Any:
    """Computes the mean squared error; see ``compute_weighted_loss``."""
    labels, predictions = _pair(labels, predictions)
    losses = API["math.squared_difference"](predictions, labels)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@_within("absolute_difference")
def absolute_difference(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = _KEY,
    reduction: str = _BY_WEIGHTS,
) -> Any:
    """Computes the mean absolute error; see ``compute_weighted_loss``."""
    labels, predictions = _pair(labels, predictions)
    return compute_weighted_loss(
        API["abs"](predictions - labels), weights, scope, loss_collection, reduction
    )


@_within("mean_pairwise_squared_error")
def mean_pairwise_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = _KEY,
) -> Any:
    """Computes the mean squared error of pairwise differences of elements per sample.

    Args:
        labels: The ground truth.
        predictions: The predictions, of the same shape.
        weights: A scalar, or a tensor that broadcasts.
        scope: A name scope.
        loss_collection: The collection of the result.

    Raises:
        ValueError: The shapes are incompatible.
    """
    _assert_given(labels=labels, predictions=predictions)
    weights, labels = (API["cast"](convert_to_tensor(x), float32) for x in (weights, labels))
    weights = checked_weights(weights, labels)
    labels, predictions = _pair(labels, predictions)
    differences = predictions - labels
    inner = API["range"](1, API["rank"](differences))
    total = lambda x: API["reduce_sum"](x, inner, True)
    present = API["cast"](API["not_equal"](weights, 0.0), float32)
    count = total(present * API["ones_like"](differences))
    pairs = API["maximum"](count - 1.0, 0.0)
    squares = 2.0 * _mean(total(API["square"](differences)), pairs)
    products = 2.0 * _mean(
        API["square"](total(differences)), API["maximum"](count * (count - 1.0), 0.0)
    )
    loss = API["reduce_sum"]((squares - products) * weights)
    loss = API["where"](API["reduce_sum"](count) > 0, loss, API["zeros_like"](loss), name="value")
    add_loss(loss, loss_collection)
    return loss


@_within("cosine_distance_loss")
def cosine_distance(
    labels: Any,
    predictions: Any,
    axis: Any = None,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = _KEY,
    reduction: str = _BY_WEIGHTS,
    dim: Any = None,
) -> Any:
    """Computes the cosine distance of unit vectors; see ``compute_weighted_loss``."""
    if axis is not None and dim is not None:
        raise ValueError("Cannot specify both 'dim' and 'axis'.")
    labels, predictions = _pair(labels, predictions)
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("You must specify argument `axis`.")
    losses = 1 - API["reduce_sum"](predictions * labels, axis, True)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@_within("hinge_loss")
def hinge_loss(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = _KEY,
    reduction: str = _BY_WEIGHTS,
) -> Any:
    """Computes the hinge loss; see ``compute_weighted_loss``."""
    _assert_given(labels=labels, logits=logits)
    labels, logits = _pair(labels, logits)
    losses = API["nn.relu"](1.0 - (2 * labels - 1.0) * logits)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@_within("huber_loss")
def huber_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    delta: float = 1.0,
    scope: Any = None,
    loss_collection: Any = _KEY,
    reduction: str = _BY_WEIGHTS,
) -> Any:
    """Computes the Huber loss; see ``compute_weighted_loss``."""
    labels, predictions = _pair(labels, predictions)
    error = API["abs"](predictions - labels)
    near = API["minimum"](error, delta)
    return compute_weighted_loss(
        0.5 * near * near + delta * (error - near), weights, scope, loss_collection, reduction
    )


@_within("log_loss")
def log_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    epsilon: float = 1e-7,
    scope: Any = None,
    loss_collection: Any = _KEY,
    reduction: str = _BY_WEIGHTS,
) -> Any:
    """Computes the log loss of probabilities; see ``compute_weighted_loss``."""
    labels, predictions = _pair(labels, predictions)
    log = API["math.log"]
    losses = -labels * log(predictions + epsilon) - (1 - labels) * log(1 - predictions + epsilon)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@_within("sigmoid_cross_entropy_loss")
def sigmoid_cross_entropy(
    multi_class_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: Any = None,
    loss_collection: Any = _KEY,
    reduction: str = _BY_WEIGHTS,
) -> Any:
    """Computes the sigmoid cross entropy; see ``compute_weighted_loss``."""
    _assert_given(multi_class_labels=multi_class_labels, logits=logits)
    logits = convert_to_tensor(logits)
    labels = API["cast"](convert_to_tensor(multi_class_labels), logits.dtype)
    logits.shape.assert_is_compatible_with(labels.shape)
    if label_smoothing > 0:
        labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
    losses = API["nn.sigmoid_cross_entropy_with_logits"](labels, logits)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@_within("softmax_cross_entropy_loss")
def softmax_cross_entropy(
    onehot_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: Any = None,
    loss_collection: Any = _KEY,
    reduction: str = _BY_WEIGHTS,
) -> Any:
    """Computes the softmax cross entropy with one-hot labels; see ``compute_weighted_loss``."""
    _assert_given(onehot_labels=onehot_labels, logits=logits)
    logits = convert_to_tensor(logits)
    labels = API["cast"](convert_to_tensor(onehot_labels), logits.dtype)
    logits.shape.assert_is_compatible_with(labels.shape)
    if label_smoothing > 0:
        classes = API["cast"](API["shape"](labels)[-1], logits.dtype)
        labels = labels * (1 - label_smoothing) + label_smoothing / classes
    losses = API["nn.softmax_cross_entropy_with_logits"](API["stop_gradient"](labels), logits)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@_within("sparse_softmax_cross_entropy_loss")
def sparse_softmax_cross_entropy(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = _KEY,
    reduction: str = _BY_WEIGHTS,
) -> Any:
    """Computes the softmax cross entropy with integer labels; see ``compute_weighted_loss``."""
    _assert_given(labels=labels, logits=logits)
    labels = squeezed_labels(labels, logits)
    weights = squeezed_weights(weights, labels)
    losses = API["nn.sparse_softmax_cross_entropy_with_logits"](labels, logits)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)
