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
    """Returns the discrete cosine transform over the last dimension."""

def fft(input: Any, name: str | None = None) -> Any:
    """Returns the Fourier transform of complex numbers over the last dimension."""

def fft2d(input: Any, name: str | None = None) -> Any:
    """Returns the Fourier transform of complex numbers over the last two dimensions."""

def fft3d(input: Any, name: str | None = None) -> Any:
    """Returns the Fourier transform of complex numbers over the last three dimensions."""

def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Any:
    """Returns a transform with the frequency zero in the middle of its dimensions."""

def frame(
    signal: Any,
    frame_length: Any,
    frame_step: Any,
    pad_end: bool = False,
    pad_value: Any = 0,
    axis: SupportsIndex = -1,
    name: str | None = None,
) -> Any:
    """Returns the frames of a signal: pieces of one length, a step apart."""

def hamming_window(
    window_length: Any, periodic: Any = True, dtype: Any = ..., name: str | None = None
) -> Any:
    """Returns a Hamming window: one arch of a cosine, from 0.08 to 1 and back."""

def hann_window(
    window_length: Any, periodic: Any = True, dtype: Any = ..., name: str | None = None
) -> Any:
    """Returns a Hann window: one arch of a cosine, from 0 to 1 and back."""

def idct(
    input: Any,
    type: SupportsIndex = 2,
    n: Any = None,
    axis: SupportsIndex = -1,
    norm: Any = None,
    name: str | None = None,
) -> Any:
    """Returns what the discrete cosine transform was made of, up to a factor where ``norm`` is None."""

def ifft(input: Any, name: str | None = None) -> Any:
    """Returns the inverse Fourier transform of complex numbers over the last dimension."""

def ifft2d(input: Any, name: str | None = None) -> Any:
    """Returns the inverse Fourier transform of complex numbers over the last two dimensions."""

def ifft3d(input: Any, name: str | None = None) -> Any:
    """Returns the inverse Fourier transform of complex numbers over the last three dimensions."""

def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Any:
    """Returns a transform with the frequency zero in the first place again."""

def inverse_mdct(
    mdcts: Any,
    window_fn: Callable[..., Any] | None = ...,
    norm: Any = None,
    name: str | None = None,
) -> Any:
    """Returns the signals of which the modified discrete cosine transforms of frames are given."""

def inverse_stft(
    stfts: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Callable[..., Any] | None = ...,
    name: str | None = None,
) -> Any:
    """Returns the signals of which the spectra of frames are given."""

def inverse_stft_window_fn(
    frame_step: Any, forward_window_fn: Callable[..., Any] = ..., name: str | None = None
) -> Callable[..., Any]:
    """Returns what makes the window with which ``tf.signal.inverse_stft`` gives the signal exactly."""

def irfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """Returns the real numbers of which the last dimension is the Fourier transform."""

def irfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """Returns the real numbers of which the last two dimensions are the Fourier transform."""

def irfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """Returns the real numbers of which the last three dimensions are the Fourier transform."""

def kaiser_bessel_derived_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = ..., name: str | None = None
) -> Any:
    """Returns a window made of the sums of a Kaiser window, as cosine transforms with overlaps want it."""

def kaiser_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = ..., name: str | None = None
) -> Any:
    """Returns a Kaiser window: a Bessel function of the height of a half circle."""

def linear_to_mel_weight_matrix(
    num_mel_bins: SupportsIndex = 20,
    num_spectrogram_bins: Any = 129,
    sample_rate: Any = 8000,
    lower_edge_hertz: Any = 125.0,
    upper_edge_hertz: Any = 3800.0,
    dtype: Any = ...,
    name: str | None = None,
) -> Any:
    """Returns a matrix that makes of spectra with even steps in frequency ones with even steps in pitch."""

def mdct(
    signals: Any,
    frame_length: Any,
    window_fn: Callable[..., Any] | None = ...,
    pad_end: bool = False,
    norm: Any = None,
    name: str | None = None,
) -> Any:
    """Returns the modified discrete cosine transforms of the frames of signals."""

def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: str | None = None) -> Any:
    """Returns mel-frequency cepstral coefficients: the cosine transforms of logarithms of mel spectra."""

def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Any:
    """Returns the signal of which frames are given; where they overlap they are added."""

def rfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """Returns the Fourier transform of real numbers over the last dimension."""

def rfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """Returns the Fourier transform of real numbers over the last two dimensions."""

def rfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """Returns the Fourier transform of real numbers over the last three dimensions."""

def stft(
    signals: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Callable[..., Any] | None = ...,
    pad_end: bool = False,
    name: str | None = None,
) -> Any:
    """Returns the spectra of the frames of signals."""

def vorbis_window(window_length: Any, dtype: Any = ..., name: str | None = None) -> Any:
    """Returns the window of the audio format Vorbis: a sine of a squared sine."""
