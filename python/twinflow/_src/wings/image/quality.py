"""Comparisons and measures of images: PSNR, SSIM, total variation, edges and gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.conversion.constant import constant, convert_to_tensor
from twinflow._src.core.dtypes import float32, int32
from twinflow._src.dispatch.op import API, documented_like, export
from twinflow._src.wings.image.adjustments import convert_image_dtype
from twinflow._src.wings.image.arguments import as_image, set_shape


@export("image.total_variation")
def total_variation(images: Any, name: str | None = None) -> Any:
    """Returns the sum of the absolute differences of neighbouring pixels.

    Args:
        images: A tensor of shape (height, width, channels), or a batch of them.

    Returns:
        A scalar, or a number for each image.

    Raises:
        ValueError: The rank is neither 3 nor 4.
    """
    images = as_image(images, "images")
    rank = images.shape.rank
    if rank not in (3, 4):
        raise ValueError("'images' must be either 3 or 4-dimensional.")
    down = images[..., 1:, :, :] - images[..., :-1, :, :]
    across = images[..., :, 1:, :] - images[..., :, :-1, :]
    axes = None if rank == 3 else [1, 2, 3]
    total = API["reduce_sum"]
    return total(abs(down), axis=axes) + total(abs(across), axis=axes)


@export("image.image_gradients")
def image_gradients(image: Any) -> Any:
    """Returns the differences to the next row and to the next column, 0 for the last.

    Args:
        image: A batch of images.

    Returns:
        A pair of tensors of the same dtype and shape: (dy, dx).

    Raises:
        ValueError: The rank is not 4.
    """
    image = as_image(image)
    if image.shape.rank != 4:
        raise ValueError(
            f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {image.shape}."
        )
    zeros = API["zeros_like"]
    dy = image[:, 1:] - image[:, :-1]
    dx = image[:, :, 1:] - image[:, :, :-1]
    dy = API["concat"]([dy, zeros(image[:, :1])], 1)
    dx = API["concat"]([dx, zeros(image[:, :, :1])], 2)
    return set_shape(dy, image.shape), set_shape(dx, image.shape)


@export("image.sobel_edges")
def sobel_edges(image: Any) -> Any:
    """Returns the Sobel derivatives of images, with reflected borders.

    Args:
        image: A batch of floating-point images.

    Returns:
        A tensor of shape (batch, height, width, channels, 2): the derivatives dy and dx.
    """
    image = as_image(image)
    kernels = np.array([[[-1, -2, -1], [0, 0, 0], [1, 2, 1]], [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]])
    sizes = API["shape"](image)
    filters = constant(kernels.transpose(1, 2, 0)[:, :, None], dtype=image.dtype)
    filters = API["tile"](filters, [1, 1, sizes[-1], 1])
    padded = API["pad"](image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")
    edges = API["nn.depthwise_conv2d"](padded, filters, [1, 1, 1, 1], "VALID")
    result = API["reshape"](edges, API["concat"]([sizes, [2]], 0))
    return set_shape(result, image.shape.concatenate([2]))


# ------------------------------------------------------------------ PSNR


def _check_shapes(a: Any, b: Any) -> None:
    """Requires images of one shape."""
    shape_a, shape_b = (x.shape.with_rank_at_least(3) for x in (a, b))
    shape_a[-3:].assert_is_compatible_with(shape_b[-3:])
    if shape_a.rank is not None and shape_b.rank is not None:
        for i in range(min(shape_a.rank, shape_b.rank) - 3):
            pair = shape_a[-4 - i], shape_b[-4 - i]
            if 1 not in pair and None not in pair and pair[0] != pair[1]:
                raise ValueError(f"Two images are not compatible: {shape_a} and {shape_b}")
    sizes = [API["shape"](x) for x in (a, b)]
    equal = API["reduce_all"](API["equal"](sizes[0][-3:], sizes[1][-3:]))
    API["debugging.Assert"](equal, sizes, summarize=10)


@export("image.psnr")
def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Any:
    """Returns the peak signal-to-noise ratio of images, in decibels.

    Args:
        a: A tensor whose last dimensions are height, width and channels.
        b: A tensor of a compatible shape.
        max_val: The largest possible value, such as 255 for uint8.

    Returns:
        A number for each pair of images, float32.

    Raises:
        ValueError: The shapes do not agree.
    """
    a, b = as_image(a, "a"), as_image(b, "b")
    peak = convert_image_dtype(API["cast"](max_val, a.dtype), float32)
    a, b = convert_image_dtype(a, float32), convert_image_dtype(b, float32)
    error = API["reduce_mean"](API["math.squared_difference"](a, b), [-3, -2, -1])
    log = API["math.log"]
    ratio = API["subtract"](20 * log(peak) / log(10.0), np.float32(10 / np.log(10)) * log(error))
    _check_shapes(a, b)
    return ratio


# ------------------------------------------------------------------ SSIM


def _gaussian(size: Any, sigma: Any) -> Any:
    """Returns a normalized Gaussian filter of shape (size, size, 1, 1)."""
    position = API["cast"](API["range"](size), sigma.dtype)
    position = position - API["cast"](size - 1, sigma.dtype) / 2.0
    exponent = API["square"](position) * (-0.5 / API["square"](sigma))
    reshape = API["reshape"]
    plane = reshape(exponent, [1, -1]) + reshape(exponent, [-1, 1])
    return reshape(API["nn.softmax"](reshape(plane, [1, -1])), API["stack"]([size, size, 1, 1]))


def _filtered(x: Any, kernel: Any) -> Any:
    """Convolves each channel of images with a filter."""
    sizes, reshape, concat = API["shape"](x), API["reshape"], API["concat"]
    flat = reshape(x, concat([[-1], sizes[-3:]], 0))
    y = API["nn.depthwise_conv2d"](flat, kernel, [1, 1, 1, 1], "VALID")
    return reshape(y, concat([sizes[:-3], API["shape"](y)[1:]], 0))


def _similarities(x: Any, y: Any, kernel: Any, max_val: Any, k1: Any, k2: Any) -> tuple[Any, Any]:
    """Returns the similarities of luminance, and of contrast and structure, at each pixel.

    Source: Wang et al., "Image quality assessment: from error visibility to structural similarity"
    (2004).
    """
    square = API["square"]
    c1, c2 = (k1 * max_val) ** 2, (k2 * max_val) ** 2
    mean_x, mean_y = _filtered(x, kernel), _filtered(y, kernel)
    product, squares = mean_x * mean_y * 2.0, square(mean_x) + square(mean_y)
    luminance = (product + c1) / (squares + c1)
    of_product = _filtered(x * y, kernel) * 2.0
    of_squares = _filtered(square(x) + square(y), kernel)
    return luminance, (of_product - product + c2) / (of_squares - squares + c2)


def _ssim_by_channel(
    x: Any,
    y: Any,
    max_val: Any,
    window: tuple[Any, Any],
    constants: tuple[Any, Any],
    return_index_map: bool = False,
) -> tuple[Any, Any]:
    """Returns SSIM, and its part of contrast and structure, for each channel."""
    size = constant(window[0], dtype=int32)
    sigma = constant(window[1], dtype=x.dtype)
    shapes = [API["shape"](v) for v in (x, y)]
    for sizes in shapes:
        large = API["reduce_all"](API["greater_equal"](sizes[-3:-1], size))
        API["debugging.Assert"](large, [sizes, size], summarize=8)
    kernel = API["tile"](_gaussian(size, sigma), API["stack"]([1, 1, shapes[0][-1], 1]))
    luminance, structure = _similarities(x, y, kernel, max_val, *constants)
    if return_index_map:
        return luminance * structure, structure
    mean = API["reduce_mean"]
    return mean(luminance * structure, [-3, -2]), mean(structure, [-3, -2])


def _as_floats(img1: Any, img2: Any, max_val: Any) -> tuple[Any, Any, Any]:
    """Returns images and their largest value as float32."""
    img1 = convert_to_tensor(img1, name="img1")
    img2 = convert_to_tensor(img2, name="img2")
    _check_shapes(img1, img2)
    peak = convert_image_dtype(API["cast"](max_val, img1.dtype), float32)
    return convert_image_dtype(img1, float32), convert_image_dtype(img2, float32), peak


@export("image.ssim")
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
    """Returns the structural similarity (SSIM) of images.

    Source: Wang et al., "Image quality assessment: from error visibility to structural similarity"
    (2004).

    Args:
        img1: A tensor whose last dimensions are height, width and channels.
        img2: A tensor of a compatible shape.
        max_val: The largest possible value, such as 255 for uint8.
        filter_size: The size of the Gaussian window in pixels.
        filter_sigma: Its standard deviation in pixels.
        k1: The constant of the luminance.
        k2: The constant of the contrast.
        return_index_map: If True, the similarity at each pixel is returned.

    Returns:
        A number for each pair of images, or for each pixel, float32.

    Raises:
        ValueError: The shapes do not agree.
        InvalidArgumentError: The images are smaller than the window.
    """
    x, y, peak = _as_floats(img1, img2, max_val)
    window = (filter_size, filter_sigma)
    value, _ = _ssim_by_channel(x, y, peak, window, (k1, k2), return_index_map)
    return API["reduce_mean"](value, [-1])


@export("image.ssim_multiscale")
@documented_like(ssim)
def ssim_multiscale(
    img1: Any,
    img2: Any,
    max_val: Any,
    power_factors: Any = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
    filter_size: Any = 11,
    filter_sigma: Any = 1.5,
    k1: Any = 0.01,
    k2: Any = 0.03,
) -> Any:
    """Returns the structural similarity of images at several scales (MS-SSIM).

    Source: Wang et al., "Multiscale structural similarity for image quality assessment" (2003).

    Args:
        power_factors: The exponent of each scale; each has half the height and width of the last.

    Returns:
        A number for each pair of images, float32.

    Raises:
        ValueError: The shapes do not agree.
        InvalidArgumentError: The images are smaller than the window at some scale.
    """
    x, y, peak = _as_floats(img1, img2, max_val)
    reshape, concat = API["reshape"], API["concat"]
    heads = [API["shape"](v)[:-3] for v in (x, y)]
    structures, value = [], None
    for k in range(len(power_factors)):
        if k > 0:
            x, y = (_halved(v) for v in (x, y))
        window = (filter_size, filter_sigma)
        value, structure = _ssim_by_channel(x, y, peak, window, (k1, k2))
        structures.append(API["nn.relu"](structure))
    parts = API["stack"]([*structures[:-1], API["nn.relu"](value)], axis=-1)
    by_channel = API["reduce_prod"](API["pow"](parts, list(power_factors)), [-1])
    mean = API["reduce_mean"](by_channel, [-1])
    return reshape(mean, concat([_broadcast(*heads)], 0))


def _broadcast(a: Any, b: Any) -> Any:
    return API["broadcast_dynamic_shape"](a, b)


def _halved(x: Any) -> Any:
    """Returns images of half the height and width: means of 2 x 2 pixels, with mirrored borders."""
    sizes, concat, reshape = API["shape"](x), API["concat"], API["reshape"]
    flat = reshape(x, concat([[-1], sizes[-3:]], 0))
    odd = API["shape"](flat)[1:3] % 2
    edges = API["stack"]([0, 0, 0, odd[0], 0, odd[1], 0, 0])
    flat = API["pad"](flat, reshape(edges, [4, 2]), mode="SYMMETRIC")
    small = API["nn.avg_pool"](flat, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
    return reshape(small, concat([sizes[:-3], API["shape"](small)[1:]], 0))
