# Computed from the op table by tools/make_stubs.py.

from typing import Any, SupportsFloat, SupportsIndex

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

def adjust_jpeg_quality(
    image: Any, jpeg_quality: Any, dct_method: str = "", name: str | None = None
) -> Any:
    """Encodes an image as JPEG of a quality and decodes it, which adds the noise of its compression."""

def adjust_saturation(image: Any, saturation_factor: Any, name: str | None = None) -> Any:
    """Multiplies the saturation of RGB images."""

def central_crop(image: Any, central_fraction: Any) -> Any:
    """Crops the central part of images."""

def combined_non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size_per_class: Any,
    max_total_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = ...,
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> Any:
    """Selects boxes of several classes by non-maximum suppression within each."""

def convert_image_dtype(
    image: Any, dtype: Any, saturate: bool = False, name: str | None = None
) -> Any:
    """Converts images to a dtype, and scales values so that they use its range."""

def crop_and_resize(
    image: Any,
    boxes: Any,
    box_indices: Any,
    crop_size: Any,
    method: str = "bilinear",
    extrapolation_value: Any = 0.0,
    name: str | None = None,
) -> Any:
    """Crops images by boxes and resizes the crops to one size."""

def crop_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Any:
    """Crops images to a box."""

def decode_and_crop_jpeg(
    contents: Any,
    crop_window: Any,
    channels: SupportsIndex = 0,
    ratio: SupportsIndex = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: SupportsFloat = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """Decodes a part of a JPEG file."""

def decode_bmp(contents: Any, channels: SupportsIndex = 0, name: str | None = None) -> Tensor:
    """Decodes a BMP file."""

def decode_gif(contents: Any, name: str | None = None) -> Tensor:
    """Decodes a GIF file."""

def decode_image(
    contents: Any,
    channels: SupportsIndex | None = None,
    dtype: Any = ...,
    name: str | None = None,
    expand_animations: bool = True,
) -> Any:
    """Decodes a file of any format: BMP, GIF, JPEG, PNG or WebP."""

def decode_jpeg(
    contents: Any,
    channels: SupportsIndex = 0,
    ratio: SupportsIndex = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: SupportsFloat = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """Decodes a JPEG file."""

def decode_png(
    contents: Any, channels: SupportsIndex = 0, dtype: Any = ..., name: str | None = None
) -> Tensor:
    """Decodes a PNG file."""

def decode_webp(
    contents: Any, channels: SupportsIndex = 0, dtype: Any = ..., name: str | None = None
) -> Tensor:
    """Decodes a WebP file."""

def draw_bounding_boxes(images: Any, boxes: Any, colors: Any, name: str | None = None) -> Any:
    """Draws boxes on images."""

def encode_jpeg(
    image: Any,
    format: str = "",
    quality: SupportsIndex = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: SupportsIndex = 300,
    y_density: SupportsIndex = 300,
    xmp_metadata: str = "",
    name: str | None = None,
) -> Tensor:
    """Encodes an image as a JPEG file."""

def encode_png(image: Any, compression: SupportsIndex = -1, name: str | None = None) -> Any:
    """Encodes images as PNG files."""

def extract_glimpse(
    input: Any,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    name: str | None = None,
) -> Any:
    """Extracts a window of each image at an offset, with noise beyond the image."""

def extract_jpeg_shape(contents: Any, output_type: Any = ..., name: str | None = None) -> Tensor:
    """Returns the shape of the image in a JPEG file, from its header alone."""

def extract_patches(
    images: Any, sizes: Any, strides: Any, rates: Any, padding: str, name: str | None = None
) -> Any:
    """Extracts the patches of images under a sliding window."""

def flip_left_right(image: Any) -> Any:
    """Reverses the columns of images."""

def flip_up_down(image: Any) -> Any:
    """Reverses the rows of images."""

def generate_bounding_box_proposals(
    scores: Any,
    bbox_deltas: Any,
    image_info: Any,
    anchors: Any,
    nms_threshold: Any = 0.7,
    pre_nms_topn: Any = 6000,
    min_size: Any = 16,
    post_nms_topn: SupportsIndex = 300,
    name: str | None = None,
) -> Any:
    """Selects regions from the scores and the moves of anchors, as in Faster R-CNN."""

def grayscale_to_rgb(images: Any, name: str | None = None) -> Any:
    """Converts images from grey levels to RGB."""

def hsv_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """Converts images from hue, saturation and value to red, green and blue."""

def image_gradients(image: Any) -> Any:
    """Returns the differences to the next row and to the next column, 0 for the last."""

def is_jpeg(contents: Any, name: str | None = None) -> Any:
    """Returns True if files begin as JPEG does."""

def non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = ...,
    name: str | None = None,
) -> Any:
    """Selects boxes in the order of their scores, without those that overlap others."""

def non_max_suppression_overlaps(
    overlaps: Any,
    scores: Any,
    max_output_size: Any,
    overlap_threshold: Any = 0.5,
    score_threshold: Any = ...,
    name: str | None = None,
) -> Any:
    """Selects boxes in the order of their scores, without those that overlap others, by overlaps."""

def non_max_suppression_padded(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = ...,
    pad_to_max_output_size: bool = False,
    name: str | None = None,
    sorted_input: bool = False,
    canonicalized_coordinates: bool = False,
    tile_size: SupportsIndex = 512,
) -> Any:
    """Selects boxes of batches about as ``tf.image.non_max_suppression`` does, and pads the result."""

def non_max_suppression_with_scores(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = ...,
    soft_nms_sigma: Any = 0.0,
    name: str | None = None,
) -> Any:
    """Selects boxes in the order of their scores, which shrink where boxes overlap (soft NMS)."""

def pad_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Any:
    """Pads images with zeros to a height and width."""

def per_image_standardization(image: Any) -> Any:
    """Scales each image to mean 0 and variance 1."""

def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Any:
    """Returns the peak signal-to-noise ratio of images, in decibels."""

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

def random_jpeg_quality(
    image: Any, min_jpeg_quality: Any, max_jpeg_quality: Any, seed: Any = None
) -> Any:
    """Encodes an image as JPEG of a random quality and decodes it."""

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

def sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: Any = 0,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: Any = None,
    use_image_if_no_bounding_boxes: Any = None,
    name: str | None = None,
) -> Any:
    """Draws a crop of an image that covers a part of some box."""

def sobel_edges(image: Any) -> Any:
    """Returns the Sobel derivatives of images, with reflected borders."""

def ssim(
    img1: Any,
    img2: Any,
    max_val: Any,
    filter_size: Any = 11,
    filter_sigma: Any = 1.5,
    k1: Any = 0.01,
    k2: Any = 0.03,
    return_index_map: bool = False,
) -> Any:
    """Returns the structural similarity (SSIM) of images."""

def ssim_multiscale(
    img1: Any,
    img2: Any,
    max_val: Any,
    power_factors: Any = ...,
    filter_size: Any = 11,
    filter_sigma: Any = 1.5,
    k1: Any = 0.01,
    k2: Any = 0.03,
) -> Any:
    """Returns the structural similarity of images at several scales (MS-SSIM)."""

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

def stateless_random_jpeg_quality(
    image: Any, min_jpeg_quality: Any, max_jpeg_quality: Any, seed: Any
) -> Any:
    """Encodes an image as JPEG of a random quality, which depends on the seed only, and decodes it."""

def stateless_random_saturation(image: Any, lower: Any, upper: Any, seed: Any = None) -> Any:
    """Multiplies the saturation of RGB images by a random factor that depends on the seed only."""

def stateless_sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: Any,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: Any = None,
    use_image_if_no_bounding_boxes: Any = None,
    name: str | None = None,
) -> Any:
    """Draws a crop of an image that covers a part of some box, by a seed alone."""

def total_variation(images: Any, name: str | None = None) -> Any:
    """Returns the sum of the absolute differences of neighbouring pixels."""

def transpose(image: Any, name: str | None = None) -> Any:
    """Swaps the rows and columns of images."""

def yiq_to_rgb(images: Any) -> Any:
    """Converts images from YIQ to RGB."""

def yuv_to_rgb(images: Any) -> Any:
    """Converts images from YUV to RGB."""
