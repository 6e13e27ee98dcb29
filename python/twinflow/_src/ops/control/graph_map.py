"""Maps, folds and scans in graphs: loops over tensor arrays."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from twinflow._src.composite_tensors.ragged_factories import is_ragged
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.control_flow.cond_and_while import while_loop
from twinflow._src.control_flow.tensor_array import TensorArray
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.nest import assert_same_structure, flatten, pack_sequence_as
from twinflow._src.dispatch.op import API
from twinflow._src.ops.control.map_values import Results, ragged_slices, sparse_slices


class Slices:
    """The slices of tensors along their first dimension, in the structure of the tensors.

    Args:
        elems: The structure of tensors.
    """

    def __init__(self, elems: Any) -> None:
        self._elems = elems
        pairs = [_slices(x) for x in flatten(elems)]
        self.count: Any = convert_to_tensor(pairs[0][0])
        self._slices = [one for _, one in pairs]

    def __call__(self, i: Any) -> Any:
        return pack_sequence_as(self._elems, [one(i) for one in self._slices])


def _slices(x: Any) -> tuple[Any, Callable[[Any], Any]]:
    """The number of slices of a value, and a function that gives each."""
    if isinstance(x, SparseTensor):
        return sparse_slices(x)
    if is_ragged(x):
        return ragged_slices(x)
    x = convert_to_tensor(x)
    static = x.shape[0]
    count = API["shape"](x)[0] if static is None else convert_to_tensor(static)
    return count, TensorArray(x.dtype, size=count, element_shape=x.shape[1:]).unstack(x).read


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
def mapped(fn: Callable[..., Any], elems: Any, signature: Any, specs: list[Any]) -> Any:
    """``tf.map_fn`` in a graph.

    Args:
        fn: The function.
        elems: The tensors.
        signature: What the results are like in structure.
        specs: What describes each of them.
    """
    slices = Slices(elems)
    results = [Results(spec, slices.count) for spec in specs]

    def body(i: Any, columns: list[list[TensorArray]]) -> list[Any]:
        found = fn(slices(i))
        assert_same_structure(signature, found)
        parts = [one.parts(x, i) for one, x in zip(results, flatten(found))]
        return [i + 1, [[a.write(i, x) for a, x in zip(*pair)] for pair in zip(columns, parts)]]

    columns = [one.arrays() for one in results]
    _, columns = while_loop(lambda i, _: i < slices.count, body, [0, columns], name="while")
    return pack_sequence_as(signature, [one.joined(arrays) for one, arrays in zip(results, columns)])


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
