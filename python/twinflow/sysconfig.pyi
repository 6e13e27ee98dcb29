# Computed from the op table by tools/make_stubs.py.

from typing import Any

def get_build_info() -> Any:
    """Returns the build configuration: a pure Python package without CUDA, ROCm or TensorRT builds."""

def get_lib() -> str:
    """Returns the directory of the package."""
