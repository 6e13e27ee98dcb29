"""TensorFlow's private names that programs use: ``tf.__internal__`` and ``tensorflow.python``.

``private_modules.txt`` lists public objects by the private modules that define them, from which
programs import them: a line has a module and its names, each with the public name after an equals sign
where that is another. All other names are in ``private_names.txt``. A row has a name, the object of twinflow, and the clients
that use it. The object is a public name (``math.is_nan``) or a module and a name (``core.nest:flatten``).
Rows of the client ``class`` say where TensorFlow defines a class: the text of its ``__module__``.
The object ``-`` is a module without names: a client imports it for functions that do not work here.
"""

from __future__ import annotations

import functools
import importlib
import operator
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, NamedTuple

import twinflow
from twinflow._src.core.data_files import read_text

TABLE = "api/private_names.txt"
_MODULES = "api/private_modules.txt"
# The object of rows that are modules without names.
WITHOUT_NAMES = "-"
# Packages of TensorFlow with private names only.
ROOTS = ("python", "compiler", "core", "tools")
# Functions to be called with a row and its object when it is looked up.
RESOLVED: list[Callable[[Row, Any], None]] = []


class Row(NamedTuple):
    """A row of the table."""

    name: str
    path: str
    clients: tuple[str, ...]

    @property
    def is_class_definition(self) -> bool:
        """True if the name is that of a class in the module of TensorFlow that defines it."""
        return "class" in self.clients

    @property
    def module(self) -> str:
        """The module of the name."""
        return self.name.rpartition(".")[0]

    def object(self) -> Any:
        """Returns the object of twinflow."""
        if self.path == WITHOUT_NAMES:
            return module(self.name)
        file, _, inner = self.path.rpartition(":")
        start = importlib.import_module(f"twinflow._src.{file}") if file else twinflow
        return operator.attrgetter(inner)(start)

    def loaded_object(self) -> Any:
        """Returns the object of twinflow if nothing has to be imported for it, else None."""
        module, _, inner = self.path.rpartition(":")
        space, _, leaf = inner.rpartition(".")
        start = f"twinflow._src.{module}" if module else f"twinflow.{space}".rstrip(".")
        return vars(sys.modules[start]).get(leaf) if start in sys.modules else None


@functools.cache
def rows() -> dict[str, Row]:
    """Returns the rows of the table by name."""
    table = {}
    for module, *names in _lines(_MODULES):
        for name in names:
            leaf, _, path = name.partition("=")
            full = f"{module}.{leaf}"
            table[full] = Row(full, path or leaf, ("programs",))
    for name, path, clients in _lines(TABLE):
        table[name] = Row(name, path, tuple(clients.split(",")))
    return table


def _lines(file: str) -> Iterator[list[str]]:
    """Yields the words of each line of a table."""
    for line in read_text(file).splitlines():
        if line and not line.startswith("#"):
            yield line.split()


@functools.cache
def modules() -> frozenset[str]:
    """Returns the names of the modules that the table implies."""
    names: set[str] = set()
    for row in rows().values():
        parts = row.module.split(".")
        names.update(".".join(parts[:count]) for count in range(2, len(parts) + 1))
    return frozenset(names)


class _PrivateModule(ModuleType):
    """A module with the names of the table."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "TensorFlow's private names that programs use.")
        self.__path__: list[str] = []
        self.__package__ = name

    def __getattr__(self, name: str) -> Any:
        value = find(f"{self.__name__}.{name}")
        if value is None:
            raise AttributeError(absence(f"{self.__name__}.{name}"))
        vars(self)[name] = value
        return value

    def __dir__(self) -> list[str]:
        prefix = f"{self.__name__}."
        names = (name for name in (*rows(), *modules()) if name.startswith(prefix))
        return sorted({name.removeprefix(prefix).partition(".")[0] for name in names})


@functools.cache
def module(name: str) -> ModuleType:
    """Returns the module of a name of the table, such as ``tensorflow.python.eager``."""
    return _PrivateModule(name)


def find(name: str) -> Any:
    """Returns the object or module of a name, None for a name that is not in the table."""
    row = rows().get(name)
    if row is None:
        return module(name) if name in modules() else None
    value = row.object()
    for notify in RESOLVED:
        notify(row, value)
    return value


def absence(name: str) -> str:
    """Returns the text of the error for a name that is not in the table."""
    return (
        f"No module or attribute {name!r}. twinflow has the private names of TensorFlow that known "
        f"libraries use; they are in twinflow/_src/{TABLE}."
    )
