"""Operations on images whose channels come first, made of those whose channels come last.

The kernels of the CPU take channels that come last only; a function that is compiled has operations of both
formats. In the graph of such a function transpositions stand around an operation, so that derivatives, too,
are those of the operation whose channels come last.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.registry import Op

_LAST = {"NCHW": "NHWC", "NCDHW": "NDHWC"}
# What each input is, and the result: an image, the sizes of one, or neither.
_ROLES = {
    "Conv2D": ("image", "", "image"),
    "Conv2DBackpropInput": ("sizes", "", "image", "image"),
    "Conv2DBackpropFilter": ("image", "", "image", ""),
    "Conv3D": ("image", "", "image"),
    "Conv3DBackpropInputV2": ("sizes", "", "image", "image"),
    "Conv3DBackpropFilterV2": ("image", "", "image", ""),
    "DepthwiseConv2dNative": ("image", "", "image"),
    "DepthwiseConv2dNativeBackpropInput": ("sizes", "", "image", "image"),
    "DepthwiseConv2dNativeBackpropFilter": ("image", "", "image", ""),
    "AvgPool": ("image", "image"),
    "AvgPool3D": ("image", "image"),
    "AvgPoolGrad": ("sizes", "image", "image"),
    "AvgPool3DGrad": ("sizes", "image", "image"),
    "MaxPool": ("image", "image"),
    "MaxPool3D": ("image", "image"),
    "MaxPoolGrad": ("image", "image", "image", "image"),
    "MaxPool3DGrad": ("image", "image", "image", "image"),
}
_LISTS = ("strides", "dilations", "ksize")


def is_channels_first(op: Op, attrs: dict[str, Any]) -> bool:
    """Whether an operation is one on images whose channels come first."""
    return op.type in _ROLES and attrs.get("data_format") in _LAST


def with_channels_last(
    op: Op, arguments: tuple[Any, ...], attrs: dict[str, Any], add: Callable[..., Any]
) -> Any:
    """Adds an operation whose channels come last for one whose channels come first.

    Args:
        op: The operation.
        arguments: Its inputs.
        attrs: Its attributes.
        add: Adds the operation to the graph, of inputs and attributes.

    Returns:
        Its result, channels first.
    """
    rank = len(attrs["data_format"])
    order = [0, *range(2, rank), 1]
    *roles, result = _ROLES[op.type]
    found = add(
        tuple(_moved(x, role, order) for x, role in zip(arguments, roles, strict=True)),
        _reordered(attrs, order),
    )
    return API["transpose"](found, np.argsort(order)) if result else found


def _moved(x: Any, role: str, order: list[int]) -> Any:
    if role == "image":
        return API["transpose"](x, order)
    if role == "sizes" and x.shape._dims in (
        None,
        (None,),
        (len(order),),
    ):  # else the height and width alone
        return API["gather"](x, convert_to_tensor(order))
    return x


def _reordered(attrs: dict[str, Any], order: list[int]) -> dict[str, Any]:
    """Attributes of the format whose channels come last."""
    found = {**attrs, "data_format": _LAST[attrs["data_format"]]}
    for name in _LISTS:
        values = attrs.get(name)
        if values is not None and len(values) == len(order):
            found[name] = [values[i] for i in order]
    pads = attrs.get("explicit_paddings")
    if pads is not None and len(pads) == 2 * len(order):
        found["explicit_paddings"] = [n for i in order for n in pads[2 * i : 2 * i + 2]]
    return found
