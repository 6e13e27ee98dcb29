"""Opaque calls as functions of operations that TensorFlow has, traced from Python functions.

Each function here takes the arguments of a public function and returns the tensors of its result,
or None for arguments that it does not take.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import PLAIN, entered, thread
from twinflow._src.core.dtypes import as_dtype, int32, int64
from twinflow._src.dispatch.op import API, OPS
from twinflow._src.graph.func_graph import FuncGraph
from twinflow._src.graph.symbolic import Operation, SymbolicTensor


def has_body(node: Operation) -> bool:
    """True for an opaque call of a function that is composed here."""
    return "call" in node.definition.fixed_attrs and _body(node) is not None


def _body(node: Operation) -> Callable[..., Any] | None:
    function = node.definition.fixed_attrs["call"].function
    return _BODIES.get(node.type) or _BODIES.get(getattr(function, "__name__", ""))


def trace(node: Operation) -> FuncGraph | None:
    """Returns the function of an opaque call, with an argument for each tensor; None if none fits."""
    body, graph = _body(node), FuncGraph(node.type)
    assert body is not None
    with entered(PLAIN.but(graph=graph)):
        inputs = [
            graph.argument(x.dtype, x._dims, f"input_{i}") for i, x in enumerate(node.tensors)
        ]
        args, kwargs = node.definition.fixed_attrs["call"].arguments(inputs)
        results = body(*args, **kwargs)
        if results is None or [x.dtype for x in results] != [x.dtype for x in node.outputs]:
            return None
        graph.outputs.extend(map(graph.own, results))
    return graph


def _add(type: str, inputs: list[Any], **attrs: Any) -> list[Any]:
    """Adds an operation of a type to the current graph; returns its results."""
    from twinflow._src.graph_serialization.nodes import Node, reader

    graph = thread.scope.graph
    tensors = [graph.own(convert_to_tensor(x)) for x in inputs]
    proto = SimpleNamespace(op=type, attr={})
    read = reader(type)
    assert read is not None
    added = read(Node(proto, graph.unique_name(type), tensors, attrs, {}))
    return list(added.tensors)


# ------------------------------------------------------------------ order


def _top(values: Any, axis: Any, direction: Any, place: int) -> Any:
    """Returns sorted values, or with ``place`` 1 their indices, along an axis."""
    values = convert_to_tensor(values)
    rank = values.shape.rank
    if rank is None or not isinstance(axis, int) or not isinstance(direction, str):
        return None
    order = list(range(rank))
    order[axis], order[-1] = order[-1], order[axis]
    rows, dtype = API["transpose"](values, order), values.dtype
    is_descending = direction.upper() == "DESCENDING"
    reverse = lambda x: dtype.max - x if dtype.is_unsigned else -1 - x if dtype.is_integer else -x
    rows = rows if is_descending else reverse(rows)
    result = API["math.top_k"](rows, API["shape"](rows)[-1])[place]
    result = result if is_descending or place else reverse(result)
    return [API["transpose"](result, order)]


def _sort(values: Any, axis: Any = -1, direction: Any = "ASCENDING", name: Any = None) -> Any:
    return _top(values, axis, direction, 0)


def _argsort(
    values: Any,
    axis: Any = -1,
    direction: Any = "ASCENDING",
    stable: Any = False,
    name: Any = None,
) -> Any:
    return _top(values, axis, direction, 1)


# ------------------------------------------------------------------ numbers


def _linspace(start: Any, stop: Any, num: Any, name: Any = None, axis: Any = 0) -> Any:
    start = convert_to_tensor(start)
    stop, count = convert_to_tensor(stop, start.dtype), API["cast"](API["reshape"](num, []), int64)
    rank = None if None in (start.shape.rank, stop.shape.rank) else start.shape.rank
    if rank is None or not isinstance(axis, int):
        return None
    rank = max(rank, stop.shape.rank) + 1
    dims = API["broadcast_dynamic_shape"](API["shape"](start), API["shape"](stop))
    first, last = (API["expand_dims"](API["broadcast_to"](x, dims), axis) for x in (start, stop))
    steps = API["maximum"](count - 1, 1)
    delta = API["truediv"](last - first, API["cast"](steps, last.dtype))
    first, last = API["cast"](first, delta.dtype), API["cast"](last, delta.dtype)
    along = [-1 if i == axis % rank else 1 for i in range(rank)]
    inner = API["reshape"](API["cast"](API["range"](1, steps), delta.dtype), along)
    joined = API["concat"]([first, first + delta * inner, last], axis)
    sizes = [count if i == axis % rank else -1 for i in range(rank)]
    return [API["slice"](joined, API["zeros"]([rank], int64), API["stack"](sizes))]


def _bins(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = None, name: Any = None
) -> list[Any]:
    """Returns the bins of values in a histogram with bins of one width."""
    values, limits = convert_to_tensor(values), convert_to_tensor(value_range)
    count = API["cast"](nbins, values.dtype)
    scaled = API["truediv"](values - limits[0], limits[1] - limits[0])
    clipped = API["clip_by_value"](API["floor"](count * scaled), 0, count - 1)
    return [API["cast"](clipped, int32)]


# ------------------------------------------------------------------ strings


def _points(
    input: Any,
    input_encoding: Any,
    errors: Any = "replace",
    replacement_char: Any = 65533,
    replace_control_characters: Any = False,
    name: Any = None,
) -> list[Any] | None:
    """Returns the code points of a vector of strings, their row splits, and their offsets."""
    if input.shape.rank not in (0, 1):
        return None
    splits, points, starts = _add(
        "UnicodeDecodeWithOffsets",
        [API["reshape"](input, [-1])],
        input_encoding=input_encoding,
        errors=errors,
        replacement_char=replacement_char,
        replace_control_characters=replace_control_characters,
        Tsplits=int64,
    )
    return [points, splits, starts]


def _rows(input: Any, splits: Any, *values: Any) -> list[Any]:
    """Returns values with row splits; those of a scalar without."""
    return [x for each in values for x in ((each,) if input.shape.rank == 0 else (each, splits))]


def _decode(input: Any, *args: Any, **kwargs: Any) -> list[Any] | None:
    parts = _points(input, *args, **kwargs)
    return None if parts is None else _rows(input, parts[1], parts[0])


def _decode_with_offsets(input: Any, *args: Any, **kwargs: Any) -> list[Any] | None:
    parts = _points(input, *args, **kwargs)
    return None if parts is None else _rows(input, parts[1], parts[0], parts[2])


def _characters(input: Any, input_encoding: Any, *args: Any, **kwargs: Any) -> list[Any] | None:
    """Returns the characters of a vector of strings, their row splits, and their offsets."""
    parts = _points(input, input_encoding, *args, **kwargs)
    if parts is None:
        return None
    points, splits, starts = parts
    ends = API["range"](API["size"](points, out_type=int64) + 1)
    return [_encode_rows(points, ends, input_encoding), splits, starts]


def _split(input: Any, *args: Any, **kwargs: Any) -> list[Any] | None:
    parts = _characters(input, *args, **kwargs)
    return None if parts is None else _rows(input, parts[1], parts[0])


def _split_with_offsets(input: Any, *args: Any, **kwargs: Any) -> list[Any] | None:
    parts = _characters(input, *args, **kwargs)
    return None if parts is None else _rows(input, parts[1], parts[0], parts[2])


def _encode_rows(
    points: Any, splits: Any, encoding: Any, errors: Any = "replace", char: Any = 65533
) -> Any:
    attrs = {"output_encoding": encoding, "errors": errors, "replacement_char": char}
    return _add("UnicodeEncode", [points, splits], **attrs, Tsplits=splits.dtype)[0]


def _encode(
    input: Any,
    output_encoding: Any,
    errors: Any = "replace",
    replacement_char: Any = 65533,
    name: Any = None,
) -> list[Any] | None:
    if isinstance(input, RaggedTensor) and input.ragged_rank == 1:
        points, splits = input.values, input.row_splits
    elif not isinstance(input, RaggedTensor) and input.shape.rank == 1:
        points, splits = input, API["stack"]([0, API["size"](input)])
    else:
        return None
    result = _encode_rows(points, splits, output_encoding, errors, replacement_char)
    return [result if isinstance(input, RaggedTensor) else result[0]]


def _transcode(
    input: Any,
    input_encoding: Any,
    output_encoding: Any,
    errors: Any = "replace",
    replacement_char: Any = 65533,
    replace_control_characters: Any = False,
    name: Any = None,
) -> list[Any] | None:
    if isinstance(input, RaggedTensor):
        return None
    return _add(
        "UnicodeTranscode",
        [input],
        input_encoding=input_encoding,
        output_encoding=output_encoding,
        errors=errors,
        replacement_char=replacement_char,
        replace_control_characters=replace_control_characters,
    )


def _format(
    template: Any, inputs: Any, placeholder: Any = "{}", summarize: Any = 3, name: Any = None
) -> list[Any]:
    values = inputs if isinstance(inputs, (list, tuple)) else [inputs]
    tensors = [convert_to_tensor(x) for x in values]
    attrs = {
        "T": [x.dtype for x in tensors],
        "template": template,
        "placeholder": placeholder,
        "summarize": summarize,
    }
    return _add("StringFormat", tensors, **attrs)


def _bytes_of(values: Any) -> list[Any]:
    """Returns the bytes of a vector of strings, and their row splits."""
    indices, parts, _ = _add("StringSplit", [values, ""], skip_empty=False)
    counts = API["math.unsorted_segment_sum"](
        API["ones_like"](indices[:, 0]), indices[:, 0], API["size"](values)
    )
    return [parts, _splits_of(counts)]


def _splits_of(lengths: Any) -> Any:
    """Returns the row splits of rows of some lengths."""
    return API["concat"]([API["zeros"]([1], lengths.dtype), API["cumsum"](lengths)], 0)


def _bytes_split(input: Any, name: Any = None) -> list[Any] | None:
    if isinstance(input, RaggedTensor):
        parts, splits = _bytes_of(input.flat_values)
        return [parts, *input.nested_row_splits, splits]
    input = convert_to_tensor(input)
    if input.shape.rank not in (0, 1, 2):
        return None
    parts, splits = _bytes_of(API["reshape"](input, [-1]))
    if not input.shape.rank:
        return [parts]
    return [parts, splits] if input.shape.rank == 1 else [parts, _even_splits(input), splits]


def _even_splits(matrix: Any) -> Any:
    """Returns the row splits of a matrix."""
    sizes = API["shape"](matrix, out_type=int64)
    return API["range"](sizes[0] + 1) * sizes[1]


def _ngrams(
    data: Any,
    ngram_width: Any,
    separator: Any = " ",
    pad_values: Any = None,
    padding_width: Any = None,
    preserve_short_sequences: Any = False,
    name: Any = None,
) -> list[Any] | None:
    is_ragged = isinstance(data, RaggedTensor)
    data = data if is_ragged else convert_to_tensor(data)
    left, right = pad_values if isinstance(pad_values, (tuple, list)) else [pad_values or ""] * 2
    width = 0 if pad_values is None else -1
    if is_ragged:
        values, splits = data.flat_values, data.nested_row_splits[-1]
    else:
        values = API["reshape"](data, [-1])
        splits = _even_splits(API["reshape"](data, API["stack"]([-1, API["shape"](data)[-1]])))
    grams, bounds = _add(
        "StringNGrams",
        [values, splits],
        separator=separator,
        ngram_widths=ngram_width if isinstance(ngram_width, (list, tuple)) else [ngram_width],
        left_pad=left,
        right_pad=right,
        pad_width=width if padding_width is None else padding_width,
        preserve_short_sequences=preserve_short_sequences,
        Tsplits=splits.dtype,
    )
    if is_ragged:
        return [grams, *data.nested_row_splits[:-1], bounds]
    return [API["reshape"](grams, API["concat"]([API["shape"](data)[:-1], [-1]], 0))]


# ------------------------------------------------------------------ ragged tensors


def _to_sparse(self: Any, name: Any = None) -> list[Any]:
    flat = [*self.nested_row_splits, self.flat_values]
    types = {"RAGGED_RANK": self.ragged_rank, "T": self.dtype, "Tsplits": self.row_splits.dtype}
    return _add("RaggedTensorToSparse", flat, **types)


def _from_tensor(
    tensor: Any,
    lengths: Any = None,
    padding: Any = None,
    ragged_rank: Any = 1,
    name: Any = None,
    row_splits_dtype: Any = int64,
) -> list[Any] | None:
    """Returns the values of a tensor and the splits of rows of one length."""
    if lengths is not None or padding is not None or ragged_rank != 1:
        return None
    sizes = API["shape"](tensor, out_type=row_splits_dtype)
    values = API["reshape"](tensor, API["concat"]([sizes[0:1] * sizes[1:2], sizes[2:]], 0))
    return [values, API["range"](sizes[0] + 1) * sizes[1]]


def _gathered(splits: Any, values: Any, indices: Any, rank: int) -> list[Any]:
    """Returns the values of gathered rows, and their splits."""
    types = {"Tvalues": values.dtype, "Tindices": indices.dtype, "Tsplits": splits[0].dtype}
    counts = {"PARAMS_RAGGED_RANK": len(splits), "OUTPUT_RAGGED_RANK": rank}
    *inner, values = _add("RaggedGather", [*splits, values, indices], **types, **counts)
    return [values, *inner]


def _gather(params: Any, indices: Any, *args: Any, **kwargs: Any) -> list[Any] | None:
    is_default = lambda value: value is None or (isinstance(value, int) and value == 0)
    named = {k: v for k, v in kwargs.items() if k != "name" and not is_default(v)}
    indices = None if isinstance(indices, RaggedTensor) else convert_to_tensor(indices)
    if args or named or indices is None or not isinstance(params, RaggedTensor):
        return None
    if indices.shape.rank in (None, 0):
        return None
    rank = params.ragged_rank + indices.shape.rank - 1
    return _gathered(params.nested_row_splits, params.flat_values, indices, rank)


def _concat(values: Any, axis: Any, name: Any = None) -> list[Any] | None:
    """Joins ragged tensors with one ragged dimension: one after the other, or row by row."""
    rows = list(values)
    if not all(isinstance(x, RaggedTensor) and x.ragged_rank == 1 for x in rows):
        return None
    rank = rows[0].shape.rank
    if not isinstance(axis, int) or rank is None or axis not in (0, 1, -rank, 1 - rank):
        return None
    whole, splits = API["concat"]([x.values for x in rows], 0), [rows[0].row_splits]
    for x in rows[1:]:
        splits.append(x.row_splits[1:] + splits[-1][-1])
    bounds = API["concat"](splits, 0)
    if axis in (0, -rank):
        return [whole, bounds]
    count, size = len(rows), API["size"](rows[0].row_splits, out_type=bounds.dtype) - 1
    order = API["transpose"](API["reshape"](API["range"](size * count), [count, -1]))
    result, inner = _gathered([bounds], whole, API["reshape"](order, [-1]), 1)
    return [result, inner[::count]]


def _range(
    starts: Any,
    limits: Any = None,
    deltas: Any = 1,
    dtype: Any = None,
    name: Any = None,
    row_splits_dtype: Any = int64,
) -> list[Any] | None:
    if limits is None:
        starts, limits = 0, starts
    bounds = [convert_to_tensor(limits, dtype)]
    for x in (starts, deltas):
        bounds.append(convert_to_tensor(x, dtype or bounds[0].dtype))
    if len({x.dtype for x in bounds}) > 1:
        return None
    limits, starts, deltas = bounds
    splits, values = OPS["RaggedRange"].public(
        starts, limits, deltas, Tsplits=as_dtype(row_splits_dtype)
    )
    return [values, splits]


def _mask(data: Any, mask: Any, name: Any = None) -> list[Any] | None:
    """Selects the values of rows: of a dense matrix, or one of a ragged dimension."""
    if isinstance(mask, RaggedTensor) and isinstance(data, RaggedTensor):
        if mask.ragged_rank != 1 or data.ragged_rank != 1:
            return None
        flat, keep, splits = data.values, mask.values, data.row_splits
    elif isinstance(mask, RaggedTensor) or isinstance(data, RaggedTensor):
        return None
    else:
        data, keep = convert_to_tensor(data), convert_to_tensor(mask)
        if keep.shape.rank == 1:
            return [API["boolean_mask"](data, keep)]
        if keep.shape.rank != 2:
            return None
        splits, keep = _even_splits(keep), API["reshape"](keep, [-1])
        sizes = API["shape"](data)
        flat = API["reshape"](data, API["concat"]([sizes[:1] * sizes[1:2], sizes[2:]], 0))
    counts = _splits_of(API["cast"](keep, splits.dtype))
    return [API["boolean_mask"](flat, keep), API["gather"](counts, splits)]


def _stack(values: Any, axis: Any = 0, name: Any = None) -> list[Any] | None:
    """Stacks vectors, or ragged tensors with one ragged dimension, as rows of another one."""
    if axis != 0 or not isinstance(values, (list, tuple)):
        return None
    if all(isinstance(x, RaggedTensor) and x.ragged_rank == 1 for x in values):
        flat, inner = _concat(values, 0) or [None, None]
        counts = [API["size"](x.row_splits, out_type=inner.dtype) - 1 for x in values]
        return [flat, _splits_of(API["stack"](counts)), inner]
    if any(isinstance(x, RaggedTensor) for x in values):
        return None
    rows = list(map(convert_to_tensor, values))
    if any(x.shape.rank != 1 for x in rows):
        return None
    counts = [API["size"](x) for x in rows]
    return [API["concat"](rows, 0), _splits_of(API["stack"](counts))]


def _slice(self: Any, key: Any) -> list[Any] | None:
    """Takes a row, rows, or a part of each row of a tensor with one ragged dimension."""
    if self.ragged_rank != 1:
        return None
    splits, is_slice = self.row_splits, lambda item: hasattr(item, "step")
    keys = key if isinstance(key, tuple) and not is_slice(key) else (key,)
    if len(keys) == 1 and isinstance(key, (int, SymbolicTensor)):
        return _row(self, convert_to_tensor(key))
    if len(keys) > 2 or not all(map(is_slice, keys)):
        return None
    rows, columns = (*(slice(k.start, k.stop, k.step) for k in keys), slice(None))[:2]
    if rows.step not in (None, 1) or (isinstance(columns.step, int) and columns.step < 1):
        return None
    starts, ends = splits[:-1][rows], splits[1:][rows]
    if columns != slice(None):
        lengths = ends - starts
        first, last = _bound(columns.start, lengths, 0), _bound(columns.stop, lengths, None)
        ends, starts = starts + API["maximum"](first, last), starts + first
    step = API["cast"](1 if columns.step is None else columns.step, splits.dtype)
    bounds, order = OPS["RaggedRange"].public(starts, ends, step, Tsplits=splits.dtype)
    return [API["gather"](self.values, order), bounds]


def _row(self: Any, index: Any) -> list[Any] | None:
    if index.shape.rank != 0 or not index.dtype.is_integer:
        return None
    return [self.values[self.row_splits[:-1][index] : self.row_splits[1:][index]]]


def _bound(bound: Any, lengths: Any, default: Any) -> Any:
    """Returns a bound of slices of rows, as a position in each row."""
    if bound is None:
        return API["zeros_like"](lengths) if default == 0 else lengths
    bound = API["cast"](bound, lengths.dtype)
    whole = API["where"](bound < 0, lengths + bound, bound)
    return API["clip_by_value"](whole, API["zeros_like"](lengths), lengths)


# By the type of the operation, or the name of the function.
_BODIES: dict[str, Callable[..., list[Any] | None]] = {
    "RaggedConcat": _concat,
    "RaggedConcatV2": _concat,
    "RaggedFrom_Tensor": _from_tensor,
    "RaggedGather": _gather,
    "RaggedGetitem": _slice,
    "RaggedMask": _mask,
    "RaggedStack": _stack,
    "RaggedTo_Sparse": _to_sparse,
    "StringFormat": _format,
    "StringNGrams": _ngrams,
    "argsort": _argsort,
    "bytes_split": _bytes_split,
    "histogram_fixed_width_bins": _bins,
    "linspace": _linspace,
    "range_": _range,
    "sort": _sort,
    "unicode_decode": _decode,
    "unicode_decode_with_offsets": _decode_with_offsets,
    "unicode_encode": _encode,
    "unicode_split": _split,
    "unicode_split_with_offsets": _split_with_offsets,
    "unicode_transcode": _transcode,
}
