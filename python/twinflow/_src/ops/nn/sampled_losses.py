"""Sampled losses for many classes (NCE, sampled softmax), and global batch normalization."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.dtypes import int64
from twinflow._src.core.shapes import static_size
from twinflow._src.dispatch.op import API, documented_like, export
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
    """Returns the logits of target and sampled classes, and the labels for these logits."""
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
    size = static_size(rows.shape, 1)
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
    """Returns a matrix with the lowest float for accidental hits, else 0."""
    hits = compute_accidental_hits(labels, sampled, num_true)
    indices = API["stack"]([API["cast"](hits.indices, int64), hits.ids], 1)
    return API["scatter_nd"](indices, API["cast"](hits.weights, dtype), shape)


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
    """Computes the noise-contrastive estimation (NCE) loss.

    Args:
        weights: The class weights, of shape [num_classes, dim].
        biases: The class biases.
        labels: The target classes, of shape [batch_size, num_true].
        inputs: The forward activations of the input, of shape [batch_size, dim].
        num_sampled: The number of classes to sample.
        num_classes: The number of classes.
        num_true: The number of target classes per example.
        sampled_values: The result of a candidate sampler; if None,
            ``log_uniform_candidate_sampler`` is used.
        remove_accidental_hits: If True, ignores sampled classes that are target classes.

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
@documented_like(nce_loss)
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
    """Computes the sampled softmax loss over the target classes and sampled ones.

    Args:
        seed: A seed for the sampler.
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
    """Computes batch normalization of a tensor by means and variances of its channels.

    Args:
        input: A tensor with the channels in the last dimension.
        mean: The means.
        variance: The variances.
        beta: The offset.
        gamma: The scale.
        variance_epsilon: A small constant added to the variances.
        scale_after_normalization: If True, multiplies by ``gamma``.

    Returns:
        A tensor of the same shape.
    """
    scale = gamma if scale_after_normalization else None
    return API["nn.batch_normalization"](input, mean, variance, beta, scale, variance_epsilon)
