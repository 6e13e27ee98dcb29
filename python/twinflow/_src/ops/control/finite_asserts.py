"""Whether numbers are finite."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.dtypes import REALS
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import same
from twinflow._src.dispatch.op import Call, export, op
from twinflow._src.ops.elementwise.cast import identity


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
