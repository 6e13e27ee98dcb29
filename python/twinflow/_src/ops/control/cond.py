"""Branches (``tf.cond``, ``tf.switch_case``, ``tf.case``) and control dependencies."""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.control_flow import cond_and_while as graph_control
from twinflow._src.conversion.constant import constant, convert_to_tensor, is_tensor
from twinflow._src.core.context import entered, thread
from twinflow._src.core.dtypes import bool_, int32
from twinflow._src.core.errors import invalid
from twinflow._src.core.nest import flatten
from twinflow._src.core.scopes import name_scope
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.op import documented_like, export
from twinflow._src.graph.ops import NO_OP
from twinflow._src.graph.symbolic import Operation
from twinflow._src.ops.array.stack import stack
from twinflow._src.ops.control.asserts import Assert
from twinflow._src.ops.elementwise.cast import cast, identity
from twinflow._src.ops.elementwise.compare import less_equal
from twinflow._src.ops.reduce.reduce import reduce_sum

# ------------------------------------------------------------------ branches


@export("cond")
def cond(
    pred: Any,
    true_fn: Any = None,
    false_fn: Any = None,
    name: str | None = None,
) -> Any:
    """Calls one of two functions, depending on a boolean scalar, and returns its result.

    Args:
        pred: A boolean scalar.
        true_fn: The function called if ``pred`` is True.
        false_fn: The function called if ``pred`` is False.

    Returns:
        The function's result.

    Raises:
        TypeError: A function is missing or not callable.
    """
    return branch(pred, true_fn, false_fn, False, name)


def branch(pred: Any, true_fn: Any, false_fn: Any, strict: bool, name: str | None) -> Any:
    """``tf.cond``; unless ``strict``, a list of one result is unpacked."""
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
    """Returns the element of a list of length 1, else the value unchanged."""
    return result[0] if isinstance(result, list) and len(result) == 1 else result


@export("switch_case")
@documented_like(cond)
def switch_case(
    branch_index: Any, branch_fns: Any, default: Any = None, name: str = "switch_case"
) -> Any:
    """Calls the branch function with the given index and returns its result.

    Args:
        branch_index: A scalar integer tensor.
        branch_fns: A list of functions, or a dictionary or list of pairs of index and function.
        default: The function for an index without a branch; the last branch if None.

    Raises:
        TypeError: ``branch_index`` or ``branch_fns`` has an unsupported type.
        ValueError: The indices are not 0, 1, 2, ...
    """
    if not isinstance(branch_index, Tensor):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(branch_index)}")
    if not branch_index.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {branch_index.dtype}")
    actions = _ordered_branches(branch_fns)
    if default is not None:
        actions.append(default)
    if thread.scope.graph is not None:
        return graph_control.switch_case(branch_index, actions, name)
    if branch_index.shape.rank:
        raise invalid("'then' must be at least a vector, but saw shape: [] [Op:Select] name: ")
    index = int(branch_index)
    return actions[index if 0 <= index < len(actions) else len(actions) - 1]()


def _ordered_branches(branches: Any) -> list[Callable[[], Any]]:
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


# ------------------------------------------------------------------ control dependencies


@export("group")
def group(*inputs: Any, **kwargs: Any) -> Any:
    """Returns an operation that runs after all of its inputs; does nothing in eager mode.

    Args:
        *inputs: Tensors or operations.
        **kwargs: ``name``: a name for the operation.

    Returns:
        None; in a graph the operation.

    Raises:
        ValueError: In a graph, for an unknown keyword argument.
        TypeError: In a graph, for an input that is neither a tensor nor an operation.
    """
    unknown = [key for key in kwargs if key != "name"]
    if unknown and thread.scope.graph is not None:
        raise ValueError(f"Unknown keyword arguments: {', '.join(unknown)}")
    if thread.scope.graph is None:
        return None
    flat = flatten(list(inputs))
    for x in flat:
        if not is_tensor(x) and not isinstance(x, Operation):
            raise TypeError(
                f"'inputs' should be zero or more (nested) Tensors. Received '{x}' with type '{type(x)}'."
            )
    controls = _operations(flat)
    for node in controls:
        node.marks["_has_manual_control_dependencies"] = True
    with entered(thread.scope.but(controls=(*thread.scope.controls, *controls))):
        return no_op(kwargs.get("name") or ("group_deps" if flat else "NoOp"))


def _operations(values: Any) -> tuple[Operation, ...]:
    """Returns the operations among values and those that produce tensors."""
    operations = (getattr(value, "op", value) for value in values)
    return tuple(
        x
        for x in operations
        if isinstance(x, Operation) and (x.type != "Placeholder" or not x.graph.building_function)
    )


@export("no_op")
def no_op(name: str | None = None) -> Any:
    """Returns an operation that does nothing; in eager mode None.

    Args:
        name: A name for the operation.

    Returns:
        None; in a graph the operation.
    """
    graph = thread.scope.graph
    return None if graph is None else graph.add(NO_OP, (), {}, graph._name_of_node(name or "NoOp"))


@export("tuple")
def tuple_(tensors: Any, control_inputs: Any = None, name: str | None = None) -> Any:
    """Returns tensors that are available only after all of them have been computed.

    Args:
        tensors: Tensors.
        control_inputs: Additional operations that must run first.

    Returns:
        The tensors, in a list.
    """
    if thread.scope.graph is None:
        return tensors
    graph = thread.scope.graph
    with graph.name_scope(name or "tuple"):
        controls = group(*filter(is_tensor, tensors), *(control_inputs or ()))
        with entered(thread.scope.but(controls=(*thread.scope.controls, controls))):
            return [None if x is None else _add_colocated_identity(graph, x) for x in tensors]


def _add_colocated_identity(graph: Any, tensor: Any) -> Any:
    """Returns an identity of a tensor, colocated with the operation that computes it."""
    with graph.colocate_with(tensor):
        return identity(tensor, name="control_dependency")


class NullContextmanager:
    """A context manager that does nothing."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: Any) -> None:
        pass


@export("control_dependencies")
def control_dependencies(control_inputs: Any) -> Any:
    """Returns a context manager in which new operations run after the given ones.

    Args:
        control_inputs: Tensors or operations, a callable (it is called), or None to clear them.

    Returns:
        A context manager; in eager mode it does nothing, as ops run in program order.
    """
    if (
        thread.scope.graph is not None
        and control_inputs is not None
        and not callable(control_inputs)
    ):
        controls = filter(thread.scope.graph.waits_for, _operations(flatten(list(control_inputs))))
        return entered(thread.scope.but(controls=(*thread.scope.controls, *controls)))
    if thread.scope.graph is not None and control_inputs is None:
        return entered(thread.scope.but(controls=()))
    if callable(control_inputs):
        control_inputs()
    elif thread.scope.graph is None and (is_tensor(control_inputs) or control_inputs):
        for control in control_inputs:
            if callable(control):
                control()
    return NullContextmanager()


# ------------------------------------------------------------------ case


@export("case")
@documented_like(cond)
def case(
    pred_fn_pairs: Any,
    default: Any = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """Calls the function of the first predicate that is True and returns its result.

    Args:
        pred_fn_pairs: A list of pairs of a scalar boolean tensor and a function; or an ordered
            dictionary.
        default: The function called if no predicate is True.
        exclusive: If True, raises an error if more than one predicate is True.
        strict: If False, a result list of one element is unpacked.

    Raises:
        TypeError: The pairs have unsupported types.
        InvalidArgumentError: No predicate is True and there is no default, or several are.
    """
    predicates, actions = zip(*_checked_pairs(pred_fn_pairs, exclusive), strict=True)
    if default is not None and not callable(default):
        raise TypeError("'false_fn' must be callable.")
    if thread.scope.graph is not None:
        return _case_in_graph(list(predicates), list(actions), default, exclusive, name)
    tested = predicates if default is not None else predicates[:-1]
    if exclusive and tested:
        _assert_at_most_one(tested)
    if default is None:
        *others, last = predicates
        message = "Input error: None of conditions evaluated as True:"
        if not any(map(truth, others)):
            Assert(last, (message, stack(list(predicates))))
        default = actions[-1]
    action = next((a for p, a in zip(predicates, actions, strict=True) if truth(p)), default)
    return action() if strict else unpacked(action())


def _case_in_graph(
    predicates: list[Any], actions: list[Any], default: Any, exclusive: bool, name: str
) -> Any:
    """Builds nested ``cond`` ops; without a default the last pair is the innermost else branch."""
    if default is None:
        *predicates, last = predicates
        *actions, action = actions
        default = functools.partial(_last_action, predicates, last, action)
    branch = default
    with name_scope(name):
        for predicate, action in reversed(list(zip(predicates, actions, strict=True))):
            branch = functools.partial(graph_control.cond, predicate, action, branch, "cond")
        with control_dependencies(
            [_assert_at_most_one(predicates)] if exclusive and predicates else []
        ):
            return branch()


def _last_action(others: list[Any], predicate: Any, action: Callable[[], Any]) -> Any:
    """Calls the last action, guarded by an assertion that its predicate is True."""
    message = "Input error: None of conditions evaluated as True:"
    with control_dependencies(
        [Assert(predicate, [message, stack([*others, predicate], name="preds_c")])]
    ):
        return action()


def _assert_at_most_one(predicates: Any) -> Any:
    """Asserts that at most one predicate is True."""
    names = ", ".join(
        "?" if thread.scope.graph is None else getattr(p, "name", "?") for p in predicates
    )
    message = f"Input error: exclusive=True: more than 1 conditions ({names}) evaluated as True:"
    values = stack(list(predicates), name="preds_c")
    count = reduce_sum(cast(values, int32), name="num_true_conds")
    holds = less_equal(count, constant(1, name="n_true_conds"))
    return Assert(holds, [message, values], summarize=len(predicates))


def _name_of(tensor: Any) -> str:
    return tensor.name


def _checked_pairs(pairs: Any, exclusive: bool) -> list[tuple[Any, Any]]:
    if not isinstance(pairs, (list, tuple, dict)):
        raise TypeError(f"'pred_fn_pairs' must be a list, tuple, or dict. Received: {type(pairs)}")
    if isinstance(pairs, dict):
        if not isinstance(pairs, collections.OrderedDict) and not exclusive:
            raise ValueError(
                "Unordered dictionaries are not supported for the 'pred_fn_pairs' argument when "
                "`exclusive=False` and eager mode is enabled."
            )
        pairs = list(pairs.items())
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'pred_fn_pairs' must be a 2-tuple. Received {pair}.")
        predicate, function = pair
        if not isinstance(predicate, Tensor):
            raise TypeError(f"pred must be a Tensor, got: {predicate}")
        if predicate.dtype is not bool_:
            raise TypeError(f"pred must be Tensor of type bool: {_name_of(predicate)}")
        if not callable(function):
            raise TypeError(f"fn for pred {_name_of(predicate)} must be callable.")
    if not pairs:
        raise ValueError("not enough values to unpack (expected 2, got 0)")
    return list(pairs)
