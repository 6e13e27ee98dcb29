# Computed from the op table by tools/make_stubs.py.

from collections.abc import Callable
from typing import Any, SupportsFloat, SupportsIndex

from twinflow import sigmoid as sigmoid
from twinflow import space_to_batch as space_to_batch
from twinflow import tanh as tanh
from twinflow._src.compat_v1.rnn_cell_wrappers import DeviceWrapper as _RNNCellDeviceWrapper
from twinflow._src.compat_v1.rnn_cell_wrappers import DropoutWrapper as _RNNCellDropoutWrapper
from twinflow._src.compat_v1.rnn_cell_wrappers import ResidualWrapper as _RNNCellResidualWrapper
from twinflow._src.core.tensor import Tensor
from twinflow.linalg import l2_normalize as l2_normalize
from twinflow.math import approx_max_k as approx_max_k
from twinflow.math import approx_min_k as approx_min_k
from twinflow.math import in_top_k as in_top_k
from twinflow.math import log_softmax as log_softmax
from twinflow.math import softmax as softmax
from twinflow.math import softplus as softplus
from twinflow.math import softsign as softsign
from twinflow.math import top_k as top_k
from twinflow.math import zero_fraction as zero_fraction
from twinflow.nn import experimental as experimental
from twinflow.nn import local_response_normalization as _lrn
from twinflow.nn import silu as _swish

RNNCellDeviceWrapper = _RNNCellDeviceWrapper
RNNCellDropoutWrapper = _RNNCellDropoutWrapper
RNNCellResidualWrapper = _RNNCellResidualWrapper
lrn = _lrn
swish = _swish

def all_candidate_sampler(
    true_classes: Any,
    num_true: SupportsIndex,
    num_sampled: SupportsIndex,
    unique: bool,
    seed: SupportsIndex | None = None,
    name: str | None = None,
) -> Any:
    """Returns all classes as candidates."""

def atrous_conv2d(
    value: Any, filters: Any, rate: SupportsIndex, padding: str, name: str | None = None
) -> Any:
    """Computes the 2-D atrous (dilated) convolution of images with filters."""

def atrous_conv2d_transpose(
    value: Any,
    filters: Any,
    output_shape: Any,
    rate: SupportsIndex,
    padding: str,
    name: str | None = None,
) -> Any:
    """Computes the transposed 2-D atrous (dilated) convolution."""

def avg_pool(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Any:
    """Performs N-D average pooling over 1 to 3 spatial dimensions; padding is not counted."""

def avg_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NWC",
    name: str | None = None,
) -> Any:
    """Performs 1-D average pooling over sequences; padding is not counted."""

def avg_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Any:
    """Performs 2-D average pooling over images; padding is not counted."""

def avg_pool3d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Any:
    """Performs 3-D average pooling over volumes; padding is not counted."""

def batch_norm_with_global_normalization(
    input: Any,
    mean: Any,
    variance: Any,
    beta: Any,
    gamma: Any,
    variance_epsilon: SupportsFloat,
    scale_after_normalization: bool,
    name: str | None = None,
) -> Any:
    """Computes batch normalization of a tensor by means and variances of its channels."""

def batch_normalization(
    x: Any,
    mean: Any,
    variance: Any,
    offset: Any,
    scale: Any,
    variance_epsilon: Any,
    name: str | None = None,
) -> Any:
    """Normalizes ``x`` by mean and variance, then applies scale and offset."""

def bias_add(value: Any, bias: Any, data_format: str | None = None, name: str | None = None) -> Any:
    """Adds a bias to each channel of a tensor."""

def collapse_repeated(labels: Any, seq_length: Any, name: str | None = None) -> Any:
    """Merges repeated labels into single ones."""

def compute_accidental_hits(
    true_classes: Any,
    sampled_candidates: Any,
    num_true: SupportsIndex,
    seed: SupportsIndex | None = None,
    name: str | None = None,
) -> Any:
    """Computes the positions of sampled candidates that are target classes (accidental hits)."""

def compute_average_loss(
    per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None
) -> Any:
    """Scales per-example losses by the global batch size and sums them."""

def conv1d(
    input: Any,
    filters: Any,
    stride: Any,
    padding: Any,
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Computes the 1-D convolution of sequences with filters."""

def conv1d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: str = "SAME",
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Computes the transposed 1-D convolution."""

def conv2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Computes the 2-D convolution of images with filters."""

def conv2d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Computes the transposed 2-D convolution: the gradient of conv2d with respect to its input."""

def conv3d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Computes the 3-D convolution of volumes with filters."""

def conv3d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: str = "SAME",
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Computes the transposed 3-D convolution."""

def conv_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Computes the transposed N-D convolution with 1 to 3 spatial dimensions."""

def convolution(
    input: Any,
    filters: Any,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Computes the N-D convolution with 1 to 3 spatial dimensions."""

def crelu(features: Any, axis: SupportsIndex = -1, name: str | None = None) -> Any:
    """Computes concatenated ReLU: ``relu(features)`` and ``relu(-features)``, joined along an axis."""

def ctc_beam_search_decoder(
    inputs: Any, sequence_length: Any, beam_width: SupportsIndex = 100, top_paths: SupportsIndex = 1
) -> Any:
    """Performs beam search decoding of CTC logits."""

def ctc_greedy_decoder(
    inputs: Any, sequence_length: Any, merge_repeated: bool = True, blank_index: Any = None
) -> Any:
    """Performs greedy (best path) decoding of CTC logits."""

def ctc_loss(
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: Any = None,
    name: str | None = None,
) -> Any:
    """Computes the CTC (connectionist temporal classification) loss."""

def ctc_unique_labels(labels: Any, name: str | None = None) -> Any:
    """Returns the unique labels of each row, and the index of each label among them."""

def depth_to_space(
    input: Any, block_size: SupportsIndex, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Rearranges the channel dimension into square blocks of pixels."""

def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Computes a depthwise 2-D convolution: each channel has its own filters."""

def depthwise_conv2d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = ...,
    name: str | None = None,
) -> Any:
    """Computes the gradient of a depthwise convolution with respect to its filters."""

def depthwise_conv2d_backprop_input(
    input_sizes: Any,
    filter: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = ...,
    name: str | None = None,
) -> Any:
    """Computes the gradient of a depthwise convolution with respect to its input."""

def dilation2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: str,
    data_format: str,
    dilations: Any,
    name: str | None = None,
) -> Any:
    """Computes the grayscale dilation of images: the maximum of image plus filter over a window."""

def dropout(
    x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: str | None = None
) -> Any:
    """Computes dropout: sets random elements to zero and scales up the others."""

def elu(features: Any, name: str | None = None) -> Tensor:
    """Computes the exponential linear unit element-wise: x if positive, else ``exp(x) - 1``."""

def embedding_lookup(params: Any, ids: Any, max_norm: Any = None, name: str | None = None) -> Any:
    """Looks up embeddings (rows of a table) by id."""

def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    combiner: str | None = None,
    max_norm: Any = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Any:
    """Looks up embeddings for sparse ids and combines them per row."""

def erosion2d(
    value: Any,
    filters: Any,
    strides: Any,
    padding: str,
    data_format: str,
    dilations: Any,
    name: str | None = None,
) -> Any:
    """Computes the grayscale erosion of images: the minimum of image minus filter over a window."""

def fixed_unigram_candidate_sampler(
    true_classes: Any,
    num_true: SupportsIndex,
    num_sampled: SupportsIndex,
    unique: bool,
    range_max: SupportsIndex,
    vocab_file: str = "",
    distortion: SupportsFloat = 1.0,
    num_reserved_ids: SupportsIndex = 0,
    num_shards: SupportsIndex = 1,
    shard: SupportsIndex = 0,
    unigrams: Any = ...,
    seed: SupportsIndex | None = None,
    name: str | None = None,
) -> Any:
    """Samples candidate classes from a fixed unigram distribution, given by weights."""

def fractional_avg_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: SupportsIndex = 0,
    name: str | None = None,
) -> Any:
    """Performs fractional average pooling over images."""

def fractional_max_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: SupportsIndex = 0,
    name: str | None = None,
) -> Any:
    """Performs fractional max pooling over images."""

def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Any:
    """Computes the Gaussian error linear unit (GELU): x times the standard normal CDF of x."""

def isotonic_regression(inputs: Any, decreasing: bool = True, axis: SupportsIndex = -1) -> Any:
    """Computes the isotonic regression along an axis: the least-squares monotonic fit."""

def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """Computes the L2 loss: half the sum of the squares of all elements."""

def leaky_relu(features: Any, alpha: Any = 0.2, name: str | None = None) -> Any:
    """Computes leaky ReLU element-wise: ``features`` if positive, else ``alpha * features``."""

def learned_unigram_candidate_sampler(
    true_classes: Any,
    num_true: SupportsIndex,
    num_sampled: SupportsIndex,
    unique: bool,
    range_max: SupportsIndex,
    seed: SupportsIndex | None = None,
    name: str | None = None,
) -> Any:
    """Samples classes by the frequency of target classes in earlier calls with the same seeds."""

def local_response_normalization(
    input: Any,
    depth_radius: SupportsIndex = 5,
    bias: SupportsFloat = 1.0,
    alpha: SupportsFloat = 1.0,
    beta: SupportsFloat = 0.5,
    name: str | None = None,
) -> Tensor:
    """Computes local response normalization: ``input / (bias + alpha * sqr_sum) ** beta``."""

def log_poisson_loss(
    targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None
) -> Any:
    """Computes the Poisson log loss of counts, given the logarithms of the predicted rates."""

def max_pool(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Any:
    """Performs N-D max pooling over 1 to 3 spatial dimensions."""

def max_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NWC",
    name: str | None = None,
) -> Any:
    """Performs 1-D max pooling over sequences."""

def max_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Any:
    """Performs 2-D max pooling over images."""

def max_pool3d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Any:
    """Performs 3-D max pooling over volumes."""

def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    output_dtype: Any = ...,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> Any:
    """Performs max pooling over images and returns the maxima and their indices."""

def moments(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """Computes the mean and variance of a tensor along axes."""

def nce_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: SupportsIndex,
    num_classes: SupportsIndex,
    num_true: SupportsIndex = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = False,
    name: str | None = "nce_loss",
) -> Any:
    """Computes the noise-contrastive estimation (NCE) loss."""

def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> Any:
    """Computes mean and variance from sufficient statistics, see ``tf.nn.sufficient_statistics``."""

def pool(
    input: Any,
    window_shape: Any,
    pooling_type: str,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Performs N-D max or average pooling."""

def relu(features: Any, name: str | None = None) -> Tensor:
    """Computes the rectified linear unit element-wise: ``max(features, 0)``."""

def relu6(features: Any, name: str | None = None) -> Any:
    """Computes ReLU6 element-wise: ``min(max(features, 0), 6)``."""

def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str = "mean",
    default_id: Any = None,
    max_norm: Any = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Any:
    """Looks up embeddings for sparse ids and combines them, ignoring invalid ids and empty rows."""

def sampled_softmax_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: SupportsIndex,
    num_classes: SupportsIndex,
    num_true: SupportsIndex = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    seed: SupportsIndex | None = None,
    name: str | None = "sampled_softmax_loss",
) -> Any:
    """Computes the sampled softmax loss over the target classes and sampled ones."""

def scale_regularization_loss(regularization_loss: Any) -> Any:
    """Scales the sum of regularization losses by the number of replicas."""

def selu(features: Any, name: str | None = None) -> Tensor:
    """Computes the scaled exponential linear unit (SELU) element-wise."""

def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Computes a depthwise convolution followed by a pointwise (1x1) convolution."""

def sigmoid_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Any:
    """Computes sigmoid cross entropy between logits and labels, element-wise."""

def silu(features: Any, beta: Any = 1.0) -> Any:
    """Computes SiLU (swish) element-wise: ``x * sigmoid(beta * x)``."""

def softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, axis: SupportsIndex = -1, name: str | None = None
) -> Any:
    """Computes softmax cross entropy between logits and label distributions."""

def space_to_depth(
    input: Any, block_size: SupportsIndex, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Rearranges square blocks of pixels into the channel dimension."""

def sparse_softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, name: str | None = None
) -> Any:
    """Computes softmax cross entropy between logits and integer labels."""

def sufficient_statistics(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """Computes the sufficient statistics for mean and variance: count, sums and sums of squares."""

def weighted_cross_entropy_with_logits(
    labels: Any, logits: Any, pos_weight: Any, name: str | None = None
) -> Any:
    """Computes sigmoid cross entropy with a weight for positive examples, element-wise."""

def weighted_moments(
    x: Any, axes: Any, frequency_weights: Any, keepdims: bool = False, name: str | None = None
) -> Any:
    """Computes the weighted mean and variance of a tensor along axes."""

def with_space_to_batch(
    input: Any,
    dilation_rate: Any,
    padding: Any,
    op: Callable[[Any, SupportsIndex, Any], Any],
    filter_shape: Any = None,
    spatial_dims: Any = None,
    data_format: str | None = None,
) -> Any:
    """Applies a window op with dilation, by space_to_batch before and batch_to_space after it."""
