"""Replicas as threads, one of which runs at a time: each until it is done or waits for the others.

So a function may meet the other replicas in the middle (``merge_call``), and everything happens in the
same order every time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from ..context import thread
from ..scopes import name_scope
from ..training.naming import _place
from ..variables.creators import creators
from . import contexts
from .replica_context import ReplicaContext
from .values import regroup, select


class _Ended(BaseException):
    """Ends the thread of a replica when another one has failed."""


class Merge:
    """What the replicas ask for together: a function, with the arguments of one of them."""

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.function, self.args, self.kwargs = function, args, kwargs
        self.frames, self.creators, self.scope = contexts.frames.stack, creators.stack, thread.scope


class Replica(threading.Thread):
    """A replica: a function that runs on a device, bit by bit.

    Args:
        extended: The part of the strategy that libraries use.
        number: The number of the replica.
        call: The function, without arguments.
        made: The variables that replicas made in this run, in order.
    """

    def __init__(self, extended: Any, number: int, call: Callable[[], Any], made: list[Any]) -> None:
        super().__init__(daemon=True)
        self._extended, self._number, self._call, self._made = extended, number, call, made
        self._go, self._rest = threading.Semaphore(0), threading.Semaphore(0)
        self._ends = self.done = False
        self.merge: Merge | None = None
        self.result: Any = None
        self.error: BaseException | None = None
        self._taken = 0
        self._outer = dict(vars(thread)), contexts.frames.stack, creators.stack, list(_place.names)
        self.graph = thread.scope.graph

    # ---------------------------------------------------------------- from outside
    def go_on(self) -> None:
        """Lets the replica run until it is done or waits for the others.

        Raises:
            BaseException: What the function raised.
        """
        if self.ident is None:
            self.start()
        else:
            self._go.release()
        self._rest.acquire()
        if self.error is not None:
            raise self.error

    def end(self) -> None:
        """Ends the thread, wherever it is."""
        if self.ident is not None and not self.done:
            self._ends = True
            self._go.release()
        if self.ident is not None:
            self.join()

    # ---------------------------------------------------------------- within the thread
    def run(self) -> None:
        """Runs the function; called by ``start``."""
        try:
            self._take_over()
            context = self._extended._replica_context(self._number, self)
            with self._named(), self._extended._on(self._number):
                frame = contexts.Frame(self._extended._strategy, context)
                with contexts.entered(frame):
                    self.result = self._call()
        except _Ended:
            pass
        except BaseException as error:
            self.error = error
        finally:
            self.done = True
            self._rest.release()

    def _take_over(self) -> None:
        """Makes the surroundings of the thread those of the one that started it, but for its tapes."""
        state, contexts.frames.stack, stack, _place.names = self._outer
        vars(thread).update(state)
        thread.scope = thread.scope.but(observers=(), device=None)
        thread.replica = (id(self._extended), self._number)
        creators.stack = (*stack, self._shared)

    def _named(self) -> Any:
        outer = thread.scope.name
        return name_scope(f"{outer}replica_{self._number}/" if self._number else outer)

    def _shared(self, make: Callable[..., Any], **options: Any) -> Any:
        """A variable for all replicas: the first one to come makes it, the others take it."""
        if self._taken == len(self._made):
            with contexts.entered(contexts.Frame(self._extended._strategy)):
                self._made.append(make(**options))
        self._taken += 1
        return self._made[self._taken - 1]

    def meet(self, merge: Merge) -> Any:
        """Waits until all replicas have come here.

        Args:
            merge: What they ask for together.

        Returns:
            What is this replica's of the result.

        Raises:
            RuntimeError: A function is being traced that began within the replica.
        """
        if thread.scope.graph is not self.graph:
            raise RuntimeError(
                "`merge_call` called while defining a new graph or a tf.function. This can often happen if the "
                "function `fn` passed to `strategy.run()` contains a nested `@tf.function`, and the nested "
                "`@tf.function` contains a synchronization point, such as aggregating gradients (e.g, "
                "optimizer.apply_gradients), or if the function `fn` uses a control flow statement which contains a "
                "synchronization point in the body. Such behaviors are not yet supported. Instead, please avoid "
                "nested `tf.function`s or control flow statements that may potentially cross a synchronization "
                "boundary, for example, wrap the `fn` passed to `strategy.run` or the entire `strategy.run` inside a "
                "`tf.function` or move the control flow out of `fn`. If you are subclassing a `tf.keras.Model`, "
                "please avoid decorating overridden methods `test_step` and `train_step` in `tf.function`."
            )
        self.merge = merge
        self._rest.release()
        self._go.acquire()
        self.merge = None
        if self._ends:
            raise _Ended
        return self.result


class MirroredReplicaContext(ReplicaContext):
    """What a replica that is a thread knows of itself."""

    def __init__(self, strategy: Any, number: int, replica: Replica) -> None:
        super().__init__(strategy, number)
        self._replica = replica

    def _merge_call(self, merge_fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self._replica.meet(Merge(merge_fn, args, kwargs))


MirroredReplicaContext.__name__ = MirroredReplicaContext.__qualname__ = "_MirroredReplicaContext"


def run_replicas(extended: Any, call: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Calls a function once for each replica.

    Args:
        extended: The part of the strategy that libraries use.
        call: The function.
        args: Positional arguments.
        kwargs: Arguments by name.

    Raises:
        RuntimeError: Some replicas want to meet when others are done.
    """
    made: list[Any] = []
    replicas = [
        Replica(extended, i, _bound(call, select(i, args), select(i, kwargs)), made)
        for i in range(extended._num_replicas_in_sync)
    ]
    try:
        while not _advanced(replicas):
            _meet(extended, replicas)
    finally:
        for replica in replicas:
            replica.end()
    return regroup([replica.result for replica in replicas])


def _bound(call: Callable[..., Any], args: Any, kwargs: Any) -> Callable[[], Any]:
    return lambda: call(*args, **kwargs)


def _advanced(replicas: list[Replica]) -> bool:
    """Lets each replica go on; gives whether they are done."""
    for replica in replicas:
        replica.go_on()
    done = [replica.done for replica in replicas]
    if any(done) and not all(done):
        raise RuntimeError("Some replicas made a different number of replica_context().merge_call() calls.")
    return all(done)


def _meet(extended: Any, replicas: list[Replica]) -> None:
    """Does once what all replicas ask for."""
    merges = [replica.merge for replica in replicas if replica.merge is not None]
    args = regroup([merge.args for merge in merges])
    kwargs = regroup([merge.kwargs for merge in merges])
    with name_scope(merges[0].scope.name), contexts.entered(contexts.Frame(extended._strategy)):
        result = merges[0].function(extended._strategy, *args, **kwargs)
    for i, replica in enumerate(replicas):
        replica.result = select(i, result)
