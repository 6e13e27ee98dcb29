"""Padding with constants and by mirroring (``tf.pad``)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from twinflow._src.conversion.constant import is_tensor
from twinflow._src.core.dtypes import NUMBERS, int32, int64
from twinflow._src.core.errors import UnimplementedError, invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import API, Call, Kind, export, op
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.ops.array.constant_values import constant_value
from twinflow._src.ops.array.shapes import sizes_of
from twinflow._src.shape_rules.array import with_paddings, without_paddings

_SIZES = frozenset((int32, int64))
Paddings = Annotated[Any, Kind("Tpaddings", default=int32, allowed=_SIZES, host=True)]


def _margins(
    x: Any, paddings: Any, what: str = "Paddings", mark: str = " ", between: str = " "
) -> list[list[int]]:
    """Returns the validated paddings as a list of ``[before, after]`` per axis."""
    if paddings.ndim != 2 or paddings.shape[1] != 2:
        raise invalid(f"paddings must be a matrix with 2 columns: {text(paddings.shape)}")
    if len(paddings) != x.ndim:
        raise invalid(
            "The first dimension of paddings must be the rank of inputs"
            f"{text(paddings.shape)}{between}{text(x.shape)}"
        )
    margins: list[list[int]] = paddings.tolist()
    for before, after in margins:
        if before < 0 or after < 0:
            raise invalid(f"{what} must be non-negative: {before}{mark}{after}")
    return margins


def padded(xp: Any, x: Any, paddings: Any, value: Any) -> Any:
    margins = _margins(x, paddings)
    sizes = [n + sum(margin) for n, margin in zip(x.shape, margins, strict=True)]
    result = xp.full(sizes, value, dtype=x.dtype)
    inner = [slice(low, low + n) for (low, _), n in zip(margins, x.shape, strict=True)]
    result[tuple(inner)] = x
    return result


@op("Pad", shape=with_paddings)
def pad_with_zeros(xp: Any, input: Any, paddings: Paddings) -> Any:
    """Pads a tensor with zeros (empty strings or False for string and bool dtypes)."""
    return padded(xp, input, paddings, b"" if input.dtype.kind == "O" else 0)


pad_with_zeros.native("move")


def _unpadded(call: Call, dy: Any) -> Any:
    """Returns the slice of the upstream gradient inside the padding."""
    x, paddings = call.inputs[:2]
    return API["slice"](dy, paddings[:, 0], API["cast"](sizes_of(x), paddings.dtype))


@pad_with_zeros.specialize(devices=("GPU",))
def _(xp: Any, dtype: Any, /, paddings: Any) -> Callable[..., Any] | None:
    if paddings.ndim != 2 or paddings.shape[1] != 2 or paddings.min(initial=0) < 0:
        return None
    margins, frame = paddings.tolist(), xp.framed
    low, more = [before for before, _ in margins], list(map(sum, margins))

    def pad(x: Any) -> Any:
        if x.ndim != len(more):
            raise ValueError(x.ndim)
        return frame(x, low, tuple(map(operator.add, x.shape, more)))

    return pad


pad_with_zeros.gradient(lambda call, dy: (_unpadded(call, dy), None), reads=("paddings",))


@op("PadV2", shape=with_paddings)
def pad_with(xp: Any, input: Any, paddings: Paddings, constant_values: Any) -> Any:
    """Pads a tensor with a constant value."""
    if constant_values.ndim:
        raise invalid(f"constant_values must be a scalar. Found: {text(constant_values.shape)}")
    return padded(xp, input, paddings, constant_values[()])


pad_with.gradient(lambda call, dy: (_unpadded(call, dy), None, None))


@op("MirrorPad", shape=with_paddings)
def pad_with_mirror(xp: Any, input: Any, paddings: Paddings, *, mode: str) -> Any:
    """Pads a tensor with its mirrored elements."""
    if input.ndim > 5:
        raise UnimplementedError(None, None, f"inputs rank not in [0,5]: {input.ndim}")
    margins = _margins(input, paddings, "paddings", between=", ")
    for (before, after), size in zip(margins, input.shape, strict=True):
        _check_images(before, after, size, mode)
    sizes = [size + sum(margin) for margin, size in zip(margins, input.shape, strict=True)]
    result, offset = xp.empty(sizes, input.dtype), _OFFSETS[mode]
    result[
        tuple(slice(before, before + size) for (before, _), size in zip(margins, input.shape))
    ] = input
    for axis, ((before, after), size) in enumerate(
        zip(margins, input.shape)
    ):  # the padding of earlier axes is mirrored as well
        lines, end = xp.moveaxis(result, axis, 0), before + size
        lines[:before] = lines[before + offset : 2 * before + offset][::-1]
        lines[end:] = lines[end - offset - after : end - offset][::-1]
    return result


@op("MirrorPadGrad", shape=without_paddings, dtypes=NUMBERS)
def _fold(xp: Any, input: Any, paddings: Paddings, *, mode: str) -> Any:
    """Gradient of mirror padding: adds the mirrored paddings to the inner part of a tensor."""
    margins = _margins(input, paddings, "Paddings", ", ")
    for (before, after), size in zip(margins, input.shape, strict=True):
        if before + after >= size:
            raise invalid(
                "Total paddings must be less than the input dimension size: "
                f"{before + after} was not less than {size}"
            )
        _check_images(before, after, size - before - after, mode, "output ")
    for axis, (before, after) in enumerate(margins):
        rows = xp.moveaxis(input, axis, 0)
        whole = rows[before : len(rows) - after].copy()
        low, high = rows[:before][::-1], rows[len(rows) - after :][::-1]
        offset = _OFFSETS[mode]
        whole[offset : offset + before] += low
        whole[len(whole) - offset - after : len(whole) - offset] += high
        input = xp.moveaxis(whole, 0, axis)
    return xp.asarray(input, order="C").copy() if not margins else xp.asarray(input, order="C")


@pad_with_mirror.gradient
def _(call: Call, dy: Any) -> Any:
    return _fold(dy, call.inputs[1], mode=call.attrs["mode"]), None


@_fold.gradient
def _(call: Call, dy: Any) -> Any:
    return pad_with_mirror(dy, call.inputs[1], mode=call.attrs["mode"]), None


# Offset of the first mirrored element from the edge.
_OFFSETS = {"SYMMETRIC": 0, "REFLECT": 1}


def _check_images(before: int, after: int, size: int, mode: str, what: str = "") -> None:
    """Raises InvalidArgumentError if a padding is larger than mirroring allows."""
    if max(before, after) > size - _OFFSETS[mode]:
        limit, excess = ("less than", "not less than")
        if mode == "SYMMETRIC":
            limit, excess = "no greater than", "greater than"
        raise invalid(
            f"paddings must be {limit} the {what}dimension size: {before}, {after} {excess} {size}"
        )


def _padded_behind_batch(call: Any) -> Any:
    rest = map(call.shared, range(2, len(call.inputs)))
    return call.run(call.full(0), call.with_first(1, [0, 0]), *rest)


for function in (pad_with_zeros, pad_with, pad_with_mirror, _fold):
    function.batched(_padded_behind_batch)


@export("pad")
def pad(
    tensor: Any,
    paddings: Any,
    mode: str = "CONSTANT",
    constant_values: Any = 0,
    name: str | None = None,
) -> Any:
    """Pads a tensor with a constant or with mirrored elements.

    Args:
        tensor: A tensor.
        paddings: One row per dimension: the number of elements before and after.
        mode: ``"CONSTANT"``, ``"REFLECT"`` (mirrors without the edge elements) or
            ``"SYMMETRIC"`` (mirrors with them).
        constant_values: The value for ``"CONSTANT"``.

    Returns:
        A tensor of the same dtype.

    Raises:
        ValueError: The mode is unknown.
        InvalidArgumentError: There is not one row per dimension, or a value is out of range.
    """
    kind = mode.upper()
    if kind == "CONSTANT":
        if not is_tensor(constant_values) and np.isscalar(constant_values) and not constant_values:
            return _sized(pad_with_zeros(tensor, paddings))
        return _sized(pad_with(tensor, paddings, constant_values))
    if kind not in ("REFLECT", "SYMMETRIC"):
        raise ValueError(
            'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or '
            f'"SYMMETRIC". Received `mode` = {kind}'
        )
    return _sized(pad_with_mirror(tensor, paddings, mode=kind))


def _sized(result: Any) -> Any:
    """Returns a result with the static sizes of the axes whose paddings are known, as in a stack of some that are not."""
    if isinstance(result, SymbolicTensor) and None in (result._dims or ()):
        tensor, paddings = result.op.tensors[:2]
        rows, dims = constant_value(paddings, partial=True), tensor._dims
        if rows is not None and dims is not None:
            sizes = [
                None if size is None or row is None or None in row else size + sum(row)
                for size, row in zip(dims, np.asarray(rows, object).tolist(), strict=False)
            ]
            result.set_shape(sizes)
    return result
