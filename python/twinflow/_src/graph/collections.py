"""Collections of graphs: named lists of values, such as the variables."""

from __future__ import annotations

import re
from typing import Any


class GraphKeys:
    """The names of the standard collections."""

    GLOBAL_VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    SUMMARIES = "summaries"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    REGULARIZATION_LOSSES = "regularization_losses"
    CONCATENATED_VARIABLES = "concatenated_variables"
    SAVERS = "savers"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    UPDATE_OPS = "update_ops"
    LOSSES = "losses"
    SAVEABLE_OBJECTS = "saveable_objects"
    RESOURCES = "resources"
    LOCAL_RESOURCES = "local_resources"
    TRAINABLE_RESOURCE_VARIABLES = "trainable_resource_variables"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    SUMMARY_OP = "summary_op"
    GLOBAL_STEP = "global_step"
    EVAL_STEP = "eval_step"
    TRAIN_OP = "train_op"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"


VARIABLE_SCOPES, VARIABLE_STORE = ("__varscope",), ("__variable_store",)
_SHARED = (
    GraphKeys.GLOBAL_VARIABLES,
    GraphKeys.LOCAL_VARIABLES,
    GraphKeys.TRAINABLE_VARIABLES,
    VARIABLE_SCOPES,
    VARIABLE_STORE,
)


class Collections:
    """Mixin of graphs with the methods for collections."""

    def __init__(self) -> None:
        self._collections: dict[Any, list[Any]] = {}

    def _inherit(self, outer: Collections) -> None:
        """Inherits the collections of an outer graph: those of variables shared, others copied."""
        self._collections |= {name: list(values) for name, values in outer._collections.items()}
        self._collections |= {name: outer.get_collection_ref(name) for name in _SHARED}

    @property
    def collections(self) -> list[Any]:
        """The names of the collections."""
        return list(self._collections)

    def add_to_collection(self, name: Any, value: Any) -> None:
        """Adds a value to a collection.

        Args:
            name: The name of the collection.
            value: The value.
        """
        self._assert_open()
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        """Adds a value to several collections, once to each.

        Args:
            names: The names, or one name.
            value: The value.
        """
        for name in (names,) if isinstance(names, str) else dict.fromkeys(names):
            self.add_to_collection(name, value)

    def get_collection_ref(self, name: Any) -> list[Any]:
        """Returns the mutable list of a collection, which is created where it does not exist."""
        return self._collections.setdefault(name, [])

    def get_collection(self, name: Any, scope: str | None = None) -> list[Any]:
        """Returns the values of a collection.

        Args:
            name: The name of the collection.
            scope: A pattern that the beginning of the values' names must match; None for all
                values.

        Returns:
            A new list.
        """
        values = self._collections.get(name, [])
        if scope is None:
            return list(values)
        return [x for x in values if hasattr(x, "name") and re.match(scope, x.name)]

    def get_all_collection_keys(self) -> list[Any]:
        """Returns the names of the collections that are strings."""
        return [name for name in self._collections if isinstance(name, str)]

    def clear_collection(self, name: Any) -> None:
        """Empties a collection."""
        self._assert_open()
        self._collections.pop(name, None)

    def _assert_open(self) -> None:
        """Raises RuntimeError where the graph is finalized."""
