"""Context managers of TensorFlow 1, and ``tf.compat.v1.train.replica_device_setter``."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from twinflow._src.core.context import Block, entered, thread
from twinflow._src.core.devices import DeviceSpec
from twinflow._src.dispatch.op import API
from twinflow._src.graph.default_graph import executing_eagerly, get_default_graph
from twinflow._src.wings.distribute.cluster_spec import ClusterSpec

# Context managers.


def device(device_name_or_function: Any) -> Any:
    """Returns a context manager that places ops on a device.

    Args:
        device_name_or_function: A device name, None, or in a graph a function from an op to
            a device name.
    """
    graph = thread.scope.graph
    if graph is not None and callable(device_name_or_function):
        return graph.device(device_name_or_function)
    return API["device"](device_name_or_function)


class name_scope(Block):
    """Context manager that prefixes the names of ops.

    Args:
        name: The prefix; None for the default.
        default_name: The prefix if ``name`` is None.
        values: Accepted and without effect.

    Raises:
        TypeError: ``default_name`` is not a string.
        ValueError: There is no name, but values.
    """

    def __init__(self, name: Any, default_name: Any = None, values: Any = None) -> None:
        super().__init__()
        if not (default_name is None or isinstance(default_name, str)):
            raise TypeError(
                f"`default_name` type ({type(default_name)}) is not a string type. You likely meant to pass "
                "this into the `values` kwarg."
            )
        if name is None and default_name is None and values is not None:
            raise ValueError(
                f"At least one of name ({name}) and default_name ({default_name}) must be provided."
            )
        self._name = default_name if name is None else name

    @property
    def name(self) -> Any:
        """The prefix."""
        return self._name

    def __enter__(self) -> str:
        graph = thread.scope.graph
        block = (
            graph.name_scope(self._name)
            if graph is not None
            else API["name_scope"](self._name or "")
        )
        block._changes = self._changes
        return str(block.__enter__())


def op_scope(values: Any, name: Any, default_name: Any = None) -> name_scope:
    """Returns ``name_scope`` with the deprecated order of arguments."""
    return name_scope(name, default_name, values)


def colocate_with(op: Any, ignore_existing: bool = False) -> Any:
    """Returns a context manager that colocates ops with another op; see ``Graph.colocate_with``."""
    if executing_eagerly():
        return nullcontext() if op is None else API["device"](op.device)
    return get_default_graph().colocate_with(op, ignore_existing)


def container(container_name: str) -> Any:
    """Returns a context manager for resource containers; see ``Graph.container``."""
    return get_default_graph().container(container_name)


def control_dependencies(control_inputs: Any) -> Any:
    """Returns a context manager of control dependencies; see ``Graph.control_dependencies``."""
    graph = thread.scope.graph
    if graph is None or callable(control_inputs):
        return API["control_dependencies"](control_inputs)
    return graph.control_dependencies(control_inputs)


def add_check_numerics_ops() -> Any:
    """Adds ``CheckNumerics`` ops for all floating-point tensors of the graph.

    Returns:
        An op that runs all of them.

    Raises:
        RuntimeError: Eager execution is enabled.
    """
    if executing_eagerly():
        raise RuntimeError(
            "add_check_numerics_ops() is not compatible with eager execution. To check for Inf's and NaN's "
            "under eager execution, call tf.debugging.enable_check_numerics() once before executing the "
            "checked operations."
        )
    checks: list[Any] = []
    for node in get_default_graph().get_operations():
        for tensor in node.outputs:
            if tensor.dtype.base_dtype in _CHECKED:
                with entered(thread.scope.but(controls=tuple(checks[-1:]))):
                    checks.append(
                        API["debugging.check_numerics"](
                            tensor, f"{node.name}:{tensor.value_index}"
                        ).op
                    )
    return API["group"](*checks)


_CHECKED = frozenset(API["debugging.check_numerics"].op.dtypes)  # type: ignore[attr-defined]


# ------------------------------------------------------------------ session handles


_NOT_KEPT = "Tensors do not stay in sessions; use a variable to keep a value between runs."


def get_session_handle(data: Any, name: str | None = None) -> Any:
    """Raises NotImplementedError: sessions hold only variables.

    Raises:
        NotImplementedError: Always.
    """
    raise NotImplementedError(_NOT_KEPT)


def get_session_tensor(handle: Any, dtype: Any, name: str | None = None) -> Any:
    """Raises NotImplementedError; see ``get_session_handle``."""
    raise NotImplementedError(_NOT_KEPT)


def delete_session_tensor(handle: Any, name: str | None = None) -> Any:
    """Raises NotImplementedError; see ``get_session_handle``."""
    raise NotImplementedError(_NOT_KEPT)


# Device functions for parameter servers.


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
    """Returns a device function that places variables on parameter servers, round robin.

    Other ops are placed on the worker. Sessions of the cluster run the graph; see ``Session``.

    Args:
        ps_tasks: The number of parameter servers.
        ps_device: Their device, without the task.
        worker_device: The device of all other ops.
        merge_devices: If True, explicit devices of ops take precedence.
        cluster: A ``tf.train.ClusterSpec`` or its argument, instead of ``ps_tasks``; or None.
        ps_ops: The op types placed on parameter servers; variables if None.
        ps_strategy: A function from an op to a task index; round robin if None.

    Returns:
        A device function, or None if there are no parameter servers.

    Raises:
        TypeError: The cluster is invalid, or the strategy is not callable.
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
        spec = DeviceSpec.from_string(node.device)
        if node.type in (_VARIABLES if ps_ops is None else ps_ops):
            ps = DeviceSpec.from_string(ps_device)
            if ps.job and (not spec.job or spec.job == ps.job):
                ps = ps.replace(task=choose(node))
        else:
            ps = DeviceSpec.from_string(worker_device or "")
        text: str = (ps.make_merged_spec(spec) if merge_devices else ps).to_string()
        return text

    return device
