"""``tf.compat.v1``: a namespace that is filled when a name of it is first asked for.

Most programs never use it, so what is behind it does not count towards the time that ``import twinflow``
takes.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any


def prepare(namespace: Callable[[str], ModuleType]) -> None:
    """Makes the namespace fill itself when a name is asked for that it does not have yet.

    Args:
        namespace: Gives the module of a namespace.
    """
    module = namespace("compat.v1")

    def late(name: str) -> Any:
        if name.startswith("__") and name not in ("__all__", "__version__"):
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        from ..legacy import names as v1_names

        del vars(module)["__getattr__"]
        v1_names.fill(namespace)
        if name == "__all__":
            return [key for key in vars(module) if not key.startswith("_")]
        return getattr(module, name)

    vars(module)["__getattr__"] = late
