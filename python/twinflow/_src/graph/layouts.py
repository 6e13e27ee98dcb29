"""Channels-first image operations, lowered to channels-last ones with transposes.

CPU kernels support the channels-last layout only, but a compiled function may contain both. In the
graph of such a function the transposes are separate operations, so that gradients are those of the
channels-last operation, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.registry import Op

_LAST = {"NCHW": "NHWC", "NCDHW": "NDHWC"}
_LISTS = ("strides", "dilations", "ksize")


def is_channels_first(op: Op, attrs: dict[str, Any]) -> bool:
    """True if an operation uses a channels-first data format."""
    return bool(op.layout) and attrs.get("data_format") in _LAST


def with_channels_last(
    op: Op, arguments: tuple[Any, ...], attrs: dict[str, Any], add: Callable[..., Any]
) -> Any:
    """Adds a channels-last operation for a channels-first one.

    ``add`` adds the operation to the graph, from its inputs and attributes. An image result is
    transposed back to channels-first.
    """
    rank = len(attrs["data_format"])
    order = [0, *range(2, rank), 1]
    *roles, result = op.layout
    output = add(
        tuple(
            _permute_to_channels_last(x, role, order)
            for x, role in zip(arguments, roles, strict=True)
        ),
        _reordered(attrs, order),
    )
    return API["transpose"](output, np.argsort(order)) if result else output


def _permute_to_channels_last(x: Any, role: str, order: list[int]) -> Any:
    if role == "image":
        return API["transpose"](x, order)
    if role == "sizes" and x.shape._dims in (
        None,
        (None,),
        (len(order),),
    ):  # else height and width only
        return API["gather"](x, convert_to_tensor(order))
    return x


def _reordered(attrs: dict[str, Any], order: list[int]) -> dict[str, Any]:
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
