# Computed from the op table by tools/make_stubs.py.

from builtins import bool as _bool
from builtins import tuple as _tuple
from collections.abc import Callable
from typing import Any, SupportsFloat, SupportsIndex

from twinflow import autodiff as autodiff
from twinflow import autograph as autograph
from twinflow import bitwise as bitwise
from twinflow import compat as compat
from twinflow import config as config
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
from twinflow import quantization as quantization
from twinflow import queue as queue
from twinflow import ragged as ragged
from twinflow import random as random
from twinflow import raw_ops as raw_ops
from twinflow import sets as sets
from twinflow import signal as signal
from twinflow import sparse as sparse
from twinflow import strings as strings
from twinflow import sysconfig as sysconfig
from twinflow import test as test
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
from twinflow._src.core.device_spec import DeviceSpecV2 as _DeviceSpec
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
    """Raises an error that shows tensors where a condition does not hold."""

def abs(x: Any, name: str | None = None) -> Tensor:
    """Returns the absolute values of numbers."""

def acos(x: Any, name: str | None = None) -> Tensor:
    """Returns the angle whose cosine is x."""

def acosh(x: Any, name: str | None = None) -> Tensor:
    """Returns the number whose hyperbolic cosine is x."""

def add(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x + y element-wise; strings are joined."""

def add_n(inputs: Any, name: str | None = None) -> Any:
    """Returns the sum of tensors of one shape."""

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
    """Returns the largest or smallest elements along a dimension."""

def argmax(input: Any, axis: Any = None, output_type: Any = ..., name: str | None = None) -> Any:
    """Returns the index of the largest element along a dimension; of several, the first."""

def argmin(input: Any, axis: Any = None, output_type: Any = ..., name: str | None = None) -> Any:
    """Returns the index of the smallest element along a dimension; of several, the first."""

def argsort(
    values: Any,
    axis: Any = -1,
    direction: str = "ASCENDING",
    stable: _bool = False,
    name: str | None = None,
) -> Any:
    """Returns the indices that sort a tensor along a dimension."""

def as_dtype(type_value: Any) -> DType:
    """The type that a value names."""

def as_string(
    input: Any,
    precision: SupportsIndex = -1,
    scientific: _bool = False,
    shortest: _bool = False,
    width: SupportsIndex = -1,
    fill: str = "",
    name: str | None = None,
) -> Tensor:
    """Returns numbers as text."""

def asin(x: Any, name: str | None = None) -> Tensor:
    """Returns the angle whose sine is x."""

def asinh(x: Any, name: str | None = None) -> Tensor:
    """Returns the number whose hyperbolic sine is x."""

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
    """Raises an error unless a tensor has a rank."""

def atan(x: Any, name: str | None = None) -> Tensor:
    """Returns the angle whose tangent is x."""

def atan2(y: Any, x: Any, name: str | None = None) -> Tensor:
    """Returns the angle of the point (x, y), between -pi and pi."""

def atanh(x: Any, name: str | None = None) -> Tensor:
    """Returns the number whose hyperbolic tangent is x."""

def batch_to_space(input: Any, block_shape: Any, crops: Any, name: str | None = None) -> Any:
    """Returns a tensor with parts of the batch moved into blocks of space."""

def bitcast(input: Any, type: Any, name: str | None = None) -> Any:
    """Returns the same bytes as elements of another type."""

def boolean_mask(tensor: Any, mask: Any, axis: Any = None, name: str = "boolean_mask") -> Any:
    """Returns the elements of a tensor where a mask is true."""

def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Any:
    """Returns the shape that two shapes broadcast to, as a tensor."""

def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """The shape that two static shapes broadcast to."""

def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """Returns a tensor repeated to a larger shape by the rules of broadcasting."""

def case(
    pred_fn_pairs: Any,
    default: Any = None,
    exclusive: _bool = False,
    strict: _bool = False,
    name: str = "case",
) -> Any:
    """Returns what the function of the first condition that holds gives."""

def cast(x: Any, dtype: Any, name: str | None = None) -> Any:
    """Returns a tensor's values in another type."""

def clip_by_global_norm(
    t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> _tuple[list[Any], Any]:
    """Returns tensors scaled down to a common Euclidean norm, and the norm that they had."""

def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Any:
    """Returns a tensor scaled down to a Euclidean norm, where its own is larger."""

def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Any:
    """Returns a tensor with its values limited to an interval."""

def complex(real: Any, imag: Any, name: str | None = None) -> Any:
    """Returns complex numbers with the given parts."""

def concat(values: Any, axis: Any, name: str = "concat") -> Any:
    """Returns tensors joined along a dimension."""

def cond(pred: Any, true_fn: Any = None, false_fn: Any = None, name: str | None = None) -> Any:
    """Returns what one of two functions gives."""

def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> Tensor:
    """Makes a tensor of a value."""

def control_dependencies(control_inputs: Any) -> Any:
    """A block whose operations run after others; in the order of the program anyway."""

def convert_to_tensor(
    value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None
) -> Tensor:
    """Makes a tensor of a value, or gives the value itself where it is a tensor."""

def cos(x: Any, name: str | None = None) -> Tensor:
    """Returns the cosine of x."""

def cosh(x: Any, name: str | None = None) -> Tensor:
    """Returns the hyperbolic cosine of x."""

def cumsum(
    x: Any, axis: Any = 0, exclusive: _bool = False, reverse: _bool = False, name: str | None = None
) -> Tensor:
    """Returns running sums along a dimension."""

def custom_gradient(f: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """Decorates a function that gives its result and its gradient."""

def device(device_name: Any) -> Any:
    """A block in which operations run on a device."""

def divide(x: Any, y: Any, name: str | None = None) -> Any:
    """Returns x / y element-wise; integers divide as Python's do. A tensor sets the type."""

def dynamic_partition(
    data: Any, partitions: Any, num_partitions: SupportsIndex, name: str | None = None
) -> Any:
    """Returns elements or slices of a tensor sorted into several tensors."""

def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Tensor:
    """Returns slices of several tensors put together; of several for one place the last stays."""

def edit_distance(
    hypothesis: Any, truth: Any, normalize: _bool = True, name: str | None = "edit_distance"
) -> Any:
    """Returns how many changes turn sequences into others."""

def eig(tensor: Any, name: str | None = None) -> Any:
    """Returns eigenvalues and eigenvectors of matrices."""

def eigvals(tensor: Any, name: str | None = None) -> Any:
    """Returns eigenvalues of matrices."""

def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Any:
    """Returns the sums of products that an equation of labels describes."""

def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Any:
    """Returns a tensor that has a given shape."""

def equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns whether x == y element-wise."""

def executing_eagerly() -> _bool:
    """Whether operations run at once."""

def exp(x: Any, name: str | None = None) -> Tensor:
    """Returns e to the power of x."""

def expand_dims(input: Any, axis: Any, name: str | None = None) -> Tensor:
    """Returns a tensor with a dimension of size 1 more."""

def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Any = None,
    dtype: Any = ...,
    name: str | None = None,
) -> Any:
    """Returns identity matrices."""

def fftnd(
    input_tensor: Any,
    fft_length: Any = None,
    axes: Any = None,
    norm: Any = None,
    name: str | None = None,
) -> Any:
    """Returns the Fourier transform over any dimensions."""

def fill(dims: Any, value: Any, name: str | None = None, layout: Any = None) -> Any:
    """Returns a tensor of one value."""

def fingerprint(data: Any, method: str = "farmhash64", name: str | None = None) -> Any:
    """Returns fingerprints of the slices of a tensor along its first dimension."""

def floor(x: Any, name: str | None = None) -> Tensor:
    """Returns the largest whole numbers not above x."""

def foldl(
    fn: Any,
    elems: Any,
    initializer: Any = None,
    parallel_iterations: SupportsIndex = 10,
    back_prop: _bool = True,
    swap_memory: _bool = False,
    name: str | None = None,
) -> Any:
    """Combines the slices along the first dimension from the first to the last."""

def foldr(
    fn: Any,
    elems: Any,
    initializer: Any = None,
    parallel_iterations: SupportsIndex = 10,
    back_prop: _bool = True,
    swap_memory: _bool = False,
    name: str | None = None,
) -> Any:
    """Combines the slices along the first dimension from the last to the first."""

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
    """Makes a function that is traced into a graph and run from there."""

def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: SupportsIndex = 0,
    name: str | None = None,
) -> Any:
    """Returns slices of a tensor along a dimension, picked by index."""

def gather_nd(
    params: Any,
    indices: Any,
    batch_dims: SupportsIndex = 0,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Any:
    """Returns elements or slices of a tensor, picked by index vectors."""

def get_current_name_scope() -> str:
    """The path of the ``tf.name_scope`` blocks around, without a slash at its end."""

def get_logger() -> Any:
    """The logger of TensorFlow's messages, which writes to standard error unless the program logs itself."""

def get_static_value(tensor: Any, partial: _bool = False) -> Any:
    """The value of a tensor where it is known without running anything."""

def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function whose gradient is that of the identity."""

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
    """Returns the derivatives of the sum of some tensors of a graph by others."""

def greater(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns whether x > y element-wise."""

def greater_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns whether x >= y element-wise."""

def group(*inputs: Any, **kwargs: Any) -> Any:
    """Waits for operations; they have run already when values are computed at once."""

def guarantee_const(input: Any, name: str | None = None) -> Tensor:
    """Returns a tensor of which the program promises that it never changes."""

def hessians(
    ys: Any,
    xs: Any,
    gate_gradients: _bool = False,
    aggregation_method: Any = None,
    name: str = "hessians",
) -> list[Any]:
    """Returns the second derivatives of the sum of some tensors of a graph."""

def histogram_fixed_width(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = ..., name: str | None = None
) -> Any:
    """Returns how many values lie in each of several equal parts of an interval."""

def histogram_fixed_width_bins(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = ..., name: str | None = None
) -> Any:
    """Returns in which of several equal parts of an interval values lie."""

def identity(input: Any, name: str | None = None) -> Tensor:
    """Returns a tensor of the same value."""

def identity_n(input: Any, name: str | None = None) -> list[Any]:
    """Returns tensors with the values of others."""

def ifftnd(
    input_tensor: Any,
    fft_length: Any = None,
    axes: Any = None,
    norm: Any = None,
    name: str | None = None,
) -> Any:
    """Returns the inverse Fourier transform over any dimensions."""

def import_graph_def(
    graph_def: Any,
    input_map: Any = None,
    return_elements: Any = None,
    name: str | None = None,
    producer_op_list: Any = None,
) -> Any:
    """Adds the operations of a ``GraphDef`` to the graph that surrounds."""

def init_scope() -> Any:
    """A block that is not part of the functions that are being traced around it."""

def inside_function() -> _bool:
    """Whether a function is being traced."""

def irfftnd(
    input_tensor: Any,
    fft_length: Any = None,
    axes: Any = None,
    norm: Any = None,
    name: str | None = None,
) -> Any:
    """Returns the real numbers of which any dimensions are the Fourier transform."""

def is_symbolic_tensor(tensor: Any) -> _bool:
    """Whether a value is a tensor of a graph, which has no value yet."""

def is_tensor(x: Any) -> _bool:
    """Whether a value is a tensor or can stand for one without conversion (a variable)."""

def less(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns whether x < y element-wise."""

def less_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns whether x <= y element-wise."""

def linspace(
    start: Any, stop: Any, num: Any, name: str | None = None, axis: SupportsIndex = 0
) -> Any:
    """Returns evenly spaced numbers from start to stop, both included."""

def logical_and(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns whether both x and y are true element-wise."""

def logical_not(x: Any, name: str | None = None) -> Tensor:
    """Returns whether x is false element-wise."""

def logical_or(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns whether x or y is true element-wise."""

def make_ndarray(tensor: Any) -> Any:
    """The NumPy array that a protocol buffer ``TensorProto`` holds."""

def make_tensor_proto(
    values: Any,
    dtype: Any = None,
    shape: Any = None,
    verify_shape: _bool = False,
    allow_broadcast: _bool = False,
) -> Any:
    """The protocol buffer ``TensorProto`` of values."""

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
    """Calls a function on each slice along the first dimension and stacks what it gives."""

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
    """Returns the product of matrices in the last two dimensions."""

def matrix_square_root(input: Any, name: str | None = None) -> Tensor:
    """Returns the principal square roots of matrices."""

def maximum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns the larger of x and y element-wise; NaN where either is."""

def meshgrid(*args: Any, indexing: str = "xy", name: str = "meshgrid", **unknown: Any) -> Any:
    """Returns vectors repeated to a grid: one tensor for each vector."""

def minimum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns the smaller of x and y element-wise; NaN where either is."""

def multiply(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x * y element-wise."""

def negative(x: Any, name: str | None = None) -> Tensor:
    """Returns -x element-wise."""

def no_gradient(op_type: str) -> None:
    """Tells that no gradient flows through a kind of operation."""

def no_op(name: str | None = None) -> Any:
    """Does nothing."""

def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: _bool | None = None,
    name: str | None = None,
) -> Any:
    """Returns norms of vectors or matrices."""

def not_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns whether x != y element-wise."""

def numpy_function(
    func: Any = None,
    inp: Any = None,
    Tout: Any = None,
    stateful: _bool = True,
    name: str | None = None,
) -> Any:
    """Calls a Python function with NumPy arrays."""

def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: SupportsIndex | None = None,
    dtype: Any = None,
    name: str | None = None,
) -> Any:
    """Returns a new dimension that holds one value at an index and another one elsewhere."""

def ones(shape: Any, dtype: Any = ..., name: str | None = None, layout: Any = None) -> Any:
    """Returns a tensor of ones (True)."""

def ones_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Any:
    """Returns ones of a tensor's shape."""

def pad(
    tensor: Any,
    paddings: Any,
    mode: str = "CONSTANT",
    constant_values: Any = 0,
    name: str | None = None,
) -> Any:
    """Returns a tensor with elements around it."""

def parallel_stack(values: Any, name: str | None = "parallel_stack") -> Any:
    """Returns tensors as one with a further dimension in front, in a graph only."""

def pow(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x to the power of y element-wise."""

def print(*inputs: Any, **kwargs: Any) -> None:
    """Prints values, tensors in full view of what they hold."""

def py_function(
    func: Any = None, inp: Any = None, Tout: Any = None, name: str | None = None
) -> Any:
    """Calls a Python function with tensors."""

def ragged_fill_empty_rows(
    value_rowids: Any, values: Any, nrows: Any, default_value: Any, name: str | None = None
) -> Any:
    """Returns a ragged tensor with an element in every row."""

def ragged_fill_empty_rows_grad(
    reverse_index_map: Any, grad_values: Any, name: str | None = None
) -> Any:
    """Returns the gradients of elements that were moved, and of the one that filled empty rows."""

def random_index_shuffle(
    index: Any, seed: Any, max_index: Any, rounds: SupportsIndex = 4, name: str | None = None
) -> Tensor:
    """Returns the positions of indices in a permutation."""

def range(
    start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range"
) -> Any:
    """Returns numbers from start, delta apart, before limit."""

def rank(input: Any, name: str | None = None) -> Any:
    """Returns the number of dimensions of a tensor."""

def realdiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x / y element-wise, for real and complex numbers."""

def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function that keeps no intermediate results for its gradient, but computes them again."""

def reduce_all(
    input_tensor: Any, axis: Any = None, keepdims: _bool = False, name: str | None = None
) -> Tensor:
    """Returns whether all elements along dimensions are true."""

def reduce_any(
    input_tensor: Any, axis: Any = None, keepdims: _bool = False, name: str | None = None
) -> Tensor:
    """Returns whether any element along dimensions is true."""

def reduce_logsumexp(
    input_tensor: Any, axis: Any = None, keepdims: _bool = False, name: str | None = None
) -> Any:
    """Returns log(sum(exp(x))) along dimensions, without overflow."""

def reduce_max(
    input_tensor: Any, axis: Any = None, keepdims: _bool = False, name: str | None = None
) -> Tensor:
    """Returns maxima along dimensions; NaN where one is."""

def reduce_mean(
    input_tensor: Any, axis: Any = None, keepdims: _bool = False, name: str | None = None
) -> Tensor:
    """Returns means along dimensions; those of integers are added in 64 bits and rounded towards zero."""

def reduce_min(
    input_tensor: Any, axis: Any = None, keepdims: _bool = False, name: str | None = None
) -> Tensor:
    """Returns minima along dimensions; NaN where one is."""

def reduce_prod(
    input_tensor: Any, axis: Any = None, keepdims: _bool = False, name: str | None = None
) -> Tensor:
    """Returns products along dimensions."""

def reduce_sum(
    input_tensor: Any, axis: Any = None, keepdims: _bool = False, name: str | None = None
) -> Tensor:
    """Returns sums along dimensions."""

def register_tensor_conversion_function(
    base_type: Any, conversion_func: Callable[..., Any], priority: SupportsIndex = 100
) -> None:
    """Registers how objects of a class become tensors."""

def repeat(
    input: Any, repeats: Any, axis: SupportsIndex | None = None, name: str | None = None
) -> Any:
    """Returns a tensor with its elements repeated along a dimension."""

def required_space_to_batch_paddings(
    input_shape: Any, block_shape: Any, base_paddings: Any = None, name: str | None = None
) -> Any:
    """Returns the paddings that make a space a multiple of blocks, and the crops that undo them."""

def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """Returns a tensor with the same elements in another shape."""

def reverse(tensor: Any, axis: Any, name: str | None = None) -> Tensor:
    """Returns a tensor with the order of elements reversed along dimensions."""

def reverse_sequence(
    input: Any,
    seq_lengths: Any,
    seq_axis: Any = None,
    batch_axis: Any = None,
    name: str | None = None,
) -> Any:
    """Returns a tensor with the first elements along a dimension reversed, how many per row."""

def rfftnd(
    input_tensor: Any,
    fft_length: Any = None,
    axes: Any = None,
    norm: Any = None,
    name: str | None = None,
) -> Any:
    """Returns the Fourier transform of real numbers over any dimensions; half of it along the last."""

def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Tensor:
    """Returns a tensor with its elements shifted along dimensions; what leaves comes in again."""

def round(x: Any, name: str | None = None) -> Tensor:
    """Returns the nearest whole numbers, halves to the even one."""

def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Any:
    """Returns a tensor's values in another type, limited to what it can hold."""

def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """Returns a tensor multiplied by a scalar."""

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
    """Combines the slices along the first dimension and stacks all that comes of it on the way."""

def scatter_nd(
    indices: Any, updates: Any, shape: Any, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """Returns zeros with updates added at places."""

def searchsorted(
    sorted_sequence: Any,
    values: Any,
    side: str = "left",
    out_type: Any = ...,
    name: str | None = None,
) -> Any:
    """Returns where values would go in sorted rows."""

def sequence_mask(
    lengths: Any, maxlen: Any = None, dtype: Any = ..., name: str | None = None
) -> Any:
    """Returns rows whose first elements are true, how many per row."""

def shape(input: Any, out_type: Any = None, name: str | None = None) -> Any:
    """Returns the shape of a tensor as a tensor."""

def shape_n(input: Any, out_type: Any = ..., name: str | None = None) -> list[Any]:
    """Returns the shapes of tensors."""

def sigmoid(x: Any, name: str | None = None) -> Tensor:
    """Returns 1 / (1 + exp(-x)), without overflow."""

def sign(x: Any, name: str | None = None) -> Tensor:
    """Returns -1, 0 or 1 by the sign of x; x / |x| for complex numbers."""

def sin(x: Any, name: str | None = None) -> Tensor:
    """Returns the sine of x."""

def sinh(x: Any, name: str | None = None) -> Tensor:
    """Returns the hyperbolic sine of x."""

def size(input: Any, out_type: Any = None, name: str | None = None) -> Any:
    """Returns the number of elements of a tensor."""

def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """Returns a block of a tensor."""

def sort(values: Any, axis: Any = -1, direction: str = "ASCENDING", name: str | None = None) -> Any:
    """Returns a tensor with its elements sorted along a dimension."""

def space_to_batch(input: Any, block_shape: Any, paddings: Any, name: str | None = None) -> Any:
    """Returns a tensor with blocks of space moved into the batch."""

def space_to_batch_nd(
    input: Any, block_shape: Any, paddings: Any, name: str | None = None
) -> Tensor:
    """Returns a tensor with blocks of space moved into the batch."""

def split(
    value: Any,
    num_or_size_splits: Any,
    axis: Any = 0,
    num: SupportsIndex | None = None,
    name: str = "split",
) -> Any:
    """Returns consecutive parts of a tensor along a dimension."""

def sqrt(x: Any, name: str | None = None) -> Tensor:
    """Returns the square root of x."""

def square(x: Any, name: str | None = None) -> Tensor:
    """Returns x * x element-wise."""

def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Returns a tensor without dimensions of size 1."""

def stack(values: Any, axis: SupportsIndex = 0, name: str = "stack") -> Any:
    """Returns tensors of one shape as rows of a new dimension."""

def stop_gradient(input: Any, name: str | None = None) -> Any:
    """Returns a tensor of the same value, through which no gradient flows."""

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
    """Returns a slice of a tensor; see ``x[...]`` for the usual way."""

def subtract(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x - y element-wise."""

def switch_case(
    branch_index: Any, branch_fns: Any, default: Any = None, name: str = "switch_case"
) -> Any:
    """Returns what the function with a number gives."""

def tan(x: Any, name: str | None = None) -> Tensor:
    """Returns the tangent of x."""

def tanh(x: Any, name: str | None = None) -> Tensor:
    """Returns the hyperbolic tangent of x."""

def tensor_scatter_nd_add(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """Returns a tensor with updates added to elements or slices."""

def tensor_scatter_nd_max(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """Returns a tensor with elements or slices replaced where an update is larger."""

def tensor_scatter_nd_min(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """Returns a tensor with elements or slices replaced where an update is smaller."""

def tensor_scatter_nd_sub(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """Returns a tensor with updates subtracted from elements or slices."""

def tensor_scatter_nd_update(
    tensor: Any, indices: Any, updates: Any, name: str | None = None
) -> Tensor:
    """Returns a tensor with elements or slices replaced; of several for one place the last stays."""

def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Any:
    """Returns the sums of products of two tensors over pairs of dimensions."""

def tile(input: Any, multiples: Any, name: str | None = None) -> Tensor:
    """Returns a tensor repeated along each dimension."""

def timestamp(name: str | None = None) -> Any:
    """Returns the time in seconds since 1970."""

def transpose(a: Any, perm: Any = None, conjugate: _bool = False, name: str = "transpose") -> Any:
    """Returns a tensor with its dimensions in another order."""

def truediv(x: Any, y: Any, name: str | None = None) -> Any:
    """Returns x / y element-wise; integers divide as Python's do. x sets the type."""

def truncatediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x / y rounded towards zero."""

def truncatemod(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns what division rounded towards zero leaves, with the sign of x."""

def tuple(tensors: Any, control_inputs: Any = None, name: str | None = None) -> Any:
    """Returns tensors once all of them have been computed."""

def type_spec_from_value(value: Any) -> Any:
    """The shape and type of a tensor, sparse or ragged ones included, or of what becomes one."""

def unique(x: Any, out_idx: Any = ..., name: str | None = None) -> Unique:
    """Returns the distinct elements of a vector, and which of them each element is."""

def unique_with_counts(x: Any, out_idx: Any = ..., name: str | None = None) -> UniqueWithCounts:
    """Returns the distinct elements of a vector, which of them each is, and how often they occur."""

def unravel_index(indices: Any, dims: Any, name: str | None = None) -> Tensor:
    """Returns the positions in a shape that indices into its flat elements mean."""

def unstack(
    value: Any, num: SupportsIndex | None = None, axis: SupportsIndex = 0, name: str = "unstack"
) -> Any:
    """Returns the slices of a tensor along a dimension."""

def variable_creator_scope(variable_creator: Any) -> Any:
    """A block in which a function makes the variables that ``tf.Variable(...)`` asks for."""

def vectorized_map(
    fn: Any, elems: Any, fallback_to_while_loop: _bool = True, warn: _bool = True
) -> Any:
    """Calls a function on each slice along the first dimension and stacks what it gives."""

def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """Returns x where a condition holds and y elsewhere, or where it holds."""

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
    """Calls a function on its own results as long as a condition holds."""

def zeros(shape: Any, dtype: Any = ..., name: str | None = None, layout: Any = None) -> Any:
    """Returns a tensor of zeros (empty strings, False)."""

def zeros_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Any:
    """Returns zeros of a tensor's shape."""
