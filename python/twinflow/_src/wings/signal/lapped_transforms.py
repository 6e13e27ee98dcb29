"""Modified discrete cosine transforms: frames overlap by half, and errors at their ends cancel."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.dispatch.op import API, export
from twinflow._src.graph.static_values import array_of
from twinflow._src.ops.array.concat import concat, split
from twinflow._src.wings.signal.cosine_transforms import dct, idct
from twinflow._src.wings.signal.frames import frame, overlap_and_add, scalar
from twinflow._src.wings.signal.windows import vorbis_window


def _assert_norm(norm: Any) -> None:
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")


def _windowed(frames: Any, window_fn: Callable[..., Any] | None, length: Any) -> Any:
    if window_fn is None:
        return frames * (1.0 / math.sqrt(2.0))
    return frames * window_fn(length, dtype=frames.dtype)


@export("signal.mdct")
def mdct(
    signals: Any,
    frame_length: Any,
    window_fn: Callable[..., Any] | None = vorbis_window,
    pad_end: bool = False,
    norm: Any = None,
    name: str | None = None,
) -> Any:
    """Returns the modified discrete cosine transforms of the frames of signals.

    Args:
        signals: A tensor of real numbers; the last dimension is time.
        frame_length: The length of a frame, a multiple of 4.
        window_fn: Makes the window of a length, by which frames are multiplied; None for a constant.
        pad_end: Whether the last frames are filled up with zeros.
        norm: None, or ``"ortho"`` for the orthogonal cosine transform.
        name: A name for the operation.

    Returns:
        A tensor; for the dimension of time it has frames and half as many numbers as a frame.

    Raises:
        ValueError: The length is no multiple of 4, or there is no such norm.
    """
    x = convert_to_tensor(signals)
    x.shape.with_rank_at_least(1)
    length = scalar(frame_length, "frame_length")
    known = array_of(length)
    if known is not None and known % 4:
        raise ValueError("The frame length must be a multiple of 4.")
    frames = _windowed(frame(x, length, length // 2, pad_end=pad_end), window_fn, length)
    a, b, c, d = split(frames, 4, axis=-1)
    folded = concat([-API["reverse"](c, [-1]) - d, a - API["reverse"](b, [-1])], -1)
    return dct(folded, type=4, norm=norm)


@export("signal.inverse_mdct")
def inverse_mdct(
    mdcts: Any,
    window_fn: Callable[..., Any] | None = vorbis_window,
    norm: Any = None,
    name: str | None = None,
) -> Any:
    """Returns the signals of which the modified discrete cosine transforms of frames are given.

    Args:
        mdcts: A tensor, as ``tf.signal.mdct`` gives it.
        window_fn: Makes the window by which frames are multiplied before they are added; that of the
            transform.
        norm: That of the transform.
        name: A name for the operation.

    Returns:
        A tensor of real numbers.

    Raises:
        ValueError: There are too few dimensions, or there is no such norm.
    """
    x = convert_to_tensor(mdcts)
    x.shape.with_rank_at_least(2)
    _assert_norm(norm)
    half = API["shape"](x)[-1]
    found = idct(x, type=4, norm=norm)
    if norm is None:
        found = found * (0.5 / API["cast"](half, x.dtype))
    first, second = split(found, 2, axis=-1)
    turned = API["reverse"]
    frames = concat([second, -turned(second, [-1]), -turned(first, [-1]), -first], -1)
    return overlap_and_add(_windowed(frames, window_fn, 2 * half), half)
