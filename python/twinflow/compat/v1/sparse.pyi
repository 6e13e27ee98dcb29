# Computed from the op table by tools/make_stubs.py.

from twinflow._src.composite_tensors.sparse_tensor import SparseTensor as SparseTensor
from twinflow._src.wings.queue.accumulators import (
    SparseConditionalAccumulator as SparseConditionalAccumulator,
)
from twinflow.compat.v1 import sparse_add as _add
from twinflow.compat.v1 import sparse_concat as _concat
from twinflow.compat.v1 import sparse_matmul as _matmul
from twinflow.compat.v1 import sparse_merge as _merge
from twinflow.compat.v1 import sparse_placeholder as _placeholder
from twinflow.compat.v1 import sparse_reduce_max as _reduce_max
from twinflow.compat.v1 import sparse_reduce_max_sparse as _reduce_max_sparse
from twinflow.compat.v1 import sparse_reduce_sum as _reduce_sum
from twinflow.compat.v1 import sparse_reduce_sum_sparse as _reduce_sum_sparse
from twinflow.compat.v1 import sparse_segment_mean as _segment_mean
from twinflow.compat.v1 import sparse_segment_sqrt_n as _segment_sqrt_n
from twinflow.compat.v1 import sparse_segment_sum as _segment_sum
from twinflow.sparse import bincount as bincount
from twinflow.sparse import cross as cross
from twinflow.sparse import cross_hashed as cross_hashed
from twinflow.sparse import expand_dims as expand_dims
from twinflow.sparse import eye as eye
from twinflow.sparse import fill_empty_rows as fill_empty_rows
from twinflow.sparse import from_dense as from_dense
from twinflow.sparse import map_values as map_values
from twinflow.sparse import mask as mask
from twinflow.sparse import maximum as maximum
from twinflow.sparse import minimum as minimum
from twinflow.sparse import reorder as reorder
from twinflow.sparse import reset_shape as reset_shape
from twinflow.sparse import reshape as reshape
from twinflow.sparse import retain as retain
from twinflow.sparse import sampled_addmm as sampled_addmm
from twinflow.sparse import slice as slice
from twinflow.sparse import softmax as softmax
from twinflow.sparse import sparse_dense_matmul as sparse_dense_matmul
from twinflow.sparse import split as split
from twinflow.sparse import to_dense as to_dense
from twinflow.sparse import to_indicator as to_indicator
from twinflow.sparse import transpose as transpose

add = _add
concat = _concat
matmul = _matmul
merge = _merge
placeholder = _placeholder
reduce_max = _reduce_max
reduce_max_sparse = _reduce_max_sparse
reduce_sum = _reduce_sum
reduce_sum_sparse = _reduce_sum_sparse
segment_mean = _segment_mean
segment_sqrt_n = _segment_sqrt_n
segment_sum = _segment_sum
