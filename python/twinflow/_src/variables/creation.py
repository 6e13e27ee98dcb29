"""Creation of ``tf.compat.v1.Variable``, and of ``tf.Variable`` in graphs, by variable creators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.core.context import altered, runtime, thread
from twinflow._src.core.dtypes import as_dtype, int32
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.op import export
from twinflow._src.graph.default_graph import executing_eagerly_outside_functions, plain_graph
from twinflow._src.variables.graph_variable import GraphVariable
from twinflow._src.variables.handle import Handle
from twinflow._src.variables.options import (
    Creator,
    Described,
    VariableAggregation,
    VariableAggregationV2,
    VariableSynchronization,
    assert_collections,
    before,
    creators,
)
from twinflow._src.variables.ref_variable import RefVariable
from twinflow._src.variables.variable import ResourceVariable, Variable


class _Modes:
    """Process-wide settings."""

    resources = True  # True if variables of graphs are resource variables by default


def enable_resource_variables() -> None:
    """Makes variables of graphs resource variables by default, which is the initial setting."""
    _Modes.resources = True


def disable_resource_variables() -> None:
    """Makes variables of graphs reference variables by default."""
    _Modes.resources = False


def resource_variables_enabled() -> bool:
    """True if variables of graphs are resource variables by default."""
    return _Modes.resources


# Returns ``use_resource`` of the current variable scope; set by the module of scopes.
scope_wants: Callable[[], Any] = lambda: None


class _CreatorOfGraph:
    """A variable creator that is called in one graph, or in eager execution, only."""

    def __init__(self, creator: Creator, graph: Any) -> None:
        self._creator, self._graph = creator, graph

    def __call__(self, make: Callable[..., Any], **options: Any) -> Any:
        if plain_graph() is not self._graph:
            return make(**options)
        return self._creator(make, **options)


@export("variable_creator_scope")
def variable_creator_scope(variable_creator: Creator) -> Any:
    """Returns a context manager in which a function creates the variables of the current graph.

    Args:
        variable_creator: Called as ``variable_creator(next_creator, **options)`` with every option
            of ``tf.Variable`` by name, and those of ``tf.compat.v1.Variable`` where such a variable
            is created. It returns the variable, usually the result of ``next_creator(**options)``
            with these or other options. Of nested scopes the innermost creator is called first.
    """
    creator = _CreatorOfGraph(variable_creator, plain_graph())
    return altered(creators, "stack", lambda outer: (*outer, creator))


# The options of tf.compat.v1.Variable that creators get where a program gives none.
_DEFAULTS = {
    "initial_value": None,
    "trainable": None,
    "collections": None,
    "validate_shape": True,
    "caching_device": None,
    "name": None,
    "variable_def": None,
    "dtype": None,
    "expected_shape": None,
    "import_scope": None,
    "constraint": None,
    "use_resource": None,
    "synchronization": VariableSynchronization.AUTO,
    "aggregation": VariableAggregation.NONE,
    "shape": None,
}


def create_variable(**arguments: Any) -> Any:
    """Creates a variable through the variable creators in scope; see ``GraphVariable``."""
    make: Callable[..., Any] = _plainly
    if creators.stack:
        arguments = {
            **_DEFAULTS,
            "experimental_enable_variable_lifting": None,
            **arguments,
        }
        is_eager = executing_eagerly_outside_functions()
        for creator in creators.stack:  # those of strategies make no variables of graphs
            if is_eager or isinstance(creator, _CreatorOfGraph):
                make = before(make, creator)
    return make(**arguments)


def _plainly(**arguments: Any) -> Any:
    use_resource = arguments.pop("use_resource", None)
    if executing_eagerly_outside_functions():
        arguments.pop("expected_shape", None)
        assert_collections(arguments.pop("collections", None))
        return ResourceVariable(**arguments)
    if use_resource is None:
        use_resource = scope_wants()
    if use_resource is None:
        use_resource = _Modes.resources
    return _built(GraphVariable if use_resource else RefVariable, arguments)


def _built(kind: Any, arguments: dict[str, Any]) -> Any:
    definition = arguments.pop("variable_def", None)
    if definition is None:
        return kind(**arguments)
    if arguments.get("initial_value") is not None:
        raise ValueError(kind._both_text.format(definition, arguments["initial_value"]))
    return Described.from_proto(definition, arguments.get("import_scope"))


class _Kind(type(Variable)):  # type: ignore[misc]
    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is not VariableV1:
            return super().__call__(*args, **kwargs)
        if len(args) > len(_DEFAULTS):
            raise TypeError(
                f"Variable takes at most {len(_DEFAULTS)} arguments but {len(args)} were given"
            )
        return create_variable(**dict(zip(_DEFAULTS, args)), **kwargs)

    def __instancecheck__(cls, instance: Any) -> bool:
        return (
            isinstance(instance, RefVariable)
            if cls is VariableV1
            else super().__instancecheck__(instance)
        )


class VariableV1(Variable, metaclass=_Kind):
    """A TensorFlow 1 variable: in a graph it has a value once its initializer has run.

    Args:
        initial_value: The initial value, or a callable that returns it.
        trainable: Whether optimizers train it; True where None.
        collections: The collections of the graph to add it to; ``GLOBAL_VARIABLES`` where None.
        validate_shape: Whether the variable has the static shape of its initial value.
        caching_device: Accepted and without effect.
        name: The name, ``"Variable"`` where None; in a graph, a suffix makes it unique.
        dtype: The dtype; that of the initial value where None.
        constraint: A function that an optimizer applies to the value after each update.
        use_resource: Whether to create a resource variable; the setting of the variable scope where
            None.
    """


VariableV1.__name__ = VariableV1.__qualname__ = "Variable"


def in_graph() -> bool:
    """True if operations are added to a graph that is run by sessions."""
    return thread.scope.graph is not None and not executing_eagerly_outside_functions()


def uninitialized_variable(
    name: str,
    dtype: Any,
    shape: Any,
    trainable: bool = True,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregationV2.NONE,
    device: str = "",
) -> Any:
    """Returns an eager variable without a value, for which nothing is allocated."""
    variable: Any = ResourceVariable.__new__(ResourceVariable)
    dtype = as_dtype(dtype).base_dtype
    place = runtime.place(device or thread.scope.around)
    if place.kind != "CPU" and (dtype is int32 or not place.backend.holds(dtype.np)):
        place = runtime.host
    variable._synchronization, variable._aggregation = synchronization, aggregation
    variable._shape, variable._trainable = TensorShape(shape), trainable
    variable._constraint = None
    variable._handle = Handle(None, place, dtype, name)
    return variable
