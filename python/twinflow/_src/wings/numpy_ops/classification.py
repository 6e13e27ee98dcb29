"""Complex parts, signs and predicates: ``real``, ``sign``, ``isinf``, ``iscomplex`` and others."""

from __future__ import annotations

from typing import Any

import numpy as np

import twinflow as tf
from twinflow._src.wings.numpy_ops.registry import expose, tnp
from twinflow._src.wings.numpy_ops.unary import applied


@expose("real")
def real(val: Any) -> Any:
    """Returns the real part of each element.

    Args:
        val: An array.

    Returns:
        A tensor.
    """
    return tf.math.real(tnp.asarray(val))


@expose("imag")
def imag(val: Any) -> Any:
    """Returns the imaginary part of each element.

    Args:
        val: An array.

    Returns:
        A tensor.
    """
    return tf.math.imag(tnp.asarray(val))


@expose("angle")
def angle(z: Any, deg: bool = False) -> Any:
    """Returns the angle of complex numbers.

    Args:
        z: An array.
        deg: If True, returns degrees instead of radians.

    Returns:
        A tensor.
    """

    def of_tensor(x: Any) -> Any:
        return tf.where(x < 0, np.pi, 0) if x.dtype.is_floating else tf.math.angle(x)

    found = applied(of_tensor, z, True)
    return tnp.rad2deg(found) if deg else found


@expose("sign")
def sign(x: Any, out: Any = None, where: Any = None, **kwargs: Any) -> Any:
    """Returns the element-wise sign of numbers.

    Args:
        x: An array.
        out: Must be None.
        where: Must be None.
        **kwargs: Not supported.

    Returns:
        A tensor.

    Raises:
        ValueError: An unsupported argument is given.
    """
    for name, given in (("out", out), ("where", where), (kwargs.keys(), kwargs)):
        if given:
            raise ValueError(f"tf.numpy doesnt support setting {name}.".replace(").", ")"))
    return tf.sign(tnp.asarray(x))


@expose("isinf")
def isinf(x: Any) -> Any:
    """Tests element-wise for infinity.

    Args:
        x: A tensor.

    Returns:
        A boolean tensor, or False if the dtype has no infinities.
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
    """Tests element-wise for a nonzero imaginary part.

    Args:
        x: An array.

    Returns:
        A tensor.
    """
    return tnp.imag(x) != 0


@expose("isreal")
def isreal(x: Any) -> Any:
    """Tests element-wise for a zero imaginary part.

    Args:
        x: An array.

    Returns:
        A tensor.
    """
    return tnp.imag(x) == 0


@expose("iscomplexobj")
def iscomplexobj(x: Any) -> bool:
    """Returns True if the dtype is complex.

    Args:
        x: An array.

    Returns:
        A boolean.
    """
    return tnp.array(x).dtype.is_complex


@expose("isrealobj")
def isrealobj(x: Any) -> bool:
    """Returns True if the dtype is not complex.

    Args:
        x: An array.

    Returns:
        A boolean.
    """
    return not tnp.iscomplexobj(x)
