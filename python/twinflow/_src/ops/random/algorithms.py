"""Random number generation algorithms: names and ids."""

from __future__ import annotations

import enum
from typing import Any

from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.op import export


@export("random.Algorithm", "random.experimental.Algorithm")
class Algorithm(enum.Enum):
    """Random number generation algorithm; only Philox is implemented on CPUs and GPUs."""

    __module__ = "twinflow.random"

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


_NAMES = {
    "philox": Algorithm.PHILOX,
    "threefry": Algorithm.THREEFRY,
    "autoselect": Algorithm.AUTO_SELECT,
}


def algorithm_number(alg: Any) -> Any:
    """Returns TensorFlow's id of an algorithm: of an id, an ``Algorithm``, a tensor, or a name."""
    if isinstance(alg, (int, Tensor)):
        return alg
    if isinstance(alg, Algorithm):
        return alg.value
    if isinstance(alg, str):
        found = _NAMES.get(alg.strip().lower().replace("-", "").replace("_", ""))
        if found is None:
            raise unknown_algorithm(alg)
        return found.value
    raise TypeError(f"Can't convert argument `alg` (of value {alg} and type {type(alg)}) to int.")


def unknown_algorithm(alg: Any) -> ValueError:
    """Returns the ValueError for an unknown algorithm."""
    known: list[Any] = [1, 2, 3] if isinstance(alg, int) else ["philox", "threefry", "auto_select"]
    return ValueError(
        f"Argument `alg` got unsupported value {alg}. Supported values are {known[0]} for the Philox "
        f"algorithm, {known[1]} for the ThreeFry algorithm, and {known[2]} for auto-selection."
    )
