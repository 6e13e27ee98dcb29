"""Specs of composite tensors and of their component tensors."""

from __future__ import annotations

import abc
from collections.abc import Iterator, Mapping
from typing import Any

from twinflow._src.composite_tensors.indexed_slices import IndexedSlices, IndexedSlicesSpec
from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor, RaggedTensorSpec
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor, SparseTensorSpec
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import nest
from twinflow._src.core.dtypes import int64
from twinflow._src.core.specs import TensorSpec, TypeSpec
from twinflow._src.core.tensor import Tensor


class CompositeTensor(metaclass=abc.ABCMeta):
    """Base class of values that functions, loops and ``tf.nest`` take apart into tensors.

    A subclass has a type spec, whose ``_to_components`` and ``_from_components`` convert its values.
    """

    @property
    @abc.abstractmethod
    def _type_spec(self) -> Any:
        """The type spec of the value."""
        raise NotImplementedError(f"{type(self).__name__}._type_spec()")

    def _shape_invariant_to_type_spec(self, shape: Any) -> Any:
        """Returns the type spec of a loop variable with a shape invariant."""
        raise NotImplementedError(f"{type(self).__name__}._shape_invariant_to_type_spec")

    def _convert_variables_to_tensors(self) -> Any:
        """Returns this value with the values of its variables in their place."""
        return self


CompositeTensor.register(RaggedTensor)
CompositeTensor.register(SparseTensor)
CompositeTensor.register(IndexedSlices)


def composite_spec(value: Any) -> TypeSpec | None:
    """Returns the type spec of a composite tensor; None for any other value."""
    spec = None if isinstance(value, Tensor) else getattr(value, "_type_spec", None)
    return spec if is_composite_spec(spec) else None


def without_variables(value: Any) -> Any:
    """Returns a composite tensor with the values of its variables in their place."""
    convert = getattr(value, "_convert_variables_to_tensors", None)
    return value if convert is None or composite_spec(value) is None else convert()


def is_composite_spec(value: Any) -> bool:
    """True for the type spec of a composite tensor."""
    return isinstance(value, TypeSpec) and not value._is_component


def components(spec: Any, value: Any) -> list[Any]:
    """Returns the tensors and variables that a composite tensor consists of, flat.

    A variable is one where the spec says so; otherwise its value is the component.
    """
    parts = nest.flatten(spec._to_components(value), expand_composites=True)
    specs = component_specs(spec)
    if len(specs) != len(parts):
        return [convert_to_tensor(x) if hasattr(x, "read_value") else x for x in parts]
    return [
        convert_to_tensor(x) if hasattr(x, "read_value") and isinstance(s, TensorSpec) else x
        for x, s in zip(parts, specs)
    ]


def from_components(spec: Any, parts: Iterator[Any]) -> Any:
    """Returns the value of a spec and of its components, flat; the inverse of ``components``."""
    if spec._is_component:
        return next(parts)
    structure = getattr(spec, "_component_specs", None)
    if type(spec) in _PARTS or structure is None:
        return spec._from_components([next(parts) for _ in component_specs(spec)])
    return spec._from_components(nest.map_structure(lambda s: from_components(s, parts), structure))


def component_specs(spec: Any) -> list[Any]:
    """Returns the specs of the components of a type spec: of tensors, and of variables."""
    if getattr(spec, "_is_component", False):
        return [spec]
    for kind, parts in _PARTS.items():
        if isinstance(spec, kind):
            return parts(spec)
    if isinstance(spec, TypeSpec):
        fields = getattr(spec, "_component_specs", None)
        if isinstance(fields, (list, tuple, Mapping)):
            return component_specs(fields)
        return [part for field in spec._serialize() for part in component_specs(field)]
    if isinstance(spec, Mapping):
        return [part for key in sorted(spec) for part in component_specs(spec[key])]
    items = spec if isinstance(spec, (list, tuple)) else ()
    return [part for item in items for part in component_specs(item)]


def _of_ragged(spec: RaggedTensorSpec) -> list[TensorSpec]:
    dims = spec.shape._dims
    if spec.ragged_rank <= 0:  # a tensor; -1 for a scalar of a batch of rank 0
        return [TensorSpec(spec.shape, spec.dtype)]
    inner = None if dims is None else [None, *dims[spec.ragged_rank + 1 :]]
    rows = None if dims is None or dims[0] is None else dims[0] + 1
    counts = [rows, *[None] * (spec.ragged_rank - 1)]
    return [
        TensorSpec(inner, spec.dtype),
        *(TensorSpec([n], spec.row_splits_dtype) for n in counts),
    ]


def _of_sparse(spec: SparseTensorSpec) -> list[TensorSpec]:
    rank = spec.shape.rank
    return [
        TensorSpec([None, rank], int64),
        TensorSpec([None], spec.dtype),
        TensorSpec([rank], int64),
    ]


_PARTS: dict[type, Any] = {
    RaggedTensorSpec: _of_ragged,
    SparseTensorSpec: _of_sparse,
    IndexedSlicesSpec: lambda spec: list(spec._component_specs),
}
