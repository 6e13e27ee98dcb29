"""Ops that exist in graphs only: constants, placeholders, calls of Python functions, and ``Select``.

All but the last are not in the op registry: no public function creates one outside a graph.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import dtypes
from twinflow._src.core.context import runtime, thread
from twinflow._src.core.devices import repeats_one, written_out
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import UNKNOWN
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.registry import Kind, Op, Param

Inferred = tuple[list[Any], list[Any], bool]


def _const(xp: Any, *, value: Any, dtype: Any) -> Any:
    return xp.asarray(written_out(value, dtype, runtime.host.name) if repeats_one(value) else value)


def _of_value(node: Any) -> Inferred:
    return [node.attrs["dtype"]], [node.attrs["value"].shape], True


def _raise_unfed(xp: Any, **_: Any) -> Any:
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
    "Placeholder", _raise_unfed, infer=_as_declared, no_gradient=True, static_value=_static_value
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


def check_select(condition: list[int], x: list[int], y: list[int]) -> None:
    """Raises InvalidArgumentError for shapes that ``Select`` would have to broadcast."""
    shown = [str(shape).replace(" ", "") for shape in (condition, x, y)]
    if not condition and x != y:
        raise invalid(
            f"'then' and 'else' must have the same size.  but received: {shown[1]} vs. {shown[2]}"
        )
    if not condition:
        return
    if len(condition) == 1 and len(x) > 1:
        if x[0] != condition[0]:
            raise invalid(
                f"Number of batches of 'then' must match size of 'cond', but saw: {x[0]} vs. {condition[0]}"
            )
        if x != y:
            raise invalid(
                f"'then' and 'else' must have the same size.  but received: {shown[1]} vs. {shown[2]}"
            )
        return
    for i, shape in enumerate((x, y), 1):
        if shape != condition:
            raise invalid(
                "Inputs to operation Select of type Select must have the same size and shape.  Input 0: "
                f"{shown[0]} != input {i}: {shown[i]}"
            )


def _select_elements(xp: Any, condition: Any, x: Any, y: Any) -> Any:
    check_select(*(list(array.shape) for array in (condition, x, y)))
    rows = condition.ndim == 1 and x.ndim > 1  # a vector of conditions selects rows
    return xp.where(condition.reshape(-1, *[1] * (x.ndim - 1)) if rows else condition, x, y)


def _as_second(node: Any) -> tuple[list[Any], list[Any], bool]:
    x, y = node.arguments[1:]
    return [x.dtype.base_dtype], [x.shape.merge_with(y.shape)._dims], True


SELECT = Op("Select", _select_elements, infer=_as_second)


def _of_chosen(call: Any, dy: Any) -> list[Any]:
    condition, zeros = call.inputs[0], API["zeros_like"](dy)
    return [None, where(condition, dy, zeros), where(condition, zeros, dy)]


SELECT.gradient = _of_chosen
SELECT.kinds = (Kind("bool", only=dtypes.bool_), Kind(), Kind())


def _select_in_batch(call: Any) -> Any:
    """Selects for all elements of a batch; their conditions are scalars, vectors of rows, or full."""
    condition, missing = call.full(0), call.rank(1) - call.rank(0)
    sizes = API["concat"]([API["shape"](condition), [1] * missing], 0)
    return API["where"](API["reshape"](condition, sizes), call.full(1), call.full(2))


SELECT.batched = _select_in_batch


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """Selects elements from two tensors without broadcasting; a vector condition selects rows.

    Args:
        condition: A boolean tensor.
        x: The values where it is True; None for both returns the indices of True elements.
        y: The values where it is False.
        name: A name.
    """
    if x is None or y is None:
        return API["where"](condition, x, y, name=name)
    condition, x = convert_to_tensor(condition), convert_to_tensor(x)
    y = convert_to_tensor(y, x.dtype)
    rank, graph = x.shape.rank, thread.scope.graph
    if graph is None:
        check_select(*(list(t.shape.as_list()) for t in (condition, x, y)))
    x.shape.assert_is_compatible_with(y.shape)
    if condition.shape.rank != 1 and condition.shape.rank:
        condition.shape.assert_is_compatible_with(x.shape)
    if graph is not None and condition.dtype is not dtypes.bool_:
        raise TypeError(
            f"Input 'condition' of 'Select' Op has type {condition.dtype.name} that does not match expected type of bool."
        )
    if graph is not None:
        arguments = tuple(map(graph.own, (condition, x, y)))
        return graph.add(SELECT, arguments, {}, graph.unique_name(name or "Select"))
    if condition.shape.rank == 1 and rank is not None and rank > 1:
        condition = API["reshape"](condition, [-1] + [1] * (rank - 1))
    return API["where"](condition, x, y, name=name)
