"""Segment reductions of gathered rows: ``tf.sparse.segment_sum``, ``_mean`` and ``_sqrt_n``.

Besides the ops this has their gradient ops, as TensorFlow's graphs contain them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import ORDERED, REALS, DType, int32
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import refused, text
from twinflow._src.dispatch.op import API, Call, Kind, OpFunction, export, op
from twinflow._src.ops.array.scatter_kernels import combining
from twinflow._src.ops.array.shapes import concat_sizes, ones, rank_of
from twinflow._src.ops.reduce.segments import Count, gathered
from twinflow._src.shape_rules.demands import at_least, merged, ranked, scalar_value

# Segment reductions of gathered rows.


_EITHER = frozenset((dtypes.int32, dtypes.int64))
Rows = Annotated[Any, Kind("Tidx", default=dtypes.int32, allowed=_EITHER)]
Ids = Annotated[Any, Kind("Tsegmentids", default=dtypes.int32, allowed=_EITHER)]


def _infer_segment_shape(data: Any, indices: Any, ids: Any, count: Any = None, **_: Any) -> Any:
    wide = at_least(data, 1)
    merged(ranked(indices, 1), ranked(ids, 1))
    size = scalar_value(count)
    if size is not None and size < 0:
        raise refused("Cannot specify a negative value for num_segments")
    return None if wide is None else (size, *wide[1:])


def _check(xp: Any, data: Any, indices: Any, ids: Any, count: int) -> None:
    """Raises InvalidArgumentError if row indices or segment ids are out of range or not sorted."""
    if len(ids) and count <= 0:
        raise invalid("segment ids must be >= 0")
    if xp.any(ids[1:] < ids[:-1]):
        raise invalid("segment ids are not increasing")
    for i in (0, -1) if len(ids) else ():
        if not 0 <= int(ids[i]) < count:
            raise invalid(
                f"Segment id {int(ids[i])} out of range [0, {count}), possibly because "
                "'segment_ids' input is not sorted."
            )
    bad = (indices < 0) | (indices >= len(data))
    if bad.any():
        i = int(xp.argmax(bad))
        raise invalid(f"Bad: indices[{i}] == {int(indices[i])} out of range [0, {len(data)})")


def _count(data: Any, indices: Any, ids: Any, num_segments: Any) -> int:
    """Returns the number of segments after a check of the shapes."""
    if not data.ndim:
        raise invalid("Shape must be at least rank 1")
    for what, array in (("indices", indices), ("segment_ids", ids)):
        if array.ndim != 1:
            raise invalid(f"{what} should be a vector.")
    if len(indices) != len(ids):
        raise invalid("segment_ids and indices should have same size.")
    if num_segments is None:
        return int(ids[-1]) + 1 if len(ids) else 0
    if num_segments.ndim:
        raise invalid(f"num_segments should be a scalar, not shape {text(num_segments.shape)}")
    if int(num_segments) < 0:
        raise invalid("segment ids must be >= 0")
    if len(ids) and int(ids[-1]) >= int(num_segments):
        raise invalid("segment ids must be < num_segments")
    return int(num_segments)


def _reduce(
    xp: Any, data: Any, indices: Any, ids: Any, num_segments: Any, scale: Callable[..., Any] | None
) -> Any:
    count = _count(data, indices, ids, num_segments)
    _check(xp, data, indices, ids, count)
    rows = data[indices]
    if scale is None:
        return gathered(xp, rows, ids, count, 0, xp.add)
    wide = rows.astype(xp.float32) if rows.dtype.itemsize == 2 else rows
    total = gathered(xp, wide, ids, count, 0, xp.add)
    number = xp.maximum(xp.bincount(ids, minlength=count), 1).astype(total.dtype)
    shape = (count,) + (1,) * (data.ndim - 1)
    return (total / scale(number).reshape(shape)).astype(data.dtype)


# ------------------------------------------------------------------ gradients


def _gradient(call: Call, dy: Any, scale: str | None) -> Any:
    """Returns the gradients; a data row sums the gradients of all its occurrences."""
    data, indices, ids = call.inputs[:3]
    if scale is not None:
        each = API["ones"](API["shape"](ids), dy.dtype)
        number = API["math.unsorted_segment_sum"](each, ids, API["shape"](dy)[0])
        number = number if scale == "mean" else API["sqrt"](number)
        number = API["maximum"](number, API["ones_like"](number))
        dy = dy / API["reshape"](number, concat_sizes([-1], ones(rank_of(dy) - 1)))
    rows = API["gather"](dy, ids)
    if call.attrs["sparse_gradient"]:
        result = IndexedSlices(rows, indices, API["shape"](data))
    else:
        result = API["math.unsorted_segment_sum"](rows, indices, API["shape"](data)[0])
    return (result, *[None] * (len(call.inputs) - 1))


# ------------------------------------------------------------------ reductions


_DOC = """Computes {summary}.

    Args:
        data: A {kind} tensor.
        indices: The indices of the gathered rows.
        segment_ids: The segment id of each gathered row, sorted.
        num_segments: The number of segments; inferred from the last segment id if None.
        name: A name for the operation.
        sparse_gradient: If True, the gradient is an ``IndexedSlices``.

    Returns:
        A tensor of the same dtype, with zeros for segments without rows.

    Raises:
        InvalidArgumentError: A row or segment id is out of range, or the segment ids are not
            sorted.
    """


class _Reduction(NamedTuple):
    """A segment reduction.

    Attributes:
        name: The end of its public names.
        type: The part of its op types.
        kind: The kind of tensor that it takes.
        dtypes: The dtypes of the reduction.
        scale: Returns the function of a row count by which sums are divided, or None.
        gradient_scale: The kind of this function, or None.
        summaries: Of the op, and of the op with a given number of segments.
    """

    name: str
    type: str
    kind: str
    dtypes: frozenset[DType]
    scale: Callable[[Any], Callable[..., Any] | None]
    gradient_scale: str | None
    summaries: tuple[str, str]


_ROWS = "of gathered rows for each segment"
_NUMBERED = "with a given number of segments"
_REDUCTIONS = (
    _Reduction(
        *("sum", "Sum", "real", ORDERED, lambda xp: None, None),
        (f"the sum {_ROWS}", f"the sum {_ROWS}, {_NUMBERED}"),
    ),
    _Reduction(
        *("mean", "Mean", "floating-point", REALS, lambda xp: lambda number: number, "mean"),
        (f"the mean {_ROWS}", f"the mean {_ROWS}, {_NUMBERED}"),
    ),
    _Reduction(
        *("sqrt_n", "SqrtN", "floating-point", REALS, lambda xp: xp.sqrt, "sqrt_n"),
        (
            "segment sums of gathered rows, divided by the square root of the row count",
            f"segment sums divided by sqrt(row count), {_NUMBERED}",
        ),
    ),
)


def _define_ops(reduction: _Reduction) -> tuple[OpFunction, OpFunction]:
    """Defines the op of a reduction, and that with a given number of segments."""

    def plain(
        xp: Any, data: Any, indices: Rows, segment_ids: Ids, *, sparse_gradient: bool = False
    ) -> Any:
        return _reduce(xp, data, indices, segment_ids, None, reduction.scale(xp))

    def numbered(
        xp: Any,
        data: Any,
        indices: Rows,
        segment_ids: Ids,
        num_segments: Count,
        *,
        sparse_gradient: bool = False,
    ) -> Any:
        return _reduce(xp, data, indices, segment_ids, num_segments, reduction.scale(xp))

    result = []
    kernels: list[tuple[Callable[..., Any], str]] = [(plain, ""), (numbered, "WithNumSegments")]
    for (kernel, suffix), summary in zip(kernels, reduction.summaries):
        name = f"sparse_segment_{reduction.name}{'_with_num_segments' if suffix else ''}"
        kernel.__name__ = kernel.__qualname__ = name
        kernel.__doc__ = f"Computes {summary}."
        options = {"shape": _infer_segment_shape, "dtypes": reduction.dtypes}
        function = op(f"SparseSegment{reduction.type}{suffix}", **options)(kernel)
        function.gradient(lambda call, dy: _gradient(call, dy, reduction.gradient_scale))
        result.append(function)
    return result[0], result[1]


def _define_function(reduction: _Reduction, plain: OpFunction, numbered: OpFunction) -> None:
    """Defines the public function of a reduction."""

    def segment_reduction(
        data: Any,
        indices: Any,
        segment_ids: Any,
        num_segments: Any = None,
        name: str | None = None,
        sparse_gradient: bool = False,
    ) -> Any:
        if num_segments is None:
            return plain(data, indices, segment_ids, sparse_gradient=sparse_gradient)
        inputs = data, indices, segment_ids, num_segments
        return numbered(*inputs, sparse_gradient=sparse_gradient)

    segment_reduction.__name__ = segment_reduction.__qualname__ = f"segment_{reduction.name}"
    segment_reduction.__doc__ = _DOC.format(summary=reduction.summaries[0], kind=reduction.kind)
    export(f"sparse.segment_{reduction.name}")(segment_reduction)


for _reduction in _REDUCTIONS:
    _define_function(_reduction, *_define_ops(_reduction))


# Gradient ops of the segment reductions, as TensorFlow's graphs contain them.


_Rows = Annotated[Any, Kind("Tidx", allowed=_EITHER)]
_Ids = Annotated[Any, Kind("Tsegmentids", allowed=_EITHER)]
_Size = Annotated[Any, Kind("int32", only=int32, host=True)]


def _infer_gradient_shape(grad: Any, indices: Any, ids: Any, size: Any, **_: Any) -> Any:
    wide = _check_gradient(grad, indices, ids)
    count = scalar_value(size)
    if count is not None and count < 0:
        raise refused("Cannot specify a negative value for output_dim0")
    return None if wide is None else (count, *wide[1:])


def _infer_distinct_gradient(grad: Any, indices: Any, ids: Any, size: Any, **_: Any) -> Any:
    wide = _check_gradient(grad, indices, ids)
    scalar_value(size)
    return [None if wide is None else (None, *wide[1:]), (None,)]


def _check_gradient(grad: Any, indices: Any, ids: Any) -> Any:
    """Returns the shape of the gradient after a check of the input shapes."""
    wide = at_least(grad, 1)
    merged(ids, ranked(indices, 1))
    return wide


def _contributions(
    xp: Any,
    grad: Any,
    indices: Any,
    ids: Any,
    size: Any,
    name: str,
    scale: Callable[..., Any] | None,
) -> Any:
    """Validates all values and returns the gradient contribution of each gathered row."""
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
    for what, rows_or_ids, bound in (("Segment id", ids, count), ("Index", indices, int(size))):
        bad = (rows_or_ids < 0) | (rows_or_ids >= bound)
        if bad.any():
            raise invalid(
                f"{what} {int(rows_or_ids[int(xp.argmax(bad))])} out of range [0, {bound})."
            )
    rows = grad[ids]
    if scale is not None:
        number = scale(xp.maximum(xp.bincount(ids, minlength=count), 1).astype("float64"))
        factor = (1 / number).astype(grad.dtype)[ids]
        rows = rows * factor.reshape(-1, *[1] * (grad.ndim - 1))
    return rows


def _define_adjoint(reduction: str, scale: Callable[[Any], Callable[..., Any] | None]) -> None:
    """Registers both versions of the gradient op of a reduction."""

    @op(f"SparseSegment{reduction}Grad", shape=_infer_gradient_shape, dtypes=REALS)
    def gradient(xp: Any, grad: Any, indices: _Rows, segment_ids: _Ids, output_dim0: _Size) -> Any:
        """Computes the gradient of a segment reduction of gathered rows."""
        rows = _contributions(xp, grad, indices, segment_ids, output_dim0, "output_dim0", scale(xp))
        result = xp.zeros((int(output_dim0), *grad.shape[1:]), grad.dtype)
        combining(xp, xp.add)(result, indices, rows)
        return result

    @op(f"SparseSegment{reduction}GradV2", shape=_infer_distinct_gradient, dtypes=REALS)
    def distinct(
        xp: Any, grad: Any, indices: _Rows, segment_ids: _Ids, dense_output_dim0: _Size
    ) -> Any:
        """Computes the gradient of a segment reduction for the gathered rows only."""
        rows = _contributions(
            xp, grad, indices, segment_ids, dense_output_dim0, "dense_output_dim0", scale(xp)
        )
        uniques, inverse = xp.unique(indices, return_inverse=True)
        result = xp.zeros((len(uniques), *grad.shape[1:]), grad.dtype)
        combining(xp, xp.add)(result, inverse.reshape(-1), rows)
        return result, uniques


for _reduction in _REDUCTIONS:
    _define_adjoint(_reduction.type, _reduction.scale)
