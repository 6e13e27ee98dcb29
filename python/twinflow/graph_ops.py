"""Operations that only graphs have: constants, placeholders, and calls of Python.

They are not in the op table: no function of the public interface makes one outside a graph.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import dtypes
from .schema import Kind, Op, Param

Inferred = tuple[list[Any], list[Any], bool]


def _const(xp: Any, *, value: Any, dtype: Any) -> Any:
    return xp.asarray(value)


def _of_value(node: Any) -> Inferred:
    return [node.attrs["dtype"]], [node.attrs["value"].shape], True


def _unfed(xp: Any, **_: Any) -> Any:
    raise AssertionError("a placeholder is fed or refused before a graph runs")


def _as_declared(node: Any) -> Inferred:
    return [node.attrs["dtype"]], [node.attrs["shape"]._dims], True


def _nothing(xp: Any) -> None:
    """Does nothing."""


CONST = Op("Const", _const, infer=_of_value, no_gradient=True)
PLACEHOLDER = Op("Placeholder", _unfed, infer=_as_declared, no_gradient=True)
ABSENT = Op("Absent", lambda xp, like: None, infer=lambda n: ([n.attrs["like"].dtype], [None], True))
NO_OP = Op("NoOp", _nothing, infer=lambda node: ([], [], False), no_gradient=True)


def python_op(
    type: str,
    kernel: Callable[..., Any],
    count: int,
    results: tuple[list[Any], list[Any], bool] = ([], [], False),
) -> Op:
    """An op of one operation, whose kernel is a Python function with effects or of its own kind.

    Args:
        type: The type that it shows.
        kernel: Called with the array module and ``count`` arrays.
        count: The number of its inputs, each of a type of its own.
        results: The types and shapes of its results, and whether it is one result.
    """
    kinds = tuple(Kind(f"T{i}") for i in range(count))
    new = Op(type, kernel, infer=lambda node: results, impure=True, no_gradient=True, dtypes=dtypes.ANY)
    new.kinds = kinds
    new.tensors = tuple(Param(f"input_{i}", None, kind) for i, kind in enumerate(kinds))
    new.params = new.tensors
    return new
