"""Clipping of tensors by norm and by global norm."""

from __future__ import annotations

from typing import Any

from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.conversion.constant import convert_to_tensor, dense
from twinflow._src.core.context import thread
from twinflow._src.dispatch.op import export
from twinflow._src.graph.tf_exact import functions as forms
from twinflow._src.ops.array.fill import ones_like, zeros_like
from twinflow._src.ops.array.gather import where
from twinflow._src.ops.elementwise.arithmetic import multiply
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.ops.elementwise.division import is_finite, truediv
from twinflow._src.ops.elementwise.math import sqrt
from twinflow._src.ops.elementwise.minmax import maximum, minimum
from twinflow._src.ops.linalg.matrices import global_norm
from twinflow._src.ops.reduce.reduce import reduce_sum


@export("clip_by_norm")
def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Any:
    """Scales a tensor down so that its L2 norm is at most ``clip_norm``.

    Args:
        t: A floating-point tensor.
        clip_norm: The maximum norm.
        axes: The axes to compute the norm over; all if None.

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        ValueError: Broadcasting with the limit would change the shape.
    """
    if isinstance(t, IndexedSlices):
        return IndexedSlices(clip_by_norm(t.values, clip_norm, axes), t.indices, t.dense_shape)
    values = dense(t)
    if thread.scope.graph is not None:
        return forms.clipped_by_norm(values, clip_norm, axes)
    squares = reduce_sum(multiply(values, values), axes, keepdims=True)
    positive = squares > 0
    # The gradient of sqrt(0) is infinite; use sqrt(1) there.
    root = sqrt(where(positive, squares, ones_like(squares)))
    norm = where(positive, root, squares)
    limit = convert_to_tensor(clip_norm, dtype_hint=values.dtype)
    limit = maximum(cast(limit, values.dtype), zeros_like(limit, values.dtype))
    clipped = truediv(multiply(values, limit), maximum(norm, limit))
    values.shape.assert_is_compatible_with(clipped.shape)
    return clipped


@export("clip_by_global_norm")
def clip_by_global_norm(
    t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Any]:
    """Scales tensors down by the ratio of ``clip_norm`` to their global L2 norm.

    Args:
        t_list: A sequence of tensors, which may contain None.
        clip_norm: The maximum norm.
        use_norm: The global norm, if already computed.

    Returns:
        A list of tensors (NaN if the norm is not finite), and the global norm.

    Raises:
        TypeError: ``t_list`` is not a sequence.
    """
    if not isinstance(t_list, (list, tuple)):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
    norm = global_norm(t_list) if use_norm is None else use_norm
    one = convert_to_tensor(1, dtype=norm.dtype)
    limit = convert_to_tensor(clip_norm, dtype_hint=norm.dtype)
    scale = multiply(limit, minimum(truediv(one, norm), truediv(one, limit)))
    scale = where(is_finite(norm), scale, convert_to_tensor(float("nan"), dtype=norm.dtype))
    return [None if t is None else _scaled(t, scale) for t in t_list], norm


def _scaled(t: Any, scale: Any) -> Any:
    if isinstance(t, IndexedSlices):
        return IndexedSlices(_scaled(t.values, scale), t.indices, t.dense_shape)
    values = dense(t)
    return multiply(values, cast(scale, values.dtype))
