"""Short-time Fourier transforms: spectra of the frames of a signal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import complex64, float32, int32
from twinflow._src.dispatch.op import API, export
from twinflow._src.graph.static_values import array_of
from twinflow._src.ops.array.padding import pad
from twinflow._src.ops.array.shapes import reshape, tile
from twinflow._src.ops.reduce.reduce import reduce_sum
from twinflow._src.wings.signal.fourier_functions import irfft, rfft
from twinflow._src.wings.signal.frames import _behind, frame, overlap_and_add, scalar
from twinflow._src.wings.signal.windows import hann_window


def _power_of_two(length: Any) -> Any:
    """The smallest power of 2 that is not less."""
    known = array_of(length)
    if known is not None:
        return convert_to_tensor(int(2 ** np.ceil(np.log(known[()]) / np.log(2.0))), dtype=int32)
    logarithm = API["math.log"](API["cast"](length, float32)) / API["math.log"](2.0)
    return API["cast"](API["pow"](2.0, API["math.ceil"](logarithm)), int32)


@export("signal.stft")
def stft(
    signals: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Callable[..., Any] | None = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Any:
    """Returns the spectra of the frames of signals.

    Args:
        signals: A tensor of real numbers; the last dimension is time.
        frame_length: The length of a frame.
        frame_step: The distance between the beginnings of two frames.
        fft_length: The length of the transforms; the smallest power of 2 that takes a frame where None.
        window_fn: Makes the window of a length, by which frames are multiplied; None for no window.
        pad_end: Whether the last frames are filled up with zeros.
        name: A name for the operation.

    Returns:
        A complex tensor; for the dimension of time it has frames and frequencies.

    Raises:
        ValueError: The signals have no dimension.
    """
    x = convert_to_tensor(signals)
    x.shape.with_rank_at_least(1)
    length, step = scalar(frame_length, "frame_length"), scalar(frame_step, "frame_step")
    fft_length = (
        _power_of_two(length)
        if fft_length is None
        else convert_to_tensor(fft_length, name="fft_length")
    )
    frames = frame(x, length, step, pad_end=pad_end)
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=frames.dtype)
    return rfft(frames, [fft_length])


@export("signal.inverse_stft_window_fn")
def inverse_stft_window_fn(
    frame_step: Any, forward_window_fn: Callable[..., Any] = hann_window, name: str | None = None
) -> Callable[..., Any]:
    """Returns what makes the window with which ``tf.signal.inverse_stft`` gives the signal exactly.

    Args:
        frame_step: The distance between the beginnings of two frames.
        forward_window_fn: What made the window of the transform forwards.
        name: A name for the operation.

    Returns:
        A function of a length and a ``dtype``.
    """

    def inverse_stft_window_fn_inner(frame_length: Any, dtype: Any) -> Any:
        """A window of a length and a type."""
        length, step = scalar(frame_length, "frame_length"), scalar(frame_step, "frame_step")
        window = forward_window_fn(length, dtype=dtype)
        squares = API["square"](window)
        overlaps = -(-length // step)
        squares = pad(squares, _behind(1, [overlaps * step - length]))
        columns = reshape(squares, API["stack"]([overlaps, step]))
        columns = tile(reduce_sum(columns, 0, keepdims=True), API["stack"]([overlaps, 1]))
        return window / reshape(columns, [-1])[:length]

    return inverse_stft_window_fn_inner


def _of_length(frames: Any, length: Any) -> Any:
    """Frames whose last dimension is cut, or filled up with zeros."""
    missing = API["maximum"](0, length - API["shape"](frames)[-1])
    known = array_of(missing)
    if known is None or known:
        frames = pad(frames, _behind(frames.shape.rank, [missing]))
    return frames[..., :length]


@export("signal.inverse_stft")
def inverse_stft(
    stfts: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Callable[..., Any] | None = hann_window,
    name: str | None = None,
) -> Any:
    """Returns the signals of which the spectra of frames are given.

    Args:
        stfts: A complex tensor, as ``tf.signal.stft`` gives it.
        frame_length: The length of a frame.
        frame_step: The distance between the beginnings of two frames.
        fft_length: The length of the transforms; the smallest power of 2 that takes a frame where None.
        window_fn: Makes the window by which frames are multiplied before they are added; None for none.
            ``tf.signal.inverse_stft_window_fn`` tells the one that gives the signal back.
        name: A name for the operation.

    Returns:
        A tensor of real numbers.

    Raises:
        ValueError: There are too few dimensions.
    """
    x = convert_to_tensor(stfts, dtype_hint=complex64)
    x.shape.with_rank_at_least(2)
    length, step = scalar(frame_length, "frame_length"), scalar(frame_step, "frame_step")
    fft_length = _power_of_two(length) if fft_length is None else scalar(fft_length, "fft_length")
    frames = _of_length(irfft(x, [fft_length]), length)
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=x.dtype.real_dtype)
    return overlap_and_add(frames, step)
