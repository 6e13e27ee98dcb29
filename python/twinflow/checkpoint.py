"""Checkpoint files, read and written: TensorFlow's own, and those of NumPy and of safetensors.

``save_npz``, ``load_npz``, ``save_safetensors`` and ``load_safetensors`` exchange tensors by name with other
programs. What TensorFlow has is under its own names, such as ``tf.train.Checkpoint``. Nothing here is
imported before a program saves or restores something.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from twinflow._src.checkpoint.archives import (
        load_npz,
        load_safetensors,
        save_npz,
        save_safetensors,
    )

__all__ = ["load_npz", "load_safetensors", "save_npz", "save_safetensors"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module("twinflow._src.checkpoint.archives"), name)
