"""Custom gradients, recomputation of activations and forward-mode differentiation."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from twinflow._src.autodiff.reverse import (
    UnconnectedGradients,
    backpropagate,
    differentiable,
    flat,
    key_of,
    packed,
)
from twinflow._src.autodiff.tape import GradientTape
from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core.context import Block, entered, thread
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.execute import observed
from twinflow._src.dispatch.op import API, Call, export
from twinflow._src.dispatch.registry import OPS, Op
from twinflow._src.graph.ops import holding
from twinflow._src.variables.variable import BaseResourceVariable


def stated(
    type: str,
    results: list[Any],
    sources: list[Any],
    gradient: Callable[..., Any],
    linked: bool = False,
    inside: tuple[Any, ...] = (),
) -> list[Any]:
    """Returns copies of tensors with a user-defined gradient function.

    ``gradient`` takes the upstream gradients of ``results`` and returns those of ``sources``. If
    ``linked``, tapes that track none of the sources may differentiate through the operations that
    computed the results. ``inside`` are the operations of a graph whose results ``gradient`` may
    use.
    """
    tensors = [convert_to_tensor(x) for x in results]
    graph = thread.scope.graph
    if graph is not None:
        owned = list(map(graph.own, tensors))
        return _in_graph(graph, type, owned, sources, gradient, linked, inside)
    outputs = [EagerTensor(t._array, t._device, t.dtype) for t in tensors]
    for tensor, output in zip(tensors, outputs) if linked else ():
        observed(thread.scope, OPS["Identity"], (tensor,), {}, output)
    op = _with_rules(Op(type, gradient), linked)
    op.gradient = lambda call, *dys: gradient(*dys)
    observed(thread.scope, op, tuple(sources), {}, outputs)
    return outputs


def _with_rules(op: Op, linked: bool) -> Op:
    """Returns an op with the rules of the registered op of its type, but for the gradient."""
    same = OPS.get(op.type)
    if same is None:
        op.slices = linked
    else:
        op.slices, op.moves, op.is_identity = same.slices, same.moves, same.is_identity
        op.static_value, op.no_op = same.static_value, same.no_op
    return op


def _in_graph(
    graph: Any,
    type: str,
    results: list[Any],
    sources: list[Any],
    gradient: Callable[..., Any],
    linked: bool,
    inside: tuple[Any, ...],
) -> list[Any]:
    """Adds an identity operation with the custom gradient to the graph."""
    order = sorted(range(len(sources)), key=lambda i: isinstance(sources[i], BaseResourceVariable))
    variables = [x for x in sources if isinstance(x, BaseResourceVariable)]
    tensors = [graph.own(sources[i]) for i in order[: len(sources) - len(variables)]]
    count = len(results)
    op = holding(
        type, lambda xp, *arrays: list(arrays[:count]), count + len(tensors), len(variables)
    )
    op.infer = lambda node: ([t.dtype for t in results], [t._dims for t in results], False)

    def ordered(call: Call, *dys: Any) -> list[Any]:
        gradients = gradient(*dys)
        return [None] * count + [gradients[i] for i in order]

    def of_batch(call: Any) -> list[Any]:
        """Returns the results for all elements of a batch; the gradient is traced for one."""
        owned = [call.full(i) for i in range(count)]
        by_operand = lambda *dys: call.gradient(*dys)[count:]
        return stated(type, owned, list(call.inputs[count:]), by_operand, linked)

    _with_rules(op, linked).gradient, op.inside, op.batched = ordered, inside, of_batch
    op.no_op = lambda node, values: node.tensors[:count]
    arguments = (*results, *tensors, *variables)
    return graph.add(op, arguments, {}, graph.unique_name(type))


@export("custom_gradient")
def custom_gradient(f: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """Decorates a function that defines its own gradient.

    Args:
        f: A function of tensors that returns ``(result, grad)``. ``grad`` takes the upstream
            gradients of the results (and ``variables=`` if the function reads variables) and
            returns the gradients of the arguments (and a list of those of the variables). If None,
            the decorator is returned.

    Returns:
        A function that returns the result alone.
    """
    return custom_gradient if f is None else _WithGradient(f)


class _WithGradient:
    """A function with a custom gradient; as a method, ``self`` is not a differentiable argument."""

    __wrapped__: Any

    def __init__(self, f: Callable[..., Any]) -> None:
        functools.update_wrapper(self, f)

    def __get__(self, instance: Any, owner: Any = None) -> _WithGradient:
        bind = getattr(type(self.__wrapped__), "__get__", None)
        return self if bind is None else _WithGradient(bind(self.__wrapped__, instance, owner))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        f = self.__wrapped__
        _assert_positional(kwargs)
        leaves = flat(list(args))
        tensors = [convert_to_tensor(leaf) for leaf in leaves]
        inner, scope = GradientTape(), thread.scope
        start = 0 if scope.graph is None else scope.graph.version
        with entered(scope.watched(*scope.observers, inner)):
            result, grad = f(*packed(list(args), tensors), **kwargs)
        sources = [x if isinstance(x, BaseResourceVariable) else t for x, t in zip(leaves, tensors)]
        handles = [x._handle for x in sources if isinstance(x, BaseResourceVariable)]
        used = [v for v in inner.watched_variables() if v._handle not in handles]
        count = len(sources)
        gradient = _with_variables(grad, used, count) if used else _listed(grad, count)
        inside = () if scope.graph is None else tuple(scope.graph.get_operations()[start:])
        outputs = stated("CustomGradient", flat(result), sources + used, gradient, True, inside)
        return packed(result, outputs)


def _assert_positional(kwargs: dict[str, Any]) -> None:
    if kwargs and thread.scope.graph is not None:
        raise ValueError(
            "The custom_gradient decorator currently supports keywords arguments only when eager execution is enabled."
        )


def _listed(grad: Callable[..., Any], count: int) -> Callable[..., list[Any]]:
    """Wraps a gradient function so that it returns a list of ``count`` gradients."""
    if not callable(grad):
        raise TypeError("unsupported callable")

    def gradient(*dys: Any) -> list[Any]:
        return _counted(grad(*dys), count)

    return gradient


def _counted(result: Any, count: int) -> list[Any]:
    gradients = flat(result) if isinstance(result, (list, tuple)) else [result]
    if len(gradients) != count:
        raise ValueError(
            f"custom_gradient function expected to return {count} gradients, but returned "
            f"{len(gradients)} instead."
        )
    return gradients


def _with_variables(
    grad: Callable[..., Any], variables: list[Any], count: int
) -> Callable[..., list[Any]]:
    """Wraps a gradient function so that it also returns the gradients of variables."""
    parameters = inspect.signature(grad).parameters.values()
    if not any(p.name == "variables" or p.kind is p.VAR_KEYWORD for p in parameters):
        raise TypeError(
            "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function uses "
            f"variables: {variables}"
        )

    def gradient(*dys: Any) -> list[Any]:
        of_inputs, of_variables = grad(*dys, variables=variables)
        if len(of_variables) != len(variables):
            raise ValueError(
                "Must return gradient for each variable from @custom_gradient grad_fn."
            )
        return [*_counted(of_inputs, count), *of_variables]

    return gradient


@export("grad_pass_through")
def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a function so that its gradient is the identity.

    Args:
        f: A function of tensors that returns one tensor.

    Returns:
        A function with the same result.
    """

    @custom_gradient
    def passed(*args: Any, **kwargs: Any) -> Any:
        def grad(*dys: Any, variables: Any = None) -> Any:
            return dys if variables is None else (dys, [None] * len(variables))

        return f(*args, **kwargs), grad

    return passed


@export("recompute_grad")
def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a function so that the backward pass recomputes its activations.

    Gradient checkpointing: trades compute for memory.

    Args:
        f: A function of tensors.

    Returns:
        A function with the same result and gradient.
    """

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        _assert_positional(kwargs)
        leaves = flat(list(args))
        first = GradientTape()
        with entered(thread.scope.watched(first)):
            result = f(*args, **kwargs)
        variables = list(first.watched_variables())
        is_source = [is_tensor(x) and not isinstance(x, BaseResourceVariable) for x in leaves]
        sources = [convert_to_tensor(x) for x, is_one in zip(leaves, is_source) if is_one]

        def gradient(*dys: Any) -> list[Any]:
            with GradientTape() as again:
                # A tensor passed twice is two arguments. To programs the results of IdentityN are other
                # tensors than its inputs, so that nothing that follows is a common subexpression.
                copies = API["identity_n"](sources) if sources else []
                again.watch(copies)
                left = iter(copies)
                inputs = packed(
                    list(args),
                    [next(left) if is_one else x for x, is_one in zip(leaves, is_source)],
                )
                repeated = f(*inputs, **kwargs)
            all_sources = copies + variables
            return again.gradient(
                flat(repeated),
                all_sources,
                list(dys),
                unconnected_gradients=UnconnectedGradients.ZERO,
            )

        tensors = stated("RecomputeGrad", flat(result), sources + variables, gradient)
        return packed(result, tensors)

    return decorated


class AggregationMethod:
    """Aggregation methods of gradients; accepted for compatibility, without effect."""

    __module__ = "twinflow"

    ADD_N = DEFAULT = 0
    EXPERIMENTAL_TREE, EXPERIMENTAL_ACCUMULATE_N = 1, 2


class ForwardAccumulator(Block):
    """Computes Jacobian-vector products (directional derivatives, JVPs).

    The JVP is the derivative of a vector-Jacobian product, which is linear in its upstream
    gradient, with respect to that gradient: two backward passes instead of a forward rule per op.

    Args:
        primals: Tensors or variables, or a structure of them.
        tangents: The direction: a structure like ``primals``.

    Raises:
        ValueError: The structures or dtypes differ.
        AttributeError: A primal is not a tensor.
    """

    __module__ = "twinflow.autodiff"

    def __init__(self, primals: Any, tangents: Any) -> None:
        API["nest.assert_same_structure"](primals, tangents)
        self._primals = flat(primals)
        if len(set(map(key_of, self._primals))) < len(self._primals):
            raise ValueError(
                "Tensor {} was specified as a primal multiple times. This may indicate an error. If it was intended, "
                "please sum the corresponding tangents."
            )
        self._tangents = [
            convert_to_tensor(tangent, dtype=primal.dtype)
            for primal, tangent in zip(self._primals, flat(tangents), strict=True)
        ]
        self._tape = GradientTape(persistent=True)
        self._changes = self._tape._changes  # enters and exits with the tape
        self._around: tuple[Any, ...] = ()

    def __enter__(self) -> ForwardAccumulator:
        if self._tape._recording():
            raise ValueError("Accumulator is already recording.")
        self._around = thread.scope.observers
        self._tape.__enter__()
        self._tape.watch(self._primals)
        return self

    def jvp(self, primals: Any, unconnected_gradients: Any = UnconnectedGradients.NONE) -> Any:
        """Returns the Jacobian-vector product of tensors computed in the context.

        Args:
            primals: Tensors computed in the context, or a structure of them.
            unconnected_gradients: The result for a tensor that does not depend on the primals: None
                (``"none"``) or zeros (``"zero"``).

        Returns:
            A structure like ``primals``.
        """
        zero = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
        observers = thread.scope.observers
        outer = [
            x
            for x in self._around
            if x not in observers and isinstance(x, GradientTape) and not x._used
        ]
        with entered(
            thread.scope.watched(*observers, *outer)
        ):  # outer tapes observe the derivative as if computed inside the context
            tangents = [self._along(target) for target in flat(primals)]
        filled = [
            API["zeros_like"](target) if value is None and zero else value
            for target, value in zip(flat(primals), tangents)
        ]
        return packed(primals, filled)

    def _along(self, target: Any) -> Any:
        if not is_tensor(target):
            raise AttributeError(f"'{type(target).__name__}' object has no attribute '_id'")
        if not differentiable(target):
            return None
        calls = list(self._tape._calls)
        weights = API["identity"](API["ones_like"](target))
        with GradientTape() as outer:
            outer.watch(weights)
            sums = backpropagate(calls, [(target, weights)])
            terms = [
                API["reduce_sum"](API["multiply"](gradient, tangent))
                for primal, tangent in zip(self._primals, self._tangents)
                if (gradient := sums.get(primal)) is not None
            ]
        return outer.gradient(terms, weights) if terms else None


for _name, _value in {
    "GradientTape": GradientTape,
    "autodiff.GradientTape": GradientTape,
    "autodiff.ForwardAccumulator": ForwardAccumulator,
    "UnconnectedGradients": UnconnectedGradients,
    "AggregationMethod": AggregationMethod,
}.items():
    export(_name)(_value)
