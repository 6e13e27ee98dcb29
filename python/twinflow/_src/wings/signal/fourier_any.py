"""N-dimensional FFT ops over arbitrary axes, and their public functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import COMPLEXES, complex64, float32, int32
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import Dims
from twinflow._src.dispatch.op import API, Call, Kind, OpFunction, Type, documented_like, export, op
from twinflow._src.graph.static_values import array_of
from twinflow._src.ops.array.shapes import concat_sizes, rank_of, size_of, span
from twinflow._src.ops.elementwise.complex_numbers import real
from twinflow._src.shape_rules.demands import value_dims, vector
from twinflow._src.wings.signal.fourier import (
    _COMPLEX_OF,
    IRFFT,
    RFFT,
    Lengths,
    Real,
    Signal,
    _check_dtype,
    _half_size,
    forward,
    twice,
)

# Ops.


Axes = Annotated[Any, Kind("axes", only=int32, default=int32, host=True)]


def _validate_axes(rank: int, fft_length: Any, axes: Any) -> tuple[list[int], list[int]]:
    """Returns the lengths and the non-negative axes of a transform."""
    lengths, requested = fft_length.tolist(), axes.tolist()
    if len(lengths) != len(requested):
        raise invalid(f"fft_length must have shape [{len(requested)}]")
    for axis in requested:
        if not -rank <= axis < rank:
            raise invalid(f"axes must be in [{-rank}, {rank}), but got: {axis}")
    positive = [axis % rank for axis in requested]
    if len(set(positive)) < len(positive):
        raise invalid(f"axes must be unique, but got: {requested}")
    for i, size in enumerate(lengths):
        if size < 0:
            raise invalid(f"fft_length[{i}] must >= 0, but got: {size}")
    return lengths, positive


def _infer_transform(last: Callable[[int], int]) -> Callable[..., Any]:
    """Returns the shape function of a transform; ``last`` maps the size of the last axis."""

    def rule(dims: Dims | None, fft_length: Any, axes: Any, **_: Any) -> Any:
        vector(value_dims(fft_length)), vector(value_dims(axes))
        static = isinstance(fft_length, np.ndarray) and isinstance(axes, np.ndarray)
        if dims is None or not static:
            return None if dims is None else (None,) * len(dims)
        lengths, indices = _validate_axes(len(dims), fft_length, axes)
        return _replace_sizes(dims, [*lengths[:-1], *map(last, lengths[-1:])], indices)

    return rule


def _replace_sizes(dims: Any, sizes: list[int], indices: list[int]) -> tuple[Any, ...]:
    result = list(dims)
    for index, size in zip(indices, sizes):
        result[index] = size
    return tuple(result)


def _run(
    xp: Any, name: str, x: Any, fft_length: Any, axes: Any, last: Callable[[int], int], values: Any
) -> Any:
    """Runs a function of ``xp.fft``; returns zeros for empty input."""
    lengths, indices = _validate_axes(x.ndim, fft_length, axes)
    if 0 in lengths or not x.size:
        sizes = [*lengths[:-1], *map(last, lengths[-1:])]
        return xp.zeros(_replace_sizes(x.shape, sizes, indices), values)
    if not indices:
        return x.astype(values)
    function = getattr(xp.fft, name)
    if name.startswith("i"):
        result = function(x, s=lengths, axes=indices)
    else:
        result = forward(function, x, lengths, indices)
    return xp.asarray(result.astype(values, copy=False), order="C")


def _keep_size(size: Any) -> Any:
    return size


@op("FFTND", shape=_infer_transform(_keep_size))
def _fftnd(xp: Any, input: Signal, fft_length: Lengths, axes: Axes) -> Any:
    """Computes the FFT over the given axes."""
    return _run(xp, "fftn", input, fft_length, axes, _keep_size, input.dtype)


@op("IFFTND", shape=_infer_transform(_keep_size))
def _ifftnd(xp: Any, input: Signal, fft_length: Lengths, axes: Axes) -> Any:
    """Computes the inverse FFT over the given axes."""
    return _run(xp, "ifftn", input, fft_length, axes, _keep_size, input.dtype)


@op("RFFTND", shape=_infer_transform(_half_size), out="Tcomplex")
def _rfftnd(
    xp: Any, input: Real, fft_length: Lengths, axes: Axes, *, Tcomplex: Type = complex64
) -> Any:
    """Computes the FFT of a real tensor over the given axes; the last one has length n / 2 + 1."""
    return _run(xp, "rfftn", input, fft_length, axes, _half_size, Tcomplex.np)


@op("IRFFTND", shape=_infer_transform(_keep_size), out="Treal")
def _irfftnd(
    xp: Any, input: Signal, fft_length: Lengths, axes: Axes, *, Treal: Type = float32
) -> Any:
    """Computes the inverse FFT to a real tensor over the given axes."""
    return _run(xp, "irfftn", input, fft_length, axes, _keep_size, Treal.np)


# ------------------------------------------------------------------ gradients


def _like(x: Any, result: Any) -> Any:
    """Returns a gradient truncated or zero-padded to the shape of its input."""
    dims, target = API["shape"](result), API["shape"](x)
    remaining = API["slice"](result, API["zeros_like"](dims), API["minimum"](dims, target))
    after = API["maximum"](target - dims, 0)
    return API["pad"](remaining, API["stack"]([API["zeros_like"](after), after], 1))


def _count(fft_length: Any, dtype: Any) -> Any:
    return API["cast"](API["reduce_prod"](fft_length), dtype)


@_fftnd.gradient
def _(call: Call, dy: Any) -> Any:
    x, lengths, axes = call.inputs
    return _like(x, _ifftnd(dy, lengths, axes) * _count(lengths, dy.dtype)), None, None


@_ifftnd.gradient
def _(call: Call, dy: Any) -> Any:
    x, lengths, axes = call.inputs
    return _like(x, _fftnd(dy, lengths, axes) / _count(lengths, dy.dtype)), None, None


@_rfftnd.gradient
def _(call: Call, dy: Any) -> Any:
    x, lengths, axes = call.inputs
    result = real(_ifftnd(dy, lengths, axes) * _count(lengths, dy.dtype))
    return _like(x, result), None, None


@_irfftnd.gradient
def _(call: Call, dy: Any) -> Any:
    x, lengths, axes = call.inputs
    result = _rfftnd(dy, lengths, axes, Tcomplex=x.dtype)
    along = API["one_hot"](axes[-1] % rank_of(x), rank_of(x), -1, 1)
    weights = API["reshape"](twice(lengths[-1], result.dtype), along)
    return _like(x, result * weights / _count(lengths, result.dtype)), None, None


# Public functions.


_NORMS = (None, "backward", "ortho", "forward")


def _scale(norm: Any, lengths: Any, dtype: Any, inverse: bool) -> Any:
    """Returns the normalization factor of a transform, None for no scaling."""
    if norm not in _NORMS:
        raise invalid(
            f"norm must be one of None, 'backward', 'ortho' and 'forward', but got: {norm!r}"
        )
    count = _count(lengths, dtype)
    if norm == "ortho":
        root = API["sqrt"](count)
        return root if inverse else 1 / root
    if norm == "forward":
        return count if inverse else 1 / count
    return None


def _places(x: Any, fft_length: Any, axes: Any, last: Callable[[Any], Any]) -> tuple[Any, Any]:
    """Returns the lengths and axes of a transform, by default those of the tensor."""
    lengths = None if fft_length is None else convert_to_tensor(fft_length, dtype=int32)
    if axes is None:
        rank = rank_of(x)
        axes = span(0 if lengths is None else rank - size_of(lengths, 0), rank)
    axes = convert_to_tensor(axes, dtype=int32)
    if lengths is None:
        sizes = _sizes(x, axes)
        lengths = convert_to_tensor(concat_sizes(sizes[:-1], last(sizes[-1:])), dtype=int32)
    return lengths, axes


def _sizes(x: Any, axes: Any) -> Any:
    """Returns the sizes along axes: a list of integers if static, else a vector."""
    indices, dims = array_of(axes), x.shape._dims
    if indices is None or dims is None or None in dims:
        return API["gather"](API["shape"](x), axes % rank_of(x))
    return [dims[index] for index in indices.tolist()]


def _even(sizes: Any) -> Any:
    """Returns the default length of the last axis of a transform to real numbers, which is even."""
    return [2 * (size - 1) for size in sizes] if isinstance(sizes, list) else 2 * (sizes - 1)


def _transform(
    function: OpFunction,
    x: Any,
    lengths_and_axes: tuple[Any, Any],
    norm: Any,
    inverse: bool,
    **types: Any,
) -> Any:
    lengths, axes = _places(x, *lengths_and_axes, _even if "Treal" in types else _keep_size)
    result = function(x, lengths, axes, **types)
    scale = _scale(norm, lengths, result.dtype.real_dtype, inverse)
    return result if scale is None else result * API["cast"](scale, result.dtype)


@export("signal.fftnd", "fftnd")
def fftnd(
    input_tensor: Any,
    fft_length: Any = None,
    axes: Any = None,
    norm: Any = None,
    name: str | None = None,
) -> Any:
    """Computes the N-dimensional discrete Fourier transform over any axes.

    Args:
        input_tensor: A complex tensor.
        fft_length: The length along each dimension, by cutting or by zeros behind; the tensor's if
            None.
        axes: The dimensions; all if None (the last ones if only lengths are given).
        norm: None or ``"backward"`` for no scaling, ``"ortho"`` to divide by the square root of the
            number of elements, ``"forward"`` to divide by that number.

    Returns:
        A tensor of the same dtype.

    Raises:
        InvalidArgumentError: An axis is out of range, or the norm is unknown.
    """
    x = convert_to_tensor(input_tensor, dtype_hint=complex64)
    return _transform(_fftnd, x, (fft_length, axes), norm, inverse=False)


@export("signal.ifftnd", "ifftnd")
@documented_like(fftnd)
def ifftnd(
    input_tensor: Any,
    fft_length: Any = None,
    axes: Any = None,
    norm: Any = None,
    name: str | None = None,
) -> Any:
    """Computes the inverse N-dimensional discrete Fourier transform over any axes.

    Args:
        norm: The norm of the forward transform; see ``tf.signal.fftnd``.
    """
    x = convert_to_tensor(input_tensor, dtype_hint=complex64)
    return _transform(_ifftnd, x, (fft_length, axes), norm, inverse=True)


@export("signal.rfftnd", "rfftnd")
@documented_like(fftnd)
def rfftnd(
    input_tensor: Any,
    fft_length: Any = None,
    axes: Any = None,
    norm: Any = None,
    name: str | None = None,
) -> Any:
    """Computes the N-dimensional FFT of a real tensor; the last axis has length n / 2 + 1.

    Args:
        input_tensor: A tensor of float32 or float64.
        norm: See ``tf.signal.fftnd``.

    Returns:
        A complex tensor.

    Raises:
        ValueError: The tensor has an unsupported dtype.
        InvalidArgumentError: An axis is out of range, or the norm is unknown.
    """
    x = convert_to_tensor(input_tensor, dtype_hint=float32)
    _check_dtype(x, tuple(_COMPLEX_OF), RFFT[1].op.type)
    x.shape.with_rank_at_least(1)
    lengths_and_axes = fft_length, axes
    return _transform(
        _rfftnd, x, lengths_and_axes, norm, inverse=False, Tcomplex=_COMPLEX_OF[x.dtype]
    )


@export("signal.irfftnd", "irfftnd")
def irfftnd(
    input_tensor: Any,
    fft_length: Any = None,
    axes: Any = None,
    norm: Any = None,
    name: str | None = None,
) -> Any:
    """Computes the inverse N-dimensional FFT to a real tensor over any axes.

    Args:
        input_tensor: A complex tensor, as returned by ``tf.signal.rfftnd``.
        fft_length: The size of the result along each dimension; those that fit, the last one even,
            where None.
        axes: The dimensions; all if None (the last ones if only lengths are given).
        norm: The norm of the forward transform; see ``tf.signal.fftnd``.

    Returns:
        A real tensor.

    Raises:
        ValueError: The tensor is not complex.
        InvalidArgumentError: An axis is out of range, or the norm is unknown.
    """
    types = tuple(sorted(COMPLEXES, key=lambda dtype: dtype.size))
    x = convert_to_tensor(input_tensor, dtype_hint=complex64)
    _check_dtype(x, types, IRFFT[1].op.type)
    x.shape.with_rank_at_least(1)
    return _transform(_irfftnd, x, (fft_length, axes), norm, inverse=True, Treal=x.dtype.real_dtype)
