# Computed from the op table by tools/make_stubs.py.

from builtins import bool as _bool
from builtins import tuple as _tuple
from collections.abc import Callable
from typing import Any, SupportsFloat, SupportsIndex

from twinflow import audio as audio
from twinflow import autodiff as autodiff
from twinflow import autograph as autograph
from twinflow import bitwise as bitwise
from twinflow import compat as compat
from twinflow import config as config
from twinflow import data as data
from twinflow import debugging as debugging
from twinflow import distribute as distribute
from twinflow import dtypes as dtypes
from twinflow import errors as errors
from twinflow import experimental as experimental
from twinflow import graph_util as graph_util
from twinflow import image as image
from twinflow import initializers as initializers
from twinflow import io as io
from twinflow import keras as keras
from twinflow import linalg as linalg
from twinflow import lookup as lookup
from twinflow import losses as losses
from twinflow import math as math
from twinflow import metrics as metrics
from twinflow import nest as nest
from twinflow import nn as nn
from twinflow import optimizers as optimizers
from twinflow import profiler as profiler
from twinflow import quantization as quantization
from twinflow import queue as queue
from twinflow import ragged as ragged
from twinflow import random as random
from twinflow import raw_ops as raw_ops
from twinflow import saved_model as saved_model
from twinflow import sets as sets
from twinflow import signal as signal
from twinflow import sparse as sparse
from twinflow import strings as strings
from twinflow import summary as summary
from twinflow import sysconfig as sysconfig
from twinflow import test as test
from twinflow import tpu as tpu
from twinflow import train as train
from twinflow import types as types
from twinflow import version as version
from twinflow._src.autodiff.custom_gradient import AggregationMethod as AggregationMethod
from twinflow._src.autodiff.reverse import UnconnectedGradients as UnconnectedGradients
from twinflow._src.autodiff.tape import GradientTape as GradientTape
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices as IndexedSlices
from twinflow._src.composite_tensors.indexed_slices import IndexedSlicesSpec as IndexedSlicesSpec
from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor as RaggedTensor
from twinflow._src.composite_tensors.ragged_tensor import RaggedTensorSpec as RaggedTensorSpec
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor as SparseTensor
from twinflow._src.composite_tensors.sparse_tensor import SparseTensorSpec as SparseTensorSpec
from twinflow._src.control_flow.tensor_array import TensorArray as TensorArray
from twinflow._src.control_flow.tensor_array import TensorArraySpec as TensorArraySpec
from twinflow._src.core.devices import DeviceSpecV2 as _DeviceSpec
from twinflow._src.core.dtypes import DType as DType
from twinflow._src.core.scopes import name_scope as name_scope
from twinflow._src.core.shapes import TensorShape as TensorShape
from twinflow._src.core.specs import TensorSpec as TensorSpec
from twinflow._src.core.specs import TypeSpec as TypeSpec
from twinflow._src.core.tensor import Tensor as Tensor
from twinflow._src.graph.graph import Graph as Graph
from twinflow._src.graph.overrides import RegisterGradient as RegisterGradient
from twinflow._src.graph.symbolic import Operation as Operation
from twinflow._src.initializers.plain import Constant as _constant_initializer
from twinflow._src.initializers.plain import Ones as _ones_initializer
from twinflow._src.initializers.plain import RandomNormal as _random_normal_initializer
from twinflow._src.initializers.plain import RandomUniform as _random_uniform_initializer
from twinflow._src.initializers.plain import Zeros as _zeros_initializer
from twinflow._src.ops.array.unique import Unique, UniqueWithCounts
from twinflow._src.trackable.module import Module as Module
from twinflow._src.variables.options import VariableAggregationV2 as _VariableAggregation
from twinflow._src.variables.options import VariableSynchronization as VariableSynchronization
from twinflow._src.variables.variable import BaseResourceVariable as _Variable
from twinflow._src.wings.data.optional import OptionalSpec as OptionalSpec
from twinflow._src.wings.queue.critical import CriticalSection as CriticalSection

DeviceSpec = _DeviceSpec
Variable = _Variable
VariableAggregation = _VariableAggregation
__compiler_version__: str
__git_version__: str
__version__: str
bfloat16: DType
bool: DType
complex128: DType
complex64: DType
constant_initializer = _constant_initializer
double: DType
float16: DType
float32: DType
float64: DType
half: DType
int16: DType
int32: DType
int64: DType
int8: DType
newaxis: None
ones_initializer = _ones_initializer
qint16: DType
qint32: DType
qint8: DType
quint16: DType
quint8: DType
random_normal_initializer = _random_normal_initializer
random_uniform_initializer = _random_uniform_initializer
resource: DType
string: DType
uint16: DType
uint32: DType
uint64: DType
uint8: DType
variant: DType
zeros_initializer = _zeros_initializer

def Assert(
    condition: Any, data: Any, summarize: SupportsIndex | None = None, name: str | None = None
) -> Any:
    """Raises InvalidArgumentError with the given data if a condition is False."""

def abs(x: Any, name: str | None = None) -> Tensor:
    """Returns the absolute value of x, element-wise."""

def acos(x: Any, name: str | None = None) -> Tensor:
    """Returns the inverse cosine of x, element-wise, in radians."""

def acosh(x: Any, name: str | None = None) -> Tensor:
    """Returns the inverse hyperbolic cosine of x, element-wise."""

def add(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x + y element-wise; strings are concatenated."""

def add_n(inputs: Any, name: str | None = None) -> Any:
    """Returns the element-wise sum of tensors of the same shape."""

def approx_top_k(
    input: Any,
    k: SupportsIndex,
    reduction_dimension: SupportsIndex = -1,
    recall_target: SupportsFloat = 0.95,
    is_max_k: _bool = True,
    reduction_input_size_override: SupportsIndex = -1,
    aggregate_to_topk: _bool = True,
    name: str | None = None,
) -> Any:
    """Returns the k largest or smallest elements along an axis."""

def argmax(input: Any, axis: Any = None, output_type: Any = ..., name: str | None = None) -> Any:
    """Returns the index of the maximum along an axis, the first one in case of ties."""

def argmin(input: Any, axis: Any = None, output_type: Any = ..., name: str | None = None) -> Any:
    """Returns the index of the minimum along an axis, the first one in case of ties."""

def argsort(
    values: Any,
    axis: Any = -1,
    direction: str = "ASCENDING",
    stable: _bool = False,
    name: str | None = None,
) -> Any:
    """Returns the indices that sort a tensor along an axis."""

def as_dtype(type_value: Any) -> DType:
    """Converts a value to a DType."""

def as_string(
    input: Any,
    precision: SupportsIndex = -1,
    scientific: _bool = False,
    shortest: _bool = False,
    width: SupportsIndex = -1,
    fill: str = "",
    name: str | None = None,
) -> Tensor:
    """Converts each element of a tensor to a string."""

def as_tensorflow(force: _bool = False) -> Any:
    """Makes ``import tensorflow`` import twinflow, in this process and those that it spawns."""

def asin(x: Any, name: str | None = None) -> Tensor:
    """Returns the inverse sine of x, element-wise, in radians."""

def asinh(x: Any, name: str | None = None) -> Tensor:
    """Returns the inverse hyperbolic sine of x, element-wise."""

def assert_equal(
    x: Any, y: Any, message: Any = None, summarize: Any = None, name: str | None = None
) -> Any:
    """Raises an error unless x == y for all elements."""

def assert_greater(
    x: Any, y: Any, message: Any = None, summarize: Any = None, name: str | None = None
) -> Any:
    """Raises an error unless x > y for all elements."""

def assert_less(
    x: Any, y: Any, message: Any = None, summarize: Any = None, name: str | None = None
) -> Any:
    """Raises an error unless x < y for all elements."""

def assert_rank(x: Any, rank: Any, message: Any = None, name: str | None = None) -> None:
    """Raises ValueError unless a tensor has the given rank."""

def atan(x: Any, name: str | None = None) -> Tensor:
    """Returns the inverse tangent of x, element-wise, in radians."""

def atan2(y: Any, x: Any, name: str | None = None) -> Tensor:
    """Returns the angle of the point (x, y) element-wise, in radians between -pi and pi."""

def atanh(x: Any, name: str | None = None) -> Tensor:
    """Returns the inverse hyperbolic tangent of x, element-wise."""

def batch_to_space(input: Any, block_shape: Any, crops: Any, name: str | None = None) -> Any:
    """Rearranges the batch dimension into blocks of the spatial dimensions."""

def bitcast(input: Any, type: Any, name: str | None = None) -> Any:
    """Reinterprets the bytes of a tensor as another dtype."""

def boolean_mask(tensor: Any, mask: Any, axis: Any = None, name: str = "boolean_mask") -> Any:
    """Returns the elements of a tensor at the positions where a boolean mask is True."""

def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Any:
    """Returns the broadcast shape of two shapes, as a tensor."""

def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """Returns the broadcast shape of two static shapes."""

def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """Broadcasts a tensor to a compatible shape."""

def case(
    pred_fn_pairs: Any,
    default: Any = None,
    exclusive: _bool = False,
    strict: _bool = False,
    name: str = "case",
) -> Any:
    """Calls the function of the first predicate that is True and returns its result."""

def cast(x: Any, dtype: Any, name: str | None = None) -> Any:
    """Casts a tensor to another dtype."""

def clip_by_global_norm(
    t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> _tuple[list[Any], Any]:
    """Scales tensors down by the ratio of ``clip_norm`` to their global L2 norm."""

def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Any:
    """Scales a tensor down so that its L2 norm is at most ``clip_norm``."""

def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Any:
    """Clips the values of a tensor to a range."""

def complex(real: Any, imag: Any, name: str | None = None) -> Any:
    """Converts a real and an imaginary part to a complex tensor."""

def concat(values: Any, axis: Any, name: str = "concat") -> Any:
    """Concatenates tensors along one axis."""

def cond(pred: Any, true_fn: Any = None, false_fn: Any = None, name: str | None = None) -> Any:
    """Calls one of two functions, depending on a boolean scalar, and returns its result."""

def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> Tensor:
    """Creates a constant tensor."""

def control_dependencies(control_inputs: Any) -> Any:
    """Returns a context manager in which new operations run after the given ones."""

def convert_to_tensor(
    value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None
) -> Tensor:
    """Converts a value to a tensor; tensors are returned as they are."""

def cos(x: Any, name: str | None = None) -> Tensor:
    """Returns the cosine of x, element-wise."""

def cosh(x: Any, name: str | None = None) -> Tensor:
    """Returns the hyperbolic cosine of x, element-wise."""

def cumsum(
    x: Any, axis: Any = 0, exclusive: _bool = False, reverse: _bool = False, name: str | None = None
) -> Tensor:
    """Computes the cumulative sum along an axis."""

def custom_gradient(f: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """Decorates a function that defines its own gradient."""

def device(device_name: Any) -> Any:
    """Returns a context manager that places operations on a device."""

def divide(x: Any, y: Any, name: str | None = None) -> Any:
    """Returns x / y element-wise, by Python 3 division; integers are cast to float."""

def dynamic_partition(
    data: Any, partitions: Any, num_partitions: SupportsIndex, name: str | None = None
) -> Any:
    """Partitions the elements or slices of a tensor into several tensors by partition index."""

def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Tensor:
    """Interleaves slices of several tensors into one; for duplicate indices the last slice wins."""

def edit_distance(
    hypothesis: Any, truth: Any, normalize: _bool = True, name: str | None = "edit_distance"
) -> Any:
    """Computes the Levenshtein distance between sequences."""

def eig(tensor: Any, name: str | None = None) -> Any:
    """Computes eigenvalues and eigenvectors of matrices."""

def eigvals(tensor: Any, name: str | None = None) -> Any:
    """Computes eigenvalues of matrices."""

def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Any:
    """Contracts tensors by an Einstein summation equation."""

def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Any:
    """Checks that a tensor has the given shape, and returns it."""

def equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns True where x == y, element-wise."""

def executing_eagerly() -> _bool:
    """Returns True in eager execution, False inside a graph."""

def exp(x: Any, name: str | None = None) -> Tensor:
    """Returns the exponential of x, element-wise."""

def expand_dims(input: Any, axis: Any, name: str | None = None) -> Tensor:
    """Inserts an axis of size 1."""

def extract_volume_patches(
    input: Any, ksizes: Any, strides: Any, padding: str, name: str | None = None
) -> Any:
    """Extracts the patches of volumes under a sliding window."""

def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Any = None,
    dtype: Any = ...,
    name: str | None = None,
) -> Any:
    """Returns an identity matrix, or a batch of them."""

def fftnd(
    input_tensor: Any,
    fft_length: Any = None,
    axes: Any = None,
    norm: Any = None,
    name: str | None = None,
) -> Any:
    """Computes the N-dimensional discrete Fourier transform over any axes."""

def fill(dims: Any, value: Any, name: str | None = None, layout: Any = None) -> Any:
    """Returns a tensor filled with one scalar value."""

def fingerprint(data: Any, method: str = "farmhash64", name: str | None = None) -> Any:
    """Computes the fingerprint of each slice of a tensor along its first dimension."""

def floor(x: Any, name: str | None = None) -> Tensor:
    """Returns the largest integer not greater than x, element-wise."""

def foldl(
    fn: Any,
    elems: Any,
    initializer: Any = None,
    parallel_iterations: SupportsIndex = 10,
    back_prop: _bool = True,
    swap_memory: _bool = False,
    name: str | None = None,
) -> Any:
    """Folds the slices along the first axis into one value, from first to last."""

def foldr(
    fn: Any,
    elems: Any,
    initializer: Any = None,
    parallel_iterations: SupportsIndex = 10,
    back_prop: _bool = True,
    swap_memory: _bool = False,
    name: str | None = None,
) -> Any:
    """Folds the slices along the first axis into one value, from last to first."""

def function(
    func: Any = None,
    input_signature: Any = None,
    autograph: _bool = True,
    jit_compile: _bool | None = None,
    reduce_retracing: _bool = False,
    experimental_implements: str | None = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: _bool | None = None,
    experimental_compile: _bool | None = None,
    experimental_follow_type_hints: _bool | None = None,
) -> Any:
    """Creates a function that is traced to a graph and executed from it."""

def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: SupportsIndex = 0,
    name: str | None = None,
) -> Any:
    """Gathers slices of a tensor along an axis by index."""

def gather_nd(
    params: Any,
    indices: Any,
    batch_dims: SupportsIndex = 0,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Any:
    """Gathers elements or slices of a tensor by index vectors."""

def get_current_name_scope() -> str:
    """Returns the path of the current name scope."""

def get_logger() -> Any:
    """Returns TensorFlow's logger."""

def get_static_value(tensor: Any, partial: _bool = False) -> Any:
    """Returns the value of a tensor if it is known statically, else None."""

def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a function so that its gradient is the identity."""

def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    gate_gradients: _bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = ...,
) -> list[Any]:
    """Returns the symbolic derivatives of the sum of ``ys`` with respect to ``xs``."""

def greater(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns True where x > y, element-wise."""

def greater_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns True where x >= y, element-wise."""

def group(*inputs: Any, **kwargs: Any) -> Any:
    """Returns an operation that runs after all of its inputs; does nothing in eager mode."""

def guarantee_const(input: Any, name: str | None = None) -> Tensor:
    """Returns the input; marks it as a value that never changes."""

def hessians(
    ys: Any,
    xs: Any,
    gate_gradients: _bool = False,
    aggregation_method: Any = None,
    name: str = "hessians",
) -> list[Any]:
    """Returns the second derivatives of the sum of ``ys`` with respect to ``xs``."""

def histogram_fixed_width(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = ..., name: str | None = None
) -> Any:
    """Computes a histogram of values with equal-width bins."""

def histogram_fixed_width_bins(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = ..., name: str | None = None
) -> Any:
    """Computes the bin index of each value, for equal-width bins."""

def identity(input: Any, name: str | None = None) -> Tensor:
    """Returns a tensor with the same value."""

def identity_n(input: Any, name: str | None = None) -> list[Any]:
    """Returns a list of tensors with the same values as the input tensors."""

def ifftnd(
    input_tensor: Any,
    fft_length: Any = None,
    axes: Any = None,
    norm: Any = None,
    name: str | None = None,
) -> Any:
    """Computes the inverse N-dimensional discrete Fourier transform over any axes."""

def import_graph_def(
    graph_def: Any,
    input_map: Any = None,
    return_elements: Any = None,
    name: str | None = None,
    producer_op_list: Any = None,
) -> Any:
    """Adds the operations of a ``GraphDef`` to the current graph."""

def init_scope() -> Any:
    """Returns a context manager that lifts operations out of the functions being traced."""

def inside_function() -> _bool:
    """Returns True while a function is being traced."""

def irfftnd(
    input_tensor: Any,
    fft_length: Any = None,
    axes: Any = None,
    norm: Any = None,
    name: str | None = None,
) -> Any:
    """Computes the inverse N-dimensional FFT to a real tensor over any axes."""

def is_symbolic_tensor(tensor: Any) -> _bool:
    """Returns True if a value is a symbolic tensor of a graph."""

def is_tensor(x: Any) -> _bool:
    """True if a value is a tensor, or of a class of a library that counts as one."""

def less(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns True where x < y, element-wise."""

def less_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns True where x <= y, element-wise."""

def linspace(
    start: Any, stop: Any, num: Any, name: str | None = None, axis: SupportsIndex = 0
) -> Any:
    """Returns evenly spaced values from ``start`` to ``stop``, both included."""

def logical_and(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns the logical AND of x and y, element-wise."""

def logical_not(x: Any, name: str | None = None) -> Tensor:
    """Returns the logical NOT of x, element-wise."""

def logical_or(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns the logical OR of x and y, element-wise."""

def make_ndarray(tensor: Any) -> Any:
    """Returns the NumPy array of a ``TensorProto``."""

def make_tensor_proto(
    values: Any,
    dtype: Any = None,
    shape: Any = None,
    verify_shape: _bool = False,
    allow_broadcast: _bool = False,
) -> Any:
    """Returns the ``TensorProto`` of values."""

def map_fn(
    fn: Any,
    elems: Any,
    dtype: Any = None,
    parallel_iterations: Any = None,
    back_prop: _bool = True,
    swap_memory: _bool = False,
    infer_shape: _bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """Applies a function to each slice along the first axis and stacks the results."""

def matmul(
    a: Any,
    b: Any,
    transpose_a: _bool = False,
    transpose_b: _bool = False,
    adjoint_a: _bool = False,
    adjoint_b: _bool = False,
    a_is_sparse: _bool = False,
    b_is_sparse: _bool = False,
    output_type: Any = None,
    grad_a: _bool = False,
    grad_b: _bool = False,
    name: str | None = None,
) -> Any:
    """Multiplies the matrices in the last two dimensions: ``a @ b``."""

def matrix_square_root(input: Any, name: str | None = None) -> Tensor:
    """Computes the principal square roots of square matrices."""

def maximum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns the maximum of x and y element-wise; NaN if either is NaN."""

def meshgrid(*args: Any, indexing: str = "xy", name: str = "meshgrid", **unknown: Any) -> Any:
    """Returns coordinate matrices from coordinate vectors: one grid tensor per vector."""

def minimum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns the minimum of x and y element-wise; NaN if either is NaN."""

def multiply(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x * y element-wise."""

def negative(x: Any, name: str | None = None) -> Tensor:
    """Returns -x element-wise."""

def no_gradient(op_type: str) -> None:
    """Marks an operation type as not differentiable."""

def no_op(name: str | None = None) -> Any:
    """Returns an operation that does nothing; in eager mode None."""

def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: _bool | None = None,
    name: str | None = None,
) -> Any:
    """Computes norms of vectors or matrices."""

def not_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns True where x != y, element-wise."""

def numpy_function(
    func: Any = None,
    inp: Any = None,
    Tout: Any = None,
    stateful: _bool = True,
    name: str | None = None,
) -> Any:
    """Calls a Python function with NumPy arrays, as an op."""

def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: SupportsIndex | None = None,
    dtype: Any = None,
    name: str | None = None,
) -> Any:
    """Returns a one-hot tensor with a new axis of size ``depth``."""

def ones(shape: Any, dtype: Any = ..., name: str | None = None, layout: Any = None) -> Any:
    """Returns a tensor of ones (True for bool)."""

def ones_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Any:
    """Returns a tensor of ones with the shape and, by default, the dtype of another tensor."""

def pad(
    tensor: Any,
    paddings: Any,
    mode: str = "CONSTANT",
    constant_values: Any = 0,
    name: str | None = None,
) -> Any:
    """Pads a tensor with a constant or with mirrored elements."""

def parallel_stack(values: Any, name: str | None = "parallel_stack") -> Any:
    """Stacks tensors along a new first axis; only inside a graph."""

def pow(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x raised to the power of y, element-wise."""

def print(*inputs: Any, **kwargs: Any) -> None:
    """Prints values, tensors with their elements."""

def py_function(
    func: Any = None, inp: Any = None, Tout: Any = None, name: str | None = None
) -> Any:
    """Calls a Python function with tensors, as an op."""

def ragged_fill_empty_rows(
    value_rowids: Any, values: Any, nrows: Any, default_value: Any, name: str | None = None
) -> Any:
    """Fills empty rows of a ragged tensor with a default value."""

def ragged_fill_empty_rows_grad(
    reverse_index_map: Any, grad_values: Any, name: str | None = None
) -> Any:
    """Computes the gradients of ``tf.ragged_fill_empty_rows``."""

def random_index_shuffle(
    index: Any, seed: Any, max_index: Any, rounds: SupportsIndex = 4, name: str | None = None
) -> Tensor:
    """Returns the positions of indices in a pseudorandom permutation of 0 to ``max_index``."""

def range(
    start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range"
) -> Any:
    """Returns the sequence from ``start`` (included) to ``limit`` (excluded) in steps of ``delta``."""

def rank(input: Any, name: str | None = None) -> Any:
    """Returns the number of dimensions of a tensor."""

def realdiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x / y element-wise, for floating-point and complex tensors."""

def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a function so that the backward pass recomputes its activations."""

def reduce_all(
    input_tensor: Any, axis: Any = None, keepdims: _bool = False, name: str | None = None
) -> Tensor:
    """Computes the logical AND of elements along axes."""

def reduce_any(
    input_tensor: Any, axis: Any = None, keepdims: _bool = False, name: str | None = None
) -> Tensor:
    """Computes the logical OR of elements along axes."""

def reduce_logsumexp(
    input_tensor: Any, axis: Any = None, keepdims: _bool = False, name: str | None = None
) -> Any:
    """Computes ``log(sum(exp(x)))`` along axes, without overflow."""

def reduce_max(
    input_tensor: Any, axis: Any = None, keepdims: _bool = False, name: str | None = None
) -> Tensor:
    """Computes the maximum of elements along axes; NaN if one is NaN."""

def reduce_mean(
    input_tensor: Any, axis: Any = None, keepdims: _bool = False, name: str | None = None
) -> Tensor:
    """Computes the mean of elements along axes."""

def reduce_min(
    input_tensor: Any, axis: Any = None, keepdims: _bool = False, name: str | None = None
) -> Tensor:
    """Computes the minimum of elements along axes; NaN if one is NaN."""

def reduce_prod(
    input_tensor: Any, axis: Any = None, keepdims: _bool = False, name: str | None = None
) -> Tensor:
    """Computes the product of elements along axes."""

def reduce_sum(
    input_tensor: Any, axis: Any = None, keepdims: _bool = False, name: str | None = None
) -> Tensor:
    """Computes the sum of elements along axes."""

def register_tensor_conversion_function(
    base_type: Any, conversion_func: Callable[..., Any], priority: SupportsIndex = 100
) -> None:
    """Registers a conversion function for objects of a class."""

def repeat(
    input: Any, repeats: Any, axis: SupportsIndex | None = None, name: str | None = None
) -> Any:
    """Repeats the elements of a tensor along an axis."""

def required_space_to_batch_paddings(
    input_shape: Any, block_shape: Any, base_paddings: Any = None, name: str | None = None
) -> Any:
    """Returns paddings that make sizes divisible by a block shape, and the crops that undo them."""

def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """Returns a tensor with the same elements in another shape."""

def reverse(tensor: Any, axis: Any, name: str | None = None) -> Tensor:
    """Reverses the order of the elements along axes."""

def reverse_sequence(
    input: Any,
    seq_lengths: Any,
    seq_axis: Any = None,
    batch_axis: Any = None,
    name: str | None = None,
) -> Any:
    """Reverses the first ``seq_lengths[i]`` elements of each row along an axis."""

def rfftnd(
    input_tensor: Any,
    fft_length: Any = None,
    axes: Any = None,
    norm: Any = None,
    name: str | None = None,
) -> Any:
    """Computes the N-dimensional FFT of a real tensor; the last axis has length n / 2 + 1."""

def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Tensor:
    """Rolls a tensor's elements along axes; elements shifted past the end wrap around."""

def round(x: Any, name: str | None = None) -> Tensor:
    """Rounds x to the nearest integer, element-wise; halves round to even."""

def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Any:
    """Casts a tensor to another dtype, clipping values to the range of that dtype."""

def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """Multiplies a tensor by a scalar."""

def scan(
    fn: Any,
    elems: Any,
    initializer: Any = None,
    parallel_iterations: SupportsIndex = 10,
    back_prop: _bool = True,
    swap_memory: _bool = False,
    infer_shape: _bool = True,
    reverse: _bool = False,
    name: str | None = None,
) -> Any:
    """Folds the slices along the first axis and stacks the intermediate accumulators."""

def scatter_nd(
    indices: Any, updates: Any, shape: Any, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """Scatters updates into a tensor of zeros by index vectors; duplicates are summed."""

def searchsorted(
    sorted_sequence: Any,
    values: Any,
    side: str = "left",
    out_type: Any = ...,
    name: str | None = None,
) -> Any:
    """Returns the insertion indices of values in sorted rows."""

def sequence_mask(
    lengths: Any, maxlen: Any = None, dtype: Any = ..., name: str | None = None
) -> Any:
    """Returns a mask whose first ``lengths`` elements of each row are True."""

def shape(input: Any, out_type: Any = None, name: str | None = None) -> Any:
    """Returns the shape of a tensor as a tensor."""

def shape_n(input: Any, out_type: Any = ..., name: str | None = None) -> list[Any]:
    """Returns the shapes of several tensors."""

def sigmoid(x: Any, name: str | None = None) -> Tensor:
    """Computes the sigmoid element-wise: ``1 / (1 + exp(-x))``, without overflow."""

def sign(x: Any, name: str | None = None) -> Tensor:
    """Returns the sign of x (-1, 0 or 1), element-wise; x / |x| for complex numbers."""

def sin(x: Any, name: str | None = None) -> Tensor:
    """Returns the sine of x, element-wise."""

def sinh(x: Any, name: str | None = None) -> Tensor:
    """Returns the hyperbolic sine of x, element-wise."""

def size(input: Any, out_type: Any = None, name: str | None = None) -> Any:
    """Returns the number of elements of a tensor."""

def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """Extracts a contiguous slice of a tensor."""

def sort(values: Any, axis: Any = -1, direction: str = "ASCENDING", name: str | None = None) -> Any:
    """Sorts the elements of a tensor along an axis."""

def space_to_batch(input: Any, block_shape: Any, paddings: Any, name: str | None = None) -> Any:
    """Rearranges blocks of the spatial dimensions into the batch dimension."""

def space_to_batch_nd(
    input: Any, block_shape: Any, paddings: Any, name: str | None = None
) -> Tensor:
    """Rearranges blocks of the spatial dimensions into the batch dimension."""

def split(
    value: Any,
    num_or_size_splits: Any,
    axis: Any = 0,
    num: SupportsIndex | None = None,
    name: str = "split",
) -> Any:
    """Splits a tensor into consecutive parts along one axis."""

def sqrt(x: Any, name: str | None = None) -> Tensor:
    """Returns the square root of x, element-wise."""

def square(x: Any, name: str | None = None) -> Tensor:
    """Returns the square of x, element-wise."""

def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Removes axes of size 1."""

def stack(values: Any, axis: SupportsIndex = 0, name: str = "stack") -> Any:
    """Stacks tensors of the same shape along a new axis."""

def stop_gradient(input: Any, name: str | None = None) -> Any:
    """Returns the input unchanged, and stops gradients from flowing through it."""

def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: SupportsIndex = 0,
    end_mask: SupportsIndex = 0,
    ellipsis_mask: SupportsIndex = 0,
    new_axis_mask: SupportsIndex = 0,
    shrink_axis_mask: SupportsIndex = 0,
    var: Any = None,
    name: str | None = None,
) -> Any:
    """Extracts a strided slice of a tensor; ``x[...]`` is the usual form."""

def subtract(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x - y element-wise."""

def switch_case(
    branch_index: Any, branch_fns: Any, default: Any = None, name: str = "switch_case"
) -> Any:
    """Calls the branch function with the given index and returns its result."""

def tan(x: Any, name: str | None = None) -> Tensor:
    """Returns the tangent of x, element-wise."""

def tanh(x: Any, name: str | None = None) -> Tensor:
    """Returns the hyperbolic tangent of x, element-wise."""

def tensor_scatter_nd_add(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """Adds sparse updates to a copy of a tensor."""

def tensor_scatter_nd_max(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """Takes the element-wise maximum of a tensor and sparse updates."""

def tensor_scatter_nd_min(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """Takes the element-wise minimum of a tensor and sparse updates."""

def tensor_scatter_nd_sub(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """Subtracts sparse updates from a copy of a tensor."""

def tensor_scatter_nd_update(
    tensor: Any, indices: Any, updates: Any, name: str | None = None
) -> Tensor:
    """Scatters updates into a copy of a tensor; for duplicate indices the last update wins."""

def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Any:
    """Contracts two tensors along pairs of axes."""

def tile(input: Any, multiples: Any, name: str | None = None) -> Tensor:
    """Repeats a tensor along each axis."""

def timestamp(name: str | None = None) -> Any:
    """Returns the time in seconds since the Unix epoch."""

def transpose(a: Any, perm: Any = None, conjugate: _bool = False, name: str = "transpose") -> Any:
    """Permutes the axes of a tensor."""

def truediv(x: Any, y: Any, name: str | None = None) -> Any:
    """Returns x / y element-wise, by Python 3 division; integers are cast to float. Dtype of x."""

def truncatediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x / y rounded towards zero, element-wise."""

def truncatemod(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns the remainder of truncated division, element-wise; it has the sign of x."""

def tuple(tensors: Any, control_inputs: Any = None, name: str | None = None) -> Any:
    """Returns tensors that are available only after all of them have been computed."""

def type_spec_from_value(value: Any) -> Any:
    """Returns the TypeSpec of a tensor, composite tensor, or a value convertible to a tensor."""

def unique(x: Any, out_idx: Any = ..., name: str | None = None) -> Unique:
    """Returns the unique elements of a vector, and each element's index among them."""

def unique_with_counts(x: Any, out_idx: Any = ..., name: str | None = None) -> UniqueWithCounts:
    """Returns the unique elements of a vector, each element's index among them, and the counts."""

def unravel_index(indices: Any, dims: Any, name: str | None = None) -> Tensor:
    """Converts flat indices into index vectors for an array of the given shape."""

def unstack(
    value: Any, num: SupportsIndex | None = None, axis: SupportsIndex = 0, name: str = "unstack"
) -> Any:
    """Unstacks a tensor into its slices along an axis."""

def variable_creator_scope(variable_creator: Any) -> Any:
    """Returns a context manager in which a function creates the variables of the current graph."""

def vectorized_map(
    fn: Any, elems: Any, fallback_to_while_loop: _bool = True, warn: _bool = True
) -> Any:
    """Applies a function to each slice along the first axis and stacks the results."""

def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """Selects elements of x where the condition is True, else of y; without both, the True indices."""

def while_loop(
    cond: Any,
    body: Any,
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: SupportsIndex = 10,
    back_prop: _bool = True,
    swap_memory: _bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """Repeats ``body`` on the loop variables while ``cond`` returns True."""

def zeros(shape: Any, dtype: Any = ..., name: str | None = None, layout: Any = None) -> Any:
    """Returns a tensor of zeros (empty strings or False for string and bool dtypes)."""

def zeros_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Any:
    """Returns a tensor of zeros with the shape and, by default, the dtype of another tensor."""
