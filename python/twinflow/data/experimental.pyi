# Computed from the op table by tools/make_stubs.py.

from twinflow._src.wings.data.csv_dataset import CsvDatasetV2 as _CsvDataset
from twinflow._src.wings.data.record_writer import TFRecordWriter as TFRecordWriter
from twinflow._src.wings.data.sql_dataset import SqlDatasetV2 as _SqlDataset

CsvDataset = _CsvDataset
SqlDataset = _SqlDataset
