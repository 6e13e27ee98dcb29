"""Means of losses."""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor, dense
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.op import API, export
from twinflow._src.ops.array.shapes import reshape
from twinflow._src.ops.array.static_sizes import sizes_of
from twinflow._src.ops.control.rank_asserts import assert_integer, assert_scalar
from twinflow._src.ops.elementwise.arithmetic import multiply
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.ops.elementwise.division import divide_no_nan, truediv
from twinflow._src.ops.reduce.reduce import reduce_sum


@export("nn.compute_average_loss")
def compute_average_loss(
    per_example_loss: Any,
    sample_weight: Any = None,
    global_batch_size: Any = None,
) -> Any:
    """Returns the sum of the losses of examples divided by the size of the batch.

    Args:
        per_example_loss: A loss for each example.
        sample_weight: A weight for each example.
        global_batch_size: The size of the batch; that of ``per_example_loss`` where None.

    Returns:
        A scalar tensor.

    Raises:
        ValueError: The losses or the size do not have the rank that they need.
        TypeError: The size is no integer.
        InvalidArgumentError: The size is negative.
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
    """Weights of examples, in the type of the losses and of as many dimensions."""
    weights = cast(convert_to_tensor(weights), losses.dtype)
    missing = losses.shape.rank - weights.shape.rank
    if missing > 0 and weights.shape.rank:
        weights = reshape(weights, weights.shape.as_list() + [1] * missing)
    return weights


@export("nn.scale_regularization_loss")
def scale_regularization_loss(regularization_loss: Any) -> Any:
    """Returns the sum of regularisation losses divided by the number of replicas.

    Args:
        regularization_loss: A tensor of losses.

    Returns:
        A scalar tensor.
    """
    losses = convert_to_tensor(regularization_loss)
    total = reduce_sum(losses)
    return truediv(total, 1) if losses.dtype.is_integer else total
