"""Devices: a name plus an array module, and TensorFlow's spellings of device names."""

from __future__ import annotations

from typing import Any, NamedTuple

from .errors import invalid

_KINDS = ("CPU", "GPU", "TPU", "CUSTOM")
LOCAL = "/job:localhost/replica:0/task:0"


class DeviceSpec:
    """A device, possibly only partly named, as in ``/job:ps/task:3/device:GPU:0``.

    Args:
        job: Name of the job, such as ``"worker"``.
        replica: Index of the replica.
        task: Index of the task.
        device_type: ``"CPU"``, ``"GPU"``, ...
        device_index: Index of the device among those of its type.
    """

    __slots__ = ("device_index", "device_type", "job", "replica", "task")

    def __init__(
        self,
        job: str | None = None,
        replica: int | None = None,
        task: int | None = None,
        device_type: str | None = None,
        device_index: int | None = None,
    ) -> None:
        self.job = None if job is None else str(job)
        self.replica = None if replica is None else int(replica)
        self.task = None if task is None else int(task)
        self.device_type = None if device_type is None else str(device_type).upper()
        self.device_index = None if device_index is None else int(device_index)

    @classmethod
    def from_string(cls, spec: str) -> DeviceSpec:
        """Parses a device name.

        Args:
            spec: ``"CPU:0"``, ``"/gpu:1"``, ``"/job:ps/task:7/device:CPU:0"``, ...

        Returns:
            The parts that the name states.

        Raises:
            ValueError: A part is not known, or two parts name a device type.
        """
        parts: dict[str, Any] = {}
        for section in spec.split("/"):
            _parse_section(section.split(":"), spec, parts)
        return cls(**parts)

    def parse_from_string(self, spec: str) -> DeviceSpec:
        """The device that ``spec`` names; see ``from_string``."""
        return self.from_string(spec)

    def replace(self, **parts: Any) -> DeviceSpec:
        """This specification with the given parts replaced."""
        return DeviceSpec(**{**self._parts(), **parts})

    def make_merged_spec(self, other: DeviceSpec) -> DeviceSpec:
        """This specification with every part that ``other`` states taken from it."""
        return self.replace(**{k: v for k, v in other._parts().items() if v is not None})

    def to_string(self) -> str:
        """The canonical name of the stated parts."""
        text = "".join(
            f"/{part}:{value}"
            for part, value in (("job", self.job), ("replica", self.replica), ("task", self.task))
            if value is not None
        )
        if self.device_type is not None:
            index = "*" if self.device_index is None else self.device_index
            text += f"/device:{self.device_type}:{index}"
        return text

    def _parts(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpec) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(self.to_string())

    def __repr__(self) -> str:
        return f"<DeviceSpec {self.to_string()!r}>"


def _parse_section(words: list[str], spec: str, parts: dict[str, Any]) -> None:
    head = words[0]
    if not head:
        return
    if head in ("job", "replica", "task") and len(words) == 2:
        parts[head] = words[1] if head == "job" else int(words[1])
        return
    if head == "device" and len(words) == 3:
        words = words[1:]
    elif head.upper() not in _KINDS or len(words) > 2:
        raise ValueError(
            f"Unknown attribute '{head}' is encountered while parsing the device spec: '{spec}'."
        )
    if "device_type" in parts:
        raise ValueError(
            f"Multiple device types are not allowed while parsing the device spec: {spec}."
        )
    parts["device_type"] = words[0]
    if len(words) == 2 and words[1] != "*":
        parts["device_index"] = int(words[1])


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

    def __init__(self, kind: str, index: int, backend: Any, ordinal: int = 0) -> None:
        self.kind, self.index, self.backend, self.ordinal = kind, index, backend, ordinal
        self.name = f"{LOCAL}/device:{kind}:{index}"
        self.xp = backend.array_module()

    def __repr__(self) -> str:
        return f"<Device {self.name}>"


class PhysicalDevice(NamedTuple):
    """A device of the machine."""

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device as programs see it; several can share one physical device."""

    name: str
    device_type: str


class LogicalDeviceConfiguration(NamedTuple):
    """How a logical device is made: memory limit in MiB, priority of its streams."""

    memory_limit: int | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


def resolve(name: str, devices: list[Device], soft: bool) -> Device:
    """The device that a merged device name means among those that exist.

    Args:
        name: The merged name of the surrounding scopes.
        devices: The logical devices.
        soft: Whether a missing device falls back to one that exists.

    Raises:
        InvalidArgumentError: The name is of another task, malformed, or, without soft placement, of
            a device that does not exist.
    """
    spec = DeviceSpec.from_string(name)
    local = DeviceSpec(job="localhost", replica=0, task=0).make_merged_spec(spec)
    full = local.to_string()
    if (local.job, local.replica, local.task) != ("localhost", 0, 0):
        raise invalid(f"{full} unknown device.")
    if local.device_index is not None and local.device_index < 0:
        raise invalid(f"Malformed device specification '{full}' in eager op")
    for device in devices:
        if spec.device_type in (None, device.kind) and spec.device_index in (None, device.index):
            return device
    if soft:
        return next(device for device in devices if device.kind == "CPU")
    raise invalid(
        f"Could not satisfy device specification '{full}'. enable_soft_placement=0. "
        f"Supported device types [{', '.join(dict.fromkeys(d.kind for d in devices))}]. "
        f"All available devices [{', '.join(d.name for d in devices)}]."
    )
