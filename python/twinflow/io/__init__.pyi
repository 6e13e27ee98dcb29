# Computed from the op table by tools/make_stubs.py.

from typing import Any

from twinflow._src.core.tensor import Tensor
from twinflow._src.io.records import TFRecordOptions as TFRecordOptions
from twinflow._src.io.records import TFRecordWriter as TFRecordWriter
from twinflow._src.wings.io_examples.features import RaggedFeature as RaggedFeature
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
    """Returns the strings whose base64 encodings, of the kind for web addresses, are given."""

def decode_compressed(bytes: Any, compression_type: str = "", name: str | None = None) -> Tensor:
    """Returns strings that were compressed as they were before."""

def decode_csv(
    records: Any,
    record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Any = None,
    name: str | None = None,
) -> Any:
    """Returns the columns of lines of values that a delimiter separates."""

def decode_json_example(json_examples: Any, name: str | None = None) -> Tensor:
    """Returns examples written in JSON as the strings that ``tf.io.parse_example`` reads."""

def decode_raw(
    input_bytes: Any,
    out_type: Any,
    little_endian: bool = True,
    fixed_length: Any = None,
    name: str | None = None,
) -> Any:
    """Returns the numbers whose memory strings hold."""

def deserialize_many_sparse(
    serialized_sparse: Any, dtype: Any, rank: Any = None, name: str | None = None
) -> Any:
    """Returns sparse tensors that strings hold as one with a further dimension in front."""

def encode_base64(input: Any, pad: bool = False, name: str | None = None) -> Tensor:
    """Returns strings in the base64 encoding that is safe in web addresses."""

def matching_files(pattern: Any, name: str | None = None) -> Tensor:
    """Returns the names of the files that match a pattern, in order."""

def parse_example(
    serialized: Any, features: Any, example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """Returns the features of serialized ``tf.train.Example`` messages."""

def parse_sequence_example(
    serialized: Any,
    context_features: Any = None,
    sequence_features: Any = None,
    example_names: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Returns the contexts and lists of features of serialized ``tf.train.SequenceExample`` messages."""

def parse_single_example(
    serialized: Any, features: Any, example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """Returns the features of a serialized ``tf.train.Example`` message."""

def parse_single_sequence_example(
    serialized: Any,
    context_features: Any = None,
    sequence_features: Any = None,
    example_name: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the context and the lists of features of a serialized ``tf.train.SequenceExample`` message."""

def parse_tensor(serialized: Any, out_type: Any, name: str | None = None) -> Tensor:
    """Returns the tensor that a string holds."""

def read_file(filename: Any, name: str | None = None) -> Tensor:
    """Returns the contents of a file."""

def serialize_many_sparse(sp_input: Any, out_type: Any = ..., name: str | None = None) -> Any:
    """Returns the parts of a sparse tensor along its first dimension as three strings each."""

def serialize_sparse(sp_input: Any, out_type: Any = ..., name: str | None = None) -> Any:
    """Returns a sparse tensor as three strings."""

def serialize_tensor(tensor: Any, name: str | None = None) -> Any:
    """Returns a tensor as a string, which ``tf.io.parse_tensor`` makes a tensor of again."""

def write_file(filename: Any, contents: Any, name: str | None = None) -> Any:
    """Writes a string into a file; directories that lead to it are made."""

def write_graph(graph_or_graph_def: Any, logdir: Any, name: str, as_text: bool = True) -> str:
    """Writes a graph into a file; the file is whole or not there."""
