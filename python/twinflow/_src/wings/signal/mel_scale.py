"""Mel-scale spectrograms and mel-frequency cepstral coefficients."""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core.dtypes import float32
from twinflow._src.dispatch.op import API, export
from twinflow._src.graph.static_values import array_of
from twinflow._src.ops.array.concat import split
from twinflow._src.ops.array.index_grids import linspace
from twinflow._src.ops.array.padding import pad
from twinflow._src.ops.array.shapes import expand_dims, reshape
from twinflow._src.wings.signal.cosine_transforms import dct
from twinflow._src.wings.signal.frames import frame

_BREAK_HERTZ, _HIGH_Q = 700.0, 1127.0


def _mel(hertz: Any) -> Any:
    """Converts frequencies to the mel scale by HTK's formula."""
    return _HIGH_Q * API["math.log"](1.0 + hertz / _BREAK_HERTZ)


def _checked(bins: Any, rate: Any, lower: Any, upper: Any, dtype: Any) -> None:
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
    _checked(num_mel_bins, rate, lower_edge_hertz, upper_edge_hertz, dtype)
    given = API["cast"](sample_rate, dtype)
    zero, lowest, highest = (
        convert_to_tensor(value, dtype=dtype) for value in (0.0, lower_edge_hertz, upper_edge_hertz)
    )
    # The DC bin (frequency 0) belongs to no band.
    places = _mel(linspace(zero, given / 2.0, num_spectrogram_bins)[1:])
    edges = frame(linspace(_mel(lowest), _mel(highest), num_mel_bins + 2), 3, 1)
    lower, center, upper = (reshape(edge, [1, num_mel_bins]) for edge in split(edges, 3, axis=1))
    places = expand_dims(places, 1)
    rising = (places - lower) / (center - lower)
    falling = (upper - places) / (upper - center)
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
    bins = x.shape[-1] if x.shape.rank else API["shape"](x)[-1]
    if bins == 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {x!s}")
    if bins is None:
        bins = API["shape"](x)[-1]
    return dct(x, type=2) * API["math.rsqrt"](API["cast"](bins, x.dtype) * 2.0)
