"""Sums of linear operators."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from twinflow._src.core.scopes import name_scope
from twinflow._src.dispatch.op import API
from twinflow._src.wings.linear_operators.base import LinearOperator
from twinflow._src.wings.linear_operators.dense import (
    LinearOperatorDiag,
    LinearOperatorFullMatrix,
    LinearOperatorLowerTriangular,
)
from twinflow._src.wings.linear_operators.identities import (
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
)


def add_operators(
    operators: Sequence[Any],
    operator_name: str | None = None,
    addition_tiers: Any = None,
    name: str | None = None,
) -> list[Any]:
    """Returns the sum of operators as the most structured operator that can represent it.

    Sums of identities are scaled identities; with a diagonal matrix they are diagonal, with a lower
    triangular one lower triangular, and with any other one dense.

    Args:
        operators: Linear operators of the same shape.
        operator_name: The name of the sum.
        addition_tiers: Not supported other than None.
        name: The name scope.

    Returns:
        A list of one operator.

    Raises:
        TypeError: An item is no linear operator.
        ValueError: There are no operators.
        NotImplementedError: There are tiers of additions.
    """
    if addition_tiers is not None:
        raise NotImplementedError("add_operators supports the default addition_tiers only.")
    operators = list(operators)
    if not operators:
        raise ValueError(
            f"Argument `operators` must be a list of >=1 operators. Received: {operators}"
        )
    for operator in operators:
        if not isinstance(operator, LinearOperator):
            raise TypeError(f"Expected a LinearOperator. Received: {operator!r}")
    with name_scope(name or "add_operators"):
        add = lambda a, b: _add(a, b, operator_name)
        return [functools.reduce(add, operators)]


def _level(operator: Any) -> int:
    """Returns 0 for scaled identities, 1 for diagonal, 2 for lower triangular matrices, else 3."""
    kinds = (
        (LinearOperatorIdentity, LinearOperatorScaledIdentity),
        (LinearOperatorDiag,),
        (LinearOperatorLowerTriangular,),
    )
    return next((level for level, kind in enumerate(kinds) if isinstance(operator, kind)), 3)


def _add(a: Any, b: Any, name: str | None) -> Any:
    level = max(_level(a), _level(b))
    hints: dict[str, Any] = dict(name=name or f"Add/{a.name}__{b.name}/", **_hints(a, b))
    if level == 0:
        scales = [x.multiplier if hasattr(x, "multiplier") else _ones(x) for x in (a, b)]
        return LinearOperatorScaledIdentity(
            num_rows=a.range_dimension_tensor(), multiplier=scales[0] + scales[1], **hints
        )
    if level == 1:
        return LinearOperatorDiag(a.diag_part() + b.diag_part(), **hints)
    plain, structured = (a, b) if _level(a) < _level(b) else (b, a)
    total = plain.add_to_tensor(structured.to_dense())
    if level == 2:
        return LinearOperatorLowerTriangular(total, **hints)
    return LinearOperatorFullMatrix(total, **hints)


def _ones(operator: Any) -> Any:
    return API["ones"](operator.batch_shape_tensor(), operator.dtype)


def _hints(a: Any, b: Any) -> dict[str, bool | None]:
    """Returns the properties that the sum of two operators has."""
    is_positive = a.is_positive_definite and b.is_positive_definite
    is_self_adjoint = a.is_self_adjoint and b.is_self_adjoint
    return {
        "is_non_singular": True if is_positive and is_self_adjoint else None,
        "is_self_adjoint": True if is_self_adjoint else None,
        "is_positive_definite": True if is_positive else None,
    }
