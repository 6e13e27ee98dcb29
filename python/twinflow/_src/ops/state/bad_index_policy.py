"""Policies for out-of-range index vectors of scatter and gather ops: raise or ignore."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.errors import invalid

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
