"""Isotonic regression by the pool-adjacent-violators algorithm."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import ORDERED
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import static_size
from twinflow._src.dispatch.op import API, Call, Type, export, op
from twinflow._src.ops.array.shapes import size_of


class IsotonicRegression(NamedTuple):
    """Result of ``tf.nn.isotonic_regression``: monotonic values and segments of equal values."""

    output: Any
    segments: Any


def _pooled(row: Any) -> tuple[Any, Any]:
    """Returns the non-increasing fit of a row and its segments, by pooling adjacent violators."""
    sums: list[float] = []
    sizes: list[int] = []
    for value in row.tolist():
        sums.append(value)
        sizes.append(1)
        while len(sums) > 1 and sums[-1] / sizes[-1] > sums[-2] / sizes[-2]:
            total, size = sums.pop(), sizes.pop()
            sums[-1] += total
            sizes[-1] += size
    segments = np.repeat(np.arange(len(sizes)), sizes)
    means = np.array([s / n for s, n in zip(sums, sizes, strict=True)])
    return means[segments], segments


@op(
    "IsotonicRegression",
    shape=lambda dims, **_: [dims, dims],
    dtypes=ORDERED,
    devices=("CPU",),
)
def _isotonic(xp: Any, input: Any, *, output_dtype: Type = dtypes.float32) -> list[Any]:
    """Computes the non-increasing isotonic regression of each row."""
    rows = [_pooled(row) for row in input]
    shape, storage = input.shape, output_dtype.np
    values = np.array([values for values, _ in rows]).reshape(shape).astype(storage)
    return [values, np.array([s for _, s in rows]).reshape(shape).astype(np.int32)]


@_isotonic.gradient
def _(call: Call, dy: Any, _: Any) -> Any:
    """Returns the mean of the upstream gradients over each segment."""
    segments = call.outputs[1]
    count, size = size_of(segments, 0), size_of(segments, 1)
    ids = API["reshape"](segments + API["range"](count)[:, None] * size, [-1])
    means = API["math.unsorted_segment_mean"](API["reshape"](dy, [-1]), ids, count * size)
    spread = API["reshape"](API["gather"](means, ids), [count, size])
    return API["cast"](spread, call.inputs[0].dtype)


def _result_type(dtype: Any) -> Any:
    if dtype.is_floating:
        return dtype
    return dtypes.float32 if dtype.size < 4 else dtypes.float64


@export("nn.isotonic_regression")
def isotonic_regression(inputs: Any, decreasing: bool = True, axis: int = -1) -> Any:
    """Computes the isotonic regression along an axis: the least-squares monotonic fit.

    Args:
        inputs: A tensor of a real dtype.
        decreasing: If True, the fit is non-increasing, otherwise non-decreasing.
        axis: The axis.

    Returns:
        The fitted values, and the index of the segment of equal values of each element.
    """
    x = convert_to_tensor(inputs)
    rank, dtype = len(x.shape), _result_type(x.dtype)
    if isinstance(axis, bool) or not -rank <= axis < rank:
        raise invalid(
            f"`dim` must be in the range [{-rank}, {rank}) where {rank} is the number of dimensions in the input. "
            f"Received: dim={axis}"
        )
    last = axis % rank
    order = [i for i in range(rank) if i != last] + [last]
    moved = API["transpose"](x, order) if last != rank - 1 else x
    size = static_size(moved.shape, -1)
    rows = API["reshape"](moved, [-1, API["shape"](moved)[-1] if size is None else size])
    if decreasing:
        output, segments = _isotonic(rows, output_dtype=dtype)
    else:
        output, segments = _isotonic(API["negative"](rows), output_dtype=dtype)
        output = API["negative"](output)
    results = [API["reshape"](part, API["shape"](moved)) for part in (output, segments)]
    if last != rank - 1:
        back = np.argsort(order)
        return tuple(API["transpose"](part, back) for part in results)
    return IsotonicRegression(*results) if decreasing else tuple(results)
