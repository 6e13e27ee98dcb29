"""Matrix transposes, adjoints and traces, cross products of vectors, and norms."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.conversion.constant import constant, convert_to_tensor, dense
from twinflow._src.core import dtypes, whole_numbers
from twinflow._src.core.dtypes import int32
from twinflow._src.core.errors import FailedPreconditionError, invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import API, Call, documented_like, export, op
from twinflow._src.ops.array.concat import concat
from twinflow._src.ops.array.fill import range_
from twinflow._src.ops.array.gather import where
from twinflow._src.ops.array.shapes import expand_dims, squeeze, transpose
from twinflow._src.ops.array.unique import invert_permutation, setdiff1d
from twinflow._src.ops.elementwise.arithmetic import abs as absolute
from twinflow._src.ops.elementwise.arithmetic import multiply, pow
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.ops.elementwise.complex_numbers import conj
from twinflow._src.ops.elementwise.division import truediv
from twinflow._src.ops.elementwise.math import sqrt
from twinflow._src.ops.linalg.decompositions import svd
from twinflow._src.ops.linalg.diagonals import diag_part
from twinflow._src.ops.linalg.operator_arguments import is_operator
from twinflow._src.ops.reduce.reduce import rank, reduce_max, reduce_sum
from twinflow._src.shape_rules.linalg import crossed


@export("linalg.trace")
def trace(x: Any, name: str | None = None) -> Any:
    """Computes the traces of matrices: the sums of their main diagonals.

    Args:
        x: A tensor of rank 2 or more.

    Returns:
        A tensor of the same dtype, without the last two dimensions.

    Raises:
        InvalidArgumentError: The rank is less than 2.
    """
    if is_operator(x):
        return x.trace()
    return reduce_sum(diag_part(x), [-1])


@export("linalg.matrix_transpose")
def matrix_transpose(a: Any, name: str = "matrix_transpose", conjugate: bool = False) -> Any:
    """Transposes the last two dimensions of a tensor.

    Args:
        a: A tensor of rank 2 or more.
        name: A name for the operation.
        conjugate: If True, also takes the complex conjugate.

    Returns:
        A tensor of the same dtype.

    Raises:
        ValueError: The rank is less than 2.
    """
    a = dense(a)
    rank = a.shape.rank
    if rank is None:
        count = API["rank"](a)
        order = API["concat"]([API["range"](count - 2), [count - 1, count - 2]], 0)
        return transpose(a, order, conjugate=conjugate)
    if rank < 2:
        raise ValueError(
            "Argument `a` should be a (batch) matrix with rank >= 2.  "
            f"Received `a` = {getattr(a, 'numpy', lambda: a)()} with shape: {a.shape}"
        )
    order = [*range(rank - 2), rank - 1, rank - 2]
    return transpose(a, order, conjugate=conjugate)


@export("linalg.adjoint")
@documented_like(matrix_transpose)
def adjoint(matrix: Any, name: str | None = None) -> Any:
    """Returns the conjugate transposes of the matrices in the last two dimensions.

    Args:
        matrix: A tensor of rank 2 or more.
    """
    if is_operator(matrix):
        return matrix.adjoint()
    return API["linalg.matrix_transpose"](dense(matrix), conjugate=True)


@op("Cross", api=("linalg.cross",), shape=crossed, dtypes=dtypes.ORDERED)
def cross(xp: Any, a: Any, b: Any) -> Any:
    """Computes the cross products of the 3-element vectors in the last dimension.

    Args:
        a: A tensor whose last dimension has size 3.
        b: A tensor of the same dtype and shape.

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        InvalidArgumentError: The shapes differ, or are empty.
        FailedPreconditionError: The size of the last dimension is not 3.
    """
    if a.shape != b.shape:
        raise invalid(f"Both inputs must be of same shape: {text(a.shape)} vs. {text(b.shape)}")
    if not a.ndim:
        raise invalid(f"Input must be at least 1D{text(a.shape)}")
    if a.shape[-1] != 3:
        raise FailedPreconditionError(
            None, None, "Cross-products are only defined for 3-element vectors."
        )
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    u, v, w = b[..., 0], b[..., 1], b[..., 2]
    return xp.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=-1)


@cross.gradient
def _(call: Call, dy: Any) -> Any:
    a, b = call.inputs
    return cross(b, dy), cross(dy, a)


# ------------------------------------------------------------------ norms


_MATRIX_NORMS = ["euclidean", "fro", 1, 2, np.inf]


def _checked_norm(order: Any, axis: Any) -> bool:
    """True if ``axis`` selects a matrix norm; raises ValueError if the norm is not supported."""
    if isinstance(axis, (tuple, list)) and len(axis) == 2:
        axis = first, second = tuple(axis)
        if first == second:
            raise ValueError(
                f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}"
            )
        if order not in _MATRIX_NORMS:
            raise ValueError(
                "'ord' must be a supported matrix norm in ['euclidean', 'fro', 1, 2, inf], "
                f"got {order}"
            )
        return True
    if not (isinstance(whole_numbers.with_integers(axis), int) or axis is None):
        raise ValueError(
            f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}"
        )
    positive = not isinstance(order, str) and np.isreal(order) and order > 0
    if not positive and order != "euclidean":
        raise ValueError(f"'ord' must be a supported vector norm, got {order}")
    return False


@export("norm", "linalg.norm")
def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
) -> Any:
    """Computes norms of vectors or matrices.

    Args:
        tensor: A floating-point or complex tensor.
        ord: ``"euclidean"``, a positive number or infinity for vectors; ``"euclidean"``, ``"fro"``, 1,
            2 or infinity for matrices.
        axis: The axis of the vectors, a pair of axes of the matrices, or None to treat the tensor
            as one vector.
        keepdims: If True, keeps the reduced axes with size 1.

    Returns:
        A tensor of the same dtype (of the real dtype for norms that are sums of absolute values).

    Raises:
        ValueError: The norm is not supported.
    """
    of_matrices = _checked_norm(ord, axis)
    axes: Any = axis if of_matrices or axis is None else (axis,)
    tensor = convert_to_tensor(tensor)
    if ord == 2 and of_matrices:
        result = _spectral(tensor, axes)
    elif ord in ("fro", "euclidean", 2):
        squares = multiply(tensor, conj(tensor))
        result = sqrt(reduce_sum(squares, axes, keepdims=True))
    elif ord == 1:
        result = reduce_sum(absolute(tensor), None if axes is None else axes[0], keepdims=True)
        result = reduce_max(result, axes[-1], keepdims=True) if of_matrices else result
    elif ord == np.inf:
        result = absolute(tensor)
        result = reduce_sum(result, axes[-1], keepdims=True) if of_matrices else result
        result = reduce_max(result, None if axes is None else axes[0], keepdims=True)
    else:
        total = reduce_sum(pow(absolute(tensor), ord), axes, keepdims=True)
        result = pow(total, 1.0 / ord)
    return result if keepdims else squeeze(result, axis=None if axes is None else list(axes))


def _spectral(x: Any, axes: Any) -> Any:
    """Returns the spectral norms of the matrices in two axes, which are kept with size 1."""
    order, back = _moved_last(x, axes)
    values = svd(transpose(x, order), compute_uv=False)
    largest = expand_dims(reduce_max(absolute(values), -1, keepdims=True), -1)
    return transpose(largest, back)


def _moved_last(x: Any, axes: Any) -> tuple[Any, Any]:
    """Returns the permutation that moves two axes last, and its inverse."""
    count = x.shape.rank
    if count is None:
        last: Any = convert_to_tensor(axes, dtype=int32)
        last = where(last >= 0, last, last + rank(x))
        permutation = concat([setdiff1d(range_(rank(x)), last)[0], last], 0)
        return permutation, invert_permutation(permutation)
    inner = [a % max(count, 1) for a in axes]
    order = [a for a in range(count) if a not in inner] + inner
    return order, [order.index(a) for a in range(count)]


@export("linalg.normalize")
@documented_like(norm)
def normalize(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, name: str | None = None
) -> Any:
    """Normalizes a tensor along axes by a norm, and returns the norm as well.

    Args:
        ord: The norm, see ``tf.norm``.
        axis: The axis of the vectors, a pair of axes of the matrices, or None.

    Returns:
        The normalized tensor, and the norms, with the reduced axes kept with size 1.
    """
    tensor = convert_to_tensor(tensor)
    length = cast(API["norm"](tensor, ord, axis, keepdims=True), tensor.dtype)
    return truediv(tensor, length), length


@export("linalg.global_norm")
def global_norm(t_list: Any, name: str | None = None) -> Any:
    """Computes the global norm of several tensors: the L2 norm of all their elements.

    Args:
        t_list: A sequence of tensors; None entries are ignored.

    Returns:
        A scalar tensor.

    Raises:
        TypeError: ``t_list`` is not a list or tuple.
    """
    from twinflow._src.ops.nn.losses import l2_loss

    if not isinstance(t_list, (list, tuple)):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
    halves = [
        l2_loss(getattr(t, "values", t) if not callable(getattr(t, "values", t)) else t)
        for t in t_list
        if t is not None
    ]
    if not halves:
        return constant(0.0)
    from twinflow._src.ops.array.stack import stack

    return sqrt(multiply(reduce_sum(stack(halves)), constant(2.0, halves[0].dtype)))
