"""The strategy where none was put in force: one replica, wherever operations run."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from twinflow._src.wings.distribute import strategy_context
from twinflow._src.wings.distribute.extended import StrategyExtended
from twinflow._src.wings.distribute.reduce_op import ReduceOp
from twinflow._src.wings.distribute.replica_context import ReplicaContext
from twinflow._src.wings.distribute.strategy import Strategy


class _DefaultDistributionStrategy(Strategy):
    """Does nothing."""

    def __init__(self) -> None:
        super().__init__(_DefaultDistributionExtended(self, ("",)))

    def scope(self) -> Any:
        """A block in which nothing is different."""
        if strategy_context.has_strategy():
            raise RuntimeError("Must not nest tf.distribute.Strategy scopes.")
        return nullcontext(self)

    def run(self, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, options: Any = None) -> Any:
        """Calls a function; see ``Strategy``."""
        return fn(*args, **(kwargs or {}))


class _DefaultDistributionExtended(StrategyExtended):
    """See ``StrategyExtended``."""

    @property
    def worker_devices(self) -> Any:
        """Unknown: operations run where they are put.

        Raises:
            RuntimeError: Always.
        """
        raise RuntimeError("worker_devices() method unsupported by default tf.distribute.Strategy.")

    @property
    def parameter_devices(self) -> Any:
        """Unknown: variables are where they are put.

        Raises:
            RuntimeError: Always.
        """
        raise RuntimeError("parameter_devices() method unsupported by default tf.distribute.Strategy.")

    def _run(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return fn(*args, **kwargs)

    def _on(self, number: int) -> AbstractContextManager[Any]:
        return nullcontext()

    def _reduce_to(self, reduce_op: ReduceOp, value: Any, destinations: Any) -> Any:
        return value


class _DefaultReplicaContext(ReplicaContext):
    """The one replica."""

    @property
    def replica_id_in_sync_group(self) -> Any:
        """The number of this replica."""
        return 0

    @property
    def devices(self) -> Any:
        """The device: wherever operations run."""
        return ("",)

    def _require_here(self) -> None:
        if strategy_context.has_strategy():
            raise RuntimeError("The default replica context is not the current one.")


@functools.cache
def default_frame() -> strategy_context.Frame:
    """What holds where no strategy was put in force."""
    strategy = _DefaultDistributionStrategy()
    return strategy_context.Frame(strategy, _DefaultReplicaContext(strategy, 0))
