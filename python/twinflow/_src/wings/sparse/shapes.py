"""Shape functions of ``tf.sparse``: transpose, reshape, concat, slice, split and others."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.conversion.constant import constant, convert_to_tensor, is_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import as_dtype, bool_, float32, int64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import static_size
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch import opdefs
from twinflow._src.dispatch.op import API, Kind, Tensors, documented_like, export, op
from twinflow._src.graph.static_values import array_of
from twinflow._src.ops.array.concat import concat as joined
from twinflow._src.ops.array.fill import ones
from twinflow._src.ops.array.gather import gather
from twinflow._src.ops.array.stack import stack
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.ops.elementwise.minmax import minimum
from twinflow._src.shape_rules.demands import merged_size, plus, ranked, vector
from twinflow._src.wings.sparse.basics import reorder, to_dense
from twinflow._src.wings.sparse.parts import (
    HOST,
    Lengths,
    Places,
    check_range,
    depth,
    lexsort,
    sparse,
)
from twinflow._src.wings.sparse.reductions import (
    sparse_fill_empty_rows,
    sparse_reshape,
    sparse_slice,
)

# Concat and split ops.


_ManyPlaces = Annotated[Any, Kind("places", only=int64, many=True)]
_ManyLengths = Annotated[Any, Kind("lengths", only=int64, many=True)]


def _infer_concat_shapes(indices: Any, values: Any, shapes: Any, concat_dim: int) -> list[Any]:
    rank: int | None = None
    rows: int | None = 0
    for coordinates, elements, shape in zip(indices, values, shapes, strict=True):
        number, columns = ranked(coordinates, 2)
        rank = merged_size(rank, merged_size(columns, vector(shape)))
        rows = plus(rows, merged_size(number, vector(elements)))
    return [(rows, rank), (rows,), (rank,)]


def _check_shapes(shapes: list[Any], axis: int) -> int:
    """Returns the non-negative axis after a check that the shapes are compatible."""
    rank = len(shapes[0])
    if not -rank <= axis < rank:
        raise invalid(f"Concat dimension must be in range [{-rank}, {rank}), got {axis}")
    for position, shape in enumerate(shapes):
        if len(shape) != rank:
            raise invalid(
                f"Ranks of all input tensors must match: expected {rank} but got {len(shape)} at "
                f"position {position}"
            )
        for i in range(rank):
            if i != axis % rank and shape[i] != shapes[0][i]:
                raise invalid(
                    f"Input shapes must match: expected {shapes[0][i]} for dimension {i} but got "
                    f"{shape[i]} at position {position}"
                )
    return axis % rank


@op("SparseConcat", shape=_infer_concat_shapes, devices=HOST, no_gradient=True)
def sparse_concat(
    xp: Any, indices: _ManyPlaces, values: Tensors, shapes: _ManyLengths, *, concat_dim: int
) -> list[Any]:
    """Concatenates sparse tensors along an axis."""
    sizes = [shape.tolist() for shape in shapes]
    axis = _check_shapes(sizes, concat_dim)
    parts, offset = [], 0
    for coordinates, shape in zip(indices, sizes, strict=True):
        moved = coordinates.copy()
        moved[:, axis] += offset
        parts.append(moved)
        offset += shape[axis]
    every = np.concatenate(parts)
    order = lexsort(every)
    dense_shape = np.array(sizes[0], np.int64)
    dense_shape[axis] = offset
    return [every[order], np.concatenate(values)[order], dense_shape]


def _infer_split_shapes(
    split_dim: Any, indices: Any, values: Any, shape: Any, num_split: int
) -> list[Any]:
    rank = depth(indices, shape)
    return [(None, rank)] * num_split + [(None,)] * num_split + [(rank,)] * num_split


@op("SparseSplit", shape=_infer_split_shapes, devices=HOST)
def sparse_split(
    xp: Any, split_dim: Lengths, indices: Places, values: Any, shape: Lengths, *, num_split: int
) -> list[Any]:
    """Splits a sparse tensor along an axis; the first parts are larger if not divisible."""
    if num_split < 1:
        raise opdefs.too_small("SparseSplit", "num_split", num_split)
    rank, axis = len(shape), int(split_dim.reshape(-1)[0])
    if not -rank <= axis < rank:
        raise invalid(f"Input axis should be in range [{-rank}, {rank}), got {axis}")
    if num_split > shape[axis]:
        raise invalid(
            "Input num_split should be between 1 and the splitting dimension size "
            f"({int(shape[axis])}), got {num_split}"
        )
    check_range(indices, shape)
    base, extra = divmod(int(shape[axis]), num_split)
    limits = np.cumsum([base + (i < extra) for i in range(num_split)])
    piece = np.searchsorted(limits, indices[:, axis], side="right")
    result: list[list[Any]] = [[], [], []]
    for i, limit in enumerate(limits):
        begin, sizes = limits[i - 1] if i else 0, shape.copy()
        sizes[axis] = limit - begin
        coordinates = indices[piece == i]
        coordinates[:, axis] -= begin
        for of_kind, item in zip(result, (coordinates, values[piece == i], sizes), strict=True):
            of_kind.append(item)
    return [item for of_kind in result for item in of_kind]


# Public functions.


@export("sparse.transpose")
def transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> SparseTensor:
    """Transposes a sparse tensor.

    Args:
        sp_input: A sparse tensor.
        perm: The permutation of the dimensions; reversed if None.

    Returns:
        A sparse tensor.

    Raises:
        InvalidArgumentError: The axis is out of range.
        ValueError: The permutation has another length than the rank.
    """
    sp, rank = sp_input, static_size(sp_input.dense_shape.shape, 0)
    perm = convert_to_tensor(list(range(rank))[::-1] if perm is None else perm)
    moved, sizes = gather(sp.indices, perm, axis=1), gather(sp.dense_shape, perm)
    if static_size(perm.shape, 0) != rank:
        raise ValueError(f"Dimensions {static_size(perm.shape, 0)} and {rank} are not compatible")
    return reorder(SparseTensor(moved, sp.values, sizes))


@export("sparse.reshape")
@documented_like(transpose)
def reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """Reshapes a sparse tensor.

    Args:
        shape: The new shape; one size may be -1, which is inferred.

    Raises:
        InvalidArgumentError: The shape has another number of elements.
    """
    sp = sparse(sp_input)
    new = cast(convert_to_tensor(shape, dtype_hint=int64), int64)
    indices, sizes = sparse_reshape(sp.indices, sp.dense_shape, new)
    return SparseTensor(indices, sp.values, sizes)


@export("sparse.reset_shape")
@documented_like(transpose)
def reset_shape(sp_input: Any, new_shape: Any = None) -> SparseTensor:
    """Returns a sparse tensor with the same indices and values and another dense shape.

    Args:
        new_shape: The dense shape, at least as large; the smallest that contains all indices if
            None.

    Raises:
        TypeError: The input is not a sparse tensor.
        ValueError: The shape is smaller, or of another rank.
    """
    sp = sparse(sp_input)
    if new_shape is None:
        least = API["reduce_max"](sp.indices, 0)
        zero = constant(0, dtype=int64)
        return SparseTensor(sp.indices, sp.values, API["maximum"](zero, API["add"](least, 1)))
    target_shape = cast(convert_to_tensor(new_shape, dtype_hint=int64), int64)
    target_shape.shape.assert_has_rank(1)
    rank = static_size(sp.dense_shape.shape, 0)
    if static_size(target_shape.shape, 0) != rank:
        raise ValueError(
            f"Dimensions {static_size(target_shape.shape, 0)} and {rank} are not compatible"
        )
    before, after = array_of(sp.dense_shape), array_of(target_shape)
    if before is None or after is None:
        return SparseTensor(sp.indices, sp.values, _check_not_smaller(target_shape, sp.dense_shape))
    if (after < before).any():
        raise ValueError(
            "Requested new_shape should have dimension sizes >= sp_input.shape.  Found new_shape "
            f"({before}), sp_input.shape ({after})."
        )
    return SparseTensor(sp.indices, sp.values, target_shape)


def _check_not_smaller(shape: Any, least: Any) -> Any:
    """Returns the shape in a graph, with an assertion that no size is too small."""
    with thread.scope.graph.control_dependencies(
        [API["debugging.assert_less_equal"](least, shape)]
    ):
        return API["identity"](shape)


@export("sparse.expand_dims")
@documented_like(transpose)
def expand_dims(sp_input: Any, axis: Any = None, name: str | None = None) -> SparseTensor:
    """Inserts a dimension of size 1 into a sparse tensor.

    Args:
        axis: The index of the new dimension; the last one if None.

    Raises:
        TypeError: The axis is not an integer.
        InvalidArgumentError: The axis is out of range.
    """
    shape, indices = sp_input.dense_shape, sp_input.indices
    at: Any = convert_to_tensor(-1 if axis is None else axis)
    if not at.dtype.is_integer:
        raise TypeError(
            "axis must be an integer value in range [-rank(sp_input) - 1, rank(sp_input)]"
        )
    static, rank = array_of(at), static_size(shape.shape, 0)
    if static is None:
        index = API["where"](at < 0, at + rank + 1, at)
    else:
        index = int(static) if static >= 0 else int(static) + rank + 1
    slice_ = API["slice"]
    column = API["zeros_like"](indices[:, :1])
    columns = [slice_(indices, [0, 0], [-1, index]), column, slice_(indices, [0, index], [-1, -1])]
    one = constant([1], dtype=int64)
    sizes = [slice_(shape, [0], [index]), one, slice_(shape, [index], [-1])]
    return SparseTensor(joined(columns, 1), sp_input.values, joined(sizes, 0))


@export("sparse.concat")
@documented_like(transpose)
def concat(
    axis: Any, sp_inputs: Any, expand_nonconcat_dims: bool = False, name: str | None = None
) -> SparseTensor:
    """Concatenates sparse tensors along an axis.

    Args:
        axis: The axis.
        sp_inputs: A list of sparse tensors of one dtype and rank.
        expand_nonconcat_dims: If True, the other dimensions may differ; the result has the largest.

    Raises:
        TypeError: The inputs are not a list, or not all sparse.
        InvalidArgumentError: The shapes are incompatible.
    """
    if not isinstance(sp_inputs, (list, tuple)):
        raise TypeError("Inputs must be a list or tuple.")
    tensors = [sparse(sp) for sp in sp_inputs]
    if not tensors:
        raise invalid("There are no sparse tensors to join.")
    if len(tensors) == 1:
        return tensors[0]
    where = _python_int(axis, "concat_dim")
    shapes = [sp.dense_shape for sp in tensors]
    if expand_nonconcat_dims:
        largest = API["reduce_max"](stack(shapes), 0)
        at = where % static_size(largest.shape, 0)
        shapes = [joined([largest[:at], s[at : at + 1], largest[at + 1 :]], 0) for s in shapes]
    indices, values = [sp.indices for sp in tensors], [sp.values for sp in tensors]
    return SparseTensor(*sparse_concat(indices, values, shapes, concat_dim=where))


def _python_int(value: Any, what: str) -> int:
    """Returns the value of an integer attribute."""
    try:
        if isinstance(value, str):
            raise TypeError
        return int(value)
    except (TypeError, ValueError):
        raise TypeError(f"Expected int for argument '{what}' not {value!r}.") from None


@export("sparse.slice")
@documented_like(transpose)
def slice_(sp_input: Any, start: Any, size: Any, name: str | None = None) -> SparseTensor:
    """Slices a sparse tensor.

    Args:
        start: The start of the slice in each dimension.
        size: The size of the slice in each dimension.

    Raises:
        InvalidArgumentError: The length of start or size differs from the rank.
    """
    sp = sparse(sp_input)
    start, size = (convert_to_tensor(x, dtype=int64) for x in (start, size))
    return SparseTensor(*sparse_slice(sp.indices, sp.values, sp.dense_shape, start, size))


@export("sparse.split")
def split(
    sp_input: Any = None, num_split: Any = None, axis: Any = None, name: str | None = None
) -> list[SparseTensor]:
    """Splits a sparse tensor into sparse tensors along an axis.

    Args:
        sp_input: A sparse tensor.
        num_split: The number of parts; the first ones are larger if the size is not divisible.
        axis: The axis.

    Returns:
        A list of sparse tensors.

    Raises:
        ValueError: An argument is missing.
        InvalidArgumentError: The axis is out of range, or the dimension is smaller than
            ``num_split``.
    """
    for what, value in (("sp_input", sp_input), ("num_split", num_split), ("axis", axis)):
        if value is None:
            raise ValueError(f"{what} is required")
    sp, count = sparse(sp_input), _python_int(num_split, "num_split")
    parts = sparse_split(
        convert_to_tensor(axis, dtype=int64), sp.indices, sp.values, sp.dense_shape, num_split=count
    )
    return [SparseTensor(*parts[i::count]) for i in range(count)]


@export("sparse.eye")
@documented_like(transpose)
def eye(
    num_rows: Any, num_columns: Any = None, dtype: Any = float32, name: str | None = None
) -> SparseTensor:
    """Creates a sparse identity matrix.

    Args:
        num_rows: The number of rows.
        num_columns: The number of columns; that of rows if None.
        dtype: The dtype of the elements.

    Raises:
        TypeError: A number is not an integer.
    """
    rows = _size(num_rows, "num_rows")
    columns = rows if num_columns is None else _size(num_columns, "num_columns")
    diagonal = API["range"](minimum(rows, columns), dtype=int64)
    indices = stack([diagonal, diagonal], axis=1)
    return SparseTensor(indices, ones([len(diagonal)], as_dtype(dtype)), stack([rows, columns]))


def _size(value: Any, what: str) -> Tensor:
    if not (isinstance(value, (int, np.integer)) or is_tensor(value)):
        raise TypeError(f"{what} must be an integer value")
    return cast(convert_to_tensor(value, dtype_hint=int64), int64)


@export("sparse.fill_empty_rows")
def fill_empty_rows(
    sp_input: Any, default_value: Any, name: str | None = None
) -> tuple[SparseTensor, Any]:
    """Fills empty rows of a sparse tensor with a default value.

    Args:
        sp_input: A sparse tensor.
        default_value: The value inserted at index 0 of each empty row.

    Returns:
        A sparse tensor, and a boolean vector of empty rows.

    Raises:
        InvalidArgumentError: The default value is not a scalar, or a row is out of range.
    """
    sp = sparse(sp_input)
    value = convert_to_tensor(default_value, dtype=sp.dtype)
    indices, values, empty, _ = sparse_fill_empty_rows(sp.indices, sp.values, sp.dense_shape, value)
    return SparseTensor(indices, values, sp.dense_shape), empty


@export("sparse.to_indicator")
def to_indicator(sp_input: Any, vocab_size: Any, name: str | None = None) -> Any:
    """Converts a sparse tensor of ids to a dense boolean indicator tensor.

    Args:
        sp_input: A sparse tensor of integers, which replace the last index.
        vocab_size: The size of the last dimension.

    Returns:
        A boolean tensor, True at each index of an id.

    Raises:
        InvalidArgumentError: An id is negative or not less than ``vocab_size``.
    """
    sp = sparse(sp_input)
    if not isinstance(vocab_size, int) and not is_tensor(vocab_size):
        raise TypeError(f"vocab_size has to be a Tensor or Python int. Found {type(vocab_size)}")
    last = API["expand_dims"](cast(sp.values, int64), 1)
    indices = joined([sp.indices[:, :-1], last], 1)
    size = API["reshape"](cast(vocab_size, int64), [1])
    marks = ones([static_size(sp.values.shape, 0)], bool_)
    result = reorder(SparseTensor(indices, marks, joined([sp.dense_shape[:-1], size], 0)))
    return to_dense(result, default_value=False, validate_indices=False)
