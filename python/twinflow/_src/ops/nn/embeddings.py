"""Embedding lookups for sparse ids, with combiners."""

from __future__ import annotations

from typing import Any

from twinflow._src.composite_tensors.ragged_factories import is_ragged
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import int32, int64
from twinflow._src.core.shapes import static_size
from twinflow._src.dispatch.op import API, export

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
    found, index = API["unique"](sp_ids.values)
    embeddings = API["nn.embedding_lookup"](params, found, max_norm)
    if sp_weights is not None:
        each = API["gather"](embeddings, index)
        return _weighted(each, rows, sp_weights.values, combiner)
    names = {"sum": "segment_sum", "mean": "segment_mean", "sqrtn": "segment_sqrt_n"}
    return API[f"sparse.{names[combiner]}"](embeddings, index, rows)


@export("nn.safe_embedding_lookup_sparse")
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
        max_norm: The maximum L2 norm of an embedding; longer ones are clipped.
        name: A name for the operation.
        allow_fast_lookup: Accepted and without effect.

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
    found = embedding_lookup_sparse(embedding_weights, ids, weights, combiner, max_norm)
    if default_id is None:
        blank = API["reshape"](empty, [-1] + [1] * (found.shape.rank - 1))
        found = API["where"](blank, API["zeros_like"](found), found)
    sizes = [*outer, *found.shape.as_list()[1:]]
    return API["reshape"](found, convert_to_tensor(sizes, dtype=int64))
