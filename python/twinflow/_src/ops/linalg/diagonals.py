"""Diagonals and bands of matrices: ``diag``, ``diag_part``, ``set_diag``, ``band_part``.

``MatrixDiagPartV2`` is for graphs of earlier TensorFlow versions.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from twinflow._src.backends.host_checks import is_host
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import dtypes
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import same, text
from twinflow._src.dispatch.op import Call, Kind, Longs, documented_like, export, op
from twinflow._src.ops.array.fill import zeros, zeros_like
from twinflow._src.ops.array.select import select_elements
from twinflow._src.ops.linalg.operator_arguments import is_operator
from twinflow._src.shape_rules.linalg import (
    diagonal,
    diagonals,
    main_diagonal,
    of_diagonals,
    with_diagonals,
)

HostInt = Annotated[Any, Kind("int32", only=dtypes.int32, host=True)]


def _at_least_matrix(x: Any, what: str = "input") -> None:
    if x.ndim < 2:
        raise invalid(f"{what} must be at least 2-dim, received shape: {text(x.shape)}")


def _bounds(
    k: Any, none: str = "Expected diag_index to have at least 1 element"
) -> tuple[int, int]:
    """Returns the lowest and the highest diagonal of ``k``, a number or a pair."""
    values = k.reshape(-1)
    if not values.size:
        raise invalid(none)
    if values.size not in (1, 2):
        raise invalid(
            f"diag_index must have only one or two elements, received {values.size} elements."
        )
    low, high = int(values[0]), int(values[-1])
    return low, high


_MISCOUNTED = (
    "The number of diagonals provided in `diag` is not consistent with `lower_diag_index` and "
    "`upper_diag_index`"
)


def _checked_bounds(k: Any, rows: int, cols: int, stop: str = "", *none: str) -> tuple[int, int]:
    low, high = _bounds(k, *none)
    for value, which, end in ((low, "lower_diag_index", stop), (high, "upper_diag_index", "")):
        if not (-rows < value < cols or value == 0):
            raise invalid(
                f"{which} is out of bound: {value}{end} It must be between {-rows} and {cols}"
            )
    if low > high:
        raise invalid(f"lower_diag_index must not be larger than upper_diag_index: {low} > {high}")
    return low, high


def _length(k: int, rows: int, cols: int) -> int:
    """Returns the number of elements of the k-th diagonal."""
    return max(0, min(rows + min(k, 0), cols - max(k, 0)))


def _layout(
    xp: Any, low: int, high: int, rows: int, cols: int, align: str
) -> tuple[int, Any, Any, Any, Any]:
    """Returns the layout of stacked diagonals."""
    # The layout is the length of the longest diagonal; for each element of the stack (highest
    # diagonal first) its row, its column and False if it is padding; and the shape of the stack.
    length = max(_length(k, rows, cols) for k in range(low, high + 1))
    k = xp.arange(high, low - 1, -1)[:, None]
    lengths = xp.maximum(xp.minimum(rows + xp.minimum(k, 0), cols - xp.maximum(k, 0)), 0)
    upper, lower = align.split("_")  # how diagonals above and below the main one are aligned
    right = xp.where(k >= 0, upper == "RIGHT", lower == "RIGHT")
    position = xp.arange(length)[None, :] - xp.where(right, length - lengths, 0)
    is_element = (position >= 0) & (position < lengths)
    row = xp.where(is_element, position - xp.minimum(k, 0), 0)
    col = xp.where(is_element, position + xp.maximum(k, 0), 0)
    return length, row, col, is_element, (high - low + 1, length)


def _line(matrices: Any, k: int) -> Any:
    """Returns a view of the k-th diagonals of matrices in C order."""
    rows, cols = matrices.shape[-2:]
    start, step = max(k, 0) - min(k, 0) * cols, cols + 1
    flat = matrices.reshape((*matrices.shape[:-2], rows * cols))
    return flat[..., start : start + _length(k, rows, cols) * step : step]


@op("MatrixDiagPartV3", shape=diagonals, dtypes=dtypes.ANY, tf_name="diag_part")
def matrix_diag_part(
    xp: Any, input: Any, k: HostInt, padding_value: Any, *, align: str = "RIGHT_LEFT"
) -> Any:
    """Returns the diagonals of batches of matrices."""
    _at_least_matrix(input)
    if padding_value.ndim:
        raise invalid("Padding must be scalar.")
    rows, cols = input.shape[-2:]
    low, high = _checked_bounds(k, rows, cols, ".")
    if low == high:
        return _line(input, low).copy()
    _, row, col, there, shape = _layout(xp, low, high, rows, cols, align)
    if not there.size or not input.size:
        return xp.full(input.shape[:-2] + shape, padding_value, input.dtype)
    return xp.asarray(xp.where(there, input[..., row, col], padding_value), order="C")


matrix_diag_part.native("move")


@matrix_diag_part.gradient
def _(call: Call, dy: Any) -> Any:
    input, k, _ = call.inputs
    return matrix_set_diag(zeros_like(input), dy, k, align=call.attrs["align"]), None, None


@export("linalg.diag_part")
def diag_part(
    input: Any,
    name: str = "diag_part",
    k: Any = 0,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Any:
    """Returns the diagonals of the matrices in the last two dimensions.

    Args:
        input: A tensor of rank 2 or more.
        name: A name for the operation.
        k: The diagonal offset, or a pair of the lowest and the highest one; 0 is the main diagonal.
        padding_value: The value that pads shorter diagonals.
        align: The alignment of superdiagonals and subdiagonals in their padded rows.

    Returns:
        A tensor of the same dtype, with an additional dimension if there are several diagonals.

    Raises:
        InvalidArgumentError: The rank is less than 2, or ``k`` is out of range.
    """
    if is_operator(input):
        return input.diag_part()
    return matrix_diag_part(input, k, _padding(input, padding_value), align=align)


def _padding(x: Any, value: Any) -> Any:
    """Returns the padding value, as a bool for boolean tensors."""
    return bool(value) if convert_to_tensor(x).dtype is dtypes.bool_ else value


def _matrix_size(length: int, low: int, high: int, num_rows: int, num_cols: int) -> tuple[int, int]:
    """Returns rows and columns of a matrix from its diagonals; -1 means unspecified."""
    least_rows = length - min(high, 0)
    least_cols = length + max(low, 0)
    if num_rows != -1 and num_rows < least_rows:
        raise invalid("The number of rows is too small.")
    if num_cols != -1 and num_cols < least_cols:
        raise invalid("The number of columns is too small.")
    if num_rows == -1 and num_cols == -1:
        size = max(least_rows, least_cols)
        return size, size
    rows = least_rows if num_rows == -1 else num_rows
    cols = least_cols if num_cols == -1 else num_cols
    if rows != least_rows and cols != least_cols:
        raise invalid(
            "The number of rows or columns is not consistent with the specified d_lower, d_upper, "
            "and diagonal."
        )
    return rows, cols


@op("MatrixDiagV3", shape=of_diagonals, dtypes=dtypes.ANY, tf_name="diag")
def matrix_diag(
    xp: Any,
    diagonal: Any,
    k: HostInt,
    num_rows: HostInt,
    num_cols: HostInt,
    padding_value: Any,
    *,
    align: str = "RIGHT_LEFT",
) -> Any:
    """Returns matrices with the given diagonals and padding elsewhere."""
    if not diagonal.ndim:
        raise invalid(f"diagonal must be at least 1-dim, received shape: {text(diagonal.shape)}")
    low, high = _bounds(k)
    if low > high:
        raise invalid(f"lower_diag_index must not be larger than upper_diag_index: {low} > {high}")
    stacked = diagonal[..., None, :] if low == high else diagonal
    if stacked.ndim < 2 or stacked.shape[-2] != high - low + 1:
        raise invalid(
            "The number of diagonals provided in the input does not match the "
            "lower_diag_index and upper_diag_index range."
        )
    length = diagonal.shape[-1]
    rows, cols = _matrix_size(length, low, high, int(num_rows), int(num_cols))
    result = xp.full(stacked.shape[:-2] + (rows, cols), padding_value, diagonal.dtype)
    return _write_diagonals(xp, result, diagonal, low, high, align)


def _write_diagonals(xp: Any, result: Any, diagonal: Any, low: int, high: int, align: str) -> Any:
    """Writes the diagonals from ``low`` to ``high`` into matrices and returns these."""
    if low == high:
        _line(result, low)[...] = diagonal
        return result
    rows, cols = result.shape[-2:]
    _, row, col, there, _ = _layout(xp, low, high, rows, cols, align)
    result[..., row[there], col[there]] = diagonal[..., there]
    return result


@matrix_diag.gradient
def _(call: Call, dy: Any) -> Any:
    padding = zeros([], dy.dtype)
    gradient = matrix_diag_part(dy, call.inputs[1], padding, align=call.attrs["align"])
    return gradient, None, None, None, None


@export("linalg.diag")
def diag(
    diagonal: Any,
    name: str = "diag",
    k: Any = 0,
    num_rows: Any = -1,
    num_cols: Any = -1,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Any:
    """Returns matrices with the given diagonals and padding elsewhere.

    Args:
        diagonal: The diagonals, in the last dimension (in the last two, highest first, if there are
            several for each matrix).
        name: A name for the operation.
        k: The diagonal offset, or a pair of the lowest and the highest one; 0 is the main diagonal.
        num_rows: The number of rows; -1 for the smallest that fits the diagonals.
        num_cols: The number of columns; -1 for the smallest that fits the diagonals.
        padding_value: The value of the elements outside the diagonals.
        align: The alignment of superdiagonals and subdiagonals in ``diagonal``.

    Returns:
        A tensor of the same dtype.

    Raises:
        InvalidArgumentError: The sizes are incompatible.
    """
    padding = _padding(diagonal, padding_value)
    return matrix_diag(diagonal, k, num_rows, num_cols, padding, align=align)


@op("MatrixSetDiagV3", shape=with_diagonals, dtypes=dtypes.ANY, tf_name="set_diag")
def matrix_set_diag(
    xp: Any, input: Any, diagonal: Any, k: HostInt, *, align: str = "RIGHT_LEFT"
) -> Any:
    """Returns a copy of matrices with some diagonals replaced."""
    _at_least_matrix(input)
    if not diagonal.ndim:
        raise invalid(f"diagonal must be at least 1-dim, received shape: {text(diagonal.shape)}")
    low, high = _checked_bounds(
        k, *input.shape[-2:], "", "diag_index must have at least one element"
    )
    _check_replacing(input, diagonal, low, high)
    return _write_diagonals(xp, input.copy(), diagonal, low, high, align)


def _check_replacing(input: Any, diagonal: Any, low: int, high: int) -> None:
    """Raises InvalidArgumentError if the shape of the diagonals does not match the matrices."""
    rows, cols = input.shape[-2:]
    if low != high and diagonal.ndim < input.ndim:
        raise invalid(
            "Diagonal tensor rank must be large enough to contain a diagonal-count dimension. Input rank: "
            f"{input.ndim}, Expected diagonal rank >= 2, Received diagonal rank: {diagonal.ndim}"
            if input.ndim > 2
            else _MISCOUNTED
        )
    if low != high and diagonal.shape[-2] != high - low + 1:
        raise invalid(_MISCOUNTED)
    length = max(_length(k, rows, cols) for k in range(low, high + 1))
    expected = input.shape[:-2] + ((length,) if low == high else (high - low + 1, length))
    if diagonal.shape != expected:
        raise invalid(
            "Either first dimensions of diagonal don't match input.shape[:-2], or "
            "diagonal.shape[:-1] is not equal to the longests diagonal in range "
            f"[lower_diag_index:upper_diag_index].\nInput shape: {text(input.shape)}\n"
            f"Diagonal shape: {text(diagonal.shape)}\nExpected diagonal shape: {text(expected)}"
        )


@matrix_set_diag.gradient
def _(call: Call, dy: Any) -> Any:
    _, diagonal, k = call.inputs
    align = call.attrs["align"]
    rest = matrix_set_diag(dy, zeros_like(diagonal), k, align=align)
    return rest, matrix_diag_part(dy, k, zeros([], dy.dtype), align=align), None


@export("linalg.set_diag")
@documented_like(diag)
def set_diag(
    input: Any, diagonal: Any, name: str = "set_diag", k: Any = 0, align: str = "RIGHT_LEFT"
) -> Any:
    """Returns a copy of matrices with some diagonals replaced.

    Args:
        input: A tensor of rank 2 or more.
        diagonal: The new diagonals, in the last dimension (in the last two, highest first, if there
            are several).

    Returns:
        A tensor of the same dtype and shape.
    """
    return matrix_set_diag(input, diagonal, k, align=align)


# ------------------------------------------------------------------ ops of earlier TensorFlow versions


@op("MatrixDiagPartV2", shape=diagonals, dtypes=dtypes.ANY)
def matrix_diag_part_v2(xp: Any, input: Any, k: HostInt, padding_value: Any) -> Any:
    """Returns diagonals of matrices, left-aligned in their padded rows."""
    return matrix_diag_part.op.kernel(xp, input, k, padding_value, align="LEFT_LEFT")


@matrix_diag_part_v2.gradient
def _(call: Call, dy: Any) -> Any:
    input, k, _ = call.inputs
    return matrix_set_diag(zeros_like(input), dy, k, align="LEFT_LEFT"), None, None


# ------------------------------------------------------------------ diagonals of tensors, bands of matrices


# Rows per block of a larger matrix on the CPU, in which columns outside the block's band are skipped.
_ROWS, _LARGE = 64, 200


@op(
    "Diag",
    api=("linalg.tensor_diag",),
    shape=diagonal,
    dtypes=dtypes.NUMBERS
    - {dtypes.int8, dtypes.int16, dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64},
)
@documented_like(diag)
def tensor_diag(xp: Any, diagonal: Any) -> Any:
    """Returns a diagonal tensor of twice the rank: ``result[i..., i...] = diagonal[i...]``, else 0.

    Args:
        diagonal: A tensor of rank 1 or more.

    Raises:
        InvalidArgumentError: The tensor is a scalar.
    """
    if not diagonal.ndim:
        raise invalid("Input must be at least rank 1, got 0")
    size = diagonal.size
    result = xp.zeros((size, size), diagonal.dtype)
    result[xp.arange(size), xp.arange(size)] = diagonal.reshape(-1)
    return result.reshape(diagonal.shape * 2)


@tensor_diag.batched
def _(call: Any) -> Any:
    return diag(call.inputs[0]) if call.rank(0) == 1 else call.looped()


@tensor_diag.gradient
def _(call: Call, dy: Any) -> Any:
    return tensor_diag_part(dy)


@op(
    "DiagPart",
    api=("linalg.tensor_diag_part",),
    shape=main_diagonal,
    dtypes=dtypes.NUMBERS
    - {dtypes.int8, dtypes.int16, dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64},
)
def tensor_diag_part(xp: Any, input: Any) -> Any:
    """Returns the diagonal part of a tensor: ``result[i...] = input[i..., i...]``.

    Args:
        input: A tensor of even rank; both halves of its shape are the same.

    Returns:
        A tensor of the same dtype, of half the rank.

    Raises:
        InvalidArgumentError: The rank is odd, or the halves of the shape differ.
    """
    rank = input.ndim
    if not rank:
        return input.copy()
    if rank % 2:
        raise invalid(
            "The rank of the tensor should be                                          "
            f"even and positive, got shape {text(input.shape)}"
        )
    half = rank // 2
    for i in range(half):
        if input.shape[i] != input.shape[i + half]:
            raise invalid(
                f"Invalid shape {text(input.shape)}: dimensions {i} and {i + half} do not match."
            )
    size = int(np.prod(input.shape[:half]))
    flat = input.reshape(size, size)
    return flat[xp.arange(size), xp.arange(size)].reshape(input.shape[:half])


tensor_diag_part.gradient(lambda call, dy: tensor_diag(dy))


@tensor_diag_part.batched
def _(call: Any) -> Any:
    return diag_part(call.inputs[0]) if call.rank(0) == 2 else call.looped()


@op("MatrixBandPart", api=("linalg.band_part",), shape=same, dtypes=dtypes.NUMBERS | dtypes.BOOLS)
@documented_like(set_diag)
def band_part(xp: Any, input: Any, num_lower: Longs, num_upper: Longs) -> Any:
    """Returns matrices with all elements outside a central band set to zero.

    Args:
        num_lower: The number of subdiagonals to keep; all if negative.
        num_upper: The number of superdiagonals to keep; all if negative.

    Raises:
        InvalidArgumentError: The rank is less than 2, or a number exceeds the rows or columns.
    """
    _at_least_matrix(input)
    for name, count in (("num_lower", num_lower), ("num_upper", num_upper)):
        if count.ndim:
            raise invalid(f"{name} must be scalar, got shape {text(count.shape)}")
    rows, cols = input.shape[-2:]
    low, high = int(num_lower), int(num_upper)
    if low > rows:
        raise invalid(
            f"num_lower must be negative or less or equal to number of rows ({rows}) got: {low}"
        )
    if high > cols:
        raise invalid(
            f"num_upper must be negative or less or equal to number of columns ({cols}) got: {high}"
        )
    low, high = low if low >= 0 else rows, high if high >= 0 else cols
    if not is_host(xp):
        return xp.banded(input, low, high)
    zero = input.dtype.type(0)
    row, column = xp.arange(rows, dtype=xp.int32)[:, None], xp.arange(cols, dtype=xp.int32)
    if max(rows, cols) <= _LARGE:
        inside = column <= row + high
        if low < rows - 1:
            inside &= column >= row - low
        return xp.where(inside, input, zero)
    result = xp.zeros_like(input)
    for start in range(0, rows, _ROWS):
        part = slice(start, start + _ROWS), slice(max(0, start - low), start + _ROWS + high)
        inside = (column[part[1]] >= row[part[0]] - low) & (column[part[1]] <= row[part[0]] + high)
        result[(..., *part)] = select_elements(xp, inside, input[(..., *part)], zero)
    return result


band_part.native("move")


@band_part.gradient
def _(call: Call, dy: Any) -> Any:
    _, num_lower, num_upper = call.inputs
    return band_part(dy, num_lower, num_upper), None, None
