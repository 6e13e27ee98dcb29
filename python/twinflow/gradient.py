"""Automatic differentiation: tapes record the calls of ops, one backward walk serves them all.

The gradient of an op is a function of its ``Call`` and of the gradients of its results; it calls
public functions only, so that an outer tape records it like anything else: gradients of any order.
"""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Any

from .composites.indexed_slices import IndexedSlices
from .constant import convert_to_tensor
from .dtypes import INEXACT, variant
from .op import API, OPS, Call, execute
from .tensor import EagerTensor
from .variable import BaseResourceVariable


class UnconnectedGradients(enum.Enum):
    """What the gradient of something is that the target does not depend on."""

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
    if type(gradient) is EagerTensor is type(like) and gradient._array.shape == like._array.shape:
        return gradient
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
    summed = API["reduce_sum"](gradient, axes) if axes else gradient
    return API["reshape"](summed, list(own))


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
    return id(value._handle if isinstance(value, BaseResourceVariable) else value)


def differentiable(value: Any) -> bool:
    """Whether anything can be differentiated by a tensor; variables pass gradients on, whatever they hold."""
    return isinstance(value, BaseResourceVariable) or (
        value is not None and (value.dtype in INEXACT or value.dtype is variant)
    )


def flat(values: Any) -> list[Any]:
    """The tensors in a structure of lists, tuples and dictionaries, in order."""
    if type(values) is EagerTensor:
        return [values]
    if isinstance(values, dict):
        return [leaf for key in sorted(values) for leaf in flat(values[key])]
    if isinstance(values, (list, tuple)):
        return [leaf for value in values for leaf in flat(value)]
    return [values]


def packed(structure: Any, leaves: Iterable[Any]) -> Any:
    """``leaves`` in the form of a structure."""
    items = iter(leaves)

    def build(node: Any) -> Any:
        if isinstance(node, dict):
            built = {key: build(node[key]) for key in sorted(node)}
            return {key: built[key] for key in node}
        if isinstance(node, tuple) and hasattr(node, "_fields"):
            return type(node)(*map(build, node))
        if isinstance(node, (list, tuple)):
            return type(node)(map(build, node))
        return next(items)

    return build(structure)


# ------------------------------------------------------------------ the backward walk


class Sums:
    """Gradients by what they belong to; several of one thing are added when they are asked for."""

    def __init__(self) -> None:
        self._parts: dict[Any, list[Any]] = {}

    def add(self, key: int, gradient: Any) -> None:
        """Takes a gradient of what the key identifies; None is none."""
        if gradient is not None:
            self._parts.setdefault(key, []).append(gradient)

    def at(self, key: int | None) -> Any:
        """The gradient of what the key identifies, or None."""
        parts = self._parts.get(key)
        if parts is None:
            return None
        if len(parts) > 1:
            self._parts[key] = parts = [_added(parts)]
        return parts[0]

    def get(self, value: Any) -> Any:
        """The gradient of a tensor or variable, or None."""
        return self.at(key_of(value))

    def has(self, value: Any) -> bool:
        """Whether there is a gradient of a tensor or variable; nothing is added up."""
        return key_of(value) in self._parts


def _added(parts: list[Any]) -> Any:
    if any(type(part) is not EagerTensor for part in parts):
        if all(isinstance(part, IndexedSlices) for part in parts):
            return IndexedSlices(
                API["concat"]([part.values for part in parts], 0),
                API["concat"]([part.indices for part in parts], 0),
                parts[0].dense_shape,
            )
        parts = list(map(convert_to_tensor, parts))
    return API["add_n"](parts)


def backpropagate(
    calls: Sequence[Call],
    seeds: Iterable[tuple[Any, Any]],
    tracked: Container[int] | None = None,
) -> Sums:
    """Walks recorded calls backwards.

    Args:
        calls: The calls, in the order in which they ran.
        seeds: Pairs of a target and its gradient.
        tracked: The keys of what gradients are wanted of; None for everything. A gradient function gives
            functions in the place of gradients that cost something: they are called for these alone.

    Returns:
        The gradients of everything on the way.

    Raises:
        LookupError: An op on the way has no gradient.
    """
    sums, targets = Sums(), []
    for target, gradient in seeds:
        targets.append(key_of(target))
        sums.add(targets[-1], gradient)
    inputs = [_keys(leaves(call.inputs)) for call in calls]
    outputs = [_keys(leaves((call.outputs,))) for call in calls]
    producers = {
        key: i
        for i, keys in enumerate(outputs)
        for key in keys
        if key is not None and key not in inputs[i]  # an update of a variable gives the variable itself
    }
    for i in _backwards(inputs, producers, targets):
        gradients = [sums.at(key) for key in outputs[i]]
        if all(gradient is None for gradient in gradients):
            continue
        for key, gradient in zip(inputs[i], _input_gradients(calls[i], gradients)):
            if gradient is None or key is None:
                continue
            if tracked is None or key in tracked or key in producers:
                sums.add(key, gradient() if callable(gradient) else gradient)
    return sums


def leaves(values: tuple[Any, ...]) -> Sequence[Any]:
    """The tensors of a call; most calls have no lists of them."""
    for value in values:
        if type(value) is not EagerTensor:
            return flat(values)
    return values


def _keys(values: Iterable[Any]) -> list[Any]:
    """What identifies values; None for those that are not there."""
    return [
        id(value) if type(value) is EagerTensor else None if value is None else key_of(value)
        for value in values
    ]


def _backwards(
    inputs: list[list[Any]], producers: dict[Any, int], targets: list[int]
) -> Iterator[int]:
    """The calls that targets depend on: each after all that use its results, the earliest ready first.

    The order is TensorFlow's: it shows in the placement log, in what custom gradients do, in the order
    of rows and in the last bits of sums.
    """
    uses, waiting = _uses(inputs, producers, targets)
    ready = deque(i for i, count in waiting.items() if not count)
    while ready:
        i = ready.popleft()
        yield i
        for key in inputs[i]:
            uses[key] -= 1
            if not uses[key] and key in producers:
                producer = producers[key]
                waiting[producer] -= 1
                if not waiting[producer]:
                    ready.append(producer)


def _uses(
    inputs: list[list[Any]], producers: dict[Any, int], stack: list[int]
) -> tuple[dict[Any, int], dict[int, int]]:
    """How often each tensor is used on the way to targets, and how many results of each call are."""
    uses: dict[Any, int] = {}
    waiting: dict[int, int] = {}
    while stack:
        i = producers.get(stack.pop())
        if i is not None and i not in waiting:
            waiting[i] = 0
            stack += [key for key in inputs[i] if key not in uses]
            for key in inputs[i]:
                uses[key] = uses.get(key, 0) + 1
    for key in uses:
        if key in producers:
            waiting[producers[key]] += 1
    return uses, waiting


def _input_gradients(call: Call, gradients: list[Any]) -> Sequence[Any]:
    op = call.op
    if op.no_gradient:
        return ()
    if op.gradient is None:
        raise LookupError(f"gradient registry has no entry for: {op.type}")
    if not op.partial and any(gradient is None for gradient in gradients):
        gradients = [
            API["zeros_like"](output) if gradient is None else gradient
            for output, gradient in zip(leaves((call.outputs,)), gradients)
        ]
    found = op.gradient(call, *gradients)
    return flat(found) if isinstance(found, (list, tuple)) else (found,)
