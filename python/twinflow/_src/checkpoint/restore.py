"""Values from a checkpoint for a graph of objects, also for objects that are made later.

The objects of the file and those of the program are matched by the names of children, from the root on.
What the program does not have yet waits at the object that will get it.
"""

from __future__ import annotations

import itertools
import weakref
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from twinflow._src.checkpoint.object_graph import node_names
from twinflow._src.checkpoint.options import CheckpointOptions
from twinflow._src.checkpoint.progress import told
from twinflow._src.checkpoint.reader import Reader
from twinflow._src.checkpoint.variable_values import assert_all_fit, is_symbolic, put
from twinflow._src.core.init_scope import get_logger
from twinflow._src.trackable.trackable import DEFERRED, RESTORED_BY

_NUMBERS = itertools.count(1)


class Position:
    """A node of a checkpoint that waits for its object."""

    def __init__(self, restore: Restore, node: int) -> None:
        self._restore, self._node = restore, node

    @property
    def restored_by(self) -> int:
        """The number of the restore."""
        return self._restore.number

    def restore(self, value: Any) -> None:
        """Restores the object that was waited for, and what is below it."""
        self._restore.restore(self._node, value)

    def __deepcopy__(self, memo: Any) -> Position:
        return self


class Restore:
    """A checkpoint that is being restored.

    Args:
        reader: The checkpoint.
        proto: Its ``TrackableObjectGraph``.
        options: How it is read.

    Attributes:
        number: Later restores have higher ones.
        pending: Values for variables of graphs, which sessions are going to get.
        unused: Names of values of nodes whose objects have no such values.
    """

    def __init__(self, reader: Reader, proto: Any, options: CheckpointOptions) -> None:
        self.reader, self.proto, self.options = reader, proto, options
        self.number = next(_NUMBERS)
        self.pending: list[tuple[Any, Any]] = []
        self.leftover = Leftover(proto)
        self.unused = self.leftover.unused
        self._objects: dict[int, Any] = {}
        self._slots = [
            (number, slot.original_variable_node_id, slot.slot_name, slot.slot_variable_node_id)
            for number, node in enumerate(proto.nodes)
            for slot in node.slot_variables
        ]
        self._cancelled = False

    def cancel(self) -> None:
        """Gives up: objects that come later get nothing of it, either."""
        self._cancelled = True

    def object(self, node: int) -> Any:
        """The object of a node, or None."""
        found = self._objects.get(node)
        return found() if isinstance(found, weakref.ref) else found

    def objects(self) -> Iterator[tuple[int, Any]]:
        """The nodes that have objects, with these."""
        pairs = ((node, self.object(node)) for node in self._objects)
        return ((node, found) for node, found in pairs if found is not None)

    @property
    def open_slots(self) -> list[str]:
        """The slots of optimizers and variables that are there, which are not."""
        return [name for optimizer, _, name, _ in self._slots if self.object(optimizer) is not None]

    # ---------------------------------------------------------------- matching
    def restore(self, node: int, value: Any, attached: Sequence[tuple[str, Any]] = ()) -> None:
        """Restores an object and what is below it: all of it or, where something does not fit, nothing.

        Args:
            node: Its number in the checkpoint.
            value: The object.
            attached: Children that it has for checkpoints alone.
        """
        found: list[tuple[int, Any]] = []
        todo = deque([(node, value)] if not self._cancelled and self._bind(node, value) else [])
        while todo:
            current, of = todo.popleft()
            found.append((current, of))
            todo.extend(self._children(current, of, dict(attached) if of is value else {}))
            todo.extend(self._slots_for(current))
        self._give(found)

    def _bind(self, node: int, value: Any) -> bool:
        """Says which object is that of a node; False where it has one."""
        self.leftover.matched.add(node)
        if self.object(node) is not None:
            return False
        self._objects[node] = weakref.ref(value) if _weak(value) else value
        return True

    def _children(self, node: int, of: Any, attached: dict[str, Any]) -> Iterator[tuple[int, Any]]:
        for child in self.proto.nodes[node].children:
            value = attached.get(child.local_name)
            value = of._child(child.local_name) if value is None else value
            if value is None:
                waiting = vars(of).setdefault(DEFERRED, {}).setdefault(child.local_name, [])
                waiting.append(Position(self, child.node_id))
            elif self._bind(child.node_id, value):
                yield child.node_id, value

    def _slots_for(self, node: int) -> Iterator[tuple[int, Any]]:
        """The slots that can be restored now that a node has its object."""
        for entry in [slot for slot in self._slots if node in slot[:2]]:
            optimizer, of = self.object(entry[0]), self.object(entry[1])
            variable = None if of is None else of._saved_variable()
            if variable is None or not hasattr(optimizer, "_slot_to_restore"):
                continue
            self._slots.remove(entry)
            slot = optimizer._slot_to_restore(variable, entry[2])
            if slot is None:
                waiting = vars(optimizer).setdefault(DEFERRED, {})
                waiting.setdefault(f"{entry[2]}/{id(variable._handle)}", []).append(Position(self, entry[3]))
            elif self._bind(entry[3], slot):
                yield entry[3], slot

    # ---------------------------------------------------------------- values
    def _give(self, found: list[tuple[int, Any]]) -> None:
        wanted = list(self._wanted(found))
        assert_all_fit([(variable, key) for _, variable, key in wanted if variable is not None], self.reader)
        progress = told(self.options.progress, "Restoring")
        arrays = self.reader.read_all([key for _, _, key in wanted], progress)
        for of, variable, key in wanted:
            self._put(of, variable, arrays[key])
        for _, of in found:
            vars(of)[RESTORED_BY] = self.number

    def _wanted(self, found: list[tuple[int, Any]]) -> Iterator[tuple[Any, Any, str]]:
        """The objects that get values, with their variables and the keys; each object has one node."""
        seen = set()
        for node, of in found:
            if of._self_update_uid < self.number and id(of) not in seen:
                seen.add(id(of))
                for attribute in self.proto.nodes[node].attributes:
                    parts = [part for part in of._saved_parts() if part._saves == attribute.name]
                    for part in parts:
                        yield part, part._saved_variable(), f"{attribute.checkpoint_key}{part._suffix}"
                    if not parts:
                        self.unused.setdefault(node, []).append(attribute.name)

    def _put(self, of: Any, variable: Any, array: Any) -> None:
        if variable is None:
            of.deserialize(array[()])
        elif is_symbolic(variable):
            self.pending.append((variable, array))
        else:
            put(variable, array)

    def __deepcopy__(self, memo: Any) -> Restore:
        return self


def _weak(value: Any) -> bool:
    """Whether an object can be referred to without being kept alive."""
    return type(value).__weakrefoffset__ != 0


class Leftover:
    """Says in the log, when a checkpoint is not needed any more, which values found no object.

    Args:
        proto: The ``TrackableObjectGraph``.

    Attributes:
        matched: The nodes that found their objects.
        unused: Names of values of nodes whose objects have no such values.
        expected: Whether nothing is to be said.
    """

    def __init__(self, proto: Any) -> None:
        self._proto = proto
        self.matched: set[int] = set()
        self.unused: dict[int, list[str]] = {}
        self.expected = False

    def __del__(self) -> None:
        if self.expected or get_logger is None:  # None while the interpreter shuts down
            return
        missing = [
            number
            for number, node in enumerate(self._proto.nodes)
            if node.attributes and number not in self.matched
        ]
        if not missing and not self.unused:
            return
        log, names = get_logger(), node_names(self._proto)
        log.warning(
            "Detecting that an object or model or tf.train.Checkpoint is being deleted with unrestored values. See "
            "the following logs for the specific values in question. To silence these warnings, use "
            "`status.expect_partial()`."
        )
        for number in missing:
            log.warning("Value in checkpoint could not be found in the restored object: %s", names.get(number))
        for number, unused in self.unused.items():
            log.warning(
                "An attribute in the restored object could not be found in the checkpoint. Object: %s, attribute: %s",
                names.get(number),
                unused,
            )
