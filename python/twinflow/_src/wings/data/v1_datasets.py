"""``tf.compat.v1.data.Dataset`` and its readers: datasets with the methods of TensorFlow 1."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.core.dtypes import int64
from twinflow._src.core.specs import TensorSpec
from twinflow._src.wings.data import experimental, make_csv, v1_iterators
from twinflow._src.wings.data.csv_dataset import CsvDatasetV2
from twinflow._src.wings.data.dataset import DatasetSource, DatasetV2
from twinflow._src.wings.data.dataset_ops import build_variant, builds
from twinflow._src.wings.data.nesting import _RandomDataset
from twinflow._src.wings.data.readers import (
    FixedLengthRecordDatasetV2,
    TextLineDatasetV2,
    TFRecordDatasetV2,
)
from twinflow._src.wings.data.sql_dataset import SqlDatasetV2
from twinflow._src.wings.data.stages import IndexIterator, Run, Stage, StageIterator
from twinflow._src.wings.data.structure import Element, Elements

# Methods of a dataset that return something else than a dataset of the same kind.
_OTHERS = frozenset(
    [
        "apply",
        "as_numpy_iterator",
        "cardinality",
        "element_spec",
        "fingerprint",
        "get_single_element",
        "options",
        "reduce",
        "save",
    ]
)


class DatasetV1(DatasetV2):
    """A potentially large set of elements, with the iterators of TensorFlow 1.

    Subclasses define ``_as_variant_tensor``, ``_inputs`` and ``element_spec``.
    """

    __module__ = "twinflow.compat.v1.data"

    def __init__(self) -> None:
        try:
            variant_tensor = self._as_variant_tensor()
        except AttributeError as error:
            if "_as_variant_tensor" in str(error):
                raise AttributeError(
                    "Please use `_variant_tensor` instead of `_as_variant_tensor()` to obtain the "
                    "variant associated with a dataset."
                ) from error
            raise
        super().__init__(variant_tensor)

    def _as_variant_tensor(self) -> Any:
        """Returns the variant tensor of the dataset."""
        raise NotImplementedError(f"{type(self)}.as_variant_tensor()")

    # ---------------------------------------------------------------- types
    @property
    def output_types(self) -> Any:
        """The structure of the dtypes of an element."""
        return v1_iterators.get_output_types(self)

    @property
    def output_shapes(self) -> Any:
        """The structure of the shapes of an element."""
        return v1_iterators.get_output_shapes(self)

    @property
    def output_classes(self) -> Any:
        """The structure of the classes of an element."""
        return v1_iterators.get_output_classes(self)

    # ---------------------------------------------------------------- iterators
    def make_one_shot_iterator(self) -> Any:
        """Returns an iterator that needs no initializer.

        Raises:
            ValueError: The dataset depends on variables or placeholders.
        """
        return v1_iterators.one_shot(self)

    def make_initializable_iterator(self, shared_name: str | None = None) -> Any:
        """Returns an iterator that its initializer starts.

        Args:
            shared_name: A name under which iterators share their position.

        Raises:
            RuntimeError: Eager execution is enabled.
        """
        return v1_iterators.initializable(self, shared_name)

    # ---------------------------------------------------------------- legacy methods
    @staticmethod
    def from_sparse_tensor_slices(sparse_tensor: Any) -> DatasetV1:
        """Creates a dataset of the rows of a sparse tensor, as tuples of three tensors.

        Args:
            sparse_tensor: A ``tf.sparse.SparseTensor``, with indices in row-major order.

        Raises:
            TypeError: The argument is something else.
        """
        return DatasetV1Adapter(_SparseTensorSliceDataset(sparse_tensor))

    def map_with_legacy_function(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        use_unbounded_threadpool: bool = False,
    ) -> DatasetV1:
        """Applies a function to each element; see ``map``.

        Args:
            map_func: The function.
            num_parallel_calls: The number of elements computed at the same time.
            deterministic: If False, parallel calls may yield elements in another order.
            use_unbounded_threadpool: If True, the number of threads is not bounded.
        """
        return DatasetV1Adapter(DatasetV2.map(self, map_func, num_parallel_calls, deterministic))

    def filter_with_legacy_function(self, predicate: Callable[..., Any]) -> DatasetV1:
        """Keeps the elements for which a function returns True; see ``filter``.

        Args:
            predicate: The function.
        """
        return DatasetV1Adapter(DatasetV2.filter(self, predicate))


class DatasetV1Adapter(DatasetV1):
    """A dataset with the methods of TensorFlow 1, on one without.

    Args:
        dataset: The dataset.
    """

    def __init__(self, dataset: DatasetV2) -> None:
        self._dataset = dataset
        self._elements = dataset._elements
        super().__init__()

    def _as_variant_tensor(self) -> Any:
        return self._dataset._variant_tensor

    def _inputs(self) -> list[DatasetV2]:
        return self._dataset._inputs()

    def options(self) -> Any:
        """Returns the options of the dataset."""
        return self._dataset.options()

    def __repr__(self) -> str:
        return repr(self._dataset)

    __str__ = __repr__


def _adapt(method: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a method whose result is a dataset with the methods of TensorFlow 1."""

    @functools.wraps(method)
    def adapted(*args: Any, **kwargs: Any) -> Any:
        return DatasetV1Adapter(method(*args, **kwargs))

    return adapted


for _name, _method in list(vars(DatasetV2).items()):
    if _name.startswith("_") or _name in _OTHERS or _name in vars(DatasetV1):
        continue
    if isinstance(_method, staticmethod):
        setattr(DatasetV1, _name, staticmethod(_adapt(_method.__func__)))
    elif callable(_method):
        setattr(DatasetV1, _name, _adapt(_method))


def _adapter_of(source: type[DatasetV2], name: str, module: str) -> type[DatasetV1Adapter]:
    """Returns the class of adapters of a source."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        DatasetV1Adapter.__init__(self, source(*args, **kwargs))

    functools.update_wrapper(__init__, source.__init__)
    contents = {"__init__": __init__, "__doc__": source.__doc__, "__module__": module}
    return type(name, (DatasetV1Adapter,), contents)


_DATA = "twinflow.compat.v1.data"
TFRecordDatasetV1 = _adapter_of(TFRecordDatasetV2, "TFRecordDatasetV1", _DATA)
TextLineDatasetV1 = _adapter_of(TextLineDatasetV2, "TextLineDatasetV1", _DATA)
FixedLengthRecordDatasetV1 = _adapter_of(
    FixedLengthRecordDatasetV2, "FixedLengthRecordDatasetV1", _DATA
)
CsvDatasetV1 = _adapter_of(CsvDatasetV2, "CsvDatasetV1", f"{_DATA}.experimental")
SqlDatasetV1 = _adapter_of(SqlDatasetV2, "SqlDatasetV1", f"{_DATA}.experimental")
RandomDatasetV1 = _adapter_of(_RandomDataset, "RandomDatasetV1", f"{_DATA}.experimental")


def _adapted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function whose result is a dataset with the methods of TensorFlow 1."""
    adapted = _adapt(function)
    adapted.__module__ = __name__
    return adapted


Counter = _adapted(experimental.Counter)
choose_from_datasets = _adapted(experimental.choose_from_datasets)
sample_from_datasets = _adapted(experimental.sample_from_datasets)
make_csv_dataset = _adapted(make_csv.make_csv_dataset)
make_batched_features_dataset = _adapted(make_csv.make_batched_features_dataset)


def map_and_batch_with_legacy_function(
    map_func: Callable[..., Any],
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: Any = False,
    num_parallel_calls: Any = None,
) -> Callable[..., Any]:
    """Returns a transformation that maps and batches; see ``map_and_batch``.

    Args:
        map_func: The function of an element.
        batch_size: The number of elements in a batch.
        num_parallel_batches: The number of batches computed at the same time.
        drop_remainder: If True, a last batch with fewer elements is dropped.
        num_parallel_calls: The number of elements computed at the same time.
    """
    return experimental.map_and_batch(
        map_func, batch_size, num_parallel_batches, drop_remainder, num_parallel_calls
    )


# Rows of sparse tensors.


@builds("SparseTensorSliceDataset")
class SparseRowsStage(Stage):
    """The rows of a sparse tensor, each as indices, values and dense shape."""

    def __init__(self, elements: Elements, indices: Any, values: Any, shape: Any) -> None:
        self.elements, self._indices, self._values, self._shape = elements, indices, values, shape

    def cardinality(self) -> int:
        """Returns the number of rows."""
        return int(self._shape[0])

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator at the first row."""
        return IndexIterator(self.elements, self.row, self.cardinality())

    def row(self, index: int) -> Element:
        """Returns a row."""
        start, stop = self._indices[:, 0].searchsorted([index, index + 1])
        indices = self._indices[start:stop, 1:]
        return indices, self._values[start:stop], self._shape[1:]


class _SparseTensorSliceDataset(DatasetSource):
    """The rows of a sparse tensor."""

    def __init__(self, sparse_tensor: Any) -> None:
        if not isinstance(sparse_tensor, SparseTensor):
            raise TypeError(
                "Invalid `sparse_tensor`. `sparse_tensor` must be a `tf.sparse.SparseTensor`. Got "
                f"{type(sparse_tensor)}."
            )
        dims = sparse_tensor.shape._dims
        rank = None if dims is None else len(dims) - 1
        elements = self._elements = Elements(
            (
                TensorSpec([None, rank], int64),
                TensorSpec([None], sparse_tensor.dtype),
                TensorSpec([rank], int64),
            )
        )
        tensors = [sparse_tensor.indices, sparse_tensor.values, sparse_tensor.dense_shape]
        super().__init__(build_variant("SparseTensorSliceDataset", (elements,), (), tensors))
