"""The order of frequencies: zero in the middle, or first."""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.dispatch.op import export
from twinflow._src.ops.array.gather import gather, where
from twinflow._src.ops.array.rearrange import roll
from twinflow._src.ops.array.shapes import shape
from twinflow._src.ops.reduce.size_and_rank import rank


def _halves(x: Any, axes: Any) -> tuple[Any, Any]:
    """The dimensions that are meant, and half the size of each."""
    if axes is None:
        return tuple(range(x.shape.rank)), shape(x) // 2
    if isinstance(axes, int):
        return axes, shape(x)[axes] // 2
    axes = convert_to_tensor(axes)
    axes = where(axes < 0, axes + rank(x), axes)
    return axes, gather(shape(x), axes) // 2


@export("signal.fftshift")
def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Any:
    """Returns a transform with the frequency zero in the middle of its dimensions.

    Args:
        x: A tensor.
        axes: The dimensions; all where None.
        name: A name for the operation.

    Returns:
        A tensor of the same type and shape.
    """
    x = convert_to_tensor(x)
    axes, half = _halves(x, axes)
    return roll(x, half, axes)


@export("signal.ifftshift")
def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Any:
    """Returns a transform with the frequency zero in the first place again.

    Args:
        x: A tensor, as ``tf.signal.fftshift`` gives it.
        axes: The dimensions; all where None.
        name: A name for the operation.

    Returns:
        A tensor of the same type and shape.
    """
    x = convert_to_tensor(x)
    axes, half = _halves(x, axes)
    return roll(x, -half, axes)
