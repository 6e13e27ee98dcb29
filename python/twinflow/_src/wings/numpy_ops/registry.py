"""Where the functions of ``tf.experimental.numpy`` get their public names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import twinflow as tf

# The public modules. The functions of this package call each other and TensorFlow's functions through
# them, so that what ``experimental_enable_numpy_behavior`` puts in the place of one counts for all.
tnp: Any = tf.experimental.numpy
_PLACES: dict[str, Any] = {"": tnp, "random": tnp.__dict__["random"]}

F = TypeVar("F", bound=Callable[..., Any])


def expose(*names: str) -> Callable[[F], F]:
    """Gives a function its public names, such as ``"sum"`` or ``"random.rand"``.

    Args:
        *names: The names; the first is the one by which errors call the function.

    Returns:
        A decorator that gives the function back.
    """

    def put(function: F) -> F:
        function.__name__ = function.__qualname__ = names[0].rpartition(".")[2]
        for name in names:
            constant(name, function)
        return function

    return put


def constant(name: str, value: Any) -> None:
    """Puts a value under a public name."""
    place, _, leaf = name.rpartition(".")
    setattr(_PLACES[place], leaf, value)


def public() -> dict[str, Any]:
    """The public names with what they stand for."""
    return {
        f"{place}.{name}".lstrip("."): value
        for place, module in _PLACES.items()
        for name, value in vars(module).items()
        if not name.startswith("_")
    }
