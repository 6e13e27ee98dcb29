"""Chains of seeds and random numbers, which become native code when they have run often.

Samplers split a seed several times in each iteration, and in Python each split and each draw takes
five to ten microseconds. The numbers of native code have the bits of the kernels', so that it does not
matter when a chain is compiled.
"""

from __future__ import annotations

import functools
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from twinflow._src.autodiff.reverse import flat
from twinflow._src.compiler.executor import Executor, Segments, executor_of
from twinflow._src.compiler.fuse_elementwise import Chain, slots_of
from twinflow._src.compiler.lower import Step, is_small, line_of, written
from twinflow._src.core.fork import cached_property

# Runs after which a chain is compiled, which takes a tenth of a second.
_RUNS = 2000
_LEAST_STEPS, _MOST_STEPS = 2, 64
# The lowerings of draws and of seeds, and the dtypes whose numbers have the bits of the kernels'.
_DRAWS = {
    "random_key": ("uint64",),
    "random_integers": ("int32", "uint32", "int64", "uint64"),
    "random_uniform": ("float32", "float64"),
    "random_normal": ("float32",),
}


class Draws(Chain):
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
        if self._run is None:
            self._runs += 1
            if self._runs <= _RUNS:
                return self._op_by_op(arrays)
            with self._lock:
                self._run = self._run or self._compiled()
        return self._run(*arrays)

    def _compiled(self) -> Callable[..., list[Any]]:
        cluster = cluster_of(self._steps, self._constants, self.outputs)
        return functools.partial(cluster, None) if cluster else lambda *x: self._op_by_op(x)

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


def cluster_of(steps: list[Step], constants: dict[int, Any], outputs: Sequence[int]) -> Any:
    """Returns the cluster of instructions, or None if they cannot be compiled."""
    try:
        from twinflow._src.compiler.native.clusters import Cluster, is_supported
        from twinflow._src.compiler.native.llvm import is_available
    except ImportError:  # llvmlite is missing
        return None
    if not is_available() or not all(is_supported(step, constants) for step in steps):
        return None
    return Cluster(steps, constants, outputs, is_large=False)


# ------------------------------------------------------------------ the pass


def with_draws(
    steps: Sequence[Step], constants: dict[int, Any], fetched: Iterable[int]
) -> list[Step]:
    """Replaces chains of draws by one instruction each, in the place of the first one."""
    result: list[Step | list[Step]] = []  # a list is a chain
    at: dict[int, int] = {}  # the index there of what computes a slot
    last = -1  # the index of the chain that is open
    for step in steps:
        sources = [at.get(slot, -1) for slot in slots_of(step)]
        kind = step.node.definition.native or ""
        is_draw = kind in _DRAWS and _is_supported(step, constants)
        follows = kind == "move" and last in sources and _is_supported(step, constants)
        chain = result[last] if last >= 0 and (is_draw or follows) else None
        comes_later = max(sources, default=-1) > last
        if isinstance(chain, list) and len(chain) < _MOST_STEPS and not comes_later:
            chain.append(step)
            at.update(dict.fromkeys(written(step), last))
            continue
        if is_draw:
            last = len(result)
        at.update(dict.fromkeys(written(step), len(result)))
        result.append([step] if is_draw else step)
    uses = Counter(fetched) + Counter(slot for step in steps for slot in slots_of(step))
    return [
        step
        for item in result
        for step in (_as_step(item, constants, uses) if isinstance(item, list) else [item])
    ]


def _as_step(chain: list[Step], constants: dict[int, Any], uses: Counter[int]) -> list[Step]:
    """Returns the instruction of a chain; few ones stay as they are."""
    if len(chain) < _LEAST_STEPS:
        return chain
    inside = Counter(slot for step in chain for slot in slots_of(step))
    results = [slot for step in chain for slot in written(step)]
    kernel = Draws(chain, constants, [slot for slot in results if uses[slot] > inside[slot]])
    reads, writes = tuple(kernel.inputs), tuple(kernel.outputs)
    return [chain[-1]._replace(kernel=kernel, reads=reads, attrs={}, writes=writes)]


def _is_supported(step: Step, constants: dict[int, Any]) -> bool:
    """True if native code of an instruction has the bits of its kernel."""
    node, op = step.node, step.node.definition
    if step.device.kind != "CPU" or step.device.remote or step.kernel is not op.kernel:
        return False
    if not all(map(is_small, node.outputs)):
        return False
    dtypes = _DRAWS.get(op.native or "")
    if dtypes is not None and any(tensor.dtype.name not in dtypes for tensor in node.outputs):
        return False
    if op.native == "random_key":
        data = [0]
    elif dtypes is not None:
        data = [1, 2]  # key and counter
    else:
        data = [i for i, kind in enumerate(op.kinds) if not kind.host]
    others = [read for i, read in enumerate(step.reads) if i not in data]
    return all(slot in constants for slot in flat(others))
