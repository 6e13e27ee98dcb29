"""Tensors: immutable arrays with a dtype and a device.

Invariants: a tensor's array is C-contiguous, and neither kernels nor other owners write to it.
``Tensor`` must not subclass ``ndarray``: reticulate would convert it to an R array.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from twinflow._src.core.context import runtime, thread
from twinflow._src.core.devices import Device, copied
from twinflow._src.core.dtypes import FROM_NUMPY, DType
from twinflow._src.core.shapes import TensorShape
from twinflow._src.numerics.object_arrays import element

# NumPy methods that tensors have only after experimental_enable_numpy_behavior().
_NUMPY_ATTRIBUTES = frozenset(
    ("T", "astype", "ravel", "transpose", "reshape", "clip", "size", "tolist", "data")
)
_GRAPH_ATTRIBUTES = frozenset(("op", "graph", "name", "value_index"))


_numbers = itertools.count()


class Reference:
    """A hashable reference to a tensor or variable, compared by identity."""

    __slots__ = ("__weakref__", "_wrapped")

    def __init__(self, wrapped: Any) -> None:
        self._wrapped = wrapped

    def deref(self) -> Any:
        """Returns the referenced object."""
        return self._wrapped

    def __eq__(self, other: object) -> bool:
        return self._wrapped is self._other(other)

    def __lt__(self, other: object) -> bool:
        """Orders references by identity: keys of the dicts that ``tf.nest`` sorts."""
        return id(self._wrapped) < id(self._other(other))

    def __gt__(self, other: object) -> bool:
        return id(self._wrapped) > id(self._other(other))

    @staticmethod
    def _other(other: object) -> Any:
        """Returns what another reference refers to."""
        if not isinstance(other, Reference):
            raise TypeError("Cannot compare wrapped object with unwrapped object")
        return other._wrapped

    def __hash__(self) -> int:
        return id(self._wrapped)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._wrapped!r}>"


if TYPE_CHECKING:  # the ops bind Python's operators when they are defined
    from twinflow._src.core.operators import TensorMembers
else:
    TensorMembers = object


class TensorType:
    """Base class of tensors, of variables, and of classes of libraries that count as tensors."""


class Tensor(TensorType, TensorMembers):
    """A multi-dimensional array of fixed dtype: the input and output of operations."""

    __module__ = "twinflow"

    OVERLOADABLE_OPERATORS: frozenset[str]  # the operator methods that the ops define
    _USE_EQUALITY = True
    __array_priority__ = 100
    _array: Any
    _device: Device
    dtype: DType

    def __hash__(self) -> int:
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")

    def ref(self) -> Reference:
        """Returns a hashable reference to this tensor, for sets and dictionary keys."""
        return Reference(self)

    experimental_ref = ref


class EagerTensor(Tensor):
    """A tensor with a concrete value.

    Attributes:
        dtype: The dtype of the elements.
    """

    def __init__(self, array: Any, device: Device, dtype: DType) -> None:
        self._array = array
        self._device = device
        self.dtype = dtype

    # ---------------------------------------------------------------- properties
    @property
    def shape(self) -> TensorShape:
        """The shape."""
        return TensorShape.of(self._array.shape)

    def get_shape(self) -> TensorShape:
        """Returns the shape."""
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
        """True if this packs one tensor per device; always False here."""
        return False

    @property
    def _id(self) -> int:
        return self.__dict__.setdefault("_number", next(_numbers))

    def set_shape(self, shape: Any) -> None:
        """Raises ValueError if the shape is incompatible with ``shape``."""
        if not self.shape.is_compatible_with(shape):
            raise ValueError(
                f"Tensor's shape {self.shape} is not compatible with supplied shape "
                f"{TensorShape(shape)}."
            )

    def consumers(self) -> Any:
        """Raises NotImplementedError: only symbolic tensors have consumers."""
        raise NotImplementedError("Tensor.consumers is undefined when eager execution is enabled.")

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Raises NotImplementedError: only symbolic tensors are evaluated in a session."""
        raise NotImplementedError(
            "eval is not supported when eager execution is enabled, is .numpy() what you're looking for?"
        )

    # ---------------------------------------------------------------- the value
    def _host(self) -> np.ndarray[Any, Any]:
        """Returns the array on the host; on the CPU the tensor's own array, not a copy."""
        return self._device.backend.to_host(self._array)

    def _numpy(self) -> Any:
        """Returns ``numpy()``, as libraries call it that print variables."""
        return self.numpy()

    def numpy(self) -> Any:
        """Returns a copy of the value as a NumPy array, or a NumPy scalar for rank 0."""
        array = self._host()
        if array.ndim == 0:
            return array[()]
        return array.copy() if array is self._array else array

    def __bytes__(self) -> bytes:
        array = self.__array__()
        return bytes(self.__index__()) if array.dtype.kind == "O" else array.tobytes()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if copy:
            return np.array(self._host(), dtype)
        view = self._host().view()
        view.flags.writeable = False
        return view if dtype is None else view.astype(dtype, copy=False)

    @property
    def __array_interface__(self) -> dict[str, Any]:
        # Only for NumPy's own dtypes: the protocol cannot describe the others.
        array = self._array
        if self._device.kind != "CPU" or array.dtype.kind in "VO" or array.dtype.num > 23:
            raise AttributeError("__array_interface__")
        view = array.view()
        view.flags.writeable = False
        return view.__array_interface__

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        # The tensor's own memory: consumers must not write to it. The protocol cannot describe
        # bfloat16; DLPack can.
        if self._device.kind == "CPU" or self._array.dtype.kind == "V":
            raise AttributeError("__cuda_array_interface__")
        interface = self._device.backend.run(
            lambda: self._array.__cuda_array_interface__, self._device.ordinal
        )
        # CUDA's legacy default stream, whatever the thread's stream is
        return {**interface, "stream": 1}

    def __buffer__(self, flags: int) -> memoryview:
        array: Any = self.__array__()  # NumPy's stubs differ by version
        return memoryview(array)

    def __dlpack__(self, *, max_version: tuple[int, int] | None = None, **kwargs: Any) -> Any:
        if self._device.kind != "CPU":  # ordered after the work that computes it, in the stream
            return self._device.backend.run(
                lambda: self._array.__dlpack__(**kwargs), self._device.ordinal
            )
        if max_version is None or max_version < (1, 0):
            return self._array.__dlpack__(
                **kwargs
            )  # the protocol cannot express "read only" before 1.0
        return self.__array__().__dlpack__(max_version=max_version, **kwargs)

    def __dlpack_device__(self) -> Any:
        return self._array.__dlpack_device__()

    def cpu(self) -> EagerTensor:
        """Returns this tensor on the host."""
        return transfer_tensor(self, runtime.host)

    def gpu(self, gpu_index: int = 0) -> EagerTensor:
        """Returns this tensor on a GPU."""
        return transfer_tensor(self, runtime.place(f"/device:GPU:{gpu_index}"))

    # ---------------------------------------------------------------- conversions to Python values
    def __bool__(self) -> bool:
        array = self._host()
        if array.size > 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. "
                "Use a.any() or a.all()"
            )
        return bool(array.reshape(-1)[0]) if array.size else False

    def __int__(self) -> int:
        return int(self._number(is_real=True))

    def __float__(self) -> float:
        return float(self._number(is_real=True))

    def __complex__(self) -> complex:
        return complex(self._number())

    def _number(self, is_real: bool = False) -> Any:
        """Returns the element of a scalar."""
        number = element(self._host())
        return number.real if is_real and isinstance(number, np.complexfloating) else number

    def __index__(self) -> int:
        if self._array.dtype.kind == "b":  # NumPy up to 2.2 accepts bools as integers
            raise AttributeError("'bool' object has no attribute '__index__'")
        return self.numpy().__index__()

    def __len__(self) -> int:
        if not self._array.ndim:
            raise TypeError("Scalar tensor has no `len()`")
        return len(self._array)

    def __iter__(self) -> Iterator[Any]:
        if not self._array.ndim:
            raise TypeError("Cannot iterate over a scalar tensor.")
        return _TensorIterator(self, len(self._array))

    def __format__(self, spec: str) -> str:
        return self.numpy().__format__(spec)

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
        # The module path is TensorFlow's, as user code and guides show it.
        raise AttributeError(
            f"'tensorflow.python.framework.ops.{type(self).__name__}' object has no attribute '{name}'"
        )

    # ---------------------------------------------------------------- copies
    def __copy__(self) -> EagerTensor:
        return self  # tensors are immutable

    def __deepcopy__(self, memo: Any) -> EagerTensor:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self._host(), self.dtype)


def _unpickled(array: np.ndarray[Any, Any], dtype: DType) -> EagerTensor:
    return transfer_tensor(EagerTensor(array, runtime.host, dtype), runtime.default)


def array_text(array: np.ndarray[Any, Any], how: Callable[[Any], str]) -> str:
    """Returns an array as TensorFlow prints it: rank 0 as a Python value, many lines apart."""
    if array.ndim:
        text = how(array)
        return "\n" + text if "\n" in text else text
    value = array[()]
    return repr(value.item()) if how is repr and hasattr(value, "item") else str(value)


# ------------------------------------------------------------------ creation and transfer


def from_array(array: Any, dtype: DType | None = None, device: Device | None = None) -> EagerTensor:
    """Wraps a C-contiguous array without a copy; the caller must not use it afterwards.

    Without a device the array is on the host, and the tensor is placed by the current scope.
    """
    dtype = dtype or FROM_NUMPY[array.dtype]
    if device is None:
        home = runtime.home
        if home is not None and home.kind == "CPU" and thread.scope.eager:
            device = home
    if device is not None:
        return EagerTensor(array, device, dtype)
    return place_on_device(
        EagerTensor(array, runtime.host, dtype), runtime.place(thread.scope.device)
    )


def place_on_device(tensor: EagerTensor, device: Device) -> EagerTensor:
    """Places a tensor that was created on the host on the requested device.

    As in TensorFlow, int32 tensors stay on the host: they are sizes and indices more often than
    data.
    """
    return (
        tensor
        if device.kind != "CPU" and tensor.dtype.name == "int32"
        else transfer_tensor(tensor, device)
    )


def transfer_tensor(tensor: EagerTensor, device: Device) -> EagerTensor:
    """Returns the tensor on a device: itself if it is already there, else a copy.

    Tensors of a dtype that the device does not support (strings on a GPU) stay where they are.
    """
    if tensor._device is device or not device.backend.holds(tensor.dtype.np):
        return tensor
    if device.remote and tensor._device.kind == "CPU":
        return EagerTensor(device.backend.mirror(tensor), device, tensor.dtype)
    return EagerTensor(
        copied(tensor._array, tensor._device, device, tensor.dtype), device, tensor.dtype
    )


class _TensorIterator:
    """Iterator over the slices of a tensor along the first axis."""

    def __init__(self, tensor: Any, limit: int) -> None:
        self._tensor, self._index, self._limit = tensor, 0, limit

    def __iter__(self) -> _TensorIterator:
        return self

    def __next__(self) -> Any:
        index = self._index
        if index == self._limit:
            raise StopIteration
        self._index = index + 1
        return self._tensor[index]
