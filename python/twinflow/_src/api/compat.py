"""``tf.compat.v2``, and an import hook for lazily created namespaces."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_COMPAT = "twinflow.compat"
# Module attributes that programs read from the package.
_SPECIAL = ("__version__", "__git_version__", "__compiler_version__", "__all__")


class _Namespaces(MetaPathFinder, Loader):
    """Import hook for modules below ``twinflow.compat``, such as ``twinflow.compat.v1.nn``."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        parent, _, leaf = fullname.rpartition(".")
        if not parent.startswith(_COMPAT) or not isinstance(
            getattr(sys.modules[parent], leaf, None), ModuleType
        ):
            return None
        return ModuleSpec(fullname, self)

    def exec_module(self, module: ModuleType) -> None:
        parent, _, leaf = module.__name__.rpartition(".")
        sys.modules[module.__name__] = getattr(sys.modules[parent], leaf)


def install(namespace: Callable[[str], ModuleType]) -> None:
    """Creates ``tf.compat.v2``, which has the names of ``tf``."""
    module, whole = namespace("compat.v2"), namespace("")

    def find(name: str) -> Any:
        if name == "enable_v2_behavior":
            return importlib.import_module(
                "twinflow._src.compat_v1.behavior_flags"
            ).enable_v2_behavior
        if name.startswith("_") and name not in _SPECIAL:
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        try:
            return getattr(whole, name)
        except AttributeError as e:
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}") from e

    names = lambda: sorted(
        {*(name for name in dir(whole) if not name.startswith("_")), "enable_v2_behavior"}
    )
    module.__getattr__, module.__dir__ = find, names  # type: ignore[method-assign]
    if not any(isinstance(finder, _Namespaces) for finder in sys.meta_path):
        sys.meta_path.append(_Namespaces())
