"""Order among elements: sorting, the largest ones, places in sorted rows."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from twinflow._src.backends.cpu.parallel import shared
from twinflow._src.backends.host_checks import is_host
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import ORDERED, bool_, float32, int16, int32, int64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import API, Call, Kind, Type, export, op
from twinflow._src.numerics.along import along
from twinflow._src.ops.array.shapes import transpose
from twinflow._src.ops.array.sorted_values import sorted_values
from twinflow._src.ops.array.static_sizes import size_of, sizes_of
from twinflow._src.ops.elementwise.arithmetic import negative, subtract
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.shape_rules.gather import largest
from twinflow._src.shape_rules.values import among_largest

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
    order = xp.lexsort((-values if values.dtype.kind == "f" else ~values, row))  # of equal ones the first
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
        raise invalid(f"slice index {axis + rank if axis < 0 else axis} of dimension 0 out of bounds.")
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
