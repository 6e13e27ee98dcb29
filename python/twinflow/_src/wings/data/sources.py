"""Datasets of tensors, of their slices, and of ranges."""

from __future__ import annotations

from typing import Any

from twinflow._src.core import nest
from twinflow._src.core.dtypes import as_dtype, int64
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.specs import TensorSpec
from twinflow._src.wings.data.dataset import DatasetSource, DatasetV2, makes
from twinflow._src.wings.data.dataset_ops import build_variant, builds, component_tensors, scalar
from twinflow._src.wings.data.stages import ListStage, RangeStage, SlicesStage, Stage, TensorStage
from twinflow._src.wings.data.structure import (
    Elements,
    Sparse,
    flatten,
    map_leaves,
    normalized,
    pack_like,
    spec_of,
)


@builds("TensorDataset")
def _tensor_stage(elements: Elements, *arrays: Any) -> Stage:
    return TensorStage(elements, elements.element(arrays))


@makes("from_tensors")
class _TensorDataset(DatasetSource):
    """A dataset of one element."""

    def __init__(self, element: Any, name: str | None = None) -> None:
        value = normalized(element)
        elements = self._elements = Elements(map_leaves(spec_of, value))
        tensors = component_tensors(elements, value)
        super().__init__(build_variant("TensorDataset", (elements,), (), tensors))


@builds("TensorSliceDataset")
def _slices_stage(elements: Elements, batch: Elements, *arrays: Any) -> Stage:
    return SlicesStage(elements, batch, batch.element(arrays))


@makes("from_tensor_slices")
class _TensorSliceDataset(DatasetSource):
    """A dataset of the slices of tensors."""

    def __init__(self, element: Any, name: str | None = None, is_files: bool = False) -> None:
        value = normalized(element)
        if not flatten(value):
            raise ValueError("Invalid `element`. `element` should not be empty.")
        batch = Elements(map_leaves(spec_of, value))
        _check_first_dimensions(batch)
        elements = self._elements = Elements(batch.unbatched())
        tensors = component_tensors(batch, value)
        super().__init__(build_variant("TensorSliceDataset", (elements, batch), (), tensors))


@builds("ListDataset")
def _list_stage(elements: Elements, size: int, *arrays: Any) -> Stage:
    rows = [arrays[i : i + size] for i in range(0, len(arrays), size)]
    return ListStage(elements, [elements.element(row) for row in rows])


@makes("from_list")
class _ListDataset(DatasetSource):
    """A dataset of the elements of a list, whose shapes may differ."""

    def __init__(self, values: list[Any]) -> None:
        values = [normalized(value) for value in values]
        specs = [map_leaves(spec_of, value) for value in values]
        elements = self._elements = Elements(_common_spec(specs))
        parts = [component_tensors(elements, value) for value in values]
        tensors = [tensor for row in parts for tensor in row]
        super().__init__(build_variant("ListDataset", (elements, len(parts[0])), (), tensors))


def _common_spec(specs: list[Any]) -> Any:
    """Returns the structure of the most specific specs that all elements have."""
    for spec in specs[1:]:
        nest.assert_same_structure(specs[0], spec)
    columns = zip(*(flatten(spec) for spec in specs))
    common = [first.most_specific_common_supertype(others) for first, *others in columns]
    if None in common:
        raise ValueError("The elements of the list have no common type: their dtypes differ.")
    return pack_like(specs[0], common)


def _check_first_dimensions(batch: Elements) -> None:
    """Raises ValueError for scalars, and for tensors of different first dimensions."""
    size = TensorShape([None])
    for leaf in batch.leaves:
        shape = (
            leaf.spec._component_specs[0].shape
            if not hasattr(leaf.spec, "shape")
            else leaf.spec.shape
        )
        if shape.ndims == 0:
            kind = "sparse tensor" if isinstance(leaf, Sparse) else "tensor"
            raise ValueError(f"Unbatching a {kind} is only supported for rank >= 1")
        if shape.ndims is not None:
            first = shape[:1]
            if not size.is_compatible_with(first):
                a, b = size.as_list()[0], first.as_list()[0]
                raise ValueError(f"Dimensions {a} and {b} are not compatible")
            size = size.merge_with(first)


@builds("RangeDataset")
def _range_stage(elements: Elements, *limits: Any) -> Stage:
    return RangeStage(elements, *map(int, limits))


class _RangeDataset(DatasetSource):
    """A dataset of a range of numbers."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._name = kwargs.pop("name", None)
        dtype = as_dtype(kwargs.pop("output_type", int64))
        start, stop, step = _limits(args, kwargs)
        tensors = [scalar(start, "start"), scalar(stop, "stop"), scalar(step, "step")]
        elements = self._elements = Elements(TensorSpec([], dtype))
        super().__init__(build_variant("RangeDataset", (elements,), (), tensors))


def _limits(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any, Any]:
    if kwargs:
        raise TypeError(f"range() got an unexpected keyword argument {next(iter(kwargs))!r}")
    if len(args) == 1:
        return 0, args[0], 1
    if len(args) == 2:
        return args[0], args[1], 1
    if len(args) == 3:
        return args[0], args[1], args[2]
    raise ValueError(
        f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}."
    )


@makes("range")
def _range(*args: Any, **kwargs: Any) -> DatasetV2:
    return _RangeDataset(*args, **kwargs)
