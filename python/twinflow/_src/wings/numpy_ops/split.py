"""Arrays taken apart."""

from __future__ import annotations

from typing import Any

import twinflow as tf
from twinflow._src.wings.numpy_ops.registry import expose, tnp


@expose("split")
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Returns the parts of an array along an axis.

    Args:
        ary: An array.
        indices_or_sections: How many equal parts, or where to cut.
        axis: The axis.

    Returns:
        A list of tensors.

    Raises:
        ValueError: The axis does not exist, or the places are not in order.
    """
    ary = tnp.asarray(ary)
    if not isinstance(indices_or_sections, int):
        indices_or_sections = _sizes(ary.shape, indices_or_sections, axis)
    return tf.split(ary, indices_or_sections, axis=axis)


def _sizes(shape: Any, cuts: Any, axis: int) -> list[int]:
    """The sizes of the parts between cuts, none of which goes beyond the end."""
    if axis >= len(shape):
        raise ValueError(f"axis {axis} is out of bound for shape {shape}")
    left, before, sizes = shape[axis], 0, []
    for i, cut in enumerate(cuts):
        if cut - before < 0:
            raise ValueError(
                f"The {i}-th boundary {cut} is smaller than the previous boundary {before}"
            )
        sizes.append(min(cut - before, max(0, left)))
        left, before = left - sizes[-1], cut
    return [*sizes, max(0, left)]


def _split_along(name: str, axis: int) -> None:
    """Defines ``vsplit`` and its relatives."""

    def parts(ary: Any, indices_or_sections: Any) -> Any:
        along = 0 if axis == 1 and tnp.ndim(ary) == 1 else axis  # a row is cut along what it has
        if isinstance(indices_or_sections, int) and ary.shape[along] % indices_or_sections:
            raise ValueError("array split does not result in an equal division")
        return tnp.split(ary, indices_or_sections, axis=along)

    parts.__doc__ = f"""Returns the parts of an array along its axis {axis}.

    Args:
        ary: A tensor{'; a row is cut along its one axis' if axis == 1 else ''}.
        indices_or_sections: How many equal parts, or where to cut.

    Returns:
        A list of tensors.

    Raises:
        ValueError: The parts would not be equal.
    """
    expose(name)(parts)


for _name, _axis in (("vsplit", 0), ("hsplit", 1), ("dsplit", 2)):
    _split_along(_name, _axis)
