# Computed from the op table by tools/make_stubs.py.

from typing import Any, SupportsIndex

from twinflow import as_string as as_string
from twinflow.compat.v1 import reduce_join as reduce_join
from twinflow.compat.v1 import string_to_hash_bucket as _to_hash_bucket
from twinflow.compat.v1 import string_to_number as _to_number
from twinflow.compat.v1 import substr as substr
from twinflow.strings import bytes_split as bytes_split
from twinflow.strings import format as format
from twinflow.strings import join as join
from twinflow.strings import lower as lower
from twinflow.strings import ngrams as ngrams
from twinflow.strings import regex_full_match as regex_full_match
from twinflow.strings import regex_replace as regex_replace
from twinflow.strings import strip as strip
from twinflow.strings import to_hash_bucket_fast as to_hash_bucket_fast
from twinflow.strings import to_hash_bucket_strong as to_hash_bucket_strong
from twinflow.strings import unicode_decode as unicode_decode
from twinflow.strings import unicode_decode_with_offsets as unicode_decode_with_offsets
from twinflow.strings import unicode_encode as unicode_encode
from twinflow.strings import unicode_script as unicode_script
from twinflow.strings import unicode_split as unicode_split
from twinflow.strings import unicode_split_with_offsets as unicode_split_with_offsets
from twinflow.strings import unicode_transcode as unicode_transcode
from twinflow.strings import unsorted_segment_join as unsorted_segment_join
from twinflow.strings import upper as upper

to_hash_bucket = _to_hash_bucket
to_number = _to_number

def length(input: Any, name: Any = None, unit: Any = "BYTE") -> Any:
    """``tf.strings.length`` with the order and the older names of its arguments."""

def split(
    input: Any = None,
    sep: Any = None,
    maxsplit: SupportsIndex = -1,
    result_type: str = "SparseTensor",
    source: Any = None,
    name: str | None = None,
) -> Any:
    """Splits strings like ``tf.strings.split``, with a SparseTensor result by default."""
