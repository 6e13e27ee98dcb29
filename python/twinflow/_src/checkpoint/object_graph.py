"""Object graphs of checkpoints: traversal, and conversion to ``TrackableObjectGraph``."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from twinflow._src.core.protos import message
from twinflow._src.trackable.trackable import Trackable

GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"
Path = tuple[str, ...]


class View:
    """The objects to save below a root object.

    Args:
        root: The object.
        attached: Its additional children in the checkpoint, which may grow.
    """

    def __init__(self, root: Any, attached: list[tuple[str, Any]] | None = None) -> None:
        self.root = root
        self.attached = [] if attached is None else attached

    def children(self, of: Any) -> dict[str, Any]:
        """Returns the children of an object by name."""
        found = of._trackable_children()
        return {**found, **dict(self.attached)} if of is self.root else found

    def objects(self) -> list[tuple[Any, Path]]:
        """Returns the objects in breadth-first order with their paths."""
        found: list[tuple[Any, Path]] = []
        seen, todo = {id(self.root)}, deque([(self.root, ())])
        while todo:
            current, path = todo.popleft()
            found.append((current, path))
            for name, child in self.children(current).items():
                if id(child) not in seen:
                    seen.add(id(child))
                    todo.append((child, (*path, name)))  # type: ignore[arg-type]
        return found


def is_trackable(value: Any) -> bool:
    """True if checkpoints can save an object."""
    return isinstance(value, Trackable)


def escaped(name: str) -> str:
    """Returns a name escaped for use in a key."""
    return name.replace(".", "..").replace("/", ".S")


def _way(path: Path) -> str:
    return "/".join(map(escaped, path))


class Described:
    """An object graph as a message, with the objects that have values to save.

    Args:
        view: The objects.

    Attributes:
        proto: The ``TrackableObjectGraph``.
        saved: Keys with the objects saved under them, in the order of the objects.
    """

    def __init__(self, view: View, slots: bool = True) -> None:
        objects = view.objects()
        self._numbers = {id(found): number for number, (found, _) in enumerate(objects)}
        self.proto = message("TrackableObjectGraph")()
        self.saved: list[tuple[str, Any]] = []
        for found, path in objects:
            self._add(found, _way(path))
            for name, child in view.children(found).items():
                self.proto.nodes[-1].children.add(node_id=self._numbers[id(child)], local_name=name)
        if slots:
            self._add_slots(objects)
        self._mark()

    def _add(self, found: Any, way: str) -> None:
        node = self.proto.nodes.add()
        for part in found._saved_parts():
            variable = part._saved_variable()
            name = None if variable is None else str(variable._shared_name)
            key = f"{way}/.ATTRIBUTES/{part._saves}"
            if all(known.name != part._saves for known in node.attributes):
                node.attributes.add(name=part._saves, full_name=name, checkpoint_key=key)
            self.saved.append((f"{key}{part._suffix}", part))

    def _add_slots(self, objects: Sequence[tuple[Any, Path]]) -> None:
        """Adds the slot variables of optimizers: one node each, after those of all objects."""
        for number, (optimizer, way) in enumerate(objects):
            for name, of, path, slot in _slots_of(optimizer, objects):
                reference = self.proto.nodes[number].slot_variables.add()
                reference.original_variable_node_id = self._numbers[id(of)]
                reference.slot_name = name
                reference.slot_variable_node_id = len(self.proto.nodes)
                self._add(slot, f"{_way(path)}/.OPTIMIZER_SLOT/{_way(way)}/{escaped(name)}")

    def _mark(self) -> None:
        """Sets ``has_checkpoint_values`` of nodes that have values or lead to nodes with values."""
        nodes = self.proto.nodes
        parents: list[list[int]] = [[] for _ in nodes]
        for number, node in enumerate(nodes):
            for child in node.children:
                parents[child.node_id].append(number)
            for slot in node.slot_variables:
                parents[slot.slot_variable_node_id].append(number)
        todo = [number for number, node in enumerate(nodes) if node.attributes]
        marked = set(todo)
        while todo:
            fresh = [parent for parent in parents[todo.pop()] if parent not in marked]
            marked.update(fresh)
            todo.extend(fresh)
        for number, node in enumerate(nodes):
            node.has_checkpoint_values.value = number in marked


def _slots_of(
    optimizer: Any, objects: Sequence[tuple[Any, Path]]
) -> Iterator[tuple[str, Any, Path, Any]]:
    """Yields the slots of an optimizer: slot name, variable, its path, and the slot variable."""
    if not hasattr(optimizer, "_slot_to_restore"):
        return
    for name in optimizer.get_slot_names():
        for found, path in objects:
            variable = found._saved_variable()
            slot = None if variable is None else optimizer.get_slot(variable, name)
            if slot is not None:
                yield name, found, path, slot


# ------------------------------------------------------------------ names in messages


def node_names(proto: Any) -> dict[int, str]:
    """Returns the names of the nodes for messages: the path from the root."""
    names = {0: "(root)"}
    todo = deque([0])
    while todo:
        number = todo.popleft()
        for child in proto.nodes[number].children:
            if child.node_id not in names:
                names[child.node_id] = f"{names[number]}.{child.local_name}"
                todo.append(child.node_id)
    for number, node in enumerate(proto.nodes):
        for slot in node.slot_variables:
            names[slot.slot_variable_node_id] = (
                f"{names.get(number)}'s state '{slot.slot_name}' for {names.get(slot.original_variable_node_id)}"
            )
    return names
