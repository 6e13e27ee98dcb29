"""``tf.train.ExponentialMovingAverage``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import entered, thread
from twinflow._src.core.dtypes import float32
from twinflow._src.dispatch.op import API
from twinflow._src.graph.collections import GraphKeys
from twinflow._src.graph.default_graph import get_default_graph
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.initializers.v1 import Zeros
from twinflow._src.variables.scopes import get_variable, variable_scope
from twinflow._src.variables.v1_collections import global_variables, trainable_variables
from twinflow._src.variables.variable import BaseResourceVariable, Variable


class ExponentialMovingAverage:
    """Exponential moving averages: ``average = decay * average + (1 - decay) * value``.

    Args:
        decay: The decay.
        num_updates: Number of updates, or None; if small, the decay is reduced.
        zero_debias: If True, averages of tensors, which start at zero, are bias-corrected.
        name: Name used in the names of the variables of averages.
    """

    __module__ = "twinflow.train"

    def __init__(
        self,
        decay: Any,
        num_updates: Any = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self._decay, self._num_updates, self._zero_debias = decay, num_updates, zero_debias
        self._name = name
        self._averages: dict[int, Any] = {}
        self._sources: list[Any] = []  # the averaged objects, whose ids are keys above

    @property
    def name(self) -> str:
        """The name of the averages."""
        return self._name

    def apply(self, var_list: Iterable[Any] | None = None) -> Any:
        """Updates the averages of variables or tensors, and creates them if needed.

        Args:
            var_list: The variables or tensors; all trainable variables if None.

        Returns:
            The op that updates the averages; None in eager execution.

        Raises:
            TypeError: A value is not floating-point, or is a tensor in eager execution.
        """
        values = trainable_variables() if var_list is None else list(var_list)
        graph = thread.scope.graph
        for value in values:
            _check(value, graph is None)
        biased = [self._averaged(value) for value in values]
        if graph is None:
            self._update(values, biased)
            return None
        with graph.name_scope(self._name) as path:
            return API["group"](*self._update(values, biased), name=path)

    def _averaged(self, value: Any) -> bool:
        """Creates the average of a value; returns True if it is new and needs bias correction."""
        key = _key(value)
        if key in self._averages:
            return False
        variable = isinstance(value, BaseResourceVariable)
        self._averages[key] = (_of_variable if variable else _of_tensor)(value, self._name)
        self._sources.append(value)
        if variable:
            get_default_graph().add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, value)
        return self._zero_debias and not variable

    def _update(self, values: list[Any], biased: list[bool]) -> list[Any]:
        decay = convert_to_tensor(self._decay, dtype=float32, name="decay")
        if self._num_updates is not None:
            updates = API["cast"](self._num_updates, float32, name="num_updates")
            decay = API["minimum"](decay, (1.0 + updates) / (10.0 + updates))
        return [
            _assigned(self._averages[_key(value)], value, decay, debias)
            for value, debias in zip(values, biased)
        ]

    def average(self, var: Any) -> Any:
        """Returns the variable that holds the average of a variable or tensor, or None."""
        return self._averages.get(_key(var))

    def average_name(self, var: Any) -> str:
        """Returns the name of the variable of an average, even if it does not exist yet."""
        average = self.average(var)
        if average is not None:
            return str(average.name).removesuffix(":0")
        return get_default_graph().uniquely(f"{_own_name(var)}/{self._name}", mark_as_used=False)

    def variables_to_restore(
        self, moving_avg_variables: Iterable[Any] | None = None
    ) -> dict[str, Any]:
        """Returns a map for a saver that restores averages as the values of variables.

        Args:
            moving_avg_variables: The variables with averages; if None, trainable variables
                and those that have been averaged.

        Returns:
            A dictionary of variables by name in checkpoints.
        """
        if moving_avg_variables is None:
            averaged = get_default_graph().get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES)
            moving_avg_variables = [*trainable_variables(), *averaged]
        by_id = {id(v): v for v in moving_avg_variables}
        restored = {self.average_name(v): v for v in by_id.values()}
        names = {v.name for v in by_id.values()}
        for v in global_variables():
            if v.name not in names and v.op.name not in restored:
                restored[v.op.name] = v
        return restored


def _key(value: Any) -> int:
    if not isinstance(value, BaseResourceVariable):
        return id(value.ref().deref())
    return id(value._handle)


def _own_name(var: Any) -> str:
    return var.op.name if thread.scope.graph is not None else str(var.name).removesuffix(":0")


def _check(value: Any, eager: bool) -> None:
    if eager and not isinstance(value, BaseResourceVariable) and hasattr(value, "dtype"):
        raise TypeError(
            "tf.train.ExponentialMovingAverage does not support non-Variable tensors when eager execution is enabled."
        )
    if not value.dtype.base_dtype.is_floating:
        raise TypeError(f"The variables must be half, float, or double: {value.name}")


# ------------------------------------------------------------------ creation


def _of_variable(variable: Any, name: str) -> Any:
    """Creates an average initialized with the value of a variable."""
    label = f"{_own_name(variable)}/{name}"
    if thread.scope.graph is None:
        with entered(thread.scope.but(name="")), API["device"](variable.device):
            return Variable(variable.read_value(), trainable=False, name=label)
    graph = thread.scope.graph
    with graph.control_dependencies(None):
        first = API["cond"](
            variable.is_initialized(), variable.read_value, lambda: variable.initial_value
        )
    return _slot(label, variable, initializer=first)


def _of_tensor(tensor: SymbolicTensor, name: str) -> Any:
    """Creates an average initialized with zeros."""
    zeros = Zeros(tensor.dtype.base_dtype)
    return _slot(
        f"{tensor.op.name}/{name}",
        tensor,
        shape=tensor.shape,
        dtype=tensor.dtype,
        initializer=zeros,
    )


def _slot(label: str, of: Any, **options: Any) -> Any:
    graph = thread.scope.graph
    with (
        graph.name_scope(None),
        graph.control_dependencies(None),
        graph.colocate_with(of),
        variable_scope(None, label),
    ):
        return get_variable("", trainable=False, use_resource=_is_resource(of), **options)


def _is_resource(value: Any) -> bool | None:
    if not isinstance(value, BaseResourceVariable):
        return None
    return value.dtype.base_dtype is value.dtype


# ------------------------------------------------------------------ updates


def _assigned(average: Any, value: Any, decay: Any, debias: bool) -> Any:
    """Builds the update of an average."""
    if thread.scope.graph is None:
        return _step(average, value, decay)
    with thread.scope.graph.name_scope("AssignMovingAvg") as path:
        return _debiased(average, value, decay) if debias else _step(average, value, decay, path)


def _step(average: Any, value: Any, decay: Any, path: str | None = None) -> Any:
    rest = 1.0 - decay
    dtype = average.dtype.base_dtype
    rest = rest if rest.dtype is dtype else API["cast"](rest, dtype)
    reference = path is not None and not _is_resource(average)
    return average.assign_sub((average.value() - value) * rest, name=path if reference else None)


def _debiased(average: Any, value: Any, decay: Any) -> Any:
    """Updates a zero-initialized average with bias correction."""
    rest = API["cast"](1.0 - decay, average.dtype.base_dtype)
    with variable_scope(average.op.name, values=None):
        options: dict[str, Any] = {
            "trainable": False,
            "initializer": Zeros(average.dtype.base_dtype),
        }
        biased = get_variable("biased", average.shape, average.dtype.base_dtype, **options)
        steps = get_variable("local_step", [], average.dtype.base_dtype, **options)
    total = biased.assign_sub((biased.value() - value) * rest)
    count = steps.assign_add(1.0)
    part = 1.0 - API["pow"](1.0 - rest, count)
    return average.assign(convert_to_tensor(total) / part)
