"""Chains of instructions whose native code has the bits of their kernels, compiled when they have run often.

They are arithmetic, comparisons, moves, seeds and random numbers of small arrays: a kernel of a few
numbers costs a microsecond in Python, a draw five to ten. As the bits are equal, it does not matter
when a chain is compiled, and functions without ``jit_compile`` gain as well.
"""

from __future__ import annotations

import functools
import importlib.util
import math
import re
import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from twinflow._src.autodiff.reverse import flat
from twinflow._src.compiler.executor import USUAL, Executor, Segments, executor_of
from twinflow._src.compiler.fuse_elementwise import Chain, slots_of
from twinflow._src.compiler.lower import Step, is_small, line_of, written
from twinflow._src.core.fork import cached_property

# Runs after which a chain is compiled, which takes a tenth of a second.
_RUNS = 2000
# A chain is worth a call if it has so much work and half as much as it has results: an instruction on
# arrays counts as one (half a microsecond), a draw as six.
_LEAST_WORK, _DRAW = 3, 6
_MOST_STEPS = 64
# The lowerings of draws and of seeds, and the dtypes whose numbers have the bits of the kernels'.
_DRAWS = {
    "random_key": ("uint64",),
    "random_integers": ("int32", "uint32", "int64", "uint64"),
    "random_uniform": ("float32", "float64"),
    "random_normal": ("float32",),
}
# The functions of formulas whose results are exact or correctly rounded.
_EXACT = frozenset(
    ["sqrt", "fabs", "rint", "floor", "ceil", "number", "max", "min", "isnan", "isinf", "isfinite"]
)
_CALL = re.compile(r"(\w+)\(")


class Deferred(Chain):
    """A chain; it takes the place of a kernel in a program.

    Args:
        steps: The instructions.
        constants: The values of constant slots.
        outputs: The slots that are read outside.
    """

    def __init__(
        self, steps: list[Step], constants: dict[int, Any], outputs: Sequence[int]
    ) -> None:
        self._steps, self._constants, self.outputs = steps, constants, list(outputs)
        results = {slot for step in steps for slot in written(step)}
        reads = dict.fromkeys(slot for step in steps for slot in slots_of(step))
        self.inputs = [slot for slot in reads if slot not in results and slot not in constants]
        self._lock, self._runs = threading.Lock(), 0
        self._run: Callable[..., list[Any]] | None = None

    def __call__(self, xp: Any, *arrays: Any) -> list[Any]:
        if self._run is not None:
            return self._run(*arrays)
        self._runs += 1
        if self._runs <= _RUNS:
            return self._op_by_op(arrays)
        with self._lock:
            self._run = self._run or self._compiled()
        return self._run(*arrays)

    def _compiled(self) -> Callable[..., list[Any]]:
        cluster = cluster_of(self._steps, self._constants, self.outputs)
        return cluster.compiled() if cluster else lambda *arrays: self._op_by_op(arrays)

    @cached_property
    def _op_by_op(self) -> Executor | Segments:
        return plain_executor_of(self._steps, self._constants, self.inputs, self.outputs)


def plain_executor_of(
    steps: Sequence[Step],
    constants: dict[int, Any],
    inputs: Sequence[int],
    outputs: Sequence[int],
) -> Executor | Segments:
    """Returns the function that runs some instructions of a program op by op."""
    slots = [slot for step in steps for slot in (*slots_of(step), *written(step))]
    template = {slot: constants.get(slot) for slot in slots}
    return executor_of([line_of(step, constants) for step in steps], template, inputs, outputs)


@functools.cache
def has_compiler() -> bool:
    """True if llvmlite is installed."""
    return importlib.util.find_spec("llvmlite") is not None


def cluster_of(steps: list[Step], constants: dict[int, Any], outputs: Sequence[int]) -> Any:
    """Returns the cluster of instructions, or None if they cannot be compiled."""
    try:
        from twinflow._src.compiler.native.clusters import Cluster, is_supported
        from twinflow._src.compiler.native.llvm import is_available
    except ImportError:  # llvmlite cannot be loaded
        return None
    if not is_available() or not all(is_supported(step, constants) for step in steps):
        return None
    return Cluster(steps, constants, outputs, is_large=False)


# ------------------------------------------------------------------ exact instructions


def _is_exact(step: Step, constants: dict[int, Any]) -> bool:
    """True if native code of an instruction has the bits of its kernel."""
    node, op = step.node, step.node.definition
    if step.device.kind != "CPU" or step.device.remote or step.kernel is not op.kernel or op.impure:
        return False
    tensors = [x for x, kind in zip(node.arguments, op.kinds) if not kind.host]
    if not all(map(is_small, (*flat(tensors), *node.outputs))):
        return False
    dtypes = [tensor.dtype.np for tensor in (*flat(tensors), *node.outputs)]
    if not USUAL.issuperset(dtypes):
        return False
    kind = op.native or ""
    if kind in _DRAWS:
        data = [0] if kind == "random_key" else [1, 2]  # key and counter
        others = [read for i, read in enumerate(step.reads) if i not in data]
        names = [tensor.dtype.name in _DRAWS[kind] for tensor in node.outputs]
        return all(names) and all(slot in constants for slot in flat(others))
    if kind == "move":
        others = [read for read, param in zip(step.reads, op.kinds) if param.host]
        return all(slot in constants for slot in flat(others))
    if kind == "cast":
        return dtypes[0].kind != "f" or dtypes[1].kind in "fb"
    if kind == "total":
        return True
    text = op.cuda if op.native is None else op.native
    return text is not None and _is_exact_formula(text)


def _is_exact_formula(text: str) -> bool:
    """True for a formula, other than the name of a lowering, whose functions are all exact."""
    return bool(text) and not text.isidentifier() and _EXACT.issuperset(_CALL.findall(text))


def _work(step: Step) -> int:
    """Returns the work of an instruction; one on scalars is an operator of Python, and many moves are views."""
    kind = step.node.definition.native
    if kind in _DRAWS:
        return _DRAW
    if kind == "move":
        return len(step.node.outputs) + len(step.node.tensors) - 2 if _copies(step) else 0
    return int(any(tensor._dims for tensor in step.node.outputs))


def _copies(step: Step) -> bool:
    """True if a move splits or joins arrays."""
    return len(step.node.outputs) > 1 or any(isinstance(read, tuple) for read in step.reads)


# ------------------------------------------------------------------ the pass


def with_chains(
    steps: Sequence[Step],
    constants: dict[int, Any],
    fetched: Iterable[int],
    varying: Iterable[int] | None,
) -> list[Step]:
    """Replaces chains of exact instructions of a program by one instruction each.

    ``varying`` are the feeds that change from run to run, where it is the body of a loop: what does
    not depend on them stays, as it runs in the first iteration only.
    """
    chains, changing = _Chains(), set(varying or ())
    for step in steps:
        varies = varying is None or not changing.isdisjoint(slots_of(step))
        if varies or step.node.definition.impure:
            changing.update(written(step))
        chains.add(step, varies and _is_exact(step, constants))
    chains.place()
    uses = Counter(fetched) + Counter(slot for step in steps for slot in slots_of(step))
    return [
        step
        for item in chains.items
        for step in (_as_step(item, constants, uses) if isinstance(item, list) else [item])
    ]


class _Chains:
    """Instructions in order; a list is a chain.

    An exact instruction joins the first chain in which it can be. A new chain stays open, until an
    instruction reads its results: so the order of all others does not change.
    """

    def __init__(self) -> None:
        self.items: list[Step | list[Step]] = []
        self._placed: list[int] = []  # the indices of chains
        self._open: list[Step] = []
        self._at: dict[
            int, float
        ] = {}  # the index of what computes a slot, infinite in an open chain

    def add(self, step: Step, is_exact: bool) -> None:
        """Adds the next instruction."""
        sources = [self._at.get(slot, -1) for slot in slots_of(step)]
        index = self._chain_of(step, sources) if is_exact else None
        if index is None and math.inf in sources:
            self.place()
        if index is None:
            index = len(self.items)
            self.items.append(step)
        elif index == math.inf:
            self._open.append(step)
        else:
            self.items[int(index)].append(step)  # type: ignore[union-attr]
        self._at.update(dict.fromkeys(written(step), index))

    def _chain_of(self, step: Step, sources: Sequence[float]) -> float | None:
        """Returns the index of the chain that an instruction joins, or None."""
        first = max(sources, default=-1)
        starts = step.node.definition.native != "move" and _work(step) > 0
        for index in (*self._placed[bisect_left(self._placed, first) :], math.inf):
            chain = self._open if index == math.inf else self.items[int(index)]
            if (starts or index in sources) and len(chain) < _MOST_STEPS:
                return index
        if starts:
            self.place()
        return math.inf if starts else None

    def place(self) -> None:
        """Places the open chain behind all instructions so far."""
        for step in self._open:
            self._at.update(dict.fromkeys(written(step), len(self.items)))
        if self._open:
            self._placed.append(len(self.items))
            self.items.append(self._open)
            self._open = []


def _as_step(chain: list[Step], constants: dict[int, Any], uses: Counter[int]) -> list[Step]:
    """Returns the instruction of a chain; few ones stay as they are."""
    inside = Counter(slot for step in chain for slot in slots_of(step))
    results = [slot for step in chain for slot in written(step)]
    outputs = [slot for slot in results if uses[slot] > inside[slot]]
    if len(chain) < 2 or sum(map(_work, chain)) < _LEAST_WORK + len(outputs) / 2:
        return chain
    kernel = Deferred(chain, constants, outputs)
    reads, writes = tuple(kernel.inputs), tuple(kernel.outputs)
    return [chain[-1]._replace(kernel=kernel, reads=reads, attrs={}, writes=writes)]
