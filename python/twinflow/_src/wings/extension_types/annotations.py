"""The annotations of extension types: names in quotes, and objects that get what they say."""

from __future__ import annotations

import inspect
import typing
from typing import Any

from twinflow._src.wings.extension_types.fields import assert_supported, converted


def hints_of(cls: Any) -> dict[str, Any]:
    """The annotations of a class itself; texts in them stand for what they name, where that is there.

    Args:
        cls: The class.
    """
    own = inspect.get_annotations(cls)
    try:
        hints = typing.get_type_hints(cls, localns={cls.__name__: cls})
    except (NameError, AttributeError):
        return own
    return {name: hints[name] for name in own}


def resolve(cls: Any) -> None:
    """Looks at the annotations again that named what was not there when a class was made.

    Args:
        cls: The class.

    Raises:
        TypeError: A field cannot have its type.
    """
    if not any(map(_is_open, cls._fields_of.values())):
        return
    base = next(c for c in reversed(cls.__mro__) if type(c) is type(cls))
    for owner in reversed(cls.__mro__):
        if owner is not base and issubclass(owner, base):
            found = hints_of(owner)
            for name, annotation in found.items():
                assert_supported(annotation, name, base)
            cls._fields_of.update(found)


def _is_open(annotation: Any) -> bool:
    """Whether something in an annotation is a name still."""
    if isinstance(annotation, (str, typing.ForwardRef)):
        return True
    return any(map(_is_open, typing.get_args(annotation)))


def complete(made: Any, kind: str, specs: bool = False) -> None:
    """Converts the fields of a new object to their types.

    Args:
        made: The object.
        kind: What errors call it.
        specs: Whether it is a description.

    Raises:
        ValueError: A field is missing.
        TypeError: A value does not fit.
    """
    fields = type(made)._fields_of
    for name in fields.keys() - made.__dict__.keys():
        if not specs and hasattr(type(made), name):
            made.__dict__[name] = getattr(type(made), name)
    if missing := {name for name in fields if name not in made.__dict__}:
        raise ValueError(f"Missing required fields: {missing}")
    for name, annotation in fields.items():
        made.__dict__[name] = converted(made.__dict__[name], annotation, name, specs)
