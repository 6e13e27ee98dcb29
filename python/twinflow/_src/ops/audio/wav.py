"""WAV files of 16-bit samples."""

from __future__ import annotations

import struct
from typing import Annotated, Any, NamedTuple

import numpy as np

from twinflow._src.core.dtypes import float32, int32
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import Dims, refused, text
from twinflow._src.dispatch.op import Kind, Strings, export, op
from twinflow._src.numerics.object_arrays import box

_HOST = ("CPU",)
_Samples = Annotated[Any, Kind("audio", only=float32)]
_Rate = Annotated[Any, Kind("sample_rate", only=int32)]
_FORMAT = struct.Struct("<HHIIHH")  # format, channels, rate, bytes a second, bytes a sample, bits
_BYTES, _PCM, _SCALE = 2, 1, 1 << 15
_LARGEST_CHUNK = (1 << 31) - 1


# ------------------------------------------------------------------ encoding


def encode_samples(audio: Any, sample_rate: int) -> bytes:
    """Returns a WAV file of floats between -1 and 1, a row for each sample."""
    # Raises InvalidArgumentError for an invalid rate or number of channels.
    channels = audio.shape[1]
    if not 0 < sample_rate < 1 << 32:
        raise invalid(f"sample_rate must be in (0, 2^32), got: {sample_rate % (1 << 64)}")
    if not 0 < channels < 1 << 16:
        raise invalid(f"num_channels must be in (0, 2^16), got: {channels}")
    scaled = audio.astype(np.float64) * _SCALE
    rounded = np.trunc(scaled + np.copysign(0.5, scaled))  # half away from zero
    limited = np.nan_to_num(np.clip(rounded, -_SCALE, _SCALE - 1), nan=0.0)
    data = limited.astype("<i2").tobytes()
    width = channels * _BYTES
    format = _FORMAT.pack(_PCM, channels, sample_rate, sample_rate * width, width, 8 * _BYTES)
    chunks = b"".join((b"WAVE", _chunk(b"fmt ", format), _chunk(b"data", data)))
    return _chunk(b"RIFF", chunks)


def _chunk(name: bytes, data: bytes) -> bytes:
    return name + struct.pack("<I", len(data)) + data


def _encoded_shape(audio: Dims | None, sample_rate: Dims | None) -> Dims:
    if audio is not None and len(audio) != 2:
        shown = text(audio) if None not in audio else ""
        raise refused(
            f"audio must be 2-dimensional{shown}", f"Shape must be rank 2 but is rank {len(audio)}"
        )
    if sample_rate:
        raise refused(
            f"Input sample_rate should be a scalar tensor, got {text(sample_rate)} instead.",
            f"Shape must be rank 0 but is rank {len(sample_rate)}",
        )
    return ()


@op("EncodeWav", api="audio.encode_wav", shape=_encoded_shape, devices=_HOST, no_gradient=True)
def encode_wav(xp: Any, audio: _Samples, sample_rate: _Rate) -> Any:
    """Encodes audio as a WAV file of 16-bit samples.

    Args:
        audio: A float32 tensor of shape [samples, channels]; values beyond [-1, 1] are clipped.
        sample_rate: The number of samples per second, an int32 scalar.

    Returns:
        A string scalar: the contents of the file.

    Raises:
        InvalidArgumentError: A shape is invalid, the rate is not positive, or there is no channel.
    """
    _encoded_shape(audio.shape, sample_rate.shape)
    return box(encode_samples(audio, int(sample_rate)))


# ------------------------------------------------------------------ decoding


class _Reader:
    """A reader of the contents of a WAV file."""

    def __init__(self, data: bytes) -> None:
        self._data, self._offset = data, 0

    def __bool__(self) -> bool:
        return self._offset < len(self._data)

    def read(self, count: int) -> bytes:
        """Reads bytes. Raises InvalidArgumentError if there are too few."""
        result = self._data[self._offset : self._offset + count]
        if len(result) < count:
            raise invalid("Data too short when trying to read string")
        self._offset += count
        return result

    def expect(self, expected: bytes) -> None:
        """Reads a required string."""
        actual = self.read(len(expected))
        if actual != expected:
            raise invalid(
                f"Header mismatch: Expected {expected.decode()} but found "
                f"{actual.decode('utf-8', 'replace')}"
            )

    def read_size(self) -> int:
        """Reads the size of a chunk."""
        size: int = struct.unpack("<I", self.read(4))[0]
        return size

    def skip(self, count: int) -> None:
        """Skips bytes, also beyond the end."""
        self._offset += count


def _check_format(size: int, format: tuple[int, ...]) -> None:
    kind, channels, rate, speed, width, bits = format
    if size not in (16, 18):
        raise invalid(f"Bad format chunk size for WAV: Expected 16 or 18, but got{size}")
    if kind != _PCM:
        raise invalid(f"Bad audio format for WAV: Expected 1 (PCM), but got{kind}")
    if channels < 1:
        raise invalid(f"Bad number of channels for WAV: Expected at least 1, but got {channels}")
    if bits != 8 * _BYTES:
        raise invalid(f"Can only read 16-bit WAV files, but received {bits}")
    if width != channels * _BYTES:
        raise invalid(
            f"Bad bytes per sample in WAV header: Expected {channels * _BYTES} but got {width}"
        )
    if speed != width * rate:
        raise invalid(
            f"Bad bytes per second in WAV header: Expected {width * rate} but got {speed} "
            f"(sample_rate={rate}, bytes_per_sample={width})"
        )


def decode_samples(data: bytes) -> tuple[Any, int]:
    """Returns the samples of a WAV file as int16, a row for each sample, and the sample rate."""
    # Raises InvalidArgumentError if the file is damaged or of another kind.
    reader = _Reader(data)
    reader.expect(b"RIFF")
    reader.read(4)
    reader.expect(b"WAVE")
    name = reader.read(4)
    if name == b"JUNK":
        reader.skip(reader.read_size())
        name = reader.read(4)
    if name != b"fmt ":
        raise invalid(f"Unexpected field {name.decode('utf-8', 'replace')}")
    size = reader.read_size()
    format = _FORMAT.unpack(reader.read(_FORMAT.size))
    _check_format(size, format)
    reader.read(size - _FORMAT.size)
    return _find_samples(reader, format[1]), format[2]


def _find_samples(reader: _Reader, channels: int) -> Any:
    """Returns the samples of the data chunk."""
    samples = None
    while reader:
        name, size = reader.read(4), reader.read_size()
        if size > _LARGEST_CHUNK:
            raise invalid(
                f"WAV data chunk '{name.decode('utf-8', 'replace')}' is too large: {size} bytes, "
                f"but the limit is {_LARGEST_CHUNK}"
            )
        if name != b"data":
            reader.skip(size)
            continue
        if samples is not None:
            raise invalid("More than one data chunk found in WAV")
        rows = size // (_BYTES * channels)
        data = np.frombuffer(reader.read(rows * channels * _BYTES), "<i2")
        samples = data.reshape(rows, channels)
    if samples is None:
        raise invalid("No data chunk found in WAV")
    return samples


def _decoded_shapes(
    contents: Dims | None, *, desired_channels: int = -1, desired_samples: int = -1
) -> list[Any]:
    if contents:
        raise refused(
            f"contents must be scalar, got shape {text(contents)}",
            f"Shape must be rank 0 but is rank {len(contents)}",
        )
    sizes = []
    for name, size in (("channels", desired_channels), ("samples", desired_samples)):
        if size < -1:
            raise refused(
                f"desired_{name} must be >= -1, got {size}",
                f"{name} must be non-negative, got {size}",
            )
        sizes.append(None if size == -1 else size)
    return [tuple(reversed(sizes)), ()]


@op(
    "DecodeWav",
    shape=_decoded_shapes,
    devices=_HOST,
    no_gradient=True,
    results=("audio:float", "sample_rate:int32"),
)
def _decode_wav(
    xp: Any, contents: Strings, *, desired_channels: int = -1, desired_samples: int = -1
) -> list[Any]:
    """Decodes a WAV file of 16-bit samples."""
    _decoded_shapes(
        contents.shape, desired_channels=desired_channels, desired_samples=desired_samples
    )
    samples, rate = decode_samples(contents[()])
    rows, columns = samples.shape
    columns = columns if desired_channels == -1 else desired_channels
    rows = rows if desired_samples == -1 else desired_samples
    result = np.zeros((rows, columns), np.float32)
    source = np.minimum(np.arange(columns), samples.shape[1] - 1)
    result[: len(samples)] = samples[:rows, source] / np.float32(_SCALE)
    return [result, np.asarray(rate, np.uint32).astype(np.int32)]


class DecodeWav(NamedTuple):
    """Samples of a file, and their rate."""

    audio: Any
    sample_rate: Any


@export("audio.decode_wav")
def decode_wav(
    contents: Any, desired_channels: int = -1, desired_samples: int = -1, name: str | None = None
) -> DecodeWav:
    """Decodes a WAV file of 16-bit samples.

    Args:
        contents: The contents of the file, a string scalar.
        desired_channels: The number of channels: others are cut off, or the last is repeated; that
            of the file if -1.
        desired_samples: The number of samples: others are cut off, or zeros are added; that of the
            file if -1.

    Returns:
        The samples, a float32 tensor of shape [samples, channels] with values in [-1, 1), and
        ``sample_rate``, an int32 scalar.

    Raises:
        InvalidArgumentError: The file is damaged, or no WAV file of 16-bit samples.
    """
    return DecodeWav(
        *_decode_wav(
            contents,
            desired_channels=desired_channels,
            desired_samples=desired_samples,
            name=name,
        )
    )
