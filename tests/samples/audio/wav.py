"""Samples of the ops in ``_src/ops/audio/wav.py``."""

import struct

import numpy as np

from .._sets import of
from .._values import array

_SOUND = np.array([[0.0, 0.5], [-0.5, 1.0], [-1.0, 3e-5], [-2.0, 4e-5]], np.float32)
_RATE = np.array(8000, np.int32)


def _encoded(audio, rate):
    scaled = np.clip(np.rint(audio.astype(float) * 32768), -32768, 32767).astype("<i2")
    channels, rate = audio.shape[1], int(rate)
    header = struct.pack("<HHIIHH", 1, channels, rate, 2 * rate * channels, 2 * channels, 16)
    body = b"WAVEfmt " + struct.pack("<I", 16) + header + b"data"
    body += struct.pack("<I", scaled.nbytes) + scaled.tobytes()
    return array(b"RIFF" + struct.pack("<I", len(body)) + body, "string")


def _decoded(contents, desired_channels=-1, desired_samples=-1):
    samples = np.frombuffer(contents[()][44:], "<i2").reshape(-1, 2).astype(np.float32) / 32768
    samples = samples[:, :1] if desired_channels == 1 else samples
    if desired_samples == 6:
        samples = np.concatenate([samples, np.zeros((2, samples.shape[1]), np.float32)])
    return [samples, _RATE]


_FILE = _encoded(_SOUND, _RATE)

SAMPLES = {
    "EncodeWav": of(_encoded, (_SOUND, _RATE), (_SOUND[:, :1], _RATE), (_SOUND[:0], _RATE)),
    "DecodeWav": of(
        _decoded,
        (_FILE,),
        (_FILE, {"desired_channels": 1}),
        (_FILE, {"desired_samples": 6, "desired_channels": 2}),
    ),
}
