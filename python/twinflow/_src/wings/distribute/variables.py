"""Distributed variables: mirrored (in sync after each write) and sync-on-read; optimizer updates."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from twinflow._src.checkpoint.values import assign_array
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import runtime, thread
from twinflow._src.core.dtypes import DType
from twinflow._src.core.scopes import device
from twinflow._src.core.tensor import Reference
from twinflow._src.dispatch.op import API, FAST
from twinflow._src.ops.array.strided_slice import _sliced
from twinflow._src.ops.elementwise.operators import _bind
from twinflow._src.trackable.trackable import SavedValue
from twinflow._src.variables.options import VariableSynchronization, creators
from twinflow._src.variables.variable import ResourceVariable, Variable
from twinflow._src.wings.distribute import cross_device, strategy_context
from twinflow._src.wings.distribute.cross_device import ReduceOp, has_aggregation
from twinflow._src.wings.distribute.values import DistributedValues, Mirrored


class Copy(ResourceVariable):
    """The component of one replica."""

    _owner: weakref.ref[Any] | None = None

    @property
    def _distributed_container(self) -> Any:
        return self._owner

    @property
    def _unique_id(self) -> str:
        owner = None if self._owner is None else self._owner()
        first = self if owner is None else owner.values[0]
        return f"{first._handle.name}_{first._handle.uid}"


Copy.__name__ = Copy.__qualname__ = "ResourceVariable"
FAST.add(Copy)


class _Saved:
    """The checkpoint handle of a distributed variable: reads one value, writes all components."""

    def __init__(self, variable: DistributedVariable) -> None:
        self._variable, self.lock = variable, contextlib.nullcontext()
        first = variable.values[0]._handle
        self.device, self.value_dtype, self.name = first.device, first.value_dtype, first.name

    def lend(self) -> Any:
        """Returns the value."""
        return self._variable._cross_read()._array

    @property
    def array(self) -> Any:
        """The value; assignment sets all components."""
        return self.lend()

    @array.setter
    def array(self, value: Any) -> None:
        host = self.device.backend.to_host(self._variable._part_of(value, self.device.xp))
        for copy in self._variable.values:
            assign_array(copy, host.copy())


class DistributedVariable(DistributedValues, SavedValue, Variable):
    """A variable with one component for each replica."""

    _counts_as_tensor = True

    __array_priority__ = 100
    is_distributed_variable = True

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """See the class."""
        return object.__new__(cls)

    def __init__(self, strategy: Any, values: Any, aggregation: Any, synchronization: Any) -> None:
        super().__init__(values)
        dtype = self._values[0].dtype
        if has_aggregation(aggregation, "MEAN") and not (dtype.is_floating or dtype.is_complex):
            raise ValueError(
                "creating distributed tf.Variable with aggregation=MEAN and a non-floating dtype is not supported, "
                "please use a different aggregation or dtype"
            )
        self._strategy, self._aggregation, self._synchronization = (
            strategy,
            aggregation,
            synchronization,
        )
        for copy in self._values:
            copy._owner, copy._strategy = weakref.ref(self), strategy
        self._handle = _Saved(self)
        runtime.replicated = True

    # ---------------------------------------------------------------- properties
    @property
    def distribute_strategy(self) -> Any:
        """The strategy."""
        return self._strategy

    @property
    def aggregation(self) -> Any:
        """The aggregation of per-replica values."""
        return self._aggregation

    @property
    def synchronization(self) -> Any:
        """The synchronization mode: on write or on read."""
        return self._synchronization

    @property
    def _primary(self) -> Any:
        return self._values[0]

    @property
    def name(self) -> str:
        """The name, with ``:0``."""
        return str(self._primary.name)

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._primary.dtype

    @property
    def shape(self) -> Any:
        """The static shape."""
        return self._primary.shape

    @property
    def trainable(self) -> Any:
        """True if optimizers and tapes watch the variable."""
        return self._primary.trainable

    @property
    def _shared_name(self) -> str:
        return str(self._primary._shared_name)

    @property
    def _unique_id(self) -> str:
        return str(self._primary._unique_id)

    @property
    def device(self) -> str:
        """The device of the current component."""
        return str(self._here().device)

    @property
    def handle(self) -> Any:
        """The resource handle of the current component."""
        return self._here().handle

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "_values" not in vars(self):
            raise AttributeError(name)
        return getattr(self._here(), name)

    def ref(self) -> Reference:
        """Returns a hashable reference to this variable, for sets and dictionary keys."""
        return Reference(self)

    experimental_ref = ref

    def __hash__(self) -> int:
        raise TypeError(
            f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {self!r})"
        )

    # ---------------------------------------------------------------- current component
    def _of_replica(self) -> Any:
        """Returns the component of the current replica; None in cross-replica context."""
        if thread.saves:
            return self._primary
        number = strategy_context.replica_or_none()
        return None if number is None else self._values[number if len(self._values) > 1 else 0]

    def _here(self) -> Any:
        """Returns the current component: that of the replica, by default the first one."""
        copy = self._of_replica()
        return self._primary if copy is None else copy

    _localized = _here

    @property
    def _differentiated(self) -> Any:
        return self._here()

    # ---------------------------------------------------------------- reading
    def _cross_read(self) -> Any:
        """Returns the value in cross-replica context."""
        raise NotImplementedError

    def _read(self) -> Any:
        copy = self._of_replica()
        return self._cross_read() if copy is None else copy._read()

    def value(self) -> Any:
        """Returns the current value; later updates do not change it."""
        return self._read()

    def read_value(self) -> Any:
        """Returns the current value; later updates do not change it."""
        return self._read()

    def numpy(self) -> Any:
        """Returns a copy of the value as a NumPy array.

        Raises:
            NotImplementedError: Called in a traced function.
        """
        if thread.scope.graph is not None:
            raise NotImplementedError(
                "DistributedVariable.numpy() is only available when eager execution is enabled."
            )
        return self._read().numpy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self._read().__array__(dtype, copy)

    def __tf_tensor__(self, dtype: DType | None = None, name: str | None = None) -> Any:
        return convert_to_tensor(self._read(), dtype)

    def __bool__(self) -> bool:
        return bool(self._read())

    def __iter__(self) -> Iterator[Any]:
        return iter(self._read())

    def _agree(self) -> None:
        """Copies the current component's value to all components."""
        changed = self._here()
        for copy in self._values:
            if copy is not changed:
                copy.assign(changed, read_value=False)

    # ---------------------------------------------------------------- checkpoints
    def _part_of(self, value: Any, xp: Any) -> Any:
        """Returns the part of a restored value for each component."""
        return value

    # ---------------------------------------------------------------- writing
    def _update(self, method: str, value: Any, options: dict[str, Any]) -> Any:
        """Updates the current components with a method of ``tf.Variable``."""
        raise NotImplementedError

    def assign(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Assigns a value to the current components.

        Args:
            value: A value, or per-replica values.
            use_locking: Without effect.
            name: Without effect.
            read_value: If True, returns the new value.
        """
        return self._update("assign", value, {"read_value": read_value})


_bind(DistributedVariable)
setattr(DistributedVariable, "__getitem__", _sliced)  # noqa: B010 - as the operators


def make_assignment(method: str, update: str, doc: str) -> Callable[..., Any]:
    """Returns a method that passes an assignment to the method ``update`` of a variable."""

    def assign(
        self: Any,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        return getattr(self, update)(method, value, {"read_value": read_value})

    assign.__name__, assign.__doc__ = method, doc
    return assign


for _name, _verb in (("assign_add", "Adds to"), ("assign_sub", "Subtracts from")):
    _doc = f"{_verb} the current components; see ``assign``."
    setattr(DistributedVariable, _name, make_assignment(_name, "_update", _doc))


def _scatter(method: str) -> Callable[..., Any]:
    def update(
        self: Any, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        return self._scattered(method, sparse_delta)

    update.__name__ = method
    update.__doc__ = f"Updates rows of the copies that are meant; see ``tf.Variable.{method}``."
    return update


for _name in ("add", "sub", "mul", "div", "min", "max", "update"):
    setattr(DistributedVariable, f"scatter_{_name}", _scatter(f"scatter_{_name}"))


# ------------------------------------------------------------------ mirrored and sync-on-read variables


class MirroredVariable(DistributedVariable, Mirrored):
    """A variable whose components are in sync after each write."""

    def _cross_read(self) -> Any:
        return self._here()._read()

    def _update(self, method: str, value: Any, options: dict[str, Any]) -> Any:
        def write(copy: Any, value: Any) -> Any:
            result = getattr(copy, method)(value, **options)
            return None if result is None else result

        copy = self._of_replica()
        if copy is None:
            return self._read_back(self._everywhere(write, value))
        if (
            thread.saves
            or strategy_context.get_replica_context() is None
            or has_aggregation(self._aggregation, "NONE")
        ):
            return write(copy, value)

        if isinstance(value, (list, tuple)):
            value = convert_to_tensor(value, dtype=self.dtype)

        def merged(strategy: Any, value: Any) -> Any:
            return self._read_back(self._everywhere(write, self._aggregate(value)))

        return strategy_context.get_replica_context().merge_call(merged, args=(value,))

    def _everywhere(self, write: Callable[..., Any], value: Any) -> Any:
        return self._strategy.extended.update(self, write, args=(value,), group=False)

    def _read_back(self, results: Any) -> Any:
        """Returns the values of all components after an update."""
        results = results if isinstance(results, tuple) else (results,)
        if results[0] is None:
            return None
        values = [convert_to_tensor(value) for value in results]
        return cross_device.Mirrored(values) if len(values) > 1 else results[0]

    def _aggregate(self, value: Any) -> Any:
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
            count = self._strategy.num_replicas_in_sync
            part = value // count if value.dtype.kind in "iu" else value / count
            return xp.asarray(part, dtype=value.dtype)  # of rank 0, NumPy returns a scalar
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
            count = self._strategy.num_replicas_in_sync
            value = API["cast"](API["truediv"](value, count), self.dtype)
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
    """Creates a variable with a component on each device, by the next variable creator."""
    options = {k: v for k, v in options.items() if k != "use_resource"}
    copies: list[Any] = []
    for i, name in enumerate(devices):
        with device(name):
            arguments = options if i == 0 else {**options, **_like(copies[0], i)}
            copies.append(_copy(make, arguments))
    first = copies[0]
    late = first.synchronization is VariableSynchronization.ON_READ
    kind = SyncOnReadVariable if late else MirroredVariable
    when = VariableSynchronization.ON_READ if late else VariableSynchronization.ON_WRITE
    return kind(strategy, copies, first.aggregation, when)


def _copy(make: Callable[..., Any], options: dict[str, Any]) -> Any:
    variable = make(**options)
    if type(variable) is not Copy:
        state = vars(variable)
        variable = Copy.__new__(Copy)
        vars(variable).update(state)
    return variable


def _like(first: Any, number: int) -> dict[str, Any]:
    """Returns the arguments of a further component: the first one's value, and a numbered name."""
    value = None if first._handle.array is None else API["identity"](first._read())
    return {
        "initial_value": value,
        "name": f"{first._shared_name}/replica_{number}/",
        "dtype": None,
    }


# ------------------------------------------------------------------ updates by optimizers


def summed_over_replicas(grads: Iterable[Any], variables: Iterable[Any]) -> list[Any]:
    """Returns the gradients summed over all replicas, to each replica.

    Raises AssertionError if a variable is not mirrored, so that each replica would update it.
    """
    for variable in variables:
        value = getattr(variable, "_value", variable)
        if not isinstance(value, (DistributedVariable, Copy)):
            raise AssertionError(
                f"The variable {value.name} was not made within the scope of the strategy."
            )

    def merged(strategy: Any, *all_grads: Any) -> Any:
        return strategy.extended.batch_reduce_to(ReduceOp.SUM, [(g, g) for g in all_grads])

    return list(strategy_context.get_replica_context().merge_call(merged, args=tuple(grads)))


def agree(variables: Iterable[Any]) -> None:
    """Copies the component that was updated in cross-replica context to all components.

    ``variables`` may be distributed or ordinary variables, or Keras's.
    """
    for variable in variables:
        value = getattr(variable, "_value", variable)
        if isinstance(value, DistributedVariable):
            value._agree()


def step_once(optimizer: Any, pairs: list[tuple[Any, Any]], global_step: Any) -> None:
    """Applies a TensorFlow 1 optimizer once for all replicas, with the summed gradients.

    ``pairs`` are the gradients and variables of this replica; ``global_step`` is a step counter, or
    None. Raises NotImplementedError in a traced function.
    """
    if thread.scope.graph is not None:
        raise NotImplementedError(
            "Optimizers of TensorFlow 1 make steps within a tf.distribute.Strategy only where operations run at once: "
            "take one of tf.keras.optimizers in a tf.function."
        )
    context = strategy_context.get_replica_context()
    if context is None or context.num_replicas_in_sync == 1:
        return _step(optimizer, pairs, global_step)
    variables = [variable for _, variable in pairs]

    def merged(strategy: Any, *grads: Any) -> None:
        sums = [
            strategy.extended._reduce_to(ReduceOp.SUM, g, v.device)
            for g, v in zip(grads, variables)
        ]
        _step(optimizer, list(zip(sums, variables)), global_step)

    context.merge_call(merged, args=tuple(gradient for gradient, _ in pairs))
    return None


def _step(optimizer: Any, pairs: list[tuple[Any, Any]], global_step: Any) -> None:
    """Updates the first components, with slots that are not mirrored."""
    variables = [variable for _, variable in pairs]
    first = [v if v._values is None else v.values[0] for v in variables]
    outer, creators.stack = creators.stack, ()
    try:
        optimizer._create_slots(first)
        optimizer._prepare()
        optimizer._run_step([(g, v) for (g, _), v in zip(pairs, first)], None)
    finally:
        creators.stack = outer
    agree(variables)
    if global_step is not None:
        global_step.assign_add(1)
