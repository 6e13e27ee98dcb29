"""Sorting where nobody asks for places or watches: NumPy's, many lines at a time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from twinflow._src.backends.cpu.parallel import shared
from twinflow._src.core.context import runtime, thread
from twinflow._src.core.dtypes import ORDERED
from twinflow._src.core.tensor import EagerTensor

# A thread sorts so many elements at a time.
_TOGETHER = 1 << 16


def sorted_values(values: Any, axis: int, ascending: bool) -> Any:
    """The elements sorted without their places.

    Args:
        values: A tensor of real numbers.
        axis: The dimension.
        ascending: Whether the smallest one is first.

    Returns:
        A tensor; None where somebody sees the operations, or NaN are among them.
    """
    if type(values) is not EagerTensor or thread.scope.observers or not thread.scope.eager:
        return None
    device, x = values._device, values._array
    if device is not runtime.home or device.kind != "CPU" or not -x.ndim <= axis < x.ndim or not x.size:
        return None
    kind, width = x.dtype.kind, x.dtype.itemsize
    if values.dtype not in ORDERED or kind not in "fiu" or (kind == "f" and width < 4):
        return None
    lines = x.swapaxes(axis, -1).copy(order="C")
    rows = lines.reshape(-1, lines.shape[-1])
    signed, zeros = _with_negative_zeros(rows, ascending) if kind == "f" else (None, None)
    step = max(1, _TOGETHER // rows.shape[1])
    shared(lambda start: rows[start : start + step].sort(axis=-1), range(0, len(rows), step))
    if kind == "f" and math.isnan(rows[:, -1].max()):  # infinities and NaN are equal there
        return None
    if signed is not None:
        rows[signed] = zeros
    found = lines if ascending else lines[..., ::-1]
    return EagerTensor(device.xp.ascontiguousarray(found.swapaxes(axis, -1)), device, values.dtype)


def _with_negative_zeros(rows: Any, ascending: bool) -> tuple[Any, Any]:
    """The rows in which there is a -0, and these sorted with equal numbers in their order: 0 and -0 are equal."""
    bits = rows.view(f"i{rows.itemsize}")
    least = np.iinfo(bits.dtype).min
    if bits.min() != least:
        return None, None
    where = (bits == least).any(axis=1).nonzero()[0]
    few = rows[where]
    if ascending:
        return where, np.take_along_axis(few, few.argsort(axis=-1, kind="stable"), -1)
    return where, np.take_along_axis(few, (-few).argsort(axis=-1, kind="stable"), -1)[:, ::-1]
