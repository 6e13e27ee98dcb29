"""Making ragged tensors of other things, and other things of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import constant as constants
from . import dtypes
from .constant import convert_to_tensor
from .dtypes import as_dtype, int64
from .nest import flatten, is_nested, pack_sequence_as
from .op import API, export
from .ragged_tensor import RaggedTensor, is_ragged
from .shapes import TensorShape
from .tensor import Tensor


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
    """Makes a ragged tensor of nested lists of different lengths.

    Args:
        pylist: A nested list.
        dtype: The type of the elements; inferred where None.
        ragged_rank: The number of ragged dimensions; all but the first where None.
        inner_shape: The shape of the innermost, uniform, dimensions.
        name: A name for the operation.
        row_splits_dtype: int32 or int64.

    Returns:
        A ragged tensor; a tensor where there are no ragged dimensions.

    Raises:
        TypeError: A ragged tensor is given.
        ValueError: The elements lie at different depths, or the arguments contradict each other.
    """
    if is_ragged(pylist):
        raise TypeError("pylist may not be a RaggedTensor or RaggedTensorValue.")
    if not _is_list(pylist):
        return constants.constant(pylist, dtype, _scalar_shape(pylist, ragged_rank, inner_shape))
    if ragged_rank is not None and ragged_rank < 0:
        raise ValueError(f"Invalid ragged_rank={ragged_rank!r}: must be nonnegative")
    scalar_depth, max_depth = _depths(pylist)
    _check_depths(pylist, scalar_depth, max_depth, ragged_rank, inner_shape)
    inner_rank = 0 if inner_shape is None else len(inner_shape)
    if ragged_rank == 0 or (ragged_rank is None and max_depth - inner_rank < 2):
        return constants.constant(pylist, dtype, inner_shape)
    if inner_shape is None:
        inner_shape = () if ragged_rank is None else _inner_shape(pylist, ragged_rank)
    if ragged_rank is None:
        depth = max_depth if scalar_depth is None else scalar_depth - len(inner_shape)
        ragged_rank = max(1, depth - 1)
    return _nested(pylist, dtype, ragged_rank, tuple(inner_shape), as_dtype(row_splits_dtype))


def _scalar_shape(value: Any, ragged_rank: Any, inner_shape: Any) -> tuple[int, ...]:
    if ragged_rank:
        raise ValueError(f"Invalid pylist={value!r}: incompatible with ragged_rank={ragged_rank}")
    if inner_shape:
        raise ValueError(
            f"Invalid pylist={value!r}: incompatible with dim(inner_shape)={len(inner_shape)}"
        )
    return ()


def _depths(value: Any) -> tuple[int | None, int]:
    """The depth at which scalars lie (None where there are none), and the greatest depth of lists."""
    if not _is_list(value):
        return 0, 0
    scalar_depth, max_depth = None, 1
    for child in value:
        own, deepest = _depths(child)
        if own is not None:
            if scalar_depth is not None and scalar_depth != own + 1:
                raise ValueError("all scalar values must have the same nesting depth")
            scalar_depth = own + 1
        max_depth = max(max_depth, deepest + 1)
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
    """The shape of what lies inside the ragged dimensions, which must be one shape."""
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


def _nested(
    pylist: Any, dtype: Any, ragged_rank: int, inner_shape: tuple[int, ...], splits_dtype: Any
) -> Any:
    values, nested = list(pylist), []
    for _ in range(ragged_rank):
        nested.append(np.cumsum([0, *map(len, values)]))
        values = [item for row in values for item in row]
    result: Any = constants.constant(values, dtype, (len(values), *inner_shape))
    for splits in reversed(nested):
        result = RaggedTensor(result, constants.constant(splits.astype(splits_dtype.np)))
    return result


# ------------------------------------------------------------------ tensors


def from_tensor(
    tensor: Any, lengths: Any, padding: Any, ragged_rank: int, row_splits_dtype: Any
) -> Any:
    """What ``RaggedTensor.from_tensor`` does."""
    tensor = convert_to_tensor(tensor)
    rank = tensor.shape.rank
    if lengths is not None and padding is not None:
        raise ValueError("Specify argument `lengths` or `padding`, but not both.")
    if rank is not None and rank <= 1:
        raise ValueError(
            "The rank of a RaggedTensor must be greater than 1, i.e., a list of scalars won't have "
            f"ragged dimensions. Received argument `tensor` with rank {rank}."
        )
    splits_type, dims = as_dtype(row_splits_dtype), tensor.shape.as_list()
    if ragged_rank > 1:
        flat = API["reshape"](tensor, [-1, *dims[ragged_rank:]]) if lengths is None else tensor
        inner = _uniform(flat, dims[ragged_rank]) if padding is None else from_tensor(flat, None, padding, 1, splits_type)
        for size in reversed(dims[1:ragged_rank]):
            inner = RaggedTensor.from_uniform_row_length(inner, size)
        return inner
    if padding is not None:
        lengths = _unpadded(tensor, padding)
    if lengths is None:
        return _uniform(tensor, dims[1])
    counts = convert_to_tensor(lengths)._host().astype(np.int64)
    mask = np.arange(dims[1])[None, :] < counts[:, None]
    values = API["boolean_mask"](tensor, mask)
    return RaggedTensor.from_row_lengths(values, np.minimum(np.maximum(counts, 0), dims[1]).astype(splits_type.np))


def _uniform(tensor: Any, length: int) -> Any:
    dims = tensor.shape.as_list()
    flat = API["reshape"](tensor, [dims[0] * dims[1], *dims[2:]])
    return RaggedTensor.from_uniform_row_length(flat, length, nrows=dims[0])


def _unpadded(tensor: Any, padding: Any) -> Any:
    """The lengths of rows without the padding at their ends."""
    fill = convert_to_tensor(padding, dtype=tensor.dtype)._host()
    values = tensor._host()
    kept = (values != fill).reshape(*values.shape[:2], -1).any(axis=2)
    return np.where(kept, np.arange(1, values.shape[1] + 1), 0).max(axis=1, initial=0)


def to_tensor(rt: Any, default_value: Any, shape: Any) -> Any:
    """What ``RaggedTensor.to_tensor`` does."""
    values = rt.flat_values
    dtype = values.dtype
    fill = None if default_value is None else convert_to_tensor(default_value, dtype=dtype)
    bounds = rt._bounds()
    wanted = TensorShape(shape)
    sizes = [b if w is None else w for b, w in zip(bounds, wanted.as_list(), strict=True)] if wanted.rank is not None else bounds
    empty = b"" if dtype.kind == "s" else dtype.np.type(0)
    result = np.full(sizes, empty if fill is None else fill._host(), dtype.np)
    index: list[Any] = []
    for splits in rt.nested_row_splits:
        host = splits._host()
        ids = np.repeat(np.arange(len(host) - 1), np.diff(host))
        offsets = np.arange(len(ids)) - host[:-1][ids]
        index = [own[ids] for own in index] if index else [ids]
        index.append(offsets)
    inside = np.logical_and.reduce([i < n for i, n in zip(index, sizes, strict=False)])
    where = tuple(i[inside] for i in index)
    inner = tuple(slice(0, n) for n in sizes[len(index) :])
    result[where] = values._host()[inside][(slice(None), *inner)]
    return convert_to_tensor(result) if dtype.kind != "q" else constants.constant(result, dtype)


# ------------------------------------------------------------------ functions


@export("ragged.map_flat_values")
def map_flat_values(op: Any, *args: Any, **kwargs: Any) -> Any:
    """Applies a function to the innermost values of ragged tensors.

    Args:
        op: The function; it gives as many values as it is given.
        *args: Its arguments, of which ragged tensors (also in lists) stand for their values.
        **kwargs: Its keyword arguments.

    Returns:
        A ragged tensor; what the function gives where no argument is ragged.

    Raises:
        InvalidArgumentError: The rows of the ragged arguments differ.
    """
    found = [x for x in flatten([args, kwargs]) if is_ragged(x)]
    if not found:
        return op(*args, **kwargs)
    assert_same_rows(found)
    plain_args, plain_kwargs = _flat((args, kwargs))
    return found[0].with_flat_values(op(*plain_args, **plain_kwargs))


def _flat(structure: Any) -> Any:
    leaves = [x.flat_values if is_ragged(x) else x for x in flatten(structure)]
    return pack_sequence_as(structure, leaves) if is_nested(structure) else leaves[0]


def assert_same_rows(tensors: Any) -> None:
    """Raises InvalidArgumentError where ragged tensors have different rows."""
    first = tensors[0].nested_row_splits
    for other in tensors[1:]:
        splits = other.nested_row_splits
        if len(splits) != len(first):
            raise ValueError("Inputs must have identical ragged splits")
        for a, b in zip(first, splits, strict=True):
            if a is not b:
                API["debugging.assert_equal"](API["cast"](a, int64), API["cast"](b, int64))


@export("ragged.range")
def range_(
    starts: Any,
    limits: Any = None,
    deltas: Any = 1,
    dtype: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = int64,
) -> Any:
    """Returns a row of evenly spaced numbers for each start.

    Args:
        starts: The first numbers; the limits where these are None, and 0 the first numbers.
        limits: The ends, which are left out.
        deltas: The steps.
        dtype: The type; that of the arguments where None.
        name: A name for the operation.
        row_splits_dtype: int32 or int64.

    Returns:
        A ragged tensor.

    Raises:
        InvalidArgumentError: A step is 0, or the arguments differ in size.
    """
    if limits is None:
        starts, limits = 0, starts
    given = [np.asarray(convert_to_tensor(x, dtype=dtype)._host()) for x in (starts, limits, deltas)]
    if dtype is None:
        common = np.result_type(*given)
        given = [x.astype(common) for x in given]
    first, last, step = np.broadcast_arrays(*(np.atleast_1d(x) for x in given))
    if (step == 0).any():
        raise dtypes_error("Requires delta != 0")
    counts = np.maximum(np.ceil((last - first) / step), 0).astype(np.int64)
    splits = np.concatenate([[0], np.cumsum(counts)])
    within = np.arange(splits[-1]) - np.repeat(splits[:-1], counts)
    values = np.repeat(first, counts) + within.astype(first.dtype) * np.repeat(step, counts)
    splits = splits.astype(as_dtype(row_splits_dtype).np)
    return RaggedTensor(convert_to_tensor(values.astype(first.dtype)), convert_to_tensor(splits))


def dtypes_error(message: str) -> Exception:
    from .errors import invalid

    return invalid(message)


def as_ragged(x: Any, ragged_rank: int = 1) -> Any:
    """A tensor as a ragged one; a ragged one as it is."""
    return x if is_ragged(x) else RaggedTensor.from_tensor(x, ragged_rank=ragged_rank)


def concat_rows(tensors: Any) -> Any:
    """Ragged tensors of one rank joined along the first dimension."""
    ragged = [as_ragged(x) for x in tensors]
    inner = [x.values for x in ragged]
    values = concat_rows(inner) if any(map(is_ragged, inner)) else API["concat"](inner, 0)
    lengths = np.concatenate([x._lengths() for x in ragged])
    return RaggedTensor.from_row_lengths(values, lengths, validate=False)


@export("ragged.stack")
def stack(values: Any, axis: int = 0, name: str | None = None) -> Any:
    """Stacks tensors of one rank, whose shapes may differ, along a new first dimension.

    Args:
        values: A list of tensors, ragged or not.
        axis: The new dimension; only 0.
        name: A name for the operation.

    Returns:
        A ragged tensor.

    Raises:
        ValueError: There are no tensors, or another dimension is asked for.
    """
    if not isinstance(values, (list, tuple)):
        values = list(values)
    if not values:
        raise ValueError("rt_inputs may not be empty.")
    if axis != 0:
        raise ValueError(f"tf.ragged.stack along axis={axis} is not supported; only axis=0 is.")
    tensors = [x if is_ragged(x) else convert_to_tensor(x) for x in values]
    if tensors[0].shape.rank == 0:
        return API["stack"](tensors)
    if any(map(is_ragged, tensors)) or tensors[0].shape.rank > 1:
        lengths = [x.shape[0] for x in tensors]
        return RaggedTensor.from_row_lengths(concat_rows(tensors), lengths)
    return RaggedTensor.from_row_lengths(API["concat"](tensors, 0), [x.shape[0] for x in tensors])


@export("ragged.boolean_mask")
def boolean_mask(data: Any, mask: Any, name: str | None = None) -> Any:
    """Returns the elements of each row where a mask is true.

    Args:
        data: A tensor, ragged or not.
        mask: A boolean tensor of the same leading shape.
        name: A name for the operation.

    Returns:
        A ragged tensor.
    """
    data, mask = as_ragged(data), as_ragged(mask)
    kept = mask.flat_values._host()
    splits = data.row_splits._host()
    counted = np.concatenate([[0], np.cumsum(kept)])
    values = API["boolean_mask"](data.values, mask.flat_values)
    return RaggedTensor(values, convert_to_tensor(counted[splits].astype(splits.dtype)))


@export("ragged.row_splits_to_segment_ids")
def row_splits_to_segment_ids(splits: Any, name: str | None = None, out_type: Any = None) -> Any:
    """Returns the row of each element, given where rows begin and end.

    Args:
        splits: Row splits.
        name: A name for the operation.
        out_type: int32 or int64; that of the splits where None.

    Returns:
        An integer vector.

    Raises:
        ValueError: There are no splits.
    """
    tensor = convert_to_tensor(splits, dtype_hint=int64)
    if tensor.dtype not in (dtypes.int32, int64):
        raise ValueError("splits must have dtype int32 or int64")
    if tensor.shape[0] == 0:
        raise ValueError("Invalid row_splits: []")
    lengths = np.diff(tensor._host())
    ids = np.repeat(np.arange(len(lengths)), lengths)
    return convert_to_tensor(ids.astype(as_dtype(out_type or tensor.dtype).np))


@export("ragged.segment_ids_to_row_splits")
def segment_ids_to_row_splits(
    segment_ids: Any, num_segments: Any = None, out_type: Any = None, name: str | None = None
) -> Any:
    """Returns where rows begin and end, given the row of each element.

    Args:
        segment_ids: The row of each element.
        num_segments: The number of rows; one more than the last where None.
        out_type: int32 or int64; int64 for Python values where None.
        name: A name for the operation.

    Returns:
        An integer vector.
    """
    plain = not isinstance(segment_ids, (Tensor, np.ndarray))
    ids = convert_to_tensor(segment_ids, dtype=int64 if plain else None)
    wanted = as_dtype(out_type or ids.dtype)
    least = 0 if num_segments is None else int(num_segments)
    counts = np.bincount(ids._host(), minlength=least)
    return convert_to_tensor(np.concatenate([[0], np.cumsum(counts)]).astype(wanted.np))


class RaggedTensorSpec:
    """The shape and type of a ragged tensor that is not there yet.

    Args:
        shape: The shape, with None for ragged dimensions.
        dtype: The type of the elements.
        ragged_rank: The number of ragged dimensions; all but the first where None.
        row_splits_dtype: int32 or int64.
    """

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        ragged_rank: int | None = None,
        row_splits_dtype: Any = int64,
    ) -> None:
        self._shape, self._dtype = TensorShape(shape), as_dtype(dtype)
        self._row_splits_dtype = as_dtype(row_splits_dtype)
        rank = self._shape.rank
        if ragged_rank is None:
            if rank is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = rank - 1
        self._ragged_rank = ragged_rank

    @property
    def shape(self) -> TensorShape:
        """The shape."""
        return self._shape

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the elements."""
        return self._dtype

    @property
    def ragged_rank(self) -> int:
        """The number of ragged dimensions."""
        return self._ragged_rank

    @property
    def row_splits_dtype(self) -> dtypes.DType:
        """The type of the row splits."""
        return self._row_splits_dtype

    @property
    def value_type(self) -> type:
        """The class of the values that this describes."""
        return RaggedTensor if self._ragged_rank > 0 else Tensor

    def _parts(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RaggedTensorSpec) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(self._parts())

    def __repr__(self) -> str:
        shape, dtype, rank, splits = self._parts()
        return f"RaggedTensorSpec({shape!r}, {dtype!r}, {rank}, {splits!r})"
