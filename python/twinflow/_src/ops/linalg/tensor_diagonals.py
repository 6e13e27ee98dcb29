"""Diagonals of tensors, and bands of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.backends.host_checks import is_host
from twinflow._src.core import dtypes
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import same, text
from twinflow._src.dispatch.op import Call, Longs, op
from twinflow._src.ops.array.select import chosen
from twinflow._src.ops.linalg.diagonals import _at_least_matrix
from twinflow._src.shape_rules.linalg import diagonal, main_diagonal

_ROWS = 64  # of a matrix on the host, of which the columns outside the band are left alone


@op(
    "Diag",
    api=("linalg.tensor_diag",),
    shape=diagonal,
    dtypes=dtypes.NUMBERS
    - {dtypes.int8, dtypes.int16, dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64},
)
def tensor_diag(xp: Any, diagonal: Any) -> Any:
    """Returns a tensor of twice the rank with the given elements where both halves of an index agree.

    Args:
        diagonal: A tensor of rank 1 or more.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The tensor is a scalar.
    """
    if not diagonal.ndim:
        raise invalid("Input must be at least rank 1, got 0")
    size = diagonal.size
    result = xp.zeros((size, size), diagonal.dtype)
    result[xp.arange(size), xp.arange(size)] = diagonal.reshape(-1)
    return result.reshape(diagonal.shape * 2)


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
    """Returns the elements of a tensor where both halves of an index agree.

    Args:
        input: A tensor of even rank; both halves of its shape are the same.

    Returns:
        A tensor of the same type, of half the rank.

    Raises:
        InvalidArgumentError: The shape is not as described.
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


@tensor_diag_part.gradient
def _(call: Call, dy: Any) -> Any:
    return tensor_diag(dy)


@op("MatrixBandPart", api=("linalg.band_part",), shape=same, dtypes=dtypes.NUMBERS | dtypes.BOOLS)
def band_part(xp: Any, input: Any, num_lower: Longs, num_upper: Longs) -> Any:
    """Returns matrices with zeros outside a band around the diagonal.

    Args:
        input: A tensor of rank 2 or more.
        num_lower: The number of diagonals below the main one that stay; all where negative.
        num_upper: The number of diagonals above the main one that stay; all where negative.

    Returns:
        A tensor of the same type and shape.

    Raises:
        InvalidArgumentError: The rank is less than 2, or there are not as many diagonals.
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
    row, column = xp.arange(rows, dtype=xp.int32)[:, None], xp.arange(cols, dtype=xp.int32)
    result = xp.zeros_like(input)
    for start in range(0, rows, _ROWS):  # only where the band is
        part = slice(start, start + _ROWS), slice(max(0, start - low), start + _ROWS + high)
        inside = (column[part[1]] >= row[part[0]] - low) & (column[part[1]] <= row[part[0]] + high)
        result[(..., *part)] = chosen(xp, inside, input[(..., *part)], input.dtype.type(0))
    return result


@band_part.gradient
def _(call: Call, dy: Any) -> Any:
    _, num_lower, num_upper = call.inputs
    return band_part(dy, num_lower, num_upper), None, None
