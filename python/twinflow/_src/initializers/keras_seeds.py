"""Keras's seeds: generators of seeds, and one function that sets all seeds."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.core.dtypes import int64
from twinflow._src.dispatch.op import export
from twinflow._src.random.seeds import set_seed
from twinflow._src.variables.variable import Variable


@export("keras.random.SeedGenerator")
class SeedGenerator:
    """A seed that changes each time it is used.

    Args:
        seed: An integer; any where None.
        name: A name.

    Raises:
        ValueError: The seed is no integer.
    """

    __module__ = "twinflow.keras.random"

    def __init__(self, seed: int | None = None, name: str | None = None) -> None:
        self.name = name or "seed_generator"
        self._initial_seed = seed
        seed = any_seed() if seed is None else seed
        if not isinstance(seed, int):
            raise ValueError(f"Argument `seed` must be an integer. Received: seed={seed}")
        self.state: Any = Variable(
            [seed, 0], dtype=int64, trainable=False, name="seed_generator_state"
        )

    def next(self, ordered: bool = True) -> Any:
        """Gives a seed and moves on.

        Args:
            ordered: Whether the seeds count up; otherwise they jump about.

        Returns:
            Two integers.
        """
        seed = self.state.value() * 1
        following = seed + [0, 1] if ordered else (seed + 1) * 5387 % 933199
        self.state.assign(following)
        return seed

    def get_config(self) -> dict[str, Any]:
        """What ``from_config`` needs to make the same object again."""
        return {"seed": self._initial_seed, "name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> SeedGenerator:
        """Makes a generator of seeds of what ``get_config`` gave."""
        return cls(**config)


def any_seed() -> int:
    """A seed from Python's generator, which programs may have seeded."""
    import random

    return random.randint(1, int(1e9))


@export("keras.utils.set_random_seed")
def set_random_seed(seed: int) -> None:
    """Sets the seeds of Python, of NumPy and the global one.

    Args:
        seed: An integer.

    Raises:
        ValueError: The seed is no integer.
    """
    if not isinstance(seed, int):
        raise ValueError(
            f"Expected `seed` argument to be an integer. Received: seed={seed} (of type {type(seed)})"
        )
    import random

    random.seed(seed)
    np.random.seed(seed)  # programs rely on NumPy's global generator, too
    set_seed(seed)
