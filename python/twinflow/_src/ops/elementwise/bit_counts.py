"""How many bits of numbers are set."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.dtypes import INTEGERS, uint8
from twinflow._src.core.shapes import same
from twinflow._src.dispatch.op import op


@op("PopulationCount", shape=same, dtypes=INTEGERS, out=uint8, no_gradient=True)
def _population_count(xp: Any, x: Any) -> Any:
    """Returns how many bits of each number are set, in two's complement.

    Args:
        x: A tensor of integers.

    Returns:
        A uint8 tensor of the same shape.
    """
    bits = x.view(f"u{x.dtype.itemsize}")
    found = xp.zeros(x.shape, xp.uint8)
    for shift in range(8 * x.dtype.itemsize):
        found += ((bits >> bits.dtype.type(shift)) & bits.dtype.type(1)).astype(xp.uint8)
    return found
