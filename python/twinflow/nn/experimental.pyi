# Computed from the op table by tools/make_stubs.py.

from typing import Any

def general_dropout(
    x: Any, rate: Any, uniform_sampler: Any, noise_shape: Any = None, name: str | None = None
) -> Any:
    """Computes dropout with a mask from a user-defined uniform sampler."""

def stateless_dropout(
    x: Any,
    rate: Any,
    seed: Any,
    rng_alg: Any = "auto_select",
    noise_shape: Any = None,
    name: str | None = None,
) -> Any:
    """Computes dropout with a mask that depends on the seed only."""
