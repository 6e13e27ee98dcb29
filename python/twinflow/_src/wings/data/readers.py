"""``TFRecordDataset``, ``TextLineDataset``, ``FixedLengthRecordDataset``: the records of files."""

from __future__ import annotations

import os
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import nest
from twinflow._src.core.dtypes import string
from twinflow._src.core.errors import InvalidArgumentError, invalid
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.op import API, documented_like
from twinflow._src.io.records import TFRecordWriter as FileWriter
from twinflow._src.wings.data.dataset import DatasetSource, DatasetV2, make, makes
from twinflow._src.wings.data.dataset_ops import build_variant, builds, run_op, scalar
from twinflow._src.wings.data.file_stages import (
    STRINGS,
    FilesStage,
    open_blocks,
    open_lines,
    open_records,
)
from twinflow._src.wings.data.stages import Run, Stage


def file_names(filenames: Any) -> DatasetV2:
    """Returns the dataset of file names: of a dataset, a tensor, or paths in lists."""
    if isinstance(filenames, DatasetV2):
        _check_dataset(filenames)
        return filenames
    tensor = names_tensor(filenames)
    if tensor.dtype != string:
        raise TypeError(
            "The `filenames` argument must contain `tf.string` elements. Got "
            f"`{tensor.dtype!r}` elements."
        )
    return make("from_tensor_slices")(API["reshape"](tensor, [-1]), None)


def names_tensor(filenames: Any) -> Any:
    """Returns the tensor of file names, of which some may be path objects."""
    if isinstance(filenames, (list, tuple)):
        filenames = nest.map_structure(_text, filenames)
        if not nest.flatten(filenames):
            return convert_to_tensor([], dtype=string, name="filenames")
    return convert_to_tensor(_text(filenames), name="filenames")


def _text(path: Any) -> Any:
    return os.fspath(path) if isinstance(path, os.PathLike) else path


def _check_dataset(filenames: DatasetV2) -> None:
    spec = filenames.element_spec
    dtype = nest.map_structure(lambda s: s.dtype, spec)
    if dtype != string:
        raise TypeError(
            "The `filenames` argument must contain `tf.string` elements. Got a dataset of "
            f"`{dtype!r}` elements."
        )
    if not spec.shape.is_compatible_with([]):
        raise TypeError(
            "The `filenames` argument must contain `tf.string` elements of shape [] (i.e. "
            f"scalars). Got a dataset of element shape {spec.shape!r}."
        )


def compression(value: Any) -> Any:
    """Returns the tensor of a compression type."""
    return convert_to_tensor("" if value is None else value, dtype=string, name="compression_type")


def compression_name(array: Any) -> str:
    """Returns the compression type in an array; raises InvalidArgumentError for an unknown one."""
    name = array[()].decode("utf-8", "replace")
    if name not in ("", "GZIP", "ZLIB"):
        raise invalid("Unsupported compression_type.")
    return name


class _FilesDataset(DatasetSource):
    """Base class of the datasets of the records of files.

    Args:
        filenames: The file names: a tensor, a list of paths, or a dataset.
        parallel_reads: The number of files that are read in turn, None for one after the other.
        type: TensorFlow's name of the operation.
        tensors: Further arguments.
        name: A name.
    """

    def __init__(
        self,
        filenames: Any,
        parallel_reads: Any,
        type: str,
        tensors: list[Any],
        name: str | None,
    ) -> None:
        self._filenames, self._name = file_names(filenames), name
        self._elements = STRINGS
        cycle = scalar(1 if parallel_reads is None else parallel_reads, "num_parallel_reads")
        super().__init__(build_variant(type, (), [self._filenames], [cycle, *tensors]))

    def _inputs(self) -> list[DatasetV2]:
        return [self._filenames]


def _size(array: Any, name: str, least: int = 0, note: str = "") -> int:
    """Returns a number of bytes; raises InvalidArgumentError if it is too small."""
    if array < least:
        bound = f">= {least}" if least == 0 else f"> {least - 1}"
        raise invalid(f"`{name}` must be {bound}{note}")
    return int(array)


def _later(check: Any) -> Any:
    """Returns a function that opens files, whose arguments are checked when the first is opened."""
    try:
        return check()
    except InvalidArgumentError as error:
        message = error.message

        def fail(path: str) -> Any:
            raise invalid(message)

        return fail


def _files_stage(source: Stage, cycle: Any, open: Any) -> Stage:
    if cycle == 0 or cycle < -1:
        raise invalid("`cycle_length` must be > 0")
    return FilesStage(source, open, max(int(cycle), 1))


@builds("TFRecordDataset")
def _records_stage(source: Stage, cycle: Any, kind: Any, buffer: Any) -> Stage:
    text = kind[()].decode("utf-8", "replace")
    type = text if text in ("GZIP", "ZLIB") else ""

    def check() -> Any:
        _size(buffer, "buffer_size", 0, " (0 == no buffering)")
        return lambda path: open_records(path, type)

    return _files_stage(source, cycle, _later(check))


@builds("TextLineDataset")
def _lines_stage(source: Stage, cycle: Any, kind: Any, buffer: Any) -> Stage:
    def check() -> Any:
        type = compression_name(kind)
        _size(buffer, "buffer_size", 0, " (0 == default)")
        return lambda path: open_lines(path, type)

    return _files_stage(source, cycle, _later(check))


@builds("FixedLengthRecordDatasetV2")
def _blocks_stage(
    source: Stage, cycle: Any, record: Any, header: Any, footer: Any, kind: Any, buffer: Any
) -> Stage:
    def check() -> Any:
        size = _size(record, "record_bytes", 1)
        skip = _size(header, "header_bytes")
        rest = _size(footer, "footer_bytes")
        _size(buffer, "buffer_size")
        type = compression_name(kind)
        return lambda path: open_blocks(path, type, size, skip, rest)

    return _files_stage(source, cycle, _later(check))


class TFRecordDatasetV2(_FilesDataset):
    """A dataset of the records of TFRecord files.

    Args:
        filenames: The file names: a string tensor, a list of paths, or a dataset of strings.
        compression_type: ``""``, ``"ZLIB"`` or ``"GZIP"``.
        buffer_size: The size of the read buffer in bytes; has no effect.
        num_parallel_reads: The number of files that are read in turn; one after the other if None
            or ``tf.data.AUTOTUNE``.
        name: A name.

    Raises:
        TypeError: The file names are not strings, or a dataset of other elements than scalars.
        NotFoundError: A file does not exist (raised in the iterator).
        DataLossError: A file is corrupted or truncated (raised in the iterator).
    """

    __module__ = "twinflow.data"

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        tensors = [compression(compression_type), scalar(buffer_size or 0, "buffer_size")]
        super().__init__(filenames, num_parallel_reads, "TFRecordDataset", tensors, name)


@documented_like(TFRecordDatasetV2)
class TextLineDatasetV2(_FilesDataset):
    """A dataset of the lines of text files, without line ends.

    Raises:
        TypeError: The file names are not strings, or a dataset of other elements than scalars.
        NotFoundError: A file does not exist (raised in the iterator).
    """

    __module__ = "twinflow.data"

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        tensors = [compression(compression_type), scalar(buffer_size or 0, "buffer_size")]
        super().__init__(filenames, num_parallel_reads, "TextLineDataset", tensors, name)


@documented_like(TFRecordDatasetV2)
class FixedLengthRecordDatasetV2(_FilesDataset):
    """A dataset of the records of files of records of one size.

    Args:
        record_bytes: The size of a record.
        header_bytes: The number of bytes to skip at the start of a file; 0 if None.
        footer_bytes: The number of bytes to ignore at the end of a file; 0 if None.

    Raises:
        TypeError: The file names are not strings, or a dataset of other elements than scalars.
        NotFoundError: A file does not exist (raised in the iterator).
        InvalidArgumentError: A size is negative, or a file is not a whole number of records (raised
            in the iterator).
    """

    __module__ = "twinflow.data"

    def __init__(
        self,
        filenames: Any,
        record_bytes: Any,
        header_bytes: Any = None,
        footer_bytes: Any = None,
        buffer_size: Any = None,
        compression_type: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        tensors = [
            scalar(record_bytes, "record_bytes"),
            scalar(0 if header_bytes is None else header_bytes, "header_bytes"),
            scalar(0 if footer_bytes is None else footer_bytes, "footer_bytes"),
            compression(compression_type),
            scalar(0 if buffer_size is None else buffer_size, "buffer_size"),
        ]
        kind = "FixedLengthRecordDatasetV2"
        super().__init__(filenames, num_parallel_reads, kind, tensors, name)


@makes("list_files")
def list_files(
    file_pattern: Any, shuffle: Any = None, seed: Any = None, name: str | None = None
) -> DatasetV2:
    """Returns the dataset of the file names that match patterns; see ``Dataset.list_files``."""
    shuffle = True if shuffle is None else shuffle
    pattern = convert_to_tensor(file_pattern, dtype=string, name="file_pattern")
    matching = API["io.matching_files"](pattern)
    condition = API["greater"](API["shape"](matching)[0], 0)
    patterns = API["strings.reduce_join"](API["reshape"](pattern, [-1]), separator=", ")
    message = API["add"]("No files matched pattern: ", patterns)
    API["debugging.Assert"](condition, [message], summarize=1)
    dataset = make("from_tensor_slices")(matching, name)
    if shuffle:
        size = API["maximum"](API["shape"](matching, out_type="int64")[0], 1)
        dataset = dataset.shuffle(size, seed=seed)
    return dataset


# ------------------------------------------------------------------ ``tf.data.experimental.TFRecordWriter``


class TFRecordWriter:
    """Writer of a dataset to a TFRecord file.

    Args:
        filename: The path of the file.
        compression_type: ``""``, ``"ZLIB"`` or ``"GZIP"``.
    """

    __module__ = "twinflow.data.experimental"

    def __init__(self, filename: Any, compression_type: Any = None) -> None:
        tensor = names_tensor(filename)
        self._filename = convert_to_tensor(tensor if tensor.dtype == string else filename, string)
        self._compression_type = compression(compression_type)

    def write(self, dataset: DatasetV2) -> Any:
        """Writes the elements of a dataset.

        Args:
            dataset: A dataset of string scalars.

        Returns:
            None in eager execution, an operation otherwise.

        Raises:
            TypeError: The argument is no dataset, or its elements are not string scalars.
            NotFoundError: The directory does not exist.
        """
        if not isinstance(dataset, DatasetV2):
            raise TypeError(
                f"Invalid `dataset.` Expected a `tf.data.Dataset` object but got {type(dataset)}."
            )
        spec = dataset.element_spec
        shapes = nest.map_structure(lambda s: s.shape, spec)
        types = nest.map_structure(lambda s: s.dtype, spec)
        is_scalar = isinstance(shapes, TensorShape) and shapes.is_compatible_with([])
        if not is_scalar or types != string:
            raise TypeError(
                "Invalid `dataset`. Expected a`dataset` that produces scalar `tf.string` elements, "
                f"but got a dataset which produces elements with shapes {shapes} and types {types}."
            )
        inputs = [dataset._variant_tensor, self._filename, self._compression_type]
        run_op("DatasetToTFRecord", _write, inputs, (), ([], [], False), True)


def _write(dataset: Any, filename: Any, kind: Any) -> list[Any]:
    """Writes the elements of a stage to a file."""
    name = kind[()].decode("utf-8", "replace")
    path = filename[()].decode("utf-8", "surrogateescape")
    run = Run(dataset[()])
    try:
        with FileWriter(path, name if name in ("GZIP", "ZLIB") else "") as writer:
            for (record,) in dataset[()].iterate(run):
                writer.write(record[()])
    finally:
        run.close()
    return []
