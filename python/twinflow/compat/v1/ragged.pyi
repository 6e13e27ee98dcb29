# Computed from the op table by tools/make_stubs.py.

from typing import Any, SupportsIndex

from twinflow._src.compat_v1.session.feeds_and_fetches import RaggedTensorValue as RaggedTensorValue
from twinflow.ragged import boolean_mask as boolean_mask
from twinflow.ragged import constant as constant
from twinflow.ragged import cross as cross
from twinflow.ragged import cross_hashed as cross_hashed
from twinflow.ragged import map_flat_values as map_flat_values
from twinflow.ragged import range as range
from twinflow.ragged import row_splits_to_segment_ids as row_splits_to_segment_ids
from twinflow.ragged import segment_ids_to_row_splits as segment_ids_to_row_splits
from twinflow.ragged import stack as stack
from twinflow.ragged import stack_dynamic_partitions as stack_dynamic_partitions

def constant_value(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: SupportsIndex | None = None,
    inner_shape: Any = None,
    row_splits_dtype: Any = "int64",
) -> Any:
    """Returns nested lists as a value of a ragged tensor, in NumPy arrays."""

def placeholder(
    dtype: Any, ragged_rank: SupportsIndex, value_shape: Any = None, name: str | None = None
) -> Any:
    """Adds a ragged tensor that must be fed in a session."""
