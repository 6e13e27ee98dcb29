# Computed from the op table by tools/make_stubs.py.

from typing import Any

def general_dropout(
    x: Any, rate: Any, uniform_sampler: Any, noise_shape: Any = None, name: str | None = None
) -> Any:
    """Returns a tensor with some elements, which a function chooses, set to zero."""

def stateless_dropout(
    x: Any,
    rate: Any,
    seed: Any,
    rng_alg: Any = "auto_select",
    noise_shape: Any = None,
    name: str | None = None,
) -> Any:
    """Returns a tensor with some elements, which depend on the seed only, set to zero."""
