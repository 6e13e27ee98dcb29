"""``tf.data.experimental.TFRecordWriter``: the writer of a dataset of records."""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import nest
from twinflow._src.core.dtypes import string
from twinflow._src.core.shapes import TensorShape
from twinflow._src.io.records import TFRecordWriter as FileWriter
from twinflow._src.wings.data.dataset import DatasetV2
from twinflow._src.wings.data.dataset_ops import run_op
from twinflow._src.wings.data.readers import compression, names_tensor
from twinflow._src.wings.data.stages import Run


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
