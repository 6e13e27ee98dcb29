"""Device names, possibly partial, in all of TensorFlow's spellings."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

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
        return cls(**_parsed(spec))

    def parse_from_string(self, spec: str) -> DeviceSpecV2:
        """Returns the specification of a device name; see ``from_string``."""
        return self.from_string(spec)

    def replace(self, **parts: Any) -> DeviceSpecV2:
        """Returns a copy with the given parts replaced."""
        return type(self)(**{**self._values, **parts})

    def make_merged_spec(self, other: DeviceSpecV2) -> DeviceSpecV2:
        """Returns this specification overridden by all parts that ``other`` specifies."""
        return type(self)(**_merged(self._values, other))

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
            {name: _convert_part(name, value) for name, value in _parsed(spec).items()}
        )
        return self

    def merge_from(self, dev: DeviceSpecV2) -> None:
        """Takes every part that another device specification has.

        Args:
            dev: The other device.
        """
        self._values = _merged(self._values, dev)


def _convert_part(name: str, value: Any) -> Any:
    return None if value is None else _PARTS[name](value)


def _merged(values: dict[str, Any], other: Any) -> dict[str, Any]:
    stated = {name: getattr(other, name) for name in _PARTS}
    return values | {name: value for name, value in stated.items() if value is not None}


@functools.lru_cache(maxsize=256)
def _parsed(spec: Any) -> dict[str, Any]:
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
