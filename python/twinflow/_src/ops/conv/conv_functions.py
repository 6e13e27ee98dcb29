"""Public convolution functions: ``tf.nn.conv1d`` to ``conv3d``, N-D and transposed convolution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor, dense
from twinflow._src.core.dtypes import int32
from twinflow._src.core.shapes import static_size
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.op import API, documented, export, named
from twinflow._src.ops.array.concat import concat
from twinflow._src.ops.array.shapes import expand_dims, reshape, sizes_of, squeeze
from twinflow._src.ops.conv.convolution import (
    conv2d_backprop_input,
    conv2d_of,
    conv3d_backprop_input,
    conv3d_of,
)
from twinflow._src.ops.conv.dilated import steps, with_space_to_batch
from twinflow._src.ops.conv.geometry import TEXTS, sequence, split_padding

# Convolutions in 1, 2 and 3 dimensions.


def first_spatial(data_format: Any) -> int:
    """Returns the channel axis: 1 for ``NC...`` formats, else -1."""
    return 1 if data_format is not None and data_format.startswith("NC") else -1


def _over_batches(x: Any, inner: int, apply: Callable[[Any], Any]) -> Any:
    """Applies a function for one batch dimension to a tensor with several, by flattening them."""
    # After them it has ``inner`` dimensions.
    if x.shape.rank is None or x.shape.rank <= inner + 1:
        return apply(x)
    batch, sizes = sizes_of(x, slice(-inner)), sizes_of(x, slice(-inner, None))
    result = apply(reshape(x, _concat_sizes([-1], sizes)))
    return reshape(result, _concat_sizes(batch, sizes_of(result, slice(-inner, None))))


def _concat_sizes(first: Any, second: Any) -> Any:
    """Concatenates sizes: a list if both are static, else a vector."""
    if isinstance(first, list) and isinstance(second, list):
        return first + second
    return API["concat"]([first, second], 0)


@export("nn.conv2d")
@documented(
    TEXTS,
    "Computes the 2-D convolution of images with filters.",
    "A tensor of the same dtype.",
    {
        "ValueError": "Strides, dilations or padding are malformed.",
        "InvalidArgumentError": "The shapes are incompatible.",
    },
    input="A tensor of shape (batch, height, width, channels); several batch dimensions are allowed.",
    strides="The stride of the filter: one integer, or one per spatial dimension or per dimension.",
    padding='``"SAME"``, ``"VALID"``, or a list of pairs (before, after), one per dimension.',
    dilations="The dilation rate of the filter, in the same form as strides.",
)
def conv2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    padding, explicit = split_padding(padding)
    return _conv2d(input, filters, strides, padding, data_format, dilations, explicit)


def _conv2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str | None,
    dilations: Any,
    explicit: Any = (),
) -> Any:
    data_format = data_format or "NHWC"
    channel = first_spatial(data_format)
    moves = sequence(strides, 2, channel, "strides")
    rates = sequence(dilations, 2, channel, "dilations")
    return _over_batches(
        dense(input),
        3,
        lambda x: conv2d_of(
            x,
            filters,
            strides=moves,
            padding=padding,
            explicit_paddings=explicit,
            data_format=data_format,
            dilations=rates,
        ),
    )


# ------------------------------------------------------------------ 1-D, 3-D and N-D


def flat_format(data_format: str | None) -> tuple[str, int]:
    """Returns the 2-D data format for a 1-D one, and the index of its height axis."""
    if data_format in (None, "NWC", "NHWC"):
        return "NHWC", 1
    if data_format in ("NCW", "NCHW"):
        return "NCHW", 2
    raise ValueError(f"`data_format` must be 'NWC' or 'NCW'. Received: data_format={data_format}")


@export("nn.conv1d")
@documented(
    TEXTS,
    "Computes the 1-D convolution of sequences with filters.",
    "A tensor of the same dtype.",
    {
        "ValueError": "Stride, dilations or format are malformed.",
        "InvalidArgumentError": "The shapes are incompatible.",
    },
    input="A tensor of shape (batch, width, channels); several batch dimensions are allowed.",
    filters="A tensor of the same dtype, of shape (width, channels, outputs).",
    stride="The stride of the filter.",
    data_format='``"NWC"``.',
)
def conv1d(
    input: Any,
    filters: Any,
    stride: Any,
    padding: Any,
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    layout, at = flat_format(data_format)
    channel = 1 if layout == "NCHW" else 2
    moves = [1, *sequence(stride, 1, channel, "stride")]
    rates = [1, *sequence(dilations, 1, channel, "dilations")]
    images, kernel = expand_dims(input, at - 4), expand_dims(filters, 0)
    result = _conv2d(images, kernel, moves, padding, layout, rates)
    return squeeze(result, axis=[at - 4])


@export("nn.conv3d")
@documented(
    TEXTS,
    "Computes the 3-D convolution of volumes with filters.",
    "A tensor of the same dtype.",
    {
        "TypeError": "Strides or dilations are not lists.",
        "InvalidArgumentError": "The shapes are incompatible.",
    },
    input="A tensor of shape (batch, depth, height, width, channels); several batch dimensions are allowed.",
    filters="A tensor of the same dtype, of shape (depth, height, width, channels, outputs).",
    strides="The stride of the filter in each dimension.",
    data_format='``"NDHWC"``.',
    dilations="The dilation rate of the filter in each dimension.",
)
def conv3d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    rates = [1] * 5 if dilations is None else dilations
    return _over_batches(
        dense(input),
        4,
        lambda x: conv3d_of(
            x,
            filters,
            strides=strides,
            padding=padding,
            data_format=data_format or "NDHWC",
            dilations=rates,
        ),
    )


@export("nn.convolution")
@documented(
    TEXTS,
    "Computes the N-D convolution with 1 to 3 spatial dimensions.",
    "A tensor of the same dtype.",
    {
        "ValueError": "The number of spatial dimensions is not 1 to 3, or strides or dilations are malformed.",
        "InvalidArgumentError": "The shapes are incompatible.",
    },
    input="A tensor of shape (batch, spatial dimensions, channels).",
    filters="A tensor of the same dtype, of shape (spatial dimensions, channels, outputs).",
    strides="The stride of the filter.",
    padding='``"SAME"`` or ``"VALID"``; with dilations also a list of pairs (before, after).',
    data_format='``"N...C"``.',
)
def convolution(
    input: Any,
    filters: Any,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    x, filters = convert_to_tensor(input), convert_to_tensor(filters)
    count = int(filters.shape.rank or x.shape.rank or 0) - 2
    if count not in (1, 2, 3):
        raise ValueError(
            f"`num_spatial_dims` must be 1, 2, or 3. Received: num_spatial_dims={count}."
        )
    channel = first_spatial(data_format)
    moves = sequence(strides, count, channel, "strides")
    rates = sequence(dilations, count, channel, "dilations")
    if all(rate == 1 for rate in rates):
        return _plain(x, filters, moves, padding, data_format)
    inner = slice(2, None) if channel == 1 else slice(1, -1)
    _check_dilated(x, filters, count, channel)
    return _over_batches(
        x,
        count + 1,
        lambda images: _dilated(images, filters, moves[inner], padding, data_format, rates[inner]),
    )


def _check_dilated(x: Any, filters: Any, count: int, channel: int) -> None:
    """Raises ValueError for a rank that is too low or an indivisible number of input channels."""
    if x.shape.rank is None:
        return
    if x.shape.rank < count + 2:
        raise ValueError(
            "`input.shape.rank` must be >= than `num_spatial_dims + 2`. Received: "
            f"input.shape={x.shape} of rank {x.shape.rank} and num_spatial_dims={count}"
        )
    depth = static_size(x.shape, -count - 1 if channel == 1 else -1)
    taken = static_size(filters.shape, -2)
    if depth is not None and taken is not None and (not taken or depth % taken):
        raise ValueError(
            "The number of input channels is not divisible by the corresponding number of output filters. "
            f"Received: input.shape={x.shape} with {depth} channels and filters.shape={filters.shape} "
            f"with {taken} output filters."
        )


def _plain(x: Any, filters: Any, strides: list[int], padding: Any, data_format: Any) -> Any:
    count = len(strides) - 2
    layout = data_format or {1: "NWC", 2: "NHWC", 3: "NDHWC"}[count]
    functions: dict[int, Any] = {1: conv1d, 2: _conv2d, 3: conv3d}
    return functions[count](x, filters, strides, padding, layout, None)


def _dilated(
    x: Any, filters: Any, strides: Any, padding: Any, data_format: Any, dilations: Any
) -> Any:
    """Computes a dilated convolution as a plain convolution after space_to_batch."""
    moves, rates = steps(len(strides), strides, dilations)
    channel = first_spatial(data_format)

    def convolved(part: Any, count: int, padding: Any) -> Any:
        inner = moves.tolist()
        whole = [1, 1, *inner] if channel == 1 else [1, *inner, 1]
        return _plain(part, filters, whole, padding, data_format)

    sizes = filters.shape.as_list()
    return with_space_to_batch(x, rates, padding, convolved, sizes, data_format=data_format)


@export("nn.atrous_conv2d")
@documented(
    TEXTS,
    "Computes the 2-D atrous (dilated) convolution of images with filters.",
    "A tensor of the same dtype.",
    {
        "ValueError": "The rate is not positive.",
        "InvalidArgumentError": "The shapes are incompatible.",
    },
)
def atrous_conv2d(
    value: Any, filters: Any, rate: int, padding: str, name: str | None = None
) -> Any:
    x, filters = convert_to_tensor(value), convert_to_tensor(filters)
    return _dilated(x, filters, [1, 1], padding, None, [rate, rate])


# Transposed convolutions.


_DOC = """Computes the transposed {name} convolution{note}.

    Args:
        input: A tensor of shape (batch, {space}channels).
        filters: A tensor of the same dtype, of shape ({space}outputs, channels).
        output_shape: The shape of the result.
        strides: The stride{s} of the convolution.
        padding: The padding of the convolution.
        data_format: ``"{layout}"``.
        dilations: The dilation{s} of the convolution.
        name: A name for the operation.

    Returns:
        A tensor of the same dtype.

    Raises:
{error}        InvalidArgumentError: The shapes are incompatible.
    """
# The texts in which functions differ, by the number of spatial dimensions (0 for any).
_TRANSPOSED: dict[int, dict[str, str]] = {
    0: {
        "name": "N-D",
        "note": " with 1 to 3 spatial dimensions",
        "space": "spatial dimensions, ",
        "layout": "N...C",
        "error": "        ValueError: The number of spatial dimensions is not 1 to 3.\n",
    },
    1: {"name": "1-D", "space": "width, ", "layout": "NWC", "s": ""},
    2: {
        "name": "2-D",
        "note": ": the gradient of conv2d with respect to its input",
        "space": "height, width, ",
        "layout": "NHWC",
    },
    3: {"name": "3-D", "space": "depth, height, width, ", "layout": "NDHWC"},
}


def _define_transposed(count: int) -> Callable[..., Any]:
    """Defines the public function of a number of spatial dimensions."""
    texts = {"note": "", "s": "s", "error": ""} | _TRANSPOSED[count]

    def function(
        input: Any,
        filters: Any,
        output_shape: Any,
        strides: Any,
        padding: Any = "SAME",
        data_format: Any = texts["layout"] if count else None,
        dilations: Any = None,
        name: str | None = None,
    ) -> Any:
        rank = count or _length(output_shape) - 2
        layout = data_format or _TRANSPOSED[rank]["layout"]
        compute = (_transposed_1d, _transposed_2d, _transposed_3d)[rank - 1]
        return compute(input, filters, output_shape, strides, padding, layout, dilations)

    path = f"conv{count}d_transpose" if count else "conv_transpose"
    function.__annotations__["data_format"] = "str" if count else "str | None"
    if count in (1, 3):
        function.__annotations__["padding"] = "str"
    return export(f"nn.{path}")(named(function, path, _DOC.format_map(texts)))


def _length(output_shape: Any) -> int:
    """Returns the rank of the result of a transposed convolution: 3, 4 or 5."""
    length = (
        static_size(output_shape.shape, 0) if hasattr(output_shape, "shape") else len(output_shape)
    )
    if length not in (3, 4, 5):
        raise ValueError(
            "`output_shape` must be of length 3, 4 or 5. "
            f"Received: output_shape={output_shape} of length {length}."
        )
    return int(length)


def _transposed_1d(
    x: Any, filters: Any, output_shape: Any, strides: Any, padding: Any, layout: Any, dilations: Any
) -> Any:
    layout, at = flat_format(layout)
    channel = 1 if layout == "NCHW" else 2
    shape = convert_to_tensor(output_shape, dtype_hint=int32)
    one = convert_to_tensor([1], dtype=shape.dtype)
    result = conv2d_backprop_input(
        concat([shape[:at], one, shape[at:]], 0),
        expand_dims(filters, 0),
        expand_dims(x, at),
        strides=[1, *sequence(strides, 1, channel, "stride")],
        padding=padding,
        data_format=layout,
        dilations=[1, *sequence(dilations, 1, channel, "dilations")],
    )
    return squeeze(result, axis=[at])


def _transposed_2d(
    x: Any, filters: Any, output_shape: Any, strides: Any, padding: Any, layout: Any, dilations: Any
) -> Any:
    padding, explicit = split_padding(padding)
    channel = first_spatial(layout)
    return conv2d_backprop_input(
        output_shape,
        filters,
        x,
        strides=sequence(strides, 2, channel, "strides"),
        padding=padding,
        explicit_paddings=explicit,
        data_format=layout,
        dilations=sequence(dilations, 2, channel, "dilations"),
    )


def _transposed_3d(
    x: Any, filters: Any, output_shape: Any, strides: Any, padding: Any, layout: Any, dilations: Any
) -> Any:
    channel = first_spatial(layout)
    return conv3d_backprop_input(
        output_shape,
        filters,
        x,
        strides=sequence(strides, 3, channel, "strides"),
        padding=padding,
        data_format=layout,
        dilations=sequence(dilations, 3, channel, "dilations"),
    )


conv2d_transpose = [_define_transposed(count) for count in _TRANSPOSED][2]


# Transposed atrous convolution.


@export("nn.atrous_conv2d_transpose")
@documented(
    TEXTS,
    "Computes the transposed 2-D atrous (dilated) convolution.",
    "A tensor of the same dtype.",
    {
        "ValueError": "The rate is not positive, or the arguments are incompatible.",
        "InvalidArgumentError": "The shapes are incompatible.",
    },
    filters="A tensor of the same dtype, of shape (height, width, outputs, channels).",
    output_shape="The shape of the result.",
)
def atrous_conv2d_transpose(
    value: Any,
    filters: Any,
    output_shape: Any,
    rate: int,
    padding: str,
    name: str | None = None,
) -> Any:
    x, filters = convert_to_tensor(value), convert_to_tensor(filters)
    _assert_channels(x, filters)
    if rate < 1:
        raise ValueError(f"`rate` cannot be less than one. Received: rate={rate}")
    if rate == 1:
        return conv2d_transpose(x, filters, output_shape, [1, 1, 1, 1], padding)
    batch, height, width, channels = _transposed_sizes(output_shape, filters)
    margins = [_same_margins(static_size(filters.shape, i), rate, padding) for i in (0, 1)]
    extra = [
        (rate - (n + before + after) % rate) % rate
        for n, (before, after) in zip((height, width), margins, strict=True)
    ]
    sizes = [
        (n + before + after + more) // rate
        for n, (before, after), more in zip((height, width), margins, extra, strict=True)
    ]
    blocks = [rate, rate]
    parts = API["space_to_batch"](x, blocks, [[0, more] for more in extra])
    whole = conv2d_backprop_input(
        API["stack"]([rate * rate * batch, *sizes, channels]),
        filters,
        parts,
        strides=[1, 1, 1, 1],
        padding="VALID",
    )
    crops = [[a, b + more] for (a, b), more in zip(margins, extra, strict=True)]
    return API["batch_to_space"](whole, blocks, crops)


def _assert_channels(x: Any, filters: Any) -> None:
    one, other = static_size(x.shape, 3), static_size(filters.shape, 3)
    if None not in (one, other) and one != other:
        raise ValueError(
            "`value` channel count must be compatible with `filters` input channel count. "
            f"Received: value.shape={x.shape} with channel count {one} and "
            f"filters.shape={filters.shape} with input channel count {other}."
        )


def _transposed_sizes(output_shape: Any, filters: Any) -> list[Any]:
    """Returns the output shape: integers, or scalar tensors."""
    shape = convert_to_tensor(output_shape, dtype_hint=int32)
    if not shape.shape.is_compatible_with([4]):
        raise ValueError(
            f"`output_shape` must have shape (4,). Received: output_shape={shape.shape}"
        )
    if isinstance(output_shape, Tensor):
        return [shape[i] for i in range(4)]
    sizes = [int(n) for n in output_shape]
    if static_size(filters.shape, 2) not in (None, sizes[3]):
        raise ValueError(
            "`output_shape` channel count must be compatible with `filters` output channel count. "
            f"Received: output_shape={list(output_shape)} with channel count {sizes[3]} and "
            f"filters.shape={filters.shape} with output channel count {static_size(filters.shape, 2)}."
        )
    return sizes


def _same_margins(size: int, rate: int, padding: str) -> tuple[int, int]:
    """Returns the padding before and after a dimension for a filter size."""
    if padding == "VALID":
        return 0, 0
    if padding != "SAME":
        raise ValueError(f"`padding` must be either 'VALID' or 'SAME'. Received: padding={padding}")
    extra = (size - 1) * rate
    return extra // 2, extra - extra // 2
