"""Control flow: branches, groups, and calls of Python functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.control_flow import cond_and_while as graph_control
from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core.context import entered, thread
from twinflow._src.core.errors import invalid
from twinflow._src.core.nest import flatten
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.op import export
from twinflow._src.graph.ops import NO_OP
from twinflow._src.graph.symbolic import Operation
from twinflow._src.ops.elementwise.cast import identity

# ------------------------------------------------------------------ branches


@export("cond")
def cond(
    pred: Any,
    true_fn: Any = None,
    false_fn: Any = None,
    name: str | None = None,
) -> Any:
    """Returns what one of two functions gives.

    Args:
        pred: A boolean scalar.
        true_fn: The function to call where it is true.
        false_fn: The function to call otherwise.
        name: A name for the operation.

    Returns:
        The function's result.

    Raises:
        TypeError: A function is missing or cannot be called.
    """
    return branch(pred, true_fn, false_fn, False, name)


def branch(pred: Any, true_fn: Any, false_fn: Any, strict: bool, name: str | None) -> Any:
    """``cond`` with a choice of what becomes of a list of one result: a list, or the result."""
    for what, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if function is None:
            raise TypeError(f"cond(): '{what}' argument required")
        if not callable(function):
            raise TypeError(f"'{what}' must be callable.")
    if thread.scope.graph is not None:
        return graph_control.cond(pred, true_fn, false_fn, name)
    result = true_fn() if truth(pred) else false_fn()
    return result if strict else unpacked(result)


def truth(pred: Any) -> bool:
    if pred is None or isinstance(pred, (list, tuple)):
        pred = convert_to_tensor(pred)
    if isinstance(pred, Tensor) and getattr(pred, "_array", np.zeros(1)).size == 0:
        raise ValueError(
            "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an "
            "array is not empty."
        )
    return bool(pred)


def unpacked(result: Any) -> Any:
    """A list of one result as that result."""
    return result[0] if isinstance(result, list) and len(result) == 1 else result


@export("switch_case")
def switch_case(
    branch_index: Any, branch_fns: Any, default: Any = None, name: str = "switch_case"
) -> Any:
    """Returns what the function with a number gives.

    Args:
        branch_index: An integer scalar tensor.
        branch_fns: A list of functions, or a dictionary or list of pairs with their numbers.
        default: The function to call where there is no such number; the last one where None.
        name: A name for the operation.

    Returns:
        The function's result.

    Raises:
        TypeError: The number or the functions are not as described.
        ValueError: The numbers are not 0, 1, 2, ...
    """
    if not isinstance(branch_index, Tensor):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(branch_index)}")
    if not branch_index.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {branch_index.dtype}")
    actions = _numbered(branch_fns)
    if default is not None:
        actions.append(default)
    if thread.scope.graph is not None:
        return graph_control.switch_case(branch_index, actions, name)
    if branch_index.shape.rank:  # type: ignore[attr-defined]
        raise invalid("'then' must be at least a vector, but saw shape: [] [Op:Select] name: ")
    index = int(branch_index)  # type: ignore[call-overload]
    return actions[index if 0 <= index < len(actions) else len(actions) - 1]()


def _numbered(branches: Any) -> list[Callable[[], Any]]:
    if not branches:
        raise ValueError("Must provide at least one item in 'branch_fns'")
    if not isinstance(branches, (list, tuple, dict)):
        raise TypeError("'branch_fns' must be a list, tuple, or dict")
    if isinstance(branches, dict):
        branches = list(branches.items())
    if all(map(callable, branches)):
        branches = list(enumerate(branches))
    for pair in branches:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'branch_fns' must be a 2-tuple. Received {pair}.")
        key, function = pair
        if not isinstance(key, int):
            raise TypeError(f"key must be a Python `int`, got {type(key)}")
        if not callable(function):
            raise TypeError(f"fn for key {key} must be callable.")
    keys = sorted(key for key, _ in branches)
    if keys != list(range(len(keys))):
        listed = ",".join(map(str, keys))
        raise ValueError(
            "branch indices (keys) must form contiguous range of "
            f"[0 to {len(keys)}) but found {{{listed}}}"
        )
    return [function for _, function in sorted(branches, key=lambda pair: pair[0])]


# ------------------------------------------------------------------ order of operations


@export("group")
def group(*inputs: Any, **kwargs: Any) -> Any:
    """Waits for operations; they have run already when values are computed at once.

    Args:
        *inputs: Tensors or operations.
        **kwargs: ``name``: a name for the operation.

    Returns:
        None; in a graph the operation.

    Raises:
        ValueError: In a graph, where there is no such keyword.
        TypeError: In a graph, where an input is neither a tensor nor an operation.
    """
    unknown = [key for key in kwargs if key != "name"]
    if unknown and thread.scope.graph is not None:
        raise ValueError(f"Unknown keyword arguments: {', '.join(unknown)}")
    if thread.scope.graph is None:
        return None
    flat = flatten(list(inputs))
    for x in flat:
        if not is_tensor(x) and not isinstance(x, Operation):
            raise TypeError(f"'inputs' should be zero or more (nested) Tensors. Received '{x}' with type '{type(x)}'.")
    waited = _operations(flat)
    for node in waited:
        node.marks["_has_manual_control_dependencies"] = True
    with entered(thread.scope.but(controls=(*thread.scope.controls, *waited))):
        return no_op(kwargs.get("name") or ("group_deps" if flat else "NoOp"))


def _operations(values: Any) -> tuple[Operation, ...]:
    """The operations of a graph among operations and results of such."""
    found = (getattr(value, "op", value) for value in values)
    return tuple(x for x in found if isinstance(x, Operation) and (x.type != "Placeholder" or not x.graph.building_function))


@export("no_op")
def no_op(name: str | None = None) -> Any:
    """Does nothing.

    Args:
        name: A name for the operation.

    Returns:
        None; in a graph the operation.
    """
    graph = thread.scope.graph
    return None if graph is None else graph.add(NO_OP, (), {}, graph._name_of_node(name or "NoOp"))


@export("tuple")
def tuple_(tensors: Any, control_inputs: Any = None, name: str | None = None) -> Any:
    """Returns tensors once all of them have been computed.

    Args:
        tensors: Tensors.
        control_inputs: Operations that have to have run too.
        name: A name for the operation.

    Returns:
        The tensors, in a list.
    """
    if thread.scope.graph is None:
        return tensors
    graph = thread.scope.graph
    with graph.name_scope(name or "tuple"):
        waited = group(*filter(is_tensor, tensors), *(control_inputs or ()))
        with entered(thread.scope.but(controls=(*thread.scope.controls, waited))):
            return [None if x is None else _beside(graph, x) for x in tensors]


def _beside(graph: Any, tensor: Any) -> Any:
    """A tensor again, placed beside what computes it."""
    with graph.colocate_with(tensor):
        return identity(tensor, name="control_dependency")


class NullContextmanager:
    """A block that changes nothing."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: Any) -> None:
        pass


@export("control_dependencies")
def control_dependencies(control_inputs: Any) -> Any:
    """A block whose operations run after others; in the order of the program anyway.

    Args:
        control_inputs: Tensors or operations, or a function that gives some (it is called), or None.

    Returns:
        A context manager.
    """
    if thread.scope.graph is not None and control_inputs is not None and not callable(control_inputs):
        waited = filter(thread.scope.graph.waits_for, _operations(flatten(list(control_inputs))))
        return entered(thread.scope.but(controls=(*thread.scope.controls, *waited)))
    if thread.scope.graph is not None and control_inputs is None:
        return entered(thread.scope.but(controls=()))
    if callable(control_inputs):
        control_inputs()
    elif thread.scope.graph is None and (is_tensor(control_inputs) or control_inputs):
        for control in control_inputs:
            if callable(control):
                control()
    return NullContextmanager()


# ------------------------------------------------------------------ Python functions
