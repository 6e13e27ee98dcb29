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
from twinflow._src.core.dtypes import int64
from twinflow._src.dispatch.op import API
from twinflow._src.graph.func_graph import FuncGraph
from twinflow._src.graph.symbolic import Operation


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


# By the type of the operation, or the name of the function.
_BODIES: dict[str, Callable[..., list[Any] | None]] = {
    "RaggedConcat": _concat,
    "RaggedConcatV2": _concat,
    "RaggedFrom_Tensor": _from_tensor,
    "RaggedGather": _gather,
    "RaggedTo_Sparse": _to_sparse,
    "StringFormat": _format,
    "argsort": _argsort,
    "sort": _sort,
    "unicode_decode": _decode,
    "unicode_decode_with_offsets": _decode_with_offsets,
    "unicode_encode": _encode,
    "unicode_split": _split,
    "unicode_split_with_offsets": _split_with_offsets,
    "unicode_transcode": _transcode,
}
