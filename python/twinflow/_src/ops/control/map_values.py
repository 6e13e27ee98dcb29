"""Values of several tensors in maps: their slices, and what a map makes of the results of its function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from twinflow._src.composite_tensors.ragged_factories import is_ragged
from twinflow._src.composite_tensors.ragged_spec import RaggedTensorSpec
from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor, SparseTensorSpec
from twinflow._src.control_flow.tensor_array import TensorArray
from twinflow._src.conversion.constant import constant, convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import int64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.tensor_spec import TensorSpec
from twinflow._src.core.type_spec import TypeSpec
from twinflow._src.dispatch.op import API
from twinflow._src.graph.ops import holding

# ------------------------------------------------------------------ slices


def sparse_slices(x: SparseTensor) -> tuple[Any, Callable[[Any], SparseTensor]]:
    """The number of slices of a sparse tensor along its first dimension, and a function that gives each.

    Args:
        x: The sparse tensor; its elements must be in order.
    """
    ends, sizes, inner = _ends(x), x.dense_shape[1:], x.shape[1:]
    inner_rank = x.indices.shape[1]

    def slice_at(i: Any) -> SparseTensor:
        here = slice(ends[i], ends[i + 1])
        places = x.indices[here, 1:]
        places.set_shape([None, None if inner_rank is None else inner_rank - 1])
        found = SparseTensor(places, x.values[here], sizes)
        found.set_shape(inner)
        return found

    known = x.shape.rank is not None and x.shape[0] is not None
    return (x.shape[0] if known else API["cast"](x.dense_shape[0], "int32")), slice_at


def ragged_slices(x: Any) -> tuple[Any, Callable[[Any], Any]]:
    """The number of rows of a ragged tensor, and a function that gives each.

    Args:
        x: The ragged tensor.
    """
    splits = x.row_splits
    return x.nrows("int32"), lambda i: _between(x.values, splits[i], splits[i + 1])


def _between(values: Any, first: Any, end: Any) -> Any:
    """The rows of a tensor, ragged or not, from one to another one."""
    if not is_ragged(values):
        return values[first:end]
    splits = values.row_splits[first : end + 1]
    return RaggedTensor._of(_between(values.values, splits[0], splits[-1]), splits - splits[0])


def _ends(x: SparseTensor) -> Any:
    """Where the elements of each slice begin, and where the last ones end."""
    graph = thread.scope.graph
    if graph is None:
        return constant(_bounds(np, x.indices._host(), x.dense_shape._host()))
    op = holding("SerializeManySparse", _bounds, 2)
    op.infer, op.no_gradient = (lambda node: ([int64], [(None,)], True)), True
    given = graph.own(x.indices), graph.own(x.dense_shape)
    return graph.add(op, given, {}, graph.unique_name("SerializeManySparse"))


def _bounds(xp: Any, places: Any, shape: Any) -> Any:
    from twinflow._src.wings.sparse.parts import (
        check_order,  # only maps over sparse tensors need them
    )

    if len(shape) < 2:
        raise invalid(f"Rank of input SparseTensor should be > 1, but saw rank: {len(shape)}")
    check_order(places, shape)
    return np.searchsorted(places[:, 0], np.arange(int(shape[0]) + 1))


# ------------------------------------------------------------------ results


def result_spec(leaf: Any) -> Any:
    """What describes the results where nothing is said of them: what is like a slice of a leaf of the elements."""
    if isinstance(leaf, SparseTensor):
        return SparseTensorSpec(None, leaf.dtype)
    if is_ragged(leaf):
        return RaggedTensorSpec(None, leaf.dtype, leaf.ragged_rank - 1, leaf.row_splits.dtype)
    return leaf.dtype


class Results:
    """The results of a map at one place of their structure: arrays of the tensors that they are made of.

    Args:
        spec: A type, or what describes one result.
        count: The number of results.
        infer_shape: Whether all have one shape.

    Raises:
        TypeError: No map can give such results.
    """

    def __init__(self, spec: Any, count: Any, infer_shape: bool = True) -> None:
        self.spec, self._count, self._infer = spec, count, infer_shape
        composite = isinstance(spec, TypeSpec) and not isinstance(spec, TensorSpec)
        if composite and not isinstance(spec, (RaggedTensorSpec, SparseTensorSpec)):
            raise TypeError(f"map_fn can not generate {spec} outputs")

    def arrays(self) -> list[TensorArray]:
        """Arrays for the tensors that the results are made of."""
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
            lengths = [self._array(spec.row_splits_dtype, [None], False) for _ in range(spec.ragged_rank)]
            return [
                self._array(spec.dtype, self._within(), False),
                self._array(spec.row_splits_dtype, []),
                *lengths,
            ]
        return [self._array(getattr(spec, "dtype", spec), getattr(spec, "shape", None), self._infer)]

    def _array(self, dtype: Any, shape: Any, infer_shape: bool = True) -> TensorArray:
        return TensorArray(dtype, size=self._count, infer_shape=infer_shape, element_shape=shape)

    def _within(self) -> Any:
        """The shape of the innermost values of a ragged result."""
        shape = self.spec.shape
        return None if shape.rank is None else [None, *shape.as_list()[self.spec.ragged_rank + 1 :]]

    def parts(self, value: Any, i: Any) -> list[Any]:
        """The tensors that a result is made of.

        Args:
            value: The result.
            i: Its number.

        Raises:
            ValueError: It is not of the kind that was said.
            InvalidArgumentError: It is a scalar where rows of a ragged tensor are due.
        """
        if isinstance(self.spec, SparseTensorSpec):
            self._check(value)
            return [value.indices, value.values, API["size"](value.values, out_type=int64), value.dense_shape]
        if isinstance(self.spec, RaggedTensorSpec):
            return self._rows(value, i)
        return [value]

    def _rows(self, value: Any, i: Any) -> list[Any]:
        value = value if is_ragged(value) or isinstance(value, SparseTensor) else convert_to_tensor(value)
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
            found = getattr(value, "_type_spec", None)
            if not isinstance(found, TypeSpec):
                value = convert_to_tensor(value)
                found = TensorSpec(value.shape, value.dtype)
            raise ValueError(
                f"Error in map_fn:\n  Expected `fn` to return a:\n    {spec!r}\n  But it returned a:\n    {found!r}\n"
                f"    (value={value!s})\n  To fix, update the `fn_output_signature` (or `dtype`) argument to `map_fn`."
            )

    def joined(self, arrays: Sequence[TensorArray]) -> Any:
        """The results as one value.

        Args:
            arrays: The arrays with the tensors that they are made of.
        """
        if isinstance(self.spec, SparseTensorSpec):
            return self._sparse(*arrays)
        if not isinstance(self.spec, RaggedTensorSpec):
            return arrays[0].stack()
        values, numbers, *lengths = arrays
        found = self._concat(values, self._within())
        for inner in (*(self._concat(array, [None]) for array in reversed(lengths)), numbers.stack()):
            found = RaggedTensor.from_row_lengths(found, inner, validate=False)
        return found

    def _sparse(self, places: Any, values: Any, counts: Any, shapes: Any) -> SparseTensor:
        rank = self.spec.shape.rank
        if thread.scope.graph is None and not self._count:
            raise invalid("Serialized sparse should have 3 as the last dimension [0]")
        rows = API["repeat"](API["range"](API["cast"](self._count, int64)), counts.stack())
        indices = API["concat"]([rows[:, None], self._concat(places, [None, rank])], 1)
        sizes = API["reduce_max"](shapes.stack(), 0)
        whole = API["concat"]([API["cast"](self._count, int64)[None], sizes], 0)
        return SparseTensor(indices, self._concat(values, [None]), whole)

    def _concat(self, array: TensorArray, shape: Any) -> Any:
        if thread.scope.graph is None and not self._count:
            return API["zeros"]([0, *TensorShape(shape)[1:]] if shape else [0], array.dtype)
        return array.concat()


def _refuse_scalar(value: Any, i: Any) -> None:
    """Raises the error about a scalar where rows of a ragged tensor are due."""
    if thread.scope.graph is not None:
        raise ValueError(
            "Shape must be at least rank 1 but is rank 0 for '{{node RaggedTensorToVariant}} = RaggedTensorToVariant"
            f"[RAGGED_RANK=0, Tvalues=DT_{value.dtype.cname.upper()}]({value.op.name})' with input shapes: []."
        )
    shown = f"type: {value.dtype.cname} shape: [] values: {value.numpy()}"
    raise invalid(
        f"Ragged values must have rank >= 1; encoded scalar element at index {i} has values Tensor: Tensor<{shown}>"
    )
