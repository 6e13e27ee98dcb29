# Computed from the op table by tools/make_stubs.py.

from typing import Any

from twinflow._src.core.tensor import Tensor

def from_dlpack(dlcapsule: Any) -> Tensor:
    """Makes a tensor of another library's memory, without a copy where it is C-ordered."""

def to_dlpack(tf_tensor: Any) -> Any:
    """Gives a tensor's memory to another library, without a copy."""
