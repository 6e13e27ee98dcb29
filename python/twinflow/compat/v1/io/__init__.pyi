# Computed from the op table by tools/make_stubs.py.

from collections.abc import Iterator
from typing import Any

from twinflow._src.io.records import TFRecordCompressionType as TFRecordCompressionType
from twinflow._src.io.records import TFRecordOptions as TFRecordOptions
from twinflow._src.io.records import TFRecordWriter as TFRecordWriter
from twinflow._src.wings.io_examples.features import RaggedFeature as RaggedFeature
from twinflow._src.wings.queue.queues import PaddingFIFOQueue as PaddingFIFOQueue
from twinflow._src.wings.queue.queues import PriorityQueue as PriorityQueue
from twinflow._src.wings.queue.queues import QueueBase as QueueBase
from twinflow._src.wings.queue.queues import RandomShuffleQueue as RandomShuffleQueue
from twinflow.compat.v1 import decode_csv as decode_csv
from twinflow.compat.v1 import decode_raw as decode_raw
from twinflow.compat.v1 import parse_example as parse_example
from twinflow.compat.v1 import parse_single_example as parse_single_example
from twinflow.compat.v1 import serialize_many_sparse as serialize_many_sparse
from twinflow.compat.v1 import serialize_sparse as serialize_sparse
from twinflow.compat.v1.io import gfile as gfile
from twinflow.image import decode_and_crop_jpeg as decode_and_crop_jpeg
from twinflow.image import decode_bmp as decode_bmp
from twinflow.image import decode_gif as decode_gif
from twinflow.image import decode_image as decode_image
from twinflow.image import decode_jpeg as decode_jpeg
from twinflow.image import decode_png as decode_png
from twinflow.image import decode_webp as decode_webp
from twinflow.image import encode_jpeg as encode_jpeg
from twinflow.image import encode_png as encode_png
from twinflow.image import extract_jpeg_shape as extract_jpeg_shape
from twinflow.image import is_jpeg as is_jpeg
from twinflow.io import FixedLenFeature as FixedLenFeature
from twinflow.io import FixedLenSequenceFeature as FixedLenSequenceFeature
from twinflow.io import SparseFeature as SparseFeature
from twinflow.io import VarLenFeature as VarLenFeature
from twinflow.io import decode_base64 as decode_base64
from twinflow.io import decode_compressed as decode_compressed
from twinflow.io import decode_json_example as decode_json_example
from twinflow.io import decode_proto as decode_proto
from twinflow.io import deserialize_many_sparse as deserialize_many_sparse
from twinflow.io import encode_base64 as encode_base64
from twinflow.io import encode_proto as encode_proto
from twinflow.io import match_filenames_once as match_filenames_once
from twinflow.io import matching_files as matching_files
from twinflow.io import parse_sequence_example as parse_sequence_example
from twinflow.io import parse_single_sequence_example as parse_single_sequence_example
from twinflow.io import parse_tensor as parse_tensor
from twinflow.io import read_file as read_file
from twinflow.io import serialize_tensor as serialize_tensor
from twinflow.io import write_file as write_file
from twinflow.io import write_graph as write_graph

def tf_record_iterator(path: Any, options: Any = None) -> Iterator[bytes]:
    """Returns an iterator of the records of a TFRecord file."""
