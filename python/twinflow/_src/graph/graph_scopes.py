"""Blocks of a graph: devices, dependencies, names."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import ContextDecorator, contextmanager
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import entered, thread
from twinflow._src.core.context_managers import Block, altered
from twinflow._src.core.devices import DeviceSpec
from twinflow._src.graph.signatures import attributes
from twinflow._src.graph.symbolic import Operation


class _Placed(threading.local):
    """Where the blocks around a thread's operations place them: what other threads add to the graph stays where it is."""

    devices: tuple[Any, ...] = ()  # what the blocks ask for: names, functions of an operation, None
    colocated: tuple[Operation, ...] = ()  # the operations whose devices the blocks ask for


class Blocks:
    """The part of a graph that has blocks around operations."""

    def __init__(self) -> None:
        self._placed = _Placed()
        self._containers: tuple[str, ...] = ("",)
        self._marks: dict[
            str, Any
        ] = {}  # what files hold of the operations of the block around, besides
        self._overrides: dict[
            str, str
        ] = {}  # by types of operations, the names of the gradients that they have

    # ---------------------------------------------------------------- devices
    def device(self, device_name_or_function: Any) -> Any:
        """A block whose operations ask for a device.

        Args:
            device_name_or_function: A name, or part of one, that adds to those of outer blocks; a function
                of an operation that gives one; or None, which ends the influence of outer blocks.
        """
        wanted = device_name_or_function
        if wanted is not None and not callable(wanted):
            name = wanted if not hasattr(wanted, "to_string") else wanted.to_string()
            wanted = DeviceSpec.from_string(name)
        return altered(self._placed, "devices", lambda outer: (*outer, wanted))

    def place(self, node: Operation) -> None:
        """Sets the device of a new operation to what the blocks around it ask for, the innermost first."""
        for wanted in reversed(self._placed.devices):
            if wanted is None:
                return
            if callable(wanted):
                found = wanted(node)
                node.device = found.to_string() if hasattr(found, "to_string") else found or ""
            else:
                node.device = wanted.make_merged_spec(
                    DeviceSpec.from_string(node.device)
                ).to_string()

    @contextmanager
    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Iterator[None]:
        """A block whose operations ask for the device of another.

        Args:
            op: An operation, a tensor or a variable; None together with ``ignore_existing`` alone.
            ignore_existing: Whether outer blocks of this kind have no influence.

        Raises:
            ValueError: There is no operation, and outer blocks are to have influence.
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
        """The operation beside which others stand that are colocated with a value."""
        handle = getattr(value, "handle", None)
        if isinstance(value, Operation) or isinstance(getattr(handle, "op", None), Operation):
            return value if handle is None else handle.op
        own = getattr(value, "_ref", None)
        tensor = own() if callable(own) else value
        return self.own(convert_to_tensor(tensor)).op  # type: ignore[attr-defined]

    def colocate(self, node: Operation) -> None:
        """Places a new operation beside those of the blocks around it, the innermost with a device first."""
        groups = {group for other in self._placed.colocated for group in other.colocation_groups()}
        node.marks["_class"] = sorted(groups)
        node.device = next(
            (other.device for other in reversed(self._placed.colocated) if other.device),
            node.device,
        )

    def contain(self, node: Operation) -> None:
        """Says in which container a new operation keeps its state, where it names one."""
        if "container" in attributes(node.type):
            node.marks["container"] = self._containers[-1].encode()

    def marked(self, **marks: Any) -> Any:
        """A block whose operations have further attributes in files; see ``Operation.marks``.

        Args:
            **marks: The attributes.
        """
        return altered(self, "_marks", lambda outer: {**marks, **outer})

    def gradient_override_map(self, op_type_map: dict[str, str]) -> Any:
        """A block in which operations of some types have gradients that a program has registered.

        Args:
            op_type_map: For each type the name given to ``tf.RegisterGradient``.

        Raises:
            TypeError: That is no dictionary of strings.
        """
        given = op_type_map.items() if isinstance(op_type_map, dict) else [(None, None)]
        if not all(isinstance(part, str) for item in given for part in item):
            raise TypeError("op_type_map must be a dictionary mapping strings to strings")
        return altered(self, "_overrides", lambda outer: {**outer, **op_type_map})

    # ---------------------------------------------------------------- names and dependencies
    def name_scope(self, name: str | None) -> Any:
        """A block that puts a prefix before the names of operations.

        Args:
            name: The prefix; one that ends in ``/`` is taken as it is; None or ``""`` is none.
        """
        return _NameScope(self, name.decode() if isinstance(name, bytes) else name or "")

    def path_of(self, name: str) -> str:
        """The prefix for a scope that begins here.

        Raises:
            ValueError: A scope cannot have this name.
        """
        assert_scope_name(name, not thread.scope.name)
        return str(self.unique_name(name)) + "/"  # type: ignore[attr-defined]

    def get_name_scope(self) -> str:
        """The prefix that surrounds, without a slash at its end."""
        return thread.scope.name.removesuffix("/")

    def control_dependencies(self, control_inputs: Any) -> Any:
        """A block whose operations run after others.

        Args:
            control_inputs: Operations, tensors or variables; None ends the influence of outer blocks.
        """
        if control_inputs is None:
            return entered(thread.scope.but(controls=()))
        waited = tuple(x for x in map(self._operation, control_inputs) if self.waits_for(x))
        for node in waited:
            node.marks["_has_manual_control_dependencies"] = True
        known = thread.scope.controls
        return entered(
            thread.scope.but(controls=(*known, *(op for op in waited if op not in known)))
        )

    def _operation(self, value: Any) -> Operation:
        if hasattr(value, "values") and hasattr(value, "indices"):
            value = value.values
        found = self.as_graph_element(value)  # type: ignore[attr-defined]
        return found if isinstance(found, Operation) else found.op

    def waits_for(self, node: Operation) -> bool:
        """Whether an operation can be waited for within this graph."""
        return True

    def wait(self, node: Operation) -> None:
        """Leaves out what an operation waits for anyway: its inputs, and what they had to wait for."""
        node.waits = tuple(node.control_inputs)
        sources = {id(x.op): x.op for x in node.tensors}
        before = {id(waited) for source in sources.values() for waited in source.waits}
        node.control_inputs = [
            x for x in node.waits if id(x) not in before and id(x) not in sources
        ]

    def container(self, container_name: str) -> Any:
        """A block whose operations with state name a container; all of a session live in one here."""
        return altered(self, "_containers", lambda outer: (*outer, container_name), container_name)


class _NameScope(Block, ContextDecorator):
    """See ``Blocks.name_scope``."""

    def __init__(self, graph: Any, name: str) -> None:
        super().__init__()
        self._graph, self._name = graph, name

    def __enter__(self) -> str:
        whole = not self._name or self._name.endswith("/")
        path = self._name if whole else str(self._graph.path_of(self._name))
        self._put(thread, "scope", thread.scope.but(name=path))
        return path


_ROOT, _INNER = r"^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$", r"^[A-Za-z0-9_.\\/>-]*$"


def assert_scope_name(name: str, is_root: bool) -> None:
    """Raises ValueError where a scope cannot have a name."""
    pattern, what = (_ROOT, "root scope") if is_root else (_INNER, "scope")
    if not re.match(pattern, name):
        raise ValueError(
            f"'{name}' is not a valid {what} name. A {what} name has to match the following pattern: {pattern}"
        )
