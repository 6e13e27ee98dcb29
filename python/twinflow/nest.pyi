# Computed from the op table by tools/make_stubs.py.

from collections.abc import Callable
from typing import Any

def assert_same_structure(
    nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Asserts that two structures are nested in the same way."""

def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """Returns the leaves of a structure."""

def is_nested(seq: Any) -> bool:
    """Returns whether a value is a structure rather than a leaf."""

def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Returns a structure of what a function makes of the leaves."""

def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """Returns a structure like another one with other leaves."""
