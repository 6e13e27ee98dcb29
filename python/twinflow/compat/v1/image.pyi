# Computed from the op table by tools/make_stubs.py.

from typing import Any

from twinflow._src.wings.image.resizing import ResizeMethodV1 as _ResizeMethod
from twinflow.compat.v1 import extract_image_patches as extract_image_patches
from twinflow.compat.v1.image import resize as _resize_images
from twinflow.image import adjust_brightness as adjust_brightness
from twinflow.image import adjust_contrast as adjust_contrast
from twinflow.image import adjust_gamma as adjust_gamma
from twinflow.image import adjust_hue as adjust_hue
from twinflow.image import adjust_jpeg_quality as adjust_jpeg_quality
from twinflow.image import adjust_saturation as adjust_saturation
from twinflow.image import central_crop as central_crop
from twinflow.image import combined_non_max_suppression as combined_non_max_suppression
from twinflow.image import convert_image_dtype as convert_image_dtype
from twinflow.image import crop_to_bounding_box as crop_to_bounding_box
from twinflow.image import decode_and_crop_jpeg as decode_and_crop_jpeg
from twinflow.image import decode_bmp as decode_bmp
from twinflow.image import decode_gif as decode_gif
from twinflow.image import decode_image as decode_image
from twinflow.image import decode_jpeg as decode_jpeg
from twinflow.image import decode_png as decode_png
from twinflow.image import decode_webp as decode_webp
from twinflow.image import encode_jpeg as encode_jpeg
from twinflow.image import encode_png as encode_png
from twinflow.image import extract_jpeg_shape as extract_jpeg_shape
from twinflow.image import flip_left_right as flip_left_right
from twinflow.image import flip_up_down as flip_up_down
from twinflow.image import generate_bounding_box_proposals as generate_bounding_box_proposals
from twinflow.image import grayscale_to_rgb as grayscale_to_rgb
from twinflow.image import hsv_to_rgb as hsv_to_rgb
from twinflow.image import image_gradients as image_gradients
from twinflow.image import is_jpeg as is_jpeg
from twinflow.image import non_max_suppression as non_max_suppression
from twinflow.image import non_max_suppression_overlaps as non_max_suppression_overlaps
from twinflow.image import non_max_suppression_padded as non_max_suppression_padded
from twinflow.image import non_max_suppression_with_scores as non_max_suppression_with_scores
from twinflow.image import pad_to_bounding_box as pad_to_bounding_box
from twinflow.image import per_image_standardization as per_image_standardization
from twinflow.image import psnr as psnr
from twinflow.image import random_brightness as random_brightness
from twinflow.image import random_contrast as random_contrast
from twinflow.image import random_crop as random_crop
from twinflow.image import random_flip_left_right as random_flip_left_right
from twinflow.image import random_flip_up_down as random_flip_up_down
from twinflow.image import random_hue as random_hue
from twinflow.image import random_jpeg_quality as random_jpeg_quality
from twinflow.image import random_saturation as random_saturation
from twinflow.image import resize_with_crop_or_pad as resize_with_crop_or_pad
from twinflow.image import resize_with_pad as resize_with_pad
from twinflow.image import rgb_to_grayscale as rgb_to_grayscale
from twinflow.image import rgb_to_hsv as rgb_to_hsv
from twinflow.image import rgb_to_yiq as rgb_to_yiq
from twinflow.image import rgb_to_yuv as rgb_to_yuv
from twinflow.image import rot90 as rot90
from twinflow.image import sobel_edges as sobel_edges
from twinflow.image import ssim as ssim
from twinflow.image import ssim_multiscale as ssim_multiscale
from twinflow.image import stateless_random_brightness as stateless_random_brightness
from twinflow.image import stateless_random_contrast as stateless_random_contrast
from twinflow.image import stateless_random_crop as stateless_random_crop
from twinflow.image import stateless_random_flip_left_right as stateless_random_flip_left_right
from twinflow.image import stateless_random_flip_up_down as stateless_random_flip_up_down
from twinflow.image import stateless_random_hue as stateless_random_hue
from twinflow.image import stateless_random_jpeg_quality as stateless_random_jpeg_quality
from twinflow.image import stateless_random_saturation as stateless_random_saturation
from twinflow.image import (
    stateless_sample_distorted_bounding_box as stateless_sample_distorted_bounding_box,
)
from twinflow.image import total_variation as total_variation
from twinflow.image import transpose as transpose
from twinflow.image import yiq_to_rgb as yiq_to_rgb
from twinflow.image import yuv_to_rgb as yuv_to_rgb

ResizeMethod = _ResizeMethod
resize_images = _resize_images

def crop_and_resize(
    image: Any,
    boxes: Any,
    box_ind: Any = None,
    crop_size: Any = None,
    method: str = "bilinear",
    extrapolation_value: Any = 0,
    name: str | None = None,
    box_indices: Any = None,
) -> Any:
    """Crops images by boxes and resizes the crops to one size."""

def draw_bounding_boxes(
    images: Any, boxes: Any, name: str | None = None, colors: Any = None
) -> Any:
    """Draws boxes on images."""

def extract_glimpse(
    input: Any,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    name: str | None = None,
) -> Any:
    """Extracts a window of each image at an offset of its centre, with noise beyond the image."""

def extract_patches(
    images: Any, sizes: Any, strides: Any, rates: Any, padding: str, name: str | None = None
) -> Any:
    """Extracts the patches of images under a sliding window."""

def resize(
    images: Any,
    size: Any,
    method: Any = 0,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Any:
    """Resizes images; the corners of pixels are at whole coordinates."""

def resize_area(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None
) -> Any:
    """Resizes images by means over the areas of pixels."""

def resize_bicubic(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Any:
    """Resizes images by bicubic interpolation."""

def resize_bilinear(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Any:
    """Resizes images by bilinear interpolation."""

def resize_image_with_crop_or_pad(image: Any, target_height: Any, target_width: Any) -> Any:
    """Crops images centrally or pads them evenly with zeros to a height and width."""

def resize_image_with_pad(
    image: Any, target_height: Any, target_width: Any, method: Any = 0, align_corners: bool = False
) -> Any:
    """Resizes images without a change of their proportions, and pads them evenly with zeros."""

def resize_nearest_neighbor(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Any:
    """Resizes images by the nearest pixel."""

def sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: Any = None,
    seed2: Any = None,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: Any = None,
    use_image_if_no_bounding_boxes: Any = None,
    name: str | None = None,
) -> Any:
    """Draws a crop of an image that covers a part of some box."""

def transpose_image(image: Any, name: str | None = None) -> Any:
    """Swaps the rows and columns of images."""
