# Computed from the op table by tools/make_stubs.py.

from twinflow._src.io.records import TFRecordCompressionType as TFRecordCompressionType
from twinflow._src.io.records import TFRecordOptions as TFRecordOptions
from twinflow._src.io.records import TFRecordWriter as TFRecordWriter
from twinflow.compat.v1.io import tf_record_iterator as tf_record_iterator
