"""Products, cumulative sums and softmax of ragged tensors."""

from __future__ import annotations

from typing import Any

from twinflow._src.composite_tensors.ragged_factories import is_ragged
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.dispatch.op import API
from twinflow._src.wings.ragged.axes import positive_axis
from twinflow._src.wings.ragged.concat import stack
from twinflow._src.wings.ragged.convert import places_of


def _dense(x: Any) -> Any:
    """A matrix whose rows must all have one length."""
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
    """The product of matrices that are held by ragged tensors.

    Args:
        a: A tensor, ragged or not, of rank 2 or more.
        b: Another one of the same rank.
        transpose_a: Whether the first is transposed.
        transpose_b: Whether the second is transposed.
        adjoint_a: Whether the adjoint of the first is taken.
        adjoint_b: Whether the adjoint of the second is taken.
        a_is_sparse: Accepted and without effect.
        b_is_sparse: Accepted and without effect.
        output_type: The dtype of the result; that of the operands if None.
        grad_a: Accepted and without effect.
        grad_b: Accepted and without effect.
        name: A name for the operation.

    Raises:
        ValueError: The ranks differ.
        InvalidArgumentError: The rows of a matrix differ in length.
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
    """A ragged tensor of what a function makes of the dense one, filled up with zeros."""
    axis = positive_axis(int(axis), rt.shape.rank)
    whole = function(rt.to_tensor(), axis=axis, **attrs)
    return rt.with_flat_values(API["gather_nd"](whole, places_of(rt)))


def cumulative_sum(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: Any = None
) -> Any:
    """Cumulative sums of a ragged tensor along a dimension.

    Args:
        x: A ragged tensor of numbers.
        axis: The dimension.
        exclusive: Whether an element itself is left out.
        reverse: Whether the sums begin at the end.
        name: A name for the operation.
    """
    return _through_dense(API["math.cumsum"], x, axis, exclusive=exclusive, reverse=reverse)


def softmax(logits: Any, axis: Any = None, name: str | None = None) -> Any:
    """The softmax of a ragged tensor along a dimension.

    Args:
        logits: A ragged floating-point tensor.
        axis: The dimension; the last one if None.
        name: A name for the operation.
    """
    powers = API["exp"](logits)
    return powers / API["reduce_sum"](powers, -1 if axis is None else axis, keepdims=True)
