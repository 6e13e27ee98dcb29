"""Mirrored variables (in sync after each write), and sync-on-read variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.scopes import device
from twinflow._src.dispatch.op import API
from twinflow._src.variables.options import VariableSynchronization
from twinflow._src.wings.distribute import mirrored_values, strategy_context
from twinflow._src.wings.distribute.cross_device import ReduceOp, has_aggregation
from twinflow._src.wings.distribute.values import DistributedValues, Mirrored
from twinflow._src.wings.distribute.variables import Copy, DistributedVariable


class MirroredVariable(DistributedVariable, Mirrored):
    """A variable whose components are in sync after each write."""

    def _cross_read(self) -> Any:
        return self._here()._read()

    def _update(self, method: str, value: Any, options: dict[str, Any]) -> Any:
        def write(copy: Any, value: Any) -> Any:
            found = getattr(copy, method)(value, **options)
            return None if found is None else found

        copy = self._of_replica()
        if copy is None:
            return self._read_back(self._everywhere(write, value))
        if strategy_context.get_replica_context() is None or has_aggregation(
            self._aggregation, "NONE"
        ):
            return write(copy, value)

        if isinstance(value, (list, tuple)):
            value = convert_to_tensor(value, dtype=self.dtype)

        def merged(strategy: Any, value: Any) -> Any:
            return self._read_back(self._everywhere(write, self._aggregated(value)))

        return strategy_context.get_replica_context().merge_call(merged, args=(value,))

    def _everywhere(self, write: Callable[..., Any], value: Any) -> Any:
        return self._strategy.extended.update(self, write, args=(value,), group=False)

    def _read_back(self, found: Any) -> Any:
        """Returns the values of all components after an update."""
        found = found if isinstance(found, tuple) else (found,)
        if found[0] is None:
            return None
        values = [convert_to_tensor(value) for value in found]
        return mirrored_values.Mirrored(values) if len(values) > 1 else found[0]

    def _aggregated(self, value: Any) -> Any:
        """Aggregates per-replica values to the value to assign."""
        extended = self._strategy.extended
        if has_aggregation(self._aggregation, "ONLY_FIRST_REPLICA"):
            return extended.broadcast_to(extended._local_results(value)[0], self)
        return extended.reduce_to(
            ReduceOp.from_variable_aggregation(self._aggregation), value, self
        )

    def _scattered(self, method: str, sparse_delta: Any) -> Any:
        only = ("NONE", "ONLY_FIRST_REPLICA")
        if method not in ("scatter_add", "scatter_sub") and not has_aggregation(
            self._aggregation, *only
        ):
            raise NotImplementedError(
                f"{method} is only supported for mirrored variable (variable created within certain "
                "`tf.distribute.Strategy` scope) with NONE or `ONLY_FIRST_REPLICA` aggregation, got: "
                f"{self._aggregation}."
            )
        return self._update(method, sparse_delta, {})


class SyncOnReadVariable(DistributedVariable):
    """A variable whose components are written by their replicas and aggregated on read."""

    def _cross_read(self) -> Any:
        if has_aggregation(self._aggregation, "ONLY_FIRST_REPLICA"):
            return self._primary._read()
        reduce_op = ReduceOp.from_variable_aggregation(self._aggregation)
        values = DistributedValues([copy._read() for copy in self._values])
        return self._strategy.extended._reduce(reduce_op, values)

    def _part_of(self, value: Any, xp: Any) -> Any:
        if has_aggregation(self._aggregation, "SUM"):
            count = len(self._values)
            return (
                value // count if value.dtype.kind in "iu" else (value / count).astype(value.dtype)
            )
        return value

    def _update(self, method: str, value: Any, options: dict[str, Any]) -> Any:
        copy = self._of_replica()
        if copy is not None:
            return getattr(copy, method)(value, **options)
        if has_aggregation(self._aggregation, "SUM"):
            if method != "assign":
                raise ValueError(
                    f"SyncOnReadVariable does not support `{method}` in cross-replica context when aggregation is "
                    "set to `tf.VariableAggregation.SUM`."
                )
            value = API["cast"](API["truediv"](value, len(self._values)), self.dtype)
        for copy in self._values:
            with device(copy.device):
                getattr(copy, method)(value, read_value=False)
        return self.read_value() if options.get("read_value", True) else None

    def _scattered(self, method: str, sparse_delta: Any) -> Any:
        raise NotImplementedError(
            f"Variables with `synchronization=ON_READ` doesn't support `{method}`"
        )


def mirrored_variable(
    strategy: Any, devices: tuple[str, ...], make: Callable[..., Any], options: dict[str, Any]
) -> DistributedVariable:
    """Creates a variable with a component on each device.

    Args:
        strategy: The strategy.
        devices: The devices.
        make: The next variable creator (see ``tf.variable_creator_scope``).
        options: The arguments of ``tf.Variable``.
    """
    options = {k: v for k, v in options.items() if k != "use_resource"}
    copies: list[Any] = []
    for i, name in enumerate(devices):
        with device(name):
            mine = options if i == 0 else {**options, **_like(copies[0], i)}
            copies.append(_copy(make, mine))
    first = copies[0]
    late = first.synchronization is VariableSynchronization.ON_READ
    kind = SyncOnReadVariable if late else MirroredVariable
    when = VariableSynchronization.ON_READ if late else VariableSynchronization.ON_WRITE
    return kind(strategy, copies, first.aggregation, when)


def _copy(make: Callable[..., Any], options: dict[str, Any]) -> Any:
    made = make(**options)
    if type(made) is not Copy:
        state = vars(made)
        made = Copy.__new__(Copy)
        vars(made).update(state)
    return made


def _like(first: Any, number: int) -> dict[str, Any]:
    """Returns the arguments of a further component: the first one's value, and a numbered name."""
    value = API["identity"](first._read())
    return {
        "initial_value": value,
        "name": f"{first._shared_name}/replica_{number}/",
        "dtype": None,
    }
