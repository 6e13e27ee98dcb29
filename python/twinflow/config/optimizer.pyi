# Computed from the op table by tools/make_stubs.py.

from typing import Any

def get_experimental_options() -> dict[str, Any]:
    """The options of the rewriter that were set, and those that it always has."""

def get_jit() -> str:
    """What is to be compiled: ``"autoclustering"``, or nothing."""

def set_experimental_options(options: dict[str, Any]) -> None:
    """Sets options of the rewriter."""

def set_jit(enabled: Any) -> None:
    """Sets what is to be compiled."""
