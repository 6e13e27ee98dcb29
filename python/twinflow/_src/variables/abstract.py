"""Methods of a class whose objects are all of classes below it: programs take them from ``tf.Variable`` and ``tf.Tensor``."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

from twinflow._src.dispatch.signature_errors import wraps

# Those of ``tf.Variable``.
METHODS = (
    *("value", "read_value", "initialized_value", "eval", "load", "numpy", "count_up_to"),
    *("assign", "assign_add", "assign_sub", "scatter_sub", "scatter_add", "scatter_max", "scatter_min", "scatter_mul"),
    *("scatter_div", "scatter_update", "batch_scatter_update", "scatter_nd_sub", "scatter_nd_add", "scatter_nd_update"),
    *("sparse_read", "gather_nd", "set_shape", "to_proto", "__iter__", "__hash__", "__repr__"),
    *("name", "dtype", "shape", "device", "op", "graph", "initializer", "initial_value", "constraint"),
    *("__init__", "trainable", "synchronization", "aggregation", "_shared_name"),
)


_LIBRARY = __name__.partition(".")[0] + "."


def declare(cls: type, below: type, names: Iterable[str]) -> None:
    """Puts methods and properties on a class that call those of an object's own class.

    Args:
        cls: The class.
        below: A class that has them, with their documentation.
        names: Their names.
    """
    for name in names:
        found = getattr(below, name)
        setattr(cls, name, _property(cls, name, found) if isinstance(found, property) else _method(cls, name, found))


def own(self: Any, cls: type, name: str) -> Any:
    """A method or property that a class of this library below another one has for an object; None where none does.

    Those of a program's own class do not count: they call this one by ``super()``.
    """
    kinds = itertools.takewhile(lambda kind: kind is not cls, type(self).__mro__)
    return next((vars(k)[name] for k in kinds if name in vars(k) and k.__module__.startswith(_LIBRARY)), None)


def _method(cls: type, name: str, documented: Any) -> Any:
    @wraps(documented)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        found = own(self, cls, name)
        return _missing(self, name)(*args, **kwargs) if found is None else found(self, *args, **kwargs)

    return method


def _property(cls: type, name: str, documented: property) -> property:
    def get(self: Any) -> Any:
        found = own(self, cls, name)
        return _missing(self, name) if found is None else found.__get__(self)

    return property(get, doc=documented.__doc__)


def _missing(self: Any, name: str) -> Any:
    """What an object without a method of its own finds."""
    find = getattr(type(self), "__getattr__", None)
    if find is None:
        raise NotImplementedError
    return find(self, name)
