"""Opaque Python calls in graphs, their gradients, and zero gradients of branches not taken.

Assertions, prints and other Python functions run when the graph runs. A gradient re-executes the
function under a tape.

In a graph, a branch that was not taken and a loop without iterations have gradients of zeros. Where
operations run one by one under a tape, ``linked`` records this on the tape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from twinflow._src.autodiff.custom_gradient import stated
from twinflow._src.autodiff.reverse import differentiable, key_of, leaves
from twinflow._src.autodiff.tape import GradientTape
from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core import nest
from twinflow._src.core.context import PLAIN, entered, runtime, thread
from twinflow._src.core.dtypes import variant
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.registry import OPS
from twinflow._src.dispatch.signature_errors import wraps
from twinflow._src.graph.func_graph import FuncGraph
from twinflow._src.graph.ops import holding
from twinflow._src.variables.variable import BaseResourceVariable

# Opaque calls.


F = TypeVar("F", bound=Callable[..., Any])


def later(
    type: str,
    function: Callable[..., Any],
    inputs: Sequence[Any],
    results: tuple[list[Any], list[Any], bool] = ([], [], False),
    name: str | None = None,
    gradient: Callable[..., Any] | None = None,
    resource: Any = None,
    fixed_attrs: dict[str, Any] | None = None,
    store: Any = None,
) -> Any:
    """Adds an operation to the current graph that calls a Python function on eager tensors.

    ``results`` are its dtypes, its dimensions, and True for a single result. A name that ends in
    ``/`` is a path. ``resource`` is the lookup table that it uses, ``store`` the queue or
    accumulator; ``fixed_attrs`` are the attributes that files have. Returns the results, or the operation if there are none.
    """
    graph = thread.scope.graph
    tensors = [graph.own(convert_to_tensor(x)) for x in inputs]
    types = [t.dtype for t in tensors]

    def kernel(xp: Any, *arrays: Any) -> Any:
        args = [EagerTensor(a, runtime.host, t) for a, t in zip(arrays, types)]
        with entered(PLAIN):
            result = function(*args)
        return _arrays(result)

    op = holding(type, kernel, len(tensors), impure=True)
    op.infer, op.devices = (lambda node: results), ("CPU",)
    op.gradient, op.no_gradient = gradient, gradient is None
    op.resource, op.fixed_attrs, op.store = resource, fixed_attrs or {}, store
    # A path of a name scope ends in a slash: the operation has the name of the scope.
    is_path = name is not None and name.endswith("/")
    path = str(name)[:-1] if is_path else graph.unique_name(name or type)
    return graph.add(op, tuple(tensors), {}, path)


def _arrays(result: Any) -> Any:
    if isinstance(result, (list, tuple)):
        return [_arrays(item) for item in result]
    return result._array if isinstance(result, EagerTensor) else result


def when_run(type: str, describe: Callable[..., dict[str, Any]] | None = None) -> Callable[[F], F]:
    """Decorates a function called for its side effect: in a graph, it becomes an operation.

    ``describe`` takes the arguments and returns the attributes that files have.
    """

    def decorate(function: F) -> F:
        @wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            if thread.scope.graph is None:
                return function(*args, **kwargs)
            attrs = describe(*args, **kwargs) if describe is not None else None
            return _postponed(type, function, (list(args), kwargs), attrs)

        return called  # type: ignore[return-value]

    return decorate


def _postponed(type: str, function: Any, structure: Any, attrs: Any = None) -> Any:
    """Adds an operation that calls a function; tensors are found in nested structures."""
    leaves = nest.flatten(structure)
    positions = [i for i, x in enumerate(leaves) if is_tensor(x)]

    def call(*tensors: Any) -> None:
        filled = list(leaves)
        for i, tensor in zip(positions, tensors):
            filled[i] = tensor
        args, kwargs = nest.pack_sequence_as(structure, filled)
        function(*args, **kwargs)

    return later(type, call, [leaves[i] for i in positions], fixed_attrs=attrs)


# Gradients of opaque calls.


def gradient_of(
    run: Callable[..., list[Any]], linked: Callable[[list[int]], set[int]] | None = None
) -> Callable[..., list[Any]]:
    """Returns the gradient of an opaque call, which re-executes the function under a tape.

    ``linked`` returns, for indices of results, those of the inputs they depend on; all if it is
    None.
    """

    def gradient(call: Any, *dys: Any) -> Any:
        inputs = list(call.inputs)
        sources_at = [i for i, x in enumerate(inputs) if x.dtype.is_floating or x.dtype.is_complex]
        targets_at = [i for i, dy in enumerate(dys) if dy is not None]
        if linked is not None:
            sources_at = sorted(linked(targets_at).intersection(sources_at))

        def adjoint(*tensors: Any) -> list[Any]:
            args, upward = _distinct(tensors[: len(inputs)]), tensors[len(inputs) :]
            sources = [args[i] for i in sources_at]
            with GradientTape() as tape:
                tape.watch(sources)
                outputs = run(*args)
            grads = tape.gradient([outputs[i] for i in targets_at], sources, list(upward), "zero")
            return [convert_to_tensor(g) for g in grads]

        tensors = [*inputs, *(dys[i] for i in targets_at)]
        grads = iter(_now_or_later(adjoint, tensors, [inputs[i] for i in sources_at]))
        return [next(grads) if i in sources_at else None for i in range(len(inputs))]

    return gradient


def _distinct(tensors: Sequence[Any]) -> list[Any]:
    """Replaces duplicates by identities: a tape identifies inputs by object."""
    distinct: list[Any] = []
    for tensor in tensors:
        distinct.append(
            API["identity"](tensor) if any(tensor is other for other in distinct) else tensor
        )
    return distinct


def _now_or_later(function: Callable[..., Any], tensors: list[Any], like: list[Any]) -> Any:
    if thread.scope.graph is None:
        return function(*tensors)
    results = [x.dtype for x in like], [x.shape._dims for x in like], False
    return (
        later("Gradient", function, tensors, results, None, gradient_of(function)) if like else []
    )


# Dependencies of results on inputs that the executed operations did not use.


def origins(graph: FuncGraph) -> set[int]:
    """Returns the keys of the inputs, captures and variables that results of a graph depend on."""
    keys = {key_of(tensor) for tensor in graph.outputs if differentiable(tensor)}
    for node in reversed(graph.get_operations()):
        op = node.definition
        if (
            op.gradient is not None
            and not op.no_gradient
            and any(key_of(out) in keys for out in node.outputs)
        ):
            keys.update(key_of(x) for x in leaves(node.call().inputs) if differentiable(x))
    return keys


def linked(results: Iterable[Any], sources: Sequence[Any]) -> list[Any]:
    """Adds zero gradients of results with respect to sources that a tape watches."""
    followed = [x for x in sources if _number(x) and is_followed(x)]
    return [
        _linked(result, followed) if followed and _number(result) else result for result in results
    ]


def _linked(result: Any, sources: list[Any]) -> Any:
    others = [x for x in sources if x is not result]
    return stated(
        OPS["Identity"].type,
        [result],
        [result, *others],
        lambda dy: [dy, *linked(map(_zeros, others), [dy])],
    )[0]


def _number(value: Any) -> bool:
    return differentiable(value) and value.dtype is not variant


def is_followed(value: Any) -> bool:
    """True if a tape tracks a tensor or variable."""
    return any(
        isinstance(tape, GradientTape) and tape.follows(value) for tape in thread.scope.observers
    )


def _zeros(like: Any) -> Any:
    if isinstance(like, BaseResourceVariable):
        return API["zeros"](like.shape, like.dtype)
    return API["zeros_like"](like)
