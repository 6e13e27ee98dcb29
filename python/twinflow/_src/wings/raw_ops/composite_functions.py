"""``tf.raw_ops`` functions of op types without a kernel here, composed of public functions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor
from twinflow._src.conversion.constant import constant, convert_to_tensor
from twinflow._src.core.dtypes import float64, int32
from twinflow._src.core.errors import InvalidArgumentError, invalid
from twinflow._src.core.shapes import static_size
from twinflow._src.dispatch.execute import execute
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.registry import OPS
from twinflow._src.wings.raw_ops.recurrent_functions import RECURRENT

Runner = Callable[[dict[str, Any], "str | None"], Any]


def _by(public: str, positional: str, **keywords: str) -> Runner:
    """Returns a runner that calls a public function.

    ``positional`` lists the inputs and attributes that are passed by position, ``keywords`` those
    by name.
    """

    def run(values: dict[str, Any], name: str | None) -> Any:
        args = {keyword: values[source] for keyword, source in keywords.items()}
        return API[public](
            *(_refuse_none(values[source]) for source in positional.split()), **args, name=name
        )

    return run


def _refuse_none(value: Any) -> Any:
    return convert_to_tensor(None) if value is None else value


def _sparse(tensor: Any) -> list[Any]:
    return [tensor.indices, tensor.values, tensor.dense_shape]


# ------------------------------------------------------------------ math


def _bincount(values: dict[str, Any], name: str | None) -> Any:
    """Implements Bincount: counts of an array of any shape, with optional (empty) weights."""
    weights = convert_to_tensor(values["weights"])
    arr, size = convert_to_tensor(values["arr"], int32), convert_to_tensor(values["size"], int32)
    if weights.shape.rank == 1 and static_size(weights.shape, 0) == 0:
        weights = API["zeros"]([0], weights.dtype)
    flat = API["reshape"](arr, [-1])
    lowest = API["reduce_min"](API["concat"]([flat, [0]], 0))
    if hasattr(lowest, "numpy") and int(lowest.numpy()) < 0:
        raise invalid("Input arr must be non-negative!")
    result = functools.partial(_function("DenseBincount"), input=flat, size=size)
    return result(weights=API["reshape"](weights, [-1]), name=name)


def _product(values: dict[str, Any], name: str | None) -> Any:
    """Implements BatchMatMulV3: as BatchMatMulV2 for one dtype, else by an op with mixed dtypes."""
    x, y = convert_to_tensor(values["x"]), convert_to_tensor(values["y"])
    flipped = {n: values[n] for n in ("adj_x", "adj_y")}
    if x.dtype is y.dtype is values["Tout"]:
        return _function("BatchMatMulV2")(x=x, y=y, **flipped, name=name)
    return execute(OPS["BatchMatMulV3"], [x, y], {**flipped, "Tout": values["Tout"]})


def _function(type: str) -> Callable[..., Any]:
    from twinflow._src.wings.raw_ops.functions import function

    return function(type)


def _bucketize(values: dict[str, Any], name: str | None) -> Any:
    bounds = list(values["boundaries"])
    if bounds != sorted(bounds):
        raise invalid("Expected sorted boundaries")
    x = API["cast"](values["input"], float64)
    flat = API["reshape"](x, [-1])
    result = API["searchsorted"](
        constant(np.array(bounds, np.float32).astype(np.float64)), flat, side="right"
    )
    return API["reshape"](result, API["shape"](x), name=name)


def _select(values: dict[str, Any], name: str | None) -> Any:
    """Implements Select: x and y have one shape, a vector condition selects rows."""
    x, y = convert_to_tensor(values["t"]), convert_to_tensor(values["e"])
    condition = convert_to_tensor(values["condition"])
    if x.shape.rank is not None and condition.shape.rank == 1 and x.shape.rank > 1:
        condition = API["reshape"](condition, [-1, *[1] * (x.shape.rank - 1)])
    if not x.shape.is_compatible_with(y.shape):
        shapes = ", ".join(str(t.shape.as_list()) for t in (x, y))
        raise invalid(
            f"'then' and 'else' must have the same size. but received: {shapes.replace('], [', '] vs. [').replace(', ', ',')}"
        )
    return API["where"](condition, x, y, name=name)


# ------------------------------------------------------------------ strings


def _split(values: dict[str, Any], name: str | None) -> Any:
    from twinflow._src.compat_v1.v1_functions import split

    strings = convert_to_tensor(values["input"])
    if strings.shape.rank not in (1, None):
        raise invalid(f"input must be a vector, got shape: {strings.shape.as_list()}")
    return _sparse(split(strings, values["sep"], values["maxsplit"]))


def _split_at_any(values: dict[str, Any], name: str | None) -> Any:
    from twinflow._src.compat_v1.v1_functions import string_split

    return _sparse(string_split(values["input"], values["delimiter"], values["skip_empty"]))


_DECODING = ("input_encoding", "errors", "replacement_char", "replace_control_characters")


def _decoded_with_starts(values: dict[str, Any], name: str | None) -> Any:
    strings = API["reshape"](values["input"], [-1])
    points, starts = API["strings.unicode_decode_with_offsets"](
        strings, *(values[n] for n in _DECODING)
    )
    return [
        API["cast"](points.row_splits, values["Tsplits"]),
        points.flat_values,
        starts.flat_values,
    ]


def _encode(values: dict[str, Any], name: str | None) -> Any:
    rows = RaggedTensor.from_row_splits(values["input_values"], values["input_splits"])
    names = ("output_encoding", "errors", "replacement_char")
    return API["strings.unicode_encode"](rows, *(values[n] for n in names))


def _ngrams(values: dict[str, Any], name: str | None) -> Any:
    splits = convert_to_tensor(values["data_splits"])
    rows = RaggedTensor.from_row_splits(values["data"], splits)
    pads = values["left_pad"], values["right_pad"]
    width = values["pad_width"]
    result = API["strings.ngrams"](
        rows,
        tuple(values["ngram_widths"]),
        separator=values["separator"],
        pad_values=pads if width else None,
        padding_width=width if width > 0 else None,
        preserve_short_sequences=values["preserve_short_sequences"],
    )
    return [result.values, API["cast"](result.row_splits, splits.dtype)]


def _format(values: dict[str, Any], name: str | None) -> Any:
    args = [convert_to_tensor(x) for x in values["inputs"]]
    return API["strings.format"](
        values["template"], args, values["placeholder"], values["summarize"]
    )


# ------------------------------------------------------------------ ragged tensors


def _to_sparse(values: dict[str, Any], name: str | None) -> Any:
    rows = RaggedTensor.from_nested_row_splits(
        values["rt_dense_values"], values["rt_nested_splits"]
    )
    return _sparse(rows.to_sparse())


def _gather(values: dict[str, Any], name: str | None) -> Any:
    rows = RaggedTensor.from_nested_row_splits(
        values["params_dense_values"], values["params_nested_splits"]
    )
    kind = convert_to_tensor(values["params_nested_splits"][0]).dtype
    result = API["gather"](rows, values["indices"])
    if len(result.nested_row_splits) != values["OUTPUT_RAGGED_RANK"]:
        raise InvalidArgumentError(
            None, None, "OUTPUT_RAGGED_RANK must be PARAMS_RAGGED_RANK + rank(indices) - 1"
        )
    return [*(API["cast"](splits, kind) for splits in result.nested_row_splits), result.flat_values]


# Runners by op type: called with the arguments by the op definition's names, and the op's name.
OTHERS: dict[str, Runner] = {
    **RECURRENT,
    "BatchMatMulV3": _product,
    "Bincount": _bincount,
    "Bucketize": _bucketize,
    "Fingerprint": _by("fingerprint", "data method"),
    "Inv": _by("math.reciprocal", "x"),
    "LinSpace": _by("linspace", "start stop num"),
    "RaggedGather": _gather,
    "RaggedTensorToSparse": _to_sparse,
    "Rank": _by("rank", "input"),
    "Select": _select,
    "Size": _by("size", "input", out_type="out_type"),
    "StringFormat": _format,
    "StringNGrams": _ngrams,
    "StringSplit": _split_at_any,
    "StringSplitV2": _split,
    "UnicodeDecode": lambda values, name: _decoded_with_starts(values, name)[:2],
    "UnicodeDecodeWithOffsets": _decoded_with_starts,
    "UnicodeEncode": _encode,
    "UnicodeTranscode": _by(
        "strings.unicode_transcode",
        "input input_encoding output_encoding",
        errors="errors",
        replacement_char="replacement_char",
        replace_control_characters="replace_control_characters",
    ),
}
