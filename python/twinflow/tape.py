"""Tapes: records of calls, to be differentiated afterwards."""

from __future__ import annotations

import math
from contextlib import contextmanager
from typing import Any

from .composites.gradients import differentiated, is_extension, like
from .constant import convert_to_tensor, is_tensor
from .context import thread
from .errors import invalid
from .gradient import (
    Sums,
    UnconnectedGradients,
    backpropagate,
    differentiable,
    flat,
    key_of,
    leaves,
    packed,
)
from .graphs.symbolic import SymbolicTensor
from .op import API, Call
from .tape_values import (
    checked,
    checked_targets,
    directions,
    filled,
    identity,
    result,
    seed,
    unconnected_as,
)
from .variable import BaseResourceVariable


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
        self._used = self._fresh = True  # nothing can be differentiated before anything was recorded
        self._variables: list[Any] = []
        self._forget()

    def __enter__(self) -> GradientTape:
        if self._recording():
            raise ValueError(
                "Tape is still recording, This can happen if you try to re-enter an already-active tape."
            )
        self._blocks.append(thread.scope)
        if self._used:
            self._variables = []
        self._used = self._fresh = False
        self._start()
        return self

    def __exit__(self, *exc: Any) -> None:
        if self._blocks:
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
        tracked, follows = self._tracked, False
        for value in leaves(call.inputs):
            if isinstance(value, BaseResourceVariable):
                self.accessed(value)
            if not follows and self._follows(value):
                follows = differentiable(value)
        if follows:
            self._calls.append(call)
            for output in leaves((call.outputs,)):
                if output is not None:
                    tracked[key_of(output)] = output

    def _follows(self, value: Any) -> bool:
        if type(value) is SymbolicTensor and value.beside is not None and key_of(value.beside) in self._tracked:
            self._tracked[key_of(value)] = value  # a result that was not there yet when the call was recorded
        return key_of(value) in self._tracked

    def accessed(self, variable: Any) -> None:
        """Takes note of a variable that is read; called by the runtime."""
        if self._watch_accessed and variable.trainable:
            self._watch_variable(variable)

    def _watch_variable(self, variable: Any) -> None:
        key = key_of(variable)
        if key not in self._tracked:
            self._tracked[key] = variable._handle
            self._variables.append(variable)

    def watch(self, tensor: Any) -> None:
        """Makes the tape follow tensors or variables.

        Args:
            tensor: A tensor, a variable, or a structure of them.

        Raises:
            ValueError: Something else is given.
            AttributeError: The tape has not recorded anything yet.
        """
        if self._fresh:
            raise AttributeError("'NoneType' object has no attribute '_tape'")
        for value in flat(tensor):
            if is_extension(value):
                self.watch(value._type_spec._to_components(value))
                continue
            if not is_tensor(value):
                raise ValueError(
                    f"Passed in object {value} of type '{type(value).__name__}', not tf.Tensor or "
                    "tf.Variable or ExtensionType."
                )
            value = differentiated(value)
            if isinstance(value, BaseResourceVariable):
                self._watch_variable(value)
            else:
                self._tracked[key_of(value)] = value

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
        """Forgets everything recorded so far.

        Raises:
            ValueError: The tape does not record.
        """
        if not self._recording():
            raise ValueError("Tape is not recording.")
        self._variables = []
        self._forget()

    def _forget(self) -> None:
        self._calls: list[Call] = []
        self._tracked: dict[int, Any] = {}

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
        self._begin()
        targets, given = checked_targets(target), checked(flat(sources))
        unconnected = unconnected_as(unconnected_gradients)
        wanted = list(map(differentiated, given))
        seeds = [
            (t, seed(t, g))
            for t, g in zip(targets, directions(targets, output_gradients))
            if t.dtype.kind != "s"
        ]
        sums = backpropagate(self._calls, seeds, self._tracked)
        found = [result(sums.get(source), source, unconnected) for source in wanted]
        found = list(map(like, given, found))
        self._end()
        return packed(sources, found)

    def _begin(self) -> None:
        if self._used:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients "
                "(or jacobians)"
            )
        if self._recording() and not self._persistent:
            self._stop()

    def _end(self) -> None:
        if not self._persistent:
            self._used = True
            self._forget()

    def _assert_repeatable(self, what: str, at_once: bool) -> None:
        """Whether the rows may be computed one after the other, where they are not at once."""
        if not at_once and not self._persistent:
            raise RuntimeError(
                f"GradientTape must be created with persistent=True to compute the {what} with eager "
                "execution enabled and with experimental_use_pfor set to False."
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
            experimental_use_pfor: Whether the rows are computed at once, so that any tape will do.

        Returns:
            A structure like ``sources``, each of the target's shape followed by the source's.

        Raises:
            RuntimeError: The tape is not persistent and was used before, or the rows are not to be
                computed at once.
        """
        self._begin()
        shape = target.shape
        self._assert_repeatable("jacobian", experimental_use_pfor)
        unconnected = unconnected_as(unconnected_gradients, "jacobian" * experimental_use_pfor)
        count = int(shape.num_elements() or 0)
        units = API["reshape"](identity(count, target.dtype), [count, *shape.as_list()])
        rows = [backpropagate(self._calls, [(target, unit)], self._tracked) for unit in API["unstack"](units)]
        found = [self._jacobian_of(rows, target, source, unconnected) for source in flat(sources)]
        other = [x for x in found if x is not None and x.dtype is not target.dtype]
        if other and not experimental_use_pfor:
            raise invalid(
                f"TensorArray dtype is {target.dtype.name} but Op is trying to write dtype "
                f"{other[0].dtype.name}"
            )
        self._end()
        return packed(sources, found)

    def _jacobian_of(self, rows: list[Sums], target: Any, source: Any, unconnected: Any) -> Any:
        parts = [result(sums.get(source), source, unconnected) for sums in rows]
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
            unconnected_gradients: Accepted and without effect: what is not connected gives zeros.
            parallel_iterations: Accepted and without effect.
            experimental_use_pfor: Whether the columns are computed at once, so that any tape will do.

        Returns:
            A tensor of shape (rows, rest of the target's shape, rest of the source's shape).

        Raises:
            ValueError: The numbers of rows differ, or the target or the source is a vector.
            RuntimeError: The tape is not persistent and was used before, or the columns are not to be
                computed at once.
        """
        rows = target.shape.as_list()[0]
        for tensor in (target, source):
            tensor.shape.with_rank_at_least(2)
        count = math.prod(target.shape[1:])
        if rows != source.shape[0]:
            raise ValueError(
                "Need first dimension of target shape "
                f"({target.shape}) and source shape ({source.shape}) to match."
            )
        self._begin()
        self._assert_repeatable("batch_jacobian", experimental_use_pfor)
        unconnected_as(unconnected_gradients, "batch_jacobian" * experimental_use_pfor)
        # Column by column of the target, all rows at once: no row is to depend on another one.
        units = API["reshape"](identity(count, target.dtype), [count, 1, count])
        seeds = API["broadcast_to"](units, [count, rows, count])
        seeds = API["reshape"](seeds, [count, *target.shape])
        walks = [backpropagate(self._calls, [(target, s)], self._tracked) for s in API["unstack"](seeds)]
        found = [sums.get(source) for sums in walks]
        self._end()
        whole = API["stack"]([filled(value, source) for value in found], axis=1)
        return API["reshape"](whole, [*target.shape, *source.shape[1:]])
