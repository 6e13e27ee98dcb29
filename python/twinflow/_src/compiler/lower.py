"""Instructions of a program: lowering to callables, and the liveness of slots."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.compiler.place import elsewhere, located
from twinflow._src.compiler.specialize import specialize_kernel
from twinflow._src.core.context import runtime
from twinflow._src.core.devices import Device
from twinflow._src.core.dtypes import REALS
from twinflow._src.dispatch.registry import OPS
from twinflow._src.graph.symbolic import Operation, SymbolicTensor

# Lowering.


class Step(NamedTuple):
    """An instruction of a program.

    Attributes:
        kernel: The kernel.
        reads: The slot of each argument; a tuple of slots for a list of tensors.
        attrs: The kernel's attributes.
        writes: The slot of the result, a tuple of slots of several, or None.
        dead: The slots that are not read afterwards, without those of small arrays.
        node: The operation.
        device: The device on which it runs.
    """

    kernel: Callable[..., Any]
    reads: tuple[Any, ...]
    attrs: dict[str, Any]
    writes: Any
    dead: tuple[int, ...]
    node: Operation
    device: Device


class Line(NamedTuple):
    """A lowered instruction.

    Attributes:
        run: Computes the result; if specialized for sizes and axes, from the other inputs alone.
        dead: As in the step.
        reads: The slots of the arguments of ``run``; those of the step unless it is specialized.
        step: The step.
    """

    run: Callable[..., Any]
    dead: tuple[int, ...]
    reads: tuple[Any, ...]
    step: Step

    @property
    def written(self) -> tuple[int, ...]:
        """The slots of the results."""
        return written(self.step)


def line_of(step: Step, constants: dict[int, Any]) -> Line:
    """Lowers an instruction of a program; ``constants`` has the values of constant slots."""
    op, reads = step.node.definition, step.reads
    run = None if elsewhere() else _specialize_step(step, constants)
    if run is not None:
        reads = tuple(slot for kind, slot in zip(op.kinds, reads) if not kind.host)
    elif _adds_two(step):
        run, (reads,) = step.device.xp.add, reads
    else:
        run = _runner(step)
    return Line(run, step.dead, reads, step)


def _specialize_step(step: Step, constants: dict[int, Any]) -> Callable[..., Any] | None:
    """Returns a kernel of the arrays alone, specialized for constant host inputs, or None."""
    op = step.node.definition
    tensors = [x for kind, x in zip(op.kinds, step.node.arguments) if not kind.host]
    last = [slot for kind, slot in zip(op.kinds, step.reads) if kind.host]
    first = tensors[0] if tensors else None
    first = first[0] if isinstance(first, tuple) and first else first
    if step.kernel is not op.kernel or not isinstance(first, SymbolicTensor):
        return None
    if not constants.keys() >= set(last):
        return None
    values = [constants[slot] for slot in last]
    return specialize_kernel(step.device.xp, op, first.dtype.np, op.kernel, values, step.attrs)


def _adds_two(step: Step) -> bool:
    """True if an instruction adds two tensors of one static shape, frequent in backward passes."""
    if step.kernel is not OPS["AddN"].kernel or elsewhere():  # or the end of a chain
        return False
    first, *others = step.node.tensors
    dims = first._dims
    is_static = dims is not None and None not in dims and first.dtype in REALS
    return is_static and [other._dims for other in others] == [dims]


def _runner(step: Step) -> Callable[..., Any]:
    """Returns the kernel of an instruction with its attributes, or the array function it calls."""
    op, kernel, module, on_gpu = (
        step.node.definition,
        step.kernel,
        step.device.xp,
        step.device.kind == "GPU",
    )
    whole = (op.bulk if on_gpu else op.ufunc) if kernel is op.kernel else None
    if step.device.remote:  # its kernels run in another task, those of branches and loops here
        whole, module = None, runtime.host.xp
    if on_gpu and kernel is op.kernel:
        kernel = module.kernel_of(op)
    run = (
        functools.partial(kernel, module, **step.attrs) if whole is None else getattr(module, whole)
    )
    return located(step, run) if elsewhere() else run


def as_array(result: Any) -> Any:
    """Converts a NumPy scalar result to an array; other results are returned as they are."""
    if isinstance(result, (np.generic, bytes)):
        return np.asarray(result, dtype=object if isinstance(result, bytes) else None)
    return result


# Liveness.


# Smaller arrays are not released early.
_LEAST_BYTES = 1 << 16


def with_dead(steps: list[Step], kept: set[int]) -> list[Step]:
    """Liveness pass: returns the instructions, in order, with the slots that die after each.

    The slots ``kept`` stay alive.
    """
    seen, result = set(kept), []
    small = {s for step in steps for s, t in zip(written(step), step.node.outputs) if is_small(t)}
    for step in reversed(steps):
        used = {i for read in step.reads for i in ((read,) if isinstance(read, int) else read)}
        used |= set(written(step))
        result.append(step._replace(dead=tuple(used - seen - small)))
        seen |= used
    return result[::-1]


def written(step: Step) -> tuple[int, ...]:
    return (
        step.writes
        if isinstance(step.writes, tuple)
        else ()
        if step.writes is None
        else (step.writes,)
    )


def is_small(tensor: SymbolicTensor) -> bool:
    """True if the memory of a tensor need not be released early."""
    size = tensor.shape.num_elements()
    if size is None or tensor.dtype.kind in "sr":
        return False
    return size * max(tensor.dtype.size, 1) < _LEAST_BYTES
