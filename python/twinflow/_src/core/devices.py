"""Device names, logical and physical devices, the resolution of names, and allocation."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.core.dtypes import DType
from twinflow._src.core.errors import OpError, exhausted, invalid
from twinflow._src.core.shapes import Dims, text

# ------------------------------------------------------------------ specifications

_KINDS = ("CPU", "GPU", "TPU", "CUSTOM")


def _upper(value: Any) -> str:
    # Only known device types are case-insensitive.
    text = str(value)
    return text.upper() if text.upper() in _KINDS else text


# Parsers of the parts of a name.
_PARTS: dict[str, Callable[[Any], Any]] = {
    "job": str,
    "replica": int,
    "task": int,
    "device_type": _upper,
    "device_index": int,
}


def _part(name: str) -> property:
    def get(self: Any) -> Any:
        return self._values[name]

    get.__doc__ = f"The {name.replace('_', ' ')}, or None."
    return property(get)


class DeviceSpecV2:
    """An immutable device specification, possibly partial: ``/job:ps/task:3/device:GPU:0``.

    Args:
        job: Name of the job, such as ``"worker"``.
        replica: Index of the replica.
        task: Index of the task.
        device_type: ``"CPU"``, ``"GPU"``, ...
        device_index: Index of the device among those of its type.
    """

    __slots__ = ("__weakref__", "_values")

    job, replica, task = _part("job"), _part("replica"), _part("task")
    device_type, device_index = _part("device_type"), _part("device_index")

    def __init__(
        self,
        job: str | None = None,
        replica: int | None = None,
        task: int | None = None,
        device_type: str | None = None,
        device_index: int | None = None,
    ) -> None:
        values = (job, replica, task, device_type, device_index)
        self._values = {name: _convert_part(name, value) for name, value in zip(_PARTS, values)}

    @classmethod
    def from_string(cls, spec: str) -> DeviceSpecV2:
        """Parses a device name.

        Args:
            spec: ``"CPU:0"``, ``"/gpu:1"``, ``"/job:ps/task:7/device:CPU:0"``, ...

        Returns:
            The specification.

        Raises:
            ValueError: A part is unknown, or two parts name a device type.
        """
        return cls(**_parse(spec))

    def parse_from_string(self, spec: str) -> DeviceSpecV2:
        """Returns the specification of a device name; see ``from_string``."""
        return self.from_string(spec)

    def replace(self, **parts: Any) -> DeviceSpecV2:
        """Returns a copy with the given parts replaced."""
        return type(self)(**{**self._values, **parts})

    def make_merged_spec(self, other: DeviceSpecV2) -> DeviceSpecV2:
        """Returns this specification overridden by all parts that ``other`` specifies."""
        return type(self)(**_merge_parts(self._values, other))

    def to_string(self) -> str:
        """Returns the canonical device name of the specified parts."""
        text = "".join(
            f"/{part}:{self._values[part]}"
            for part in ("job", "replica", "task")
            if self._values[part] is not None
        )
        if self.device_type is not None:
            index = "*" if self.device_index is None else self.device_index
            text += f"/device:{self.device_type}:{index}"
        return text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpecV2) and self._values == other._values

    def __hash__(self) -> int:
        return hash(self.to_string())

    def __repr__(self) -> str:
        return f"<DeviceSpec({', '.join(f'{k}={v}' for k, v in self._values.items())})>"


def _settable(name: str) -> property:
    def set_part(self: Any, value: Any) -> None:
        self._values[name] = _convert_part(name, value)

    return _part(name).setter(set_part)


class DeviceSpecV1(DeviceSpecV2):
    """A mutable device specification, as in TensorFlow 1.

    Args:
        job: Name of the job, such as ``"worker"``.
        replica: Index of the replica.
        task: Index of the task.
        device_type: ``"CPU"``, ``"GPU"``, ...
        device_index: Index of the device among those of its type.
    """

    __slots__ = ()

    job, replica, task = _settable("job"), _settable("replica"), _settable("task")
    device_type, device_index = _settable("device_type"), _settable("device_index")

    def parse_from_string(self, spec: str) -> DeviceSpecV1:
        """Replaces all parts by those of a device name.

        Args:
            spec: A device name; see ``from_string``.

        Returns:
            This object.
        """
        self._values = dict.fromkeys(_PARTS)
        self._values.update(
            {name: _convert_part(name, value) for name, value in _parse(spec).items()}
        )
        return self

    def merge_from(self, dev: DeviceSpecV2) -> None:
        """Takes every part that another device specification has.

        Args:
            dev: The other device.
        """
        self._values = _merge_parts(self._values, dev)


def _convert_part(name: str, value: Any) -> Any:
    return None if value is None else _PARTS[name](value)


def _merge_parts(values: dict[str, Any], other: Any) -> dict[str, Any]:
    stated = {name: getattr(other, name) for name in _PARTS}
    return values | {name: value for name, value in stated.items() if value is not None}


@functools.lru_cache(maxsize=256)
def _parse(spec: Any) -> dict[str, Any]:
    parts: dict[str, Any] = {}
    for section in (spec or "").split("/"):
        _parse_section(section.split(":"), spec, parts)
    return parts


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


DeviceSpec = DeviceSpecV2

# ------------------------------------------------------------------ devices

LOCAL = "/job:localhost/replica:0/task:0"


# The array types of devices of other tasks; such an array has a ``device``.
REMOTE_ARRAYS: set[type] = set()


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
    task = (local.job, local.replica, local.task)
    if local.device_type in kinds and (local.device_index or 0) >= 0 and task != _HERE:
        raise invalid(f"{full} unknown device.")
    if not _WELL_FORMED.fullmatch(full):
        raise invalid(f"Malformed device specification '{full}' in eager op")
    here = all(map(_matches, task, _HERE))
    for device in devices:
        kind, index = local.device_type, local.device_index
        if here and _matches(kind, device.kind) and _matches(index, device.index):
            return device
    if here and soft:
        return devices[0]
    raise _placement_error(full, soft, kinds, devices)


def _fastest_first(devices: list[Device]) -> list[Device]:
    return sorted(devices, key=lambda device: device.kind != "GPU")


def _placement_error(name: str, soft: bool, kinds: list[str], devices: list[Device]) -> OpError:
    return invalid(
        f"Could not satisfy device specification '{name}'. enable_soft_placement={int(soft)}. "
        f"Supported device types [{', '.join(kinds)}]. "
        f"All available devices [{', '.join(d.name for d in devices)}]."
    )


def assert_type(name: str, device: Device, kinds: tuple[str, ...], devices: list[Device]) -> None:
    """Raises InvalidArgumentError if an op has no kernel for the device type that a name requests."""
    if device.kind not in kinds and DeviceSpec.from_string(name).device_type == device.kind:
        raise _placement_error(device.name, False, list(kinds), _fastest_first(devices))


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
    task = (spec.job, spec.replica, spec.task)
    for device in devices:
        if device.remote:
            stated = (*task, spec.device_type, spec.device_index)
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


# ------------------------------------------------------------------ allocation


def no_room(dims: Dims | None, dtype: str, device: str) -> OpError:
    """Returns the out-of-memory error for a tensor, or the error for an impossible size."""
    if math.prod(size or 0 for size in dims or ()) >= 2**63:
        return invalid(f"Shape {text(dims)} would have more than 2**63 - 1 elements")
    return exhausted(text(dims), dtype, device)


def allocate_on_device(
    device: Device, dims: Dims, dtype: DType, make: Callable[..., Any], *args: Any
) -> Any:
    """Returns the result of a function that allocates device memory; names the tensor if that fails.

    ``device.backend.run`` and the like free cached memory and retry.
    """
    try:
        return make(*args)
    except MemoryError as error:
        raise no_room(dims, dtype.cname, device.name) from error


def copy_to_device(array: Any, device: Device, dtype: DType) -> Any:
    """Copies a host array to a device; on the CPU it returns the array itself."""
    return allocate_on_device(
        device, array.shape, dtype, device.backend.from_host, array, device.ordinal
    )


def copied(array: Any, source: Device, device: Device, dtype: DType) -> Any:
    """Returns a new copy of an array on a device, which may be the one that it is on."""
    if source.backend is device.backend:
        return allocate_on_device(
            device, array.shape, dtype, device.backend.copied, array, device.ordinal
        )
    return copy_to_device(source.backend.to_host(array), device, dtype)


def repeats_one(array: Any) -> bool:
    """True if an array is a broadcast view of a single element (all strides are 0)."""
    return type(array) is np.ndarray and array.size > 1 and not any(array.strides)


def written_out(array: np.ndarray[Any, Any], dtype: DType, device: str) -> np.ndarray[Any, Any]:
    """Copies an array, possibly a view, to a contiguous array with memory for each element."""
    if array.nbytes > available():
        raise no_room(array.shape, dtype.cname, device)
    try:
        return np.array(array, order="C")
    except MemoryError as error:
        raise no_room(array.shape, dtype.cname, device) from error


def available() -> float:
    """Returns the available host memory in bytes; infinity if the system does not report it.

    Systems that overcommit memory would kill the process during a write.
    """
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return math.inf
    return next(
        (1024.0 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")),
        math.inf,
    )
