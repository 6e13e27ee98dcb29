"""Shape inference for linear algebra: products, solvers, decompositions, diagonals."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.shapes import Dims, broadcast, refused
from twinflow._src.shape_rules.demands import (
    Size,
    at_least,
    concat_shapes,
    flatten_known,
    merged,
    merged_size,
    ranked,
    sized,
    value_dims,
)

# ------------------------------------------------------------------ matrices and batch dimensions


def split_off(dims: Dims | None) -> tuple[Dims | None, Size, Size]:
    """Returns the batch dimensions, rows and columns of matrices."""
    dims = at_least(dims, 2)
    return (None, None, None) if dims is None else (dims[:-2], dims[-2], dims[-1])


def least(a: Size, b: Size) -> Size:
    """Returns the minimum of two dimensions, if both are known."""
    return None if a is None or b is None else min(a, b)


def square(input: Dims | None, **_: Any) -> Dims | None:
    """Infers the output shape of ops that map square matrices to square matrices."""
    batch, rows, columns = split_off(input)
    size = merged_size(rows, columns)
    return concat_shapes(batch, (size, size))


def of_square(input: Dims | None, **_: Any) -> Dims | None:
    """Infers the output shape of ops with a scalar per square matrix."""
    batch, rows, columns = split_off(input)
    merged_size(columns, rows)
    return batch


def log_determinant(input: Dims | None) -> list[Dims | None]:
    """Infers the output shape of ``LogMatrixDeterminant``."""
    return [of_square(input)] * 2


# ------------------------------------------------------------------ decompositions


def eigen(input: Dims | None, *, compute_v: bool, **_: Any) -> list[Dims | None]:
    """Infers the output shapes of eigenvalue ops; without ``compute_v`` the vectors are empty."""
    vectors = square(input)
    values = None if vectors is None else vectors[:-1]
    return [values, vectors if compute_v else (0,)]


def permuted(input: Dims | None, **_: Any) -> list[Dims | None]:
    """Infers the output shapes of ``Lu``: factors and row permutation."""
    factors = square(input)
    return [factors, None if factors is None else factors[:-1]]


def orthogonal(input: Dims | None, *, full_matrices: bool) -> list[Dims | None]:
    """Infers the output shape of ``Qr``."""
    batch, rows, columns = split_off(input)
    inner = rows if full_matrices else least(rows, columns)
    return [concat_shapes(batch, (rows, inner)), concat_shapes(batch, (inner, columns))]


def singular(input: Dims | None, *, compute_uv: bool, full_matrices: bool) -> list[Dims | None]:
    """Infers the output shape of ``Svd``."""
    batch, rows, columns = split_off(input)
    count = least(rows, columns)
    values = concat_shapes(batch, (count,))
    if not compute_uv:
        return [values, (0,), (0,)]
    left, right = (rows, columns) if full_matrices else (count, count)
    return [values, concat_shapes(batch, (rows, left)), concat_shapes(batch, (columns, right))]


# ------------------------------------------------------------------ products and solvers


def product(a: Dims | None, b: Dims | None, *, transpose_a: bool, transpose_b: bool) -> Dims | None:
    """Infers the output shape of ``MatMul``."""
    left, right = ranked(a, 2), ranked(b, 2)
    rows, inner = left[::-1] if transpose_a else left
    other, columns = right[::-1] if transpose_b else right
    merged_size(inner, other)
    return rows, columns


def products(x: Dims | None, y: Dims | None, *, adj_x: bool, adj_y: bool, **_: Any) -> Dims | None:
    """Infers the output shape of ``BatchMatMulV2``."""
    (left, *a), (right, *b) = split_off(x), split_off(y)
    if left is None or right is None:
        return None
    rows, inner = a[::-1] if adj_x else a
    other, columns = b[::-1] if adj_y else b
    merged_size(inner, other)
    return concat_shapes(broadcast(left, right), (rows, columns))


def solved(matrix: Dims | None, rhs: Dims | None, **__: Any) -> Dims | None:
    """Infers the output shape of ``MatrixSolve``."""
    (left, size, _), (right, rhs_size, columns) = split_off(square(matrix)), split_off(rhs)
    return concat_shapes(merged(left, right), (merged_size(size, rhs_size), columns))


def least_squares(matrix: Dims | None, rhs: Dims | None, *_: Any, **__: Any) -> Dims | None:
    """Infers the output shape of ``MatrixSolveLs``."""
    (left, equations, unknowns), (right, rhs_size, columns) = split_off(matrix), split_off(rhs)
    batch = merged(left, right)
    merged_size(equations, rhs_size)
    return concat_shapes(batch, (unknowns, columns))


def solved_by_substitution(matrix: Dims | None, rhs: Dims | None, **__: Any) -> Dims | None:
    """Infers the output shape of ``MatrixTriangularSolve``."""
    (left, size, _), (right, rhs_size, columns) = split_off(square(matrix)), split_off(rhs)
    if left is None or right is None:
        return None
    batch = broadcast(left, right)
    return concat_shapes(batch, (merged_size(size, rhs_size), columns))


def crossed(a: Dims | None, b: Dims | None) -> Dims | None:
    """Infers the output shape of ``Cross``."""
    at_least(a, 1), at_least(b, 1)
    result = merged(a, b)
    if result is not None:
        sized(result[-1], 3)
    return result


# ------------------------------------------------------------------ diagonals


def diagonal(input: Dims | None) -> Dims | None:
    """Infers the output shape of ``Diag``."""
    return concat_shapes(at_least(input, 1), input)


def main_diagonal(input: Dims | None) -> Dims | None:
    """Infers the output shape of ``DiagPart``."""
    if input is None:
        return None
    if not input or len(input) % 2:
        raise refused(f"Input must have even and non-zero rank, input rank is {len(input)}")
    half = len(input) // 2
    return tuple(map(merged_size, input[:half], input[half:]))


def _bounds(k: Any) -> tuple[int, int] | None:
    """Returns the lowest and highest diagonal of a value, if known."""
    result = flatten_known(k)
    if result is None:
        return None
    if len(result) not in (1, 2):
        raise refused(
            f"diag_index must be a vector with one or two elements. It has {len(result)} elements."
        )
    if result[0] > result[-1]:
        raise refused("lower_diag_index is greater than upper_diag_index")
    return result[0], result[-1]


def _checked_bounds(k: Any, rows: Size, columns: Size) -> tuple[int, int] | None:
    """Returns the lowest and highest diagonal, checked against the matrix if its size is known."""
    bounds = _bounds(k)
    if bounds is None or rows is None or columns is None:
        return bounds
    for which, value in zip(("lower", "upper"), bounds, strict=True):
        if value and not -rows < value < columns:
            raise refused(f"{which}_diag_index is out of bound.")
    return bounds


def diagonals(input: Dims | None, k: Any, _padding: Dims | None, **_: Any) -> Dims | None:
    """Infers the output shape of ``MatrixDiagPartV3``."""
    batch, rows, columns = split_off(input)
    bounds = _checked_bounds(k, rows, columns)
    if batch is None or bounds is None:
        return None
    low, high = bounds
    length = None
    if rows is not None and columns is not None:
        length = min(rows + min(high, 0), columns - max(low, 0))
    return concat_shapes(batch, () if low == high else (high - low + 1,), (length,))


def with_diagonals(input: Dims | None, diagonal: Dims | None, k: Any, **_: Any) -> Dims | None:
    """Infers the output shape of ``MatrixSetDiagV3``."""
    batch, rows, columns = split_off(input)
    at_least(diagonal, 1)
    bounds = _checked_bounds(k, rows, columns)
    if input is None or bounds is None:
        return input
    single = bounds[0] == bounds[1]
    diagonal = ranked(diagonal, len(input) - single)
    return concat_shapes(merged(batch, diagonal[: -1 if single else -2]), (rows, columns))


def of_diagonals(
    diagonal: Dims | None,
    k: Any,
    num_rows: Any,
    num_cols: Any,
    _padding: Dims | None,
    **_: Any,
) -> Dims | None:
    """Infers the output shape of ``MatrixDiagV3``."""
    diagonal, bounds = at_least(diagonal, 1), _bounds(k)
    if diagonal is None or bounds is None:
        return None
    low, high = bounds
    batch = diagonal[:-1]
    if low != high:
        batch = _without_count(diagonal, low, high)
    sizes = _matrix_size(diagonal[-1], low, high, _size_of(num_rows), _size_of(num_cols))
    return concat_shapes(batch, sizes)


def _without_count(dims: Dims, low: int, high: int) -> Dims:
    """Returns the batch dimensions before the number of diagonals and their length."""
    count = dims[-2] if len(dims) > 1 else dims[-1]
    if count is not None and (len(dims) < 2 or count != high - low + 1):
        raise refused(
            "The number of rows of `diagonal` doesn't match the number of diagonals implied from "
            f"`d_lower` and `d_upper`.\nnum_diags = {count}, d_lower = {low}, d_upper = {high} "
            f"{len(dims)} {-1 if dims[-1] is None else dims[-1]}"
        )
    return dims[:-2]


def _size_of(value: Any) -> Size:
    """Returns the dimension of a value; -1 if not given, None if unknown."""
    result = flatten_known(value)
    return None if result is None or value_dims(value) else result[0]


def _matrix_size(length: Size, low: int, high: int, rows: Size, columns: Size) -> Dims:
    """Returns the rows and columns of a matrix from the diagonals and the given dimensions."""
    if length is None:
        return tuple(None if size in (None, -1) else size for size in (rows, columns))
    fewest, narrowest = length - min(high, 0), length + max(low, 0)
    if rows == -1 and columns in (-1, None):
        rows = max(fewest, narrowest) if columns == -1 or fewest >= narrowest else None
        return rows, rows if columns == -1 else None
    if columns == -1 and rows is None:
        return None, narrowest if narrowest >= fewest else None
    rows, columns = fewest if rows == -1 else rows, narrowest if columns == -1 else columns
    if rows is not None and rows < fewest:
        raise refused("num_rows is too small")
    if columns is not None and columns < narrowest:
        raise refused("num_cols is too small.")
    if None not in (rows, columns) and rows != fewest and columns != narrowest:
        raise refused(
            "num_rows and num_cols are not consistent with lower_diag_index, upper_diag_index, and the "
            f"length of the given diagonals.\nnum_rows = {rows} != min_num_rows = {fewest}, "
            f"num_cols = {columns} != min_num_cols = {narrowest}"
        )
    return rows, columns
