"""Exchange of tensors with other array libraries by DLPack."""

from __future__ import annotations

import ctypes
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import runtime
from twinflow._src.core.devices import Device, allocate_on_device
from twinflow._src.core.dtypes import FROM_NUMPY
from twinflow._src.core.errors import invalid
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.op import export


@export("experimental.dlpack.to_dlpack")
def to_dlpack(tf_tensor: Any) -> Any:
    """Exports a tensor's memory as a DLPack capsule, without a copy.

    Args:
        tf_tensor: A numeric or boolean tensor.

    Returns:
        A DLPack capsule.

    Raises:
        InvalidArgumentError: DLPack does not support the dtype.
    """
    tensor = convert_to_tensor(tf_tensor)
    try:
        return tensor.__dlpack__()
    except (BufferError, TypeError) as error:
        raise invalid(f"{tensor.dtype.name} is not supported by DLPack") from error


class _Capsule:
    """Wraps a capsule in the object protocol that array modules require."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule
        self._device = _device_of(capsule)

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device


class _Head(ctypes.Structure):
    """The first fields of the DLTensor in a capsule: data pointer and device."""

    _fields_ = [("data", ctypes.c_void_p), ("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class _Versioned(ctypes.Structure):
    """DLManagedTensorVersioned (DLPack 1.0 and later): the new fields come first."""

    _fields_ = [
        ("version", ctypes.c_uint32 * 2), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64), ("head", _Head),
    ]  # fmt: skip


def _device_of(capsule: Any) -> tuple[int, int]:
    """Returns DLPack's device type and id of a capsule."""
    name_of, pointer_of = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    name = name_of(capsule)
    address = pointer_of(capsule, name)
    newer = name == b"dltensor_versioned"
    head = _Versioned.from_address(address).head if newer else _Head.from_address(address)
    return head.type, head.id


@export("experimental.dlpack.from_dlpack")
def from_dlpack(dlcapsule: Any) -> EagerTensor:
    """Creates a tensor of another library's memory, without a copy if it is C-contiguous.

    Args:
        dlcapsule: A DLPack capsule, or an array with ``__dlpack__``. Its owner must not write to it
            any more.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The dtype is not supported.
    """
    source = dlcapsule if hasattr(dlcapsule, "__dlpack__") else _Capsule(dlcapsule)
    device = _holding(*source.__dlpack_device__())
    array = device.backend.run(device.xp.from_dlpack, device.ordinal, source)
    if array.dtype not in FROM_NUMPY:
        raise invalid(f"{array.dtype} is not a type of tensors")
    dtype = FROM_NUMPY[array.dtype]
    in_order = lambda: device.xp.ascontiguousarray(array).reshape(array.shape)
    return EagerTensor(
        allocate_on_device(
            device, array.shape, dtype, device.backend.run, in_order, device.ordinal
        ),
        device,
        dtype,
    )


_CUDA = 2  # DLPack's device type of CUDA memory


def _holding(kind: int, ordinal: int) -> Device:
    """Returns the device for DLPack's device type and id."""
    for device in runtime.devices if kind == _CUDA else ():
        if device.kind == "GPU" and device.ordinal == ordinal:
            return device
    return runtime.host
