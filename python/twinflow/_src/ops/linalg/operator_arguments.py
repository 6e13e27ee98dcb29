"""Linear operators as arguments of the functions of ``tf.linalg``."""

from __future__ import annotations

from typing import Any

from twinflow._src.dispatch.op import API


def is_operator(value: Any) -> bool:
    """True for a ``tf.linalg.LinearOperator``."""
    return getattr(type(value), "_is_linear_operator", False)


def multiply(
    a: Any, b: Any, transpose_a: bool, transpose_b: bool, adjoint_a: bool, adjoint_b: bool
) -> Any:
    """Returns the product of two operands, of which one is an operator at least."""
    if transpose_a or transpose_b:
        raise ValueError("Transposing not supported at this time.")
    if is_operator(a):
        return a.matmul(b, adjoint=adjoint_a, adjoint_arg=adjoint_b)
    # a b = (b^H a^H)^H
    product = b.matmul(a, adjoint=not adjoint_b, adjoint_arg=not adjoint_a)
    return API["linalg.adjoint"](product)
