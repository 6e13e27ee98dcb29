"""Structures of dataset elements, and their representation inside a pipeline.

Tuples, named tuples, dictionaries and ``attrs`` objects are structures; lists are tensors. Inside a
pipeline an element is a tuple with one entry for each leaf of the structure: an array for a tensor,
a tuple of arrays for a composite tensor, a scalar array of objects for a variant (a dataset, an
optional).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from twinflow._src.composite_tensors.component_specs import component_specs
from twinflow._src.composite_tensors.ragged_tensor import RaggedTensorSpec
from twinflow._src.composite_tensors.sparse_tensor import SparseTensorSpec
from twinflow._src.control_flow.tensor_array import TensorArray
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import nest
from twinflow._src.core.context import runtime
from twinflow._src.core.dtypes import variant
from twinflow._src.core.errors import invalid
from twinflow._src.core.specs import TensorSpec, TypeSpec
from twinflow._src.core.tensor import EagerTensor

Element = tuple[Any, ...]

# Structures of values, in which lists are leaves.


def is_nested(value: Any) -> bool:
    """True if a value is a structure rather than a leaf of an element."""
    return not isinstance(value, list) and nest.is_nested(value)


def children(value: Any) -> list[Any]:
    """Returns the children of a structure in traversal order."""
    return nest._children(value)


def flatten(value: Any) -> list[Any]:
    """Returns the leaves of a structure; lists are leaves."""
    if not is_nested(value):
        return [value]
    return [leaf for child in children(value) for leaf in flatten(child)]


def pack_like(structure: Any, leaves: Iterable[Any]) -> Any:
    """Packs leaves into a structure; lists are leaves."""
    left = iter(leaves)

    def packed(value: Any) -> Any:
        if not is_nested(value):
            return next(left)
        return nest._rebuilt(value, [packed(child) for child in children(value)])

    return packed(structure)


def map_leaves(function: Callable[[Any], Any], structure: Any) -> Any:
    """Applies a function to the leaves of a structure; lists are leaves."""
    return pack_like(structure, map(function, flatten(structure)))


# Specs.


class NoneTensorSpec(TypeSpec):
    """The spec of None."""

    __module__ = "twinflow"

    def _serialize(self) -> tuple[Any, ...]:
        return ()

    @property
    def value_type(self) -> type:
        """The type of None."""
        return type(None)

    _component_specs: Sequence[TensorSpec] = ()

    def _to_components(self, value: Any) -> list[Any]:
        return []

    def _from_components(self, parts: Sequence[Any]) -> Any:
        return None

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Returns True for None and for another NoneTensorSpec."""
        return spec_or_value is None or isinstance(spec_or_value, NoneTensorSpec)

    def __repr__(self) -> str:
        return "NoneTensorSpec()"


def spec_of(value: Any) -> Any:
    """Returns the spec of a leaf that ``normalized`` returned."""
    if value is None:
        return NoneTensorSpec()
    if isinstance(value, TensorArray):
        return type(value).spec_of(value)
    spec = getattr(value, "_type_spec", None)
    return spec if isinstance(spec, TypeSpec) else TensorSpec(value.shape, value.dtype)


def normalized(element: Any, specs: Sequence[Any] | None = None) -> Any:
    """Returns an element with tensors in place of values that are convertible to tensors.

    ``specs`` are the specs of the leaves, None where they follow from the values.
    """
    leaves = flatten(element)
    expected = [None] * len(leaves) if specs is None else specs
    tensors = [
        _normalized_leaf(leaf, spec, i) for i, (leaf, spec) in enumerate(zip(leaves, expected))
    ]
    return pack_like(element, tensors)


def _normalized_leaf(value: Any, spec: Any, index: int) -> Any:
    if value is None or isinstance(value, TensorArray):
        return value
    if isinstance(getattr(value, "_type_spec", None), TypeSpec) and not isinstance(value, type):
        return value
    dtype = spec.dtype if isinstance(spec, TensorSpec) else None
    return convert_to_tensor(value, dtype=dtype, name=f"component_{index}")


# Representation of leaves inside a pipeline.


class Dense:
    """The representation of tensors, variants among them: an array.

    Args:
        spec: The spec of the leaf.
    """

    parts = 1

    def __init__(self, spec: TensorSpec) -> None:
        self.spec, self.dtype = spec, spec.dtype
        self.is_object = spec.dtype.np.kind == "O"

    def wrap(self, value: Any) -> Any:
        """Returns the tensor of an array."""
        return EagerTensor(value, runtime.host, self.dtype)

    def unwrap(self, value: Any) -> Any:
        """Returns the array of an eager tensor."""
        return value._host()

    def batched(self, count: int | None) -> TypeSpec:
        """Returns the spec of stacked values."""
        dims = self.spec.shape._dims
        return TensorSpec(None if dims is None else (count, *dims), self.dtype)

    def unbatched(self) -> TypeSpec:
        """Returns the spec of a row."""
        dims = self.spec.shape._dims
        return TensorSpec(None if dims is None else dims[1:], self.dtype)

    def stack(self, values: Sequence[Any], index: int = 0) -> Any:
        """Returns the values along a new first dimension; ``index`` is that of the component."""
        first = values[0]
        shape = first.shape
        for i, value in enumerate(values):
            if value.shape != shape:
                raise _uneven(shape, value.shape, i, index)
        if self.is_object:
            return _stack_objects(values, shape)
        if not shape:
            return np.array(values, first.dtype)
        if first.dtype.kind == "V":
            return np.stack(values)
        joined = bytearray().join(values)
        return np.frombuffer(joined, first.dtype).reshape(len(values), *shape)

    def count(self, value: Any) -> int:
        """Returns the number of rows."""
        return len(value)

    def row(self, value: Any, index: int) -> Any:
        """Returns a row."""
        return value[index, ...]

    def slice(self, value: Any, start: int, stop: int) -> Any:
        """Returns consecutive rows, which share memory with the value."""
        return value[start:stop]

    def gather(self, value: Any, indices: Any) -> Any:
        """Returns rows at indices."""
        return value.take(indices, 0)

    def concat(self, values: Sequence[Any]) -> Any:
        """Returns the concatenation of batches."""
        shape, count = values[0].shape[1:], 0
        for value in values:
            if value.shape[1:] != shape:
                raise _uneven(shape, value.shape[1:], count, 0)
            count += len(value)
        return np.concatenate(values)

    def fits(self, value: Any) -> bool:
        """True if a value has the shape of the spec."""
        return self.spec.shape.is_compatible_with(value.shape)


def _stack_objects(values: Sequence[Any], shape: tuple[int, ...]) -> Any:
    result = np.empty((len(values), *shape), object)
    for i, value in enumerate(values):
        result[i] = value if shape else value[()]
    return result


def dims_text(shape: Sequence[Any]) -> str:
    """Returns a shape as kernels print it."""
    return f"[{','.join(map(str, shape))}]"


def _uneven(first: Any, other: Any, position: int, index: int) -> Exception:
    return invalid(
        f"Cannot batch tensors with different shapes in component {index}. First element had shape "
        f"{dims_text(first)} and element {position} had shape {dims_text(other)}."
    )


class Composite:
    """The representation of composite tensors: a tuple of the arrays of their components."""

    def __init__(self, spec: Any) -> None:
        self.spec = spec
        self.specs = component_specs(spec)
        self.parts = len(self.specs)

    def wrap(self, value: Any) -> Any:
        """Returns the composite tensor of arrays."""
        tensors = [EagerTensor(a, runtime.host, s.dtype) for a, s in zip(value, self.specs)]
        return self.spec._from_components(tensors)

    def unwrap(self, value: Any) -> Any:
        """Returns the arrays of the components of a composite tensor."""
        return tuple(x._host() for x in nest.flatten(self.spec._to_components(value), True))

    def batched(self, count: int | None) -> TypeSpec:
        """Returns the spec of stacked values."""
        if hasattr(self.spec, "_batch"):
            return cast(Any, self.spec)._batch(count)
        raise TypeError(f"Unable to batch values of type {self.spec!r}.")

    def unbatched(self) -> TypeSpec:
        """Returns the spec of a row."""
        if hasattr(self.spec, "_unbatch"):
            return cast(Any, self.spec)._unbatch()
        raise TypeError(f"Unable to unbatch values of type {self.spec!r}.")

    def _dense(self) -> list[Dense]:
        return [Dense(spec) for spec in self.specs]

    def stack(self, values: Sequence[Any], index: int = 0) -> Any:
        """Returns the values along a new first dimension."""
        return tuple(d.stack(column, index) for d, column in zip(self._dense(), zip(*values)))

    def count(self, value: Any) -> int:
        """Returns the number of rows."""
        return len(value[0])

    def row(self, value: Any, index: int) -> Any:
        """Returns a row."""
        return tuple(part[index, ...] for part in value)

    def slice(self, value: Any, start: int, stop: int) -> Any:
        """Returns consecutive rows."""
        return self.stack([self.row(value, i) for i in range(start, stop)])

    def gather(self, value: Any, indices: Any) -> Any:
        """Returns rows at indices."""
        return self.stack([self.row(value, i) for i in indices.tolist()])

    def concat(self, values: Sequence[Any]) -> Any:
        """Returns the concatenation of batches."""
        return self.stack([self.row(v, i) for v in values for i in range(self.count(v))])

    def fits(self, value: Any) -> bool:
        """True if the components have the shapes of the spec."""
        return all(s.shape.is_compatible_with(a.shape) for s, a in zip(self.specs, value))


class Fields(Composite):
    """The representation of extension types: the components of each field by its own rules."""

    def _fields(self) -> list[Any]:
        """Returns the representations of the fields, whose components follow each other."""
        return [representation_of(spec) for spec in _field_specs(self.spec)]

    def _split(self, value: Any) -> list[Any]:
        """Returns the components by field: an array, or a tuple for a composite tensor."""
        result, at = [], 0
        for field in self._fields():
            if isinstance(field, Dense):
                result.append(value[at])
            else:
                result.append(tuple(value[at : at + field.parts]))
            at += field.parts
        return result

    def _join(self, parts: Iterable[Any]) -> tuple[Any, ...]:
        """Returns the components of all fields; the inverse of ``_split``."""
        return tuple(a for part in parts for a in (part if isinstance(part, tuple) else (part,)))

    def stack(self, values: Sequence[Any], index: int = 0) -> Any:
        """Returns the values along a new first dimension."""
        columns = zip(*map(self._split, values))
        return self._join(f.stack(column, index) for f, column in zip(self._fields(), columns))

    def count(self, value: Any) -> int:
        """Returns the number of rows."""
        return self._fields()[0].count(self._split(value)[0])

    def row(self, value: Any, index: int) -> Any:
        """Returns a row."""
        return self._join(f.row(p, index) for f, p in zip(self._fields(), self._split(value)))

    def slice(self, value: Any, start: int, stop: int) -> Any:
        """Returns consecutive rows."""
        pairs = zip(self._fields(), self._split(value))
        return self._join(f.slice(p, start, stop) for f, p in pairs)

    def gather(self, value: Any, indices: Any) -> Any:
        """Returns rows at indices."""
        return self._join(f.gather(p, indices) for f, p in zip(self._fields(), self._split(value)))

    def concat(self, values: Sequence[Any]) -> Any:
        """Returns the concatenation of batches."""
        columns = zip(*map(self._split, values))
        return self._join(f.concat(column) for f, column in zip(self._fields(), columns))

    def fits(self, value: Any) -> bool:
        """True if the components have the shapes of the spec."""
        return all(f.fits(p) for f, p in zip(self._fields(), self._split(value)))


def _field_specs(value: Any) -> list[Any]:
    """Returns the specs of the tensors and composite tensors in the fields of a spec."""
    if isinstance(value, (TensorSpec, RaggedTensorSpec, SparseTensorSpec)):
        return [value]
    if isinstance(value, TypeSpec):
        return [spec for field in value._serialize() for spec in _field_specs(field)]
    if isinstance(value, Mapping):
        return [spec for key in sorted(value) for spec in _field_specs(value[key])]
    if isinstance(value, (list, tuple)):
        return [spec for item in value for spec in _field_specs(item)]
    return []


class Ragged(Composite):
    """The representation of ragged tensors: flat values, then the row splits, outermost first."""

    def batched(self, count: int | None) -> TypeSpec:
        """Returns the spec of stacked values."""
        spec = self.spec
        dims = spec.shape._dims
        shape = None if dims is None else (count, *dims)
        return RaggedTensorSpec(shape, spec.dtype, spec.ragged_rank + 1, spec.row_splits_dtype)

    def unbatched(self) -> TypeSpec:
        """Returns the spec of a row, which may have no ragged dimension."""
        spec = self.spec
        dims = spec.shape._dims
        shape = None if dims is None else dims[1:]
        return RaggedTensorSpec(shape, spec.dtype, spec.ragged_rank - 1, spec.row_splits_dtype)

    def stack(self, values: Sequence[Any], index: int = 0) -> Any:
        """Returns the values along a new first dimension, which has row splits."""
        if self.spec.ragged_rank < 0:
            return (np.stack([v[0] for v in values]),)
        splits_type = self.spec.row_splits_dtype.np
        columns = list(zip(*values))
        lengths = [len(v[1]) - 1 if len(v) > 1 else len(v[0]) for v in values]
        outer = np.zeros(len(values) + 1, splits_type)
        np.cumsum(lengths, out=outer[1:])
        inner = [_joined_splits(column, splits_type) for column in columns[1:]]
        return (np.concatenate(columns[0]), outer, *inner)

    def count(self, value: Any) -> int:
        """Returns the number of rows."""
        return len(value[1]) - 1 if len(value) > 1 else len(value[0])

    def row(self, value: Any, index: int) -> Any:
        """Returns a row."""
        if len(value) == 1:
            return (value[0][index : index + 1].reshape(value[0].shape[1:]),)
        return self._between(value, index, index + 1, True)

    def slice(self, value: Any, start: int, stop: int) -> Any:
        """Returns consecutive rows."""
        return self._between(value, start, stop, False)

    def concat(self, values: Sequence[Any]) -> Any:
        """Returns the concatenation of batches."""
        has_splits = len(values[0]) > 1
        return super().concat(values) if has_splits else (np.concatenate([v[0] for v in values]),)

    @staticmethod
    def _between(value: Any, start: int, stop: int, is_row: bool) -> Any:
        flat, *nested = value
        result = []
        for depth, splits in enumerate(nested):
            part = splits[start : stop + 1]
            if depth or not is_row:
                result.append(part - part[0])
            start, stop = int(part[0]), int(part[-1])
        return (flat[start:stop], *result)

    def fits(self, value: Any) -> bool:
        """True if the flat values have the rank of the spec."""
        return True


def _joined_splits(column: Sequence[Any], dtype: Any) -> Any:
    """Returns the row splits of concatenated ragged tensors."""
    ends, parts = 0, [np.zeros(1, dtype)]
    for splits in column:
        parts.append(splits[1:] + ends)
        ends += int(splits[-1])
    return np.concatenate(parts).astype(dtype, copy=False)


class Sparse(Composite):
    """The representation of sparse tensors: indices, values and the dense shape."""

    def batched(self, count: int | None) -> TypeSpec:
        """Returns the spec of stacked values."""
        dims = self.spec.shape._dims
        return SparseTensorSpec(None if dims is None else (count, *dims), self.spec.dtype)

    def unbatched(self) -> TypeSpec:
        """Returns the spec of a row."""
        dims = self.spec.shape._dims
        return SparseTensorSpec(None if dims is None else dims[1:], self.spec.dtype)

    def stack(self, values: Sequence[Any], index: int = 0) -> Any:
        """Returns the values along a new first dimension; the dense shape holds all of them."""
        ranks = {len(shape) for _, _, shape in values}
        if len(ranks) > 1:
            first = len(values[0][2])
            i, other = next((i, len(v[2])) for i, v in enumerate(values) if len(v[2]) != first)
            raise invalid(
                f"Inconsistent rank across SparseTensors: rank prior to SparseTensor[{i}] was: "
                f"{first} but rank of SparseTensor[{i}] is: {other}"
            )
        counts = [len(v[1]) for v in values]
        rows = np.repeat(np.arange(len(values), dtype=np.int64), counts)[:, None]
        indices = np.concatenate([rows, np.concatenate([v[0] for v in values])], 1)
        shape = np.max([v[2] for v in values], 0) if ranks != {0} else np.zeros(0, np.int64)
        dense = np.concatenate([np.array([len(values)], np.int64), shape.astype(np.int64)])
        return np.ascontiguousarray(indices), np.concatenate([v[1] for v in values]), dense

    def count(self, value: Any) -> int:
        """Returns the number of rows."""
        return int(value[2][0])

    def row(self, value: Any, index: int) -> Any:
        """Returns a row."""
        indices, values, shape = value
        rows = indices[:, 0]
        if (rows[1:] >= rows[:-1]).all():
            start, stop = np.searchsorted(rows, [index, index + 1])
            return np.ascontiguousarray(indices[start:stop, 1:]), values[start:stop], shape[1:]
        selected = rows == index
        return np.ascontiguousarray(indices[selected, 1:]), values[selected], shape[1:]

    def fits(self, value: Any) -> bool:
        """True if the dense shape is compatible with that of the spec."""
        return self.spec.shape.is_compatible_with(value[2].tolist())


class Absent(Composite):
    """The representation of None: an empty tuple."""

    def unwrap(self, value: Any) -> Any:
        """Returns an empty tuple."""
        return ()

    def batched(self, count: int | None) -> TypeSpec:
        """Returns the spec itself."""
        return self.spec

    def unbatched(self) -> TypeSpec:
        """Returns the spec itself."""
        return self.spec

    def stack(self, values: Sequence[Any], index: int = 0) -> Any:
        """Returns an empty tuple."""
        return ()

    def row(self, value: Any, index: int) -> Any:
        """Returns an empty tuple."""
        return ()

    def fits(self, value: Any) -> bool:
        """Returns True."""
        return True


class Variant(Dense):
    """The representation of composites of one variant (datasets, optionals): that array."""

    def __init__(self, leaf: Any) -> None:
        self.spec, self.dtype, self.is_object = leaf, variant, True
        self._dims = tuple(leaf._component_specs[0].shape)

    def wrap(self, value: Any) -> Any:
        """Returns the composite of an array."""
        return self.spec._from_components([EagerTensor(value, runtime.host, variant)])

    def unwrap(self, value: Any) -> Any:
        """Returns the array of a composite."""
        (tensor,) = self.spec._to_components(value)
        return tensor._host()

    def batched(self, count: int | None) -> TypeSpec:
        """Returns the spec of stacked values."""
        return cast(Any, self.spec)._batch(count)

    def unbatched(self) -> TypeSpec:
        """Returns the spec of a row."""
        return cast(Any, self.spec)._unbatch()

    def fits(self, value: Any) -> bool:
        """True if an array has the shape of the spec."""
        return len(value.shape) == len(self._dims)


def representation_of(spec: Any) -> Any:
    """Returns the representation of the leaves that a spec describes."""
    if isinstance(spec, TensorSpec):
        return Dense(spec)
    if isinstance(spec, RaggedTensorSpec):
        return Ragged(spec)
    if isinstance(spec, SparseTensorSpec):
        return Sparse(spec)
    if isinstance(spec, NoneTensorSpec):
        return Absent(spec)
    parts = getattr(spec, "_component_specs", None)
    if isinstance(parts, (list, tuple)) and len(parts) == 1 and parts[0].dtype is variant:
        return Variant(spec)
    return Fields(spec) if hasattr(type(spec), "_fields_of") else Composite(spec)


class Elements:
    """The type of the elements of a dataset.

    Args:
        spec: The structure of specs.

    Attributes:
        spec: The structure of specs.
        leaves: The representation of each leaf.
        is_dense: True if each leaf is one array.
    """

    def __init__(self, spec: Any) -> None:
        self.spec = spec
        self.leaves = [representation_of(leaf) for leaf in flatten(spec)]
        self.is_dense = all(isinstance(leaf, Dense) for leaf in self.leaves)
        self._alone = self.leaves[0] if not is_nested(spec) else None
        is_plain = type(spec) is tuple and not any(map(is_nested, spec))
        self._wraps = [leaf.wrap for leaf in self.leaves] if is_plain else None

    # ---------------------------------------------------------------- values of users
    def wrap(self, element: Element) -> Any:
        """Returns the value of an element: tensors in the structure of the specs."""
        if self._alone is not None:
            return self._alone.wrap(element[0])
        if self._wraps is not None:
            return tuple([wrap(value) for wrap, value in zip(self._wraps, element)])
        return pack_like(self.spec, [r.wrap(value) for r, value in zip(self.leaves, element)])

    def unwrap(self, value: Any) -> Element:
        """Returns the element of a value, whose leaves are eager tensors."""
        return tuple([r.unwrap(leaf) for r, leaf in zip(self.leaves, flatten(value))])

    # ---------------------------------------------------------------- flat arrays
    def arrays(self, element: Element) -> Sequence[Any]:
        """Returns the arrays of an element: those of composite tensors expanded."""
        if self.is_dense:
            return element
        return [part for value in element for part in (value if type(value) is tuple else (value,))]

    def element(self, arrays: Sequence[Any]) -> Element:
        """Returns the element of arrays; see ``arrays``."""
        if self.is_dense:
            return tuple(arrays)
        left = iter(arrays)
        return tuple(
            [
                next(left) if isinstance(r, Dense) else tuple([next(left) for _ in range(r.parts)])
                for r in self.leaves
            ]
        )

    def tensor_specs(self) -> list[TensorSpec]:
        """Returns the specs of the component tensors."""
        return [part for r in self.leaves for part in tensor_specs(r)]

    # ---------------------------------------------------------------- batches
    def stack(self, elements: Sequence[Element]) -> Element:
        """Returns a batch of elements."""
        return tuple(
            [r.stack(column, i) for i, (r, column) in enumerate(zip(self.leaves, zip(*elements)))]
        )

    def batched(self, count: int | None) -> Any:
        """Returns the structure of specs of a batch."""
        return pack_like(self.spec, [r.batched(count) for r in self.leaves])

    def unbatched(self) -> Any:
        """Returns the structure of specs of the rows."""
        return pack_like(self.spec, [r.unbatched() for r in self.leaves])

    def count(self, element: Element) -> int:
        """Returns the number of rows of a batch."""
        return self.leaves[0].count(element[0])

    def row(self, element: Element, index: int) -> Element:
        """Returns a row of a batch."""
        return tuple([r.row(value, index) for r, value in zip(self.leaves, element)])

    def slice(self, element: Element, start: int, stop: int) -> Element:
        """Returns consecutive rows of a batch."""
        return tuple([r.slice(value, start, stop) for r, value in zip(self.leaves, element)])

    def gather(self, element: Element, indices: Any) -> Element:
        """Returns rows of a batch at indices."""
        return tuple([r.gather(value, indices) for r, value in zip(self.leaves, element)])

    def concat(self, batches: Sequence[Element]) -> Element:
        """Returns the concatenation of batches."""
        if len(batches) == 1:
            return batches[0]
        return tuple([r.concat(column) for r, column in zip(self.leaves, zip(*batches))])


def tensor_specs(representation: Any) -> list[TensorSpec]:
    """Returns the specs of the component tensors of a leaf."""
    spec = representation.spec
    if isinstance(representation, Variant):
        return list(spec._component_specs)
    return [spec] if isinstance(spec, TensorSpec) else list(representation.specs)
