"""Channels-first data formats: kernels of channels-last images, between transposes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

_LAST = {"NCHW": "NHWC", "NCDHW": "NDHWC"}
_LISTS = ("strides", "dilations", "ksize")


def with_channels_first(kernel: Callable[..., Any], layout: tuple[str, ...]) -> Callable[..., Any]:
    """Returns a kernel that takes channels-first images, too.

    ``layout`` has the role of each input and of the result: ``image``, ``sizes`` (the shape of an
    image, or its spatial part alone) or nothing.
    """
    *roles, result = layout

    @functools.wraps(kernel)
    def call(xp: Any, *inputs: Any, **attrs: Any) -> Any:
        if attrs.get("data_format") not in _LAST:
            return kernel(xp, *inputs, **attrs)
        rank = len(attrs["data_format"])
        order = [0, *range(2, rank), 1]
        moved = (
            _transpose_input(xp, x, role, order) for x, role in zip(inputs, roles, strict=True)
        )
        output = kernel(xp, *moved, **_reorder_attrs(attrs, order))
        if not result or output.ndim != rank:
            return output
        return xp.ascontiguousarray(xp.transpose(output, (0, rank - 1, *range(1, rank - 1))))

    return call


def _transpose_input(xp: Any, x: Any, role: str, order: Sequence[int]) -> Any:
    if role == "image" and x.ndim == len(order):
        return xp.ascontiguousarray(xp.transpose(x, order))
    return x[list(order)] if role == "sizes" and x.shape == (len(order),) else x


def _reorder_attrs(attrs: dict[str, Any], order: Sequence[int]) -> dict[str, Any]:
    """Returns the attributes for the channels-last data format."""
    changed = {**attrs, "data_format": _LAST[attrs["data_format"]]}
    for name in _LISTS:
        values = attrs.get(name)
        if values is not None and len(values) == len(order):
            changed[name] = [values[i] for i in order]
    pads = attrs.get("explicit_paddings")
    if pads is not None and len(pads) == 2 * len(order):
        changed["explicit_paddings"] = [n for i in order for n in pads[2 * i : 2 * i + 2]]
    return changed
