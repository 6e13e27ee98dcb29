"""``while`` and ``for`` in rewritten functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from twinflow._src.autograph.jump_lowering import RESULT
from twinflow._src.autograph.loop_init import aside, begun
from twinflow._src.autograph.options import Options, collecting
from twinflow._src.autograph.values import Get, Put, Undefined, checked_condition, is_condition
from twinflow._src.control_flow.cond_and_while import loop_value, while_loop
from twinflow._src.control_flow.tensor_array import TensorArray
from twinflow._src.conversion.constant import constant, convert_to_tensor, is_tensor
from twinflow._src.core import nest
from twinflow._src.core.context import entered, thread
from twinflow._src.core.dtypes import int32
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.op import API
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.ops.control.graph_map import Slices
from twinflow._src.variables.variable import BaseResourceVariable

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
    first = None
    if thread.scope.graph is not None:
        before = get()
        first, made = _tried(test)
        if is_tensor(first) or made:
            put(before)
        if is_tensor(first):
            goes = lambda _: checked_condition(test(), "while loop")
            _loop(goes, lambda _: body(), get, put, names, Options(_speaks(body)))
            return
        first = None if made else (first,)  # evaluated once, as its effects are to be seen once
    while True:
        found, first = test() if first is None else first[0], None
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


def _tried(test: Callable[[], Any]) -> tuple[Any, bool]:
    """The value of a condition, computed aside; and True if operations were made for it."""
    outer = thread.scope
    graph = aside(outer.graph)
    with entered(outer.but(graph=graph, controls=(), observers=())):
        return test(), bool(graph.get_operations())


def for_stmt(
    items: Any,
    test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get: Get,
    put: Put,
    names: Sequence[str],
    target: str,
) -> None:
    """``for``.

    Args:
        items: What is gone through.
        test: Whether to go on, or None.
        body: Runs a round on an item.
        get: Gives the variables that a round sets and that later ones or what follows use.
        put: Puts them.
        names: Their names.
        target: The variable that holds the item; empty where there are several, or it is none.
    """
    if isinstance(items, BaseResourceVariable) and thread.scope.graph is not None:
        items = convert_to_tensor(items)
    if isinstance(items, SymbolicTensor):
        if items.shape.rank == 0:
            sizes = API["shape"](items)
            raise ValueError(f"len requires a non-scalar tensor, got one of shape {sizes}")
        if items.op.type == "Range":
            counter = Numbers(*items.op.inputs)
            _loop(lambda i: _going(counter.more(i), test), body, get, put, names, Options(_speaks(body)), counter, target)
        else:
            slices = Slices(items)
            counter = Numbers(constant(0), slices.count, constant(1))
            goes = lambda i: _going(i < slices.count, test)
            _loop(goes, lambda i: body(slices(i)), get, put, names, Options(_speaks(body)), counter)
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


def _going(more: Any, test: Callable[[], Any] | None) -> Any:
    if test is None:
        return more
    found = test()
    return API["logical_and"](more, found) if is_condition(found) else (more if found else False)


class Numbers:
    """Numbers to count by; there may be none between the first and the last one.

    Args:
        start: The first number.
        limit: The first number that is too far.
        step: The distance of neighbours.
    """

    def __init__(self, start: Any, limit: Any, step: Any) -> None:
        self.start, self.limit, self.step = start, limit, step

    def more(self, number: Any) -> Any:
        """Whether a number lies before the limit."""
        up = API["logical_and"](self.step >= 0, number < self.limit)
        return API["logical_or"](up, API["logical_and"](self.step < 0, number > self.limit))

    def count(self) -> Any:
        """How many numbers there are."""
        distance = self.limit - self.start
        whole, rest = distance // self.step, distance % self.step
        more = API["cast"](API["not_equal"](rest, API["zeros_like"](rest)), whole.dtype)
        return API["cast"](API["maximum"](whole + more, API["zeros_like"](whole)), int32)


def _loop(
    going: Callable[[Any], Any],
    body: Callable[[Any], None],
    get: Get,
    put: Put,
    names: Sequence[str],
    options: Options,
    counter: Numbers | None = None,
    target: str = "",
) -> None:
    """Makes a loop of a graph.

    Args:
        going: Whether there is another round, by its number.
        body: Runs a round, by its number.
        get: Gives the variables that a round sets and that later ones or what follows use.
        put: Puts them.
        names: Their names.
        options: Where what the loop says of itself is noted.
        counter: What numbers the rounds have; None where they have none.
        target: The variable that holds the number.
    """
    first = constant(0) if counter is None else counter.start
    before, missing = begun(lambda: body(first), get, put, names, options, {target: first})
    starts = [nest.map_structure(loop_value, x) for x in before]
    # A round knows its number, and that it ran where variables get their values only then.
    own = [*([] if counter is None else [first]), *([constant(False)] if missing else [])]

    def step(*values: Any) -> list[Any]:
        put(values[len(own) :])
        with collecting(options):
            body(values[0])
        after = get()
        for name, start, entry, value in zip(names, starts, values[len(own) :], after):
            _check_structure(name, entry, value)
            _check_round(name, start, value, options)
        following = [] if counter is None else [values[0] + counter.step]
        return [*following, *([True] if missing else []), *after]

    def check(*values: Any) -> Any:
        put(values[len(own) :])
        return going(values[0])

    invariants = options.shapes(nest.flatten(starts))
    shapes = None if invariants is None else [*(TensorShape(()) for _ in own), *invariants]
    most = options.most
    if most is None and counter is not None:
        most = counter.count()
    found = while_loop(check, step, [*own, *starts], shapes, most)
    put(_after_one(found[len(own) - 1], found[len(own) :], missing) if missing else found[len(own) :])


def _after_one(ran: Any, values: Sequence[Any], missing: Sequence[str]) -> Any:
    """The variables after a loop, which must have run a round to give some of them a value."""
    called = ("the function return value" if name == RESULT else name for name in missing)
    needed = f"loop must iterate at least once to initialize {', '.join(called)}"
    with thread.scope.graph.control_dependencies([API["debugging.Assert"](ran, [needed])]):
        return nest.map_structure(lambda x: API["identity"](x) if is_tensor(x) else x, values)


def _check_structure(name: str, start: Any, value: Any) -> None:
    try:
        nest.assert_same_structure(start, value, expand_composites=True)
    except (ValueError, TypeError) as error:
        raise TypeError(
            f"'{name}' does not have the same nested structure after one iteration.\n\n{error}"
        ) from error


def _speaks(body: Any) -> bool:
    """Whether the body of a loop mentions ``set_loop_options``."""
    return "set_loop_options" in getattr(getattr(body, "__code__", None), "co_names", ())


def _check_round(name: str, start: Any, value: Any, options: Options) -> None:
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
