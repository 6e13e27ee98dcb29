"""Transforms of signals: gradients against slopes, what transforms undo, lengths of all kinds."""

import numpy as np
import pytest

import twinflow as tf

CASES = {
    "fft": lambda v: tf.signal.fft(tf.complex(v, v * v)),
    "ifft2d": lambda v: tf.signal.ifft2d(tf.complex(v, v * v)),
    "fft3d": lambda v: tf.signal.fft3d(tf.complex(v, v * v)),
    "rfft": lambda v: tf.signal.rfft(v),
    "rfft, shorter": lambda v: tf.signal.rfft(v, [3]),
    "rfft, longer": lambda v: tf.signal.rfft(v, [7]),
    "rfft2d, cut and filled": lambda v: tf.signal.rfft2d(v, [2, 6]),
    "rfft3d": lambda v: tf.signal.rfft3d(v),
    "rfft3d, other lengths": lambda v: tf.signal.rfft3d(v, [3, 2, 5]),
    "irfft": lambda v: tf.signal.irfft(tf.complex(v, v * v)),
    "irfft, odd": lambda v: tf.signal.irfft(tf.complex(v, v * v), [5]),
    "irfft, longer": lambda v: tf.signal.irfft(tf.complex(v, v * v), [11]),
    "irfft2d, cut": lambda v: tf.signal.irfft2d(tf.complex(v, v * v), [2, 5]),
    "irfft3d": lambda v: tf.signal.irfft3d(tf.complex(v, v * v), [2, 4, 6]),
    "fftnd": lambda v: tf.signal.fftnd(tf.complex(v, v * v), [3, 3], [0, 2], "ortho"),
    "ifftnd": lambda v: tf.signal.ifftnd(tf.complex(v, v * v), [3, 3], [0, 2]),
    "rfftnd": lambda v: tf.signal.rfftnd(v, [5, 2], [2, 0]),
    "irfftnd": lambda v: tf.signal.irfftnd(tf.complex(v, v * v), [5, 4], [2, 1]),
    "dct": lambda v: tf.signal.dct(v, type=2, norm="ortho"),
    "dct 1": lambda v: tf.signal.dct(v, type=1),
    "dct 3": lambda v: tf.signal.dct(v, type=3),
    "dct 4": lambda v: tf.signal.dct(v, type=4, n=3),
    "stft": lambda v: tf.signal.stft(v, 3, 1),
    "inverse_stft": lambda v: tf.signal.inverse_stft(tf.complex(v, v * v), 6, 3),
    "frame": lambda v: tf.signal.frame(v, 2, 1, axis=1, pad_end=True),
    "overlap_and_add": lambda v: tf.signal.overlap_and_add(v, 3),
    "mdct": lambda v: tf.signal.mdct(v, 4, pad_end=True),
    "inverse_mdct": lambda v: tf.signal.inverse_mdct(v),
    "fftshift": lambda v: tf.signal.fftshift(v),
}


def weighted(function, values):
    """A number that depends on every element of a result in another way."""
    result = function(values)
    places = tf.reshape(tf.range(1.0, tf.size(result) + 1, dtype=tf.float64), tf.shape(result))
    if result.dtype.is_complex:
        return tf.reduce_sum(tf.math.real(result) * places + tf.math.imag(result) * places**2 / 7)
    return tf.reduce_sum(result * places)


def slopes(function, values, step=1e-6):
    found = np.zeros_like(values)
    for at in np.ndindex(values.shape):
        up, down = values.copy(), values.copy()
        up[at] += step
        down[at] -= step
        found[at] = (
            weighted(function, tf.constant(up)) - weighted(function, tf.constant(down))
        ) / (2 * step)
    return found


@pytest.mark.parametrize("name", CASES)
def test_gradient_is_the_slope(name):
    values = np.sin(np.arange(24.0)).reshape(2, 3, 4)
    x = tf.constant(values)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = weighted(CASES[name], x)
    gradient = tape.gradient(y, x)
    assert gradient.shape == x.shape
    np.testing.assert_allclose(gradient, slopes(CASES[name], values), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["fft", "rfft, shorter", "irfft, odd", "rfftnd"])
def test_second_gradient_is_the_slope_of_the_first(name):
    values = np.sin(np.arange(24.0)).reshape(2, 3, 4)

    def first(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.abs(CASES[name](x)) ** 4)
        return tape.gradient(y, x)

    x = tf.constant(values)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = weighted(first, x)
    np.testing.assert_allclose(tape.gradient(y, x), slopes(first, values), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("size", [1, 2, 3, 8, 9, 30])
def test_inverses_undo(size):
    x = tf.constant(np.cos(np.arange(2.0 * size)).reshape(2, size))
    c = tf.complex(x, x[::-1])
    np.testing.assert_allclose(tf.signal.ifft(tf.signal.fft(c)), c, atol=1e-12)
    np.testing.assert_allclose(tf.signal.irfft(tf.signal.rfft(x), [size]), x, atol=1e-12)
    np.testing.assert_allclose(tf.signal.ifftshift(tf.signal.fftshift(x)), x)
    np.testing.assert_allclose(tf.signal.irfftnd(tf.signal.rfftnd(x), [2, size]), x, atol=1e-12)
    for norm in (None, "ortho", "forward"):
        np.testing.assert_allclose(
            tf.signal.ifftnd(tf.signal.fftnd(c, norm=norm), norm=norm), c, atol=1e-12
        )
    for type in (2, 3, 4):
        back = tf.signal.idct(tf.signal.dct(x, type=type, norm="ortho"), type=type, norm="ortho")
        np.testing.assert_allclose(back, x, atol=1e-12)


@pytest.mark.parametrize(("length", "step"), [(8, 4), (8, 2), (6, 3), (7, 2)])
def test_short_time_transform_is_undone(length, step):
    x = tf.constant(np.cos(np.arange(64.0)))
    window = tf.signal.inverse_stft_window_fn(step)
    back = tf.signal.inverse_stft(tf.signal.stft(x, length, step), length, step, window_fn=window)
    inner = slice(length, 64 - 2 * length)
    np.testing.assert_allclose(back[inner], x[inner], atol=1e-9)


@pytest.mark.parametrize(
    "window", [tf.signal.vorbis_window, tf.signal.kaiser_bessel_derived_window, None]
)
@pytest.mark.parametrize("norm", [None, "ortho"])
def test_modified_cosine_transform_is_undone(window, norm):
    x = tf.constant(np.cos(np.arange(64.0)))
    back = tf.signal.inverse_mdct(tf.signal.mdct(x, 8, window, norm=norm), window, norm=norm)
    np.testing.assert_allclose(back[4:60], x[4:60], atol=1e-6)


def test_frames_are_those_of_a_loop():
    x = np.arange(20.0)
    for length, step in [(4, 2), (6, 4), (3, 5), (5, 1)]:
        count = max(0, 1 + (20 - length) // step)
        frames = np.stack([x[i * step : i * step + length] for i in range(count)])
        np.testing.assert_array_equal(tf.signal.frame(x, length, step), frames)
        total = np.zeros((count - 1) * step + length)
        for i, row in enumerate(frames):
            total[i * step : i * step + length] += row
        np.testing.assert_array_equal(tf.signal.overlap_and_add(frames, step), total)


def test_transforms_of_32_bits_stay_there():
    x = tf.random.normal([3, 64])
    assert tf.signal.rfft(x).dtype == tf.complex64
    assert tf.signal.irfft(tf.signal.rfft(x)).dtype == tf.float32
    assert tf.signal.rfft(tf.cast(x, tf.float64)).dtype == tf.complex128


# The shape of a signal as a function knows it, and of its spectra: with a window that is a tensor of the function,
# and where the ends of frames are filled up.
@pytest.mark.parametrize(
    ("known", "windowed", "filled"),
    [
        ((2, 32), (2, 7, 5), (2, 8, 6)),
        ((2, None), (2, None, 5), (2, None, 6)),
        ((None, None), (None, None, 5), (None, None, 6)),
        (None, None, None),
    ],
)
def test_spectra_of_signals_of_unknown_sizes(known, windowed, filled):
    seen = []
    signal = tf.constant(np.sin(np.arange(64)).reshape(2, 32), "float32")
    window = tf.constant(np.linspace(0, 1, 8), "float32")

    @tf.function(input_signature=[tf.TensorSpec(known), tf.TensorSpec([None])])
    def spectra(x, window):
        with tf.GradientTape() as tape:
            tape.watch([x, window])
            found = tf.signal.stft(
                x, 8, 4, window_fn=lambda length, dtype: tf.cast(window[:length], dtype)
            )
            total = tf.reduce_sum(tf.abs(found))
        seen.extend([found.shape, tf.signal.stft(x, 8, 4, 10, pad_end=True).shape])
        return [
            found,
            *tape.gradient(total, [x, window]),
            tf.signal.stft(x, 8, 4, 10, pad_end=True),
        ]

    found, by_signal, by_window, longer = spectra(signal, window)
    assert [shape.rank and tuple(shape) for shape in seen] == [windowed, filled]
    assert found.shape == (2, 7, 5) and longer.shape == (2, 8, 6)
    np.testing.assert_allclose(tf.reduce_sum(tf.abs(found)), 64.873, rtol=1e-5)
    np.testing.assert_allclose(tf.reduce_sum(tf.abs(longer)), 79.073, rtol=1e-5)
    for grad, values in (
        (by_signal, signal),
        (by_window, window),
    ):  # the spectra are linear in both
        np.testing.assert_allclose(tf.reduce_sum(grad * values), 64.873, rtol=1e-5)
    if known != (2, 32):
        assert spectra(signal[:, :3], window)[0].shape == (2, 0, 5)


def test_frames_along_any_dimension_of_unknown_rank():
    @tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec((), tf.int32)])
    def frames(x, length):
        return [
            tf.signal.frame(x, length, 2, pad_end=True, pad_value=-1.0, axis=axis)
            for axis in (0, 1, -2)
        ]

    x = tf.reshape(tf.range(24.0), [2, 4, 3])
    for found, axis in zip(frames(x, 3), (0, 1, 1)):
        np.testing.assert_array_equal(
            found, tf.signal.frame(x, 3, 2, pad_end=True, pad_value=-1.0, axis=axis)
        )
