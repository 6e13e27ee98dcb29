"""Tensors that are joined as soon as they are there."""

from __future__ import annotations

from typing import Any

from ...constant import convert_to_tensor
from ...context import thread
from ...errors import invalid
from ...op import API, Tensors, export, op
from ...shape_rules.demands import merged, merged_all
from ...shapes import TensorShape, refused


def _joined(values: Any, *, shape: Any) -> Any:
    whole = TensorShape(shape)
    if not whole.is_fully_defined():
        raise refused("shape attr must be fully defined.")
    rows = merged_all(values)
    merged(None if rows is None else rows[1:], tuple(whole.as_list()[1:]))
    return tuple(whole.as_list())


@op("ParallelConcat", shape=_joined, no_gradient=True)
def _parallel_concat(xp: Any, values: Tensors, *, shape: Any) -> Any:
    """Returns tensors joined along their first dimension, whose size is 1.

    Args:
        values: The tensors.
        shape: The shape of the result.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The shapes do not fit.
    """
    if any(value.shape[1:] != values[0].shape[1:] for value in values):
        raise invalid("The shapes of the values do not agree.")
    return xp.concatenate(values)


@export("parallel_stack")
def parallel_stack(values: Any, name: str | None = "parallel_stack") -> Any:
    """Returns tensors as one with a further dimension in front, in a graph only.

    Args:
        values: A list of tensors of one type and shape, which is known before they run.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        RuntimeError: There is no graph.
        ValueError: The shape is not known, or differs.
    """
    if thread.scope.graph is None:
        raise RuntimeError("tf.parallel_stack() is not compatible with eager execution.")
    shape = TensorShape([len(values)]).concatenate(convert_to_tensor(values[0]).shape)
    rows = [API["expand_dims"](value, 0) for value in values]
    return _parallel_concat(rows, shape=shape)
