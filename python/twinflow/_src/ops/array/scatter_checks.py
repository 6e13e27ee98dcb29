"""Shape and index validation for scatter updates, their write functions, and index policies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.backends.host_checks import all_within, is_host
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.ops.state.scatter_kernels import combining

Shape = tuple[int, ...]


def assert_rows_fit(xp: Any, shape: Shape, indices: Any, updates: Any) -> None:
    """Validates the updates (one row per index, or a scalar) and row indices of a scatter."""
    fitting = indices.shape + shape[1:]
    if updates.ndim and (not shape or updates.ndim != len(fitting)):
        raise _apart(shape, indices, updates)
    if updates.ndim and indices.size and updates.shape[: indices.ndim] != indices.shape:
        raise invalid(
            f"The shape of indices ({text(indices.shape)}) must be a prefix of the shape of updates "
            f"({text(updates.shape)})"
        )
    count = shape[0] if shape else 0
    if is_host(xp) and not all_within(indices, count):
        bad = (indices < 0) | (indices >= count)
        where = tuple(int(i) for i in xp.argwhere(bad)[0]) if indices.ndim else ()
        at = f"indices{text(where) if where else ''} = {int(indices[where])}"
        raise invalid(f"{at} is not in [0, {count})")
    if updates.ndim and indices.size and updates.shape != fitting:
        raise _apart(shape, indices, updates)


def assert_updates_fit(shape: Shape, indices: Any, updates: Any) -> None:
    """Raises InvalidArgumentError if the updates do not have the shape that ``indices`` require."""
    if updates.ndim and (not shape or updates.shape != indices.shape + shape[1:]):
        raise _apart(shape, indices, updates)


def _apart(shape: Shape, indices: Any, updates: Any) -> Exception:
    return invalid(
        "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got "
        f"updates.shape {text(updates.shape)}, indices.shape {text(indices.shape)}, params.shape "
        f"{text(shape)}"
    )


def assert_not_for_nothing(count: int, indices: Any, updates: Any, message: str) -> None:
    """Raises if some, but not all of target, indices and updates are empty."""
    if (indices.size or updates.size) and not (count and indices.size and updates.size):
        raise invalid(message)


def assert_vectors_fit(shape: Shape, indices: Any, updates: Any) -> None:
    """Raises InvalidArgumentError if updates do not match the index vectors and the target shape.

    Indices of rank 1 are scalar ones.
    """
    depth, batch = (indices.shape[-1], indices.ndim - 1) if indices.ndim > 1 else (1, 1)
    if updates.shape[:batch] != indices.shape[:batch]:
        raise invalid(
            f"Dimensions [0,{batch}) of indices[shape={text(indices.shape)}] must match "
            f"dimensions [0,{batch}) of updates[shape={text(updates.shape)}]"
        )
    if depth > len(shape) or updates.shape[batch:] != shape[depth:]:
        raise invalid(
            f"Dimensions [{depth},{len(shape)}) of input[shape={text(shape)}] must match dimensions "
            f"[{depth},{updates.ndim}) of updates[shape={text(updates.shape)}]"
        )


def assert_as_many(indices: Any, updates: Any) -> None:
    """Raises InvalidArgumentError if the first dimensions of indices and updates differ."""
    there, here = (value.shape[0] if value.ndim else "none" for value in (indices, updates))
    if there != here or there == "none":
        raise invalid(
            f"Dimensions [0,1) of indices[shape={text(indices.shape)}] = {there} must match "
            f"dimensions [0,1) of updates[shape={text(updates.shape)}] = {here}"
        )


def as_vectors(indices: Any) -> Any:
    """Returns index vectors; a rank 1 tensor becomes vectors of length 1."""
    return indices.reshape(-1, 1) if indices.ndim == 1 else indices


def smallest_at(xp: Any) -> Callable[..., None]:
    """Returns a write function for scatter min; NaN updates are ignored."""

    def write(target: Any, where: Any, updates: Any) -> None:
        combining(xp, xp.minimum)(target, where, _numbers_or(xp, updates, "inf"))

    return write


def largest_at(xp: Any) -> Callable[..., None]:
    """Returns a write function for scatter max; NaN updates are ignored."""

    def write(target: Any, where: Any, updates: Any) -> None:
        combining(xp, xp.maximum)(target, where, _numbers_or(xp, updates, "-inf"))

    return write


def _numbers_or(xp: Any, updates: Any, otherwise: str) -> Any:
    if updates.dtype.kind not in "fV":
        return updates
    return xp.where(xp.isnan(updates), xp.asarray(float(otherwise), updates.dtype), updates)


def divide_at(xp: Any) -> Callable[..., None]:
    """Returns a write function for scatter div; integers round towards zero."""

    def write(target: Any, where: Any, updates: Any) -> None:
        if target.dtype.kind not in "iu":
            xp.true_divide.at(target, where, updates)
        elif target.dtype.kind == "u" or (xp.all(target[where] >= 0) and xp.all(updates > 0)):
            xp.floor_divide.at(target, where, updates)
        else:
            signs = xp.where(target < 0, -1, 1).astype(target.dtype)
            xp.absolute(target, out=target)
            xp.floor_divide.at(target, where, xp.absolute(updates))
            xp.multiply.at(signs, where, xp.sign(updates))
            xp.multiply(target, signs, out=target)

    return write


def subtract_at(xp: Any, dtype: Any) -> Callable[..., None]:
    """Returns a write function for scatter sub; booleans are combined by XOR."""
    return combining(xp, xp.logical_xor if dtype.kind == "b" else xp.subtract)


# Policies for out-of-range index vectors: raise or ignore.


_POLICIES = {"": False, "DEFAULT": False, "ERROR": False, "IGNORE": True}


def ignores(policy: str) -> bool:
    """True if the policy ignores out-of-range indices; raises InvalidArgumentError if unknown."""
    if policy not in _POLICIES:
        raise invalid(f"Unknown bad indices handling attribute: {policy}")
    return _POLICIES[policy]


def inside(xp: Any, shape: tuple[int, ...], indices: Any) -> Any:
    """Returns a boolean mask of the index vectors (along the last axis) in range of a shape."""
    sizes = xp.asarray(shape[: indices.shape[-1]], dtype=indices.dtype)
    return xp.all((indices >= 0) & (indices < sizes), axis=-1)


def only_inside(xp: Any, shape: tuple[int, ...], indices: Any, updates: Any) -> tuple[Any, Any]:
    """Returns the index vectors in range of a shape and their updates, each along one axis."""
    kept = inside(xp, shape, indices)
    return indices[kept], updates[kept]
