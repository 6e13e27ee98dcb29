"""Ops that decode and encode files of images. As in TensorFlow, most of them take any format."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from twinflow._src.core.dtypes import float32, int32, int64, string, uint8, uint16
from twinflow._src.core.errors import InternalError, invalid
from twinflow._src.core.shapes import Dims, text
from twinflow._src.dispatch.op import Kind, Strings, Type, documented, op
from twinflow._src.numerics.object_arrays import box, object_array
from twinflow._src.ops.image.formats import bmp, gif, jpeg, png, webp
from twinflow._src.shape_rules.demands import ranked

_FORMATS = {
    b"\xff\xd8\xff": "JPEG",
    png.SIGNATURE[:4]: "PNG",
    b"GIF8": "GIF",
    b"BM": "BMP",
}
_Window = Annotated[Any, Kind("int32", only=int32, host=True)]
_Level = Annotated[Any, Kind("int32", only=int32, host=True)]
_Bytes = Annotated[Any, Kind("uint8", only=uint8)]
_TEXTS = {
    "acceptable_fraction": "The least part of the lines that a truncated file must have.",
    "channels": "The number of channels; 0 for that of the file.",
    "chroma_downsampling": "True if chroma has half the height and width.",
    "contents": "The file, a scalar string.",
    "crop_window": "The first row and column, the height and the width, int32.",
    "dct_method": 'The discrete cosine transform: ``"INTEGER_FAST"`` or ``"INTEGER_ACCURATE"``.',
    "density_unit": '``"in"`` or ``"cm"``.',
    "dtype": "The dtype of the result.",
    "fancy_upscaling": "True if chroma is interpolated.",
    "format": '``"grayscale"``, ``"rgb"``, or empty for that of the channels.',
    "image": "A tensor of shape (height, width, channels).",
    "optimize_size": "True if time is spent to make the file smaller.",
    "output_type": "The dtype of the result, int32 or int64.",
    "progressive": "True for a file that loads progressively.",
    "quality": "The quality, from 0 to 100.",
    "ratio": "1, 2, 4 or 8: the height and width are divided by it.",
    "try_recover_truncated": "True if truncated files are decoded as far as possible.",
    "x_density": "Pixels per unit, across.",
    "xmp_metadata": "XMP metadata, if any.",
    "y_density": "Pixels per unit, down.",
}
_RAISES = {"InvalidArgumentError": "The file is damaged, or an argument is not valid."}
_METHODS = ("", "INTEGER_FAST", "INTEGER_ACCURATE")


def _format_of(data: bytes) -> str:
    """Returns the name of the format of a file; raises InvalidArgumentError for unknown ones."""
    if not data:
        raise invalid("Input is empty.")
    for start, name in _FORMATS.items():
        if data.startswith(start):
            return name
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "WebP"
    raise invalid("Unknown image file format. One of JPEG, JPEG XL, PNG, GIF, BMP, WebP required.")


def _contents(contents: Any) -> bytes:
    if contents.ndim:
        raise invalid(f"`contents` must be scalar but got shape{text(contents.shape)}")
    return bytes(contents.item())


def _check_channels(channels: int) -> None:
    if channels not in (0, 1, 3, 4):
        raise invalid(f"`channels` must be 0, 1, 3 or 4 but got {channels}")


def _check_jpeg(ratio: int, dct_method: str) -> None:
    if ratio not in (1, 2, 4, 8):
        raise invalid(f"ratio must be 1, 2, 4, or 8, got {ratio}")
    if dct_method not in _METHODS:
        raise invalid("dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}")


def _decode(
    op_type: str, contents: Any, channels: int, dtype: Any, all_frames: bool, **options: Any
) -> Any:
    """Returns the pixels of a file of any format that an op takes."""
    data = _contents(contents)
    format = _format_of(data)
    return _READERS[format](op_type, data, channels, dtype, all_frames, options)


def _read_jpeg(
    type: str, data: bytes, channels: int, dtype: Any, all_frames: bool, options: Any
) -> Any:
    if type == "DecodeBmp":
        raise _wrong_op("JPEG", "decode_jpeg")
    if channels not in (0, 1, 3):
        raise invalid(f"JPEG does not support {channels} channels")
    pixels = jpeg.read(data, channels, **options)
    return _converted(pixels[None] if type == "DecodeGif" else pixels, dtype)


def _read_png(
    type: str, data: bytes, channels: int, dtype: Any, all_frames: bool, options: Any
) -> Any:
    if type == "DecodeBmp":
        raise _wrong_op("PNG", "decode_png")
    pixels = png.read(data, channels, 8 if dtype is uint8 else 16)
    if dtype is float32:
        pixels = pixels.astype(np.float32) * np.float32(1 / 65535)
    return pixels[None] if type == "DecodeGif" else pixels


def _read_gif(
    type: str, data: bytes, channels: int, dtype: Any, all_frames: bool, options: Any
) -> Any:
    if channels not in (0, 3):
        raise invalid(f"channels must be 0 or 3 for GIF, got {channels}")
    if type == "DecodeBmp":
        raise _wrong_op("GIF", "decode_gif")
    if type == "DecodeWebP":
        raise invalid("Bad op type DecodeWebP")
    frames = gif.read(data, first_only=not all_frames)
    if type in ("DecodeJpeg", "DecodePng"):
        if len(frames) > 1:
            raise invalid(
                f"Got {len(frames)} frames, but animated gifs can only be decoded by "
                "tf.io.decode_gif or tf.io.decode_image"
            )
        frames = frames[0]
    return _converted(frames if all_frames else frames[0], dtype)


def _read_bmp(
    type: str, data: bytes, channels: int, dtype: Any, all_frames: bool, options: Any
) -> Any:
    if channels == 1:
        raise invalid(f"`channels` must be 0, 3 or 4 for BMP, but got {channels}")
    if type not in ("DecodeBmp", "DecodeImage"):
        raise invalid(
            "Trying to decode BMP format using a wrong op. Use `decode_bmp` or `decode_image` "
            f"instead. Op used: {type}"
        )
    return _converted(bmp.read(data, channels), dtype)


def _read_webp(
    type: str, data: bytes, channels: int, dtype: Any, all_frames: bool, options: Any
) -> Any:
    if channels == 1:
        raise invalid("WebP only supports 3 or 4 channels")
    if dtype is not uint8:
        raise invalid("WebP only supports uint8 for dtype")
    frames = webp.read(data, channels, first_only=not all_frames)
    return frames if all_frames else frames[0]


_READERS: dict[str, Callable[..., Any]] = {
    "JPEG": _read_jpeg,
    "PNG": _read_png,
    "GIF": _read_gif,
    "BMP": _read_bmp,
    "WebP": _read_webp,
}


def _wrong_op(format: str, function: str) -> Exception:
    return invalid(
        f"Trying to decode {format} format using DecodeBmp op. Use `{function}` or "
        "`decode_image` instead."
    )


def _converted(pixels: Any, dtype: Any) -> Any:
    """Returns uint8 pixels as uint16 or float32, scaled."""
    if dtype is uint16:
        return pixels.astype(np.uint16) * np.uint16(256)
    if dtype is float32:
        return pixels.astype(np.float32) * np.float32(1 / 255)
    return pixels


# ------------------------------------------------------------------ decoding


def _image_shape(contents: Dims | None, *_: Any, channels: int = 0, **__: Any) -> Dims:
    ranked(contents, 0)
    _check_channels(channels)
    return (None, None, channels or None)


def _any_image_shape(
    contents: Dims | None, *, channels: int = 0, expand_animations: bool = True, **_: Any
) -> Dims | None:
    ranked(contents, 0)
    _check_channels(channels)
    return None if expand_animations else (None, None, channels or None)


def _frames_shape(contents: Dims | None, *_: Any, channels: int = 0, **__: Any) -> Dims:
    ranked(contents, 0)
    _check_channels(channels)
    return (None, None, None, channels or None)


def _window_shape(contents: Dims | None, window: Any, *, channels: int = 0, **_: Any) -> Dims:
    ranked(contents, 0)
    _check_channels(channels)
    is_known = isinstance(window, np.ndarray) and window.shape == (4,)
    height, width = window.tolist()[2:] if is_known else (None, None)
    return (height, width, channels or None)


def _animation_shape(contents: Dims | None, *_: Any, **__: Any) -> Dims:
    ranked(contents, 0)
    return (None, None, None, 3)


_CPU = ("CPU",)


@op(
    "DecodePng",
    api=("io.decode_png", "image.decode_png"),
    shape=_image_shape,
    out="dtype",
    devices=_CPU,
)
@documented(_TEXTS, "Decodes a PNG file.", "A tensor (height, width, channels).", _RAISES)
def decode_png(xp: Any, contents: Strings, *, channels: int = 0, dtype: Type = uint8) -> Any:
    _check_channels(channels)
    return _decode("DecodePng", contents, channels, dtype, True)


@op(
    "DecodeJpeg",
    api=("io.decode_jpeg", "image.decode_jpeg"),
    shape=_image_shape,
    out=uint8,
    devices=_CPU,
)
@documented(_TEXTS, "Decodes a JPEG file.", "A tensor (height, width, channels), uint8.", _RAISES)
def decode_jpeg(
    xp: Any,
    contents: Strings,
    *,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
) -> Any:
    _check_channels(channels)
    _check_jpeg(ratio, dct_method)
    options = {
        "ratio": ratio,
        "fancy_upscaling": fancy_upscaling,
        "dct_method": dct_method,
        "acceptable_fraction": acceptable_fraction if try_recover_truncated else None,
    }
    return _decode("DecodeJpeg", contents, channels, uint8, True, **options)


@op(
    "DecodeAndCropJpeg",
    api=("io.decode_and_crop_jpeg", "image.decode_and_crop_jpeg"),
    shape=_window_shape,
    out=uint8,
    devices=_CPU,
)
@documented(
    _TEXTS, "Decodes a part of a JPEG file.", "A tensor (height, width, channels), uint8.", _RAISES
)
def decode_and_crop_jpeg(
    xp: Any,
    contents: Strings,
    crop_window: _Window,
    *,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
) -> Any:
    _check_channels(channels)
    _check_jpeg(ratio, dct_method)
    format = _format_of(_contents(contents))
    if format == "BMP" and channels == 1:
        raise invalid(f"`channels` must be 0, 3 or 4 for BMP, but got {channels}")
    if format == "GIF" and channels not in (0, 3):
        raise invalid(f"channels must be 0 or 3 for GIF, got {channels}")
    if format == "WebP" and channels == 1:
        raise invalid("WebP only supports 3 or 4 channels")
    if format != "JPEG":
        raise invalid(f"DecodeAndCropJpeg operation can run on JPEG only, but detected {format}.")
    if crop_window.ndim != 1:
        raise invalid(f"crop_window must be 1-D, got shape {text(crop_window.shape)}")
    if len(crop_window) != 4:
        raise invalid(f"crop_size must have four elements {text(crop_window.shape)}")
    options = {
        "ratio": ratio,
        "fancy_upscaling": fancy_upscaling,
        "dct_method": dct_method,
        "acceptable_fraction": acceptable_fraction if try_recover_truncated else None,
    }
    top, left, height, width = crop_window.tolist()
    if min(top, left) < 0 or height <= 0 or width <= 0:
        raise invalid("jpeg::Uncompress failed. Invalid JPEG data or crop window.")
    window = (left, left + width)
    pixels = _decode(
        "DecodeAndCropJpeg", contents, channels, uint8, True, columns=window, **options
    )
    rows, columns = pixels.shape[:2]
    if top + height > rows or left + width > columns:
        raise invalid("jpeg::Uncompress failed. Invalid JPEG data or crop window.")
    return np.ascontiguousarray(pixels[top : top + height, left : left + width])


@op(
    "DecodeBmp",
    api=("io.decode_bmp", "image.decode_bmp"),
    shape=_image_shape,
    out=uint8,
    devices=_CPU,
)
@documented(_TEXTS, "Decodes a BMP file.", "A tensor (height, width, channels), uint8.", _RAISES)
def decode_bmp(xp: Any, contents: Strings, *, channels: int = 0) -> Any:
    _check_channels(channels)
    return _decode("DecodeBmp", contents, channels, uint8, True)


@op(
    "DecodeGif",
    api=("io.decode_gif", "image.decode_gif"),
    shape=_animation_shape,
    out=uint8,
    devices=_CPU,
)
@documented(_TEXTS, "Decodes a GIF file.", "A tensor (frames, height, width, 3), uint8.", _RAISES)
def decode_gif(xp: Any, contents: Strings) -> Any:
    return _decode("DecodeGif", contents, 3, uint8, True)


@op(
    "DecodeWebP",
    api=("io.decode_webp", "image.decode_webp"),
    shape=_frames_shape,
    out="dtype",
    devices=_CPU,
)
@documented(
    _TEXTS,
    "Decodes a WebP file.",
    "A tensor (frames, height, width, channels).",
    _RAISES,
)
def decode_webp(xp: Any, contents: Strings, *, channels: int = 0, dtype: Type = uint8) -> Any:
    _check_channels(channels)
    return _decode("DecodeWebP", contents, channels, dtype, True)


@op("DecodeImage", shape=_any_image_shape, out="dtype", devices=_CPU)
def decode_image(
    xp: Any,
    contents: Strings,
    *,
    channels: int = 0,
    dtype: Type = uint8,
    expand_animations: bool = True,
) -> Any:
    """Decodes a file of any format."""
    _check_channels(channels)
    return _decode("DecodeImage", contents, channels, dtype, expand_animations)


def _triple(contents: Dims | None, **_: Any) -> Dims:
    ranked(contents, 0)
    return (3,)


@op(
    "ExtractJpegShape",
    api=("io.extract_jpeg_shape", "image.extract_jpeg_shape"),
    shape=_triple,
    out="output_type",
    devices=_CPU,
)
@documented(
    _TEXTS,
    "Returns the shape of the image in a JPEG file, from its header alone.",
    "A vector: height, width and channels.",
    _RAISES,
)
def extract_jpeg_shape(xp: Any, contents: Strings, *, output_type: Type = int32) -> Any:
    data = _contents(contents)
    facts = jpeg.header(data) if data[:2] == b"\xff\xd8" else None
    if facts is None:
        raise invalid(f"Invalid JPEG data, size {len(data)}")
    return np.array(facts[:3], np.int64 if output_type is int64 else np.int32)


# ------------------------------------------------------------------ encoding


def _scalar(image: Dims | None, *_: Any, **__: Any) -> Dims:
    ranked(image, 3)
    return ()


@op(
    "EncodePng",
    shape=lambda image, **_: None if image is None else image[:-3],
    dtypes=frozenset((uint8, uint16)),
    out=string,
    devices=_CPU,
)
def encode_png(xp: Any, image: Any, *, compression: int = -1) -> Any:
    """Encodes images as PNG files."""
    if not -1 <= compression <= 9:
        raise invalid(f"compression should be in [-1,9], got {compression}")
    if image.ndim < 3:
        raise invalid(f"images must be at least rank 3{text(image.shape)}")
    if not 1 <= image.shape[-1] <= 4:
        raise invalid(f"image must have 1, 2, 3, or 4 channels, got {image.shape[-1]}")
    if not image.size:
        raise InternalError(
            None, None, "PNG encoding failed at the following flattened batch indices: 0"
        )
    flat = image.reshape(-1, *image.shape[-3:])
    files = [png.write(x, compression) for x in flat]
    return object_array(files).reshape(image.shape[:-3])


def _check_encoded(image: Any, quality: int) -> None:
    if image.ndim != 3:
        raise invalid(f"image must be 3-dimensional{text(image.shape)}")
    if not 0 <= quality <= 100:
        raise invalid(f"quality must be in [0,100], got {quality}")
    if max(image.shape[:2]) > 65535 or not image.size:
        raise InternalError(None, None, "JPEG encoding failed")


@op(
    "EncodeJpeg",
    api=("io.encode_jpeg", "image.encode_jpeg"),
    shape=_scalar,
    dtypes=frozenset((uint8,)),
    out=string,
    devices=_CPU,
)
@documented(_TEXTS, "Encodes an image as a JPEG file.", "A scalar string.", _RAISES)
def encode_jpeg(
    xp: Any,
    image: _Bytes,
    *,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: str = "",
) -> Any:
    if not 0 <= quality <= 100:
        raise invalid(f"quality must be in [0,100], got {quality}")
    _check_encoded(image, quality)
    channels = image.shape[2]
    if not format and channels not in (1, 3):
        raise invalid(f"image must have 1 or 3 channels, got {text(image.shape)}")
    for name, count in (("grayscale", 1), ("rgb", 3)):
        if format == name and channels != count:
            raise invalid(f"format {name} expects {count} channels, got {text(image.shape)}")
    data = jpeg.write(
        image,
        quality,
        progressive,
        optimize_size,
        chroma_downsampling,
        (density_unit, x_density, y_density),
        xmp_metadata,
    )
    return box(data)


@op(
    "EncodeJpegVariableQuality", shape=_scalar, dtypes=frozenset((uint8,)), out=string, devices=_CPU
)
def encode_jpeg_variable_quality(xp: Any, images: _Bytes, quality: _Level) -> Any:
    """Encodes an image as a JPEG file of a quality."""
    if quality.ndim:
        raise invalid(f"quality must be scalar: {text(quality.shape)}")
    _check_encoded(images, int(quality))
    if images.shape[2] not in (1, 3):
        raise invalid(f"image must have 1 or 3 channels, got {text(images.shape)}")
    return box(jpeg.write(images, int(quality)))
