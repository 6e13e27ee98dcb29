"""Ops that exist in graphs only: constants, placeholders, and calls of Python functions.

They are not in the op registry: no public function creates one outside a graph.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.core import dtypes
from twinflow._src.core.allocation import repeats_one, written_out
from twinflow._src.core.context import runtime
from twinflow._src.core.shapes import UNKNOWN
from twinflow._src.dispatch.registry import Kind, Op, Param

Inferred = tuple[list[Any], list[Any], bool]


def _const(xp: Any, *, value: Any, dtype: Any) -> Any:
    return xp.asarray(written_out(value, dtype, runtime.host.name) if repeats_one(value) else value)


def _of_value(node: Any) -> Inferred:
    return [node.attrs["dtype"]], [node.attrs["value"].shape], True


def _unfed(xp: Any, **_: Any) -> Any:
    raise AssertionError("a placeholder is fed or refused before a graph runs")


def _as_declared(node: Any) -> Inferred:
    return [node.attrs["dtype"]], [node.attrs["shape"]._dims], True


def _nothing(xp: Any) -> None:
    """Does nothing."""


def _static_value(node: Any, index: int) -> Any:
    value = node.attrs.get("value")
    return UNKNOWN if value is None or repeats_one(value) else value  # large ones are no shapes


CONST = Op("Const", _const, infer=_of_value, no_gradient=True, static_value=_static_value)
PLACEHOLDER = Op(
    "Placeholder", _unfed, infer=_as_declared, no_gradient=True, static_value=_static_value
)
NO_OP = Op("NoOp", _nothing, infer=lambda node: ([], [], False), no_gradient=True)


DISABLE_COPY = Op(
    "DisableCopyOnRead",
    lambda xp, resource: None,
    infer=lambda node: ([], [], False),
    no_gradient=True,
)
DISABLE_COPY.kinds = (Kind("resource"),)


def holding(
    type: str, kernel: Callable[..., Any], tensors: int, variables: int = 0, impure: bool = False
) -> Op:
    """Returns an op for a single operation, whose kernel is a closure; its variables follow its tensors."""
    kinds = (*(Kind(f"T{i}") for i in range(tensors)), *[Kind("resource")] * variables)
    result = Op(type, kernel, impure=impure, dtypes=dtypes.ANY | {dtypes.variant})
    result.kinds = kinds
    result.tensors = result.params = tuple(
        Param(f"input_{i}", None, k) for i, k in enumerate(kinds)
    )
    return result
