# Computed from the op table by tools/make_stubs.py.

from typing import Any

def get_experimental_options() -> dict[str, Any]:
    """Returns the optimizer options: those set, and those with fixed values."""

def get_jit() -> str:
    """Returns the JIT setting: ``"autoclustering"`` or an empty string."""

def set_experimental_options(options: dict[str, Any]) -> None:
    """Sets options of the graph optimizer; no effect on execution."""

def set_jit(enabled: Any) -> None:
    """Sets the JIT setting; no effect on execution."""
