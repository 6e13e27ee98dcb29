"""Distributed variables: base class with one component for each replica."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from twinflow._src.checkpoint.values import assign_array
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import runtime, thread
from twinflow._src.core.dtypes import DType
from twinflow._src.core.tensor import Reference
from twinflow._src.dispatch.op import FAST
from twinflow._src.ops.array.strided_slice import _sliced
from twinflow._src.ops.elementwise.operators import _bind
from twinflow._src.trackable.trackable import SavedValue
from twinflow._src.variables.variable import ResourceVariable, Variable
from twinflow._src.wings.distribute import strategy_context
from twinflow._src.wings.distribute.cross_device import has_aggregation
from twinflow._src.wings.distribute.values import DistributedValues


class Copy(ResourceVariable):
    """The component of one replica."""

    _whole: weakref.ref[Any] | None = None

    @property
    def _distributed_container(self) -> Any:
        return self._whole

    @property
    def _unique_id(self) -> str:
        whole = None if self._whole is None else self._whole()
        first = self if whole is None else whole.values[0]
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
    """A variable with one component for each replica.

    Args:
        strategy: The strategy.
        values: The components.
        aggregation: The aggregation of per-replica values on assignment or read.
        synchronization: The time of aggregation: on write or on read.
    """

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
            copy._whole, copy._strategy = weakref.ref(self), strategy
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
        number = strategy_context.replica_or_none()
        return None if number is None else self._values[number if len(self._values) > 1 else 0]

    def _here(self) -> Any:
        """Returns the current component: that of the replica, by default the first one."""
        found = self._of_replica()
        return self._primary if found is None else found

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

    def assign_add(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Adds to the current components; see ``assign``."""
        return self._update("assign_add", value, {"read_value": read_value})

    def assign_sub(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Subtracts from the current components; see ``assign``."""
        return self._update("assign_sub", value, {"read_value": read_value})


_bind(DistributedVariable)
setattr(DistributedVariable, "__getitem__", _sliced)  # noqa: B010 - as the operators


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
