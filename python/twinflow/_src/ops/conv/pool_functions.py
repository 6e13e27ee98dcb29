"""Public pooling functions: ``tf.nn.max_pool*``, ``tf.nn.avg_pool*`` and ``tf.nn.pool``."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.conversion.constant import dense
from twinflow._src.core.dtypes import int64
from twinflow._src.dispatch.op import documented, export, named
from twinflow._src.ops.array.shapes import expand_dims, squeeze
from twinflow._src.ops.conv.dilated import steps, with_space_to_batch
from twinflow._src.ops.conv.geometry import TEXTS, sequence, split_padding
from twinflow._src.ops.conv.max_pool import max_pool_with_argmax_of
from twinflow._src.ops.conv.pooling import avg_pool3d_of, avg_pool_of, max_pool3d_of, max_pool_of

# Pooling over 1, 2 and 3 spatial dimensions, and over any of these.


class _Rank(NamedTuple):
    """The texts in which functions differ by their number of spatial dimensions."""

    name: str
    of: str
    shape: str
    layout: str


_RANKS = {
    0: _Rank("N-D", "1 to 3 spatial dimensions", "(batch, spatial dimensions, channels)", "N...C"),
    1: _Rank("1-D", "sequences", "(batch, width, channels)", "NWC"),
    2: _Rank("2-D", "images", "(batch, height, width, channels)", "NHWC"),
    3: _Rank("3-D", "volumes", "(batch, depth, height, width, channels)", "NDHWC"),
}
_OPS = {
    ("max", 1): max_pool_of,
    ("max", 2): max_pool_of,
    ("max", 3): max_pool3d_of,
    ("avg", 1): avg_pool_of,
    ("avg", 2): avg_pool_of,
    ("avg", 3): avg_pool3d_of,
}
_DOC = """Performs {rank.name} {kind} pooling over {rank.of}{note}.

    Args:
        input: A tensor of shape {rank.shape}.
        ksize: The window size{sizes}.
        strides: The stride of the windows{steps}.
        padding: {padding}.
        data_format: ``"{rank.layout}"``.
        name: A name for the operation.

    Returns:
        A tensor of the same dtype.

    Raises:
{error}        InvalidArgumentError: The arguments are incompatible with the shape.
    """
_ERRORS = {
    0: "        ValueError: The number of spatial dimensions is not 1 to 3.\n",
    2: "        ValueError: ``ksize`` or ``strides`` is malformed.\n",
}


def _described(kind: str, count: int) -> str:
    """Returns the documentation of a pooling function."""
    images = count == 2
    takes_pairs = kind == "max" and count < 3
    modes = '``"SAME"``, ``"VALID"``, or a list of pairs (before, after), one per dimension'
    return _DOC.format(
        rank=_RANKS[count],
        kind={"max": "max", "avg": "average"}[kind],
        note="; padding is not counted" if kind == "avg" else "",
        sizes=": one integer, or one per spatial dimension or per dimension" if images else "",
        steps=", in the same form as ksize" if images else "",
        padding=modes if takes_pairs else '``"SAME"`` or ``"VALID"``',
        error=_ERRORS.get(count, ""),
    )


def _define(kind: str, count: int) -> Callable[..., Any]:
    """Defines the public function of a kind of pooling for a number of spatial dimensions."""

    def function(
        input: Any,
        ksize: Any,
        strides: Any,
        padding: Any,
        data_format: Any = _RANKS[count].layout if count else None,
        name: str | None = None,
    ) -> Any:
        return _pooled(kind, count or _count(input), input, ksize, strides, padding, data_format)

    path = f"{kind}_pool{count}d" if count else f"{kind}_pool"
    function.__annotations__["data_format"] = "str" if count else "str | None"
    if count == 3:
        function.__annotations__["padding"] = "str"
    return export(f"nn.{path}")(named(function, path, _described(kind, count)))


def _count(input: Any) -> int:
    """Returns the number of spatial dimensions of a tensor."""
    count = len(input.shape) - 2
    if not 1 <= count <= 3:
        raise ValueError(
            "`input.shape.rank` must be 3, 4 or 5. "
            f"Received: input.shape={input.shape} of rank {count + 2}."
        )
    return count


def _pooled(
    kind: str, count: int, input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any
) -> Any:
    """Pools over a number of spatial dimensions; sequences are images of height 1."""
    layout, explicit = data_format or _RANKS[count].layout, None
    if kind == "max" and count == 1:
        padding, explicit = split_padding(padding, 3)
        explicit = [0, 0, *explicit] if padding == "EXPLICIT" else explicit
    at = 1 if layout == "NWC" else 2
    x = expand_dims(input, at) if count == 1 else input
    channel = 1 if layout.startswith("NC") else count + 1
    sizes = sequence(ksize, count, channel, "ksize")
    moves = sequence(strides, count, channel, "strides")
    if kind == "max" and count == 2:
        padding, explicit = split_padding(padding)
    if count == 1:
        sizes, moves, layout = [1, *sizes], [1, *moves], "NHWC" if at == 1 else "NCHW"
    options = {} if explicit is None else {"explicit_paddings": explicit}
    result = _OPS[kind, count](
        x, ksize=sizes, strides=moves, padding=padding, data_format=layout, **options
    )
    return squeeze(result, axis=[at]) if count == 1 else result


for _kind, _number in itertools.product(("max", "avg"), _RANKS):
    _define(_kind, _number)


class MaxPoolWithArgmax(NamedTuple):
    """The result of ``tf.nn.max_pool_with_argmax``."""

    output: Any
    argmax: Any


@export("nn.max_pool_with_argmax")
@documented(
    TEXTS,
    "Performs max pooling over images and returns the maxima and their indices.",
    "A named tuple of ``output`` and ``argmax``, flat indices in row-major order.",
    {
        "ValueError": "Another data format is requested.",
        "InvalidArgumentError": "The arguments are incompatible with the shape.",
    },
    ksize="The window size.",
    strides="The stride of the windows.",
    output_dtype="int32 or int64, the dtype of the indices.",
    include_batch_in_index="True if the indices include the batch dimension.",
)
def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    output_dtype: Any = int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> Any:
    if data_format != "NHWC":
        raise ValueError(
            "`data_format` values other  than 'NHWC' are not supported. "
            f"Received: data_format={data_format}"
        )
    result = max_pool_with_argmax_of(
        input,
        ksize=sequence(ksize, 2, 3, "ksize"),
        strides=sequence(strides, 2, 3, "strides"),
        padding=padding,
        Targmax=output_dtype,
        include_batch_in_index=include_batch_in_index,
    )
    return MaxPoolWithArgmax(*result)


@export("nn.pool")
@documented(
    TEXTS,
    "Performs N-D max or average pooling.",
    "A tensor of the same dtype.",
    {
        "ValueError": "The pooling type is unknown, or the windows are unsupported.",
        "InvalidArgumentError": "The arguments are incompatible with the shape.",
    },
    input="A tensor of shape (batch, spatial dimensions, channels).",
    window_shape="The window size in each spatial dimension.",
    pooling_type='``"MAX"`` or ``"AVG"``.',
    strides="The stride of the windows in each spatial dimension; 1 if None.",
    data_format='``"N...C"``.',
    dilations="The dilation rate of the window in each spatial dimension; 1 if None.",
)
def pool(
    input: Any,
    window_shape: Any,
    pooling_type: str,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    x, count = dense(input), len(window_shape)
    if not 1 <= count <= 3:
        raise ValueError(
            "`len(window_shape)` must be 1, 2, or 3. "
            f"Received: window_shape={window_shape} of length {count}"
        )
    x.shape.assert_has_rank(count + 2)
    moves, rates = steps(count, strides, dilations)
    _check_windows(window_shape, moves, padding, rates)
    kind = {"MAX": "max", "AVG": "avg"}.get(pooling_type)
    if kind is None:
        raise ValueError(f"{count}-D {pooling_type} pooling is not supported.")

    def pooled(part: Any, count: int, padding: Any) -> Any:
        sizes, steps = list(window_shape), moves.tolist()
        return _pooled(kind, count, part, sizes, steps, padding, data_format)

    return with_space_to_batch(
        x, rates, padding, pooled, filter_shape=window_shape, data_format=data_format
    )


def _check_windows(window_shape: Any, strides: Any, padding: Any, rates: Any) -> None:
    if padding == "SAME" and (rates > 1).any():
        raise ValueError(
            "pooling with 'SAME' padding is not implemented for `dilation_rate` > 1. "
            f"Received: padding={padding} and dilation_rate={rates}"
        )
    if (strides > np.asarray(window_shape)).any():
        raise ValueError(
            "`strides` > `window_shape` not supported due to inconsistency between CPU and GPU "
            f"implementations. Received: strides={strides} and window_shape={window_shape}"
        )
