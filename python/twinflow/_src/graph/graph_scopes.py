"""Context managers of graphs: devices, control dependencies, name scopes and containers; checks of devices."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator
from contextlib import ContextDecorator, contextmanager
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import Block, altered, entered, runtime, thread
from twinflow._src.core.devices import DeviceSpec
from twinflow._src.core.errors import invalid
from twinflow._src.graph.signatures import attributes
from twinflow._src.graph.symbolic import Operation


class _Placed(threading.local):
    """The device scopes of a thread; other threads that add to the graph have their own."""

    devices: tuple[Any, ...] = ()  # device specs, device functions or None
    colocated: tuple[Operation, ...] = ()  # colocation targets


class Blocks:
    """Mixin of graphs with the context managers."""

    def __init__(self) -> None:
        self._placed = _Placed()
        self._containers: tuple[str, ...] = ("",)
        self._marks: dict[
            str, Any
        ] = {}  # additional NodeDef attributes of operations in the current scope
        self._overrides: dict[str, str] = {}  # names of registered gradients, by op type

    # ---------------------------------------------------------------- devices
    def device(self, device_name_or_function: Any) -> Any:
        """Returns a context manager for the device of operations.

        Args:
            device_name_or_function: A full or partial device name, merged with those of outer
                scopes; a function of an operation that returns a device; or None, which resets
                outer scopes.
        """
        device = device_name_or_function
        if device is not None and not callable(device):
            name = device if not hasattr(device, "to_string") else device.to_string()
            device = DeviceSpec.from_string(name)
        return altered(self._placed, "devices", lambda outer: (*outer, device))

    def place(self, node: Operation) -> None:
        """Sets the device of a new operation from the device scopes, innermost first."""
        for device in reversed(self._placed.devices):
            if device is None:
                return
            if callable(device):
                result = device(node)
                node.device = result.to_string() if hasattr(result, "to_string") else result or ""
            else:
                node.device = device.make_merged_spec(
                    DeviceSpec.from_string(node.device)
                ).to_string()

    @contextmanager
    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Iterator[None]:
        """Returns a context manager that colocates operations with another one.

        Args:
            op: An operation, a tensor or a variable; None only with ``ignore_existing``.
            ignore_existing: Whether to reset outer colocation scopes.

        Raises:
            ValueError: ``op`` is None and ``ignore_existing`` is False.
        """
        if op is None and not ignore_existing:
            raise ValueError(
                "Trying to reset colocation (op is None) but ignore_existing is not True"
            )
        beside = () if op is None else (self._with_device(op),)
        devices = altered(self._placed, "devices", lambda outer: ())
        colocated = altered(
            self._placed, "colocated", lambda outer: (*(() if ignore_existing else outer), *beside)
        )
        with devices, colocated:
            yield

    def _with_device(self, value: Any) -> Operation:
        """Returns the operation with which others are colocated for a value."""
        handle = getattr(value, "handle", None)
        if isinstance(value, Operation) or isinstance(getattr(handle, "op", None), Operation):
            return value if handle is None else handle.op
        reference = getattr(value, "_ref", None)
        tensor = reference() if callable(reference) else value
        return self.own(convert_to_tensor(tensor)).op  # type: ignore[attr-defined]

    def colocate(self, node: Operation) -> None:
        """Colocates a new operation; its device is that of the innermost target with a device."""
        groups = {group for other in self._placed.colocated for group in other.colocation_groups()}
        node.marks["_class"] = sorted(groups)
        node.device = next(
            (other.device for other in reversed(self._placed.colocated) if other.device),
            node.device,
        )

    def contain(self, node: Operation) -> None:
        """Sets the container of a new stateful operation, if its op has that attribute."""
        if "container" in attributes(node.type):
            node.marks["container"] = self._containers[-1].encode()

    def marked(self, **marks: Any) -> Any:
        """Returns a context manager that adds attributes to operations; see ``Operation.marks``."""
        return altered(self, "_marks", lambda outer: {**marks, **outer})

    def gradient_override_map(self, op_type_map: dict[str, str]) -> Any:
        """Returns a context manager in which op types have registered gradients.

        Args:
            op_type_map: The name passed to ``tf.RegisterGradient``, for each type.

        Raises:
            TypeError: It is no dictionary of strings.
        """
        items = op_type_map.items() if isinstance(op_type_map, dict) else [(None, None)]
        if not all(isinstance(part, str) for item in items for part in item):
            raise TypeError("op_type_map must be a dictionary mapping strings to strings")
        return altered(self, "_overrides", lambda outer: {**outer, **op_type_map})

    # ---------------------------------------------------------------- names and dependencies
    def name_scope(self, name: str | None) -> Any:
        """Returns a context manager that adds a prefix to the names of operations.

        Args:
            name: The prefix, made unique unless it ends in ``/``; None or ``""`` resets the scope.
        """
        return _NameScope(self, name.decode() if isinstance(name, bytes) else name or "")

    def path_of(self, name: str) -> str:
        """Returns the prefix of a new scope, made unique.

        Raises:
            ValueError: The name is invalid.
        """
        assert_scope_name(name, not thread.scope.name)
        return str(self.unique_name(name)) + "/"  # type: ignore[attr-defined]

    def get_name_scope(self) -> str:
        """Returns the current name scope of this graph, without a trailing slash."""
        return thread.scope.name.removesuffix("/") if thread.scope.graph is self else ""

    def control_dependencies(self, control_inputs: Any) -> Any:
        """Returns a context manager whose operations run after others.

        Args:
            control_inputs: Operations, tensors or variables; None clears the dependencies of outer
                scopes.
        """
        if control_inputs is None:
            return entered(thread.scope.but(controls=()))
        waited = tuple(x for x in map(self._operation, control_inputs) if self.waits_for(x))
        for node in waited:
            node.marks["_has_manual_control_dependencies"] = True
        outer = thread.scope.controls
        return entered(
            thread.scope.but(controls=(*outer, *(op for op in waited if op not in outer)))
        )

    def _operation(self, value: Any) -> Operation:
        if hasattr(value, "values") and hasattr(value, "indices"):
            value = value.values
        element = self.as_graph_element(value)  # type: ignore[attr-defined]
        return element if isinstance(element, Operation) else element.op

    def waits_for(self, node: Operation) -> bool:
        """True if a control dependency on an operation can be expressed within this graph."""
        return True

    def wait(self, node: Operation) -> None:
        """Removes redundant control inputs: data inputs, and what the data inputs wait for."""
        node.waits = tuple(node.control_inputs)
        sources = {id(x.op): x.op for x in node.tensors}
        before = {id(waited) for source in sources.values() for waited in source.waits}
        node.control_inputs = [
            x for x in node.waits if id(x) not in before and id(x) not in sources
        ]

    def container(self, container_name: str) -> Any:
        """Returns a context manager that sets the container attribute of stateful operations.

        It has no other effect: all state of a session shares one container.
        """
        return altered(self, "_containers", lambda outer: (*outer, container_name), container_name)


class _NameScope(Block, ContextDecorator):
    """The context manager of ``Blocks.name_scope``."""

    def __init__(self, graph: Any, name: str) -> None:
        super().__init__()
        self._graph, self._name = graph, name

    def __enter__(self) -> str:
        whole = not self._name or self._name.endswith("/")
        path = self._name if whole else str(self._graph.path_of(self._name))
        self._replace(thread, "scope", thread.scope.but(name=path))
        return path


_ROOT, _INNER = r"^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$", r"^[A-Za-z0-9_.\\/>-]*$"


def assert_scope_name(name: str, is_root: bool) -> None:
    """Raises ValueError where a scope name is invalid."""
    pattern, what = (_ROOT, "root scope") if is_root else (_INNER, "scope")
    if not re.match(pattern, name):
        raise ValueError(
            f"'{name}' is not a valid {what} name. A {what} name has to match the following pattern: {pattern}"
        )


def exists(node: Operation, soft: bool) -> bool:
    """True if the device that an operation requests exists."""
    # With soft placement (``soft``), any device of the requested process will do.
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
