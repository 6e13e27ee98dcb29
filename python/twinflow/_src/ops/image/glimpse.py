"""Glimpses: windows of images at offsets, with noise where they extend beyond the image."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.core.dtypes import float32
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import Dims, text
from twinflow._src.dispatch.op import op
from twinflow._src.ops.image.sampling import HostFloats, SizePair, known_size
from twinflow._src.shape_rules.demands import merged_size, ranked

_NOISES = ("uniform", "gaussian", "zero", "")


def _glimpse_shape(input: Dims | None, size: Any, offsets: Any, **_: Any) -> Dims:
    dims = ranked(input, 4)
    rows = offsets.shape if isinstance(offsets, np.ndarray) else None
    batch = dims[0] if rows is None else merged_size(dims[0], ranked(rows, 2)[0])
    return (batch, *known_size(size), dims[3])


def _check(x: Any, size: Any, offsets: Any, uniform_noise: bool, noise: str) -> None:
    if uniform_noise and noise not in ("uniform", ""):
        raise invalid("The uniform_noise and noise could not be specified at the same time")
    if noise not in _NOISES:
        raise invalid(f"The noise could only be uniform, gaussian, or zero, got{noise}")
    if x.ndim != 4:
        raise invalid(
            f"input must be 4-dimensional (batch_size, height, width, depth){text(x.shape)}"
        )
    if size.shape != (2,):
        raise invalid(f"input must be a vector of size 2 (height, width){text(size.shape)}")
    if (size < 0).any():
        raise invalid(f"Expected a non-negative size, got {int(size.min())}")
    if offsets.ndim != 2:
        raise invalid(f"input must be a matrix{text(offsets.shape)}")
    if len(offsets) != len(x):
        raise invalid(f"first dimension should be batch{text(offsets.shape)}")
    if offsets.shape[1] != 2:
        raise invalid(f"second dimension should be of size 2 (y,x){text(offsets.shape)}")


def _corner(
    shape: Any, size: Any, offset: Any, ways: tuple[bool, bool], cuts_half: bool
) -> list[int]:
    """Returns the first row and column of a glimpse."""
    centered, normalized = ways
    result = []
    for length, window, value in zip(shape[1:3], size.tolist(), offset):
        position = value * np.float32(length) if normalized else value
        if centered:
            half = np.float32(length) / np.float32(2)
            position = (position / np.float32(2) if cuts_half else position) + half
        if cuts_half:
            position = position - np.float32(window) / np.float32(2)
        result.append(int(position))
    return result


def _noise(values: Any, shape: Any, noise: str) -> Any:
    """Returns noise in the range of the values of an image, drawn on the host."""
    if noise == "zero" or not values.size:
        return np.zeros(shape, "float32")
    rng, least, most = np.random.default_rng(), float(values.min()), float(values.max())
    if noise == "uniform":
        return rng.uniform(least, most, shape).astype("float32")
    normal = rng.normal(float(values.mean()), float(values.std()), shape)
    return normal.clip(least, most).astype("float32")


def _glimpses(
    xp: Any, x: Any, size: Any, offsets: Any, ways: tuple[bool, bool], noise: str, halves: bool
) -> Any:
    height, width = size.tolist()
    result = xp.empty((len(x), height, width, x.shape[3]), x.dtype)
    for i, offset in enumerate(offsets):
        top, left = _corner(x.shape, size, offset, ways, halves)
        rows = slice(max(top, 0), max(min(top + height, x.shape[1]), 0))
        columns = slice(max(left, 0), max(min(left + width, x.shape[2]), 0))
        part = x[i, rows, columns]
        if part.shape[:2] != (height, width):
            result[i] = xp.asarray(_noise(x[i], result.shape[1:], noise))
        if part.size:
            first, second = rows.start - top, columns.start - left
            result[i, first : first + part.shape[0], second : second + part.shape[1]] = part
    return result


@op(
    "ExtractGlimpse",
    shape=_glimpse_shape,
    dtypes=frozenset((float32,)),
    impure=True,
    no_gradient=True,
)
def extract_glimpse(
    xp: Any,
    input: Any,
    size: SizePair,
    offsets: HostFloats,
    *,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    noise: str = "uniform",
) -> Any:
    """Extracts a window of each image at an offset of its centre."""
    _check(input, size, offsets, uniform_noise, noise)
    noise = noise or ("uniform" if uniform_noise else "gaussian")
    return _glimpses(xp, input, size, offsets, (centered, normalized), noise, True)


@op("ExtractGlimpseV2", shape=_glimpse_shape, dtypes=frozenset((float32,)), impure=True)
def extract_glimpse_v2(
    xp: Any,
    input: Any,
    size: SizePair,
    offsets: HostFloats,
    *,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    noise: str = "uniform",
) -> Any:
    """Extracts a window of each image at an offset."""
    _check(input, size, offsets, uniform_noise, noise)
    noise = noise or ("uniform" if uniform_noise else "gaussian")
    # an offset is that of the centre only where both ways are asked for
    halves = centered and normalized
    return _glimpses(xp, input, size, offsets, (centered, normalized), noise, halves)
