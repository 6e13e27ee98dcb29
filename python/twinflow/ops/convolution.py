"""Convolutions: blocks of patches, multiplied as matrices."""

from __future__ import annotations

from typing import Annotated, Any

from ..dtypes import REALS, int32
from ..errors import UnimplementedError, invalid
from ..op import op
from ..shapes import text
from .windows import (
    Geometry,
    assert_allowed,
    convolve,
    geometry,
)

_Numbers = Annotated[Any, list]
_PADDINGS = ("SAME", "VALID", "EXPLICIT")
_TYPES = REALS | {int32}


def _wide(xp: Any, x: Any) -> Any:
    return x.astype(xp.float32) if x.dtype.itemsize == 2 else x


def _check_format(name: str, data_format: str, padding: str, allowed: tuple[str, ...]) -> None:
    assert_allowed(name, "padding", padding, _PADDINGS)
    assert_allowed(name, "data_format", data_format, allowed)
    if data_format.startswith("NC"):
        raise UnimplementedError(
            None,
            None,
            f"The {name} op currently only supports the {allowed[0]} tensor format on the CPU. "
            f"The op was given the format: {data_format}",
        )


def _check_steps(strides: Any, dilations: Any) -> None:
    if strides[0] != 1 or strides[-1] != 1:
        raise UnimplementedError(
            None,
            None,
            "Current implementation does not yet support strides in the batch and depth dimensions.",
        )
    if min(strides) < 1:
        raise invalid("Row and column strides should be larger than 0.")
    if dilations[0] != 1 or dilations[-1] != 1:
        raise UnimplementedError(
            None,
            None,
            "Current implementation does not yet support dilations in the batch and depth dimensions.",
        )
    if min(dilations) < 1:
        raise invalid("Dilated rates should be larger than 0.")


def _check_ranks(x: Any, filters: Any, rank: int) -> None:
    if x.ndim != rank:
        raise invalid(f"convolution input must be {rank}-dimensional: {text(x.shape)}")
    if filters.ndim != rank:
        raise invalid(f"convolution filter must be {rank}-dimensional: {text(filters.shape)}")


def _groups(x: Any, filters: Any) -> int:
    depth, part, outputs = x.shape[-1], filters.shape[-2], filters.shape[-1]
    if part == 0 or depth % part:
        raise invalid(f"input depth must be evenly divisible by filter depth: {depth} vs {part}")
    groups = depth // part
    if groups and outputs % groups:
        raise invalid(
            f"output depth must be evenly divisible by number of groups: {outputs} vs {groups}"
        )
    return groups


def _geometry(
    sizes: Any, kernel: Any, strides: Any, dilations: Any, padding: str, explicit: Any
) -> Geometry:
    inner = list(explicit)[2:-2] if explicit else ()
    return geometry(sizes, kernel, strides[1:-1], dilations[1:-1], padding, inner)


def _grouped(xp: Any, x: Any, filters: Any, g: Geometry, groups: int) -> Any:
    if groups <= 1:
        return convolve(xp, x, filters, g)
    part, outputs = filters.shape[-2], filters.shape[-1] // groups
    return xp.concatenate(
        [
            convolve(
                xp,
                xp.ascontiguousarray(x[..., i * part : (i + 1) * part]),
                xp.ascontiguousarray(filters[..., i * outputs : (i + 1) * outputs]),
                g,
            )
            for i in range(groups)
        ],
        axis=-1,
    )


@op("Conv2D", dtypes=_TYPES)
def conv2d_of(
    xp: Any,
    input: Any,
    filter: Any,
    *,
    strides: _Numbers,
    padding: str,
    explicit_paddings: _Numbers = (),
    data_format: str = "NHWC",
    dilations: _Numbers = (1, 1, 1, 1),
) -> Any:
    """Returns the two-dimensional convolution of images with filters.

    Args:
        input: A tensor of shape (batch, height, width, channels).
        filter: A tensor of the same type, of shape (height, width, channels, outputs).
        strides: The step of the filter in each dimension.
        padding: ``"SAME"``, ``"VALID"`` or ``"EXPLICIT"``.
        explicit_paddings: The numbers before and after each dimension, for explicit padding.
        data_format: ``"NHWC"``.
        dilations: The step between the filter's elements in each dimension.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The shapes do not fit.
        UnimplementedError: Another format, or steps over batch or channels, are asked for.
    """
    _check_format("Conv2D", data_format, padding, ("NHWC", "NCHW"))
    _check_steps(strides, dilations)
    _check_ranks(input, filter, 4)
    groups = _groups(input, filter)
    sizes = input.shape[1:-1]
    g = _geometry(sizes, filter.shape[:2], strides, dilations, padding, explicit_paddings)
    return _grouped(xp, _wide(xp, input), _wide(xp, filter), g, groups).astype(
        input.dtype, copy=False
    )


@op("Conv3D", dtypes=REALS)
def conv3d_of(
    xp: Any,
    input: Any,
    filter: Any,
    *,
    strides: _Numbers,
    padding: str,
    data_format: str = "NDHWC",
    dilations: _Numbers = (1, 1, 1, 1, 1),
) -> Any:
    """Returns the three-dimensional convolution of volumes with filters.

    Args:
        input: A tensor of shape (batch, depth, height, width, channels).
        filter: A tensor of the same type, of shape (depth, height, width, channels, outputs).
        strides: The step of the filter in each dimension.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NDHWC"``.
        dilations: The step between the filter's elements in each dimension.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The shapes do not fit.
        UnimplementedError: Another format, or steps over batch or channels, are asked for.
    """
    _check_format("Conv3D", data_format, padding, ("NDHWC", "NCDHW"))
    _check_steps(strides, dilations)
    _check_ranks(input, filter, 5)
    groups = _groups(input, filter)
    g = _geometry(input.shape[1:-1], filter.shape[:3], strides, dilations, padding, ())
    return _grouped(xp, _wide(xp, input), _wide(xp, filter), g, groups).astype(
        input.dtype, copy=False
    )


# ------------------------------------------------------------------ the other way round


# ------------------------------------------------------------------ public functions
