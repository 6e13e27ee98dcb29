"""Decorators and wrappers of the children of trackable objects."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from twinflow._src.trackable.trackable import NoDependency, wrapped

F = TypeVar("F", bound=Callable[..., Any])


@contextlib.contextmanager
def no_automatic_dependency_tracking_scope(obj: Any) -> Iterator[None]:
    """Context in which attributes of an object that are set do not become its children.

    Args:
        obj: A trackable object.
    """
    before = getattr(obj, "_self_setattr_tracking", True)
    obj._self_setattr_tracking = False
    try:
        yield
    finally:
        obj._self_setattr_tracking = before


def no_automatic_dependency_tracking(method: F) -> F:
    """Decorator of methods that set attributes which do not become children.

    Args:
        method: A method of a trackable object.

    Returns:
        A method.
    """

    @functools.wraps(method)
    def untracked(self: Any, *args: Any, **kwargs: Any) -> Any:
        with no_automatic_dependency_tracking_scope(self):
            return method(self, *args, **kwargs)

    return untracked  # type: ignore[return-value]


def wrap_or_unwrap(value: Any) -> Any:
    """Returns the trackable wrapper of a container, or the value of a ``NoDependency``.

    Args:
        value: A value that is set as an attribute.
    """
    return value.value if isinstance(value, NoDependency) else wrapped(value)


def sticky_attribute_assignment(trackable: Any, name: str, value: Any) -> Any:
    """Returns the value to be set as an attribute, and tracks it.

    Args:
        trackable: The object with the attribute.
        name: The name of the attribute.
        value: The value.
    """
    if isinstance(value, NoDependency):
        return value.value
    value = wrapped(value)
    if hasattr(value, "_trackable_children"):
        trackable._track_trackable(value, name=name, overwrite=True)
    return value
