"""R's functions of statistics and linear algebra on tensors, with gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.r_bridge.generics import inexact, square
from twinflow._src.r_bridge.math import TENSORS, is_na, pair, tf
from twinflow._src.r_bridge.session import RError, count_transfer

# -- linear algebra --------------------------------------------------------------------------------


def determinant(x: Any, logarithm: bool = True) -> list[Any]:
    """Implements determinant(): the modulus or its logarithm, and the sign."""
    x = square(x)
    if x.shape.rank != 2 or x.shape[0] != x.shape[1]:
        raise RError("'x' must be a square matrix")
    sign, modulus = tf.linalg.slogdet(x)
    return [count_transfer(modulus if logarithm else tf.exp(modulus)), count_transfer(sign)]


def norm(x: Any, type: str = "O") -> Any:
    """Implements norm(): "O" or "1", "I", "F" or "E", "M", "2"."""
    x = inexact(x)
    if x.shape.rank != 2:
        raise RError("'A' must be a numeric matrix")
    kind = type[:1].upper()
    if kind not in _NORMS:
        raise RError(f"argument type[1]='{type}' must be one of 'M','1','O','I','F', 'E' or '2'")
    return count_transfer(_NORMS[kind](x))


def _largest_sum(axis: int) -> Callable[[Any], Any]:
    return lambda x: tf.reduce_max(tf.reduce_sum(tf.abs(x), axis))


_NORMS: dict[str, Callable[[Any], Any]] = {
    "O": _largest_sum(0),
    "1": _largest_sum(0),
    "I": _largest_sum(1),
    "F": lambda x: tf.norm(x),
    "E": lambda x: tf.norm(x),
    "M": lambda x: tf.reduce_max(tf.abs(x)),
    "2": lambda x: tf.reduce_max(tf.linalg.svd(x, compute_uv=False)),
}


def svd(x: Any, with_vectors: bool = True) -> list[Any]:
    """Implements svd(): singular values, left and right singular vectors."""
    x = square(x)
    if not with_vectors:
        return [count_transfer(tf.linalg.svd(x, compute_uv=False))]
    values, left, right = tf.linalg.svd(x)
    return [*map(count_transfer, (values, left, right))]


def eigen(x: Any, only_values: bool = False) -> list[Any]:
    """Implements eigen() of a symmetric matrix: values in decreasing order, and vectors."""
    x = square(x)
    if only_values:
        return [count_transfer(tf.reverse(tf.linalg.eigvalsh(x), [-1]))]
    values, vectors = tf.linalg.eigh(x)
    return [count_transfer(tf.reverse(values, [-1])), count_transfer(tf.reverse(vectors, [-1]))]


# -- moments ---------------------------------------------------------------------------------------


def covariance(x: Any, y: Any = None, use: str = "everything", scaled: bool = False) -> Any:
    """Implements var(), cov() and, ``scaled``, cor(): of vectors a scalar, of columns a matrix."""
    x, y = _pair_of_columns(x, y)
    if use in ("complete.obs", "na.or.complete"):
        gone = tf.reduce_any(is_na(x), 1)
        if y is not None:
            gone = tf.logical_or(gone, tf.reduce_any(is_na(y), 1))
        kept = tf.logical_not(gone)
        x = tf.boolean_mask(x, kept)
        y = None if y is None else tf.boolean_mask(y, kept)
        if x.shape[0] == 0 and use == "complete.obs":
            raise RError("no complete element pairs")
    elif use == "all.obs":
        values = x if y is None else tf.concat([x, y], 1)
        has_missing = tf.reduce_any(is_na(values))
        if not isinstance(has_missing, SymbolicTensor) and has_missing:
            raise RError("missing observations in cov/cor")
    elif use != "everything":
        raise RError(
            "of a tensor `use` is one of 'everything', 'all.obs', 'complete.obs', 'na.or.complete'"
        )
    x = x - tf.reduce_mean(x, 0, keepdims=True)
    y = x if y is None else y - tf.reduce_mean(y, 0, keepdims=True)
    products = tf.matmul(x, y, transpose_a=True)
    if scaled:
        lengths = [tf.sqrt(tf.reduce_sum(tf.square(z), 0)) for z in (x, y)]
        products = products / (lengths[0][:, tf.newaxis] * lengths[1][tf.newaxis])
    else:
        count = tf.cast(tf.shape(x)[0] - 1, x.dtype)
        products = tf.where(count > 0, products / count, np.nan)
    return products


def moments(
    x: Any, y: Any = None, use: str = "everything", scaled: bool = False, deviation: bool = False
) -> Any:
    """Implements var(), cov(), cor() and sd() of tensors; two vectors give a scalar."""
    is_vector = all(_rank(z) < 2 for z in (x, y) if z is not None)
    if deviation:
        x, is_vector = tf.reshape(x, [-1]), True
    if scaled and is_vector and y is None:
        raise RError("supply both 'x' and 'y' or a matrix-like 'x'")
    result = covariance(x, y, use, scaled)
    if is_vector:
        result = result[0, 0]
    return count_transfer(tf.sqrt(result) if deviation else result)


def _rank(x: Any) -> int:
    return int(x.shape.rank) if isinstance(x, TENSORS) else np.ndim(x)


def _pair_of_columns(x: Any, y: Any) -> tuple[Any, Any]:
    if y is not None:
        x, y = pair(x, y)
    x, y = _columns(x), None if y is None else _columns(y)
    if y is not None and x.shape[0] != y.shape[0]:
        raise RError("incompatible dimensions")
    return x, y


def _columns(x: Any) -> Any:
    """Returns a matrix whose rows are observations; a vector becomes a column."""
    x = inexact(tf.convert_to_tensor(x))
    if x.shape.rank is not None and x.shape.rank > 2:
        raise RError("'x' must be a vector or a matrix")
    return x if x.shape.rank == 2 else tf.reshape(x, [-1, 1])


def scale(x: Any, center: Any = True, scale: Any = True) -> list[Any]:
    """Implements scale(): the matrix, and what was subtracted and divided by, or None."""
    x = _columns(x)
    is_there = tf.logical_not(is_na(x))
    count = tf.cast(tf.math.count_nonzero(is_there, 0), x.dtype)
    if center is True:
        center = tf.reduce_sum(tf.where(is_there, x, 0), 0) / count
    elif center is not False:
        center = _per_column(center, x, "center")
    if center is not False:
        x = x - center
    if scale is True:
        squares = tf.where(is_there, tf.square(x), 0)
        scale = tf.sqrt(tf.reduce_sum(squares, 0) / tf.maximum(count - 1, 1))
    elif scale is not False:
        scale = _per_column(scale, x, "scale")
    if scale is not False:
        x = x / scale
    return [
        count_transfer(x),
        *(None if s is False else count_transfer(s) for s in (center, scale)),
    ]


def _per_column(value: Any, x: Any, name: str) -> Any:
    value = tf.reshape(pair(x, value)[1], [-1])
    if value.shape[0] != x.shape[1]:
        raise RError(f"length of '{name}' must equal the number of columns of 'x'")
    return tf.cast(value, x.dtype)


def quantile(x: Any, probs: Any, na_rm: bool = False) -> Any:
    """Implements quantile() of type 7: linear interpolation between order statistics.

    Missing values are an error where values are known; in a graph the quantiles are NaN then.
    Hyndman and Fan, Sample quantiles in statistical packages, The American Statistician 1996.
    """
    x = inexact(tf.reshape(x, [-1]))
    missing = tf.constant(np.nan, x.dtype)
    probs = np.asarray(probs, np.float64).reshape(-1)
    if not ((probs >= -1e-13) & (probs <= 1 + 1e-13)).all():
        raise RError("'probs' outside [0,1]")
    if na_rm:
        x = tf.boolean_mask(x, tf.logical_not(is_na(x)))
        has_missing = tf.constant(False)
    else:
        has_missing = tf.reduce_any(is_na(x))
        if not isinstance(has_missing, SymbolicTensor) and has_missing:
            raise RError("missing values and NaN's not allowed if 'na.rm' is FALSE")
    last = tf.size(x, out_type=tf.int64) - 1
    index = np.clip(probs, 0, 1) * tf.cast(last, tf.float64)
    fuzz = 4 * np.finfo(np.float64).eps
    low = tf.floor(index + fuzz)
    share = index - low
    share = tf.cast(tf.where(tf.abs(share) < fuzz, tf.zeros_like(share), share), x.dtype)
    ordered = tf.concat([tf.sort(x), [missing]], 0)  # the quantiles of no values are NaN
    at = tf.maximum(tf.cast(low, tf.int64), 0)
    lower = tf.gather(ordered, at)
    upper = tf.gather(ordered, tf.maximum(tf.minimum(at + 1, last), 0))
    # A share of 0 takes the lower one alone: 0 times an infinite difference is no number.
    mixed = (1 - share) * lower + share * upper
    values = tf.where(share > 0, mixed, lower)
    return count_transfer(tf.where(has_missing, missing, values))
