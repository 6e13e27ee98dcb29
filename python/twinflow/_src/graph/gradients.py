"""``tf.gradients`` and ``tf.hessians``: symbolic derivatives within a graph."""

from __future__ import annotations

from copy import copy
from functools import partial
from typing import Any

from twinflow._src.autodiff.reverse import (
    backpropagate,
    differentiable,
    flat,
    key_of,
    leaves,
    result,
)
from twinflow._src.autodiff.tape import UnconnectedGradients
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices, differentiated, like
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.conversion.constant import constant, convert_to_tensor, is_tensor
from twinflow._src.core import nest
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import bool_, string
from twinflow._src.core.shapes import static_sizes
from twinflow._src.dispatch.op import API, OPS, documented_like, execute, export
from twinflow._src.dispatch.registry import Call
from twinflow._src.graph.overrides import lacking_gradient
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.graph.tf_exact.gradient_functions import written
from twinflow._src.variables.variable import BaseResourceVariable

_ALL = (True,) * 3  # TensorFlow adds the gradients of all inputs, also of those not requested


@export("gradients")
def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = UnconnectedGradients.NONE,
) -> list[Any]:
    """Returns the symbolic derivatives of the sum of ``ys`` with respect to ``xs``.

    Args:
        ys: A tensor or a list of tensors to differentiate.
        xs: A tensor or a list of tensors to differentiate with respect to.
        grad_ys: An upstream gradient, or a list of them, for ``ys``; ones where None.
        name: A name scope for the operations.
        gate_gradients: Whether to compute all gradients of an operation before using any of them.
        aggregation_method: Accepted and without effect.
        stop_gradients: A tensor or a list of tensors that are treated as constants, or None.
        unconnected_gradients: The result for unconnected ``xs``: None (``"none"``) or zeros
            (``"zero"``).

    Returns:
        A list of tensors.

    Raises:
        RuntimeError: Eager execution is enabled.
    """
    return _differentiate(
        ys, xs, grad_ys, stop_gradients, unconnected_gradients, name, gate_gradients, False
    )


def gradients_v1(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = UnconnectedGradients.NONE,
) -> list[Any]:
    """Returns symbolic derivatives; ``tf.gradients`` with the signature of TensorFlow 1.

    Args:
        ys: See ``tf.gradients``.
        xs: See ``tf.gradients``.
        grad_ys: See ``tf.gradients``.
        name: See ``tf.gradients``.
        colocate_gradients_with_ops: Whether to colocate the gradient of an operation with it.
        gate_gradients: See ``tf.gradients``.
        aggregation_method: Accepted and without effect.
        stop_gradients: See ``tf.gradients``.
        unconnected_gradients: See ``tf.gradients``.

    Returns:
        A list of tensors.
    """
    beside = colocate_gradients_with_ops
    return _differentiate(
        ys, xs, grad_ys, stop_gradients, unconnected_gradients, name, gate_gradients, beside
    )


def _differentiate(
    ys: Any,
    xs: Any,
    grad_ys: Any,
    stops: Any,
    unconnected: Any,
    name: str,
    gated: bool,
    beside: bool,
) -> list[Any]:
    if thread.scope.graph is None:
        raise RuntimeError(
            "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead."
        )
    with thread.scope.graph.name_scope(name):
        weights = (
            []
            if grad_ys is None
            else list(grad_ys)
            if isinstance(grad_ys, (list, tuple))
            else [grad_ys]
        )
        ends = [] if stops is None else nest.flatten(stops)
        how = UnconnectedGradients(unconnected)
        return _within(nest.flatten(ys), nest.flatten(xs), weights, ends, how, gated, beside)


def _within(
    ys: list[Any],
    xs: list[Any],
    grad_ys: list[Any],
    stops: list[Any],
    unconnected: Any,
    gated: bool,
    beside: bool,
) -> list[Any]:
    if any(x is None for x in (*ys, *xs)):
        raise AttributeError("'NoneType' object has no attribute 'op'")
    given_xs, (ys, xs) = xs, (list(map(_values_of, values)) for values in (ys, xs))
    if grad_ys and len(grad_ys) != len(ys):
        raise ValueError(f"Length mismatch. Passed {len(grad_ys)} grad_ys for {len(ys)} ys")
    graph = thread.scope.graph
    targets = [y for y in map(_tensor, ys) if isinstance(y, SymbolicTensor)]
    sources = [
        x if isinstance(x, (BaseResourceVariable, SymbolicTensor)) else graph.own(_tensor(x))
        for x in xs
    ]
    weights = grad_ys or [None] * len(ys)
    ids = {id(x) for x in sources}
    seeds = [
        (y, _weight(graph, y, weight, i, beside))
        for i, (y, weight) in enumerate(zip(targets, weights))
        if differentiable(y) or id(y) in ids or y.dtype is string  # string tensors raise TypeError
    ]
    calls = _from_sources(
        _calls(graph, any(y.graph is not graph for y in targets), gated, beside), sources
    )
    ended = {id(_tensor(s)) for s in stops}
    calls = [call for call in calls if ended.isdisjoint(map(id, leaves((call.outputs,))))]
    sums = backpropagate(calls, seeds, zeros=_zeros)
    return [like(x, result(sums.get(s), s, unconnected)) for x, s in zip(given_xs, sources)]


def _values_of(value: Any) -> Any:
    """Returns the differentiable part of a value: of a ragged tensor its flat values."""
    if isinstance(value, SparseTensor):
        raise ValueError(
            "Type SparseTensor is not supported as a gradient source or gradient target."
        )
    return differentiated(value)


def _calls(graph: Any, outside: bool, gated: bool, beside: bool) -> list[Call]:
    """Returns the calls of a graph, after those of its outer graphs where it has captures."""
    captures = getattr(graph, "captures", {}).values()
    links = [
        Call(OPS["Identity"], (x,), {}, stand_in)
        for x, stand_in in captures
        if isinstance(x, SymbolicTensor)
    ]
    outer = getattr(graph, "outer", None)
    around = _calls(outer, True, gated, beside) if outer is not None and (links or outside) else []
    linked, path = {id(link.outputs) for link in links}, thread.scope.name
    inner = [
        _define_gradient(
            node,
            written(
                node.call(),
                f"{path}{node.name}_grad/",
                lambda: _ALL,
                _zeros,
                gated,
                node if beside else None,
            ),
        )
        for node in graph.get_operations()
        if not any(id(out) in linked for out in node.outputs)
    ]
    return [*around, *links, *inner]


def _define_gradient(node: Any, call: Call) -> Call:
    """Returns a call whose gradients get the static shapes of its inputs."""
    # Where its op has no gradient, the error names the operation.
    plain = call.op.gradient
    if call.op.no_gradient:
        return call

    def gradient(_: Call, *dys: Any) -> list[Any]:
        if plain is None:
            raise lacking_gradient(node)
        result = plain(call, *dys)
        several = flat(result) if isinstance(result, (list, tuple)) else [result]
        return [
            None if g is None else partial(_check_shape, g, node, i, x)
            for i, (g, x) in enumerate(zip(several, leaves(call.inputs)))
        ]

    named = copy(call.op)
    named.gradient = gradient
    return call._replace(op=named)


def _check_shape(gradient: Any, node: Any, i: int, x: Any) -> Any:
    """Returns the gradient of an input, with the static shape of the input merged into its own."""
    value = gradient() if callable(gradient) else gradient
    if isinstance(value, SymbolicTensor) and isinstance(x, SymbolicTensor):
        try:
            value.set_shape(x.shape)
        except ValueError:
            raise ValueError(
                "Incompatible shapes between op input and calculated input gradient. Forward operation: "
                f"{node.name}. Input index: {i}. Original input shape: {x.shape}. Calculated input gradient shape: {value.shape}"
            ) from None
    return value


def _from_sources(calls: list[Call], sources: list[Any]) -> list[Call]:
    """Returns the calls on differentiable paths from the sources; others may lack a gradient."""
    reached = {
        key_of(out)
        for x in sources
        for out in (x.op.outputs if isinstance(x, SymbolicTensor) else (x,))
    }
    result = []
    for call in calls:
        if any(key_of(x) in reached for x in leaves(call.inputs) if x is not None):
            reached.update(key_of(out) for out in leaves((call.outputs,)) if differentiable(out))
            result.append(call)
    return result


def _tensor(value: Any) -> Any:
    return value if isinstance(value, SymbolicTensor) else convert_to_tensor(value)


def _assert_fits(weight: Any, y: Any) -> None:
    """Raises TypeError unless a tensor and its upstream gradient are both complex or both real."""
    dtype = weight.dtype.base_dtype
    if y.dtype.is_complex and not dtype.is_complex:
        kind, expected = "complex-valued", "real"
    elif (y.dtype.is_floating or y.dtype.is_integer) and not (
        dtype.is_floating or dtype.is_integer
    ):
        kind, expected = "real or integer-valued", "real or integer"
    else:
        return
    raise TypeError(
        f"Gradient type {dtype.name} generated for {kind} tensor {y} with type {y.dtype.name} must be {expected}"
    )


def _weight(graph: Any, y: Any, weight: Any, i: int, beside: bool) -> Any:
    if beside:
        with graph.colocate_with(y.op):
            return _weight(graph, y, weight, i, False)
    if weight is None and y.dtype.is_complex:
        raise TypeError(
            f"Gradients of complex tensors ({y}) must set grad_ys (y.dtype = {y.dtype.name})"
        )
    if weight is None:
        sizes = API["shape"](y)
        with graph.name_scope(f"grad_ys_{i}") as path:
            return execute(
                OPS["Fill"], [sizes, constant(y.dtype is bool_ or 1, dtype=y.dtype)], {"name": path}
            )
    weight = weight if is_tensor(weight) else convert_to_tensor(weight)
    _assert_fits(weight, y)
    if isinstance(weight, IndexedSlices):
        return weight
    with graph.name_scope(f"grad_ys_{i}") as path:
        return API["identity"](weight, name=path)


def _zeros(output: Any) -> Any:
    """Adds the zeros that TensorFlow adds for an unconnected output."""
    return execute(OPS["ZerosLike"], [output], {"name": "zeros_like"})


@export("hessians")
@documented_like(gradients)
def hessians(
    ys: Any,
    xs: Any,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    name: str = "hessians",
) -> list[Any]:
    """Returns the second derivatives of the sum of ``ys`` with respect to ``xs``.

    Args:
        gate_gradients: Accepted and without effect.
        name: A name for the operations.

    Returns:
        A list of tensors: for each of ``xs`` one of the shape ``x.shape + x.shape``.
    """
    sources = nest.flatten(xs)
    return [_second(first, x) for first, x in zip(gradients(ys, sources), sources, strict=True)]


def _second(first: Any, x: Any) -> Any:
    """Returns the derivatives of each element of a gradient."""
    flat = API["reshape"](first, [-1])
    count = API["size"](x)
    like = API["shape"](x)

    def one(i: Any) -> Any:
        return gradients(flat[i], x)[0]

    if x.shape.is_fully_defined():
        rows = [one(i) for i in range(x.shape.num_elements())]
        stacked = API["stack"](rows) if rows else API["zeros"]([0, *static_sizes(x.shape)], x.dtype)
    else:
        stacked = API["map_fn"](one, API["range"](count), fn_output_signature=x.dtype)
    return API["reshape"](stacked, API["concat"]([like, like], 0))
