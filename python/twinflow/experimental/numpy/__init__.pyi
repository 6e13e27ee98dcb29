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
    """Returns absolute values."""

def add(x1: Any, x2: Any) -> Any:
    """Returns sums; for booleans, whether one is true."""

def all(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Returns whether all elements are true."""

def allclose(
    a: Any,
    b: Any,
    rtol: SupportsFloat = 1e-05,
    atol: SupportsFloat = 1e-08,
    equal_nan: bool = False,
) -> Any:
    """Returns whether all numbers of two arrays agree but for a tolerance."""

def amax(a: Any, axis: Any = None, out: Any = None, keepdims: Any = None) -> Any:
    """Returns the largest element."""

def amin(a: Any, axis: Any = None, out: Any = None, keepdims: Any = None) -> Any:
    """Returns the smallest element."""

def angle(z: Any, deg: bool = False) -> Any:
    """Returns the angles of complex numbers."""

def any(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Returns whether an element is true."""

def append(arr: Any, values: Any, axis: Any = None) -> Any:
    """Returns an array with values behind it."""

def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """Returns evenly spaced numbers from a half-open interval."""

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
    """Returns the indices by which an array is in ascending order."""

def around(a: Any, decimals: SupportsIndex = 0) -> Any:
    """Returns numbers rounded to decimals, halves to even digits."""

def array(val: Any, dtype: Any = None, copy: bool = True, ndmin: SupportsIndex = 0) -> Any:
    """Returns a tensor of a value, with NumPy's type."""

def array_equal(a1: Any, a2: Any) -> Any:
    """Returns whether two arrays have the same shape and equal elements."""

def asanyarray(a: Any, dtype: Any = None) -> Any:
    """Returns a value as a tensor, and a tensor of the type as it is."""

def asarray(a: Any, dtype: Any = None) -> Any:
    """Returns a value as a tensor, and a tensor of the type as it is."""

def ascontiguousarray(a: Any, dtype: Any = None) -> Any:
    """Returns a value as a tensor with at least one dimension."""

def atleast_1d(*arys: Any) -> Any:
    """Returns arrays with at least one dimension."""

def atleast_2d(*arys: Any) -> Any:
    """Returns arrays with at least two dimensions; new ones stand in front."""

def atleast_3d(*arys: Any) -> Any:
    """Returns arrays with at least three dimensions; a row stands in the middle of two new ones."""

def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False) -> Any:
    """Returns the weighted mean of elements."""

def bitwise_and(x1: Any, x2: Any) -> Any:
    """Returns the bits that both have."""

def bitwise_not(x: Any) -> Any:
    """Returns integers with all bits turned; for booleans, the other one."""

def bitwise_or(x1: Any, x2: Any) -> Any:
    """Returns the bits that one has."""

def bitwise_xor(x1: Any, x2: Any) -> Any:
    """Returns the bits that only one has."""

def broadcast_arrays(*args: Any, **kwargs: Any) -> Any:
    """Returns arrays repeated to the shape that they have in common."""

def broadcast_to(array: Any, shape: Any) -> Any:
    """Returns an array repeated to a shape."""

def cbrt(x: Any) -> Any:
    """Returns cube roots."""

def ceil(x: Any) -> Any:
    """Returns the smallest integers that are not below numbers."""

def clip(a: Any, a_min: Any, a_max: Any) -> Any:
    """Returns numbers brought into an interval."""

def compress(condition: Any, a: Any, axis: Any = None) -> Any:
    """Returns the parts of an array for which a condition is true."""

def concatenate(arys: Any, axis: SupportsIndex = 0) -> Any:
    """Returns arrays one after the other along an axis."""

def conj(x: Any) -> Any:
    """Returns conjugates of complex numbers."""

def conjugate(x: Any) -> Any:
    """Returns conjugates of complex numbers."""

def copy(a: Any) -> Any:
    """Returns a new tensor of a value."""

def cos(x: Any) -> Any:
    """Returns cosines."""

def cosh(x: Any) -> Any:
    """Returns hyperbolic cosines."""

def count_nonzero(a: Any, axis: Any = None) -> Any:
    """Returns the number of elements that are not zero."""

def cross(
    a: Any,
    b: Any,
    axisa: SupportsIndex = -1,
    axisb: SupportsIndex = -1,
    axisc: SupportsIndex = -1,
    axis: Any = None,
) -> Any:
    """Returns the cross products of vectors with two or three components."""

def cumprod(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    """Returns the products of the elements up to each of them."""

def cumsum(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    """Returns the sums of the elements up to each of them."""

def deg2rad(x: Any) -> Any:
    """Returns degrees as radians."""

def diag(v: Any, k: SupportsIndex = 0) -> Any:
    """Returns a matrix with a diagonal, or a diagonal of a matrix."""

def diag_indices(n: SupportsIndex, ndim: SupportsIndex = 2) -> Any:
    """Returns the indices of the main diagonal of an array."""

def diagflat(v: Any, k: SupportsIndex = 0) -> Any:
    """Returns a matrix with the elements of an array on a diagonal."""

def diagonal(
    a: Any, offset: SupportsIndex = 0, axis1: SupportsIndex = 0, axis2: SupportsIndex = 1
) -> Any:
    """Returns a diagonal of matrices, as the last axis."""

def diff(a: Any, n: SupportsIndex = 1, axis: SupportsIndex = -1) -> Any:
    """Returns the differences of neighbours."""

def divide(x1: Any, x2: Any) -> Any:
    """Returns quotients, which are floating numbers."""

def divmod(x1: Any, x2: Any) -> Any:
    """Returns quotients rounded down, and remainders."""

def dot(a: Any, b: Any) -> Any:
    """Returns the sum of products over the last axis of one array and the last but one of the other."""

def dsplit(ary: Any, indices_or_sections: Any) -> Any:
    """Returns the parts of an array along its axis 2."""

def dstack(tup: Any) -> Any:
    """Returns arrays one behind the other, along the third axis."""

def einsum(subscripts: str, *operands: Any, **kwargs: Any) -> Any:
    """Returns sums of products over the axes that a formula names."""

def empty(shape: Any, dtype: Any = ...) -> Any:
    """Returns an array of zeros: there is no memory without a value."""

def empty_like(a: Any, dtype: Any = None) -> Any:
    """Returns zeros in the shape of an array: there is no memory without a value."""

def equal(x1: Any, x2: Any) -> Any:
    """Returns whether numbers are equal."""

def exp(x: Any) -> Any:
    """Returns the exponentials of numbers."""

def exp2(x: Any) -> Any:
    """Returns powers of 2."""

def expand_dims(a: Any, axis: Any) -> Any:
    """Returns an array with one dimension more, of size 1."""

def experimental_enable_numpy_behavior(
    prefer_float32: bool = False, dtype_conversion_mode: str = "legacy"
) -> None:
    """Gives tensors NumPy's promotion of types, its methods and its indexing, for the whole process."""

def expm1(x: Any) -> Any:
    """Returns exp(x) - 1, with its digits where x is small."""

def eye(N: Any, M: Any = None, k: SupportsIndex = 0, dtype: Any = ...) -> Any:
    """Returns a matrix of zeros with ones on a diagonal."""

def fabs(x: Any) -> Any:
    """Returns absolute values."""

def finfo(dtype: Any) -> Any:
    """Returns the limits of a floating type."""

def fix(x: Any) -> Any:
    """Returns numbers cut to integers, towards 0."""

def flatten(a: Any, order: str = "C") -> Any:
    """Returns the elements of an array in one row."""

def flip(m: Any, axis: Any = None) -> Any:
    """Returns an array in reverse order."""

def fliplr(m: Any) -> Any:
    """Returns an array with its second axis reversed."""

def flipud(m: Any) -> Any:
    """Returns an array with its first axis reversed."""

def float_power(x1: Any, x2: Any) -> Any:
    """Returns powers."""

def floor(x: Any) -> Any:
    """Returns the largest integers that are not above numbers."""

def floor_divide(x1: Any, x2: Any) -> Any:
    """Returns quotients rounded down."""

def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """Returns an array that is filled with a value."""

def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
) -> Any:
    """Returns an array in the shape of another that is filled with a value."""

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
    """Returns numbers each of which is the one before it times a constant."""

def greater(x1: Any, x2: Any) -> Any:
    """Returns whether numbers are greater than others."""

def greater_equal(x1: Any, x2: Any) -> Any:
    """Returns whether numbers are greater than or equal to others."""

def heaviside(x1: Any, x2: Any) -> Any:
    """Returns 0 for negative numbers, 1 for positive ones, and another for 0."""

def hsplit(ary: Any, indices_or_sections: Any) -> Any:
    """Returns the parts of an array along its axis 1."""

def hstack(tup: Any) -> Any:
    """Returns arrays side by side."""

def hypot(x1: Any, x2: Any) -> Any:
    """Returns the lengths of vectors, given their two components."""

def identity(n: Any, dtype: Any = ...) -> Any:
    """Returns a square matrix with ones on its diagonal."""

def imag(val: Any) -> Any:
    """Returns the imaginary parts of numbers."""

def inner(a: Any, b: Any) -> Any:
    """Returns the sum of products over the last axes of two arrays."""

def isclose(
    a: Any,
    b: Any,
    rtol: SupportsFloat = 1e-05,
    atol: SupportsFloat = 1e-08,
    equal_nan: bool = False,
) -> Any:
    """Returns whether numbers agree but for a tolerance."""

def iscomplex(x: Any) -> Any:
    """Returns whether numbers have an imaginary part."""

def iscomplexobj(x: Any) -> bool:
    """Returns whether the type of an array is complex."""

def isfinite(x: Any) -> Any:
    """Returns whether numbers are neither infinite nor NaN."""

def isinf(x: Any) -> Any:
    """Returns whether numbers are infinite."""

def isnan(x: Any) -> Any:
    """Returns whether numbers are NaN."""

def isneginf(x: Any) -> Any:
    """Returns whether numbers are minus infinity."""

def isposinf(x: Any) -> Any:
    """Returns whether numbers are infinity."""

def isreal(x: Any) -> Any:
    """Returns whether numbers have no imaginary part."""

def isrealobj(x: Any) -> bool:
    """Returns whether the type of an array is not complex."""

def isscalar(num: Any) -> bool:
    """Returns whether a value has no dimensions."""

def issubdtype(arg1: Any, arg2: Any) -> Any:
    """Returns True if first argument is a typecode lower/equal in type hierarchy."""

def ix_(*args: Any) -> Any:
    """Returns indices that together choose rows, columns and so on."""

def kron(a: Any, b: Any) -> Any:
    """Returns blocks: one array times each element of another."""

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
    """Returns evenly spaced numbers."""

def log(x: Any) -> Any:
    """Returns natural logarithms."""

def log10(x: Any) -> Any:
    """Returns logarithms to the base 10."""

def log1p(x: Any) -> Any:
    """Returns log(1 + x), with its digits where x is small."""

def log2(x: Any) -> Any:
    """Returns logarithms to the base 2."""

def logaddexp(x1: Any, x2: Any) -> Any:
    """Returns the logarithms of sums of exponentials."""

def logaddexp2(x1: Any, x2: Any) -> Any:
    """Returns the same to the base 2: log2(2**x1 + 2**x2)."""

def logical_and(x1: Any, x2: Any) -> Any:
    """Returns whether both are true."""

def logical_not(x: Any) -> Any:
    """Returns whether values are false."""

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
    """Returns powers with evenly spaced exponents."""

def matmul(x1: Any, x2: Any) -> Any:
    """Returns products of matrices; a row counts as a matrix."""

def max(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Returns the largest element."""

def maximum(x1: Any, x2: Any) -> Any:
    """Returns the larger of two numbers."""

def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = None) -> Any:
    """Returns the mean of elements."""

def meshgrid(*xi: Any, **kwargs: Any) -> Any:
    """Returns the coordinates of a grid."""

def min(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Returns the smallest element."""

def minimum(x1: Any, x2: Any) -> Any:
    """Returns the smaller of two numbers."""

def mod(x1: Any, x2: Any) -> Any:
    """Returns remainders of division, with the divisor's sign."""

def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """Returns an array with axes moved, the others in their order."""

def multiply(x1: Any, x2: Any) -> Any:
    """Returns products; for booleans, whether both are true."""

def nanmean(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Any:
    """Returns the mean of the elements that are not NaN."""

def nanprod(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
    """Returns the product of elements, NaN counting as 1."""

def nansum(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
    """Returns the sum of elements, NaN counting as 0."""

def ndim(a: Any) -> int:
    """Returns the number of dimensions of an array."""

def negative(x: Any) -> Any:
    """Returns numbers with the other sign."""

def nextafter(x1: Any, x2: Any) -> Any:
    """Returns the next number towards another."""

def nonzero(a: Any) -> Any:
    """Returns the places of the elements that are not zero."""

def not_equal(x1: Any, x2: Any) -> Any:
    """Returns whether numbers are not equal."""

def ones(shape: Any, dtype: Any = ...) -> Any:
    """Returns an array of ones."""

def ones_like(a: Any, dtype: Any = None) -> Any:
    """Returns ones in the shape of an array."""

def outer(a: Any, b: Any) -> Any:
    """Returns the products of each element of one array with each of the other."""

def pad(array: Any, pad_width: Any, mode: str, **kwargs: Any) -> Any:
    """Returns an array with a margin."""

def polyval(p: Any, x: Any) -> Any:
    """Returns the values of a polynomial."""

def positive(x: Any) -> Any:
    """Returns numbers as they are."""

def power(x1: Any, x2: Any) -> Any:
    """Returns powers."""

def prod(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Any:
    """Returns the product of elements."""

def promote_types(type1: Any, type2: Any) -> Any:
    """Returns the smallest type that holds the values of both types."""

def ptp(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Returns the distance from the smallest to the largest element."""

def rad2deg(x: Any) -> Any:
    """Returns radians as degrees."""

def ravel(a: Any) -> Any:
    """Returns the elements of an array in one row."""

def real(val: Any) -> Any:
    """Returns the real parts of numbers."""

def reciprocal(x: Any) -> Any:
    """Returns 1 / x."""

def remainder(x1: Any, x2: Any) -> Any:
    """Returns remainders of division, with the divisor's sign."""

def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    """Returns an array with each element repeated."""

def reshape(a: Any, newshape: Any, order: str = "C") -> Any:
    """Returns an array in another shape."""

def result_type(*arrays_and_dtypes: Any) -> DType:
    """Returns the type that values and types have in common."""

def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """Returns an array with its elements moved along axes, those that fall off entering at the other end."""

def rot90(m: Any, k: SupportsIndex = 1, axes: Any = ...) -> Any:
    """Returns an array turned by right angles."""

def round(a: Any, decimals: SupportsIndex = 0) -> Any:
    """Returns numbers rounded to decimals, halves to even digits."""

def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """Returns elements of the first array whose condition is true."""

def shape(a: Any) -> Any:
    """Returns the shape of an array."""

def sign(x: Any, out: Any = None, where: Any = None, **kwargs: Any) -> Any:
    """Returns the signs of numbers."""

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
    """Returns an array with its elements in ascending order."""

def split(ary: Any, indices_or_sections: Any, axis: SupportsIndex = 0) -> Any:
    """Returns the parts of an array along an axis."""

def sqrt(x: Any) -> Any:
    """Returns square roots."""

def square(x: Any) -> Any:
    """Returns squares."""

def squeeze(a: Any, axis: Any = None) -> Any:
    """Returns an array without its dimensions of size 1."""

def stack(arrays: Any, axis: SupportsIndex = 0) -> Any:
    """Returns arrays of one shape as one array with a dimension more."""

def std(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Returns the standard deviation of elements."""

def subtract(x1: Any, x2: Any) -> Any:
    """Returns differences."""

def sum(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Any:
    """Returns the sum of elements."""

def swapaxes(a: Any, axis1: Any, axis2: Any) -> Any:
    """Returns an array with two axes exchanged."""

def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "clip") -> Any:
    """Returns elements by their indices."""

def take_along_axis(arr: Any, indices: Any, axis: Any) -> Any:
    """Returns for each place the element of a line of the array that an index names."""

def tan(x: Any) -> Any:
    """Returns tangents."""

def tanh(x: Any) -> Any:
    """Returns hyperbolic tangents."""

def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """Returns the sum of products over axes."""

def tile(a: Any, reps: Any) -> Any:
    """Returns an array repeated as a whole along its axes."""

def trace(
    a: Any,
    offset: SupportsIndex = 0,
    axis1: SupportsIndex = 0,
    axis2: SupportsIndex = 1,
    dtype: Any = None,
) -> Any:
    """Returns the sum of a diagonal."""

def transpose(a: Any, axes: Any = None) -> Any:
    """Returns an array with its axes in another order."""

def tri(
    N: SupportsIndex, M: SupportsIndex | None = None, k: SupportsIndex = 0, dtype: Any = None
) -> Any:
    """Returns a matrix of ones on and below a diagonal, and zeros above it."""

def tril(m: Any, k: SupportsIndex = 0) -> Any:
    """Returns matrices with zeros above a diagonal."""

def triu(m: Any, k: SupportsIndex = 0) -> Any:
    """Returns matrices with zeros below a diagonal."""

def true_divide(x1: Any, x2: Any) -> Any:
    """Returns quotients, which are floating numbers."""

def vander(x: Any, N: Any = None, increasing: bool = False) -> Any:
    """Returns the powers of numbers, a row for each of them."""

def var(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = None,
) -> Any:
    """Returns the variance of elements."""

def vdot(a: Any, b: Any) -> Any:
    """Returns the sum of products of all elements, those of the first array conjugated."""

def vsplit(ary: Any, indices_or_sections: Any) -> Any:
    """Returns the parts of an array along its axis 0."""

def vstack(tup: Any) -> Any:
    """Returns arrays one below the other."""

def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Returns elements of one of two arrays, or the places where a condition is true."""

def zeros(shape: Any, dtype: Any = ...) -> Any:
    """Returns an array of zeros."""

def zeros_like(a: Any, dtype: Any = None) -> Any:
    """Returns zeros in the shape of an array."""
