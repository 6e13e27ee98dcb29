# Computed from the op table by tools/make_stubs.py.

from collections.abc import Callable, Sequence
from typing import Any, SupportsFloat, SupportsIndex

from twinflow import sigmoid as sigmoid
from twinflow import tanh as tanh
from twinflow._src.compat_v1.rnn_cell_wrappers import DeviceWrapper as _RNNCellDeviceWrapper
from twinflow._src.compat_v1.rnn_cell_wrappers import DropoutWrapper as _RNNCellDropoutWrapper
from twinflow._src.compat_v1.rnn_cell_wrappers import ResidualWrapper as _RNNCellResidualWrapper
from twinflow.compat.v1 import depth_to_space as depth_to_space
from twinflow.compat.v1 import space_to_batch as space_to_batch
from twinflow.compat.v1 import space_to_depth as space_to_depth
from twinflow.compat.v1.nn import conv3d_backprop_filter as _conv3d_backprop_filter_v2
from twinflow.compat.v1.nn import experimental as experimental
from twinflow.compat.v1.nn import rnn_cell as rnn_cell
from twinflow.linalg import l2_normalize as l2_normalize
from twinflow.math import approx_max_k as approx_max_k
from twinflow.math import approx_min_k as approx_min_k
from twinflow.math import softplus as softplus
from twinflow.math import softsign as softsign
from twinflow.math import top_k as top_k
from twinflow.math import zero_fraction as zero_fraction
from twinflow.nn import all_candidate_sampler as all_candidate_sampler
from twinflow.nn import atrous_conv2d as atrous_conv2d
from twinflow.nn import atrous_conv2d_transpose as atrous_conv2d_transpose
from twinflow.nn import avg_pool as _avg_pool_v2
from twinflow.nn import avg_pool1d as avg_pool1d
from twinflow.nn import avg_pool3d as avg_pool3d
from twinflow.nn import batch_normalization as batch_normalization
from twinflow.nn import bias_add as bias_add
from twinflow.nn import collapse_repeated as collapse_repeated
from twinflow.nn import compute_accidental_hits as compute_accidental_hits
from twinflow.nn import compute_average_loss as compute_average_loss
from twinflow.nn import conv1d_transpose as conv1d_transpose
from twinflow.nn import conv_transpose as conv_transpose
from twinflow.nn import ctc_beam_search_decoder as _ctc_beam_search_decoder_v2
from twinflow.nn import ctc_greedy_decoder as ctc_greedy_decoder
from twinflow.nn import ctc_loss as _ctc_loss_v2
from twinflow.nn import ctc_unique_labels as ctc_unique_labels
from twinflow.nn import depthwise_conv2d_backprop_filter as _depthwise_conv2d_native_backprop_filter
from twinflow.nn import depthwise_conv2d_backprop_filter as depthwise_conv2d_backprop_filter
from twinflow.nn import depthwise_conv2d_backprop_input as _depthwise_conv2d_native_backprop_input
from twinflow.nn import depthwise_conv2d_backprop_input as depthwise_conv2d_backprop_input
from twinflow.nn import elu as elu
from twinflow.nn import fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler
from twinflow.nn import gelu as gelu
from twinflow.nn import isotonic_regression as isotonic_regression
from twinflow.nn import l2_loss as l2_loss
from twinflow.nn import leaky_relu as leaky_relu
from twinflow.nn import learned_unigram_candidate_sampler as learned_unigram_candidate_sampler
from twinflow.nn import local_response_normalization as _lrn
from twinflow.nn import local_response_normalization as local_response_normalization
from twinflow.nn import log_poisson_loss as log_poisson_loss
from twinflow.nn import max_pool as _max_pool_v2
from twinflow.nn import max_pool1d as max_pool1d
from twinflow.nn import max_pool2d as max_pool2d
from twinflow.nn import max_pool3d as max_pool3d
from twinflow.nn import normalize_moments as normalize_moments
from twinflow.nn import relu as relu
from twinflow.nn import relu6 as relu6
from twinflow.nn import scale_regularization_loss as scale_regularization_loss
from twinflow.nn import selu as selu
from twinflow.nn import sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits
from twinflow.nn import silu as _swish
from twinflow.nn import silu as silu
from twinflow.nn import (
    sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
)
from twinflow.nn import with_space_to_batch as with_space_to_batch
from twinflow.random import log_uniform_candidate_sampler as log_uniform_candidate_sampler
from twinflow.random import uniform_candidate_sampler as uniform_candidate_sampler

RNNCellDeviceWrapper = _RNNCellDeviceWrapper
RNNCellDropoutWrapper = _RNNCellDropoutWrapper
RNNCellResidualWrapper = _RNNCellResidualWrapper
avg_pool_v2 = _avg_pool_v2
conv3d_backprop_filter_v2 = _conv3d_backprop_filter_v2
ctc_beam_search_decoder_v2 = _ctc_beam_search_decoder_v2
ctc_loss_v2 = _ctc_loss_v2
depthwise_conv2d_native_backprop_filter = _depthwise_conv2d_native_backprop_filter
depthwise_conv2d_native_backprop_input = _depthwise_conv2d_native_backprop_input
lrn = _lrn
max_pool_v2 = _max_pool_v2
swish = _swish

def avg_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: Any = "NHWC",
    name: Any = None,
    input: Any = None,
) -> Any:
    """``tf.nn.avg_pool`` with the order and the older names of its arguments."""

def avg_pool2d(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: Any = "NHWC",
    name: Any = None,
    input: Any = None,
) -> Any:
    """``tf.nn.avg_pool2d`` with the order and the older names of its arguments."""

def batch_norm_with_global_normalization(
    t: Any = None,
    m: Any = None,
    v: Any = None,
    beta: Any = None,
    gamma: Any = None,
    variance_epsilon: Any = None,
    scale_after_normalization: Any = None,
    name: Any = None,
    input: Any = None,
    mean: Any = None,
    variance: Any = None,
) -> Any:
    """``tf.nn.batch_norm_with_global_normalization`` with the order and the older names of its arguments."""

def bidirectional_dynamic_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    parallel_iterations: Any = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[Any, Any]:
    """Runs two cells over the time steps of their inputs, one forward and one backward."""

def conv1d(
    value: Any = None,
    filters: Any = None,
    stride: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: Any = None,
    data_format: Any = None,
    name: Any = None,
    input: Any = None,
    dilations: Any = None,
) -> Any:
    """``tf.nn.conv1d`` with the order and the older names of its arguments."""

def conv2d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: Any = True,
    data_format: Any = "NHWC",
    dilations: Any = ...,
    name: Any = None,
    filters: Any = None,
) -> Any:
    """``tf.nn.conv2d`` with the order and the older names of its arguments."""

def conv2d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Sequence[SupportsIndex] = ...,
    name: str | None = None,
) -> Any:
    """Computes the gradient of ``conv2d`` with respect to its filters."""

def conv2d_backprop_input(
    input_sizes: Any,
    filter: Any = None,
    out_backprop: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Sequence[SupportsIndex] = ...,
    name: str | None = None,
    filters: Any = None,
) -> Any:
    """Computes the gradient of ``conv2d`` with respect to its images."""

def conv2d_transpose(
    value: Any = None,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: Any = "SAME",
    data_format: Any = "NHWC",
    name: Any = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Any:
    """``tf.nn.conv2d_transpose`` with the order and the older names of its arguments."""

def conv3d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    data_format: Any = "NDHWC",
    dilations: Any = ...,
    name: Any = None,
    filters: Any = None,
) -> Any:
    """``tf.nn.conv3d`` with the order and the older names of its arguments."""

def conv3d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    dilations: Sequence[SupportsIndex] = ...,
    name: str | None = None,
) -> Any:
    """Computes the gradient of ``conv3d`` with respect to its filters."""

def conv3d_transpose(
    value: Any,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: Any = "SAME",
    data_format: Any = "NDHWC",
    name: Any = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Any:
    """``tf.nn.conv3d_transpose`` with the order and the older names of its arguments."""

def convolution(
    input: Any,
    filter: Any,
    padding: Any,
    strides: Any = None,
    dilation_rate: Any = None,
    name: Any = None,
    data_format: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Any:
    """``tf.nn.convolution`` with the order and the older names of its arguments."""

def crelu(features: Any, name: Any = None, axis: Any = -1) -> Any:
    """``tf.nn.crelu`` with the order and the older names of its arguments."""

def ctc_beam_search_decoder(
    inputs: Any,
    sequence_length: Any,
    beam_width: SupportsIndex = 100,
    top_paths: SupportsIndex = 1,
    merge_repeated: bool = True,
) -> Any:
    """Performs beam search decoding of CTC logits."""

def ctc_loss(
    labels: Any,
    inputs: Any = None,
    sequence_length: Any = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: Any = None,
) -> Any:
    """Computes the CTC (connectionist temporal classification) loss of sparse labels."""

def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    rate: Any = None,
    name: Any = None,
    data_format: Any = None,
    dilations: Any = None,
) -> Any:
    """``tf.nn.depthwise_conv2d`` with the order and the older names of its arguments."""

def depthwise_conv2d_native(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Sequence[SupportsIndex] = ...,
    name: str | None = None,
) -> Any:
    """Computes a depthwise 2-D convolution: each channel has its own filters."""

def dilation2d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    rates: Any = None,
    padding: Any = None,
    name: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Any:
    """``tf.nn.dilation2d`` with the order and the older names of its arguments."""

def dropout(
    x: Any,
    keep_prob: Any = None,
    noise_shape: Any = None,
    seed: Any = None,
    name: Any = None,
    rate: Any = None,
) -> Any:
    """``tf.nn.dropout`` with the order and the older names of its arguments."""

def dynamic_rnn(
    cell: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state: Any = None,
    dtype: Any = None,
    parallel_iterations: Any = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[Any, Any]:
    """Runs a cell over the time steps of its inputs, in a loop."""

def embedding_lookup(
    params: Any,
    ids: Any,
    partition_strategy: Any = "mod",
    name: Any = None,
    validate_indices: Any = True,
    max_norm: Any = None,
) -> Any:
    """``tf.nn.embedding_lookup`` with the order and the older names of its arguments."""

def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    partition_strategy: Any = "mod",
    name: Any = None,
    combiner: Any = None,
    max_norm: Any = None,
    allow_fast_lookup: Any = False,
) -> Any:
    """``tf.nn.embedding_lookup_sparse`` with the order and the older names of its arguments."""

def erosion2d(
    value: Any, kernel: Any, strides: Any, rates: Any, padding: Any, name: Any = None
) -> Any:
    """``tf.nn.erosion2d`` with the order and the older names of its arguments."""

def fractional_avg_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: SupportsIndex = 0,
    seed2: SupportsIndex = 0,
    name: str | None = None,
) -> Any:
    """Performs fractional average pooling over images."""

def fractional_max_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: SupportsIndex = 0,
    seed2: SupportsIndex = 0,
    name: str | None = None,
) -> Any:
    """Performs fractional max pooling over images."""

def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: SupportsFloat = 0.001,
    data_format: str = "NHWC",
    is_training: Any = True,
    name: str | None = None,
    exponential_avg_factor: Any = 1.0,
) -> tuple[Any, Any, Any]:
    """Applies batch normalization to images."""

def in_top_k(predictions: Any, targets: Any, k: Any, name: Any = None) -> Any:
    """``tf.nn.in_top_k`` with the order and the older names of its arguments."""

def log_softmax(logits: Any, axis: Any = None, name: Any = None, dim: Any = None) -> Any:
    """``tf.nn.log_softmax`` with the order and the older names of its arguments."""

def max_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: Any = "NHWC",
    name: Any = None,
    input: Any = None,
) -> Any:
    """``tf.nn.max_pool`` with the order and the older names of its arguments."""

def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: Any = "NHWC",
    Targmax: Any = None,
    name: Any = None,
    output_dtype: Any = None,
    include_batch_in_index: Any = False,
) -> Any:
    """``tf.nn.max_pool_with_argmax`` with the order and the older names of its arguments."""

def moments(
    x: Any,
    axes: Any,
    shift: Any = None,
    name: Any = None,
    keep_dims: Any = None,
    keepdims: Any = None,
) -> Any:
    """``tf.nn.moments`` with the order and the older names of its arguments."""

def nce_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: Any,
    num_classes: Any,
    num_true: Any = 1,
    sampled_values: Any = None,
    remove_accidental_hits: Any = False,
    partition_strategy: Any = "mod",
    name: Any = "nce_loss",
) -> Any:
    """``tf.nn.nce_loss`` with the order and the older names of its arguments."""

def pool(
    input: Any,
    window_shape: Any,
    pooling_type: Any,
    padding: Any,
    dilation_rate: Any = None,
    strides: Any = None,
    name: Any = None,
    data_format: Any = None,
    dilations: Any = None,
) -> Any:
    """``tf.nn.pool`` with the order and the older names of its arguments."""

def raw_rnn(
    cell: Any,
    loop_fn: Callable[..., Any],
    parallel_iterations: Any = None,
    swap_memory: bool = False,
    scope: Any = None,
) -> tuple[Any, Any, Any]:
    """Runs a cell in a loop that a function controls."""

def relu_layer(x: Any, weights: Any, biases: Any, name: str | None = None) -> Any:
    """Computes ``relu(matmul(x, weights) + biases)``."""

def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: Any = "mean",
    default_id: Any = None,
    name: Any = None,
    partition_strategy: Any = "div",
    max_norm: Any = None,
    allow_fast_lookup: Any = False,
) -> Any:
    """``tf.nn.safe_embedding_lookup_sparse`` with the order and the older names of its arguments."""

def sampled_softmax_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: Any,
    num_classes: Any,
    num_true: Any = 1,
    sampled_values: Any = None,
    remove_accidental_hits: Any = True,
    partition_strategy: Any = "mod",
    name: Any = "sampled_softmax_loss",
    seed: Any = None,
) -> Any:
    """``tf.nn.sampled_softmax_loss`` with the order and the older names of its arguments."""

def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    rate: Any = None,
    name: Any = None,
    data_format: Any = None,
    dilations: Any = None,
) -> Any:
    """``tf.nn.separable_conv2d`` with the order and the older names of its arguments."""

def softmax(logits: Any, axis: Any = None, name: Any = None, dim: Any = None) -> Any:
    """``tf.nn.softmax`` with the order and the older names of its arguments."""

def softmax_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, dim: Any = -1, name: Any = None, axis: Any = None
) -> Any:
    """``tf.nn.softmax_cross_entropy_with_logits`` with the order and the older names of its arguments."""

def softmax_cross_entropy_with_logits_v2(
    labels: Any, logits: Any, axis: Any = None, name: Any = None, dim: Any = None
) -> Any:
    """``tf.nn.softmax_cross_entropy_with_logits_v2`` with the order and the older names of its arguments."""

def static_bidirectional_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Sequence[Any],
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any, Any]:
    """Runs two cells over a list of inputs, one forward and one backward."""

def static_rnn(
    cell: Any,
    inputs: Sequence[Any],
    initial_state: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """Runs a cell over a list of inputs, one operation after the other."""

def static_state_saving_rnn(
    cell: Any,
    inputs: Sequence[Any],
    state_saver: Any,
    state_name: Any,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """Runs a cell over a list of inputs, from a state that is stored and to it."""

def sufficient_statistics(
    x: Any,
    axes: Any,
    shift: Any = None,
    keep_dims: Any = None,
    name: Any = None,
    keepdims: Any = None,
) -> Any:
    """``tf.nn.sufficient_statistics`` with the order and the older names of its arguments."""

def weighted_cross_entropy_with_logits(
    labels: Any = None,
    logits: Any = None,
    pos_weight: Any = None,
    name: Any = None,
    targets: Any = None,
) -> Any:
    """``tf.nn.weighted_cross_entropy_with_logits`` with the order and the older names of its arguments."""

def weighted_moments(
    x: Any,
    axes: Any,
    frequency_weights: Any,
    name: Any = None,
    keep_dims: Any = None,
    keepdims: Any = None,
) -> Any:
    """``tf.nn.weighted_moments`` with the order and the older names of its arguments."""

def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Any:
    """Computes ``matmul(x, weights) + biases``."""
