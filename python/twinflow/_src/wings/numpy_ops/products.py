"""Linear algebra: dot, inner, outer, cross and tensor products."""

from __future__ import annotations

from typing import Any

import twinflow as tf
from twinflow._src.core.shapes import static_size
from twinflow._src.wings.numpy_ops.arrays import promote, promote_pair, shape_with_ones
from twinflow._src.wings.numpy_ops.registry import expose, tnp
from twinflow._src.wings.numpy_ops.reshape import broadcast


@expose("dot", returns="A tensor; the product if one of them is a scalar.")
def dot(a: Any, b: Any) -> Any:
    """Returns the dot product: sums over the last axis of a and the second-to-last axis of b."""
    a, b = promote_pair(a, b)
    if not (a.ndim and b.ndim):
        return a * b
    return tf.tensordot(a, b, axes=[[-1], [-1 if b.ndim == 1 else -2]])


@expose("inner", returns="A tensor; the product if one of them is a scalar.")
def inner(a: Any, b: Any) -> Any:
    """Returns the inner product: sums over the last axes of two arrays."""
    a, b = promote_pair(a, b)
    return tf.tensordot(a, b, axes=[[-1], [-1]]) if a.ndim and b.ndim else a * b


@expose(
    "matmul",
    x1="An array of rank 1 or more.",
    x2="An array of rank 1 or more.",
    raises="ValueError: The shapes are incompatible.",
)
def matmul(x1: Any, x2: Any) -> Any:
    """Returns the matrix product of two arrays; vectors are supported."""
    x1, x2 = promote_pair(x1, x2)
    try:
        if x2.ndim == 1:
            return tf.tensordot(x1, x2, axes=1)
        if x1.ndim == 1:
            return tf.tensordot(x1, x2, axes=[[0], [-2]])
        return tf.matmul(x1, x2)
    except tf.errors.InvalidArgumentError as error:
        raise ValueError(str(error)) from error


@expose("tensordot", axes="The axes of both, or the number of last axes of a and first axes of b.")
def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """Computes the tensor dot product along axes."""
    x, y = promote_pair(a, b)
    return tf.tensordot(x, y, axes=axes)


@expose("vdot", b="An array with as many elements.", returns="A tensor of rank 0.")
def vdot(a: Any, b: Any) -> Any:
    """Returns the dot product of two flattened arrays, the first one conjugated."""
    a, b = (tnp.reshape(x, [-1]) for x in promote(a, b))
    return tnp.dot(tnp.conj(a) if a.dtype.is_complex else a, b)


@expose("outer", returns="A matrix.")
def outer(a: Any, b: Any) -> Any:
    """Returns the outer product of two flattened arrays."""
    a, b = promote_pair(a, b)
    return tf.reshape(a, [-1, 1]) * tf.reshape(b, [-1])


@expose("kron", b="The array of the blocks.")
def kron(a: Any, b: Any) -> Any:
    """Returns the Kronecker product of two arrays."""
    a, b = promote(a, b)
    rank = max(a.ndim, b.ndim)
    shapes: list[Any] = [
        tf.convert_to_tensor(shape_with_ones(x, rank - x.ndim), tf.int32) for x in (a, b)
    ]
    factors = tnp.reshape(a, _interleave(shapes[0], tf.ones_like(shapes[0])))
    blocks = tnp.reshape(b, _interleave(tf.ones_like(shapes[1]), shapes[1]))
    return tnp.reshape(factors * blocks, shapes[0] * shapes[1])


def _interleave(x: Any, y: Any) -> Any:
    """Interleaves two vectors."""
    return tf.reshape(tf.stack([x, y], axis=1), [-1])


@expose(
    "cross",
    a="Vectors.",
    b="Vectors.",
    axisa="The axis of the components in ``a``.",
    axisb="The axis of the components in ``b``.",
    axisc="The axis of the components in the result.",
    axis="If not None, overrides the other axes.",
    returns="A tensor; for vectors with two components only the z component.",
)
def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None
) -> Any:
    """Returns the cross product of vectors with two or three components."""
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = promote_pair(a, b)
    a, b = _to_last(a, axisa), _to_last(b, axisb)
    flat = static_size(a.shape, -1) == 2 and static_size(b.shape, -1) == 2
    product = tf.linalg.cross(*broadcast(_third(a), _third(b)))
    if flat:
        return product[..., 2]
    return _from_last(product, axisc)


def _to_last(a: Any, axis: int) -> Any:
    """Moves an axis to the end."""
    axis = axis + a.ndim if axis < 0 else axis
    if axis == a.ndim - 1:
        return a
    return tf.transpose(a, [*range(axis), *range(axis + 1, a.ndim), axis])


def _from_last(a: Any, axis: int) -> Any:
    """Moves the last axis to an index."""
    axis = axis + a.ndim if axis < 0 else axis
    if axis == a.ndim - 1:
        return a
    return tf.transpose(a, [*range(axis), a.ndim - 1, *range(axis, a.ndim - 1)])


def _third(a: Any) -> Any:
    """Appends a zero component to two-component vectors."""
    return tf.pad(a, [[0, 0]] * (a.ndim - 1) + [[0, 1]]) if static_size(a.shape, -1) == 2 else a


@expose("polyval", p="The coefficients, highest power first.", x="The points.")
def polyval(p: Any, x: Any) -> Any:
    """Evaluates a polynomial."""
    p, x = promote_pair(p, x)
    coefficients = tf.unstack(p if p.ndim else tf.reshape(p, [1]))
    result = tf.math.polyval(coefficients, x)
    return tf.broadcast_to(result, x.shape) if len(coefficients) == 1 else result


_OPTIMIZERS = {"greedy": "greedy", "optimal": "optimal"}


@expose(
    "einsum",
    subscripts='The subscripts, such as "ij,jk->ik".',
    kwargs='``casting``: "safe" to promote the operands to a common dtype, "no" to leave them.\n    ``optimize``: False, True, "greedy" or "optimal".',
    raises="ValueError: An option has an unsupported value.",
)
def einsum(subscripts: str, *operands: Any, **kwargs: Any) -> Any:
    """Evaluates an Einstein summation."""
    casting, optimize = kwargs.get("casting", "safe"), kwargs.get("optimize", False)
    if casting not in ("safe", "no"):
        raise ValueError(
            'Invalid value for argument `casting`. Expected casting="safe" or casting="no". '
            f"Received: casting={casting}"
        )
    arrays = promote(*operands) if casting == "safe" else list(map(tnp.asarray, operands))
    # The contraction order is always optimized.
    algorithm = "greedy" if not optimize or optimize == True else _OPTIMIZERS.get(optimize)  # noqa: E712
    if algorithm is None:
        raise ValueError(
            'Invalid value for argument `optimize`. Expected one of {True, "greedy", "optimal"}. '
            f"Received: optimize={optimize}"
        )
    return tf.einsum(subscripts, *arrays, optimize=algorithm)
