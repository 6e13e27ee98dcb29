"""Modules of TensorFlow 1 whose functions are those of Keras 2: with Keras 3 each use is an error, as in TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

# Functions that return Keras 2's module of a name, or None; the alias ``tensorflow`` has one.
FINDERS: list[Callable[[str], ModuleType | None]] = []


class _Keras2Module(ModuleType):
    """A module with the names of Keras 2 where programs choose it, otherwise without names."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        for find in FINDERS:
            module = find(self.__name__.rpartition(".")[2])
            if module is not None:
                return getattr(module, name)
        raise AttributeError(f"`{name}` is not available with Keras 3.")


layers = _Keras2Module("twinflow.compat.v1.layers")
rnn_cell = _Keras2Module("twinflow.compat.v1.nn.rnn_cell")
