"""Replicas, collectives among them, and their execution: as threads, or as nested calls.

Of threads one runs at a time: each until it ends or waits for a collective. A function can thereby
synchronize with the other replicas at any point (``merge_call``), and the order of execution is
deterministic. Nested calls are for R functions, which cannot run in other threads: a replica that
reaches a collective calls the next replica from there, so that all have reached it when the last
one does; then each continues to its end, the last one first. Therefore a function can reach one
collective per run.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from twinflow._src.core.context import thread
from twinflow._src.core.scopes import name_scope
from twinflow._src.train.descriptions import _place
from twinflow._src.variables.options import creators
from twinflow._src.wings.distribute import strategy_context
from twinflow._src.wings.distribute.replica_context import ReplicaContext
from twinflow._src.wings.distribute.values import regroup, select


class Merge(NamedTuple):
    """A collective call: a function, with the arguments of one replica."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    name: str


class Surroundings(NamedTuple):
    """The thread-local state of the enclosing scopes."""

    state: dict[str, Any]
    frames: Any
    creators: Any
    names: Any

    @staticmethod
    def now() -> Surroundings:
        """Returns the state of the current thread."""
        return Surroundings(
            dict(vars(thread)), strategy_context.frames.stack, creators.stack, _place.names
        )

    def install(self) -> None:
        """Sets the state of the current thread."""
        vars(thread).clear()
        vars(thread).update(self.state)
        strategy_context.frames.stack, creators.stack, _place.names = (
            self.frames,
            self.creators,
            self.names,
        )


class Replica:
    """A replica: a function without arguments that runs on a device.

    The variables that replicas create in a run are shared, in order.
    """

    def __init__(
        self, extended: Any, number: int, call: Callable[[], Any], created: list[Any]
    ) -> None:
        self._extended, self._number, self._call, self._created = extended, number, call, created
        self._next_variable = 0
        self._outer = Surroundings.now()
        self._graph = thread.scope.graph
        self.done = False
        self.result: Any = None

    def _run_in_place(self) -> None:
        """Runs the function with the replica's thread state, which is not restored."""
        self._outer.install()
        thread.scope = thread.scope.but(observers=(), device=None)  # hidden from outer tapes
        thread.replica = (self._extended._key, self._number)
        creators.stack = (*self._outer.creators, self._shared)
        context = self._extended._replica_context(self._number, self)
        frame = strategy_context.Frame(self._extended._strategy, context)
        outer = thread.scope.name
        name = f"{outer}replica_{self._number}/" if self._number else outer
        with name_scope(name), self._extended._on(self._number), strategy_context.entered(frame):
            self.result = self._call()

    def _shared(self, make: Callable[..., Any], **options: Any) -> Any:
        """Creates a variable of all replicas in the first one to get here; the others look it up."""
        if self._next_variable == len(self._created):
            with strategy_context.entered(strategy_context.Frame(self._extended._strategy)):
                self._created.append(make(**options))
        self._next_variable += 1
        return self._created[self._next_variable - 1]

    def meet(self, merge: Merge) -> Any:
        """Takes part in a collective and returns this replica's result.

        Raises RuntimeError in a function whose tracing began within the replica.
        """
        if thread.scope.graph is not self._graph:
            raise RuntimeError(_WITHIN_A_TRACE)
        return self._meet(merge)

    def _meet(self, merge: Merge) -> Any:
        raise NotImplementedError


_WITHIN_A_TRACE = (
    "`merge_call` called while defining a new graph or a tf.function. This can often happen if the function `fn` passed "
    "to `strategy.run()` contains a nested `@tf.function`, and the nested `@tf.function` contains a synchronization "
    "point, such as aggregating gradients (e.g, optimizer.apply_gradients), or if the function `fn` uses a control flow "
    "statement which contains a synchronization point in the body. Such behaviors are not yet supported. Instead, please "
    "avoid nested `tf.function`s or control flow statements that may potentially cross a synchronization boundary, for "
    "example, wrap the `fn` passed to `strategy.run` or the entire `strategy.run` inside a `tf.function` or move the "
    "control flow out of `fn`. If you are subclassing a `tf.keras.Model`, please avoid decorating overridden methods "
    "`test_step` and `train_step` in `tf.function`."
)


class MirroredReplicaContext(ReplicaContext):
    """The context of one of several replicas."""

    def __init__(self, strategy: Any, number: int, replica: Replica) -> None:
        super().__init__(strategy, number)
        self._replica = replica

    def _merge_call(
        self, merge_fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        return self._replica.meet(Merge(merge_fn, args, kwargs, thread.scope.name))


MirroredReplicaContext.__name__ = MirroredReplicaContext.__qualname__ = "_MirroredReplicaContext"

UNEQUAL = "Some replicas made a different number of replica_context().merge_call() calls."


def merged(extended: Any, merges: list[Merge]) -> list[Any]:
    """Calls the merge function once, and returns the result of each replica."""
    args = regroup([merge.args for merge in merges])
    kwargs = regroup([merge.kwargs for merge in merges])
    with (
        name_scope(merges[0].name),
        strategy_context.entered(strategy_context.Frame(extended._strategy)),
    ):
        result = merges[0].function(extended._strategy, *args, **kwargs)
    return [select(i, result) for i in range(len(merges))]


def bound(call: Callable[..., Any], number: int, args: Any, kwargs: Any) -> Callable[[], Any]:
    """Binds the arguments of one replica to a function."""
    positional, named = select(number, args), select(number, kwargs)
    return lambda: call(*positional, **named)


# ------------------------------------------------------------------ threads


class _Ended(BaseException):
    """Ends the thread of a replica after another one has failed."""


class ThreadReplica(Replica):
    """A replica that runs in a thread; see ``Replica``."""

    def __init__(
        self, extended: Any, number: int, call: Callable[[], Any], created: list[Any]
    ) -> None:
        super().__init__(extended, number, call, created)
        self._resume, self._paused = threading.Semaphore(0), threading.Semaphore(0)
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
            self._resume.release()
        self._paused.acquire()
        if self._error is not None:
            raise self._error

    def end(self) -> None:
        """Terminates the thread."""
        if self._thread.ident is None:
            return
        if not self.done:
            self._ends = True
            self._resume.release()
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
            self._paused.release()

    def _meet(self, merge: Merge) -> Any:
        self.merge = merge
        self._paused.release()
        self._resume.acquire()
        self.merge = None
        if self._ends:
            raise _Ended
        return self.result


def run_replicas(extended: Any, call: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Calls a function once per replica, each in a thread.

    ``extended`` is the strategy's extended part. Raises RuntimeError if some replicas reach a
    collective when others have ended.
    """
    created: list[Any] = []
    count = range(len(extended._devices))
    replicas = [ThreadReplica(extended, i, bound(call, i, args, kwargs), created) for i in count]
    try:
        while not _advance(replicas):
            merges = [replica.merge for replica in replicas if replica.merge is not None]
            for replica, result in zip(replicas, merged(extended, merges)):
                replica.result = result
    finally:
        for replica in replicas:
            replica.end()
    return regroup([replica.result for replica in replicas])


def _advance(replicas: list[ThreadReplica]) -> bool:
    """Resumes every replica once; returns True if all have ended."""
    for replica in replicas:
        replica.go_on()
    done = [replica.done for replica in replicas]
    if any(done) and not all(done):
        raise RuntimeError(UNEQUAL)
    return all(done)


# ------------------------------------------------------------------ nested calls


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
            before.install()

    def _meet(self, merge: Merge) -> Any:
        return self.turns.meet(self, self._number, merge)


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

    def meet(self, replica: TurnReplica, number: int, merge: Merge) -> Any:
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
        self._outer.install()
        try:
            self._results = merged(self._extended, self._merges)
        finally:
            before.install()
        if len(self._replicas) == 1:
            self._merges = []


def must_run_nested(function: Any) -> bool:
    """True for R functions, which have to run in the calling thread."""
    while function is not None:
        if getattr(function, "__module__", None) == "rpytools.call":
            return True
        function = getattr(function, "__wrapped__", None)
    return False


def run_nested(extended: Any, call: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Calls a function once per replica; see ``replica_threads.run_replicas``."""
    created: list[Any] = []
    count = range(len(extended._devices))
    return Turns(
        extended, [TurnReplica(extended, i, bound(call, i, args, kwargs), created) for i in count]
    ).run()
