"""What checkpoints save and restore: objects with children by name, and those that hold values."""

from __future__ import annotations

from typing import Any

# What objects keep for themselves, by TensorFlow's names, which programs know and leave alone: their children, what a
# checkpoint has for children to come, by name or as objects, and the number of the checkpoint that gave the value.
CHILDREN, DEFERRED = (
    "_self_unconditional_dependency_names",
    "_self_unconditional_deferred_dependencies",
)
BY_NAME, RESTORED_BY = "_self_name_based_restores", "_self_update_uid"
PRIVATE = (CHILDREN, DEFERRED, BY_NAME, RESTORED_BY)


class Trackable:
    """What checkpoints save: an object with children, or one that holds a value."""

    _self_update_uid: int = 0  # the number of the checkpoint that gave the value
    _self_setattr_tracking: bool = True  # whether attributes that are set become children
    _saves: str | None = None  # what the value is called that is saved; None where there is none

    def _trackable_children(self) -> dict[str, Any]:
        """The children by name, as they are saved."""
        return dict(vars(self).get(CHILDREN, ()))

    def _child(self, name: str) -> Any:
        """A child to restore, or None."""
        return vars(self).get(CHILDREN, {}).get(name)

    def _saved_variable(self) -> Any:
        """The variable whose value is saved, or None."""
        return None

    _suffix = ""  # what stands after the key of the value in files, for a part of it

    def _saved_parts(self) -> tuple[Any, ...]:
        """What has values to save: the object itself, nothing, or several parts of it."""
        return () if self._saves is None else (self,)

    def _track(self, name: str, value: Any) -> None:
        """Makes a value a child, and gives it what a checkpoint has had for it all along.

        Args:
            name: The name.
            value: A ``Trackable``.
        """
        held = vars(self)
        if CHILDREN not in held:
            held |= {CHILDREN: {}, DEFERRED: held.get(DEFERRED, {}), BY_NAME: held.get(BY_NAME, [])}
        held[CHILDREN][name] = value
        self._restore_late(name, value)

    def _restore_late(self, name: str, value: Any) -> None:
        """Restores a new child from the checkpoints that were restored before it was there; the last first."""
        held = vars(self)
        waiting = held[DEFERRED].pop(name, ()) if DEFERRED in held else ()
        for position in sorted(waiting, key=lambda p: p.restored_by, reverse=True):
            position.restore(value)
        for restore in held.get(BY_NAME, ()):
            restore.restore(value)


class SavedValue(Trackable):
    """What checkpoints save the value of: a variable."""

    _saves = "VARIABLE_VALUE"

    def _saved_variable(self) -> Any:
        return self
