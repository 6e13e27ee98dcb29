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
from twinflow._src.dispatch.docstrings import documented_like
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

    def _trackable_children(
        self, save_type: Any = "checkpoint", cache: Any = None, **kwargs: Any
    ) -> dict[str, Any]:
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

    def __graph_iter__(self) -> Callable[[], Any]:
        """Returns a function that adds an operation for the next element, as an optional."""
        return iter(self).__graph_iter__()

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

    @staticmethod
    def from_generator(
        generator: Callable[..., Any],
        output_types: Any = None,
        output_shapes: Any = None,
        args: Any = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> DatasetV2:
        """Creates a dataset of the values that a Python generator yields.

        Args:
            generator: A function that returns an iterable; each iterator calls it anew.
            output_types: The structure of the dtypes of an element.
            output_shapes: The structure of the shapes; unknown if None.
            args: Tensors that the function takes as arrays.
            output_signature: The structure of the specs of an element, in place of types and shapes.
            name: A name.

        Returns:
            A dataset.

        Raises:
            TypeError: The generator cannot be called, or the types are missing.
            InvalidArgumentError: A value does not fit (raised in the iterator).
        """
        return make("from_generator")(
            generator, output_types, output_shapes, args, output_signature, name
        )

    @staticmethod
    def counter(
        start: Any = 0, step: Any = 1, dtype: Any = int64, name: str | None = None
    ) -> DatasetV2:
        """Creates a dataset of numbers without end.

        Args:
            start: The first number.
            step: The difference between two numbers.
            dtype: The dtype.
            name: A name.

        Returns:
            A dataset.
        """
        return make("counter")(start, step, dtype, name)

    @staticmethod
    def random(
        seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
    ) -> DatasetV2:
        """Creates a dataset of random numbers below 2**32, without end.

        Args:
            seed: The random seed.
            rerandomize_each_iteration: If True, each iteration yields other numbers.
            name: A name.

        Returns:
            A dataset of int64 scalars.
        """
        return make("random")(seed, rerandomize_each_iteration, name)

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> DatasetV2:
        """Creates a dataset of the elements of several datasets together.

        Args:
            *args: Datasets, or a structure of datasets.
            datasets: A structure of datasets, in place of those.
            name: A name.

        Returns:
            A dataset, which ends with the shortest one.

        Raises:
            TypeError: There is no dataset, or something else.
        """
        return make("zip")(*args, datasets=datasets, name=name)

    @staticmethod
    def choose_from_datasets(
        datasets: Sequence[DatasetV2], choice_dataset: DatasetV2, stop_on_empty_dataset: bool = True
    ) -> DatasetV2:
        """Creates a dataset of the elements of those datasets that another one selects.

        Args:
            datasets: The datasets, with compatible elements.
            choice_dataset: A dataset of their indices, int64 scalars.
            stop_on_empty_dataset: If True, the first dataset that ends is the end; else it is skipped.

        Returns:
            A dataset.

        Raises:
            TypeError: The elements are not compatible, or the choices are no int64 scalars.
            ValueError: There is no dataset.
        """
        return make("choose_from_datasets")(datasets, choice_dataset, stop_on_empty_dataset)

    @staticmethod
    def sample_from_datasets(
        datasets: Sequence[DatasetV2],
        weights: Any = None,
        seed: Any = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> DatasetV2:
        """Creates a dataset of the elements of random datasets.

        Args:
            datasets: The datasets, with compatible elements.
            weights: Their probabilities, or a dataset of vectors of those; equal ones if None.
            seed: The random seed.
            stop_on_empty_dataset: If True, the first dataset that ends is the end; else it is skipped.
            rerandomize_each_iteration: If True, each iteration draws anew.

        Returns:
            A dataset.

        Raises:
            TypeError: The elements are not compatible, or the weights are not floating-point numbers.
            ValueError: There is no dataset, or another number of weights.
        """
        return make("sample_from_datasets")(
            datasets, weights, seed, stop_on_empty_dataset, rerandomize_each_iteration
        )

    @staticmethod
    def list_files(
        file_pattern: Any, shuffle: Any = None, seed: Any = None, name: str | None = None
    ) -> DatasetV2:
        """Creates a dataset of the names of the files that match patterns.

        Args:
            file_pattern: A glob pattern, or a list or a vector of patterns.
            shuffle: If True or None, the names are shuffled anew in each iteration; else they are
                sorted.
            seed: The random seed.
            name: A name.

        Returns:
            A dataset of strings.

        Raises:
            InvalidArgumentError: No file matches.
        """
        return make("list_files")(file_pattern, shuffle, seed, name)

    @staticmethod
    def load(
        path: Any,
        element_spec: Any = None,
        compression: Any = None,
        reader_func: Callable[[DatasetV2], DatasetV2] | None = None,
        wait: bool = False,
    ) -> DatasetV2:
        """Loads a dataset that ``save`` has written.

        Args:
            path: The folder.
            element_spec: The type specification of the elements; the saved one if None.
            compression: The compression of the files: ``"GZIP"``, ``"ZLIB"``, ``"SNAPPY"`` (also as
                ``"AUTO"``), or None.
            reader_func: A function that takes a dataset of datasets, one for each shard, and returns
                the dataset of the elements; several shards are read in turn if None.
            wait: If True, waits until the folder exists.

        Returns:
            A dataset.

        Raises:
            NotFoundError: There is no saved dataset.
            InvalidArgumentError: The elements are of another type (raised in the iterator).
            DataLossError: A file is damaged (raised in the iterator).
        """
        return make("load")(path, element_spec, compression, reader_func, wait)

    def save(
        self,
        path: Any,
        compression: Any = None,
        shard_func: Callable[..., Any] | None = None,
        checkpoint_args: dict[str, Any] | None = None,
    ) -> None:
        """Saves the elements into a folder, from which ``load`` reads them.

        Args:
            path: The folder.
            compression: The compression of the files: ``"GZIP"``, ``"ZLIB"``, ``"SNAPPY"`` (also as
                ``"AUTO"``), or None.
            shard_func: A function that returns the shard of an element, an int64 scalar; there is one
                shard if None.
            checkpoint_args: Arguments of ``tf.train.CheckpointManager`` for checkpoints of the
                progress, from the last of which a later call goes on.

        Raises:
            InvalidArgumentError: The shard function returns something else, or the elements cannot
                be written, such as datasets.
        """
        make("save")(self, path, compression, shard_func, checkpoint_args)

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

    def take(self, count: Any, name: str | None = None) -> DatasetV2:
        """Returns a dataset of the first elements.

        Args:
            count: The number of elements; -1 for all.
            name: A name.
        """
        return make("take")(self, count, name)

    def skip(self, count: Any, name: str | None = None) -> DatasetV2:
        """Returns a dataset of the elements after the first ones.

        Args:
            count: The number of elements to skip; -1 for all.
            name: A name.
        """
        return make("skip")(self, count, name)

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> DatasetV2:
        """Returns a dataset of the elements before the first for which a function returns False.

        Args:
            predicate: The function, which returns a bool scalar.
            name: A name.
        """
        return make("take_while")(self, predicate, name)

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> DatasetV2:
        """Returns a dataset of the elements for which a function returns True.

        Args:
            predicate: The function, which returns a bool scalar.
            name: A name.

        Raises:
            ValueError: The function returns something else.
        """
        return make("filter")(self, predicate, name)

    def unique(self, name: str | None = None) -> DatasetV2:
        """Returns a dataset of the elements that did not occur before.

        Args:
            name: A name.

        Raises:
            TypeError: The elements are not of dtype int32, int64 or string.
        """
        return make("unique")(self, name)

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> DatasetV2:
        """Returns a dataset of every ``num_shards``-th element.

        Args:
            num_shards: The number of shards.
            index: The index of this shard.
            name: A name.

        Raises:
            InvalidArgumentError: The index is not that of a shard.
        """
        return make("shard")(self, num_shards, index, name)

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> DatasetV2:
        """Returns a dataset without the elements that are errors.

        Args:
            log_warning: If True, the errors are logged.
            name: A name.
        """
        return make("ignore_errors")(self, log_warning, name)

    def repeat(self, count: Any = None, name: str | None = None) -> DatasetV2:
        """Returns a dataset of the elements several times.

        Args:
            count: The number of repetitions; without end if None or -1.
            name: A name.
        """
        return make("repeat")(self, count, name)

    def shuffle(
        self,
        buffer_size: Any,
        seed: Any = None,
        reshuffle_each_iteration: bool = True,
        name: str | None = None,
    ) -> DatasetV2:
        """Returns a dataset of the elements in random order, TensorFlow's for the same seeds.

        Args:
            buffer_size: The number of elements of which the next one is drawn;
                ``tf.data.UNKNOWN_CARDINALITY`` for all.
            seed: The random seed.
            reshuffle_each_iteration: If False, each iteration has the same order.
            name: A name.

        Raises:
            InvalidArgumentError: The buffer is empty.
        """
        return make("shuffle")(self, buffer_size, seed, reshuffle_each_iteration, name)

    def cache(self, filename: Any = "", name: str | None = None) -> DatasetV2:
        """Returns a dataset that keeps the elements of the first iteration.

        Args:
            filename: The prefix of files that hold them; in memory if empty.
            name: A name.

        Raises:
            AlreadyExistsError: Another iterator writes the files (raised in the iterator).
        """
        return make("cache")(self, filename, name)

    def prefetch(self, buffer_size: Any, name: str | None = None) -> DatasetV2:
        """Returns a dataset whose elements are prepared ahead.

        Args:
            buffer_size: The number of elements; ``tf.data.AUTOTUNE`` to let it be chosen.
            name: A name.
        """
        return make("prefetch")(self, buffer_size, name)

    def concatenate(self, dataset: DatasetV2, name: str | None = None) -> DatasetV2:
        """Returns a dataset of the elements, then those of another dataset.

        Args:
            dataset: The other dataset.
            name: A name.

        Raises:
            TypeError: The elements are of different types.
        """
        return make("concatenate")(self, dataset, name)

    def enumerate(self, start: Any = 0, name: str | None = None) -> DatasetV2:
        """Returns a dataset of pairs of a number and an element.

        Args:
            start: The first number.
            name: A name.
        """
        return make("enumerate")(self, start, name)

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> DatasetV2:
        """Returns a dataset of the elements of the datasets that a function returns.

        Args:
            map_func: The function of an element, which returns a dataset.
            name: A name.

        Raises:
            TypeError: The function returns something else.
        """
        return make("flat_map")(self, map_func, name)

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: Any = None,
        block_length: Any = None,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> DatasetV2:
        """Returns a dataset of the elements of several datasets that a function returns, in turn.

        Args:
            map_func: The function of an element, which returns a dataset.
            cycle_length: The number of datasets that are read in turn; that of cores if None.
            block_length: The number of elements that are read of each; 1 if None.
            num_parallel_calls: The number of datasets that are read at the same time.
            deterministic: If False, parallel reads may yield elements in another order.
            name: A name.

        Raises:
            TypeError: The function returns something else.
            InvalidArgumentError: A length is not positive.
        """
        return make("interleave")(
            self, map_func, cycle_length, block_length, num_parallel_calls, deterministic, name
        )

    def window(
        self,
        size: Any,
        shift: Any = None,
        stride: Any = 1,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> DatasetV2:
        """Returns a dataset of windows, which have a dataset for each component of an element.

        Args:
            size: The number of elements in a window.
            shift: The number of elements between the starts of two windows; ``size`` if None.
            stride: The number of elements between two of a window.
            drop_remainder: If True, last windows with fewer elements are dropped.
            name: A name.

        Raises:
            InvalidArgumentError: A number is not positive.
        """
        return make("window")(self, size, shift, stride, drop_remainder, name)

    def group_by_window(
        self,
        key_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        window_size: Any = None,
        window_size_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> DatasetV2:
        """Returns a dataset of the elements of datasets that are made of elements with one key.

        Args:
            key_func: The function of an element, which returns its key, an int64 scalar.
            reduce_func: The function of a key and a dataset, which returns a dataset.
            window_size: The largest number of elements in a group.
            window_size_func: The function of a key, which returns that number.
            name: A name.

        Raises:
            ValueError: Both window arguments are given, or none.
        """
        return make("group_by_window")(
            self, key_func, reduce_func, window_size, window_size_func, name
        )

    def bucket_by_sequence_length(
        self,
        element_length_func: Callable[..., Any],
        bucket_boundaries: Sequence[int],
        bucket_batch_sizes: Sequence[int],
        padded_shapes: Any = None,
        padding_values: Any = None,
        pad_to_bucket_boundary: bool = False,
        no_padding: bool = False,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> DatasetV2:
        """Returns a dataset of padded batches of elements of similar lengths.

        Args:
            element_length_func: The function of an element, which returns its length, an int32 scalar.
            bucket_boundaries: The lengths at which the following bucket begins.
            bucket_batch_sizes: The batch size of each bucket, one more than boundaries.
            padded_shapes: The shape of each component; that of the largest element if None.
            padding_values: The padding of each component; 0 and "" if None.
            pad_to_bucket_boundary: If True, elements are padded to the length of the bucket less 1.
            no_padding: If True, batches are not padded.
            drop_remainder: If True, last batches with fewer elements are dropped.
            name: A name.

        Raises:
            ValueError: The number of batch sizes does not fit.
        """
        return make("bucket_by_sequence_length")(
            self,
            element_length_func,
            bucket_boundaries,
            bucket_batch_sizes,
            padded_shapes,
            padding_values,
            pad_to_bucket_boundary,
            no_padding,
            drop_remainder,
            name,
        )

    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> DatasetV2:
        """Returns a dataset of batches of elements that are padded to one shape.

        Args:
            batch_size: The number of elements in a batch.
            padded_shapes: The shape of each component; sizes that are unknown are those of the largest
                element.
            padding_values: The padding of each component; 0 and "" if None.
            drop_remainder: If True, a last batch with fewer elements is dropped.
            name: A name.

        Raises:
            ValueError: A shape has another rank than its component.
            TypeError: A padding has another dtype than its component.
            DataLossError: An element is larger than its shape (raised in the iterator).
        """
        return make("padded_batch")(
            self, batch_size, padded_shapes, padding_values, drop_remainder, name
        )

    def ragged_batch(
        self,
        batch_size: Any,
        drop_remainder: Any = False,
        row_splits_dtype: Any = int64,
        name: str | None = None,
    ) -> DatasetV2:
        """Returns a dataset of batches of elements of different shapes, as ragged tensors.

        Args:
            batch_size: The number of elements in a batch.
            drop_remainder: If True, a last batch with fewer elements is dropped.
            row_splits_dtype: The dtype of row splits.
            name: A name.
        """
        return make("ragged_batch")(self, batch_size, drop_remainder, row_splits_dtype, name)

    def sparse_batch(self, batch_size: Any, row_shape: Any, name: str | None = None) -> DatasetV2:
        """Returns a dataset of batches of elements of different shapes, as sparse tensors.

        Args:
            batch_size: The number of elements in a batch.
            row_shape: The dense shape of an element.
            name: A name.
        """
        return make("sparse_batch")(self, batch_size, row_shape, name)

    def unbatch(self, name: str | None = None) -> DatasetV2:
        """Returns a dataset of the rows of batches.

        Args:
            name: A name.

        Raises:
            ValueError: A component is a scalar.
        """
        return make("unbatch")(self, name)

    def rebatch(
        self, batch_size: Any, drop_remainder: Any = False, name: str | None = None
    ) -> DatasetV2:
        """Returns a dataset of batches of other sizes.

        Args:
            batch_size: The size, or a vector of sizes in turn.
            drop_remainder: If True, a last batch with fewer rows is dropped.
            name: A name.
        """
        return make("rebatch")(self, batch_size, drop_remainder, name)

    def scan(
        self, initial_state: Any, scan_func: Callable[..., Any], name: str | None = None
    ) -> DatasetV2:
        """Returns a dataset of the outputs of a function of a state and an element.

        Args:
            initial_state: The first state, a structure of tensors.
            scan_func: The function, which returns the next state and an output.
            name: A name.

        Raises:
            TypeError: The function returns something else, or a state of other types.
        """
        return make("scan")(self, initial_state, scan_func, name)

    def reduce(
        self, initial_state: Any, reduce_func: Callable[..., Any], name: str | None = None
    ) -> Any:
        """Returns the last state of a function of a state and an element.

        Args:
            initial_state: The first state, a structure of tensors.
            reduce_func: The function, which returns the next state.
            name: A name.

        Returns:
            A structure of tensors.

        Raises:
            TypeError: The function returns a state of other types.
        """
        return make("reduce")(self, initial_state, reduce_func, name)

    def get_single_element(self, name: str | None = None) -> Any:
        """Returns the only element.

        Args:
            name: A name.

        Returns:
            A structure of tensors.

        Raises:
            InvalidArgumentError: There is another number of elements.
        """
        return make("get_single_element")(self, name)

    def rejection_resample(
        self,
        class_func: Callable[..., Any],
        target_dist: Any,
        initial_dist: Any = None,
        seed: Any = None,
        name: str | None = None,
    ) -> DatasetV2:
        """Returns a dataset of pairs of classes and elements, with another distribution of classes.

        Args:
            class_func: The function of an element, which returns its class, an int32 scalar.
            target_dist: The wanted probabilities of classes.
            initial_dist: The present ones; estimated from the elements if None.
            seed: The random seed.
            name: A name.
        """
        return make("rejection_resample")(self, class_func, target_dist, initial_dist, seed, name)

    def options(self) -> Any:
        """Returns the ``tf.data.Options`` of the dataset and of those that it reads."""
        return make("options")(self)

    def with_options(self, options: Any, name: str | None = None) -> DatasetV2:
        """Returns the dataset with options.

        Args:
            options: A ``tf.data.Options``.
            name: A name.
        """
        return make("with_options")(self, options, name)

    def fingerprint(self) -> Any:
        """Returns a hash of the pipeline, a uint64 scalar, equal for equal pipelines."""
        return make("fingerprint")(self)

    def snapshot(
        self,
        path: Any,
        compression: Any = "AUTO",
        reader_func: Callable[[DatasetV2], DatasetV2] | None = None,
        shard_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> DatasetV2:
        """Writes the elements to files in the first iteration, and reads those in later ones.

        Args:
            path: The folder, in which each input pipeline has a folder.
            compression: The compression of the files: ``"GZIP"``, ``"ZLIB"``, ``"SNAPPY"`` (also as
                ``"AUTO"``), or None.
            reader_func: A function that takes a dataset of datasets, one for each shard, and returns
                the dataset of the elements.
            shard_func: A function that returns the shard of an element, an int64 scalar.
            name: A name.

        Returns:
            A dataset.

        Raises:
            InvalidArgumentError: The shard function returns something else (raised in the iterator).
            DataLossError: A file is damaged (raised in the iterator).
        """
        return make("snapshot")(self, path, compression, reader_func, shard_func, name)

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

    @classmethod
    def from_value(cls, value: Any) -> DatasetSpec:
        """Returns the spec of a dataset.

        Args:
            value: The dataset.
        """
        return cls(value.element_spec)

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


@documented_like(_VariantDataset)
class IteratorSpec(TypeSpec):
    """The type of iterators over datasets whose elements have a type."""

    __module__ = "twinflow.data"

    __slots__ = ("_element_spec",)

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    @property
    def value_type(self) -> type:
        """The class of iterators."""
        return make("OwnedIterator")  # type: ignore[return-value]

    @classmethod
    def from_value(cls, value: Any) -> IteratorSpec:
        """Returns the spec of an iterator.

        Args:
            value: The iterator.
        """
        return cls(value.element_spec)

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
