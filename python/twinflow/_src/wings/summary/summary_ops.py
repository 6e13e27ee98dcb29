"""The ops of ``tf.compat.v1.summary``, whose results are serialized ``Summary`` messages."""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from twinflow._src.core.dtypes import ANY, ORDERED, as_dtype, float16, float32, float64, uint8
from twinflow._src.core.errors import invalid
from twinflow._src.core.protos import message, needed
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import Kind, Strings, op
from twinflow._src.graph_serialization.tensor_proto import content_proto
from twinflow._src.numerics.object_arrays import box
from twinflow._src.ops.audio.wav import encode_samples
from twinflow._src.ops.image.formats.png import encode_image

_HOST = ("CPU",)
_PIXELS = frozenset((uint8, float16, float32, float64))
_Rate = Annotated[Any, Kind("sample_rate", only=float32)]
_Sound = Annotated[Any, Kind("tensor", only=float32)]
_Texts = Annotated[Any, Kind("string", many=True, only=as_dtype("string"))]


def _scalar(*args: Any, **_: Any) -> Any:
    return ()


def _bytes_of(summary: Any) -> Any:
    """Returns a message as a scalar array of strings."""
    return box(summary.SerializeToString())


def _tag_of(array: Any, complaint: str = "tags must be scalar") -> str:
    if array.ndim:
        raise invalid(complaint)
    tag: str = array[()].decode("utf-8", "surrogateescape")
    return tag


_summary_op = functools.partial(op, shape=_scalar, devices=_HOST, no_gradient=True)


@_summary_op("ScalarSummary", dtypes=ORDERED, out=as_dtype("string"))
def scalar_summary(xp: Any, tags: Strings, values: Any) -> Any:
    """Returns the summary of scalars."""
    if tags.shape != values.shape:
        one = f" (tag '{tags.reshape(-1)[0].decode()}')" if tags.size == 1 else ""
        raise invalid(
            f"tags and values are not the same shape: {text(tags.shape)} != {text(values.shape)}{one}"
        )
    result = message("Summary")()
    for tag, value in zip(tags.reshape(-1), values.reshape(-1)):
        result.value.add(tag=tag.decode(), simple_value=float(np.float32(value)))
    return _bytes_of(result)


# ------------------------------------------------------------------ histograms


@functools.cache
def _limits() -> list[float]:
    """Returns the upper limits of buckets, which grow by a tenth from 1e-12 to 1e20."""
    positive, limit = [], 1e-12
    while limit < 1e20:
        positive.append(limit)
        limit *= 1.1
    positive.append(sys.float_info.max)
    return [*(-x for x in reversed(positive)), 0.0, *positive]


def _histogram_of(values: Any) -> dict[str, Any]:
    """Returns the fields of the ``HistogramProto`` of numbers; runs of empty buckets are merged."""
    limits, numbers = _limits(), values.astype(np.float64).reshape(-1)
    counts = np.bincount(
        np.searchsorted(limits, numbers, side="right").clip(0, len(limits) - 1),
        minlength=len(limits),
    )
    largest, squares = limits[-1], numbers * numbers
    pairs: list[tuple[float, float]] = []
    for limit, count in zip(limits, counts.tolist()):
        if pairs and not pairs[-1][1] and not count:
            pairs.pop()
        pairs.append((limit, float(count)))
    return {
        "min": float(numbers.min(initial=largest)),
        "max": float(numbers.max(initial=-largest)),
        "num": float(numbers.size),
        # added one after the other, as TensorFlow does
        "sum": float(np.cumsum(numbers)[-1]) if numbers.size else 0.0,
        "sum_squares": float(np.cumsum(squares)[-1]) if numbers.size else 0.0,
        "bucket_limit": [limit for limit, _ in pairs],
        "bucket": [count for _, count in pairs],
    }


@_summary_op("HistogramSummary", dtypes=ORDERED, out=as_dtype("string"))
def histogram_summary(xp: Any, tag: Strings, values: Any) -> Any:
    """Returns the summary of a histogram."""
    name = _tag_of(tag)
    numbers = values.astype(np.float64)
    if np.isnan(numbers).any():
        raise invalid("Nan in summary histogram for: HistogramSummary")
    if np.isinf(numbers).any():
        raise invalid("Infinity in Histogram for: HistogramSummary")
    result = message("Summary")()
    result.value.add(tag=name, histo=_histogram_of(numbers))
    return _bytes_of(result)


# ------------------------------------------------------------------ images and audio

_NEARLY_ZERO = 1e-6
_BAD_COLOR = (255, 0, 0, 255)


def _bytes_of_floats(image: Any, bad_color: Any) -> Any:
    """Scales an image of floats to bytes by its finite pixels.

    Images with negative elements have 0 at 127 or 128, others at 0.
    """
    kind = image.dtype.type
    is_finite = np.isfinite(image).all(-1)
    low = image[is_finite].min(initial=0) if is_finite.any() else kind(0)
    high = image[is_finite].max(initial=0) if is_finite.any() else kind(0)
    largest = max(-low, high)
    is_flat = largest < _NEARLY_ZERO
    scale = kind(0) if is_flat else kind((127 if low < 0 else 255) / np.float32(largest))
    offset = kind(128 if low < 0 else 0)
    with np.errstate(all="ignore"):
        result = (image * scale + offset).astype(np.uint8)
    result[~is_finite] = np.asarray(bad_color, np.uint8)[: image.shape[-1]]
    return result


@_summary_op("ImageSummary", dtypes=_PIXELS, out=as_dtype("string"))
def image_summary(
    xp: Any, tag: Strings, tensor: Any, *, max_images: int = 3, bad_color: Any = _BAD_COLOR
) -> Any:
    """Returns the summary of images, as PNG files."""
    if tag.ndim:
        raise invalid("Tags must be a scalar")
    if tensor.ndim != 4 or tensor.shape[3] not in (1, 3, 4):
        raise invalid("Tensor must be 4-D with last dim 1, 3, or 4, not " + text(tensor.shape))
    if max_images < 1:
        raise ValueError(
            f"Attr 'max_images' of 'ImageSummary' Op passed {max_images} less than minimum 1."
        )
    result = message("Summary")()
    for name, image in _outputs(_tag_of(tag), "image", tensor, max_images):
        color = _BAD_COLOR if bad_color is None else bad_color
        pixels = image if image.dtype == np.uint8 else _bytes_of_floats(image, color)
        value = result.value.add(tag=name)
        value.image.height, value.image.width, value.image.colorspace = image.shape
        value.image.encoded_image_string = encode_image(pixels)
    return _bytes_of(result)


def _outputs(tag: str, kind: str, items: Any, limit: int) -> Any:
    """Yields the tags of items with the items; a single one has no index."""
    for index, item in enumerate(items[:limit]):
        yield f"{tag}/{kind}/{index}" if limit > 1 else f"{tag}/{kind}", item


@_summary_op("AudioSummaryV2")
def audio_summary(
    xp: Any, tag: Strings, tensor: _Sound, sample_rate: _Rate, *, max_outputs: int = 3
) -> Any:
    """Returns the summary of audio, as WAV files."""
    name = _tag_of(tag, "Tag must be a scalar")
    if tensor.ndim not in (2, 3):
        raise invalid(f"Tensor must be 3-D or 2-D, got: {text(tensor.shape)}")
    if sample_rate.size != 1:
        raise invalid("sample_rate must be rank-0 or contain a single value")
    rate = float(sample_rate.reshape(-1)[0])
    if not rate > 0:
        raise invalid("sample_rate must be > 0")
    result = message("Summary")()
    for clip_name, clip in _outputs(name, "audio", tensor, max_outputs):
        sound = clip if clip.ndim == 2 else clip[:, None]
        audio = result.value.add(tag=clip_name).audio
        audio.sample_rate, audio.content_type = rate, "audio/wav"
        audio.length_frames, audio.num_channels = sound.shape
        audio.encoded_audio_string = encode_samples(sound, math.floor(rate + 0.5))
    return _bytes_of(result)


# ------------------------------------------------------------------ tensors


@_summary_op("TensorSummaryV2", dtypes=ANY, out=as_dtype("string"))
def tensor_summary(xp: Any, tag: Strings, tensor: Any, serialized_summary_metadata: Strings) -> Any:
    """Returns the summary of a tensor."""
    result = message("Summary")()
    value = result.value.add(tag=_tag_of(tag, "tag must be scalar"))
    value.tensor.CopyFrom(content_proto(tensor, as_dtype(_dtype_of(tensor))))
    value.metadata.MergeFromString(serialized_summary_metadata[()])
    return _bytes_of(result)


def _dtype_of(array: Any) -> Any:
    return "string" if array.dtype.kind == "O" else array.dtype


@_summary_op("MergeSummary")
def merge_summary(xp: Any, inputs: _Texts) -> Any:
    """Returns the union of summaries."""
    error: Callable[..., Any] = needed("google.protobuf.message", "protobuf").DecodeError
    result, tags = message("Summary")(), set()
    for data in (data for array in inputs for data in array.reshape(-1)):
        try:
            part = message("Summary").FromString(data)
        except error:  # type: ignore[misc]
            raise invalid("Could not parse one of the summary inputs") from None
        for value in part.value:
            if value.tag in tags and value.tag:
                raise invalid(f"Duplicate tag {value.tag} found in summary inputs")
            tags.add(value.tag)
            result.value.add().CopyFrom(value)
    return _bytes_of(result)
