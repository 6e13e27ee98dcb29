"""Python functions whose effect waits until a graph runs: assertions, printing, calls of Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core import nest
from twinflow._src.core.context import PLAIN, entered, runtime, thread
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.signature_errors import wraps
from twinflow._src.graph.ops import holding

F = TypeVar("F", bound=Callable[..., Any])


def later(
    type: str,
    function: Callable[..., Any],
    inputs: Sequence[Any],
    results: tuple[list[Any], list[Any], bool] = ([], [], False),
    name: str | None = None,
    gradient: Callable[..., Any] | None = None,
) -> Any:
    """Adds an operation to the surrounding graph that calls a Python function.

    Args:
        type: The operation's type.
        function: Called with tensors when the graph runs.
        inputs: What they are made of.
        results: The types and dimensions of its results, and whether it is one result.
        name: The operation's name.
        gradient: Its gradient, as that of an op; None where it has none.

    Returns:
        Its results; the operation where there are none.
    """
    graph = thread.scope.graph
    tensors = [graph.own(convert_to_tensor(x)) for x in inputs]
    types = [t.dtype for t in tensors]

    def kernel(xp: Any, *arrays: Any) -> Any:
        given = [EagerTensor(a, runtime.host, t) for a, t in zip(arrays, types)]
        with entered(PLAIN):
            found = function(*given)
        return _arrays(found)

    op = holding(type, kernel, len(tensors), impure=True)
    op.infer, op.devices = (lambda node: results), ("CPU",)
    op.gradient, op.no_gradient = gradient, gradient is None
    return graph.add(op, tuple(tensors), {}, graph.unique_name(name or type))


def _arrays(found: Any) -> Any:
    if isinstance(found, (list, tuple)):
        return [_arrays(item) for item in found]
    return found._array if isinstance(found, EagerTensor) else found


def when_run(type: str) -> Callable[[F], F]:
    """Makes a function that only has an effect wait, inside a graph, until the graph runs.

    Args:
        type: The type of the operation that calls it.
    """

    def decorate(function: F) -> F:
        @wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            if thread.scope.graph is None:
                return function(*args, **kwargs)
            return _postponed(type, function, (list(args), kwargs))

        return called  # type: ignore[return-value]

    return decorate


def _postponed(type: str, function: Any, given: Any) -> Any:
    """An operation that calls a function with arguments, tensors being found in all structures."""
    leaves = nest.flatten(given)
    places = [i for i, x in enumerate(leaves) if is_tensor(x)]

    def call(*tensors: Any) -> None:
        filled = list(leaves)
        for i, tensor in zip(places, tensors):
            filled[i] = tensor
        args, kwargs = nest.pack_sequence_as(given, filled)
        function(*args, **kwargs)

    return later(type, call, [leaves[i] for i in places])
