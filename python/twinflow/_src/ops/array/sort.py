"""Order among elements: sorting, the largest ones, places in sorted rows.

Sorting where nobody asks for places or watches: NumPy's, many lines at a time.

The element that would be at a place if the last dimension were sorted.

The largest and smallest elements, as exactly as need be; here always exactly.

Places in sorted rows.
"""

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
from twinflow._src.core.shapes import Dims, refused, text
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.op import API, Call, Ints, Kind, Type, export, op
from twinflow._src.numerics.along import along
from twinflow._src.ops.array.shapes import reshape, size_of, sizes_of, transpose
from twinflow._src.ops.elementwise.arithmetic import negative, subtract
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.shape_rules.demands import at_least, size_value
from twinflow._src.shape_rules.gather import largest
from twinflow._src.shape_rules.values import among_largest, bounds

# Sorting where nobody asks for places or watches: NumPy's, many lines at a time.


# A thread sorts so many elements at a time.
_TOGETHER = 1 << 16


def sorted_values(values: Any, axis: int, ascending: bool) -> Any:
    """The elements sorted without their places.

    Args:
        values: A tensor of real numbers.
        axis: The dimension.
        ascending: Whether the smallest one is first.

    Returns:
        A tensor; None where somebody sees the operations, or NaN are among them.
    """
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
    if kind == "f" and math.isnan(rows[:, -1].max()):  # infinities and NaN are equal there
        return None
    if signed is not None:
        rows[signed] = zeros
    found = lines if ascending else lines[..., ::-1]
    return EagerTensor(device.xp.ascontiguousarray(found.swapaxes(axis, -1)), device, values.dtype)


def _with_negative_zeros(rows: Any, ascending: bool) -> tuple[Any, Any]:
    """The rows in which there is a -0, and these sorted with equal numbers in their order: 0 and -0 are equal."""
    bits = rows.view(f"i{rows.itemsize}")
    least = np.iinfo(bits.dtype).min
    if bits.min() != least:
        return None, None
    where = (bits == least).any(axis=1).nonzero()[0]
    few = rows[where]
    if ascending:
        return where, np.take_along_axis(few, few.argsort(axis=-1, kind="stable"), -1)
    return where, np.take_along_axis(few, (-few).argsort(axis=-1, kind="stable"), -1)[:, ::-1]


# Order among elements: sorting, the largest ones, places in sorted rows.


_SIZES = frozenset((int32, int64))
Amount = Annotated[Any, Kind("Tk", default=int32, allowed=_SIZES | {int16}, host=True)]
Predictions = Annotated[Any, Kind("predictions", only=float32)]
Targets = Annotated[Any, Kind("T", default=int32, allowed=_SIZES)]
# Rows of more elements are sorted as whole numbers that hold the places as well.
_LEAST = 32
# How many elements have one maximum, where few of them are wanted.
_GROUP = 32
# More elements are shared by threads, row by row.
_SHARED = 1 << 17
Limit = Annotated[Any, Kind("T", default=int32, allowed=_SIZES, host=True)]


class TopKV2(NamedTuple):
    """The largest elements and where they are."""

    values: Any
    indices: Any


def _comparable(xp: Any, x: Any) -> Any:
    """An array that NumPy sorts with every NaN as the smallest."""
    if x.dtype.kind not in "fV":
        return x
    wide = x.astype(xp.float32) if x.dtype.itemsize == 2 else x
    no_numbers = xp.isnan(wide)
    return wide if is_host(xp) and not no_numbers.any() else xp.where(no_numbers, -xp.inf, wide)


def _largest(xp: Any, keys: Any, count: int) -> Any:
    """The places of the largest elements, from the largest down; of equal ones the first is first."""
    rows = keys.reshape(-1, keys.shape[-1]) if keys.size else keys
    if not is_host(xp) or keys.size < _SHARED or len(rows) < 2:
        return _largest_of(xp, keys, count)
    places = xp.empty((len(rows), count), xp.int64)
    step = max(1, min(_SHARED // 2 // rows.shape[1], -(-len(rows) // 2)))

    def work(start: int) -> None:
        places[start : start + step] = _largest_of(xp, rows[start : start + step], count)

    shared(work, range(0, len(rows), step))
    return places.reshape(*keys.shape[:-1], count)


def _largest_of(xp: Any, keys: Any, count: int) -> Any:
    """See ``_largest``: of all rows at once."""
    size = keys.shape[-1]
    if 0 < count <= size // (2 * _GROUP) and is_host(xp):
        places = _largest_of_few(xp, keys.reshape(-1, size), count)
        if places is not None:
            return places.reshape(*keys.shape[:-1], count)
    if 0 < count < size // 4 and is_host(xp):  # sort only the chosen ones
        last = xp.partition(keys, size - count, axis=-1)[..., size - count, None]
        chosen = keys >= last
        if int(xp.count_nonzero(chosen)) > keys.size // size * count:  # of equal ones the first
            above, equal = keys > last, keys == last
            room = count - above.sum(-1, keepdims=True)
            chosen = above | (equal & (xp.cumsum(equal, axis=-1) <= room))
        places = (xp.flatnonzero(chosen) % size).reshape((*keys.shape[:-1], count))
        return along(xp, places, _largest_of(xp, along(xp, keys, places), count))
    if _LEAST < size < 1 << 31 and count and keys.dtype.itemsize <= 4 and keys.dtype.kind in "fiu":
        return _largest_packed(xp, keys, count)
    # A stable sort of the reversed rows, read backwards.
    order = xp.argsort(keys[..., ::-1], axis=-1, kind="stable")[..., size - count :]
    return size - 1 - order[..., ::-1]


def _largest_of_few(xp: Any, rows: Any, count: int) -> Any:
    """The same for a few of long rows, by a limit that enough groups of elements reach; None where many elements do."""
    size = rows.shape[1]
    groups = rows[:, : size // _GROUP * _GROUP].reshape(len(rows), _GROUP, -1).max(1)
    limit = xp.partition(groups, -count, axis=-1)[:, -count, None]
    found = xp.flatnonzero(rows >= limit)
    if found.size > 4 * count * len(rows):
        return None
    row, values = found // size, rows.reshape(-1)[found]
    order = xp.lexsort(
        (-values if values.dtype.kind == "f" else ~values, row)
    )  # of equal ones the first
    starts = xp.searchsorted(row, xp.arange(len(rows)))
    return found[order[starts[:, None] + xp.arange(count)]] % size


def _largest_packed(xp: Any, keys: Any, count: int) -> Any:
    """The same for short keys: whole numbers of key and place, none of which are equal, are sorted."""
    if keys.dtype.kind == "f":
        bits = (keys + keys.dtype.type(0)).view(xp.int32)  # of both zeros the positive one
        keys = bits ^ ((bits >> 31) & xp.int32(0x7FFFFFFF))  # ordered as the floats are
    packed = ~keys.astype(xp.int64)  # the largest first
    packed <<= 32
    packed |= xp.arange(packed.shape[-1])
    return xp.sort(packed, axis=-1)[..., :count] & 0xFFFFFFFF


@op("TopKV2", shape=largest, dtypes=ORDERED)
def _top_k(xp: Any, input: Any, k: Amount, *, sorted: bool = True, index_type: Type = int32) -> Any:
    """Returns the largest elements along the last dimension, and their indices.

    Args:
        input: A tensor of real numbers.
        k: How many elements.
        sorted: Whether they are sorted; they always are.
        index_type: The type of the indices.

    Returns:
        A list of two tensors: the elements from the largest down, and where they are.

    Raises:
        InvalidArgumentError: The dimension has fewer elements.
    """
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
    places = API["reshape"](indices, [-1, count]) + starts
    flat = API["math.unsorted_segment_sum"](
        API["reshape"](dvalues, [-1]), API["reshape"](places, [-1]), rows * size
    )
    return API["reshape"](flat, sizes_of(x)), None


@export("math.top_k", "nn.top_k")
def top_k(
    input: Any, k: Any = 1, sorted: bool = True, index_type: Any = int32, name: str | None = None
) -> TopKV2:
    """Returns the largest elements along the last dimension, and their indices.

    Args:
        input: A tensor of real numbers.
        k: How many elements.
        sorted: Whether they are sorted; they always are.
        index_type: The type of the indices.
        name: A name for the operation.

    Returns:
        A named tuple: ``values`` from the largest down, and their ``indices``.

    Raises:
        InvalidArgumentError: The dimension has fewer elements.
    """
    return TopKV2(*_top_k(input, k, sorted=sorted, index_type=index_type))


def _descending(values: Any, axis: int) -> tuple[TopKV2, Any]:
    """The elements along a dimension, sorted; and what moves that dimension back."""
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
    place = convert_to_tensor(axis)._host()
    if place.ndim:
        raise ValueError(f"Argument `axis` must be a constant scalar. Received: axis={place}.")
    axis = int(place)
    values = convert_to_tensor(values)
    flip = direction == "ASCENDING"
    plain = sorted_values(values, axis, flip) if which == 0 else None
    if plain is not None:
        return plain
    turned = _turned(values) if flip else values
    found, perm = _descending(turned, axis)
    result = found[which]
    if flip and which == 0:
        result = _turned(result)
    return result if perm is None else transpose(result, perm)


def _turned(values: Any) -> Any:
    """The values in the opposite order, without overflow, and back."""
    dtype = values.dtype
    if dtype.is_unsigned:
        return subtract(convert_to_tensor(int(dtype.max), dtype=dtype), values)
    if dtype.is_integer:  # the smallest integer has no negative
        return subtract(cast(-1, dtype), values)
    return negative(values)


@export("sort")
def sort(values: Any, axis: Any = -1, direction: str = "ASCENDING", name: str | None = None) -> Any:
    """Returns a tensor with its elements sorted along a dimension.

    Args:
        values: A tensor of real numbers.
        axis: The dimension.
        direction: ``"ASCENDING"`` or ``"DESCENDING"``.
        name: A name for the operation.

    Returns:
        A tensor of the same type and shape.

    Raises:
        ValueError: There is no such direction.
        InvalidArgumentError: The axis lies outside the shape.
    """
    return _sorted(values, axis, direction, 0)


@export("argsort")
def argsort(
    values: Any,
    axis: Any = -1,
    direction: str = "ASCENDING",
    stable: bool = False,
    name: str | None = None,
) -> Any:
    """Returns the indices that sort a tensor along a dimension.

    Args:
        values: A tensor of real numbers.
        axis: The dimension.
        direction: ``"ASCENDING"`` or ``"DESCENDING"``.
        stable: Whether equal elements keep their order; they always do.
        name: A name for the operation.

    Returns:
        An int32 tensor of the same shape.

    Raises:
        ValueError: There is no such direction.
        InvalidArgumentError: The axis lies outside the shape.
    """
    return _sorted(values, axis, direction, 1)


@op("InTopKV2", shape=among_largest, out=bool_)
def _in_top_k(xp: Any, predictions: Predictions, targets: Targets, k: Limit) -> Any:
    """Returns whether targets are among the largest predictions.

    Args:
        predictions: A matrix with a row of predictions for each target.
        targets: The columns in question.
        k: How many predictions count.

    Returns:
        A boolean vector.

    Raises:
        InvalidArgumentError: The shapes do not fit.
    """
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
    own = xp.take_along_axis(predictions, xp.where(inside, targets, 0)[:, None], axis=1)
    above = xp.count_nonzero(predictions > own, axis=1)
    return inside & xp.all(xp.isfinite(predictions), axis=1) & (above < int(k))


@export("math.in_top_k", "nn.in_top_k")
def in_top_k(targets: Any, predictions: Any, k: Any, name: str | None = None) -> Any:
    """Returns whether targets are among the largest predictions.

    Args:
        targets: The columns in question.
        predictions: A matrix with a row of predictions for each target.
        k: How many predictions count; ties count as within.
        name: A name for the operation.

    Returns:
        A boolean vector; false for rows with a prediction that is not finite.

    Raises:
        InvalidArgumentError: The shapes do not fit.
    """
    return _in_top_k(predictions, targets, k)


# The element that would be at a place if the last dimension were sorted.


def _rule(input: Dims | None, n: Any, **_: Any) -> Dims | None:
    """The rule of ``NthElement``."""
    at_least(input, 1)
    place = size_value(n, 1)
    if input is None:
        return None
    if place is not None and input[-1] is not None and input[-1] <= place:
        raise refused(f"Input must have last dimension > n = {place} but is {input[-1]}")
    return input[:-1]


@op("NthElement", shape=_rule, dtypes=ORDERED)
def _nth_element(xp: Any, input: Any, n: Ints, *, reverse: bool = False) -> Any:
    """Returns the element at a place of the sorted last dimension.

    Args:
        input: A tensor of real numbers, of rank 1 or more.
        n: The place, from 0.
        reverse: Whether the largest element is at place 0.

    Returns:
        A tensor of the same type, of a dimension less.

    Raises:
        InvalidArgumentError: The dimension is too short, or the place is negative.
    """
    place = int(n)
    if place < 0:
        raise invalid(f"n must be non-negative but is {place}")
    if input.ndim < 1:
        raise invalid(f"Input must be at least rank 1 but is rank {input.ndim}")
    if input.shape[-1] <= place:
        raise invalid(f"Input must have last dimension > n = {place}")
    keys = input.astype(xp.float32) if input.dtype.kind == "V" else input
    return xp.sort(keys, axis=-1)[..., -1 - place if reverse else place].astype(input.dtype)


@_nth_element.gradient
def _(call: Call, dy: Any) -> Any:
    x = call.inputs[0]
    found = API["cast"](API["equal"](API["expand_dims"](call.outputs, -1), x), dy.dtype)
    return found / API["reduce_sum"](found, -1, keepdims=True) * API["expand_dims"](dy, -1), None


# The largest and smallest elements, as exactly as need be; here always exactly.


_FLOATS = frozenset((dtypes.float16, dtypes.bfloat16, dtypes.float32))


class ApproxTopK(NamedTuple):
    """The largest elements, and where they lie."""

    values: Any
    indices: Any


def _chosen(dims: Any, k: int, reduction_dimension: int = -1, **_: Any) -> list[Any]:
    if dims is None:
        return [None, None]
    at = reduction_dimension % len(dims)
    shape = (*dims[:at], k, *dims[at + 1 :])
    return [shape, shape]


@op("ApproxTopK", shape=_chosen, dtypes=_FLOATS)
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
    """Returns the largest or smallest elements along a dimension.

    Args:
        input: A tensor of floating numbers.
        k: How many.
        reduction_dimension: The dimension.
        recall_target: How many of the true ones must be found; all of them are.
        is_max_k: Whether they are the largest.
        reduction_input_size_override: Accepted and without effect.
        aggregate_to_topk: Accepted and without effect.

    Returns:
        The elements, the largest or smallest first, and where they lie.

    Raises:
        InvalidArgumentError: There are not so many elements.
    """
    if not input.ndim:
        raise invalid(f"input must be >= 1-D, got shape {text(input.shape)}")
    at = reduction_dimension % input.ndim
    if input.shape[at] < k:
        raise invalid(f"input must have at least k columns. Had {input.shape[at]}, needed {k}")
    keys = -input if is_max_k else input
    order = xp.argsort(keys, axis=at, kind="stable")
    chosen = xp.take(order, xp.arange(k), axis=at)
    found = xp.take_along_axis(input, chosen, axis=at)
    return [xp.ascontiguousarray(found), xp.ascontiguousarray(chosen.astype(xp.int32))]


@_approx_top_k.gradient
def _(call: Call, dy: Any, _: Any) -> Any:
    (x,), indices = call.inputs, call.outputs[1]
    at = call.attrs["reduction_dimension"] % x.shape.rank
    marks = API["one_hot"](indices, x.shape[at], axis=at, dtype=x.dtype)
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
    """Returns the largest or smallest elements along a dimension.

    Args:
        input: A tensor of floating numbers.
        k: How many.
        reduction_dimension: The dimension.
        recall_target: How many of the true ones must be found; all of them are.
        is_max_k: Whether they are the largest.
        reduction_input_size_override: Accepted and without effect.
        aggregate_to_topk: Accepted and without effect.
        name: A name for the operation.

    Returns:
        A named tuple: ``values``, the largest or smallest first, and ``indices``.
    """
    found = _approx_top_k(
        input,
        k=k,
        reduction_dimension=reduction_dimension,
        recall_target=recall_target,
        is_max_k=is_max_k,
    )
    return ApproxTopK(*found)


@export("math.approx_max_k", "nn.approx_max_k")
def approx_max_k(
    operand: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> Any:
    """Returns the largest elements along a dimension.

    Args:
        operand: A tensor of floating numbers.
        k: How many.
        reduction_dimension: The dimension.
        recall_target: How many of the true ones must be found; all of them are.
        reduction_input_size_override: Accepted and without effect.
        aggregate_to_topk: Accepted and without effect.
        name: A name for the operation.

    Returns:
        A named tuple: ``values``, the largest first, and ``indices``.
    """
    return approx_top_k(operand, k, reduction_dimension, recall_target)


@export("math.approx_min_k", "nn.approx_min_k")
def approx_min_k(
    operand: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> Any:
    """Returns the smallest elements along a dimension.

    Args:
        operand: A tensor of floating numbers.
        k: How many.
        reduction_dimension: The dimension.
        recall_target: How many of the true ones must be found; all of them are.
        reduction_input_size_override: Accepted and without effect.
        aggregate_to_topk: Accepted and without effect.
        name: A name for the operation.

    Returns:
        A named tuple: ``values``, the smallest first, and ``indices``.
    """
    return approx_top_k(operand, k, reduction_dimension, recall_target, is_max_k=False)


# Places in sorted rows.


def _bounds(xp: Any, rows: Any, values: Any, right: bool) -> Any:
    """The places of values in sorted rows: bisection of all rows at once."""
    for name, array in (("sorted_inputs", rows), ("values", values)):
        if array.ndim != 2:
            raise invalid(f"Shape must be rank 2 but is rank {array.ndim} for `{name}` argument")
    if len(rows) != len(values):
        raise invalid("Leading dim_size of both tensors must match.")
    low = xp.zeros(values.shape, xp.int64)
    high = xp.full(values.shape, rows.shape[1], xp.int64)
    for _ in range(int(rows.shape[1]).bit_length()):
        middle = (low + high) // 2
        found = along(xp, rows, xp.minimum(middle, rows.shape[1] - 1))
        beyond = (found <= values) if right else (found < values)
        beyond &= low < high
        low, high = xp.where(beyond, middle + 1, low), xp.where(beyond, high, middle)
    return low


@op("LowerBound", shape=bounds, dtypes=ORDERED, out="out_type")
def _lower_bound(xp: Any, sorted_inputs: Any, values: Any, *, out_type: Type = int32) -> Any:
    """Returns before how many elements of sorted rows values would go in first.

    Args:
        sorted_inputs: A matrix of sorted rows.
        values: A matrix with a row of values for each of them.
        out_type: int32 or int64.

    Returns:
        A tensor of the shape of the values.

    Raises:
        InvalidArgumentError: There is not one row of values for each sorted row.
    """
    return _bounds(xp, sorted_inputs, values, False).astype(out_type.np)


@op("UpperBound", shape=bounds, dtypes=ORDERED, out="out_type")
def _upper_bound(xp: Any, sorted_inputs: Any, values: Any, *, out_type: Type = int32) -> Any:
    """Returns after how many elements of sorted rows values would go in last.

    Args:
        sorted_inputs: A matrix of sorted rows.
        values: A matrix with a row of values for each of them.
        out_type: int32 or int64.

    Returns:
        A tensor of the shape of the values.

    Raises:
        InvalidArgumentError: There is not one row of values for each sorted row.
    """
    return _bounds(xp, sorted_inputs, values, True).astype(out_type.np)


@export("searchsorted")
def searchsorted(
    sorted_sequence: Any,
    values: Any,
    side: str = "left",
    out_type: Any = dtypes.int32,
    name: str | None = None,
) -> Any:
    """Returns where values would go in sorted rows.

    Args:
        sorted_sequence: A tensor, sorted along its last dimension.
        values: A tensor of the same type with the same leading dimensions.
        side: ``"left"`` for the first possible place, ``"right"`` for the last.
        out_type: int32 or int64.
        name: A name for the operation.

    Returns:
        A tensor of the shape of the values.

    Raises:
        ValueError: There is no such side.
        InvalidArgumentError: The leading dimensions differ.
    """
    rows, values = convert_to_tensor(sorted_sequence), convert_to_tensor(values)
    flat = _matrix(rows), _matrix(values)
    if side not in ("left", "right"):
        raise ValueError(
            f"Argument `side` must be either 'right' or 'left'. Received: `side` = '{side}'."
        )
    bound = _upper_bound if side == "right" else _lower_bound
    known = values.shape.is_fully_defined()
    return reshape(
        bound(*flat, out_type=out_type), values.shape.as_list() if known else API["shape"](values)
    )


def _matrix(x: Any) -> Any:
    """A tensor with all dimensions but the last as one."""
    if x.shape.rank and x.shape.is_fully_defined():
        return reshape(x, [math.prod(x.shape.as_list()[:-1]), x.shape[-1]])
    return reshape(x, [-1, API["shape"](x)[-1]])  # which refuses a scalar
