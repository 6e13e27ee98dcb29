"""Update methods of variables, which run state ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import numpy as np

from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import PLAIN, quiet, runtime, thread
from twinflow._src.core.dtypes import DType
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.tensor import EagerTensor, transfer_tensor
from twinflow._src.dispatch.op import API, OPS, execute
from twinflow._src.dispatch.registry import Op
from twinflow._src.variables.handle import Handle

C = TypeVar("C")


def named_as(owner: str) -> Callable[[type[C]], type[C]]:
    """Returns a decorator that sets ``__qualname__`` of a class's methods to those of ``owner``."""
    # TensorFlow's messages show these names.

    def rename(cls: type[C]) -> type[C]:
        for value in vars(cls).values():
            if callable(value) and hasattr(value, "__qualname__"):
                value.__qualname__ = f"{owner}.{value.__name__}"
        return cls

    return rename


def assert_restorable(variable: Any, shape: Any, name: str) -> None:
    """Raises ValueError where a saved shape is incompatible with that of a variable."""
    if not variable.shape.is_compatible_with(shape):
        raise ValueError(
            f"Received incompatible tensor with shape {tuple(shape)} when attempting to restore variable with shape "
            f"{variable.shape} and name {name}."
        )


@named_as("BaseResourceVariable")
class Updates:
    """The update methods of variables."""

    _handle: Handle
    _shape: TensorShape
    _validates = True  # True if an assigned value must have the shape of the current one

    if TYPE_CHECKING:  # defined by the classes of variables

        @property
        def name(self) -> str: ...

        @property
        def dtype(self) -> DType: ...

        def _updated(self, read_value: bool) -> Any: ...

    def _operand(self, value: Any) -> EagerTensor:
        """Returns a value as a tensor of the variable's dtype."""
        dtype = self._handle.value_dtype
        if type(value) is EagerTensor and value.dtype is dtype:
            return value
        return convert_to_tensor(value, dtype=dtype)

    def _apply(self, op: Op, value: EagerTensor) -> None:
        """Runs a state op on this variable and a value."""
        handle = self._handle
        device = handle.device
        if (
            runtime.home is None
            or thread.scope is not PLAIN
            or handle.value_dtype not in op.dtypes
            or device.remote
        ):
            execute(op, [self, value], self._validating(op))
            return
        array = value._array if value._device is device else transfer_tensor(value, device)._array
        try:
            if device.kind == "CPU":
                quiet().run(op.kernel, device.xp, self, array)
            else:
                device.backend.run(op.kernel, device.ordinal, device.xp, self, array)
        except MemoryError:
            execute(op, [self, value], {})  # raises ResourceExhaustedError

    def _validating(self, op: Op) -> dict[str, Any]:
        """Returns the attributes of an update op: shapes are validated at run time in graphs."""
        is_graph_assign = op is OPS["AssignVariableOp"] and thread.scope.graph is not None
        return (
            {"validate_shape": self._validates and self._shape.is_fully_defined()}
            if is_graph_assign
            else {}
        )

    def assign(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Replaces the value; in place, where no tensor shares the memory.

        Args:
            value: A value of the variable's shape, converted to its dtype.
            use_locking: Without effect: updates are always atomic.
            name: The name of the operation in a graph.
            read_value: Whether to return the variable.

        Returns:
            The variable, or None.

        Raises:
            ValueError: The shapes are incompatible.
        """
        tensor = self._operand(value)
        is_eager = type(tensor) is EagerTensor
        dims = tensor._array.shape if is_eager else tensor.shape._dims
        if dims != self._shape._dims and not self._shape.is_compatible_with(dims):
            raise ValueError(
                f"Cannot assign value to variable ' {self.name}': Shape mismatch."
                f"The variable shape {self._shape}, and the assigned value shape {tensor.shape} are "
                "incompatible."
            )
        handle = self._handle
        device = handle.device
        is_on_host = is_eager and device is tensor._device and device.kind == "CPU"
        if is_on_host and not device.remote and thread.scope is PLAIN and runtime.home is not None:
            try:
                handle.assign(tensor._array)
            except MemoryError:
                self._apply(OPS["AssignVariableOp"], tensor)  # raises ResourceExhaustedError
        else:
            self._apply(OPS["AssignVariableOp"], tensor)
        return self._updated(read_value)

    def assign_add(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Adds a value of the variable's shape; see ``assign``."""
        self._apply(OPS["AssignAddVariableOp"], self._operand(delta))
        return self._updated(read_value)

    def assign_sub(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Subtracts a value of the variable's shape; see ``assign``."""
        self._apply(OPS["AssignSubVariableOp"], self._operand(delta))
        return self._updated(read_value)

    def count_up_to(self, limit: int) -> EagerTensor:
        """Increments an integer scalar; returns the previous value.

        Raises:
            OutOfRangeError: The value has reached ``limit``.
        """
        return execute(OPS["ResourceCountUpTo"], [self], {"limit": limit})

    def _scatter(self, type: str, sparse_delta: Any, name: str | None = None) -> Any:
        _assert_slices(sparse_delta)
        updates = convert_to_tensor(sparse_delta.values, self.dtype)
        execute(OPS[type], [self, sparse_delta.indices, updates], _named(name))
        return self._updated(True)

    def scatter_add(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Adds ``tf.IndexedSlices`` to rows of the value."""
        return self._scatter("ResourceScatterAdd", sparse_delta, name)

    def scatter_sub(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Subtracts ``tf.IndexedSlices`` from rows of the value."""
        return self._scatter("ResourceScatterSub", sparse_delta, name)

    def scatter_mul(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Multiplies rows of the value by ``tf.IndexedSlices``."""
        return self._scatter("ResourceScatterMul", sparse_delta, name)

    def scatter_div(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Divides rows of the value by ``tf.IndexedSlices``."""
        return self._scatter("ResourceScatterDiv", sparse_delta, name)

    def scatter_min(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Takes the minimum of rows of the value and ``tf.IndexedSlices``."""
        return self._scatter("ResourceScatterMin", sparse_delta, name)

    def scatter_max(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Takes the maximum of rows of the value and ``tf.IndexedSlices``."""
        return self._scatter("ResourceScatterMax", sparse_delta, name)

    def scatter_update(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Replaces rows of the value by ``tf.IndexedSlices``."""
        return self._scatter("ResourceScatterUpdate", sparse_delta, name)

    def _scatter_nd(self, type: str, indices: Any, updates: Any, name: str | None = None) -> Any:
        execute(OPS[type], [self, indices, convert_to_tensor(updates, self.dtype)], _named(name))
        return self._updated(True)

    def batch_scatter_update(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Replaces slices along the last indexed dimension, for each batch."""
        _assert_slices(sparse_delta)
        indices = convert_to_tensor(sparse_delta.indices)
        updates = convert_to_tensor(sparse_delta.values, self.dtype)
        full = batch_indices(indices)
        return self._scatter_nd("ResourceScatterNdUpdate", full, updates, name)

    def scatter_nd_add(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Adds to the elements or slices at ``indices``."""
        return self._scatter_nd("ResourceScatterNdAdd", indices, updates, name)

    def scatter_nd_sub(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Subtracts from the elements or slices at ``indices``."""
        return self._scatter_nd("ResourceScatterNdSub", indices, updates, name)

    def scatter_nd_update(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Replaces the elements or slices at ``indices``."""
        return self._scatter_nd("ResourceScatterNdUpdate", indices, updates, name)

    def scatter_nd_min(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Takes the minimum of ``updates`` and the elements or slices at ``indices``."""
        return self._scatter_nd("ResourceScatterNdMin", indices, updates, name)

    def scatter_nd_max(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Takes the maximum of ``updates`` and the elements or slices at ``indices``."""
        return self._scatter_nd("ResourceScatterNdMax", indices, updates, name)

    def sparse_read(self, indices: Any, name: str | None = None) -> EagerTensor:
        """Returns the rows of the value at ``indices``."""
        return execute(OPS["ResourceGather"], [self, indices], {})

    def gather_nd(self, indices: Any, name: str | None = None) -> EagerTensor:
        """Returns the elements or slices at ``indices``, on the device of the current scope."""
        result = execute(OPS["ResourceGatherNd"], [self, indices], {})
        return result if thread.scope.graph is not None else execute(OPS["Identity"], [result], {})


def _assert_slices(sparse_delta: Any) -> None:
    if not isinstance(sparse_delta, IndexedSlices):
        raise TypeError(
            f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {sparse_delta}"
        )


def _named(name: str | None) -> dict[str, Any]:
    """Returns the attributes of an operation with an optional name."""
    return {} if name is None or thread.scope.graph is None else {"name": name}


def _in_place(symbol: str) -> Callable[[Any, Any], Any]:
    def refuse(self: Any, other: Any) -> NoReturn:
        raise RuntimeError(
            f"`var {symbol}= value` with `tf.Variable`s is not supported. Use `var.assign(var {symbol} "
            f"value)` to modify the variable, or `out = var {symbol} value` if you need to get a new "
            "output Tensor."
        )

    return refuse


def _in_place_sum(symbol: str, method: str) -> Callable[[Any, Any], Any]:
    def refuse(self: Any, other: Any) -> NoReturn:
        raise RuntimeError(
            f"`variable {symbol}= value` with `tf.Variable`s is not supported. Use `variable.{method}"
            f"(value)` to modify the variable, or `out = variable {symbol} value` if you need to get a "
            "new output Tensor."
        )

    return refuse


for _name, _symbol in {"add": "+", "sub": "-"}.items():
    setattr(Updates, f"__i{_name}__", _in_place_sum(_symbol, f"assign_{_name}"))
for _name, _symbol in {"mul": "*", "truediv": "/", "div": "/", "pow": "**"}.items():
    setattr(Updates, f"__i{_name}__", _in_place(_symbol))


def batch_indices(indices: Any) -> Any:
    """Returns indices of batch and row, from row indices per batch."""
    if indices.shape.rank is None:
        raise ValueError("batch_gather does not allow indices with unknown shape.")
    if not isinstance(indices, EagerTensor):
        sizes, rank = API["shape"](indices), indices.shape.rank
        shapes = [[-1 if i == axis else 1 for i in range(rank)] for axis in range(rank - 1)]
        counts = [
            API["reshape"](API["range"](sizes[axis]), shape) for axis, shape in enumerate(shapes)
        ]
        batches = [
            API["broadcast_to"](API["cast"](count, indices.dtype), sizes) for count in counts
        ]
        return API["stack"]([*batches, indices], axis=-1)
    rows = indices._host()
    batch = np.indices(rows.shape, dtype=rows.dtype)[:-1]
    return np.stack([*batch, rows], axis=-1)
