"""``tf.data.Dataset``: the public methods, and the specs of datasets and of their iterators.

A method calls the function that a module of this folder registers for it with ``@makes``: those
modules import this one for the base class.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import int64, resource, variant
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.specs import TensorSpec, TypeSpec
from twinflow._src.trackable.trackable import Trackable
from twinflow._src.wings.data.dataset_ops import run_op
from twinflow._src.wings.data.stages import INFINITE, UNKNOWN, Stage
from twinflow._src.wings.data.structure import Elements

F = TypeVar("F", bound=Callable[..., Any])
_MAKERS: dict[str, Callable[..., Any]] = {}
_ALL = "twinflow._src.wings.data.datasets"


def makes(name: str) -> Callable[[F], F]:
    """Decorates the function that implements a method of ``Dataset``."""

    def register(function: F) -> F:
        _MAKERS[name] = function
        return function

    return register


def make(name: str) -> Callable[..., Any]:
    """Returns the function that implements a method; imports all modules where it is missing."""
    if name not in _MAKERS:
        importlib.import_module(_ALL)
    return _MAKERS[name]


class DatasetV2(Iterable[Any], Trackable):
    """A potentially large set of elements, which are structures of tensors.

    Args:
        variant_tensor: A scalar of dtype variant that holds the dataset.
    """

    __module__ = "twinflow.data"

    _elements: Elements

    def __init__(self, variant_tensor: Any) -> None:
        if type(self) is DatasetV2:
            raise TypeError(
                "Can't instantiate abstract class DatasetV2 with abstract methods _inputs, "
                "element_spec"
            )
        self._variant_tensor_attr = variant_tensor

    @property
    def _variant_tensor(self) -> Any:
        return self._variant_tensor_attr

    def _inputs(self) -> list[DatasetV2]:
        """Returns the datasets that this one reads."""
        raise NotImplementedError

    @property
    def element_spec(self) -> Any:
        """The type specification of an element: a structure of ``tf.TypeSpec`` values."""
        return self._elements.spec

    @property
    def _type_spec(self) -> DatasetSpec:
        return DatasetSpec(self.element_spec)

    @property
    def _stage(self) -> Stage:
        """The stage, in eager execution."""
        stage: Stage = self._variant_tensor._host()[()]
        return stage

    def _trackable_children(self) -> dict[str, Any]:
        return {}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} element_spec={self.element_spec!r}>"

    __str__ = __repr__

    # ---------------------------------------------------------------- Python protocols
    def __iter__(self) -> Any:
        graph = thread.scope.graph
        if graph is not None and not graph.building_function:
            raise RuntimeError(
                "`tf.data.Dataset` only supports Python-style iteration in eager mode or within "
                "tf.function."
            )
        return make("__iter__")(self)

    def __bool__(self) -> bool:
        return True

    __nonzero__ = __bool__

    def __len__(self) -> int:
        if thread.scope.graph is not None:
            raise TypeError(
                "`tf.data.Dataset` only supports `len` in eager mode. Use "
                "`tf.data.Dataset.cardinality()` instead."
            )
        count = self._stage.cardinality()
        if count == INFINITE:
            raise TypeError("The dataset is infinite.")
        if count == UNKNOWN:
            raise TypeError("The dataset length is unknown.")
        return count

    def as_numpy_iterator(self) -> Any:
        """Returns an iterator over the elements, with NumPy arrays in place of tensors.

        Returns:
            An iterator. Ragged tensors are arrays of objects, sparse tensors are
            ``tf.compat.v1.SparseTensorValue`` tuples.

        Raises:
            TypeError: An element holds something without a NumPy value, such as a dataset.
            RuntimeError: Eager execution is disabled.
        """
        return make("as_numpy_iterator")(self)

    # ---------------------------------------------------------------- sources
    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> DatasetV2:
        """Creates a dataset of one element.

        Args:
            tensors: The element: a structure of tensors.
            name: A name.

        Returns:
            A dataset.
        """
        return make("from_tensors")(tensors, name)

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> DatasetV2:
        """Creates a dataset of the slices of tensors along their first dimension.

        Args:
            tensors: A structure of tensors with equal first dimensions.
            name: A name.

        Returns:
            A dataset.

        Raises:
            ValueError: A tensor is a scalar, or the first dimensions differ.
        """
        return make("from_tensor_slices")(tensors, name)

    @staticmethod
    def range(*args: Any, **kwargs: Any) -> DatasetV2:
        """Creates a dataset of a range of numbers.

        Args:
            *args: ``stop``; ``start, stop``; or ``start, stop, step``.
            **kwargs: ``output_type``, the dtype of the numbers (int64), and ``name``.

        Returns:
            A dataset.

        Raises:
            ValueError: There is no argument, or there are more than three.
        """
        return make("range")(*args, **kwargs)

    # ---------------------------------------------------------------- transformations
    def map(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False,
        name: str | None = None,
    ) -> DatasetV2:
        """Applies a function to each element.

        Args:
            map_func: The function; it is traced once. The components of a tuple are separate
                arguments.
            num_parallel_calls: The number of elements computed at the same time;
                ``tf.data.AUTOTUNE`` for one that depends on the machine; one after the other if
                None.
            deterministic: If False, parallel calls may yield elements in another order.
            synchronous: If True, elements are computed only when they are requested.
            use_unbounded_threadpool: If True, the number of threads is not bounded by that of cores.
            name: A name.

        Returns:
            A dataset.
        """
        return make("map")(
            self,
            map_func,
            num_parallel_calls,
            deterministic,
            synchronous,
            use_unbounded_threadpool,
            name,
        )

    def batch(
        self,
        batch_size: Any,
        drop_remainder: Any = False,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> DatasetV2:
        """Combines consecutive elements into batches.

        Args:
            batch_size: The number of elements in a batch, an int64 scalar.
            drop_remainder: If True, a last batch with fewer elements is dropped.
            num_parallel_calls: The number of batches computed at the same time.
            deterministic: If False, parallel computation may yield batches in another order.
            name: A name.

        Returns:
            A dataset.

        Raises:
            InvalidArgumentError: The batch size is not positive, or, in the iterator, elements differ
                in shape.
        """
        return make("batch")(
            self, batch_size, drop_remainder, num_parallel_calls, deterministic, name
        )

    def apply(self, transformation_func: Callable[[DatasetV2], DatasetV2]) -> DatasetV2:
        """Applies a function of datasets.

        Args:
            transformation_func: A function that takes a dataset and returns one.

        Returns:
            The dataset.

        Raises:
            TypeError: The function returns something else.
        """
        dataset = transformation_func(self)
        if not isinstance(dataset, DatasetV2):
            raise TypeError(
                "`transformation_func` must return a `tf.data.Dataset` object. Got "
                f"{type(dataset)}."
            )
        return dataset

    def cardinality(self) -> Any:
        """Returns the number of elements.

        Returns:
            An int64 scalar; ``tf.data.INFINITE_CARDINALITY`` or ``tf.data.UNKNOWN_CARDINALITY``
            where it is infinite or unknown.
        """
        kernel = lambda source: np.asarray(source[()].cardinality(), np.int64)
        return run_op(
            "DatasetCardinality", kernel, [self._variant_tensor], (), ([int64], [()], True)
        )


class DatasetSource(DatasetV2):
    """Base class of datasets without input datasets."""

    def _inputs(self) -> list[DatasetV2]:
        return []


class UnaryDataset(DatasetV2):
    """Base class of datasets with one input dataset."""

    def __init__(self, input_dataset: DatasetV2, variant_tensor: Any) -> None:
        self._input_dataset = input_dataset
        super().__init__(variant_tensor)

    def _inputs(self) -> list[DatasetV2]:
        return [self._input_dataset]


class UnaryUnchangedStructureDataset(UnaryDataset):
    """Base class of datasets whose elements have the type of those of their input."""

    def __init__(self, input_dataset: DatasetV2, variant_tensor: Any) -> None:
        self._elements = input_dataset._elements
        super().__init__(input_dataset, variant_tensor)


class _VariantDataset(DatasetV2):
    """A dataset of a variant tensor.

    Args:
        dataset_variant: The variant tensor.
        element_spec: The structure of the elements' specs.
    """

    def __init__(self, dataset_variant: Any, element_spec: Any) -> None:
        self._elements = Elements(element_spec)
        super().__init__(dataset_variant)

    def _inputs(self) -> list[DatasetV2]:
        return []


class DatasetSpec(TypeSpec):
    """The type of datasets whose elements have a type.

    Args:
        element_spec: The structure of the elements' specs.
        dataset_shape: The shape of a tensor of datasets; a scalar is one dataset.
    """

    __module__ = "twinflow.data"

    __slots__ = ("_dataset_shape", "_element_spec")

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        self._element_spec = element_spec
        self._dataset_shape = TensorShape(dataset_shape)

    @property
    def value_type(self) -> type:
        """The class of datasets."""
        return DatasetV2

    @property
    def element_spec(self) -> Any:
        """The structure of the elements' specs."""
        return self._element_spec

    @property
    def _component_specs(self) -> list[TensorSpec]:
        return [TensorSpec(self._dataset_shape, variant)]

    def _serialize(self) -> tuple[Any, ...]:
        return self._element_spec, self._dataset_shape

    def _to_components(self, value: Any) -> list[Any]:
        return [value._variant_tensor]

    def _from_components(self, parts: Sequence[Any]) -> Any:
        if self._dataset_shape.ndims == 0:
            return _VariantDataset(parts[0], self._element_spec)
        return parts[0]

    def _batch(self, count: int | None) -> DatasetSpec:
        return DatasetSpec(
            self._element_spec, TensorShape([count]).concatenate(self._dataset_shape)
        )

    def _unbatch(self) -> DatasetSpec:
        if self._dataset_shape.ndims == 0:
            raise ValueError("Slicing dataset elements is not supported for rank 0.")
        return DatasetSpec(self._element_spec, self._dataset_shape[1:])


class IteratorSpec(TypeSpec):
    """The type of iterators over datasets whose elements have a type.

    Args:
        element_spec: The structure of the elements' specs.
    """

    __module__ = "twinflow.data"

    __slots__ = ("_element_spec",)

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    @property
    def value_type(self) -> type:
        """The class of iterators."""
        return make("OwnedIterator")  # type: ignore[return-value]

    @property
    def element_spec(self) -> Any:
        """The structure of the elements' specs."""
        return self._element_spec

    @property
    def _component_specs(self) -> list[TensorSpec]:
        return [TensorSpec([], resource)]

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_spec,)

    def _to_components(self, value: Any) -> list[Any]:
        return [value._iterator_resource]

    def _from_components(self, parts: Sequence[Any]) -> Any:
        return make("OwnedIterator")(
            dataset=None, components=list(parts), element_spec=self._element_spec
        )

    def __repr__(self) -> str:
        return f"IteratorSpec({self._element_spec!r},)"
