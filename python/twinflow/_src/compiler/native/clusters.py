"""Clusters: instructions of a program that become one native function, and the pass that finds them.

A cluster of small arrays may have any operations that ``emitter`` knows, loops included. A cluster
of large ones is a single loop, which the thread pool divides. What is not supported stays an
instruction of the program; a cluster whose arrays are not as they were expected runs op by op.
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable, Iterable, Sequence
from itertools import starmap
from typing import Any

import numpy as np

from twinflow._src.backends.cpu.elementwise import LEAST, bounds
from twinflow._src.backends.cpu.parallel import shared
from twinflow._src.compiler.executor import Executor, Segments
from twinflow._src.compiler.fuse_elementwise import Chain, slots_of
from twinflow._src.compiler.lower import Step, written
from twinflow._src.compiler.native.emitter import (
    MOST_MULTIPLICATIONS,
    REDUCTIONS,
    Emitter,
    Value,
    accumulator,
    axes_of,
    data_of,
    element,
    kind_of,
    sizes,
    subgraphs_of,
)
from twinflow._src.compiler.native.exact import plain_executor_of
from twinflow._src.compiler.native.formulas import Scalars, Unsupported, key_of
from twinflow._src.compiler.native.llvm import Function, Signature
from twinflow._src.core.fork import cached_property
from twinflow._src.graph.func_graph import is_compiled
from twinflow._src.graph.symbolic import SymbolicTensor

# Fewer operations are not worth a call; two are on so many elements.
_LEAST_STEPS, _MANY = 3, 2048
# LLVM takes more than linear time for a function, and so does its emitter.
_MOST_STEPS = 1024
_WITH_SUBGRAPHS = ("while", "branch")
# Constants with more elements are passed as arrays.
_MOST_CONSTANT = 256
# Elements of a block of a large cluster, and the number of blocks.
_BLOCK, _MOST_BLOCKS = 1 << 16, 64


class Cluster(Chain):
    """Instructions that run as one native function; it takes the place of a kernel in a program.

    Args:
        steps: The instructions.
        constants: The values of constant slots.
        outputs: The slots that are read outside.
        is_large: True if it is a single loop over large arrays.
    """

    def __init__(
        self, steps: list[Step], constants: dict[int, Any], outputs: Sequence[int], is_large: bool
    ) -> None:
        self._steps, self._constants, self.outputs = steps, constants, list(outputs)
        results = {slot: t for s in steps for slot, t in zip(written(s), s.node.outputs)}
        read = dict.fromkeys(slot for step in steps for slot in slots_of(step))
        tensors = {slot: t for s in steps for slot, t in _tensors(s)}
        self.inputs = [slot for slot in read if slot not in results and slot not in constants]
        self._arrays = [
            slot
            for slot in read
            if slot in tensors and slot in constants and constants[slot].size > _MOST_CONSTANT
        ]
        self._constant_arrays = tuple(
            np.ascontiguousarray(constants[slot]) for slot in self._arrays
        )
        tensors |= results
        self._signatures = {
            slot: Signature(sizes(tensors[slot]), tensors[slot].dtype.np)
            for slot in (*self.inputs, *self._arrays, *self.outputs)
        }
        self._is_large = is_large
        self._lock = threading.Lock()
        self._run: Callable[..., Any] | None = None

    @property
    def is_native(self) -> bool:
        """True if it has been compiled, and did not turn out to be unsupported."""
        return self._run is not None and self._run != self._plain

    def __call__(self, xp: Any, *arrays: Any) -> list[Any]:
        if self._run is None:
            with self._lock:
                self._run = self._run or self.compiled()
        return self._run(*arrays)

    def compiled(self) -> Callable[..., list[Any]]:
        """Returns the function of the arrays: a native one, or one that runs op by op."""
        try:
            return self._native()
        except Unsupported:
            return self._plain

    def _native(self) -> Callable[..., list[Any]]:
        """Compiles the function; raises Unsupported."""
        inputs, outputs = (*self.inputs, *self._arrays), self.outputs
        signatures = [self._signatures[slot] for slot in inputs]
        results = [self._result(slot) for slot in outputs]
        function = Function([*signatures, *results])
        every = zip((*inputs, *outputs), (*signatures, *results), function.pointers)
        values = {slot: Value(key_of(s.dtype), s.shape, p) for slot, s, p in every}
        targets = {slot: values.pop(slot) for slot in outputs}
        emitter = Emitter(function)
        constants = self._constants
        emitter.emit(self._steps, constants, values, set(outputs), targets, self._is_large)
        if self._is_large:
            return self._divided(function.compile(keeps_lock=False), results, emitter.loops)
        has_loop = any(kind_of(step) in _WITH_SUBGRAPHS for step in self._steps)
        call, shapes = (
            function.compile(keeps_lock=not has_loop),
            [(r.shape, r.dtype) for r in results],
        )
        bytes, nothing, empty = function.scratch_bytes, np.empty(0, np.uint8), np.empty

        def run(*arrays: Any) -> list[Any]:
            buffers = list(starmap(empty, shapes))
            memory = empty(bytes, np.uint8) if bytes else nothing
            if call((*arrays, *self._constant_arrays, *buffers, memory), 0, 0, 0):
                return self._plain(*arrays)
            return buffers

        return run

    def _divided(
        self, call: Callable[..., int], results: Sequence[Signature], loops: Sequence[int]
    ) -> Callable[..., list[Any]]:
        """Returns the function that runs a loop on the thread pool."""
        inner = math.prod(loops[1:])
        block = max(_BLOCK, math.prod(loops) // _MOST_BLOCKS + inner)
        spans = bounds(loops[0], max(block // inner, 1))
        items = [(start, stop, i) for i, (start, stop) in enumerate(spans)]
        memory = np.empty(0, np.uint8)

        def run(*arrays: Any) -> list[Any]:
            buffers = [np.empty(*signature) for signature in results]
            every, refusals = (*arrays, *self._constant_arrays, *buffers, memory), []
            shared(lambda item: refusals.append(call(every, *item)), items)
            if any(refusals):
                return self._plain(*arrays)
            return [
                self._total(slot, array[: len(items)]) if slot in self._totals else array
                for slot, array in zip(self.outputs, buffers)
            ]

        return run

    @cached_property
    def _totals(self) -> dict[int, str]:
        """The reductions of a large cluster to one element, by slot."""
        if not self._is_large:
            return {}
        steps = [step for step in self._steps if kind_of(step) in REDUCTIONS]
        return {s.writes: kind_of(s) for s in steps if self._signatures[s.writes].size == 1}

    def _result(self, slot: int) -> Signature:
        """Returns the array that the function stores a result to."""
        signature = self._signatures[slot]
        if slot not in self._totals:
            return signature
        key = accumulator(self._totals[slot], key_of(signature.dtype))
        return Signature((_MOST_BLOCKS + 1,), np.dtype("?" if key == "b1" else key))

    def _total(self, slot: int, parts: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Combines the results of blocks."""
        (step,) = (step for step in self._steps if step.writes == slot)
        signature, name = self._signatures[slot], self._totals[slot]
        total = _UFUNCS[name].reduce(parts).astype(signature.dtype)
        if name == "mean":
            total = total / signature.dtype.type(math.prod(sizes(step.node.tensors[0])))
        return np.asarray(total, signature.dtype).reshape(signature.shape)

    def _plain(self, *arrays: Any) -> list[Any]:
        """Runs the instructions op by op."""
        return self._executor(arrays)

    @cached_property
    def _executor(self) -> Executor | Segments:
        return plain_executor_of(self._steps, self._constants, self.inputs, self.outputs)


# ------------------------------------------------------------------ supported instructions


def is_supported(step: Step, constants: dict[int, Any]) -> bool:
    """True if an instruction can be in a cluster of small arrays."""
    try:
        tensors = [*_data(step), *step.node.outputs]
        return all(0 < _size(t) < LEAST for t in tensors) and _has_code(step, constants)
    except Unsupported:
        return False


def large_shape(step: Step, constants: dict[int, Any]) -> tuple[int, ...] | None:
    """Returns the shape of the loop of an instruction in a cluster of large arrays, or None."""
    try:
        kind, reduces = kind_of(step), kind_of(step) in REDUCTIONS
        if not reduces and kind not in ("element", "cast", "total"):
            return None
        shape = sizes(step.node.tensors[0] if reduces else step.node.outputs[0])
        if math.prod(shape) < LEAST or not _has_code(step, constants):
            return None
        axes = sorted(axes_of(step, constants)) if reduces else []
        is_trailing = axes == list(range(len(shape) - len(axes), len(shape)))
        return shape if is_trailing else None
    except Unsupported:
        return None


def _has_code(step: Step, constants: dict[int, Any]) -> bool:
    """True if an operation can be emitted, for arrays of any size; may raise Unsupported."""
    node, kind = step.node, kind_of(step)
    op = node.definition
    is_here = step.device.kind == "CPU" and not step.device.remote
    if not kind or not is_here or op.impure or step.kernel is not op.kernel:
        return False
    keys = tuple(key_of(t.dtype.np) for t in (*_data(step), *node.outputs))
    if kind == "while":
        return _is_loop_supported(step)
    if kind.startswith("random"):
        return _are_numbers_supported(step, constants)
    if kind == "branch":
        return _are_branches_supported(step)
    if kind == "move":
        data = data_of(step)
        return all(slot in constants for i, slot in enumerate(step.reads) if i != data)
    if kind == "product":
        return _is_product_supported(step)
    if kind in REDUCTIONS:
        is_known = all(slot in constants for slot in step.reads[1:])
        return is_known and (kind != "mean" or keys[0][0] == "f")
    if kind == "cast":
        return keys[0][0] != "f" or keys[1][0] in "fb"
    if kind == "total":
        return keys[0] != "b1" and len({_shape(t) for t in (*node.tensors, *node.outputs)}) == 1
    return _has_formula(op, tuple(step.attrs.items()), keys)


def _is_product_supported(step: Step) -> bool:
    x, y = map(sizes, step.node.tensors)
    result = sizes(step.node.outputs[0])
    inner = x[-2 if next(iter(step.attrs.values())) else -1]
    return (
        step.node.outputs[0].dtype.kind == "f"
        and x[:-2] == y[:-2] == result[:-2]
        and math.prod(result) * inner <= MOST_MULTIPLICATIONS
    )


def _is_loop_supported(step: Step) -> bool:
    """True if all operations of a loop are supported, and its values keep their shapes."""
    loop = subgraphs_of(step)
    if loop.extras or loop.shared.variables:
        return False
    outputs = zip(loop.body.inputs, loop.body.outputs, step.node.tensors)
    if any(len({_shape(t) for t in tensors}) > 1 for tensors in outputs):
        return False
    return _are_supported(loop.runners())


def _are_numbers_supported(step: Step, constants: dict[int, Any]) -> bool:
    """True if random numbers are of Philox and of a usual dtype."""
    key, *_ = results = [key_of(t.dtype.np) for t in step.node.outputs]
    if len(results) > 1:  # the key and counter of a seed
        return sizes(step.node.tensors[0]) == (2,)
    algorithm = constants.get(step.reads[3])
    is_philox = algorithm is not None and algorithm.tolist() in (1, 3)
    is_integer = kind_of(step) == "random_integers"
    return is_philox and key[1] in "48" and (key[0] in "iu") == is_integer


def _are_branches_supported(step: Step) -> bool:
    """True if all operations of branches are supported, and their results have the same shapes."""
    branches = subgraphs_of(step)
    if branches.extras or branches.shared.variables:
        return False
    results = zip(step.node.outputs, *(graph.outputs for graph in branches.graphs))
    if any(len({_shape(t) for t in tensors}) > 1 for tensors in results):
        return False
    return _are_supported([branches.runner(i) for i in range(len(branches.graphs))])


def _are_supported(runners: Iterable[Any]) -> bool:
    programs = [runner.program for runner in runners]
    return all(is_supported(s, program.constants) for program in programs for s in program.steps)


@functools.lru_cache(maxsize=1024)
def _has_formula(op: Any, attrs: tuple[Any, ...], keys: tuple[str, ...]) -> bool:
    """True if the formula of an operation has code for some dtypes."""
    function = Function([])
    try:
        scalars = Scalars(function.module, function.builder)
        element(scalars, op, dict(attrs), [scalars.constant(1, key) for key in keys[:-1]], keys[-1])
    except Unsupported:
        return False
    return True


def _data(step: Step) -> list[Any]:
    """Returns the tensors among an instruction's arguments that are not read on the host."""
    node = step.node
    pairs = zip(node.definition.kinds, node.arguments)
    every = [x for kind, x in pairs if not kind.host for x in (x if isinstance(x, tuple) else (x,))]
    return [x for x in every if isinstance(x, SymbolicTensor)]


def _size(tensor: Any) -> int:
    return math.prod(sizes(tensor))


_shape = sizes
_UFUNCS: dict[str, np.ufunc] = {
    "sum": np.add, "mean": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum,
    "any": np.logical_or, "all": np.logical_and,
}  # fmt: skip


# ------------------------------------------------------------------ the pass


class _Round:
    """A cluster, and the instructions before it; see ``clustered``."""

    def __init__(self) -> None:
        self.before: list[Step] = []
        self.cluster: list[Step] = []
        self.shape: tuple[int, ...] | None = None  # of the loop, where the cluster is large
        self.reduced: set[int] = set()  # the slots of its reductions, if it is large

    def joins(self, step: Step, large: tuple[int, ...] | None, small: bool) -> bool:
        """True if a supported instruction joins the cluster, which has its shape if it is empty."""
        if not (small or large):
            return False
        if not self.cluster:
            self.shape = large
        is_alike = small if self.shape is None else large == self.shape
        return is_alike and self.reduced.isdisjoint(slots_of(step))

    def add(self, step: Step) -> None:
        """Adds an instruction to the cluster."""
        self.cluster.append(step)
        if self.shape is not None and kind_of(step) in REDUCTIONS:
            self.reduced.update(written(step))


def clustered(
    steps: Sequence[Step],
    constants: dict[int, Any],
    fetched: set[int],
) -> list[Step]:
    """Replaces supported instructions of a program by clusters.

    Rounds follow each other; each is a cluster with instructions before it that do not depend on it.
    An instruction is in the first round in which it can be: not before what it reads, nor with an
    effect before those with an effect that precede it, and behind a cluster that it reads but
    cannot join.
    """
    rounds = [_Round()]
    at: dict[int, tuple[int, bool]] = {}  # of a slot: its round, and True if it is in the cluster
    outside = set(fetched)  # slots that are read outside the cluster that writes them
    effects = 0  # the last round with an effect
    for step in steps:
        reads, is_impure = slots_of(step), step.node.definition.impure
        sources = {at[slot] for slot in reads if slot in at}
        index = max((source for source, _ in sources), default=0)
        index = max(index, effects) if is_impure else index
        large = large_shape(step, constants) if is_compiled(step.node) else None
        small = large is None and is_compiled(step.node) and is_supported(step, constants)
        while (joins := rounds[index].joins(step, large, small)) or (index, True) in sources:
            if joins and len(rounds[index].cluster) < _MOST_STEPS:
                break
            index += 1
            if index == len(rounds):
                rounds.append(_Round())
        if joins:
            rounds[index].add(step)
        else:
            rounds[index].before.append(step)
        effects = index if is_impure else effects
        outside.update(slot for slot in reads if at.get(slot) != (index, joins))
        at.update(dict.fromkeys(written(step), (index, joins)))
    result: list[Step] = []
    for item in rounds:
        result += item.before
        result += _as_step(item.cluster, constants, outside, item.shape is not None)
    return result


def _as_step(
    cluster: list[Step], constants: dict[int, Any], later: set[int], is_large: bool
) -> list[Step]:
    """Returns the instruction of a cluster; few operations stay as they are."""
    work = [step for step in cluster if kind_of(step) != "move"]
    sizes_of_results = (_size(step.node.outputs[0]) for step in work)
    least = 2 if max(sizes_of_results, default=0) >= _MANY else _LEAST_STEPS
    if len(work) < least and not any(kind_of(step) in _WITH_SUBGRAPHS for step in cluster):
        return cluster
    outputs = [slot for step in cluster for slot in written(step) if slot in later]
    kernel = Cluster(cluster, constants, outputs, is_large)
    return [
        cluster[-1]._replace(
            kernel=kernel, reads=tuple(kernel.inputs), attrs={}, writes=tuple(outputs)
        )
    ]


def _tensors(step: Step) -> Iterable[tuple[int, Any]]:
    """Returns the slots of the tensors among an instruction's arguments, with the tensors."""
    for read, argument in zip(step.reads, step.node.arguments):
        pairs = zip(read, argument) if isinstance(read, tuple) else [(read, argument)]
        yield from ((slot, x) for slot, x in pairs if isinstance(x, SymbolicTensor))
