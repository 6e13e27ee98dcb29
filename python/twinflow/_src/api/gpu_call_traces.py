"""Public functions whose calls are traced and replayed on GPUs (``call_traces.py``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.backends.gpu import device

# Their ops depend on dtypes, shapes and non-tensor arguments, not on the values of tensors.
_TEXT = """
    boolean_mask broadcast_to cast clip_by_norm clip_by_value concat einsum expand_dims eye gather linalg.band_part linalg.diag
    linalg.global_norm linalg.matmul linspace math.l2_normalize math.reduce_std math.reduce_variance math.softmax
    math.squared_difference meshgrid nn.avg_pool nn.avg_pool2d nn.batch_normalization nn.bias_add nn.conv1d nn.conv2d
    nn.depthwise_conv2d nn.embedding_lookup nn.gelu nn.l2_loss nn.leaky_relu nn.log_softmax nn.max_pool nn.max_pool2d nn.moments
    nn.sigmoid_cross_entropy_with_logits nn.silu nn.softmax nn.softmax_cross_entropy_with_logits
    nn.sparse_softmax_cross_entropy_with_logits nn.weighted_moments norm one_hot pad range reduce_logsumexp
    repeat reverse roll split squeeze stack tensordot tile transpose
    unstack where"""
REPEATED = frozenset(_TEXT.split())


def over_public(names: list[str], function: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a public function so that its calls are traced, if listed and a GPU may be present.

    Args:
        names: Its public names.
        function: The function.
    """
    if REPEATED.isdisjoint(names) or not device.is_likely():
        return function
    from twinflow._src.compiler.call_traces import blended

    return blended(function)
