"""Reductions, cumulative functions and rounding."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import twinflow as tf
from twinflow._src.wings.numpy_ops.promotion import is_inexact, settings
from twinflow._src.wings.numpy_ops.registry import expose, tnp

# Sums, products, means, minima and maxima.


Function = Callable[..., Any]


def _reduce(
    function: Function,
    a: Any,
    axis: Any,
    dtype: Any = None,
    keepdims: Any = None,
    widen: Callable[[Any], Any] | None = None,
    logical: Function | None = None,
    keep_bool: bool = False,
) -> Any:
    """Reduces an array by TensorFlow's reduction.

    ``widen`` casts integers and booleans unless a dtype is requested; ``logical`` reduces booleans
    if dtype bool is requested, and with ``keep_bool`` by default.
    """
    dtype = tnp.result_type(dtype) if dtype else dtype
    a = tnp.asarray(a, dtype=dtype)
    options = {"axis": axis, "keepdims": False if keepdims is None else keepdims}
    if logical is not None and (dtype == np.bool_ or (keep_bool and a.dtype == np.bool_)):
        return logical(input_tensor=a, **options)
    if dtype is None and widen is not None and (a.dtype.is_integer or a.dtype.is_bool):
        a = widen(a)
    if isinstance(axis, tf.Tensor) and axis.dtype not in (tf.int32, tf.int64):
        options["axis"] = tf.cast(axis, tf.int64)
    return function(input_tensor=a, **options)


def _to_long(a: Any) -> Any:
    """Casts small integers and booleans to NumPy's long (int32 in modes "safe" and "all")."""
    signed, unsigned = (np.int32, np.uint32) if settings.automatic else (np.int_, np.uint)
    width = 1 if a.dtype.is_bool else a.dtype.size
    if width >= np.dtype(signed).itemsize:
        return a
    return tf.cast(a, unsigned if a.dtype.is_unsigned else signed)


def _to_float(a: Any) -> Any:
    return tf.cast(a, tnp.result_type(float))


_NO_OUT = "ValueError: ``out`` is not None."


def _refuse_out(out: Any) -> None:
    if out is not None:
        raise ValueError("Setting out is not supported.")


# The functions of TensorFlow are looked up on call.


def _define_sum(name: str, noun: str, function: str, logical: str) -> None:
    """Defines ``sum`` or ``prod``."""

    def total(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Any:
        functions = getattr(tf, function), getattr(tf, logical)
        return _reduce(functions[0], a, axis, dtype, keepdims, _to_long, functions[1])

    dtype = f"The dtype of the {noun}; int64 or uint64 for integers and booleans if None."
    expose(name, doc=f"Returns the {noun} of elements over axes.", dtype=dtype)(total)


_define_sum("sum", "sum", "reduce_sum", "reduce_any")
_define_sum("prod", "product", "reduce_prod", "reduce_all")


@expose(
    "mean",
    dtype="The dtype of the computation; integers become floats if None.",
    raises=_NO_OUT,
)
def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = None) -> Any:
    """Returns the arithmetic mean over axes."""
    _refuse_out(out)
    return _reduce(tf.reduce_mean, a, axis, dtype, keepdims, _to_float)


def _define_extremum(name: str, noun: str, function: str, logical: str) -> None:
    """Defines ``amax`` or ``amin``."""

    def extremum(a: Any, axis: Any = None, out: Any = None, keepdims: Any = None) -> Any:
        _refuse_out(out)
        functions = getattr(tf, function), getattr(tf, logical)
        return _reduce(functions[0], a, axis, None, keepdims, logical=functions[1], keep_bool=True)

    expose(name, doc=f"Returns the {noun} over axes.", raises=_NO_OUT)(extremum)


_define_extremum("amax", "maximum", "reduce_max", "reduce_any")
_define_extremum("amin", "minimum", "reduce_min", "reduce_all")


def _range(a: Any, axis: Any, keepdims: Any) -> Any:
    high, low = (f(a, axis=axis, keepdims=keepdims) for f in (tnp.amax, tnp.amin))
    return high - low


def _all(a: Any, axis: Any, keepdims: Any) -> Any:
    return tf.reduce_all(input_tensor=tnp.asarray(a, dtype=bool), axis=axis, keepdims=keepdims)


def _any(a: Any, axis: Any, keepdims: Any) -> Any:
    return tf.reduce_any(input_tensor=tnp.asarray(a, dtype=bool), axis=axis, keepdims=keepdims)


def _std(a: Any, axis: Any, keepdims: Any) -> Any:
    return _reduce(tf.math.reduce_std, a, axis, keepdims=keepdims, widen=_to_float)


def _define_plain(name: str, function: Function, summary: str) -> None:
    """Defines a reduction without options."""

    def reduction(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
        return function(a, axis=axis, keepdims=keepdims)

    expose(name, doc=f"Returns {summary}.")(reduction)


for _row in (
    ("max", lambda a, **options: tnp.amax(a, **options), "the maximum over axes"),
    ("min", lambda a, **options: tnp.amin(a, **options), "the minimum over axes"),
    ("ptp", _range, "the range of values (maximum - minimum) over axes"),
    ("all", _all, "True if all elements over axes are true"),
    ("any", _any, "True if any element over axes is true"),
    ("std", _std, "the standard deviation over axes"),
):
    _define_plain(*_row)


# Variance, weighted mean, and ``nanmean``.


@expose(
    "var",
    dtype="The dtype of the result; a floating-point dtype for integers if None.",
    ddof="The delta degrees of freedom: the divisor is the number of elements minus ``ddof``.",
    raises=_NO_OUT,
)
def var(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = None,
) -> Any:
    """Returns the variance over axes."""
    working = tnp.result_type(a, dtype) if dtype else None
    _refuse_out(out)
    function = tf.math.reduce_variance if ddof == 0 else _variance_less(ddof, dtype)
    result = _reduce(function, a, axis, working, keepdims, _to_float)
    return tf.cast(result, dtype) if dtype else result


def _variance_less(ddof: Any, dtype: Any) -> Function:
    """Returns a variance function whose divisor is the number of elements minus ``ddof``."""

    def variance(input_tensor: Any, axis: Any, keepdims: Any) -> Any:
        centered = input_tensor - tf.reduce_mean(input_tensor, axis=axis, keepdims=True)
        if input_tensor.dtype.is_complex:
            product = tf.math.real(centered * tf.math.conj(centered))
            squares = tf.cast(product, input_tensor.dtype)
        else:
            squares = tf.square(centered)
        total = tf.reduce_sum(squares, axis=axis, keepdims=keepdims)
        divisor = tf.cast(_count(input_tensor, axis) - ddof, input_tensor.dtype)
        return tf.cast(tf.math.divide(total, divisor), dtype)

    return variance


def _count(tensor: Any, axis: Any) -> Any:
    """Returns the number of elements that are reduced to one."""
    if axis is None:
        return tf.size(tensor)
    axis = axis + tf.rank(tensor) if axis < 0 else axis
    return tf.reduce_prod(tf.gather(tf.shape(tensor), axis))


@expose(
    "average",
    axis="The axis; all if None.",
    weights="The weights, with the shape of the array or one for each element of the axis.",
    returned="If True, returns the sum of the weights as well.",
    returns="A tensor, or a tuple of two.",
    raises="InvalidArgumentError: The shape of the weights is incompatible.\nValueError: The axis is not an integer.",
)
def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False) -> Any:
    """Returns the weighted average over an axis."""
    if axis is not None and not isinstance(axis, int):
        raise ValueError(
            f"Argument `axis` must be an integer. Received axis={axis} (of type {type(axis)})"
        )
    mean, total = (
        _average_plain(tnp.array(a), axis)
        if weights is None
        else _average_weighted(a, axis, weights)
    )
    mean = tnp.array(mean)
    return (mean, tnp.broadcast_to(total(), tf.shape(mean))) if returned else mean


def _average_plain(a: Any, axis: Any) -> tuple[Any, Function]:
    if not is_inexact(a.dtype):
        a = a.astype(tnp.result_type(a.dtype, tnp.result_type(float)))

    def count() -> Any:
        return tf.cast(tf.size(a) if axis is None else tf.shape(a)[axis], a.dtype)

    return tf.reduce_mean(a, axis=axis), count


def _average_weighted(a: Any, axis: Any, weights: Any) -> tuple[Any, Function]:
    a = tnp.array(a)
    floats = () if is_inexact(a.dtype) else (tnp.result_type(float),)
    dtype = tnp.result_type(a.dtype, weights, *floats)
    a, weights = tnp.array(a, dtype), tnp.array(weights, dtype)
    if axis is None or a.ndim == weights.ndim:
        shapes = [tf.shape(a), tf.shape(weights)]
        tf.debugging.Assert(tf.reduce_all(shapes[0] == shapes[1]), shapes)
        total = tf.reduce_sum(weights, axis=axis)
        return tf.reduce_sum(a * weights, axis=axis) / total, lambda: total
    rank = tf.rank(weights)
    tf.debugging.Assert(rank == 1, [rank])
    total = tf.reduce_sum(weights)
    return tf.tensordot(a, weights, [[axis], [0]]) / total, lambda: total


@expose("nanmean", dtype="The dtype of the computation.")
def nanmean(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Any:
    """Returns the arithmetic mean over axes, ignoring NaN."""
    a = tnp.array(a)
    if a.dtype.is_bool or a.dtype.is_integer:
        return tnp.mean(a, axis=axis, dtype=dtype, keepdims=keepdims)
    options = {"axis": axis, "dtype": a.dtype if dtype is None else dtype, "keepdims": keepdims}
    count = tnp.sum(tnp.logical_not(tnp.isnan(a)), **options)
    return tnp.nansum(a, **options) / count


# ``nansum``, ``nanprod``, cumulative functions and rounding.


def _define_without_nan(name: str, base: str, noun: str, neutral: int) -> None:
    """Defines ``nansum`` or ``nanprod``."""

    def reduction(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
        a = tnp.array(a)
        value = tnp.array(neutral, dtype=a.dtype)
        filled = tnp.where(tnp.isnan(a), value, a)
        return getattr(tnp, base)(filled, axis=axis, dtype=dtype, keepdims=keepdims)

    expose(
        name,
        doc=f"Returns the {noun} of elements, NaN counting as {neutral}.",
        axis="The axes; all where None.",
        dtype="The type in which to compute.",
        keepdims="Whether the axes stay, with size 1.",
    )(reduction)


_define_without_nan("nansum", "sum", "sum", 0)
_define_without_nan("nanprod", "prod", "product", 1)


def _define_cumulative(name: str, noun: str) -> None:
    """Defines ``cumsum`` or ``cumprod``."""

    def cumulate(a: Any, axis: Any = None, dtype: Any = None) -> Any:
        a = tnp.asarray(a, dtype=dtype)
        if dtype is None and a.dtype.is_integer:
            a = tnp.asarray(a, dtype=np.promote_types(a.dtype.as_numpy_dtype, int))
        if axis is None:
            a, axis = tnp.ravel(a), 0
        return getattr(tf.math, name)(a, axis + tf.rank(a) if axis < 0 else axis)

    expose(
        name,
        doc=f"Returns the {noun} of the elements up to each of them.",
        axis="The axis; the row of all elements where None.",
        dtype="The type in which to compute; small integers become int64 or uint64 where None.",
    )(cumulate)


_define_cumulative("cumsum", "sums")
_define_cumulative("cumprod", "products")


@expose("around")
def around(a: Any, decimals: int = 0) -> Any:
    """Rounds to a number of decimals, half to even."""
    a = tnp.asarray(a)
    dtype = a.dtype.as_numpy_dtype
    working = dtype
    if not is_inexact(a.dtype):  # decimals may be negative
        working = tnp.result_type(float)
        a = a.astype(working)
    factor = tf.cast(math.pow(10, decimals), working)
    return tf.math.divide(tf.round(tf.multiply(a, factor)), factor).astype(dtype)


@expose("round")
def round_(a: Any, decimals: int = 0) -> Any:
    """Rounds to a number of decimals, half to even."""
    return tnp.around(a, decimals=decimals)
