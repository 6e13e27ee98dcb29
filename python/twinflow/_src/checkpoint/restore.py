"""Restoration of checkpoints, object-based and name-based, and load status objects.

The objects in the file and those of the program are matched by the names of children, starting at
the root. Values for objects that do not exist yet are deferred: they are attached to the future
parent.
"""

from __future__ import annotations

import itertools
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from twinflow._src.checkpoint import distributed
from twinflow._src.checkpoint.object_graph import View, has_slots, node_names
from twinflow._src.checkpoint.options import CheckpointOptions, make_progress_callback
from twinflow._src.checkpoint.reader import Reader
from twinflow._src.checkpoint.values import (
    assert_all_fit,
    assign_array,
    fits,
    is_symbolic,
    session_for,
)
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.errors import invalid
from twinflow._src.core.scopes import get_logger, init_scope
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.docstrings import documented_like
from twinflow._src.trackable.trackable import (
    BY_NAME,
    DEFERRED,
    RESTORED_BY,
    SavedValue,
    Trackable,
)
from twinflow._src.variables.updates import assert_restorable

# ------------------------------------------------------------------ name-based checkpoints


class RestoreByName:
    """The restoration of a name-based checkpoint.

    Attributes:
        pending: Values of graph variables, to be loaded in sessions.
        unused: Variables without a value in the checkpoint, each with its name.
        unfit: Values left out as their variables have another dtype or shape, with the variables;
            where it is None, such a value raises an error.
        verify: Called with this restoration once all is matched and before any value is assigned.
    """

    def __init__(self, reader: Reader, options: CheckpointOptions) -> None:
        self.reader, self._options = reader, options
        self.verify: Callable[[RestoreByName], None] | None = None
        self.pending: list[tuple[Any, Any]] = []
        self.unused: list[tuple[Any, str]] = []
        self.unfit: list[tuple[Any, str]] | None = None

    def restore(self, root: Trackable, attached: Any = None) -> None:
        """Restores the variables below an object; those created later are restored on creation."""
        matched: list[tuple[Any, str]] = []
        for value, _ in View(root, attached).objects():
            vars(value).setdefault(BY_NAME, []).append(self)
            variable = value._saved_variable()
            if variable is not None:
                name = str(variable._shared_name)
                (matched if name in self.reader else self.unused).append((variable, name))
        if self.unfit is not None:
            self.unfit += [pair for pair in matched if not fits(*pair, self.reader)]
            matched = [pair for pair in matched if fits(*pair, self.reader)]
        for variable, name in matched:
            self._assert_fits(variable, name)
        if self.verify is not None:
            self.verify(self)
        arrays = self.reader.read_all(
            [name for _, name in matched],
            make_progress_callback(self._options.progress, "Restoring"),
        )
        assigned = set()
        for variable, name in matched:
            array = arrays[name].copy() if name in assigned else arrays[name]
            assigned.add(name)
            if is_symbolic(variable):
                self.pending.append((variable, array))
            else:
                assign_array(variable, array)

    def _assert_fits(self, variable: Any, name: str) -> None:
        dtype = self.reader.dtype(name)
        if dtype is not variable.dtype.base_dtype:
            raise invalid(
                f"Trying to assign variable with wrong dtype. Expected {variable.dtype.base_dtype.cname} got {dtype.cname}"
            )
        assert_restorable(variable, self.reader.shape(name), name)

    def __deepcopy__(self, memo: Any) -> RestoreByName:
        return self


# ------------------------------------------------------------------ object-based checkpoints


_NUMBERS = itertools.count(1)


class Position:
    """A node of a checkpoint whose object does not exist yet."""

    def __init__(self, restore: Restore, node: int) -> None:
        self._restore, self._node = restore, node

    @property
    def restored_by(self) -> int:
        """The number of the restoration."""
        return self._restore.number

    restore_uid = restored_by  # as optimizers of libraries call it

    def restore(self, value: Any) -> None:
        """Restores the object of the node, and everything below it."""
        self._restore.restore(self._node, value)

    def is_simple_variable(self) -> bool:
        """Returns True if the object of the node is a variable without children."""
        node = self._restore.proto.nodes[self._node]
        return [each.name for each in node.attributes] == [SavedValue._saves] and not node.children

    def value_shape(self) -> TensorShape:
        """Returns the shape of the variable of the node."""
        return TensorShape(self._restore.reader.shape(self._key()))

    def value_tensors(self) -> dict[str, Any]:
        """Returns the value of the variable of the node by the name of the attribute."""
        reader, key = self._restore.reader, self._key()
        return {str(SavedValue._saves): convert_to_tensor(reader.read(key), reader.dtype(key))}

    def _key(self) -> str:
        return str(self._restore.proto.nodes[self._node].attributes[0].checkpoint_key)

    def __deepcopy__(self, memo: Any) -> Position:
        return self


class Restore:
    """The restoration of an object-based checkpoint.

    Attributes:
        number: A number that increases with each restoration.
        pending: Values of graph variables, to be loaded in sessions.
        unused: Names of values of nodes whose objects have no such values.
        unfit: Values left out as their variables have another dtype or shape, with the variables;
            where it is None, such a value raises an error.
        verify: Called with this restoration once all is matched and before any value is assigned.
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
        self.unfit: list[tuple[Any, str]] | None = None
        self.verify: Callable[[Restore], None] | None = None

    def cancel(self) -> None:
        """Cancels the restoration, also for objects created later."""
        self._cancelled = True

    def object(self, node: int) -> Any:
        """Returns the object of a node, or None."""
        value = self._objects.get(node)
        return value() if isinstance(value, weakref.ref) else value

    def objects(self) -> Iterator[tuple[int, Any]]:
        """Yields the nodes that have objects, with these."""
        pairs = ((node, self.object(node)) for node in self._objects)
        return ((node, value) for node, value in pairs if value is not None)

    @property
    def open_slots(self) -> list[str]:
        """The names of slot variables that do not exist yet, though their optimizers do."""
        return [name for optimizer, _, name, _ in self._slots if self.object(optimizer) is not None]

    # ---------------------------------------------------------------- matching
    def restore(self, node: int, value: Any, attached: Sequence[tuple[str, Any]] = ()) -> None:
        """Restores an object and everything below it; nothing if any value does not match."""
        bound: list[tuple[int, Any]] = []
        todo = deque([(node, value)] if not self._cancelled and self._bind(node, value) else [])
        while todo:
            current, of = todo.popleft()
            bound.append((current, of))
            todo.extend(self._children(current, of, dict(attached) if of is value else {}))
            todo.extend(self._slots_for(current))
        with init_scope():  # a function that is being traced may have created the object
            self._restore_values(bound)

    def _bind(self, node: int, value: Any) -> bool:
        """Binds an object to a node; False if the node is already bound."""
        self.leftover.matched.add(node)
        if self.object(node) is not None:
            return False
        self._objects[node] = weakref.ref(value) if _weak(value) else value
        return True

    def _children(self, node: int, of: Any, attached: dict[str, Any]) -> Iterator[tuple[int, Any]]:
        for child in self.proto.nodes[node].children:
            value = attached.get(child.local_name)
            value = of._lookup_dependency(child.local_name) if value is None else value
            if value is None:
                waiting = vars(of).setdefault(DEFERRED, {}).setdefault(child.local_name, [])
                waiting.append(Position(self, child.node_id))
            elif self._bind(child.node_id, value):
                yield child.node_id, value

    def _slots_for(self, node: int) -> Iterator[tuple[int, Any]]:
        """Yields the slot variables that can be restored once a node is bound."""
        for entry in [slot for slot in self._slots if node in slot[:2]]:
            optimizer, of = self.object(entry[0]), self.object(entry[1])
            variable = None if of is None else of._saved_variable()
            if variable is None or not has_slots(optimizer):
                continue
            self._slots.remove(entry)
            position = Position(self, entry[3])
            if hasattr(optimizer, "_slot_to_restore"):
                slot = optimizer._slot_to_restore(variable, entry[2])
                if slot is None:
                    waiting = vars(optimizer).setdefault(DEFERRED, {})
                    waiting.setdefault(f"{entry[2]}/{id(variable._handle)}", []).append(position)
            else:  # one of a library, which keeps the positions of slots that it lacks
                slot = optimizer._create_or_restore_slot_variable(
                    slot_variable_position=position, slot_name=entry[2], variable=variable
                )
            if slot is not None and self._bind(entry[3], slot):
                yield entry[3], slot

    # ---------------------------------------------------------------- values
    def _restore_values(self, bound: list[tuple[int, Any]]) -> None:
        values = list(self._values_to_restore(bound))
        if self.unfit is not None:
            self.unfit += [
                (variable, key)
                for _, variable, key in values
                if variable is not None and not fits(variable, key, self.reader)
            ]
            left_out = {key for _, key in self.unfit}
            values = [value for value in values if value[2] not in left_out]
        assert_all_fit(
            [(variable, key) for _, variable, key in values if variable is not None], self.reader
        )
        if self.verify is not None:
            self.verify(self)
        progress = make_progress_callback(self.options.progress, "Restoring")
        elsewhere = distributed.restore(self.reader, [value[1:] for value in values])
        here = [value for i, value in enumerate(values) if i not in elsewhere]
        arrays = self.reader.read_all([key for _, _, key in here], progress)
        for of, variable, key in here:
            self._assign(of, variable, arrays[key])
        for _, of in bound:
            vars(of)[RESTORED_BY] = self.number

    def _values_to_restore(self, bound: list[tuple[int, Any]]) -> Iterator[tuple[Any, Any, str]]:
        """Yields the objects to restore, with their variables and keys; each object only once."""
        seen = set()
        for node, of in bound:
            if of._self_update_uid < self.number and id(of) not in seen:
                seen.add(id(of))
                saved = of._saved_parts() if self.proto.nodes[node].attributes else ()
                for attribute in self.proto.nodes[node].attributes:
                    parts = [part for part in saved if part._saves == attribute.name]
                    for part in parts:
                        yield (
                            part,
                            part._saved_variable(),
                            f"{attribute.checkpoint_key}{part._suffix}",
                        )
                    if not parts:
                        self.unused.setdefault(node, []).append(attribute.name)

    def _assign(self, of: Any, variable: Any, array: Any) -> None:
        if variable is None:
            of.deserialize(array[()])
        elif is_symbolic(variable):
            self.pending.append((variable, array))
        else:
            assign_array(variable, array)

    def __deepcopy__(self, memo: Any) -> Restore:
        return self


def _weak(value: Any) -> bool:
    """True if an object supports weak references."""
    return type(value).__weakrefoffset__ != 0


class Leftover:
    """Logs, on deletion, the values of a checkpoint that were not restored.

    Attributes:
        matched: The nodes bound to objects.
        unused: Names of values of nodes whose objects have no such values.
        expected: Whether logging is disabled.
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
            log.warning(
                "Value in checkpoint could not be found in the restored object: %s",
                names.get(number),
            )
        for number, unused in self.unused.items():
            log.warning(
                "An attribute in the restored object could not be found in the checkpoint. Object: %s, attribute: %s",
                names.get(number),
                unused,
            )


# ------------------------------------------------------------------ load status objects


_SHOWN = 10  # maximum number of objects in a message


class _LoadStatus:
    """Base class of load status objects."""

    def __init__(self, view: View, pending: list[tuple[Any, Any]]) -> None:
        self._view, self._pending = view, pending

    def _variables(self) -> list[Any]:
        """Returns the objects with values."""
        return [value for value, _ in self._view.objects() if value._saved_parts()]

    def run_restore_ops(self, session: Any = None) -> None:
        """Loads the pending values of graph variables in a session; others are already restored.

        Args:
            session: The session; the default session where None.
        """
        owner = session_for([variable for variable, _ in self._pending], session)
        for variable, array in self._pending:
            variable.load(array, owner)

    @documented_like(run_restore_ops)
    def initialize_or_restore(self, session: Any = None) -> None:
        """Restores the graph variables in a session, and initializes those without a saved value."""
        restored = [variable for variable, _ in self._pending]
        variables = [owner._saved_variable() for owner in self._variables()]
        fresh = [
            v for v in variables if is_symbolic(v) and not any(v is other for other in restored)
        ]
        owner = session_for([*restored, *fresh], session)
        self.run_restore_ops(owner)
        if fresh:
            owner.run([variable.initializer for variable in fresh])


class CheckpointLoadStatus(_LoadStatus):
    """The load status of an object-based checkpoint.

    Args:
        restore: The restoration.
        view: The objects of the program.
    """

    def __init__(self, restore: Restore, view: View) -> None:
        super().__init__(view, restore.pending)
        self._restore = restore

    def assert_consumed(self) -> CheckpointLoadStatus:
        """Asserts that all values of the checkpoint and all variables of the program are matched.

        Raises:
            AssertionError: A value or a variable is not matched.
        """
        self.assert_existing_objects_matched()
        names = node_names(self._restore.proto)
        for number, node in enumerate(self._restore.proto.nodes):
            if node.attributes and self._restore.object(number) is None:
                raise AssertionError(f"Unresolved object in checkpoint {names.get(number)}: {node}")
        if self._restore.open_slots:
            raise AssertionError(f"Unresolved slot restorations: {self._restore.open_slots}")
        if self._restore.unused:
            unused = self._restore.unused.items()
            listed = "\n".join(
                f"{names.get(n)} ({self._restore.object(n)}): {attributes}"
                for n, attributes in unused
            )
            raise AssertionError(
                "Unused attributes in these objects (the attributes exist in the checkpoint but were not "
                f"restored):\n{listed}"
            )
        return self

    def _unmatched_objects(self) -> list[Any]:
        matched = {id(value) for _, value in self._restore.objects()}
        return [value for value in self._variables() if id(value) not in matched]

    def _assert_restored(self) -> None:
        for number, value in self._restore.objects():
            if value._self_update_uid < self._restore.number:
                raise AssertionError(
                    f"Object {self._restore.proto.nodes[number]} not assigned a value from checkpoint."
                )

    def assert_existing_objects_matched(self) -> CheckpointLoadStatus:
        """Asserts that all variables of the program have values in the checkpoint.

        Raises:
            AssertionError: A variable has no value.
        """
        self._assert_restored()
        unmatched = self._unmatched_objects()
        if unmatched:
            shown = unmatched[:_SHOWN]
            raise AssertionError(
                f"Found {len(unmatched)} Python objects that were not bound to checkpointed values, likely due to "
                f"changes in the Python program. Showing {len(shown)} of {len(unmatched)} unmatched objects: {shown}"
            )
        return self

    def assert_nontrivial_match(self) -> CheckpointLoadStatus:
        """Asserts that an object besides the root is matched.

        Raises:
            AssertionError: Only the root is matched.
        """
        self._assert_restored()
        if len(list(self._restore.objects())) > 1:
            return self
        unmatched = self._unmatched_objects()
        if not unmatched:
            raise AssertionError(
                f"Nothing to load. No dependencies have been added to {self._view.root} yet."
            )
        raise AssertionError(
            "Nothing except the root object matched a checkpointed value. Typically this means that the checkpoint "
            f"does not match the Python program. The following objects have no matching checkpointed value: {unmatched}"
        )

    def expect_partial(self) -> CheckpointLoadStatus:
        """Disables the warnings about values that are not restored."""
        self._restore.leftover.expected = True
        return self


@documented_like(CheckpointLoadStatus)
class InitializationOnlyStatus(_LoadStatus):
    """The load status where no checkpoint was specified."""

    def __init__(self, view: View) -> None:
        super().__init__(view, [])

    def _nothing(self) -> Any:
        raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

    assert_consumed = assert_existing_objects_matched = assert_nontrivial_match = _nothing

    def expect_partial(self) -> InitializationOnlyStatus:
        """Does nothing; returns this object."""
        return self

    def run_restore_ops(self, session: Any = None) -> None:
        """Raises AssertionError: there is no checkpoint."""
        raise AssertionError(
            "No checkpoint specified, so no restore ops are available (save_path=None to Saver.restore)."
        )

    def initialize_or_restore(self, session: Any = None) -> None:
        """Initializes the uninitialized graph variables in a session.

        Args:
            session: The session; the default session where None.
        """
        variables = [
            v for v in (owner._saved_variable() for owner in self._variables()) if is_symbolic(v)
        ]
        owner = session_for(variables, session)
        if variables:
            flags = owner.run([variable.is_initialized() for variable in variables])
            owner.run([v.initializer for v, is_set in zip(variables, flags) if not is_set])


@documented_like(CheckpointLoadStatus)
class NameBasedSaverStatus(_LoadStatus):
    """The load status of a name-based checkpoint."""

    def __init__(self, restore: RestoreByName, view: View) -> None:
        super().__init__(view, restore.pending)
        self._restore = restore
        self._optional: list[Any] = []

    def add_to_optionally_restored(self, variable: Any) -> None:
        """Marks a variable as optional in the checkpoint."""
        self._optional.append(variable)

    def assert_consumed(self) -> NameBasedSaverStatus:
        """Asserts that all variables of the program have values in the checkpoint.

        Raises:
            AssertionError: A variable has no value.
        """
        unused = [
            (v, name)
            for v, name in self._restore.unused
            if not any(v is other for other in self._optional)
        ]
        if unused:
            listed = "".join(f"\n    {variable!r}: {[name]}" for variable, name in unused)
            raise AssertionError(f"Some objects had attributes which were not restored: {listed}")
        return self

    assert_existing_objects_matched = assert_nontrivial_match = assert_consumed

    def expect_partial(self) -> NameBasedSaverStatus:
        """Does nothing; returns this object."""
        return self
