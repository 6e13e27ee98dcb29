# Computed from the op table by tools/make_stubs.py.

from collections.abc import Iterator
from typing import Any

def get_step() -> Any:
    """Returns the default step of the thread."""

def set_step(step: Any) -> None:
    """Sets the default step of the thread."""

def summary_scope(
    name: Any, default_name: str = "summary", values: Any = None
) -> Iterator[tuple[str, str]]:
    """Returns a context manager for a custom summary: a name scope that gives the tag."""

def write_raw_pb(tensor: Any, step: Any = None, name: str | None = None) -> Any:
    """Writes serialized ``Summary`` messages to the default writer."""
