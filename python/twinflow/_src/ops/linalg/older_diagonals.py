"""Diagonals of matrices as older graphs take them."""

from __future__ import annotations

from typing import Any

from twinflow._src.core import dtypes
from twinflow._src.dispatch.op import Call, op
from twinflow._src.ops.array.fill import zeros_like
from twinflow._src.ops.linalg.diagonals import HostInt, matrix_diag_part, matrix_set_diag
from twinflow._src.shape_rules.linalg import diagonals


@op("MatrixDiagPartV2", shape=diagonals, dtypes=dtypes.ANY)
def matrix_diag_part_v2(xp: Any, input: Any, k: HostInt, padding_value: Any) -> Any:
    """Returns diagonals of matrices, each at the beginning of what is filled up.

    Args:
        input: A tensor of rank 2 or more.
        k: The diagonal, or the lowest and the highest one; 0 is the main one.
        padding_value: What fills up diagonals that are shorter than others.

    Returns:
        A tensor of the same type; with a dimension for the diagonals where there are several.

    Raises:
        InvalidArgumentError: The rank is less than 2, or there is no such diagonal.
    """
    return matrix_diag_part.op.kernel(xp, input, k, padding_value, align="LEFT_LEFT")


@matrix_diag_part_v2.gradient
def _(call: Call, dy: Any) -> Any:
    input, k, _ = call.inputs
    return matrix_set_diag(zeros_like(input), dy, k, align="LEFT_LEFT"), None, None
