"""Modules of TensorFlow 1 whose functions were those of Keras 2: each use is an error, as in TensorFlow."""

from __future__ import annotations

from types import ModuleType
from typing import Any


class _Keras2Module(ModuleType):
    """A module without names."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        raise AttributeError(f"`{name}` is not available with Keras 3.")


layers = _Keras2Module("twinflow.compat.v1.layers")
rnn_cell = _Keras2Module("twinflow.compat.v1.nn.rnn_cell")
