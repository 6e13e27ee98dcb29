"""Variables: named state that operations read and update."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from . import dtypes
from .context import PLAIN, quiet, runtime, thread
from .devices import Device
from .dtypes import DType, as_dtype
from .handle import Handle
from .indexed_slices import IndexedSlices
from .op import FAST, OPS, execute
from .shapes import TensorShape
from .tensor import EagerTensor, Reference, array_text, convert_to_tensor, moved

_EAGER_OPERATION = "This operation is not supported when eager execution is enabled."
_EAGER_PROPERTY = "This property is not supported when eager execution is enabled."


class VariableSynchronization(enum.Enum):
    """When distributed copies of a variable are brought together."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """How distributed copies of a variable are combined, as TensorFlow 1 code names it."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3
    ONLY_FIRST_TOWER = 3


class VariableAggregationV2(enum.Enum):
    """How distributed copies of a variable are combined."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


class SaveSliceInfo:
    """Which part of a larger saved tensor a variable is.

    Args:
        full_name: Name of the whole.
        full_shape: Shape of the whole.
        var_offset: Where this part starts, per dimension.
        var_shape: Shape of this part.
    """

    def __init__(
        self,
        full_name: str | None = None,
        full_shape: Any = None,
        var_offset: Any = None,
        var_shape: Any = None,
    ) -> None:
        self.full_name, self.full_shape = full_name, full_shape
        self.var_offset, self.var_shape = var_offset, var_shape


class Variable:
    """Shared, persistent state: a tensor whose value operations can change.

    Args:
        initial_value: The first value: anything that ``tf.convert_to_tensor`` takes, or a function
            without arguments that gives it.
        trainable: Whether optimizers and tapes watch the variable; True where None.
        validate_shape: Whether the shape of the value is fixed.
        caching_device: Accepted and without effect: reads share memory.
        name: The name, ``"Variable"`` where None. Several variables may share one.
        variable_def: Refused; graphs carry their own definitions.
        dtype: The type of the elements; that of the initial value where None.
        import_scope: Accepted and without effect.
        constraint: A function that an optimizer applies to the value after each update.
        synchronization: When distributed copies are brought together.
        aggregation: How distributed copies are combined.
        shape: The static shape, possibly partial; that of the initial value where None.

    Raises:
        ValueError: There is no initial value, or it does not fit ``dtype`` or ``shape``.
        TypeError: The initial value does not fit ``dtype``.
    """

    SaveSliceInfo = SaveSliceInfo

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        return super().__new__(ResourceVariable if cls is Variable else cls)


class BaseResourceVariable(Variable):
    """What all variables share; see ``Variable``."""

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
        self._synchronization = _member(VariableSynchronization, synchronization, "synchronization", name)
        self._aggregation = _member(VariableAggregation, aggregation, "aggregation", name)
        _check_initial(initial_value, variable_def)
        if name is not None and not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")
        value = initial_value() if callable(initial_value) else initial_value
        tensor = convert_to_tensor(value, None if dtype is None else as_dtype(dtype), name="initial_value")
        static = tensor.shape if shape is None else TensorShape(shape)
        if shape is not None and not static.is_compatible_with(tensor.shape):
            raise ValueError(
                "In this `tf.Variable` creation, the initial value's shape "
                f"({tensor.shape}) is not compatible with the explicitly supplied `shape` argument "
                f"({shape})."
            )
        self._shape = static if validate_shape else TensorShape(None)
        self._trainable = True if trainable is None else trainable
        self._constraint = constraint
        self._handle = _created(tensor, thread.scope.name + ("Variable" if name is None else name))

    # ---------------------------------------------------------------- what it is
    @property
    def name(self) -> str:
        """The name, with ``:0``."""
        return self._handle.name + ":0"

    @property
    def _shared_name(self) -> str:
        return self._handle.name

    @property
    def _unique_id(self) -> str:
        return f"{self._handle.name}_{self._handle.uid}"

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._handle.dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._shape

    def get_shape(self) -> TensorShape:
        """The static shape."""
        return self._shape

    def set_shape(self, shape: Any) -> None:
        """Merges ``shape`` into the static shape; ValueError where they contradict."""
        self._shape = self._shape.merge_with(shape)

    @property
    def device(self) -> str:
        """The full name of the device that holds the value."""
        return self._handle.device.name

    @property
    def handle(self) -> Handle:
        """The resource that holds the value."""
        return self._handle

    @property
    def trainable(self) -> Any:
        """Whether optimizers and tapes watch the variable."""
        return self._trainable

    @property
    def synchronization(self) -> Any:
        """When distributed copies are brought together."""
        return self._synchronization

    @property
    def aggregation(self) -> Any:
        """How distributed copies are combined."""
        return self._aggregation

    @property
    def constraint(self) -> Callable[[Any], Any] | None:
        """The function that optimizers apply after each update."""
        return self._constraint

    @property
    def initializer(self) -> None:
        """None: a variable with a value is initialised."""
        return None

    @property
    def create(self) -> NoReturn:
        """The op that creates the variable in a graph."""
        raise RuntimeError(_EAGER_OPERATION)

    @property
    def initial_value(self) -> NoReturn:
        """The tensor of the initial value in a graph."""
        raise RuntimeError(_EAGER_PROPERTY)

    @property
    def op(self) -> NoReturn:
        """The op of the variable in a graph."""
        raise AttributeError("Tensor.op is undefined when eager execution is enabled.")

    @property
    def graph(self) -> NoReturn:
        """The graph of the variable."""
        raise AttributeError("Tensor.graph is undefined when eager execution is enabled.")

    def to_proto(self, export_scope: str | None = None) -> NoReturn:
        """The definition of the variable in a graph."""
        raise RuntimeError(_EAGER_OPERATION)

    @staticmethod
    def from_proto(variable_def: Any, import_scope: str | None = None) -> NoReturn:
        """A variable of a graph's definition."""
        raise RuntimeError(_EAGER_OPERATION)

    # What the fast path of operations reads.
    @property
    def _array(self) -> Any:
        return self._handle.array

    @property
    def _device(self) -> Device:
        return self._handle.device

    # ---------------------------------------------------------------- reading
    def _read(self) -> EagerTensor:
        scope = thread.scope
        if scope.observers:
            return execute(OPS["ReadVariableOp"], [self], {})
        handle = self._handle
        runtime.log("ReadVariableOp", handle.device)
        return EagerTensor(handle.lend(), handle.device, handle.dtype)

    def __tf_tensor__(self, dtype: DType | None = None, name: str | None = None) -> EagerTensor:
        if dtype is not None and dtype is not self._handle.dtype:
            raise ValueError(
                f"Incompatible type conversion requested to type {dtype.name} for `tf.Variable of type "
                f"{self.dtype.name}. (Variable: {self!r})"
            )
        return self._read()

    def value(self) -> EagerTensor:
        """The present value; later updates do not change it."""
        return self._read()

    def read_value(self) -> EagerTensor:
        """The present value; later updates do not change it."""
        tensor = self._read()
        return execute(OPS["Identity"], [tensor], {}) if thread.scope.observers else _logged(tensor)

    def read_value_no_copy(self) -> EagerTensor:
        """The present value; later updates do not change it."""
        return self.read_value()

    def initialized_value(self) -> EagerTensor:
        """The value, of which a new variable may be made."""
        return self.read_value()

    def is_initialized(self, name: str | None = None) -> EagerTensor:
        """Whether the variable has a value, as a boolean scalar."""
        return execute(OPS["VarIsInitializedOp"], [self], {})

    def numpy(self) -> Any:
        """The value as a NumPy array of its own, or a NumPy scalar for rank 0."""
        return self.read_value().numpy()

    def eval(self, session: Any = None) -> NoReturn:
        """Evaluates the variable in a session."""
        raise RuntimeError(_EAGER_OPERATION)

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
        return complex(self.value().numpy())

    def __iter__(self) -> Iterator[EagerTensor]:
        return iter(self.read_value())

    def __repr__(self) -> str:
        text = array_text(self.read_value()._host(), repr)
        return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}, numpy={text}>"

    def __hash__(self) -> int:
        raise TypeError(
            "Variable is unhashable. Instead, use variable.ref() as the key. "
            f"(Variable: {self!r})"
        )

    def ref(self) -> Reference:
        """A hashable reference to this variable, for sets and dictionary keys."""
        return Reference(self)

    experimental_ref = ref

    def __copy__(self) -> Variable:
        twin = ResourceVariable.__new__(ResourceVariable)
        twin.__dict__.update(self.__dict__)
        return twin

    def __deepcopy__(self, memo: Any) -> Variable:
        twin: Any = self.__copy__()
        twin._handle = _created(self._read(), self._handle.name)
        memo[id(self)] = twin
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        scoped = {"name": self._shared_name, "trainable": self._trainable, "shape": self._shape}
        return _unpickled, (self._read(), scoped)

    # ---------------------------------------------------------------- updating
    def _apply(self, type: str, *values: EagerTensor, **attrs: Any) -> None:
        """Runs a state op on this variable."""
        op = OPS[type]
        if runtime.home is None or thread.scope is not PLAIN:
            execute(op, [self, *values], attrs)
            return
        device = self._handle.device
        quiet().run(op.kernel, device.xp, self, *[moved(v, device)._array for v in values], **attrs)

    def _updated(self, read_value: bool) -> _UnreadVariable | None:
        return _UnreadVariable(self) if read_value else None

    def assign(
        self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Replaces the value; in the same memory, where no tensor shares it.

        Args:
            value: A value of the variable's shape, converted to its dtype.
            use_locking: Without effect: updates are always atomic.
            name: Without effect.
            read_value: Whether to give the variable back.

        Returns:
            The variable, or None.

        Raises:
            ValueError: The shape is another one.
        """
        tensor = convert_to_tensor(value, dtype=self._handle.dtype)
        if not self._shape.is_compatible_with(tensor.shape):
            raise ValueError(
                f"Cannot assign value to variable ' {self.name}': Shape mismatch."
                f"The variable shape {self._shape}, and the assigned value shape {tensor.shape} are "
                "incompatible."
            )
        self._apply("AssignVariableOp", tensor)
        return self._updated(read_value)

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Adds a value of the variable's shape; see ``assign``."""
        self._apply("AssignAddVariableOp", convert_to_tensor(delta, dtype=self._handle.dtype))
        return self._updated(read_value)

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Subtracts a value of the variable's shape; see ``assign``."""
        self._apply("AssignSubVariableOp", convert_to_tensor(delta, dtype=self._handle.dtype))
        return self._updated(read_value)

    def count_up_to(self, limit: int) -> EagerTensor:
        """Adds one to an integer scalar; gives the value before.

        Raises:
            OutOfRangeError: The value has reached ``limit``.
        """
        return execute(OPS["ResourceCountUpTo"], [self], {"limit": limit})

    def _scatter(self, type: str, sparse_delta: Any) -> Any:
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(
                f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {sparse_delta}"
            )
        updates = convert_to_tensor(sparse_delta.values, self.dtype)
        execute(OPS[type], [self, sparse_delta.indices, updates], {})
        return self._updated(True)

    def scatter_add(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Adds ``tf.IndexedSlices`` to rows of the value."""
        return self._scatter("ResourceScatterAdd", sparse_delta)

    def scatter_sub(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Subtracts ``tf.IndexedSlices`` from rows of the value."""
        return self._scatter("ResourceScatterSub", sparse_delta)

    def scatter_mul(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Multiplies rows of the value by ``tf.IndexedSlices``."""
        return self._scatter("ResourceScatterMul", sparse_delta)

    def scatter_div(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Divides rows of the value by ``tf.IndexedSlices``."""
        return self._scatter("ResourceScatterDiv", sparse_delta)

    def scatter_min(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Takes the minimum of rows of the value and ``tf.IndexedSlices``."""
        return self._scatter("ResourceScatterMin", sparse_delta)

    def scatter_max(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Takes the maximum of rows of the value and ``tf.IndexedSlices``."""
        return self._scatter("ResourceScatterMax", sparse_delta)

    def scatter_update(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Replaces rows of the value by ``tf.IndexedSlices``."""
        return self._scatter("ResourceScatterUpdate", sparse_delta)

    def _scatter_nd(self, type: str, indices: Any, updates: Any) -> Any:
        execute(OPS[type], [self, indices, convert_to_tensor(updates, self.dtype)], {})
        return self._updated(True)

    def batch_scatter_update(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Replaces slices along the last indexed dimension, batch by batch."""
        indices = convert_to_tensor(sparse_delta.indices)
        updates = convert_to_tensor(sparse_delta.values, self.dtype)
        full = _batch_indices(indices)
        return self._scatter_nd("ResourceScatterNdUpdate", full, updates)

    def scatter_nd_add(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Adds to the elements or slices that ``indices`` names."""
        return self._scatter_nd("ResourceScatterNdAdd", indices, updates)

    def scatter_nd_sub(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Subtracts from the elements or slices that ``indices`` names."""
        return self._scatter_nd("ResourceScatterNdSub", indices, updates)

    def scatter_nd_update(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Replaces the elements or slices that ``indices`` names."""
        return self._scatter_nd("ResourceScatterNdUpdate", indices, updates)

    def scatter_nd_min(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Takes minima with the elements or slices that ``indices`` names."""
        return self._scatter_nd("ResourceScatterNdMin", indices, updates)

    def scatter_nd_max(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Takes maxima with the elements or slices that ``indices`` names."""
        return self._scatter_nd("ResourceScatterNdMax", indices, updates)

    def sparse_read(self, indices: Any, name: str | None = None) -> EagerTensor:
        """The rows of the value that ``indices`` names."""
        return execute(OPS["ResourceGather"], [self, indices], {})

    def gather_nd(self, indices: Any, name: str | None = None) -> EagerTensor:
        """The elements or slices of the value that ``indices`` names."""
        return execute(OPS["ResourceGatherNd"], [self, indices], {})


class ResourceVariable(BaseResourceVariable):
    """What ``tf.Variable`` makes."""


class _UnreadVariable(BaseResourceVariable):
    """What an update gives back: the same variable under another name."""

    def __init__(self, origin: BaseResourceVariable) -> None:
        self.__dict__.update(origin.__dict__)

    @property
    def name(self) -> str:
        """The name that marks the result of an update."""
        return "UnreadVariable"


FAST.update((ResourceVariable, _UnreadVariable))


def _in_place(symbol: str) -> Callable[[Any, Any], Any]:
    def refuse(self: Any, other: Any) -> NoReturn:
        raise RuntimeError(
            f"`var {symbol}= value` with `tf.Variable`s is not supported. Use `var.assign(var {symbol} "
            f"value)` to modify the variable, or `out = var {symbol} value` if you need to get a new "
            "output Tensor."
        )

    return refuse


for _name, _symbol in {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%"}.items():
    setattr(BaseResourceVariable, f"__i{_name}__", _in_place(_symbol))
for _name, _symbol in {"pow": "**", "and": "&", "or": "|", "xor": "^", "matmul": "@"}.items():
    setattr(BaseResourceVariable, f"__i{_name}__", _in_place(_symbol))


def _member(kind: type[enum.Enum], value: Any, what: str, name: str | None) -> Any:
    if value is None:
        return next(iter(kind))
    if isinstance(value, (VariableSynchronization, VariableAggregation, VariableAggregationV2)):
        return value
    raise ValueError(f"Invalid variable {what} mode: {value} for variable: {name}")


def _check_initial(initial_value: Any, variable_def: Any) -> None:
    if initial_value is None and variable_def is None:
        raise ValueError(
            "The `initial_value` arg to `tf.Variable` must be specified except when you are not "
            "providing a `variable_def`. You provided neither."
        )
    if variable_def is not None:
        raise ValueError(
            "The variable_def and initial_value args to `tf.Variable` are mutually exclusive, but got "
            f"both: variable_def={variable_def},\ninitial_value={initial_value}"
            if initial_value is not None
            else "A variable cannot be made of a `variable_def` outside a graph."
        )


def _created(tensor: EagerTensor, name: str) -> Handle:
    """A handle that holds a copy of a tensor's value on the device of the surrounding scope."""
    device = runtime.place(thread.scope.device)
    if tensor.dtype is dtypes.string and device.kind != "CPU":
        device = runtime.host
    runtime.log("VarHandleOp", device)
    array = moved(tensor, device)._array.copy()
    runtime.log("AssignVariableOp", device)
    return Handle(array, device, tensor.dtype, name)


def _logged(tensor: EagerTensor) -> EagerTensor:
    runtime.log("Identity", tensor._device)
    return tensor


def _unpickled(tensor: EagerTensor, options: dict[str, Any]) -> Variable:
    return Variable(tensor, **options)


def _batch_indices(indices: EagerTensor) -> np.ndarray[Any, Any]:
    """Indices that name batch and row, of indices that name rows per batch."""
    rows = indices._host()
    batch = np.indices(rows.shape, dtype=rows.dtype)[:-1]
    return np.stack([*batch, rows], axis=-1)
