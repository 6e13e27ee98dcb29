"""Opaque Python calls in graphs, their gradients, and zero gradients of branches not taken.

Assertions, prints and other Python functions run when the graph runs. A gradient re-executes the
function under a tape.

In a graph, a branch that was not taken and a loop without iterations have gradients of zeros. Where
operations run one by one under a tape, ``linked`` records this on the tape.
"""

from __future__ import annotations

import weakref
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


class RecordedFunction:
    """A Python function that keeps the tape of each call for the backward pass.

    The tape lives as long as the first result of its call. A function with effects or random numbers
    is called once, and differentiated as it ran.

    Args:
        function: Takes tensors; returns a list of tensors.
    """

    def __init__(self, function: Callable[..., list[Any]]) -> None:
        self.function, self.is_differentiated = function, False
        self._calls: dict[int, tuple[Any, ...]] = {}

    def __call__(self, *tensors: Any) -> list[Any]:
        if not self.is_differentiated:
            return self.function(*tensors)
        args = _distinct(tensors)
        with GradientTape(persistent=True) as tape:
            tape.watch([x for x in args if _is_differentiable(x)])
            outputs = self.function(*args)
        if not outputs:
            return outputs
        # Copies: the first one dies with the last use of the result, the tape holds the results.
        arrays = [x._array.copy() for x in outputs]
        key = id(arrays[0])
        reference = weakref.ref(arrays[0], lambda _: self._calls.pop(key))
        self._calls[key] = reference, tape, args, outputs
        return [EagerTensor(a, x._device, x.dtype) for a, x in zip(arrays, outputs)]

    def recorded(self, result: Any) -> tuple[Any, ...] | None:
        """Returns the tape, the arguments and the results of the call with a first result."""
        call = self._calls.get(id(result._array))
        return None if call is None else call[1:]


def _is_differentiable(x: Any) -> bool:
    return bool(x.dtype.is_floating or x.dtype.is_complex)


def gradient_of(
    run: Callable[..., list[Any]], linked: Callable[[list[int]], set[int]] | None = None
) -> Callable[..., list[Any]]:
    """Returns the gradient of an opaque call, which re-executes the function under a tape.

    That of a ``RecordedFunction`` uses the tape of its call. ``linked`` returns, for indices of
    results, those of the inputs they depend on; all if it is None.
    """
    forward, run = (run, run.function) if isinstance(run, RecordedFunction) else (None, run)

    def gradient(call: Any, *dys: Any) -> Any:
        inputs = list(call.inputs)
        sources_at = [i for i, x in enumerate(inputs) if _is_differentiable(x)]
        targets_at = [i for i, dy in enumerate(dys) if dy is not None]
        if linked is not None:
            sources_at = sorted(linked(targets_at).intersection(sources_at))

        def adjoint(*tensors: Any) -> list[Any]:
            upward = list(tensors[len(inputs) : len(inputs) + len(targets_at)])
            call = None
            # a gradient of this gradient follows the arguments: the function runs again for it
            if forward is not None and not thread.scope.observers:
                call = forward.recorded(tensors[-1])
            tape, args, outputs = call or rerun(tensors[: len(inputs)])
            sources = [args[i] for i in sources_at]
            grads = tape.gradient([outputs[i] for i in targets_at], sources, upward, "zero")
            return [convert_to_tensor(g) for g in grads]

        def rerun(tensors: Sequence[Any]) -> tuple[Any, ...]:
            args = _distinct(tensors)
            with GradientTape() as tape:
                tape.watch([args[i] for i in sources_at])
                outputs = run(*args)
            return tape, args, outputs

        tensors = [*inputs, *(dys[i] for i in targets_at)]
        if forward is not None:
            forward.is_differentiated = True
            tensors.append(nest.flatten(call.outputs)[0])
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
        lambda dy: [dy, *linked(map(zeros_of, others), [dy])],
    )[0]


def _number(value: Any) -> bool:
    return differentiable(value) and value.dtype is not variant


def is_followed(value: Any) -> bool:
    """True if a tape tracks a tensor or variable."""
    return any(
        isinstance(tape, GradientTape) and tape.follows(value) for tape in thread.scope.observers
    )


def zeros_of(like: Any) -> Any:
    """Returns zeros of the shape and dtype of a tensor or variable."""
    if isinstance(like, BaseResourceVariable):
        return API["zeros"](like.shape, like.dtype)
    return API["zeros_like"](like)
