# Computed from the op table by tools/make_stubs.py.

from collections.abc import Callable
from typing import Any

def assert_same_structure(
    nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Asserts that two structures have the same nesting."""

def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """Returns the leaves of a structure."""

def is_nested(seq: Any) -> bool:
    """Returns True if a value is a structure rather than a leaf."""

def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Applies a function to each leaf and returns a structure of the results."""

def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """Packs a flat sequence into a structure."""
