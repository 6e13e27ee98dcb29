# Computed from the op table by tools/make_stubs.py.

from typing import Any, SupportsFloat, SupportsIndex

from numpy import bool as _bool_
from numpy import bytes_ as _string_
from numpy import complex64 as complex64
from numpy import complex128 as _complex_
from numpy import complex128 as complex128
from numpy import float16 as float16
from numpy import float32 as float32
from numpy import float64 as _float_
from numpy import float64 as float64
from numpy import iinfo as iinfo
from numpy import inexact as inexact
from numpy import int8 as int8
from numpy import int16 as int16
from numpy import int32 as int32
from numpy import int64 as _int_
from numpy import int64 as int64
from numpy import object_ as object_
from numpy import str_ as _unicode_
from numpy import uint8 as uint8
from numpy import uint16 as uint16
from numpy import uint32 as uint32
from numpy import uint64 as uint64

from twinflow._src.core.dtypes import DType
from twinflow._src.core.tensor import Tensor as _ndarray
from twinflow.experimental.numpy import random as random

bool_ = _bool_
complex_ = _complex_
e: float
float_ = _float_
inf: float
int_ = _int_
ndarray = _ndarray
newaxis: None
pi: float
string_ = _string_
unicode_ = _unicode_

def abs(x: Any) -> Any:
    """Returns absolute values."""

def absolute(x: Any) -> Any:
    """Computes the absolute value element-wise."""

def add(x1: Any, x2: Any) -> Any:
    """Returns sums; for booleans, whether one is true."""

def all(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Returns True if all elements over axes are true."""

def allclose(
    a: Any,
    b: Any,
    rtol: SupportsFloat = 1e-05,
    atol: SupportsFloat = 1e-08,
    equal_nan: bool = False,
) -> Any:
    """Returns True if all elements of two arrays are equal within a tolerance."""

def amax(a: Any, axis: Any = None, out: Any = None, keepdims: Any = None) -> Any:
    """Returns the maximum over axes."""

def amin(a: Any, axis: Any = None, out: Any = None, keepdims: Any = None) -> Any:
    """Returns the minimum over axes."""

def angle(z: Any, deg: bool = False) -> Any:
    """Returns the angle of complex numbers."""

def any(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Returns True if any element over axes is true."""

def append(arr: Any, values: Any, axis: Any = None) -> Any:
    """Appends values to the end of an array."""

def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """Returns evenly spaced values within a half-open interval."""

def arccos(x: Any) -> Any:
    """Returns the angles of cosines."""

def arccosh(x: Any) -> Any:
    """Returns inverse hyperbolic cosines."""

def arcsin(x: Any) -> Any:
    """Returns the angles of sines."""

def arcsinh(x: Any) -> Any:
    """Returns inverse hyperbolic sines."""

def arctan(x: Any) -> Any:
    """Returns the angles of tangents."""

def arctan2(x1: Any, x2: Any) -> Any:
    """Returns the angles of points, given their y and x."""

def arctanh(x: Any) -> Any:
    """Returns inverse hyperbolic tangents."""

def argmax(a: Any, axis: Any = None) -> Any:
    """Returns the index of the largest element."""

def argmin(a: Any, axis: Any = None) -> Any:
    """Returns the index of the smallest element."""

def argsort(a: Any, axis: Any = -1, kind: str = "quicksort", order: Any = None) -> Any:
    """Returns the indices that sort an array."""

def around(a: Any, decimals: SupportsIndex = 0) -> Any:
    """Rounds to a number of decimals, half to even."""

def array(val: Any, dtype: Any = None, copy: bool = True, ndmin: SupportsIndex = 0) -> Any:
    """Creates a tensor with NumPy's default dtypes."""

def array_equal(a1: Any, a2: Any) -> Any:
    """Returns True if two arrays have the same shape and elements."""

def asanyarray(a: Any, dtype: Any = None) -> Any:
    """Converts a value to a tensor; a tensor of the dtype is returned unchanged."""

def asarray(a: Any, dtype: Any = None) -> Any:
    """Converts a value to a tensor; a tensor of the dtype is returned unchanged."""

def ascontiguousarray(a: Any, dtype: Any = None) -> Any:
    """Converts a value to a tensor of rank 1 or more."""

def atleast_1d(*arys: Any) -> Any:
    """Returns arrays with at least one dimension."""

def atleast_2d(*arys: Any) -> Any:
    """Returns arrays with at least two dimensions; new axes are leading."""

def atleast_3d(*arys: Any) -> Any:
    """Returns arrays with at least three dimensions; a vector becomes the middle axis."""

def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False) -> Any:
    """Returns the weighted average over an axis."""

def bitwise_and(x1: Any, x2: Any) -> Any:
    """Returns the bits that both have."""

def bitwise_not(x: Any) -> Any:
    """Returns integers with all bits turned; for booleans, the other one."""

def bitwise_or(x1: Any, x2: Any) -> Any:
    """Returns the bits that one has."""

def bitwise_xor(x1: Any, x2: Any) -> Any:
    """Returns the bits that only one has."""

def broadcast_arrays(*args: Any, **kwargs: Any) -> Any:
    """Broadcasts arrays against each other."""

def broadcast_to(array: Any, shape: Any) -> Any:
    """Broadcasts an array to a shape."""

def cbrt(x: Any) -> Any:
    """Returns cube roots."""

def ceil(x: Any) -> Any:
    """Returns the smallest integers that are not below numbers."""

def clip(a: Any, a_min: Any, a_max: Any) -> Any:
    """Clips elements to an interval."""

def compress(condition: Any, a: Any, axis: Any = None) -> Any:
    """Returns the slices of an array along an axis for which a condition is True."""

def concatenate(arys: Any, axis: SupportsIndex = 0) -> Any:
    """Joins arrays along an existing axis."""

def conj(x: Any) -> Any:
    """Returns conjugates of complex numbers."""

def conjugate(x: Any) -> Any:
    """Returns conjugates of complex numbers."""

def copy(a: Any) -> Any:
    """Returns a copy of an array."""

def cos(x: Any) -> Any:
    """Returns cosines."""

def cosh(x: Any) -> Any:
    """Returns hyperbolic cosines."""

def count_nonzero(a: Any, axis: Any = None) -> Any:
    """Counts the nonzero elements."""

def cross(
    a: Any,
    b: Any,
    axisa: SupportsIndex = -1,
    axisb: SupportsIndex = -1,
    axisc: SupportsIndex = -1,
    axis: Any = None,
) -> Any:
    """Returns the cross product of vectors with two or three components."""

def cumprod(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    """Returns the products of the elements up to each of them."""

def cumsum(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    """Returns the sums of the elements up to each of them."""

def deg2rad(x: Any) -> Any:
    """Returns degrees as radians."""

def diag(v: Any, k: SupportsIndex = 0) -> Any:
    """Extracts a diagonal of a matrix, or constructs a diagonal matrix from a vector."""

def diag_indices(n: SupportsIndex, ndim: SupportsIndex = 2) -> Any:
    """Returns the indices of the main diagonal of an array."""

def diagflat(v: Any, k: SupportsIndex = 0) -> Any:
    """Creates a matrix with the flattened input as a diagonal."""

def diagonal(
    a: Any, offset: SupportsIndex = 0, axis1: SupportsIndex = 0, axis2: SupportsIndex = 1
) -> Any:
    """Returns a diagonal of an array, as the last axis."""

def diff(a: Any, n: SupportsIndex = 1, axis: SupportsIndex = -1) -> Any:
    """Computes the n-th discrete difference along an axis."""

def divide(x1: Any, x2: Any) -> Any:
    """Returns quotients, which are floating numbers."""

def divmod(x1: Any, x2: Any) -> Any:
    """Returns the element-wise floored quotient and the remainder."""

def dot(a: Any, b: Any) -> Any:
    """Returns the dot product: sums over the last axis of a and the second-to-last axis of b."""

def dsplit(ary: Any, indices_or_sections: Any) -> Any:
    """Returns the parts of an array along its axis 2."""

def dstack(tup: Any) -> Any:
    """Stacks arrays depth-wise (along the third axis)."""

def einsum(subscripts: str, *operands: Any, **kwargs: Any) -> Any:
    """Evaluates an Einstein summation."""

def empty(shape: Any, dtype: Any = ...) -> Any:
    """Returns an array of zeros, as there is no uninitialized memory."""

def empty_like(a: Any, dtype: Any = None) -> Any:
    """Returns an array of zeros with the shape of another one, as there is no uninitialized memory."""

def equal(x1: Any, x2: Any) -> Any:
    """Returns whether numbers are equal."""

def exp(x: Any) -> Any:
    """Returns the exponentials of numbers."""

def exp2(x: Any) -> Any:
    """Returns powers of 2."""

def expand_dims(a: Any, axis: Any) -> Any:
    """Inserts an axis of size 1."""

def experimental_enable_numpy_behavior(
    prefer_float32: bool = False, dtype_conversion_mode: str = "legacy"
) -> None:
    """Enables NumPy's dtype promotion, methods and indexing on tensors, for the whole process."""

def expm1(x: Any) -> Any:
    """Returns exp(x) - 1, with its digits where x is small."""

def eye(N: Any, M: Any = None, k: SupportsIndex = 0, dtype: Any = ...) -> Any:
    """Returns a matrix with ones on a diagonal and zeros elsewhere."""

def fabs(x: Any) -> Any:
    """Computes the absolute value element-wise."""

def finfo(dtype: Any) -> Any:
    """Returns the machine limits of a floating-point dtype."""

def fix(x: Any) -> Any:
    """Returns numbers cut to integers, towards 0."""

def flatten(a: Any, order: str = "C") -> Any:
    """Returns a flattened array."""

def flip(m: Any, axis: Any = None) -> Any:
    """Reverses the order of elements along an axis."""

def fliplr(m: Any) -> Any:
    """Reverses the order of elements along the second axis."""

def flipud(m: Any) -> Any:
    """Reverses the order of elements along the first axis."""

def float_power(x1: Any, x2: Any) -> Any:
    """Returns powers."""

def floor(x: Any) -> Any:
    """Returns the largest integers that are not above numbers."""

def floor_divide(x1: Any, x2: Any) -> Any:
    """Returns quotients rounded down."""

def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """Returns an array filled with a value."""

def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
) -> Any:
    """Returns an array with the shape of another one, filled with a value."""

def gcd(x1: Any, x2: Any) -> Any:
    """Returns greatest common divisors."""

def geomspace(
    start: Any,
    stop: Any,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    dtype: Any = None,
    axis: SupportsIndex = 0,
) -> Any:
    """Returns numbers of a geometric progression."""

def greater(x1: Any, x2: Any) -> Any:
    """Returns whether numbers are greater than others."""

def greater_equal(x1: Any, x2: Any) -> Any:
    """Returns whether numbers are greater than or equal to others."""

def heaviside(x1: Any, x2: Any) -> Any:
    """Computes the Heaviside step function."""

def hsplit(ary: Any, indices_or_sections: Any) -> Any:
    """Returns the parts of an array along its axis 1."""

def hstack(tup: Any) -> Any:
    """Stacks arrays horizontally (column-wise)."""

def hypot(x1: Any, x2: Any) -> Any:
    """Returns the hypotenuse of right triangles, given their legs."""

def identity(n: Any, dtype: Any = ...) -> Any:
    """Returns the identity matrix."""

def imag(val: Any) -> Any:
    """Returns the imaginary part of each element."""

def inner(a: Any, b: Any) -> Any:
    """Returns the inner product: sums over the last axes of two arrays."""

def isclose(
    a: Any,
    b: Any,
    rtol: SupportsFloat = 1e-05,
    atol: SupportsFloat = 1e-08,
    equal_nan: bool = False,
) -> Any:
    """Returns element-wise True if two arrays are equal within a tolerance."""

def iscomplex(x: Any) -> Any:
    """Tests element-wise for a nonzero imaginary part."""

def iscomplexobj(x: Any) -> bool:
    """Returns True if the dtype is complex."""

def isfinite(x: Any) -> Any:
    """Returns whether numbers are neither infinite nor NaN."""

def isinf(x: Any) -> Any:
    """Tests element-wise for infinity."""

def isnan(x: Any) -> Any:
    """Returns whether numbers are NaN."""

def isneginf(x: Any) -> Any:
    """Returns whether numbers are minus infinity."""

def isposinf(x: Any) -> Any:
    """Returns whether numbers are infinity."""

def isreal(x: Any) -> Any:
    """Tests element-wise for a zero imaginary part."""

def isrealobj(x: Any) -> bool:
    """Returns True if the dtype is not complex."""

def isscalar(num: Any) -> bool:
    """Returns True if a value is a scalar (of rank 0)."""

def issubdtype(arg1: Any, arg2: Any) -> Any:
    """Returns True if first argument is a typecode lower/equal in type hierarchy."""

def ix_(*args: Any) -> Any:
    """Constructs an open mesh of indices from sequences."""

def kron(a: Any, b: Any) -> Any:
    """Returns the Kronecker product of two arrays."""

def lcm(x1: Any, x2: Any) -> Any:
    """Returns least common multiples."""

def less(x1: Any, x2: Any) -> Any:
    """Returns whether numbers are less than others."""

def less_equal(x1: Any, x2: Any) -> Any:
    """Returns whether numbers are less than or equal to others."""

def linspace(
    start: Any,
    stop: Any,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = ...,
    axis: SupportsIndex = 0,
) -> Any:
    """Returns evenly spaced numbers over an interval."""

def log(x: Any) -> Any:
    """Returns natural logarithms."""

def log10(x: Any) -> Any:
    """Computes the base-10 logarithm element-wise."""

def log1p(x: Any) -> Any:
    """Returns log(1 + x), with its digits where x is small."""

def log2(x: Any) -> Any:
    """Computes the base-2 logarithm element-wise."""

def logaddexp(x1: Any, x2: Any) -> Any:
    """Returns the logarithms of sums of exponentials."""

def logaddexp2(x1: Any, x2: Any) -> Any:
    """Returns the same to the base 2: log2(2**x1 + 2**x2)."""

def logical_and(x1: Any, x2: Any) -> Any:
    """Returns whether both are true."""

def logical_not(x: Any) -> Any:
    """Computes the logical NOT element-wise."""

def logical_or(x1: Any, x2: Any) -> Any:
    """Returns whether one is true."""

def logical_xor(x1: Any, x2: Any) -> Any:
    """Returns whether just one is true."""

def logspace(
    start: Any,
    stop: Any,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: SupportsIndex = 0,
) -> Any:
    """Returns numbers spaced evenly on a logarithmic scale."""

def matmul(x1: Any, x2: Any) -> Any:
    """Returns the matrix product of two arrays; vectors are supported."""

def max(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Returns the maximum over axes."""

def maximum(x1: Any, x2: Any) -> Any:
    """Returns the element-wise maximum."""

def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = None) -> Any:
    """Returns the arithmetic mean over axes."""

def meshgrid(*xi: Any, **kwargs: Any) -> Any:
    """Returns coordinate matrices from coordinate vectors."""

def min(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Returns the minimum over axes."""

def minimum(x1: Any, x2: Any) -> Any:
    """Returns the smaller of two numbers."""

def mod(x1: Any, x2: Any) -> Any:
    """Returns remainders of division, with the divisor's sign."""

def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """Moves axes of an array to new positions."""

def multiply(x1: Any, x2: Any) -> Any:
    """Returns products; for booleans, whether both are true."""

def nanmean(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Any:
    """Returns the arithmetic mean over axes, ignoring NaN."""

def nanprod(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
    """Returns the product of elements, NaN counting as 1."""

def nansum(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
    """Returns the sum of elements, NaN counting as 0."""

def ndim(a: Any) -> int:
    """Returns the rank of an array."""

def negative(x: Any) -> Any:
    """Returns numbers with the other sign."""

def nextafter(x1: Any, x2: Any) -> Any:
    """Returns the next number towards another."""

def nonzero(a: Any) -> Any:
    """Returns the indices of the nonzero elements."""

def not_equal(x1: Any, x2: Any) -> Any:
    """Returns whether numbers are not equal."""

def ones(shape: Any, dtype: Any = ...) -> Any:
    """Returns an array of ones."""

def ones_like(a: Any, dtype: Any = None) -> Any:
    """Returns an array of ones with the shape of another array."""

def outer(a: Any, b: Any) -> Any:
    """Returns the outer product of two flattened arrays."""

def pad(array: Any, pad_width: Any, mode: str, **kwargs: Any) -> Any:
    """Pads an array."""

def polyval(p: Any, x: Any) -> Any:
    """Evaluates a polynomial."""

def positive(x: Any) -> Any:
    """Returns numbers as they are."""

def power(x1: Any, x2: Any) -> Any:
    """Returns powers."""

def prod(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Any:
    """Returns the product of elements over axes."""

def promote_types(type1: Any, type2: Any) -> Any:
    """Returns the smallest dtype to which both dtypes can be safely cast."""

def ptp(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Returns the range of values (maximum - minimum) over axes."""

def rad2deg(x: Any) -> Any:
    """Converts angles from radians to degrees."""

def ravel(a: Any) -> Any:
    """Returns a flattened array."""

def real(val: Any) -> Any:
    """Returns the real part of each element."""

def reciprocal(x: Any) -> Any:
    """Returns 1 / x."""

def remainder(x1: Any, x2: Any) -> Any:
    """Returns remainders of division, with the divisor's sign."""

def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    """Repeats each element of an array."""

def reshape(a: Any, newshape: Any, order: str = "C") -> Any:
    """Reshapes an array."""

def result_type(*arrays_and_dtypes: Any) -> DType:
    """Returns the dtype that results from NumPy's promotion of arrays and dtypes."""

def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """Rolls elements along axes; elements beyond the last position reappear at the first."""

def rot90(m: Any, k: SupportsIndex = 1, axes: Any = ...) -> Any:
    """Rotates an array by 90 degrees in a plane."""

def round(a: Any, decimals: SupportsIndex = 0) -> Any:
    """Rounds to a number of decimals, half to even."""

def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """Selects elements from a list of arrays by the first condition that is True."""

def shape(a: Any) -> Any:
    """Returns the shape of an array."""

def sign(x: Any, out: Any = None, where: Any = None, **kwargs: Any) -> Any:
    """Returns the element-wise sign of numbers."""

def signbit(x: Any) -> Any:
    """Returns whether numbers are below 0."""

def sin(x: Any) -> Any:
    """Returns sines."""

def sinc(x: Any) -> Any:
    """Returns sin(pi x) / (pi x), which is 1 at 0."""

def sinh(x: Any) -> Any:
    """Returns hyperbolic sines."""

def size(x: Any, axis: Any = None) -> Any:
    """Returns the number of elements of an array."""

def sort(a: Any, axis: Any = -1, kind: str = "quicksort", order: Any = None) -> Any:
    """Returns a sorted copy of an array."""

def split(ary: Any, indices_or_sections: Any, axis: SupportsIndex = 0) -> Any:
    """Splits an array along an axis."""

def sqrt(x: Any) -> Any:
    """Returns square roots."""

def square(x: Any) -> Any:
    """Returns squares."""

def squeeze(a: Any, axis: Any = None) -> Any:
    """Removes axes of size 1."""

def stack(arrays: Any, axis: SupportsIndex = 0) -> Any:
    """Joins arrays along a new axis."""

def std(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Returns the standard deviation over axes."""

def subtract(x1: Any, x2: Any) -> Any:
    """Returns differences."""

def sum(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Any:
    """Returns the sum of elements over axes."""

def swapaxes(a: Any, axis1: Any, axis2: Any) -> Any:
    """Swaps two axes of an array."""

def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "clip") -> Any:
    """Takes elements from an array along an axis."""

def take_along_axis(arr: Any, indices: Any, axis: Any) -> Any:
    """Takes elements along an axis by matching index and data slices."""

def tan(x: Any) -> Any:
    """Returns tangents."""

def tanh(x: Any) -> Any:
    """Returns hyperbolic tangents."""

def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """Computes the tensor dot product along axes."""

def tile(a: Any, reps: Any) -> Any:
    """Repeats an array as tiles along its axes."""

def trace(
    a: Any,
    offset: SupportsIndex = 0,
    axis1: SupportsIndex = 0,
    axis2: SupportsIndex = 1,
    dtype: Any = None,
) -> Any:
    """Returns the sum along a diagonal."""

def transpose(a: Any, axes: Any = None) -> Any:
    """Permutes the axes of an array."""

def tri(
    N: SupportsIndex, M: SupportsIndex | None = None, k: SupportsIndex = 0, dtype: Any = None
) -> Any:
    """Returns a matrix with ones at and below a diagonal, and zeros above it."""

def tril(m: Any, k: SupportsIndex = 0) -> Any:
    """Returns the lower triangle of matrices: elements above a diagonal are zeroed."""

def triu(m: Any, k: SupportsIndex = 0) -> Any:
    """Returns the upper triangle of matrices: elements below a diagonal are zeroed."""

def true_divide(x1: Any, x2: Any) -> Any:
    """Returns quotients, which are floating numbers."""

def vander(x: Any, N: Any = None, increasing: bool = False) -> Any:
    """Generates a Vandermonde matrix."""

def var(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = None,
) -> Any:
    """Returns the variance over axes."""

def vdot(a: Any, b: Any) -> Any:
    """Returns the dot product of two flattened arrays, the first one conjugated."""

def vsplit(ary: Any, indices_or_sections: Any) -> Any:
    """Returns the parts of an array along its axis 0."""

def vstack(tup: Any) -> Any:
    """Stacks arrays vertically (row-wise)."""

def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Selects elements from ``x`` or ``y`` by a condition; with a condition only, see ``nonzero``."""

def zeros(shape: Any, dtype: Any = ...) -> Any:
    """Returns an array of zeros."""

def zeros_like(a: Any, dtype: Any = None) -> Any:
    """Returns an array of zeros with the shape of another array."""
