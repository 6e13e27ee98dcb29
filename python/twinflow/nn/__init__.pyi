# Computed from the op table by tools/make_stubs.py.

from collections.abc import Callable
from typing import Any, SupportsFloat, SupportsIndex

from twinflow import sigmoid as sigmoid
from twinflow import space_to_batch as space_to_batch
from twinflow import tanh as tanh
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
    """Returns all classes."""

def atrous_conv2d(
    value: Any, filters: Any, rate: SupportsIndex, padding: str, name: str | None = None
) -> Any:
    """Returns the convolution of images with filters whose elements lie apart."""

def atrous_conv2d_transpose(
    value: Any,
    filters: Any,
    output_shape: Any,
    rate: SupportsIndex,
    padding: str,
    name: str | None = None,
) -> Any:
    """Returns the transposed convolution of images with filters whose elements lie apart."""

def avg_pool(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Any:
    """Returns the mean element of each window over one to three spatial dimensions."""

def avg_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NWC",
    name: str | None = None,
) -> Any:
    """Returns the mean element of each window over sequences; padding does not count."""

def avg_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Any:
    """Returns the mean element of each window over images; padding does not count."""

def avg_pool3d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Any:
    """Returns the mean element of each window over volumes; padding does not count."""

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
    """Returns a tensor normalised by a mean and a variance of each channel."""

def batch_normalization(
    x: Any,
    mean: Any,
    variance: Any,
    offset: Any,
    scale: Any,
    variance_epsilon: Any,
    name: str | None = None,
) -> Any:
    """Returns x with a mean taken away, divided by a standard deviation, scaled and shifted."""

def bias_add(value: Any, bias: Any, data_format: str | None = None, name: str | None = None) -> Any:
    """Returns a tensor with a bias added to each channel."""

def collapse_repeated(labels: Any, seq_length: Any, name: str | None = None) -> Any:
    """Returns labels of which those that follow themselves count once."""

def compute_accidental_hits(
    true_classes: Any,
    sampled_candidates: Any,
    num_true: SupportsIndex,
    seed: SupportsIndex | None = None,
    name: str | None = None,
) -> Any:
    """Returns where candidates happen to be true classes."""

def compute_average_loss(
    per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None
) -> Any:
    """Returns the sum of the losses of examples divided by the size of the batch."""

def conv1d(
    input: Any,
    filters: Any,
    stride: Any,
    padding: Any,
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Returns the one-dimensional convolution of sequences with filters."""

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
    """Returns the transposed one-dimensional convolution."""

def conv2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Returns the two-dimensional convolution of images with filters."""

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
    """Returns the transposed convolution: what a convolution's derivative by its input is."""

def conv3d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Returns the three-dimensional convolution of volumes with filters."""

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
    """Returns the transposed three-dimensional convolution."""

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
    """Returns the transposed convolution of one to three spatial dimensions."""

def convolution(
    input: Any,
    filters: Any,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Returns the convolution of tensors of one to three spatial dimensions with filters."""

def crelu(features: Any, axis: SupportsIndex = -1, name: str | None = None) -> Any:
    """Returns the positive and the negative parts of numbers, joined along a dimension."""

def ctc_greedy_decoder(
    inputs: Any, sequence_length: Any, merge_repeated: bool = True, blank_index: Any = None
) -> Any:
    """Returns the likeliest label of each step, without blanks."""

def ctc_unique_labels(labels: Any, name: str | None = None) -> Any:
    """Returns the different labels of each row, and which of them each label is."""

def depth_to_space(
    input: Any, block_size: SupportsIndex, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Returns images with channels moved into square blocks of pixels."""

def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Returns the convolution of each channel of images with filters of its own."""

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
    """Returns the derivative of a convolution of each channel by its filters."""

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
    """Returns the derivative of a convolution of each channel by its input."""

def dilation2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: str,
    data_format: str,
    dilations: Any,
    name: str | None = None,
) -> Any:
    """Returns the largest sums of images and a window that moves over them."""

def dropout(
    x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: str | None = None
) -> Any:
    """Returns a tensor with some elements set to zero and the others scaled up."""

def elu(features: Any, name: str | None = None) -> Tensor:
    """Returns positive numbers as they are and exp(x) - 1 for negative ones."""

def embedding_lookup(params: Any, ids: Any, max_norm: Any = None, name: str | None = None) -> Any:
    """Returns rows of a table, or of a table that is given in parts."""

def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    combiner: str | None = None,
    max_norm: Any = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Any:
    """Returns rows of a table, combined: for each row of a sparse matrix those that it names."""

def erosion2d(
    value: Any,
    filters: Any,
    strides: Any,
    padding: str,
    data_format: str,
    dilations: Any,
    name: str | None = None,
) -> Any:
    """Returns the smallest differences of images and a window that moves over them."""

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
    """Returns classes to compare true ones with, by given weights."""

def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Any:
    """Returns x times the probability that a normal random number is less than x."""

def isotonic_regression(inputs: Any, decreasing: bool = True, axis: SupportsIndex = -1) -> Any:
    """Returns the closest numbers that only descend, or only ascend, along a dimension."""

def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """Returns half the sum of the squares of all elements."""

def leaky_relu(features: Any, alpha: Any = 0.2, name: str | None = None) -> Any:
    """Returns positive numbers as they are and negative ones times a factor."""

def learned_unigram_candidate_sampler(
    true_classes: Any,
    num_true: SupportsIndex,
    num_sampled: SupportsIndex,
    unique: bool,
    range_max: SupportsIndex,
    seed: SupportsIndex | None = None,
    name: str | None = None,
) -> Any:
    """Returns classes by how often they were true in earlier calls with the same seeds."""

def local_response_normalization(
    input: Any,
    depth_radius: SupportsIndex = 5,
    bias: SupportsFloat = 1.0,
    alpha: SupportsFloat = 1.0,
    beta: SupportsFloat = 0.5,
    name: str | None = None,
) -> Tensor:
    """Returns numbers divided by a power of the sum of squares of their neighbours in depth."""

def log_poisson_loss(
    targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None
) -> Any:
    """Returns the losses of counts whose expected values are known by their logarithms."""

def max_pool(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Any:
    """Returns the largest element of each window over one to three spatial dimensions."""

def max_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NWC",
    name: str | None = None,
) -> Any:
    """Returns the largest element of each window over sequences."""

def max_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Any:
    """Returns the largest element of each window over images."""

def max_pool3d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Any:
    """Returns the largest element of each window over volumes."""

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
    """Returns the largest element of each window over images, and where it lies."""

def moments(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """Returns means and variances along dimensions."""

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
    """Returns noise-contrastive losses: true classes against sampled ones."""

def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> Any:
    """Returns means and variances from what ``tf.nn.sufficient_statistics`` gives."""

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
    """Returns the largest or the mean element of each window over one to three spatial dimensions."""

def relu(features: Any, name: str | None = None) -> Tensor:
    """Returns the positive part of numbers."""

def relu6(features: Any, name: str | None = None) -> Any:
    """Returns numbers limited to the range from 0 to 6."""

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
    """Returns rows of a table, combined; numbers that cannot be are left out."""

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
    """Returns softmax losses over the true classes and sampled ones."""

def scale_regularization_loss(regularization_loss: Any) -> Any:
    """Returns the sum of regularisation losses divided by the number of replicas."""

def selu(features: Any, name: str | None = None) -> Tensor:
    """Returns scaled exponential linear units."""

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
    """Returns the convolution of each channel, mixed by a second convolution of single pixels."""

def sigmoid_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Any:
    """Returns cross entropies between labels and the logistic function of logits, element-wise."""

def silu(features: Any, beta: Any = 1.0) -> Any:
    """Returns x times the logistic function of beta x."""

def softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, axis: SupportsIndex = -1, name: str | None = None
) -> Any:
    """Returns cross entropies between labels and the softmax of logits."""

def space_to_depth(
    input: Any, block_size: SupportsIndex, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Returns images with square blocks of pixels moved into the channels."""

def sparse_softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, name: str | None = None
) -> Any:
    """Returns cross entropies between classes and the softmax of logits."""

def sufficient_statistics(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """Returns what means and variances can be computed from: counts, sums and sums of squares."""

def weighted_cross_entropy_with_logits(
    labels: Any, logits: Any, pos_weight: Any, name: str | None = None
) -> Any:
    """Returns logistic cross entropies in which positive examples have a weight of their own."""

def weighted_moments(
    x: Any, axes: Any, frequency_weights: Any, keepdims: bool = False, name: str | None = None
) -> Any:
    """Returns means and variances along dimensions, of elements that count with weights."""

def with_space_to_batch(
    input: Any,
    dilation_rate: Any,
    padding: Any,
    op: Callable[[Any, SupportsIndex, Any], Any],
    filter_shape: Any = None,
    spatial_dims: Any = None,
    data_format: str | None = None,
) -> Any:
    """Applies an operation on windows so that the elements of each window lie apart."""
