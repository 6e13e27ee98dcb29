"""The RaggedTensorToTensor op: padding of ragged tensors to dense tensors."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from twinflow._src.autodiff.reverse import unbroadcast
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.core import dtypes
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import API, Call, Kind, op
from twinflow._src.ops.array.shapes import size_of

_EITHER = frozenset((dtypes.int32, dtypes.int64))
_Shape = Annotated[Any, Kind("Tshape", default=dtypes.int64, allowed=_EITHER, host=True)]
_Rows = Annotated[Any, Kind("Tindex", default=dtypes.int64, allowed=_EITHER, many=True)]


def _infer_dense_shape(
    shape: Any, values: Any, default: Any, rows: Any, row_partition_types: Any = ()
) -> Any:
    """Returns the static shape of the result."""
    inner = None if values is None else values[1:]
    known = shape.reshape(-1).tolist() if isinstance(shape, np.ndarray) and shape.ndim else None
    if inner is None or known is None:
        return None if inner is None else (None,) * (len(rows) + 1) + tuple(inner)
    return tuple(n if n >= 0 else None for n in known)


def _sizes(shape: Any, rows: list[Any], inner: tuple[int, ...]) -> list[int]:
    """Returns the sizes of the result: the requested ones, by default the maximum row lengths."""
    needed = [len(rows[0]) - 1, *(int(np.diff(r).max(initial=0)) for r in rows), *inner]
    if not shape.ndim:
        return needed
    if len(shape) != len(needed):
        shown = text(tuple(None if n < 0 else int(n) for n in shape))
        raise invalid(
            f"rt_input.shape and shape={shown} are incompatible: rt_input.rank = {len(needed)} but "
            f"shape.rank = {len(shape)}"
        )
    for i, (wanted, own) in enumerate(zip(shape[len(rows) + 1 :], inner, strict=True)):
        if wanted >= 0 and wanted != own:
            at = i + len(rows) + 1
            raise invalid(
                f"rt_input.shape and shape={text(tuple(shape.tolist()))} are incompatible: "
                f"rt_input.shape[{at}] = {own} but shape[{at}] = {wanted}"
            )
    return [n if w < 0 else int(w) for w, n in zip(shape, needed, strict=True)]


def _places(rows: list[Any], sizes: list[int]) -> tuple[Any, Any]:
    """Returns a mask of the values within the sizes, and their row-major indices in the result."""
    place = np.arange(len(rows[0]) - 1)
    inside = place < sizes[0]
    for splits, size in zip(rows, sizes[1:], strict=False):
        lengths = np.diff(splits)
        column = np.arange(int(lengths.sum())) - np.repeat(splits[:-1] - splits[0], lengths)
        inside = np.repeat(inside, lengths) & (column < size)
        place = np.repeat(place * size, lengths) + column
    return inside, place


@op("RaggedTensorToTensor", shape=_infer_dense_shape, devices=("CPU",))
def ragged_tensor_to_tensor(
    xp: Any,
    shape: _Shape,
    values: Any,
    default_value: Any,
    row_partition_tensors: _Rows,
    *,
    row_partition_types: Any,
) -> Any:
    """Pads a ragged tensor to a dense tensor.

    Args:
        shape: The shape, with -1 for inferred sizes; or -1 for all of them.
        values: The flat values of the ragged tensor.
        default_value: The padding value; it broadcasts to the inner dimensions.
        row_partition_tensors: The row splits of the ragged dimensions, outermost first.
        row_partition_types: ``"ROW_SPLITS"`` for each ragged dimension.

    Returns:
        A tensor of the dtype of the values.

    Raises:
        InvalidArgumentError: The shape has another rank, or the default value does not broadcast.
    """
    if default_value.ndim and default_value.ndim >= values.ndim:
        raise invalid(
            f"default_value.shape={text(default_value.shape)} and rt_input.flat_values.shape="
            f"{text(values.shape)} are incompatible: default_value.rank = {default_value.ndim}  must be "
            f"less than rt_input.flat_values.rank = {values.ndim}"
        )
    sizes = _sizes(shape, row_partition_tensors, values.shape[1:])
    result = np.empty(sizes, values.dtype)
    result[...] = default_value[()]
    inside, places = _places(row_partition_tensors, sizes)
    if result.size:
        every = bool(inside.all())
        flat = result.reshape(-1, *values.shape[1:])
        flat[places if every else places[inside]] = values if every else values[inside]
    return result


@ragged_tensor_to_tensor.gradient
def _(call: Call, dy: Any) -> Any:
    _, values, default, rows = call.inputs
    outer, numbers = API["shape"](dy)[: len(rows) + 1], API["range"](size_of(values, 0))
    # The index of the value at each position, -1 for padding.
    where = ragged_tensor_to_tensor(outer, numbers, -1, rows, **call.attrs)
    places = API["where"](where >= 0)
    found, indices = API["gather_nd"](dy, places), API["gather_nd"](where, places)
    filled = API["gather_nd"](dy, API["where"](where < 0))
    of_values = IndexedSlices(found, indices, API["shape"](values))
    return (None, of_values, unbroadcast(filled, default), *[None] * len(rows))
