"""Sobol sequences: ``tf.math.sobol_sample``."""

from __future__ import annotations

import functools
import os
from typing import Annotated, Any

import numpy as np

from twinflow._src.core import shapes
from twinflow._src.core.dtypes import DType, float32, float64, int32
from twinflow._src.core.errors import invalid
from twinflow._src.dispatch.op import API, Kind, Type, export, op
from twinflow._src.shape_rules.values import size_value

_BITS = 31  # of the integers before they are scaled
_MOST = 21200  # dimensions
_LAST = 2**31 - 1
# The number of primitive polynomials modulo 2 by degree, from 1 on; the table ends amid degree 18.
_POLYNOMIALS = (1, 1, 2, 2, 6, 6, 18, 16, 48, 60, 176, 144, 630, 756, 1800, 2048, 7710, 7776)

_Number = Annotated[Any, Kind("Tnumber", only=int32, default=int32, host=True)]


@functools.cache
def _table() -> Any:
    """Returns the bits of the table of initial direction numbers."""
    # It has those of S. Joe and F. Y. Kuo, "Constructing Sobol sequences with better
    # two-dimensional projections", SIAM J. Sci. Comput. 30 (2008), for all dimensions but the
    # first. For each there are the inner coefficients of a primitive polynomial of degree s, then
    # the numbers m_2 to m_s, each of which is odd, without the last bit: m_i takes i - 1 bits.
    file = os.path.join(os.path.dirname(__file__), "sobol_directions.bin")
    return np.unpackbits(np.fromfile(file, np.uint8))


def _binary(bits: Any) -> Any:
    """Returns the integers whose bits are in the rows of a matrix, the highest first."""
    places = np.arange(bits.shape[1] - 1, -1, -1, dtype=np.int64)
    return bits.astype(np.int64) @ (1 << places)


@functools.lru_cache(maxsize=8)
def _directions(dim: int) -> Any:
    """Returns the direction numbers by bit and dimension, scaled to integers of ``_BITS`` bits."""
    result = np.empty((_BITS, dim), np.int64)
    result[:, 0] = 1 << np.arange(_BITS - 1, -1, -1, dtype=np.int64)
    start, offset = 1, 0
    for degree, count in enumerate(_POLYNOMIALS, 1):
        width = degree - 1 + degree * (degree - 1) // 2
        rows = min(count, _MOST - start, dim - start)
        if rows <= 0:
            break
        bits = _table()[offset : offset + rows * width].reshape(rows, width)
        result[:, start : start + rows] = _of_degree(bits, degree)
        start, offset = start + rows, offset + count * width
    return result


def _of_degree(bits: Any, degree: int) -> Any:
    """Returns the direction numbers for polynomials of one degree, by their rows of the table."""
    result = np.empty((_BITS, len(bits)), np.int64)
    result[0], at = 1 << (_BITS - 1), degree - 1
    for i in range(2, degree + 1):
        odd = 2 * _binary(bits[:, at : at + i - 1]) + 1
        result[i - 1], at = odd << (_BITS - i), at + i - 1
    for i in range(degree, _BITS):
        before = result[i - degree]
        value = before ^ (before >> degree)
        for k in range(1, degree):
            value ^= np.where(bits[:, k - 1] == 1, result[i - k], 0)
        result[i] = value
    return result


def _points(dim: int, count: int, skip: int) -> Any:
    """Returns the points of a Sobol sequence in the order of the Gray code, as integers."""
    directions = _directions(dim)
    result = np.empty((count, dim), np.int64)
    gray, bit = (skip + 1) ^ ((skip + 1) >> 1), 0
    point = np.zeros(dim, np.int64)
    while gray >> bit:
        if gray >> bit & 1:
            point ^= directions[bit]
        bit += 1
    result[0] = point
    for i in range(1, count):
        index = skip + 1 + i
        point ^= directions[(index & -index).bit_length() - 1]  # the bit that changes
        result[i] = point
    return result


def _sampled(dim: Any, num_results: Any, skip: Any = None, **_: Any) -> shapes.Dims | None:
    return size_value(num_results, 1), size_value(dim, 0)


@op(
    "SobolSample",
    shape=_sampled,
    no_gradient=True,
    out="dtype",
    dtypes=frozenset((float32, float64)),
    devices=("CPU",),
)
def _sobol_sample(
    xp: Any, dim: _Number, num_results: _Number, skip: _Number, *, dtype: Type = float32
) -> Any:
    """Returns points of a Sobol sequence."""
    for name, value in (("dim", dim), ("num_results", num_results), ("skip", skip)):
        if value.ndim:
            raise invalid(f"{name} must be a scalar")
    if dim < 1:
        raise invalid("dim must be at least one")
    if dim > _MOST:
        raise invalid(f"dim must be at most {_MOST}")
    if num_results < 1:
        raise invalid("num_results must be at least one")
    if skip < 0:
        raise invalid("skip must be non-negative")
    if int(num_results) >= _LAST - int(skip):
        raise invalid(f"num_results+skip must be less than {_LAST}")
    points = _points(int(dim), int(num_results), int(skip))
    return xp.asarray(points.astype(dtype.np) * dtype.np.type(2.0**-_BITS))


@export("math.sobol_sample")
def sobol_sample(
    dim: Any, num_results: Any, skip: Any = 0, dtype: DType = float32, name: str | None = None
) -> Any:
    """Returns points of a Sobol sequence: quasi-random numbers of low discrepancy in [0, 1).

    The sequence is that of Joe and Kuo (2008), without its first point, zero. Points are in the
    order of the Gray code.

    Args:
        dim: The number of dimensions, an int32 scalar from 1 to 21200.
        num_results: The number of points, a positive int32 scalar.
        skip: The number of points to skip, an int32 scalar.
        dtype: float32 or float64.

    Returns:
        A tensor of shape ``[num_results, dim]``.

    Raises:
        InvalidArgumentError: An argument is no scalar, out of range, or of another dtype.
    """
    with API["name_scope"](name or "sobol"):
        return _sobol_sample(dim, num_results, skip, dtype=dtype)
