"""Sizes and axes of one layout of images in the order of another, such as NCHW for NHWC."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.dtypes import int32, int64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import Dims, refused, same, text
from twinflow._src.dispatch.op import op

_TYPES = frozenset((int32, int64))


def _assert_formats(source: str, destination: str) -> None:
    """Raises where two layouts are not the same dimensions in two orders."""
    for what, form in (("Source", source), ("Destination", destination)):
        if len(form) not in (4, 5):
            short = {"Source": "src", "Destination": "dst"}[what]
            raise invalid(f"{what} format must be of length 4 or 5, received {short}_format = {form}")
    if len(set(source)) != len(source) or set(source) != set(destination) or len(source) != len(destination):
        raise invalid(
            f"Destination and source format must determine a permutation, got {source} and {destination}"
        )


@op("DataFormatDimMap", shape=same, dtypes=_TYPES)
def data_format_dim_map(xp: Any, x: Any, *, src_format: str = "NHWC", dst_format: str = "NCHW") -> Any:
    """Returns the axes of another layout that are axes of a first one.

    Args:
        x: Axes; negative ones count from the end.
        src_format: The first layout, a letter a dimension.
        dst_format: The other one.

    Returns:
        A tensor of the same type and shape.

    Raises:
        InvalidArgumentError: The layouts are not the same dimensions.
    """
    _assert_formats(src_format, dst_format)
    return xp.asarray([dst_format.index(axis) for axis in src_format], x.dtype)[x % len(src_format)]


def _permuted(x: Dims | None, **_: Any) -> Dims | None:
    if x is not None and len(x) not in (1, 2):
        raise refused(f"input must be a vector or 2D tensor, but got shape {text(x)}", _ranks(x))
    return x


def _ranks(x: Dims) -> str:
    wanted, which = ("at most", 2) if len(x) > 2 else ("at least", 1)
    return f"Shape must be {wanted} rank {which} but is rank {len(x)}"


def _assert_sizes(x: Any, rank: int) -> None:
    if x.ndim not in (1, 2):
        raise invalid(f"input must be a vector or 2D tensor, but got shape {text(x.shape)}")
    if x.shape[0] not in (rank - 2, rank):
        which = "1D" if x.ndim == 1 else "First dimension of 2D"
        raise invalid(f"{which} input must be of size {rank - 2} or {rank}, but got shape {text(x.shape)}")
    if x.ndim == 2 and x.shape[1] != 2:
        raise invalid(f"Second dimension of 2D input must be of size 2, but got shape {text(x.shape)}")


@op("DataFormatVecPermute", shape=_permuted, dtypes=_TYPES)
def data_format_vec_permute(xp: Any, x: Any, *, src_format: str = "NHWC", dst_format: str = "NCHW") -> Any:
    """Returns sizes, or pairs of them, of one layout in the order of another.

    Args:
        x: One for each dimension of the layout, or for each but N and C.
        src_format: The layout, a letter a dimension.
        dst_format: The other one.

    Returns:
        A tensor of the same type and shape.

    Raises:
        InvalidArgumentError: The layouts are not the same dimensions, or the shape is not that of sizes.
    """
    _assert_formats(src_format, dst_format)
    _assert_sizes(x, len(src_format))
    if len(x) != len(src_format):
        src_format, dst_format = ("".join(c for c in form if c not in "NC") for form in (src_format, dst_format))
    return x[xp.asarray([src_format.index(axis) for axis in dst_format])]


data_format_dim_map.op.no_gradient = data_format_vec_permute.op.no_gradient = True
