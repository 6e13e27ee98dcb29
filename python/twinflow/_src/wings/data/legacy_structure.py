"""Types, shapes and classes of dataset elements, as TensorFlow 1 describes them."""

from __future__ import annotations

from typing import Any

from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor, RaggedTensorSpec
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor, SparseTensorSpec
from twinflow._src.control_flow.tensor_array import TensorArraySpec
from twinflow._src.core.specs import TensorSpec, TypeSpec
from twinflow._src.core.tensor import Tensor
from twinflow._src.wings.data.structure import children, flatten, is_nested, map_leaves, pack_like


def legacy_types(spec: Any) -> Any:
    """Returns the structure of dtypes of a structure of specs; of other specs the spec itself."""
    return map_leaves(lambda s: getattr(s, "dtype", s), spec)


def legacy_shapes(spec: Any) -> Any:
    """Returns the structure of shapes of a structure of specs; of other specs the spec itself."""
    return map_leaves(lambda s: getattr(s, "shape", s), spec)


def legacy_classes(spec: Any) -> Any:
    """Returns the structure of classes of a structure of specs."""
    return map_leaves(_class_of, spec)


def _class_of(spec: Any) -> Any:
    return Tensor if isinstance(spec, TensorSpec) else spec.value_type


def align(structure: Any, other: Any) -> list[Any]:
    """Returns the parts of another structure that correspond to the leaves of a structure."""
    if not is_nested(structure):
        return [other]
    if isinstance(structure, dict):
        pairs = [(structure[key], other[key]) for key in sorted(structure)]
    elif isinstance(other, (list, tuple)) and len(other) == len(children(structure)):
        pairs = list(zip(children(structure), other))
    else:
        raise TypeError(
            "If shallow structure is a sequence, input must also be a sequence. Input has type: "
            f"{type(other).__name__!r}."
        )
    return [part for a, b in pairs for part in align(a, b)]


def spec_of_legacy(types: Any, shapes: Any, classes: Any) -> Any:
    """Returns the structure of specs of structures of dtypes, shapes and classes."""
    leaves = flatten(types)
    sizes, kinds = align(types, shapes), flatten(classes)
    specs = [_spec(*triple) for triple in zip(leaves, sizes, kinds)]
    return pack_like(types, specs)


def _spec(dtype: Any, shape: Any, kind: Any) -> Any:
    if isinstance(kind, TypeSpec):
        return kind
    if isinstance(dtype, TypeSpec):
        return dtype
    if kind is SparseTensor:
        return SparseTensorSpec(shape, dtype)
    if kind is RaggedTensor:
        return RaggedTensorSpec(shape, dtype)
    return TensorSpec(shape, dtype)


# Names of specs in TensorFlow 1.


def TensorStructure(dtype: Any, shape: Any) -> TensorSpec:
    """Returns the spec of a tensor.

    Args:
        dtype: The dtype.
        shape: The shape.
    """
    return TensorSpec(shape, dtype)


def SparseTensorStructure(dtype: Any, shape: Any) -> SparseTensorSpec:
    """Returns the spec of a sparse tensor.

    Args:
        dtype: The dtype.
        shape: The dense shape.
    """
    return SparseTensorSpec(shape, dtype)


def RaggedTensorStructure(dtype: Any, shape: Any, ragged_rank: int) -> RaggedTensorSpec:
    """Returns the spec of a ragged tensor.

    Args:
        dtype: The dtype.
        shape: The shape.
        ragged_rank: The number of ragged dimensions.
    """
    return RaggedTensorSpec(shape, dtype, ragged_rank)


def TensorArrayStructure(
    dtype: Any, element_shape: Any, dynamic_size: bool, infer_shape: bool
) -> TensorArraySpec:
    """Returns the spec of a tensor array.

    Args:
        dtype: The dtype.
        element_shape: The shape of the elements.
        dynamic_size: True if writes beyond the end grow it.
        infer_shape: True if all elements have one shape.
    """
    return TensorArraySpec(element_shape, dtype, dynamic_size, infer_shape)
