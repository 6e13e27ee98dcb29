"""Adjustments of brightness, contrast, hue, saturation and gamma, plain and at random; dtypes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import as_dtype, float16, float32
from twinflow._src.dispatch.op import API, OPS, export
from twinflow._src.ops.random.stateful import uniform
from twinflow._src.ops.random.stateless import stateless_uniform
from twinflow._src.wings.image.arguments import as_image, check_least_rank, require, set_shape


@export("image.convert_image_dtype")
def convert_image_dtype(
    image: Any, dtype: Any, saturate: bool = False, name: str | None = None
) -> Any:
    """Converts images to a dtype, and scales values so that they use its range.

    Floating-point images are in [0, 1), those of integers in [0, MAX].

    Args:
        image: A tensor.
        dtype: The dtype of the result.
        saturate: If True, values outside of its range are clipped before the cast.
        name: A name for the operation.

    Returns:
        A tensor of that dtype.

    Raises:
        AttributeError: A dtype is neither floating-point nor an integer.
    """
    image, dtype = as_image(image), as_dtype(dtype)
    if not (dtype.is_floating or dtype.is_integer):
        raise AttributeError("dtype must be either floating point or integer")
    if not (image.dtype.is_floating or image.dtype.is_integer):
        raise AttributeError("image dtype must be either floating point or integer")
    if dtype == image.dtype:
        return API["identity"](image)
    cast = API["saturate_cast"] if saturate else API["cast"]
    if image.dtype.is_integer and dtype.is_integer:
        return _rescaled(image, dtype, cast)
    if image.dtype.is_floating and dtype.is_floating:
        return API["cast"](image, dtype)
    if image.dtype.is_integer:
        return API["multiply"](API["cast"](image, dtype), 1.0 / image.dtype.max)
    # half a step more, so that the cast does not round down
    return cast(API["multiply"](image, dtype.max + 0.5), dtype)


def _rescaled(image: Any, dtype: Any, cast: Any) -> Any:
    """Converts between integers by whole factors."""
    old, new = int(image.dtype.max), int(dtype.max)
    if old > new:
        return cast(API["math.floordiv"](image, (old + 1) // (new + 1)), dtype)
    return API["multiply"](cast(image, dtype), (new + 1) // (old + 1))


def as_floats(image: Any) -> Any:
    """Returns images as they are if they are of float32 or float16, else as float32."""
    return image if image.dtype in (float16, float32) else convert_image_dtype(image, float32)


@export("image.adjust_brightness")
def adjust_brightness(image: Any, delta: Any) -> Any:
    """Adds to the brightness of images.

    Args:
        image: A tensor; integers are seen as parts of their largest value.
        delta: What is added to each value, a scalar.

    Returns:
        A tensor of the same dtype and shape.
    """
    image = as_image(image)
    floats = as_floats(image)
    adjusted = API["add"](floats, API["cast"](delta, floats.dtype))
    return convert_image_dtype(adjusted, image.dtype, saturate=True)


@export("image.adjust_contrast")
def adjust_contrast(images: Any, contrast_factor: Any) -> Any:
    """Scales the differences of each channel of images from its mean.

    Args:
        images: A tensor of at least three dimensions: height, width and channels are the last.
        contrast_factor: The factor, a scalar.

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        InvalidArgumentError: There are less than three dimensions.
    """
    images = as_image(images, "images")
    adjusted = OPS["AdjustContrastv2"].public(as_floats(images), contrast_factor)
    return convert_image_dtype(adjusted, images.dtype, saturate=True)


@export("image.adjust_gamma")
def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Any:
    """Transforms each value: ``gain * value ** gamma``.

    Args:
        image: A tensor; integers are seen as parts of their largest value.
        gamma: The exponent, not negative.
        gain: The factor.

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        ValueError: Gamma is negative.
    """
    image = as_image(image)
    require(gamma >= 0, "Gamma should be a non-negative real number.")
    adjusted = gain * as_floats(image) ** gamma
    return convert_image_dtype(adjusted, image.dtype, saturate=True)


@export("image.adjust_hue")
def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Any:
    """Turns the hue of RGB images.

    Args:
        image: A tensor whose last dimension has three channels.
        delta: What is added to the hue, in [-1, 1]: parts of a full turn.
        name: A name for the operation.

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        ValueError: ``delta`` is outside of [-1, 1].
        InvalidArgumentError: There are not three channels.
    """
    if thread.scope.graph is None and (delta < -1 or delta > 1):
        raise ValueError("delta must be in the interval [-1, 1]")
    image = as_image(image)
    adjusted = OPS["AdjustHue"].public(as_floats(image), delta)
    return convert_image_dtype(adjusted, image.dtype)


@export("image.adjust_saturation")
def adjust_saturation(image: Any, saturation_factor: Any, name: str | None = None) -> Any:
    """Multiplies the saturation of RGB images.

    Args:
        image: A tensor whose last dimension has three channels.
        saturation_factor: The factor, a scalar.
        name: A name for the operation.

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        InvalidArgumentError: There are not three channels.
    """
    image = as_image(image)
    adjusted = OPS["AdjustSaturation"].public(as_floats(image), saturation_factor)
    return convert_image_dtype(adjusted, image.dtype)


@export("image.per_image_standardization")
def per_image_standardization(image: Any) -> Any:
    """Scales each image to mean 0 and variance 1.

    The standard deviation is at least one over the square root of the number of values.

    Args:
        image: A tensor of at least three dimensions: height, width and channels are the last.

    Returns:
        A tensor of float32 and the same shape.

    Raises:
        ValueError: There are less than three dimensions.
    """
    image = as_image(image)
    check_least_rank(image)
    cast, axes = API["cast"], [-1, -2, -3]
    image = cast(image, float32)
    count = API["reduce_prod"](API["shape"](image)[-3:])
    mean = API["reduce_mean"](image, axes, keepdims=True)
    deviation = API["math.reduce_std"](image, axes, keepdims=True)
    least = API["math.rsqrt"](cast(count, float32))
    return API["divide"](image - mean, API["maximum"](deviation, least))


# ------------------------------------------------------------------ at random


def _stateful(seed: Any) -> Callable[..., Any]:
    return functools.partial(uniform, [], seed=seed)


def _stateless(seed: Any) -> Callable[..., Any]:
    return functools.partial(stateless_uniform, [], seed=seed)


def _shifted(image: Any, max_delta: Any, adjust: Callable[..., Any], draw: Any) -> Any:
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust(image, draw(minval=-max_delta, maxval=max_delta))


def _scaled(image: Any, lower: Any, upper: Any, adjust: Callable[..., Any], draw: Any) -> Any:
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")
    return adjust(image, draw(minval=lower, maxval=upper))


def _check_turn(max_delta: Any) -> None:
    if max_delta > 0.5:
        raise ValueError("max_delta must be <= 0.5.")


@export("image.random_brightness")
def random_brightness(image: Any, max_delta: Any, seed: Any = None) -> Any:
    """Adds a random number to the brightness of images.

    Args:
        image: A tensor; integers are seen as parts of their largest value.
        max_delta: The number is in [-max_delta, max_delta).
        seed: An op seed, an integer; if None, it is derived from the global seed.

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        ValueError: ``max_delta`` is negative.
    """
    return _shifted(image, max_delta, adjust_brightness, _stateful(seed))


@export("image.stateless_random_brightness")
def stateless_random_brightness(image: Any, max_delta: Any, seed: Any) -> Any:
    """Adds a random number, which depends on the seed only, to the brightness of images.

    Args:
        image: A tensor; integers are seen as parts of their largest value.
        max_delta: The number is in [-max_delta, max_delta).
        seed: A vector of two integers.

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        ValueError: ``max_delta`` is negative.
    """
    return _shifted(image, max_delta, adjust_brightness, _stateless(seed))


@export("image.random_contrast")
def random_contrast(image: Any, lower: Any, upper: Any, seed: Any = None) -> Any:
    """Scales the contrast of images by a random factor.

    Args:
        image: A tensor of at least three dimensions: height, width and channels are the last.
        lower: The lower bound of the factor.
        upper: The upper bound of the factor.
        seed: An op seed, an integer; if None, it is derived from the global seed.

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        ValueError: The bounds are not in order, or negative.
    """
    return _scaled(image, lower, upper, adjust_contrast, _stateful(seed))


@export("image.stateless_random_contrast")
def stateless_random_contrast(image: Any, lower: Any, upper: Any, seed: Any) -> Any:
    """Scales the contrast of images by a random factor that depends on the seed only.

    Args:
        image: A tensor of at least three dimensions: height, width and channels are the last.
        lower: The lower bound of the factor.
        upper: The upper bound of the factor.
        seed: A vector of two integers.

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        ValueError: The bounds are not in order, or negative.
    """
    return _scaled(image, lower, upper, adjust_contrast, _stateless(seed))


@export("image.random_hue")
def random_hue(image: Any, max_delta: Any, seed: Any = None) -> Any:
    """Turns the hue of RGB images by a random number.

    Args:
        image: A tensor whose last dimension has three channels.
        max_delta: The number is in [-max_delta, max_delta); at most 0.5.
        seed: An op seed, an integer; if None, it is derived from the global seed.

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        ValueError: ``max_delta`` is negative or greater than 0.5.
    """
    _check_turn(max_delta)
    return _shifted(image, max_delta, adjust_hue, _stateful(seed))


@export("image.stateless_random_hue")
def stateless_random_hue(image: Any, max_delta: Any, seed: Any) -> Any:
    """Turns the hue of RGB images by a random number that depends on the seed only.

    Args:
        image: A tensor whose last dimension has three channels.
        max_delta: The number is in [-max_delta, max_delta); at most 0.5.
        seed: A vector of two integers.

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        ValueError: ``max_delta`` is negative or greater than 0.5.
    """
    _check_turn(max_delta)
    return _shifted(image, max_delta, adjust_hue, _stateless(seed))


@export("image.random_saturation")
def random_saturation(image: Any, lower: Any, upper: Any, seed: Any = None) -> Any:
    """Multiplies the saturation of RGB images by a random factor.

    Args:
        image: A tensor whose last dimension has three channels.
        lower: The lower bound of the factor.
        upper: The upper bound of the factor.
        seed: An op seed, an integer; if None, it is derived from the global seed.

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        ValueError: The bounds are not in order, or negative.
    """
    return _scaled(image, lower, upper, adjust_saturation, _stateful(seed))


@export("image.stateless_random_saturation")
def stateless_random_saturation(image: Any, lower: Any, upper: Any, seed: Any = None) -> Any:
    """Multiplies the saturation of RGB images by a random factor that depends on the seed only.

    Args:
        image: A tensor whose last dimension has three channels.
        lower: The lower bound of the factor.
        upper: The upper bound of the factor.
        seed: A vector of two integers.

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        ValueError: The bounds are not in order, or negative.
    """
    return _scaled(image, lower, upper, adjust_saturation, _stateless(seed))


# ------------------------------------------------------------------ conversions of images between RGB


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
    grey = convert_image_dtype(grey, images.dtype)
    return grey if images.shape.rank is None else set_shape(grey, [*images.shape[:-1], 1])


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
