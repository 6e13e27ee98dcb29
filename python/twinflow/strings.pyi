# Computed from the op table by tools/make_stubs.py.

from typing import Any, SupportsIndex

from twinflow import as_string as as_string
from twinflow._src.core.tensor import Tensor

def bytes_split(input: Any, name: str | None = None) -> Any:
    """Splits strings into bytes."""

def format(
    template: str,
    inputs: Any,
    placeholder: str = "{}",
    summarize: SupportsIndex = 3,
    name: str | None = None,
) -> Any:
    """Formats a string template with the values of tensors."""

def join(inputs: Any, separator: str = "", name: str | None = None) -> Any:
    """Joins tensors of strings element-wise."""

def length(input: Any, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """Computes the lengths of strings."""

def lower(input: Any, encoding: str = "", name: str | None = None) -> Tensor:
    """Converts strings to lower case."""

def ngrams(
    data: Any,
    ngram_width: Any,
    separator: str = " ",
    pad_values: Any = None,
    padding_width: SupportsIndex | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:
    """Creates n-grams of strings along the last dimension."""

def reduce_join(
    inputs: Any,
    axis: Any = None,
    keepdims: bool = False,
    separator: str = "",
    name: str | None = None,
) -> Any:
    """Joins strings along axes."""

def regex_full_match(input: Any, pattern: Any, name: str | None = None) -> Any:
    """Checks whether strings fully match a regular expression."""

def regex_replace(
    input: Any, pattern: Any, rewrite: Any, replace_global: bool = True, name: str | None = None
) -> Any:
    """Replaces matches of a regular expression in strings."""

def split(
    input: Any, sep: Any = None, maxsplit: SupportsIndex = -1, name: str | None = None
) -> Any:
    """Splits strings at a separator."""

def strip(input: Any, name: str | None = None) -> Tensor:
    """Strips leading and trailing whitespace from strings."""

def substr(input: Any, pos: Any, len: Any, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """Returns substrings of strings."""

def to_hash_bucket(input: Any, num_buckets: SupportsIndex, name: str | None = None) -> Any:
    """Hashes strings to bucket indices."""

def to_hash_bucket_fast(input: Any, num_buckets: SupportsIndex, name: str | None = None) -> Tensor:
    """Hashes strings to bucket indices with a fast hash (FarmHash)."""

def to_hash_bucket_strong(
    input: Any, num_buckets: SupportsIndex, key: Any, name: str | None = None
) -> Tensor:
    """Hashes strings to bucket indices with a keyed strong hash (SipHash-2-4)."""

def to_number(input: Any, out_type: Any = ..., name: str | None = None) -> Any:
    """Converts strings to numbers."""

def unicode_decode(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: SupportsIndex = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Decodes strings into sequences of Unicode code points."""

def unicode_decode_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: SupportsIndex = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Decodes strings into sequences of Unicode code points with their byte offsets."""

def unicode_encode(
    input: Any,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: SupportsIndex = 65533,
    name: str | None = None,
) -> Any:
    """Encodes sequences of Unicode code points as strings."""

def unicode_script(input: Any, name: str | None = None) -> Tensor:
    """Determines the script codes of Unicode code points."""

def unicode_split(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: SupportsIndex = 65533,
    name: str | None = None,
) -> Any:
    """Splits strings into Unicode characters."""

def unicode_split_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: SupportsIndex = 65533,
    name: str | None = None,
) -> Any:
    """Splits strings into Unicode characters with their byte offsets."""

def unicode_transcode(
    input: Any,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: SupportsIndex = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Transcodes strings to another Unicode encoding."""

def unsorted_segment_join(
    inputs: Any, segment_ids: Any, num_segments: Any, separator: str = "", name: str | None = None
) -> Tensor:
    """Joins the strings of each segment; the empty string for empty segments."""

def upper(input: Any, encoding: str = "", name: str | None = None) -> Tensor:
    """Converts strings to upper case."""
