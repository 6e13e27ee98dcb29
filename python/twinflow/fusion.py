"""Chains of elementwise operations on large arrays, run block by block.

Each block passes through the whole chain while it is in the cache, so that what lies between the first
and the last operation never goes to memory; and results are written to memory that is used again. Every
element goes through the same functions in the same order as without: the bits are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .buffers import Buffers
from .elementwise import LEAST, NAMES, bounds
from .pieces import shared
from .symbolic import SymbolicTensor

if TYPE_CHECKING:
    from .plan import Step

class Instruction(NamedTuple):
    """One operation of a chain.

    Attributes:
        run: The function or kernel.
        writes: Whether it takes ``out=``.
        reads: The registers that it reads; a tuple of registers for a list.
        to: The register that it writes.
    """

    run: Any
    writes: bool
    reads: tuple[Any, ...]
    to: int


class Fused:
    """A chain of operations; it stands for a kernel in a plan.

    Args:
        steps: The steps, all of one shape.
        outputs: The slots of theirs that are used outside the chain.
        buffers: Where memory for results comes from.
    """

    def __init__(self, steps: Sequence[Step], outputs: Sequence[int], buffers: Buffers) -> None:
        self.shape: tuple[int, ...] = tuple(steps[0].node.outputs[0].shape)  # type: ignore[arg-type]
        self._buffers = buffers
        self._registers: dict[int, int] = {}
        inside = {step.writes for step in steps}
        self.inputs = [
            slot
            for step in steps
            for slot in _flat(step.reads)
            if slot not in inside and self._register(slot) == len(self._registers) - 1
        ]
        self.inputs = list(dict.fromkeys(self.inputs))
        types = {step.writes: step.node.outputs[0].dtype.np for step in steps}
        self._program = [self._instruction(step) for step in steps]
        self._outputs = [(self._register(slot), types[slot]) for slot in outputs]
        kept = set(outputs)
        self._scratch = [
            (i.to, types[s.writes])
            for i, s in zip(self._program, steps)
            if i.writes and s.writes not in kept
        ]

    def _register(self, slot: int) -> int:
        return self._registers.setdefault(slot, len(self._registers))

    def _instruction(self, step: Step) -> Instruction:
        op = step.node.definition
        reads = tuple(
            tuple(map(self._register, r)) if isinstance(r, tuple) else self._register(r)
            for r in step.reads
        )
        to = self._register(step.writes)
        if op.ufunc is not None:
            return Instruction(getattr(np, op.ufunc), True, reads, to)
        kernel, attrs = op.kernel, step.attrs
        return Instruction(lambda *blocks: kernel(np, *blocks, **attrs), False, reads, to)

    def __call__(self, xp: Any, *arrays: Any) -> list[Any]:
        size = int(np.prod(self.shape))
        results = [self._buffers.take(self.shape, dtype) for _, dtype in self._outputs]
        whole = [None] * len(self._registers)
        for i, array in enumerate(arrays):
            whole[i] = array.reshape(-1) if array.size == size else array.reshape(())
        flat = [result.reshape(-1) for result in results]
        shared(lambda place: self._run_block(whole, flat, *place), bounds(size))
        return results

    def _run_block(self, whole: list[Any], flat: list[Any], start: int, stop: int) -> None:
        registers = [a[start:stop] if a is not None and a.ndim else a for a in whole]
        for to, dtype in self._scratch:
            registers[to] = np.empty(stop - start, dtype)
        for (to, _), result in zip(self._outputs, flat):
            registers[to] = result[start:stop]
        for run, writes, reads, to in self._program:
            blocks = [
                [registers[j] for j in i] if isinstance(i, tuple) else registers[i] for i in reads
            ]
            if writes:
                run(*blocks, out=registers[to])
            elif registers[to] is None:
                registers[to] = run(*blocks)
            else:
                registers[to][...] = run(*blocks)


def _flat(reads: tuple[Any, ...]) -> list[int]:
    return [i for read in reads for i in (read if isinstance(read, tuple) else (read,))]


# ------------------------------------------------------------------ which steps belong together


def fits(step: Step, shape: Any = None) -> bool:
    """Whether a step can be part of a chain, of a shape where one is given."""
    node = step.node
    if node.type not in NAMES or step.device.kind != "CPU" or len(node.outputs) != 1:
        return False
    own = node.outputs[0]
    size = own.shape.num_elements()
    if size is None or size < LEAST or (shape is not None and own._dims != shape):
        return False
    return own.dtype.kind in "fiub" and all(_goes_along(x, own) for x in node.inputs)


def _goes_along(tensor: SymbolicTensor, result: SymbolicTensor) -> bool:
    return tensor._dims == result._dims or tensor.shape.num_elements() == 1


def fused(steps: list[Step], fetched: set[int], buffers: Buffers) -> list[Step]:
    """The steps of a plan with chains in the place of those that follow each other.

    Args:
        steps: The steps.
        fetched: The slots that are read after all of them.
        buffers: Where memory for results comes from.
    """
    found: list[Step] = []
    chain: list[Step] = []
    for i, step in enumerate(steps):
        if chain and not fits(step, chain[0].node.outputs[0]._dims):
            found.append(_chained(chain, steps[i:], fetched, buffers))
            chain = []
        if chain or fits(step):
            chain.append(step)
        else:
            found.append(step)
    return [*found, _chained(chain, [], fetched, buffers)] if chain else found


def _chained(chain: list[Step], rest: list[Step], fetched: set[int], buffers: Buffers) -> Step:
    later = fetched.union(*(_flat(step.reads) for step in rest))
    outputs = [step.writes for step in chain if step.writes in later]
    kernel = Fused(chain, outputs, buffers)
    last = chain[-1]
    return last._replace(kernel=kernel, reads=tuple(kernel.inputs), attrs={}, writes=tuple(outputs))
