"""Parts of numbers, and what numbers are."""

from __future__ import annotations

from typing import Any

import numpy as np

import twinflow as tf
from twinflow._src.wings.numpy_ops.registry import expose, tnp
from twinflow._src.wings.numpy_ops.unary import applied


@expose("real")
def real(val: Any) -> Any:
    """Returns the real parts of numbers.

    Args:
        val: An array.

    Returns:
        A tensor.
    """
    return tf.math.real(tnp.asarray(val))


@expose("imag")
def imag(val: Any) -> Any:
    """Returns the imaginary parts of numbers.

    Args:
        val: An array.

    Returns:
        A tensor.
    """
    return tf.math.imag(tnp.asarray(val))


@expose("angle")
def angle(z: Any, deg: bool = False) -> Any:
    """Returns the angles of complex numbers.

    Args:
        z: An array.
        deg: Whether to give degrees rather than radians.

    Returns:
        A tensor.
    """

    def of_tensor(x: Any) -> Any:
        return tf.where(x < 0, np.pi, 0) if x.dtype.is_floating else tf.math.angle(x)

    found = applied(of_tensor, z, True)
    return tnp.rad2deg(found) if deg else found


@expose("sign")
def sign(x: Any, out: Any = None, where: Any = None, **kwargs: Any) -> Any:
    """Returns the signs of numbers.

    Args:
        x: An array.
        out: Must be None.
        where: None.
        **kwargs: Nothing.

    Returns:
        A tensor.

    Raises:
        ValueError: More than the array is given.
    """
    for name, given in (("out", out), ("where", where), (kwargs.keys(), kwargs)):
        if given:
            raise ValueError(f"tf.numpy doesnt support setting {name}.".replace(").", ")"))
    return tf.sign(tnp.asarray(x))


@expose("isinf")
def isinf(x: Any) -> Any:
    """Returns whether numbers are infinite.

    Args:
        x: A tensor.

    Returns:
        A tensor, or False where the type has no infinities.
    """
    return applied(lambda t: tf.math.is_inf(t), x, True) if x.dtype.is_floating else False


def _infinite(name: str, value: float) -> None:
    """Defines ``isposinf`` or ``isneginf``."""

    def is_infinite(x: Any) -> Any:
        return x == tnp.full_like(x, value) if x.dtype.is_floating else False

    is_infinite.__doc__ = f"""Returns whether numbers are {"minus " if value < 0 else ""}infinity.

    Args:
        x: A tensor.

    Returns:
        A tensor, or False where the type has no infinities.
    """
    expose(name)(is_infinite)


_infinite("isposinf", np.inf)
_infinite("isneginf", -np.inf)


@expose("iscomplex")
def iscomplex(x: Any) -> Any:
    """Returns whether numbers have an imaginary part.

    Args:
        x: An array.

    Returns:
        A tensor.
    """
    return tnp.imag(x) != 0


@expose("isreal")
def isreal(x: Any) -> Any:
    """Returns whether numbers have no imaginary part.

    Args:
        x: An array.

    Returns:
        A tensor.
    """
    return tnp.imag(x) == 0


@expose("iscomplexobj")
def iscomplexobj(x: Any) -> bool:
    """Returns whether the type of an array is complex.

    Args:
        x: An array.

    Returns:
        A boolean.
    """
    return tnp.array(x).dtype.is_complex


@expose("isrealobj")
def isrealobj(x: Any) -> bool:
    """Returns whether the type of an array is not complex.

    Args:
        x: An array.

    Returns:
        A boolean.
    """
    return not tnp.iscomplexobj(x)
