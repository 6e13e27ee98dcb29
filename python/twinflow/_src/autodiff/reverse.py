"""Automatic differentiation: tapes record the calls of ops, one backward walk serves them all.

The gradient of an op is a function of its ``Call`` and of the gradients of its results; it calls
public functions only, so that an outer tape records it like anything else: gradients of any order.

What tapes are asked for: targets and sources that can be differentiated, and the gradients to begin with.
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
from twinflow._src.dispatch.op import API, OPS, Call, execute
from twinflow._src.variables.variable import BaseResourceVariable

# Automatic differentiation: tapes record the calls of ops, one backward walk serves them all.


# The types of tensors by which something can be differentiated; lists of tensors may hold such.
DIFFERENTIABLE = INEXACT | {variant}


class UnconnectedGradients(enum.Enum):
    """What the gradient of something is that the target does not depend on."""

    __module__ = "twinflow"

    NONE = "none"
    ZERO = "zero"


def unbroadcast(gradient: Any, like: Any) -> Any:
    """The gradient of a tensor that was broadcast: summed over the dimensions that it lacked.

    Args:
        gradient: The gradient of the broadcast tensor.
        like: The tensor as it was before.

    Returns:
        A tensor of the shape of ``like``.
    """
    if type(gradient) is EagerTensor is type(like):
        shape, own = gradient._array.shape, like._array.shape
    else:
        shape, own = gradient.shape._dims, like.shape._dims
    if shape is None or own is None or None in shape or None in own:
        return _unbroadcast_by_value(gradient, like)
    if shape == own:
        return gradient
    extra = len(shape) - len(own)
    if extra < 0 or any(n not in (1, shape[i + extra]) for i, n in enumerate(own)):
        return gradient  # nothing was broadcast: a program gave a gradient of its own, of another shape
    axes = [
        *range(extra),
        *(i + extra for i, n in enumerate(own) if n == 1 and shape[i + extra] != 1),
    ]
    summed = execute(OPS["Sum"], [gradient, axes], {"keepdims": False}) if axes else gradient
    if unseen(summed) and summed._array.shape == own:
        return summed
    return execute(OPS["Reshape"], [summed, list(own)], {})


def unseen(value: Any) -> bool:
    """Whether nobody sees by which operations something is computed from a value: no log, no graph."""
    return type(value) is EagerTensor and runtime.home is not None and thread.scope.graph is None


def _unbroadcast_by_value(gradient: Any, like: Any) -> Any:
    """See ``unbroadcast``: where the shapes are only known when a graph runs."""
    whole, own = API["shape"](gradient), API["shape"](like)
    axes = execute(OPS["BroadcastGradientArgs"], [own, whole], {})[0]
    return API["reshape"](API["reduce_sum"](gradient, axes), own)


def conjugate(value: Any) -> Any:
    """The complex conjugate; real tensors as they are."""
    return API["math.conj"](value) if value.dtype.is_complex else value


def key_of(value: Any) -> int:
    """What identifies a tensor, or the resource behind a variable."""
    if type(value) is EagerTensor or not isinstance(value, BaseResourceVariable):
        return id(value)
    return id(value._handle)


def differentiable(value: Any) -> bool:
    """Whether anything can be differentiated by a tensor; variables pass gradients on, whatever they hold."""
    return isinstance(value, BaseResourceVariable) or (
        value is not None and value.dtype in DIFFERENTIABLE
    )


def flat(values: Any) -> list[Any]:
    """The tensors in a structure, in order."""
    return flatten(values) if is_nested(values) else [values]


def packed(structure: Any, leaves: Iterable[Any]) -> Any:
    """``leaves`` in the form of a structure."""
    return pack_sequence_as(structure, list(leaves)) if is_nested(structure) else next(iter(leaves))


# ------------------------------------------------------------------ the backward walk


class _Several(list[Any]):
    """Gradients of one thing that are still to be added."""


class Sums:
    """Gradients by what they belong to; several of one thing are added when they are asked for."""

    def __init__(self) -> None:
        self._found: dict[Any, Any] = {}

    def add(self, key: int, gradient: Any) -> None:
        """Takes a gradient of what the key identifies; None is none."""
        if gradient is None:
            return
        before = self._found.get(key)
        if before is None:
            self._found[key] = gradient
        elif type(before) is _Several:
            before.append(gradient)
        else:
            self._found[key] = _Several([before, gradient])

    def at(self, key: int | None) -> Any:
        """The gradient of what the key identifies, or None."""
        found = self._found.get(key)
        if type(found) is _Several:
            found = self._found[key] = _added(list(found))
        return found

    def get(self, value: Any) -> Any:
        """The gradient of a tensor or variable, or None."""
        return self.at(key_of(value))

    def forget(self, keys: Iterable[Any]) -> None:
        """Lets go of gradients that nobody needs any more."""
        for key in keys:
            self._found.pop(key, None)

    def has(self, value: Any) -> bool:
        """Whether there is a gradient of a tensor or variable; nothing is added up."""
        return key_of(value) in self._found


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
    wanted: Container[int] | None = None,
    zeros: Callable[[Any], Any] | None = None,
) -> Sums:
    """Walks recorded calls backwards.

    Args:
        calls: The calls, in the order in which they ran.
        seeds: Pairs of a target and its gradient.
        tracked: The keys of what gradients are wanted of; None for everything. A gradient function gives
            functions in the place of gradients that cost something: they are called for these alone.
        wanted: The keys of what gradients are asked for; None for everything. Others are forgotten on the way.
        zeros: Makes the gradient of a result on which no target depends; ``tf.zeros_like`` where None.

    Returns:
        The gradients of what is wanted.

    Raises:
        LookupError: An op on the way has no gradient.
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
        if wanted is not None:
            sums.forget(
                key
                for key in _keys((call.outputs,))
                if key not in wanted and producers.get(key) == i
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
    """The gradients of a call's results; none where nothing depends on any of them."""
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
    """Which call made what, by its key; an update of a variable gives the variable itself."""
    producers: dict[Any, int] = {}
    for i, call in enumerate(calls):
        made = call.outputs
        if type(made) is EagerTensor:
            producers[id(made)] = i
        else:
            inputs = _keys(call.inputs)
            producers.update(
                (key, i) for key in _keys((made,)) if key is not None and key not in inputs
            )
    return producers


def leaves(values: tuple[Any, ...]) -> Sequence[Any]:
    """The tensors of a call; most calls have no lists of them."""
    for value in values:
        if type(value) is not EagerTensor:
            return flat(values)
    return values


def _keys(values: tuple[Any, ...]) -> list[Any]:
    """What identifies the tensors of a call; None for those that are not there."""
    keys: list[Any] = []
    for value in values:
        if type(value) is EagerTensor:
            keys.append(id(value))
        elif value is None:
            keys.append(None)
        else:
            return [None if leaf is None else key_of(leaf) for leaf in flat(values)]
    return keys


def _backwards(
    calls: Sequence[Call], producers: dict[Any, int], targets: list[int]
) -> Iterator[tuple[int, list[Any]]]:
    """The calls that targets depend on: each after all that use its results, the earliest ready first.

    The order is TensorFlow's: it shows in the placement log, in what custom gradients do, in the order
    of rows and in the last bits of sums.

    Yields:
        The number of a call, and the keys of its inputs.
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
    """On the way to targets: the keys of inputs, how often each result is used, how many of each call are."""
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
    found = op.gradient(call, *gradients)
    if type(found) is tuple and not op.lists and op.kinds:
        return found
    return flat(found) if isinstance(found, (list, tuple)) else (found,)


# What tapes are asked for: targets and sources that can be differentiated, and the gradients to
# begin with.


def filled(gradient: Any, source: Any) -> Any:
    return API["zeros_like"](source) if gradient is None else convert_to_tensor(gradient)


def identity(count: int, dtype: Any) -> EagerTensor:
    return convert_to_tensor(np.eye(count), dtype)


def checked_targets(target: Any) -> list[Any]:
    """The tensors that are to be differentiated."""
    if target is None:
        raise TypeError(
            "Argument `target` should be a list or nested structure of Tensors, Variables or "
            "CompositeTensors to be differentiated, but received None."
        )
    return list(map(differentiated, checked(flat(target))))


def checked(values: list[Any]) -> list[Any]:
    """Tensors and variables, and what stands for them; raises where there is anything else."""
    for value in values:
        if isinstance(value, (EagerTensor, BaseResourceVariable)):
            continue
        if not is_tensor(value) or isinstance(value, IndexedSlices):
            # TensorFlow takes a value that has no type for the name or the number of one, and fails at others here.
            known = hasattr(value, "dtype") or as_dtype(value) in DIFFERENTIABLE
            missing = "_id" if known else "dtype"
            raise AttributeError(f"'{type(value).__name__}' object has no attribute '{missing}'")
    return values


def unconnected_as(given: Any, vectorized: str = "") -> UnconnectedGradients:
    """What is to stand for a gradient that there is not."""
    if given is UnconnectedGradients.NONE:
        return given
    try:
        return UnconnectedGradients(given)
    except ValueError:
        raise ValueError(
            f"Encountered an exception while vectorizing the {vectorized} computation. Vectorization can "
            "be disabled by setting experimental_use_pfor to False."
            if vectorized
            else f"Unknown value for unconnected_gradients: {given!r}"
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


def directions(targets: list[Any], given: Any) -> list[Any]:
    """What programs give to multiply gradients by; None for the targets that have nothing."""
    found = [] if given is None else [convert_to_tensor(gradient) for gradient in flat(given)]
    return found + [None] * (len(targets) - len(found))


def result(gradient: Any, source: Any, unconnected: UnconnectedGradients) -> Any:
    if gradient is None and unconnected is UnconnectedGradients.ZERO:
        return API["zeros_like"](source)
    return gradient
