"""Lazy tables of ops and public names, whose defining modules are imported on first lookup.

``api/api_index.txt`` maps names to modules. ``make docs`` generates it and a test compares it. If
it is out of date, all modules of ops are imported instead.
"""

from __future__ import annotations

import functools
import gc
import importlib
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from twinflow._src.core.data_files import read_text

V = TypeVar("V")


def _read_index() -> tuple[dict[str, str], dict[str, str]]:
    """Returns the modules of op types and those of public names, by name."""
    types: dict[str, str] = {}
    names: dict[str, str] = {}
    for line in read_text("api/api_index.txt").splitlines():
        module, _, defined = line.partition(": ")
        own_types, _, own_names = defined.partition("|")
        types.update(dict.fromkeys(own_types.split(), module))
        names.update(dict.fromkeys(own_names.split(), module))
    return types, names


TYPES, NAMES = _read_index()


def import_module(module: str) -> None:
    """Imports a module of the package if it exists."""
    name = f"twinflow._src.{module}"
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not name.startswith(error.name):
            raise


@functools.cache
def import_all() -> None:
    """Imports every module of ops and all others that define public names.

    Garbage collection is off meanwhile: everything allocated stays alive, and the futile
    collections take 20 ms.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        _import_all()
    finally:
        if collects:
            gc.enable()


def _import_all() -> None:
    here = os.path.dirname(os.path.dirname(__file__))
    for folder, _, files in sorted(os.walk(os.path.join(here, "ops"))):
        family = os.path.relpath(folder, here).replace(os.sep, ".")
        for name, ending in map(os.path.splitext, sorted(files)):
            if ending == ".py" and name != "__init__":
                importlib.import_module(f"twinflow._src.{family}.{name}")
    for module in sorted({*TYPES.values(), *NAMES.values()}):
        import_module(module)


class LateTable(dict[str, V]):
    """A dict whose entries are defined by modules, given by entry, that are imported on demand.

    Iteration and ``len`` import everything.
    """

    def __init__(self, modules: Mapping[str, str]) -> None:
        super().__init__()
        self._modules = modules
        self._defined: dict[
            str, V
        ] = {}  # moves to the dict itself after its module has been imported completely

    def define(self, name: str, value: V) -> None:
        """Adds an entry."""
        self._defined[name] = value
        self.pop(name, None)

    def __missing__(self, name: str) -> V:
        if name in self._modules:
            import_module(self._modules[name])  # blocks while another thread imports it
        if name not in self._defined and self._is_sought(name):
            import_all()
        return self.setdefault(name, self._complete_entry(self._defined[name]))

    def _is_sought(self, name: str) -> bool:
        """True if an entry that its indexed module does not define is searched in all modules."""
        return name in self._modules

    def _complete_entry(self, value: V) -> V:
        """Returns the entry for a definition."""
        return value

    def _complete(self) -> None:
        import_all()
        for name in [
            name for name in self._defined if not super(LateTable, self).__contains__(name)
        ]:
            self[name]

    def get(self, name: str, default: Any = None) -> Any:
        """Returns an entry, or ``default`` if there is none."""
        try:
            return self[name]
        except KeyError:
            return default

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self._defined or name in self._modules

    def __iter__(self) -> Iterator[str]:
        self._complete()
        return super().__iter__()

    def __len__(self) -> int:
        self._complete()
        return super().__len__()

    def keys(self) -> Any:
        """Returns all names; imports everything."""
        self._complete()
        return super().keys()

    def values(self) -> Any:
        """Returns all entries; imports everything."""
        self._complete()
        return super().values()

    def items(self) -> Any:
        """Returns all names and entries; imports everything."""
        self._complete()
        return super().items()

    def listed(self) -> set[str]:
        """Returns the names that are known without an import."""
        return {*self._modules, *self._defined}


class PublicNames(LateTable[Callable[..., Any]]):
    """The public functions and classes, by name.

    Attributes:
        passes: Decorators applied in order on the first lookup of a function: functions of
            all its names and of the result of the previous one.
    """

    def __init__(self) -> None:
        super().__init__(NAMES)
        self._names: dict[Any, list[str]] = {}
        self._finished: dict[Any, Any] = {}
        self.passes: list[Callable[[list[str], Any], Any]] = []

    def define(self, name: str, value: Any) -> None:
        """Registers a function or class under a public name."""
        super().define(name, value)
        self._names.setdefault(value, []).append(name)

    def _is_sought(self, name: str) -> bool:
        return True

    def _complete_entry(self, value: Any) -> Any:
        if value not in self._finished:
            entry = value
            for put_around in self.passes:
                entry = put_around(self._names[value], entry)
            self._finished.setdefault(value, entry)
        return self._finished[value]
