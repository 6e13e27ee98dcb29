"""``tf.raw_ops``: a namespace whose functions are created on first access."""

from __future__ import annotations

from types import ModuleType
from typing import Any


def prepare(module: ModuleType) -> None:
    """Installs lazy lookup of op functions in a module."""

    def find(name: str) -> Any:
        if name == "__all__" or not name.startswith("_"):  # Python looks up special names itself
            from twinflow._src.wings.raw_ops import functions

            if name == "__all__":
                return functions.names()
            if name in functions.names():
                return vars(module).setdefault(name, functions.function(name))
        raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")

    def listed() -> list[str]:
        from twinflow._src.wings.raw_ops import functions

        return sorted({*(n for n in vars(module) if n.startswith("__")), *functions.names()})

    vars(module)["__getattr__"], vars(module)["__dir__"] = find, listed
