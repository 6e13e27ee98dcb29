"""Specialization of kernels for known sizes, axes and attributes, often to one array-module call.

Each function takes the array module, the dtype of the arrays and these values, and returns a
function of the arrays, or None if they do not suffice. If the specialized function fails, the op's
own kernel runs again and raises the error.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from numpy.lib.array_utils import normalize_axis_tuple

from twinflow._src.backends.cpu.reductions import EXACT, LEAST, reduced
from twinflow._src.backends.host_checks import is_host

Function = Callable[..., Any]


def specialize_kernel(
    xp: Any, type: str, dtype: Any, kernel: Any, known: list[Any], attrs: dict[str, Any]
) -> Function | None:
    """Returns a function of an op's arrays specialized for its other inputs, or None.

    Args:
        xp: The array module.
        type: The type of the op.
        dtype: The dtype of the arrays.
        kernel: The op's kernel for that module, which may have an own specialization.
        known: Its inputs that are read on the host.
        attrs: Its attributes.
    """
    settle = (
        getattr(kernel, "settled", None)
        or _EVERYWHERE.get(type)
        or (_HERE if is_host(xp) else _ELSEWHERE).get(type)
    )
    return None if settle is None else settle(xp, dtype, *known, **attrs)


def _reshape(xp: Any, own: Any, /, shape: Any) -> Function | None:
    sizes = tuple(shape.reshape(-1).tolist())
    if (
        shape.ndim > 1
        or min(sizes, default=1) < -1
        or 0 in sizes
        or sizes.count(-1) > 1
        or math.prod(sizes) >= 2**63
    ):
        return None
    return lambda x: x.reshape(sizes)


def _expand_dims(xp: Any, own: Any, /, axis: Any) -> Function | None:
    if axis.size != 1:
        return None
    where, whole = int(axis.reshape(-1)[0]), slice(None)
    index = (*(whole,) * where, None) if where >= 0 else (..., None, *(whole,) * (-where - 1))
    return lambda x: x[index]


def _transpose(xp: Any, own: Any, /, perm: Any) -> Function | None:
    if perm is not None and (perm.ndim != 1 or not perm.size):
        return None
    order, laid = None if perm is None else tuple(perm.tolist()), xp.ascontiguousarray

    def transpose(x: Any) -> Any:
        return laid(x.transpose(order)) if x.ndim else x

    return transpose


def _concat(xp: Any, own: Any, /, axis: Any) -> Function | None:
    where, join = int(axis.reshape(-1)[0]) if axis.size == 1 else 0, xp.concatenate
    return None if axis.size != 1 else lambda values: join(values, where)


def _pack(xp: Any, own: Any, /, *, axis: int) -> Function | None:
    join = xp.concatenate

    def pack(values: Any) -> Any:
        shape = values[0].shape
        for value in values:
            if value.shape != shape:
                raise ValueError(shape)
        return join(values if shape else [x.reshape(1) for x in values]).reshape(
            len(values), *shape
        )

    return None if axis else pack


def _gather(xp: Any, own: Any, /, axis: Any, *, batch_dims: int) -> Function | None:
    if axis.ndim or axis < 0 or batch_dims:
        return None
    where, take = int(axis), xp.take_inside
    return lambda params, places: take(params, places, where)


def _select(xp: Any, own: Any, /) -> Function:
    where: Function = xp.where
    return where


def _bias_add(xp: Any, own: Any, /, *, data_format: str) -> Function | None:
    add = getattr(xp.add, "plain", xp.add)

    def added(x: Any, bias: Any) -> Any:
        if x.ndim < 2 or bias.ndim != 1 or bias.size != x.shape[-1]:
            raise ValueError(bias.shape)
        return add(x, bias)

    return added if data_format == "NHWC" else None


def _cast(xp: Any, own: Any, /, *, dtype: Any) -> Function | None:
    wanted = dtype.np
    return (lambda x: x.astype(wanted)) if own.char in _USUAL and wanted.char in _PLAIN else None


# Dtypes between which a cast is just the array module's conversion: from usual to plain ones.
_PLAIN, _USUAL = frozenset("efdilq"), frozenset("?bhilqBHILQefd")


def _broadcast_to(xp: Any, own: Any, /, shape: Any) -> Function | None:
    sizes, spread, laid = tuple(shape.reshape(-1).tolist()), xp.broadcast_to, xp.ascontiguousarray
    if shape.ndim != 1 or min(sizes, default=0) < 0 or math.prod(sizes) >= 2**63:
        return None
    return lambda x: laid(spread(x, sizes)) if sizes else x.reshape(())


def _reduction(name: str) -> Callable[..., Function | None]:
    def settle(xp: Any, own: Any, /, axis: Any, *, keepdims: bool) -> Function | None:
        if own.char not in _REDUCED:
            return None
        reduce, axes = (
            getattr(xp, name).reduce,
            None if axis is None else tuple(axis.reshape(-1).tolist()),
        )

        def reduction(x: Any) -> Any:
            if x.size < LEAST:  # as reduced() does
                return reduce(x, axes, own, None, keepdims)
            return reduced(xp, name, x, axes and normalize_axis_tuple(axes, x.ndim), keepdims)

        return reduction

    return settle


def _mean(xp: Any, own: Any, /, axis: Any, *, keepdims: bool) -> Function | None:
    total = _sum(xp, own, axis, keepdims=keepdims) if own.char in "fd" else None
    if total is None:
        return None

    def mean(x: Any) -> Any:
        found = total(x)
        count = x.size // max(found.size, 1)
        if count > EXACT:
            raise ValueError(count)
        return found / count

    return mean


# Dtypes that NumPy reduces directly; float16 sums would be rounded at each step.
_REDUCED = frozenset("?bhilqBHILQfdFD")
_sum = _reduction("add")


def _split(xp: Any, own: Any, /, axis: Any, *, num_split: int) -> Function | None:
    if axis.size != 1 or axis.reshape(-1)[0] or num_split < 1:
        return None

    def split(x: Any) -> Any:
        size, rest = divmod(len(x), num_split)
        if rest:
            raise ValueError(rest)
        return [x[at : at + size] for at in range(0, len(x), size)] if size else [x] * num_split

    return split


def _pad(xp: Any, own: Any, /, paddings: Any) -> Function | None:
    if paddings.ndim != 2 or paddings.shape[1] != 2 or paddings.min(initial=0) < 0:
        return None
    margins, frame = paddings.tolist(), xp.framed
    low, more = [before for before, _ in margins], list(map(sum, margins))

    def pad(x: Any) -> Any:
        if x.ndim != len(more):
            raise ValueError(x.ndim)
        return frame(x, low, tuple(map(operator.add, x.shape, more)))

    return pad


_EVERYWHERE: dict[str, Callable[..., Function | None]] = {
    "Reshape": _reshape,
    "ExpandDims": _expand_dims,
}
# On the host.
_HERE: dict[str, Callable[..., Function | None]] = {
    "Sum": _sum,
    "Mean": _mean,
    "Prod": _reduction("multiply"),
    "Max": _reduction("maximum"),
    "Min": _reduction("minimum"),
    "Any": _reduction("logical_or"),
    "All": _reduction("logical_and"),
}
# On devices other than the host; host kernels have their own ways of large data movement.
_ELSEWHERE: dict[str, Callable[..., Function | None]] = {
    "Transpose": _transpose,
    "ConcatV2": _concat,
    "Cast": _cast,
    "Pack": _pack,
    "GatherV2": _gather,
    "SelectV2": _select,
    "BiasAdd": _bias_add,
    "BroadcastTo": _broadcast_to,
    "Pad": _pad,
    "Split": _split,
}
