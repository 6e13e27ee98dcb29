"""``while`` and ``for`` in rewritten functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import nest
from ..composites.component_specs import composite_spec
from ..constant import constant, convert_to_tensor, is_tensor
from ..context import entered, thread
from ..control.in_graphs import loop_value, while_loop
from ..graphs.func_graph import FuncGraph
from ..graphs.symbolic import SymbolicTensor
from ..op import API
from ..ops.control.graph_maps import Slices
from ..shapes import TensorShape
from ..tensor_array import TensorArray
from ..tensor_spec import TensorSpec
from .jumps import RETURNED
from .options import Options, collecting
from .values import Get, Put, Undefined, checked_condition, is_condition

_WHY = (
    "See https://github.com/tensorflow/tensorflow/blob/master/tensorflow/python/autograph/g3doc/reference/"
    "limitations.md#consistency-of-control-flow-types for more info."
)


def while_stmt(
    test: Callable[[], Any], body: Callable[[], None], get: Get, put: Put, names: Sequence[str]
) -> None:
    """``while``.

    Args:
        test: Gives the condition.
        body: Runs a round.
        get: Gives the variables that a round sets and that later ones or what follows use.
        put: Puts them.
        names: Their names.
    """
    if thread.scope.graph is not None and is_tensor(_tried(test, get, put)):
        goes = lambda _: checked_condition(test(), "while loop")
        _loop(goes, lambda _: body(), get, put, names, _mentioned(body), False)
        return
    while True:
        found = test()
        if is_condition(found):
            raise NotImplementedError(
                "The condition of while loop started as non-Tensor, then changed to Tensor. This may happen "
                "either because variables changed type, or when a break or return statement inside the loop "
                "depends on a Tensor condition. In both cases, changing to a TF loop should remove the "
                f"error.\n{_WHY}"
            )
        if not found:
            return
        body()


def _tried(test: Callable[[], Any], get: Get, put: Put) -> Any:
    """What a condition gives, computed aside."""
    before, outer = get(), thread.scope
    with entered(outer.but(graph=_aside(outer.graph), controls=(), observers=())):
        found = test()
    put(before)
    return found


def _aside(outer: Any) -> FuncGraph:
    graph = FuncGraph("aside")
    graph.seed = None
    graph.creates = getattr(outer, "creates", None)
    return graph


def for_stmt(
    items: Any,
    test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get: Get,
    put: Put,
    names: Sequence[str],
) -> None:
    """``for``.

    Args:
        items: What is gone through.
        test: Whether to go on, or None.
        body: Runs a round on an item.
        get: Gives the variables that a round sets and that later ones or what follows use.
        put: Puts them.
        names: Their names.
    """
    if isinstance(items, SymbolicTensor):
        if items.shape.rank == 0:
            raise TypeError("Cannot iterate over a scalar tensor.")
        slices = Slices(items)
        _loop(
            lambda i: _going(i < slices.count, test),
            lambda i: body(slices(i)),
            get,
            put,
            names,
            _mentioned(body),
        )
        return
    for item in items:
        body(item)
        if test is not None:
            going = test()
            if is_condition(going):
                raise NotImplementedError(
                    "break and return statements which depend on a TF condition are not supported in "
                    f"Python for loops. Did you intend to make it a TF loop?\n{_WHY}"
                )
            if not going:
                return


def _mentioned(body: Any) -> Sequence[str]:
    return getattr(getattr(body, "__code__", None), "co_names", ())


def _going(more: Any, test: Callable[[], Any] | None) -> Any:
    if test is None:
        return more
    found = test()
    return API["logical_and"](more, found) if is_condition(found) else (more if found else False)


def _loop(
    going: Callable[[Any], Any],
    body: Callable[[Any], None],
    get: Get,
    put: Put,
    names: Sequence[str],
    said: Sequence[str],
    counted: bool = True,
) -> None:
    """Makes a loop of a graph.

    Args:
        going: Whether there is another round, by its number.
        body: Runs a round, by its number.
        get: Gives the variables that a round sets and that later ones or what follows use.
        put: Puts them.
        names: Their names.
        said: The global names and the attributes that the body mentions.
        counted: Whether rounds have numbers.
    """
    if RETURNED in names:
        raise NotImplementedError(
            "a return statement cannot be placed inside this TensorFlow loop; this may happen if a return "
            "statement depends on a static Python condition such as a hyperparameter"
        )
    options = Options("set_loop_options" in said)
    before = _started(body, get, put, names, options)
    starts = [nest.map_structure(loop_value, x) for x in before]
    flat = nest.flatten(starts)
    invariants = options.shapes(flat)

    def step(*values: Any) -> list[Any]:
        put(values[counted:])
        with collecting(options):
            body(values[0])
        after = get()
        for name, start, value in zip(names, starts, after):
            _check_round(name, start, value, options)
        return [values[0] + 1, *after] if counted else list(after)

    def check(*values: Any) -> Any:
        put(values[counted:])
        return going(values[0])

    number = [0] if counted else []
    shapes = None if invariants is None else [*(TensorShape(()) for _ in number), *invariants]
    found = while_loop(check, step, [*number, *starts], shapes)
    put(found[counted:])


def _started(
    body: Callable[[Any], None], get: Get, put: Put, names: Sequence[str], options: Options
) -> list[Any]:
    """The variables before the loop; zeros like what a round makes of those that have no value yet."""
    before, outer = list(get()), thread.scope
    if not options.expected and all(type(x) is not Undefined and x is not None for x in before):
        return before  # nothing to find out; what the body prints is printed once
    with entered(outer.but(graph=_aside(outer.graph), controls=(), observers=())), collecting(options):
        body(constant(0))
        after = get()
        put(before)
        kinds = [nest.map_structure(_kind, value) for value in after]
    for i, value in enumerate(before):
        if type(value) is Undefined or (value is None and kinds[i] is not None):
            zeros = [_zeros(kind, names[i]) for kind in nest.flatten(kinds[i])]
            before[i] = nest.pack_sequence_as(kinds[i], zeros)
        elif value is None:
            raise ValueError(f"'{names[i]}' may not be None before the loop.")
    return before


def _kind(value: Any) -> Any:
    """What a round makes of a variable: a spec, or a value that has none."""
    if type(value) is Undefined or value is None or isinstance(value, TensorArray):
        return value
    if composite_spec(value) is not None:
        return TensorSpec([size or 0 for size in value.shape], value.dtype)
    tensor = convert_to_tensor(value)
    return TensorSpec(tensor.shape, tensor.dtype)


def _zeros(kind: Any, name: str) -> Any:
    if not isinstance(kind, TensorSpec) or not kind.shape.is_fully_defined():
        raise ValueError(f"'{name}' must be defined before the loop.")
    return API["zeros"](kind.shape, kind.dtype)


def _check_structure(name: str, start: Any, value: Any) -> None:
    if not any(composite_spec(leaf) is not None for leaf in (*nest.flatten(start), *nest.flatten(value))):
        return
    try:
        nest.assert_same_structure(start, value, expand_composites=True)
    except (ValueError, TypeError) as error:
        raise TypeError(
            f"'{name}' does not have the same nested structure after one iteration.\n\n{error}"
        ) from error


def _check_round(name: str, start: Any, value: Any, options: Options) -> None:
    _check_structure(name, start, value)
    for x, y in zip(nest.flatten(start), nest.flatten(value)):
        if isinstance(x, TensorArray) or isinstance(y, TensorArray):
            continue
        if y is None or type(y) is Undefined:
            raise ValueError(f"'{name}' is None at the end of the iteration.")
        y = loop_value(y)
        if not (hasattr(x, "dtype") and hasattr(y, "dtype")):
            continue  # a type of the program's own
        if x.dtype is not y.dtype:
            raise TypeError(
                f"'{name}' has dtype {x.dtype.name} before the loop, but dtype {y.dtype.name} after one "
                "iteration"
            )
        shape = options.shape_of(x)
        if not y.shape.is_subtype_of(shape):
            raise ValueError(
                f"'{name}' has shape {shape} before the loop, but shape {y.shape} after one iteration. "
                "Use tf.autograph.experimental.set_loop_options to set shape invariants."
            )
