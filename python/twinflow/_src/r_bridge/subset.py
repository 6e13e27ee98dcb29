"""R's `[` on tensors: 1-based with inclusive stops, or with Python's rules, by R options.

R sends one item per argument: a number is an index, a list [start, stop, step] a slice, an array of
numbers or logicals a selection along its axis, None a new axis; Ellipsis and tensors pass unchanged.
An only item may be a matrix of indices, or a mask of the tensor's shape.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

import twinflow
from twinflow._src.core.tensor import Tensor
from twinflow._src.r_bridge.math import operand
from twinflow._src.r_bridge.session import VARIABLES, RError, count_transfer, session
from twinflow._src.r_bridge.to_r import dims
from twinflow._src.variables.variable import Variable

tf: Any = twinflow  # names are registered by the op table

OUT_OF_BOUNDS = (
    "Index out of bounds: dimension {axis} has {size} elements, asked for {index}. "
    "Negative numbers count from the end. To allow it, set "
    "options(tensorflow.extract.dissallow_out_of_bounds = FALSE)"
)
ZERO_BASED = (
    "Index out of bounds: 0. It looks like you might be using 0-based indexing; dimension {axis} has "
    '{size} elements, which count from 1. With style = "python" they count from 0'
)
TOO_FEW = (
    "Incorrect number of dimensions supplied: {rank} required, but received {given} (new axes not "
    "counted). The missing ones are taken whole; write all_dims() to say so"
)
TOO_MANY = "Incorrect number of dimensions supplied. {rank} required, but received {given}"


class Rules:
    """Indexing rules, decoded from the bit mask that R computes from its options.

    They control 1-based indices, inclusive stops, bounds checks and the dropping of indexed axes.
    """

    def __init__(self, code: int) -> None:
        self.one_based, self.inclusive = bool(code & 1), bool(code & 2)
        self.strict, self.drop = bool(code & 4), bool(code & 8)

    def check(self, index: int, size: int | None, axis: int, beyond: int = 0) -> None:
        if self.one_based and index == 0:
            raise RError(ZERO_BASED.format(axis=axis + 1, size="some" if size is None else size))
        if not self.strict or size is None:
            return
        last = (size if self.one_based else size - 1) + beyond
        if index > last or index < -size:
            raise RError(OUT_OF_BOUNDS.format(axis=axis + 1, size=size, index=index))

    def start(self, index: int) -> int:
        return index - 1 if self.one_based and index > 0 else index

    def index(self, value: Any, size: int | None, axis: int) -> Any:
        index = parse_index(value)
        self.check(index, size, axis)
        at = self.start(index)
        if self.drop:
            return at
        return slice(at, None if at == -1 else at + 1)

    def slice(self, item: list[Any], size: int | None, axis: int) -> Any:
        if not item:
            return slice(0, 0)
        start, stop, step = [
            part if part is None or is_tensor(part) else parse_index(part) for part in item
        ]
        for end, beyond in ((start, 0), (stop, int(not self.inclusive))):
            if isinstance(end, int) and size != 0:
                self.check(end, size, axis, beyond)
        if self.inclusive and runs_down(start, stop, size, self.one_based):
            # The step of a descending slice is written with or without its sign.
            step = -1 if step is None else -step if isinstance(step, int) and step > 0 else step
        begin = self.start(start) if isinstance(start, int) else start
        end = (
            self.end(stop, step if isinstance(step, int) else 1) if isinstance(stop, int) else stop
        )
        return slice(begin, end, step)

    def end(self, stop: int, step: int) -> int | None:
        """Converts R's inclusive stop to Python's exclusive stop."""
        at = self.start(stop)
        if not self.inclusive:
            return at
        end = at + (1 if step > 0 else -1)
        crossed = end < 0 <= at or at < 0 <= end  # past either end
        return None if crossed else end

    # -- selections along an axis ------------------------------------------------------------------

    def positions(self, values: np.ndarray, size: Any, axis: int) -> Any:
        """Returns the positions, from 0, that an R vector of numbers or logicals selects.

        ``size`` is an integer, or a tensor where it is not known.
        """
        if values.dtype.kind == "b":
            return self.of_mask(values, size, axis)
        numbers = whole_numbers(values)
        is_known = isinstance(size, int)
        if self.one_based and (numbers == 0).any():
            raise RError(ZERO_BASED.format(axis=axis + 1, size=size if is_known else "some"))
        if is_known:
            beyond = np.abs(numbers + (numbers < 0)) > (size if self.one_based else size - 1)
            if beyond.any():
                raise RError(
                    SELECTED_BEYOND.format(axis=axis + 1, size=size, index=numbers[beyond][0])
                )
        if not self.one_based:
            return np.where(numbers < 0, numbers + size, numbers) if is_known else numbers
        if numbers.size == 0 or numbers.min() > 0:
            return numbers - 1
        if numbers.max() > 0:
            raise RError("positive and negative numbers do not mix in one index")
        dropped = -numbers - 1
        if is_known:
            return np.setdiff1d(np.arange(size), dropped)
        every = tf.range(tf.cast(size, tf.int64))
        return tf.boolean_mask(every, tf.reduce_all(every[:, tf.newaxis] != dropped, 1))

    def of_mask(self, mask: np.ndarray, size: Any, axis: int) -> Any:
        """Returns the positions of the TRUE values of a mask, which is recycled as in R."""
        count = len(mask)
        text = f"the mask has {count} elements, dimension {axis + 1} of the tensor "
        if not isinstance(size, int):
            rest = size % count if count else size
            check = tf.debugging.assert_equal(rest, 0, text + "no multiple of it")
            with tf.control_dependencies([] if check is None else [check]):
                numbers = tf.range(size)
            return tf.where(tf.gather(mask, numbers % max(count, 1)))[:, 0]
        if size != count and (not count or size % count):
            raise RError(f"{text}{size}")
        return np.flatnonzero(np.resize(mask, size))


SELECTED_BEYOND = "Index out of bounds: dimension {axis} has {size} elements, asked for {index}"

rules_of = functools.cache(Rules)


class Selection:
    """Positions along an axis, from 0."""

    def __init__(self, positions: Any) -> None:
        self.positions = positions


def whole_numbers(values: np.ndarray) -> np.ndarray:
    """Returns an array of indices as integers."""
    if values.dtype.kind not in "iuf":
        raise RError("an index must be numbers or logical values")
    if values.dtype.kind != "f":
        return values.astype(np.int64)
    with np.errstate(invalid="ignore"):
        numbers = values.astype(np.int64)
    wrong = numbers != values
    if wrong.any():
        raise RError(f"an index must be whole numbers, not {float(values[wrong].flat[0]):g}")
    return numbers


def parse_index(value: Any) -> int:
    """Returns an index as an integer."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        infinite = isinstance(value, float) and math.isinf(value)
        shown = f", not {'-' * (value < 0)}Inf" if infinite else ""
        raise RError(f"an index must be one finite number{shown}")
    if value != int(value):
        raise RError(f"an index must be a whole number, not {value:g}")
    return int(value)


def runs_down(start: Any, stop: Any, size: int | None, one_based: bool) -> bool:
    """True if R's start:stop is descending, such as 3:1."""
    if not (isinstance(start, int) and isinstance(stop, int)):
        return False
    first = int(one_based)
    if size is not None:
        start = start + size + first if start < 0 else start
        stop = stop + size + first if stop < 0 else stop
    elif (start < 0) != (stop < 0):
        return False
    return start > stop


def is_tensor(item: Any) -> bool:
    return isinstance(item, Tensor | Variable)


def is_selection(item: Any) -> bool:
    """True if an item selects several positions along an axis: an array, or an integer tensor."""
    if isinstance(item, np.ndarray):
        return True
    return is_tensor(item) and item.dtype != tf.bool and item.shape.rank == 1


def width(item: Any) -> int:
    """Returns the number of tensor axes that an item consumes."""
    if item is None:
        return 0
    if is_tensor(item) and item.dtype == tf.bool:
        return item.shape.rank or 1
    return 1


def key_for(x: Any, items: list[Any], rules: Rules) -> list[Any]:
    sizes = dims(x)
    if sizes is not None and len(sizes) == len(items) == 1 and type(items[0]) in (int, float):
        return [rules.index(items[0], None if sizes[0] == -1 else sizes[0], 0)]
    spread = [item is Ellipsis for item in items]
    taken = sum(width(item) for item, e in zip(items, spread, strict=True) if not e)
    if sizes is not None and taken > len(sizes):
        raise RError(TOO_MANY.format(rank=len(sizes), given=taken))
    plain = is_tensor(x) and not any(spread)  # one index of a ragged tensor selects rows
    if plain and sizes is not None and taken < len(sizes) and items != [[None, None, None]]:
        session.warning(TOO_FEW.format(rank=len(sizes), given=taken))
    key, axis = [], 0
    for item, is_spread in zip(items, spread, strict=True):
        if is_spread:
            key.append(item)
            axis = (len(sizes) if sizes is not None else 0) - (taken - axis)
            continue
        size = None if sizes is None or axis < 0 or sizes[axis:] == [] else sizes[axis]
        size = None if size in (None, -1) else int(size)
        if size is None and isinstance(item, np.ndarray):
            size = tf.shape(x)[axis]  # known when the graph runs
        key.append(one_key(item, size, axis, rules))
        axis += width(item)
    return key


def one_key(item: Any, size: Any, axis: int, rules: Rules) -> Any:
    if is_selection(item):
        return Selection(item if is_tensor(item) else rules.positions(item, size, axis))
    size = size if isinstance(size, int) else None
    if item is None or is_tensor(item):
        return item
    if isinstance(item, list):
        return rules.slice(item, size, axis)
    if isinstance(item, int | float):
        return rules.index(item, size, axis)
    raise RError("an index must be a number, a slice, a tensor, NULL or all_dims()")


def masked(x: Any, items: list[Any]) -> tuple[Any, list[Any]]:
    """Applies boolean masks among several indices and replaces them by full slices."""
    if len(items) < 2 or x.shape.rank is None:
        return x, items
    items = list(items)
    for position, item in enumerate(items):
        if is_tensor(item) and item.dtype == tf.bool and item.shape.rank == 1:
            spread = any(other is Ellipsis for other in items[:position])
            left, right = (sum(map(width, part)) for part in (items[:position], items[position:]))
            x = tf.boolean_mask(x, item, axis=x.shape.rank - right if spread else left)
            items[position] = [None, None, None]
    return x, items


def extract(x: Any, items: list[Any], code: int) -> Any:
    """Implements x[items] with R's rules."""
    return count_transfer(part(x, items, rules_of(code)))


def part(x: Any, items: list[Any], rules: Rules) -> Any:
    if len(items) == 1 and is_of_elements(items[0]):
        return elements_at(x, items[0], rules)
    x, items = masked(x, items)
    return selected(x, key_for(x, items, rules))


def selected(x: Any, key: list[Any]) -> Any:
    """Takes slices, then the selections along the axes that these leave."""
    if not any(isinstance(k, Selection) for k in key):
        return x[key[0] if len(key) == 1 else tuple(key)]
    plain = [slice(None) if isinstance(k, Selection) else k for k in key]
    if any(is_tensor(k) or k != slice(None) for k in plain):
        x = x[tuple(plain)]
    elif is_tensor(x):  # the gradient of gather would be IndexedSlices
        x = tf.reshape(x, x.shape if x.shape.is_fully_defined() else tf.shape(x))
    for i, k in enumerate(key):
        if isinstance(k, Selection):
            is_behind = any(other is Ellipsis for other in key[:i])
            axis = -sum(map(has_axis, key[i:])) if is_behind else sum(map(has_axis, key[:i]))
            x = tf.gather(x, k.positions, axis=axis)
    return x


def has_axis(k: Any) -> bool:
    """True if a part of a key leaves an axis in the result."""
    return not isinstance(k, int) and not (is_tensor(k) and k.dtype != tf.bool)


def is_of_elements(item: Any) -> bool:
    """True if an only index names single elements: a mask or a matrix of indices."""
    if isinstance(item, np.ndarray):
        return item.ndim > 1
    if not is_tensor(item):
        return False
    rank = item.shape.rank
    return item.dtype == tf.bool if rank is None else rank > 1


def elements_at(x: Any, item: Any, rules: Rules) -> Any:
    """Implements x[mask], in R's order, and x[matrix] with the indices of an element per row."""
    if item.dtype in (np.bool_, tf.bool):
        mask = tf.convert_to_tensor(item)
        if not mask.shape.is_compatible_with(x.shape):
            raise RError(f"the mask has the shape {mask.shape}, the tensor {x.shape}")
        places = tf.where(tf.reshape(tf.transpose(mask), [-1]))[:, 0]
        return tf.gather(tf.reshape(tf.transpose(x), [-1]), places)
    if is_tensor(item):
        return tf.gather_nd(x, item)
    if item.ndim != 2 or (x.shape.rank is not None and item.shape[1] != x.shape.rank):
        shown = " x ".join(map(str, item.shape))
        raise RError(
            f"a matrix of indices has one row for each element and one column for each of the "
            f"{x.shape.rank} dims; this one is {shown}"
        )
    numbers = whole_numbers(item)
    for axis, column in enumerate(numbers.T):
        size = x.shape[axis] if x.shape.rank is not None else None
        for index in sorted({int(column.min()), int(column.max())}) if column.size else ():
            rules.check(index, size, axis)
        if rules.one_based and (column < 0).any():
            raise RError("negative numbers in a matrix of indices name no elements")
    return tf.gather_nd(x, numbers - int(rules.one_based))


def rows_at(x: Any, numbers: np.ndarray) -> Any:
    """Returns the elements or rows with these numbers, counted from 1."""
    return count_transfer(selected(x, [Selection(numbers - 1)]))


def element(x: Any, index: Any) -> Any:
    """Implements x[[index]]: an index along the first axis, counted from 1."""
    at = rules_of(15).index(index, next(iter(dims(x) or []), None), 0)
    return count_transfer(x[at])


def assign(x: Any, items: list[Any], code: int, value: Any) -> Any:
    """Implements x[items] <- value: assigns to a part of a variable, or returns a new tensor."""
    if not is_tensor(x):
        name = f"{type(x).__module__}.{type(x).__qualname__}"
        raise TypeError(f"'{name}' object does not support item assignment; a tf$Variable does")
    rules = rules_of(code | 8)
    value = tf.convert_to_tensor(operand(value, x.dtype), dtype=x.dtype)
    if isinstance(x, VARIABLES) and not any(map(is_scattered, items)):
        key = key_for(x, items, rules)
        target = x[key[0] if len(key) == 1 else tuple(key)]
        target.assign(tf.broadcast_to(value, tf.shape(target)))
        return None
    size = tf.size(x, tf.int64)
    numbers = tf.reshape(tf.range(size), tf.shape(x))
    places = part(numbers, items, rules)
    if not can_broadcast(value.shape, places.shape):
        raise RError(
            f"values of the shape {value.shape} are assigned to a part of the shape {places.shape}"
        )
    value = tf.reshape(tf.broadcast_to(value, tf.shape(places)), [-1])
    flat = tf.tensor_scatter_nd_update(tf.reshape(x, [-1]), tf.reshape(places, [-1, 1]), value)
    result = tf.reshape(flat, tf.shape(x))
    if isinstance(x, VARIABLES):
        x.assign(result)
        return None
    result.set_shape(x.shape)
    return count_transfer(result)


def is_scattered(item: Any) -> bool:
    """True if an item selects more than a slice can."""
    return is_selection(item) or (is_tensor(item) and item.dtype == tf.bool)


def can_broadcast(source: Any, target: Any) -> bool:
    """True unless it is known that a shape does not broadcast to another one."""
    if source.rank is None or target.rank is None:
        return True
    if source.rank > target.rank:
        return False
    pairs = zip(reversed(source.as_list()), reversed(target.as_list()), strict=False)
    return all(n in (1, None) or m in (n, None) for n, m in pairs)
