"""Replicas: their thread state during execution, and collectives among them."""

from __future__ import annotations

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

    def put(self) -> None:
        """Sets the state of the current thread."""
        vars(thread).clear()
        vars(thread).update(self.state)
        strategy_context.frames.stack, creators.stack, _place.names = (
            self.frames,
            self.creators,
            self.names,
        )


class Replica:
    """A replica: a function that runs on a device.

    Args:
        extended: The strategy's extended part.
        number: The replica id.
        call: The function, without arguments.
        made: The variables created by replicas in this run, in order.
    """

    def __init__(
        self, extended: Any, number: int, call: Callable[[], Any], made: list[Any]
    ) -> None:
        self._extended, self._number, self._call, self._made = extended, number, call, made
        self._taken = 0
        self._outer = Surroundings.now()
        self._graph = thread.scope.graph
        self.done = False
        self.result: Any = None

    def _run_in_place(self) -> None:
        """Runs the function with the replica's thread state, which is not restored."""
        self._outer.put()
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
        if self._taken == len(self._made):
            with strategy_context.entered(strategy_context.Frame(self._extended._strategy)):
                self._made.append(make(**options))
        self._taken += 1
        return self._made[self._taken - 1]

    def meet(self, merge: Merge) -> Any:
        """Takes part in a collective and returns this replica's result.

        Raises RuntimeError in a function whose tracing began within the replica.
        """
        if thread.scope.graph is not self._graph:
            raise RuntimeError(_WITHIN_A_TRACE)
        return self._met(merge)

    def _met(self, merge: Merge) -> Any:
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
    mine, named = select(number, args), select(number, kwargs)
    return lambda: call(*mine, **named)
