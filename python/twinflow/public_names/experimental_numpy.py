"""``tf.experimental.numpy``: a namespace that is filled when a name of it is first asked for.

Most programs never use it, so what is in it (the package ``numpy_api``) does not count towards the
time that ``import twinflow`` takes.
"""

from __future__ import annotations

import functools
import importlib
from types import ModuleType
from typing import Any

_FILLED_BY = "twinflow.numpy_api"


def prepare(*modules: ModuleType) -> None:
    """Makes modules fill themselves when a name is asked for that they do not have yet."""
    for module in modules:
        vars(module)["__getattr__"] = functools.partial(_late, modules, module)
        vars(module)["__dir__"] = functools.partial(_names, modules, module)


def _fill(modules: tuple[ModuleType, ...]) -> None:
    importlib.import_module(_FILLED_BY)
    for module in modules:  # from now on they are modules like any other
        vars(module).pop("__getattr__", None)
        vars(module).pop("__dir__", None)


def _late(modules: tuple[ModuleType, ...], module: ModuleType, name: str) -> Any:
    # Python itself asks for names such as __path__ on import; __all__ stands for "everything".
    if name == "__all__" or not name.startswith("__"):
        _fill(modules)
        if name in vars(module):
            return vars(module)[name]
    raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")


def _names(modules: tuple[ModuleType, ...], module: ModuleType) -> list[str]:
    _fill(modules)
    return sorted(vars(module))
