"""Iterators over datasets: in Python, as arguments of functions, and as operations."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from twinflow._src.composite_tensors.ragged_tensor import RaggedTensorSpec
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor, SparseTensorSpec
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import quiet, thread
from twinflow._src.core.dtypes import resource
from twinflow._src.core.errors import OutOfRangeError
from twinflow._src.core.specs import TensorSpec
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.op import API
from twinflow._src.numerics.object_arrays import box
from twinflow._src.trackable.trackable import Trackable
from twinflow._src.wings.data.dataset import DatasetV2, IteratorSpec, make, makes
from twinflow._src.wings.data.dataset_ops import element_attrs, element_results, packed, run_op
from twinflow._src.wings.data.legacy_structure import legacy_classes, legacy_shapes, legacy_types
from twinflow._src.wings.data.positions import decode, encode
from twinflow._src.wings.data.stages import Run, Stage
from twinflow._src.wings.data.structure import Element, Elements, NoneTensorSpec, map_leaves

_END = "End of sequence"


class IteratorState:
    """The position of an iterator: the value of its resource.

    Args:
        stage: The stage of the dataset; None for an iterator that ``start`` starts.
    """

    def __init__(self, stage: Stage | None = None) -> None:
        self._lock = threading.RLock()
        if stage is not None:
            self.start(stage)

    def start(self, stage: Stage) -> None:
        """Sets the position to the first element of a stage."""
        self._run = run = Run(stage)
        self.elements = stage.elements
        self._iterator: Any = quiet().run(stage.iterate, run)
        weakref.finalize(self, run.close)

    def next(self) -> Element:
        """Returns the next element; raises StopIteration at the end."""
        outer = thread.session
        with self._lock:
            thread.session = self._run.token
            try:
                return quiet().run(self._iterator.__next__)
            finally:
                thread.session = outer

    def save(self) -> bytes:
        """Returns the position as bytes."""
        with self._lock:
            return encode(self._iterator.save())

    def restore(self, text: bytes) -> None:
        """Restores a position that ``save`` returned."""
        outer = thread.session
        with self._lock:
            thread.session = self._run.token
            try:
                quiet().run(self._iterator.restore, decode(text))
            finally:
                thread.session = outer

    def next_arrays(self) -> Sequence[Any]:
        """Returns the arrays of the next element; raises OutOfRangeError at the end."""
        try:
            return list(self.elements.arrays(self.next()))
        except StopIteration:
            raise OutOfRangeError(None, None, _END) from None


class TypedIterator:
    """Base class of iterators behind a resource: their next elements, and the types of these."""

    _elements: Elements
    _iterator_resource: Any

    def _add_next(self, name: str | None = None) -> Any:
        """Returns the next element in a graph."""
        kernel = lambda iterator: iterator[()].next_arrays()
        results, attrs = element_results(self._elements), element_attrs(self._elements)
        inputs = [self._iterator_resource]
        tensors = run_op("IteratorGetNext", kernel, inputs, (), results, True, name, attrs)
        return packed(self._elements, tensors)

    def get_next_as_optional(self) -> Any:
        """Returns the next element as a ``tf.experimental.Optional``, empty at the end."""
        return make("next_as_optional")(self._iterator_resource, self._elements)

    @property
    def element_spec(self) -> Any:
        """The type specification of an element: a structure of ``tf.TypeSpec`` values."""
        return self._elements.spec

    @property
    def output_types(self) -> Any:
        """The structure of the dtypes of an element."""
        return legacy_types(self.element_spec)

    @property
    def output_shapes(self) -> Any:
        """The structure of the shapes of an element."""
        return legacy_shapes(self.element_spec)

    @property
    def output_classes(self) -> Any:
        """The structure of the classes of an element."""
        return legacy_classes(self.element_spec)


class IteratorBase(Iterator[Any], Trackable):
    """Base class of iterators over datasets."""

    __module__ = "twinflow.data"

    @property
    def element_spec(self) -> Any:
        """The type specification of an element: a structure of ``tf.TypeSpec`` values."""
        raise NotImplementedError("Iterator.element_spec")

    def get_next(self) -> Any:
        """Returns the next element; raises OutOfRangeError at the end."""
        raise NotImplementedError("Iterator.get_next()")

    def get_next_as_optional(self) -> Any:
        """Returns the next element as a ``tf.experimental.Optional``, empty at the end."""
        raise NotImplementedError("Iterator.get_next_as_optional()")


@makes("OwnedIterator")
class OwnedIterator(TypedIterator, IteratorBase):
    """An iterator that owns its resource.

    Args:
        dataset: The dataset; None with ``components``.
        components: The resource of an iterator.
        element_spec: The structure of its elements' specs.
    """

    def __init__(
        self, dataset: DatasetV2 | None = None, components: Any = None, element_spec: Any = None
    ) -> None:
        if dataset is None:
            self._elements = Elements(element_spec)
            self._iterator_resource = components[0]
        else:
            self._elements = dataset._elements
            self._iterator_resource = self._open(dataset)
        tensor = self._iterator_resource
        self._state: Any = tensor._array[()] if type(tensor) is EagerTensor else None

    _saves = "_STATE"

    def serialize(self) -> bytes:
        """Returns the position, for a checkpoint."""
        return self._state.save()

    def deserialize(self, string_value: bytes) -> None:
        """Restores the position of a checkpoint."""
        self._state.restore(string_value)

    @staticmethod
    def _open(dataset: DatasetV2) -> Any:
        def start(stage: Any, iterator: Any) -> list[Any]:
            iterator[()].start(stage[()])
            return []

        attrs = element_attrs(dataset._elements)
        results = [resource], [()], True
        create = lambda: box(IteratorState())
        iterator = run_op("AnonymousIteratorV3", create, [], (), results, True, attrs=attrs)
        inputs = [dataset._variant_tensor, iterator]
        run_op("MakeIterator", start, inputs, (), ([], [], False), True)
        return iterator

    def __iter__(self) -> OwnedIterator:
        return self

    def __next__(self) -> Any:
        if thread.scope.graph is not None:
            return self.get_next()
        return self._elements.wrap(self._state.next())

    next = __next__

    def get_next(self) -> Any:
        """Returns the next element.

        Returns:
            A structure of tensors.

        Raises:
            OutOfRangeError: There are no more elements.
        """
        if thread.scope.graph is None:
            try:
                return self._elements.wrap(self._state.next())
            except StopIteration:
                raise OutOfRangeError(None, None, _END) from None
        return self._add_next()

    def __graph_iter__(self) -> Any:
        """Returns a function that adds an operation for the next element, as an optional."""
        return self.get_next_as_optional

    @property
    def _type_spec(self) -> IteratorSpec:
        return IteratorSpec(self.element_spec)


class NumpyIterator(Iterator[Any]):
    """An iterator over elements with arrays in place of tensors.

    Args:
        dataset: The dataset.
    """

    __module__ = "twinflow.data"

    def __init__(self, dataset: DatasetV2) -> None:
        self._iterator = iter(dataset)

    def __iter__(self) -> NumpyIterator:
        return self

    def __next__(self) -> Any:
        return map_leaves(_to_numpy, next(self._iterator))

    def next(self) -> Any:
        """Returns the next element; raises StopIteration at the end."""
        return next(self)

    def save(self) -> Any:
        """Returns the position, a string tensor."""
        return convert_to_tensor(self._iterator.serialize())

    def restore(self, state: Any) -> None:
        """Restores a position.

        Args:
            state: The result of ``save``.
        """
        self._iterator.deserialize(state.numpy())

    def __repr__(self) -> str:
        return f"NumpyIterator(iterator={self._iterator!r})"


def _to_numpy(value: Any) -> Any:
    """Returns a tensor as an array that cannot be written."""
    if value is None:
        return None
    if isinstance(value, SparseTensor):
        value = API["sparse.to_dense"](value)
    array = value.numpy()
    if isinstance(array, np.ndarray):
        array.setflags(write=False)
    return array


_SUPPORTED = (TensorSpec, RaggedTensorSpec, SparseTensorSpec, NoneTensorSpec)


@makes("as_numpy_iterator")
def _as_numpy_iterator(dataset: DatasetV2) -> NumpyIterator:
    if thread.scope.graph is not None:
        raise RuntimeError("`tf.data.Dataset.as_numpy_iterator()` is only supported in eager mode.")
    for leaf in dataset._elements.leaves:
        if not isinstance(leaf.spec, _SUPPORTED):
            raise TypeError(
                "`tf.data.Dataset.as_numpy_iterator()` is not supported for datasets that produce "
                f"values of type {leaf.spec.value_type}"
            )
    return NumpyIterator(dataset)


@makes("__iter__")
def _iterate(dataset: DatasetV2) -> OwnedIterator:
    return OwnedIterator(dataset)
