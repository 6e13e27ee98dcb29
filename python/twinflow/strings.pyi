# Computed from the op table by tools/make_stubs.py.

from typing import Any, SupportsIndex

from twinflow import as_string as as_string
from twinflow._src.core.tensor import Tensor

def bytes_split(input: Any, name: str | None = None) -> Any:
    """Returns the bytes of strings."""

def format(
    template: str,
    inputs: Any,
    placeholder: str = "{}",
    summarize: SupportsIndex = 3,
    name: str | None = None,
) -> Any:
    """Returns a string with tensors in the place of placeholders."""

def join(inputs: Any, separator: str = "", name: str | None = None) -> Any:
    """Returns strings joined element-wise."""

def length(input: Any, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """Returns the lengths of strings."""

def lower(input: Any, encoding: str = "", name: str | None = None) -> Tensor:
    """Returns strings in lower case."""

def ngrams(
    data: Any,
    ngram_width: Any,
    separator: str = " ",
    pad_values: Any = None,
    padding_width: SupportsIndex | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:
    """Returns strings joined in groups of neighbours."""

def reduce_join(
    inputs: Any,
    axis: Any = None,
    keepdims: bool = False,
    separator: str = "",
    name: str | None = None,
) -> Any:
    """Returns strings joined along dimensions."""

def regex_full_match(input: Any, pattern: Any, name: str | None = None) -> Any:
    """Returns whether strings match a pattern as a whole."""

def regex_replace(
    input: Any, pattern: Any, rewrite: Any, replace_global: bool = True, name: str | None = None
) -> Any:
    """Returns strings with what matches a pattern replaced."""

def split(
    input: Any, sep: Any = None, maxsplit: SupportsIndex = -1, name: str | None = None
) -> Any:
    """Returns strings cut at a separator."""

def strip(input: Any, name: str | None = None) -> Tensor:
    """Returns strings without white space at their ends."""

def substr(input: Any, pos: Any, len: Any, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """Returns parts of strings."""

def to_hash_bucket(input: Any, num_buckets: SupportsIndex, name: str | None = None) -> Any:
    """Returns numbers that depend on strings."""

def to_hash_bucket_fast(input: Any, num_buckets: SupportsIndex, name: str | None = None) -> Tensor:
    """Returns numbers that depend on strings, evenly spread."""

def to_hash_bucket_strong(
    input: Any, num_buckets: SupportsIndex, key: Any, name: str | None = None
) -> Tensor:
    """Returns numbers that depend on strings in a way that is hard to guess without the key."""

def to_number(input: Any, out_type: Any = ..., name: str | None = None) -> Any:
    """Returns the numbers that strings hold."""

def unicode_decode(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: SupportsIndex = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Returns the code points of strings."""

def unicode_decode_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: SupportsIndex = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Returns the code points of strings, and where each begins."""

def unicode_encode(
    input: Any,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: SupportsIndex = 65533,
    name: str | None = None,
) -> Any:
    """Returns strings of code points."""

def unicode_script(input: Any, name: str | None = None) -> Tensor:
    """Returns the scripts that characters belong to."""

def unicode_split(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: SupportsIndex = 65533,
    name: str | None = None,
) -> Any:
    """Returns the characters of strings."""

def unicode_split_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: SupportsIndex = 65533,
    name: str | None = None,
) -> Any:
    """Returns the characters of strings, and where each begins."""

def unicode_transcode(
    input: Any,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: SupportsIndex = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Returns strings in another encoding."""

def unsorted_segment_join(
    inputs: Any, segment_ids: Any, num_segments: Any, separator: str = "", name: str | None = None
) -> Tensor:
    """Returns the strings of each segment joined; an empty string for a segment without any."""

def upper(input: Any, encoding: str = "", name: str | None = None) -> Tensor:
    """Returns strings in upper case."""
