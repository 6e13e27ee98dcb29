"""The public functions of Fourier transforms over any dimensions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import COMPLEXES, complex64, float32, int32
from twinflow._src.core.errors import invalid
from twinflow._src.dispatch.op import API, OpFunction, export
from twinflow._src.graph.static_values import array_of
from twinflow._src.ops.array.static_sizes import joined, rank_of, size_of, span
from twinflow._src.wings.signal.fourier_any import (
    _count,
    _fftnd,
    _ifftnd,
    _irfftnd,
    _rfftnd,
    _whole,
)
from twinflow._src.wings.signal.fourier_functions import _COMPLEX_OF, _checked

_NORMS = (None, "backward", "ortho", "forward")


def _scale(norm: Any, lengths: Any, dtype: Any, inverse: bool) -> Any:
    """By what a transform is multiplied, None for nothing."""
    if norm not in _NORMS:
        raise invalid(f"norm must be one of None, 'backward', 'ortho' and 'forward', but got: {norm!r}")
    count = _count(lengths, dtype)
    if norm == "ortho":
        root = API["sqrt"](count)
        return root if inverse else 1 / root
    if norm == "forward":
        return count if inverse else 1 / count
    return None


def _places(x: Any, fft_length: Any, axes: Any, last: Callable[[Any], Any]) -> tuple[Any, Any]:
    """The lengths and the dimensions of a transform: those that are given, else the tensor's."""
    lengths = None if fft_length is None else convert_to_tensor(fft_length, dtype=int32)
    if axes is None:
        rank = rank_of(x)
        axes = span(0 if lengths is None else rank - size_of(lengths, 0), rank)
    axes = convert_to_tensor(axes, dtype=int32)
    if lengths is None:
        sizes = _sizes(x, axes)
        lengths = convert_to_tensor(joined(sizes[:-1], last(sizes[-1:])), dtype=int32)
    return lengths, axes


def _sizes(x: Any, axes: Any) -> Any:
    """The sizes of a tensor along dimensions: a list of numbers where they are known, else a vector."""
    places, dims = array_of(axes), x.shape._dims
    if places is None or dims is None or None in dims:
        return API["gather"](API["shape"](x), axes % rank_of(x))
    return [dims[place] for place in places.tolist()]


def _even(sizes: Any) -> Any:
    """The sizes that a transform to real numbers has where none are given."""
    return [2 * (size - 1) for size in sizes] if isinstance(sizes, list) else 2 * (sizes - 1)


def _transformed(
    function: OpFunction, x: Any, given: tuple[Any, Any], norm: Any, inverse: bool, **types: Any
) -> Any:
    lengths, axes = _places(x, *given, _even if "Treal" in types else _whole)
    found = function(x, lengths, axes, **types)
    scale = _scale(norm, lengths, found.dtype.real_dtype, inverse)
    return found if scale is None else found * API["cast"](scale, found.dtype)


@export("signal.fftnd", "fftnd")
def fftnd(
    input_tensor: Any, fft_length: Any = None, axes: Any = None, norm: Any = None, name: str | None = None
) -> Any:
    """Returns the Fourier transform over any dimensions.

    Args:
        input_tensor: A tensor of complex numbers.
        fft_length: The length along each dimension, by cutting or by zeros behind; the tensor's where None.
        axes: The dimensions; all where None (the last ones where only lengths are given).
        norm: None or ``"backward"`` for none, ``"ortho"`` to divide by the root of the number of elements,
            ``"forward"`` to divide by that number.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: There is no such dimension or norm.
    """
    x = convert_to_tensor(input_tensor, dtype_hint=complex64)
    return _transformed(_fftnd, x, (fft_length, axes), norm, inverse=False)


@export("signal.ifftnd", "ifftnd")
def ifftnd(
    input_tensor: Any, fft_length: Any = None, axes: Any = None, norm: Any = None, name: str | None = None
) -> Any:
    """Returns the inverse Fourier transform over any dimensions.

    Args:
        input_tensor: A tensor of complex numbers.
        fft_length: The length along each dimension, by cutting or by zeros behind; the tensor's where None.
        axes: The dimensions; all where None (the last ones where only lengths are given).
        norm: That of the transform that is undone; see ``tf.signal.fftnd``.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: There is no such dimension or norm.
    """
    x = convert_to_tensor(input_tensor, dtype_hint=complex64)
    return _transformed(_ifftnd, x, (fft_length, axes), norm, inverse=True)


@export("signal.rfftnd", "rfftnd")
def rfftnd(
    input_tensor: Any, fft_length: Any = None, axes: Any = None, norm: Any = None, name: str | None = None
) -> Any:
    """Returns the Fourier transform of real numbers over any dimensions; half of it along the last.

    Args:
        input_tensor: A tensor of float32 or float64.
        fft_length: The length along each dimension, by cutting or by zeros behind; the tensor's where None.
        axes: The dimensions; all where None (the last ones where only lengths are given).
        norm: See ``tf.signal.fftnd``.
        name: A name for the operation.

    Returns:
        A tensor of complex numbers.

    Raises:
        ValueError: The tensor has another type.
        InvalidArgumentError: There is no such dimension or norm.
    """
    x = convert_to_tensor(input_tensor, dtype_hint=float32)
    _checked(x, tuple(_COMPLEX_OF), "RFFT")
    x.shape.with_rank_at_least(1)
    given = fft_length, axes
    return _transformed(_rfftnd, x, given, norm, inverse=False, Tcomplex=_COMPLEX_OF[x.dtype])


@export("signal.irfftnd", "irfftnd")
def irfftnd(
    input_tensor: Any, fft_length: Any = None, axes: Any = None, norm: Any = None, name: str | None = None
) -> Any:
    """Returns the real numbers of which any dimensions are the Fourier transform.

    Args:
        input_tensor: A tensor of complex numbers, as ``tf.signal.rfftnd`` gives it.
        fft_length: The size of the result along each dimension; those that fit, the last one even, where
            None.
        axes: The dimensions; all where None (the last ones where only lengths are given).
        norm: That of the transform that is undone; see ``tf.signal.fftnd``.
        name: A name for the operation.

    Returns:
        A tensor of real numbers.

    Raises:
        ValueError: The tensor is not complex.
        InvalidArgumentError: There is no such dimension or norm.
    """
    types = tuple(sorted(COMPLEXES, key=lambda dtype: dtype.size))
    x = convert_to_tensor(input_tensor, dtype_hint=complex64)
    _checked(x, types, "IRFFT")
    x.shape.with_rank_at_least(1)
    return _transformed(_irfftnd, x, (fft_length, axes), norm, inverse=True, Treal=x.dtype.real_dtype)
