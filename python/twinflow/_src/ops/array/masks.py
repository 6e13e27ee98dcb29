"""One-hot tensors, sequence masks and identity matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from twinflow._src.backends.host_checks import is_host
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import dtypes, whole_numbers
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import as_dtype, int32, int64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.op import API, OPS, Kind, execute, export, op
from twinflow._src.ops.array.concat import concat
from twinflow._src.ops.array.fill import numbers_apart
from twinflow._src.ops.array.shapes import expand_dims
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.ops.elementwise.compare import less
from twinflow._src.ops.elementwise.minmax import maximum
from twinflow._src.ops.linalg.diagonals import diag, set_diag
from twinflow._src.ops.reduce.reduce import reduce_max
from twinflow._src.shape_rules.array import with_depth

_INDICES = frozenset((dtypes.uint8, dtypes.int8, int32, int64))
Positions = Annotated[Any, Kind("TI", default=int64, allowed=_INDICES)]
Depth = Annotated[Any, Kind("depth", only=int32, host=True)]


@op("OneHot", shape=with_depth, no_gradient=True, tf_name="one_hot")
def _one_hot(
    xp: Any, indices: Positions, depth: Depth, on_value: Any, off_value: Any, *, axis: int = -1
) -> Any:
    """Returns a one-hot tensor with a new axis of size ``depth``."""
    if not (axis == -1 or 0 <= axis <= indices.ndim):
        raise invalid(
            f"Expected axis to be -1 or between [0, {indices.ndim + 1}).  But received: {axis}"
        )
    for name, value in (("depth", depth), ("on_value", on_value), ("off_value", off_value)):
        if value.ndim:
            raise invalid(f"{name} must be a scalar, but got: {text(value.shape)}")
    if depth < 0:
        raise invalid(f"depth must be non-negative, got: {int(depth)}")
    at, size = (indices.ndim if axis == -1 else axis), int(depth)
    shape = indices.shape[:at], (size,), indices.shape[at:]
    if not is_host(xp):  # counting the valid indices would synchronize
        return xp.one_hot(indices, size, on_value, off_value, at)
    result = xp.full(sum(shape, ()), off_value[()], on_value.dtype)
    flat, inner = indices.reshape(-1), math.prod(shape[2])
    hit = ((flat >= 0) & (flat < size)).nonzero()[0]
    outer = hit // inner if inner > 1 else hit
    result.reshape(-1)[(outer * size + flat[hit]) * inner + (hit - outer * inner)] = on_value[()]
    return result


@_one_hot.batched
def _(call: Any) -> Any:
    axis = call.attrs["axis"]
    others = map(call.shared, (1, 2, 3))
    return call.run(call.full(0), *others, axis=axis if axis < 0 else axis + 1)


@export("one_hot")
def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: Any = None,
    name: str | None = None,
) -> Any:
    """Returns a one-hot tensor with a new axis of size ``depth``.

    Args:
        indices: The indices; out-of-range ones give only ``off_value``.
        depth: The size of the new axis.
        on_value: The value at the index; 1 if None.
        off_value: The value elsewhere; 0 if None.
        axis: The position of the new axis; the last if None.
        dtype: The dtype of the values; float32 if neither dtype nor values are passed.

    Returns:
        A tensor of the dtype of the values.

    Raises:
        TypeError: The dtypes of the values and ``dtype`` differ.
        InvalidArgumentError: The depth is negative, or the axis is out of range.
    """
    target = None if dtype is None else as_dtype(dtype)
    values = {
        key: convert_to_tensor(value, dtype_hint=target, name=key)
        for key, value in (("on_value", on_value), ("off_value", off_value))
        if value is not None
    }
    for key, value in values.items():
        if target is not None and value.dtype is not target:
            raise TypeError(f"dtype {value.dtype} of {key} does not match dtype parameter {target}")
    target = target or next((value.dtype for value in values.values()), dtypes.float32)
    on = (
        values["on_value"]
        if "on_value" in values
        else convert_to_tensor(1, dtype=target, name="on_value")
    )
    off = (
        values["off_value"]
        if "off_value" in values
        else convert_to_tensor(0, dtype=target, name="off_value")
    )
    if on.dtype is not off.dtype:
        raise TypeError(
            f"dtype {on.dtype} of on_value does not match dtype {off.dtype} of off_value"
        )
    return _one_hot(indices, depth, on, off, axis=-1 if axis is None else axis)


@export("sequence_mask")
def sequence_mask(
    lengths: Any, maxlen: Any = None, dtype: Any = dtypes.bool_, name: str | None = None
) -> Any:
    """Returns a mask whose first ``lengths`` elements of each row are True.

    Args:
        lengths: The number of True elements per row.
        maxlen: The length of the rows; the maximum of lengths if None.
        dtype: The dtype of the elements.

    Returns:
        A tensor with one more dimension.

    Raises:
        ValueError: The length of the rows is not a scalar.
    """
    lengths = convert_to_tensor(lengths)
    if maxlen is None:
        maxlen = reduce_max(lengths)
        maxlen = maximum(convert_to_tensor(0, dtype=maxlen.dtype), maxlen)
    else:
        maxlen = convert_to_tensor(maxlen)
    if maxlen.shape.rank:
        raise ValueError(
            "Argument `maxlen` must be scalar for sequence_mask, "
            f"received `maxlen` = {maxlen} with shape '{maxlen.shape}' instead"
        )
    zero, one = (convert_to_tensor(n, dtype=maxlen.dtype) for n in (0, 1))
    steps = numbers_apart(zero, maxlen, one)
    column = expand_dims(lengths, -1)
    graph = thread.scope.graph  # a graph contains the Cast even if it is a no-op
    column = (
        cast(column, maxlen.dtype)
        if graph is None
        else execute(OPS["Cast"], [column], {"dtype": maxlen.dtype})
    )
    mask = less(steps, column)
    return mask if dtype is None else cast(mask, dtype)


@export("eye", "linalg.eye")
def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Any:
    """Returns an identity matrix, or a batch of them.

    Args:
        num_rows: The number of rows.
        num_columns: The number of columns; ``num_rows`` if None.
        batch_shape: The leading dimensions; none if None.
        dtype: The dtype of the elements.

    Returns:
        A tensor of shape ``batch_shape + [num_rows, num_columns]``.
    """
    square = num_columns is None or num_columns is num_rows
    num_columns = num_rows if num_columns is None else num_columns
    num_rows, num_columns = map(whole_numbers.with_integers, (num_rows, num_columns))
    sides = num_rows, num_columns
    if any(isinstance(n, Tensor) for n in sides):
        length = API["minimum"](*sides)
    elif all(isinstance(n, (int, np.integer)) for n in sides):
        length, square = min(sides), num_rows == num_columns
    else:
        raise TypeError(
            "Arguments `num_rows` and `num_columns` must be positive integer values. Received: "
            f"num_rows={num_rows}, num_columns={num_columns}"
        )
    diagonals = API["ones"](_with_batch(batch_shape, [length]), dtype=dtype)
    if square:
        return diag(diagonals)
    return set_diag(API["zeros"](_with_batch(batch_shape, sides), dtype=dtype), diagonals)


def _with_batch(batch: Any, sizes: Sequence[Any]) -> Any:
    """Concatenates optional batch dimensions and further sizes to a shape."""
    if not isinstance(batch, Tensor) and not any(isinstance(n, Tensor) for n in sizes):
        return [*(() if batch is None else batch), *sizes]
    lead = convert_to_tensor([] if batch is None else batch, dtype=int32, name="shape")
    return concat([lead, list(sizes)], 0)
