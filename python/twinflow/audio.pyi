# Computed from the op table by tools/make_stubs.py.

from typing import Any, SupportsIndex

from twinflow._src.core.tensor import Tensor
from twinflow._src.ops.audio.wav import DecodeWav

def decode_wav(
    contents: Any,
    desired_channels: SupportsIndex = -1,
    desired_samples: SupportsIndex = -1,
    name: str | None = None,
) -> DecodeWav:
    """Decodes a WAV file of 16-bit samples."""

def encode_wav(audio: Any, sample_rate: Any, name: str | None = None) -> Tensor:
    """Encodes audio as a WAV file of 16-bit samples."""
