"""When the slots of a plan are read for the last time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twinflow._src.graph.symbolic import SymbolicTensor

if TYPE_CHECKING:
    from twinflow._src.compiler.lower import Step

# Smaller arrays are not worth a look when they die.
_LEAST_BYTES = 1 << 16


def with_dead(steps: list[Step], kept: set[int]) -> list[Step]:
    """The steps, each with the slots that nothing reads after it.

    Args:
        steps: The steps, in order.
        kept: The slots that stay full.
    """
    seen, found = set(kept), []
    small = {s for step in steps for s, t in zip(_written(step), step.node.outputs) if _is_small(t)}
    for step in reversed(steps):
        used = {i for read in step.reads for i in ((read,) if isinstance(read, int) else read)}
        used |= set(_written(step))
        found.append(step._replace(dead=tuple(used - seen - small)))
        seen |= used
    return found[::-1]


def _written(step: Step) -> tuple[int, ...]:
    return step.writes if isinstance(step.writes, tuple) else () if step.writes is None else (step.writes,)


def _is_small(tensor: SymbolicTensor) -> bool:
    """Whether the memory of a tensor may as well wait for the end."""
    size = tensor.shape.num_elements()
    if size is None or tensor.dtype.kind in "sr":
        return False
    return size * max(tensor.dtype.size, 1) < _LEAST_BYTES
