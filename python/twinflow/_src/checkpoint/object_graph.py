"""Object graphs of programs and of checkpoints (``TrackableObjectGraph``)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from twinflow._src.checkpoint.reader import Reader
from twinflow._src.core.errors import DataLossError
from twinflow._src.core.protos import message, needed
from twinflow._src.trackable.trackable import Trackable, wrapped

GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"
Path = tuple[str, ...]


class View:
    """The objects to save below a root object, with its attached children, which may grow."""

    def __init__(self, root: Any, attached: list[tuple[str, Any]] | None = None) -> None:
        self.root = root
        self.attached = [] if attached is None else attached

    def children(self, of: Any) -> dict[str, Any]:
        """Returns the children of an object by name."""
        children = of._trackable_children()
        return {**children, **dict(self.attached)} if of is self.root else children

    def objects(self) -> list[tuple[Any, Path]]:
        """Returns the objects in breadth-first order with their paths."""
        objects: list[tuple[Any, Path]] = []
        seen, todo = {id(self.root)}, deque([(self.root, ())])
        while todo:
            current, path = todo.popleft()
            objects.append((current, path))
            for name, child in self.children(current).items():
                if id(child) not in seen:
                    seen.add(id(child))
                    todo.append((child, (*path, name)))  # type: ignore[arg-type]
        return objects


def is_trackable(value: Any) -> bool:
    """True if checkpoints can save an object."""
    return isinstance(value, Trackable)


def escape(name: str) -> str:
    """Returns a name escape for use in a key."""
    return name.replace(".", "..").replace("/", ".S")


def _joined_path(path: Path) -> str:
    return "/".join(map(escape, path))


class ObjectGraph:
    """An object graph as a message, with the objects that have values to save.

    Attributes:
        proto: The ``TrackableObjectGraph``.
        saved: Keys with the objects saved under them, in the order of the objects.
    """

    def __init__(self, view: View, slots: bool = True) -> None:
        objects = view.objects()
        self._numbers = {id(value): number for number, (value, _) in enumerate(objects)}
        self.proto = message("TrackableObjectGraph")()
        self.saved: list[tuple[str, Any]] = []
        for value, path in objects:
            self._add(value, _joined_path(path))
            for name, child in view.children(value).items():
                self.proto.nodes[-1].children.add(node_id=self._numbers[id(child)], local_name=name)
        if slots:
            self._add_slots(objects)
        self._mark()

    def _add(self, value: Any, prefix: str) -> None:
        node = self.proto.nodes.add()
        for part in value._saved_parts():
            variable = part._saved_variable()
            name = None if variable is None else str(variable._shared_name)
            key = f"{prefix}/.ATTRIBUTES/{part._saves}"
            if all(attribute.name != part._saves for attribute in node.attributes):
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
                self._add(
                    slot,
                    f"{_joined_path(path)}/.OPTIMIZER_SLOT/{_joined_path(way)}/{escape(name)}",
                )

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


def has_slots(value: Any) -> bool:
    """True for an optimizer with slot variables, also one of a library."""
    kinds = ("_slot_to_restore", "_create_or_restore_slot_variable")
    return hasattr(value, "get_slot_names") and any(hasattr(value, kind) for kind in kinds)


def _slots_of(
    optimizer: Any, objects: Sequence[tuple[Any, Path]]
) -> Iterator[tuple[str, Any, Path, Any]]:
    """Yields the slots of an optimizer: slot name, variable, its path, and the slot variable."""
    if not has_slots(optimizer):
        return
    for name in optimizer.get_slot_names():
        for value, path in objects:
            variable = value._saved_variable()
            try:
                slot = None if variable is None else optimizer.get_slot(variable, name)
            except KeyError:  # of a library's optimizer, for a variable that it does not train
                continue
            if slot is not None:
                yield name, value, path, slot


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


# ------------------------------------------------------------------ views


def graph_of(reader: Reader) -> Any:
    """Returns the object graph of a checkpoint."""
    wrong = needed("google.protobuf.message", "protobuf").DecodeError
    try:
        proto = message("TrackableObjectGraph").FromString(reader.read(GRAPH_KEY)[()])
    except (wrong, TypeError) as error:
        raise DataLossError(
            None, None, f"{reader.prefix}: {GRAPH_KEY} is not a graph of objects"
        ) from error
    count = len(proto.nodes)
    for node in proto.nodes:
        numbers = [c.node_id for c in node.children]
        for slot in node.slot_variables:
            numbers += [slot.original_variable_node_id, slot.slot_variable_node_id]
        if any(not 0 <= number < count for number in numbers):
            raise DataLossError(
                None, None, f"{reader.prefix}: {GRAPH_KEY} names a node that it does not have"
            )
    if not count:
        raise DataLossError(None, None, f"{reader.prefix}: {GRAPH_KEY} has no root")
    return proto


class TrackableView:
    """The objects reachable from a root object.

    Args:
        root: The object.
    """

    __module__ = "twinflow.train"

    def __init__(self, root: Any) -> None:
        if not is_trackable(root):
            raise TypeError(f"Expected a Trackable, got {root} of type {type(root)}.")
        self._view = _view(root)

    @property
    def root(self) -> Any:
        """The root object."""
        return self._view.root

    @classmethod
    def children(cls, obj: Any, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """Returns the children of an object by name.

        Args:
            obj: An object.
            save_type: ``"checkpoint"``, or ``"savedmodel"`` for the children in SavedModels.
            **kwargs: Options of saving, such as ``cache``.
        """
        if not hasattr(obj, "_trackable_children"):  # a concrete function
            return {}
        children = obj._trackable_children(save_type, **kwargs)
        return {name: wrapped(child) for name, child in children.items()}

    def descendants(self) -> list[Any]:
        """Returns the root and all objects below it, in breadth-first order."""
        if type(self).children.__func__ is TrackableView.children.__func__:  # type: ignore[attr-defined]
            return [value for value, _ in self._view.objects()]
        objects, todo = {id(self.root): self.root}, deque([self.root])
        while todo:
            for child in self.children(todo.popleft()).values():
                if id(child) not in objects:
                    objects[id(child)] = child
                    todo.append(child)
        return list(objects.values())


def _view(root: Any) -> View:
    """Returns the objects to save below an object, with the attached children of a checkpoint."""
    return root._objects() if hasattr(root, "_objects") else View(root)


class CheckpointView:
    """The object graph in a checkpoint.

    Args:
        save_path: The checkpoint.

    Raises:
        NotFoundError: The checkpoint does not exist.
        ValueError: It has no object graph.
    """

    __module__ = "twinflow.train"

    def __init__(self, save_path: Any) -> None:
        reader = Reader(save_path)
        if GRAPH_KEY not in reader:
            raise ValueError(
                f'The specified checkpoint "{reader.prefix}" does not appear to be object-based (saved with TF2) since '
                f'it is missing the key "{GRAPH_KEY}". Likely it was created with the TF1 name-based saver and does not '
                "contain an object dependency graph."
            )
        self._nodes = graph_of(reader).nodes

    def children(self, node_id: int) -> dict[str, int]:
        """Returns the children of a node by name.

        Args:
            node_id: The id of the node; 0 is the root.
        """
        return {child.local_name: child.node_id for child in self._nodes[node_id].children}

    def descendants(self) -> list[int]:
        """Returns the ids of the root and of all nodes below it, sorted."""
        seen, todo = {0}, deque([0])
        while todo:
            for number in self.children(todo.popleft()).values():
                if number not in seen:
                    seen.add(number)
                    todo.append(number)
        return sorted(seen)

    def match(self, obj: Any) -> dict[int, Any]:
        """Returns the nodes that match objects of a program, with these.

        Args:
            obj: The object to match with the root.

        Raises:
            ValueError: The object is not trackable.
        """
        if not is_trackable(obj):
            raise ValueError(f"Expected a Trackable, got {obj} of type {type(obj)}.")
        view = _view(obj)
        matched, todo = {0: view.root}, deque([0])
        while todo:
            number = todo.popleft()
            children = view.children(matched[number])
            for name, child in self.children(number).items():
                if name in children and child not in matched:
                    matched[child] = children[name]
                    todo.append(child)
        return matched

    def diff(self, obj: Any) -> tuple[dict[int, Any], list[int], list[Any]]:
        """Compares the checkpoint with a program.

        Args:
            obj: The object to match with the root.

        Returns:
            The nodes with their objects, as in ``match``; the nodes without an object; the objects
            without a node.
        """
        matched = self.match(obj)
        ids = {id(each) for each in matched.values()}
        objects = [each for each, _ in _view(obj).objects() if id(each) not in ids]
        return matched, [number for number in self.descendants() if number not in matched], objects
