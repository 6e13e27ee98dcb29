"""Short-time Fourier transform (STFT), mel-scale spectrograms and cepstral coefficients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core.dtypes import complex64, float32, int32
from twinflow._src.core.shapes import static_size
from twinflow._src.dispatch.op import API, export
from twinflow._src.graph.static_values import array_of
from twinflow._src.ops.array.concat import split
from twinflow._src.ops.array.index_grids import linspace
from twinflow._src.ops.array.padding import pad
from twinflow._src.ops.array.shapes import expand_dims, reshape, tile
from twinflow._src.ops.reduce.reduce import reduce_sum
from twinflow._src.wings.signal.cosine_transforms import dct
from twinflow._src.wings.signal.fourier import irfft, rfft
from twinflow._src.wings.signal.frames import (
    _behind,
    frame,
    hann_window,
    on_matrices,
    overlap_and_add,
    scalar,
)

# Short-time Fourier transform (STFT) and its inverse.


def _power_of_two(length: Any) -> Any:
    """Returns the smallest power of 2 that is not less than a length."""
    static = array_of(length)
    if static is not None:
        return convert_to_tensor(int(2 ** np.ceil(np.log(static[()]) / np.log(2.0))), dtype=int32)
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
    """Computes the short-time Fourier transform (STFT) of signals.

    Args:
        signals: A real tensor; the last dimension is time.
        frame_length: The frame length in samples.
        frame_step: The hop between the starts of consecutive frames.
        fft_length: The length of the transforms; the smallest power of 2 that takes a frame if
            None.
        window_fn: A function of a length and a ``dtype`` that returns the window; None for no
            window.
        pad_end: If True, zero-pads the signal so that the last frames are complete.
        name: A name for the operation.

    Returns:
        A complex tensor in which the time axis is replaced by frames and frequency bins.

    Raises:
        ValueError: The signal is a scalar.
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
    """Returns the window function for perfect reconstruction by ``tf.signal.inverse_stft``.

    Args:
        frame_step: The hop between the starts of consecutive frames.
        forward_window_fn: The window function of the forward transform.
        name: A name for the operation.

    Returns:
        A function of a length and a ``dtype`` that returns a window.
    """

    def inverse_stft_window_fn_inner(frame_length: Any, dtype: Any) -> Any:
        """Returns the window of a length and dtype."""
        length, step = scalar(frame_length, "frame_length"), scalar(frame_step, "frame_step")
        window = forward_window_fn(length, dtype=dtype)
        squares = API["square"](window)
        overlaps = -(-length // step)
        squares = pad(squares, _behind(1, [overlaps * step - length]))
        columns = reshape(squares, API["stack"]([overlaps, step]))
        columns = tile(reduce_sum(columns, 0, keepdims=True), API["stack"]([overlaps, 1]))
        return window / reshape(columns, [-1])[:length]

    return inverse_stft_window_fn_inner


def _fit_length(frames: Any, length: Any) -> Any:
    """Truncates or zero-pads the last dimension to a length."""
    missing = API["maximum"](0, length - API["shape"](frames)[-1])
    static = array_of(missing)
    if static is None or static:
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
    """Computes the inverse short-time Fourier transform of STFTs.

    Args:
        stfts: A complex tensor, as returned by ``tf.signal.stft``.
        frame_length: The frame length in samples.
        frame_step: The hop between the starts of consecutive frames.
        fft_length: The FFT length; the smallest power of 2 that is not less than the frame length
            if None.
        window_fn: A function of a length and a ``dtype`` that returns the synthesis window; None
            for no window. ``tf.signal.inverse_stft_window_fn`` returns the one for perfect
            reconstruction.
        name: A name for the operation.

    Returns:
        A real tensor.

    Raises:
        ValueError: The rank is too small.
    """
    x = convert_to_tensor(stfts, dtype_hint=complex64)
    x.shape.with_rank_at_least(2)
    length, step = scalar(frame_length, "frame_length"), scalar(frame_step, "frame_step")
    fft_length = _power_of_two(length) if fft_length is None else scalar(fft_length, "fft_length")
    if x.shape.rank is None:
        return on_matrices(lambda flat: inverse_stft(flat, length, step, fft_length, window_fn), x)
    frames = _fit_length(irfft(x, [fft_length]), length)
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=x.dtype.real_dtype)
    return overlap_and_add(frames, step)


# Mel-scale spectrograms and mel-frequency cepstral coefficients.


_BREAK_HERTZ, _HIGH_Q = 700.0, 1127.0


def _mel(hertz: Any) -> Any:
    """Converts frequencies to the mel scale by HTK's formula."""
    return _HIGH_Q * API["math.log"](1.0 + hertz / _BREAK_HERTZ)


def _check_bins(bins: Any, rate: Any, lower: Any, upper: Any, dtype: Any) -> None:
    if bins <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {bins}")
    if lower < 0.0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {lower}")
    if lower >= upper:
        raise ValueError(f"lower_edge_hertz {lower} >= upper_edge_hertz {upper}")
    if rate is not None and rate <= 0.0:
        raise ValueError(f"sample_rate must be positive. Got: {rate}")
    if rate is not None and upper > rate / 2:
        raise ValueError(
            "upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). "
            f"Got {upper} for sample_rate: {rate}"
        )
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Got: {dtype}")


@export("signal.linear_to_mel_weight_matrix")
def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20,
    num_spectrogram_bins: Any = 129,
    sample_rate: Any = 8000,
    lower_edge_hertz: Any = 125.0,
    upper_edge_hertz: Any = 3800.0,
    dtype: Any = float32,
    name: str | None = None,
) -> Any:
    """Returns a matrix that warps linear-scale spectrograms to the mel scale.

    Args:
        num_mel_bins: The number of mel bands, which are triangles that overlap by half.
        num_spectrogram_bins: The number of frequency bins of the source spectrograms.
        sample_rate: The sample rate in Hz.
        lower_edge_hertz: The lower edge of the lowest band.
        upper_edge_hertz: The upper edge of the highest band.
        dtype: A floating-point dtype.
        name: A name for the operation.

    Returns:
        A ``[num_spectrogram_bins, num_mel_bins]`` matrix, by which spectrograms are multiplied from
        the right.

    Raises:
        ValueError: The arguments are inconsistent.
    """
    rate = array_of(sample_rate) if is_tensor(sample_rate) else sample_rate
    _check_bins(num_mel_bins, rate, lower_edge_hertz, upper_edge_hertz, dtype)
    rate_tensor = API["cast"](sample_rate, dtype)
    zero, lowest, highest = (
        convert_to_tensor(value, dtype=dtype) for value in (0.0, lower_edge_hertz, upper_edge_hertz)
    )
    # The DC bin (frequency 0) belongs to no band.
    mels = _mel(linspace(zero, rate_tensor / 2.0, num_spectrogram_bins)[1:])
    edges = frame(linspace(_mel(lowest), _mel(highest), num_mel_bins + 2), 3, 1)
    lower, center, upper = (reshape(edge, [1, num_mel_bins]) for edge in split(edges, 3, axis=1))
    mels = expand_dims(mels, 1)
    rising = (mels - lower) / (center - lower)
    falling = (upper - mels) / (upper - center)
    weights = API["maximum"](zero, API["minimum"](rising, falling))
    return pad(weights, [[1, 0], [0, 0]])


@export("signal.mfccs_from_log_mel_spectrograms")
def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: str | None = None) -> Any:
    """Computes mel-frequency cepstral coefficients (MFCCs) from log-mel spectrograms.

    Args:
        log_mel_spectrograms: A real tensor; the last dimension contains the mel bands.
        name: A name for the operation.

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        ValueError: The number of bands is 0.
    """
    x = convert_to_tensor(log_mel_spectrograms)
    bins = static_size(x.shape, -1) if x.shape.rank != 0 else API["shape"](x)[-1]
    if bins == 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {x!s}")
    if bins is None:
        bins = API["shape"](x)[-1]
    return dct(x, type=2) * API["math.rsqrt"](API["cast"](bins, x.dtype) * 2.0)
