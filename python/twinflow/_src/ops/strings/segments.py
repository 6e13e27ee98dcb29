"""Strings that belong together, joined."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from twinflow._src.core.errors import OutOfRangeError, invalid
from twinflow._src.dispatch.op import Indices, Strings, op
from twinflow._src.ops.reduce.segments import Count


def _joined(inputs: Any, ids: Any, count: Any, **_: Any) -> Any:
    if inputs is None or ids is None:
        return None
    known = isinstance(count, np.ndarray) and count.size == 1
    return (int(count.reshape(-1)[0]) if known else None, *inputs[len(ids) :])


def _check(inputs: Any, ids: Any, count: int) -> None:
    if not ids.ndim:
        raise invalid("Segment_id cannot have rank 0")
    if inputs.ndim < ids.ndim:
        raise OutOfRangeError(
            None, None, f"Invalid segment_id rank {ids.ndim} for input with {inputs.ndim} dimension(s)"
        )
    for rank, (a, b) in enumerate(zip(ids.shape, inputs.shape, strict=False)):
        if a != b:
            raise invalid(
                f"Segment dimension is {a} while input dimension is {inputs.ndim} in rank {rank}"
            )
    if count < 0:
        raise invalid(f"Number of segments must be non-negative but got {count}")
    if ((ids < 0) | (ids >= count)).any():
        raise invalid(
            "segment_ids are not allowed to exceed num_segments or to have negative values."
        )


@op(
    "UnsortedSegmentJoin",
    api="strings.unsorted_segment_join",
    shape=_joined,
    devices=("CPU",),
    no_gradient=True,
)
def unsorted_segment_join(
    xp: Any, inputs: Strings, segment_ids: Indices, num_segments: Count, *, separator: str = ""
) -> Any:
    """Returns the strings of each segment joined; an empty string for a segment without any.

    Args:
        inputs: A tensor of strings.
        segment_ids: The segment of each row.
        num_segments: The number of segments.
        separator: What stands between the parts.

    Returns:
        A tensor of strings, a row for each segment.

    Raises:
        InvalidArgumentError: There is no such segment, or the shapes do not fit.
    """
    if num_segments.ndim:
        empty = "Number of segments cannot be empty."
        raise invalid("Number of segments must be a scalar" if num_segments.size else empty)
    count = int(num_segments)
    _check(inputs, segment_ids, count)
    rest = inputs.shape[segment_ids.ndim :]
    columns = int(np.prod(rest, dtype=np.int64))
    parts: dict[int, list[bytes]] = defaultdict(list)
    rows = inputs.reshape(segment_ids.size, columns)
    for segment, row in zip(segment_ids.ravel().tolist(), rows, strict=True):
        for column, item in enumerate(row):
            parts[segment * columns + column].append(item)
    glue = separator.encode()
    result = np.full(count * columns, b"", object)
    for place, part in parts.items():
        result[place] = glue.join(part)
    return result.reshape(count, *rest)
