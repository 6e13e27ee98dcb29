"""Replicas as threads, one of which runs at a time: each until it ends or waits for a collective.

A function can thereby synchronize with the other replicas at any point (``merge_call``), and the
order of execution is deterministic.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from twinflow._src.wings.distribute.replicas import UNEQUAL, Merge, Replica, bound, merged
from twinflow._src.wings.distribute.values import regroup


class _Ended(BaseException):
    """Ends the thread of a replica after another one has failed."""


class ThreadReplica(Replica):
    """A replica that runs in a thread; see ``Replica``."""

    def __init__(
        self, extended: Any, number: int, call: Callable[[], Any], made: list[Any]
    ) -> None:
        super().__init__(extended, number, call, made)
        self._go, self._rest = threading.Semaphore(0), threading.Semaphore(0)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._ends = False
        self._error: BaseException | None = None
        self.merge: Merge | None = None

    # ---------------------------------------------------------------- called by the main thread
    def go_on(self) -> None:
        """Resumes the replica until it ends or waits for a collective; re-raises its exception."""
        if self._thread.ident is None:
            self._thread.start()
        else:
            self._go.release()
        self._rest.acquire()
        if self._error is not None:
            raise self._error

    def end(self) -> None:
        """Terminates the thread."""
        if self._thread.ident is None:
            return
        if not self.done:
            self._ends = True
            self._go.release()
        self._thread.join()

    # ---------------------------------------------------------------- called by the replica's
    # thread
    def _run(self) -> None:
        try:
            self._run_in_place()
        except _Ended:
            pass
        except BaseException as error:
            self._error = error
        finally:
            self.done = True
            self._rest.release()

    def _met(self, merge: Merge) -> Any:
        self.merge = merge
        self._rest.release()
        self._go.acquire()
        self.merge = None
        if self._ends:
            raise _Ended
        return self.result


def run_replicas(extended: Any, call: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Calls a function once per replica, each in a thread.

    ``extended`` is the strategy's extended part. Raises RuntimeError if some replicas reach a
    collective when others have ended.
    """
    made: list[Any] = []
    count = range(extended._num_replicas_in_sync)
    replicas = [ThreadReplica(extended, i, bound(call, i, args, kwargs), made) for i in count]
    try:
        while not _advanced(replicas):
            merges = [replica.merge for replica in replicas if replica.merge is not None]
            for replica, result in zip(replicas, merged(extended, merges)):
                replica.result = result
    finally:
        for replica in replicas:
            replica.end()
    return regroup([replica.result for replica in replicas])


def _advanced(replicas: list[ThreadReplica]) -> bool:
    """Resumes every replica once; returns True if all have ended."""
    for replica in replicas:
        replica.go_on()
    done = [replica.done for replica in replicas]
    if any(done) and not all(done):
        raise RuntimeError(UNEQUAL)
    return all(done)
