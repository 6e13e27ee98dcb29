"""Replicas as nested calls in one thread, for R functions, which cannot run in other threads.

A replica that reaches a collective calls the next replica from there, so that all have reached it
when the last one does; then each continues to its end, the last one first. Therefore a function can
reach one collective per run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.wings.distribute.replicas import (
    UNEQUAL,
    Merge,
    Replica,
    Surroundings,
    bound,
    merged,
)
from twinflow._src.wings.distribute.values import regroup


class TurnReplica(Replica):
    """A replica that runs in turn; see ``Replica``.

    Attributes:
        turns: All replicas of the run.
    """

    turns: Turns

    def go(self) -> None:
        """Runs the function to its end."""
        before = Surroundings.now()
        try:
            self._run_in_place()
            self.done = True
        finally:
            before.put()

    def _met(self, merge: Merge) -> Any:
        return self.turns.met(self, self._number, merge)


class Turns:
    """The replicas of a run.

    ``extended`` is the strategy's extended part.
    """

    def __init__(self, extended: Any, replicas: list[TurnReplica]) -> None:
        self._extended, self._replicas, self._outer = extended, replicas, Surroundings.now()
        self._merges: list[Merge] = []
        self._results: list[Any] | None = None

    def run(self) -> Any:
        """Runs all replicas."""
        for replica in self._replicas:
            replica.turns = self
            if not replica.done:
                replica.go()
        return regroup([replica.result for replica in self._replicas])

    def met(self, replica: TurnReplica, number: int, merge: Merge) -> Any:
        """Returns this replica's result of a collective.

        Raises NotImplementedError for a second collective in a run, and RuntimeError if some
        replicas do not reach it.
        """
        count = len(self._replicas)
        if self._results is not None and count > 1:
            raise NotImplementedError(
                "A function of R can meet the other replicas once in a run (merge_call, all_reduce, a step of an "
                "optimizer): leave the rest to a second strategy$run()."
            )
        if len(self._merges) != number % count:
            raise RuntimeError(UNEQUAL)
        self._merges.append(merge)
        if number + 1 < count:
            following = self._replicas[number + 1]
            following.turns = self
            following.go()
        else:
            self._merge_all()
        if self._results is None:
            raise RuntimeError(UNEQUAL)
        return self._results[number]

    def _merge_all(self) -> None:
        before = Surroundings.now()
        self._outer.put()
        try:
            self._results = merged(self._extended, self._merges)
        finally:
            before.put()
        if len(self._replicas) == 1:
            self._merges = []


def runs_in_turns(function: Any) -> bool:
    """True for R functions, which have to run in the calling thread."""
    while function is not None:
        if getattr(function, "__module__", None) == "rpytools.call":
            return True
        function = getattr(function, "__wrapped__", None)
    return False


def run_in_turns(extended: Any, call: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Calls a function once per replica; see ``replica_threads.run_replicas``."""
    made: list[Any] = []
    count = range(extended._num_replicas_in_sync)
    return Turns(
        extended, [TurnReplica(extended, i, bound(call, i, args, kwargs), made) for i in count]
    ).run()
