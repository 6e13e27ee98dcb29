"""Keras seeds: SeedGenerator and ``set_random_seed``."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.core.dtypes import int64
from twinflow._src.dispatch.op import export
from twinflow._src.random.seeds import set_seed
from twinflow._src.variables.variable import Variable


@export("keras.random.SeedGenerator")
class SeedGenerator:
    """Generator of seeds for stateless random ops.

    Args:
        seed: An integer; random if None.
        name: A name.

    Raises:
        ValueError: The seed is not an integer.
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
        """Returns a seed and advances the state.

        Args:
            ordered: If True, seeds count up; otherwise they are scattered.

        Returns:
            Two integers.
        """
        seed = self.state.value() * 1
        following = seed + [0, 1] if ordered else (seed + 1) * 5387 % 933199
        self.state.assign(following)
        return seed

    def get_config(self) -> dict[str, Any]:
        """Returns the configuration, from which ``from_config`` creates the same object."""
        return {"seed": self._initial_seed, "name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> SeedGenerator:
        """Creates a SeedGenerator from the result of ``get_config``."""
        return cls(**config)


def any_seed() -> int:
    """Returns a seed from Python's global random generator."""
    import random

    return random.randint(1, int(1e9))


@export("keras.utils.set_random_seed")
def set_random_seed(seed: int) -> None:
    """Sets the seeds of Python, NumPy and TensorFlow.

    Args:
        seed: An integer.

    Raises:
        ValueError: The seed is not an integer.
    """
    if not isinstance(seed, int):
        raise ValueError(
            f"Expected `seed` argument to be an integer. Received: seed={seed} (of type {type(seed)})"
        )
    import random

    random.seed(seed)
    np.random.seed(seed)  # user code relies on NumPy's global generator
    set_seed(seed)
