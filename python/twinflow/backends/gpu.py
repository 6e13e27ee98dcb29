"""The GPUs that were found, or why none was."""

from twinflow._src.backends.gpu.device import count, why_none

__all__ = ["count", "why_none"]
