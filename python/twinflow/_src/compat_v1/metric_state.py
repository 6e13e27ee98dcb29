"""What metrics of TensorFlow 1 keep between runs, and the blocks in which they are made."""

from __future__ import annotations

from typing import Any

from twinflow._src.compat_v1.loss_weights import checked_weights
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import float32
from twinflow._src.dispatch.op import API
from twinflow._src.graph.collections import GraphKeys
from twinflow._src.graph.default_graph import executing_eagerly
from twinflow._src.variables.creation import made
from twinflow._src.variables.scopes import variable_scope


def assert_graph(name: str) -> None:
    """Raises RuntimeError where no graph surrounds the call of a metric."""
    if executing_eagerly():
        raise RuntimeError(f"tf.metrics.{name} is not supported when eager execution is enabled.")


def metric_scope(name: str | None, default: str, public: str | None = None) -> Any:
    """The block in which a metric is made.

    Args:
        name: The name that the program gives, or None.
        default: The name where it gives none.
        public: The metric's public name, where its call is checked.

    Raises:
        RuntimeError: No graph surrounds the call.
    """
    if public is not None:
        assert_graph(public)
    return variable_scope(name, default)


class Sum:
    """A local variable that a metric adds to; it begins with zero.

    Args:
        name: Its name.
        shape: Its shape.
    """

    def __init__(self, name: str, shape: Any) -> None:
        joins = [GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES]
        self._variable = made(
            initial_value=lambda: API["zeros"](shape, float32), trainable=False, collections=joins, name=name
        )

    @property
    def value(self) -> Any:
        """The sum so far."""
        return self._variable.value()

    def update(self, more: Any) -> Any:
        """Adds to the sum; gives what the update of a variable gives."""
        return self._variable.assign_add(more)

    def add(self, more: Any) -> Any:
        """Adds to the sum; gives it as it is then."""
        found = convert_to_tensor(self.update(more))
        return found if found.dtype.base_dtype is found.dtype else API["identity"](found)


def spread_to(weights: Any, values: Any) -> Any:
    """Weights of the shape of values, as float32.

    Raises:
        ValueError: They cannot be broadcast.
    """
    return API["broadcast_to"](checked_weights(fitted(weights, values), values), API["shape"](values))


def fitted(weights: Any, values: Any) -> Any:
    """Weights as float32, with as many dimensions as values where a last one of one element makes the difference."""
    scale = API["cast"](convert_to_tensor(weights), float32)
    more = (scale.shape.rank or 0) - (values.shape.rank or 0)
    if more == 1:
        scale = API["squeeze"](scale, [-1])
    elif more == -1 and scale.shape.rank:
        scale = API["expand_dims"](scale, -1)
    return scale


def named(tensor: Any, name: str) -> Any:
    """A tensor that has just been made, under a name in the scope around."""
    graph = thread.scope.graph
    graph.rename(tensor.op, graph.unique_name(name))
    return tensor


def joined(pair: tuple[Any, Any], metrics: Any, updates: Any) -> tuple[Any, Any]:
    """A metric and its update, put into collections."""
    found, update = pair
    graph = thread.scope.graph
    graph.add_to_collections(metrics or (), found)
    graph.add_to_collections(updates or (), update)
    return found, update
