# Computed from the op table by tools/make_stubs.py.

from typing import Any

from twinflow._src.core.tensor import Tensor

def from_dlpack(dlcapsule: Any) -> Tensor:
    """Creates a tensor of another library's memory, without a copy if it is C-contiguous."""

def to_dlpack(tf_tensor: Any) -> Any:
    """Exports a tensor's memory as a DLPack capsule, without a copy."""
