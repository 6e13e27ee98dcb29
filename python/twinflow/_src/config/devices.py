"""``tf.config``: devices, device placement and threading settings of the process."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable
from typing import Any

from twinflow._src.backends.cpu import blas, parallel
from twinflow._src.core.context import runtime, thread
from twinflow._src.core.devices import LogicalDevice, LogicalDeviceConfiguration, PhysicalDevice
from twinflow._src.dispatch.op import documented_like, export

# ------------------------------------------------------------------ devices


def _of_type(devices: list[Any], device_type: Any) -> list[Any]:
    return devices if device_type is None else [d for d in devices if d.device_type == device_type]


@export("config.list_physical_devices", "config.experimental.list_physical_devices")
def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Lists the physical devices of the machine.

    Args:
        device_type: ``"CPU"`` or ``"GPU"``; all if None.
    """
    return _of_type(runtime.physical(), device_type)


@export("config.list_logical_devices", "config.experimental.list_logical_devices")
@documented_like(list_physical_devices)
def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """Lists the logical devices, on which tensors can be placed; initializes the runtime."""
    return _of_type(runtime.logical(), device_type)


@export("config.get_visible_devices", "config.experimental.get_visible_devices")
@documented_like(list_physical_devices)
def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Lists the physical devices visible to the runtime."""
    return _of_type(runtime.visible(), device_type)


@export("config.set_visible_devices", "config.experimental.set_visible_devices")
def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Sets the physical devices visible to the runtime.

    Args:
        devices: A physical device or a list of them.
        device_type: The device type to which the setting applies; all if None.

    Raises:
        ValueError: A device does not exist, or is not of the type.
        RuntimeError: The runtime is already initialized.
    """
    chosen = list(devices) if type(devices) is list else [devices]
    for item in chosen:
        if item not in runtime.physical():
            raise ValueError(f"Unrecognized device: {item!r}")
        if device_type is not None and item.device_type != device_type:
            raise ValueError(f"Unrecognized device: {item!r}")
    others = [
        d for d in runtime.visible() if device_type is not None and d.device_type != device_type
    ]
    visible = [d for d in runtime.physical() if d in others or d in chosen]
    runtime.set_visible(visible)


@export(
    "config.get_logical_device_configuration",
    "config.experimental.get_virtual_device_configuration",
)
def get_logical_device_configuration(device: PhysicalDevice) -> Any:
    """Returns the logical device configuration of a physical device, or None.

    Args:
        device: A physical device.

    Raises:
        ValueError: The device does not exist.
    """
    _assert_exists(device)
    return runtime.splits(device)


@export(
    "config.set_logical_device_configuration",
    "config.experimental.set_virtual_device_configuration",
)
def set_logical_device_configuration(device: PhysicalDevice, logical_devices: Any) -> None:
    """Splits a physical device into several logical ones.

    Args:
        device: A physical device.
        logical_devices: A ``tf.config.LogicalDeviceConfiguration`` per logical device.

    Raises:
        ValueError: The device does not exist, a GPU has no memory limit, or the CPU has one.
        RuntimeError: The runtime is already initialized.
    """
    _assert_exists(device)
    parts = list(logical_devices)
    for part in parts:
        _assert_part(device, part)
    runtime.set_splits(device, parts)


def _assert_part(device: PhysicalDevice, part: LogicalDeviceConfiguration) -> None:
    if device.device_type == "GPU" and part.memory_limit is None:
        raise ValueError("Setting memory limit is required for GPU virtual devices")
    if device.device_type == "CPU" and part.memory_limit is not None:
        raise ValueError("Setting memory limit on CPU virtual devices is currently not supported")
    if device.device_type == "CPU" and part.experimental_priority is not None:
        raise ValueError(
            "Setting experimental_priority on CPU virtual  devices is currently not supported"
        )


def _assert_exists(device: PhysicalDevice) -> None:
    if device not in runtime.physical():
        raise ValueError(f"Unrecognized device: {device!r}")


@export("config.experimental.get_device_details")
@documented_like(get_logical_device_configuration)
def get_device_details(device: PhysicalDevice) -> dict[str, Any]:
    """Returns details of a physical device: the name and compute capability of a GPU."""
    if not isinstance(device, PhysicalDevice):
        raise ValueError(f"device must be a tf.config.PhysicalDevice, but got: {device}")
    if device not in runtime.physical():
        raise ValueError(
            "The PhysicalDevice must be one obtained from calling `tf.config.list_physical_devices`, "
            f"but got: {device}"
        )
    if device.device_type == "CPU":
        return {}
    from twinflow._src.backends.gpu import device as gpu

    return gpu.details(int(device.name.rsplit(":", 1)[1]))


def _assert_gpu(device: PhysicalDevice) -> None:
    _assert_exists(device)
    if device.device_type != "GPU":
        raise ValueError("Cannot set memory growth on non-GPU and non-Pluggable devices")


@export("config.experimental.set_memory_growth")
def set_memory_growth(device: PhysicalDevice, enable: bool | None) -> None:
    """Enables or disables memory growth for a GPU; growth is on by default.

    Args:
        device: A GPU.
        enable: False to allocate the memory up front.

    Raises:
        ValueError: The device does not exist, is not a GPU, or is split into logical devices.
        RuntimeError: The runtime is already initialized.
    """
    _assert_gpu(device)
    if runtime.splits(device):
        raise ValueError("Cannot set memory growth on device when virtual devices configured")
    runtime.set_growth(device, enable)


@export("config.experimental.get_memory_growth")
def get_memory_growth(device: PhysicalDevice) -> bool | None:
    """Returns the value passed to ``set_memory_growth``, or None.

    Args:
        device: A GPU.

    Raises:
        KeyError: The device is not a GPU.
    """
    if device.device_type == "CPU":
        raise KeyError(device)
    _assert_gpu(device)
    return runtime.growth.get(device)


@export("config.get_soft_device_placement")
def get_soft_device_placement() -> bool:
    """Returns True if ops fall back to an existing device when the requested one does not exist."""
    return runtime.soft_placement


@export("config.set_soft_device_placement")
def set_soft_device_placement(enabled: bool) -> None:
    """Enables or disables soft device placement: fallback to an existing device.

    Args:
        enabled: True by default.
    """
    runtime.set_soft_placement(True if enabled is None else bool(operator.index(enabled)))


@export("debugging.set_log_device_placement")
def set_log_device_placement(enabled: bool) -> None:
    """Enables or disables logging of the device of every op that runs.

    Args:
        enabled: False by default.
    """
    runtime.set_log_placement(bool(enabled))


@export("debugging.get_log_device_placement")
def get_log_device_placement() -> bool:
    """Returns True if the device of every op that runs is logged."""
    return runtime.log_placement


# ------------------------------------------------------------------ threading

_threads: dict[str, Any] = {"intra": None, "inter": None}


def _thread_setting(which: str) -> tuple[Callable[[], int], Callable[[int], None]]:
    def get() -> int:
        return int(_threads[which] or 0)

    def set_num_threads(num_threads: int) -> None:
        if runtime.initialized and num_threads != _threads[which]:
            raise RuntimeError(
                f"{which.capitalize()} op parallelism cannot be modified after initialization."
            )
        _threads[which] = num_threads
        if which == "intra":
            parallel.allow(int(num_threads or 0))
            blas.limit(int(num_threads or 0))

    get.__doc__ = (
        f"""The number of threads for {which}-op parallelism; 0 means the runtime's choice."""
    )
    set_num_threads.__doc__ = f"""Sets the number of threads for {which}-op parallelism.

    Args:
        num_threads: 0 for the runtime's choice.

    Raises:
        RuntimeError: An operation ran already.
    """
    return get, set_num_threads


for _which in _threads:
    _get, _put = _thread_setting(_which)
    export(f"config.threading.get_{_which}_op_parallelism_threads")(_get)
    export(f"config.threading.set_{_which}_op_parallelism_threads")(_put)


# ------------------------------------------------------------------ queries


@export("executing_eagerly")
def executing_eagerly() -> bool:
    """Returns True in eager execution, False inside a graph."""
    return thread.scope.graph is None


@export("test.is_gpu_available")
def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: Any = None) -> bool:
    """Returns True if there is a GPU that tensors can be placed on.

    Args:
        cuda_only: Accepted and without effect: every GPU here is a CUDA one.
        min_cuda_compute_capability: Minimum ``(major, minor)``, or None.
    """
    for gpu in list_physical_devices("GPU"):
        capability = get_device_details(gpu).get("compute_capability", (0, 0))
        if min_cuda_compute_capability is None or capability >= tuple(min_cuda_compute_capability):
            return True
    return False


@export("test.gpu_device_name")
def gpu_device_name() -> str:
    """Returns the name of the first GPU, or an empty string."""
    return next((d.name for d in runtime.logical() if d.device_type == "GPU"), "")


@export("test.is_built_with_cuda", "test.is_built_with_gpu_support")
def is_built_with_cuda() -> bool:
    """Returns True if GPUs are usable (CuPy and a driver are present)."""
    return bool(list_physical_devices("GPU"))


def cpu_count() -> int:
    """Returns the number of CPUs available to this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


export("config.PhysicalDevice")(PhysicalDevice)
export("config.LogicalDevice")(LogicalDevice)
export("config.LogicalDeviceConfiguration", "config.experimental.VirtualDeviceConfiguration")(
    LogicalDeviceConfiguration
)
