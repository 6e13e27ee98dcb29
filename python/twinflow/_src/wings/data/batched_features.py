"""``make_batched_features_dataset`` and ``parse_example_dataset``: batches of parsed examples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.dispatch.op import API
from twinflow._src.wings.data.dataset import DatasetV2, make
from twinflow._src.wings.data.make_csv import shuffle_and_repeat
from twinflow._src.wings.data.readers import TFRecordDatasetV2


def parse_example_dataset(
    features: dict[str, Any], num_parallel_calls: Any = 1, deterministic: bool | None = None
) -> Callable[[DatasetV2], DatasetV2]:
    """Returns a transformation that parses vectors of serialized examples.

    Args:
        features: The feature configurations by name; see ``tf.io.parse_example``.
        num_parallel_calls: The number of vectors parsed at the same time.
        deterministic: If False, parallel calls may yield elements in another order.

    Returns:
        A function for ``tf.data.Dataset.apply``.

    Raises:
        ValueError: There are no features.
    """
    if features is None:
        raise ValueError("Argument `features` is required, but not specified.")
    parse = lambda serialized: API["io.parse_example"](serialized, features)
    return lambda dataset: dataset.map(parse, num_parallel_calls, deterministic)


def make_batched_features_dataset(
    file_pattern: Any,
    batch_size: Any,
    features: dict[str, Any],
    reader: Any = None,
    label_key: str | None = None,
    reader_args: Any = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: Any = 10000,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: Any = None,
    reader_num_threads: Any = None,
    parser_num_threads: Any = None,
    sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> DatasetV2:
    """Returns a dataset of batches of parsed examples, as dictionaries of features.

    Args:
        file_pattern: A glob pattern, or a list of them.
        batch_size: The number of examples in a batch.
        features: The feature configurations by name; see ``tf.io.parse_example``.
        reader: The class of the dataset of a file; ``tf.data.TFRecordDataset`` if None.
        label_key: The feature that is returned apart from the others, or None.
        reader_args: Further arguments of the reader.
        num_epochs: The number of repetitions; forever if None.
        shuffle: If True, files and examples are shuffled.
        shuffle_buffer_size: The number of examples in the shuffle buffer.
        shuffle_seed: The random seed.
        prefetch_buffer_size: The number of batches prepared ahead; ``tf.data.AUTOTUNE`` if None.
        reader_num_threads: The number of files that are read in turn; 1 if None.
        parser_num_threads: The number of batches parsed at the same time; 2 if None.
        sloppy_ordering: If True, examples of several files may come in another order.
        drop_final_batch: If True, a last batch with fewer examples is dropped.

    Returns:
        A dataset of dictionaries of tensors, or of pairs of those and the label.

    Raises:
        InvalidArgumentError: No file matches.
        ValueError: The label is none of the features.
    """
    read, arguments = TFRecordDatasetV2 if reader is None else reader, reader_args or []
    names: Any = make("list_files")(file_pattern, shuffle, shuffle_seed)
    dataset = names.interleave(
        lambda filename: read(filename, *arguments),
        cycle_length=1 if reader_num_threads in (None, -1) else reader_num_threads,
        num_parallel_calls=reader_num_threads,
        deterministic=not sloppy_ordering,
    )
    spec = dataset.element_spec
    if isinstance(spec, tuple) and len(spec) == 2:
        dataset = dataset.map(lambda key, value: value)
    dataset = shuffle_and_repeat(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    dataset = dataset.apply(parse_example_dataset(features, parser_num_threads or 2))
    if label_key is not None:
        if label_key not in features:
            raise ValueError(
                f"The `label_key` provided ({label_key}) must be one of the `features` keys: "
                f"{features.keys()}."
            )
        dataset = dataset.map(lambda x: (x, x.pop(label_key)))
    return dataset.prefetch(-1 if prefetch_buffer_size is None else prefetch_buffer_size)
