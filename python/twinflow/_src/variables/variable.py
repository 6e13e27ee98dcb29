"""Variables: named state that operations read and update."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from twinflow._src.conversion.constant import register_tensor_conversion_function
from twinflow._src.core.context import PLAIN, entered, runtime, thread
from twinflow._src.core.devices import Device
from twinflow._src.core.dtypes import DType, as_dtype
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.tensor import EagerTensor, Reference, TensorType, array_text
from twinflow._src.dispatch.op import FAST, OPS, execute
from twinflow._src.trackable.trackable import SavedValue, Trackable
from twinflow._src.variables.handle import (
    Handle,
    HandleTensor,
    check_given,
    created_handle,
    full_name,
    initial_tensor,
)
from twinflow._src.variables.options import (
    METHODS,
    Described,
    GraphAttributes,
    SaveSliceInfo,
    VariableAggregation,
    VariableSynchronization,
    created,
    creators,
    declare,
    member,
)
from twinflow._src.variables.updates import Updates, assert_restorable

_V = TypeVar("_V", bound="Variable")


class _Made(type):
    """The metaclass of ``tf.Variable``, which calls the variable creators in scope."""

    if not TYPE_CHECKING:  # for type checkers, making a variable is a call of its __init__

        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            if creators.stack and cls is Variable:
                return created(cls, ResourceVariable, args, kwargs)
            return type.__call__(cls, *args, **kwargs)


class Variable(Trackable, Described, metaclass=_Made):
    """Shared, persistent state: a tensor whose value operations can change.

    Args:
        initial_value: The initial value: anything that ``tf.convert_to_tensor`` converts, or a
            callable without arguments that returns it.
        trainable: Whether optimizers train the variable and tapes watch it; True where None.
        validate_shape: Whether assignments within functions must keep the shape of the value.
        caching_device: Accepted and without effect: reads share memory.
        name: The name, ``"Variable"`` where None. It need not be unique.
        variable_def: Not supported: raises ValueError.
        dtype: The dtype; that of the initial value where None.
        import_scope: Accepted and without effect.
        constraint: A function that an optimizer applies to the value after each update.
        synchronization: The synchronization mode of distributed copies.
        aggregation: The aggregation mode of distributed copies.
        shape: The static shape, possibly partial; that of the initial value where None.

    Raises:
        ValueError: There is no initial value, or it does not match ``dtype`` or ``shape``.
        TypeError: The initial value does not match ``dtype``.
    """

    __module__ = "twinflow"

    SaveSliceInfo = SaveSliceInfo

    def _saved_variable(self) -> Any:
        """Returns the variable that an object of a library acts as, or None."""
        acts = hasattr(self, "_should_act_as_resource_variable")
        return self.handle.variable() if acts else None  # type: ignore[attr-defined]

    def _saved_parts(self) -> tuple[Any, ...]:
        variable = Variable._saved_variable(self)
        return super()._saved_parts() if variable is None else variable._saved_parts()

    _values: Any = None  # per-replica copies, if made by a distribution strategy

    def __new__(cls: type[_V], *args: Any, **kwargs: Any) -> _V:
        kind: Any = ResourceVariable if cls is Variable else cls
        if cls is Variable and thread.scope.graph is not None:
            from twinflow._src.graph.default_graph import plain_graph
            from twinflow._src.variables.graph_variable import GraphVariable

            if plain_graph() is not None:
                kind = GraphVariable
        return super().__new__(kind)

    def get_shape(self) -> TensorShape:
        """Returns the shape."""
        return self.shape  # type: ignore[attr-defined]

    def ref(self) -> Reference:
        """Returns a hashable reference to this variable, for sets and dictionary keys."""
        return Reference(self)

    experimental_ref = ref


if TYPE_CHECKING:  # the ops bind Python's operators when they are defined
    from twinflow._src.core.operators import Operators
else:
    Operators = object


class BaseResourceVariable(Updates, GraphAttributes, SavedValue, Variable, TensorType, Operators):
    """Base class of all variables; see ``Variable``."""

    _counts_as_tensor = True

    __array_priority__ = 100

    if TYPE_CHECKING:  # a slice is a tensor with methods that assign to it

        def __getitem__(self, key: Any) -> Any: ...

    def __init__(
        self,
        initial_value: Any = None,
        trainable: Any = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        import_scope: str | None = None,
        constraint: Callable[[Any], Any] | None = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregation.NONE,
        shape: Any = None,
        experimental_enable_variable_lifting: bool | None = None,
        **_: Any,
    ) -> None:
        self._synchronization = member(
            VariableSynchronization, synchronization, "synchronization", name
        )
        self._aggregation = member(VariableAggregation, aggregation, "aggregation", name)
        check_given(initial_value, variable_def)
        if name is not None and not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")
        tensor = initial_tensor(initial_value, None if dtype is None else as_dtype(dtype))
        static = tensor.shape if shape is None else TensorShape(shape)
        if shape is not None and not static.is_compatible_with(tensor.shape):
            raise ValueError(
                "In this `tf.Variable` creation, the initial value's shape "
                f"({tensor.shape}) is not compatible with the explicitly supplied `shape` argument "
                f"({shape})."
            )
        self._shape = static
        read_late = self._synchronization is VariableSynchronization.ON_READ
        self._trainable = not read_late if trainable is None else trainable
        if constraint is not None and not callable(constraint):
            raise ValueError(
                "Argument `constraint` must be None or a callable. a callable. Got a "
                f"{type(constraint)}:  {constraint}"
            )
        self._constraint = constraint
        if not validate_shape:
            self._validates = False
        self._handle = created_handle(tensor, full_name("Variable" if name is None else name))

    # ---------------------------------------------------------------- properties
    @property
    def name(self) -> str:
        """The name, with the suffix ``:0``."""
        return self._handle.name + ":0"

    @property
    def _in_graph_mode(self) -> bool:
        """False: the value exists outside of sessions."""
        return False

    @property
    def _handle_name(self) -> str:
        """The name with its suffix, which loaders of models set to that of the file."""
        return self.name

    @_handle_name.setter
    def _handle_name(self, value: str) -> None:
        self._handle.name = value.removesuffix(":0")

    @property
    def _shared_name(self) -> str:
        return self._handle.name

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {str(self._saves): self.read_value()}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> Any:
        value = restored_tensors[str(self._saves)]
        assert_restorable(self, value.shape, self.name)
        return self.assign(value)

    @property
    def _unique_id(self) -> str:
        return f"{self._handle.name}_{self._handle.uid}"

    @property
    def dtype(self) -> DType:
        """The dtype."""
        return self._handle.value_dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._shape

    def get_shape(self) -> TensorShape:
        """Returns the static shape."""
        return self._shape

    def set_shape(self, shape: Any) -> None:
        """Merges ``shape`` into the static shape; ValueError where they are incompatible."""
        self._shape = self._shape.merge_with(shape)

    @property
    def device(self) -> str:
        """The full name of the device that holds the value."""
        return self._handle.device.name

    @property
    def handle(self) -> HandleTensor:
        """The resource handle of the variable, for the functions of ``tf.raw_ops``."""
        return HandleTensor(self._handle, self._shape)

    @property
    def trainable(self) -> Any:
        """True if optimizers train the variable and tapes watch it."""
        return self._trainable

    @property
    def synchronization(self) -> Any:
        """The synchronization mode of distributed copies."""
        return self._synchronization

    @property
    def aggregation(self) -> Any:
        """The aggregation mode of distributed copies."""
        return self._aggregation

    @property
    def constraint(self) -> Callable[[Any], Any] | None:
        """The function that optimizers apply after each update."""
        return self._constraint

    @property
    def initializer(self) -> None:
        """None: the variable is already initialized."""
        return None

    # Read by the fast path of operations.
    @property
    def _array(self) -> Any:
        return self._handle.array

    @property
    def _device(self) -> Device:
        return self._handle.device

    # ---------------------------------------------------------------- reading
    def _read(self) -> EagerTensor:
        scope, handle = thread.scope, self._handle
        if scope.graph is not None:
            return execute(OPS["ReadVariableOp"], [self], {})
        if runtime.log_placement:
            runtime.log(OPS["ReadVariableOp"].type, handle.device)
        array = handle.array
        tensor = EagerTensor(
            handle.lend() if array is None else array, handle.device, handle.value_dtype
        )
        for observer in scope.observers:
            observer.record(OPS["ReadVariableOp"], (self,), {}, tensor)
        return tensor

    def __tf_tensor__(self, dtype: DType | None = None, name: str | None = None) -> EagerTensor:
        if dtype is not None and dtype is not self._handle.value_dtype:
            raise ValueError(
                f"Incompatible type conversion requested to type {dtype.name} for `tf.Variable of type "
                f"{self.dtype.name}. (Variable: {self!r})"
            )
        return self._read()

    # Libraries with variables that wrap others call these.

    def _dense_var_to_tensor(
        self, dtype: Any = None, name: str | None = None, as_ref: bool = False
    ) -> Any:
        return self.__tf_tensor__(None if dtype is None else as_dtype(dtype), name)

    def _as_graph_element(self) -> Any:
        return None

    def value(self) -> EagerTensor:
        """Returns the current value, which later updates do not change."""
        return self._read()

    def read_value(self) -> EagerTensor:
        """Returns the current value, which later updates do not change."""
        tensor = self._read()
        if runtime.home is self._handle.device and thread.scope is PLAIN:
            return tensor
        return execute(OPS["Identity"], [tensor], {})

    def read_value_no_copy(self) -> EagerTensor:
        """Returns the current value, which later updates do not change."""
        return self.read_value()

    def initialized_value(self) -> EagerTensor:
        """Returns the value, for the initialization of another variable."""
        return self.read_value()

    def is_initialized(self, name: str | None = None) -> EagerTensor:
        """Returns a boolean scalar: True if the variable is initialized."""
        with entered(thread.scope.watched()):  # no read for tapes to watch
            return execute(OPS["VarIsInitializedOp"], [self], {})

    def numpy(self) -> Any:
        """Returns a copy of the value as a NumPy array, or a NumPy scalar for rank 0."""
        if thread.scope.graph is not None:
            raise NotImplementedError("numpy() is only available when eager execution is enabled.")
        if self._handle.device.remote:
            return self._read().numpy()  # without a copy on this side
        return self.read_value().numpy()

    def load(self, value: Any, session: Any = None) -> None:
        """Assigns a value."""
        self.assign(value)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return self.read_value().__array__(dtype, copy)

    def __bool__(self) -> bool:
        return bool(self.read_value())

    def __int__(self) -> int:
        return int(self._read())

    def __float__(self) -> float:
        return float(self._read())

    def __complex__(self) -> complex:
        return complex(self.value())

    def __iter__(self) -> Iterator[EagerTensor]:
        return iter(self.read_value())

    def __repr__(self) -> str:
        if thread.scope.graph is not None:
            return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}>"
        has_value = self._handle.has_value()
        array = self.read_value()._host() if has_value else np.empty(0, self.dtype.base_dtype.np)
        text = array_text(array, repr)
        return (
            f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}, numpy={text}>"
        )

    def __hash__(self) -> int:
        raise TypeError(
            f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {self!r})"
        )

    def __copy__(self) -> Variable:
        twin = ResourceVariable.__new__(ResourceVariable)
        twin.__dict__.update(self.__dict__)
        return twin

    def __deepcopy__(self, memo: Any) -> Variable:
        twin: Any = self.__copy__()
        twin._handle = created_handle(self._read(), self._handle.name)
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        scoped = {"name": self._shared_name, "trainable": self._trainable, "shape": self._shape}
        return _unpickled, (self._read(), scoped)

    def _updated(self, read_value: bool) -> _UnreadVariable | None:
        if not read_value:
            return None
        twin: Any = object.__new__(_UnreadVariable)
        twin.__dict__ = self.__dict__.copy()
        return twin


class ResourceVariable(BaseResourceVariable):
    """The class of the variables that ``tf.Variable`` creates."""


class _UnreadVariable(BaseResourceVariable):
    """The result of an update: the same variable under another name."""

    @property
    def name(self) -> str:
        """The name of the result of an update."""
        return "UnreadVariable"

    @property
    def op(self) -> Any:
        """The update in the graph of a traced function; None in eager execution."""
        graph = thread.scope.graph
        if graph is None:
            return None
        for node in reversed(graph.get_operations()):
            first = node.arguments[0] if node.arguments else None
            is_same = getattr(first, "_handle", None) is self._handle
            if is_same and node.definition.reads_variable is None:
                return node
        return super().op

    def read_value(self) -> EagerTensor:
        """Returns the current value, which later updates do not change."""
        return self._read()


def variable_over(handle: Handle, shape: Any = None) -> ResourceVariable:
    """Returns a variable for a handle; tapes and functions identify it with the original."""
    # The static shape is by default that of the current value.
    variable = ResourceVariable.__new__(ResourceVariable)
    if shape is None and (array := handle.array) is not None:
        shape = array.shape
    variable._shape = TensorShape(shape)
    variable._trainable, variable._constraint, variable._handle = False, None, handle
    variable._synchronization = VariableSynchronization.AUTO
    variable._aggregation = VariableAggregation.NONE
    return variable


HandleTensor.variable = lambda self: variable_over(self.resource, self.value_shape)  # type: ignore[attr-defined]
FAST.update((ResourceVariable, _UnreadVariable))
declare(Variable, BaseResourceVariable, METHODS)


def _unpickled(tensor: EagerTensor, options: dict[str, Any]) -> Variable:
    return Variable(tensor, **options)


def _value_of(
    value: Any, dtype: DType | None = None, name: str | None = None, as_ref: bool = False
) -> Any:
    """Returns the value of a variable of a library's class, which has a method ``value``."""
    tensor = value.value()
    if dtype is not None and not dtype.is_compatible_with(tensor.dtype):
        raise ValueError(
            f"Incompatible type conversion requested to type '{dtype.name}' for variable of type "
            f"'{tensor.dtype.name}'"
        )
    return tensor


register_tensor_conversion_function(Variable, _value_of)
