# Computed from the op table by tools/make_stubs.py.

from typing import Any, SupportsIndex

from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor as SparseTensor

def add(a: Any, b: Any, threshold: Any = 0) -> Any:
    """Adds two tensors, at least one of which is sparse."""

def bincount(
    values: Any,
    weights: Any = None,
    axis: SupportsIndex | None = 0,
    minlength: SupportsIndex | None = None,
    maxlength: SupportsIndex | None = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """Counts the occurrences of each integer, as a sparse tensor."""

def concat(
    axis: Any, sp_inputs: Any, expand_nonconcat_dims: bool = False, name: str | None = None
) -> SparseTensor:
    """Concatenates sparse tensors along an axis."""

def cross(inputs: Any, name: str | None = None, separator: Any = None) -> Any:
    """Returns the feature cross of columns as strings."""

def cross_hashed(
    inputs: Any,
    num_buckets: SupportsIndex = 0,
    hash_key: SupportsIndex | None = None,
    name: str | None = None,
) -> Any:
    """Returns the feature cross of columns as hashes."""

def expand_dims(sp_input: Any, axis: Any = None, name: str | None = None) -> SparseTensor:
    """Inserts a dimension of size 1 into a sparse tensor."""

def eye(
    num_rows: Any, num_columns: Any = None, dtype: Any = ..., name: str | None = None
) -> SparseTensor:
    """Creates a sparse identity matrix."""

def fill_empty_rows(
    sp_input: Any, default_value: Any, name: str | None = None
) -> tuple[SparseTensor, Any]:
    """Fills empty rows of a sparse tensor with a default value."""

def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """Converts a dense tensor to a sparse tensor of its nonzero elements."""

def map_values(op: Any, *args: Any, **kwargs: Any) -> SparseTensor:
    """Applies a function to the values of sparse tensors."""

def mask(a: Any, mask_indices: Any, name: str | None = None) -> IndexedSlices:
    """Returns ``IndexedSlices`` without the slices of the given indices."""

def maximum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """Returns the element-wise maximum of two sparse tensors; missing elements are 0."""

def minimum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """Returns the element-wise minimum of two sparse tensors; missing elements are 0."""

def reduce_max(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Computes the maximum of elements over dimensions of a sparse tensor; 0 if there are none."""

def reduce_sum(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Computes the sum of elements over dimensions of a sparse tensor."""

def reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Reorders a sparse tensor to row-major order of its indices."""

def reset_shape(sp_input: Any, new_shape: Any = None) -> SparseTensor:
    """Returns a sparse tensor with the same indices and values and another dense shape."""

def reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """Reshapes a sparse tensor."""

def retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """Returns a sparse tensor with the elements selected by a boolean mask."""

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
    """Returns alpha * mat1 @ mat2 + beta * sparse at the indices of a sparse matrix."""

def segment_mean(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:
    """Computes the mean of gathered rows for each segment."""

def segment_sqrt_n(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:
    """Computes segment sums of gathered rows, divided by the square root of the row count."""

def segment_sum(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:
    """Computes the sum of gathered rows for each segment."""

def slice(sp_input: Any, start: Any, size: Any, name: str | None = None) -> SparseTensor:
    """Slices a sparse tensor."""

def softmax(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Computes the softmax over the last dimension of a sparse tensor, ignoring missing elements."""

def sparse_dense_matmul(
    sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Any:
    """Multiplies a sparse and a dense matrix, in either order."""

def split(
    sp_input: Any = None, num_split: Any = None, axis: Any = None, name: str | None = None
) -> list[SparseTensor]:
    """Splits a sparse tensor into sparse tensors along an axis."""

def to_dense(
    sp_input: Any, default_value: Any = None, validate_indices: bool = True, name: str | None = None
) -> Any:
    """Converts a sparse tensor to a dense tensor."""

def to_indicator(sp_input: Any, vocab_size: Any, name: str | None = None) -> Any:
    """Converts a sparse tensor of ids to a dense boolean indicator tensor."""

def transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> SparseTensor:
    """Transposes a sparse tensor."""
