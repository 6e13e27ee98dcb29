"""Resizing of images by name of a method, with or without antialiasing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import float32, int32
from twinflow._src.dispatch.op import API, export
from twinflow._src.graph.static_values import array_of, known_elements
from twinflow._src.ops.image.resize import (
    resize_area,
    resize_bicubic,
    resize_bilinear,
    resize_nearest_neighbor,
)
from twinflow._src.ops.image.scale_and_translate import scale_and_translate
from twinflow._src.wings.image.arguments import Batch, as_image, require, set_shape, sizes_of
from twinflow._src.wings.image.crops import pad_to_bounding_box


class ResizeMethod:
    """The names of the methods of ``tf.image.resize``."""

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


class ResizeMethodV1:
    """The numbers of the methods of ``tf.compat.v1.image.resize``."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


_SCALED = ("lanczos3", "lanczos5", "gaussian", "mitchellcubic")
# Kernels of the methods that are not sampled by one without antialiasing.
_KERNELS = {"bilinear": "triangle", "bicubic": "keyscubic"}
_PLAIN: dict[str, Callable[..., Any]] = {
    "bilinear": resize_bilinear,
    "bicubic": resize_bicubic,
    "nearest": resize_nearest_neighbor,
}
_NAMES_V1 = {0: "bilinear", 1: "nearest", 2: "bicubic", 3: "area"}


def _unknown(method: Any) -> ValueError:
    return ValueError(f"Resize method is not implemented: {method}")


def _resizer(method: Any, antialias: bool) -> Callable[[Any, Any], Any]:
    """Returns the function of images and a size for a method."""
    if method == "area":
        return resize_area
    if method in _SCALED or (antialias and method in _KERNELS):
        kernel = _KERNELS.get(method, method)
        return lambda images, size: _sampled(images, size, kernel, antialias)
    if method not in _PLAIN:
        raise _unknown(method)
    return lambda images, size: _PLAIN[method](images, size, half_pixel_centers=True)


def _sampled(images: Any, size: Any, kernel: str, antialias: bool) -> Any:
    old = API["cast"](API["shape"](images)[1:3], float32)
    scale = API["cast"](size, float32) / old
    return scale_and_translate(
        images, size, scale, API["zeros"]([2]), kernel_type=kernel, antialias=antialias
    )


def _resizer_v1(method: Any, align_corners: bool) -> Callable[[Any, Any], Any]:
    name = method if isinstance(method, str) else _NAMES_V1.get(method, "")
    if name == "area":
        return lambda images, size: resize_area(images, size, align_corners=align_corners)
    if name not in _PLAIN:
        raise _unknown(method)
    return lambda images, size: _PLAIN[name](images, size, align_corners=align_corners)


def _resized(
    images: Any, size: Any, resizer: Any, preserve_aspect_ratio: bool, skips_equal: bool
) -> Any:
    images = as_image(images, "images")
    if images.shape.rank is None:
        raise ValueError("'images' contains no shape.")
    if images.shape.rank not in (3, 4):
        raise ValueError("'images' must have either 3 or 4 dimensions.")
    batch = Batch(images, "images")
    images = batch.images
    try:
        size = convert_to_tensor(size, dtype=int32, name="size")
    except (TypeError, ValueError):
        raise ValueError("'size' must be a 1-D int32 Tensor") from None
    if not size.shape.is_compatible_with([2]):
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    if preserve_aspect_ratio:
        size = _fitting(images, size)
    height, width = known_elements(size) or (None, None)
    _, old_height, old_width, _ = images.shape.as_list()
    if skips_equal and None not in (width, height) and (old_height, old_width) == (height, width):
        return batch.unpack(images)
    result = resizer()(images, size)
    return batch.unpack(set_shape(result, [None, height, width, None]))


def _fitting(images: Any, size: Any) -> Any:
    """Returns the largest size within a size that has the proportions of images."""
    sizes = sizes_of(images)[1:3]
    cast, whole = API["cast"], API["round"]
    current = [cast(n, float32) for n in sizes]
    factors = [cast(size[i], float32) / current[i] for i in range(2)]
    factor = API["minimum"](*factors)
    scaled = [cast(whole(factor * n), int32) for n in current]
    return API["stack"](scaled)


@export("image.resize")
def resize_images_v2(
    images: Any,
    size: Any,
    method: Any = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Any:
    """Resizes images; the centres of pixels are at half coordinates.

    Args:
        images: A tensor of shape (height, width, channels), or a batch of them.
        size: The new height and width.
        method: ``"bilinear"``, ``"nearest"``, ``"bicubic"``, ``"area"``, ``"lanczos3"``,
            ``"lanczos5"``, ``"gaussian"`` or ``"mitchellcubic"``.
        preserve_aspect_ratio: If True, the images keep their proportions, within the size.
        antialias: If True, the kernel is widened where images shrink; it has no effect on
            ``"nearest"`` and ``"area"``.
        name: A name for the operation.

    Returns:
        The images, float32; of the same dtype for the method ``"nearest"``.

    Raises:
        ValueError: The rank, the size or the method is not valid.
    """
    with API["name_scope"](name or "resize"):
        return _resized(
            images, size, lambda: _resizer(method, antialias), preserve_aspect_ratio, False
        )


@export("compat.v1.image.resize", "compat.v1.image.resize_images")
def resize_images(
    images: Any,
    size: Any,
    method: Any = ResizeMethodV1.BILINEAR,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Any:
    """Resizes images; the corners of pixels are at whole coordinates.

    Args:
        images: A tensor of shape (height, width, channels), or a batch of them.
        size: The new height and width.
        method: A number of ``tf.compat.v1.image.ResizeMethod``, or its name in lower case.
        align_corners: If True, the centres of the corner pixels coincide.
        preserve_aspect_ratio: If True, the images keep their proportions, within the size.
        name: A name for the operation.

    Returns:
        The images, float32; of the same dtype for the method nearest neighbour, and where the size
        is the same.

    Raises:
        ValueError: The rank, the size or the method is not valid.
    """
    with API["name_scope"](name or "resize"):
        return _resized(
            images, size, lambda: _resizer_v1(method, align_corners), preserve_aspect_ratio, True
        )


def _resize_with_pad(image: Any, target_height: Any, target_width: Any, resizer: Any) -> Any:
    batch = Batch(as_image(image))
    images = batch.images
    require(target_width > 0, "target_width must be > 0.")
    require(target_height > 0, "target_height must be > 0.")
    cast, floor = API["cast"], API["floor"]
    _, height, width, _ = (cast(n, float32) for n in sizes_of(images))
    targets = [cast(n, float32) for n in (target_height, target_width)]
    ratio = API["maximum"](width / targets[1], height / targets[0])
    inner = [n / ratio for n in (height, width)]
    offsets = [
        API["maximum"](0, cast(floor((target - n) / 2), int32)) for target, n in zip(targets, inner)
    ]
    size = API["stack"]([cast(floor(n), int32) for n in inner])
    resized = resizer(images, size)
    above, left = (n if array_of(n) is None else int(array_of(n)) for n in offsets)
    return batch.unpack(pad_to_bounding_box(resized, above, left, target_height, target_width))


@export("image.resize_with_pad")
def resize_image_with_pad_v2(
    image: Any,
    target_height: Any,
    target_width: Any,
    method: Any = ResizeMethod.BILINEAR,
    antialias: bool = False,
) -> Any:
    """Resizes images without a change of their proportions, and pads them evenly with zeros.

    Args:
        image: A tensor of shape (height, width, channels), or a batch of them.
        target_height: The height of the result.
        target_width: The width of the result.
        method: A method of ``tf.image.resize``.
        antialias: If True, the kernel is widened where images shrink.

    Returns:
        The images, float32; of the same dtype for the method ``"nearest"``.

    Raises:
        ValueError: The rank, a size or the method is not valid.
    """
    resizer = lambda images, size: resize_images_v2(images, size, method, antialias=antialias)
    return _resize_with_pad(image, target_height, target_width, resizer)


@export("compat.v1.image.resize_image_with_pad")
def resize_image_with_pad_v1(
    image: Any,
    target_height: Any,
    target_width: Any,
    method: Any = ResizeMethodV1.BILINEAR,
    align_corners: bool = False,
) -> Any:
    """Resizes images without a change of their proportions, and pads them evenly with zeros.

    Args:
        image: A tensor of shape (height, width, channels), or a batch of them.
        target_height: The height of the result.
        target_width: The width of the result.
        method: A number of ``tf.compat.v1.image.ResizeMethod``, or its name in lower case.
        align_corners: If True, the centres of the corner pixels coincide.

    Returns:
        The images, float32; of the same dtype for the method nearest neighbour.

    Raises:
        ValueError: The rank, a size or the method is not valid.
    """
    resizer = lambda images, size: resize_images(images, size, method, align_corners=align_corners)
    return _resize_with_pad(image, target_height, target_width, resizer)


# ------------------------------------------------------------------ one method each


def _named(function: Any) -> Callable[..., Any]:
    return lambda images, size, align_corners, half_pixel_centers: function(
        images, size, align_corners=align_corners, half_pixel_centers=half_pixel_centers
    )


@export("compat.v1.image.resize_bilinear")
def resize_bilinear_v1(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Any:
    """Resizes images by bilinear interpolation.

    Args:
        images: A batch of images.
        size: The new height and width.
        align_corners: If True, the centres of the corner pixels coincide.
        name: A name for the operation.
        half_pixel_centers: If True, the centres of pixels are at half coordinates.

    Returns:
        The images, float32.
    """
    return _named(resize_bilinear)(images, size, align_corners, half_pixel_centers)


@export("compat.v1.image.resize_bicubic")
def resize_bicubic_v1(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Any:
    """Resizes images by bicubic interpolation.

    Args:
        images: A batch of images.
        size: The new height and width.
        align_corners: If True, the centres of the corner pixels coincide.
        name: A name for the operation.
        half_pixel_centers: If True, the centres of pixels are at half coordinates.

    Returns:
        The images, float32.
    """
    return _named(resize_bicubic)(images, size, align_corners, half_pixel_centers)


@export("compat.v1.image.resize_nearest_neighbor")
def resize_nearest_neighbor_v1(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Any:
    """Resizes images by the nearest pixel.

    Args:
        images: A batch of images.
        size: The new height and width.
        align_corners: If True, the centres of the corner pixels coincide.
        name: A name for the operation.
        half_pixel_centers: If True, the centres of pixels are at half coordinates.

    Returns:
        Images of the same dtype.
    """
    return _named(resize_nearest_neighbor)(images, size, align_corners, half_pixel_centers)


@export("compat.v1.image.resize_area")
def resize_area_v1(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None
) -> Any:
    """Resizes images by means over the areas of pixels.

    Args:
        images: A batch of images.
        size: The new height and width.
        align_corners: If True, the centres of the corner pixels coincide.
        name: A name for the operation.

    Returns:
        The images, float32.
    """
    return resize_area(images, size, align_corners=align_corners)
