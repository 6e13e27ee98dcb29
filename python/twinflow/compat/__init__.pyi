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
    """Converts a string to bytes."""

def as_str(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Converts bytes to a string; same as ``as_text``."""

def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """Converts bytes to a string, and any other value by ``str``."""

def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Converts bytes to a string."""

def dimension_at_index(shape: Any, index: SupportsIndex) -> Dimension:
    """Returns a dimension of a shape, also if the rank is unknown."""

def dimension_value(dimension: Any) -> Any:
    """Returns the size of a ``Dimension`` or integer."""

def forward_compatibility_horizon(
    year: SupportsIndex, month: SupportsIndex, day: SupportsIndex
) -> Iterator[None]:
    """Context manager for the forward compatibility date; no effect."""

def forward_compatible(year: SupportsIndex, month: SupportsIndex, day: SupportsIndex) -> bool:
    """Returns True: there is no forward compatibility window."""

def path_to_str(path: Any) -> Any:
    """Converts a path object to a string; other values are returned unchanged."""
