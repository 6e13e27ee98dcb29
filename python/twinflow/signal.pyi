# Computed from the op table by tools/make_stubs.py.

from collections.abc import Callable
from typing import Any, SupportsIndex

from twinflow import fftnd as fftnd
from twinflow import ifftnd as ifftnd
from twinflow import irfftnd as irfftnd
from twinflow import rfftnd as rfftnd

def dct(
    input: Any,
    type: SupportsIndex = 2,
    n: Any = None,
    axis: SupportsIndex = -1,
    norm: Any = None,
    name: str | None = None,
) -> Any:
    """Computes the discrete cosine transform (DCT) over the last dimension."""

def fft(input: Any, name: str | None = None) -> Any:
    """Returns the Fourier transform of complex numbers over the last dimension."""

def fft2d(input: Any, name: str | None = None) -> Any:
    """Returns the Fourier transform of complex numbers over the last two dimensions."""

def fft3d(input: Any, name: str | None = None) -> Any:
    """Returns the Fourier transform of complex numbers over the last three dimensions."""

def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Any:
    """Shifts the zero-frequency component to the center of the spectrum."""

def frame(
    signal: Any,
    frame_length: Any,
    frame_step: Any,
    pad_end: bool = False,
    pad_value: Any = 0,
    axis: SupportsIndex = -1,
    name: str | None = None,
) -> Any:
    """Splits a signal into overlapping frames of fixed length."""

def hamming_window(
    window_length: Any, periodic: Any = True, dtype: Any = ..., name: str | None = None
) -> Any:
    """Generates a Hamming window."""

def hann_window(
    window_length: Any, periodic: Any = True, dtype: Any = ..., name: str | None = None
) -> Any:
    """Generates a Hann window."""

def idct(
    input: Any,
    type: SupportsIndex = 2,
    n: Any = None,
    axis: SupportsIndex = -1,
    norm: Any = None,
    name: str | None = None,
) -> Any:
    """Computes the inverse discrete cosine transform over the last dimension."""

def ifft(input: Any, name: str | None = None) -> Any:
    """Returns the inverse Fourier transform of complex numbers over the last dimension."""

def ifft2d(input: Any, name: str | None = None) -> Any:
    """Returns the inverse Fourier transform of complex numbers over the last two dimensions."""

def ifft3d(input: Any, name: str | None = None) -> Any:
    """Returns the inverse Fourier transform of complex numbers over the last three dimensions."""

def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Any:
    """Shifts the zero-frequency component back to index 0, the inverse of ``tf.signal.fftshift``."""

def inverse_mdct(
    mdcts: Any,
    window_fn: Callable[..., Any] | None = ...,
    norm: Any = None,
    name: str | None = None,
) -> Any:
    """Computes the inverse modified discrete cosine transform of MDCT frames."""

def inverse_stft(
    stfts: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Callable[..., Any] | None = ...,
    name: str | None = None,
) -> Any:
    """Computes the inverse short-time Fourier transform of STFTs."""

def inverse_stft_window_fn(
    frame_step: Any, forward_window_fn: Callable[..., Any] = ..., name: str | None = None
) -> Callable[..., Any]:
    """Returns the window function for perfect reconstruction by ``tf.signal.inverse_stft``."""

def irfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """Computes the inverse real FFT over the last dimension."""

def irfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """Computes the inverse 2-D real FFT over the last two dimensions."""

def irfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """Computes the inverse 3-D real FFT over the last three dimensions."""

def kaiser_bessel_derived_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = ..., name: str | None = None
) -> Any:
    """Generates a Kaiser-Bessel-derived (KBD) window, as used with the MDCT."""

def kaiser_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = ..., name: str | None = None
) -> Any:
    """Generates a Kaiser window."""

def linear_to_mel_weight_matrix(
    num_mel_bins: SupportsIndex = 20,
    num_spectrogram_bins: Any = 129,
    sample_rate: Any = 8000,
    lower_edge_hertz: Any = 125.0,
    upper_edge_hertz: Any = 3800.0,
    dtype: Any = ...,
    name: str | None = None,
) -> Any:
    """Returns a matrix that warps linear-scale spectrograms to the mel scale."""

def mdct(
    signals: Any,
    frame_length: Any,
    window_fn: Callable[..., Any] | None = ...,
    pad_end: bool = False,
    norm: Any = None,
    name: str | None = None,
) -> Any:
    """Computes the modified discrete cosine transform (MDCT) of the frames of signals."""

def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: str | None = None) -> Any:
    """Computes mel-frequency cepstral coefficients (MFCCs) from log-mel spectrograms."""

def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Any:
    """Reconstructs a signal from frames by adding their overlaps."""

def rfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """Computes the FFT of a real tensor over the last dimension."""

def rfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """Computes the 2-D FFT of a real tensor over the last two dimensions."""

def rfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """Computes the 3-D FFT of a real tensor over the last three dimensions."""

def stft(
    signals: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Callable[..., Any] | None = ...,
    pad_end: bool = False,
    name: str | None = None,
) -> Any:
    """Computes the short-time Fourier transform (STFT) of signals."""

def vorbis_window(window_length: Any, dtype: Any = ..., name: str | None = None) -> Any:
    """Generates a Vorbis power complementary window."""
