"""``tf.audio``: WAV files; the errors are those of TensorFlow 2.21."""

import struct

import numpy as np
import pytest

import twinflow as tf


def wav(
    kind=1, channels=1, rate=8000, speed=None, width=None, bits=16, size=16, data=b"\0\0\1\0",
    data_size=None, tail=b"", before=b"", between=b"", after=b"",
):  # fmt: skip
    speed = rate * channels * bits // 8 if speed is None else speed
    width = channels * bits // 8 if width is None else width
    format = struct.pack("<IHHIIHH", size, kind, channels, rate, speed, width, bits) + tail
    length = struct.pack("<I", len(data) if data_size is None else data_size)
    body = b"WAVE" + before + b"fmt " + format + between + b"data" + length + data + after
    return b"RIFF" + struct.pack("<I", len(body)) + body


@pytest.mark.parametrize(
    "file",
    [
        wav(),
        wav(size=18, tail=b"\0\0"),
        wav(before=b"JUNK\4\0\0\0abcd"),
        wav(between=b"LIST\3\0\0\0abc"),
        wav(after=b"LIST\4\0\0\0abcd"),
    ],
)
def test_chunks_of_files(file):
    audio, rate = tf.audio.decode_wav(file)
    np.testing.assert_array_equal(audio, [[0], [2.0**-15]])
    assert (rate.numpy(), rate.dtype) == (8000, tf.int32)


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (b"", "Data too short when trying to read string"),
        (wav()[:44], "Data too short when trying to read string"),
        (b"RIFX" + wav()[4:], "Header mismatch: Expected RIFF but found RIFX"),
        (wav()[:12] + b"fmtx" + wav()[16:], "Unexpected field fmtx"),
        (wav(kind=3), r"Bad audio format for WAV: Expected 1 \(PCM\), but got3"),
        (wav(size=40), "Bad format chunk size for WAV: Expected 16 or 18, but got40"),
        (wav(channels=0), "Bad number of channels for WAV: Expected at least 1, but got 0"),
        (wav(bits=8), "Can only read 16-bit WAV files, but received 8"),
        (wav(speed=3), "Expected 16000 but got 3 .sample_rate=8000, bytes_per_sample=2."),
        (wav(width=3), "Bad bytes per sample in WAV header: Expected 2 but got 3"),
        (wav(data_size=100), "Data too short when trying to read string"),
        (wav(after=b"data\2\0\0\0\5\0"), "More than one data chunk found in WAV"),
        (wav(between=b"LIST\xff\xff\xff\x7f"), "No data chunk found in WAV"),
        (wav(between=b"LIST\xff\xff\xff\xff"), "'LIST' is too large: 4294967295 bytes"),
    ],
)
def test_damaged_files(file, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.audio.decode_wav(file)


def test_channels_and_samples():
    file = tf.audio.encode_wav([[0.0, 0.5], [0.25, -0.5]], 100)
    decode = lambda **sizes: tf.audio.decode_wav(file, **sizes).audio.numpy().tolist()
    assert decode(desired_channels=1) == [[0], [0.25]]
    assert decode(desired_channels=3) == [[0, 0.5, 0.5], [0.25, -0.5, -0.5]]
    assert decode(desired_samples=1) == [[0, 0.5]]
    assert decode(desired_samples=3) == [[0, 0.5], [0.25, -0.5], [0, 0]]
    for name in ("channels", "samples"):
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"desired_{name} must be >= -1"):
            decode(**{f"desired_{name}": -2})


def test_rounding_and_limits():
    values = [0, 1, -1, 2, -3, 2.0**-16, 3 * 2.0**-16, -(2.0**-16), np.inf, -np.inf]
    file = tf.audio.encode_wav(np.array(values, np.float32)[:, None], 1).numpy()
    top, bottom = 32767, -32768
    assert np.frombuffer(file[44:], "<i2").tolist() == [
        *(0, top, bottom, top, bottom),
        *(1, 2, -1, top, bottom),
    ]


@pytest.mark.parametrize(
    ("audio", "rate", "message"),
    [
        (np.zeros(3, "f"), 1, r"audio must be 2-dimensional\[3\]"),
        (np.zeros((1, 1), "f"), [1], r"sample_rate should be a scalar tensor, got \[1\] instead"),
        (np.zeros((1, 1), "f"), 0, r"sample_rate must be in \(0, 2\^32\), got: 0"),
        (np.zeros((1, 0), "f"), 1, r"num_channels must be in \(0, 2\^16\), got: 0"),
    ],
)
def test_errors_of_encode_wav(audio, rate, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.audio.encode_wav(audio, rate)


def test_functions():
    @tf.function(input_signature=[tf.TensorSpec([], tf.string)])
    def twice(file):
        audio, rate = tf.audio.decode_wav(file, desired_channels=1)
        assert audio.shape.as_list() == [None, 1]
        return tf.audio.encode_wav(audio * 2, rate)

    assert tf.audio.decode_wav(twice(wav())).audio.numpy().tolist() == [[0], [2.0**-14]]
    with pytest.raises(ValueError, match="Shape must be rank 2 but is rank 1"):
        tf.function(lambda x: tf.audio.encode_wav(x, 1))(tf.zeros(3))
