"""Collections of graph variables, and the initializer ops of TensorFlow 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.conversion.constant import constant
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import string
from twinflow._src.dispatch.op import API, documented_like
from twinflow._src.graph.collections import GraphKeys
from twinflow._src.graph.default_graph import executing_eagerly, get_default_graph


def get_collection(key: Any, scope: str | None = None) -> list[Any]:
    """Returns the values of a collection of the default graph; see ``Graph.get_collection``."""
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key: Any) -> list[Any]:
    """Returns the mutable list of a collection of the default graph."""
    return get_default_graph().get_collection_ref(key)


def add_to_collection(name: Any, value: Any) -> None:
    """Adds a value to a collection of the default graph."""
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names: Any, value: Any) -> None:
    """Adds a value to several collections of the default graph."""
    get_default_graph().add_to_collections(names, value)


def _lister(key: str, what: str) -> Callable[..., list[Any]]:
    def variables(scope: str | None = None) -> list[Any]:
        return get_collection(key, scope)

    variables.__doc__ = f"""The {what} of the default graph.

    Args:
        scope: A pattern that the beginning of their names must match; None takes all.
    """
    return variables


global_variables = _lister(GraphKeys.GLOBAL_VARIABLES, "variables that all steps share")
local_variables = _lister(GraphKeys.LOCAL_VARIABLES, "variables that are never saved")
trainable_variables = _lister(GraphKeys.TRAINABLE_VARIABLES, "variables that optimizers train")
model_variables = _lister(GraphKeys.MODEL_VARIABLES, "variables of models")
moving_average_variables = _lister(
    GraphKeys.MOVING_AVERAGE_VARIABLES, "variables with moving averages"
)


def all_variables() -> list[Any]:
    """Returns the global variables; the older name of ``global_variables``."""
    return global_variables()


# ------------------------------------------------------------------ initialization


def variables_initializer(var_list: Any, name: str = "init") -> Any:
    """Adds an operation that initializes variables.

    Args:
        var_list: The variables.
        name: A name for the operation.

    Returns:
        The operation; None in eager execution, where variables always have values.
    """
    if executing_eagerly():
        return None
    if var_list:
        return API["group"](*[variable.initializer for variable in var_list], name=name)
    return API["no_op"](name=name)


def global_variables_initializer() -> Any:
    """Adds an operation that initializes all global variables."""
    return None if executing_eagerly() else variables_initializer(global_variables())


def local_variables_initializer() -> Any:
    """Adds an operation that initializes all local variables."""
    return None if executing_eagerly() else variables_initializer(local_variables())


def initialize_all_variables() -> Any:
    """Adds an operation that initializes all global variables; an older name."""
    return global_variables_initializer()


def initialize_local_variables() -> Any:
    """Adds an operation that initializes all local variables; an older name."""
    return local_variables_initializer()


def initialize_variables(var_list: Any, name: str = "init") -> Any:
    """Adds an operation that initializes variables; see ``variables_initializer``."""
    return variables_initializer(var_list, name)


def tables_initializer(name: str = "init_all_tables") -> Any:
    """Adds an operation that initializes all tables of the graph."""
    initializers = get_collection(GraphKeys.TABLE_INITIALIZERS)
    return API["group"](*initializers, name=name) if initializers else API["no_op"](name=name)


def initialize_all_tables(name: str = "init_all_tables") -> Any:
    """Adds an operation that initializes all tables; the older name of ``tables_initializer``."""
    return tables_initializer(name)


# ------------------------------------------------------------------ initialization checks


def is_variable_initialized(variable: Any) -> Any:
    """Returns a boolean tensor: True if a variable is initialized."""
    return variable.is_initialized()


def report_uninitialized_variables(
    var_list: Any = None, name: str = "report_uninitialized_variables"
) -> Any:
    """Returns the names of uninitialized variables.

    Args:
        var_list: The variables; all global and local ones where None.
        name: A name for the operations.

    Returns:
        A vector of strings.
    """
    variables = global_variables() + local_variables() if var_list is None else list(var_list)
    if executing_eagerly() or not variables:
        return constant(np.array([], object), dtype=string)
    with thread.scope.graph.name_scope(name):
        lacking = API["logical_not"](API["stack"]([v.is_initialized() for v in variables]))
        names = constant([v.op.name for v in variables])
        return API["boolean_mask"](names, lacking)


@documented_like(report_uninitialized_variables)
def assert_variables_initialized(var_list: Any = None) -> Any:
    """Adds an operation that fails where a variable is uninitialized.

    Returns:
        The operation, or None where there are no variables.
    """
    variables = global_variables() + local_variables() if var_list is None else list(var_list)
    if not variables:
        return None
    ranks = [API["rank"](variable.value()) for variable in variables]
    return ranks[0] if len(ranks) == 1 else API["stack"](ranks)
