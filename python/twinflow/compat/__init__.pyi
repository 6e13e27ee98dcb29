# Computed from the op table by tools/make_stubs.py.

from collections.abc import Iterator
from typing import Any, SupportsIndex

from twinflow._src.core.shapes import Dimension
from twinflow.compat import v1 as v1
from twinflow.compat import v2 as v2

bytes_or_text_types: tuple
complex_types: tuple
integral_types: tuple
real_types: tuple

def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """Gives text as bytes."""

def as_str(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Gives bytes as text; the same as ``as_text``."""

def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """Gives bytes as text, and of anything else its text."""

def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Gives bytes as text."""

def dimension_at_index(shape: Any, index: SupportsIndex) -> Dimension:
    """Gives a dimension of a shape, also where the rank is not known."""

def dimension_value(dimension: Any) -> Any:
    """Gives the size that a dimension of either version means."""

def forward_compatibility_horizon(
    year: SupportsIndex, month: SupportsIndex, day: SupportsIndex
) -> Iterator[None]:
    """Names the date of the programs that are to be read; it has no effect."""

def forward_compatible(year: SupportsIndex, month: SupportsIndex, day: SupportsIndex) -> bool:
    """Says whether programs of a date can be read; all of them can."""

def path_to_str(path: Any) -> Any:
    """Gives the text of a path object; anything else as it is."""
