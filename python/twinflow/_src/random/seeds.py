"""Global seed, op seeds, and the streams from which kernels draw.

As in TensorFlow, a stateful kernel has one stream per combination of type, attributes and device,
and each call takes the next part of it. An op of a graph has its own streams. ``set_seed`` resets
all of them.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from twinflow._src.core.context import runtime, thread
from twinflow._src.core.fork import brief_lock
from twinflow._src.dispatch.op import export
from twinflow._src.numerics.object_arrays import element
from twinflow._src.random.philox import Stream, block

_MODULUS = 2**31 - 1
_DEFAULT_GLOBAL_SEED = 87654321
# Most streams belong to random seeds that never recur; the most recently used are kept.
_MOST_STREAMS = 1 << 16


class Seeds:
    """The global seed and the state derived from it."""

    def __init__(self) -> None:
        self.seed: Any = None
        self._draws: Any = None  # Python's generator, if there is a seed
        self._streams: dict[Any, Any] = {}
        self._lock = brief_lock()

    def set(self, seed: Any) -> None:
        """Sets the global seed and resets all streams."""
        import random

        try:
            self._draws = random.Random(seed)
        except TypeError:  # NumPy scalars, arrays and tensors
            self._draws = random.Random(int(element(np.array(seed))))
        self.seed = seed
        with self._lock:
            self._streams = {}

    def of_op(self, op_seed: Any) -> tuple[int, int]:
        """Returns the two seeds of an op; (0, 0) means nondeterministic."""
        graph = thread.scope.graph
        seed = self.seed if graph is None else graph.seed
        if seed is not None:
            if op_seed is None:
                op_seed = (
                    self._draws.randint(0, _MODULUS) if graph is None else graph.seed_of_operation()
                )
            result = int(seed % _MODULUS), _convert_seed(op_seed % _MODULUS)
        elif op_seed is not None:
            result = _DEFAULT_GLOBAL_SEED, _convert_seed(op_seed % _MODULUS)
        else:
            return 0, 0
        return (0, _MODULUS) if result == (0, 0) else result

    def reserve(self, kernel: tuple[Any, ...], seeds: tuple[int, int], blocks: int) -> Stream:
        """Reserves the next blocks of a kernel's stream, and returns the stream from the first of them."""
        key = kernel, seeds, runtime.place(thread.scope.device).name, thread.node, thread.session
        with self._lock:
            stream = self._streams.pop(key, None) or first_stream(*seeds)
            self._streams[key] = stream.skip(blocks)  # inserted last: least recently used order
            if len(self._streams) > _MOST_STREAMS:
                del self._streams[next(iter(self._streams))]
        return stream

    def state_of(self, kernel: tuple[Any, ...], seeds: tuple[int, int], make: Any) -> Any:
        """Returns state that a kernel keeps besides its stream, until the seed is set; ``make`` creates it."""
        key = (
            "kept",
            kernel,
            seeds,
            runtime.place(thread.scope.device).name,
            thread.node,
            thread.session,
        )
        with self._lock:
            return self._streams.setdefault(key, make())


def _convert_seed(seed: Any) -> int:
    try:
        return int(seed)
    except (TypeError, ValueError):
        raise TypeError(f"Expected int for argument 'seed2' not {seed!r}.") from None


def _any_bits() -> int:
    return int.from_bytes(os.urandom(8), "little")


def first_stream(seed: int, seed2: int) -> Stream:
    """Returns the stream of a kernel with two seeds; a random one if both are 0."""
    if not seed and not seed2:
        seed, seed2 = _any_bits(), _any_bits()
    return Stream(seed, seed2 << 64)


seeds = Seeds()


@export("random.set_seed")
def set_seed(seed: Any) -> None:
    """Sets the global seed, from which ops without an op seed derive one.

    Args:
        seed: An integer; None for nondeterministic seeds.
    """
    graph = thread.scope.graph
    if graph is None:
        seeds.set(seed)
    else:
        graph.seed = seed


def get_seed(op_seed: Any) -> tuple[int | None, int | None]:
    """Returns the global seed and the op seed; both None for nondeterministic seeds."""
    result = seeds.of_op(op_seed)
    return (None, None) if result == (0, 0) else result


# Key of the Philox block that maps the seed of a stateless op to a stream.
SCRAMBLER = 0x02461E293EC8F720


def scrambled(seed: Any) -> Stream:
    """Returns the stream of a stateless op from a seed of two integers."""
    s0, s1 = seed
    m0, m1, m2, m3 = block(Stream(SCRAMBLER, int(s0) % 2**64 | int(s1) << 64), 0)
    return Stream(m0 | m1 << 32, (m2 | m3 << 32) << 64)
