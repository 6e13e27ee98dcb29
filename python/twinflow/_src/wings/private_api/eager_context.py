"""The eager context, as ``tensorflow.python.eager.context`` shows it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from twinflow._src.config import devices
from twinflow._src.config import runtime as settings
from twinflow._src.core.context import Scope, altered, runtime, thread
from twinflow._src.core.devices import DeviceSpecV2
from twinflow._src.core.scopes import device as device_scope
from twinflow._src.graph.default_graph import executing_eagerly as executing_eagerly
from twinflow._src.graph.graph import Graph


class Context:
    """The state of eager execution of this process and thread."""

    def executing_eagerly(self) -> bool:
        """Returns True if operations run eagerly."""
        return executing_eagerly()

    def ensure_initialized(self) -> None:
        """Initializes the devices."""
        assert runtime.devices

    @property
    def device_name(self) -> str:
        """The name of the device of the current scope; empty without one."""
        return get_device_name()

    @property
    def device_spec(self) -> DeviceSpecV2:
        """The device of the current scope; empty without one."""
        return DeviceSpecV2.from_string(get_device_name())

    @property
    def soft_device_placement(self) -> bool:
        """True if operations may run on other devices than requested."""
        return runtime.soft_placement

    @soft_device_placement.setter
    def soft_device_placement(self, enable: bool) -> None:
        devices.set_soft_device_placement(enable)

    @property
    def log_device_placement(self) -> bool:
        """True if the devices of operations are logged."""
        return runtime.log_placement

    @log_device_placement.setter
    def log_device_placement(self, enable: bool) -> None:
        devices.set_log_device_placement(enable)

    def list_physical_devices(self, device_type: str | None = None) -> list[Any]:
        """Returns the physical devices.

        Args:
            device_type: The kind of device; all where None.
        """
        return devices.list_physical_devices(device_type)

    def list_logical_devices(self, device_type: str | None = None) -> list[Any]:
        """Returns the logical devices.

        Args:
            device_type: The kind of device; all where None.
        """
        return devices.list_logical_devices(device_type)

    def devices(self) -> list[str]:
        """Returns the names of the logical devices."""
        return [device.name for device in runtime.devices]

    def num_gpus(self) -> int:
        """Returns the number of logical GPUs."""
        return len(devices.list_logical_devices("GPU"))

    def device(self, name: Any) -> Any:
        """Returns a context manager that places operations on a device.

        Args:
            name: The device.
        """
        return device_scope(name)

    def is_async(self) -> bool:
        """Returns False: operations on CPUs run when they are called."""
        return False

    def clear_kernel_cache(self) -> None:
        """Does nothing: kernels are functions and need no cache."""


_CONTEXT = Context()


def context() -> Context:
    """Returns the context."""
    return _CONTEXT


def async_wait() -> None:
    """Waits until the pending work of all devices is done."""
    settings.sync_devices()


def get_device_name() -> str:
    """Returns the name of the device of the current scope; empty without one."""
    return str(thread.scope.around or "")


def list_pluggable_physical_devices() -> list[Any]:
    """Returns an empty list: no device is added by a plug-in of TensorFlow."""
    return []


def num_gpus() -> int:
    """Returns the number of logical GPUs."""
    return _CONTEXT.num_gpus()


def eager_mode() -> Any:
    """Returns a context manager in which operations run eagerly, also inside of graphs."""
    return altered(thread, "scope", _eager)


def _eager(scope: Scope) -> Scope:
    return scope.but(graph=None, device=scope.around, controls=(), observers=())


def _reset_context() -> None:
    """Forgets the devices, so that they can be configured again; tensors become invalid."""
    runtime.reset()


@contextlib.contextmanager
def graph_mode() -> Iterator[None]:
    """Context manager in which operations are added to a new graph."""
    with Graph().as_default():
        yield
