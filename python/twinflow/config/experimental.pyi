# Computed from the op table by tools/make_stubs.py.

from typing import Any

from twinflow._src.core.devices import LogicalDeviceConfiguration as _VirtualDeviceConfiguration
from twinflow._src.wings.distribute.cluster_spec import ClusterDeviceFilters as ClusterDeviceFilters
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
    """Enables or disables the MLIR bridge; no effect, there is none."""

def enable_op_determinism() -> None:
    """Enables determinism of ops; no effect on values, ops are always deterministic."""

def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Enables or disables TensorFloat-32 for float32 matrix products on GPUs that support it."""

def get_device_details(device: Any) -> dict[str, Any]:
    """Returns details of a physical device: the name and compute capability of a GPU."""

def get_device_policy() -> str:
    """Returns the device policy, ``"silent"``: inputs on another device are copied."""

def get_memory_growth(device: Any) -> bool | None:
    """Returns the value passed to ``set_memory_growth``, or None."""

def get_memory_info(device: str) -> dict[str, int]:
    """Returns the current and peak memory usage of a device."""

def get_memory_usage(device: str) -> int:
    """Returns the memory usage of a device, in bytes."""

def get_synchronous_execution() -> bool:
    """Returns True: execution is always synchronous."""

def reset_memory_stats(device: str) -> None:
    """Resets the peak memory usage of a device and releases cached, unused memory."""

def set_device_policy(device_policy: str | None) -> None:
    """Validates a device policy; no effect, inputs on another device are always copied."""

def set_memory_growth(device: Any, enable: bool | None) -> None:
    """Enables or disables memory growth for a GPU; growth is on by default."""

def set_synchronous_execution(enable: bool) -> None:
    """Sets synchronous execution; no effect, execution is always synchronous."""

def tensor_float_32_execution_enabled() -> bool:
    """Returns True if float32 matrix products may use TensorFloat-32."""
