"""Regions of images: patches, crops by boxes, glimpses."""

from __future__ import annotations

from typing import Any

from twinflow._src.dispatch.op import OPS, documented_like, export


@export("image.extract_patches", "compat.v1.image.extract_patches")
def extract_image_patches_v2(
    images: Any, sizes: Any, strides: Any, rates: Any, padding: str, name: str | None = None
) -> Any:
    """Extracts the patches of images under a sliding window.

    Args:
        images: A batch of images.
        sizes: The window size, ``[1, rows, columns, 1]``.
        strides: The distance of windows, ``[1, rows, columns, 1]``.
        rates: The distance of values within a window, ``[1, rows, columns, 1]``.
        padding: ``"SAME"`` or ``"VALID"``.

    Returns:
        A tensor of shape (batch, rows, columns, window * channels) of the same dtype.

    Raises:
        InvalidArgumentError: The rank is not 4, or the padding is unknown.
        UnimplementedError: The window extends over the batch or the channels.
        OutOfRangeError: A size is not positive.
    """
    patches = OPS["ExtractImagePatches"].public
    return patches(images, ksizes=sizes, strides=strides, rates=rates, padding=padding)


@export("compat.v1.image.extract_image_patches", "compat.v1.extract_image_patches")
@documented_like(extract_image_patches_v2)
def extract_image_patches(
    images: Any,
    ksizes: Any = None,
    strides: Any = None,
    rates: Any = None,
    padding: Any = None,
    name: str | None = None,
    sizes: Any = None,
) -> Any:
    """Extracts the patches of images under a sliding window.

    Args:
        ksizes: The window size, ``[1, rows, columns, 1]``.
        sizes: Another name of ``ksizes``.

    Raises:
        ValueError: Both ``ksizes`` and ``sizes`` are given.
    """
    if ksizes is not None and sizes is not None:
        raise ValueError("Cannot specify both 'sizes' and 'ksizes'.")
    ksizes = sizes if ksizes is None else ksizes
    patches = OPS["ExtractImagePatches"].public
    return patches(images, ksizes=ksizes, strides=strides, rates=rates, padding=padding)


@export("extract_volume_patches", "compat.v1.extract_volume_patches")
def extract_volume_patches(
    input: Any, ksizes: Any, strides: Any, padding: str, name: str | None = None
) -> Any:
    """Extracts the patches of volumes under a sliding window.

    Args:
        input: A tensor of shape (batch, planes, rows, columns, channels).
        ksizes: The window size in each dimension; 1 for the first and the last.
        strides: The distance of windows in each dimension; 1 for the first and the last.
        padding: ``"SAME"`` or ``"VALID"``.

    Returns:
        A tensor of shape (batch, planes, rows, columns, window * channels) of the same dtype.

    Raises:
        InvalidArgumentError: The rank is not 5.
    """
    patches = OPS["ExtractVolumePatches"].public
    return patches(input, ksizes=ksizes, strides=strides, padding=padding)


@export("image.crop_and_resize")
def crop_and_resize_v2(
    image: Any,
    boxes: Any,
    box_indices: Any,
    crop_size: Any,
    method: str = "bilinear",
    extrapolation_value: Any = 0.0,
    name: str | None = None,
) -> Any:
    """Crops images by boxes and resizes the crops to one size.

    Args:
        image: A batch of images.
        boxes: A matrix of (y1, x1, y2, x2), where 0 is the first and 1 the last row or column. Where
            y1 > y2, the crop is flipped.
        box_indices: The image of each box.
        crop_size: The height and width of the crops.
        method: ``"bilinear"`` or ``"nearest"``.
        extrapolation_value: The value outside of images.

    Returns:
        A tensor of shape (boxes, height, width, channels), float32.

    Raises:
        InvalidArgumentError: The shapes do not agree, or a box is not finite.
        OutOfRangeError: An index is outside of the batch.
    """
    crop = OPS["CropAndResize"].public
    inputs = (image, boxes, box_indices, crop_size)
    return crop(*inputs, method=method, extrapolation_value=extrapolation_value)


@export("compat.v1.image.crop_and_resize")
@documented_like(crop_and_resize_v2)
def crop_and_resize_v1(
    image: Any,
    boxes: Any,
    box_ind: Any = None,
    crop_size: Any = None,
    method: str = "bilinear",
    extrapolation_value: Any = 0,
    name: str | None = None,
    box_indices: Any = None,
) -> Any:
    """Crops images by boxes and resizes the crops to one size.

    Args:
        boxes: A matrix of (y1, x1, y2, x2), where 0 is the first and 1 the last row or column.
        box_ind: The image of each box.
        box_indices: Another name of ``box_ind``.

    Raises:
        ValueError: Both ``box_ind`` and ``box_indices`` are given.
    """
    if box_ind is not None and box_indices is not None:
        raise ValueError("Cannot specify both 'box_indices' and 'box_ind'.")
    indices = box_indices if box_ind is None else box_ind
    return crop_and_resize_v2(image, boxes, indices, crop_size, method, extrapolation_value)


@export("image.extract_glimpse")
def extract_glimpse_v2(
    input: Any,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    name: str | None = None,
) -> Any:
    """Extracts a window of each image at an offset, with noise beyond the image.

    Args:
        input: A batch of images, float32.
        size: The height and width of the glimpses.
        offsets: A row (y, x) for each image.
        centered: If True, offsets are relative to the centre of the image, else to its first corner.
        normalized: If True, offsets are parts of the height and width, else pixels.
        noise: ``"uniform"``, ``"gaussian"`` or ``"zero"``: the values outside of the image.

    Returns:
        A tensor of shape (batch, height, width, channels).

    Raises:
        InvalidArgumentError: The shapes do not agree, or the noise is unknown.
    """
    return OPS["ExtractGlimpseV2"].public(
        input,
        size,
        offsets,
        centered=centered,
        normalized=normalized,
        noise=noise,
        uniform_noise=False,
    )


@export("compat.v1.image.extract_glimpse")
@documented_like(extract_glimpse_v2)
def extract_glimpse(
    input: Any,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    name: str | None = None,
) -> Any:
    """Extracts a window of each image at an offset of its centre, with noise beyond the image.

    Args:
        centered: If True, offsets are relative to the centre of the image.
        normalized: If True, offsets are parts of the height and width.
        uniform_noise: If True, the noise is uniform.

    Raises:
        InvalidArgumentError: The shapes do not agree.
    """
    return OPS["ExtractGlimpse"].public(
        input,
        size,
        offsets,
        centered=centered,
        normalized=normalized,
        uniform_noise=uniform_noise,
    )
