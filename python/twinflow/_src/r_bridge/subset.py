"""R's `[` on tensors: 1-based with inclusive stops, or with Python's rules, by R options.

R sends one item per argument: a number is an index, a list [start, stop, step] a slice, None a new
axis; Ellipsis and tensors pass unchanged.
"""

from __future__ import annotations

import functools
import math
from typing import Any

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
            raise RError(OUT_OF_BOUNDS.format(axis=axis + 1, size=size, index=0))
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
        if self.inclusive and step is None and runs_down(start, stop, size, self.one_based):
            step = -1
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


rules_of = functools.cache(Rules)


def parse_index(value: Any) -> int:
    """Returns an index as an integer."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise RError("an index must be one finite number")
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
    if plain and sizes is not None and taken < len(sizes):
        session.warning(TOO_FEW.format(rank=len(sizes), given=taken))
    key, axis = [], 0
    for item, is_spread in zip(items, spread, strict=True):
        if is_spread:
            key.append(item)
            axis = (len(sizes) if sizes is not None else 0) - (taken - axis)
            continue
        size = None if sizes is None or axis < 0 or sizes[axis:] == [] else sizes[axis]
        key.append(one_key(item, None if size == -1 else size, axis, rules))
        axis += width(item)
    return key


def one_key(item: Any, size: int | None, axis: int, rules: Rules) -> Any:
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
    x, items = masked(x, items)
    key = key_for(x, items, rules_of(code))
    return count_transfer(x[key[0] if len(key) == 1 else tuple(key)])


def element(x: Any, index: Any) -> Any:
    """Implements x[[index]]: an index along the first axis, counted from 1."""
    at = rules_of(15).index(index, next(iter(dims(x) or []), None), 0)
    return count_transfer(x[at])


def refuse_unless_variable(x: Any) -> None:
    if not isinstance(x, VARIABLES):
        name = f"{type(x).__module__}.{type(x).__qualname__}"
        raise TypeError(f"'{name}' object does not support item assignment; a tf$Variable does")


def assign(x: Any, items: list[Any], code: int, value: Any) -> None:
    """Implements x[items] <- value for a variable."""
    refuse_unless_variable(x)
    key = key_for(x, items, rules_of(code | 8))
    part = x[key[0] if len(key) == 1 else tuple(key)]
    value = tf.convert_to_tensor(operand(value, x.dtype), dtype=x.dtype)
    part.assign(tf.broadcast_to(value, tf.shape(part)))


def assign_where(x: Any, mask: Any, value: Any) -> None:
    """Implements x[mask] <- value for a variable.

    The value is a scalar or, for a mask of rank 1, one value per element.
    """
    refuse_unless_variable(x)
    mask = tf.convert_to_tensor(mask)
    mask = tf.reshape(mask, [1]) if mask.shape.rank == 0 else mask
    if mask.shape.as_list() != x.shape.as_list():
        raise RError(f"the mask has the shape {mask.shape}, the variable {x.shape}")
    value = tf.convert_to_tensor(operand(value, x.dtype), dtype=x.dtype)
    if value.shape.num_elements() == 1:
        x.assign(tf.where(mask, tf.reshape(value, []), x))
    elif mask.shape.rank == 1:
        x.assign(tf.tensor_scatter_nd_update(x, tf.where(mask), value))
    else:
        raise RError("with a mask of rank 2 or more one value is assigned")
