"""Variable stores: the variables of ``get_variable`` by name, and their creation."""

from __future__ import annotations

import functools
import inspect
from collections import Counter
from collections.abc import Callable
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import entered, thread
from twinflow._src.core.shapes import TensorShape
from twinflow._src.graph.collections import VARIABLE_STORE, GraphKeys
from twinflow._src.graph.default_graph import executing_eagerly, get_default_graph, plain_graph
from twinflow._src.variables.creation import create_variable
from twinflow._src.variables.options import VariableSynchronization
from twinflow._src.variables.partitioned import PartitionedVariable, part_shapes, parts_of

_REUSE = "Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in VarScope?"
_AUTO = "Did you mean to set reuse=tf.AUTO_REUSE in VarScope?"


def store_of(graph: Any) -> VariableStore:
    """Returns the variable store of a graph; created on first use."""
    stores = graph.get_collection_ref(VARIABLE_STORE)
    if not stores:
        stores.append(VariableStore())
    return stores[0]


class VariableStore:
    """The variables of a graph that ``get_variable`` created; in eager execution only if it
    ``keeps``.

    ``opened`` counts how often each variable scope was opened; ``inside`` are the names of those in
    each.
    """

    def __init__(self, keeps: bool = False) -> None:
        self.keeps = keeps
        self.variables: dict[str, Any] = {}
        self.partitioned: dict[str, PartitionedVariable] = {}
        self.opened: Counter[str] = Counter()
        self.inside: dict[str, set[str]] = {}

    def open_scope(self, name: str) -> None:
        """Counts a variable scope that is opened."""
        self.opened[name] += 1
        for end in (i for i, letter in enumerate(name) if letter == "/"):
            self.inside.setdefault(name[:end], set()).add(name)

    def forget_inside(self, name: str) -> None:
        """Resets the counts of the variable scopes in one that is left."""
        for inner in self.inside.pop(name, ()):
            self.opened.pop(inner, None)

    def get(self, name: str, custom_getter: Any = None, **options: Any) -> Any:
        """Returns the variable of a full name, existing or new."""
        if custom_getter is None:
            return self._create(name, **options)
        if not callable(custom_getter):
            raise ValueError(f"Passed a custom_getter which is not callable: {custom_getter}")
        return custom_getter(getter=self._getter, name=name, **options)

    def _getter(self, name: str, shape: Any = None, **options: Any) -> Any:
        """Returns a variable; the default getter that custom getters call."""
        shape = None if shape is None else TensorShape(shape)
        return self._create(name, shape=shape, **options)

    def _create(self, name: str, partitioner: Any = None, **options: Any) -> Any:
        shape = options.get("shape")
        again = options.get("reuse") is True and name in self.partitioned
        if again or (partitioner is not None and (shape is None or shape.rank != 0)):
            return self._in_parts(name.removesuffix("/"), partitioner, **options)
        if f"{name}/part_0" in self.variables:
            raise ValueError(
                "No partitioner was provided, but a partitioned version of the variable was found: "
                f"{name}/part_0. Perhaps a variable of the same name was already created with partitioning?"
            )
        return self._single(name, **options)

    # ---------------------------------------------------------------- single variables
    def _single(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = None,
        initializer: Any = None,
        reuse: Any = None,
        **options: Any,
    ) -> Any:
        is_value = initializer is not None and not callable(initializer)
        if shape is not None and is_value:
            raise ValueError("If initializer is a constant, do not specify shape.")
        if name in self.variables:
            return self._existing(name, shape, dtype, reuse)
        if reuse is True:
            raise ValueError(
                f"Variable {name} does not exist, or was not created with tf.get_variable(). {_AUTO}"
            )
        first, value_dtype = initial_value(
            name, shape, dtype, initializer, options.pop("partition_info", None)
        )
        regularizer = options.pop("regularizer", None)
        options.pop("custom_getter", None)
        if options.get("trainable") is None:
            options["trainable"] = (
                options.get("synchronization") is not VariableSynchronization.ON_READ
            )
        variable = create_variable(
            initial_value=first, name=name, dtype=value_dtype, shape=shape, **options
        )
        if self.keeps or not executing_eagerly():
            self.variables[name] = variable
        if regularizer is not None:
            _regularized(regularizer, variable, name)
        return variable

    def _existing(self, name: str, shape: Any, dtype: Any, reuse: Any) -> Any:
        if not reuse:
            raise ValueError(f"Variable {name} already exists, disallowed. {_REUSE}")
        variable = self.variables[name]
        shared = f"Trying to share variable {name}, but specified"
        if shape is not None and not shape.is_compatible_with(variable.shape):
            raise ValueError(f"{shared} shape {shape} and found shape {variable.shape}.")
        if dtype.base_dtype is not variable.dtype.base_dtype:
            raise ValueError(f"{shared} dtype {dtype.name} and found dtype {variable.dtype.name}.")
        return variable

    # ---------------------------------------------------------------- partitions
    def _in_parts(self, name: str, partitioner: Any, **options: Any) -> Any:
        shape, initializer, reuse = (
            options.pop("shape"),
            options.pop("initializer"),
            options["reuse"],
        )
        is_value = initializer is not None and not callable(initializer)
        if is_value:
            initializer, graph = (
                convert_to_tensor(initializer, options["dtype"]),
                thread.scope.graph,
            )
            initializer = initializer if graph is None else graph.own(initializer)
            shape = initializer.shape
        if shape is None or not shape.is_fully_defined():
            raise ValueError(
                f"Shape of a new partitioned variable ({name}) must be fully defined, but instead was {shape}."
            )
        if name in self.partitioned:
            return self._existing_parts(name, shape, options["dtype"], partitioner, reuse)
        if reuse is True:
            raise ValueError(
                f"PartitionedVariable {name} does not exist, or was not created with tf.get_variable(). {_AUTO}"
            )
        counts = parts_of(partitioner, shape, options["dtype"])
        parts = []
        for i, (offset, size) in enumerate(part_shapes(shape, counts)):
            how = {
                "initializer": initializer,
                "shape": TensorShape(size),
                "partition_info": _PartitionInfo(shape, offset),
            }
            if is_value:
                how = {"initializer": _slice(initializer, offset, size), "shape": None}
            part = self._single(f"{name}/part_{i}", **how, **options)
            part._set_save_slice_info(_saved(name, shape, offset, size))
            parts.append(part)
        whole = PartitionedVariable(name, shape, options["dtype"], parts, counts)
        if not executing_eagerly():
            self.partitioned[name] = whole
        return whole

    def _existing_parts(
        self, name: str, shape: Any, dtype: Any, partitioner: Any, reuse: Any
    ) -> Any:
        if not reuse:
            raise ValueError(f"Partitioned variable with name {name} already exists. {_REUSE}")
        variable = self.partitioned[name]
        if not shape.is_compatible_with(variable.shape):
            raise ValueError(
                f"Trying to reuse partitioned variable {name}, but specified shape {shape} and found shape "
                f"{variable.shape}."
            )
        if not dtype.is_compatible_with(variable.dtype):
            raise ValueError(
                f"Trying to reuse partitioned variable {name}, but specified dtype {dtype.name} and found dtype "
                f"{variable.dtype.name}."
            )
        counts = (
            variable._get_partitions()
            if partitioner is None
            else parts_of(partitioner, shape, dtype)
        )
        if counts != variable._get_partitions():
            raise ValueError(
                f"Trying to reuse partitioned variable {name}, but specified partitions {counts} and found "
                f"partitions {variable._get_partitions()}."
            )
        return variable


class _PartitionInfo:
    """The slice of a variable that an initializer computes, with the full shape and the offset."""

    def __init__(self, full_shape: TensorShape, var_offset: list[int]) -> None:
        self.full_shape, self.var_offset = full_shape, var_offset


def _saved(name: str, shape: TensorShape, offset: list[int], size: list[int]) -> Any:
    from twinflow._src.variables.variable import Variable

    return Variable.SaveSliceInfo(name, shape.as_list(), offset, size)


def _slice(value: Any, offset: list[int], size: list[int]) -> Any:
    from twinflow._src.dispatch.op import API

    return API["slice"](value, offset, size)


# ------------------------------------------------------------------ initial values


def initial_value(
    name: str, shape: Any, dtype: Any, initializer: Any, part: Any = None
) -> tuple[Any, Any]:
    """Returns the initial value of a variable, and its dtype unless it is that of the value."""
    if initializer is None:
        initializer = default_initializer(name, shape, dtype)
    if not callable(initializer):
        return initializer, None
    initializer = initializer() if inspect.isclass(initializer) else initializer
    if shape is not None and shape.is_fully_defined():
        how: dict[str, Any] = {"dtype": dtype}
        if "partition_info" in inspect.signature(initializer).parameters:
            how["partition_info"] = part
        return functools.partial(initializer, shape.as_list(), **how), dtype.base_dtype
    if shape is None and _takes_nothing(initializer):
        return initializer, None
    raise ValueError(
        "The initializer passed is not valid. It should be a callable with no arguments and the shape should "
        "not be provided or an instance of `tf.keras.initializers.*' and `shape` should be fully defined."
    )


def _takes_nothing(function: Callable[..., Any]) -> bool:
    parameters = inspect.signature(function).parameters.values()
    return all(
        p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters
    )


def default_initializer(name: str, shape: Any, dtype: Any) -> Any:
    """Returns the initializer of a variable where none is specified."""
    from twinflow._src.initializers.v1 import GlorotUniform, Zeros

    if shape is None:
        raise ValueError(
            f"Variable {name} did not get an initializer, so its `shape` argument must be specified."
        )
    if dtype.is_floating:
        return GlorotUniform()
    if dtype.is_integer or dtype.is_bool or dtype.kind == "s":
        return Zeros()
    raise ValueError(f"An initializer for variable {name} of {dtype.base_dtype} is required")


class Penalty:
    """The loss of a variable from a regularizer, recomputed at each conversion to a tensor."""

    def __init__(self, regularizer: Callable[[Any], Any], variable: Any, now: Any) -> None:
        self._regularizer, self._variable = regularizer, variable
        self.dtype, self.shape = now.dtype, now.shape

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        return convert_to_tensor(self._regularizer(self._variable), dtype, name=name)


def _regularized(regularizer: Any, variable: Any, name: str) -> None:
    """Adds the regularization loss of a variable to the losses of the graph."""
    if executing_eagerly():
        now = regularizer(variable)
        if now is not None:
            loss = Penalty(regularizer, variable, convert_to_tensor(now))
            get_default_graph().add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)
        return
    graph = plain_graph() or thread.scope.graph
    with entered(thread.scope.but(controls=())), graph.name_scope(f"{name}/Regularizer/"):
        loss = regularizer(variable)
    if loss is not None:
        graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)
