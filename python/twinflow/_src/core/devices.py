"""Devices: a name plus an array module; and which one a device name means."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from twinflow._src.core.device_spec import DeviceSpecV2 as DeviceSpec
from twinflow._src.core.errors import OpError, invalid

__all__ = ["DeviceSpec"]

LOCAL = "/job:localhost/replica:0/task:0"


class Device:
    """Where arrays live and kernels run. One object per device: identity is equality.

    Attributes:
        name: The full name.
        kind: ``"CPU"`` or ``"GPU"``.
        index: The index among the devices of its kind.
        backend: The module of ``backends`` that moves arrays to and from the host.
        xp: The array module that kernels use.
    """

    __slots__ = ("backend", "index", "kind", "name", "ordinal", "xp")
    remote = False  # whether it is a device of another task; these have a place and a type as well
    place: tuple[str, int, int]
    device_type: str

    def __init__(self, kind: str, index: int, backend: Any, ordinal: int = 0) -> None:
        self.kind, self.index, self.backend, self.ordinal = kind, index, backend, ordinal
        self.name = f"{LOCAL}/device:{kind}:{index}"
        self.xp = backend.array_module(ordinal)

    def __repr__(self) -> str:
        return f"<Device {self.name}>"


class PhysicalDevice(NamedTuple):
    """A device of the machine."""

    name: str
    device_type: str


PhysicalDevice.__module__ = "twinflow.config"


class LogicalDevice(NamedTuple):
    """A device as programs see it; several can share one physical device."""

    name: str
    device_type: str


LogicalDevice.__module__ = "twinflow.config"


class LogicalDeviceConfiguration(NamedTuple):
    """How a logical device is made: memory limit in MiB, priority of its streams."""

    memory_limit: int | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


LogicalDeviceConfiguration.__module__ = "twinflow.config"


def resolve(name: str, devices: list[Device], soft: bool) -> Device:
    """The device that a merged device name means among those that exist; the fastest one where it fits several.

    Args:
        name: The merged name of the surrounding scopes.
        devices: The logical devices.
        soft: Whether the fastest device stands in for one that does not exist.

    Raises:
        InvalidArgumentError: The name is of another task, malformed, or, without soft placement, of
            a device that does not exist.
    """
    spec = DeviceSpec.from_string(name)
    local = DeviceSpec(job="localhost", replica=0, task=0).make_merged_spec(spec)
    full = local.to_string()
    far = _of_another_task(local, devices)
    if far is not None:
        return far
    devices = _fastest_first(devices)
    kinds = list(dict.fromkeys(d.kind for d in devices))
    place = (local.job, local.replica, local.task)
    if local.device_type in kinds and (local.device_index or 0) >= 0 and place != _HERE:
        raise invalid(f"{full} unknown device.")
    if not _WELL_FORMED.fullmatch(full):
        raise invalid(f"Malformed device specification '{full}' in eager op")
    here = all(map(_matches, place, _HERE))
    for device in devices:
        kind, index = local.device_type, local.device_index
        if here and _matches(kind, device.kind) and _matches(index, device.index):
            return device
    if here and soft:
        return devices[0]
    raise _unsatisfied(full, soft, kinds, devices)


def _fastest_first(devices: list[Device]) -> list[Device]:
    return sorted(devices, key=lambda device: device.kind != "GPU")


def _unsatisfied(name: str, soft: bool, kinds: list[str], devices: list[Device]) -> OpError:
    return invalid(
        f"Could not satisfy device specification '{name}'. enable_soft_placement={int(soft)}. "
        f"Supported device types [{', '.join(kinds)}]. "
        f"All available devices [{', '.join(d.name for d in devices)}]."
    )


def assert_type(name: str, device: Device, kinds: tuple[str, ...], devices: list[Device]) -> None:
    """Checks that an operation can run where a device name asks for a type of device.

    Args:
        name: The merged name of the surrounding scopes.
        device: What it means.
        kinds: The types of devices that the operation has a kernel for.
        devices: The logical devices.

    Raises:
        InvalidArgumentError: It has none for the type that the name tells.
    """
    if device.kind not in kinds and DeviceSpec.from_string(name).device_type == device.kind:
        raise _unsatisfied(device.name, False, list(kinds), _fastest_first(devices))


def within(name: str, outer: str | None) -> str | None:
    """What an operation of a function asks for, by its own device name and that of the blocks around the call.

    Args:
        name: A device name, or ``""``. One that tells a type of device stands for itself.
        outer: The merged name of the blocks, or None.
    """
    if not name:
        return outer
    spec = DeviceSpec.from_string(name)
    if outer is None or spec.device_type is not None:
        return name
    return DeviceSpec.from_string(outer).make_merged_spec(spec).to_string()


def _of_another_task(spec: DeviceSpec, devices: list[Device]) -> Any:
    """The device of another task that is meant, or None."""
    place = (spec.job, spec.replica, spec.task)
    for device in devices:
        if device.remote:
            stated = (*place, spec.device_type, spec.device_index)
            if all(map(_matches, stated, (*device.place, device.device_type, device.index))):
                return device
    return None


_HERE = ("localhost", 0, 0)
# What TensorFlow's runtime takes for a device's full name.
_WELL_FORMED = re.compile(
    r"/job:(\*|[a-zA-Z]\w*)/replica:\d+/task:\d+(/device:(\*|[a-zA-Z]\w*):(\*|\d+))?", re.ASCII
)


def _matches(stated: Any, own: Any) -> bool:
    return stated in (None, "*", own)
