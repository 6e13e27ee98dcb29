"""Files of images: decoding, encoding, and the loss of quality of JPEG."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core.dtypes import as_dtype, float32, int32, string, uint8, uint16
from twinflow._src.dispatch.op import API, OPS, documented_like, export
from twinflow._src.ops.random.stateful import uniform
from twinflow._src.ops.random.stateless import stateless_uniform
from twinflow._src.wings.image.adjustments import convert_image_dtype
from twinflow._src.wings.image.arguments import as_image


@export("io.decode_image", "image.decode_image")
def decode_image(
    contents: Any,
    channels: int | None = None,
    dtype: Any = uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Any:
    """Decodes a file of any format: BMP, GIF, JPEG, PNG or WebP.

    Args:
        contents: The file, a scalar string.
        channels: The number of channels; None or 0 for that of the file.
        dtype: The dtype of the result.
        name: A name for the operation.
        expand_animations: If False, only the first frame of animations is returned.

    Returns:
        A tensor of shape (height, width, channels), or (frames, height, width, channels) for
        animations. Values are scaled to the range of the dtype; those of floats are in [0, 1].

    Raises:
        InvalidArgumentError: The file is damaged or of another format.
    """
    dtype, decode = as_dtype(dtype), OPS["DecodeImage"].public
    exact = dtype in (uint8, uint16, float32)
    options = {"channels": channels or 0, "expand_animations": expand_animations}
    image = decode(contents, dtype=dtype if exact else uint16, **options)
    return image if exact else convert_image_dtype(image, dtype)


@export("io.is_jpeg", "image.is_jpeg")
def is_jpeg(contents: Any, name: str | None = None) -> Any:
    """Returns True if files begin as JPEG does.

    Args:
        contents: The files, strings.

    Returns:
        A tensor of booleans.
    """
    start = API["strings.substr"](convert_to_tensor(contents, string), 0, 3)
    return API["equal"](start, b"\xff\xd8\xff")


@export("io.encode_png", "image.encode_png")
def encode_png(image: Any, compression: int = -1, name: str | None = None) -> Any:
    """Encodes images as PNG files.

    Args:
        image: A tensor of shape (..., height, width, channels) of uint8 or uint16, with one (gray), two
            (gray and alpha), three (RGB) or four channels (RGBA).
        compression: The level of compression from 0 to 9; -1 for the default.

    Returns:
        A string for each image.

    Raises:
        InvalidArgumentError: The rank, the channels or the level are not valid.
    """
    image = convert_to_tensor(image)
    return OPS["EncodePng"].public(image, compression=compression)


@export("image.adjust_jpeg_quality")
def adjust_jpeg_quality(
    image: Any, jpeg_quality: Any, dct_method: str = "", name: str | None = None
) -> Any:
    """Encodes an image as JPEG of a quality and decodes it, which adds the noise of its compression.

    Args:
        image: A tensor of shape (height, width, channels) with one or three channels.
        jpeg_quality: The quality from 0 to 100.
        dct_method: The discrete cosine transform of the decoder.

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        InvalidArgumentError: The quality is out of range, or the rank is not 3.
    """
    image = as_image(image)
    channels, dtype = image.shape.as_list()[-1], image.dtype
    bytes_image = convert_image_dtype(image, uint8, saturate=True)
    if not is_tensor(jpeg_quality):
        jpeg_quality = convert_to_tensor(jpeg_quality, dtype=int32)
    file = OPS["EncodeJpegVariableQuality"].public(bytes_image, jpeg_quality)
    decoded = OPS["DecodeJpeg"].public(file, channels=channels, dct_method=dct_method)
    return convert_image_dtype(decoded, dtype, saturate=True)


def _random_quality(image: Any, least: Any, most: Any, draw: Callable[..., Any]) -> Any:
    if least < 0 or most < 0 or least > 100 or most > 100:
        raise ValueError("jpeg encoding range must be between 0 and 100.")
    if least >= most:
        raise ValueError("`min_jpeg_quality` must be less than `max_jpeg_quality`.")
    return adjust_jpeg_quality(image, draw(minval=least, maxval=most, dtype=int32))


@export("image.random_jpeg_quality")
@documented_like(adjust_jpeg_quality)
def random_jpeg_quality(
    image: Any, min_jpeg_quality: Any, max_jpeg_quality: Any, seed: Any = None
) -> Any:
    """Encodes an image as JPEG of a random quality and decodes it.

    Args:
        min_jpeg_quality: The lower bound of the quality.
        max_jpeg_quality: The upper bound of the quality, which is less than it.
        seed: An op seed, an integer; if None, it is derived from the global seed.

    Raises:
        ValueError: The bounds are not in [0, 100], or not in order.
    """
    draw = functools.partial(uniform, [], seed=seed)
    return _random_quality(image, min_jpeg_quality, max_jpeg_quality, draw)


@export("image.stateless_random_jpeg_quality")
@documented_like(random_jpeg_quality)
def stateless_random_jpeg_quality(
    image: Any, min_jpeg_quality: Any, max_jpeg_quality: Any, seed: Any
) -> Any:
    """Encodes an image as JPEG of a random quality, which depends on the seed only, and decodes it.

    Args:
        seed: A vector of two integers.
    """
    draw = functools.partial(stateless_uniform, [], seed=seed)
    return _random_quality(image, min_jpeg_quality, max_jpeg_quality, draw)
