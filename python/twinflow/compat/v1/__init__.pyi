# Computed from the op table by tools/make_stubs.py.

from builtins import bool as _bool
from builtins import tuple as _tuple
from collections.abc import Callable, Iterator
from typing import Any, SupportsFloat, SupportsIndex

from twinflow import Assert as Assert
from twinflow import abs as abs
from twinflow import acos as acos
from twinflow import acosh as acosh
from twinflow import add as add
from twinflow import add_n as add_n
from twinflow import approx_top_k as approx_top_k
from twinflow import argsort as argsort
from twinflow import as_dtype as as_dtype
from twinflow import as_string as as_string
from twinflow import asin as asin
from twinflow import asinh as asinh
from twinflow import atan as atan
from twinflow import atan2 as atan2
from twinflow import atanh as atanh
from twinflow import bitcast as bitcast
from twinflow import broadcast_dynamic_shape as broadcast_dynamic_shape
from twinflow import broadcast_static_shape as broadcast_static_shape
from twinflow import broadcast_to as broadcast_to
from twinflow import case as case
from twinflow import cast as cast
from twinflow import clip_by_global_norm as clip_by_global_norm
from twinflow import clip_by_norm as clip_by_norm
from twinflow import clip_by_value as clip_by_value
from twinflow import complex as complex
from twinflow import concat as concat
from twinflow import cos as cos
from twinflow import cosh as cosh
from twinflow import cumsum as cumsum
from twinflow import custom_gradient as custom_gradient
from twinflow import divide as divide
from twinflow import dynamic_partition as dynamic_partition
from twinflow import dynamic_stitch as dynamic_stitch
from twinflow import edit_distance as edit_distance
from twinflow import eig as eig
from twinflow import eigvals as eigvals
from twinflow import einsum as einsum
from twinflow import ensure_shape as ensure_shape
from twinflow import equal as equal
from twinflow import exp as exp
from twinflow import eye as eye
from twinflow import fftnd as fftnd
from twinflow import fill as fill
from twinflow import fingerprint as fingerprint
from twinflow import floor as floor
from twinflow import foldl as foldl
from twinflow import foldr as foldr
from twinflow import function as function
from twinflow import get_current_name_scope as get_current_name_scope
from twinflow import get_logger as get_logger
from twinflow import get_static_value as get_static_value
from twinflow import grad_pass_through as grad_pass_through
from twinflow import greater as greater
from twinflow import greater_equal as greater_equal
from twinflow import group as group
from twinflow import guarantee_const as guarantee_const
from twinflow import histogram_fixed_width as histogram_fixed_width
from twinflow import histogram_fixed_width_bins as histogram_fixed_width_bins
from twinflow import identity as identity
from twinflow import identity_n as identity_n
from twinflow import ifftnd as ifftnd
from twinflow import import_graph_def as import_graph_def
from twinflow import init_scope as init_scope
from twinflow import inside_function as inside_function
from twinflow import irfftnd as irfftnd
from twinflow import is_symbolic_tensor as is_symbolic_tensor
from twinflow import is_tensor as is_tensor
from twinflow import less as less
from twinflow import less_equal as less_equal
from twinflow import linspace as _lin_space
from twinflow import linspace as linspace
from twinflow import logical_and as logical_and
from twinflow import logical_not as logical_not
from twinflow import logical_or as logical_or
from twinflow import make_ndarray as make_ndarray
from twinflow import make_tensor_proto as make_tensor_proto
from twinflow import map_fn as map_fn
from twinflow import matmul as matmul
from twinflow import matrix_square_root as matrix_square_root
from twinflow import maximum as maximum
from twinflow import meshgrid as meshgrid
from twinflow import minimum as minimum
from twinflow import multiply as multiply
from twinflow import negative as negative
from twinflow import no_gradient as _NoGradient
from twinflow import no_gradient as _NotDifferentiable
from twinflow import no_gradient as no_gradient
from twinflow import no_op as no_op
from twinflow import not_equal as not_equal
from twinflow import numpy_function as _py_func
from twinflow import numpy_function as numpy_function
from twinflow import one_hot as one_hot
from twinflow import ones as ones
from twinflow import parallel_stack as parallel_stack
from twinflow import pow as pow
from twinflow import print as print
from twinflow import py_function as py_function
from twinflow import ragged_fill_empty_rows as ragged_fill_empty_rows
from twinflow import ragged_fill_empty_rows_grad as ragged_fill_empty_rows_grad
from twinflow import random_index_shuffle as random_index_shuffle
from twinflow import range as range
from twinflow import rank as rank
from twinflow import realdiv as realdiv
from twinflow import recompute_grad as recompute_grad
from twinflow import register_tensor_conversion_function as register_tensor_conversion_function
from twinflow import repeat as repeat
from twinflow import required_space_to_batch_paddings as required_space_to_batch_paddings
from twinflow import reshape as reshape
from twinflow import reverse as _reverse_v2
from twinflow import reverse as reverse
from twinflow import rfftnd as rfftnd
from twinflow import roll as roll
from twinflow import round as round
from twinflow import saturate_cast as saturate_cast
from twinflow import scalar_mul as scalar_mul
from twinflow import scan as scan
from twinflow import scatter_nd as scatter_nd
from twinflow import searchsorted as searchsorted
from twinflow import sequence_mask as sequence_mask
from twinflow import shape_n as shape_n
from twinflow import sigmoid as sigmoid
from twinflow import sign as sign
from twinflow import sin as sin
from twinflow import sinh as sinh
from twinflow import slice as slice
from twinflow import sort as sort
from twinflow import space_to_batch_nd as space_to_batch_nd
from twinflow import split as split
from twinflow import sqrt as sqrt
from twinflow import square as square
from twinflow import stack as stack
from twinflow import stop_gradient as stop_gradient
from twinflow import strided_slice as strided_slice
from twinflow import subtract as subtract
from twinflow import switch_case as switch_case
from twinflow import tan as tan
from twinflow import tanh as tanh
from twinflow import tensor_scatter_nd_add as _tensor_scatter_add
from twinflow import tensor_scatter_nd_add as tensor_scatter_nd_add
from twinflow import tensor_scatter_nd_max as tensor_scatter_nd_max
from twinflow import tensor_scatter_nd_min as tensor_scatter_nd_min
from twinflow import tensor_scatter_nd_sub as _tensor_scatter_sub
from twinflow import tensor_scatter_nd_sub as tensor_scatter_nd_sub
from twinflow import tensor_scatter_nd_update as _tensor_scatter_update
from twinflow import tensor_scatter_nd_update as tensor_scatter_nd_update
from twinflow import tensordot as tensordot
from twinflow import tile as tile
from twinflow import timestamp as timestamp
from twinflow import truediv as truediv
from twinflow import truncatediv as truncatediv
from twinflow import truncatemod as truncatemod
from twinflow import type_spec_from_value as type_spec_from_value
from twinflow import unique as unique
from twinflow import unique_with_counts as unique_with_counts
from twinflow import unravel_index as unravel_index
from twinflow import unstack as unstack
from twinflow import variable_creator_scope as variable_creator_scope
from twinflow import vectorized_map as vectorized_map
from twinflow import where as _where_v2
from twinflow import zeros as zeros
from twinflow._src.autodiff.custom_gradient import AggregationMethod as AggregationMethod
from twinflow._src.autodiff.reverse import UnconnectedGradients as UnconnectedGradients
from twinflow._src.autodiff.tape import GradientTape as GradientTape
from twinflow._src.compat_v1.context_managers import name_scope as name_scope
from twinflow._src.compat_v1.session.config import ConfigProto as ConfigProto
from twinflow._src.compat_v1.session.config import GPUOptions as GPUOptions
from twinflow._src.compat_v1.session.config import GraphOptions as GraphOptions
from twinflow._src.compat_v1.session.config import OptimizerOptions as OptimizerOptions
from twinflow._src.compat_v1.session.config import RunMetadata as RunMetadata
from twinflow._src.compat_v1.session.config import RunOptions as RunOptions
from twinflow._src.compat_v1.session.session import InteractiveSession as InteractiveSession
from twinflow._src.compat_v1.session.session import Session as Session
from twinflow._src.compat_v1.v1_functions import ListDiff
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices as IndexedSlices
from twinflow._src.composite_tensors.indexed_slices import IndexedSlicesSpec as IndexedSlicesSpec
from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor as RaggedTensor
from twinflow._src.composite_tensors.ragged_tensor import RaggedTensorSpec as RaggedTensorSpec
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor as SparseTensor
from twinflow._src.composite_tensors.sparse_tensor import SparseTensorSpec as SparseTensorSpec
from twinflow._src.composite_tensors.sparse_tensor import SparseTensorValue as SparseTensorValue
from twinflow._src.control_flow.tensor_array import TensorArray as TensorArray
from twinflow._src.control_flow.tensor_array import TensorArraySpec as TensorArraySpec
from twinflow._src.core.devices import DeviceSpecV1 as _DeviceSpec
from twinflow._src.core.dtypes import DType as DType
from twinflow._src.core.errors import OpError as OpError
from twinflow._src.core.shapes import Dimension as Dimension
from twinflow._src.core.shapes import TensorShape as TensorShape
from twinflow._src.core.specs import TensorSpec as TensorSpec
from twinflow._src.core.specs import TypeSpec as TypeSpec
from twinflow._src.core.tensor import Tensor as Tensor
from twinflow._src.function.wrap_function import WrappedFunction
from twinflow._src.graph.collections import GraphKeys as GraphKeys
from twinflow._src.graph.graph import Graph as Graph
from twinflow._src.graph.overrides import RegisterGradient as RegisterGradient
from twinflow._src.graph.symbolic import Operation as Operation
from twinflow._src.initializers.v1 import Constant as _constant_initializer
from twinflow._src.initializers.v1 import GlorotNormal as _glorot_normal_initializer
from twinflow._src.initializers.v1 import GlorotUniform as _glorot_uniform_initializer
from twinflow._src.initializers.v1 import Ones as _ones_initializer
from twinflow._src.initializers.v1 import Orthogonal as _orthogonal_initializer
from twinflow._src.initializers.v1 import RandomNormal as _random_normal_initializer
from twinflow._src.initializers.v1 import RandomUniform as _random_uniform_initializer
from twinflow._src.initializers.v1 import TruncatedNormal as _truncated_normal_initializer
from twinflow._src.initializers.v1 import UniformUnitScaling as _uniform_unit_scaling_initializer
from twinflow._src.initializers.v1 import VarianceScaling as _variance_scaling_initializer
from twinflow._src.initializers.v1 import Zeros as _zeros_initializer
from twinflow._src.trackable.module import Module as Module
from twinflow._src.variables.creation import VariableV1 as _Variable
from twinflow._src.variables.options import VariableAggregation as VariableAggregation
from twinflow._src.variables.options import VariableSynchronization as VariableSynchronization
from twinflow._src.variables.scopes import VariableScope as VariableScope
from twinflow._src.variables.scopes import _ReuseMode
from twinflow._src.variables.scopes import variable_scope as variable_scope
from twinflow._src.variables.templates import Template
from twinflow._src.wings.data.optional import OptionalSpec as OptionalSpec
from twinflow._src.wings.queue.accumulators import ConditionalAccumulator as ConditionalAccumulator
from twinflow._src.wings.queue.accumulators import (
    ConditionalAccumulatorBase as ConditionalAccumulatorBase,
)
from twinflow._src.wings.queue.accumulators import (
    SparseConditionalAccumulator as SparseConditionalAccumulator,
)
from twinflow._src.wings.queue.critical import CriticalSection as CriticalSection
from twinflow._src.wings.queue.queues import FIFOQueue as FIFOQueue
from twinflow._src.wings.queue.queues import PaddingFIFOQueue as PaddingFIFOQueue
from twinflow._src.wings.queue.queues import PriorityQueue as PriorityQueue
from twinflow._src.wings.queue.queues import QueueBase as QueueBase
from twinflow._src.wings.queue.queues import RandomShuffleQueue as RandomShuffleQueue
from twinflow._src.wings.queue.readers import FixedLengthRecordReader as FixedLengthRecordReader
from twinflow._src.wings.queue.readers import IdentityReader as IdentityReader
from twinflow._src.wings.queue.readers import ReaderBase as ReaderBase
from twinflow._src.wings.queue.readers import TextLineReader as TextLineReader
from twinflow._src.wings.queue.readers import TFRecordReader as TFRecordReader
from twinflow._src.wings.queue.readers import WholeFileReader as WholeFileReader
from twinflow.compat import dimension_at_index as dimension_at_index
from twinflow.compat import dimension_value as dimension_value
from twinflow.compat.v1 import app as app
from twinflow.compat.v1 import audio as audio
from twinflow.compat.v1 import autodiff as autodiff
from twinflow.compat.v1 import autograph as autograph
from twinflow.compat.v1 import bitwise as bitwise
from twinflow.compat.v1 import config as config
from twinflow.compat.v1 import data as data
from twinflow.compat.v1 import debugging as debugging
from twinflow.compat.v1 import distribute as distribute
from twinflow.compat.v1 import distributions as distributions
from twinflow.compat.v1 import dtypes as dtypes
from twinflow.compat.v1 import errors as errors
from twinflow.compat.v1 import experimental as experimental
from twinflow.compat.v1 import flags as flags
from twinflow.compat.v1 import gfile as gfile
from twinflow.compat.v1 import graph_util as graph_util
from twinflow.compat.v1 import image as image
from twinflow.compat.v1 import initializers as initializers
from twinflow.compat.v1 import io as io
from twinflow.compat.v1 import keras as keras
from twinflow.compat.v1 import layers as layers
from twinflow.compat.v1 import linalg as linalg
from twinflow.compat.v1 import logging as logging
from twinflow.compat.v1 import lookup as lookup
from twinflow.compat.v1 import losses as losses
from twinflow.compat.v1 import manip as manip
from twinflow.compat.v1 import math as math
from twinflow.compat.v1 import metrics as metrics
from twinflow.compat.v1 import nest as nest
from twinflow.compat.v1 import nn as nn
from twinflow.compat.v1 import optimizers as optimizers
from twinflow.compat.v1 import profiler as profiler
from twinflow.compat.v1 import python_io as python_io
from twinflow.compat.v1 import quantization as quantization
from twinflow.compat.v1 import queue as queue
from twinflow.compat.v1 import ragged as ragged
from twinflow.compat.v1 import random as random
from twinflow.compat.v1 import raw_ops as raw_ops
from twinflow.compat.v1 import resource_loader as resource_loader
from twinflow.compat.v1 import saved_model as saved_model
from twinflow.compat.v1 import sets as sets
from twinflow.compat.v1 import signal as signal
from twinflow.compat.v1 import sparse as sparse
from twinflow.compat.v1 import spectral as spectral
from twinflow.compat.v1 import strings as strings
from twinflow.compat.v1 import summary as summary
from twinflow.compat.v1 import sysconfig as sysconfig
from twinflow.compat.v1 import test as test
from twinflow.compat.v1 import tpu as tpu
from twinflow.compat.v1 import train as train
from twinflow.compat.v1 import types as types
from twinflow.compat.v1 import version as version
from twinflow.debugging import assert_integer as assert_integer
from twinflow.debugging import assert_proper_iterable as assert_proper_iterable
from twinflow.debugging import assert_same_float_dtype as assert_same_float_dtype
from twinflow.debugging import assert_type as assert_type
from twinflow.debugging import check_numerics as check_numerics
from twinflow.debugging import is_numeric_tensor as is_numeric_tensor
from twinflow.image import random_crop as random_crop
from twinflow.io import FixedLenFeature as FixedLenFeature
from twinflow.io import FixedLenSequenceFeature as FixedLenSequenceFeature
from twinflow.io import SparseFeature as SparseFeature
from twinflow.io import VarLenFeature as VarLenFeature
from twinflow.io import decode_base64 as decode_base64
from twinflow.io import decode_compressed as decode_compressed
from twinflow.io import decode_json_example as decode_json_example
from twinflow.io import deserialize_many_sparse as deserialize_many_sparse
from twinflow.io import encode_base64 as encode_base64
from twinflow.io import matching_files as matching_files
from twinflow.io import parse_tensor as parse_tensor
from twinflow.io import read_file as read_file
from twinflow.io import serialize_tensor as serialize_tensor
from twinflow.io import write_file as write_file
from twinflow.linalg import band_part as _matrix_band_part
from twinflow.linalg import cholesky as cholesky
from twinflow.linalg import cholesky_solve as cholesky_solve
from twinflow.linalg import cross as cross
from twinflow.linalg import det as _matrix_determinant
from twinflow.linalg import diag as _matrix_diag
from twinflow.linalg import diag_part as _matrix_diag_part
from twinflow.linalg import eigh as _self_adjoint_eig
from twinflow.linalg import eigvalsh as _self_adjoint_eigvals
from twinflow.linalg import global_norm as global_norm
from twinflow.linalg import inv as _matrix_inverse
from twinflow.linalg import lstsq as _matrix_solve_ls
from twinflow.linalg import matrix_transpose as matrix_transpose
from twinflow.linalg import qr as qr
from twinflow.linalg import set_diag as _matrix_set_diag
from twinflow.linalg import solve as _matrix_solve
from twinflow.linalg import svd as svd
from twinflow.linalg import tensor_diag as _diag
from twinflow.linalg import tensor_diag_part as _diag_part
from twinflow.linalg import trace as trace
from twinflow.linalg import triangular_solve as _matrix_triangular_solve
from twinflow.math import accumulate_n as accumulate_n
from twinflow.math import angle as angle
from twinflow.math import betainc as betainc
from twinflow.math import ceil as ceil
from twinflow.math import conj as conj
from twinflow.math import cumprod as cumprod
from twinflow.math import digamma as digamma
from twinflow.math import divide_no_nan as _div_no_nan
from twinflow.math import erf as erf
from twinflow.math import erfc as erfc
from twinflow.math import expm1 as expm1
from twinflow.math import floordiv as _floor_div
from twinflow.math import floordiv as floordiv
from twinflow.math import floormod as _mod
from twinflow.math import floormod as floormod
from twinflow.math import igamma as igamma
from twinflow.math import igammac as igammac
from twinflow.math import imag as imag
from twinflow.math import invert_permutation as invert_permutation
from twinflow.math import is_finite as is_finite
from twinflow.math import is_inf as is_inf
from twinflow.math import is_nan as is_nan
from twinflow.math import is_non_decreasing as is_non_decreasing
from twinflow.math import is_strictly_increasing as is_strictly_increasing
from twinflow.math import lbeta as lbeta
from twinflow.math import lgamma as lgamma
from twinflow.math import log as log
from twinflow.math import log1p as log1p
from twinflow.math import log_sigmoid as log_sigmoid
from twinflow.math import logical_xor as logical_xor
from twinflow.math import polygamma as polygamma
from twinflow.math import real as real
from twinflow.math import reciprocal as reciprocal
from twinflow.math import rint as rint
from twinflow.math import rsqrt as rsqrt
from twinflow.math import segment_max as segment_max
from twinflow.math import segment_mean as segment_mean
from twinflow.math import segment_min as segment_min
from twinflow.math import segment_prod as segment_prod
from twinflow.math import segment_sum as segment_sum
from twinflow.math import squared_difference as squared_difference
from twinflow.math import unsorted_segment_max as unsorted_segment_max
from twinflow.math import unsorted_segment_mean as unsorted_segment_mean
from twinflow.math import unsorted_segment_min as unsorted_segment_min
from twinflow.math import unsorted_segment_prod as unsorted_segment_prod
from twinflow.math import unsorted_segment_sqrt_n as unsorted_segment_sqrt_n
from twinflow.math import unsorted_segment_sum as unsorted_segment_sum
from twinflow.math import zeta as zeta
from twinflow.quantization import fake_quant_with_min_max_args as fake_quant_with_min_max_args
from twinflow.quantization import (
    fake_quant_with_min_max_args_gradient as fake_quant_with_min_max_args_gradient,
)
from twinflow.quantization import fake_quant_with_min_max_vars as fake_quant_with_min_max_vars
from twinflow.quantization import (
    fake_quant_with_min_max_vars_gradient as fake_quant_with_min_max_vars_gradient,
)
from twinflow.quantization import (
    fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel,
)
from twinflow.quantization import (
    fake_quant_with_min_max_vars_per_channel_gradient as fake_quant_with_min_max_vars_per_channel_gradient,
)
from twinflow.quantization import quantize as _quantize_v2
from twinflow.random import gamma as _random_gamma
from twinflow.random import normal as _random_normal
from twinflow.random import set_seed as _set_random_seed
from twinflow.random import shuffle as _random_shuffle
from twinflow.random import truncated_normal as truncated_normal
from twinflow.random import uniform as _random_uniform
from twinflow.signal import fft as fft
from twinflow.signal import fft2d as fft2d
from twinflow.signal import fft3d as fft3d
from twinflow.signal import ifft as ifft
from twinflow.signal import ifft2d as ifft2d
from twinflow.signal import ifft3d as ifft3d
from twinflow.sparse import fill_empty_rows as _sparse_fill_empty_rows
from twinflow.sparse import mask as _sparse_mask
from twinflow.sparse import maximum as _sparse_maximum
from twinflow.sparse import minimum as _sparse_minimum
from twinflow.sparse import reorder as _sparse_reorder
from twinflow.sparse import reset_shape as _sparse_reset_shape
from twinflow.sparse import reshape as _sparse_reshape
from twinflow.sparse import retain as _sparse_retain
from twinflow.sparse import slice as _sparse_slice
from twinflow.sparse import softmax as _sparse_softmax
from twinflow.sparse import sparse_dense_matmul as _sparse_tensor_dense_matmul
from twinflow.sparse import split as _sparse_split
from twinflow.sparse import to_dense as _sparse_tensor_to_dense
from twinflow.sparse import to_indicator as _sparse_to_indicator
from twinflow.sparse import transpose as _sparse_transpose
from twinflow.strings import join as _string_join
from twinflow.strings import regex_replace as regex_replace
from twinflow.strings import strip as _string_strip
from twinflow.strings import to_hash_bucket_fast as _string_to_hash_bucket_fast
from twinflow.strings import to_hash_bucket_strong as _string_to_hash_bucket_strong

AUTO_REUSE: _ReuseMode
COMPILER_VERSION: str
DeviceSpec = _DeviceSpec
GIT_VERSION: str
GRAPH_DEF_VERSION: int
GRAPH_DEF_VERSION_MIN_CONSUMER: int
GRAPH_DEF_VERSION_MIN_PRODUCER: int
NoGradient = _NoGradient
NotDifferentiable = _NotDifferentiable
VERSION: str
Variable = _Variable
bfloat16: DType
bool: DType
complex128: DType
complex64: DType
constant_initializer = _constant_initializer
diag = _diag
diag_part = _diag_part
div_no_nan = _div_no_nan
double: DType
float16: DType
float32: DType
float64: DType
floor_div = _floor_div
glorot_normal_initializer = _glorot_normal_initializer
glorot_uniform_initializer = _glorot_uniform_initializer
half: DType
int16: DType
int32: DType
int64: DType
int8: DType
lin_space = _lin_space
matrix_band_part = _matrix_band_part
matrix_determinant = _matrix_determinant
matrix_diag = _matrix_diag
matrix_diag_part = _matrix_diag_part
matrix_inverse = _matrix_inverse
matrix_set_diag = _matrix_set_diag
matrix_solve = _matrix_solve
matrix_solve_ls = _matrix_solve_ls
matrix_triangular_solve = _matrix_triangular_solve
mod = _mod
newaxis: None
ones_initializer = _ones_initializer
orthogonal_initializer = _orthogonal_initializer
py_func = _py_func
qint16: DType
qint32: DType
qint8: DType
quantize_v2 = _quantize_v2
quint16: DType
quint8: DType
random_gamma = _random_gamma
random_normal = _random_normal
random_normal_initializer = _random_normal_initializer
random_shuffle = _random_shuffle
random_uniform = _random_uniform
random_uniform_initializer = _random_uniform_initializer
resource: DType
reverse_v2 = _reverse_v2
self_adjoint_eig = _self_adjoint_eig
self_adjoint_eigvals = _self_adjoint_eigvals
set_random_seed = _set_random_seed
sparse_fill_empty_rows = _sparse_fill_empty_rows
sparse_mask = _sparse_mask
sparse_maximum = _sparse_maximum
sparse_minimum = _sparse_minimum
sparse_reorder = _sparse_reorder
sparse_reset_shape = _sparse_reset_shape
sparse_reshape = _sparse_reshape
sparse_retain = _sparse_retain
sparse_slice = _sparse_slice
sparse_softmax = _sparse_softmax
sparse_split = _sparse_split
sparse_tensor_dense_matmul = _sparse_tensor_dense_matmul
sparse_tensor_to_dense = _sparse_tensor_to_dense
sparse_to_indicator = _sparse_to_indicator
sparse_transpose = _sparse_transpose
string: DType
string_join = _string_join
string_strip = _string_strip
string_to_hash_bucket_fast = _string_to_hash_bucket_fast
string_to_hash_bucket_strong = _string_to_hash_bucket_strong
tensor_scatter_add = _tensor_scatter_add
tensor_scatter_sub = _tensor_scatter_sub
tensor_scatter_update = _tensor_scatter_update
truncated_normal_initializer = _truncated_normal_initializer
uint16: DType
uint32: DType
uint64: DType
uint8: DType
uniform_unit_scaling_initializer = _uniform_unit_scaling_initializer
variance_scaling_initializer = _variance_scaling_initializer
variant: DType
where_v2 = _where_v2
zeros_initializer = _zeros_initializer

class AttrValue:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class Event:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class GraphDef:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class HistogramProto:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class LogMessage:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class MetaGraphDef:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class NameAttrList:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class NodeDef:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

def Print(
    input_: Any,
    data: Any,
    message: str | None = None,
    first_n: SupportsIndex | None = None,
    summarize: SupportsIndex | None = None,
    name: str | None = None,
) -> Any:
    """Returns a tensor whose evaluation prints other tensors to standard error."""

class SessionLog:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class Summary:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class SummaryMetadata:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class TensorInfo:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

def add_check_numerics_ops() -> Any:
    """Adds ``CheckNumerics`` ops for all floating-point tensors of the graph."""

def add_to_collection(name: Any, value: Any) -> None:
    """Adds a value to a collection of the default graph."""

def add_to_collections(names: Any, value: Any) -> None:
    """Adds a value to several collections of the default graph."""

def all_variables() -> list[Any]:
    """Returns the global variables; the older name of ``global_variables``."""

def arg_max(input: Any, dimension: Any, output_type: Any = ..., name: Any = None) -> Any:
    """``tf.arg_max`` with the order and the older names of its arguments."""

def arg_min(input: Any, dimension: Any, output_type: Any = ..., name: Any = None) -> Any:
    """``tf.arg_min`` with the order and the older names of its arguments."""

def argmax(
    input: Any,
    axis: Any = None,
    name: str | None = None,
    dimension: Any = None,
    output_type: Any = ...,
) -> Any:
    """``tf.argmax`` with the older name of its axis, ``dimension``."""

def argmin(
    input: Any,
    axis: Any = None,
    name: str | None = None,
    dimension: Any = None,
    output_type: Any = ...,
) -> Any:
    """``tf.argmin`` with the older name of its axis, ``dimension``."""

def assert_equal(
    x: Any, y: Any, data: Any = None, summarize: Any = None, message: Any = None, name: Any = None
) -> Any:
    """``tf.assert_equal`` with the order and the older names of its arguments."""

def assert_greater(
    x: Any, y: Any, data: Any = None, summarize: Any = None, message: Any = None, name: Any = None
) -> Any:
    """``tf.assert_greater`` with the order and the older names of its arguments."""

def assert_greater_equal(
    x: Any, y: Any, data: Any = None, summarize: Any = None, message: Any = None, name: Any = None
) -> Any:
    """``tf.assert_greater_equal`` with the order and the older names of its arguments."""

def assert_less(
    x: Any, y: Any, data: Any = None, summarize: Any = None, message: Any = None, name: Any = None
) -> Any:
    """``tf.assert_less`` with the order and the older names of its arguments."""

def assert_less_equal(
    x: Any, y: Any, data: Any = None, summarize: Any = None, message: Any = None, name: Any = None
) -> Any:
    """``tf.assert_less_equal`` with the order and the older names of its arguments."""

def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    data: Any = None,
    summarize: Any = None,
    message: Any = None,
    name: Any = None,
) -> Any:
    """``tf.assert_near`` with the order and the older names of its arguments."""

def assert_negative(
    x: Any, data: Any = None, summarize: Any = None, message: Any = None, name: Any = None
) -> Any:
    """``tf.assert_negative`` with the order and the older names of its arguments."""

def assert_non_negative(
    x: Any, data: Any = None, summarize: Any = None, message: Any = None, name: Any = None
) -> Any:
    """``tf.assert_non_negative`` with the order and the older names of its arguments."""

def assert_non_positive(
    x: Any, data: Any = None, summarize: Any = None, message: Any = None, name: Any = None
) -> Any:
    """``tf.assert_non_positive`` with the order and the older names of its arguments."""

def assert_none_equal(
    x: Any, y: Any, data: Any = None, summarize: Any = None, message: Any = None, name: Any = None
) -> Any:
    """``tf.assert_none_equal`` with the order and the older names of its arguments."""

def assert_positive(
    x: Any, data: Any = None, summarize: Any = None, message: Any = None, name: Any = None
) -> Any:
    """``tf.assert_positive`` with the order and the older names of its arguments."""

def assert_rank(
    x: Any,
    rank: Any,
    data: Any = None,
    summarize: Any = None,
    message: Any = None,
    name: Any = None,
) -> Any:
    """``tf.assert_rank`` with the order and the older names of its arguments."""

def assert_rank_at_least(
    x: Any,
    rank: Any,
    data: Any = None,
    summarize: Any = None,
    message: Any = None,
    name: Any = None,
) -> Any:
    """``tf.assert_rank_at_least`` with the order and the older names of its arguments."""

def assert_rank_in(
    x: Any,
    ranks: Any,
    data: Any = None,
    summarize: Any = None,
    message: Any = None,
    name: Any = None,
) -> Any:
    """``tf.assert_rank_in`` with the order and the older names of its arguments."""

def assert_scalar(tensor: Any, name: Any = None, message: Any = None) -> Any:
    """``tf.assert_scalar`` with the order and the older names of its arguments."""

def assert_variables_initialized(var_list: Any = None) -> Any:
    """Adds an operation that fails where a variable is uninitialized."""

def assign(
    ref: Any,
    value: Any,
    validate_shape: Any = None,
    use_locking: Any = None,
    name: str | None = None,
) -> Any:
    """Assigns a value to a variable; see ``tf.Variable.assign``."""

def assign_add(ref: Any, value: Any, use_locking: Any = None, name: str | None = None) -> Any:
    """Adds to the value of a variable; see ``tf.Variable.assign_add``."""

def assign_sub(ref: Any, value: Any, use_locking: Any = None, name: str | None = None) -> Any:
    """Subtracts from the value of a variable; see ``tf.Variable.assign_sub``."""

def batch_gather(params: Any, indices: Any, name: str | None = None) -> Any:
    """Gathers along the last axis of the indices, per batch."""

def batch_scatter_update(
    ref: Any, indices: Any, updates: Any, use_locking: _bool = True, name: str | None = None
) -> Any:
    """Updates slices along the last indexed dimension, per batch."""

def batch_to_space(
    input: Any, crops: Any, block_size: Any, name: Any = None, block_shape: Any = None
) -> Any:
    """``tf.batch_to_space`` with the order and the older names of its arguments."""

def batch_to_space_nd(input: Any, block_shape: Any, crops: Any, name: str | None = None) -> Tensor:
    """Rearranges the batch dimension into blocks of the spatial dimensions."""

def bincount(
    arr: Any, weights: Any = None, minlength: Any = None, maxlength: Any = None, dtype: Any = ...
) -> Any:
    """``tf.bincount`` with the order and the older names of its arguments."""

def boolean_mask(tensor: Any, mask: Any, name: Any = "boolean_mask", axis: Any = None) -> Any:
    """``tf.boolean_mask`` with the order and the older names of its arguments."""

def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Any:
    """Clips a tensor by its average L2 norm per element."""

def colocate_with(op: Any, ignore_existing: _bool = False) -> Any:
    """Returns a context manager that colocates ops with another op; see ``Graph.colocate_with``."""

def cond(
    pred: Any,
    true_fn: Any = None,
    false_fn: Any = None,
    strict: _bool = False,
    name: str | None = None,
    fn1: Any = None,
    fn2: Any = None,
) -> Any:
    """Calls ``tf.cond`` with the deprecated argument names ``fn1`` and ``fn2``."""

def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    dtype: Any = ...,
    name: Any = None,
    weights: Any = None,
) -> Any:
    """``tf.confusion_matrix`` with the order and the older names of its arguments."""

def constant(
    value: Any,
    dtype: Any = None,
    shape: Any = None,
    name: str = "Const",
    verify_shape: _bool = False,
) -> Any:
    """Creates a constant; in a graph, the last element is repeated to fill the shape."""

def container(container_name: str) -> Any:
    """Returns a context manager for resource containers; see ``Graph.container``."""

def control_dependencies(control_inputs: Any) -> Any:
    """Returns a context manager of control dependencies; see ``Graph.control_dependencies``."""

def control_flow_v2_enabled() -> _bool:
    """Returns the control flow v2 setting; conditionals and loops are functional ops anyway."""

def convert_to_tensor(
    value: Any,
    dtype: Any = None,
    name: str | None = None,
    preferred_dtype: Any = None,
    dtype_hint: Any = None,
) -> Any:
    """Calls ``tf.convert_to_tensor`` with the deprecated argument order."""

def convert_to_tensor_or_indexed_slices(
    value: Any, dtype: Any = None, name: str | None = None
) -> Any:
    """Converts a value to a tensor unless it is ``IndexedSlices``."""

def convert_to_tensor_or_sparse_tensor(
    value: Any, dtype: Any = None, name: str | None = None
) -> Any:
    """Converts a value to a tensor unless it is sparse."""

def count_nonzero(
    input_tensor: Any = None,
    axis: Any = None,
    keepdims: Any = None,
    dtype: Any = ...,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
    input: Any = None,
) -> Any:
    """Calls ``tf.math.count_nonzero`` with deprecated argument names."""

def count_up_to(ref: Any, limit: SupportsIndex, name: str | None = None) -> Any:
    """Increments a counter; see ``tf.Variable.count_up_to``."""

def create_partitioned_variables(
    shape: Any,
    slicing: Any,
    initializer: Any,
    dtype: Any = None,
    trainable: _bool = True,
    collections: Any = None,
    name: str | None = None,
    reuse: Any = None,
) -> list[Any]:
    """Creates the partitions of a variable."""

def decode_csv(
    records: Any,
    record_defaults: Any,
    field_delim: Any = ",",
    use_quote_delim: Any = True,
    name: Any = None,
    na_value: Any = "",
    select_cols: Any = None,
) -> Any:
    """``tf.io.decode_csv`` with the order and the older names of its arguments."""

def decode_raw(
    input_bytes: Any = None,
    out_type: Any = None,
    little_endian: Any = True,
    name: Any = None,
    bytes: Any = None,
) -> Any:
    """``tf.io.decode_raw`` with the order and the older names of its arguments."""

def delete_session_tensor(handle: Any, name: str | None = None) -> Any:
    """Raises NotImplementedError; see ``get_session_handle``."""

def depth_to_space(input: Any, block_size: Any, name: Any = None, data_format: Any = "NHWC") -> Any:
    """``tf.nn.depth_to_space`` with the order and the older names of its arguments."""

def dequantize(
    input: Any,
    min_range: Any,
    max_range: Any,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    axis: SupportsIndex | None = None,
    narrow_range: _bool = False,
    dtype: Any = ...,
) -> Any:
    """Dequantizes a tensor of a quantized dtype to a float tensor."""

def device(device_name_or_function: Any) -> Any:
    """Returns a context manager that places ops on a device."""

def disable_control_flow_v2() -> None:
    """Disables control flow v2: results are named like those of v1 control flow ops."""

def disable_eager_execution() -> None:
    """Disables eager execution: operations are added to the default graph of their thread."""

def disable_resource_variables() -> None:
    """Makes variables of graphs reference variables by default."""

def disable_tensor_equality() -> None:
    """Makes ``==`` compare tensors and variables by identity; they become hashable."""

def disable_v2_behavior() -> None:
    """Switches to TensorFlow 1 behavior."""

def disable_v2_tensorshape() -> None:
    """Makes the items of a TensorShape ``Dimension`` objects with an integer or None ``value``."""

def div(x: Any, y: Any, name: str | None = None) -> Any:
    """Divides as in Python 2: floor division for integers, true division for floats."""

def enable_control_flow_v2() -> None:
    """Enables control flow v2: conditionals and loops as functional ops."""

def enable_eager_execution(
    config: Any = None, device_policy: Any = None, execution_mode: Any = None
) -> None:
    """Enables eager execution, which is the initial mode."""

def enable_resource_variables() -> None:
    """Makes variables of graphs resource variables by default, which is the initial setting."""

def enable_tensor_equality() -> None:
    """Makes ``==`` compare tensors and variables elementwise, the default."""

def enable_v2_behavior() -> None:
    """Switches to TensorFlow 2 behavior, the default."""

def enable_v2_tensorshape() -> None:
    """Makes the items of a TensorShape integers or None, the default."""

def executing_eagerly() -> _bool:
    """True if operations run eagerly."""

def executing_eagerly_outside_functions() -> _bool:
    """True if operations run eagerly outside all functions being traced."""

def expand_dims(input: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Any:
    """Calls ``tf.expand_dims`` with the deprecated argument name ``dim``."""

def extract_image_patches(
    images: Any,
    ksizes: Any = None,
    strides: Any = None,
    rates: Any = None,
    padding: Any = None,
    name: str | None = None,
    sizes: Any = None,
) -> Any:
    """Extracts the patches of images under a sliding window."""

def extract_volume_patches(
    input: Any, ksizes: Any, strides: Any, padding: str, name: str | None = None
) -> Any:
    """Extracts the patches of volumes under a sliding window."""

def fixed_size_partitioner(num_shards: SupportsIndex, axis: SupportsIndex = 0) -> Any:
    """Returns a partitioner that splits one dimension into a fixed number of partitions."""

def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    name: str | None = None,
    axis: Any = None,
    batch_dims: SupportsIndex = 0,
) -> Any:
    """Calls ``tf.gather`` with the deprecated argument order."""

def gather_nd(
    params: Any, indices: Any, name: Any = None, batch_dims: Any = 0, bad_indices_policy: Any = ""
) -> Any:
    """``tf.gather_nd`` with the order and the older names of its arguments."""

def get_collection(key: Any, scope: str | None = None) -> list[Any]:
    """Returns the values of a collection of the default graph; see ``Graph.get_collection``."""

def get_collection_ref(key: Any) -> list[Any]:
    """Returns the mutable list of a collection of the default graph."""

def get_default_graph() -> Graph:
    """Returns the current graph, or the default graph of the thread."""

def get_default_session() -> Any:
    """Returns the innermost default session, or None."""

def get_local_variable(name: str, *args: Any, **kwargs: Any) -> Any:
    """Returns or creates a local variable, neither trained nor saved; see ``get_variable``."""

def get_seed(op_seed: Any) -> _tuple[int | None, int | None]:
    """Returns the global seed and the op seed; both None for nondeterministic seeds."""

def get_session_handle(data: Any, name: str | None = None) -> Any:
    """Raises NotImplementedError: sessions hold only variables."""

def get_session_tensor(handle: Any, dtype: Any, name: str | None = None) -> Any:
    """Raises NotImplementedError; see ``get_session_handle``."""

def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: Any = None,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: _bool = True,
    use_resource: Any = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = ...,
    aggregation: Any = ...,
) -> Any:
    """Returns an existing variable or creates one, within the current variable scope."""

def get_variable_scope() -> VariableScope:
    """Returns the current variable scope."""

def global_variables(scope: str | None = None) -> list[Any]:
    """The variables that all steps share of the default graph."""

def global_variables_initializer() -> Any:
    """Adds an operation that initializes all global variables."""

def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    colocate_gradients_with_ops: _bool = False,
    gate_gradients: _bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = ...,
) -> list[Any]:
    """Returns symbolic derivatives; ``tf.gradients`` with the signature of TensorFlow 1."""

def hessians(
    ys: Any,
    xs: Any,
    name: Any = "hessians",
    colocate_gradients_with_ops: Any = False,
    gate_gradients: Any = False,
    aggregation_method: Any = None,
) -> Any:
    """``tf.hessians`` with the order and the older names of its arguments."""

def initialize_all_tables(name: str = "init_all_tables") -> Any:
    """Adds an operation that initializes all tables; the older name of ``tables_initializer``."""

def initialize_all_variables() -> Any:
    """Adds an operation that initializes all global variables; an older name."""

def initialize_local_variables() -> Any:
    """Adds an operation that initializes all local variables; an older name."""

def initialize_variables(var_list: Any, name: str = "init") -> Any:
    """Adds an operation that initializes variables; see ``variables_initializer``."""

def is_variable_initialized(variable: Any) -> Any:
    """Returns a boolean tensor: True if a variable is initialized."""

def local_variables(scope: str | None = None) -> list[Any]:
    """The variables that are never saved of the default graph."""

def local_variables_initializer() -> Any:
    """Adds an operation that initializes all local variables."""

def make_template(
    name_: str,
    func_: Callable[..., Any],
    create_scope_now_: _bool = False,
    unique_name_: str | None = None,
    custom_getter_: Any = None,
    **kwargs: Any,
) -> Template:
    """Returns a function whose variables are created by its first call and reused by later ones."""

def min_max_variable_partitioner(
    max_partitions: SupportsIndex = 1,
    axis: SupportsIndex = 0,
    min_slice_size: SupportsIndex = 262144,
    bytes_per_string_element: SupportsIndex = 16,
) -> Any:
    """Returns a partitioner that makes as many partitions of a minimum size as possible."""

def model_variables(scope: str | None = None) -> list[Any]:
    """The variables of models of the default graph."""

def moving_average_variables(scope: str | None = None) -> list[Any]:
    """The variables with moving averages of the default graph."""

def multinomial(
    logits: Any, num_samples: Any, seed: Any = None, name: Any = None, output_dtype: Any = None
) -> Any:
    """``tf.multinomial`` with the order and the older names of its arguments."""

def no_regularizer(_: Any) -> None:
    """Returns None: a regularizer without a loss."""

def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: Any = None,
    name: Any = None,
    keep_dims: Any = None,
) -> Any:
    """``tf.linalg.norm`` with the order and the older names of its arguments."""

def ones_like(
    tensor: Any, dtype: Any = None, name: str | None = None, optimize: _bool = True
) -> Any:
    """Calls ``tf.ones_like`` with the deprecated argument name."""

def op_scope(values: Any, name: Any, default_name: Any = None) -> name_scope:
    """Returns ``name_scope`` with the deprecated order of arguments."""

def pad(
    tensor: Any, paddings: Any, mode: Any = "CONSTANT", name: Any = None, constant_values: Any = 0
) -> Any:
    """``tf.pad`` with the order and the older names of its arguments."""

def parse_example(
    serialized: Any, features: Any, name: Any = None, example_names: Any = None
) -> Any:
    """``tf.io.parse_example`` with the order and the older names of its arguments."""

def parse_single_example(
    serialized: Any, features: Any, name: Any = None, example_names: Any = None
) -> Any:
    """``tf.io.parse_single_example`` with the order and the older names of its arguments."""

def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Any:
    """Adds a tensor that must be fed in a session."""

def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Any:
    """Adds a tensor that may be fed in a session."""

def quantize(
    input: Any,
    min_range: Any,
    max_range: Any,
    T: Any,
    mode: str = "MIN_COMBINED",
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    name: str | None = None,
    narrow_range: _bool = False,
    axis: SupportsIndex | None = None,
    ensure_minimum_range: SupportsFloat = 0.01,
) -> Any:
    """Quantizes a float tensor to a quantized dtype; returns the integers and the range."""

def random_poisson(
    lam: Any, shape: Any, dtype: Any = ..., seed: Any = None, name: Any = None
) -> Any:
    """``tf.random.poisson`` with the order and the older names of its arguments."""

def reduce_all(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
) -> Any:
    """``tf.reduce_all`` with the older names of its arguments."""

def reduce_any(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
) -> Any:
    """``tf.reduce_any`` with the older names of its arguments."""

def reduce_join(
    inputs: Any,
    axis: Any = None,
    keep_dims: Any = None,
    separator: Any = "",
    name: Any = None,
    reduction_indices: Any = None,
    keepdims: Any = None,
) -> Any:
    """``tf.strings.reduce_join`` with the order and the older names of its arguments."""

def reduce_logsumexp(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
) -> Any:
    """``tf.reduce_logsumexp`` with the older names of its arguments."""

def reduce_max(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
) -> Any:
    """``tf.reduce_max`` with the older names of its arguments."""

def reduce_mean(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
) -> Any:
    """``tf.reduce_mean`` with the older names of its arguments."""

def reduce_min(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
) -> Any:
    """``tf.reduce_min`` with the older names of its arguments."""

def reduce_prod(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
) -> Any:
    """``tf.reduce_prod`` with the older names of its arguments."""

def reduce_sum(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
) -> Any:
    """``tf.reduce_sum`` with the older names of its arguments."""

def report_uninitialized_variables(
    var_list: Any = None, name: str = "report_uninitialized_variables"
) -> Any:
    """Returns the names of uninitialized variables."""

def reset_default_graph() -> None:
    """Replaces the default graph of the thread by a new one."""

def resource_variables_enabled() -> _bool:
    """True if variables of graphs are resource variables by default."""

def reverse_sequence(
    input: Any,
    seq_lengths: Any,
    seq_axis: Any = None,
    batch_axis: Any = None,
    name: Any = None,
    seq_dim: Any = None,
    batch_dim: Any = None,
) -> Any:
    """``tf.reverse_sequence`` with the order and the older names of its arguments."""

def scatter_add(
    ref: Any, indices: Any, updates: Any, use_locking: _bool = False, name: str | None = None
) -> Any:
    """See ``tf.Variable.scatter_add``."""

def scatter_div(
    ref: Any, indices: Any, updates: Any, use_locking: _bool = False, name: str | None = None
) -> Any:
    """See ``tf.Variable.scatter_div``."""

def scatter_max(
    ref: Any, indices: Any, updates: Any, use_locking: _bool = False, name: str | None = None
) -> Any:
    """See ``tf.Variable.scatter_max``."""

def scatter_min(
    ref: Any, indices: Any, updates: Any, use_locking: _bool = False, name: str | None = None
) -> Any:
    """See ``tf.Variable.scatter_min``."""

def scatter_mul(
    ref: Any, indices: Any, updates: Any, use_locking: _bool = False, name: str | None = None
) -> Any:
    """See ``tf.Variable.scatter_mul``."""

def scatter_nd_add(
    ref: Any, indices: Any, updates: Any, use_locking: _bool = False, name: str | None = None
) -> Any:
    """See ``tf.Variable.scatter_nd_add``."""

def scatter_nd_sub(
    ref: Any, indices: Any, updates: Any, use_locking: _bool = False, name: str | None = None
) -> Any:
    """See ``tf.Variable.scatter_nd_sub``."""

def scatter_nd_update(
    ref: Any, indices: Any, updates: Any, use_locking: _bool = False, name: str | None = None
) -> Any:
    """See ``tf.Variable.scatter_nd_update``."""

def scatter_sub(
    ref: Any, indices: Any, updates: Any, use_locking: _bool = False, name: str | None = None
) -> Any:
    """See ``tf.Variable.scatter_sub``."""

def scatter_update(
    ref: Any, indices: Any, updates: Any, use_locking: _bool = False, name: str | None = None
) -> Any:
    """See ``tf.Variable.scatter_update``."""

def serialize_many_sparse(sp_input: Any, name: Any = None, out_type: Any = ...) -> Any:
    """``tf.io.serialize_many_sparse`` with the order and the older names of its arguments."""

def serialize_sparse(sp_input: Any, name: Any = None, out_type: Any = ...) -> Any:
    """``tf.io.serialize_sparse`` with the order and the older names of its arguments."""

def setdiff1d(x: Any, y: Any, index_dtype: Any = ..., name: str | None = None) -> ListDiff:
    """Returns the elements of one vector that another one lacks."""

def shape(input: Any, name: str | None = None, out_type: Any = ...) -> Any:
    """Calls ``tf.shape`` with the deprecated argument order."""

def size(input: Any, name: str | None = None, out_type: Any = ...) -> Any:
    """Calls ``tf.size`` with the deprecated argument order."""

def space_to_batch(
    input: Any, paddings: Any, block_size: Any = None, name: Any = None, block_shape: Any = None
) -> Any:
    """``tf.nn.space_to_batch`` with the order and the older names of its arguments."""

def space_to_depth(input: Any, block_size: Any, name: Any = None, data_format: Any = "NHWC") -> Any:
    """``tf.nn.space_to_depth`` with the order and the older names of its arguments."""

def sparse_add(a: Any, b: Any, threshold: Any = None, thresh: Any = None) -> Any:
    """``tf.sparse.add`` with the order and the older names of its arguments."""

def sparse_concat(
    axis: Any,
    sp_inputs: Any,
    name: Any = None,
    expand_nonconcat_dim: Any = False,
    concat_dim: Any = None,
    expand_nonconcat_dims: Any = None,
) -> Any:
    """``tf.sparse.concat`` with the order and the older names of its arguments."""

def sparse_matmul(
    a: Any,
    b: Any,
    transpose_a: _bool = False,
    transpose_b: _bool = False,
    a_is_sparse: _bool = False,
    b_is_sparse: _bool = False,
    name: str | None = None,
) -> Any:
    """Multiplies two matrices of float32 or bfloat16."""

def sparse_merge(
    sp_ids: Any,
    sp_values: Any,
    vocab_size: Any,
    name: str | None = None,
    already_sorted: _bool = False,
) -> SparseTensor:
    """Combines batches of ids and of values to a sparse tensor, whose last indices are the ids."""

def sparse_placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> SparseTensor:
    """Adds a sparse tensor that must be fed in a session."""

def sparse_reduce_max(
    sp_input: Any,
    axis: Any = None,
    keepdims: Any = None,
    reduction_axes: Any = None,
    keep_dims: Any = None,
) -> Any:
    """``tf.sparse.reduce_max`` with the order and the older names of its arguments."""

def sparse_reduce_max_sparse(
    sp_input: Any,
    axis: Any = None,
    keepdims: Any = None,
    reduction_axes: Any = None,
    keep_dims: Any = None,
) -> SparseTensor:
    """Computes maxima over dimensions of a sparse tensor, as a sparse tensor."""

def sparse_reduce_sum(
    sp_input: Any,
    axis: Any = None,
    keepdims: Any = None,
    reduction_axes: Any = None,
    keep_dims: Any = None,
) -> Any:
    """``tf.sparse.reduce_sum`` with the order and the older names of its arguments."""

def sparse_reduce_sum_sparse(
    sp_input: Any,
    axis: Any = None,
    keepdims: Any = None,
    reduction_axes: Any = None,
    keep_dims: Any = None,
) -> SparseTensor:
    """Computes sums over dimensions of a sparse tensor, as a sparse tensor."""

def sparse_segment_mean(
    data: Any,
    indices: Any,
    segment_ids: Any,
    name: Any = None,
    num_segments: Any = None,
    sparse_gradient: Any = False,
) -> Any:
    """``tf.sparse.segment_mean`` with the order and the older names of its arguments."""

def sparse_segment_sqrt_n(
    data: Any,
    indices: Any,
    segment_ids: Any,
    name: Any = None,
    num_segments: Any = None,
    sparse_gradient: Any = False,
) -> Any:
    """``tf.sparse.segment_sqrt_n`` with the order and the older names of its arguments."""

def sparse_segment_sum(
    data: Any,
    indices: Any,
    segment_ids: Any,
    name: Any = None,
    num_segments: Any = None,
    sparse_gradient: Any = False,
) -> Any:
    """``tf.sparse.segment_sum`` with the order and the older names of its arguments."""

def sparse_to_dense(
    sparse_indices: Any,
    output_shape: Any,
    sparse_values: Any,
    default_value: Any = 0,
    validate_indices: _bool = True,
    name: str | None = None,
) -> Any:
    """Converts indices and values to a dense tensor with a default value."""

def squeeze(input: Any, axis: Any = None, name: str | None = None, squeeze_dims: Any = None) -> Any:
    """Calls ``tf.squeeze`` with the deprecated argument name ``squeeze_dims``."""

def string_split(
    source: Any,
    sep: Any = None,
    skip_empty: _bool = True,
    delimiter: Any = None,
    result_type: str = "SparseTensor",
    name: str | None = None,
) -> Any:
    """Splits a vector of strings at any of several characters."""

def string_to_hash_bucket(
    string_tensor: Any = None, num_buckets: Any = None, name: Any = None, input: Any = None
) -> Any:
    """``tf.strings.to_hash_bucket`` with the order and the older names of its arguments."""

def string_to_number(
    string_tensor: Any = None, out_type: Any = ..., name: Any = None, input: Any = None
) -> Any:
    """``tf.strings.to_number`` with the order and the older names of its arguments."""

def substr(input: Any, pos: Any, len: Any, name: Any = None, unit: Any = "BYTE") -> Any:
    """``tf.strings.substr`` with the order and the older names of its arguments."""

def tables_initializer(name: str = "init_all_tables") -> Any:
    """Adds an operation that initializes all tables of the graph."""

def to_bfloat16(x: Any, name: str = "ToBFloat16") -> Any:
    """Converts a tensor to bfloat16."""

def to_complex128(x: Any, name: str = "ToComplex128") -> Any:
    """Converts a tensor to complex128."""

def to_complex64(x: Any, name: str = "ToComplex64") -> Any:
    """Converts a tensor to complex64."""

def to_double(x: Any, name: str = "ToDouble") -> Any:
    """Converts a tensor to float64."""

def to_float(x: Any, name: str = "ToFloat") -> Any:
    """Converts a tensor to float32."""

def to_int32(x: Any, name: str = "ToInt32") -> Any:
    """Converts a tensor to int32."""

def to_int64(x: Any, name: str = "ToInt64") -> Any:
    """Converts a tensor to int64."""

def trainable_variables(scope: str | None = None) -> list[Any]:
    """The variables that optimizers train of the default graph."""

def transpose(a: Any, perm: Any = None, name: str = "transpose", conjugate: _bool = False) -> Any:
    """Calls ``tf.transpose`` with the deprecated argument order."""

def tuple(tensors: Any, name: Any = None, control_inputs: Any = None) -> Any:
    """``tf.tuple`` with the order and the older names of its arguments."""

def variable_axis_size_partitioner(
    max_shard_bytes: SupportsIndex,
    axis: SupportsIndex = 0,
    bytes_per_string_element: SupportsIndex = 16,
    max_shards: SupportsIndex | None = None,
) -> Any:
    """Returns a partitioner that limits the size of a partition."""

def variable_op_scope(
    values: Any,
    name_or_scope: Any,
    default_name: str | None = None,
    initializer: Any = None,
    regularizer: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    reuse: Any = None,
    dtype: Any = None,
    use_resource: Any = None,
    constraint: Any = None,
) -> Iterator[VariableScope]:
    """Opens a variable scope; the older form of ``variable_scope``, with the values first."""

def variables_initializer(var_list: Any, name: str = "init") -> Any:
    """Adds an operation that initializes variables."""

def verify_tensor_all_finite(
    t: Any = None, msg: Any = None, name: Any = None, x: Any = None, message: Any = None
) -> Any:
    """``tf.verify_tensor_all_finite`` with the order and the older names of its arguments."""

def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """Selects elements from two tensors without broadcasting; a vector condition selects rows."""

def while_loop(
    cond: Any,
    body: Any,
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: SupportsIndex = 10,
    back_prop: _bool = True,
    swap_memory: _bool = False,
    name: str | None = None,
    maximum_iterations: Any = None,
    return_same_structure: _bool = False,
) -> Any:
    """Calls ``tf.while_loop``; a single loop variable is returned without a structure."""

def wrap_function(
    fn: Callable[..., Any], signature: Any, name: str | None = None
) -> WrappedFunction:
    """Wraps the graph that a TensorFlow 1 function builds as a callable."""

def zeros_like(
    tensor: Any, dtype: Any = None, name: str | None = None, optimize: _bool = True
) -> Any:
    """Calls ``tf.zeros_like`` with the deprecated argument name."""
