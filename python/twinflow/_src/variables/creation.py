"""Creation of ``tf.compat.v1.Variable``, and of ``tf.Variable`` in graphs, by variable creators."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from twinflow._src.core.context import thread
from twinflow._src.graph.default_graph import executing_eagerly_outside_functions, get_default_graph
from twinflow._src.variables.graph_variable import GraphVariable
from twinflow._src.variables.options import Described, assert_collections
from twinflow._src.variables.ref_variable import RefVariable
from twinflow._src.variables.variable import Variable

_CREATORS = ("__variable_creators",)


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


@contextmanager
def variable_creator_scope(variable_creator: Callable[..., Any]) -> Iterator[None]:
    """Returns a context manager in which a function creates the variables.

    Args:
        variable_creator: Called as ``variable_creator(next_creator, **arguments)``; returns the
            variable.
    """
    creators = get_default_graph().get_collection_ref(_CREATORS)
    creators.append(variable_creator)
    try:
        yield
    finally:
        creators.pop()


def create_variable(**arguments: Any) -> Any:
    """Creates a variable through the variable creators in scope; see ``GraphVariable``."""
    make: Callable[..., Any] = _plainly
    for creator in get_default_graph().get_collection(_CREATORS):
        make = functools.partial(creator, make)
    return make(**arguments)


def _plainly(**arguments: Any) -> Any:
    use_resource = arguments.pop("use_resource", None)
    if executing_eagerly_outside_functions():
        arguments.pop("expected_shape", None)
        assert_collections(arguments.pop("collections", None))
        return Variable(**arguments)
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


_ORDER = [
    "initial_value",
    "trainable",
    "collections",
    "validate_shape",
    "caching_device",
    "name",
    "variable_def",
    "dtype",
    "expected_shape",
    "import_scope",
    "constraint",
    "use_resource",
    "synchronization",
    "aggregation",
    "shape",
]


class _Kind(type(Variable)):  # type: ignore[misc]
    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is not VariableV1:
            return super().__call__(*args, **kwargs)
        if len(args) > len(_ORDER):
            raise TypeError(
                f"Variable takes at most {len(_ORDER)} arguments but {len(args)} were given"
            )
        return create_variable(**dict(zip(_ORDER, args)), **kwargs)

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
