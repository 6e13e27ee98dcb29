"""The serializer of graphs, a module above this layer: the package registers it, and its first use imports it."""

from __future__ import annotations

import importlib
from typing import Any


class Serializer:
    """A module that is imported when a name of it is first used."""

    module = ""

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self.module), name)


serializer = Serializer()
