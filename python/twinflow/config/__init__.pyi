# Computed from the op table by tools/make_stubs.py.

from typing import Any, SupportsIndex

from twinflow._src.core.devices import LogicalDevice as LogicalDevice
from twinflow._src.core.devices import LogicalDeviceConfiguration as LogicalDeviceConfiguration
from twinflow._src.core.devices import PhysicalDevice as PhysicalDevice
from twinflow.config import experimental as experimental
from twinflow.config import experimental_functions_run_eagerly as _functions_run_eagerly
from twinflow.config import experimental_run_functions_eagerly as _run_functions_eagerly
from twinflow.config import optimizer as optimizer
from twinflow.config import threading as threading

functions_run_eagerly = _functions_run_eagerly
run_functions_eagerly = _run_functions_eagerly

def experimental_connect_to_cluster(
    cluster_spec_or_resolver: Any,
    job_name: str = "localhost",
    task_index: SupportsIndex = 0,
    protocol: str | None = None,
    make_master_device_default: bool = True,
    cluster_device_filters: Any = None,
) -> None:
    """Connects to a cluster, whose devices become available: ``tf.device("/job:ps/task:0")``."""

def experimental_connect_to_host(remote_host: Any = None, job_name: str = "worker") -> None:
    """Connects to remote hosts, whose devices become available to this program."""

def experimental_functions_run_eagerly() -> bool:
    """Returns True if functions run eagerly, as Python code."""

def experimental_run_functions_eagerly(run_eagerly: bool) -> None:
    """Enables or disables eager execution of all functions, without graphs."""

def get_logical_device_configuration(device: Any) -> Any:
    """Returns the logical device configuration of a physical device, or None."""

def get_soft_device_placement() -> bool:
    """Returns True if ops fall back to an existing device when the requested one does not exist."""

def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Lists the physical devices visible to the runtime."""

def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """Lists the logical devices, on which tensors can be placed; initializes the runtime."""

def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Lists the physical devices of the machine."""

def set_logical_device_configuration(device: Any, logical_devices: Any) -> None:
    """Splits a physical device into several logical ones."""

def set_soft_device_placement(enabled: bool) -> None:
    """Enables or disables soft device placement: fallback to an existing device."""

def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Sets the physical devices visible to the runtime."""
