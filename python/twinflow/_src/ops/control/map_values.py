"""Map, fold and scan in graphs, and slices and results of composite tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from twinflow._src.composite_tensors.ragged_factories import is_ragged
from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor, RaggedTensorSpec
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor, SparseTensorSpec
from twinflow._src.control_flow.cond_and_while import while_loop
from twinflow._src.control_flow.tensor_array import TensorArray
from twinflow._src.conversion.constant import constant, convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import int64
from twinflow._src.core.errors import invalid
from twinflow._src.core.nest import assert_same_structure, flatten, pack_sequence_as
from twinflow._src.core.shapes import TensorShape, static_size, static_sizes
from twinflow._src.core.specs import TensorSpec, TypeSpec
from twinflow._src.dispatch.op import API
from twinflow._src.graph.ops import holding

# ------------------------------------------------------------------ slices


def sparse_slices(x: SparseTensor) -> tuple[Any, Callable[[Any], SparseTensor]]:
    """Returns the number of slices of an ordered sparse tensor and a slicing function."""
    ends, sizes, inner = _ends(x), x.dense_shape[1:], x.shape[1:]
    inner_rank = static_size(x.indices.shape, 1)

    def slice_at(i: Any) -> SparseTensor:
        rows = slice(ends[i], ends[i + 1])
        indices = x.indices[rows, 1:]
        indices.set_shape([None, None if inner_rank is None else inner_rank - 1])
        part = SparseTensor(indices, x.values[rows], sizes)
        part.set_shape(inner)
        return part

    count = static_size(x.shape, 0)
    return (API["cast"](x.dense_shape[0], "int32") if count is None else count), slice_at


def ragged_slices(x: Any) -> tuple[Any, Callable[[Any], Any]]:
    """Returns the number of rows of a ragged tensor and a slicing function."""
    splits = x.row_splits
    return x.nrows("int32"), lambda i: _between(x.values, splits[i], splits[i + 1])


def _between(values: Any, first: Any, end: Any) -> Any:
    """Returns the rows ``first:end`` of a ragged or dense tensor."""
    if not is_ragged(values):
        return values[first:end]
    splits = values.row_splits[first : end + 1]
    return RaggedTensor._of(_between(values.values, splits[0], splits[-1]), splits - splits[0])


def _ends(x: SparseTensor) -> Any:
    """Returns the offsets of the slices' elements, like row splits."""
    graph = thread.scope.graph
    if graph is None:
        return constant(_bounds(np, x.indices._host(), x.dense_shape._host()))
    op = holding("SerializeManySparse", _bounds, 2)
    op.infer, op.no_gradient = (lambda node: ([int64], [(None,)], True)), True
    inputs = graph.own(x.indices), graph.own(x.dense_shape)
    return graph.add(op, inputs, {}, graph.unique_name("SerializeManySparse"))


def _bounds(xp: Any, indices: Any, shape: Any) -> Any:
    from twinflow._src.wings.sparse.parts import check_order

    if len(shape) < 2:
        raise invalid(f"Rank of input SparseTensor should be > 1, but saw rank: {len(shape)}")
    check_order(indices, shape)
    return np.searchsorted(indices[:, 0], np.arange(int(shape[0]) + 1))


# ------------------------------------------------------------------ results


def result_spec(leaf: Any) -> Any:
    """Returns the default result spec of a map: that of a slice of ``leaf``."""
    if isinstance(leaf, SparseTensor):
        return SparseTensorSpec(None, leaf.dtype)
    if is_ragged(leaf):
        return RaggedTensorSpec(None, leaf.dtype, leaf.ragged_rank - 1, leaf.row_splits.dtype)
    return leaf.dtype


class Results:
    """The TensorArrays for one leaf of the results of a map, one per component tensor."""

    def __init__(self, spec: Any, count: Any, infer_shape: bool = True) -> None:
        self.spec, self._count, self._infer = spec, count, infer_shape
        composite = isinstance(spec, TypeSpec) and not isinstance(spec, TensorSpec)
        if composite and not isinstance(spec, (RaggedTensorSpec, SparseTensorSpec)):
            raise TypeError(f"map_fn can not generate {spec} outputs")

    def arrays(self) -> list[TensorArray]:
        """Returns a TensorArray for each component tensor of the results."""
        spec = self.spec
        if isinstance(spec, SparseTensorSpec):
            rank = spec.shape.rank
            return [
                self._array(int64, [None, rank], False),
                self._array(spec.dtype, [None], False),
                self._array(int64, []),
                self._array(int64, [rank]),
            ]
        if isinstance(spec, RaggedTensorSpec):
            lengths = [
                self._array(spec.row_splits_dtype, [None], False) for _ in range(spec.ragged_rank)
            ]
            return [
                self._array(spec.dtype, self._within(), False),
                self._array(spec.row_splits_dtype, []),
                *lengths,
            ]
        return [
            self._array(getattr(spec, "dtype", spec), getattr(spec, "shape", None), self._infer)
        ]

    def _array(self, dtype: Any, shape: Any, infer_shape: bool = True) -> TensorArray:
        return TensorArray(dtype, size=self._count, infer_shape=infer_shape, element_shape=shape)

    def _within(self) -> Any:
        """Returns the shape of the flat values of a ragged result."""
        shape = self.spec.shape
        return None if shape.rank is None else [None, *shape.as_list()[self.spec.ragged_rank + 1 :]]

    def parts(self, value: Any, i: Any) -> list[Any]:
        """Returns the component tensors of the i-th result, after a check against the type spec."""
        if isinstance(self.spec, SparseTensorSpec):
            self._check(value)
            return [
                value.indices,
                value.values,
                API["size"](value.values, out_type=int64),
                value.dense_shape,
            ]
        if isinstance(self.spec, RaggedTensorSpec):
            return self._rows(value, i)
        return [value]

    def _rows(self, value: Any, i: Any) -> list[Any]:
        value = (
            value
            if is_ragged(value) or isinstance(value, SparseTensor)
            else convert_to_tensor(value)
        )
        self._check(value)
        if value.shape.rank == 0:
            _refuse_scalar(value, i)
        dtype, lengths = self.spec.row_splits_dtype, []
        number = value.nrows(dtype) if is_ragged(value) else API["shape"](value, out_type=dtype)[0]
        while is_ragged(value):
            lengths.append(API["cast"](value.row_lengths(), dtype))
            value = value.values
        return [value, number, *lengths]

    def _check(self, value: Any) -> None:
        spec = self.spec
        dense = isinstance(spec, RaggedTensorSpec) and not spec.ragged_rank
        if not (TensorSpec(spec.shape, spec.dtype) if dense else spec).is_compatible_with(value):
            actual = getattr(value, "_type_spec", None)
            if not isinstance(actual, TypeSpec):
                value = convert_to_tensor(value)
                actual = TensorSpec(value.shape, value.dtype)
            raise ValueError(
                f"Error in map_fn:\n  Expected `fn` to return a:\n    {spec!r}\n  But it returned a:\n    {actual!r}\n"
                f"    (value={value!s})\n  To fix, update the `fn_output_signature` (or `dtype`) argument to `map_fn`."
            )

    def stack(self, arrays: Sequence[TensorArray]) -> Any:
        """Returns the stacked results, from the TensorArrays of their component tensors."""
        if isinstance(self.spec, SparseTensorSpec):
            return self._sparse(*arrays)
        if not isinstance(self.spec, RaggedTensorSpec):
            return arrays[0].stack()
        parts, numbers, *lengths = arrays
        values = self._concat(parts, self._within())
        for inner in (
            *(self._concat(array, [None]) for array in reversed(lengths)),
            numbers.stack(),
        ):
            values = RaggedTensor.from_row_lengths(values, inner, validate=False)
        return values

    def _sparse(self, columns: Any, values: Any, counts: Any, shapes: Any) -> SparseTensor:
        rank = self.spec.shape.rank
        if thread.scope.graph is None and not self._count:
            raise invalid("Serialized sparse should have 3 as the last dimension [0]")
        rows = API["repeat"](API["range"](API["cast"](self._count, int64)), counts.stack())
        indices = API["concat"]([rows[:, None], self._concat(columns, [None, rank])], 1)
        sizes = API["reduce_max"](shapes.stack(), 0)
        dense_shape = API["concat"]([API["cast"](self._count, int64)[None], sizes], 0)
        return SparseTensor(indices, self._concat(values, [None]), dense_shape)

    def _concat(self, array: TensorArray, shape: Any) -> Any:
        if thread.scope.graph is None and not self._count:
            return API["zeros"](
                [0, *static_sizes(TensorShape(shape)[1:])] if shape else [0], array.dtype
            )
        return array.concat()


def _refuse_scalar(value: Any, i: Any) -> None:
    """Raises the error for a scalar result where the spec is ragged."""
    if thread.scope.graph is not None:
        raise ValueError(
            "Shape must be at least rank 1 but is rank 0 for '{{node RaggedTensorToVariant}} = RaggedTensorToVariant"
            f"[RAGGED_RANK=0, Tvalues=DT_{value.dtype.cname.upper()}]({value.op.name})' with input shapes: []."
        )
    shown = f"type: {value.dtype.cname} shape: [] values: {value.numpy()}"
    raise invalid(
        f"Ragged values must have rank >= 1; encoded scalar element at index {i} has values Tensor: Tensor<{shown}>"
    )


# ------------------------------------------------------------------ map, fold and scan in graphs

# While loops over TensorArrays.


class Slices:
    """Slices of a structure of tensors along the first axis; called with an index."""

    def __init__(self, elems: Any) -> None:
        self._elems = elems
        pairs = [_slices(x) for x in flatten(elems)]
        self.count: Any = convert_to_tensor(pairs[0][0])
        self._slices = [function for _, function in pairs]

    def __call__(self, i: Any) -> Any:
        return pack_sequence_as(self._elems, [function(i) for function in self._slices])


def _slices(x: Any) -> tuple[Any, Callable[[Any], Any]]:
    """Returns the number of slices of a value and a slicing function."""
    if isinstance(x, SparseTensor):
        return sparse_slices(x)
    if is_ragged(x):
        return ragged_slices(x)
    x = convert_to_tensor(x)
    static = static_size(x.shape, 0)
    count = API["shape"](x)[0] if static is None else convert_to_tensor(static)
    return count, TensorArray(x.dtype, size=count, element_shape=x.shape[1:]).unstack(x).read


def _arrays_for(like: Any, count: Any, shapes: list[Any]) -> list[TensorArray]:
    return [
        TensorArray(dtype, size=count, element_shape=shape)
        for dtype, shape in zip(flatten(like), shapes)
    ]


def _within(scope: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Returns a decorator that runs a function in a name scope: ``name`` or ``scope``."""

    def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, name: str | None = None) -> Any:
            with thread.scope.graph.name_scope(name or scope):
                return function(*args)

        return call

    return decorated


@_within("map")
def map_in_graph(fn: Callable[..., Any], elems: Any, signature: Any, specs: list[Any]) -> Any:
    """``tf.map_fn`` in a graph."""
    slices = Slices(elems)
    results = [Results(spec, slices.count) for spec in specs]

    def body(i: Any, columns: list[list[TensorArray]]) -> list[Any]:
        outputs = fn(slices(i))
        assert_same_structure(signature, outputs)
        parts = [result.parts(x, i) for result, x in zip(results, flatten(outputs))]
        return [i + 1, [[a.write(i, x) for a, x in zip(*pair)] for pair in zip(columns, parts)]]

    columns = [result.arrays() for result in results]
    _, columns = while_loop(lambda i, _: i < slices.count, body, [0, columns], name="while")
    return pack_sequence_as(
        signature, [result.stack(arrays) for result, arrays in zip(results, columns)]
    )


def fold_in_graph(
    fn: Callable[..., Any], elems: Any, initializer: Any, backwards: bool, name: str | None
) -> Any:
    """``tf.foldl`` and ``tf.foldr`` in a graph."""
    return _within("foldr" if backwards else "foldl")(_folded)(
        fn, elems, initializer, backwards, name=name
    )


def _folded(fn: Callable[..., Any], elems: Any, initializer: Any, backwards: bool) -> Any:
    slices = Slices(elems)
    state, first, last = _init_fold(slices, initializer, backwards)
    step = -1 if backwards else 1

    def body(i: Any, state: Any) -> list[Any]:
        return [i + step, fn(state, slices(i))]

    return while_loop(lambda i, _: _before(i, last, backwards), body, [first, state], name="while")[
        1
    ]


@_within("scan")
def scan_in_graph(fn: Callable[..., Any], elems: Any, initializer: Any, backwards: bool) -> Any:
    """``tf.scan`` in a graph."""
    slices = Slices(elems)
    state, first, last = _init_fold(slices, initializer, backwards)
    leaves = [convert_to_tensor(x) for x in flatten(state)]
    arrays = _arrays_for([x.dtype for x in leaves], slices.count, [x.shape for x in leaves])
    step = -1 if backwards else 1
    if initializer is None:
        arrays = [a.write(first - step, x) for a, x in zip(arrays, leaves)]

    def body(i: Any, state: Any, results: list[TensorArray]) -> list[Any]:
        outputs = fn(state, slices(i))
        assert_same_structure(state, outputs)
        return [i + step, outputs, [a.write(i, x) for a, x in zip(results, flatten(outputs))]]

    initial = pack_sequence_as(state, leaves)
    _, _, arrays = while_loop(
        lambda i, *_: _before(i, last, backwards), body, [first, initial, arrays], name="while"
    )
    return pack_sequence_as(state, [array.stack() for array in arrays])


def _before(i: Any, last: Any, backwards: bool) -> Any:
    return i >= last if backwards else i < last


def _init_fold(slices: Slices, initializer: Any, backwards: bool) -> tuple[Any, Any, Any]:
    """Returns the initial accumulator, the first index and the bound of a fold."""
    zero: Any = convert_to_tensor(0)
    start = slices.count - 1 if backwards else zero
    last = zero if backwards else slices.count
    if initializer is not None:
        return initializer, start, last
    return slices(start), start - 1 if backwards else start + 1, last
