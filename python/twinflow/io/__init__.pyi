# Computed from the op table by tools/make_stubs.py.

from typing import Any

from twinflow._src.core.tensor import Tensor
from twinflow._src.io.records import TFRecordOptions as TFRecordOptions
from twinflow._src.io.records import TFRecordWriter as TFRecordWriter
from twinflow._src.wings.io_examples.features import RaggedFeature as RaggedFeature
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
from twinflow.io import gfile as gfile

class FixedLenFeature:
    """A feature with the same number of values in every example."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class FixedLenSequenceFeature:
    """A feature with any number of items of one shape; shorter examples are filled up."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class SparseFeature:
    """A sparse tensor of which one feature holds the values and others where they stand."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class VarLenFeature:
    """A feature with any number of values, which becomes a sparse tensor."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

def decode_base64(input: Any, name: str | None = None) -> Tensor:
    """Decodes strings in web-safe base64."""

def decode_compressed(bytes: Any, compression_type: str = "", name: str | None = None) -> Tensor:
    """Decompresses strings."""

def decode_csv(
    records: Any,
    record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Any = None,
    name: str | None = None,
) -> Any:
    """Converts CSV records to tensors, one for each column."""

def decode_json_example(json_examples: Any, name: str | None = None) -> Tensor:
    """Converts JSON-encoded ``Example`` messages to the binary format of ``tf.io.parse_example``."""

def decode_proto(
    bytes: Any,
    message_type: str,
    field_names: Any,
    output_types: Any,
    descriptor_source: Any = "local://",
    message_format: str = "binary",
    sanitize: bool = False,
    name: str | None = None,
) -> Any:
    """Decodes fields of serialized protocol buffers."""

def decode_raw(
    input_bytes: Any,
    out_type: Any,
    little_endian: bool = True,
    fixed_length: Any = None,
    name: str | None = None,
) -> Any:
    """Reinterprets the bytes of strings as numbers."""

def deserialize_many_sparse(
    serialized_sparse: Any, dtype: Any, rank: Any = None, name: str | None = None
) -> Any:
    """Deserializes sparse tensors and stacks them along a new first dimension."""

def encode_base64(input: Any, pad: bool = False, name: str | None = None) -> Tensor:
    """Encodes strings in web-safe base64."""

def encode_proto(
    sizes: Any,
    values: Any,
    field_names: Any,
    message_type: str,
    descriptor_source: Any = "local://",
    name: str | None = None,
) -> Any:
    """Encodes tensors as fields of serialized protocol buffers."""

def match_filenames_once(pattern: Any, name: str | None = None) -> Any:
    """Returns a local variable with the names of the files that match patterns."""

def matching_files(pattern: Any, name: str | None = None) -> Tensor:
    """Returns the sorted names of the files that match a glob pattern."""

def parse_example(
    serialized: Any, features: Any, example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """Parses serialized ``tf.train.Example`` messages into tensors."""

def parse_sequence_example(
    serialized: Any,
    context_features: Any = None,
    sequence_features: Any = None,
    example_names: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Parses serialized ``tf.train.SequenceExample`` messages into tensors."""

def parse_single_example(
    serialized: Any, features: Any, example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """Parses a serialized ``tf.train.Example`` message into tensors."""

def parse_single_sequence_example(
    serialized: Any,
    context_features: Any = None,
    sequence_features: Any = None,
    example_name: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parses a serialized ``tf.train.SequenceExample`` message into tensors."""

def parse_tensor(serialized: Any, out_type: Any, name: str | None = None) -> Tensor:
    """Parses a tensor from a serialized ``TensorProto``."""

def read_file(filename: Any, name: str | None = None) -> Tensor:
    """Reads the contents of a file."""

def serialize_many_sparse(sp_input: Any, out_type: Any = ..., name: str | None = None) -> Any:
    """Serializes each slice of a sparse tensor along its first dimension to a row of three strings."""

def serialize_sparse(sp_input: Any, out_type: Any = ..., name: str | None = None) -> Any:
    """Serializes a sparse tensor to a vector of three strings."""

def serialize_tensor(tensor: Any, name: str | None = None) -> Any:
    """Serializes a tensor to a string, the inverse of ``tf.io.parse_tensor``."""

def write_file(filename: Any, contents: Any, name: str | None = None) -> Any:
    """Writes a string to a file and creates missing directories."""

def write_graph(graph_or_graph_def: Any, logdir: Any, name: str, as_text: bool = True) -> str:
    """Writes a graph to a file, atomically."""
