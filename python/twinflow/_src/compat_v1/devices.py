"""``tf.compat.v1.train.replica_device_setter``: devices of servers for the variables of a graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.core.devices import DeviceSpec
from twinflow._src.wings.distribute.cluster_spec import ClusterSpec

_VARIABLES = ("Variable", "VariableV2", "VarHandleOp")


def replica_device_setter(
    ps_tasks: int = 0,
    ps_device: str = "/job:ps",
    worker_device: str = "/job:worker",
    merge_devices: bool = True,
    cluster: Any = None,
    ps_ops: Any = None,
    ps_strategy: Callable[[Any], int] | None = None,
) -> Callable[[Any], str] | None:
    """A function of operations that gives variables the devices of servers in turn, others that of a worker.

    Graphs can be made for such devices, and saved; sessions run them in this process only with
    ``clear_devices``.

    Args:
        ps_tasks: How many servers there are.
        ps_device: Their device, without the number.
        worker_device: The device of everything else.
        merge_devices: Whether what operations ask for themselves counts more.
        cluster: What ``tf.train.ClusterSpec`` takes, in place of ``ps_tasks``; or None.
        ps_ops: The types of operations that servers have; those of variables where None.
        ps_strategy: A function of an operation that gives the number of its server; in turn where None.

    Returns:
        The function; None where there are no servers.

    Raises:
        TypeError: The cluster is none, or the strategy no function.
    """
    if cluster is not None:
        jobs = ClusterSpec(cluster).as_dict()
        ps_tasks = len(jobs.get(DeviceSpec.from_string(ps_device).job or ps_device, ()))
    if not ps_tasks:
        return None
    if ps_strategy is not None and not callable(ps_strategy):
        raise TypeError("ps_strategy must be callable")
    placed: list[Any] = []

    def in_turn(node: Any) -> int:
        placed.append(node)
        return (len(placed) - 1) % ps_tasks

    choose = ps_strategy or in_turn

    def device(node: Any) -> str:
        own = DeviceSpec.from_string(node.device)
        if node.type in (_VARIABLES if ps_ops is None else ps_ops):
            found = DeviceSpec.from_string(ps_device)
            if found.job and (not own.job or own.job == found.job):
                found = found.replace(task=choose(node))
        else:
            found = DeviceSpec.from_string(worker_device or "")
        text: str = (found.make_merged_spec(own) if merge_devices else found).to_string()
        return text

    return device
