"""Rows of tables, combined as sparse tensors of their numbers say."""

from __future__ import annotations

from typing import Any

from twinflow._src.composite_tensors.ragged_factories import is_ragged
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import int32, int64
from twinflow._src.dispatch.op import API, export

_COMBINERS = ("mean", "sqrtn", "sum")


def _rows_of(ids: Any) -> Any:
    """The row of each id of a sparse or ragged matrix."""
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
    """Weighted sums or means of rows."""
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
    """Returns rows of a table, combined: for each row of a sparse matrix those that it names.

    Args:
        params: The table, or a list of its parts.
        sp_ids: The numbers of the rows, a sparse or ragged matrix.
        sp_weights: Their weights, of the same kind and places; 1 where None.
        combiner: ``"mean"`` (where None), ``"sqrtn"`` or ``"sum"``.
        max_norm: The largest norm that a row may have; longer ones are scaled down.
        name: A name for the operation.
        allow_fast_lookup: Accepted and without effect.

    Returns:
        A tensor with a row for each row of the sparse matrix, up to the last one with elements.

    Raises:
        ValueError: There is no such way to combine.
        TypeError: The numbers are no sparse or ragged tensor.
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
    """Returns rows of a table, combined; numbers that cannot be are left out.

    Args:
        embedding_weights: The table, or a list of its parts.
        sparse_ids: The numbers of the rows, a sparse tensor of rank 2 or more.
        sparse_weights: Their weights; those that are not positive are left out unless rows are summed.
        combiner: ``"mean"``, ``"sqrtn"`` or ``"sum"``.
        default_id: The row that stands where no number is; zeros where None.
        max_norm: The largest norm that a row may have; longer ones are scaled down.
        name: A name for the operation.
        allow_fast_lookup: Accepted and without effect.

    Returns:
        A tensor of all dimensions of the sparse tensor but the last, and that of a row.

    Raises:
        ValueError: There is no table, or no such way to combine.
    """
    if embedding_weights is None:
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    outer = sparse_ids.shape.as_list()[:-1]
    flat = [-1, sparse_ids.shape[-1]]
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
