"""Base class of TensorFlow 1 optimizers: gradients, slots, train op."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from twinflow._src.autodiff.tape import GradientTape
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core import nest
from twinflow._src.core.context import entered, runtime, thread
from twinflow._src.core.dtypes import as_dtype, bfloat16, float16, float32, float64
from twinflow._src.dispatch.execute import execute
from twinflow._src.dispatch.op import API, documented_like
from twinflow._src.graph.collections import GraphKeys
from twinflow._src.graph.default_graph import executing_eagerly, plain_graph
from twinflow._src.graph.gradients import gradients_v1
from twinflow._src.initializers.v1 import Constant, Ones, Zeros
from twinflow._src.trackable.trackable import Trackable
from twinflow._src.train.optimizers.updates import LegacyUpdate
from twinflow._src.variables.creation import create_variable
from twinflow._src.variables.ref_variable import RefVariable
from twinflow._src.variables.scopes import get_variable, variable_scope
from twinflow._src.variables.v1_collections import trainable_variables

_TRAINED = (float32, float64, float16, bfloat16)


class Optimizer(Trackable):
    """Base class of TensorFlow 1 optimizers.

    Args:
        use_locking: Accepted and without effect: updates are atomic.
        name: The name scope of the ops.

    Raises:
        ValueError: There is no name.
    """

    GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2

    def __init__(self, use_locking: bool, name: str) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._use_locking, self._name = use_locking, name
        self._slots: dict[str, dict[int, Any]] = {}
        self._others: dict[tuple[str, Any], Any] = {}  # keyed by name and graph

    def get_name(self) -> str:
        """Returns the name."""
        return self._name

    # ---------------------------------------------------------------- to be overridden
    def _prepare(self) -> None:
        """Converts the hyperparameters to tensors."""

    def _create_slots(self, var_list: list[Any]) -> None:
        """Creates the slots of variables."""

    def _apply(self, grad: Any, var: Any) -> Any:
        """Applies a gradient by one of the four methods that user-defined optimizers override."""
        reference = isinstance(var, RefVariable)
        if not isinstance(grad, IndexedSlices):
            return (
                self._apply_dense(grad, var) if reference else self._resource_apply_dense(grad, var)
            )
        if reference:
            return self._apply_sparse_duplicate_indices(grad, var)
        return self._resource_apply_sparse_duplicate_indices(grad.values, var, grad.indices)

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        raise NotImplementedError()

    def _resource_apply_dense(self, grad: Any, handle: Any) -> Any:
        raise NotImplementedError()

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        raise NotImplementedError()

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> Any:
        raise NotImplementedError()

    def _apply_sparse_duplicate_indices(self, grad: Any, var: Any) -> Any:
        """Applies IndexedSlices after summing duplicate indices."""
        return self._apply_sparse(
            IndexedSlices(*_sum_duplicates(grad.values, grad.indices), grad.dense_shape), var
        )

    def _resource_apply_sparse_duplicate_indices(self, grad: Any, handle: Any, indices: Any) -> Any:
        """Applies IndexedSlices after summing duplicate indices."""
        values, rows = _sum_duplicates(grad, indices)
        return self._resource_apply_sparse(values, handle, rows)

    def _finish(self, update_ops: list[Any], name_scope: str) -> Any:
        return API["group"](*update_ops, name=name_scope)

    # ---------------------------------------------------------------- training steps
    def minimize(
        self,
        loss: Any,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Any:
        """Minimizes a loss by updating variables.

        Args:
            loss: A tensor; in eager execution, a callable that returns one.
            global_step: A variable that counts steps, or None.
            var_list: The variables; all trainable variables if None.
            gate_gradients: With ``GATE_OP``, gradients of an op are all computed before use.
            aggregation_method: Accepted and without effect.
            colocate_gradients_with_ops: If True, gradients are colocated with their ops.
            name: The name of the train op.
            grad_loss: The upstream gradient of the loss, or None.

        Returns:
            The train op; None in eager execution.

        Raises:
            ValueError: There are no variables, or the loss depends on none of them.
        """
        pairs = self.compute_gradients(
            loss,
            var_list,
            gate_gradients,
            aggregation_method,
            colocate_gradients_with_ops,
            grad_loss,
        )
        if not any(gradient is not None for gradient, _ in pairs):
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not support "
                f"gradients, between variables {[str(v) for _, v in pairs]} and loss {loss}."
            )
        return self.apply_gradients(pairs, global_step=global_step, name=name)

    def compute_gradients(
        self,
        loss: Any,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Any, Any]]:
        """Computes the gradients of a loss with respect to variables; see ``minimize``.

        Returns:
            Pairs of a gradient and a variable.
        """
        if callable(loss):
            return self._taped(loss, var_list, grad_loss)
        if gate_gradients not in (self.GATE_NONE, self.GATE_OP, self.GATE_GRAPH):
            raise ValueError(
                "gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, Optimizer.GATE_GRAPH.  Not "
                f"{gate_gradients}"
            )
        if executing_eagerly():
            raise RuntimeError(
                "`loss` passed to Optimizer.compute_gradients should be a function when eager execution is enabled."
            )
        variables = _variables(var_list)
        _assert_trained(loss)
        gated = gate_gradients == self.GATE_OP
        grads = gradients_v1(
            loss,
            variables,
            grad_loss,
            gate_gradients=gated,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
        )
        return list(zip(grads, variables))

    def _taped(self, loss: Callable[[], Any], var_list: Any, weight: Any) -> list[tuple[Any, Any]]:
        with GradientTape() as tape:
            if var_list is not None:
                tape.watch(list(var_list))
            value = loss()
        variables = list(tape.watched_variables()) if var_list is None else list(var_list)
        return list(zip(tape.gradient(value, variables, weight), variables))

    @documented_like(minimize)
    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Applies gradients to variables.

        Args:
            grads_and_vars: Pairs of a gradient, or None, and a variable.

        Raises:
            ValueError: There are no variables, or no gradients.
        """
        pairs = [
            (g if g is None or is_tensor(g) or hasattr(g, "indices") else convert_to_tensor(g), v)
            for g, v in grads_and_vars
        ]
        if not pairs:
            raise ValueError("No variables provided.")
        present = [(g, v) for g, v in pairs if g is not None]
        if not present:
            raise ValueError(
                f"No gradients provided for any variable: {[str(v) for _, v in pairs]}."
            )
        if runtime.replicated and any(v._values is not None for _, v in present):
            from twinflow._src.wings.distribute.variables import step_once

            return step_once(self, present, global_step)
        self._create_slots([v for _, v in present])
        graph = thread.scope.graph
        if graph is None:
            self._prepare()
            return self._run_step(present, global_step)
        with graph.name_scope(name or self._name) as path:
            self._prepare()
            step = self._step(graph, present, global_step, path)
        graph.add_to_collections([GraphKeys.TRAIN_OP], step)
        return step

    def _update(self, gradient: Any, variable: Any) -> Any:
        """Applies a gradient, then the variable's constraint."""
        constraint = variable.constraint
        if constraint is None:
            return self._apply(gradient, variable)
        if isinstance(gradient, IndexedSlices):
            raise RuntimeError("Cannot use a constraint function on a sparse variable.")
        update = self._apply(gradient, variable)
        with API["control_dependencies"]([] if update is None else [update]):
            variable.assign(constraint(variable), read_value=False)
        return update if thread.scope.graph is None else thread.scope.graph.newest

    def _run_step(self, pairs: list[tuple[Any, Any]], global_step: Any) -> None:
        for gradient, variable in pairs:
            self._update(gradient, variable)
        self._finish([], "")
        if global_step is not None:
            global_step.assign_add(1)

    def _step(self, graph: Any, pairs: list[tuple[Any, Any]], global_step: Any, path: str) -> Any:
        updates = []
        for gradient, variable in pairs:
            with graph.name_scope(f"update_{_own_name(variable)}"), graph.colocate_with(variable):
                updates.append(self._update(gradient, variable))
        if global_step is None:
            return self._finish(updates, path)
        finished = self._finish(updates, "update")
        scope = thread.scope
        with (
            entered(scope.but(controls=(*scope.controls, finished))),
            graph.colocate_with(global_step),
        ):
            return global_step.assign_add(1, name=path, read_value=False)

    # ---------------------------------------------------------------- slots
    def get_slot(self, var: Any, name: str) -> Any:
        """Returns the slot of a variable by name, or None."""
        return self._slots.get(name, {}).get(id(var._handle))

    def get_slot_names(self) -> list[str]:
        """Returns the names of slots."""
        return sorted(self._slots)

    def variables(self) -> list[Any]:
        """Returns all variables created by the optimizer."""
        here = plain_graph()
        kept = [
            v
            for slots in self._slots.values()
            for v in slots.values()
            if getattr(v, "_graph", None) is here
        ]
        return sorted([*self._others_here().values(), *kept], key=lambda v: v.name)

    def _slot(self, var: Any, name: str, op_name: str, value: float = 0.0) -> Any:
        """Returns a slot; created with a constant if missing."""
        slot, dtype = self.get_slot(var, name), var.dtype.base_dtype
        if slot is not None:
            return slot
        return self._get_or_make_slot_with_initializer(
            var, _first(value, dtype), var.shape, dtype, name, op_name
        )

    def _zeros_slot(self, var: Any, slot_name: str, op_name: str) -> Any:
        """Returns a slot; created with zeros if missing."""
        return self._slot(var, slot_name, op_name)

    def _get_or_make_slot(self, var: Any, val: Any, slot_name: str, op_name: str) -> Any:
        """Returns a slot; created with the value of a tensor if missing."""
        return self._get_or_make_slot_with_initializer(var, val, None, None, slot_name, op_name)

    def _get_or_make_slot_with_initializer(
        self, var: Any, initializer: Any, shape: Any, dtype: Any, slot_name: str, op_name: str
    ) -> Any:
        """Returns a slot; created with an initializer if missing."""
        slots = self._slots.setdefault(slot_name, {})
        key = id(var._handle)
        if key not in slots:
            label = _own_name(var) or var._shared_name
            resource = not isinstance(var, RefVariable)
            with (
                _together(var),
                _colocate_with(var),
                variable_scope(None, f"{label}/{op_name}", use_resource=resource),
            ):
                slots[key] = get_variable("", shape, dtype, initializer, trainable=False)
            self._restore_late(f"{slot_name}/{key}", slots[key])
        return slots[key]

    def _slot_to_restore(self, var: Any, name: str) -> Any:
        """Returns a slot to restore; created in eager execution, else None if missing."""
        label, value = next(
            ((n, first) for slot, n, first in self._slot_rows if slot == name), (self._name, 0.0)
        )
        value = getattr(self, value) if isinstance(value, str) else value
        eager = thread.scope.graph is None
        return self._slot(var, name, label, value) if eager else self.get_slot(var, name)

    # Slots: name, name used in variable names, initial value or the attribute that holds it.
    _slot_rows: list[tuple[str, str, float | str]] = []

    def _other(self, name: str, value: float, var_list: list[Any]) -> Any:
        """Returns a scalar variable shared by all variables.

        A reference if the first of them is one.
        """
        key = (name, plain_graph())
        if key not in self._others:
            first = convert_to_tensor(value, float32) if thread.scope.graph is None else value
            of = min(var_list, key=lambda v: v.name)
            resource = not isinstance(of, RefVariable)
            with _colocate_with(of):
                self._others[key] = create_variable(
                    initial_value=first, name=name, trainable=False, use_resource=resource
                )
            self._restore_late(name, self._others[key])
        return self._others[key]

    def _others_here(self) -> dict[str, Any]:
        """Returns the shared scalar variables of the current graph, by name."""
        here = plain_graph()
        return dict(sorted((name, v) for (name, graph), v in self._others.items() if graph is here))

    def _trackable_children(
        self, save_type: Any = "checkpoint", cache: Any = None, **kwargs: Any
    ) -> dict[str, Any]:
        return super()._trackable_children(save_type, cache, **kwargs) | self._others_here()

    def _lookup_dependency(self, name: str, cached_dependencies: Any = None) -> Any:
        return self._others_here().get(name) or super()._lookup_dependency(name)


def summed(slices: Any) -> Any:
    """Returns IndexedSlices with duplicate indices summed."""
    values, indices = _sum_duplicates(slices.values, slices.indices)
    return IndexedSlices(values, indices, slices.dense_shape)


def _sum_duplicates(values: Any, indices: Any) -> tuple[Any, Any]:
    """Returns slices with duplicate indices summed, and the unique indices."""
    rows, positions = API["unique"](indices)
    return API["math.unsorted_segment_sum"](values, positions, API["shape"](rows)[0]), rows


def _first(value: float, dtype: Any) -> Any:
    """Returns the initializer of a slot."""
    return {0.0: Zeros(dtype), 1.0: Ones(dtype)}.get(value) or Constant(value, dtype)


def _own_name(var: Any) -> str:
    """Returns the name of a variable's op; empty if the variable is not part of a graph."""
    op = getattr(var, "op", None)
    return "" if op is None else op.name


def _together(var: Any) -> Any:
    """Returns a context manager that colocates ops with a variable (attribute ``_class``)."""
    graph, name = thread.scope.graph, _own_name(var)
    return (
        graph.marked(_class=[f"loc:@{name}".encode()])
        if graph is not None and name
        else nullcontext()
    )


def _colocate_with(var: Any) -> Any:
    """Returns a context manager that creates variables on the device of another one, if eager."""
    graph = thread.scope.graph
    return API["device"](var.device) if graph is None or graph.building_function else nullcontext()


def _assert_trained(tensor: Any) -> None:
    """Raises ValueError if the dtype of a tensor is not trainable."""
    if tensor.dtype.base_dtype not in _TRAINED:
        expected = ", ".join(map(repr, _TRAINED))
        raise ValueError(
            f"Invalid type {tensor.dtype!r} for {tensor.name}, expected: [{expected}]."
        )


def _variables(var_list: Any) -> list[Any]:
    variables = trainable_variables() if var_list is None else _flat(var_list)
    if not variables:
        raise ValueError("No variables to optimize.")
    return variables


def _flat(values: Any) -> list[Any]:
    """Returns the variables of a structure, and the parts of partitioned ones."""
    listed = nest.flatten(values)
    return [part for v in listed for part in (v if hasattr(v, "_get_variable_list") else [v])]


def number(value: Any, name: str) -> Any:
    """Converts a hyperparameter, possibly callable, to a tensor."""
    return convert_to_tensor(value() if callable(value) else value, dtype_hint=float32, name=name)


def apply_update(
    update: LegacyUpdate,
    variables: list[Any],
    numbers: list[Any],
    gradient: Any,
    settings: dict[str, Any],
) -> Any:
    """Updates a variable and its slots; in a graph, adds the op and returns it."""
    # ``variables`` are the variable and its slots, ``numbers`` the scalars in the op's order.
    graph, is_sparse = thread.scope.graph, isinstance(gradient, IndexedSlices)
    type = update.type_for(not isinstance(variables[0], RefVariable), is_sparse)
    dtype, op = variables[0].dtype.base_dtype, update.op(type)
    if graph is None:
        inputs = update.in_order(type, gradient, _scalars(update, numbers, dtype))
        return execute(op, [*variables, *inputs], settings)
    with graph.name_scope(type) as path:
        scalars = _scalars(update, numbers, dtype)
        inputs = [graph.own(x) for x in update.in_order(type, gradient, scalars)]
    graph.add(op, (*variables, *inputs), settings, path[:-1])
    return graph.newest


def _scalars(update: LegacyUpdate, numbers: list[Any], dtype: Any) -> list[Any]:
    """Converts the scalars of an op to the dtype of the variable, except for the global step."""
    names = [name for name in update.inputs(update.type) if name != "grad"]
    return [
        convert_to_tensor(x) if name == "global_step" else _cast_number(x, dtype)
        for name, x in zip(names, numbers, strict=True)
    ]


def _cast_number(value: Any, dtype: Any) -> Any:
    is_same = as_dtype(getattr(value, "dtype", dtype)).base_dtype is dtype
    return convert_to_tensor(value) if is_same else API["cast"](value, dtype)
