"""Decorators that tell generators of documentation what to show."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def do_not_generate_docs(obj: T) -> T:
    """Decorator of objects that have no documentation.

    Args:
        obj: A function, class or property.
    """
    return _marked(obj, "_tf_docs_do_not_document")


def do_not_doc_inheritable(obj: T) -> T:
    """Decorator of methods that are not documented in subclasses either.

    Args:
        obj: A function or property.
    """
    return _marked(obj, "_tf_docs_do_not_doc_inheritable")


def for_subclass_implementers(obj: T) -> T:
    """Decorator of methods that are documented in their own class only.

    Args:
        obj: A function or property.
    """
    return _marked(obj, "_tf_docs_do_not_doc_in_subclasses")


def doc_in_current_and_subclasses(obj: T) -> T:
    """Decorator of methods that are documented in subclasses, too.

    Args:
        obj: A function or property.
    """
    return _marked(obj, "_tf_docs_doc_in_current_and_subclasses")


def _marked(obj: T, mark: str) -> T:
    """Sets an attribute where the object can have one: of a property, on its getter."""
    setattr(obj.fget if isinstance(obj, property) else obj, mark, None)
    return obj
