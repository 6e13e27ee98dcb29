"""Runtime of AutoGraph: ``if``, ``while``, ``for`` and expressions of rewritten functions.

Each function dispatches at run time: Python semantics for Python values, graph ops for tensors of a
graph.
"""

from __future__ import annotations

import builtins
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from twinflow._src.autograph.calls import Options
from twinflow._src.autograph.rewriter import RESULT
from twinflow._src.composite_tensors.component_specs import composite_spec
from twinflow._src.control_flow.cond_and_while import loop_value, passed_like, while_loop
from twinflow._src.control_flow.if_and_case_ops import Branches, finished
from twinflow._src.control_flow.tensor_array import TensorArray
from twinflow._src.conversion.constant import constant, convert_to_tensor, is_tensor
from twinflow._src.core import nest
from twinflow._src.core.context import entered, thread
from twinflow._src.core.dtypes import bool_, int32
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.specs import TensorSpec
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.registry import OPS
from twinflow._src.graph.func_graph import FuncGraph
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.ops.control.map_values import Slices
from twinflow._src.variables.variable import BaseResourceVariable

# Variables and expressions.


# State accessors: get and set the variables that a statement changes.
Get: TypeAlias = Callable[[], tuple[Any, ...]]
Put: TypeAlias = Callable[[Sequence[Any]], None]


class Undefined:
    """The value of an uninitialized variable."""

    def __init__(self, name: str) -> None:
        self.name = name


def ld(value: Any) -> Any:
    """Returns a variable's value; raises UnboundLocalError if it is undefined."""
    if type(value) is Undefined:
        raise UnboundLocalError(f"'{value.name}' is used before assignment")
    return value


def at(read: Callable[[], Any], name: str) -> Any:
    """Returns the value of an attribute or element, ``Undefined`` if there is none."""
    try:
        return read()
    except (AttributeError, LookupError, NameError):
        return Undefined(name)


def is_new(value: Any, read: Callable[[], Any]) -> bool:
    """True if an attribute or element differs from the value to be assigned."""
    old = at(read, "")
    return old is not value and not (type(old) is Undefined and type(value) is Undefined)


def result(value: Any) -> Any:
    """Returns the return value of a function: None if no ``return`` was reached."""
    return None if type(value) is Undefined else value


def in_space(
    function: Callable[..., Any], globals_: dict[str, Any], space: dict[str, Any], *args: Any
) -> Any:
    """Calls ``locals``, ``vars``, ``dir``, ``eval`` or ``exec`` on the locals of user code.

    ``space`` has getters of the local variables; ``function`` may be a user function of such a
    name.
    """
    if function not in (builtins.locals, builtins.vars, builtins.dir, builtins.eval, builtins.exec):
        return function(*args)
    if function in (builtins.vars, builtins.dir) and args:
        return function(*args)
    values = {
        name: value for name, get in space.items() if type(value := at(get, name)) is not Undefined
    }
    if function in (builtins.locals, builtins.vars):
        return values
    return sorted(values) if function is builtins.dir else function(*args, globals_, values)


def is_condition(value: Any) -> bool:
    """True if a condition is a tensor or variable, inside a graph."""
    return thread.scope.graph is not None and is_tensor(value)


def checked_condition(test: Any, what: str) -> Any:
    """Returns a condition as a scalar bool tensor; ``what`` is the statement, for errors."""
    condition = convert_to_tensor(test)
    hint = "to check for None, use `is not None`"
    if condition.dtype is not bool_:
        hint = f"to use as boolean Tensor, use `tf.cast`; {hint}"
    elif math.prod(size or 1 for size in condition.shape._dims or ()) <= 1:
        return condition if condition.shape.rank == 0 else API["reshape"](condition, [])
    raise ValueError(
        f"condition of {what} expected to be `tf.bool` scalar, got {condition!s}; {hint}"
    )


def not_(value: Any) -> Any:
    """Computes ``not value``."""
    return API["logical_not"](value) if is_condition(value) else not value


def and_(*values: Callable[[], Any]) -> Any:
    """Computes ``a and b and ...``."""
    return _chained(values, lambda value, rest: (rest, lambda: value), lambda value: not value)


def or_(*values: Callable[[], Any]) -> Any:
    """Computes ``a or b or ...``."""
    return _chained(values, lambda value, rest: (lambda: value, rest), bool)


def _chained(
    values: Sequence[Callable[[], Any]], branches: Any, decided: Callable[[Any], bool]
) -> Any:
    value = values[0]()
    if len(values) == 1:
        return value
    rest = functools.partial(_chained, values[1:], branches, decided)
    if is_condition(value):
        return API["cond"](value, *branches(value, rest))
    return value if decided(value) else rest()


def if_exp(test: Any, body: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
    """Computes ``body if test else orelse``."""
    if is_condition(test):
        return API["cond"](test, body, orelse)
    return body() if test else orelse()


# ``if`` statements.


def if_stmt(
    test: Any,
    body: Callable[[], None],
    orelse: Callable[[], None],
    get: Get,
    put: Put,
    names: Sequence[str],
) -> None:
    """Runs an ``if`` statement, by Python or ``tf.cond``.

    ``get`` returns the variables assigned by a branch and live afterwards, which have ``names``,
    then those only read in a branch; ``put`` sets them.
    """
    if not is_condition(test):
        (body if test else orelse)()
        return
    test = checked_condition(test, "if statement")
    before = get()
    with thread.scope.graph.name_scope("cond"):
        results = _trace_branches(test, (body, orelse), before, get, put, names)
    put([*results, *before[len(names) :]])


def _trace_branches(
    test: Any,
    branches: Sequence[Callable[[], None]],
    before: Sequence[Any],
    get: Get,
    put: Put,
    names: Sequence[str],
) -> list[Any]:
    """Traces both branches and returns the variables after the ``If`` op."""
    traces = []
    for branch in branches:
        put(before)
        traces.append(_branch(branch, get))
    (first, a), (second, b) = traces
    a, b = a[: len(names)], b[: len(names)]
    _check_defined(names, a, b)
    for name, one, two in zip(names, a, b):
        message = f"'{name}' must have the same nested structure in the main and else branches:"
        _check_structure(message, one, two)
        _check_none(name, one, two)
    moving = [i for i in range(len(names)) if a[i] is not b[i]]
    chosen = [
        _finish(graph, [values[i] for i in moving]) for graph, values in ((first, a), (second, b))
    ]
    for i, one, two in zip(moving, *chosen):
        _check_same(names[i], one, two)
    results = _build_if_op([first, second], test, chosen[0])
    values = list(a)
    for i, value in zip(moving, results):
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
            raise _convert_branch_error(values, error) from error


def _convert_branch_error(values: list[Any], error: Exception) -> Exception:
    """Returns TensorFlow's TypeError if a branch results in a callable; any other error unchanged."""
    strange = next((x for x in nest.flatten(values) if callable(x) and not is_tensor(x)), None)
    if strange is None:
        return error
    return TypeError(
        "To be compatible with tf.function, Python functions must return zero or more Tensors or ExtensionTypes or None "
        f"values; in compilation of <function _tf_if_stmt.<locals>.aug_body at 0x{id(values):x}>, found return value of "
        f"type {type(strange).__name__}, which is not a Tensor or ExtensionType."
    )


def _build_if_op(graphs: list[FuncGraph], index: Any, like: list[Any]) -> list[Any]:
    outputs = Branches(graphs).node("If", index, name=thread.scope.name)
    passed = iter([API["identity"](x) for x in outputs])
    return [passed_like(value, passed) for value in like]


def _check_defined(names: Sequence[str], a: Sequence[Any], b: Sequence[Any]) -> None:
    for name, one, two in zip(names, a, b):
        lacks = [
            branch for branch, value in (("main", one), ("else", two)) if type(value) is Undefined
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
        raise ValueError(
            f"'{name}' is None at the end of the {'main' if one is None else 'else'} branch."
        )


def _check_same(name: str, one: Any, two: Any) -> None:
    for x, y in zip(*(nest.flatten(value, expand_composites=True) for value in (one, two))):
        if (
            isinstance(x, SymbolicTensor)
            and isinstance(y, SymbolicTensor)
            and x.dtype is not y.dtype
        ):
            raise TypeError(
                f"'{name}' has dtype {x.dtype.name} in the main branch, but dtype {y.dtype.name} in the "
                "else branch"
            )


def _check_structure(message: str, one: Any, two: Any) -> None:
    try:
        nest.assert_same_structure(one, two, expand_composites=True)
    except (ValueError, TypeError) as error:
        raise TypeError(f"{message}\n\n{error}") from error


# Loop variables before the first iteration: undefined ones get a placeholder value.


_STATIC_RETURN = (
    "a return statement cannot be placed inside this TensorFlow loop; this may happen if a return "
    "statement depends on a static Python condition such as a hyperparameter"
)
_PLACEABLE = "Tensor, int, float, bool, list, tuple or dict"


def infer_initial_values(
    round_: Callable[[], None],
    get: Get,
    put: Put,
    names: Sequence[str],
    options: Options,
    cached: dict[str, Any],
) -> tuple[list[Any], list[str]]:
    """Returns the initial loop variables, and the names of those that an iteration initializes.

    The body is traced once in a scratch graph to find their dtypes and shapes. ``options`` receive
    the shapes of placeholders; ``cached`` are initial values of undefined variables that are known.
    """
    before, note = [cached.get(n, v) if _is_missing(v) else v for n, v in zip(names, get())], ""
    missing = list(map(_is_missing, before))
    if not any(missing):
        return before, []  # nothing to infer; the body is traced once and prints once
    values: Sequence[Any] = before
    try:
        likes = _after_a_round(round_, get)
        values = [
            _standing(x, like, options) if new else x
            for x, like, new in zip(before, likes, missing)
        ]
    except (UnboundLocalError, TypeError, ValueError, KeyError) as error:
        if not any(missing):
            raise
        if RESULT in names:
            raise NotImplementedError(_STATIC_RETURN) from error
        note = f"\nNote: AutoGraph tried to define it automatically, but ran into a {type(error).__name__}: {error}"
    finally:
        put(before)
    for name, value in zip(names, values):
        if type(value) is Undefined and name == RESULT:
            if options.relaxes_shapes:
                raise NotImplementedError(_STATIC_RETURN)
            raise ValueError(
                "the return value from a TensorFlow loop may only be a Tensor, int, float, bool or a list, tuple or "
                "dict thereof; got <class 'UndefinedReturnValue'>"
            )
        if type(value) is Undefined:
            raise ValueError(f"'{name}' must be defined before the loop{note}")
        if value is None:
            raise ValueError(f"'{name}' is not allowed to be None before the loop")
    return list(values), [name for name, new in zip(names, missing) if new]


def _is_missing(value: Any) -> bool:
    return value is None or type(value) is Undefined


def aside(outer: Any) -> FuncGraph:
    """Returns a scratch graph inside graph ``outer``, for trial traces."""
    graph = FuncGraph("aside")
    graph.seed = None
    graph.creates = getattr(outer, "creates", None)
    return graph


def _after_a_round(round_: Callable[[], None], get: Get) -> list[Any]:
    """Traces one iteration; returns the variables with specs for tensors and Python scalars."""
    outer = thread.scope
    with entered(outer.but(graph=aside(outer.graph), controls=(), observers=())):
        round_()
        return [nest.map_structure(_like, value) for value in get()]


def _like(value: Any) -> Any:
    if composite_spec(value) is not None and hasattr(value, "dtype"):
        return TensorSpec(value.shape, value.dtype)
    if not isinstance(value, (bool, int, float)) and not is_tensor(value):
        return value
    tensor = convert_to_tensor(value)
    return TensorSpec(tensor.shape, tensor.dtype)


def _standing(value: Any, like: Any, options: Options) -> Any:
    """Returns a placeholder for an undefined variable: zeros, size 0 in unknown dimensions."""
    if type(like) is Undefined or like is None:
        return value
    if isinstance(like, (list, tuple, dict)) and not like:
        raise ValueError("not enough values to unpack (expected 2, got 0)")
    return nest.map_structure(lambda x: _zeros(x, options), like)


def _zeros(like: Any, options: Options) -> Any:
    if like is None:
        return None
    if not isinstance(like, TensorSpec):
        raise TypeError(
            f"Found an unsupported type '{type(like).__name__}' while creating placeholder for {like}. "
            f"Supported types include {_PLACEABLE}."
        )
    zeros = API["zeros"]([size or 0 for size in like.shape._dims or ()], like.dtype)
    if not like.shape.is_fully_defined():
        options.shape_invariants.append((zeros, like.shape))
    return zeros


# ``while`` and ``for`` statements.


_WHY = (
    "See https://github.com/tensorflow/tensorflow/blob/master/tensorflow/python/autograph/g3doc/reference/"
    "limitations.md#consistency-of-control-flow-types for more info."
)


_OTHER_STRUCTURE = "'{}' does not have the same nested structure after one iteration."


class _OtherShapeError(ValueError):
    """The error of a loop variable whose shape is not that at the start.

    Args:
        message: The message.
        name: The name of the variable.
        index: The index of the tensor in the variable's structure.
        shape: The shape that holds at the start and after an iteration.
    """

    def __init__(self, message: str, name: str, index: int, shape: TensorShape) -> None:
        super().__init__(message)
        self.name, self.index, self.shape = name, index, shape


def while_stmt(
    test: Callable[[], Any],
    body: Callable[[], None],
    get: Get,
    put: Put,
    names: Sequence[str],
    options: Options | None = None,
) -> None:
    """Runs a ``while`` statement, by Python or ``tf.while_loop``.

    ``get`` returns the variables assigned by an iteration and live at the loop head or afterwards,
    which have ``names``; ``put`` sets them.
    """
    first = None
    if thread.scope.graph is not None:
        before = get()
        first, is_python_condition = _tried(test)
        if is_tensor(first) or is_python_condition:
            put(before)
        if is_tensor(first):
            goes = lambda _: checked_condition(test(), "while loop")
            _loop(goes, lambda _: body(), get, put, names, options or Options())
            return
        first = (
            None if is_python_condition else (first,)
        )  # evaluated once, so that side effects happen once
    while True:
        condition, first = test() if first is None else first[0], None
        if is_condition(condition):
            raise NotImplementedError(
                "The condition of while loop started as non-Tensor, then changed to Tensor. This may happen "
                "either because variables changed type, or when a break or return statement inside the loop "
                "depends on a Tensor condition. In both cases, changing to a TF loop should remove the "
                f"error.\n{_WHY}"
            )
        if not condition:
            return
        body()


def _tried(test: Callable[[], Any]) -> tuple[Any, bool]:
    """Evaluates a condition in a scratch graph; returns it, and True if it created ops."""
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
    options: Options | None = None,
) -> None:
    """Runs a ``for`` statement, by Python or ``tf.while_loop``; see ``while_stmt``.

    ``test`` is an extra condition to continue (no ``break`` or ``return`` so far), or None.
    ``target`` is the loop variable; empty if the target is not a single name.
    """
    if isinstance(items, BaseResourceVariable) and thread.scope.graph is not None:
        items = convert_to_tensor(items)
    if thread.scope.graph is not None and hasattr(items, "__graph_iter__"):
        advance, options = items.__graph_iter__(), options or Options()
        # The state of a loop over a dataset may grow; that of one over an iterator may not.
        options.relaxes_shapes = not hasattr(items, "__next__")
        _loop_over_optionals(advance, test, body, get, put, names, options)
        return
    if isinstance(items, SymbolicTensor):
        if items.shape.rank == 0:
            sizes = API["shape"](items)
            raise ValueError(f"len requires a non-scalar tensor, got one of shape {sizes}")
        if items.op.type == OPS["Range"].type:
            counter = Numbers(*items.op.inputs)
            _loop(
                lambda i: _going(counter.more(i), test),
                body,
                get,
                put,
                names,
                options or Options(),
                counter,
                target,
            )
        else:
            slices = Slices(items)
            counter = Numbers(constant(0), slices.count, constant(1))
            goes = lambda i: _going(i < slices.count, test)
            _loop(goes, lambda i: body(slices(i)), get, put, names, options or Options(), counter)
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


def _loop_over_optionals(
    advance: Callable[[], Any],
    test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get: Get,
    put: Put,
    names: Sequence[str],
    options: Options,
) -> None:
    """Runs a ``for`` statement over values that come one by one, such as elements of datasets.

    ``advance`` returns the next one as an optional, without a value at the end. An iteration that
    ends the loop early takes no further value.
    """
    more: list[Any] = [constant(True)]

    def get_all() -> tuple[Any, ...]:
        return (more[0], *get())

    def put_all(values: Sequence[Any]) -> None:
        more[0] = values[0]
        put(values[1:])

    def run_body(_: Any) -> None:
        following = advance()
        more[0] = has_value = following.has_value()

        def take() -> None:
            entry = get()
            body(following.get_value())
            for name, before, after in zip(names, entry, get()):
                _check_structure(_OTHER_STRUCTURE.format(name), before, after)
                _check_round(name, before, after, options)

        if_stmt(has_value, take, lambda: None, get, put, names)

    _loop(
        lambda _: _going(more[0], test),
        run_body,
        get_all,
        put_all,
        ("iterates", *names),
        options,
        rehearsal=lambda: body(advance().get_value()),
        ran=lambda: more[0],
    )


def _going(more: Any, test: Callable[[], Any] | None) -> Any:
    if test is None:
        return more
    condition = test()
    return (
        API["logical_and"](more, condition)
        if is_condition(condition)
        else (more if condition else False)
    )


class Numbers:
    """Arithmetic sequence of tensors, without the limit; may be empty."""

    def __init__(self, start: Any, limit: Any, step: Any) -> None:
        self.start, self.limit, self.step = start, limit, step

    def more(self, number: Any) -> Any:
        """Returns True (a tensor) if a number is before the limit."""
        up = API["logical_and"](self.step >= 0, number < self.limit)
        return API["logical_or"](up, API["logical_and"](self.step < 0, number > self.limit))

    def count(self) -> Any:
        """Returns the number of elements."""
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
    rehearsal: Callable[[], None] | None = None,
    ran: Callable[[], Any] | None = None,
) -> None:
    """Builds a ``while_loop`` in the graph.

    ``going``, the condition of an iteration, and ``body`` take its counter from ``counter``, the
    sequence of counters or None; ``target`` is the variable that holds it. ``rehearsal`` runs the
    statements of the body where ``body`` may not run all of them, and ``ran`` is True if it did.
    """
    first = constant(0) if counter is None else counter.start
    before, missing = infer_initial_values(
        rehearsal or (lambda: body(first)), get, put, names, options, {target: first}
    )
    starts = [nest.map_structure(loop_value, x) for x in before]
    # Extra loop variables: the counter, and a flag that an iteration ran.
    counters = [*([] if counter is None else [first]), *([constant(False)] if missing else [])]

    def step(*values: Any) -> list[Any]:
        put(values[len(counters) :])
        body(values[0])
        after = get()
        for name, start, entry, value in zip(names, starts, values[len(counters) :], after):
            _check_structure(_OTHER_STRUCTURE.format(name), entry, value)
            _check_round(name, start, value, options)
        following: list[Any] = [] if counter is None else [values[0] + counter.step]
        if missing:
            was = values[len(counters) - 1]
            following.append(True if ran is None else API["logical_or"](was, ran()))
        return [*following, *after]

    def check(*values: Any) -> Any:
        put(values[len(counters) :])
        return going(values[0])

    most = options.most
    if most is None and counter is not None:
        most = counter.count()
    while True:
        invariants = options.shapes(nest.flatten(starts))
        shapes = None if invariants is None else [*(TensorShape(()) for _ in counters), *invariants]
        try:
            results = while_loop(check, step, [*counters, *starts], shapes, most)
            break
        except _OtherShapeError as error:
            if not options.relaxes_shapes:
                raise ValueError(*error.args) from None
            start = nest.flatten(starts[names.index(error.name)])[error.index]
            options.shape_invariants.insert(0, (start, error.shape))
            put(before)
    put(
        _after_one(results[len(counters) - 1], results[len(counters) :], missing)
        if missing
        else results[len(counters) :]
    )


def _after_one(ran: Any, values: Sequence[Any], missing: Sequence[str]) -> Any:
    """Returns the variables after a loop, with an assertion that at least one iteration ran."""
    called = ("the function return value" if name == RESULT else name for name in missing)
    needed = f"loop must iterate at least once to initialize {', '.join(called)}"
    with thread.scope.graph.control_dependencies([API["debugging.Assert"](ran, [needed])]):
        return nest.map_structure(lambda x: API["identity"](x) if is_tensor(x) else x, values)


def _check_round(name: str, start: Any, value: Any, options: Options) -> None:
    for index, (x, y) in enumerate(zip(nest.flatten(start), nest.flatten(value))):
        if isinstance(x, TensorArray) or isinstance(y, TensorArray):
            continue
        if y is None or type(y) is Undefined:
            raise ValueError(f"'{name}' is None at the end of the iteration.")
        y = loop_value(y)
        if not (hasattr(x, "dtype") and hasattr(y, "dtype")):
            continue  # a user-defined type
        if x.dtype is not y.dtype:
            raise TypeError(
                f"'{name}' has dtype {x.dtype.name} before the loop, but dtype {y.dtype.name} after one "
                "iteration"
            )
        shape = options.shape_of(x)
        if not y.shape.is_subtype_of(shape):
            message = (
                f"'{name}' has shape {shape} before the loop, but shape {y.shape} after one iteration. "
                "Use tf.autograph.experimental.set_loop_options to set shape invariants."
            )
            raise _OtherShapeError(
                message, name, index, shape.most_specific_compatible_shape(y.shape)
            )
