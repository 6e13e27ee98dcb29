# Computed from the op table by tools/make_stubs.py.

from typing import Any

from twinflow._src.wings.data.record_writer import TFRecordWriter as TFRecordWriter
from twinflow._src.wings.data.v1_datasets import DatasetV1Adapter

class CsvDataset(DatasetV1Adapter):
    """A dataset of the records of CSV files, each a tuple of scalars."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class SqlDataset(DatasetV1Adapter):
    """A dataset of the rows of a query of a database."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
