# Computed from the op table by tools/make_stubs.py.

from typing import Any

def random_crop(value: Any, size: Any, seed: Any = None, name: str | None = None) -> Any:
    """Returns a part of a tensor at a random place."""

def stateless_random_crop(value: Any, size: Any, seed: Any, name: str | None = None) -> Any:
    """Returns a part of a tensor at a place that depends on the seed only."""
