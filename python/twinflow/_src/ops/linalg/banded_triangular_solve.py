"""Systems of linear equations with triangular matrices that are given by their diagonals."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.autodiff.reverse import unbroadcast
from twinflow._src.core.dtypes import as_dtype
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import broadcast, text
from twinflow._src.dispatch.op import API, Call, op
from twinflow._src.ops.array.static_sizes import size_of
from twinflow._src.ops.linalg.decompositions import MATRIX_TYPES
from twinflow._src.shape_rules.demands import merged_size
from twinflow._src.shape_rules.linalg import split_off


def _solved(bands: Any, rhs: Any, **_attrs: Any) -> Any:
    (left, _, size), (right, given, columns) = split_off(bands), split_off(rhs)
    if left is None or right is None:
        return None
    batch = broadcast(left, right)
    return None if batch is None else (*batch, merged_size(size, given), columns)


def _batch(bands: Any, rhs: Any, lower: bool, adjoint: bool) -> tuple[int, ...]:
    """The batch dimensions of a solution; raises where the shapes do not fit."""
    for i, x in enumerate((bands, rhs)):
        if x.ndim < 2:
            raise invalid(f"In[{i}] ndims must be >= 2: {x.ndim}")
        if not x.size:
            name = f"type: {as_dtype(x.dtype).cname} shape: {text(x.shape)} values: "
            raise invalid(f"In[{i}] must not be an empty tensor: Tensor<{name}>")
    shapes = f"{text(bands.shape)} vs. {text(rhs.shape)}"
    try:
        batch = np.broadcast_shapes(bands.shape[:-2], rhs.shape[:-2])
    except ValueError:
        message = f"In[0] and In[1] must have compatible batch dimensions: {shapes}"
        raise invalid(message) from None
    size, given = bands.shape[-1], rhs.shape[-2]
    if size != given:
        raise invalid(
            f"In[0] mismatch In[1] shape: {size} vs. {given}: {text(bands.shape)} "
            f"{text(rhs.shape)} {int(lower)} {int(adjoint)}"
        )
    return batch


def _terms(xp: Any, diagonals: Any, row: int, lower: bool, adjoint: bool) -> tuple[Any, Any]:
    """The elements of a row beside its diagonal, and the columns that they stand in."""
    count, size = diagonals.shape[-2:]
    step = -1 if lower != adjoint else 1
    columns = [c for i in range(1, count) if 0 <= (c := row + i * step) < size]
    bands = range(1, len(columns) + 1)
    rows = columns if adjoint else [row] * len(columns)
    found = diagonals[..., list(bands), rows]
    return xp.conj(found) if adjoint else found, columns


@op(
    "BandedTriangularSolve",
    api="linalg.banded_triangular_solve",
    shape=_solved,
    dtypes=MATRIX_TYPES,
    devices=("CPU",),
)
def banded_triangular_solve(
    xp: Any, bands: Any, rhs: Any, *, lower: bool = True, adjoint: bool = False
) -> Any:
    """Returns the solutions of systems of linear equations with triangular banded matrices.

    Args:
        bands: The diagonals of the matrices as rows: the main one first where they are lower
            triangular, else last. An element lies at the number of its row in the matrix.
        rhs: A tensor of the same type: right-hand sides as columns, broadcast over the batch.
        lower: Whether the diagonals go down from the main one.
        adjoint: Whether the adjoints of the matrices are meant.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The shapes do not fit, or a matrix is not invertible.
    """
    batch = _batch(bands, rhs, lower, adjoint)
    diagonals = bands if lower else bands[..., ::-1, :]
    if not diagonals[..., 0, :].all():
        raise invalid("Input matrix is not invertible.")
    main = xp.conj(diagonals[..., 0, :]) if adjoint else diagonals[..., 0, :]
    x = xp.broadcast_to(rhs, batch + rhs.shape[-2:]).copy()
    for row in range(x.shape[-2])[:: 1 if lower != adjoint else -1]:
        elements, columns = _terms(xp, diagonals, row, lower, adjoint)
        known = (elements[..., None] * x[..., columns, :]).sum(axis=-2)
        x[..., row, :] = (x[..., row, :] - known) / main[..., row, None]
    return x


@banded_triangular_solve.gradient
def _(call: Call, dx: Any) -> Any:
    (bands, rhs), x = call.inputs, call.outputs
    lower, adjoint = call.attrs["lower"], call.attrs["adjoint"]
    drhs = banded_triangular_solve(bands, dx, lower=lower, adjoint=not adjoint)
    first, second = (x, drhs) if adjoint else (drhs, x)
    dmatrix = API["negative"](API["matmul"](first, second, adjoint_b=True))
    count = size_of(bands, -2) - 1
    k = (-count, 0) if lower else (0, count)
    dbands = API["linalg.diag_part"](dmatrix, k=k, align="LEFT_RIGHT")
    return unbroadcast(dbands, bands), unbroadcast(drhs, rhs)
