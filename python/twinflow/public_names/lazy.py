"""Public names whose objects are made when they are first asked for, as they need other packages."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ..messages import message
from . import checkpoints as checkpoint_names
from . import distribution as distribution_names
from . import training as training_names

# The namespace and the name, and what makes the object.
NAMES: dict[str, Callable[[], Any]] = {
    f"train.{name}": functools.partial(message, name)
    for name in (
        "BytesList",
        "Example",
        "Feature",
        "FeatureList",
        "FeatureLists",
        "Features",
        "FloatList",
        "Int64List",
        "SequenceExample",
    )
} | training_names.NAMES | checkpoint_names.NAMES | distribution_names.NAMES


def install(namespace: Callable[[str], ModuleType]) -> None:
    """Gives the modules of namespaces their late names.

    Args:
        namespace: Gives the module of a namespace.
    """
    for path in {name.rpartition(".")[0] for name in NAMES}:
        _make_late(namespace(path), path)


def _make_late(module: ModuleType, path: str) -> None:
    late = {
        name.rpartition(".")[2]: make
        for name, make in NAMES.items()
        if name.rpartition(".")[0] == path
    }

    def find(name: str) -> Any:
        if name not in late:
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        return vars(module).setdefault(name, late[name]())

    module.__getattr__ = find  # type: ignore[method-assign]
    module.__dir__ = lambda: sorted({*vars(module), *late})  # type: ignore[method-assign]
