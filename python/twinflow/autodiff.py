"""Gradients that programs state themselves, and derivatives in the forward direction."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .constant import convert_to_tensor, is_tensor
from .context import entered, thread
from .gradient import UnconnectedGradients, backpropagate, flat, packed
from .op import API, Call, export
from .schema import Op
from .tape import GradientTape
from .tensor import EagerTensor
from .variable import BaseResourceVariable


def _untaped(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Calls a function without telling the tapes."""
    with entered(thread.scope.but(observers=())):
        return function(*args, **kwargs)


def _record(name: str, inputs: list[Any], outputs: list[Any], gradient: Callable[..., Any]) -> None:
    """Tells the tapes of a call whose gradient is given."""
    op = Op(name, gradient)
    op.gradient = lambda call, *dys: gradient(*dys)
    for observer in thread.scope.observers:
        observer.record(Call(op, tuple(inputs), {}, outputs))


@export("custom_gradient")
def custom_gradient(f: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a function that gives its result and its gradient.

    Args:
        f: A function of tensors that returns ``(result, grad)``, where ``grad`` takes the gradients of
            the results (and ``variables=``, where the function reads variables) and returns those of
            the arguments (and a list of those of the variables).

    Returns:
        A function that returns the result alone.
    """

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        leaves = flat(list(args))
        tensors = [
            leaf if isinstance(leaf, EagerTensor) else convert_to_tensor(leaf) for leaf in leaves
        ]
        with GradientTape() as inner:
            result, grad = _untaped(f, *packed(list(args), tensors), **kwargs)
        outputs = [_fresh(x) for x in flat(result)]
        sources = [x for x in leaves if is_tensor(x)]
        _record("CustomGradient", sources, outputs, _by_source(grad, leaves, inner))
        return packed(result, outputs)

    return decorated


def _fresh(value: Any) -> EagerTensor:
    """A tensor object of its own, so that tapes can tell it from the value it has."""
    tensor = convert_to_tensor(value)
    return EagerTensor(tensor._array, tensor._device, tensor.dtype)


def _by_source(grad: Callable[..., Any], leaves: list[Any], inner: GradientTape) -> Any:
    def gradient(*dys: Any) -> list[Any]:
        found = grad(*dys)
        gradients = flat(found) if isinstance(found, (list, tuple)) else [found]
        return [g for leaf, g in zip(leaves, gradients) if is_tensor(leaf)]

    return gradient


@export("grad_pass_through")
def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function whose gradient is that of the identity.

    Args:
        f: A function of tensors that gives one tensor.

    Returns:
        A function with the same result.
    """

    @custom_gradient
    def passed(*args: Any, **kwargs: Any) -> Any:
        def grad(*dys: Any) -> Any:
            return list(dys) if len(dys) > 1 else dys[0]

        return f(*args, **kwargs), grad

    return passed


@export("recompute_grad")
def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function that keeps no intermediate results for its gradient, but computes them again.

    Args:
        f: A function of tensors.

    Returns:
        A function with the same result and gradient.
    """

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        leaves = flat(list(args))
        with GradientTape() as first:
            result = f(*args, **kwargs)
        variables = list(first.watched_variables())
        sources = [x for x in leaves if is_tensor(x) and not isinstance(x, BaseResourceVariable)]
        first.reset()
        outputs = [_fresh(x) for x in flat(result)]

        def gradient(*dys: Any) -> list[Any]:
            with GradientTape() as again:
                again.watch(sources)
                repeated = f(*args, **kwargs)
            return again.gradient(flat(repeated), sources + variables, output_gradients=list(dys))

        _record("RecomputeGrad", sources + variables, outputs, gradient)
        return packed(result, outputs)

    return decorated


class ForwardAccumulator:
    """Computes products of Jacobians and vectors (derivatives along a direction).

    The product is the derivative of the transposed one (a gradient, linear in its weights) by those
    weights: two backward walks instead of a forward rule for every op.

    Args:
        primals: Tensors or variables, or a structure of them.
        tangents: The direction: a structure like ``primals``.

    Raises:
        ValueError: A tangent does not have the shape of its primal.
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        self._primals, self._tangents = flat(primals), flat(tangents)
        for primal, tangent in zip(self._primals, self._tangents):
            if not primal.shape.is_compatible_with(convert_to_tensor(tangent).shape):
                raise ValueError(
                    f"Dimensions {primal.shape} and {convert_to_tensor(tangent).shape} are not compatible"
                )
        self._tape = GradientTape(persistent=True)

    def __enter__(self) -> ForwardAccumulator:
        self._tape.__enter__()
        self._tape.watch(self._primals)
        return self

    def __exit__(self, *exc: Any) -> None:
        self._tape.__exit__(*exc)

    def jvp(self, primals: Any, unconnected_gradients: Any = UnconnectedGradients.NONE) -> Any:
        """The derivative of results along the direction.

        Args:
            primals: Tensors computed in the block, or a structure of them.
            unconnected_gradients: Whether it is None (``"none"``) or zeros (``"zero"``) where a result
                does not depend on the primals.

        Returns:
            A structure like ``primals``.
        """
        zero = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
        found = [self._along(target) for target in flat(primals)]
        filled = [
            API["zeros_like"](target) if value is None and zero else value
            for target, value in zip(flat(primals), found)
        ]
        return packed(primals, filled)

    def _along(self, target: Any) -> Any:
        calls = list(self._tape._calls)
        weights = _fresh(API["ones_like"](target))
        with GradientTape() as outer:
            outer.watch(weights)
            sums = backpropagate(calls, [(target, weights)])
            terms = [
                API["reduce_sum"](convert_to_tensor(gradient) * tangent)
                for primal, tangent in zip(self._primals, self._tangents)
                if (gradient := sums.get(primal)) is not None
            ]
        return outer.gradient(terms, weights) if terms else None


for _name, _value in {
    "GradientTape": GradientTape,
    "autodiff.GradientTape": GradientTape,
    "autodiff.ForwardAccumulator": ForwardAccumulator,
    "UnconnectedGradients": UnconnectedGradients,
}.items():
    export(_name)(_value)
