"""What the operations on sparse tensors share: their inputs, positions in row-major order, shape rules."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from twinflow._src.composite_tensors.sparse_tensor import SparseTensor, SparseTensorValue
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import int32, int64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import Kind
from twinflow._src.shape_rules.demands import value_dims, vector

# Where the elements lie, on the device; a shape or another vector of sizes, read on the host.
Places = Annotated[Any, Kind("places", only=int64)]
Lengths = Annotated[Any, Kind("lengths", only=int64, host=True)]
# The same, in a type of the caller's choice.
_EITHER = frozenset((int32, int64))
AnyPlaces = Annotated[Any, Kind("Tindices", default=int64, allowed=_EITHER)]
AnyLengths = Annotated[Any, Kind("Tindices", default=int64, allowed=_EITHER, host=True)]
HOST = ("CPU",)


def sparse(x: Any) -> SparseTensor:
    """A value that must be a sparse tensor, or what a session gives of one.

    Args:
        x: The value.

    Returns:
        The sparse tensor.

    Raises:
        TypeError: It is something else.
    """
    x = from_session(x)
    if not isinstance(x, SparseTensor):
        raise TypeError("Input must be a SparseTensor.")
    return x


def from_session(x: Any) -> Any:
    """Returns the sparse tensor of a ``SparseTensorValue``, another value as it is."""
    return SparseTensor.from_value(x) if isinstance(x, SparseTensorValue) else x


def either(x: Any) -> Any:
    """A sparse tensor as it is, another value as a tensor."""
    x = from_session(x)
    return x if isinstance(x, SparseTensor) else convert_to_tensor(x)


def check_inside(places: Any, shape: Any) -> None:
    """Raises an error where an element lies outside its tensor.

    Args:
        places: A matrix of indices.
        shape: The shape that they lie in.
    """
    outside = ((places < 0) | (places >= shape)).any(axis=1)
    if outside.any():
        i = int(outside.argmax())
        raise invalid(
            f"Sparse index tuple indices[{i}, :] = [{', '.join(map(str, places[i].tolist()))}] is out of bounds"
        )


def positions(places: Any, shape: Any) -> Any:
    """Where elements lie in row-major order, as a vector.

    Args:
        places: A matrix of indices.
        shape: The shape that they lie in.

    Returns:
        An int64 vector.
    """
    result = np.zeros(len(places), np.int64)
    for column, size in zip(places.T, shape, strict=True):
        result = result * int(size) + column
    return result


def spread_out(found: Any, shape: Any) -> Any:
    """Positions in row-major order as rows of indices; the reverse of ``positions``.

    What lies outside the shape has a first index outside.
    """
    columns: list[Any] = []
    for size in reversed([int(n) for n in shape[1:]]):
        found, column = (
            np.divmod(found, size) if size else (np.zeros_like(found), np.zeros_like(found))
        )
        columns.insert(0, column)
    columns = [found, *columns] if len(shape) else []
    return np.stack(columns, axis=1) if columns else np.zeros((len(found), 0), np.int64)


def ascending(places: Any) -> Any:
    """The order that sorts rows of indices; equal ones stay as they are."""
    if not places.shape[1]:
        return np.arange(len(places))
    return np.lexsort(places.T[::-1])


def runs(places: Any, columns: Any) -> Any:
    """Where a new run of rows begins that agree in some columns, as a boolean vector."""
    new = np.ones(len(places), bool)
    if len(places):
        new[1:] = (places[1:, columns] != places[:-1, columns]).any(axis=1)
    return new


# ------------------------------------------------------------------ shape rules


def count(places: Any) -> int | None:
    """The number of elements, from the shape of a matrix of indices."""
    return places[0] if places else None


def depth(places: Any, shape: Any = None) -> int | None:
    """The rank, from the shape of a matrix of indices or from what is known of a shape's value."""
    if isinstance(shape, (np.ndarray, list)):
        return vector(value_dims(shape))
    return places[1] if places is not None and len(places) == 2 else None


def sizes(shape: Any) -> Any:
    """Dimensions, from what is known of the value of a shape."""
    if isinstance(shape, np.ndarray):
        return tuple(int(n) for n in shape.reshape(-1))
    return tuple(shape) if isinstance(shape, list) else None


def new_places(rank: int | None) -> list[Any]:
    """The shapes of indices and values whose number depends on values."""
    return [(None, rank), (None,)]


def same_places(places: Any, values: Any, *_: Any, **__: Any) -> list[Any]:
    """As many elements as before."""
    return [places, values]


def check_rank(first: Any, second: Any) -> None:
    """Raises InvalidArgumentError where two shapes differ in rank or size."""
    for i, (m, n) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        if m != n:
            raise invalid(f"Operands' shapes do not match: got {m} and {n} for dimension {i}")


def check_order(places: Any, shape: Any) -> None:
    """Raises InvalidArgumentError unless places lie in the shape, ascend and do not repeat."""
    inside = (places >= 0) & (places < np.asarray(shape))
    if inside.all() and (np.diff(positions(places, shape)) > 0).all():
        return
    outside = ~inside.all(axis=1)
    steps = np.diff(positions(np.clip(places, 0, np.maximum(np.asarray(shape) - 1, 0)), shape))
    bad = outside | np.concatenate([[False], steps <= 0])[: len(places)]
    i = int(bad.argmax())
    what = f"indices[{i}] = {text(tuple(places[i].tolist()))}"
    if outside[i]:
        raise invalid(f"{what} is out of bounds: need 0 <= index < {text(tuple(shape))}")
    if not steps[i - 1]:
        raise invalid(f"{what} is repeated")
    raise invalid(
        f"{what} is out of order. Many sparse ops require sorted indices.\n"
        "    Use `tf.sparse.reorder` to create a correctly ordered copy.\n"
    )
