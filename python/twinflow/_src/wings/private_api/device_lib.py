"""The devices of this process as messages."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.context import runtime
from twinflow._src.core.protos import message


def list_local_devices(session_config: Any = None) -> list[Any]:
    """Lists the devices of this process.

    Args:
        session_config: A ``ConfigProto``, without effect.

    Returns:
        ``DeviceAttributes`` messages; ``memory_limit`` is in bytes.
    """
    devices = []
    for device in runtime.devices:
        name = device.name.rpartition("/device:")[2]
        attributes = message("DeviceAttributes")(
            name=f"/device:{name}",
            device_type=device.kind,
            memory_limit=268435456,
            incarnation=abs(hash(device.name)),
            xla_global_id=-1,
        )
        attributes.locality.SetInParent()
        devices.append(attributes)
    return devices
