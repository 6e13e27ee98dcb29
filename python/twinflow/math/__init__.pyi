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
    """Returns the sum of tensors of one shape."""

def angle(input: Any, name: str | None = None) -> Any:
    """Returns the angles of numbers in the complex plane, in radians."""

def approx_max_k(
    operand: Any,
    k: SupportsIndex,
    reduction_dimension: SupportsIndex = -1,
    recall_target: SupportsFloat = 0.95,
    reduction_input_size_override: SupportsIndex = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> Any:
    """Returns the largest elements along a dimension."""

def approx_min_k(
    operand: Any,
    k: SupportsIndex,
    reduction_dimension: SupportsIndex = -1,
    recall_target: SupportsFloat = 0.95,
    reduction_input_size_override: SupportsIndex = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> Any:
    """Returns the smallest elements along a dimension."""

def bessel_i0(x: Any, name: str | None = None) -> Tensor:
    """Returns the modified Bessel function of the first kind of order 0."""

def bessel_i0e(x: Any, name: str | None = None) -> Tensor:
    """Returns exp(-|x|) times the modified Bessel function of the first kind of order 0."""

def bessel_i1(x: Any, name: str | None = None) -> Tensor:
    """Returns the modified Bessel function of the first kind of order 1."""

def bessel_i1e(x: Any, name: str | None = None) -> Tensor:
    """Returns exp(-|x|) times the modified Bessel function of the first kind of order 1."""

def betainc(a: Any, b: Any, x: Any, name: str | None = None) -> Tensor:
    """Returns the regularised incomplete beta function."""

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
    """Returns how often each of 0, 1, 2, ... occurs."""

def ceil(x: Any, name: str | None = None) -> Tensor:
    """Returns the smallest whole numbers not below x."""

def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    weights: Any = None,
    dtype: Any = ...,
    name: str | None = None,
) -> Any:
    """Returns how often each class (row) was predicted as each class (column)."""

def conj(x: Any, name: str | None = None) -> Any:
    """Returns the conjugates of numbers."""

def count_nonzero(
    input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    dtype: Any = ...,
    name: str | None = None,
) -> Any:
    """Returns the numbers of elements that are not zero (or an empty string) along dimensions."""

def cumprod(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Returns running products along a dimension."""

def cumulative_logsumexp(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Returns running values of log(sum(exp(x))) along a dimension, without overflow."""

def digamma(x: Any, name: str | None = None) -> Tensor:
    """Returns the derivative of the logarithm of the gamma function at x."""

def divide_no_nan(x: Any, y: Any, name: str | None = None) -> Any:
    """Returns x / y element-wise, 0 where y is 0; integers divide as Python's do."""

def erf(x: Any, name: str | None = None) -> Tensor:
    """Returns the error function of x."""

def erfc(x: Any, name: str | None = None) -> Tensor:
    """Returns 1 - erf(x), exact where that is small."""

def erfcinv(x: Any, name: str | None = None) -> Any:
    """Returns the number whose complementary error function is x."""

def erfinv(x: Any, name: str | None = None) -> Tensor:
    """Returns the number whose error function is x."""

def expm1(x: Any, name: str | None = None) -> Tensor:
    """Returns exp(x) - 1, exact near 0."""

def floordiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns the largest whole numbers not above x / y."""

def floormod(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns what floor division leaves, with the sign of y."""

def igamma(a: Any, x: Any, name: str | None = None) -> Tensor:
    """Returns the lower regularised incomplete gamma function."""

def igammac(a: Any, x: Any, name: str | None = None) -> Tensor:
    """Returns the upper regularised incomplete gamma function."""

def imag(input: Any, name: str | None = None) -> Any:
    """Returns the imaginary parts of numbers."""

def in_top_k(targets: Any, predictions: Any, k: Any, name: str | None = None) -> Any:
    """Returns whether targets are among the largest predictions."""

def invert_permutation(x: Any, name: str | None = None) -> Any:
    """Returns the permutation that undoes another one."""

def is_finite(x: Any, name: str | None = None) -> Tensor:
    """Returns whether x is a finite number."""

def is_inf(x: Any, name: str | None = None) -> Tensor:
    """Returns whether x is infinite."""

def is_nan(x: Any, name: str | None = None) -> Tensor:
    """Returns whether x is not a number."""

def is_non_decreasing(x: Any, name: str | None = None) -> Any:
    """Returns whether no element is smaller than the one before it."""

def is_strictly_increasing(x: Any, name: str | None = None) -> Any:
    """Returns whether every element is larger than the one before it."""

def lbeta(x: Any, name: str | None = None) -> Any:
    """Returns the logarithm of the absolute value of the beta function of vectors."""

def lgamma(x: Any, name: str | None = None) -> Tensor:
    """Returns the logarithm of the absolute value of the gamma function of x."""

def log(x: Any, name: str | None = None) -> Tensor:
    """Returns the natural logarithm of x."""

def log1p(x: Any, name: str | None = None) -> Tensor:
    """Returns log(1 + x), exact near 0."""

def log_sigmoid(x: Any, name: str | None = None) -> Any:
    """Returns the logarithm of the logistic function, without overflow."""

def log_softmax(logits: Any, axis: Any = None, name: str | None = None) -> Any:
    """Returns x - log(sum(exp(x))) along a dimension."""

def logical_xor(x: Any, y: Any, name: str = "LogicalXor") -> Any:
    """Returns whether exactly one of x and y is true, element-wise."""

def multiply_no_nan(x: Any, y: Any, name: str | None = None) -> Any:
    """Returns x * y element-wise, and 0 where y is 0 even if x is not finite."""

def ndtri(x: Any, name: str | None = None) -> Tensor:
    """Returns quantiles of the standard normal distribution."""

def nextafter(x1: Any, x2: Any, name: str | None = None) -> Tensor:
    """Returns the next number of the type after x1 in the direction of x2."""

def polygamma(a: Any, x: Any, name: str | None = None) -> Tensor:
    """Returns derivatives of the digamma function."""

def polyval(coeffs: Any, x: Any, name: str | None = None) -> Any:
    """Returns the value of a polynomial, by Horner's scheme."""

def real(input: Any, name: str | None = None) -> Any:
    """Returns the real parts of numbers."""

def reciprocal(x: Any, name: str | None = None) -> Tensor:
    """Returns 1 / x."""

def reciprocal_no_nan(x: Any, name: str | None = None) -> Any:
    """Returns 1 / x, and 0 where x is 0."""

def reduce_euclidean_norm(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Returns square roots of sums of squares along dimensions; rounded down for integers."""

def reduce_std(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """Returns standard deviations along dimensions (of all elements, not of a sample)."""

def reduce_variance(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """Returns variances along dimensions (divided by the number of elements)."""

def rint(x: Any, name: str | None = None) -> Tensor:
    """Returns the nearest whole numbers, halves to the even one."""

def rsqrt(x: Any, name: str | None = None) -> Tensor:
    """Returns 1 / sqrt(x)."""

def segment_max(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Returns maxima of the rows of each segment; 0 for a segment without rows."""

def segment_mean(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Returns means of the rows of each segment; 0 for a segment without rows."""

def segment_min(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Returns minima of the rows of each segment; 0 for a segment without rows."""

def segment_prod(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Returns products of the rows of each segment; 1 for a segment without rows."""

def segment_sum(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Returns sums of the rows of each segment; 0 for a segment without rows."""

def softmax(logits: Any, axis: Any = None, name: str | None = None) -> Any:
    """Returns exp(x) divided by its sum along a dimension."""

def softplus(features: Any, name: str | None = None) -> Tensor:
    """Returns log(1 + exp(x)), without overflow."""

def softsign(features: Any, name: str | None = None) -> Tensor:
    """Returns x / (1 + |x|)."""

def squared_difference(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns the squares of x - y (times the conjugate, for complex numbers)."""

def top_k(
    input: Any, k: Any = 1, sorted: bool = True, index_type: Any = ..., name: str | None = None
) -> TopKV2:
    """Returns the largest elements along the last dimension, and their indices."""

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
    """Returns x / y element-wise, and 0 where x is 0 whatever y is."""

def xlog1py(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x * log(1 + y) element-wise, and 0 where x is 0 whatever y is."""

def xlogy(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x * log(y) element-wise, and 0 where x is 0 whatever y is."""

def zero_fraction(value: Any, name: str | None = None) -> Any:
    """Returns the fraction of elements that are zero."""

def zeta(x: Any, q: Any, name: str | None = None) -> Tensor:
    """Returns Hurwitz' zeta function, the sum of (q + n)^-x over n = 0, 1, 2, ..."""
