"""Systems and products of matrices that have three diagonals."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.errors import invalid
from twinflow._src.dispatch.op import API, Call, op
from twinflow._src.numerics import elimination
from twinflow._src.ops.linalg.decompositions import MATRIX_TYPES


def _check(*tensors: Any) -> None:
    """Raises what TensorFlow raises where tensors of matrices do not go together."""
    first = tensors[0]
    if first.ndim < 2:
        raise invalid(f"Input tensor 0 must have rank >= 2, got {first.ndim}")
    for other in tensors[1:]:
        if other.ndim != first.ndim:
            raise invalid("All input tensors must have the same rank.")
        if other.shape[:-2] != first.shape[:-2]:
            raise invalid("All input tensors must have the same outer dimensions.")


# ------------------------------------------------------------------ systems


@op("TridiagonalSolve", shape=lambda diagonals, rhs, **_: rhs, dtypes=MATRIX_TYPES)
def solve(
    xp: Any,
    diagonals: Any,
    rhs: Any,
    *,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Any:
    """Returns the solutions of systems of linear equations with three diagonals.

    Args:
        diagonals: The diagonals as rows: above the main one, the main one, and below it.
        rhs: Right-hand sides as columns.
        partial_pivoting: Whether the larger one of two rows comes first.
        perturb_singular: Whether elements that are too small grow until the system has a solution.

    Returns:
        A tensor of the type and shape of ``rhs``; NaN where a matrix is not invertible.

    Raises:
        InvalidArgumentError: The shapes do not fit.
    """
    _check(diagonals, rhs)
    if diagonals.shape[-2] != 3:
        raise invalid(
            "Expected diagonals to be provided as a matrix with 3 rows, got "
            f"{diagonals.shape[-2]} rows."
        )
    if diagonals.shape[-1] != rhs.shape[-2]:
        raise invalid(
            "Expected the same number of left-hand sides and right-hand sides, got "
            f"{diagonals.shape[-1]} and {rhs.shape[-2]}."
        )
    if not rhs.size:
        return rhs.copy()
    way: Any = elimination.with_pivots if partial_pivoting else elimination.without_pivots
    way = elimination.perturbed if perturb_singular else way
    return way(xp, *(diagonals[..., i, :] for i in range(3)), rhs)


@solve.gradient
def _(call: Call, dx: Any) -> Any:
    # TensorFlow takes no conjugates here.
    drhs = solve(_transposed(call.inputs[0]), dx, **call.attrs)
    return API["negative"](_three_diagonals(drhs, call.outputs)), drhs


def _transposed(diagonals: Any) -> Any:
    """The diagonals of the transposed matrices."""
    above, main, below = API["unstack"](diagonals, num=3, axis=-2)
    before, after = (API["zeros_like"](main[..., :1]),) * 2
    rows = [
        API["concat"]([below[..., 1:], after], -1),
        main,
        API["concat"]([before, above[..., :-1]], -1),
    ]
    return API["stack"](rows, axis=-2)


def _three_diagonals(a: Any, b: Any) -> Any:
    """The diagonals of the products of columns with others as rows."""
    parts = [a[..., :-1, :] * b[..., 1:, :], a * b, a[..., 1:, :] * b[..., :-1, :]]
    above, main, below = (API["reduce_sum"](part, axis=-1) for part in parts)
    nothing = API["zeros_like"](main[..., :1])
    rows = [API["concat"]([above, nothing], -1), main, API["concat"]([nothing, below], -1)]
    return API["stack"](rows, axis=-2)


# ------------------------------------------------------------------ products


@op("TridiagonalMatMul", shape=lambda above, main, below, rhs: rhs, dtypes=MATRIX_TYPES)
def product(xp: Any, superdiag: Any, maindiag: Any, subdiag: Any, rhs: Any) -> Any:
    """Returns the products of matrices with three diagonals and others.

    Args:
        superdiag: The diagonals above the main ones, each a matrix of one row.
        maindiag: The main diagonals, likewise.
        subdiag: The diagonals below them, likewise.
        rhs: The other matrices.

    Returns:
        A tensor of the type and shape of ``rhs``.

    Raises:
        InvalidArgumentError: The shapes do not fit.
    """
    _check(superdiag, maindiag, subdiag, rhs)
    names = {"superdiagonal": superdiag, "main diagonal": maindiag, "subdiagonal": subdiag}
    for name, diagonal in names.items():
        if diagonal.shape[-2:] != (1, rhs.shape[-2]):
            raise invalid(f"Invalid {name} shape.")
    above, main, below = (d[..., 0, :, None] for d in names.values())
    result = main * rhs
    result[..., :-1, :] += above[..., :-1, :] * rhs[..., 1:, :]
    result[..., 1:, :] += below[..., 1:, :] * rhs[..., :-1, :]
    return result


@product.gradient
def _(call: Call, dy: Any) -> Any:
    *diagonals, rhs = call.inputs
    given = API["math.conj"](API["concat"](diagonals, -2))
    above, main, below = API["split"](_three_diagonals(dy, API["math.conj"](rhs)), 3, axis=-2)
    return above, main, below, product(*API["split"](_transposed(given), 3, axis=-2), dy)
