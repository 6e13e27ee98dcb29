"""Blocked transposition on the host, and data format ops (NCHW, NHWC)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from twinflow._src.backends.cpu.parallel import shared
from twinflow._src.core.dtypes import int32, int64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import Dims, refused, same, text
from twinflow._src.dispatch.op import op

# Transposed copies.


# Minimum bytes for tiling (smaller arrays fit in the cache); elements per tile; minimum extent of a tile
# along the axis that is contiguous in the source or in the copy.
_LARGE, _TILE, _REACH = 1 << 19, 1 << 18, 512
# Strides that are multiples of this many bytes map to few cache sets.
_MEETING = 512


def transpose_contiguous(xp: Any, x: Any, order: Sequence[int] | None) -> Any:
    """Returns a transposed array in row-major layout; the axes are reversed if ``order`` is None."""
    # On the host a large array is copied tile by tile, so that each cache line is fully used while
    # it is in the cache.
    moved = x.transpose(order)
    if xp is not np or x.nbytes < _LARGE or moved.flags.c_contiguous:
        return xp.asarray(moved, order="C")
    result = np.empty(moved.shape, x.dtype)
    wide = [i for i, size in enumerate(moved.shape) if size > 1]
    steps = _steps(moved, wide)
    meeting = moved.strides[wide[-1]] % _MEETING == 0

    def copy(start: tuple[int, ...]) -> None:
        tile = tuple(slice(i, i + step) for i, step in zip(start, steps))
        result[tile] = _copy_padded(moved[tile]) if meeting else moved[tile]

    shared(copy, list(itertools.product(*map(range, [0] * x.ndim, moved.shape, steps))))
    return result


def _steps(moved: Any, wide: list[int]) -> list[int]:
    """Returns the tile extents: first the contiguous axes of source and copy, then the others."""
    near = sorted(
        (wide[-1], min(wide, key=lambda i: moved.strides[i])), key=lambda i: moved.shape[i]
    )
    steps, left = [1] * moved.ndim, _TILE
    for i in [*near, *reversed(wide)]:
        if steps[i] == 1:
            steps[i] = min(moved.shape[i], _REACH if i == near[0] else left)
            left = max(1, left // steps[i])
    return steps


def _copy_padded(part: Any) -> Any:
    """Returns a copy in memory order with padded rows, which changes the stride."""
    order = sorted(range(part.ndim), key=lambda i: -part.strides[i])
    shape = [part.shape[i] for i in order]
    copy = np.empty([*shape[:-1], shape[-1] + 16], part.dtype)[..., : shape[-1]]
    copy = copy.transpose(np.argsort(order))
    copy[...] = part
    return copy


# Data formats.


_TYPES = frozenset((int32, int64))


def _assert_formats(source: str, destination: str) -> None:
    """Raises InvalidArgumentError if two data formats are not permutations of each other."""
    for what, form in (("Source", source), ("Destination", destination)):
        if len(form) not in (4, 5):
            short = {"Source": "src", "Destination": "dst"}[what]
            raise invalid(
                f"{what} format must be of length 4 or 5, received {short}_format = {form}"
            )
    if (
        len(set(source)) != len(source)
        or set(source) != set(destination)
        or len(source) != len(destination)
    ):
        raise invalid(
            f"Destination and source format must determine a permutation, got {source} and {destination}"
        )


@op("DataFormatDimMap", shape=same, dtypes=_TYPES)
def data_format_dim_map(
    xp: Any, x: Any, *, src_format: str = "NHWC", dst_format: str = "NCHW"
) -> Any:
    """Maps axes of one data format to axes of another."""
    _assert_formats(src_format, dst_format)
    return xp.asarray([dst_format.index(axis) for axis in src_format], x.dtype)[x % len(src_format)]


def _permuted(x: Dims | None, **_: Any) -> Dims | None:
    if x is not None and len(x) not in (1, 2):
        raise refused(f"input must be a vector or 2D tensor, but got shape {text(x)}", _ranks(x))
    return x


def _ranks(x: Dims) -> str:
    demand, which = ("at most", 2) if len(x) > 2 else ("at least", 1)
    return f"Shape must be {demand} rank {which} but is rank {len(x)}"


def _assert_sizes(x: Any, rank: int) -> None:
    if x.ndim not in (1, 2):
        raise invalid(f"input must be a vector or 2D tensor, but got shape {text(x.shape)}")
    if x.shape[0] not in (rank - 2, rank):
        which = "1D" if x.ndim == 1 else "First dimension of 2D"
        raise invalid(
            f"{which} input must be of size {rank - 2} or {rank}, but got shape {text(x.shape)}"
        )
    if x.ndim == 2 and x.shape[1] != 2:
        raise invalid(
            f"Second dimension of 2D input must be of size 2, but got shape {text(x.shape)}"
        )


@op("DataFormatVecPermute", shape=_permuted, dtypes=_TYPES)
def data_format_vec_permute(
    xp: Any, x: Any, *, src_format: str = "NHWC", dst_format: str = "NCHW"
) -> Any:
    """Permutes sizes, or pairs of them, from one data format to another."""
    _assert_formats(src_format, dst_format)
    _assert_sizes(x, len(src_format))
    if len(x) != len(src_format):
        src_format, dst_format = (
            "".join(c for c in form if c not in "NC") for form in (src_format, dst_format)
        )
    return x[xp.asarray([src_format.index(axis) for axis in dst_format])]


data_format_dim_map.op.no_gradient = data_format_vec_permute.op.no_gradient = True
