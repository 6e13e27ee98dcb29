"""Hints of linear operators (``is_non_singular`` and others) and of their products."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Hint = bool | None


def require_hint(hint_values: Hint, text: str) -> bool:
    """Returns True, the only value of a hint; raises ValueError for False."""
    if hint_values is False:
        raise ValueError(text)
    return True


def all_hint(hints: Iterable[Hint], hint_values: Hint, text: str) -> Hint:
    """Returns True if all hints are True, else the given one; raises ValueError if it is False."""
    if all(hints):
        return require_hint(hint_values, text)
    return hint_values


def both_non_singular(a: Any, b: Any) -> Hint:
    """Returns whether the product of two operators is non-singular."""
    if a.is_non_singular is False or b.is_non_singular is False:
        return False
    return True if a.is_non_singular and b.is_non_singular else None


def both_self_adjoint(a: Any, b: Any) -> Hint:
    """Returns whether the product of two commuting operators is self-adjoint."""
    if a.is_self_adjoint is None or b.is_self_adjoint is None:
        return None
    if a.is_self_adjoint and b.is_self_adjoint:
        return True
    # The product of a self-adjoint and another operator is not, where the first is invertible.
    if (a.is_self_adjoint and a.is_non_singular) or (b.is_self_adjoint and b.is_non_singular):
        return False
    return None


def both_square(a: Any, b: Any) -> Hint:
    """Returns whether the product of two operators is square."""
    if a.is_square and b.is_square:
        return True
    if (a.is_square is False) != (b.is_square is False) and (a.is_square or b.is_square):
        return False
    return None


def both_positive_definite(a: Any, b: Any) -> Hint:
    """Returns whether the product of two commuting operators is positive definite."""
    if (a.is_positive_definite and a.is_self_adjoint) and (
        b.is_positive_definite and b.is_self_adjoint
    ):
        return True
    return None


def commuting(a: Any, b: Any) -> dict[str, Hint]:
    """Returns the hints of the product of two commuting operators."""
    return {
        "is_non_singular": both_non_singular(a, b),
        "is_self_adjoint": both_self_adjoint(a, b),
        "is_positive_definite": both_positive_definite(a, b),
        "is_square": True,
    }
