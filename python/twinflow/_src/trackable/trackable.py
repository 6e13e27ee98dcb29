"""Base classes of objects that checkpoints save and restore."""

from __future__ import annotations

from typing import Any

# Internal attributes, under TensorFlow's names: the children, deferred restorations by name or by
# object, and the uid of the checkpoint that the value was restored from.
CHILDREN, DEFERRED = (
    "_self_unconditional_dependency_names",
    "_self_unconditional_deferred_dependencies",
)
BY_NAME, RESTORED_BY = "_self_name_based_restores", "_self_update_uid"
PRIVATE = (CHILDREN, DEFERRED, BY_NAME, RESTORED_BY)


class Trackable:
    """Base class of objects in checkpoints, with children by name or a value."""

    _self_update_uid: int = 0  # uid of the checkpoint that the value was restored from
    _self_setattr_tracking: bool = True  # True if attributes become children when set
    _saves: str | None = None  # name of the saved value; None without a value

    def _trackable_children(self) -> dict[str, Any]:
        """Returns the children by name, as they are saved."""
        return dict(vars(self).get(CHILDREN, ()))

    def _child(self, name: str) -> Any:
        """Returns a child to restore, or None."""
        return vars(self).get(CHILDREN, {}).get(name)

    def _saved_variable(self) -> Any:
        """Returns the variable whose value is saved, or None."""
        return None

    _suffix = ""  # appended to the key of the value in files, for one of several parts

    def _saved_parts(self) -> tuple[Any, ...]:
        """Returns the objects with values to save: the object itself, none, or several parts."""
        return () if self._saves is None else (self,)

    def _track(self, name: str, value: Any) -> None:
        """Adds a child, and applies deferred restorations to it."""
        attributes = vars(self)
        if CHILDREN not in attributes:
            attributes |= {
                CHILDREN: {},
                DEFERRED: attributes.get(DEFERRED, {}),
                BY_NAME: attributes.get(BY_NAME, []),
            }
        attributes[CHILDREN][name] = value
        self._restore_late(name, value)

    def _restore_late(self, name: str, value: Any) -> None:
        """Restores a new child from earlier restored checkpoints, latest first."""
        attributes = vars(self)
        waiting = attributes[DEFERRED].pop(name, ()) if DEFERRED in attributes else ()
        for position in sorted(waiting, key=lambda p: p.restored_by, reverse=True):
            position.restore(value)
        for restore in attributes.get(BY_NAME, ()):
            restore.restore(value)


class SavedValue(Trackable):
    """Base class of objects with a value in checkpoints, such as variables."""

    _saves = "VARIABLE_VALUE"

    def _saved_variable(self) -> Any:
        return self
