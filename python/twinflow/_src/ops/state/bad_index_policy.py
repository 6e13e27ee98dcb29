"""What becomes of index vectors that lie outside: an error, or nothing."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.errors import invalid

_POLICIES = {"": False, "DEFAULT": False, "ERROR": False, "IGNORE": True}


def ignores(policy: str) -> bool:
    """Whether index vectors outside of a shape are passed over.

    Args:
        policy: The attribute of the op.

    Raises:
        InvalidArgumentError: There is no such policy.
    """
    if policy not in _POLICIES:
        raise invalid(f"Unknown bad indices handling attribute: {policy}")
    return _POLICIES[policy]


def inside(xp: Any, shape: tuple[int, ...], indices: Any) -> Any:
    """Which index vectors point into a shape.

    Args:
        xp: The array module.
        shape: The shape.
        indices: Index vectors along the last dimension.

    Returns:
        An array of booleans, one for each vector.
    """
    sizes = xp.asarray(shape[: indices.shape[-1]], dtype=indices.dtype)
    return xp.all((indices >= 0) & (indices < sizes), axis=-1)


def only_inside(xp: Any, shape: tuple[int, ...], indices: Any, updates: Any) -> tuple[Any, Any]:
    """The index vectors that point into a shape, with their updates.

    Args:
        xp: The array module.
        shape: The shape.
        indices: Index vectors along the last dimension.
        updates: Elements or slices, one for each of them.

    Returns:
        Both with the other ones left out, each along one dimension.
    """
    kept = inside(xp, shape, indices)
    return indices[kept], updates[kept]
