"""The derivatives of reductions of chosen rows, as graphs of TensorFlow have them in one operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from twinflow._src.core.dtypes import REALS, int32, int64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import refused
from twinflow._src.dispatch.op import Kind, op
from twinflow._src.ops.state.scatter_kernels import combining
from twinflow._src.shape_rules.demands import at_least, merged, ranked, scalar_value

_EITHER = frozenset((int32, int64))
_Rows = Annotated[Any, Kind("Tidx", allowed=_EITHER)]
_Ids = Annotated[Any, Kind("Tsegmentids", allowed=_EITHER)]
_Size = Annotated[Any, Kind("int32", only=int32, host=True)]


def _spread(grad: Any, indices: Any, ids: Any, size: Any, **_: Any) -> Any:
    wide = _checked(grad, indices, ids)
    count = scalar_value(size)
    if count is not None and count < 0:
        raise refused("Cannot specify a negative value for output_dim0")
    return None if wide is None else (count, *wide[1:])


def _spread_distinct(grad: Any, indices: Any, ids: Any, size: Any, **_: Any) -> Any:
    wide = _checked(grad, indices, ids)
    scalar_value(size)
    return [None if wide is None else (None, *wide[1:]), (None,)]


def _checked(grad: Any, indices: Any, ids: Any) -> Any:
    """The dimensions of the derivative, after a check of the shapes."""
    wide = at_least(grad, 1)
    merged(ids, ranked(indices, 1))
    return wide


def _contributions(
    xp: Any, grad: Any, indices: Any, ids: Any, size: Any, name: str, scale: Callable[..., Any] | None
) -> Any:
    """What each place of ``indices`` gets, after a check of all values."""
    for what, array in (("indices", indices), ("segment_ids", ids)):
        if array.ndim != 1:
            raise invalid(f"{what} should be a vector.")
    if size.ndim:
        raise invalid(f"{name} should be a scalar.")
    if len(indices) != len(ids):
        raise invalid("segment_ids and indices should have same size.")
    if int(size) < 0:
        raise invalid(f"Expected a non-negative size, got {int(size)}")
    if not grad.ndim:
        raise invalid("Index must be less than 0, got 0")
    count = len(grad)
    if len(ids) and int(ids[-1]) >= count:
        raise invalid("Invalid number of segments")
    for what, places, bound in (("Segment id", ids, count), ("Index", indices, int(size))):
        bad = (places < 0) | (places >= bound)
        if bad.any():
            raise invalid(f"{what} {int(places[int(xp.argmax(bad))])} out of range [0, {bound}).")
    rows = grad[ids]
    if scale is not None:
        number = scale(xp.maximum(xp.bincount(ids, minlength=count), 1).astype("float64"))
        factor = (1 / number).astype(grad.dtype)[ids]
        rows = rows * factor.reshape(-1, *[1] * (grad.ndim - 1))
    return rows


def _adjoint(reduction: str, scale: Callable[[Any], Callable[..., Any] | None]) -> None:
    """Makes both versions of the derivative of a reduction."""

    @op(f"SparseSegment{reduction}Grad", shape=_spread, dtypes=REALS)
    def whole(xp: Any, grad: Any, indices: _Rows, segment_ids: _Ids, output_dim0: _Size) -> Any:
        """Returns the derivative of a reduction of chosen rows.

        Args:
            grad: The derivative by the result.
            indices: Which rows were taken.
            segment_ids: The segment of each row that was taken.
            output_dim0: The number of rows.

        Returns:
            A tensor of the same type with so many rows.

        Raises:
            InvalidArgumentError: There is no such row or segment.
        """
        rows = _contributions(xp, grad, indices, segment_ids, output_dim0, "output_dim0", scale(xp))
        found = xp.zeros((int(output_dim0), *grad.shape[1:]), grad.dtype)
        combining(xp, xp.add)(found, indices, rows)
        return found

    @op(f"SparseSegment{reduction}GradV2", shape=_spread_distinct, dtypes=REALS)
    def distinct(xp: Any, grad: Any, indices: _Rows, segment_ids: _Ids, dense_output_dim0: _Size) -> Any:
        """Returns the derivative of a reduction of chosen rows, of the rows that were taken only.

        Args:
            grad: The derivative by the result.
            indices: Which rows were taken.
            segment_ids: The segment of each row that was taken.
            dense_output_dim0: The number of rows.

        Returns:
            A tensor of the same type, and which rows it has, ascending.

        Raises:
            InvalidArgumentError: There is no such row or segment.
        """
        rows = _contributions(xp, grad, indices, segment_ids, dense_output_dim0, "dense_output_dim0", scale(xp))
        taken, places = xp.unique(indices, return_inverse=True)
        found = xp.zeros((len(taken), *grad.shape[1:]), grad.dtype)
        combining(xp, xp.add)(found, places.reshape(-1), rows)
        return found, taken


_adjoint("Sum", lambda xp: None)
_adjoint("Mean", lambda xp: lambda number: number)
_adjoint("SqrtN", lambda xp: xp.sqrt)
