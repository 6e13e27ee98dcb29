"""Separable sampling of images: gathers of rows and columns with weights, and their adjoints.

Positions and weights are computed on the host in float32, as TensorFlow's kernels do, so that they
have the same bits; the sums over the taps of a pixel run in TensorFlow's order, one pass for each tap.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple

import numpy as np

from twinflow._src.core.dtypes import float32, int32
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import Dims, Unknown, text
from twinflow._src.dispatch.op import Kind
from twinflow._src.ops.conv.geometry import by_images
from twinflow._src.ops.image import native_sampling
from twinflow._src.shape_rules.demands import flatten_known, ranked, sized, value_dims, vector

SizePair = Annotated[Any, Kind("int32", only=int32, host=True)]
Floats = Annotated[Any, Kind("float", only=float32)]
HostFloats = Annotated[Any, Kind("float", only=float32, host=True)]

# Channels whose bytes are copied as fast as one, and from which on a copy takes no longer than its bytes.
_QUICK, _LONG = (1, 2, 4), 16


class Taps(NamedTuple):
    """The pixels along one axis that each output pixel is a weighted sum of.

    Attributes:
        indices: Their indices, int64 of shape (outputs, taps).
        weights: Their weights, float32 of the same shape.
    """

    indices: np.ndarray[Any, Any]
    weights: np.ndarray[Any, Any]


# ------------------------------------------------------------------ validation


def check_images(images: Any, what: str = "input") -> None:
    """Requires a batch of images."""
    if images.ndim != 4:
        raise invalid(f"{what} must be 4-dimensional{text(images.shape)}")


def check_sizes(size: Any, what: str = "shape_t") -> tuple[int, int]:
    """Returns the height and width that a vector of two elements holds."""
    if size.ndim != 1:
        raise invalid(f"{what} must be 1-dimensional{text(size.shape)}")
    if size.size != 2:
        raise invalid(f"{what} must have two elements{text(size.shape)}")
    return int(size[0]), int(size[1])


def check_output(images: Any, size: Any, what: str = "shape_t") -> tuple[int, int]:
    """Validates images and their new size, and returns the latter."""
    check_images(images)
    height, width = check_sizes(size, what)
    if height <= 0 or width <= 0:
        raise invalid("output dimensions must be positive")
    if images.shape[3] <= 0:
        raise invalid("image must have at least one channel")
    if not images.shape[1] or not images.shape[2]:
        raise invalid("input image must be of non-zero size")
    return height, width


def known_size(size: Any) -> tuple[int | None, int | None]:
    """Returns the height and width in a size vector, None where they are unknown."""
    length = vector(value_dims(size))
    if length is not None:
        sized(length, 2)
    if isinstance(size, Unknown) or size is None:
        return None, None
    items = flatten_known(size)
    height, width = size if items is None else items
    return height, width


def resized_shape(images: Dims | None, size: Any, *_: Any, **__: Any) -> Dims:
    """Shape rule of resizing ops."""
    dims = ranked(images, 4)
    return (dims[0], *known_size(size), dims[3])


# ------------------------------------------------------------------ gathers
#
# Images are flat here: (batch, height, width * channels), so that weights broadcast over long runs.


def flatten(images: Any) -> Any:
    """Returns images with columns and channels as one axis."""
    count, height, width, channels = images.shape
    return images.reshape(count, height, width * channels)


def _step_of(indices: np.ndarray[Any, Any]) -> slice | None:
    """Returns the slice that indices with a constant step are."""
    if len(indices) < 2:
        return None
    step = int(indices[1] - indices[0])
    if step < 1 or (np.diff(indices) != step).any():
        return None
    return slice(int(indices[0]), int(indices[-1]) + 1, step)


def take_rows(xp: Any, x: Any, indices: np.ndarray[Any, Any]) -> Any:
    """Gathers rows of flat images; a view if they are equally far apart."""
    where = _step_of(indices)
    return x.take(xp.asarray(indices), axis=1) if where is None else x[:, where]


def take_columns(xp: Any, x: Any, channels: int, indices: np.ndarray[Any, Any]) -> Any:
    """Gathers columns of flat images."""
    if channels in _QUICK or channels > _LONG:
        columns = x.reshape(x.shape[0], x.shape[1], x.shape[2] // channels, channels)
        return flatten(columns.take(xp.asarray(indices), axis=2))
    places = (indices[:, None] * channels + np.arange(channels)).ravel()
    return x.take(xp.asarray(places), axis=2)


def row_weights(xp: Any, weights: np.ndarray[Any, Any]) -> Any:
    """Returns weights of rows in a shape that broadcasts to flat images."""
    return xp.asarray(weights[:, None])


def column_weights(xp: Any, weights: np.ndarray[Any, Any], channels: int) -> Any:
    """Returns weights of columns in a shape that broadcasts to flat images."""
    return xp.asarray(np.repeat(weights, channels))


def sum_rows(xp: Any, x: Any, taps: Taps) -> Any:
    """Returns the weighted sums of rows of flat images, tap by tap."""
    total = native_sampling.sum_rows(x, *taps) if xp is np else None
    if total is not None:
        return total
    parts = (
        (take_rows(xp, x, indices), row_weights(xp, weights))
        for indices, weights in zip(taps.indices.T, taps.weights.T)
    )
    return _summed(xp, parts)


def sum_columns(xp: Any, x: Any, channels: int, taps: Taps) -> Any:
    """Returns the weighted sums of columns of flat images, tap by tap."""
    total = native_sampling.sum_columns(x, channels, *taps) if xp is np else None
    if total is not None:
        return total
    parts = (
        (take_columns(xp, x, channels, indices), column_weights(xp, weights, channels))
        for indices, weights in zip(taps.indices.T, taps.weights.T)
    )
    return _summed(xp, parts)


def _summed(xp: Any, parts: Iterator[tuple[Any, Any]]) -> Any:
    first, weights = next(parts)
    total = first * weights
    scratch = xp.empty_like(total)
    for part, weights in parts:
        xp.multiply(part, weights, out=scratch)
        total += scratch
    return total


def used_rows(xp: Any, x: Any, *indices: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    """Returns the rows of flat images that indices name, and the indices of those within them."""
    # All rows are kept where most are named.
    is_used = np.zeros(x.shape[1], bool)
    for each in indices:
        is_used[each] = True
    rows = np.flatnonzero(is_used)
    if len(rows) * 4 > x.shape[1] * 3:
        return x, *indices
    return take_rows(xp, x, rows), *(np.searchsorted(rows, i) for i in indices)


# ------------------------------------------------------------------ adjoints


def transposed(taps: Taps, size: int) -> Taps:
    """Returns the taps of the adjoint: for each of ``size`` inputs the outputs that it is part of."""
    # They are in the order of the outputs; lists that are shorter than the longest end in weights
    # of 0.
    used = taps.weights != 0
    inputs = taps.indices[used]
    outputs = np.broadcast_to(np.arange(len(used))[:, None], used.shape)[used]
    order = np.argsort(inputs, kind="stable")
    inputs, outputs, weights = inputs[order], outputs[order], taps.weights[used][order]
    counts = np.bincount(inputs, minlength=size)
    starts = np.cumsum(counts) - counts
    rank = np.arange(len(inputs)) - starts[inputs]
    width = max(int(counts.max(initial=0)), 1)
    first = outputs[np.minimum(starts, len(outputs) - 1)] if len(outputs) else starts
    result = Taps(np.repeat(first[:, None], width, 1), np.zeros((size, width), np.float32))
    result.indices[inputs, rank], result.weights[inputs, rank] = outputs, weights
    return result


def scatter_taps(xp: Any, dy: Any, down: Taps, across: Taps, size: tuple[int, int]) -> Any:
    """Returns the gradient of images of a size, whose rows and columns were summed by taps."""
    channels = dy.shape[3]
    down, across = transposed(down, size[0]), transposed(across, size[1])

    def spread_part(part: Any) -> Any:
        rows = sum_rows(xp, flatten(part), down)
        return sum_columns(xp, rows, channels, across).reshape(len(part), *size, channels)

    return by_images(xp, spread_part, dy)
