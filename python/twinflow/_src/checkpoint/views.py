"""``tf.train.CheckpointView`` and ``TrackableView``: object graphs of files and of programs."""

from __future__ import annotations

from collections import deque
from typing import Any

from twinflow._src.checkpoint.object_graph import GRAPH_KEY, View, is_trackable
from twinflow._src.checkpoint.objects import graph_of
from twinflow._src.checkpoint.reader import Reader


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
    def children(cls, obj: Any) -> dict[str, Any]:
        """Returns the children of an object by name.

        Args:
            obj: An object.
        """
        return dict(obj._trackable_children())

    def descendants(self) -> list[Any]:
        """Returns the root and all objects below it, in breadth-first order."""
        return [found for found, _ in self._view.objects()]


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
        found, todo = {0}, deque([0])
        while todo:
            for number in self.children(todo.popleft()).values():
                if number not in found:
                    found.add(number)
                    todo.append(number)
        return sorted(found)

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
        found, todo = {0: view.root}, deque([0])
        while todo:
            number = todo.popleft()
            held = view.children(found[number])
            for name, child in self.children(number).items():
                if name in held and child not in found:
                    found[child] = held[name]
                    todo.append(child)
        return found

    def diff(self, obj: Any) -> tuple[dict[int, Any], list[int], list[Any]]:
        """Compares the checkpoint with a program.

        Args:
            obj: The object to match with the root.

        Returns:
            The nodes with their objects, as in ``match``; the nodes without an object; the objects
            without a node.
        """
        found = self.match(obj)
        known = {id(each) for each in found.values()}
        objects = [each for each, _ in _view(obj).objects() if id(each) not in known]
        return found, [number for number in self.descendants() if number not in found], objects
