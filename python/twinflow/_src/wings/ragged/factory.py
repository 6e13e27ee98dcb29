"""``tf.ragged.constant``, ``tf.ragged.map_flat_values`` and their helpers."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.composite_tensors.ragged_factories import is_ragged
from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor
from twinflow._src.composite_tensors.row_partition import INDEX_TYPES
from twinflow._src.conversion.constant import constant as make_constant
from twinflow._src.core.dtypes import as_dtype, int64
from twinflow._src.core.nest import flatten, is_nested, pack_sequence_as
from twinflow._src.core.shapes import static_size
from twinflow._src.dispatch.op import API, export


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or np.ndim(value) != 0


@export("ragged.constant")
def constant(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = int64,
) -> Any:
    """Creates a ragged tensor from a nested Python list.

    Args:
        pylist: A nested list.
        dtype: The dtype of the elements; inferred if None.
        ragged_rank: The number of ragged dimensions; all but the first dimension if None.
        inner_shape: The shape of the innermost, uniform dimensions.
        name: A name for the operation.
        row_splits_dtype: int32 or int64.

    Returns:
        A ragged tensor; a dense tensor if there are no ragged dimensions.

    Raises:
        TypeError: ``pylist`` is a ragged tensor.
        ValueError: The nesting depth is inconsistent, or the arguments contradict each other.
    """
    if is_ragged(pylist):
        raise TypeError("pylist may not be a RaggedTensor or RaggedTensorValue.")
    if not _is_list(pylist):
        return make_constant(pylist, dtype, _scalar_shape(pylist, ragged_rank, inner_shape))
    if ragged_rank is not None and ragged_rank < 0:
        raise ValueError(f"Invalid ragged_rank={ragged_rank!r}: must be nonnegative")
    scalar_depth, max_depth = _depths(pylist)
    _check_depths(pylist, scalar_depth, max_depth, ragged_rank, inner_shape)
    inner_rank = 0 if inner_shape is None else len(inner_shape)
    if ragged_rank == 0 or (ragged_rank is None and max_depth - inner_rank < 2):
        return make_constant(pylist, dtype, inner_shape)
    if inner_shape is None:
        inner_shape = () if ragged_rank is None else _inner_shape(pylist, ragged_rank)
    if ragged_rank is None:
        depth = max_depth if scalar_depth is None else scalar_depth - len(inner_shape)
        ragged_rank = max(1, depth - 1)
    splits_dtype = as_dtype(row_splits_dtype)
    if splits_dtype not in INDEX_TYPES:
        raise ValueError("row_splits must have dtype int32 or int64")
    return _build_nested(pylist, dtype, ragged_rank, tuple(inner_shape), splits_dtype)


def _scalar_shape(value: Any, ragged_rank: Any, inner_shape: Any) -> tuple[int, ...]:
    if ragged_rank:
        raise ValueError(f"Invalid pylist={value!r}: incompatible with ragged_rank={ragged_rank}")
    if inner_shape:
        raise ValueError(
            f"Invalid pylist={value!r}: incompatible with dim(inner_shape)={len(inner_shape)}"
        )
    return ()


def _depths(value: Any) -> tuple[int | None, int]:
    """Returns the depth of scalars (None if there are none), and the maximum depth of lists."""
    if not _is_list(value):
        return 0, 0
    scalar_depth, max_depth = None, 1
    for child in value:
        depth, max_child = _depths(child)
        if depth is not None:
            if scalar_depth is not None and scalar_depth != depth + 1:
                raise ValueError("all scalar values must have the same nesting depth")
            scalar_depth = depth + 1
        max_depth = max(max_depth, max_child + 1)
    return scalar_depth, max_depth


def _check_depths(
    pylist: Any, scalar_depth: int | None, max_depth: int, ragged_rank: Any, inner_shape: Any
) -> None:
    if scalar_depth is not None:
        if max_depth > scalar_depth:
            raise ValueError(
                f"Invalid pylist={pylist!r}: empty list nesting is greater than scalar value nesting"
            )
        if ragged_rank is not None and max_depth < ragged_rank:
            raise ValueError(
                f"Invalid pylist={pylist}, max depth smaller than ragged_rank={ragged_rank}"
            )
    if inner_shape is not None and ragged_rank is not None:
        expected = ragged_rank + len(inner_shape) + 1
        if (scalar_depth is not None and expected != scalar_depth) or (
            scalar_depth is None and expected < max_depth
        ):
            raise ValueError(
                f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank} and "
                f"dim(inner_shape)={len(inner_shape)}"
            )


def _inner_shape(pylist: Any, ragged_rank: int) -> tuple[int, ...]:
    """Returns the common shape of the values inside the ragged dimensions."""
    flat = list(pylist)
    for depth in range(ragged_rank):
        if not all(map(_is_list, flat)):
            raise ValueError(
                f"pylist has scalar values depth {depth + 1}, but ragged_rank={ragged_rank} requires "
                f"scalar value depth greater than {ragged_rank}"
            )
        flat = [item for row in flat for item in row]
    shapes = {_first_shape(item) for item in flat}
    if len(shapes) > 1 or not all(_has_shape(item, _first_shape(item)) for item in flat):
        raise ValueError("inner values have inconsistent shape")
    return shapes.pop() if shapes else ()


def _first_shape(item: Any) -> tuple[int, ...]:
    if not _is_list(item):
        return ()
    return (len(item), *_first_shape(item[0])) if len(item) else (0,)


def _has_shape(item: Any, shape: tuple[int, ...]) -> bool:
    if not _is_list(item) or not shape:
        return not _is_list(item) and not shape
    return len(item) == shape[0] and all(_has_shape(child, shape[1:]) for child in item)


def _build_nested(
    pylist: Any, dtype: Any, ragged_rank: int, inner_shape: tuple[int, ...], splits_dtype: Any
) -> Any:
    values, nested = list(pylist), []
    for _ in range(ragged_rank):
        nested.append(np.cumsum([0, *map(len, values)]))
        values = [item for row in values for item in row]
    result: Any = make_constant(values, dtype, (len(values), *inner_shape))
    for splits in reversed(nested):
        result = RaggedTensor._of(result, make_constant(splits.astype(splits_dtype.np)))
    return result


# ------------------------------------------------------------------ tensors


# ------------------------------------------------------------------ functions


@export("ragged.map_flat_values")
def map_flat_values(op: Any, *args: Any, **kwargs: Any) -> Any:
    """Applies a function to the flat values of ragged tensors.

    Args:
        op: The function, which returns as many values as it receives.
        *args: Its arguments; ragged tensors (also in lists) are replaced by their flat values.
        **kwargs: Its keyword arguments.

    Returns:
        A ragged tensor; the function's result if no argument is ragged.

    Raises:
        ValueError: The function returns another number of values.
        InvalidArgumentError: The rows of the ragged arguments differ.
    """
    ragged = [x for x in flatten([args, kwargs]) if is_ragged(x)]
    if not ragged:
        return op(*args, **kwargs)
    sizes = {static_size(x.flat_values.shape, 0) for x in ragged}
    if len(sizes) > 1:
        raise ValueError(
            "Input RaggedTensors' flat_values must all have the same outer-dimension size.  Got "
            f"sizes: {sizes}"
        )
    assert_same_rows(ragged)
    plain_args, plain_kwargs = _flat((args, kwargs))
    result = op(*plain_args, **plain_kwargs)
    if result.shape.rank == 0 or (
        result.shape.rank
        and static_size(result.shape, 0) not in {*sizes, None}
        and None not in sizes
    ):
        raise ValueError(
            "tf.ragged.map_flat_values requires that the output of `op` have the same "
            "outer-dimension size as flat_values of any ragged inputs. (output shape: "
            f"{result.shape}; expected outer dimension size: {sizes.pop()})"
        )
    return ragged[0].with_flat_values(result)


def _flat(structure: Any) -> Any:
    leaves = [x.flat_values if is_ragged(x) else x for x in flatten(structure)]
    return pack_sequence_as(structure, leaves) if is_nested(structure) else leaves[0]


def assert_same_rows(tensors: Any) -> None:
    """Raises InvalidArgumentError if ragged tensors have different rows."""
    first = tensors[0].nested_row_splits
    for other in tensors[1:]:
        splits = other.nested_row_splits
        if len(splits) != len(first):
            raise ValueError("Inputs must have identical ragged splits")
        for a, b in zip(first, splits, strict=True):
            if a.shape != b.shape:
                raise ValueError(
                    "RowPartition._merge_precomputed_encodings: partitions have incompatible row_splits"
                )
            if a is not b:
                API["debugging.assert_equal"](API["cast"](a, int64), API["cast"](b, int64))
