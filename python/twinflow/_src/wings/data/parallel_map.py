"""Maps whose function runs for several elements at the same time, in threads.

The consumer's thread reads the source and hands elements to a pool, up to the number of parallel
calls; results keep their order. Functions that take less time than the handover run without
threads.
"""

from __future__ import annotations

import os
import time
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from twinflow._src.core.context import quiet, thread
from twinflow._src.core.errors import invalid
from twinflow._src.wings.data.stages import MapStage, Run, Stage, StageIterator
from twinflow._src.wings.data.structure import Element, Elements

# Calls that take less time, in seconds, are not worth a thread.
_LEAST_SECONDS = 1e-4
_TRIALS = 3


class ParallelMapStage(MapStage):
    """The results of a function of each element, computed in threads.

    Args:
        elements: The type of the results.
        source: The stage of the arguments.
        function: A bound function.
        count: The number of parallel calls; -1 for that of the cores.
    """

    def __init__(self, elements: Elements, source: Stage, function: Any, count: int) -> None:
        super().__init__(elements, source, function)
        if count < 1 and count != -1:
            raise invalid("num_parallel_calls must be greater than zero.")
        self._count = count if count > 0 else os.cpu_count() or 1

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator that hands elements to threads."""
        return ParallelMapIterator(self, self.inputs[0].iterate(run), run)


class ParallelMapIterator(StageIterator):
    """An iterator over results that are computed in threads."""

    def __init__(self, stage: ParallelMapStage, source: StageIterator, run: Run) -> None:
        self.elements, self.upstream = stage.elements, (source,)
        self._advance, self._call = source.__next__, stage._function.call
        self._count, self._run = stage._count, run
        self._pending: deque[tuple[Element, Future[Element]]] = deque()
        self._pool: _Pool | None = None
        # Functions that call Python may wait for each other: those run in threads from the start.
        self._trials = 0 if stage._function.function.is_stateful else _TRIALS
        self._slow, self._is_inline = 0, False

    def __next__(self) -> Element:
        if self._is_inline and not self._pending:
            return self._call(self._advance())
        if self._trials:
            return self._tried()
        self._fill()
        if not self._pending:
            raise StopIteration
        return self._pending.popleft()[1].result()

    def _tried(self) -> Element:
        """Computes a result without threads, and measures the time."""
        element = self._advance()
        start = time.perf_counter()
        result: Element = self._call(element)
        self._slow += time.perf_counter() - start > _LEAST_SECONDS
        self._trials -= 1
        if not self._trials:  # the first call compiles the program
            self._is_inline = self._slow < _TRIALS - 1
        return result

    def _fill(self) -> None:
        """Hands elements to the pool until all of its threads have one."""
        pool = self._pool
        if pool is None or pool.process != os.getpid():  # threads do not survive a fork
            pool = self._pool = _Pool(self._count)
            self._run.workers.append(pool)
            self._pending = deque((x, self._submit(x)) for x, _ in self._pending)
        while len(self._pending) < self._count:
            try:
                element = self._advance()
            except StopIteration:
                return
            self._pending.append((element, self._submit(element)))

    def _submit(self, element: Element) -> Future[Element]:
        assert self._pool is not None
        return self._pool.submit(_run_call, self._call, element, self._run.token)

    def position(self) -> dict[str, Any]:
        """Returns the elements whose results were not returned yet."""
        return {"pending": [list(element) for element, _ in self._pending]}

    def move(self, saved: dict[str, Any]) -> None:
        """Computes the results of those elements again."""
        elements = [tuple(element) for element in saved["pending"]]
        self._trials = 0
        self._pending.clear()
        self._pool = self._pool or _Pool(self._count)
        if self._pool not in self._run.workers:
            self._run.workers.append(self._pool)
        self._pending.extend((x, self._submit(x)) for x in elements)


def _run_call(call: Any, element: Element, token: Any) -> Element:
    thread.session = token
    return quiet().run(call, element)


class _Pool(ThreadPoolExecutor):
    """A pool of threads that the drop of an iterator stops."""

    def __init__(self, count: int) -> None:
        super().__init__(count, thread_name_prefix="tf_data_map")
        self.process = os.getpid()

    def stop(self) -> None:
        """Cancels the calls that did not start, and lets the threads end."""
        self.shutdown(wait=False, cancel_futures=True)
