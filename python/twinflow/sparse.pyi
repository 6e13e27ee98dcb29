# Computed from the op table by tools/make_stubs.py.

from typing import Any, SupportsIndex

from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor as SparseTensor

def add(a: Any, b: Any, threshold: Any = 0) -> Any:
    """Returns the sum of two tensors, of which one or both are sparse."""

def bincount(
    values: Any,
    weights: Any = None,
    axis: SupportsIndex | None = 0,
    minlength: SupportsIndex | None = None,
    maxlength: SupportsIndex | None = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """Returns how often each of 0, 1, 2, ... occurs, as a sparse tensor."""

def concat(
    axis: Any, sp_inputs: Any, expand_nonconcat_dims: bool = False, name: str | None = None
) -> SparseTensor:
    """Joins sparse tensors along a dimension."""

def cross(inputs: Any, name: str | None = None, separator: Any = None) -> Any:
    """Returns every combination of what several columns hold in a row, joined to strings."""

def cross_hashed(
    inputs: Any,
    num_buckets: SupportsIndex = 0,
    hash_key: SupportsIndex | None = None,
    name: str | None = None,
) -> Any:
    """Returns hashes of every combination of what several columns hold in a row."""

def expand_dims(sp_input: Any, axis: Any = None, name: str | None = None) -> SparseTensor:
    """Returns a sparse tensor with a dimension of size 1 more."""

def eye(
    num_rows: Any, num_columns: Any = None, dtype: Any = ..., name: str | None = None
) -> SparseTensor:
    """Returns a sparse identity matrix."""

def fill_empty_rows(
    sp_input: Any, default_value: Any, name: str | None = None
) -> tuple[SparseTensor, Any]:
    """Returns a sparse tensor with an element in every row."""

def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """Returns a sparse tensor of the elements that are not zero."""

def map_values(op: Any, *args: Any, **kwargs: Any) -> SparseTensor:
    """Applies a function to the values of sparse tensors."""

def mask(a: Any, mask_indices: Any, name: str | None = None) -> IndexedSlices:
    """Returns indexed slices without those of some indices."""

def maximum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """Returns the larger elements of two sparse tensors."""

def minimum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """Returns the smaller elements of two sparse tensors."""

def reduce_max(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Returns the largest elements along dimensions of a sparse tensor; 0 where there are none."""

def reduce_sum(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Returns sums along dimensions of a sparse tensor."""

def reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Returns a sparse tensor whose indices ascend in row-major order."""

def reset_shape(sp_input: Any, new_shape: Any = None) -> SparseTensor:
    """Returns a sparse tensor of the same elements at the same places of another shape."""

def reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """Returns a sparse tensor of the same elements in another shape."""

def retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """Returns a sparse tensor with some of the elements."""

def sampled_addmm(
    indices: Any,
    values: Any,
    dense_shape: Any,
    mat1: Any,
    mat2: Any,
    beta: Any = 1.0,
    alpha: Any = 1.0,
    output_type: Any = "float32",
) -> tuple[Any, Any, Any]:
    """Returns the elements of alpha * mat1 @ mat2 + beta * sparse at the places of a sparse matrix."""

def segment_mean(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:
    """Returns means of chosen rows, a mean for each segment."""

def segment_sqrt_n(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:
    """Returns sums of chosen rows, divided by the square root of their number."""

def segment_sum(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:
    """Returns sums of chosen rows, a sum for each segment."""

def slice(sp_input: Any, start: Any, size: Any, name: str | None = None) -> SparseTensor:
    """Returns a part of a sparse tensor."""

def softmax(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Returns the softmax of the elements that are there, along the last dimension."""

def sparse_dense_matmul(
    sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Any:
    """Returns the product of a sparse and a dense matrix, in either order."""

def split(
    sp_input: Any = None, num_split: Any = None, axis: Any = None, name: str | None = None
) -> list[SparseTensor]:
    """Cuts a sparse tensor into parts along a dimension; the first ones get what does not divide."""

def to_dense(
    sp_input: Any, default_value: Any = None, validate_indices: bool = True, name: str | None = None
) -> Any:
    """Returns a dense tensor with the elements of a sparse one."""

def to_indicator(sp_input: Any, vocab_size: Any, name: str | None = None) -> Any:
    """Returns a boolean tensor that is true where the values of a sparse tensor say."""

def transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> SparseTensor:
    """Returns a sparse tensor with its dimensions in another order."""
