"""Ops on linear operators: the functions of ``tf.linalg`` that are one op."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.core import nest
from twinflow._src.dispatch.execute import execute
from twinflow._src.dispatch.registry import OPS, Op
from twinflow._src.wings.extension_types.dispatch import on_extension


def _invert(inputs: list[Any], attrs: dict[str, Any]) -> Any:
    inverse = inputs[0].inverse()
    return inverse.adjoint() if attrs.get("adjoint") else inverse


def _solve(inputs: list[Any], attrs: dict[str, Any]) -> Any:
    matrix, rhs = inputs
    if not hasattr(matrix, "_is_linear_operator"):
        return NotImplemented
    return matrix.solve(rhs, adjoint=bool(attrs.get("adjoint")))


_METHODS: dict[Op, Callable[[list[Any], dict[str, Any]], Any]] = {
    OPS["MatrixInverse"]: _invert,
    OPS["MatrixSolve"]: _solve,
    OPS["Cholesky"]: lambda inputs, attrs: inputs[0].cholesky(),
    OPS["MatrixDeterminant"]: lambda inputs, attrs: inputs[0].determinant(),
}


def dispatch_op(op: Op, inputs: list[Any], attrs: dict[str, Any]) -> Any:
    """Runs an op with an operator among its inputs; NotImplemented for ops that take tensors only."""
    if op in _METHODS:
        return _METHODS[op](inputs, attrs)
    if op.is_identity and inputs[0]._type_spec is not None:
        return nest.map_structure(
            lambda x: execute(op, [x], attrs), inputs[0], expand_composites=True
        )
    return on_extension(op, inputs, attrs)
