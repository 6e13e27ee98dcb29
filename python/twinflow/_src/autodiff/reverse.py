"""Reverse-mode automatic differentiation: the backward pass over recorded calls.

The gradient function of an op takes its ``Call`` and the upstream gradients of its results. It
calls public functions only, so that an outer tape records it like any other code: this yields
higher-order gradients. The second part of the module validates targets and sources and creates the
initial upstream gradients.
"""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from twinflow._src.composite_tensors.indexed_slices import (
    IndexedSlices,
    dense_where_needed,
    differentiated,
)
from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core.context import runtime, thread
from twinflow._src.core.dtypes import INEXACT, as_dtype, variant
from twinflow._src.core.nest import flatten, is_nested, pack_sequence_as
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.op import API, FAST, OPS, Call, execute
from twinflow._src.variables.variable import BaseResourceVariable

# Backward pass.


# Dtypes with gradients; variants may hold lists of such tensors.
DIFFERENTIABLE = INEXACT | {variant}


class UnconnectedGradients(enum.Enum):
    """The gradient of a source that the target does not depend on."""

    __module__ = "twinflow"

    NONE = "none"
    ZERO = "zero"


def unbroadcast(gradient: Any, like: Any) -> Any:
    """Sums the gradient of a broadcast tensor over the broadcast axes, to the shape of ``like``."""
    if type(gradient) is EagerTensor is type(like):
        shape, like_shape = gradient._array.shape, like._array.shape
    else:
        shape, like_shape = gradient.shape._dims, like.shape._dims
    if shape is None or like_shape is None or None in shape or None in like_shape:
        return _unbroadcast_by_value(gradient, like)
    if shape == like_shape:
        return gradient
    extra = len(shape) - len(like_shape)
    if extra < 0 or any(n not in (1, shape[i + extra]) for i, n in enumerate(like_shape)):
        return gradient  # no broadcast: a user-defined gradient of another shape
    axes = [
        *range(extra),
        *(i + extra for i, n in enumerate(like_shape) if n == 1 and shape[i + extra] != 1),
    ]
    summed = execute(OPS["Sum"], [gradient, axes], {"keepdims": False}) if axes else gradient
    if unseen(summed) and summed._array.shape == like_shape:
        return summed
    return execute(OPS["Reshape"], [summed, list(like_shape)], {})


def unseen(value: Any) -> bool:
    """True if the choice of ops for a computation is unobservable: eager mode, no placement log."""
    return type(value) is EagerTensor and runtime.home is not None and thread.scope.graph is None


def _unbroadcast_by_value(gradient: Any, like: Any) -> Any:
    """Computes ``unbroadcast`` for dynamic shapes in a graph."""
    whole, like_shape = API["shape"](gradient), API["shape"](like)
    axes = execute(OPS["BroadcastGradientArgs"], [like_shape, whole], {})[0]
    return API["reshape"](API["reduce_sum"](gradient, axes), like_shape)


def conjugate(value: Any) -> Any:
    """Returns the complex conjugate; real tensors are returned as they are."""
    return API["math.conj"](value) if value.dtype.is_complex else value


def key_of(value: Any) -> int:
    """Returns the identity of a tensor, or of the resource behind a variable."""
    if type(value) is EagerTensor:
        return id(value)
    if type(value) in FAST or isinstance(value, BaseResourceVariable):
        return id(value._handle)
    return id(value)


def differentiable(value: Any) -> bool:
    """True if a value can have a gradient; variables of any dtype propagate gradients."""
    return isinstance(value, BaseResourceVariable) or (
        value is not None and value.dtype in DIFFERENTIABLE
    )


def flat(values: Any) -> list[Any]:
    """Returns the leaves of a structure in order."""
    return flatten(values) if is_nested(values) else [values]


def packed(structure: Any, leaves: Iterable[Any]) -> Any:
    """Packs ``leaves`` into a structure."""
    return pack_sequence_as(structure, list(leaves)) if is_nested(structure) else next(iter(leaves))


# ------------------------------------------------------------------ the backward pass


class _Several(list[Any]):
    """Gradients of one tensor that are not summed yet."""


class Sums:
    """Accumulated gradients by key; several gradients of one tensor are summed lazily."""

    def __init__(self) -> None:
        self._sums: dict[Any, Any] = {}

    def add(self, key: int, gradient: Any) -> None:
        """Accumulates a gradient; None is ignored."""
        if gradient is None:
            return
        before = self._sums.get(key)
        if before is None:
            self._sums[key] = gradient
        elif type(before) is _Several:
            before.append(gradient)
        else:
            self._sums[key] = _Several([before, gradient])

    def at(self, key: int | None) -> Any:
        """Returns the summed gradient for a key, or None."""
        total = self._sums.get(key)
        if type(total) is _Several:
            total = self._sums[key] = _added(list(total))
        return total

    def get(self, value: Any) -> Any:
        """Returns the summed gradient of a tensor or variable, or None."""
        return self.at(key_of(value))

    def forget(self, keys: Iterable[Any]) -> None:
        """Drops gradients that are no longer needed."""
        for key in keys:
            self._sums.pop(key, None)

    def has(self, value: Any) -> bool:
        """True if a tensor or variable has a gradient; does not trigger the sum."""
        return key_of(value) in self._sums


def _added(parts: list[Any]) -> Any:
    if any(type(part) is not EagerTensor for part in parts):
        if all(isinstance(part, IndexedSlices) for part in parts):
            return IndexedSlices(
                API["concat"]([part.values for part in parts], 0),
                API["concat"]([part.indices for part in parts], 0),
                parts[0].dense_shape,
            )
        parts = list(map(convert_to_tensor, parts))
    return execute(OPS["AddN"], [parts], {})


def backpropagate(
    calls: Sequence[Call],
    seeds: Iterable[tuple[Any, Any]],
    tracked: Container[int] | None = None,
    requested: Container[int] | None = None,
    zeros: Callable[[Any], Any] | None = None,
) -> Sums:
    """Runs the backward pass over calls in execution order; returns the accumulated gradients.

    ``seeds`` are pairs of a target and its upstream gradient. ``tracked`` are the keys that require
    gradients, None for all: expensive gradients are returned by gradient functions as callables,
    which are called for these keys only. Gradients of keys that are not ``requested`` are dropped
    along the way. ``zeros`` creates the gradient of a result that no target depends on
    (``tf.zeros_like``).
    """
    sums, targets = Sums(), []
    for target, gradient in seeds:
        targets.append(key_of(target))
        sums.add(targets[-1], gradient)
    producers = _producers(calls)
    for i, keys in _backwards(calls, producers, targets):
        call = calls[i]
        if type(call.outputs) is EagerTensor:
            gradient = sums.at(id(call.outputs))
            gradients: Sequence[Any] = () if gradient is None else (gradient,)
        else:
            gradients = _several_gradients(call, sums, zeros or API["zeros_like"])
        if requested is not None:
            sums.forget(
                key
                for key in _keys((call.outputs,))
                if key not in requested and producers.get(key) == i
            )
        if not gradients:
            continue
        for gradient in gradients:
            if type(gradient) is IndexedSlices:
                is_tracked = lambda x: (
                    tracked is None or key_of(x) in tracked or key_of(x) in producers
                )
                gradients = dense_where_needed(call, gradients, is_tracked)
                break
        for key, gradient in zip(keys, _input_gradients(call, gradients)):
            if gradient is None or key is None:
                continue
            if tracked is None or key in tracked or key in producers:
                sums.add(key, gradient() if callable(gradient) else gradient)
    return sums


def _several_gradients(call: Call, sums: Sums, zeros: Callable[[Any], Any]) -> Sequence[Any]:
    """Returns the gradients of a call's results; empty if no target depends on them."""
    gradients = [sums.at(key) for key in _keys((call.outputs,))]
    lacking = [gradient is None for gradient in gradients]
    if all(lacking):
        return ()
    if not any(lacking) or call.op.partial or call.op.no_gradient or call.op.gradient is None:
        return gradients
    return [
        zeros(output) if gradient is None else gradient
        for output, gradient in zip(leaves((call.outputs,)), gradients)
    ]


def _producers(calls: Sequence[Call]) -> dict[Any, int]:
    """Returns the index of the call that produced each tensor, by key.

    A variable update returns the variable itself, which is not counted.
    """
    producers: dict[Any, int] = {}
    for i, call in enumerate(calls):
        outputs = call.outputs
        if type(outputs) is EagerTensor:
            producers[id(outputs)] = i
        else:
            inputs = _keys(call.inputs)
            producers.update(
                (key, i) for key in _keys((outputs,)) if key is not None and key not in inputs
            )
    return producers


def leaves(values: tuple[Any, ...]) -> Sequence[Any]:
    """Returns the tensors of a call; most calls have no nested lists."""
    for value in values:
        if type(value) is not EagerTensor:
            return _leaves(values)
    return values


def _leaves(values: Iterable[Any]) -> list[Any]:
    """Returns the tensors of a call, one by one out of its lists."""
    result: list[Any] = []
    for value in values:
        if type(value) in FAST or value is None:
            result.append(value)
        elif type(value) is list or type(value) is tuple:
            result += _leaves(value)
        else:
            result += flat(value)
    return result


def _keys(values: tuple[Any, ...]) -> list[Any]:
    """Returns the keys of the tensors of a call; None for omitted inputs."""
    keys: list[Any] = []
    for value in values:
        if type(value) is EagerTensor:
            keys.append(id(value))
        elif value is None:
            keys.append(None)
        else:
            return [
                id(x) if type(x) is EagerTensor else None if x is None else key_of(x)
                for x in _leaves(values)
            ]
    return keys


def _backwards(
    calls: Sequence[Call], producers: dict[Any, int], targets: list[int]
) -> Iterator[tuple[int, list[Any]]]:
    """Yields the calls that targets depend on, each after all of its consumers, first ready first.

    The order is TensorFlow's. It is visible in the placement log, in side effects of custom
    gradients, in the order of rows of IndexedSlices and in the rounding of sums.

    Yields:
        The index of a call, and the keys of its inputs.
    """
    inputs, uses, waiting = _uses(calls, producers, targets)
    ready = deque(i for i, count in waiting.items() if not count)
    while ready:
        i = ready.popleft()
        yield i, inputs[i]
        for key in inputs[i]:
            if key in uses:
                left = uses[key] = uses[key] - 1
                if not left:
                    producer = producers[key]
                    waiting[producer] -= 1
                    if not waiting[producer]:
                        ready.append(producer)


def _uses(
    calls: Sequence[Call], producers: dict[Any, int], stack: list[int]
) -> tuple[dict[int, list[Any]], dict[Any, int], dict[int, int]]:
    """Returns input keys, consumer counts and pending result counts of the calls on the path."""
    inputs: dict[int, list[Any]] = {}
    uses: dict[Any, int] = {}
    waiting: dict[int, int] = {}
    while stack:
        i = producers.get(stack.pop())
        if i is None or i in inputs:
            continue
        inputs[i] = keys = _keys(calls[i].inputs)
        waiting.setdefault(i, 0)
        for key in keys:
            if key in uses:
                uses[key] += 1
            elif key in producers:
                uses[key] = 1
                producer = producers[key]
                waiting[producer] = waiting.get(producer, 0) + 1
                stack.append(key)
    return inputs, uses, waiting


def _input_gradients(call: Call, gradients: Sequence[Any]) -> Sequence[Any]:
    op = call.op
    if op.no_gradient:
        return ()
    if op.gradient is None:
        raise LookupError(f"gradient registry has no entry for: {op.type}")
    result = op.gradient(call, *gradients)
    if type(result) is tuple and not op.lists and op.kinds:
        return result
    return _leaves(result) if isinstance(result, (list, tuple)) else (result,)


# Targets, sources and initial upstream gradients.


def filled(gradient: Any, source: Any) -> Any:
    return API["zeros_like"](source) if gradient is None else convert_to_tensor(gradient)


def identity(count: int, dtype: Any) -> EagerTensor:
    return convert_to_tensor(np.eye(count), dtype)


def checked_targets(target: Any) -> list[Any]:
    """Returns the tensors to differentiate, after validation."""
    if target is None:
        raise TypeError(
            "Argument `target` should be a list or nested structure of Tensors, Variables or "
            "CompositeTensors to be differentiated, but received None."
        )
    return list(map(differentiated, checked(flat(target))))


def checked(values: list[Any]) -> list[Any]:
    """Returns the values if all of them are tensors or variables; raises AttributeError if not."""
    for value in values:
        if isinstance(value, (EagerTensor, BaseResourceVariable)):
            continue
        if hasattr(value, "_should_act_as_resource_variable"):
            continue
        if not is_tensor(value) or isinstance(value, IndexedSlices):
            # TensorFlow interprets a value without a dtype as the name or enum value of one, and
            # fails here for others.
            has_dtype = hasattr(value, "dtype") or as_dtype(value) in DIFFERENTIABLE
            missing = "_id" if has_dtype else "dtype"
            raise AttributeError(f"'{type(value).__name__}' object has no attribute '{missing}'")
    return values


def unconnected_as(value: Any, vectorized: str = "") -> UnconnectedGradients:
    """Converts an argument to ``UnconnectedGradients``."""
    if value is UnconnectedGradients.NONE:
        return value
    try:
        return UnconnectedGradients(value)
    except ValueError:
        raise ValueError(
            f"Encountered an exception while vectorizing the {vectorized} computation. Vectorization can "
            "be disabled by setting experimental_use_pfor to False."
            if vectorized
            else f"Unknown value for unconnected_gradients: {value!r}"
        ) from None


def seed(target: Any, gradient: Any) -> Any:
    if gradient is not None:
        return gradient
    tensor = convert_to_tensor(target)
    if type(tensor) is EagerTensor and not tensor._array.shape and tensor.dtype.is_numeric:
        return convert_to_tensor(1, dtype=tensor.dtype)
    if type(tensor) is not EagerTensor and thread.scope.graph is not None:
        from twinflow._src.graph.tf_exact.gradients import seed_ones

        return seed_ones(tensor)
    dims = tensor.shape._dims
    if unseen(tensor) and tensor._device.kind == "CPU" and tensor.dtype.is_numeric:
        return EagerTensor(np.ones(dims, tensor.dtype.np), tensor._device, tensor.dtype)
    if dims is None or None in dims or not tensor.dtype.is_numeric:
        return API["ones_like"](tensor)
    one = convert_to_tensor(1, dtype=tensor.dtype)
    return API["fill"](list(dims), one) if dims else one


def directions(targets: list[Any], output_gradients: Any) -> list[Any]:
    """Converts user-specified upstream gradients; None for targets without one."""
    gradients = (
        []
        if output_gradients is None
        else [convert_to_tensor(gradient) for gradient in flat(output_gradients)]
    )
    return gradients + [None] * (len(targets) - len(gradients))


def result(gradient: Any, source: Any, unconnected: UnconnectedGradients) -> Any:
    if gradient is None and unconnected is UnconnectedGradients.ZERO:
        return API["zeros_like"](source)
    return gradient
