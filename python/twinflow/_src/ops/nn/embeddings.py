"""Embedding lookups: in tables that may be sharded, and for sparse ids with combiners."""

from __future__ import annotations

from typing import Any

from twinflow._src.composite_tensors.ragged_factories import is_ragged
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.conversion.constant import convert_to_tensor, dense
from twinflow._src.core.dtypes import int32, int64
from twinflow._src.core.shapes import static_size
from twinflow._src.dispatch.op import API, documented_like, export
from twinflow._src.ops.array.concat import concat
from twinflow._src.ops.array.dynamic_partition import dynamic_partition, parallel_dynamic_stitch
from twinflow._src.ops.array.gather import gather
from twinflow._src.ops.array.shapes import rank_of, sizes_of
from twinflow._src.ops.elementwise.cast import cast, identity
from twinflow._src.ops.reduce.reduce import size

_COMBINERS = ("mean", "sqrtn", "sum")


def _rows_of(ids: Any) -> Any:
    """Returns the row of each id of a sparse or ragged matrix."""
    rows = ids.value_rowids() if is_ragged(ids) else ids.indices[:, 0]
    return API["cast"](rows, int32)


def _check(params: Any, sp_ids: Any, sp_weights: Any, combiner: str) -> None:
    if params is None:
        raise ValueError("params must be specified")
    if combiner not in _COMBINERS:
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner}")
    if not isinstance(sp_ids, SparseTensor) and not is_ragged(sp_ids):
        raise TypeError(f"sp_ids must be SparseTensor, got {type(sp_ids)}")
    if sp_weights is not None and type(sp_weights) is not type(sp_ids):
        raise TypeError(
            f"sp_weights must be either None or {type(sp_ids).__name__}, got {type(sp_weights)}"
        )


def _weighted(embeddings: Any, rows: Any, weights: Any, combiner: str) -> Any:
    """Combines embeddings per row: weighted sum, mean or sqrtn."""
    weights = API["cast"](weights, embeddings.dtype)
    shape = [-1] + [1] * (embeddings.shape.rank - 1)
    total = API["math.segment_sum"](embeddings * API["reshape"](weights, shape), rows)
    if combiner == "sum":
        return total
    power = weights if combiner == "mean" else API["square"](weights)
    scale = API["math.segment_sum"](power, rows)
    scale = scale if combiner == "mean" else API["sqrt"](scale)
    return API["math.divide_no_nan"](total, API["reshape"](scale, shape))


@export("nn.embedding_lookup_sparse")
def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    combiner: str | None = None,
    max_norm: Any = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Any:
    """Looks up embeddings for sparse ids and combines them per row.

    Args:
        params: The embedding table, or a list of its shards.
        sp_ids: The ids, a sparse or ragged matrix.
        sp_weights: Weights with the same type and indices as ``sp_ids``; 1 if None.
        combiner: ``"mean"`` (if None), ``"sqrtn"`` or ``"sum"``.
        max_norm: The maximum L2 norm of an embedding; longer ones are clipped.
        name: A name for the operation.
        allow_fast_lookup: Accepted and without effect.

    Returns:
        A tensor with a row for each row of ``sp_ids``, up to the last row that has ids.

    Raises:
        ValueError: The combiner is unknown.
        TypeError: ``sp_ids`` is not a sparse or ragged tensor.
    """
    combiner = "mean" if combiner is None else combiner
    _check(params, sp_ids, sp_weights, combiner)
    rows = _rows_of(sp_ids)
    unique_ids, index = API["unique"](sp_ids.values)
    embeddings = API["nn.embedding_lookup"](params, unique_ids, max_norm)
    if sp_weights is not None:
        each = API["gather"](embeddings, index)
        return _weighted(each, rows, sp_weights.values, combiner)
    names = {"sum": "segment_sum", "mean": "segment_mean", "sqrtn": "segment_sqrt_n"}
    return API[f"sparse.{names[combiner]}"](embeddings, index, rows)


@export("nn.safe_embedding_lookup_sparse")
@documented_like(embedding_lookup_sparse)
def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str = "mean",
    default_id: Any = None,
    max_norm: Any = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Any:
    """Looks up embeddings for sparse ids and combines them, ignoring invalid ids and empty rows.

    Args:
        embedding_weights: The embedding table, or a list of its shards.
        sparse_ids: The ids, a sparse tensor of rank 2 or more; negative ids are dropped.
        sparse_weights: Weights of the ids; ids with weights <= 0 are dropped unless the combiner is
            ``"sum"``.
        combiner: ``"mean"``, ``"sqrtn"`` or ``"sum"``.
        default_id: The id used for empty rows; if None, their result is zero.

    Returns:
        A tensor of the shape of ``sparse_ids`` without the last dimension, and the shape of an
        embedding.

    Raises:
        ValueError: There is no table, or the combiner is unknown.
    """
    if embedding_weights is None:
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    outer = sparse_ids.shape.as_list()[:-1]
    flat = [-1, static_size(sparse_ids.shape, -1)]
    ids = API["sparse.reshape"](sparse_ids, flat)
    weights = None if sparse_weights is None else API["sparse.reshape"](sparse_weights, flat)
    kept = API["greater_equal"](ids.values, 0)
    if weights is not None and combiner != "sum":
        kept = API["logical_and"](kept, API["greater"](weights.values, 0))
    ids = API["sparse.retain"](ids, kept)
    weights = None if weights is None else API["sparse.retain"](weights, kept)
    fill = convert_to_tensor(default_id or 0, dtype=ids.dtype)
    ids, empty = API["sparse.fill_empty_rows"](ids, fill)
    if weights is not None:
        weights, _ = API["sparse.fill_empty_rows"](weights, 1.0)
    result = embedding_lookup_sparse(embedding_weights, ids, weights, combiner, max_norm)
    if default_id is None:
        blank = API["reshape"](empty, [-1] + [1] * (result.shape.rank - 1))
        result = API["where"](blank, API["zeros_like"](result), result)
    sizes = [*outer, *result.shape.as_list()[1:]]
    return API["reshape"](result, convert_to_tensor(sizes, dtype=int64))


# Lookups of dense ids, in tables that may be sharded.


@export("nn.embedding_lookup")
def embedding_lookup(params: Any, ids: Any, max_norm: Any = None, name: str | None = None) -> Any:
    """Looks up embeddings (rows of a table) by id.

    Args:
        params: A tensor or variable, or a list of shards that hold contiguous ranges of the rows,
            of equal sizes except that the first ones may have one row more.
        ids: The ids of the embeddings.
        max_norm: The maximum L2 norm of an embedding; longer ones are clipped.

    Returns:
        A tensor of the shape of ``ids`` followed by that of an embedding.

    Raises:
        ValueError: There are no params.
        InvalidArgumentError: An id is out of range.
    """
    if params is None:
        raise ValueError("params must be specified")
    if isinstance(params, (list, tuple)) and not params:
        raise ValueError("Length of params is currently 0. Need at least one param.")
    parts = list(params) if isinstance(params, list) else [params]
    if hasattr(ids, "flat_values"):  # ragged: look up the values, keep the rows
        return ids.with_flat_values(embedding_lookup(params, ids.flat_values, max_norm))
    ids = convert_to_tensor(ids)
    if getattr(params, "is_sharded_variable", False):  # each task sends the rows that it has
        rows = params.sparse_read(ids)
        return identity(rows if max_norm is None else _clipped(rows, ids, max_norm))
    parts = list(map(dense, parts))
    result = gather(parts[0], ids) if len(parts) == 1 else _from_parts(parts, ids)
    return identity(result if max_norm is None else _clipped(result, ids, max_norm))


def _clipped(rows: Any, ids: Any, max_norm: Any) -> Any:
    first, last = rank_of(ids), rank_of(rows)
    is_static = isinstance(first, int) and isinstance(last, int)
    inner = list(range(first, last)) if is_static else API["range"](first, last)
    return API["clip_by_norm"](rows, max_norm, axes=inner)


def _from_parts(parts: list[Any], ids: Any) -> Any:
    """Looks up rows of a sharded table: partitions ids, gathers per shard, stitches the rows."""
    flat, count = API["reshape"](ids, [-1]), len(parts)
    sizes = [static_size(part.shape, 0) if part.shape.rank else None for part in parts]
    lengths = [API["shape"](part)[0] for part in parts] if None in sizes else sizes
    owners, row_indices = _divided(flat, sum(lengths), count)
    owners = cast(owners, int32)
    numbers = dynamic_partition(API["range"](size(flat)), owners, num_partitions=count)
    row_indices = dynamic_partition(row_indices, owners, num_partitions=count)
    rows = parallel_dynamic_stitch(numbers, [gather(p, i) for p, i in zip(parts, row_indices)])
    return API["reshape"](rows, concat([sizes_of(ids), API["shape"](parts[0])[1:]], 0))


def _divided(ids: Any, total: Any, count: int) -> tuple[Any, Any]:
    """Returns the shard of each id and the index in it; the first shards have one row more."""
    total = cast(total, ids.dtype)
    least, extra = total // count, total % count
    owners = API["maximum"](ids // (least + 1), (ids - extra) // least)
    longer = owners < extra
    return owners, API["where"](longer, ids % (least + 1), (ids - extra) % least)
