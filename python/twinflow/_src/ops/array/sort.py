"""Sorting, top-k, n-th element and ``searchsorted``."""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

import numpy as np

from twinflow._src.backends.cpu.parallel import shared
from twinflow._src.backends.host_checks import is_host
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import dtypes
from twinflow._src.core.context import runtime, thread
from twinflow._src.core.dtypes import ORDERED, bool_, float32, int16, int32, int64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import Dims, refused, static_size, text
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.op import API, Call, Ints, Kind, Type, documented_like, export, op
from twinflow._src.ops.array.shapes import reshape, size_of, sizes_of, transpose
from twinflow._src.ops.elementwise.arithmetic import negative, subtract
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.shape_rules.demands import at_least, size_value
from twinflow._src.shape_rules.gather import largest
from twinflow._src.shape_rules.values import among_largest, bounds

# Fast path of ``tf.sort`` (values only, no observers): NumPy's sort on the thread pool.


# Elements per block of the thread pool.
_TOGETHER = 1 << 16


def sorted_values(values: Any, axis: int, ascending: bool) -> Any:
    """Fast path of ``tf.sort`` without indices."""
    # Returns None on a miss: a symbolic tensor, another device, observers, or NaN elements.
    if type(values) is not EagerTensor or thread.scope.observers or not thread.scope.eager:
        return None
    device, x = values._device, values._array
    if (
        device is not runtime.home
        or device.kind != "CPU"
        or not -x.ndim <= axis < x.ndim
        or not x.size
    ):
        return None
    kind, width = x.dtype.kind, x.dtype.itemsize
    if values.dtype not in ORDERED or kind not in "fiu" or (kind == "f" and width < 4):
        return None
    lines = x.swapaxes(axis, -1).copy(order="C")
    rows = lines.reshape(-1, lines.shape[-1])
    signed, zeros = _with_negative_zeros(rows, ascending) if kind == "f" else (None, None)
    step = max(1, _TOGETHER // rows.shape[1])
    shared(lambda start: rows[start : start + step].sort(axis=-1), range(0, len(rows), step))
    if kind == "f" and math.isnan(rows[:, -1].max()):  # the slow path sorts NaN as an infinity
        return None
    if signed is not None:
        rows[signed] = zeros
    result = lines if ascending else lines[..., ::-1]
    return EagerTensor(device.xp.ascontiguousarray(result.swapaxes(axis, -1)), device, values.dtype)


def _with_negative_zeros(rows: Any, ascending: bool) -> tuple[Any, Any]:
    """Returns the indices of rows that contain -0.0, and these rows stably sorted (0.0 == -0.0)."""
    bits = rows.view(f"i{rows.itemsize}")
    least = np.iinfo(bits.dtype).min
    if bits.min() != least:
        return None, None
    where = (bits == least).any(axis=1).nonzero()[0]
    few = rows[where]
    if ascending:
        return where, np.take_along_axis(few, few.argsort(axis=-1, kind="stable"), -1)
    return where, np.take_along_axis(few, (-few).argsort(axis=-1, kind="stable"), -1)[:, ::-1]


# Sort, argsort and top-k.


_SIZES = frozenset((int32, int64))
Amount = Annotated[Any, Kind("Tk", default=int32, allowed=_SIZES | {int16}, host=True)]
Predictions = Annotated[Any, Kind("predictions", only=float32)]
Targets = Annotated[Any, Kind("T", default=int32, allowed=_SIZES)]
# Minimum row length for sorting packed integers of key and index.
_LEAST = 32
# Group size of the pre-selection for small k.
_GROUP = 32
# Minimum number of elements for the thread pool, which splits by rows.
_SHARED = 1 << 17
Limit = Annotated[Any, Kind("T", default=int32, allowed=_SIZES, host=True)]


class TopKV2(NamedTuple):
    """The largest elements and their indices."""

    values: Any
    indices: Any


def along(xp: Any, rows: Any, indices: Any) -> Any:
    """Gathers elements along the last axis, as ``take_along_axis`` does, with a single ``take``."""
    # ``rows`` is C-contiguous, the indices are not negative.
    if rows.ndim == 1 or not indices.size:
        return rows[indices] if rows.ndim == 1 else xp.empty(indices.shape, rows.dtype)
    size = rows.shape[-1]
    starts = xp.arange(0, rows.size, size).reshape((*rows.shape[:-1], 1))
    return rows.reshape(-1).take(indices + starts)


def _comparable(xp: Any, x: Any) -> Any:
    """Returns an array in which NaN sorts as the smallest element."""
    if x.dtype.kind not in "fV":
        return x
    wide = x.astype(xp.float32) if x.dtype.itemsize == 2 else x
    no_numbers = xp.isnan(wide)
    return wide if is_host(xp) and not no_numbers.any() else xp.where(no_numbers, -xp.inf, wide)


def _largest(xp: Any, keys: Any, count: int) -> Any:
    """Returns the indices of the largest elements in descending order; ties in index order."""
    rows = keys.reshape(-1, keys.shape[-1]) if keys.size else keys
    if not is_host(xp) or keys.size < _SHARED or len(rows) < 2:
        return _largest_of(xp, keys, count)
    indices = xp.empty((len(rows), count), xp.int64)
    step = max(1, min(_SHARED // 2 // rows.shape[1], -(-len(rows) // 2)))

    def work(start: int) -> None:
        indices[start : start + step] = _largest_of(xp, rows[start : start + step], count)

    shared(work, range(0, len(rows), step))
    return indices.reshape(*keys.shape[:-1], count)


def _largest_of(xp: Any, keys: Any, count: int) -> Any:
    """Like ``_largest``, for all rows at once."""
    size = keys.shape[-1]
    if 0 < count <= size // (2 * _GROUP) and is_host(xp):
        indices = _largest_of_few(xp, keys.reshape(-1, size), count)
        if indices is not None:
            return indices.reshape(*keys.shape[:-1], count)
    if 0 < count < size // 4 and is_host(xp):  # sort only the selected elements
        last = xp.partition(keys, size - count, axis=-1)[..., size - count, None]
        chosen = keys >= last
        if int(xp.count_nonzero(chosen)) > keys.size // size * count:  # for ties the lower index
            above, equal = keys > last, keys == last
            missing = count - above.sum(-1, keepdims=True)
            chosen = above | (equal & (xp.cumsum(equal, axis=-1) <= missing))
        indices = (xp.flatnonzero(chosen) % size).reshape((*keys.shape[:-1], count))
        return along(xp, indices, _largest_of(xp, along(xp, keys, indices), count))
    if _LEAST < size < 1 << 31 and count and keys.dtype.itemsize <= 4 and keys.dtype.kind in "fiu":
        return _largest_packed(xp, keys, count)
    # A stable sort of the reversed rows, read in reverse order.
    order = xp.argsort(keys[..., ::-1], axis=-1, kind="stable")[..., size - count :]
    return size - 1 - order[..., ::-1]


def _largest_of_few(xp: Any, rows: Any, count: int) -> Any:
    """Like ``_largest`` for small k and long rows: selects by a threshold from group maxima."""
    # Returns None if too many elements reach the threshold.
    size = rows.shape[1]
    groups = rows[:, : size // _GROUP * _GROUP].reshape(len(rows), _GROUP, -1).max(1)
    limit = xp.partition(groups, -count, axis=-1)[:, -count, None]
    hits = xp.flatnonzero(rows >= limit)
    if hits.size > 4 * count * len(rows):
        return None
    row, values = hits // size, rows.reshape(-1)[hits]
    order = xp.lexsort(
        (-values if values.dtype.kind == "f" else ~values, row)
    )  # for ties the lower index
    starts = xp.searchsorted(row, xp.arange(len(rows)))
    return hits[order[starts[:, None] + xp.arange(count)]] % size


def _largest_packed(xp: Any, keys: Any, count: int) -> Any:
    """Like ``_largest`` for keys of at most 32 bits: sorts unique int64 values of key and index."""
    if keys.dtype.kind == "f":
        bits = (keys + keys.dtype.type(0)).view(xp.int32)  # -0.0 becomes 0.0
        keys = bits ^ ((bits >> 31) & xp.int32(0x7FFFFFFF))  # integers in the order of the floats
    packed = ~keys.astype(xp.int64)  # descending order
    packed <<= 32
    packed |= xp.arange(packed.shape[-1])
    return xp.sort(packed, axis=-1)[..., :count] & 0xFFFFFFFF


@op("TopKV2", shape=largest, dtypes=ORDERED)
def _top_k(xp: Any, input: Any, k: Amount, *, sorted: bool = True, index_type: Type = int32) -> Any:
    """Returns the k largest elements along the last axis, and their indices."""
    if k.ndim:
        raise invalid(f"k must be scalar, got shape {text(k.shape)}")
    if k < 0:
        raise invalid(f"Need k >= 0, got {int(k)}")
    if not input.ndim:
        raise invalid(f"input must be >= 1-D, got shape {text(input.shape)}")
    size, count = input.shape[-1], int(k)
    if size < count:
        raise invalid(f"input must have at least k columns. Had {size}, needed {count}")
    order = _largest(xp, _comparable(xp, input), count)
    return [along(xp, input, order), xp.asarray(order.astype(index_type.np), order="C")]


@_top_k.gradient
def _(call: Call, dvalues: Any, _: Any) -> Any:
    x, indices = call.inputs[0], cast(call.outputs[1], int64)
    size, count = cast(size_of(x, -1), int64), size_of(indices, -1)
    rows = cast(API["size"](x), int64) // API["maximum"](size, 1)
    starts = API["expand_dims"](size * API["range"](rows), 1)
    flat_indices = API["reshape"](indices, [-1, count]) + starts
    flat = API["math.unsorted_segment_sum"](
        API["reshape"](dvalues, [-1]), API["reshape"](flat_indices, [-1]), rows * size
    )
    return API["reshape"](flat, sizes_of(x)), None


@export("math.top_k", "nn.top_k")
def top_k(
    input: Any, k: Any = 1, sorted: bool = True, index_type: Any = int32, name: str | None = None
) -> TopKV2:
    """Returns the k largest elements along the last axis, and their indices.

    Args:
        input: A real-valued tensor.
        k: The number of elements.
        sorted: Ignored: the result is always sorted.
        index_type: The dtype of the indices.

    Returns:
        A named tuple of ``values`` in descending order and their ``indices``.

    Raises:
        InvalidArgumentError: The axis has fewer than k elements.
    """
    return TopKV2(*_top_k(input, k, sorted=sorted, index_type=index_type))


def _descending(values: Any, axis: int) -> tuple[TopKV2, Any]:
    """Returns the top-k of a whole axis, and the permutation that restores the axes, or None."""
    shape = values.shape.as_list()
    rank = len(shape)
    if not -rank <= axis < rank:
        raise invalid(
            f"slice index {axis + rank if axis < 0 else axis} of dimension 0 out of bounds."
        )
    if axis % rank == rank - 1:
        return top_k(values, shape[axis]), None
    perm = list(range(rank))
    perm[axis], perm[-1] = perm[-1], perm[axis]
    return top_k(transpose(values, perm), shape[axis]), perm


def _sorted(values: Any, axis: Any, direction: str, which: int) -> Any:
    if direction not in {"ASCENDING", "DESCENDING"}:
        raise ValueError(
            f"Argument `direction` should be one of ASCENDING, DESCENDING. Received: direction={direction}"
        )
    dim = convert_to_tensor(axis)._host()
    if dim.ndim:
        raise ValueError(f"Argument `axis` must be a constant scalar. Received: axis={dim}.")
    axis = int(dim)
    values = convert_to_tensor(values)
    flip = direction == "ASCENDING"
    plain = sorted_values(values, axis, flip) if which == 0 else None
    if plain is not None:
        return plain
    turned = _reverse_order(values) if flip else values
    ordered, perm = _descending(turned, axis)
    result = ordered[which]
    if flip and which == 0:
        result = _reverse_order(result)
    return result if perm is None else transpose(result, perm)


def _reverse_order(values: Any) -> Any:
    """Returns values in reversed order without overflow; the function is its own inverse."""
    dtype = values.dtype
    if dtype.is_unsigned:
        return subtract(convert_to_tensor(int(dtype.max), dtype=dtype), values)
    if dtype.is_integer:  # the negative of the minimum overflows
        return subtract(cast(-1, dtype), values)
    return negative(values)


@export("sort")
def sort(values: Any, axis: Any = -1, direction: str = "ASCENDING", name: str | None = None) -> Any:
    """Sorts the elements of a tensor along an axis.

    Args:
        values: A real-valued tensor.
        axis: The axis.
        direction: ``"ASCENDING"`` or ``"DESCENDING"``.

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        ValueError: The direction is unknown.
        InvalidArgumentError: The axis is out of range.
    """
    return _sorted(values, axis, direction, 0)


@export("argsort")
@documented_like(sort)
def argsort(
    values: Any,
    axis: Any = -1,
    direction: str = "ASCENDING",
    stable: bool = False,
    name: str | None = None,
) -> Any:
    """Returns the indices that sort a tensor along an axis.

    Args:
        stable: Ignored: the sort is always stable.

    Returns:
        An int32 tensor of the same shape.
    """
    return _sorted(values, axis, direction, 1)


@op("InTopKV2", shape=among_largest, out=bool_)
def _in_top_k(xp: Any, predictions: Predictions, targets: Targets, k: Limit) -> Any:
    """Returns True for each target that is among the k largest predictions of its row."""
    if k.ndim:
        raise invalid(f"k must be 0-D, got shape {text(k.shape)}")
    if predictions.ndim != 2:
        raise invalid("predictions must be 2-dimensional")
    if targets.ndim != 1:
        raise invalid("targets must be 1-dimensional")
    rows, columns = predictions.shape
    if rows != len(targets):
        raise invalid(
            f"First dimension of predictions {rows} must match length of targets {len(targets)}"
        )
    inside = (targets >= 0) & (targets < columns)
    if not columns:
        return inside
    targeted = xp.take_along_axis(predictions, xp.where(inside, targets, 0)[:, None], axis=1)
    above = xp.count_nonzero(predictions > targeted, axis=1)
    return inside & xp.all(xp.isfinite(predictions), axis=1) & (above < int(k))


_in_top_k.batched(lambda call: call.folded(0, 1))


@export("math.in_top_k", "nn.in_top_k")
def in_top_k(targets: Any, predictions: Any, k: Any, name: str | None = None) -> Any:
    """Returns True for each target that is among the k largest predictions of its row.

    Args:
        targets: The column index of each target.
        predictions: A matrix with a row of predictions for each target.
        k: The number of predictions; ties at the boundary count as in the top k.

    Returns:
        A boolean vector; False for rows with a non-finite prediction.

    Raises:
        InvalidArgumentError: The shapes are incompatible.
    """
    return _in_top_k(predictions, targets, k)


# N-th element.


def _rule(input: Dims | None, n: Any, **_: Any) -> Dims | None:
    """Shape rule of ``NthElement``."""
    at_least(input, 1)
    index = size_value(n, 1)
    if input is None:
        return None
    if index is not None and input[-1] is not None and input[-1] <= index:
        raise refused(f"Input must have last dimension > n = {index} but is {input[-1]}")
    return input[:-1]


@op("NthElement", shape=_rule, dtypes=ORDERED)
def _nth_element(xp: Any, input: Any, n: Ints, *, reverse: bool = False) -> Any:
    """Returns the n-th smallest (or largest) element along the last axis."""
    index = int(n)
    if index < 0:
        raise invalid(f"n must be non-negative but is {index}")
    if input.ndim < 1:
        raise invalid(f"Input must be at least rank 1 but is rank {input.ndim}")
    if input.shape[-1] <= index:
        raise invalid(f"Input must have last dimension > n = {index}")
    keys = input.astype(xp.float32) if input.dtype.kind == "V" else input
    return xp.sort(keys, axis=-1)[..., -1 - index if reverse else index].astype(input.dtype)


@_nth_element.gradient
def _(call: Call, dy: Any) -> Any:
    x = call.inputs[0]
    hits = API["cast"](API["equal"](API["expand_dims"](call.outputs, -1), x), dy.dtype)
    return hits / API["reduce_sum"](hits, -1, keepdims=True) * API["expand_dims"](dy, -1), None


# Approximate top-k; computed exactly.


_FLOATS = frozenset((dtypes.float16, dtypes.bfloat16, dtypes.float32))


class ApproxTopK(NamedTuple):
    """The k largest or smallest elements and their indices."""

    values: Any
    indices: Any


def _infer_topk_shapes(dims: Any, k: int, reduction_dimension: int = -1, **_: Any) -> list[Any]:
    if dims is None:
        return [None, None]
    at = reduction_dimension % len(dims)
    shape = (*dims[:at], k, *dims[at + 1 :])
    return [shape, shape]


@op("ApproxTopK", shape=_infer_topk_shapes, dtypes=_FLOATS)
def _approx_top_k(
    xp: Any,
    input: Any,
    *,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    is_max_k: bool = True,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
) -> list[Any]:
    """Returns the k largest or smallest elements along an axis."""
    if not input.ndim:
        raise invalid(f"input must be >= 1-D, got shape {text(input.shape)}")
    at = reduction_dimension % input.ndim
    if input.shape[at] < k:
        raise invalid(f"input must have at least k columns. Had {input.shape[at]}, needed {k}")
    keys = -input if is_max_k else input
    order = xp.argsort(keys, axis=at, kind="stable")
    chosen = xp.take(order, xp.arange(k), axis=at)
    values = xp.take_along_axis(input, chosen, axis=at)
    return [xp.ascontiguousarray(values), xp.ascontiguousarray(chosen.astype(xp.int32))]


@_approx_top_k.gradient
def _(call: Call, dy: Any, _: Any) -> Any:
    (x,), indices = call.inputs, call.outputs[1]
    at = call.attrs["reduction_dimension"] % x.shape.rank
    marks = API["one_hot"](indices, static_size(x.shape, at), axis=at, dtype=x.dtype)
    return API["reduce_sum"](marks * API["expand_dims"](dy, at), at + 1)


@export("approx_top_k")
def approx_top_k(
    input: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    is_max_k: bool = True,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> Any:
    """Returns the k largest or smallest elements along an axis.

    Args:
        input: A floating-point tensor.
        k: The number of elements.
        reduction_dimension: The axis.
        recall_target: The required recall; the result is always exact.
        is_max_k: True for the largest, False for the smallest elements.
        reduction_input_size_override: Ignored.
        aggregate_to_topk: Ignored.

    Returns:
        A named tuple of ``values``, the largest or smallest first, and ``indices``.
    """
    result = _approx_top_k(
        input,
        k=k,
        reduction_dimension=reduction_dimension,
        recall_target=recall_target,
        is_max_k=is_max_k,
    )
    return ApproxTopK(*result)


@export("math.approx_max_k", "nn.approx_max_k")
@documented_like(approx_top_k)
def approx_max_k(
    operand: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> Any:
    """Returns the k largest elements along an axis.

    Args:
        operand: A floating-point tensor.

    Returns:
        A named tuple of ``values``, the largest first, and ``indices``.
    """
    return approx_top_k(operand, k, reduction_dimension, recall_target)


@export("math.approx_min_k", "nn.approx_min_k")
@documented_like(approx_max_k)
def approx_min_k(
    operand: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> Any:
    """Returns the k smallest elements along an axis.

    Returns:
        A named tuple of ``values``, the smallest first, and ``indices``.
    """
    return approx_top_k(operand, k, reduction_dimension, recall_target, is_max_k=False)


# Search in sorted rows.


def _bounds(xp: Any, rows: Any, values: Any, right: bool) -> Any:
    """Returns the insertion indices of values in sorted rows, by bisection of all rows at once."""
    for name, array in (("sorted_inputs", rows), ("values", values)):
        if array.ndim != 2:
            raise invalid(f"Shape must be rank 2 but is rank {array.ndim} for `{name}` argument")
    if len(rows) != len(values):
        raise invalid("Leading dim_size of both tensors must match.")
    low = xp.zeros(values.shape, xp.int64)
    high = xp.full(values.shape, rows.shape[1], xp.int64)
    for _ in range(int(rows.shape[1]).bit_length()):
        middle = (low + high) // 2
        elements = along(xp, rows, xp.minimum(middle, rows.shape[1] - 1))
        beyond = (elements <= values) if right else (elements < values)
        beyond &= low < high
        low, high = xp.where(beyond, middle + 1, low), xp.where(beyond, high, middle)
    return low


@op("LowerBound", shape=bounds, dtypes=ORDERED, out="out_type")
def _lower_bound(xp: Any, sorted_inputs: Any, values: Any, *, out_type: Type = int32) -> Any:
    """Returns the leftmost insertion index of each value in its sorted row."""
    return _bounds(xp, sorted_inputs, values, False).astype(out_type.np)


_lower_bound.batched(lambda call: call.folded(0, 1))


@op("UpperBound", shape=bounds, dtypes=ORDERED, out="out_type")
def _upper_bound(xp: Any, sorted_inputs: Any, values: Any, *, out_type: Type = int32) -> Any:
    """Returns the rightmost insertion index of each value in its sorted row."""
    return _bounds(xp, sorted_inputs, values, True).astype(out_type.np)


_upper_bound.batched(lambda call: call.folded(0, 1))


@export("searchsorted")
def searchsorted(
    sorted_sequence: Any,
    values: Any,
    side: str = "left",
    out_type: Any = dtypes.int32,
    name: str | None = None,
) -> Any:
    """Returns the insertion indices of values in sorted rows.

    Args:
        sorted_sequence: A tensor, sorted along its last dimension.
        values: A tensor of the same dtype with the same leading dimensions.
        side: ``"left"`` for the leftmost insertion index, ``"right"`` for the rightmost.
        out_type: int32 or int64.

    Returns:
        A tensor of the shape of the values.

    Raises:
        ValueError: The side is unknown.
        InvalidArgumentError: The leading dimensions differ.
    """
    rows, values = convert_to_tensor(sorted_sequence), convert_to_tensor(values)
    flat = _matrix(rows), _matrix(values)
    if side not in ("left", "right"):
        raise ValueError(
            f"Argument `side` must be either 'right' or 'left'. Received: `side` = '{side}'."
        )
    bound = _upper_bound if side == "right" else _lower_bound
    is_static = values.shape.is_fully_defined()
    return reshape(
        bound(*flat, out_type=out_type),
        values.shape.as_list() if is_static else API["shape"](values),
    )


def _matrix(x: Any) -> Any:
    """Flattens all axes but the last into one."""
    if x.shape.rank and x.shape.is_fully_defined():
        return reshape(x, [math.prod(x.shape.as_list()[:-1]), static_size(x.shape, -1)])
    return reshape(x, [-1, API["shape"](x)[-1]])  # raises for a scalar
