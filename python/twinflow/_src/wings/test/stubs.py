"""Replacing attributes for the time of a test, as TensorFlow 1's tests do."""

from __future__ import annotations

import inspect
from typing import Any
from unittest import mock

__all__ = ["StubOutForTesting", "mock"]


def _held(parent: Any, name: str) -> Any:
    """What stands under a name, a descriptor as it is; the namespaces of the package get what is asked for."""
    getattr(parent, name)
    return inspect.getattr_static(parent, name)


class StubOutForTesting:
    """Replaces attributes, and puts back what was there."""

    def __init__(self) -> None:
        self._kept: list[tuple[Any, str, Any]] = []
        self._smart: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> StubOutForTesting:
        return self

    def __exit__(self, *_: Any) -> None:
        self.CleanUp()

    def CleanUp(self) -> None:
        """Puts everything back."""
        self.SmartUnsetAll()
        self.UnsetAll()

    def SmartSet(self, obj: Any, attr_name: str, new_attr: Any) -> None:
        """Replaces an attribute that an object or one of its classes has.

        Raises:
            AttributeError: None has it.
        """
        self._smart.append((obj, attr_name, _held(obj, attr_name)))
        setattr(obj, attr_name, new_attr)

    def SmartUnsetAll(self) -> None:
        """Puts back what ``SmartSet`` replaced."""
        _put_back(self._smart)

    def Set(self, parent: Any, child_name: str, new_child: Any) -> None:
        """Replaces an attribute of an object."""
        self._kept.append((parent, child_name, _held(parent, child_name)))
        setattr(parent, child_name, new_child)

    def UnsetAll(self) -> None:
        """Puts back what ``Set`` replaced."""
        _put_back(self._kept)


def _put_back(kept: list[tuple[Any, str, Any]]) -> None:
    while kept:
        setattr(*kept.pop())
