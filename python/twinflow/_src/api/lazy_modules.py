"""Public names that are bound lazily on first access."""

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
from twinflow._src.dispatch.signature_errors import strip_annotations
from twinflow._src.graph.serializer import serializer


def entries(names: str) -> Iterator[tuple[str, str]]:
    """Yields the public names in a string with their names in the module (``public:own``)."""
    for entry in names.split():
        name, _, inner = entry.partition(":")
        yield name, inner or name


def makers(
    modules: Mapping[str, Mapping[str, str]], messages: Mapping[str, str]
) -> dict[str, Callable[[], Any]]:
    """Returns factories for the objects in the name tables, by public name."""
    imports: dict[str, Callable[[], Any]] = {
        f"{place}.{name}".lstrip("."): functools.partial(_imported, module, inner)
        for places, listed in modules.items()
        for module, names in listed.items()
        for name, inner in entries(names)
        for place in places.split(" ")
    }
    return imports | {
        f"{place}.{name}".lstrip("."): functools.partial(message, name)
        for place, names in messages.items()
        for name in names.split()
    }


def _imported(module: str, name: str) -> Any:
    value = getattr(importlib.import_module(f"twinflow._src.{module}"), name)
    strip_annotations(value)
    return value


serializer.module = "twinflow._src.graph_serialization.messages"
NAMES = makers(MODULES, MESSAGES)
_ABSENT = object()


def install(namespace: Callable[[str], ModuleType]) -> None:
    """Installs lazy attribute lookup in the modules of namespaces."""
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
        value = _ABSENT if name.startswith("_") else _resolve_name(f"{path}.{name}".lstrip("."))
        if value is _ABSENT:
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        return vars(module).setdefault(name, value)

    def names() -> list[str]:
        return sorted({*listed(vars(module)), *late_in(path)})

    module.__getattr__, module.__dir__ = find, names  # type: ignore[method-assign]


def _resolve_name(name: str) -> Any:
    """Returns the object of a public name."""
    if name not in API and name in NAMES:
        return NAMES[name]()
    return API.get(name, _ABSENT)


def late_in(path: str) -> Iterator[str]:
    """Yields the names of a namespace that are defined by modules, loaded or not."""
    for name in (*NAMES, *API.listed()):
        place, _, leaf = name.rpartition(".")
        if place == path:
            yield leaf


def listed(names: Mapping[str, Any]) -> list[str]:
    """Returns the public names of a module, without the package's own submodules."""
    return [
        name
        for name, value in names.items()
        if not (isinstance(value, ModuleType) and "__file__" in vars(value))
    ]


def _fill_when_asked(fill: Callable[[], Any], *modules: ModuleType) -> None:
    """Defers the initialization of modules to the first access of a missing attribute."""
    lock, begun = brief_lock(), list[bool]()

    def filled() -> None:
        with lock:  # other threads block until the names are bound
            if begun:
                return
            begun.append(True)
            try:
                fill()
            except BaseException:  # for example an interrupt: the next access tries again
                begun.clear()
                raise

    for module in modules:
        _make_filling(module, filled)


def _make_filling(module: ModuleType, filled: Callable[[], None]) -> None:
    def find(name: str) -> Any:
        # Python reads names such as __path__ on import; __all__ means "all names".
        if name.startswith("__") and name not in ("__all__", "__version__"):
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        filled()
        if vars(module).get("__getattr__") is find:  # afterwards it is an ordinary module
            vars(module).pop("__getattr__", None)
        return getattr(module, name)

    def names() -> list[str]:
        filled()
        listing = vars(module)["__dir__"]
        return sorted(vars(module)) if listing is names else listing()

    module.__getattr__, module.__dir__ = find, names  # type: ignore[method-assign]
