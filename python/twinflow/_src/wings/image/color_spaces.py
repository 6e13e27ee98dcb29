"""Conversions of images between RGB, YIQ, YUV and grey levels."""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import float32
from twinflow._src.dispatch.op import API, export
from twinflow._src.wings.image.adjustments import convert_image_dtype
from twinflow._src.wings.image.arguments import as_image, set_shape

# The luminance of red, green and blue (ITU-R BT.601), and the linear maps of the colour spaces.
_LUMINANCE = [0.2989, 0.5870, 0.1140]
_RGB_TO_YIQ = [
    [0.299, 0.59590059, 0.2115],
    [0.587, -0.27455667, -0.52273617],
    [0.114, -0.32134392, 0.31119955],
]
_YIQ_TO_RGB = [
    [1, 1, 1],
    [0.95598634, -0.27201283, -1.10674021],
    [0.6208248, -0.64720424, 1.70423049],
]
_RGB_TO_YUV = [
    [0.299, -0.14714119, 0.61497538],
    [0.587, -0.28886916, -0.51496512],
    [0.114, 0.43601035, -0.10001026],
]
_YUV_TO_RGB = [[1, 1, 1], [0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0]]


def _mapped(images: Any, matrix: Any) -> Any:
    images = as_image(images, "images")
    kernel = convert_to_tensor(matrix, dtype=images.dtype, name="kernel")
    return API["tensordot"](images, kernel, axes=[[images.shape.rank - 1], [0]])


@export("image.rgb_to_yiq")
def rgb_to_yiq(images: Any) -> Any:
    """Converts images from RGB to YIQ.

    Args:
        images: A floating-point tensor with three channels in the last dimension, in [0, 1].

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        InvalidArgumentError: There are not three channels.
    """
    return _mapped(images, _RGB_TO_YIQ)


@export("image.yiq_to_rgb")
def yiq_to_rgb(images: Any) -> Any:
    """Converts images from YIQ to RGB.

    Args:
        images: A floating-point tensor with three channels in the last dimension.

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        InvalidArgumentError: There are not three channels.
    """
    return _mapped(images, _YIQ_TO_RGB)


@export("image.rgb_to_yuv")
def rgb_to_yuv(images: Any) -> Any:
    """Converts images from RGB to YUV.

    Args:
        images: A floating-point tensor with three channels in the last dimension, in [0, 1].

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        InvalidArgumentError: There are not three channels.
    """
    return _mapped(images, _RGB_TO_YUV)


@export("image.yuv_to_rgb")
def yuv_to_rgb(images: Any) -> Any:
    """Converts images from YUV to RGB.

    Args:
        images: A floating-point tensor with three channels in the last dimension.

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        InvalidArgumentError: There are not three channels.
    """
    return _mapped(images, _YUV_TO_RGB)


@export("image.rgb_to_grayscale")
def rgb_to_grayscale(images: Any, name: str | None = None) -> Any:
    """Converts images from RGB to grey levels.

    Args:
        images: A tensor with three channels in the last dimension.
        name: A name for the operation.

    Returns:
        A tensor of the same dtype with one channel.

    Raises:
        InvalidArgumentError: There are not three channels.
    """
    images = as_image(images, "images")
    floats = convert_image_dtype(images, float32)
    if floats.shape.rank is not None and floats.shape[-1] in (3, None):
        # the order of TensorFlow's sum, on which the rounding of integers depends
        red, green, blue = (floats[..., i : i + 1] * w for i, w in enumerate(_LUMINANCE))
        grey = (red + green) + blue
    else:
        grey = API["expand_dims"](API["tensordot"](floats, _LUMINANCE, [-1, -1]), -1)
    return convert_image_dtype(grey, images.dtype)


@export("image.grayscale_to_rgb")
def grayscale_to_rgb(images: Any, name: str | None = None) -> Any:
    """Converts images from grey levels to RGB.

    Args:
        images: A tensor with one channel in the last dimension.
        name: A name for the operation.

    Returns:
        A tensor of the same dtype with three channels.

    Raises:
        ValueError: There is not one channel, or a single dimension.
    """
    images = as_image(images, "images")
    rank = images.shape.rank
    if rank is not None and rank < 2:
        raise ValueError(
            f"A grayscale image (shape {images.shape}) must be at least two-dimensional."
        )
    if rank is not None and images.shape[-1] not in (1, None):
        raise ValueError("Last dimension of a grayscale image should be size 1.")
    if rank is not None:
        return API["tile"](images, [1] * (rank - 1) + [3])
    ones = API["ones"]([API["rank"](images) - 1], dtype="int32")
    return set_shape(API["tile"](images, API["concat"]([ones, [3]], 0)), None)
