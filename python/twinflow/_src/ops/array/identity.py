"""Tensors passed on as they are."""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.shapes import same
from twinflow._src.dispatch import opdefs
from twinflow._src.dispatch.op import export, op
from twinflow._src.ops.elementwise.cast import identity


@export("identity_n")
def identity_n(input: Any, name: str | None = None) -> list[Any]:
    """Returns tensors with the values of others.

    Args:
        input: A sequence of tensors.
        name: A name for the operation.

    Returns:
        A list of tensors.

    Raises:
        InvalidArgumentError: There is no tensor.
    """
    values = list(input)
    if not values:
        opdefs.check_count("IdentityN", "T", 0)
    return [identity(convert_to_tensor(value)) for value in values]


@op("GuaranteeConst", api="guarantee_const", shape=same)
def guarantee_const(xp: Any, input: Any) -> Any:
    """Returns a tensor of which the program promises that it never changes.

    Args:
        input: A tensor.

    Returns:
        The tensor.
    """
    return input.copy()
