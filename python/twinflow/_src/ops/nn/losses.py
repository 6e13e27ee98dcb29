"""Losses."""

from __future__ import annotations

from typing import Any

from twinflow._src.compiler.call_traces import blended
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import REALS, bfloat16, float16, float32
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import scalar
from twinflow._src.dispatch.op import API, Call, export, op
from twinflow._src.graph.tf_exact import functions as forms
from twinflow._src.ops.array.fill import ones_like, zeros_like
from twinflow._src.ops.array.gather import where
from twinflow._src.ops.array.shapes import reshape, transpose
from twinflow._src.ops.array.static_sizes import rank_of, sizes_of
from twinflow._src.ops.elementwise.arithmetic import abs as absolute
from twinflow._src.ops.elementwise.arithmetic import add, multiply, negative, subtract
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.ops.elementwise.compare import greater_equal, less_equal, logical_and
from twinflow._src.ops.elementwise.math import exp, log, log1p
from twinflow._src.ops.nn.basics import relu, wide
from twinflow._src.ops.nn.cross_entropies import softmax_cross_entropy, sparse_cross_entropy


@op("L2Loss", api="nn.l2_loss", shape=scalar, dtypes=REALS)
def l2_loss(xp: Any, t: Any) -> Any:
    """Returns half the sum of the squares of all elements.

    Args:
        t: A tensor of floating numbers.

    Returns:
        A scalar tensor of the same type.
    """
    x = wide(xp, t)
    return xp.asarray((x * x).sum() / 2, t.dtype)


@l2_loss.gradient
def _(call: Call, dy: Any) -> Any:
    return dy * call.inputs[0]


# ------------------------------------------------------------------ cross entropies


@export("nn.softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, axis: int = -1, name: str | None = None
) -> Any:
    """Returns cross entropies between labels and the softmax of logits.

    Args:
        labels: Probabilities of the classes, of the shape of ``logits``.
        logits: A tensor of floating numbers.
        axis: The dimension of the classes.
        name: A name for the operation.

    Returns:
        A tensor of the type of ``logits``, without the dimension of the classes.

    Raises:
        InvalidArgumentError: The shapes do not fit.
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
    """A tensor as a matrix whose rows lie along its last dimension."""
    last = x.shape[-1]
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
    """Returns cross entropies between classes and the softmax of logits.

    Args:
        labels: The class of each example, int32 or int64.
        logits: A tensor of floating numbers, with the classes in the last dimension.
        name: A name for the operation.

    Returns:
        A tensor of the type of ``logits`` and the shape of ``labels``.

    Raises:
        ValueError: The shapes do not fit.
        InvalidArgumentError: There is no such class.
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
    own, whole = labels.shape, logits.shape
    if whole.rank == 0:
        raise ValueError(f"`logits` cannot be a scalar. Received logits={logits.numpy()}`")
    if None in (own.rank, whole.rank):
        return
    if own.rank != whole.rank - 1:
        raise ValueError(
            "`labels.shape.rank` must equal `logits.shape.rank - 1`. "
            f"Received: labels.shape={own} of rank {own.rank} "
            f"and logits.shape={whole} of rank {whole.rank}"
        )
    if own.is_fully_defined() and None not in whole._dims[:-1] and own._dims != whole._dims[:-1]:
        raise ValueError(
            "`labels.shape` must equal `logits.shape` except for the last dimension. "
            f"Received: labels.shape={own} and logits.shape={whole}"
        )


def _assert_same_shape(first: str, x: Any, second: str, y: Any) -> None:
    if not y.shape.is_compatible_with(x.shape):
        raise ValueError(
            f"`{first}` and `{second}` must have the same shape, received ({x.shape} vs {y.shape})."
        )


@export("nn.sigmoid_cross_entropy_with_logits")
@blended
def sigmoid_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Any:
    """Returns cross entropies between labels and the logistic function of logits, element-wise.

    Args:
        labels: Probabilities, of the type and shape of ``logits``.
        logits: A tensor of floating numbers.
        name: A name for the operation.

    Returns:
        A tensor of the same type and shape.

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
@blended
def weighted_cross_entropy_with_logits(
    labels: Any, logits: Any, pos_weight: Any, name: str | None = None
) -> Any:
    """Returns logistic cross entropies in which positive examples have a weight of their own.

    Args:
        labels: Probabilities, of the type and shape of ``logits``.
        logits: A tensor of floating numbers.
        pos_weight: The weight of the positive examples.
        name: A name for the operation.

    Returns:
        A tensor of the same type and shape.

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
@blended
def log_poisson_loss(
    targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None
) -> Any:
    """Returns the losses of counts whose expected values are known by their logarithms.

    Args:
        targets: The counts, of the type and shape of ``log_input``.
        log_input: The logarithms of the expected values.
        compute_full_loss: Whether Stirling's approximation of the constant term is added.
        name: A name for the operation.

    Returns:
        A tensor of the same type and shape.

    Raises:
        ValueError: The shapes differ.
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
