"""The operations by which the optimizers of TensorFlow 1 update a variable with its slots."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..composites.indexed_slices import IndexedSlices
from ..constant import convert_to_tensor
from ..context import quietly, thread
from ..dtypes import NUMBERS
from ..graphs.ops import holding
from ..op import API
from ..schema import Op
from ..tensor import moved
from ..variables.ref_variable import RefVariable
from .optimizer_rules import nesterov


def _written(handle: Any, value: Any) -> None:
    # What a rule makes of scalars is a number, no array.
    handle.update(lambda old, out: handle.device.xp.asarray(value, old.dtype))


def _dense(rule: Callable[..., Any], count: int) -> Callable[..., None]:
    def kernel(xp: Any, *given: Any) -> None:
        numbers, handles = given[: len(given) - count], [x._handle for x in given[len(given) - count :]]
        for handle, value in zip(handles, rule(xp, *(h.lend() for h in handles), *numbers)):
            _written(handle, value)

    return kernel


def _by_rows(rule: Callable[..., Any], count: int) -> Callable[..., None]:
    """A kernel whose gradient is of some rows; those of a row that occurs several times are added."""

    def kernel(xp: Any, *given: Any) -> None:
        numbers, handles = given[: len(given) - count], [x._handle for x in given[len(given) - count :]]
        *scalars, grad, indices = numbers
        rows, places = xp.unique(indices, return_inverse=True)
        total = xp.zeros((len(rows), *grad.shape[1:]), grad.dtype)
        xp.add.at(total, places.reshape(-1), grad)
        found = rule(xp, *(h.lend()[rows] for h in handles), *scalars, total)
        for handle, value in zip(handles, found):
            whole = handle.lend().copy()
            whole[rows] = value
            _written(handle, whole)

    return kernel


@functools.cache
def made(type: str, rule: Callable[..., Any], numbers: int, variables: int, rows: bool) -> Op:
    """An optimizer's op.

    Args:
        type: Its type.
        rule: What it does.
        numbers: How many tensors it takes: scalars, then the gradient.
        variables: How many variables it takes after them.
        rows: Whether the gradient is of some rows, and their numbers follow it.
    """
    kernel = (_by_rows if rows else _dense)(rule, variables)
    op = holding(type, kernel, numbers, variables, impure=True)
    op.dtypes, op.no_gradient = NUMBERS, True
    op.infer = lambda node: ([], [], False)
    _rules[op] = rule
    return op


_rules: dict[Op, Callable[..., Any]] = {}


def attrs_of(op: Op) -> dict[str, Any]:
    """The attributes that files hold of an operation of an optimizer."""
    return {"use_nesterov": _rules[op] is nesterov}


def update(type: str, rule: Callable[..., Any], variables: list[Any], numbers: list[Any], gradient: Any) -> Any:
    """Updates a variable and its slots; in a graph adds the operation that does.

    Args:
        type: The type of the operation.
        rule: What it does; see ``optimizer_rules.py``.
        variables: The variable, then its slots.
        numbers: Scalars: the rate and others.
        gradient: A tensor, or indexed slices.

    Returns:
        The operation; None where it ran.
    """
    rows = isinstance(gradient, IndexedSlices)
    graph = thread.scope.graph
    if rows and graph is not None:
        gradient = summed(gradient)
    given = [gradient.values, gradient.indices] if rows else [gradient]
    own = variables[0].dtype.base_dtype
    values = [x if getattr(x, "dtype", own) is not own else API["cast"](x, own) for x in numbers]
    op = made(type, rule, len(values) + len(given), len(variables), rows)
    if graph is None:
        return _at_once(op, variables, [*values, *given])
    arguments = tuple(graph.own(x) for x in (*values, *given))
    label = type.replace("Apply", "SparseApply") if rows else type
    label = label.removeprefix("Resource") if isinstance(variables[0], RefVariable) else label
    return graph.add(op, (*arguments, *variables), {}, graph.unique_name(label))


def summed(slices: Any) -> Any:
    """Indexed slices in which each row occurs once: those of a row are added."""
    indices, places = API["unique"](slices.indices)
    count = API["shape"](indices)[0]
    values = API["math.unsorted_segment_sum"](slices.values, places, count)
    return IndexedSlices(values, indices, slices.dense_shape)


def _at_once(op: Op, variables: list[Any], values: list[Any]) -> None:
    device = variables[0]._device
    arrays = [moved(convert_to_tensor(x), device)._array for x in values]
    device.backend.run(lambda: quietly(op.kernel, device.xp, *arrays, *variables), device.ordinal)
