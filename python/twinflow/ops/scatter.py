"""Updates of parts of variables. A kernel gets the variable itself first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..dtypes import COMPLEXES, ORDERED
from ..errors import invalid
from ..op import Indices, Resource, op
from ..shape_rules_picking import elements_placed, rows_placed
from ..shapes import text
from .picking import nd_index

_NUMBERS = ORDERED | COMPLEXES

# ------------------------------------------------------------------ rows of a variable


def _scatter(
    xp: Any, resource: Any, indices: Any, updates: Any, write: Callable[..., None]
) -> None:
    """Writes rows in place of, or combined with, those that ``indices`` names."""
    handle = resource._handle
    shape = handle.lend().shape
    if updates.ndim and updates.shape != indices.shape + shape[1:]:
        if updates.shape[: indices.ndim] != indices.shape:
            raise invalid(
                f"The shape of indices ({text(indices.shape)}) must be a prefix of the shape of updates "
                f"({text(updates.shape)})"
            )
        raise invalid(
            "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got "
            f"updates.shape {text(updates.shape)}, indices.shape {text(indices.shape)}, params.shape "
            f"{text(shape)}"
        )
    bad = (indices < 0) | (indices >= shape[0])
    if xp.any(bad):
        where = tuple(int(i) for i in xp.argwhere(bad)[0]) if indices.ndim else ()
        raise invalid(
            f"indices{text(where) if where else ''} = {int(indices[where])} is not in [0, {shape[0]})"
        )
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


def _divide(xp: Any) -> Callable[..., None]:
    def divide(target: Any, where: Any, values: Any) -> None:
        if not xp.all(values):
            raise invalid("updates must not contain 0")
        function = xp.floor_divide if target.dtype.kind in "iu" else xp.true_divide
        function.at(target, where, values)

    return divide


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
    _scatter(xp, resource, indices, updates, xp.add.at)


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
    _scatter(xp, resource, indices, updates, xp.subtract.at)


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
    _scatter(xp, resource, indices, updates, xp.multiply.at)


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
    _scatter(xp, resource, indices, updates, _divide(xp))


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
    _scatter(xp, resource, indices, updates, xp.minimum.at)


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
    _scatter(xp, resource, indices, updates, xp.maximum.at)


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
    if indices.ndim == 1:
        indices = indices.reshape(-1, 1)
    batch, depth = indices.shape[:-1], indices.shape[-1]
    for i, size in enumerate(batch):
        if i >= updates.ndim or updates.shape[i] != size:
            got = updates.shape[i] if i < updates.ndim else "none"
            raise invalid(
                f"Dimensions [0,{len(batch)}) of indices[shape={text(indices.shape)}] = {size} must match "
                f"dimensions [0,{len(batch)}) of updates[shape={text(updates.shape)}] = {got}"
            )
    if updates.shape[len(batch) :] != shape[depth:]:
        raise invalid(
            f"Dimensions [{depth},{len(shape)}) of input[shape={text(shape)}] must match dimensions "
            f"[{len(batch)},{updates.ndim}) of updates[shape={text(updates.shape)}]"
        )
    _write_at(xp, handle, nd_index(xp, shape, indices, "shape"), updates, write)


@op("ResourceScatterNdAdd", shape=elements_placed, impure=True, dtypes=_NUMBERS)
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
    _scatter_nd(xp, resource, indices, updates, xp.add.at)


@op("ResourceScatterNdSub", shape=elements_placed, impure=True, dtypes=_NUMBERS)
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
    _scatter_nd(xp, resource, indices, updates, xp.subtract.at)


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
    _scatter_nd(xp, resource, indices, updates, xp.minimum.at)


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
    _scatter_nd(xp, resource, indices, updates, xp.maximum.at)


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
