# Computed from the op table by tools/make_stubs.py.

from typing import Any

from twinflow._src.core.devices import LogicalDeviceConfiguration as _VirtualDeviceConfiguration
from twinflow.config import get_logical_device_configuration as _get_virtual_device_configuration
from twinflow.config import get_visible_devices as get_visible_devices
from twinflow.config import list_logical_devices as list_logical_devices
from twinflow.config import list_physical_devices as list_physical_devices
from twinflow.config import set_logical_device_configuration as _set_virtual_device_configuration
from twinflow.config import set_visible_devices as set_visible_devices
from twinflow.config.experimental import disable_mlir_bridge as _enable_mlir_bridge

VirtualDeviceConfiguration = _VirtualDeviceConfiguration
enable_mlir_bridge = _enable_mlir_bridge
get_virtual_device_configuration = _get_virtual_device_configuration
set_virtual_device_configuration = _set_virtual_device_configuration

def disable_mlir_bridge() -> None:
    """Says whether graphs go through a certain compiler; there is none here."""

def enable_op_determinism() -> None:
    """Makes operations give the same result every time, as they do anyway."""

def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Says whether products of float32 matrices may be computed from shortened numbers, where a GPU can."""

def get_device_details(device: Any) -> dict[str, Any]:
    """What is known of a physical device: for a GPU its name and compute capability."""

def get_device_policy() -> str:
    """What happens where a tensor is on another device than the operation: it is copied."""

def get_memory_growth(device: Any) -> bool | None:
    """What ``set_memory_growth`` was told."""

def get_memory_info(device: str) -> dict[str, int]:
    """How much memory of a device is in use, and how much was held for it when somebody asked."""

def get_memory_usage(device: str) -> int:
    """How much memory of a device is in use, in bytes."""

def get_synchronous_execution() -> bool:
    """Whether operations have run when the call returns: always."""

def reset_memory_stats(device: str) -> None:
    """Forgets the peak of a device's memory, and gives back what is held and nobody uses."""

def set_device_policy(device_policy: str | None) -> None:
    """Says what is to happen where a tensor is on another device; it is copied in any case."""

def set_memory_growth(device: Any, enable: bool | None) -> None:
    """Whether a GPU's memory is taken as needed; it is where nobody says otherwise."""

def set_synchronous_execution(enable: bool) -> None:
    """Says whether operations have run when the call returns; they always have."""

def tensor_float_32_execution_enabled() -> bool:
    """Whether products of float32 matrices may be computed from shortened numbers."""
