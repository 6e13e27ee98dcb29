"""What pooling demands of its attributes and shapes, in the words of the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twinflow._src.core.errors import invalid
from twinflow._src.ops.conv.checks import check_padding, spatial_pads, unimplemented
from twinflow._src.ops.conv.geometry import Geometry, geometry


def check_windows(
    kernel: str, data_format: str, ksize: Sequence[int], strides: Any, named: str = "stride"
) -> None:
    """Raises an error where windows are not ones that a kernel can have.

    Args:
        kernel: How TensorFlow names the kernel.
        data_format: The format; channels must be last.
        ksize: The size of the windows in each dimension.
        strides: The step of the windows in each dimension.
        named: How the message names the strides.
    """
    rank = 4 if data_format in ("NHWC", "NCHW", "NCHW_VECT_C") else 5
    if data_format.startswith("NC"):
        last = "NHWC" if rank == 4 else "NDHWC"
        raise invalid(f"Default {kernel} only supports {last} on device type CPU")
    for name, values in (("ksize", ksize), (named, strides)):
        if len(values) != rank:
            raise invalid(f"Sliding window {name} field must specify {rank} dimensions")


def check_batch(ksize: Sequence[int], strides: Sequence[int]) -> None:
    """Raises UnimplementedError where windows reach over the batch."""
    if ksize[0] != 1 or strides[0] != 1:
        raise unimplemented("Pooling is not yet supported on the batch dimension.")


def check_depth(
    ksize: Sequence[int], strides: Sequence[int], message: str, channel: int = -1
) -> None:
    """Raises UnimplementedError with a message where windows reach over the channels."""
    if ksize[channel] != 1 or strides[channel] != 1:
        raise unimplemented(message)


def check_images(x: Any, ksize: Sequence[int], strides: Sequence[int]) -> None:
    """Raises an error where windows do not fit images."""
    if x.ndim != 4:
        raise invalid(f"tensor_in_shape must have 2 spatial dimensions. {x.ndim} 0")
    if ksize[3] == 1:
        return
    if ksize[1] != 1 or ksize[2] != 1:
        raise unimplemented(
            "MaxPooling supports exactly one of pooling across depth or pooling across width/height."
        )
    if x.shape[3] % ksize[3]:
        raise unimplemented(
            "Depthwise max pooling requires the depth window to evenly divide the input depth"
        )
    if ksize[3] != strides[3]:
        raise unimplemented(
            "Depthwise max pooling requires the depth window to equal the depth stride"
        )


def geometry_of(
    shape: Sequence[int], ksize: Sequence[int], strides: Any, padding: str, explicit: Any = ()
) -> Geometry:
    """The geometry of windows over an array of a shape, whose channels are last."""
    formats = {4: "NHWC", 5: "NDHWC"}
    pads = spatial_pads(padding, explicit, formats[len(shape)])
    ones = [1] * (len(shape) - 2)
    return geometry(shape[1:-1], ksize[1:-1], strides[1:-1], ones, padding, pads)


_SIDES = ("Top", "Bottom", "Left", "Right")


def check_explicit(padding: str, explicit: Sequence[int], ksize: Sequence[int]) -> None:
    """Raises InvalidArgumentError where explicit padding is as large as a window."""
    check_padding(padding, explicit, "NHWC", strict=False)
    if padding != "EXPLICIT":
        return
    for side, pad, size in zip(_SIDES, explicit[2:6], (ksize[1], ksize[1], ksize[2], ksize[2])):
        if pad >= size:
            raise invalid(
                f"{side} padding {pad} needs to be smaller than the window size {size}"
            )


def check_positive(ksize: Sequence[int]) -> None:
    """Raises InvalidArgumentError where a window has no elements."""
    for size in ksize:
        if size < 1:
            raise invalid(f"ksize must be a positive int32 value, got:{size}")


def volume_windows(
    x: Any, ksize: Any, strides: Any, padding: str, data_format: str
) -> Geometry:
    """The geometry of pooling over volumes.

    Raises:
        InvalidArgumentError: The arguments do not fit the shape.
        UnimplementedError: Windows reach over the batch or the channels.
    """
    check_windows("Pooling3DOp", data_format, ksize, strides)
    if min(ksize) < 1:
        raise invalid("Sliding window ksize field must have non-negative dimensions")
    check_batch(ksize, strides)
    check_depth(ksize, strides, "Pooling is not yet supported on the depth dimension.")
    if x.ndim != 5:
        raise invalid("tensor_in must be 5-dimensional")
    return geometry_of(x.shape, ksize, strides, padding)
