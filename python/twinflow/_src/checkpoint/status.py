"""What ``tf.train.Checkpoint.restore`` gives: it tells what was restored and what was not."""

from __future__ import annotations

from typing import Any

from twinflow._src.checkpoint.by_name import RestoreByName
from twinflow._src.checkpoint.object_graph import View, node_names
from twinflow._src.checkpoint.restore import Restore
from twinflow._src.checkpoint.variable_values import is_symbolic, session_for

_SHOWN = 10  # how many objects a message names at most


class _LoadStatus:
    """What all of them can."""

    def __init__(self, view: View, pending: list[tuple[Any, Any]]) -> None:
        self._view, self._pending = view, pending

    def _variables(self) -> list[Any]:
        """The objects with values."""
        return [found for found, _ in self._view.objects() if found._saved_parts()]

    def run_restore_ops(self, session: Any = None) -> None:
        """Gives the variables of graphs their values in a session; others have theirs already.

        Args:
            session: The session; the default one where None.
        """
        found = session_for([variable for variable, _ in self._pending], session)
        for variable, array in self._pending:
            variable.load(array, found)

    def initialize_or_restore(self, session: Any = None) -> None:
        """Gives the variables of graphs their values in a session: those of the file, or their first ones.

        Args:
            session: The session; the default one where None.
        """
        restored = [variable for variable, _ in self._pending]
        held = [found._saved_variable() for found in self._variables()]
        fresh = [v for v in held if is_symbolic(v) and not any(v is known for known in restored)]
        found = session_for([*restored, *fresh], session)
        self.run_restore_ops(found)
        if fresh:
            found.run([variable.initializer for variable in fresh])


class CheckpointLoadStatus(_LoadStatus):
    """What became of a checkpoint of objects.

    Args:
        restore: The restore.
        view: The objects of the program.
    """

    def __init__(self, restore: Restore, view: View) -> None:
        super().__init__(view, restore.pending)
        self._restore = restore

    def assert_consumed(self) -> CheckpointLoadStatus:
        """Checks that all values of the file, and all variables, have found each other.

        Raises:
            AssertionError: One has not.
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
            listed = "\n".join(f"{names.get(n)} ({self._restore.object(n)}): {found}" for n, found in unused)
            raise AssertionError(
                "Unused attributes in these objects (the attributes exist in the checkpoint but were not "
                f"restored):\n{listed}"
            )
        return self

    def _unmatched(self) -> list[Any]:
        matched = {id(found) for _, found in self._restore.objects()}
        return [found for found in self._variables() if id(found) not in matched]

    def _assert_given(self) -> None:
        for number, found in self._restore.objects():
            if found._self_update_uid < self._restore.number:
                raise AssertionError(
                    f"Object {self._restore.proto.nodes[number]} not assigned a value from checkpoint."
                )

    def assert_existing_objects_matched(self) -> CheckpointLoadStatus:
        """Checks that all variables of the program have values of the file.

        Raises:
            AssertionError: One has not.
        """
        self._assert_given()
        unmatched = self._unmatched()
        if unmatched:
            shown = unmatched[:_SHOWN]
            raise AssertionError(
                f"Found {len(unmatched)} Python objects that were not bound to checkpointed values, likely due to "
                f"changes in the Python program. Showing {len(shown)} of {len(unmatched)} unmatched objects: {shown}"
            )
        return self

    def assert_nontrivial_match(self) -> CheckpointLoadStatus:
        """Checks that more than the root has been found in the file.

        Raises:
            AssertionError: Nothing else has.
        """
        self._assert_given()
        if len(list(self._restore.objects())) > 1:
            return self
        unmatched = self._unmatched()
        if not unmatched:
            raise AssertionError(f"Nothing to load. No dependencies have been added to {self._view.root} yet.")
        raise AssertionError(
            "Nothing except the root object matched a checkpointed value. Typically this means that the checkpoint "
            f"does not match the Python program. The following objects have no matching checkpointed value: {unmatched}"
        )

    def expect_partial(self) -> CheckpointLoadStatus:
        """Says that values without an object are as it should be: the log is not going to tell of them."""
        self._restore.leftover.expected = True
        return self


class InitializationOnlyStatus(_LoadStatus):
    """What became of no checkpoint at all.

    Args:
        view: The objects of the program.
    """

    def __init__(self, view: View) -> None:
        super().__init__(view, [])

    def _nothing(self) -> Any:
        raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

    assert_consumed = assert_existing_objects_matched = assert_nontrivial_match = _nothing

    def expect_partial(self) -> InitializationOnlyStatus:
        """Without effect."""
        return self

    def run_restore_ops(self, session: Any = None) -> None:
        """Refused.

        Raises:
            AssertionError: There is no checkpoint.
        """
        raise AssertionError(
            "No checkpoint specified, so no restore ops are available (save_path=None to Saver.restore)."
        )

    def initialize_or_restore(self, session: Any = None) -> None:
        """Gives the variables of graphs their first values in a session, where they have none there.

        Args:
            session: The session; the default one where None.
        """
        held = [v for v in (found._saved_variable() for found in self._variables()) if is_symbolic(v)]
        found = session_for(held, session)
        if held:
            there = found.run([variable.is_initialized() for variable in held])
            found.run([v.initializer for v, known in zip(held, there) if not known])


class NameBasedSaverStatus(_LoadStatus):
    """What became of a checkpoint of names.

    Args:
        restore: The restore.
        view: The objects of the program.
    """

    def __init__(self, restore: RestoreByName, view: View) -> None:
        super().__init__(view, restore.pending)
        self._restore = restore
        self._optional: list[Any] = []

    def add_to_optionally_restored(self, variable: Any) -> None:
        """Says that a variable need not be in the file."""
        self._optional.append(variable)

    def assert_consumed(self) -> NameBasedSaverStatus:
        """Checks that all variables of the program have values of the file.

        Raises:
            AssertionError: One has not.
        """
        unused = [(v, name) for v, name in self._restore.unused if not any(v is known for known in self._optional)]
        if unused:
            listed = "".join(f"\n    {variable!r}: {[name]}" for variable, name in unused)
            raise AssertionError(f"Some objects had attributes which were not restored: {listed}")
        return self

    assert_existing_objects_matched = assert_nontrivial_match = assert_consumed

    def expect_partial(self) -> NameBasedSaverStatus:
        """Without effect."""
        return self
