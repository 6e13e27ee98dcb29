# Computed from the op table by tools/make_stubs.py.

from typing import Any

from twinflow import abs as abs
from twinflow import acos as acos
from twinflow import acosh as acosh
from twinflow import add as add
from twinflow import add_n as add_n
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
from twinflow.compat.v1 import argmax as argmax
from twinflow.compat.v1 import argmin as argmin
from twinflow.compat.v1 import bincount as bincount
from twinflow.compat.v1 import confusion_matrix as confusion_matrix
from twinflow.compat.v1 import count_nonzero as count_nonzero
from twinflow.compat.v1 import reduce_all as reduce_all
from twinflow.compat.v1 import reduce_any as reduce_any
from twinflow.compat.v1 import reduce_logsumexp as reduce_logsumexp
from twinflow.compat.v1 import reduce_max as reduce_max
from twinflow.compat.v1 import reduce_mean as reduce_mean
from twinflow.compat.v1 import reduce_min as reduce_min
from twinflow.compat.v1 import reduce_prod as reduce_prod
from twinflow.compat.v1 import reduce_sum as reduce_sum
from twinflow.compat.v1.math import special as special
from twinflow.linalg import l2_normalize as l2_normalize
from twinflow.math import accumulate_n as accumulate_n
from twinflow.math import angle as angle
from twinflow.math import approx_max_k as approx_max_k
from twinflow.math import approx_min_k as approx_min_k
from twinflow.math import bessel_i0 as bessel_i0
from twinflow.math import bessel_i0e as bessel_i0e
from twinflow.math import bessel_i1 as bessel_i1
from twinflow.math import bessel_i1e as bessel_i1e
from twinflow.math import betainc as betainc
from twinflow.math import ceil as ceil
from twinflow.math import conj as conj
from twinflow.math import cumprod as cumprod
from twinflow.math import cumulative_logsumexp as cumulative_logsumexp
from twinflow.math import digamma as digamma
from twinflow.math import divide_no_nan as divide_no_nan
from twinflow.math import erf as erf
from twinflow.math import erfc as erfc
from twinflow.math import erfcinv as erfcinv
from twinflow.math import erfinv as erfinv
from twinflow.math import expm1 as expm1
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
from twinflow.math import multiply_no_nan as multiply_no_nan
from twinflow.math import ndtri as ndtri
from twinflow.math import nextafter as nextafter
from twinflow.math import polygamma as polygamma
from twinflow.math import polyval as polyval
from twinflow.math import real as real
from twinflow.math import reciprocal as reciprocal
from twinflow.math import reciprocal_no_nan as reciprocal_no_nan
from twinflow.math import reduce_euclidean_norm as reduce_euclidean_norm
from twinflow.math import reduce_std as reduce_std
from twinflow.math import reduce_variance as reduce_variance
from twinflow.math import rint as rint
from twinflow.math import rsqrt as rsqrt
from twinflow.math import segment_max as segment_max
from twinflow.math import segment_mean as segment_mean
from twinflow.math import segment_min as segment_min
from twinflow.math import segment_prod as segment_prod
from twinflow.math import segment_sum as segment_sum
from twinflow.math import sobol_sample as sobol_sample
from twinflow.math import softplus as softplus
from twinflow.math import softsign as softsign
from twinflow.math import squared_difference as squared_difference
from twinflow.math import top_k as top_k
from twinflow.math import unsorted_segment_max as unsorted_segment_max
from twinflow.math import unsorted_segment_mean as unsorted_segment_mean
from twinflow.math import unsorted_segment_min as unsorted_segment_min
from twinflow.math import unsorted_segment_prod as unsorted_segment_prod
from twinflow.math import unsorted_segment_sqrt_n as unsorted_segment_sqrt_n
from twinflow.math import unsorted_segment_sum as unsorted_segment_sum
from twinflow.math import xdivy as xdivy
from twinflow.math import xlog1py as xlog1py
from twinflow.math import xlogy as xlogy
from twinflow.math import zero_fraction as zero_fraction
from twinflow.math import zeta as zeta

mod = _mod

def in_top_k(predictions: Any, targets: Any, k: Any, name: Any = None) -> Any:
    """``tf.math.in_top_k`` with the order and the older names of its arguments."""

def log_softmax(logits: Any, axis: Any = None, name: Any = None, dim: Any = None) -> Any:
    """``tf.math.log_softmax`` with the order and the older names of its arguments."""

def softmax(logits: Any, axis: Any = None, name: Any = None, dim: Any = None) -> Any:
    """``tf.math.softmax`` with the order and the older names of its arguments."""
