"""Whether numbers are finite, and in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...dtypes import REALS
from ...errors import invalid
from ...op import Call, export, op
from ...shapes import same
from ..arrays.shapes import reshape
from ..elementary.casting import identity
from ..elementary.compare import greater, greater_equal
from ..reductions.reduce import reduce_all


@op("CheckNumerics", api="debugging.check_numerics", shape=same, dtypes=REALS, impure=True)
def check_numerics(xp: Any, tensor: Any, *, message: str) -> Any:
    """Returns a tensor if it holds neither NaN nor infinities.

    Args:
        tensor: A tensor of floating numbers.
        message: What the error's text begins with.

    Returns:
        The tensor.

    Raises:
        InvalidArgumentError: There are NaN or infinite values.
    """
    if xp.isfinite(tensor).all():
        return tensor
    found = []
    if xp.isinf(tensor).any():
        found.append("Inf")
    if xp.isnan(tensor).any():
        found.append("NaN")
    raise invalid(f"{message} : Tensor had {' and '.join(found)} values")


@check_numerics.gradient
def _(call: Call, dy: Any) -> Any:
    what = "Not a number (NaN) or infinity (Inf) values detected in gradient."
    return check_numerics(dy, message=f"{what} {call.attrs['message']}")


@export("debugging.assert_all_finite")
def assert_all_finite(x: Any, message: str, name: str | None = None) -> Any:
    """Returns a tensor if it holds neither NaN nor infinities.

    Args:
        x: A tensor of floating numbers.
        message: What the error's text begins with.
        name: A name for the operation.

    Returns:
        The tensor.

    Raises:
        InvalidArgumentError: There are NaN or infinite values.
    """
    return identity(check_numerics(x, message=message))


def _in_order(x: Any, function: Callable[..., Any]) -> Any:
    flat = reshape(x, [-1])
    if not flat.dtype.is_numeric:
        raise TypeError(f"Expected x to be numeric, instead found: {flat!s}")
    return reduce_all(function(flat[1:], flat[:-1]))


@export("math.is_non_decreasing")
def is_non_decreasing(x: Any, name: str | None = None) -> Any:
    """Returns whether the elements of a tensor never decrease.

    Args:
        x: A tensor of numbers.
        name: A name for the operation.

    Returns:
        A boolean scalar.

    Raises:
        TypeError: The tensor is not one of numbers.
    """
    return _in_order(x, greater_equal)


@export("math.is_strictly_increasing")
def is_strictly_increasing(x: Any, name: str | None = None) -> Any:
    """Returns whether each element of a tensor is larger than the one before.

    Args:
        x: A tensor of numbers.
        name: A name for the operation.

    Returns:
        A boolean scalar.

    Raises:
        TypeError: The tensor is not one of numbers.
    """
    return _in_order(x, greater)
