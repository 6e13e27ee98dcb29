"""Registration of the functions of ``tf.experimental.numpy`` under their public names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import twinflow as tf

# The public modules. The functions of this package call each other and TensorFlow's functions
# through
# them, so that replacements by ``experimental_enable_numpy_behavior`` apply to all callers.
tnp: Any = tf.experimental.numpy
_PLACES: dict[str, Any] = {"": tnp, "random": tnp.__dict__["random"]}

F = TypeVar("F", bound=Callable[..., Any])


def expose(*names: str) -> Callable[[F], F]:
    """Registers a function under public names, such as ``"sum"`` or ``"random.rand"``.

    The first name is the one in errors.
    """

    def register_function(function: F) -> F:
        function.__name__ = function.__qualname__ = names[0].rpartition(".")[2]
        for name in names:
            constant(name, function)
        return function

    return register_function


def constant(name: str, value: Any) -> None:
    """Registers a value under a public name."""
    place, _, leaf = name.rpartition(".")
    setattr(_PLACES[place], leaf, value)


def public() -> dict[str, Any]:
    """Returns the public names and their objects."""
    return {
        f"{place}.{name}".lstrip("."): value
        for place, module in _PLACES.items()
        for name, value in vars(module).items()
        if not name.startswith("_")
    }
