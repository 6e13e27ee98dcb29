# Computed from the op table by tools/make_stubs.py.

from typing import Any

def random_crop(value: Any, size: Any, seed: Any = None, name: str | None = None) -> Any:
    """Crops a tensor to a given size at a random offset."""

def stateless_random_crop(value: Any, size: Any, seed: Any, name: str | None = None) -> Any:
    """Crops a tensor to a given size at an offset that depends on the seed only."""
