"""Automatic differentiation: tapes record the calls of ops, one backward walk serves them all.

The gradient of an op is a function of its ``Call`` and of the gradients of its results; it calls
public functions only, so that an outer tape records it like anything else: gradients of any order.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from .constant import convert_to_tensor, is_tensor
from .context import thread
from .indexed_slices import IndexedSlices
from .op import API, Call
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
    shape, own = gradient.shape._dims, like.shape._dims
    if shape == own:
        return gradient
    extra = len(shape) - len(own)
    axes = [
        *range(extra),
        *(i + extra for i, n in enumerate(own) if n == 1 and shape[i + extra] != 1),
    ]
    summed = API["reduce_sum"](gradient, axes) if axes else gradient
    return API["reshape"](summed, list(own))


def conjugate(value: Any) -> Any:
    """The complex conjugate; real tensors as they are."""
    return API["math.conj"](value) if value.dtype.is_complex else value


def _key(value: Any) -> int:
    """What identifies a tensor, or the resource behind a variable."""
    return id(value._handle if isinstance(value, BaseResourceVariable) else value)


def _flat(values: Any) -> list[Any]:
    """The tensors in a structure of lists, tuples and dictionaries, in order."""
    if isinstance(values, dict):
        return [leaf for key in sorted(values) for leaf in _flat(values[key])]
    if isinstance(values, (list, tuple)):
        return [leaf for value in values for leaf in _flat(value)]
    return [values]


def _packed(structure: Any, leaves: Iterable[Any]) -> Any:
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


class _Sums:
    """Gradients by what they belong to; several of one thing are added when they are asked for."""

    def __init__(self) -> None:
        self._parts: dict[int, list[Any]] = {}

    def add(self, value: Any, gradient: Any) -> None:
        if gradient is not None:
            self._parts.setdefault(_key(value), []).append(gradient)

    def get(self, value: Any) -> Any:
        parts = self._parts.get(_key(value))
        if not parts:
            return None
        if len(parts) > 1:
            self._parts[_key(value)] = parts = [_added(parts)]
        return parts[0]


def _added(parts: list[Any]) -> Any:
    if all(isinstance(part, IndexedSlices) for part in parts):
        return IndexedSlices(
            API["concat"]([part.values for part in parts], 0),
            API["concat"]([part.indices for part in parts], 0),
            parts[0].dense_shape,
        )
    return API["add_n"]([convert_to_tensor(part) for part in parts])


def backpropagate(calls: Sequence[Call], seeds: Iterable[tuple[Any, Any]]) -> _Sums:
    """Walks recorded calls backwards.

    Args:
        calls: The calls, in the order in which they ran.
        seeds: Pairs of a target and its gradient.

    Returns:
        The gradients of everything on the way.

    Raises:
        LookupError: An op on the way has no gradient.
    """
    sums = _Sums()
    for target, gradient in seeds:
        sums.add(target, gradient)
    for call in reversed(calls):
        outputs = _flat(call.outputs)
        gradients = [sums.get(output) for output in outputs]
        if any(gradient is not None for gradient in gradients):
            for value, gradient in zip(
                _flat(call.inputs), _input_gradients(call, outputs, gradients)
            ):
                if value is not None:
                    sums.add(value, gradient)
    return sums


def _input_gradients(call: Call, outputs: list[Any], gradients: list[Any]) -> list[Any]:
    op = call.op
    if op.no_gradient:
        return []
    if op.gradient is None:
        raise LookupError(f"gradient registry has no entry for: {op.type}")
    whole = [
        API["zeros_like"](output) if gradient is None else gradient
        for output, gradient in zip(outputs, gradients)
    ]
    found = op.gradient(call, *whole)
    return _flat(found) if isinstance(found, (list, tuple)) else [found]


# ------------------------------------------------------------------ tapes


class GradientTape:
    """Records operations, to differentiate them afterwards.

    Args:
        persistent: Whether ``gradient`` may be called several times.
        watch_accessed_variables: Whether trainable variables are watched when they are read.
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watch_accessed = watch_accessed_variables
        self._blocks: list[Any] = []
        self._used = False
        self.reset()

    def __enter__(self) -> GradientTape:
        self._blocks.append(thread.scope)
        self._start()
        return self

    def __exit__(self, *exc: Any) -> None:
        thread.scope = self._blocks.pop()

    def _start(self) -> None:
        scope = thread.scope
        thread.scope = scope.but(observers=(*scope.observers, self))

    def _recording(self) -> bool:
        return self in thread.scope.observers

    def _stop(self) -> None:
        scope = thread.scope
        others = tuple(observer for observer in scope.observers if observer is not self)
        thread.scope = scope.but(observers=others)

    # ---------------------------------------------------------------- recording
    def record(self, call: Call) -> None:
        """Takes note of a call that ran; called by the runtime."""
        if call.inputs and isinstance(call.inputs[0], BaseResourceVariable):
            self._accessed(call.inputs[0])
        if any(_key(value) in self._tracked for value in _flat(call.inputs)):
            self._calls.append(call)
            for output in _flat(call.outputs):
                if output is not None:
                    self._tracked[_key(output)] = output

    def _accessed(self, variable: Any) -> None:
        if self._watch_accessed and variable.trainable:
            self._watch_variable(variable)

    def _watch_variable(self, variable: Any) -> None:
        if _key(variable) not in self._tracked:
            self._tracked[_key(variable)] = variable._handle
            self._variables.append(variable)

    def watch(self, tensor: Any) -> None:
        """Makes the tape follow tensors or variables.

        Args:
            tensor: A tensor, a variable, or a structure of them.

        Raises:
            ValueError: Something else is given.
        """
        for value in _flat(tensor):
            if not is_tensor(value):
                raise ValueError(
                    f"Passed in object {value} of type '{type(value).__name__}', not tf.Tensor or "
                    "tf.Variable or ExtensionType."
                )
            if isinstance(value, BaseResourceVariable):
                self._watch_variable(value)
            else:
                self._tracked[_key(value)] = value

    def watched_variables(self) -> tuple[Any, ...]:
        """The variables that the tape follows, in the order of their first use."""
        return tuple(self._variables)

    @contextmanager
    def stop_recording(self) -> Any:
        """A block in which the tape does not record.

        Raises:
            RuntimeError: The tape does not record at all.
        """
        if not self._recording():
            raise RuntimeError("Trying to stop recording a tape which is not recording.")
        self._stop()
        try:
            yield
        finally:
            self._start()

    def reset(self) -> None:
        """Forgets everything recorded so far."""
        self._calls: list[Call] = []
        self._tracked: dict[int, Any] = {}
        self._variables: list[Any] = []

    # ---------------------------------------------------------------- differentiating
    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """The gradient of targets with respect to sources.

        Args:
            target: A tensor or a structure of tensors; the gradients of several are added.
            sources: A tensor or variable, or a structure of them.
            output_gradients: What to multiply each target's gradient by; ones where None.
            unconnected_gradients: Whether the gradient of a source that no target depends on is None
                (``"none"``) or zeros (``"zero"``).

        Returns:
            A structure like ``sources``.

        Raises:
            RuntimeError: The tape is not persistent and was used before.
            LookupError: An op has no gradient.
        """
        unconnected = UnconnectedGradients(unconnected_gradients)
        self._assert_usable()
        if self._recording() and not self._persistent:
            self._stop()
        targets, wanted = _flat(target), _flat(sources)
        seeds = [
            (t, _seed(t, g))
            for t, g in zip(targets, _output_gradients(targets, output_gradients))
            if t is not None and t.dtype.kind != "s"
        ]
        sums = backpropagate(self._calls, seeds)
        found = [_result(sums.get(source), source, unconnected) for source in wanted]
        if not self._persistent:
            self._used = True
            self.reset()
        return _packed(sources, found)

    def _assert_usable(self) -> None:
        if self._used:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients "
                "(or jacobians)"
            )

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivatives of every element of a target with respect to sources.

        Args:
            target: A tensor.
            sources: A tensor or variable, or a structure of them.
            unconnected_gradients: See ``gradient``.
            parallel_iterations: Accepted and without effect.
            experimental_use_pfor: Accepted and without effect.

        Returns:
            A structure like ``sources``, each of the target's shape followed by the source's.

        Raises:
            RuntimeError: The tape is not persistent and was used before.
        """
        unconnected = UnconnectedGradients(unconnected_gradients)
        self._assert_usable()
        if self._recording() and not self._persistent:
            self._stop()
        count = int(target.shape.num_elements() or 0)
        units = API["reshape"](_identity(count, target.dtype), [count, *target.shape.as_list()])
        rows = [backpropagate(self._calls, [(target, unit)]) for unit in units]
        found = [self._jacobian_of(rows, target, source, unconnected) for source in _flat(sources)]
        if not self._persistent:
            self._used = True
            self.reset()
        return _packed(sources, found)

    def _jacobian_of(self, rows: list[_Sums], target: Any, source: Any, unconnected: Any) -> Any:
        parts = [_result(sums.get(source), source, unconnected) for sums in rows]
        if any(part is None for part in parts):
            return None
        stacked = API["stack"]([convert_to_tensor(part) for part in parts])
        return API["reshape"](stacked, [*target.shape.as_list(), *source.shape.as_list()])

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivatives of each row of a target with respect to the same row of a source.

        Args:
            target: A tensor whose row i depends on row i of the source alone.
            source: A tensor.
            unconnected_gradients: See ``gradient``.
            parallel_iterations: Accepted and without effect.
            experimental_use_pfor: Accepted and without effect.

        Returns:
            A tensor of shape (rows, rest of the target's shape, rest of the source's shape).

        Raises:
            ValueError: The numbers of rows differ.
        """
        rows = target.shape[0]
        if rows != source.shape[0]:
            raise ValueError(
                "Need first dimension of target shape "
                f"({target.shape}) and source shape ({source.shape}) to match."
            )
        whole = self.jacobian(target, source, unconnected_gradients)
        if whole is None:
            return None
        inner, outer = target.shape.as_list()[1:], source.shape.as_list()[1:]
        sizes = [rows, math.prod(inner), rows, math.prod(outer)]
        by_row = API["transpose"](API["reshape"](whole, sizes), [0, 2, 1, 3])
        diagonal = API["gather_nd"](by_row, [[i, i] for i in range(rows)])
        return API["reshape"](diagonal, [rows, *inner, *outer])


def _identity(count: int, dtype: Any) -> EagerTensor:
    return convert_to_tensor(np.eye(count), dtype)


def _seed(target: Any, gradient: Any) -> Any:
    if gradient is None:
        return API["ones_like"](convert_to_tensor(target))
    return convert_to_tensor(gradient, dtype=target.dtype)


def _output_gradients(targets: list[Any], given: Any) -> list[Any]:
    if given is None:
        return [None] * len(targets)
    return _flat(given) if isinstance(given, (list, tuple)) else [given]


def _result(gradient: Any, source: Any, unconnected: UnconnectedGradients) -> Any:
    if gradient is None and unconnected is UnconnectedGradients.ZERO:
        return API["zeros_like"](source)
    return gradient
