"""Public names that are bound when they are first asked for."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any

from twinflow._src.api import raw_ops
from twinflow._src.api.name_index import MESSAGES, MODULES
from twinflow._src.core.fork import brief_lock
from twinflow._src.core.protos import message
from twinflow._src.dispatch.op import API
from twinflow._src.graph.serializer import serializer


def entries(names: str) -> Iterator[tuple[str, str]]:
    """The public names that a text lists, each with its name in the module, which follows a colon where it differs."""
    for entry in names.split():
        name, _, own = entry.partition(":")
        yield name, own or name


def makers(
    modules: Mapping[str, Mapping[str, str]], messages: Mapping[str, str]
) -> dict[str, Callable[[], Any]]:
    """What gives the objects of tables of names, by public name.

    Args:
        modules: By namespaces: modules and their names; see ``name_index.py``.
        messages: By namespace: the names of messages.
    """
    found: dict[str, Callable[[], Any]] = {
        f"{place}.{name}".lstrip("."): functools.partial(_imported, module, own)
        for places, listed in modules.items()
        for module, names in listed.items()
        for name, own in entries(names)
        for place in places.split(" ")
    }
    return found | {
        f"{place}.{name}".lstrip("."): functools.partial(message, name)
        for place, names in messages.items()
        for name in names.split()
    }


def _imported(module: str, name: str) -> Any:
    return getattr(importlib.import_module(f"twinflow._src.{module}"), name)


serializer.module = "twinflow._src.graph_serialization.messages"
NAMES = makers(MODULES, MESSAGES)
_ABSENT = object()


def install(namespace: Callable[[str], ModuleType]) -> None:
    """Gives the modules of namespaces their names.

    Args:
        namespace: Gives the module of a namespace.
    """
    for path in {name.rpartition(".")[0] for name in (*NAMES, *API.listed())}:
        _make_late(namespace(path), path)
    _fill_when_asked(
        lambda: _imported("compat_v1.names", "fill")(namespace), namespace("compat.v1")
    )
    numpy_ = namespace("experimental.numpy"), namespace("experimental.numpy.random")
    _fill_when_asked(lambda: importlib.import_module("twinflow._src.wings.numpy_ops"), *numpy_)
    raw_ops.prepare(namespace("raw_ops"))


def _make_late(module: ModuleType, path: str) -> None:
    def find(name: str) -> Any:
        if name == "__all__":
            return [name for name in names() if not name.startswith("_")]
        value = _ABSENT if name.startswith("_") else _found(f"{path}.{name}".lstrip("."))
        if value is _ABSENT:
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        return vars(module).setdefault(name, value)

    def names() -> list[str]:
        return sorted({*listed(vars(module)), *late_in(path)})

    module.__getattr__, module.__dir__ = find, names  # type: ignore[method-assign]


def _found(name: str) -> Any:
    """What a public name stands for."""
    if name not in API and name in NAMES:
        return NAMES[name]()
    return API.get(name, _ABSENT)


def late_in(path: str) -> Iterator[str]:
    """The names in a namespace that modules define, or will when they are imported.

    Args:
        path: The namespace.
    """
    for name in (*NAMES, *API.listed()):
        place, _, leaf = name.rpartition(".")
        if place == path:
            yield leaf


def listed(names: Mapping[str, Any]) -> list[str]:
    """The names of a module without those of the package's own parts, which are no names of TensorFlow's.

    Args:
        names: What the module holds, by name.
    """
    return [
        name
        for name, value in names.items()
        if not (isinstance(value, ModuleType) and "__file__" in vars(value))
    ]


def _fill_when_asked(fill: Callable[[], Any], *modules: ModuleType) -> None:
    """Makes modules fill themselves when a name is asked for that they do not have yet."""
    lock, begun = brief_lock(), list[bool]()

    def filled() -> None:
        with lock:  # other threads wait until the names are there
            if begun:
                return
            begun.append(True)
            try:
                fill()
            except BaseException:  # an interrupt, say: the next one who asks begins again
                begun.clear()
                raise

    for module in modules:
        _make_filling(module, filled)


def _make_filling(module: ModuleType, filled: Callable[[], None]) -> None:
    def find(name: str) -> Any:
        # Python itself asks for names such as __path__ on import; __all__ stands for "everything".
        if name.startswith("__") and name not in ("__all__", "__version__"):
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        filled()
        if vars(module).get("__getattr__") is find:  # from now on it is a module like any other
            vars(module).pop("__getattr__", None)
        return getattr(module, name)

    def names() -> list[str]:
        filled()
        return sorted(vars(module))

    module.__getattr__, module.__dir__ = find, names  # type: ignore[method-assign]
