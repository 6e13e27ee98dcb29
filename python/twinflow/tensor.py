"""Tensors: immutable arrays with a type and a device, and how values become tensors.

Invariants: a tensor's array is C-ordered, nobody else writes to it, and kernels do not either.
``Tensor`` must not subclass ``ndarray``: reticulate would turn it into an R array.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import dtypes
from .context import runtime, thread
from .convert import is_sequence, to_array
from .devices import Device
from .dtypes import FROM_NUMPY, DType, as_dtype
from .shapes import TensorShape

# NumPy methods that TensorFlow offers only after experimental_enable_numpy_behavior().
_NUMPY_ATTRIBUTES = frozenset(
    ("T", "astype", "ravel", "transpose", "reshape", "clip", "size", "tolist", "data")
)
_GRAPH_ATTRIBUTES = frozenset(("op", "graph", "name", "value_index"))


class Reference:
    """A hashable stand-in for a tensor or variable, compared by identity."""

    __slots__ = ("__weakref__", "_wrapped")

    def __init__(self, wrapped: Any) -> None:
        self._wrapped = wrapped

    def deref(self) -> Any:
        """The object referred to."""
        return self._wrapped

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._wrapped is other._wrapped

    def __hash__(self) -> int:
        return id(self._wrapped)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._wrapped!r}>"


class Tensor:
    """A value of fixed type and rank: what operations take and give."""

    __array_priority__ = 100
    _array: Any
    _device: Device
    dtype: DType

    def __hash__(self) -> int:
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")

    def ref(self) -> Reference:
        """A hashable reference to this tensor, for sets and dictionary keys."""
        return Reference(self)

    experimental_ref = ref


class EagerTensor(Tensor):
    """A tensor whose value is there.

    Attributes:
        dtype: The type of the elements.
    """

    def __init__(self, array: Any, device: Device, dtype: DType) -> None:
        self._array = array
        self._device = device
        self.dtype = dtype

    # ---------------------------------------------------------------- what it is
    @property
    def shape(self) -> TensorShape:
        """The shape."""
        return TensorShape.of(self._array.shape)

    def get_shape(self) -> TensorShape:
        """The shape."""
        return TensorShape.of(self._array.shape)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._array.ndim

    @property
    def device(self) -> str:
        """The full name of the device that holds the value."""
        return self._device.name

    backing_device = device

    @property
    def is_packed(self) -> bool:
        """Whether this stands for one tensor per device; never the case here."""
        return False

    @property
    def _id(self) -> int:
        return id(self)

    def set_shape(self, shape: Any) -> None:
        """Asserts that the shape is compatible with ``shape``."""
        if not self.shape.is_compatible_with(shape):
            raise ValueError(
                f"Tensor's shape {self.shape} is not compatible with supplied shape "
                f"{TensorShape(shape)}."
            )

    def consumers(self) -> Any:
        """Undefined for tensors that have a value."""
        raise NotImplementedError("Tensor.consumers is undefined when eager execution is enabled.")

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Undefined for tensors that have a value."""
        raise NotImplementedError(
            "eval is not supported when eager execution is enabled, is .numpy() what you're looking for?"
        )

    # ---------------------------------------------------------------- its value
    def _host(self) -> np.ndarray[Any, Any]:
        """The array on the host: the live one where the device is the host."""
        return self._device.backend.to_host(self._array)

    def numpy(self) -> Any:
        """The value as a NumPy array of its own, or a NumPy scalar for rank 0."""
        array = self._host()
        if array.ndim == 0:
            return array[()]
        return array.copy() if array is self._array else array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if copy:
            return np.array(self._host(), dtype)
        view = self._host().view()
        view.flags.writeable = False
        return view if dtype is None else view.astype(dtype, copy=False)

    @property
    def __array_interface__(self) -> dict[str, Any]:
        # Only for types that NumPy itself has: the protocol cannot name the others.
        array = self._array
        if self._device.kind != "CPU" or array.dtype.kind in "VO" or array.dtype.num > 23:
            raise AttributeError("__array_interface__")
        view = array.view()
        view.flags.writeable = False
        return view.__array_interface__

    def __buffer__(self, flags: int) -> memoryview:
        return memoryview(self.__array__())

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self._array.__dlpack__(**kwargs)

    def __dlpack_device__(self) -> Any:
        return self._array.__dlpack_device__()

    def cpu(self) -> EagerTensor:
        """This tensor on the host."""
        return moved(self, runtime.host)

    def gpu(self, gpu_index: int = 0) -> EagerTensor:
        """This tensor on a GPU."""
        return moved(self, runtime.place(f"/device:GPU:{gpu_index}"))

    # ---------------------------------------------------------------- as Python values
    def __bool__(self) -> bool:
        array = self._host()
        if array.size > 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. "
                "Use a.any() or a.all()"
            )
        return bool(array.reshape(-1)[0]) if array.size else False

    def __int__(self) -> int:
        array = self._host()
        return int(array.real if array.dtype.kind == "c" else array[()])

    def __float__(self) -> float:
        array = self._host()
        return float(array.real if array.dtype.kind == "c" else array[()])

    def __complex__(self) -> complex:
        return complex(self._host()[()])

    def __index__(self) -> int:
        return self.numpy().__index__()

    def __len__(self) -> int:
        if not self._array.ndim:
            raise TypeError("Scalar tensor has no `len()`")
        return len(self._array)

    def __iter__(self) -> Iterator[Any]:
        if not self._array.ndim:
            raise TypeError("Cannot iterate over a scalar tensor.")
        return (self[i] for i in range(len(self._array)))

    def __round__(self, digits: int | None = None) -> Any:
        return self.astype  # as in TensorFlow: says how to turn NumPy's methods on

    def __format__(self, spec: str) -> str:
        return self.numpy().__format__(spec) if spec or not self._array.ndim else str(self.numpy())

    def __repr__(self) -> str:
        return (
            f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, "
            f"numpy={array_text(self._host(), repr)}>"
        )

    def __str__(self) -> str:
        return (
            f"tf.Tensor({array_text(self._host(), str)}, "
            f"shape={self.shape}, dtype={self.dtype.name})"
        )

    def __getattr__(self, name: str) -> Any:
        if name in _NUMPY_ATTRIBUTES:
            raise AttributeError(
                f"{type(self).__name__} object has no attribute '{name}'. \n"
                "        If you are looking for numpy-related methods, please run the following:\n"
                "        tf.experimental.numpy.experimental_enable_numpy_behavior()\n      "
            )
        if name in _GRAPH_ATTRIBUTES:
            raise AttributeError(f"Tensor.{name} is undefined when eager execution is enabled.")
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    # ---------------------------------------------------------------- copies
    def __copy__(self) -> EagerTensor:
        return EagerTensor(self._array, self._device, self.dtype)

    def __deepcopy__(self, memo: Any) -> EagerTensor:
        return EagerTensor(self._array.copy(), self._device, self.dtype)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self._host(), self.dtype)


def _unpickled(array: np.ndarray[Any, Any], dtype: DType) -> EagerTensor:
    return moved(EagerTensor(array, runtime.host, dtype), runtime.default)


def array_text(array: np.ndarray[Any, Any], how: Callable[[Any], str]) -> str:
    """An array as TensorFlow prints it: rank 0 as a Python value, several lines on their own."""
    if array.ndim:
        text = how(array)
        return "\n" + text if "\n" in text else text
    value = array[()]
    return repr(value.item()) if how is repr and hasattr(value, "item") else str(value)


# ------------------------------------------------------------------ making tensors


def from_array(array: Any, dtype: DType | None = None, device: Device | None = None) -> EagerTensor:
    """Wraps a C-ordered array that the caller gives up, without copying it.

    Args:
        array: An array of the device's array module.
        dtype: The type of the elements; NumPy's where None.
        device: The device that holds the array; the host where None, from where the tensor then
            moves to the device of the surrounding scope.
    """
    dtype = dtype or FROM_NUMPY[array.dtype]
    if device is not None:
        return EagerTensor(array, device, dtype)
    return moved(EagerTensor(array, runtime.host, dtype), runtime.place(thread.scope.device))


def moved(tensor: EagerTensor, device: Device) -> EagerTensor:
    """The tensor on a device: itself where it is there already, else a copy.

    String tensors live on the host whatever is asked for.
    """
    source = tensor._device
    if source is device or (tensor.dtype.kind == "s" and device.kind != "CPU"):
        return tensor
    array = tensor._array
    if source.backend is device.backend:
        with device.backend.activate(device.ordinal):
            return EagerTensor(array.copy(), device, tensor.dtype)
    host = source.backend.to_host(array)
    return EagerTensor(device.backend.from_host(host, device.ordinal), device, tensor.dtype)


# TensorFlow makes a scalar constant once per type and device, and so does a placement log show it.
_scalars: dict[tuple[Any, ...], EagerTensor] = {}
_MAX_SCALARS = 4096
_CACHED_TYPES = frozenset((int, float, bool))


def _constant(value: Any, dtype: DType | None) -> EagerTensor:
    """A tensor of a Python or NumPy value on the device of the surrounding scope."""
    if type(value) not in _CACHED_TYPES or (value == 0 and type(value) is float):
        return _uncached(value, dtype)
    key = (type(value), value, dtype, thread.scope.device)
    tensor = _scalars.get(key)
    if tensor is None:
        tensor = _uncached(value, dtype)
        if len(_scalars) >= _MAX_SCALARS:
            _scalars.clear()
        _scalars[key] = tensor
    return tensor


def _uncached(value: Any, dtype: DType | None) -> EagerTensor:
    array, found = to_array(value, dtype)
    tensor = from_array(array, found)
    runtime.log("_EagerConst", tensor._device)
    return tensor


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> EagerTensor:
    """Makes a tensor of a value.

    Args:
        value: A number, string, NumPy array, or nested list of them.
        dtype: The type of the elements; inferred where None (float32 for Python floats, int32 for
            integers, a NumPy array's own).
        shape: The shape of the result. The value must have as many elements, or one, which fills it.
        name: A name; it has no effect on a tensor with a value.

    Returns:
        A tensor on the device of the surrounding ``tf.device`` block.

    Raises:
        TypeError: The value does not fit the dtype or the shape.
        ValueError: The value cannot be a tensor.
    """
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(value, EagerTensor):
        tensor = value
        if wanted not in (None, tensor.dtype):
            raise TypeError(
                f"Expected tensor {array_text(tensor._host(), str)} with dtype {wanted!r}, "
                f"but got dtype {tensor.dtype!r}."
            )
    else:
        if is_sequence(value) and _holds_tensors(value):
            raise ValueError(
                "tf.constant takes Python and NumPy values; use tf.stack or tf.convert_to_tensor to "
                "make one tensor of a sequence that holds tensors."
            )
        tensor = _constant(value, wanted)
    return tensor if shape is None else _shaped(tensor, value, TensorShape(shape))


def _shaped(tensor: EagerTensor, value: Any, shape: TensorShape) -> EagerTensor:
    dims, array = tuple(shape.as_list()), tensor._array
    if array.size == 1:
        filled = tensor._device.xp.full(dims, array.reshape(-1)[0], array.dtype)
        return EagerTensor(filled, tensor._device, tensor.dtype)
    if array.size != shape.num_elements():
        raise TypeError(
            "Eager execution of tf.constant with unsupported shape. "
            f"Tensor {array_text(tensor._host(), str)} (converted from {value}) has {array.size} "
            f"elements, but got `shape` {shape} with {shape.num_elements()} elements)."
        )
    return EagerTensor(array.reshape(dims), tensor._device, tensor.dtype)


def _holds_tensors(value: Any) -> bool:
    for cls in set(map(type, value)):
        if issubclass(cls, Tensor) or hasattr(cls, "__tf_tensor__"):
            return True
    return any(_holds_tensors(item) for item in value if isinstance(item, (list, tuple)))


# What stacks sequences that hold tensors (the Pack op), and conversions that programs register.
_stack: Callable[[list[Any]], EagerTensor] | None = None
_registered: list[tuple[Any, Callable[..., Any]]] = []


def set_stack(function: Callable[[list[Any]], EagerTensor]) -> None:
    """Tells how a list of tensors becomes one tensor; called once by the array ops."""
    global _stack
    _stack = function


def register_tensor_conversion_function(
    base_type: Any, conversion_func: Callable[..., Any], priority: int = 100
) -> None:
    """Registers how objects of a class become tensors.

    Args:
        base_type: A class or tuple of classes.
        conversion_func: Called with ``(value, dtype, name, as_ref)``; gives a tensor, or
            NotImplemented to let the next function try.
        priority: Lower runs earlier.
    """
    _registered.append((base_type, conversion_func))
    _priorities[conversion_func] = priority
    _registered.sort(key=lambda entry: _priorities[entry[1]])


_priorities: weakref.WeakKeyDictionary[Callable[..., Any], int] = weakref.WeakKeyDictionary()


def convert_to_tensor(
    value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None
) -> EagerTensor:
    """Makes a tensor of a value, or gives the value itself where it is a tensor.

    Args:
        value: A tensor, variable, number, string, NumPy array or nested list of any of them.
        dtype: The type that the result must have.
        dtype_hint: A type to prefer where the value can have it.
        name: A name; it has no effect on a tensor with a value.

    Raises:
        TypeError: The value does not fit the dtype.
        ValueError: The value cannot be a tensor, or is a tensor of another type.
    """
    wanted = None if dtype is None else as_dtype(dtype).base_dtype
    if wanted is None and dtype_hint is not None and not isinstance(value, Tensor):
        try:
            return _converted(value, as_dtype(dtype_hint), name)
        except (TypeError, ValueError):
            return _converted(value, None, name)
    return _converted(value, wanted, name)


def _converted(value: Any, dtype: DType | None, name: str | None) -> EagerTensor:
    if isinstance(value, EagerTensor):
        if dtype is None or dtype is value.dtype:
            return value
        prefix = f"{name}: " if name else ""
        raise ValueError(
            f"{prefix}Tensor conversion requested dtype {dtype.name} for Tensor with dtype "
            f"{value.dtype.name}: {value!r}"
        )
    if type(value) in _CACHED_TYPES:
        return _constant(value, dtype)
    convert = getattr(value, "__tf_tensor__", None)
    if convert is not None:
        return convert(dtype, name)
    for base_type, function in _registered:
        if isinstance(value, base_type):
            result = function(value, dtype=dtype, name=name, as_ref=False)
            if result is not NotImplemented:
                return result
    if isinstance(value, (list, tuple)) and _holds_tensors(value):
        return _packed(value, dtype)
    if isinstance(value, TensorShape):
        return _shape_tensor(value, dtype)
    return _constant(value, dtype)


def _shape_tensor(shape: TensorShape, dtype: DType | None) -> EagerTensor:
    if not shape.is_fully_defined():
        raise ValueError(f"Cannot convert a partially known TensorShape {shape} to a Tensor.")
    sizes: list[Any] = shape.as_list()
    wide = any(size > np.iinfo(np.int32).max for size in sizes)
    return _constant(np.array(sizes, np.int64), dtype or (dtypes.int64 if wide else dtypes.int32))


def _packed(values: Any, dtype: DType | None) -> EagerTensor:
    """One tensor of a nested sequence that holds tensors; the first of them tells the type."""
    assert _stack is not None
    leaf = _first_tensor(values)
    inner = leaf.dtype.base_dtype
    items = [
        _packed(v, inner) if isinstance(v, (list, tuple)) and _holds_tensors(v)
        else v if hasattr(v, "dtype") and (isinstance(v, Tensor) or hasattr(v, "__tf_tensor__"))
        else _constant(v, inner)
        for v in values
    ]
    tensor = _stack(items)
    return tensor if dtype in (None, tensor.dtype) else _cast(tensor, dtype)


_cast: Callable[[EagerTensor, Any], EagerTensor]


def set_cast(function: Callable[[EagerTensor, Any], EagerTensor]) -> None:
    """Tells how a tensor changes its type; called once by the array ops."""
    global _cast
    _cast = function


def _first_tensor(values: Any) -> Any:
    for value in values:
        if isinstance(value, Tensor) or hasattr(value, "__tf_tensor__"):
            return value
        if isinstance(value, (list, tuple)):
            found = _first_tensor(value)
            if found is not None:
                return found
    return None


def is_tensor(x: Any) -> bool:
    """Whether a value is a tensor or can stand for one without conversion (a variable)."""
    return isinstance(x, Tensor) or hasattr(type(x), "__tf_tensor__")
