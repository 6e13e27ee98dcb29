"""Updates of parts of variables. A kernel gets the variable itself first."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...backends.answers import known_any
from ...dtypes import BOOLS, COMPLEXES, ORDERED
from ...errors import invalid
from ...op import Indices, Resource, op
from ...shape_rules.picking import elements_placed, rows_placed
from ...shapes import text
from ..arrays.index_vectors import nd_index
from ..arrays.placing import (
    as_vectors,
    assert_as_many,
    assert_not_for_nothing,
    assert_rows_fit,
    assert_vectors_fit,
    divide_at,
    largest_at,
    smallest_at,
    subtract_at,
)
from .accumulating import combining

_NUMBERS = ORDERED | COMPLEXES

# ------------------------------------------------------------------ rows of a variable


def _scatter(
    xp: Any, resource: Any, indices: Any, updates: Any, write: Callable[..., None]
) -> None:
    """Writes rows in place of, or combined with, those that ``indices`` names."""
    handle = resource._handle
    assert_rows_fit(xp, handle.lend().shape, indices, updates)
    if indices.size:
        _write_at(xp, handle, (indices,), updates, write)


def _write_at(xp: Any, handle: Any, where: Any, updates: Any, write: Callable[..., None]) -> None:
    def combined(old: Any, out: Any) -> Any:
        if out is not old:
            xp.copyto(out, old)
        write(out, where, updates)
        return out

    handle.update(combined)


def _set(target: Any, where: Any, values: Any) -> None:
    target[where] = values


@op("ResourceScatterAdd", shape=rows_placed, impure=True, dtypes=_NUMBERS)
def scatter_add(xp: Any, resource: Resource, indices: Indices, updates: Any) -> None:
    """Adds rows to a variable.

    Args:
        resource: A variable of numbers.
        indices: Which rows; one may occur several times.
        updates: The rows.

    Returns:
        Nothing.

    Raises:
        InvalidArgumentError: An index or a shape does not fit.
    """
    _scatter(xp, resource, indices, updates, combining(xp, xp.add))


@op("ResourceScatterSub", shape=rows_placed, impure=True, dtypes=_NUMBERS)
def scatter_sub(xp: Any, resource: Resource, indices: Indices, updates: Any) -> None:
    """Subtracts rows from a variable.

    Args:
        resource: A variable of numbers.
        indices: Which rows; one may occur several times.
        updates: The rows.

    Returns:
        Nothing.

    Raises:
        InvalidArgumentError: An index or a shape does not fit.
    """
    _scatter(xp, resource, indices, updates, combining(xp, xp.subtract))


@op("ResourceScatterMul", shape=rows_placed, impure=True, dtypes=_NUMBERS)
def scatter_mul(xp: Any, resource: Resource, indices: Indices, updates: Any) -> None:
    """Multiplies rows of a variable.

    Args:
        resource: A variable of numbers.
        indices: Which rows; one may occur several times.
        updates: The factors.

    Returns:
        Nothing.

    Raises:
        InvalidArgumentError: An index or a shape does not fit.
    """
    _scatter(xp, resource, indices, updates, combining(xp, xp.multiply))


@op("ResourceScatterDiv", shape=rows_placed, impure=True, dtypes=_NUMBERS)
def scatter_div(xp: Any, resource: Resource, indices: Indices, updates: Any) -> None:
    """Divides rows of a variable.

    Args:
        resource: A variable of numbers.
        indices: Which rows; one may occur several times.
        updates: The divisors.

    Returns:
        Nothing.

    Raises:
        InvalidArgumentError: An index or a shape does not fit, or an integer is divided by zero.
    """
    if known_any(xp, updates == 0):
        raise invalid("updates must not contain 0")
    _scatter(xp, resource, indices, updates, divide_at(xp))


@op("ResourceScatterMin", shape=rows_placed, impure=True, dtypes=ORDERED)
def scatter_min(xp: Any, resource: Resource, indices: Indices, updates: Any) -> None:
    """Takes minima with rows of a variable.

    Args:
        resource: A variable of real numbers.
        indices: Which rows; one may occur several times.
        updates: The rows.

    Returns:
        Nothing.

    Raises:
        InvalidArgumentError: An index or a shape does not fit.
    """
    _scatter(xp, resource, indices, updates, smallest_at(xp))


@op("ResourceScatterMax", shape=rows_placed, impure=True, dtypes=ORDERED)
def scatter_max(xp: Any, resource: Resource, indices: Indices, updates: Any) -> None:
    """Takes maxima with rows of a variable.

    Args:
        resource: A variable of real numbers.
        indices: Which rows; one may occur several times.
        updates: The rows.

    Returns:
        Nothing.

    Raises:
        InvalidArgumentError: An index or a shape does not fit.
    """
    _scatter(xp, resource, indices, updates, largest_at(xp))


@op("ResourceScatterUpdate", shape=rows_placed, impure=True)
def scatter_update(xp: Any, resource: Resource, indices: Indices, updates: Any) -> None:
    """Replaces rows of a variable; of several for one row the last stays.

    Args:
        resource: A variable.
        indices: Which rows.
        updates: The rows.

    Returns:
        Nothing.

    Raises:
        InvalidArgumentError: An index or a shape does not fit.
    """
    _scatter(xp, resource, indices, updates, _set)


# ------------------------------------------------------------------ elements of a variable


def _scatter_nd(
    xp: Any, resource: Any, indices: Any, updates: Any, write: Callable[..., None]
) -> None:
    handle = resource._handle
    shape = handle.lend().shape
    if not shape:
        raise invalid("Output must be at least 1-D, got shape: []")
    nothing = f"Indices and updates specified for empty output.  indices shape: {text(indices.shape)}"
    assert_not_for_nothing(math.prod(shape), indices, updates, nothing)
    assert_as_many(indices, updates)
    assert_vectors_fit(shape, indices, updates)
    indices = as_vectors(indices)
    _write_at(xp, handle, nd_index(xp, shape, indices, "shape"), updates, write)


@op("ResourceScatterNdAdd", shape=elements_placed, impure=True, dtypes=_NUMBERS | BOOLS)
def scatter_nd_add(xp: Any, resource: Resource, indices: Indices, updates: Any) -> None:
    """Adds to elements or slices of a variable.

    Args:
        resource: A variable of numbers.
        indices: Index vectors along the last dimension.
        updates: The terms.

    Returns:
        Nothing.

    Raises:
        InvalidArgumentError: An index or a shape does not fit.
    """
    _scatter_nd(xp, resource, indices, updates, combining(xp, xp.add))


@op("ResourceScatterNdSub", shape=elements_placed, impure=True, dtypes=_NUMBERS | BOOLS)
def scatter_nd_sub(xp: Any, resource: Resource, indices: Indices, updates: Any) -> None:
    """Subtracts from elements or slices of a variable.

    Args:
        resource: A variable of numbers.
        indices: Index vectors along the last dimension.
        updates: The terms.

    Returns:
        Nothing.

    Raises:
        InvalidArgumentError: An index or a shape does not fit.
    """
    _scatter_nd(xp, resource, indices, updates, subtract_at(xp, updates.dtype))


@op("ResourceScatterNdMin", shape=elements_placed, impure=True, dtypes=ORDERED)
def scatter_nd_min(xp: Any, resource: Resource, indices: Indices, updates: Any) -> None:
    """Takes minima with elements or slices of a variable.

    Args:
        resource: A variable of real numbers.
        indices: Index vectors along the last dimension.
        updates: The values.

    Returns:
        Nothing.

    Raises:
        InvalidArgumentError: An index or a shape does not fit.
    """
    _scatter_nd(xp, resource, indices, updates, smallest_at(xp))


@op("ResourceScatterNdMax", shape=elements_placed, impure=True, dtypes=ORDERED)
def scatter_nd_max(xp: Any, resource: Resource, indices: Indices, updates: Any) -> None:
    """Takes maxima with elements or slices of a variable.

    Args:
        resource: A variable of real numbers.
        indices: Index vectors along the last dimension.
        updates: The values.

    Returns:
        Nothing.

    Raises:
        InvalidArgumentError: An index or a shape does not fit.
    """
    _scatter_nd(xp, resource, indices, updates, largest_at(xp))


@op("ResourceScatterNdUpdate", shape=elements_placed, impure=True)
def scatter_nd_update(xp: Any, resource: Resource, indices: Indices, updates: Any) -> None:
    """Replaces elements or slices of a variable.

    Args:
        resource: A variable.
        indices: Index vectors along the last dimension.
        updates: The values.

    Returns:
        Nothing.

    Raises:
        InvalidArgumentError: An index or a shape does not fit.
    """
    _scatter_nd(xp, resource, indices, updates, _set)
