"""Embedding lookups in tables, which may be sharded."""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor, dense
from twinflow._src.core.dtypes import int32
from twinflow._src.core.shapes import static_size
from twinflow._src.dispatch.op import API, export
from twinflow._src.ops.array.concat import concat
from twinflow._src.ops.array.dynamic_partition import dynamic_partition, parallel_dynamic_stitch
from twinflow._src.ops.array.gather import gather
from twinflow._src.ops.array.shapes import rank_of, sizes_of
from twinflow._src.ops.elementwise.cast import cast, identity
from twinflow._src.ops.reduce.reduce import size


@export("nn.embedding_lookup")
def embedding_lookup(params: Any, ids: Any, max_norm: Any = None, name: str | None = None) -> Any:
    """Looks up embeddings (rows of a table) by id.

    Args:
        params: A tensor or variable, or a list of shards that hold contiguous ranges of the rows,
            of equal sizes except that the first ones may have one row more.
        ids: The ids of the embeddings.
        max_norm: The maximum L2 norm of an embedding; longer ones are clipped.
        name: A name for the operation.

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
    parts = list(map(dense, parts))
    found = gather(parts[0], ids) if len(parts) == 1 else _from_parts(parts, ids)
    return identity(found if max_norm is None else _clipped(found, ids, max_norm))


def _clipped(rows: Any, ids: Any, max_norm: Any) -> Any:
    first, last = rank_of(ids), rank_of(rows)
    known = isinstance(first, int) and isinstance(last, int)
    inner = list(range(first, last)) if known else API["range"](first, last)
    return API["clip_by_norm"](rows, max_norm, axes=inner)


def _from_parts(parts: list[Any], ids: Any) -> Any:
    """Looks up rows of a sharded table: partitions ids, gathers per shard, stitches the rows."""
    flat, count = API["reshape"](ids, [-1]), len(parts)
    sizes = [static_size(part.shape, 0) if part.shape.rank else None for part in parts]
    lengths = [API["shape"](part)[0] for part in parts] if None in sizes else sizes
    owners, places = _divided(flat, sum(lengths), count)
    owners = cast(owners, int32)
    numbers = dynamic_partition(API["range"](size(flat)), owners, num_partitions=count)
    places = dynamic_partition(places, owners, num_partitions=count)
    rows = parallel_dynamic_stitch(numbers, [gather(p, i) for p, i in zip(parts, places)])
    return API["reshape"](rows, concat([sizes_of(ids), API["shape"](parts[0])[1:]], 0))


def _divided(ids: Any, total: Any, count: int) -> tuple[Any, Any]:
    """Returns the shard of each id and the index in it; the first shards have one row more."""
    total = cast(total, ids.dtype)
    least, extra = total // count, total % count
    owners = API["maximum"](ids // (least + 1), (ids - extra) // least)
    longer = owners < extra
    return owners, API["where"](longer, ids % (least + 1), (ids - extra) % least)
