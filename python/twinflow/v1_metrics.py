"""``tf.compat.v1.metrics``: values that are gathered over many runs of a session."""

from __future__ import annotations

from typing import Any

from .constant import convert_to_tensor
from .context import thread
from .dtypes import float32
from .graph_collections import GraphKeys
from .graph_default import executing_eagerly
from .op import API
from .variable_making import made
from .variable_scopes import variable_scope


def _assert_graph(name: str) -> None:
    if executing_eagerly():
        raise RuntimeError(f"tf.metrics.{name} is not supported when eager execution is enabled.")


def _kept(name: str) -> Any:
    """A local variable that begins with zero."""
    joins = [GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES]
    return made(
        initial_value=lambda: API["zeros"]([], float32), trainable=False, collections=joins, name=name
    )


def mean(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The mean of all values so far.

    Args:
        values: More values.
        weights: Their weights, or None.
        metrics_collections: Collections that the mean joins.
        updates_collections: Collections that the update joins.
        name: A name.

    Returns:
        The mean, and the operation that takes the values into account, as the mean after it.

    Raises:
        RuntimeError: No graph surrounds the call.
    """
    _assert_graph("mean")
    with variable_scope(name, "mean", (values, weights)):
        values = API["cast"](convert_to_tensor(values), float32)
        total, count = _kept("total"), _kept("count")
        if weights is None:
            more, number = API["reduce_sum"](values), API["cast"](API["size"](values), float32)
        else:
            spread = API["broadcast_to"](API["cast"](convert_to_tensor(weights), float32), API["shape"](values))
            more, number = API["reduce_sum"](values * spread), API["reduce_sum"](spread)
        found = API["math.divide_no_nan"](total.value(), count.value(), name="value")
        after = total.assign_add(more), count.assign_add(number)
        update = API["math.divide_no_nan"](*map(convert_to_tensor, after), name="update_op")
        graph = thread.scope.graph
        graph.add_to_collections(metrics_collections or (), found)
        graph.add_to_collections(updates_collections or (), update)
        return found, update


def accuracy(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The share of predictions so far that were right; see ``mean``."""
    _assert_graph("accuracy")
    predictions = convert_to_tensor(predictions)
    right = API["equal"](API["cast"](convert_to_tensor(labels), predictions.dtype), predictions)
    joins = metrics_collections, updates_collections
    return mean(API["cast"](right, float32), weights, *joins, name or "accuracy")
