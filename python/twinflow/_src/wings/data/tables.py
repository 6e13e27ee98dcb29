"""Lookup tables of the elements of datasets."""

from __future__ import annotations

from typing import Any, NamedTuple

from twinflow._src.core.dtypes import as_dtype, int64, string
from twinflow._src.core.errors import OutOfRangeError
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.op import API, documented_like
from twinflow._src.wings.data.dataset import DatasetV2, make
from twinflow._src.wings.data.stages import Run
from twinflow._src.wings.lookup.base import LookupInterface
from twinflow._src.wings.lookup.static_tables import (
    StaticHashTableV1,
    StaticVocabularyTable,
    TableInitializerBase,
    _dtype_text,
)


class HasherSpec(NamedTuple):
    """The hash function of the buckets of unknown keys.

    Args:
        hasher: ``"fasthash"``, ``"legacy"`` or ``"stronghash"``.
        key: The two integers of a strong hash, else None.
    """

    hasher: str
    key: Any = None


_FAST = HasherSpec("fasthash", None)


class DatasetInitializer(TableInitializerBase):
    """A table initializer from a dataset of pairs of keys and values.

    Args:
        dataset: The dataset; its elements are tuples of two scalars.

    Raises:
        ValueError: The elements are not pairs of scalars.
    """

    __module__ = "twinflow.data.experimental"

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset
        key, value = _pair_of_scalars(dataset.element_spec)
        super().__init__(key.dtype, value.dtype)

    def initialize(self, table: Any) -> Any:
        """Initializes a table; see ``tf.lookup.StaticHashTable``.

        Args:
            table: The table.

        Returns:
            The operation in a graph, else None.
        """
        inputs = (self.dataset._variant_tensor,)
        return table._fill("InitializeTableFromDataset", inputs, _columns, "dataset_init")


def _columns(dataset: Any) -> Any:
    """Returns the vectors of the first and the second components of all elements."""
    stage = dataset[()]
    run = Run(stage)
    try:
        elements = list(stage.iterate(run))
    finally:
        run.close()
    if not elements:
        raise OutOfRangeError(None, None, "end of iterator")
    return stage.elements.stack(elements)


def _pair_of_scalars(spec: Any) -> Any:
    """Returns the specs of keys and values; raises ValueError for other elements."""
    whole = (
        "Datasets used to initialize lookup tables must produce elements in the form (key, value), "
        "where the keys and values are scalar tensors. However, the given dataset produces"
    )
    if len(spec) != 2:
        raise ValueError(
            f"{whole} {len(spec)} components instead of two (key, value) components. Full dataset "
            f"element spec: {spec}."
        )
    for name, part in zip(("key", "value"), (spec[0], spec[1])):
        if part.shape.rank:
            raise ValueError(f"{whole} non-scalar {name} Tensors of rank {part.shape.rank}.")
    return spec


class IdTableWithHashBuckets(StaticVocabularyTable):
    """A table of ids, with buckets for unknown keys, whose ids follow those of the table.

    Args:
        table: The table of the known keys.
        num_oov_buckets: The number of buckets.
        hasher_spec: The hash function.
        name: A name.
        key_dtype: The dtype of the keys.
    """

    __module__ = "twinflow.lookup"

    def __init__(
        self,
        table: Any,
        num_oov_buckets: int,
        hasher_spec: HasherSpec = _FAST,
        name: str | None = None,
        key_dtype: Any = None,
    ) -> None:
        if not isinstance(hasher_spec, HasherSpec):
            raise TypeError(f"`hasher_spec` must be of type HasherSpec, got {type(hasher_spec)}.")
        self._table, self._buckets, self._hasher_spec = table, num_oov_buckets, hasher_spec
        LookupInterface.__init__(self, key_dtype or table.key_dtype, int64)
        self._track("_table", table)

    def _bucket(self, keys: Any) -> Any:
        texts = keys if keys.dtype is string else API["strings.as_string"](keys)
        hasher, key = self._hasher_spec
        if hasher == "stronghash":
            return API["strings.to_hash_bucket_strong"](texts, self._buckets, key)
        name = "strings.to_hash_bucket_fast" if hasher == "fasthash" else "strings.to_hash_bucket"
        return API[name](texts, self._buckets)


def table_from_dataset(
    dataset: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: Any = None,
    default_value: Any = None,
    hasher_spec: Any = _FAST,
    key_dtype: Any = string,
    name: str | None = None,
) -> Any:
    """Returns a lookup table of the pairs of keys and values in a dataset.

    Args:
        dataset: A dataset of pairs of scalars.
        num_oov_buckets: The number of buckets for unknown keys; 0 for none.
        vocab_size: The number of pairs to use; all if None.
        default_value: The value of unknown keys without buckets; -1 for numbers if None.
        hasher_spec: The hash function of the buckets.
        key_dtype: The dtype of the keys.
        name: A name.

    Returns:
        A table.

    Raises:
        ValueError: The elements are not pairs of scalars, a number is too small, or there is no
            default value.
        TypeError: The keys are neither integers nor strings.
        FailedPreconditionError: The dataset has fewer pairs, or a key has two values.
    """
    _, value = _pair_of_scalars(dataset.element_spec)
    if default_value is None:
        if not (value.dtype.is_integer or value.dtype.is_floating):
            raise ValueError(
                "`default_value` must be specified when creating a table from a dataset that "
                f"produces values of type {_dtype_text(value.dtype)}."
            )
        default_value = -1
    if num_oov_buckets < 0:
        raise ValueError(
            f"`num_oov_buckets` must be greater than or equal to 0, got {num_oov_buckets}."
        )
    if not isinstance(vocab_size, Tensor) and vocab_size is not None and vocab_size < 1:
        raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size}.")
    kind = as_dtype(key_dtype)
    if not (kind.is_integer or kind == string):
        raise TypeError(
            f"`key_dtype` must be either an integer or string type, but got {_dtype_text(kind)}"
        )
    if vocab_size is not None:
        dataset = make("assert_cardinality")(dataset.take(vocab_size), vocab_size)
    with API["name_scope"](name or "string_to_index"):
        table = StaticHashTableV1(DatasetInitializer(dataset), default_value)
        if not num_oov_buckets:
            return table
        return IdTableWithHashBuckets(table, num_oov_buckets, hasher_spec, name, kind)


@documented_like(table_from_dataset)
def index_table_from_dataset(
    dataset: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: Any = None,
    default_value: Any = -1,
    hasher_spec: Any = _FAST,
    key_dtype: Any = string,
    name: str | None = None,
) -> Any:
    """Returns a lookup table from the elements of a dataset to their indices.

    Args:
        dataset: A dataset of scalars.
        vocab_size: The number of elements to use; all if None.
        default_value: The index of unknown keys without buckets.

    Returns:
        A table with int64 values.

    Raises:
        ValueError: The elements are not scalars, or a number is too small.
        TypeError: The keys are neither integers nor strings.
        FailedPreconditionError: The dataset has fewer elements, or an element twice.
    """
    indexed: DatasetV2 = dataset.enumerate().map(lambda index, key: (key, index))
    return table_from_dataset(
        indexed, num_oov_buckets, vocab_size, default_value, hasher_spec, key_dtype, name
    )
