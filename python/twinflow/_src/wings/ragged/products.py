"""Matmul, cumulative sum and softmax of ragged tensors."""

from __future__ import annotations

from typing import Any

from twinflow._src.composite_tensors.ragged_factories import is_ragged
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.dispatch.op import API
from twinflow._src.wings.ragged.axes import positive_axis
from twinflow._src.wings.ragged.concat import stack
from twinflow._src.wings.ragged.convert import places_of


def _dense(x: Any) -> Any:
    """Converts a ragged matrix with rows of one length to a dense matrix."""
    if not is_ragged(x):
        return x
    result = x.to_tensor()
    API["debugging.assert_equal"](
        convert_to_tensor(x.flat_values.shape.num_elements()),
        convert_to_tensor(result.shape.num_elements()),
        message="The matrices in `a` and `b` may not be ragged in their innermost dimension.",
    )
    return result


def product(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Any:
    """Implements ``tf.matmul`` for ragged tensors of matrices.

    ``a_is_sparse``, ``b_is_sparse``, ``grad_a`` and ``grad_b`` have no effect. Raises ValueError
    for different ranks, and InvalidArgumentError for a matrix with rows of different lengths.
    """
    a, b = (x if is_ragged(x) else convert_to_tensor(x) for x in (a, b))
    if a.shape.rank != b.shape.rank:
        raise ValueError("`a` and `b` must have the same rank.")
    options: dict[str, Any] = {
        "transpose_a": transpose_a,
        "transpose_b": transpose_b,
        "adjoint_a": adjoint_a,
        "adjoint_b": adjoint_b,
    }
    if a.shape.rank == 2:
        return API["matmul"](_dense(a), _dense(b), **options)
    pairs = zip(a, b, strict=True)
    return stack(
        [
            API["matmul"](*map(_dense, pair), **options)
            if a.shape.rank == 3
            else product(*pair, **options)
            for pair in pairs
        ]
    )


def _through_dense(function: Any, rt: Any, axis: Any, **attrs: Any) -> Any:
    """Applies a function to the zero-padded dense tensor, and restores the rows."""
    axis = positive_axis(int(axis), rt.shape.rank)
    whole = function(rt.to_tensor(), axis=axis, **attrs)
    return rt.with_flat_values(API["gather_nd"](whole, places_of(rt)))


def cumulative_sum(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: Any = None
) -> Any:
    """Implements ``tf.cumsum`` for ragged tensors."""
    return _through_dense(API["math.cumsum"], x, axis, exclusive=exclusive, reverse=reverse)


def softmax(logits: Any, axis: Any = None, name: str | None = None) -> Any:
    """Implements ``tf.nn.softmax`` for ragged tensors."""
    powers = API["exp"](logits)
    return powers / API["reduce_sum"](powers, -1 if axis is None else axis, keepdims=True)
