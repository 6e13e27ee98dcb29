"""Tensors that are joined as soon as they are there."""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.errors import InvalidArgumentError, invalid
from twinflow._src.core.shapes import TensorShape, refused, text
from twinflow._src.dispatch.op import API, Tensors, export, op
from twinflow._src.shape_rules.demands import merged


def _joined(values: Any, *, shape: Any) -> Any:
    whole = TensorShape(shape)
    if not whole.is_fully_defined():
        raise refused("shape attr must be fully defined.")
    sizes = tuple(whole.as_list())
    if not sizes:
        raise refused("Out of range dim_index 0 for shape with 0 dimensions")
    row: Any = (1, *sizes[1:])
    for i, value in enumerate(values):
        if value == ():
            raise refused(f"The rank of all input shapes must be greater than 0, but input {i} had rank 0.")
        if value is not None and value[0] not in (None, 1):
            raise refused("Size of first dimension must be 1.")
        try:
            row = merged(value, row)
        except InvalidArgumentError as error:
            raise refused(f"{error}\n\tFrom merging shape {i} with other shapes.") from None
    return sizes


def _assert_rows(values: Any, shape: Any) -> None:
    """Raises InvalidArgumentError where values are not the rows of a shape."""
    whole = TensorShape(shape)
    if not whole.is_fully_defined():
        raise invalid(f"Shape {text(whole._dims)} is not fully defined")
    sizes = tuple(size or 0 for size in whole.as_list())
    if not sizes:
        raise invalid("value should be at least rank 1.")
    for i, value in enumerate(values):
        if value.ndim != len(sizes) or value.shape[1:] != sizes[1:]:
            colon = "" if value.ndim == len(sizes) else ":"
            raise invalid(f"value and update shape doesn't match{colon} {text(sizes)} vs. {text(value.shape)}")
        if i >= sizes[0]:
            raise invalid(f"0th dimension of value = {sizes[0]} must be greater than loc_ = {i}")
        if value.shape[0] != 1:
            raise invalid(f"update shape doesn't match: {text(value.shape)}")
    if len(values) < sizes[0]:
        raise invalid(f"{len(values)} values do not fill the shape {text(sizes)}")


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
    _assert_rows(values, shape)
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
