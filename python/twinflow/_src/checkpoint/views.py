"""``tf.train.CheckpointView`` and ``TrackableView``: the graph of objects in a file, and that of a program."""

from __future__ import annotations

from collections import deque
from typing import Any

from twinflow._src.checkpoint.object_graph import GRAPH_KEY, View, is_trackable
from twinflow._src.checkpoint.objects import graph_of
from twinflow._src.checkpoint.reader import Reader


class TrackableView:
    """The objects below an object.

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
        """The object."""
        return self._view.root

    @classmethod
    def children(cls, obj: Any) -> dict[str, Any]:
        """The children of an object by name.

        Args:
            obj: An object.
        """
        return dict(obj._trackable_children())

    def descendants(self) -> list[Any]:
        """The object and all below it, level by level."""
        return [found for found, _ in self._view.objects()]


def _view(root: Any) -> View:
    """What there is to save below an object; a checkpoint may have more children than it tells."""
    return root._objects() if hasattr(root, "_objects") else View(root)


class CheckpointView:
    """The graph of objects in a checkpoint.

    Args:
        save_path: The checkpoint.

    Raises:
        NotFoundError: There is no such checkpoint.
        ValueError: It has no graph of objects.
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
        """The children of a node by name.

        Args:
            node_id: The number of the node; 0 is the root.
        """
        return {child.local_name: child.node_id for child in self._nodes[node_id].children}

    def descendants(self) -> list[int]:
        """The numbers of the root and of all nodes below it, level by level."""
        found, todo = {0}, deque([0])
        while todo:
            for number in self.children(todo.popleft()).values():
                if number not in found:
                    found.add(number)
                    todo.append(number)
        return sorted(found)

    def match(self, obj: Any) -> dict[int, Any]:
        """The nodes that have an object in a program, with these.

        Args:
            obj: The object that the root stands for.

        Raises:
            ValueError: It is none that checkpoints can save.
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
            obj: The object that the root stands for.

        Returns:
            The nodes with their objects, as ``match`` gives them; the nodes without an object; the objects without a
            node.
        """
        found = self.match(obj)
        known = {id(each) for each in found.values()}
        objects = [each for each, _ in _view(obj).objects() if id(each) not in known]
        return found, [number for number in self.descendants() if number not in found], objects
