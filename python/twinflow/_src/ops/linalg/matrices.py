"""Matrix transposes, adjoints and traces, and cross products of vectors."""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import dense
from twinflow._src.core import dtypes
from twinflow._src.core.errors import FailedPreconditionError, invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import API, Call, export, op
from twinflow._src.ops.array.shapes import transpose
from twinflow._src.ops.linalg.diagonals import diag_part
from twinflow._src.ops.reduce.reduce import reduce_sum
from twinflow._src.shape_rules.linalg import crossed


@export("linalg.trace")
def trace(x: Any, name: str | None = None) -> Any:
    """Computes the traces of matrices: the sums of their main diagonals.

    Args:
        x: A tensor of rank 2 or more.
        name: A name for the operation.

    Returns:
        A tensor of the same dtype, without the last two dimensions.

    Raises:
        InvalidArgumentError: The rank is less than 2.
    """
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
def adjoint(matrix: Any, name: str | None = None) -> Any:
    """Returns the conjugate transposes of the matrices in the last two dimensions.

    Args:
        matrix: A tensor of rank 2 or more.
        name: A name for the operation.

    Returns:
        A tensor of the same dtype.

    Raises:
        ValueError: The rank is less than 2.
    """
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
