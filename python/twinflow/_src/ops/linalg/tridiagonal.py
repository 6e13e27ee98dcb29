"""Tridiagonal solves and products: the ops, and the functions of ``tf.linalg``."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import static_size
from twinflow._src.dispatch.op import API, Call, documented_like, export, op
from twinflow._src.numerics import elimination
from twinflow._src.ops.linalg.decompositions import MATRIX_TYPES


def _check(*tensors: Any) -> None:
    """Raises InvalidArgumentError if ranks or batch dimensions of the tensors differ."""
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
    """Solves tridiagonal systems of linear equations."""
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


solve.batched(lambda call: call.leading())


@solve.gradient
def _(call: Call, dx: Any) -> Any:
    # As in TensorFlow, without conjugates.
    drhs = solve(_transposed(call.inputs[0]), dx, **call.attrs)
    return API["negative"](_three_diagonals(drhs, call.outputs)), drhs


def _transposed(diagonals: Any) -> Any:
    """Returns the diagonals of the transposed matrices."""
    above, main, below = API["unstack"](diagonals, num=3, axis=-2)
    before, after = (API["zeros_like"](main[..., :1]),) * 2
    rows = [
        API["concat"]([below[..., 1:], after], -1),
        main,
        API["concat"]([before, above[..., :-1]], -1),
    ]
    return API["stack"](rows, axis=-2)


def _three_diagonals(a: Any, b: Any) -> Any:
    """Returns the three diagonals of ``a @ transpose(b)``."""
    parts = [a[..., :-1, :] * b[..., 1:, :], a * b, a[..., 1:, :] * b[..., :-1, :]]
    above, main, below = (API["reduce_sum"](part, axis=-1) for part in parts)
    nothing = API["zeros_like"](main[..., :1])
    rows = [API["concat"]([above, nothing], -1), main, API["concat"]([nothing, below], -1)]
    return API["stack"](rows, axis=-2)


# ------------------------------------------------------------------ products


@op("TridiagonalMatMul", shape=lambda above, main, below, rhs: rhs, dtypes=MATRIX_TYPES)
def product(xp: Any, superdiag: Any, maindiag: Any, subdiag: Any, rhs: Any) -> Any:
    """Multiplies tridiagonal matrices by dense matrices."""
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


product.batched(lambda call: call.leading())


@product.gradient
def _(call: Call, dy: Any) -> Any:
    *diagonals, rhs = call.inputs
    conjugates = API["math.conj"](API["concat"](diagonals, -2))
    above, main, below = API["split"](_three_diagonals(dy, API["math.conj"](rhs)), 3, axis=-2)
    return above, main, below, product(*API["split"](_transposed(conjugates), 3, axis=-2), dy)


# ------------------------------------------------------------------ formats of the diagonals


def _size_of(matrix: Any) -> int:
    """Returns the number of rows of square matrices; raises ValueError if it is unknown."""
    columns, rows = static_size(matrix.shape, -1), static_size(matrix.shape, -2)
    if columns and rows and columns != rows:
        raise ValueError(
            f"Expected last two dimensions of diagonals to be same, got {columns} and {rows}"
        )
    if columns is None and rows is None:
        raise ValueError('The size of the matrix needs to be known for diagonals_format="matrix"')
    return int(columns or rows)


def _of_matrix(matrix: Any) -> Any:
    """Returns the three diagonals of matrices as rows, padded with element [0, 0] of the matrix."""
    size = _size_of(matrix)
    above = [[i, i + 1] for i in range(size - 1)]
    indices = [
        [*above, [0, 0]],
        [[i, i] for i in range(size)],
        [[0, 0], *([b, a] for a, b in above)],
    ]
    reversed_indices = [[list(reversed(index)) for index in row] for row in indices]
    return API["transpose"](API["gather_nd"](API["transpose"](matrix), _columns(reversed_indices)))


def _columns(rows: list[Any]) -> list[Any]:
    return [list(column) for column in zip(*rows, strict=True)]


def _of_sequence(diagonals: Any) -> Any:
    """Stacks three tensors as rows; super- and subdiagonal may be shorter by 1."""
    if not isinstance(diagonals, (tuple, list)) or len(diagonals) != 3:
        raise ValueError("Expected diagonals to be a sequence of length 3.")
    above, main, below = diagonals
    outer = [t.shape[:-1] for t in (below, main, above)]
    if not all(shape.is_compatible_with(outer[1]) for shape in outer):
        raise ValueError(
            "Tensors representing the three diagonals must have the same shape,except for the last "
            f"dimension, got {below.shape}, {main.shape}, {above.shape}"
        )
    size = static_size(main.shape, -1)
    below = _padded(below, "subdiagonal", size, [1, 0])
    above = _padded(above, "superdiagonal", size, [0, 1])
    return API["stack"]((above, main, below), axis=-2)


def _padded(diagonal: Any, name: str, size: Any, last: list[int]) -> Any:
    actual = static_size(diagonal.shape, -1)
    if not actual or actual == size:
        return diagonal
    if actual != size - 1:
        raise ValueError(f"Expected {name} to be have length {size} or {size - 1}, got {actual}.")
    return API["pad"](diagonal, [[0, 0]] * (len(diagonal.shape) - 1) + [last])


_FORMATS = {"compact": lambda x: x, "sequence": _of_sequence, "matrix": _of_matrix}

# ------------------------------------------------------------------ systems


@export("linalg.tridiagonal_solve")
def tridiagonal_solve(
    diagonals: Any,
    rhs: Any,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Any:
    """Solves tridiagonal systems of linear equations.

    Args:
        diagonals: The superdiagonal, the main diagonal and the subdiagonal.
        rhs: Right-hand sides as columns, or a single one as a vector.
        diagonals_format: ``"compact"`` for a tensor with the diagonals as rows, ``"sequence"`` for
            three tensors, ``"matrix"`` for full matrices.
        transpose_rhs: If True, transposes ``rhs`` first.
        conjugate_rhs: If True, takes the complex conjugate of ``rhs`` first.
        name: A name for the operation.
        partial_pivoting: If True, uses partial pivoting.
        perturb_singular: If True, perturbs pivots that are too small, so that singular systems have
            a solution.

    Returns:
        A tensor of the dtype and shape of ``rhs``; NaN for singular matrices.

    Raises:
        ValueError: The shapes are incompatible, or an argument is invalid.
    """
    if perturb_singular and not partial_pivoting:
        raise ValueError("partial_pivoting must be True if perturb_singular is.")
    if diagonals_format not in _FORMATS:
        raise ValueError(f"Unrecognized diagonals_format: {diagonals_format}")
    diagonals = _FORMATS[diagonals_format](diagonals)
    options = {"partial_pivoting": partial_pivoting, "perturb_singular": perturb_singular}
    rank, rhs_rank = diagonals.shape.rank, rhs.shape.rank
    _check_ranks(diagonals, rhs)
    is_vector = rhs_rank and rank and rhs_rank == rank - 1
    if transpose_rhs and not is_vector:
        rhs = API["linalg.matrix_transpose"](rhs, conjugate=conjugate_rhs)
    elif conjugate_rhs:
        rhs = API["math.conj"](rhs)
    rhs = API["expand_dims"](rhs, -1) if is_vector else rhs
    _check_sizes(diagonals, rhs)
    solution = solve(diagonals, rhs, **options)
    return API["squeeze"](solution, -1) if is_vector else solution


def _check_ranks(diagonals: Any, rhs: Any) -> None:
    rank, rhs_rank = diagonals.shape.rank, rhs.shape.rank
    if rank:
        if rank < 2:
            raise ValueError(f"Expected diagonals to have rank at least 2, got {rank}")
        if rhs_rank and rhs_rank not in (rank, rank - 1):
            raise ValueError(f"Expected the rank of rhs to be {rank - 1} or {rank}, got {rhs_rank}")
        batch, other = diagonals.shape[:-2], rhs.shape[: rank - 2]
        if rhs_rank and not batch.is_compatible_with(other):
            raise ValueError(f"Batch shapes {batch} and {other} are incompatible")
    rows = static_size(diagonals.shape, -2)
    if rows and rows != 3:
        raise ValueError(f"Expected 3 diagonals got {rows}")


def _check_sizes(diagonals: Any, rhs: Any) -> None:
    size, rhs_size = static_size(diagonals.shape, -1), static_size(rhs.shape, -2)
    if size and rhs_size and size != rhs_size:
        raise ValueError(
            "Expected number of left-hand sided and right-hand sides to be equal, got "
            f"{size} and {rhs_size}"
        )


# ------------------------------------------------------------------ products


@export("linalg.tridiagonal_matmul")
@documented_like(tridiagonal_solve)
def tridiagonal_matmul(
    diagonals: Any, rhs: Any, diagonals_format: str = "compact", name: str | None = None
) -> Any:
    """Multiplies tridiagonal matrices by dense matrices.

    Args:
        rhs: The dense matrices.

    Returns:
        A tensor of the dtype and shape of ``rhs``.

    Raises:
        ValueError: The format is unknown, or a matrix is not square.
        InvalidArgumentError: The shapes are incompatible.
    """
    if diagonals_format == "sequence":
        above, main, below = diagonals
    elif diagonals_format in _FORMATS:
        if diagonals_format == "matrix":
            _size_of(diagonals)
            diagonals = API["linalg.diag_part"](diagonals, k=(-1, 1), align="LEFT_RIGHT")
        above, main, below = (diagonals[..., i, :] for i in range(3))
    else:
        raise ValueError(f"Unrecognized diagonals_format: {diagonals_format}")
    return product(*(API["expand_dims"](d, -2) for d in (above, main, below)), rhs)
