"""Summaries for the plugins of TensorBoard: scalars, histograms, images, text and audio."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.control_flow.py_function import later
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import runtime
from twinflow._src.core.dtypes import float32, float64, int32, string
from twinflow._src.core.protos import message
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.op import API, documented_like, export
from twinflow._src.ops.audio.wav import encode_wav
from twinflow._src.ops.image.formats.png import encode_image
from twinflow._src.wings.summary.write import summary_scope, write
from twinflow._src.wings.summary.writer import is_eager

_BUCKETS = 30
_WAV = 11  # the encoding, in the messages of the plugin


def metadata_of(plugin: str, description: str | None, content: bytes = b"") -> Any:
    """Returns the ``SummaryMetadata`` message of a summary."""
    result = message("SummaryMetadata")(summary_description=description or "")
    result.plugin_data.plugin_name = plugin
    result.plugin_data.content = content
    return result


@export("summary.scalar")
def scalar(name: Any, data: Any, step: Any = None, description: str | None = None) -> Any:
    """Writes a scalar summary to the default writer.

    Args:
        name: The name of the summary; the tag has those of the name scopes before it.
        data: A real scalar, which is cast to float32.
        step: An int64 scalar; the default step if None.
        description: A description in Markdown.

    Returns:
        A boolean scalar: True if the summary was written.

    Raises:
        ValueError: There is a default writer, but no step, or the data is no scalar.
    """
    with summary_scope(name, "scalar_summary", [data, step]) as (tag, _):
        API["debugging.assert_scalar"](data)
        value = API["cast"](data, float32)
        return write(tag, value, step, metadata_of("scalars", description))


@export("summary.histogram")
@documented_like(scalar)
def histogram(
    name: Any, data: Any, step: Any = None, buckets: Any = None, description: str | None = None
) -> Any:
    """Writes a histogram summary to the default writer.

    Args:
        data: A tensor of numbers of any shape, which is cast to float64.
        buckets: The number of buckets, of equal width; 30 if None. Equal numbers are all in the
            last bucket.

    Raises:
        ValueError: There is a default writer, but no step.
    """
    with summary_scope(name, "histogram_summary", [data, buckets, step]) as (tag, _):

        def compute() -> Any:
            return _bucket(data, _BUCKETS if buckets is None else buckets)

        return write(tag, compute, step, metadata_of("histograms", description))


def _bucket(data: Any, buckets: Any) -> Any:
    """Returns the buckets of numbers, of shape [buckets, 3]: left edge, right edge, count."""
    with API["name_scope"]("buckets"):
        API["debugging.assert_scalar"](buckets)
        API["debugging.assert_type"](buckets, int32)
        numbers = API["cast"](API["stop_gradient"](data), float64)
        dims = [None, 3]
        return _opaque("Histogram", _count_in_buckets, [numbers, buckets], float64, dims)


def _count_in_buckets(numbers: Any, buckets: Any) -> Any:
    """Returns the buckets of an array; see ``_bucket``."""
    count = max(int(buckets), 0)
    result = np.zeros((count, 3))
    flat = numbers.reshape(-1)
    if not flat.size or not count:
        return result
    low, high = flat.min(), flat.max()
    if low == high:
        result[:, :2] = low
        result[-1, 2] = flat.size
        return result
    with np.errstate(all="ignore"):
        index = np.floor((flat - low) / ((high - low) / count))
        # An index beyond int32, and that of NaN, is the smallest int32, which is in no bucket.
        index = np.where(np.abs(index) < 2**31, index, -1).clip(-1, count - 1).astype(np.int64)
        edges = np.linspace(low, high, count + 1)
        edges[0] = low
    result[:, 0], result[:, 1] = edges[:-1], edges[1:]
    result[:, 2] = np.bincount(index[index >= 0], minlength=count)
    return result


@export("summary.image")
@documented_like(scalar)
def image(
    name: Any, data: Any, step: Any = None, max_outputs: Any = 3, description: str | None = None
) -> Any:
    """Writes an image summary to the default writer, as PNG files.

    Args:
        data: A tensor of shape [images, height, width, channels] with 1, 2, 3 or 4 channels: uint8,
            or floats between 0 and 1, which are clipped and scaled.
        max_outputs: The number of images that are written at most, not negative.

    Raises:
        ValueError: There is a default writer, but no step, or the rank is not 4.
        InvalidArgumentError: The number of channels is invalid, or ``max_outputs`` is negative.
    """
    with summary_scope(name, "image_summary", [data, max_outputs, step]) as (tag, _):

        def compute() -> Any:
            API["debugging.assert_rank"](data, 4)
            API["debugging.assert_non_negative"](max_outputs)
            images = API["identity"](data)[:max_outputs]
            return _opaque("EncodeImages", _encode_images, [images], string, [None])

        return write(tag, compute, step, metadata_of("images", description))


def _encode_images(images: Any) -> Any:
    """Returns width and height of images, then their PNG files."""
    bytes_ = scaled_to_bytes(images)
    result = np.empty(len(images) + 2, object)
    result[:2] = [str(size).encode() for size in images.shape[2:0:-1]]
    result[2:] = [encode_image(item) for item in bytes_]
    return result


def scaled_to_bytes(images: Any) -> Any:
    """Returns images as uint8: floats of [0, 1] and integers of their whole range are scaled."""
    if images.dtype == np.uint8:
        return images
    if images.dtype.kind == "b":
        raise AttributeError("image dtype must be either floating point or integer")
    if images.dtype.kind in "iu":
        scale = (int(np.iinfo(images.dtype).max) + 1) // 256
        scaled = images // scale if scale else images
    else:
        scaled = images.astype(np.float64 if images.dtype.itemsize > 4 else np.float32) * 255.5
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(np.clip(scaled, 0, 255), nan=0.0).astype(np.uint8)


@export("summary.text")
@documented_like(scalar)
def text(name: Any, data: Any, step: Any = None, description: str | None = None) -> Any:
    """Writes a text summary to the default writer.

    Args:
        data: A tensor of strings in Markdown; a tensor of rank 2 is shown as a table.

    Raises:
        ValueError: There is a default writer, but no step.
        TypeError: The data has another type.
    """
    with summary_scope(name, "text_summary", [data, step]) as (tag, _):
        API["debugging.assert_type"](data, string)
        return write(tag, data, step, metadata_of("text", description))


@export("summary.audio")
@documented_like(scalar)
def audio(
    name: Any,
    data: Any,
    sample_rate: Any,
    step: Any = None,
    max_outputs: Any = 3,
    encoding: str | None = None,
    description: str | None = None,
) -> Any:
    """Writes an audio summary to the default writer, as WAV files.

    Args:
        data: A float32 tensor of shape [clips, samples, channels] with values in [-1, 1].
        sample_rate: The number of samples per second, an int32 scalar.
        max_outputs: The number of clips that are written at most, not negative.
        encoding: ``"wav"`` or None.

    Raises:
        ValueError: There is a default writer, but no step, the rank is not 3, or the encoding is
            unknown.
        InvalidArgumentError: ``max_outputs`` is negative.
    """
    if encoding not in (None, "wav"):
        raise ValueError(f"Unknown encoding: {encoding!r}")
    # AudioPluginData: encoding in field 2.
    metadata = metadata_of("audio", description, bytes((2 << 3, _WAV)))
    with summary_scope(name, "audio_summary", [data, sample_rate, max_outputs, step]) as (tag, _):

        def compute() -> Any:
            API["debugging.assert_rank"](data, 3)
            API["debugging.assert_non_negative"](max_outputs)
            clips = API["identity"](data)[:max_outputs]
            files = API["map_fn"](
                lambda clip: encode_wav(clip, sample_rate), clips, fn_output_signature=string
            )
            return API["stack"]([files, API["zeros_like"](files)], axis=1)

        return write(tag, compute, step, metadata)


def _opaque(type: str, function: Callable[..., Any], inputs: Any, dtype: Any, dims: Any) -> Any:
    """Calls a function of arrays; in a graph, adds the operation. Returns a tensor."""

    def run(*tensors: Any) -> EagerTensor:
        return EagerTensor(function(*(x._host() for x in tensors)), runtime.host, dtype)

    tensors = [convert_to_tensor(x) for x in inputs]
    return run(*tensors) if is_eager() else later(type, run, tensors, ([dtype], [dims], True))
