"""GradientTape: records calls for differentiation."""

from __future__ import annotations

import functools
from typing import Any

from twinflow._src.autodiff.activation_release import Releases
from twinflow._src.autodiff.jacobians import Jacobians
from twinflow._src.autodiff.reverse import (
    DIFFERENTIABLE,
    UnconnectedGradients,
    backpropagate,
    checked,
    checked_targets,
    differentiable,
    directions,
    flat,
    key_of,
    leaves,
    packed,
    seed,
    unconnected_as,
)
from twinflow._src.autodiff.trace_cache import run_cached
from twinflow._src.composite_tensors.indexed_slices import differentiated, is_extension, like
from twinflow._src.conversion.constant import is_tensor
from twinflow._src.core import nest
from twinflow._src.core.context import Block, Scope, altered, thread
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.op import API, FAST, Call, Op
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.variables.variable import BaseResourceVariable

# Creates a Call without its Python constructor: a tape creates one per operation.
_as_call: Any = functools.partial(tuple.__new__, Call)


class GradientTape(Jacobians, Block):
    """Records operations for automatic differentiation.

    Args:
        persistent: If True, ``gradient`` may be called several times.
        watch_accessed_variables: If True, trainable variables are watched when they are read.
    """

    __module__ = "twinflow"

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        super().__init__()
        self._persistent = persistent
        self._watch_accessed = watch_accessed_variables
        self._used = self._fresh = True  # nothing is recorded yet
        self._variables: list[Any] = []
        self._forget()

    def __enter__(self) -> GradientTape:
        if self._recording():
            raise ValueError(
                "Tape is still recording, This can happen if you try to re-enter an already-active tape."
            )
        if self._used:
            self._variables = []
        self._used = self._fresh = False
        scope = thread.scope
        self._replace(thread, "scope", scope.watched(*scope.observers, self))
        return self

    def _recording(self) -> bool:
        return self in thread.scope.observers

    def _stop(self) -> None:
        thread.scope = self._unrecorded(thread.scope)

    def _unrecorded(self, scope: Scope) -> Scope:
        return scope.watched(*(observer for observer in scope.observers if observer is not self))

    # ---------------------------------------------------------------- recording
    def record(self, op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], outputs: Any) -> None:
        """Records a call that ran, if it has a tracked input; called by the runtime."""
        tracked, follows = self._tracked, False
        for value in inputs:
            if type(value) is EagerTensor:
                if id(value) in tracked and value.dtype in DIFFERENTIABLE:
                    follows = True
            elif value is not None:  # axes that are None are skipped
                call = _as_call((op, inputs, attrs, outputs))
                return (
                    self._record_read(call)
                    if op.reads_variable == "whole"
                    else self._record_any(call)
                )
        if follows:
            if type(outputs) is EagerTensor:
                tracked[id(outputs)] = outputs
                self._calls.append(_as_call((op, inputs, attrs, outputs)))
                releases = self._releases
                if outputs._array.nbytes >= releases.least or releases.idle:
                    releases.note(op, inputs, outputs, tracked)
            else:
                self.keep(Call(op, inputs, attrs, outputs))
        return None

    def _record_read(self, call: Call) -> None:
        """Records the read of a variable; see ``record``."""
        _, (variable,), _, result = call
        handle, tracked = variable._handle, self._tracked
        if id(handle) not in tracked:
            if not (self._watch_accessed and variable.trainable):
                return
            tracked[id(handle)] = handle
            self._variables.append(variable)
        tracked[id(result)] = result
        self._calls.append(call)
        if type(result) is EagerTensor and result._array.nbytes >= self._releases.least:
            self._releases.note(call.op, call.inputs, result, tracked)

    def _record_any(self, call: Call) -> None:
        """Records a call with variables, lists or symbolic tensors as inputs; see ``record``."""
        follows = False
        for value in leaves(call.inputs):
            if isinstance(value, BaseResourceVariable):
                self.accessed(value)
            if not follows and self.follows(value):
                follows = differentiable(value)
        if follows:
            self.keep(call)

    def follows(self, value: Any) -> bool:
        """True if the tape tracks a tensor or variable."""
        if (
            type(value) is SymbolicTensor
            and value.beside is not None
            and key_of(value.beside) in self._tracked
        ):
            self._tracked[key_of(value)] = (
                value  # a function result that did not exist when the call was recorded
            )
        return key_of(value) in self._tracked

    def keep(self, call: Call) -> None:
        """Records a call and tracks its results; for calls with a tracked input."""
        for output in leaves((call.outputs,)):
            if output is not None:
                self._tracked[key_of(output)] = output
        self._calls.append(call)

    def accessed(self, variable: Any) -> None:
        """Watches a variable that is read, if it is trainable; called by the runtime."""
        if self._watch_accessed and variable.trainable:
            self._watch_variable(variable)

    def _watch_variable(self, variable: Any) -> None:
        handle = variable._handle
        if id(handle) not in self._tracked:
            self._tracked[id(handle)] = handle
            self._variables.append(variable)

    def watch(self, tensor: Any) -> None:
        """Starts tracking tensors or variables.

        Args:
            tensor: A tensor, a variable, or a structure of them.

        Raises:
            ValueError: The argument is neither a tensor nor a variable.
            AttributeError: The tape has not been entered yet.
        """
        if self._fresh:
            raise AttributeError("'NoneType' object has no attribute '_tape'")
        for value in flat(tensor):
            if is_extension(value) or hasattr(value, "_is_linear_operator"):
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
        """Returns the watched variables in creation order."""
        return tuple(
            sorted(self._variables, key=lambda variable: getattr(variable._handle, "uid", 0))
        )

    def stop_recording(self) -> Any:
        """Returns a context manager that suspends recording.

        Raises:
            RuntimeError: The tape is not recording.
        """
        if not self._recording():
            raise RuntimeError("Trying to stop recording a tape which is not recording.")
        return altered(thread, "scope", self._unrecorded)

    def reset(self) -> None:
        """Clears everything recorded so far.

        Raises:
            ValueError: The tape is not recording.
        """
        if not self._recording():
            raise ValueError("Tape is not recording.")
        self._variables = []
        self._forget()

    def _forget(self) -> None:
        self._calls: list[Call] = []
        self._tracked: dict[int, Any] = {}
        self._releases = Releases()

    # ---------------------------------------------------------------- differentiation
    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """Computes the gradient of targets with respect to sources.

        Args:
            target: A tensor or a structure of tensors; the gradients of several targets are summed.
            sources: A tensor or variable, or a structure of them.
            output_gradients: The upstream gradient of each target; ones if None.
            unconnected_gradients: The gradient of a source that no target depends on: None
                (``"none"``) or zeros (``"zero"``).

        Returns:
            A structure like ``sources``.

        Raises:
            RuntimeError: The tape is not persistent and was used before.
            LookupError: An op has no gradient.
        """
        self._begin()
        targets = [target] if type(target) is EagerTensor else checked_targets(target)
        unconnected = unconnected_as(unconnected_gradients)
        usual = _usual(sources)
        if usual is None and any(hasattr(x, "_is_linear_operator") for x in flat(sources)):
            return self._gradient_of_operators(target, sources, output_gradients, unconnected)
        inputs = checked(flat(sources)) if usual is None else usual
        requested = list(map(differentiated, inputs)) if usual is None else usual
        gradients = (
            None
            if output_gradients is not None
            else run_cached(self._calls, targets, requested, self._tracked)
        )
        if gradients is None:
            gradients = self._backpropagate(
                targets, directions(targets, output_gradients), requested
            )
        if unconnected is UnconnectedGradients.ZERO:
            gradients = [
                API["zeros_like"](x) if gradient is None else gradient
                for gradient, x in zip(gradients, requested)
            ]
        self._end()
        if usual is not None:
            return gradients if usual is sources else gradients[0]
        return packed(sources, list(map(like, inputs, gradients)))

    def _gradient_of_operators(
        self, target: Any, sources: Any, output_gradients: Any, unconnected: Any
    ) -> Any:
        """Computes gradients of linear operators: operators of the components' gradients."""
        leaves = flat(sources)
        parts = [nest.flatten(leaf, expand_composites=True) for leaf in leaves]
        gradients = iter(
            self.gradient(
                target, [x for part in parts for x in part], output_gradients, unconnected
            )
        )
        result: list[Any] = []
        for leaf, part in zip(leaves, parts):
            mine = [next(gradients) for _ in part]
            if all(gradient is None for gradient in mine):
                result.append(None)
                continue
            whole = [API["zeros_like"](x) if g is None else g for x, g in zip(part, mine)]
            result.append(nest.pack_sequence_as(leaf, whole, expand_composites=True))
        return packed(sources, result)

    def _backpropagate(
        self, targets: list[Any], output_gradients: list[Any], requested: list[Any]
    ) -> list[Any]:
        """Computes the gradients by a backward pass, without the trace cache."""
        seeds = (
            (t, seed(t, g)) for t, g in zip(targets, output_gradients) if t.dtype.kind != "s"
        )  # not referenced elsewhere
        run_backward: Any = backpropagate
        if thread.scope.graph is not None:
            from twinflow._src.graph.tf_exact.gradient_functions import walk_of_tape as run_backward
        sums = run_backward(self._calls, seeds, self._tracked, set(map(key_of, requested)))
        return [sums.get(source) for source in requested]

    def _begin(self) -> None:
        if self._used:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients "
                "(or jacobians)"
            )
        if self._recording() and not self._persistent:
            self._stop()
        self._releases.let_go(self._tracked)

    def _end(self) -> None:
        if not self._persistent:
            self._used = True
            self._forget()


def _usual(sources: Any) -> list[Any] | None:
    """Returns the sources as a list if all are plain tensors or variables, else None."""
    values = [sources] if type(sources) in FAST else sources
    return values if type(values) is list and FAST.issuperset(map(type, values)) else None
