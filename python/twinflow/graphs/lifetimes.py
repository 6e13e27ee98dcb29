"""When the slots of a plan are read for the last time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .buffers import LEAST_BYTES
from .symbolic import SymbolicTensor

if TYPE_CHECKING:
    from .plan import Step


def with_dead(steps: list[Step], kept: set[int]) -> list[Step]:
    """The steps, each with the slots that nothing reads after it.

    Args:
        steps: The steps, in order.
        kept: The slots that stay full.
    """
    seen, found = set(kept), []
    sizes = {s: _bytes(t) for step in steps for s, t in zip(_written(step), step.node.outputs)}
    large = {slot for slot, size in sizes.items() if size is not None and size >= LEAST_BYTES}
    small = {slot for slot, size in sizes.items() if size is not None and size < LEAST_BYTES}
    for step in reversed(steps):
        used = {i for read in step.reads for i in ((read,) if isinstance(read, int) else read)}
        used |= set(_written(step))
        dead = used - seen
        found.append(step._replace(dead=tuple(dead - large - small), large=tuple(dead & large)))
        seen |= used
    return found[::-1]


def _written(step: Step) -> tuple[int, ...]:
    return step.writes if isinstance(step.writes, tuple) else () if step.writes is None else (step.writes,)


def _bytes(tensor: SymbolicTensor) -> int | None:
    """How much memory a tensor takes, where that is known."""
    size = tensor.shape.num_elements()
    return None if size is None or tensor.dtype.kind in "sr" else size * max(tensor.dtype.size, 1)
