"""The rounds of R's `for` over a tensor in a traced function."""

from __future__ import annotations

from typing import Any

import twinflow
from twinflow._src.autograph.loops import Numbers
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.ops.control.graph_map import Slices
from twinflow._src.r_bridge.session import RError

tf: Any = twinflow  # its names come from the op table


def rounds(items: Any) -> Rounds:
    """How a loop of R's goes through a tensor."""
    return Rounds(items)


class Rounds:
    """How a loop goes through a tensor. A range is counted and never computed, so it may be empty in any way.

    Args:
        items: A tensor of rank 1 or more.
    """

    def __init__(self, items: Any) -> None:
        if items.shape.rank == 0:
            raise RError("`for` goes through a vector, or the rows of a matrix; this tensor is a scalar")
        self._slices: Any = None
        if isinstance(items, SymbolicTensor) and items.op.type == "Range":
            self._numbers = Numbers(*items.op.inputs)
        else:
            self._slices = Slices(items)
            self._numbers = Numbers(tf.constant(0), self._slices.count, tf.constant(1))

    def first(self) -> Any:
        """The number of the first round."""
        return self._numbers.start

    def after(self, number: Any) -> Any:
        """The number of the round after that one."""
        return number + self._numbers.step

    def there(self, number: Any) -> Any:
        """Whether there is a round of that number."""
        return self._numbers.more(number) if self._slices is None else number < self._slices.count

    def item(self, number: Any) -> Any:
        """What the round of that number gets."""
        return number if self._slices is None else self._slices(number)
