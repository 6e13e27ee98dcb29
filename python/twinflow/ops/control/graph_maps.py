"""Maps, folds and scans in graphs: loops over tensor arrays."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ...constant import convert_to_tensor
from ...context import thread
from ...control.in_graphs import while_loop
from ...nest import assert_same_structure, flatten, pack_sequence_as
from ...op import API
from ...ragged_tensors.making import is_ragged
from ...ragged_tensors.spec import RaggedTensorSpec
from ...ragged_tensors.tensor import RaggedTensor
from ...tensor_array import TensorArray


class Slices:
    """The slices of tensors along their first dimension, in the structure of the tensors.

    Args:
        elems: The structure of tensors.
    """

    def __init__(self, elems: Any) -> None:
        self._elems = elems
        leaves = [convert_to_tensor(x) for x in flatten(elems)]
        static = leaves[0].shape[0]
        self.count: Any = API["shape"](leaves[0])[0] if static is None else convert_to_tensor(static)
        self._arrays = [
            TensorArray(x.dtype, size=self.count, element_shape=x.shape[1:]).unstack(x) for x in leaves
        ]

    def __call__(self, i: Any) -> Any:
        return pack_sequence_as(self._elems, [array.read(i) for array in self._arrays])


def _arrays_for(like: Any, count: Any, shapes: list[Any]) -> list[TensorArray]:
    return [
        TensorArray(dtype, size=count, element_shape=shape)
        for dtype, shape in zip(flatten(like), shapes)
    ]


def _within(scope: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Makes a function whose operations lie in a scope, or in one of the name that is given."""

    def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, name: str | None = None) -> Any:
            with thread.scope.graph.name_scope(name or scope):
                return function(*args)

        return call

    return decorated


@_within("map")
def mapped(fn: Callable[..., Any], elems: Any, signature: Any, types: list[Any], specs: list[Any]) -> Any:
    """``tf.map_fn`` in a graph.

    Args:
        fn: The function.
        elems: The tensors.
        signature: What the results are like in structure.
        types: The types of the results.
        specs: What is said of each; its type, or None.
    """
    slices = Slices(elems)
    columns = [_column(dtype, spec, slices.count) for dtype, spec in zip(types, specs)]

    def body(i: Any, results: list[list[TensorArray]]) -> list[Any]:
        found = fn(slices(i))
        assert_same_structure(signature, found)
        for spec, x in zip(specs, flatten(found)):
            _check_ranked(spec, x)
        parts = [_parts(spec, x) for spec, x in zip(specs, flatten(found))]
        return [i + 1, [[a.write(i, x) for a, x in zip(*pair)] for pair in zip(results, parts)]]

    _, columns = while_loop(lambda i, _: i < slices.count, body, [0, columns], name="while")
    return pack_sequence_as(signature, [_joined(*pair) for pair in zip(specs, columns)])


# A ragged result is kept as its values, the number of its rows and the lengths of the rows below.


def _column(dtype: Any, spec: Any, count: Any) -> list[TensorArray]:
    if not isinstance(spec, RaggedTensorSpec):
        return [TensorArray(dtype, size=count, element_shape=getattr(spec, "shape", None))]
    within = None if spec.shape.rank is None else [None, *spec.shape.as_list()[spec.ragged_rank + 1 :]]
    values = TensorArray(dtype, size=count, infer_shape=False, element_shape=within)
    numbers = TensorArray(spec.row_splits_dtype, size=count, element_shape=[])
    lengths = [
        TensorArray(spec.row_splits_dtype, size=count, infer_shape=False, element_shape=[None])
        for _ in range(spec.ragged_rank)
    ]
    return [values, numbers, *lengths]


def _check_ranked(spec: Any, value: Any) -> None:
    if isinstance(spec, RaggedTensorSpec) and not is_ragged(value):
        value = convert_to_tensor(value)
        if value.shape.rank == 0:
            kind = f"TensorSpec(shape=(), dtype={value.dtype!r}, name=None)"
            raise ValueError(
                f"Error in map_fn:\n  Expected `fn` to return a:\n    {spec!r}\n  But it returned a:\n    {kind}\n"
                f"    (value={value})\n  To fix, update the `fn_output_signature` (or `dtype`) argument to `map_fn`."
            )


def _parts(spec: Any, value: Any) -> list[Any]:
    if not isinstance(spec, RaggedTensorSpec):
        return [value]
    value = value if is_ragged(value) else convert_to_tensor(value, dtype=spec.dtype)
    dtype, lengths = spec.row_splits_dtype, []
    number = value.nrows(dtype) if is_ragged(value) else API["shape"](value, out_type=dtype)[0]
    while is_ragged(value):
        lengths.append(API["cast"](value.row_lengths(), dtype))
        value = value.values
    return [value, number, *lengths]


def _joined(spec: Any, arrays: list[TensorArray]) -> Any:
    if not isinstance(spec, RaggedTensorSpec):
        return arrays[0].stack()
    values, numbers, *lengths = arrays
    found = values.concat()
    for inner in (*(array.concat() for array in reversed(lengths)), numbers.stack()):
        found = RaggedTensor.from_row_lengths(found, inner, validate=False)
    return found


def folded(fn: Callable[..., Any], elems: Any, initializer: Any, backwards: bool, name: str | None) -> Any:
    """``tf.foldl`` and ``tf.foldr`` in a graph."""
    return _within("foldr" if backwards else "foldl")(_folded)(fn, elems, initializer, backwards, name=name)


def _folded(fn: Callable[..., Any], elems: Any, initializer: Any, backwards: bool) -> Any:
    slices = Slices(elems)
    state, first, last = _begun(slices, initializer, backwards)
    step = -1 if backwards else 1

    def body(i: Any, state: Any) -> list[Any]:
        return [i + step, fn(state, slices(i))]

    return while_loop(lambda i, _: _before(i, last, backwards), body, [first, state], name="while")[1]


@_within("scan")
def scanned(fn: Callable[..., Any], elems: Any, initializer: Any, backwards: bool) -> Any:
    """``tf.scan`` in a graph."""
    slices = Slices(elems)
    state, first, last = _begun(slices, initializer, backwards)
    leaves = [convert_to_tensor(x) for x in flatten(state)]
    arrays = _arrays_for([x.dtype for x in leaves], slices.count, [x.shape for x in leaves])
    step = -1 if backwards else 1
    if initializer is None:
        arrays = [a.write(first - step, x) for a, x in zip(arrays, leaves)]

    def body(i: Any, state: Any, results: list[TensorArray]) -> list[Any]:
        found = fn(state, slices(i))
        assert_same_structure(state, found)
        return [i + step, found, [a.write(i, x) for a, x in zip(results, flatten(found))]]

    begun = pack_sequence_as(state, leaves)
    _, _, arrays = while_loop(
        lambda i, *_: _before(i, last, backwards), body, [first, begun, arrays], name="while"
    )
    return pack_sequence_as(state, [array.stack() for array in arrays])


def _before(i: Any, last: Any, backwards: bool) -> Any:
    return i >= last if backwards else i < last


def _begun(slices: Slices, initializer: Any, backwards: bool) -> tuple[Any, Any, Any]:
    """What to begin with, the first index to go on with, and the bound."""
    zero: Any = convert_to_tensor(0)
    start = slices.count - 1 if backwards else zero
    last = zero if backwards else slices.count
    if initializer is not None:
        return initializer, start, last
    return slices(start), start - 1 if backwards else start + 1, last
