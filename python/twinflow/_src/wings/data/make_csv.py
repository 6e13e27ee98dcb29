"""Functions that make whole pipelines: ``make_csv_dataset``, ``make_batched_features_dataset``."""

from __future__ import annotations

import collections
import csv
import gzip
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from twinflow._src.conversion.constant import constant
from twinflow._src.core.dtypes import float32, float64, int32, int64, string
from twinflow._src.dispatch.op import API, documented_like
from twinflow._src.io import gfile
from twinflow._src.io.local_files import explained, path_text
from twinflow._src.wings.data.csv_dataset import CsvDatasetV2
from twinflow._src.wings.data.dataset import DatasetV2, make
from twinflow._src.wings.data.readers import TFRecordDatasetV2

# In the order in which a column is tried.
_TYPES = (int32, int64, float32, float64, string)


def matching_files(file_pattern: Any, shuffle: Any = True) -> list[str]:
    """Returns the names of files that match patterns, sorted unless they are shuffled later."""
    if isinstance(file_pattern, (list, tuple)):
        if not file_pattern:
            raise ValueError("Argument `file_pattern` should not be empty.")
        names = [name for pattern in file_pattern for name in gfile.glob(pattern)]
    else:
        names = list(gfile.glob(file_pattern))
    if not names:
        raise ValueError(f"No files match `file_pattern` {file_pattern}.")
    return names if shuffle else sorted(names)


def shuffle_and_repeat(
    dataset: Any, num_epochs: Any, shuffle: Any, buffer_size: Any, seed: Any
) -> Any:
    """Returns a dataset that is shuffled and repeated as the arguments say."""
    if shuffle:
        dataset = dataset.shuffle(buffer_size, seed)
    return dataset if num_epochs == 1 else dataset.repeat(num_epochs)


class _Rows:
    """Reader of the rows of CSV files in Python.

    Args:
        compression_type: The compression type.
        encoding: The encoding of the text.
        delim: The delimiter.
        has_quotes: True if quotes enclose fields.
    """

    def __init__(self, compression_type: Any, encoding: str, delim: str, has_quotes: bool) -> None:
        self._kind, self._encoding = compression_type, encoding
        self._format: dict[str, Any] = {
            "delimiter": delim,
            "quoting": csv.QUOTE_MINIMAL if has_quotes else csv.QUOTE_NONE,
        }

    def read(self, path: str) -> Iterator[list[str]]:
        """Yields the rows of a file."""
        if self._kind and self._kind != "GZIP":
            raise ValueError(f"`compression_type` {self._kind} is not supported for inference.")
        open_text: Any = gzip.open if self._kind else open
        with explained(path) as local_path:
            file = open_text(local_path, "rt", encoding=self._encoding, newline="")
        with file:
            yield from csv.reader(file, **self._format)


# Inference of names and types.


def _column_names(files: Sequence[str], rows: _Rows) -> list[str]:
    """Returns the names in the headers of files, which agree."""
    names = _header(files[0], rows)
    for path in files[1:]:
        if _header(path, rows) != names:
            raise ValueError(
                "All input CSV files should have the same column names in the header row. File "
                f"{path} has different column names."
            )
    return names


def _header(path: str, rows: _Rows) -> list[str]:
    header = next(rows.read(path), None)
    if header is None:
        raise ValueError(f"Failed when reading the header line of {path}. Is it an empty file?")
    return header


def _is_integer(text: str, dtype: Any) -> bool:
    try:
        return bool(dtype.min <= int(text) <= dtype.max)
    except ValueError:
        return False


def _is_number(text: str, dtype: Any) -> bool:
    try:
        return bool(dtype.min < float(text) < dtype.max)
    except ValueError:
        return False


_FITS: tuple[Callable[[str], bool], ...] = (
    lambda text: _is_integer(text, int32),
    lambda text: _is_integer(text, int64),
    lambda text: _is_number(text, float32),
    lambda text: _is_number(text, float64),
    lambda text: True,
)


def _infer_defaults(
    files: Sequence[str],
    rows: _Rows,
    columns: Sequence[int],
    count: int,
    has_header: bool,
    na_value: str,
    limit: int | None,
) -> list[Any]:
    """Returns the default of each column: zero or an empty string of the inferred dtype."""
    kinds = [0] * len(columns)
    is_known = [False] * len(columns)
    left = limit
    for path in files:
        reader = rows.read(path)
        if has_header:
            next(reader, None)
        for number, row in enumerate(reader):
            if left is not None and left <= 0:
                break
            if len(row) != count:
                raise ValueError(
                    f"Problem inferring types: CSV row {number} has {len(row)} number of fields. "
                    f"Expected: {count}."
                )
            for i, column in enumerate(columns):
                if row[column] not in ("", na_value):
                    is_known[i] = True
                    kinds[i] = next(k for k in range(kinds[i], 5) if _FITS[k](row[column]))
            left = None if left is None else left - 1
    types = [_TYPES[kind] if is_valued else string for kind, is_valued in zip(kinds, is_known)]
    return [constant([""] if t is string else [0], t) for t in types]


def _selected(select_columns: Any, names: Sequence[str]) -> list[int]:
    """Returns the indices of selected columns, in ascending order."""
    columns = list(select_columns)
    if not columns:
        raise ValueError("The `select_columns` argument should not be empty.")
    index = {name: i for i, name in enumerate(names)}
    indices = []
    for column in columns:
        if isinstance(column, str):
            if column not in index:
                raise ValueError(
                    f"Column {column} specified in `select_columns` must be of one of the columns: "
                    f"{index.keys()}."
                )
            indices.append(index[column])
        elif not 0 <= column < len(names):
            raise ValueError(
                f"Column index {column} specified in `select_columns` should be > 0  and <= "
                f"{len(names)}, which is the number of columns."
            )
        else:
            indices.append(int(column))
    if len(set(indices)) != len(indices):
        twice = {c for c in columns if columns.count(c) > 1}
        raise ValueError(f"The `select_columns` argument contains duplicate columns: {twice}.")
    return sorted(indices)


# The dataset.


def make_csv_dataset(
    file_pattern: Any,
    batch_size: Any,
    column_names: Any = None,
    column_defaults: Any = None,
    label_name: str | None = None,
    select_columns: Any = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: Any = 10000,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: Any = None,
    num_parallel_reads: Any = None,
    sloppy: bool = False,
    num_rows_for_inference: int | None = 100,
    compression_type: Any = None,
    ignore_errors: bool = False,
    encoding: str = "utf-8",
) -> DatasetV2:
    """Returns a dataset of batches of the rows of CSV files, as ordered dictionaries of columns.

    Args:
        file_pattern: A glob pattern, or a list of them.
        batch_size: The number of rows in a batch.
        column_names: The names of all columns; those in the header if None.
        column_defaults: For each selected column its default value, or its dtype if it is required;
            inferred if None.
        label_name: The column that is returned apart from the others, or None.
        select_columns: The names or indices of the columns to return; all if None.
        field_delim: The delimiter, one character.
        use_quote_delim: If True, double quotes enclose fields that contain delimiters or line ends.
        na_value: A string that denotes a missing value, besides the empty one.
        header: If True, the first row of each file is a header.
        num_epochs: The number of repetitions; forever if None.
        shuffle: If True, files and rows are shuffled.
        shuffle_buffer_size: The number of rows in the shuffle buffer.
        shuffle_seed: The random seed.
        prefetch_buffer_size: The number of batches prepared ahead; ``tf.data.AUTOTUNE`` if None.
        num_parallel_reads: The number of files that are read in turn; 1 if None.
        sloppy: If True, rows of several files may come in another order.
        num_rows_for_inference: The number of rows that decide about types; all if None.
        compression_type: ``""``, ``"GZIP"`` or ``"ZLIB"``.
        ignore_errors: If True, rows that do not fit are skipped.
        encoding: The encoding of the files, for the inference of names and types.

    Returns:
        A dataset of ordered dictionaries of vectors, or of pairs of those and the label.

    Raises:
        ValueError: No file matches, names are missing or double, or types cannot be inferred.
    """
    files = matching_files(file_pattern, False)
    rows = _Rows(compression_type, encoding, field_delim, use_quote_delim)
    if column_names is None:
        if not header:
            raise ValueError("Expected `column_names` or `header` arguments. Neither is provided.")
        column_names = _column_names([path_text(f) for f in files], rows)
    names = list(column_names)
    if len(names) != len(set(names)):
        twice = {name for name in names if names.count(name) > 1}
        raise ValueError(
            "Either `column_names` argument or CSV header row contains duplicate column names: "
            f"{twice}."
        )
    selected = None if select_columns is None else _selected(select_columns, names)
    if column_defaults is not None:
        defaults = [constant([], x) if x in _TYPES else x for x in column_defaults]
    else:
        columns = range(len(names)) if selected is None else selected
        limit = num_rows_for_inference
        defaults = _infer_defaults(files, rows, columns, len(names), header, na_value, limit)
    if selected is not None and len(defaults) != len(selected):
        raise ValueError(
            "If specified, `column_defaults` and `select_columns` must have the same length: "
            f"`column_defaults` has length {len(defaults)}, `select_columns` has length "
            f"{len(selected)}."
        )
    if selected is not None:
        names = [names[i] for i in selected]
    if label_name is not None and label_name not in names:
        raise ValueError(
            f"`label_name` provided must be one of the columns: {names}. Received: {label_name}."
        )

    def read(filename: Any) -> Any:
        dataset = CsvDatasetV2(
            filename,
            record_defaults=defaults,
            field_delim=field_delim,
            use_quote_delim=use_quote_delim,
            na_value=na_value,
            select_cols=selected,
            header=header,
            compression_type=compression_type,
        )
        return dataset.ignore_errors() if ignore_errors else dataset

    def label(*values: Any) -> Any:
        features = collections.OrderedDict(zip(names, values))
        return features if label_name is None else (features, features.pop(label_name))

    dataset: Any = make("from_tensor_slices")(np.array(files, object))
    if shuffle:
        dataset = dataset.shuffle(len(files), shuffle_seed)
    dataset = dataset.interleave(
        read,
        cycle_length=num_parallel_reads or 1,
        num_parallel_calls=num_parallel_reads,
        deterministic=not sloppy,
    )
    dataset = shuffle_and_repeat(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None).map(label)
    return dataset.prefetch(-1 if prefetch_buffer_size is None else prefetch_buffer_size)


# ------------------------------------------------------------------ ``make_batched_features_dataset`` and ``parse_example_dataset``


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


@documented_like(make_csv_dataset)
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
        batch_size: The number of examples in a batch.
        features: The feature configurations by name; see ``tf.io.parse_example``.
        reader: The class of the dataset of a file; ``tf.data.TFRecordDataset`` if None.
        label_key: The feature that is returned apart from the others, or None.
        reader_args: Further arguments of the reader.
        shuffle: If True, files and examples are shuffled.
        shuffle_buffer_size: The number of examples in the shuffle buffer.
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
