"""Losses that look at some of many classes."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.dtypes import int64
from twinflow._src.dispatch.op import API, export
from twinflow._src.ops.nn.candidates import compute_accidental_hits, log_uniform_candidate_sampler


def _sampled_logits(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int,
    sampled_values: Any,
    remove_accidental_hits: bool,
    seed: Any,
) -> tuple[Any, Any]:
    """The logits of the true and of sampled classes, and the labels that go with them."""
    labels = labels if labels.dtype == int64 else API["cast"](labels, int64)
    flat = API["reshape"](labels, [-1])
    if sampled_values is None:
        sampled_values = log_uniform_candidate_sampler(
            labels, num_true, num_sampled, True, num_classes, seed
        )
    sampled, true_count, sampled_count = map(API["stop_gradient"], sampled_values)
    sampled = API["cast"](sampled, int64)
    every = API["concat"]([flat, sampled], 0)
    count = API["shape"](flat)[0]
    rows = API["nn.embedding_lookup"](weights, every)
    biases = API["nn.embedding_lookup"](biases, every)
    size = rows.shape[1]
    true_rows = API["reshape"](rows[:count], [-1, num_true, size])
    products = API["expand_dims"](inputs, 1) * true_rows
    true_logits = API["reduce_sum"](products, 2) + API["reshape"](biases[:count], [-1, num_true])
    sampled_logits = API["matmul"](inputs, rows[count:], transpose_b=True) + biases[count:]
    if remove_accidental_hits:
        shape = API["shape"](sampled_logits, out_type=int64)
        sampled_logits = sampled_logits + _hits(labels, sampled, num_true, shape, inputs.dtype)
    true_logits = true_logits - API["math.log"](true_count)
    sampled_logits = sampled_logits - API["math.log"](sampled_count)
    shares = API["ones_like"](true_logits) / num_true
    return (
        API["concat"]([true_logits, sampled_logits], 1),
        API["concat"]([shares, API["zeros_like"](sampled_logits)], 1),
    )


def _hits(labels: Any, sampled: Any, num_true: int, shape: Any, dtype: Any) -> Any:
    """The lowest number where a sampled class is a true one, else 0."""
    hits = compute_accidental_hits(labels, sampled, num_true)
    places = API["stack"]([API["cast"](hits.indices, int64), hits.ids], 1)
    return API["scatter_nd"](places, API["cast"](hits.weights, dtype), shape)


@export("nn.nce_loss")
def nce_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = False,
    name: str | None = "nce_loss",
) -> Any:
    """Returns noise-contrastive losses: true classes against sampled ones.

    Args:
        weights: The weights of the classes, a row for each.
        biases: The biases of the classes.
        labels: The true classes, a row for each example.
        inputs: What the weights are multiplied by, a row for each example.
        num_sampled: How many classes are sampled.
        num_classes: The number of classes.
        num_true: How many true classes each example has.
        sampled_values: What a candidate sampler gave; ``log_uniform_candidate_sampler`` draws where None.
        remove_accidental_hits: Whether sampled classes that are true do not count.
        name: A name for the operation.

    Returns:
        A loss for each example.
    """
    logits, targets = _sampled_logits(
        *(weights, biases, labels, inputs, num_sampled, num_classes, num_true),
        *(sampled_values, remove_accidental_hits, None),
    )
    losses = API["nn.sigmoid_cross_entropy_with_logits"](labels=targets, logits=logits)
    return API["reduce_sum"](losses, 1)


@export("nn.sampled_softmax_loss")
def sampled_softmax_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    seed: int | None = None,
    name: str | None = "sampled_softmax_loss",
) -> Any:
    """Returns softmax losses over the true classes and sampled ones.

    Args:
        weights: The weights of the classes, a row for each.
        biases: The biases of the classes.
        labels: The true classes, a row for each example.
        inputs: What the weights are multiplied by, a row for each example.
        num_sampled: How many classes are sampled.
        num_classes: The number of classes.
        num_true: How many true classes each example has.
        sampled_values: What a candidate sampler gave; ``log_uniform_candidate_sampler`` draws where None.
        remove_accidental_hits: Whether sampled classes that are true do not count.
        seed: A seed for the sampler.
        name: A name for the operation.

    Returns:
        A loss for each example.
    """
    logits, targets = _sampled_logits(
        *(weights, biases, labels, inputs, num_sampled, num_classes, num_true),
        *(sampled_values, remove_accidental_hits, seed),
    )
    targets = API["stop_gradient"](targets)
    return API["nn.softmax_cross_entropy_with_logits"](labels=targets, logits=logits)


@export("nn.batch_norm_with_global_normalization")
def batch_norm_with_global_normalization(
    input: Any,
    mean: Any,
    variance: Any,
    beta: Any,
    gamma: Any,
    variance_epsilon: float,
    scale_after_normalization: bool,
    name: str | None = None,
) -> Any:
    """Returns a tensor normalised by a mean and a variance of each channel.

    Args:
        input: A tensor whose last dimension is that of the channels.
        mean: The means.
        variance: The variances.
        beta: What is added.
        gamma: What is multiplied by.
        variance_epsilon: A small number that is added to the variances.
        scale_after_normalization: Whether gamma is used.
        name: A name for the operation.

    Returns:
        A tensor of the same shape.
    """
    scale = gamma if scale_after_normalization else None
    return API["nn.batch_normalization"](input, mean, variance, beta, scale, variance_epsilon)
