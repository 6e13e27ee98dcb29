# Computed from the op table by tools/make_stubs.py.

from typing import Any

def get_build_info() -> Any:
    """What the package is built for: it has no parts that are."""

def get_lib() -> str:
    """The folder of the package."""
