"""Logical and physical devices, and the resolution of device names."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from twinflow._src.core.device_spec import DeviceSpecV2 as DeviceSpec
from twinflow._src.core.errors import OpError, invalid

__all__ = ["DeviceSpec"]

LOCAL = "/job:localhost/replica:0/task:0"


class Device:
    """A logical device: name, backend and array module. A singleton, compared by identity.

    Attributes:
        name: The full name.
        kind: ``"CPU"`` or ``"GPU"``.
        index: The index among the devices of its kind.
        backend: The module of ``backends`` that copies arrays to and from the host.
        xp: The array module that kernels use.
    """

    __slots__ = ("backend", "index", "kind", "name", "ordinal", "xp")
    # True for a device of another task, which also has ``place`` and ``device_type``
    remote = False
    place: tuple[str, int, int]
    device_type: str

    def __init__(self, kind: str, index: int, backend: Any, ordinal: int = 0) -> None:
        self.kind, self.index, self.backend, self.ordinal = kind, index, backend, ordinal
        self.name = f"{LOCAL}/device:{kind}:{index}"
        self.xp = backend.array_module(ordinal)

    def __repr__(self) -> str:
        return f"<Device {self.name}>"


class PhysicalDevice(NamedTuple):
    """A physical device of the machine."""

    name: str
    device_type: str


PhysicalDevice.__module__ = "twinflow.config"


class LogicalDevice(NamedTuple):
    """A logical device; several can share one physical device."""

    name: str
    device_type: str


LogicalDevice.__module__ = "twinflow.config"


class LogicalDeviceConfiguration(NamedTuple):
    """The configuration of a logical device: memory limit in MiB, stream priority."""

    memory_limit: int | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


LogicalDeviceConfiguration.__module__ = "twinflow.config"


def resolve(name: str, devices: list[Device], soft: bool) -> Device:
    """Returns the device of a merged name: the fastest that matches, or with ``soft`` any if none does."""
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
    """Raises InvalidArgumentError if an op has no kernel for the device type that a name requests."""
    if device.kind not in kinds and DeviceSpec.from_string(name).device_type == device.kind:
        raise _unsatisfied(device.name, False, list(kinds), _fastest_first(devices))


def within(name: str, outer: str | None) -> str | None:
    """Returns the name of an op's device in a function, merged with the call's unless it has a type."""
    if not name:
        return outer
    spec = DeviceSpec.from_string(name)
    if outer is None or spec.device_type is not None:
        return name
    return DeviceSpec.from_string(outer).make_merged_spec(spec).to_string()


def _of_another_task(spec: DeviceSpec, devices: list[Device]) -> Any:
    """Returns the matching device of another task, or None."""
    place = (spec.job, spec.replica, spec.task)
    for device in devices:
        if device.remote:
            stated = (*place, spec.device_type, spec.device_index)
            if all(map(_matches, stated, (*device.place, device.device_type, device.index))):
                return device
    return None


_HERE = ("localhost", 0, 0)
# The syntax of a full device name in TensorFlow's runtime.
_WELL_FORMED = re.compile(
    r"/job:(\*|[a-zA-Z]\w*)/replica:\d+/task:\d+(/device:(\*|[a-zA-Z]\w*):(\*|\d+))?", re.ASCII
)


def _matches(stated: Any, actual: Any) -> bool:
    return stated in (None, "*", actual)
