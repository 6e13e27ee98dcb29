"""Parts of the points at which derivatives are checked."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

_RNG = np.random.default_rng(5)


class Point(NamedTuple):
    """A call of an op whose derivatives are checked.

    Attributes:
        inputs: Arrays, or lists of arrays for a parameter that takes several tensors; None for what is
            not given. Those of float64 and complex128 are changed, the others are not.
        attrs: Keyword arguments.
        fixed: The positions of inputs that have no gradient, in TensorFlow either.
        order: Up to which order derivatives are checked.
    """

    inputs: tuple[Any, ...]
    attrs: dict[str, Any] = {}
    fixed: tuple[int, ...] = ()
    order: int = 2


Table = dict[str, list[Point]]


def at(*inputs: Any, fixed: tuple[int, ...] = (), order: int = 2, **attrs: Any) -> Point:
    """A point; the attributes are given by keyword."""
    return Point(inputs, attrs, fixed, order)


def some(*shape: int) -> np.ndarray[Any, Any]:
    """Numbers of both signs."""
    return np.asarray(_RNG.normal(size=shape))


def away(*shape: int) -> np.ndarray[Any, Any]:
    """Numbers of both signs that are not near 0."""
    return np.asarray(_RNG.choice([-1.0, 1.0], size=shape) * between(0.2, 2, *shape))


def between(low: float, high: float, *shape: int) -> np.ndarray[Any, Any]:
    """Numbers in an interval."""
    return np.asarray(_RNG.uniform(low, high, size=shape))


def apart(*shape: int) -> np.ndarray[Any, Any]:
    """Numbers of which no two are near each other."""
    count = int(np.prod(shape))
    return (_RNG.permutation(count) * 0.7 - count * 0.3 + 0.11).reshape(shape)


def both(*shape: int) -> np.ndarray[Any, Any]:
    """Complex numbers."""
    return np.asarray(some(*shape) + 1j * some(*shape))


def ints(*values: Any) -> np.ndarray[Any, Any]:
    """Integers: axes, sizes, indices."""
    return np.array(values, "int32")


def index(value: int) -> np.ndarray[Any, Any]:
    """An integer."""
    return np.array(value, "int32")
