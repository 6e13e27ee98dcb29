"""``if`` in rewritten functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from twinflow._src.autograph.values import Get, Put, Undefined, checked_condition, is_condition
from twinflow._src.control_flow.cond_and_while import passed_like
from twinflow._src.control_flow.if_and_case_ops import Branches
from twinflow._src.control_flow.subgraphs import finished
from twinflow._src.conversion.constant import is_tensor
from twinflow._src.core import nest
from twinflow._src.core.context import entered, thread
from twinflow._src.dispatch.op import API
from twinflow._src.graph.func_graph import FuncGraph
from twinflow._src.graph.symbolic import SymbolicTensor


def if_stmt(
    test: Any,
    body: Callable[[], None],
    orelse: Callable[[], None],
    get: Get,
    put: Put,
    names: Sequence[str],
) -> None:
    """``if``.

    Args:
        test: The condition.
        body: Runs the first branch.
        orelse: Runs the other one.
        get: Gives the variables that a branch sets and that are used afterwards, then those that are read
            in a branch alone.
        put: Puts them.
        names: The names of the first ones.
    """
    if not is_condition(test):
        (body if test else orelse)()
        return
    test = checked_condition(test, "if statement")
    before = get()
    with thread.scope.graph.name_scope("cond"):
        found = _chosen(test, (body, orelse), before, get, put, names)
    put([*found, *before[len(names) :]])


def _chosen(
    test: Any, branches: Sequence[Callable[[], None]], before: Sequence[Any], get: Get, put: Put, names: Sequence[str]
) -> list[Any]:
    """What the variables are after the branch that runs."""
    traces = []
    for branch in branches:
        put(before)
        traces.append(_branch(branch, get))
    (first, a), (second, b) = traces
    a, b = a[: len(names)], b[: len(names)]
    _check_defined(names, a, b)
    for name, one, two in zip(names, a, b):
        _check_structure(name, one, two)
        _check_none(name, one, two)
    moving = [i for i in range(len(names)) if a[i] is not b[i]]
    chosen = [_finish(graph, [values[i] for i in moving]) for graph, values in ((first, a), (second, b))]
    for i, one, two in zip(moving, *chosen):
        _check_same(names[i], one, two)
    found = _joined([first, second], test, chosen[0])
    values = list(a)
    for i, value in zip(moving, found):
        values[i] = value
    return values


def _branch(branch: Callable[[], None], get: Get) -> tuple[FuncGraph, tuple[Any, ...]]:
    outer = thread.scope
    graph = FuncGraph("cond")
    graph.seed, graph.creates = outer.graph.seed, getattr(outer.graph, "creates", None)
    with entered(outer.but(graph=graph, controls=(), observers=())):
        branch()
        return graph, get()


def _finish(graph: FuncGraph, values: list[Any]) -> list[Any]:
    with entered(thread.scope.but(graph=graph, controls=(), observers=())):
        try:
            return finished(graph, values)
        except (TypeError, ValueError) as error:
            raise _told(values, error) from error


def _told(values: list[Any], error: Exception) -> Exception:
    """What is said of a branch that gives functions and the like; any other error as it is."""
    strange = next((x for x in nest.flatten(values) if callable(x) and not is_tensor(x)), None)
    if strange is None:
        return error
    return TypeError(
        "To be compatible with tf.function, Python functions must return zero or more Tensors or ExtensionTypes or None "
        f"values; in compilation of <function _tf_if_stmt.<locals>.aug_body at 0x{id(values):x}>, found return value of "
        f"type {type(strange).__name__}, which is not a Tensor or ExtensionType."
    )


def _joined(graphs: list[FuncGraph], index: Any, like: list[Any]) -> list[Any]:
    found = Branches(graphs).node("If", index, name=thread.scope.name)
    passed = iter([API["identity"](x) for x in found])
    return [passed_like(value, passed) for value in like]


def _check_defined(names: Sequence[str], a: Sequence[Any], b: Sequence[Any]) -> None:
    for name, one, two in zip(names, a, b):
        lacks = [
            branch
            for branch, value in (("main", one), ("else", two))
            if type(value) is Undefined
        ]
        if len(lacks) == 1:
            what = (
                f"the {lacks[0]} branch must also have a return statement."
                if name == "retval_"
                else f"'{name}' must also be initialized in the {lacks[0]} branch"
            )
            raise ValueError(what)


def _check_none(name: str, one: Any, two: Any) -> None:
    if (one is None) != (two is None):
        raise ValueError(f"'{name}' is None at the end of the {'main' if one is None else 'else'} branch.")


def _check_same(name: str, one: Any, two: Any) -> None:
    for x, y in zip(*(nest.flatten(value, expand_composites=True) for value in (one, two))):
        if isinstance(x, SymbolicTensor) and isinstance(y, SymbolicTensor) and x.dtype is not y.dtype:
            raise TypeError(
                f"'{name}' has dtype {x.dtype.name} in the main branch, but dtype {y.dtype.name} in the "
                "else branch"
            )


def _check_structure(name: str, one: Any, two: Any) -> None:
    try:
        nest.assert_same_structure(one, two, expand_composites=True)
    except (ValueError, TypeError) as error:
        raise TypeError(
            f"'{name}' must have the same nested structure in the main and else branches:\n\n{error}"
        ) from error
