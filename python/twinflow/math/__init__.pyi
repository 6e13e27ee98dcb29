# Computed from the op table by tools/make_stubs.py.

from typing import Any, SupportsFloat, SupportsIndex

from twinflow import abs as abs
from twinflow import acos as acos
from twinflow import acosh as acosh
from twinflow import add as add
from twinflow import add_n as add_n
from twinflow import argmax as argmax
from twinflow import argmin as argmin
from twinflow import asin as asin
from twinflow import asinh as asinh
from twinflow import atan as atan
from twinflow import atan2 as atan2
from twinflow import atanh as atanh
from twinflow import cos as cos
from twinflow import cosh as cosh
from twinflow import cumsum as cumsum
from twinflow import divide as divide
from twinflow import equal as equal
from twinflow import exp as exp
from twinflow import floor as floor
from twinflow import greater as greater
from twinflow import greater_equal as greater_equal
from twinflow import less as less
from twinflow import less_equal as less_equal
from twinflow import logical_and as logical_and
from twinflow import logical_not as logical_not
from twinflow import logical_or as logical_or
from twinflow import maximum as maximum
from twinflow import minimum as minimum
from twinflow import multiply as multiply
from twinflow import negative as negative
from twinflow import not_equal as not_equal
from twinflow import pow as pow
from twinflow import reduce_all as reduce_all
from twinflow import reduce_any as reduce_any
from twinflow import reduce_logsumexp as reduce_logsumexp
from twinflow import reduce_max as reduce_max
from twinflow import reduce_mean as reduce_mean
from twinflow import reduce_min as reduce_min
from twinflow import reduce_prod as reduce_prod
from twinflow import reduce_sum as reduce_sum
from twinflow import round as round
from twinflow import scalar_mul as scalar_mul
from twinflow import sigmoid as sigmoid
from twinflow import sign as sign
from twinflow import sin as sin
from twinflow import sinh as sinh
from twinflow import sqrt as sqrt
from twinflow import square as square
from twinflow import subtract as subtract
from twinflow import tan as tan
from twinflow import tanh as tanh
from twinflow import truediv as truediv
from twinflow._src.core.tensor import Tensor
from twinflow._src.ops.array.sort import TopKV2
from twinflow.linalg import l2_normalize as l2_normalize
from twinflow.math import floormod as _mod
from twinflow.math import special as special

mod = _mod

def accumulate_n(
    inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: str | None = None
) -> Any:
    """Computes the element-wise sum of a list of tensors."""

def angle(input: Any, name: str | None = None) -> Any:
    """Returns the angle (argument) of a real or complex tensor, in radians."""

def approx_max_k(
    operand: Any,
    k: SupportsIndex,
    reduction_dimension: SupportsIndex = -1,
    recall_target: SupportsFloat = 0.95,
    reduction_input_size_override: SupportsIndex = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> Any:
    """Returns the k largest elements along an axis."""

def approx_min_k(
    operand: Any,
    k: SupportsIndex,
    reduction_dimension: SupportsIndex = -1,
    recall_target: SupportsFloat = 0.95,
    reduction_input_size_override: SupportsIndex = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> Any:
    """Returns the k smallest elements along an axis."""

def bessel_i0(x: Any, name: str | None = None) -> Tensor:
    """Computes the modified Bessel function of the first kind of order 0."""

def bessel_i0e(x: Any, name: str | None = None) -> Tensor:
    """Computes the exponentially scaled modified Bessel function of the first kind of order 0."""

def bessel_i1(x: Any, name: str | None = None) -> Tensor:
    """Computes the modified Bessel function of the first kind of order 1."""

def bessel_i1e(x: Any, name: str | None = None) -> Tensor:
    """Computes the exponentially scaled modified Bessel function of the first kind of order 1."""

def betainc(a: Any, b: Any, x: Any, name: str | None = None) -> Tensor:
    """Computes the regularized incomplete beta function."""

def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = ...,
    name: str | None = None,
    axis: SupportsIndex | None = None,
    binary_output: bool = False,
) -> Any:
    """Counts the occurrences of each value in an integer tensor."""

def ceil(x: Any, name: str | None = None) -> Tensor:
    """Returns the smallest integer not less than x, element-wise."""

def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    weights: Any = None,
    dtype: Any = ...,
    name: str | None = None,
) -> Any:
    """Computes the confusion matrix: rows are the labels, columns the predictions."""

def conj(x: Any, name: str | None = None) -> Any:
    """Returns the complex conjugate of a tensor."""

def count_nonzero(
    input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    dtype: Any = ...,
    name: str | None = None,
) -> Any:
    """Counts the nonzero elements (non-empty strings) along axes."""

def cumprod(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Computes the cumulative product along an axis."""

def cumulative_logsumexp(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Computes the cumulative ``log(sum(exp(x)))`` along an axis, without overflow."""

def digamma(x: Any, name: str | None = None) -> Tensor:
    """Computes the digamma function, the derivative of ``lgamma``, element-wise."""

def divide_no_nan(x: Any, y: Any, name: str | None = None) -> Any:
    """Returns x / y element-wise, and 0 where y is 0; integers are cast to float."""

def erf(x: Any, name: str | None = None) -> Tensor:
    """Computes the error function element-wise."""

def erfc(x: Any, name: str | None = None) -> Tensor:
    """Computes the complementary error function ``1 - erf(x)`` element-wise, without cancellation."""

def erfcinv(x: Any, name: str | None = None) -> Any:
    """Computes the inverse complementary error function element-wise."""

def erfinv(x: Any, name: str | None = None) -> Tensor:
    """Computes the inverse error function element-wise."""

def expm1(x: Any, name: str | None = None) -> Tensor:
    """Returns exp(x) - 1 element-wise, accurate near 0."""

def floordiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x / y rounded towards negative infinity, element-wise."""

def floormod(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns the remainder of floor division, element-wise; it has the sign of y."""

def igamma(a: Any, x: Any, name: str | None = None) -> Tensor:
    """Computes the lower regularized incomplete gamma function."""

def igammac(a: Any, x: Any, name: str | None = None) -> Tensor:
    """Computes the upper regularized incomplete gamma function."""

def imag(input: Any, name: str | None = None) -> Any:
    """Returns the imaginary part of a real or complex tensor."""

def in_top_k(targets: Any, predictions: Any, k: Any, name: str | None = None) -> Any:
    """Returns True for each target that is among the k largest predictions of its row."""

def invert_permutation(x: Any, name: str | None = None) -> Any:
    """Returns the inverse of a permutation."""

def is_finite(x: Any, name: str | None = None) -> Tensor:
    """Returns True where x is finite, element-wise."""

def is_inf(x: Any, name: str | None = None) -> Tensor:
    """Returns True where x is positive or negative infinity, element-wise."""

def is_nan(x: Any, name: str | None = None) -> Tensor:
    """Returns True where x is NaN, element-wise."""

def is_non_decreasing(x: Any, name: str | None = None) -> Any:
    """Returns True if no element is smaller than its predecessor."""

def is_strictly_increasing(x: Any, name: str | None = None) -> Any:
    """Returns True if every element is larger than its predecessor."""

def lbeta(x: Any, name: str | None = None) -> Any:
    """Computes the logarithm of the absolute value of the beta function along the last dimension."""

def lgamma(x: Any, name: str | None = None) -> Tensor:
    """Computes the logarithm of the absolute value of the gamma function element-wise."""

def log(x: Any, name: str | None = None) -> Tensor:
    """Returns the natural logarithm of x, element-wise."""

def log1p(x: Any, name: str | None = None) -> Tensor:
    """Returns log(1 + x) element-wise, accurate near 0."""

def log_sigmoid(x: Any, name: str | None = None) -> Any:
    """Computes the logarithm of the sigmoid element-wise, without overflow."""

def log_softmax(logits: Any, axis: Any = None, name: str | None = None) -> Any:
    """Computes log-softmax along an axis: ``x - log(sum(exp(x)))``."""

def logical_xor(x: Any, y: Any, name: str = "LogicalXor") -> Any:
    """Returns the logical XOR of x and y, element-wise."""

def multiply_no_nan(x: Any, y: Any, name: str | None = None) -> Any:
    """Returns x * y element-wise, and 0 where y is 0 even if x is not finite."""

def ndtri(x: Any, name: str | None = None) -> Tensor:
    """Computes the quantile function of the standard normal distribution."""

def nextafter(x1: Any, x2: Any, name: str | None = None) -> Tensor:
    """Returns the next representable value after x1 in the direction of x2, element-wise."""

def polygamma(a: Any, x: Any, name: str | None = None) -> Tensor:
    """Computes the polygamma function: the ``a``-th derivative of the digamma function at ``x``."""

def polyval(coeffs: Any, x: Any, name: str | None = None) -> Any:
    """Evaluates a polynomial element-wise, by Horner's method."""

def real(input: Any, name: str | None = None) -> Any:
    """Returns the real part of a real or complex tensor."""

def reciprocal(x: Any, name: str | None = None) -> Tensor:
    """Returns the reciprocal of x, element-wise."""

def reciprocal_no_nan(x: Any, name: str | None = None) -> Any:
    """Returns 1 / x element-wise, and 0 where x is 0."""

def reduce_euclidean_norm(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Computes the Euclidean norm of elements along axes; rounded down for integers."""

def reduce_std(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """Computes the (population) standard deviation of elements along axes."""

def reduce_variance(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """Computes the (population) variance of elements along axes."""

def rint(x: Any, name: str | None = None) -> Tensor:
    """Rounds x to the nearest integer, element-wise; halves round to even."""

def rsqrt(x: Any, name: str | None = None) -> Tensor:
    """Returns the reciprocal of the square root of x, element-wise."""

def segment_max(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Computes the maximum of the rows of each segment; 0 for empty segments."""

def segment_mean(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Computes the mean of the rows of each segment; 0 for empty segments."""

def segment_min(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Computes the minimum of the rows of each segment; 0 for empty segments."""

def segment_prod(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Computes the product of the rows of each segment; 1 for empty segments."""

def segment_sum(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Computes the sum of the rows of each segment; 0 for empty segments."""

def sobol_sample(
    dim: Any, num_results: Any, skip: Any = 0, dtype: Any = ..., name: str | None = None
) -> Any:
    """Returns points of a Sobol sequence: quasi-random numbers of low discrepancy in [0, 1)."""

def softmax(logits: Any, axis: Any = None, name: str | None = None) -> Any:
    """Computes softmax along an axis: ``exp(x) / sum(exp(x))``."""

def softplus(features: Any, name: str | None = None) -> Tensor:
    """Computes softplus element-wise: ``log(1 + exp(x))``, without overflow."""

def softsign(features: Any, name: str | None = None) -> Tensor:
    """Computes softsign element-wise: ``x / (1 + abs(x))``."""

def squared_difference(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns (x - y) * (x - y) element-wise; (x - y) * conj(x - y) for complex numbers."""

def top_k(
    input: Any, k: Any = 1, sorted: bool = True, index_type: Any = ..., name: str | None = None
) -> TopKV2:
    """Returns the k largest elements along the last axis, and their indices."""

def unsorted_segment_max(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Returns maxima of the rows of each segment; the type's lowest value for one without rows."""

def unsorted_segment_mean(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Any:
    """Returns means of the rows of each segment; 0 for a segment without rows."""

def unsorted_segment_min(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Returns minima of the rows of each segment; the type's highest value for one without rows."""

def unsorted_segment_prod(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Returns products of the rows of each segment; 1 for a segment without rows."""

def unsorted_segment_sqrt_n(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Any:
    """Returns sums of the rows of each segment, divided by the square root of their number."""

def unsorted_segment_sum(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Returns sums of the rows of each segment; 0 for a segment without rows."""

def xdivy(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x / y element-wise, and 0 where x is 0 for any y."""

def xlog1py(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x * log(1 + y) element-wise, and 0 where x is 0 for any y."""

def xlogy(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x * log(y) element-wise, and 0 where x is 0 for any y."""

def zero_fraction(value: Any, name: str | None = None) -> Any:
    """Computes the fraction of elements that are zero."""

def zeta(x: Any, q: Any, name: str | None = None) -> Tensor:
    """Computes the Hurwitz zeta function: the sum of ``(q + n) ** -x`` over n = 0, 1, 2, ..."""
