"""Checks that the devices requested by operations of a graph exist."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from twinflow._src.core.context import runtime
from twinflow._src.core.devices import DeviceSpec
from twinflow._src.core.errors import invalid
from twinflow._src.graph.symbolic import Operation


def exists(node: Operation, soft: bool) -> bool:
    """True if the device that an operation requests exists.

    With soft placement (``soft``), any device of the requested process will do.
    """
    requested = DeviceSpec.from_string(node.device)
    return not node.device or any(
        _means(requested, device.name, soft) for device in runtime.devices
    )


def _means(requested: Any, name: str, soft: bool) -> bool:
    """True if a device matches a spec; with soft placement, only job, replica and task count."""
    actual = DeviceSpec.from_string(name)
    parts = (
        ("job", "replica", "task")
        if soft
        else ("job", "replica", "task", "device_type", "device_index")
    )
    return all(getattr(requested, part) in (None, getattr(actual, part)) for part in parts)


def unassigned(node: Operation) -> str:
    """Returns the message for an operation whose device does not exist."""
    available = ", ".join(device.name for device in runtime.devices)
    hint = ""
    if DeviceSpec.from_string(node.device).device_type == "GPU" and not any(
        d.kind == "GPU" for d in runtime.devices
    ):
        hint = " The requested device appears to be a GPU, but CUDA is not enabled."
    return (
        f"Cannot assign a device for operation {node.name}: {{{{node {node.name}}}}} was explicitly assigned to "
        f"{node.device} but available devices are [ {available} ]. Make sure the device specification "
        f"refers to a valid device.{hint}\n\t [[{node.name}]]"
    )


def last_folded(nodes: Iterable[Operation]) -> list[Operation]:
    """Returns operations in the order of their device checks: constants, often folded, last."""
    return sorted(nodes, key=lambda node: node.type == "Const")


def assert_in_function(nodes: Iterable[Operation]) -> None:
    """Raises InvalidArgumentError where an operation of a function requests a missing device."""
    for node in last_folded(node for node in nodes if node.device):
        if not exists(node, runtime.soft_placement):
            raise invalid(
                unassigned(node)
                if runtime.soft_placement
                else f"Unable to find any devices for spec {node.device}"
            )
