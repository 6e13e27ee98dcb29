"""Filling of empty rows of ragged tensors with a default value."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from twinflow._src.core.dtypes import int64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import Kind, export, op
from twinflow._src.wings.sparse.parts import HOST

_Rows = Annotated[Any, Kind("rows", only=int64)]
_Count = Annotated[Any, Kind("count", only=int64, host=True)]


class RaggedFillEmptyRows(NamedTuple):
    """The result of ``tf.ragged_fill_empty_rows``."""

    output_value_rowids: Any
    output_values: Any
    empty_row_indicator: Any
    reverse_index_map: Any


class RaggedFillEmptyRowsGrad(NamedTuple):
    """The result of ``tf.ragged_fill_empty_rows_grad``."""

    d_values: Any
    d_default_value: Any


def _check(rows: Any, values: Any, nrows: Any, default: Any) -> None:
    """Raises TensorFlow's errors for invalid shapes and rows."""
    for name, vector in (("value_rowids", rows), ("values", values)):
        if vector.ndim != 1:
            raise invalid(f"{name} must be a vector, saw: {text(vector.shape)}")
    for name, scalar in (("nrows", nrows), ("default_value", default)):
        if scalar.ndim:
            raise invalid(f"{name} must be a scalar, saw: {text(scalar.shape)}")
    if len(rows) != len(values):
        raise invalid(
            f"The length of `values` ({len(values)}) must match the first dimension of "
            f"`value_rowids` ({len(rows)})."
        )
    count = int(nrows)
    if not count and len(rows):
        raise invalid(
            f"Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = {len(rows)}"
        )
    if count < 0:
        raise invalid(f"Expected shape dimensions to be non-negative, got {count}")
    for i, row in enumerate(rows.tolist()):
        if not 0 <= row < count:
            raise invalid(f"indices({i}, 0) is invalid: {row} >= {count}")


def _filled(rows: Any, values: Any, count: Any, default: Any) -> Any:
    known = int(count) if isinstance(count, np.ndarray) else None
    return [None if known in (None, 0) else (None,), (None,), (known,), rows]


@op(
    "RaggedFillEmptyRows",
    shape=_filled,
    devices=HOST,
    no_gradient=True,
)
def _fill(
    xp: Any, value_rowids: _Rows, values: Any, nrows: _Count, default_value: Any
) -> list[Any]:
    """Fills empty rows of a ragged tensor with a default value.

    Args:
        value_rowids: The row of each element.
        values: The elements.
        nrows: The number of rows.
        default_value: The value inserted in empty rows.

    Returns:
        The row ids and elements, a boolean vector of empty rows, and the new index of each element.

    Raises:
        InvalidArgumentError: The shapes are incompatible, or a row is out of range.
    """
    _check(value_rowids, values, nrows, default_value)
    count = int(nrows)
    if not count:  # TensorFlow returns row ids of another rank in this case
        return [np.zeros((0, 1), np.int64), values, np.zeros(0, bool), value_rowids]
    empty = np.bincount(value_rowids, minlength=count) == 0
    fill = np.empty(int(empty.sum()), values.dtype)
    fill[...] = default_value[()]
    rows = np.concatenate([value_rowids, np.flatnonzero(empty)])
    order = np.argsort(rows, kind="stable")
    back = np.argsort(order)[: len(value_rowids)]
    return [rows[order], np.concatenate([values, fill])[order], empty[:count], back]


@op(
    "RaggedFillEmptyRowsGrad",
    shape=lambda places, _: [places, ()],
    devices=HOST,
    no_gradient=True,
)
def _fill_gradient(xp: Any, reverse_index_map: _Rows, grad_values: Any) -> list[Any]:
    """Computes the gradients of the elements and of the default value.

    Args:
        reverse_index_map: The new index of each element.
        grad_values: The gradients of all elements.

    Returns:
        The gradients of the elements, and of the default value.

    Raises:
        InvalidArgumentError: An index is out of range.
    """
    count = len(grad_values)
    for place in reverse_index_map.tolist():
        if not 0 <= place < count:
            raise invalid(f"Elements in reverse index must be in [0, {count}) but got {place}")
    filled = np.ones(count, bool)
    filled[reverse_index_map] = False
    total = np.asarray(grad_values[filled].sum(), grad_values.dtype)
    return [grad_values[reverse_index_map], total]


@export("ragged_fill_empty_rows")
def ragged_fill_empty_rows(
    value_rowids: Any, values: Any, nrows: Any, default_value: Any, name: str | None = None
) -> Any:
    """Fills empty rows of a ragged tensor with a default value.

    Args:
        value_rowids: The row of each element.
        values: The elements.
        nrows: The number of rows.
        default_value: The value inserted in empty rows.
        name: A name for the operation.

    Returns:
        A named tuple: ``output_value_rowids``, ``output_values``, ``empty_row_indicator`` and
        ``reverse_index_map``, the new index of each element.

    Raises:
        InvalidArgumentError: The shapes are incompatible, or a row is out of range.
    """
    return RaggedFillEmptyRows(*_fill(value_rowids, values, nrows, default_value, name=name))


@export("ragged_fill_empty_rows_grad")
def ragged_fill_empty_rows_grad(
    reverse_index_map: Any, grad_values: Any, name: str | None = None
) -> Any:
    """Computes the gradients of ``tf.ragged_fill_empty_rows``.

    Args:
        reverse_index_map: The new index of each element.
        grad_values: The gradients of all elements.
        name: A name for the operation.

    Returns:
        A named tuple: ``d_values`` and ``d_default_value``.

    Raises:
        InvalidArgumentError: An index is out of range.
    """
    return RaggedFillEmptyRowsGrad(*_fill_gradient(reverse_index_map, grad_values, name=name))
