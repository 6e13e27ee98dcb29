"""Datasets of batches of rows: unbatch, rebatch, padded_batch, ragged_batch, sparse_batch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from twinflow._src.composite_tensors.ragged_tensor import RaggedTensorSpec
from twinflow._src.composite_tensors.sparse_tensor import SparseTensorSpec
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import as_dtype, bool_, int64, string
from twinflow._src.core.errors import DataLossError, invalid
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.specs import TensorSpec
from twinflow._src.dispatch.op import API
from twinflow._src.graph.static_values import array_of
from twinflow._src.wings.data.batching import known_size
from twinflow._src.wings.data.dataset import DatasetV2, makes
from twinflow._src.wings.data.dataset_ops import build_variant, builds, scalar
from twinflow._src.wings.data.legacy_structure import align
from twinflow._src.wings.data.nesting import TransformedDataset
from twinflow._src.wings.data.stages import INFINITE, UNKNOWN, BatchStage, Run, Stage, StageIterator
from twinflow._src.wings.data.structure import (
    Element,
    Elements,
    dims_text,
    is_nested,
    map_leaves,
    pack_like,
)

# Rows of batches.


class UnbatchStage(Stage):
    """The rows of batches."""

    def __init__(self, elements: Elements, source: Stage, size: int | None) -> None:
        self.elements, self.inputs, self._size = elements, (source,), size

    def cardinality(self) -> int:
        """Returns the number of rows where the batches have a static size."""
        count = self.inputs[0].cardinality()
        if count == INFINITE:
            return count
        return UNKNOWN if self._size is None or count < 0 else count * self._size

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator over the rows."""
        return UnbatchIterator(self.elements, self.inputs[0].iterate(run))


class UnbatchIterator(StageIterator):
    """An iterator over the rows of batches."""

    def __init__(self, elements: Elements, source: StageIterator) -> None:
        self.elements, self.upstream, self._source = elements, (source,), source
        self._batches = source.elements
        self._batch: Element | None = None
        self._next, self._count = 0, 0

    def _advance(self) -> None:
        """Takes the next batch that has rows."""
        while self._next >= self._count:
            self._batch = None
            batch = next(self._source)
            if any(isinstance(x, np.ndarray) and not x.ndim for x in batch):
                raise invalid("Input element must have a non-scalar value in each component.")
            counts = {leaf.count(x) for leaf, x in zip(self._batches.leaves, batch)}
            if len(counts) > 1:
                raise invalid("Input element must have the same batch size in each component.")
            self._batch, self._next, self._count = batch, 0, counts.pop()

    def __next__(self) -> Element:
        self._advance()
        batch: Any = self._batch
        self._next += 1
        return self._batches.row(batch, self._next - 1)

    def block(self, count: int) -> Element | None:
        """Returns a batch of the next rows."""
        parts, left = [], count
        while left:
            try:
                self._advance()
            except StopIteration:
                break
            batch: Any = self._batch
            stop = min(self._next + left, self._count)
            parts.append(self._batches.slice(batch, self._next, stop))
            left -= stop - self._next
            self._next = stop
        return self._batches.concat(parts) if parts else None

    def position(self) -> dict[str, Any]:
        """Returns the current batch and the index of the next row."""
        batch = None if self._batch is None else list(self._batch)
        return {"batch": batch, "next": self._next, "count": self._count}

    def move(self, saved: dict[str, Any]) -> None:
        """Restores the current batch and the index of the next row."""
        self._batch = None if saved["batch"] is None else tuple(saved["batch"])
        self._next, self._count = int(saved["next"]), int(saved["count"])


class RebatchStage(Stage):
    """Batches of other sizes, in turn."""

    def __init__(self, elements: Elements, source: Stage, sizes: list[int], drops: bool) -> None:
        if any(size <= 0 for size in sizes) or not sizes:
            raise invalid(f"Batch size must be greater than zero. Got {sizes}.")
        self.elements, self.inputs, self._sizes, self._drops = elements, (source,), sizes, drops

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator over the batches."""
        source = self.inputs[0].iterate(run)
        return RebatchIterator(self.elements, source, self._sizes, self._drops)


class RebatchIterator(StageIterator):
    """An iterator over batches of other sizes."""

    def __init__(
        self, elements: Elements, source: StageIterator, sizes: list[int], drops: bool
    ) -> None:
        self.elements, self._sizes, self._drops, self._turn = elements, sizes, drops, 0
        self._rows = UnbatchIterator(source.elements, source)
        self.upstream = (self._rows,)

    def __next__(self) -> Element:
        size = self._sizes[self._turn]
        batch = self._rows.block(size)
        if batch is None or (self._drops and self.elements.count(batch) < size):
            raise StopIteration
        self._turn = (self._turn + 1) % len(self._sizes)
        return batch

    def position(self) -> dict[str, Any]:
        """Returns the index of the next size."""
        return {"turn": self._turn}

    def move(self, saved: dict[str, Any]) -> None:
        """Restores the index of the next size."""
        self._turn = int(saved["turn"])


class _UnbatchDataset(TransformedDataset):
    """The rows of batches."""


class _RebatchDataset(TransformedDataset):
    """Batches of other sizes."""


@builds("UnbatchDataset")
def _unbatch_stage(elements: Elements, size: int | None, source: Stage) -> Stage:
    return UnbatchStage(elements, source, size)


@makes("unbatch")
def _unbatch(dataset: DatasetV2, name: str | None = None) -> DatasetV2:
    size = None
    for leaf in dataset._elements.leaves:
        shape = getattr(leaf.spec, "shape", None)
        if isinstance(shape, TensorShape) and shape.ndims == 0:
            raise ValueError("Cannot unbatch an input with scalar components.")
        rows = shape.as_list()[0] if isinstance(shape, TensorShape) and shape.ndims else None
        if None not in (rows, size) and rows != size:
            raise ValueError(
                "`unbatch()` is only supported for datasets of elements whose components have a "
                f"matching leading dimension. Encountered both {size} and {rows}."
            )
        size = rows if size is None else size
    elements = Elements(dataset._elements.unbatched())
    variant = build_variant("UnbatchDataset", (elements, size), [dataset])
    return _UnbatchDataset(dataset, variant, elements)


@builds("RebatchDatasetV2")
def _rebatch_stage(elements: Elements, source: Stage, sizes: Any, drops: Any) -> Stage:
    return RebatchStage(elements, source, np.atleast_1d(sizes).tolist(), bool(drops))


@makes("rebatch")
def _rebatch(
    dataset: DatasetV2, batch_size: Any, drop_remainder: Any = False, name: str | None = None
) -> DatasetV2:
    sizes = convert_to_tensor(batch_size, dtype=int64, name="batch_size")
    drops = scalar(drop_remainder, "drop_remainder", bool_)
    static = _static_size(dataset, sizes, drops)
    rows = Elements(dataset._elements.unbatched())
    elements = Elements(rows.batched(static))
    variant = build_variant("RebatchDatasetV2", (elements,), [dataset], [sizes, drops])
    return _RebatchDataset(dataset, variant, elements)


def _static_size(dataset: DatasetV2, sizes: Any, drops: Any) -> int | None:
    """Returns the static number of rows of all new batches, None where it is unknown or varies."""
    specs = [leaf.spec for leaf in dataset._elements.leaves]
    shapes: list[Any] = [
        s.shape for s in specs if isinstance(getattr(s, "shape", None), TensorShape)
    ]
    has_scalars = any(shape.ndims == 0 for shape in shapes)
    values, size = array_of(sizes), None
    if values is not None and values.size and (values == values.flat[0]).all():
        size = int(values.flat[0])
    if size is not None and not array_of(drops):
        if has_scalars:
            raise ValueError(
                "Invalid `batch_sizes`. Expected dataset with rank of >= 1 but found a dataset with "
                "scalar elements. Fix the issue by adding the `batch` transformation to the dataset."
            )
        counts = [shape.as_list()[0] for shape in shapes if shape.ndims]
        counts = [count for count in counts if count is not None]
        if not counts or size < 1 or any(count % size for count in counts):
            size = None
    if has_scalars:
        raise ValueError("Unbatching a tensor is only supported for rank >= 1")
    return size


# Batches of elements of different shapes.


class CombineStage(BatchStage):
    """Batches that a function makes of several elements."""

    def __init__(
        self, elements: Elements, source: Stage, size: int, drops: bool, combine: Any
    ) -> None:
        super().__init__(elements, source, size, drops)
        self._combine = combine

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator over the batches."""
        source = self.inputs[0].iterate(run)
        return CombineIterator(self.elements, source, self._size, self._drops, self._combine)


class CombineIterator(StageIterator):
    """An iterator over batches that a function makes."""

    def __init__(
        self, elements: Elements, source: StageIterator, size: int, drops: bool, combine: Any
    ) -> None:
        self.elements, self.upstream, self._pull = elements, (source,), source.pull
        self._size, self._drops, self._combine = size, drops, combine

    def __next__(self) -> Element:
        pulled = self._pull(self._size)
        if not pulled or (self._drops and len(pulled) < self._size):
            raise StopIteration
        return tuple(self._combine(list(zip(*pulled))))


class _PaddedBatchDataset(TransformedDataset):
    """Batches of padded elements."""


class _BatchDataset(TransformedDataset):
    """Batches of elements as ragged tensors; their text has the name of other batches."""


class _SparseBatchDataset(TransformedDataset):
    """Batches of elements as sparse tensors."""


def _padded_shapes(dataset: DatasetV2, padded_shapes: Any) -> list[TensorShape]:
    """Returns the shape of each component in a batch, without the first dimension."""
    leaves = dataset._elements.leaves
    for leaf in leaves:
        if not isinstance(leaf.spec, TensorSpec):
            raise TypeError(
                "`padded_batch` is only supported for datasets that produce tensor elements but type spec "
                f"of elements in the input dataset is not a subclass of TensorSpec: `{leaf.spec}`."
            )
    specs = [leaf.spec for leaf in leaves]
    if padded_shapes is None:
        for i, spec in enumerate(specs):
            if spec.shape.ndims is None:
                raise ValueError(
                    f"You must provide `padded_shapes` argument because component {i} has unknown rank."
                )
        return [spec.shape for spec in specs]
    shapes = [_as_shape(s) for s in align(dataset.element_spec, padded_shapes)]
    for shape, spec in zip(shapes, specs):
        if not _holds(shape, spec.shape):
            raise ValueError(
                f"The padded shape {_dims_text(shape)} is not compatible with the shape "
                f"{_dims_text(spec.shape)} of the corresponding input component."
            )
    return shapes


def _holds(padded: TensorShape, shape: TensorShape) -> bool:
    """True unless it is known that elements of a shape do not fit into a padded shape."""
    if padded.ndims is None or shape.ndims is None:
        return True
    return padded.ndims == shape.ndims and not any(
        size is not None and least is not None and size < least
        for size, least in zip(padded.as_list(), shape.as_list())
    )


def _dims_text(shape: TensorShape) -> str:
    return str(tuple(shape.as_list()))


def _as_shape(value: Any) -> TensorShape:
    """Returns a padded shape: a shape, what converts to one, or a vector tensor with -1 for unknown."""
    try:
        return TensorShape(value)
    except (TypeError, ValueError):
        pass
    sizes = convert_to_tensor(value, dtype_hint=int64)
    refusal = f"Padded shape {value} must be a `tf.int64` vector tensor, but its"
    if sizes.shape.ndims != 1:
        raise ValueError(f"{refusal} shape was {sizes.shape}.")
    if sizes.dtype is not int64:
        raise TypeError(f"{refusal} element type was {sizes.dtype.name}.")
    dims = array_of(sizes)
    if dims is None:
        return TensorShape([None] * sizes.shape[0])
    return TensorShape([None if size == -1 else size for size in dims.tolist()])


def _padding_values(dataset: DatasetV2, padding_values: Any) -> list[Any]:
    """Returns the tensor of the padding of each component."""
    leaves = dataset._elements.leaves
    if padding_values is None or not is_nested(padding_values):
        values = [padding_values] * len(leaves)
    else:
        values = align(dataset.element_spec, padding_values)
    return [_padding(value, leaf.dtype) for value, leaf in zip(values, leaves)]


def _padding(value: Any, dtype: Any) -> Any:
    if value is None:
        value = "" if dtype == string else np.zeros((), dtype.np)
    tensor = convert_to_tensor(value, name="padding_value")
    if tensor.shape.ndims not in (None, 0):
        raise ValueError(
            "Invalid `padding_values`. `padding_values` values should be scalars, but got "
            f"{_dims_text(tensor.shape)}."
        )
    if tensor.dtype != dtype:
        raise TypeError(
            f"Invalid `padding_values`. `padding_values` values type {tensor.dtype} does "
            f"not match type {dtype} of the corresponding input component."
        )
    return tensor


def pad(column: Any, shape: TensorShape, padding: Any) -> Any:
    """Returns arrays stacked in an array of a shape; unknown sizes are those of the largest."""
    rank = column[0].ndim
    sizes = list(shape.as_list()) if shape.ndims is not None else [None] * rank
    if len(sizes) != rank or any(value.ndim != rank for value in column):
        raise invalid(
            "All elements in a batch must have the same rank as the padded shape for component"
        )
    for axis, size in enumerate(sizes):
        largest = max(value.shape[axis] for value in column)
        if size is None:
            sizes[axis] = largest
        elif largest > size:
            raise DataLossError(
                None, None, "Attempted to pad to a smaller size than the input element."
            )
    result = np.full((len(column), *sizes), padding[()], column[0].dtype)
    for i, value in enumerate(column):
        corner: Any = (i, *map(slice, value.shape))
        result[corner] = value[()]  # a string, not an array of it
    return result


@builds("PaddedBatchDatasetV2")
def _padded_stage(
    elements: Elements, shapes: Sequence[Any], source: Stage, size: Any, drops: Any, *paddings: Any
) -> Stage:
    combine = lambda columns: [pad(*each) for each in zip(columns, shapes, paddings)]
    return CombineStage(elements, source, int(size), bool(drops), combine)


@makes("padded_batch")
def _padded_batch(
    dataset: DatasetV2,
    batch_size: Any,
    padded_shapes: Any = None,
    padding_values: Any = None,
    drop_remainder: Any = False,
    name: str | None = None,
) -> DatasetV2:
    shapes = _padded_shapes(dataset, padded_shapes)
    paddings = _padding_values(dataset, padding_values)
    size = scalar(batch_size, "batch_size")
    drops = scalar(drop_remainder, "drop_remainder", bool_)
    count = known_size(size, drops)
    specs = [
        TensorSpec(TensorShape([count]).concatenate(shape), leaf.dtype)
        for shape, leaf in zip(shapes, dataset._elements.leaves)
    ]
    elements = Elements(pack_like(dataset.element_spec, specs))
    params = elements, tuple(shapes)
    variant = build_variant("PaddedBatchDatasetV2", params, [dataset], [size, drops, *paddings])
    return _PaddedBatchDataset(dataset, variant, elements)


def _ragged_spec(spec: Any, splits_type: Any) -> Any:
    """Returns the spec of elements in ragged batches: unchanged where all sizes are static."""
    if not isinstance(spec, TensorSpec) or spec.shape.is_fully_defined():
        return spec
    if spec.shape.ndims is None:
        raise TypeError(f"Elements of unknown rank cannot be batched as ragged tensors: {spec!r}.")
    # Dimensions after the last one of unknown size are uniform: they stay dimensions of the values.
    last = max(axis for axis, size in enumerate(spec.shape.as_list()) if size is None)
    return RaggedTensorSpec(spec.shape, spec.dtype, last, splits_type)


def _ragged_value(array: Any, ragged_rank: int, splits_type: Any) -> Any:
    """Returns an array as flat values and row splits."""
    splits, rows = [], 1
    for size, inner in zip(array.shape, array.shape[1 : ragged_rank + 1]):
        rows *= size
        splits.append(np.arange(0, rows * inner + 1, inner or 1, dtype=splits_type)[: rows + 1])
        if not inner:
            splits[-1] = np.zeros(rows + 1, splits_type)
    uniform = array.shape[ragged_rank + 1 :]
    return (array.reshape(math.prod(array.shape[: ragged_rank + 1]), *uniform), *splits)


@builds("RaggedBatchDataset")
def _ragged_stage(
    elements: Elements,
    rows: Elements,
    ranks: Sequence[int | None],
    splits: Any,
    source: Stage,
    size: Any,
    drops: Any,
) -> Stage:
    def combine(columns: Any) -> Any:
        for i, (leaf, column, rank) in enumerate(zip(rows.leaves, columns, ranks)):
            if rank is not None:
                column = [_ragged_value(x, rank, splits.np) for x in column]
            yield leaf.stack(column, i)

    return CombineStage(elements, source, int(size), bool(drops), combine)


@makes("ragged_batch")
def _ragged_batch(
    dataset: DatasetV2,
    batch_size: Any,
    drop_remainder: Any = False,
    row_splits_dtype: Any = int64,
    name: str | None = None,
) -> DatasetV2:
    splits = as_dtype(row_splits_dtype)
    spec = map_leaves(lambda s: _ragged_spec(s, splits), dataset.element_spec)
    rows = Elements(spec)
    ranks = [
        None if a.spec is b.spec else a.spec.ragged_rank
        for a, b in zip(rows.leaves, dataset._elements.leaves)
    ]
    size = scalar(batch_size, "batch_size")
    drops = scalar(drop_remainder, "drop_remainder", bool_)
    elements = Elements(rows.batched(known_size(size, drops)))
    params = elements, rows, tuple(ranks), splits
    variant = build_variant("RaggedBatchDataset", params, [dataset], [size, drops])
    return _BatchDataset(dataset, variant, elements)


@makes("sparse_batch")
def _sparse_batch(
    dataset: DatasetV2, batch_size: Any, row_shape: Any, name: str | None = None
) -> DatasetV2:
    spec = dataset.element_spec
    if not isinstance(spec, TensorSpec):
        raise TypeError("The input dataset of `sparse_batch` must have one tensor as its element.")
    shape = _as_shape(row_shape)
    dims: Any = shape.as_list()
    elements = Elements(SparseTensorSpec([None, *dims], spec.dtype))
    variant = build_variant(
        "DenseToSparseBatchDataset",
        (elements, tuple(dims)),
        [dataset],
        [scalar(batch_size, "batch_size")],
    )
    return _SparseBatchDataset(dataset, variant, elements)


@builds("DenseToSparseBatchDataset")
def _sparse_stage(
    elements: Elements, dims: Sequence[int | None], source: Stage, size: Any
) -> Stage:
    def combine(columns: Any) -> Any:
        (column,) = columns
        sizes = [max(x.shape[a] for x in column) if d is None else d for a, d in enumerate(dims)]
        parts = []
        for i, value in enumerate(column):
            if any(a > b for a, b in zip(value.shape, sizes)):
                raise DataLossError(
                    None,
                    None,
                    f"Input element had shape ({dims_text(value.shape)}) that is larger than the row "
                    f"shape ({dims_text(sizes)}).",
                )
            grid = np.indices(value.shape).reshape(value.ndim, -1).T
            parts.append(np.concatenate([np.full((len(grid), 1), i), grid], 1))
        indices = np.concatenate(parts).astype(np.int64)
        values = np.concatenate([value.reshape(-1) for value in column])
        yield indices, values, np.array([len(column), *sizes], np.int64)

    return CombineStage(elements, source, int(size), False, combine)


# Buckets.


@makes("bucket_by_sequence_length")
def bucket_by_sequence_length(
    dataset: Any,
    element_length_func: Any,
    bucket_boundaries: Any,
    bucket_batch_sizes: Any,
    padded_shapes: Any = None,
    padding_values: Any = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
    name: str | None = None,
) -> DatasetV2:
    """Returns a dataset of batches of elements of similar lengths; see the method."""
    if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
        raise ValueError(
            "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
            f"`len(bucket_batch_sizes)={len(bucket_batch_sizes)}` and "
            f"`len(bucket_boundaries)={len(bucket_boundaries)}`."
        )
    sizes = convert_to_tensor(bucket_batch_sizes, dtype=int64)
    boundaries = np.array([0, *bucket_boundaries], np.int64)
    limits = np.array([*bucket_boundaries, np.iinfo(np.int32).max], np.int64)

    def bucket(*element: Any) -> Any:
        length = API["cast"](element_length_func(*element), int64)
        is_inside = API["logical_and"](boundaries <= length, length < limits)
        return API["cast"](API["reduce_min"](API["where"](is_inside)), int64)

    def batch(key: Any, group: Any) -> Any:
        size = sizes[key]
        if no_padding:
            return group.batch(size, drop_remainder=drop_remainder)
        none_filler = None
        if pad_to_bucket_boundary:
            message = (
                "When pad_to_bucket_boundary=True, elements must have length < "
                "max(bucket_boundaries)."
            )
            check = API["debugging.assert_less"](
                key, convert_to_tensor(len(bucket_boundaries), dtype=int64), message=message
            )
            with API["control_dependencies"]([] if check is None else [check]):
                none_filler = convert_to_tensor(limits)[key] - 1
        shapes = _filled_shapes(group, padded_shapes, none_filler)
        return padded_batch_of_tensors(group, size, shapes, padding_values, drop_remainder)

    return dataset.group_by_window(bucket, batch, window_size_func=lambda key: sizes[key])


def _filled_shapes(group: DatasetV2, padded_shapes: Any, filler: Any) -> list[Any]:
    """Returns the padded shapes: lists of sizes, in which a tensor stands for unknown ones."""
    shapes = _padded_shapes(group, padded_shapes)
    return [[filler if size is None else size for size in shape.as_list()] for shape in shapes]


def padded_batch_of_tensors(
    dataset: DatasetV2, size: Any, shapes: list[Any], padding_values: Any, drops: Any
) -> DatasetV2:
    """Returns padded batches, whose padded shapes may hold tensors."""
    paddings = _padding_values(dataset, padding_values)
    flat = [scalar(-1 if x is None else x, "padded_shape") for shape in shapes for x in shape]
    specs = [
        TensorSpec([None, *(x if isinstance(x, int) else None for x in shape)], leaf.dtype)
        for shape, leaf in zip(shapes, dataset._elements.leaves)
    ]
    elements = Elements(pack_like(dataset.element_spec, specs))
    tensors = [
        scalar(size, "batch_size"),
        scalar(drops, "drop_remainder", bool_),
        *flat,
        *paddings,
    ]
    params = elements, tuple(map(len, shapes))
    variant = build_variant(
        "PaddedBatchDatasetV2", params, [dataset], tensors, kind="padded by tensors"
    )
    return _PaddedBatchDataset(dataset, variant, elements)


@builds("padded by tensors")
def _padded_by_tensors_stage(
    elements: Elements, ranks: Sequence[int], source: Stage, size: Any, drops: Any, *values: Any
) -> Stage:
    left = iter(values)
    shapes = [_as_shape([int(next(left)) for _ in range(rank)]) for rank in ranks]
    return _padded_stage(elements, shapes, source, size, drops, *left)
