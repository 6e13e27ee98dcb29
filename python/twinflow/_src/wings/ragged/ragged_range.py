"""Ragged tensors of evenly spaced numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import int64
from twinflow._src.core.errors import invalid
from twinflow._src.dispatch.op import Type, op

_TYPES = frozenset(
    (dtypes.bfloat16, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64)
)


def _rows(starts: Any, limits: Any, deltas: Any, **_: Any) -> list[Any]:
    given = (starts, limits, deltas)
    if any(dims is None for dims in given):
        return [(None,), (None,)]
    sizes = [dims[0] for dims in given if dims]
    count = sizes[0] if sizes else 1
    return [(None if count is None else count + 1,), (None,)]


@op("RaggedRange", shape=_rows, dtypes=_TYPES, devices=("CPU",), no_gradient=True)
def ragged_range(
    xp: Any, starts: Any, limits: Any, deltas: Any, *, Tsplits: Type = int64
) -> list[Any]:
    """Returns a row of evenly spaced numbers for each start.

    Args:
        starts: The first numbers, a vector or a scalar.
        limits: The ends, which are left out.
        deltas: The steps.
        Tsplits: The type of the row splits.

    Returns:
        The row splits, and the numbers one after the other.

    Raises:
        InvalidArgumentError: A step is 0, or the arguments differ in size.
    """
    given = {"starts": starts, "limits": limits, "deltas": deltas}
    for name, array in given.items():
        if array.ndim > 1:
            raise invalid(f"{name} must be a scalar or vector")
    if len({len(a) for a in given.values() if a.ndim}) > 1:
        raise invalid("starts, limits, and deltas must have the same shape")
    first, last, step = np.broadcast_arrays(*(np.atleast_1d(a) for a in given.values()))
    if (step == 0).any():
        raise invalid("Requires delta != 0")
    wide = [a.astype(np.float64) for a in (first, last, step)]
    counts = np.maximum(np.ceil((wide[1] - wide[0]) / wide[2]), 0).astype(np.int64)
    splits = np.concatenate([[0], np.cumsum(counts)])
    within = np.arange(splits[-1]) - np.repeat(splits[:-1], counts)
    values = np.repeat(first, counts) + within.astype(first.dtype) * np.repeat(step, counts)
    return [splits.astype(Tsplits.np), values.astype(first.dtype)]
