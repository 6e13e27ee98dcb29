"""Fusion of elementwise operations: in cache-sized blocks on the host, as one kernel on a GPU.

On the host, each block of large arrays passes through the whole chain while it is in the cache, so
that intermediate results never go to memory. On a GPU, the statements of the operations
(``backends/gpu/kernels/elementwise.py``) become one kernel. Every element passes through the same
functions in the same order as without fusion, so the results are identical to the bit.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from twinflow._src.backends.cpu.elementwise import BLOCK, LEAST, LEAST_ELSEWHERE, bounds
from twinflow._src.backends.cpu.float32_functions import VECTOR, host_function
from twinflow._src.backends.cpu.parallel import shared
from twinflow._src.core.shapes import broadcast, static_sizes
from twinflow._src.graph.symbolic import Operation, SymbolicTensor

if TYPE_CHECKING:
    from twinflow._src.compiler.lower import Step


# Row sizes of broadcast operands in a chain on the host; NumPy restarts its inner loop for each
# row.
_ROWS = range(32, 1 << 14)


class Instruction(NamedTuple):
    """One operation of a chain.

    Attributes:
        run: The function or kernel.
        writes: True if it takes ``out=``.
        reads: The registers that it reads; a tuple of registers for a list.
        to: The register that it writes.
    """

    run: Any
    writes: bool
    reads: tuple[Any, ...]
    to: int


class Chain:
    """A chain of fused operations, all of one shape; it takes the place of a kernel in a program.

    Attributes:
        inputs: The input slots of the chain.
    """

    def __init__(self, steps: Sequence[Step]) -> None:
        results = dict.fromkeys(step.writes for step in steps)
        reads = [slot for step in steps for slot in slots_of(step) if slot not in results]
        self.inputs = list(dict.fromkeys(reads))
        self._registers = {slot: i for i, slot in enumerate([*self.inputs, *results])}


class Fused(Chain):
    """A chain on the host: large arrays are processed in blocks.

    ``outputs`` are the slots written by its steps that are used outside the chain.
    """

    def __init__(self, steps: Sequence[Step], outputs: Sequence[int]) -> None:
        super().__init__(steps)
        self._program = [self._instruction(step) for step in steps]
        written = [self._registers[slot] for slot in outputs]
        self.shape: tuple[int, ...] = static_sizes(steps[0].node.outputs[0].shape)
        self._width = max(map(row_of, steps))
        types = {self._registers[step.writes]: step.node.outputs[0].dtype.np for step in steps}
        self._outputs = [(register, types[register]) for register in written]
        self._scratch = [
            (i.to, types[i.to]) for i in self._program if i.writes and i.to not in written
        ]

    def _reads(self, step: Step) -> tuple[Any, ...]:
        register = self._registers.__getitem__
        return tuple(
            tuple(map(register, r)) if isinstance(r, tuple) else register(r) for r in step.reads
        )

    def _instruction(self, step: Step) -> Instruction:
        op, to = step.node.definition, self._registers[step.writes]
        if op.bulk is not None:
            run = host_function(op.bulk, step.node.tensors[0].dtype.np)
            return Instruction(run, True, self._reads(step), to)
        if op.fill is not None and step.node.outputs[0].dtype.np.char in "fd":
            return Instruction(functools.partial(op.fill, np), True, self._reads(step), to)
        kernel, attrs = op.kernel, step.attrs
        run = lambda *blocks: kernel(np, *blocks, **attrs)
        return Instruction(run, False, self._reads(step), to)

    def __call__(self, xp: Any, *arrays: Any) -> list[Any]:
        size, width = int(np.prod(self.shape)), self._width
        results = [np.empty(self.shape, dtype) for _, dtype in self._outputs]
        whole: list[Any] = [None] * len(self._registers)
        for i, array in enumerate(arrays):
            whole[i] = (
                array.reshape(-1, width)
                if array.size == size
                else array.reshape(-1 if array.size == width > 1 else ())
            )
        flat = [result.reshape(-1, width) for result in results]
        shared(
            lambda block: self._run_block(whole, flat, *block),
            bounds(size // width, max(BLOCK // width // VECTOR, 1) * VECTOR),
        )
        return results

    def _run_block(self, whole: list[Any], flat: list[Any], start: int, stop: int) -> None:
        shape = -1 if self._width == 1 else (-1, self._width)
        registers = [
            a[start:stop].reshape(shape) if a is not None and a.ndim == 2 else a for a in whole
        ]
        for to, dtype in self._scratch:
            registers[to] = np.empty((stop - start) * self._width, dtype).reshape(shape)
        for (to, _), result in zip(self._outputs, flat):
            registers[to] = result[start:stop].reshape(shape)
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


class Generated(Chain):
    """A chain on a GPU: one kernel, generated from the statements of the operations.

    ``outputs`` are the slots written by its steps that are used outside the chain.
    """

    def __init__(self, steps: Sequence[Step], outputs: Sequence[int]) -> None:
        from twinflow._src.backends.gpu.kernels import elementwise

        super().__init__(steps)
        self._generator = elementwise
        self._chars: dict[int, str] = {}
        for step in steps:
            chars = [x.dtype.np.char for x in (*step.node.tensors, step.node.outputs[0])]
            self._chars |= zip((*step.reads, step.writes), chars, strict=True)
        lines = [self._statement(step) for step in steps]
        lines += [f"result{i}_ = {self._name(slot)};" for i, slot in enumerate(outputs)]
        inputs, results = (
            "".join(self._chars[i] for i in slots) for slots in (self.inputs, outputs)
        )
        self._kernel = inputs, results, "\n".join(lines), "twinflow_chain"

    def _name(self, slot: int) -> str:
        register = self._registers[slot]
        return f"x{register}_" if register < len(self.inputs) else f"v{register}_"

    def _statement(self, step: Step) -> str:
        op, char = step.node.definition, self._chars[step.writes]
        operands = [(self._chars[slot], self._name(slot)) for slot in step.reads]
        for param in op.attrs:
            operands.append((char, self._generator.literal(step.attrs[param.name], char)))
        return self._generator.statement(op, self._name(step.writes), operands, char)

    def __call__(self, xp: Any, *arrays: Any) -> list[Any]:
        results = self._generator.compiled(xp, *self._kernel)(*arrays)
        return list(results) if isinstance(results, (list, tuple)) else [results]


def slots_of(step: Step) -> list[int]:
    """Returns the slots that an instruction reads."""
    return [i for read in step.reads for i in (read if isinstance(read, tuple) else (read,))]


# ------------------------------------------------------------------ fusion pass


def fits(step: Step, first: Step | None = None, row: int = 1) -> bool:
    """True if an instruction can join a chain.

    ``first`` is the first instruction of the chain, ``row`` the row size of its broadcast operands.
    """
    node, kind = step.node, step.device.kind
    if not node.definition.each or len(node.outputs) != 1 or step.device.remote:
        return False
    if isinstance(step.kernel, Chain):
        return False
    output = node.outputs[0]
    size = output.shape.num_elements()
    if size is None or size < (LEAST if kind == "CPU" else LEAST_ELSEWHERE):
        return False
    if kind != "CPU" and not _is_generated(node):
        return False
    if first and (first.device is not step.device or first.node.outputs[0]._dims != output._dims):
        return False
    step_row = row_of(step)
    return output.dtype.kind in "fiub" and (step_row in (1, row) or row == 1 < step_row)


def _is_generated(node: Operation) -> bool:
    """True if an operation has a statement for kernels of a GPU."""
    from twinflow._src.backends.gpu.kernels.elementwise import has_statement

    chars = [x.dtype.np.char for x in (*node.tensors, *node.outputs)]
    return has_statement(node.definition, chars)


def row_of(step: Step) -> int:
    """Returns the row size of an instruction's broadcast operand: 1 if none, 0 if unsupported."""
    widths = {_width(tensor, step) for tensor in step.node.tensors} - {1}
    return min(widths, default=1) if len(widths) < 2 else 0


def _width(tensor: SymbolicTensor, step: Step) -> int:
    whole, dims = step.node.outputs[0]._dims, tensor._dims
    if dims == whole or tensor.shape.num_elements() == 1:
        return 1
    if (
        dims is None
        or whole is None
        or step.device.kind != "CPU"
        or step.node.definition.shape is not broadcast
    ):
        return 0
    row = dims[next(i for i, size in enumerate(dims) if size != 1) :]
    size = tensor.shape.num_elements() or 0
    return size if size in _ROWS and row == whole[-len(row) :] else 0


def fused(steps: list[Step], fetched: set[int]) -> list[Step]:
    """Replaces runs of elementwise instructions of a program by chains (the fusion pass).

    ``fetched`` are the slots that are read after all of them.
    """
    result: list[Step] = []
    chain: list[Step] = []
    row = 1
    last_reads = {slot: i for i, step in enumerate(steps) for slot in slots_of(step)}
    last_reads |= dict.fromkeys(fetched, len(steps))
    for i, step in enumerate(steps):
        if chain and not fits(step, chain[0], row):
            result.append(_chained(chain, i, last_reads))
            chain = []
        if chain or fits(step):
            row = max(row if chain else 1, row_of(step))
            chain.append(step)
        else:
            result.append(step)
    return [*result, _chained(chain, len(steps), last_reads)] if chain else result


def _chained(chain: list[Step], end: int, last_reads: dict[int, int]) -> Step:
    """Returns the instruction of a chain.

    ``end`` is the index behind it, ``last_reads`` the index of the last read of each slot.
    """
    outputs = [step.writes for step in chain if last_reads.get(step.writes, -1) >= end]
    last = chain[-1]
    on_host = last.device.kind == "CPU"
    if len(chain) == 1 and not on_host:
        return last
    kernel = Fused(chain, outputs) if on_host else Generated(chain, outputs)
    return last._replace(kernel=kernel, reads=tuple(kernel.inputs), attrs={}, writes=tuple(outputs))
