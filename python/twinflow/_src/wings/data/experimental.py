"""Functions of ``tf.data.experimental``: mostly transformations that became methods."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import int64
from twinflow._src.core.errors import NotFoundError, OutOfRangeError
from twinflow._src.dispatch.docstrings import documented_like
from twinflow._src.wings.data.dataset import DatasetV2, _VariantDataset, make
from twinflow._src.wings.data.dataset_ops import element_results, packed, run_op, scalar
from twinflow._src.wings.data.functions import debug_mode
from twinflow._src.wings.data.nesting import sample_from_datasets as _sample
from twinflow._src.wings.data.stages import Run

Transformation = Callable[[Any], DatasetV2]

SHARD_HINT = -1


def _method(name: str, *args: Any, **kwargs: Any) -> Transformation:
    """Returns the function that calls a method of a dataset."""
    return lambda dataset: getattr(dataset, name)(*args, **kwargs)


def assert_cardinality(expected_cardinality: Any) -> Transformation:
    """Returns a transformation that checks the number of elements.

    Args:
        expected_cardinality: The number; ``tf.data.INFINITE_CARDINALITY`` for no end.
    """
    return lambda dataset: make("assert_cardinality")(dataset, expected_cardinality)


def at(dataset: DatasetV2, index: Any) -> Any:
    """Returns an element by its index.

    Args:
        dataset: A dataset.
        index: The index, from 0.

    Returns:
        A structure of tensors.

    Raises:
        OutOfRangeError: There are fewer elements.
    """
    elements = dataset._elements

    def kernel(source: Any, position: Any) -> Any:
        stage, number = source[()], int(position)
        run = Run(stage)
        count = stage.cardinality()
        if number < 0 or 0 <= count <= number:
            raise OutOfRangeError(None, None, f"Index out of range [0, {count}):{number}")
        try:
            iterator = stage.iterate(run)
            iterator.skip(number)
            return list(elements.arrays(next(iterator)))
        except StopIteration:
            raise OutOfRangeError(None, None, f"Index out of range:{number}") from None
        finally:
            run.close()

    inputs = [dataset._variant_tensor, scalar(index, "index")]
    results = element_results(elements)
    return packed(elements, run_op("GetElementAtIndex", kernel, inputs, (), results))


def bucket_by_sequence_length(
    element_length_func: Callable[..., Any],
    bucket_boundaries: Sequence[int],
    bucket_batch_sizes: Sequence[int],
    padded_shapes: Any = None,
    padding_values: Any = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
) -> Transformation:
    """Returns a transformation; see ``tf.data.Dataset.bucket_by_sequence_length``.

    Args:
        element_length_func: Returns the length of an element, an int32 scalar.
        bucket_boundaries: The lengths at which the following bucket begins.
        bucket_batch_sizes: The batch size of each bucket.
        padded_shapes: The shape of each component.
        padding_values: The padding of each component.
        pad_to_bucket_boundary: If True, elements are padded to the length of the bucket.
        no_padding: If True, batches are not padded.
        drop_remainder: If True, last batches with fewer elements are dropped.
    """
    return _method(
        "bucket_by_sequence_length",
        element_length_func,
        bucket_boundaries,
        bucket_batch_sizes,
        padded_shapes,
        padding_values,
        pad_to_bucket_boundary,
        no_padding,
        drop_remainder,
    )


def cardinality(dataset: DatasetV2) -> Any:
    """Returns the number of elements of a dataset; see ``tf.data.Dataset.cardinality``.

    Args:
        dataset: A dataset.
    """
    return dataset.cardinality()


def choose_from_datasets(
    datasets: Sequence[DatasetV2], choice_dataset: DatasetV2, stop_on_empty_dataset: bool = False
) -> DatasetV2:
    """Returns a dataset; see ``tf.data.Dataset.choose_from_datasets``.

    Args:
        datasets: The datasets.
        choice_dataset: A dataset of their indices.
        stop_on_empty_dataset: If True, the first dataset that ends is the end.
    """
    return make("choose_from_datasets")(datasets, choice_dataset, stop_on_empty_dataset)


def copy_to_device(target_device: str, source_device: str = "/cpu:0") -> Transformation:
    """Returns a transformation that copies elements to a device; elements stay in host memory here.

    Args:
        target_device: The device.
        source_device: The device of the elements.
    """
    return lambda dataset: dataset


def dense_to_ragged_batch(
    batch_size: Any, drop_remainder: Any = False, row_splits_dtype: Any = int64
) -> Transformation:
    """Returns a transformation; see ``tf.data.Dataset.ragged_batch``.

    Args:
        batch_size: The number of elements in a batch.
        drop_remainder: If True, a last batch with fewer elements is dropped.
        row_splits_dtype: The dtype of row splits.
    """
    return _method("ragged_batch", batch_size, drop_remainder, row_splits_dtype)


def dense_to_sparse_batch(batch_size: Any, row_shape: Any) -> Transformation:
    """Returns a transformation; see ``tf.data.Dataset.sparse_batch``.

    Args:
        batch_size: The number of elements in a batch.
        row_shape: The dense shape of a row.
    """
    return _method("sparse_batch", batch_size, row_shape)


def enable_debug_mode() -> None:
    """Lets Python call the functions of datasets for each element, without threads.

    It applies to datasets that are created afterwards; there is no way back.

    Raises:
        ValueError: It is called inside a function or a graph.
    """
    if thread.scope.graph is not None:
        raise ValueError("`enable_debug_mode() is only supported in eager mode.")
    debug_mode.is_enabled = True


def enumerate_dataset(start: Any = 0) -> Transformation:
    """Returns a transformation; see ``tf.data.Dataset.enumerate``.

    Args:
        start: The first number.
    """
    return _method("enumerate", start)


def from_list(elements: Sequence[Any], name: str | None = None) -> DatasetV2:
    """Returns a dataset of the elements of a list.

    Args:
        elements: The elements, all of one structure; shapes may differ.
        name: A name.

    Returns:
        A dataset.

    Raises:
        ValueError: There are none, or their structures or dtypes differ.
    """
    if not isinstance(elements, list):
        raise ValueError("Invalid `elements`. `elements` must be a list.")
    if not elements:
        raise ValueError(
            "Invalid `elements`. `elements` should not be empty. If you want an empty dataset, use "
            "`tf.data.Dataset.range(0)`."
        )
    return make("from_list")(elements)


def from_variant(variant: Any, structure: Any) -> DatasetV2:
    """Returns the dataset of a variant tensor.

    Args:
        variant: The variant tensor of a dataset.
        structure: The structure of the elements' specs.
    """
    return _VariantDataset(variant, structure)


@documented_like(cardinality)
def to_variant(dataset: DatasetV2) -> Any:
    """Returns the variant tensor of a dataset."""
    return dataset._variant_tensor


def get_single_element(dataset: DatasetV2) -> Any:
    """Returns the only element of a dataset; see ``tf.data.Dataset.get_single_element``.

    Args:
        dataset: A dataset of one element.
    """
    return make("get_single_element")(dataset)


def get_model_proto(iterator: Any) -> Any:
    """Raises NotFoundError: iterators have no analytical model here.

    Args:
        iterator: An iterator.

    Raises:
        NotFoundError: Always.
    """
    raise NotFoundError(
        None,
        None,
        "Cannot find this iterator's analytical model. Did you disable autotune for the dataset used "
        "to create this iterator? See more information at https://www.tensorflow.org/api_docs/python/"
        "tf/data/experimental/AutotuneOptions .",
    )


def get_structure(dataset_or_iterator: Any) -> Any:
    """Returns the type specification of the elements of a dataset or an iterator.

    Args:
        dataset_or_iterator: A dataset or an iterator.

    Raises:
        TypeError: It is something else.
    """
    try:
        return dataset_or_iterator.element_spec
    except AttributeError:
        raise TypeError(
            "Invalid `dataset_or_iterator`. `dataset_or_iterator` must be a `tf.data.Dataset` or "
            f"tf.data.Iterator object, but got {type(dataset_or_iterator)}."
        ) from None


def group_by_window(
    key_func: Callable[..., Any],
    reduce_func: Callable[..., Any],
    window_size: Any = None,
    window_size_func: Callable[..., Any] | None = None,
) -> Transformation:
    """Returns a transformation; see ``tf.data.Dataset.group_by_window``.

    Args:
        key_func: Returns the key of an element.
        reduce_func: Returns a dataset of a key and a dataset.
        window_size: The number of elements of a group.
        window_size_func: Returns that number for a key.
    """
    return _method("group_by_window", key_func, reduce_func, window_size, window_size_func)


def ignore_errors(log_warning: bool = False) -> Transformation:
    """Returns a transformation; see ``tf.data.Dataset.ignore_errors``.

    Args:
        log_warning: If True, errors are logged.
    """
    return _method("ignore_errors", log_warning)


def load(
    path: Any, element_spec: Any = None, compression: Any = None, reader_func: Any = None
) -> DatasetV2:
    """Returns a saved dataset; see ``tf.data.Dataset.load``.

    Args:
        path: The folder.
        element_spec: The type specification of the elements.
        compression: The compression of the files.
        reader_func: A function of a dataset of datasets.
    """
    return make("load")(path, element_spec, compression, reader_func)


def save(
    dataset: Any,
    path: Any,
    compression: Any = None,
    shard_func: Any = None,
    checkpoint_args: Any = None,
) -> None:
    """Saves a dataset; see ``tf.data.Dataset.save``.

    Args:
        dataset: A dataset.
        path: The folder.
        compression: The compression of the files.
        shard_func: Returns the shard of an element.
        checkpoint_args: Arguments of checkpoints of the progress.
    """
    dataset.save(path, compression, shard_func, checkpoint_args)


def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: Any = False,
    num_parallel_calls: Any = None,
) -> Transformation:
    """Returns a transformation that maps and batches.

    Args:
        map_func: The function of an element.
        batch_size: The number of elements in a batch.
        num_parallel_batches: The number of batches computed at the same time.
        drop_remainder: If True, a last batch with fewer elements is dropped.
        num_parallel_calls: The number of elements computed at the same time.
    """
    return lambda dataset: dataset.map(map_func, num_parallel_calls).batch(
        batch_size, drop_remainder
    )


def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: Any,
    block_length: Any = 1,
    sloppy: Any = False,
    buffer_output_elements: Any = None,
    prefetch_input_elements: Any = None,
) -> Transformation:
    """Returns a transformation; see ``tf.data.Dataset.interleave``.

    Args:
        map_func: Returns a dataset.
        cycle_length: The number of datasets that are read in turn.
        block_length: The number of elements that are read of each.
        sloppy: If True, elements may come in another order.
        buffer_output_elements: Has no effect.
        prefetch_input_elements: Has no effect.
    """
    return _method(
        "interleave", map_func, cycle_length, block_length, cycle_length, deterministic=not sloppy
    )


def prefetch_to_device(device: str, buffer_size: Any = None) -> Transformation:
    """Returns a transformation that prepares elements ahead.

    Args:
        device: The device.
        buffer_size: The number of elements.
    """
    return _method("prefetch", -1 if buffer_size is None else buffer_size)


def rejection_resample(
    class_func: Callable[..., Any], target_dist: Any, initial_dist: Any = None, seed: Any = None
) -> Transformation:
    """Returns a transformation; see ``tf.data.Dataset.rejection_resample``.

    Args:
        class_func: Returns the class of an element.
        target_dist: The wanted probabilities of classes.
        initial_dist: The present ones.
        seed: The random seed.
    """
    return _method("rejection_resample", class_func, target_dist, initial_dist, seed)


def sample_from_datasets(
    datasets: Sequence[DatasetV2],
    weights: Any = None,
    seed: Any = None,
    stop_on_empty_dataset: bool = False,
) -> DatasetV2:
    """Returns a dataset; see ``tf.data.Dataset.sample_from_datasets``.

    Args:
        datasets: The datasets.
        weights: Their probabilities.
        seed: The random seed.
        stop_on_empty_dataset: If True, the first dataset that ends is the end.
    """
    return _sample(datasets, weights, seed, stop_on_empty_dataset)


def scan(initial_state: Any, scan_func: Callable[..., Any]) -> Transformation:
    """Returns a transformation; see ``tf.data.Dataset.scan``.

    Args:
        initial_state: The first state.
        scan_func: Returns the next state and an output.
    """
    return _method("scan", initial_state, scan_func)


def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Transformation:
    """Returns a transformation that shuffles and repeats.

    Args:
        buffer_size: The number of elements in the buffer.
        count: The number of repetitions.
        seed: The random seed.
    """
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def snapshot(
    path: Any, compression: Any = "AUTO", reader_func: Any = None, shard_func: Any = None
) -> Transformation:
    """Returns a transformation; see ``tf.data.Dataset.snapshot``.

    Args:
        path: The folder.
        compression: The compression of the files.
        reader_func: A function of a dataset of datasets.
        shard_func: Returns the shard of an element.
    """
    return _method("snapshot", path, compression, reader_func, shard_func)


def take_while(predicate: Callable[..., Any]) -> Transformation:
    """Returns a transformation; see ``tf.data.Dataset.take_while``.

    Args:
        predicate: Returns True while elements are taken.
    """
    return _method("take_while", predicate)


def unbatch() -> Transformation:
    """Returns a transformation; see ``tf.data.Dataset.unbatch``."""
    return _method("unbatch")


def unique() -> Transformation:
    """Returns a transformation; see ``tf.data.Dataset.unique``."""
    return _method("unique")


def Counter(start: Any = 0, step: Any = 1, dtype: Any = int64) -> DatasetV2:
    """Returns a dataset of numbers without end.

    Args:
        start: The first number.
        step: The difference.
        dtype: The dtype.
    """
    return make("counter")(start, step, dtype)
