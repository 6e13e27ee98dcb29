"""Datasets of the values that Python generators yield."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from twinflow._src.conversion.arrays import as_bytes
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import as_dtype
from twinflow._src.core.errors import (
    InternalError,
    OpError,
    UnimplementedError,
    UnknownError,
    invalid,
)
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.specs import TensorSpec, TypeSpec
from twinflow._src.wings.data.dataset import DatasetV2, make, makes
from twinflow._src.wings.data.dataset_ops import dataset_variant
from twinflow._src.wings.data.legacy_structure import align
from twinflow._src.wings.data.nesting import _FlatMapDataset
from twinflow._src.wings.data.stages import Run, Stage, StageIterator
from twinflow._src.wings.data.structure import (
    Dense,
    Element,
    Elements,
    flatten,
    is_nested,
    map_leaves,
    normalized,
    pack_like,
    spec_of,
)


class GeneratorStage(Stage):
    """The values of a generator, which each iterator calls anew.

    Args:
        elements: The type of the elements.
        generator: Returns an iterable.
        arguments: Its arguments.
    """

    def __init__(self, elements: Elements, generator: Callable[..., Any], arguments: Any) -> None:
        self.elements, self._generator, self._arguments = elements, generator, arguments
        spec = elements.spec
        # As in TensorFlow, NumPy converts where all specs are those of tensors; a single tensor of unknown
        # rank and composite tensors are converted as constants are.
        self._by_numpy = all(isinstance(leaf, Dense) for leaf in elements.leaves) and (
            is_nested(spec) or spec.shape.rank is not None
        )
        is_typed = self._by_numpy and is_nested(spec)
        self._expected = map_leaves(lambda leaf: leaf.dtype, spec) if is_typed else spec

    def open(self) -> Iterator[Any]:
        """Returns an iterator over the values; scalar arguments are NumPy scalars."""
        return iter(self._generator(*[x[()] for x in self._arguments]))

    def convert(self, value: Any) -> Element:
        """Returns the element of a value; raises InvalidArgumentError if it does not fit."""
        structure = self.elements.spec
        if isinstance(value, list) and is_nested(structure):
            value = tuple(value)
        try:
            leaves = align(structure, value) if is_nested(structure) else [value]
        except (TypeError, KeyError, IndexError):
            raise self._mismatch(value) from None
        if self._by_numpy:
            return tuple([self._array(leaf, x) for leaf, x in zip(self.elements.leaves, leaves)])
        return self._components(leaves, value)

    def _array(self, leaf: Dense, value: Any) -> Any:
        try:
            array = _array(value, leaf.dtype)
        except (TypeError, ValueError, OverflowError):
            raise invalid(
                "TypeError: `generator` yielded an element that could not be converted to the expected "
                f"type. The expected type was {leaf.dtype.name}, but the yielded element was {value}."
            ) from None
        if not leaf.fits(array):
            expected = tuple(leaf.spec.shape.as_list())
            raise invalid(
                f"TypeError: `generator` yielded an element of shape {array.shape} where an element of "
                f"shape {expected} was expected."
            )
        return array

    def _components(self, values: list[Any], element: Any) -> Element:
        """Returns the components of values that are converted to tensors of the specs."""
        specs = [leaf.spec for leaf in self.elements.leaves]
        try:
            tensors = [normalized(value, [spec]) for value, spec in zip(values, specs)]
            actual = [spec_of(tensor) for tensor in tensors]
        except (TypeError, ValueError):
            raise self._mismatch(element) from None
        if not all(spec.is_compatible_with(other) for spec, other in zip(specs, actual)):
            raise invalid(
                f"TypeError: `generator` yielded an element of {pack_like(self.elements.spec, actual)} "
                f"where an element of {self.elements.spec} was expected."
            )
        return tuple([leaf.unwrap(x) for leaf, x in zip(self.elements.leaves, tensors)])

    def _mismatch(self, value: Any) -> OpError:
        return invalid(
            "TypeError: `generator` yielded an element that did not match the expected structure. The "
            f"expected structure was {self._expected}, but the yielded element was {value}."
        )

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator that calls the generator at its first element."""
        return GeneratorIterator(self)


def _array(value: Any, dtype: Any) -> Any:
    """Returns a value as an array of a dtype, as TensorFlow converts what Python functions return."""
    if hasattr(value, "_host"):
        value = value._host()
    if dtype.np.kind != "O":
        return np.asarray(value, dtype.np, order="C")
    array = np.asarray(value, object)
    result = np.empty(array.shape, object)
    flat = [_text(x) for x in array.reshape(-1)]
    result.reshape(-1)[:] = flat
    return result


def _text(value: Any) -> bytes:
    if isinstance(value, (str, bytes)):
        return as_bytes(value)
    cls = type(value)
    name = cls.__name__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__name__}"
    raise InternalError(None, None, f"Unsupported object type {name}")


class GeneratorIterator(StageIterator):
    """An iterator over the values of a generator."""

    def __init__(self, stage: GeneratorStage) -> None:
        self.elements, self._stage = stage.elements, stage
        self._values: Iterator[Any] | None = None
        self._count = 0

    def __next__(self) -> Element:
        try:
            if self._values is None:
                self._values = self._stage.open()
            value = next(self._values)
        except (StopIteration, OpError):
            raise
        except Exception as error:
            raise _failure(error) from error
        self._count += 1
        return self._stage.convert(value)

    def position(self) -> dict[str, Any]:
        """Returns the number of values."""
        return {"count": self._count}

    def move(self, saved: dict[str, Any]) -> None:
        """Calls the generator anew, and skips the values of a position."""
        self._values, self._count = None, 0
        self.skip(int(saved["count"]))


def _failure(error: Exception) -> OpError:
    """Returns the error of a Python function in a kernel."""
    text = f"{type(error).__name__}: {error}"
    if isinstance(error, (TypeError, ValueError)):
        return invalid(text)
    cls: Any = UnimplementedError if isinstance(error, NotImplementedError) else UnknownError
    return cls(None, None, text)


@makes("from_generator")
def from_generator(
    generator: Callable[..., Any],
    output_types: Any = None,
    output_shapes: Any = None,
    args: Any = None,
    output_signature: Any = None,
    name: str | None = None,
) -> DatasetV2:
    """Returns a dataset of the values of a generator; see ``Dataset.from_generator``."""
    if not callable(generator):
        raise TypeError("`generator` must be a Python callable.")
    if output_signature is not None:
        if output_types is not None:
            raise TypeError(
                "The `output_types` argument can not be used together with the `output_signature` "
                "argument."
            )
        if output_shapes is not None:
            raise TypeError(
                "The `output_shapes` argument can not be used together with the `output_signature` "
                "argument."
            )
        for spec in flatten(output_signature):
            if not isinstance(spec, TypeSpec):
                raise TypeError(
                    "`output_signature` must contain objects that are subclass of `tf.TypeSpec` but "
                    f"found {type(spec)} which is not."
                )
        signature = output_signature
    else:
        if output_types is None:
            raise TypeError(
                "To specify the output signature you need to provide either the `output_signature` "
                "argument or the `output_types` argument."
            )
        types = map_leaves(as_dtype, output_types)
        shapes = (
            [TensorShape(None)] * len(flatten(types))
            if output_shapes is None
            else [TensorShape(s) for s in align(types, output_shapes)]
        )
        specs = [TensorSpec(s, t) for s, t in zip(shapes, flatten(types))]
        signature = pack_like(types, specs)
    elements = Elements(signature)
    tensors = [convert_to_tensor(x, name=f"args_{i}") for i, x in enumerate(args or ())]
    stage = lambda source, *arrays: GeneratorStage(elements, generator, arrays)
    source = make("from_tensors")(np.int64(0))
    variant = dataset_variant("GeneratorDataset", stage, [source], tensors, (), True)
    return _FlatMapDataset(source, variant, elements)
