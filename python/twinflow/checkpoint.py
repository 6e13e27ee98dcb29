"""Exchange of tensors by name with NumPy (npz) and safetensors files.

``save_npz``, ``load_npz``, ``save_safetensors`` and ``load_safetensors`` exchange tensors with other
programs. TensorFlow's own checkpoints are under its names, such as ``tf.train.Checkpoint``. The
implementation is imported on first access.
"""

from __future__ import annotations

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
    from twinflow._src.checkpoint import archives

    return getattr(archives, name)
