# Computed from the op table by tools/make_stubs.py.

from typing import Any

from twinflow._src.core.tensor import Tensor
from twinflow._src.wings.image.resizing import ResizeMethod as ResizeMethod

def adjust_brightness(image: Any, delta: Any) -> Any:
    """Adds to the brightness of images."""

def adjust_contrast(images: Any, contrast_factor: Any) -> Any:
    """Scales the differences of each channel of images from its mean."""

def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Any:
    """Transforms each value: ``gain * value ** gamma``."""

def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Any:
    """Turns the hue of RGB images."""

def adjust_saturation(image: Any, saturation_factor: Any, name: str | None = None) -> Any:
    """Multiplies the saturation of RGB images."""

def central_crop(image: Any, central_fraction: Any) -> Any:
    """Crops the central part of images."""

def convert_image_dtype(
    image: Any, dtype: Any, saturate: bool = False, name: str | None = None
) -> Any:
    """Converts images to a dtype, and scales values so that they use its range."""

def crop_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Any:
    """Crops images to a box."""

def flip_left_right(image: Any) -> Any:
    """Reverses the columns of images."""

def flip_up_down(image: Any) -> Any:
    """Reverses the rows of images."""

def grayscale_to_rgb(images: Any, name: str | None = None) -> Any:
    """Converts images from grey levels to RGB."""

def hsv_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """Converts images from hue, saturation and value to red, green and blue."""

def pad_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Any:
    """Pads images with zeros to a height and width."""

def per_image_standardization(image: Any) -> Any:
    """Scales each image to mean 0 and variance 1."""

def random_brightness(image: Any, max_delta: Any, seed: Any = None) -> Any:
    """Adds a random number to the brightness of images."""

def random_contrast(image: Any, lower: Any, upper: Any, seed: Any = None) -> Any:
    """Scales the contrast of images by a random factor."""

def random_crop(value: Any, size: Any, seed: Any = None, name: str | None = None) -> Any:
    """Crops a tensor to a given size at a random offset."""

def random_flip_left_right(image: Any, seed: Any = None) -> Any:
    """Reverses the columns of each image with a probability of one half."""

def random_flip_up_down(image: Any, seed: Any = None) -> Any:
    """Reverses the rows of each image with a probability of one half."""

def random_hue(image: Any, max_delta: Any, seed: Any = None) -> Any:
    """Turns the hue of RGB images by a random number."""

def random_saturation(image: Any, lower: Any, upper: Any, seed: Any = None) -> Any:
    """Multiplies the saturation of RGB images by a random factor."""

def resize(
    images: Any,
    size: Any,
    method: Any = "bilinear",
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Any:
    """Resizes images; the centres of pixels are at half coordinates."""

def resize_with_crop_or_pad(image: Any, target_height: Any, target_width: Any) -> Any:
    """Crops images centrally or pads them evenly with zeros to a height and width."""

def resize_with_pad(
    image: Any,
    target_height: Any,
    target_width: Any,
    method: Any = "bilinear",
    antialias: bool = False,
) -> Any:
    """Resizes images without a change of their proportions, and pads them evenly with zeros."""

def rgb_to_grayscale(images: Any, name: str | None = None) -> Any:
    """Converts images from RGB to grey levels."""

def rgb_to_hsv(images: Any, name: str | None = None) -> Tensor:
    """Converts images from red, green and blue to hue, saturation and value."""

def rgb_to_yiq(images: Any) -> Any:
    """Converts images from RGB to YIQ."""

def rgb_to_yuv(images: Any) -> Any:
    """Converts images from RGB to YUV."""

def rot90(image: Any, k: Any = 1, name: str | None = None) -> Any:
    """Turns images counter-clockwise by quarter turns."""

def stateless_random_brightness(image: Any, max_delta: Any, seed: Any) -> Any:
    """Adds a random number, which depends on the seed only, to the brightness of images."""

def stateless_random_contrast(image: Any, lower: Any, upper: Any, seed: Any) -> Any:
    """Scales the contrast of images by a random factor that depends on the seed only."""

def stateless_random_crop(value: Any, size: Any, seed: Any, name: str | None = None) -> Any:
    """Crops a tensor to a given size at an offset that depends on the seed only."""

def stateless_random_flip_left_right(image: Any, seed: Any) -> Any:
    """Reverses the columns of each image with a probability of one half, by a seed alone."""

def stateless_random_flip_up_down(image: Any, seed: Any) -> Any:
    """Reverses the rows of each image with a probability of one half, by a seed alone."""

def stateless_random_hue(image: Any, max_delta: Any, seed: Any) -> Any:
    """Turns the hue of RGB images by a random number that depends on the seed only."""

def stateless_random_saturation(image: Any, lower: Any, upper: Any, seed: Any = None) -> Any:
    """Multiplies the saturation of RGB images by a random factor that depends on the seed only."""

def transpose(image: Any, name: str | None = None) -> Any:
    """Swaps the rows and columns of images."""

def yiq_to_rgb(images: Any) -> Any:
    """Converts images from YIQ to RGB."""

def yuv_to_rgb(images: Any) -> Any:
    """Converts images from YUV to RGB."""
