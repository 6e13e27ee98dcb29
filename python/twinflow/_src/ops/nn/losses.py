"""Losses: softmax and sigmoid cross entropy, L2, Poisson, and averages over a global batch."""

from __future__ import annotations

from typing import Annotated, Any

from twinflow._src.autodiff.reverse import unbroadcast, unseen
from twinflow._src.backends.host_checks import all_within, is_host
from twinflow._src.conversion.constant import convert_to_tensor, dense
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import REALS, bfloat16, float16, float32, int32, int64
from twinflow._src.core.errors import InvalidArgumentError, invalid
from twinflow._src.core.shapes import Dims, broadcast, refused, scalar, static_size, text
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.op import API, Call, Kind, documented_like, export, op
from twinflow._src.graph.tf_exact import functions as forms
from twinflow._src.ops.array.fill import ones_like, zeros_like
from twinflow._src.ops.array.gather import where
from twinflow._src.ops.array.shapes import rank_of, reshape, sizes_of, transpose
from twinflow._src.ops.control.shape_asserts import assert_integer, assert_scalar
from twinflow._src.ops.elementwise.arithmetic import abs as absolute
from twinflow._src.ops.elementwise.arithmetic import add, multiply, negative, subtract
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.ops.elementwise.compare import greater_equal, less_equal, logical_and
from twinflow._src.ops.elementwise.division import divide_no_nan, truediv
from twinflow._src.ops.elementwise.math import exp, log, log1p
from twinflow._src.ops.nn.basics import relu, wide
from twinflow._src.ops.nn.softmaxes import log_softmax, logarithms_and_probabilities, softmax
from twinflow._src.ops.reduce.reduce import reduce_sum
from twinflow._src.shape_rules.demands import merged_size, ranked

# Averages of losses.


@export("nn.compute_average_loss")
def compute_average_loss(
    per_example_loss: Any,
    sample_weight: Any = None,
    global_batch_size: Any = None,
) -> Any:
    """Scales per-example losses by the global batch size and sums them.

    Args:
        per_example_loss: A loss for each example.
        sample_weight: A weight for each example.
        global_batch_size: The global batch size; the size of ``per_example_loss`` if None.

    Returns:
        A scalar tensor.

    Raises:
        ValueError: ``per_example_loss`` is a scalar, or the batch size is not.
        TypeError: The batch size is not an integer.
        InvalidArgumentError: The batch size is negative.
    """
    losses = convert_to_tensor(per_example_loss)
    rank = losses.shape.rank
    if rank == 0:
        shown = losses.numpy() if isinstance(losses, EagerTensor) else losses
        raise ValueError(
            "Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1. "
            f"Received per_example_loss={shown} with rank {rank}"
        )
    dtype = losses.dtype
    if sample_weight is not None:
        losses = multiply(losses, _weights(sample_weight, losses))
    if global_batch_size is None:
        global_batch_size = sizes_of(losses)[0]
    size = dense(global_batch_size)
    assert_scalar(size, message="global_batch_size must be scalar.")
    assert_integer(size, message="global_batch_size must be an integer.")
    API["debugging.assert_non_negative"](size, message="global_batch_size must be non-negative.")
    return divide_no_nan(reduce_sum(cast(losses, dtype)), cast(size, dtype))


def _weights(weights: Any, losses: Any) -> Any:
    """Returns example weights, cast to the dtype of the losses and expanded to their rank."""
    weights = cast(convert_to_tensor(weights), losses.dtype)
    missing = losses.shape.rank - weights.shape.rank
    if missing > 0 and weights.shape.rank:
        weights = reshape(weights, weights.shape.as_list() + [1] * missing)
    return weights


@export("nn.scale_regularization_loss")
def scale_regularization_loss(regularization_loss: Any) -> Any:
    """Scales the sum of regularization losses by the number of replicas.

    Args:
        regularization_loss: A tensor of losses.

    Returns:
        A scalar tensor.
    """
    losses = convert_to_tensor(regularization_loss)
    total = reduce_sum(losses)
    return truediv(total, 1) if losses.dtype.is_integer else total


# Softmax cross entropy ops.


_Labels = Annotated[Any, Kind("Tlabels", default=int64, allowed=frozenset((int32, int64)))]


def _crossed(features: Dims | None, labels: Dims | None, **_: Any) -> list[Dims]:
    """Returns the shapes of losses and gradients, for matrices that broadcast against each other."""
    # As in TensorFlow, an unknown size against 1 is treated as 1.
    both = ((None, None) if dims is None else dims for dims in (features, labels))
    shape = broadcast(*both) or ()
    if len(shape) != 2:
        raise refused(f"Shape must be broadcasted with rank 2, but is rank {len(shape)}")
    return [shape[:1], shape]


@op("SoftmaxCrossEntropyWithLogits", shape=_crossed, dtypes=REALS, partial=True)
def softmax_cross_entropy(xp: Any, features: Any, labels: Any) -> Any:
    """Computes softmax cross entropy of logits with label distributions, and its gradients."""
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


def _fill_upstream_gradients(call: Call, dloss: Any, dderivatives: Any) -> tuple[Any, Any]:
    """Returns the upstream gradients of both outputs; the second may stay None in eager mode."""
    dloss = API["zeros_like"](call.outputs[0]) if dloss is None else dloss
    if dderivatives is None and not unseen(dloss) and thread.scope.graph is None:
        return dloss, API["zeros_like"](call.outputs[1])
    return dloss, dderivatives


def _by_logits(logits: Any, derivatives: Any, dloss: Any, dderivatives: Any) -> Any:
    """Returns the gradient for the logits from the upstream gradients of both outputs."""
    if dderivatives is None:
        return API["expand_dims"](dloss, -1) * derivatives
    y = softmax(logits)
    inner = API["reduce_sum"](dderivatives * y, -1, keepdims=True)
    return API["expand_dims"](dloss, -1) * derivatives + (dderivatives - inner) * y


@softmax_cross_entropy.batched
def _(call: Any) -> Any:
    x, labels = (argument.shape for argument in call.node.arguments)
    return call.folded(0, 1) if x.as_list()[:1] == labels.as_list()[:1] else call.looped()


@softmax_cross_entropy.gradient
def _(call: Call, dloss: Any, dderivatives: Any) -> Any:
    features, labels = call.inputs
    dloss, dderivatives = _fill_upstream_gradients(call, dloss, dderivatives)
    dfeatures = unbroadcast(_by_logits(features, call.outputs[1], dloss, dderivatives), features)

    def by_labels() -> Any:
        dlabels = -API["expand_dims"](dloss, -1) * log_softmax(features)
        return unbroadcast(dlabels if dderivatives is None else dlabels - dderivatives, labels)

    return dfeatures, by_labels if unseen(dloss) else by_labels()


def _of_classes(features: Dims | None, labels: Dims | None, **_: Any) -> list[Dims]:
    """Returns the shapes of losses and gradients for integer labels."""
    x, classes = ranked(features, 2), ranked(labels, 1)
    batch = merged_size(x[0], classes[0])
    return [(batch,), (batch, x[1])]


@op("SparseSoftmaxCrossEntropyWithLogits", shape=_of_classes, dtypes=REALS, partial=True)
def sparse_cross_entropy(xp: Any, features: Any, labels: _Labels) -> Any:
    """Computes softmax cross entropy of logits with integer labels, and its gradients."""
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


sparse_cross_entropy.batched(lambda call: call.folded(0, 1))


@sparse_cross_entropy.gradient
def _(call: Call, dloss: Any, dderivatives: Any) -> Any:
    dloss, dderivatives = _fill_upstream_gradients(call, dloss, dderivatives)
    return _by_logits(call.inputs[0], call.outputs[1], dloss, dderivatives), None


# Public functions.


@op("L2Loss", api="nn.l2_loss", shape=scalar, dtypes=REALS)
def l2_loss(xp: Any, t: Any) -> Any:
    """Computes the L2 loss: half the sum of the squares of all elements.

    Args:
        t: A floating-point tensor.

    Returns:
        A scalar tensor of the same dtype.
    """
    x = wide(xp, t)
    return xp.asarray((x * x).sum() / 2, t.dtype)


l2_loss.gradient(lambda call, dy: dy * call.inputs[0])


@l2_loss.batched
def _(call: Any) -> Any:
    axes = list(range(1, call.rank(0) + 1))
    return API["reduce_sum"](API["square"](call.inputs[0]), axes) / 2


# ------------------------------------------------------------------ cross entropies


@export("nn.softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, axis: int = -1, name: str | None = None
) -> Any:
    """Computes softmax cross entropy between logits and label distributions.

    Args:
        labels: The class probabilities, of the shape of ``logits``.
        logits: A floating-point tensor.
        axis: The class axis.

    Returns:
        A tensor of the dtype of ``logits``, without the class axis.

    Raises:
        InvalidArgumentError: The shapes are incompatible.
    """
    logits, labels = convert_to_tensor(logits), convert_to_tensor(labels)
    dtype = logits.dtype
    precise = cast(logits, float32) if dtype in (float16, bfloat16) else logits
    labels = cast(labels, precise.dtype)
    axis = -1 if axis is None else axis
    if axis != -1:
        precise, labels = (_class_last(x, axis, rank_of(precise)) for x in (precise, labels))
    if precise.shape.rank == 0:
        raise invalid(
            "Expected begin[0] == 0 (got -1) and size[0] == 0 (got 1) when input.dim_size(0) == 0"
        )
    if thread.scope.graph is not None:
        return cast(forms.cross_entropy(labels, precise), dtype)
    flat = [x if x.shape.rank == 2 else _rows(x) for x in (precise, labels)]
    cost = reshape(softmax_cross_entropy(*flat)[0], sizes_of(precise, slice(-1)))
    return cast(cost, dtype)


def _class_last(x: Any, axis: Any, rank: Any) -> Any:
    order = [API["range"](axis), API["range"](axis + 1, rank), [axis]]
    return transpose(x, API["concat"](order, 0))


def _rows(x: Any) -> Any:
    """Reshapes a tensor to a matrix that keeps the last dimension."""
    last = static_size(x.shape, -1)
    if last is None:
        return reshape(x, API["concat"]([[-1], sizes_of(x, slice(-1, None))], 0))
    return reshape(x, [-1 if last else (x.shape.num_elements() or 0), last])


def _assert_given(function: str, labels: Any, logits: Any) -> None:
    if labels is None or logits is None:
        raise ValueError(
            f"Both `labels` and `logits` must be provided for {function}"
            f"Received: labels={labels} and logits={logits}"
        )


@export("nn.sparse_softmax_cross_entropy_with_logits")
def sparse_softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, name: str | None = None
) -> Any:
    """Computes softmax cross entropy between logits and integer labels.

    Args:
        labels: The class index of each example, int32 or int64.
        logits: A floating-point tensor, with the classes in the last dimension.

    Returns:
        A tensor of the dtype of ``logits`` and the shape of ``labels``.

    Raises:
        ValueError: The shapes are incompatible.
        InvalidArgumentError: A label is out of range.
    """
    _assert_given("sparse_softmax_cross_entropy_with_logits", labels, logits)
    labels, logits = convert_to_tensor(labels), convert_to_tensor(logits)
    _assert_sparse_shapes(labels, logits)
    dtype = logits.dtype
    precise = cast(logits, float32) if dtype is float16 else logits
    if precise.shape.rank == 2:
        if thread.scope.graph is not None:
            API["shape"](labels)  # seen alone
        cost = sparse_cross_entropy(precise, labels)[0]
    else:
        cost = sparse_cross_entropy(_rows(precise), reshape(labels, [-1]))[0]
        cost = reshape(cost, sizes_of(labels))
        cost.set_shape(labels.shape)
    return cast(cost, dtype)


def _assert_sparse_shapes(labels: Any, logits: Any) -> None:
    outer, whole = labels.shape, logits.shape
    if whole.rank == 0:
        raise ValueError(f"`logits` cannot be a scalar. Received logits={logits.numpy()}`")
    if None in (outer.rank, whole.rank):
        return
    if outer.rank != whole.rank - 1:
        raise ValueError(
            "`labels.shape.rank` must equal `logits.shape.rank - 1`. "
            f"Received: labels.shape={outer} of rank {outer.rank} "
            f"and logits.shape={whole} of rank {whole.rank}"
        )
    if (
        outer.is_fully_defined()
        and None not in whole._dims[:-1]
        and outer._dims != whole._dims[:-1]
    ):
        raise ValueError(
            "`labels.shape` must equal `logits.shape` except for the last dimension. "
            f"Received: labels.shape={outer} and logits.shape={whole}"
        )


def _assert_same_shape(first: str, x: Any, second: str, y: Any) -> None:
    if not y.shape.is_compatible_with(x.shape):
        raise ValueError(
            f"`{first}` and `{second}` must have the same shape, received ({x.shape} vs {y.shape})."
        )


@export("nn.sigmoid_cross_entropy_with_logits")
def sigmoid_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Any:
    """Computes sigmoid cross entropy between logits and labels, element-wise.

    Args:
        labels: Probabilities, of the dtype and shape of ``logits``.
        logits: A floating-point tensor.

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        ValueError: The shapes differ, or an argument is missing.
    """
    _assert_given("sigmoid_cross_entropy_with_logits", labels, logits)
    logits, labels = convert_to_tensor(logits), convert_to_tensor(labels)
    _assert_same_shape("logits", logits, "labels", labels)
    if thread.scope.graph is not None:
        return forms.logistic_loss(labels, logits)
    zeros = zeros_like(logits)
    positive = greater_equal(logits, zeros)
    small = where(positive, negative(logits), logits)
    linear = subtract(where(positive, logits, zeros), multiply(logits, labels))
    return add(linear, log1p(exp(small)))


@export("nn.weighted_cross_entropy_with_logits")
@documented_like(sigmoid_cross_entropy_with_logits)
def weighted_cross_entropy_with_logits(
    labels: Any, logits: Any, pos_weight: Any, name: str | None = None
) -> Any:
    """Computes sigmoid cross entropy with a weight for positive examples, element-wise.

    Args:
        pos_weight: The weight of the positive examples.

    Raises:
        ValueError: The shapes differ.
    """
    logits, labels = convert_to_tensor(logits), convert_to_tensor(labels)
    _assert_same_shape("logits", logits, "labels", labels)
    if thread.scope.graph is not None:
        return forms.weighted_logistic_loss(labels, logits, pos_weight)
    weight = 1 + (pos_weight - 1) * labels
    tail = add(log1p(exp(negative(absolute(logits)))), relu(negative(logits)))
    return add(multiply(1 - labels, logits), multiply(weight, tail))


@export("nn.log_poisson_loss")
@documented_like(weighted_cross_entropy_with_logits)
def log_poisson_loss(
    targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None
) -> Any:
    """Computes the Poisson log loss of counts, given the logarithms of the predicted rates.

    Args:
        targets: The counts, of the dtype and shape of ``log_input``.
        log_input: The logarithms of the predicted rates.
        compute_full_loss: If True, adds Stirling's approximation of the constant term.
    """
    log_input, targets = convert_to_tensor(log_input), convert_to_tensor(targets)
    _assert_same_shape("log_input", log_input, "targets", targets)
    result = subtract(exp(log_input), multiply(log_input, targets))
    if not compute_full_loss:
        return result
    circle = convert_to_tensor(6.283185307179586, dtype=targets.dtype)
    half = convert_to_tensor(0.5, dtype=targets.dtype)
    stirling = add(
        subtract(multiply(targets, log(targets)), targets),
        multiply(half, log(multiply(circle, targets))),
    )
    few = logical_and(
        greater_equal(targets, zeros_like(targets)), less_equal(targets, ones_like(targets))
    )
    return add(result, where(few, zeros_like(targets), stirling))
