"""Public functions of real FFTs (``rfft``, ``irfft`` and their 2-D and 3-D versions)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import complex64, complex128, float32, float64, int32
from twinflow._src.dispatch.op import API, export
from twinflow._src.graph.static_values import array_of
from twinflow._src.ops.array.padding import pad
from twinflow._src.wings.signal.fourier_real import IRFFT, RFFT, resize_inner_dims

_COMPLEX_OF = {float32: complex64, float64: complex128}


def _checked(x: Any, types: Any, what: str) -> None:
    if x.dtype not in types:
        first, second = types
        raise ValueError(f"{what} requires {first!r} or {second!r} inputs, got: {x!s}")


def _lengths(x: Any, given: Any, rank: int, last: Callable[[Any], Any]) -> Any:
    """Returns the FFT lengths, by default those of the tensor."""
    if given is not None:
        return convert_to_tensor(given, dtype=int32)
    sizes = [None] if x.shape.rank is None else x.shape.as_list()[-rank:]
    if None in sizes:
        dynamic = API["shape"](x)[-rank:]
        return API["concat"]([dynamic[:-1], API["reshape"](last(dynamic[-1]), [1])], 0)
    return convert_to_tensor([*sizes[:-1], max(0, last(sizes[-1]))], dtype=int32)


def _enlarged(x: Any, lengths: Any, rank: int, needed: Callable[[Any], Any]) -> Any:
    """Zero-pads a tensor that is shorter than the transform requires."""
    own, sizes = x.shape._dims, array_of(lengths)
    if own is not None and 0 in own:
        return x
    if own is None or sizes is None or None in own[-rank:]:
        wanted = API["concat"]([lengths[:-1], API["reshape"](needed(lengths[-1]), [1])], 0)
        return resize_inner_dims(x, wanted, rank, cut=False)
    wanted = [int(size) for size in sizes[()]]
    wanted[-1:] = map(needed, wanted[-1:])
    after = [max(size - n, 0) for size, n in zip(wanted, own[-rank:])]
    if not any(after):
        return x
    return pad(x, [[0, 0]] * (len(own) - rank) + [[0, size] for size in after])


def _forward(input_tensor: Any, fft_length: Any, rank: int) -> Any:
    x = convert_to_tensor(input_tensor, dtype_hint=float32)
    _checked(x, tuple(_COMPLEX_OF), RFFT[1].op.type)
    x.shape.with_rank_at_least(rank)
    lengths = _lengths(x, fft_length, rank, lambda size: size)
    x = _enlarged(x, lengths, rank, lambda size: size)
    return RFFT[rank](x, lengths, Tcomplex=_COMPLEX_OF[x.dtype])


def _back(input_tensor: Any, fft_length: Any, rank: int) -> Any:
    x = convert_to_tensor(input_tensor, dtype_hint=complex64)
    x.shape.with_rank_at_least(rank)
    _checked(x, (complex64, complex128), IRFFT[1].op.type)
    lengths = _lengths(x, fft_length, rank, lambda size: 2 * (size - 1))
    x = _enlarged(x, lengths, rank, lambda size: size // 2 + 1)
    return IRFFT[rank](x, lengths, Treal=x.dtype.real_dtype)


@export("signal.rfft")
def rfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """Computes the FFT of a real tensor over the last dimension.

    Args:
        input_tensor: A tensor of float32 or float64.
        fft_length: A vector with the length of the transform; the tensor is truncated or
            zero-padded.
        name: A name for the operation.

    Returns:
        A complex tensor whose last dimension has size length / 2 + 1.

    Raises:
        ValueError: The dtype is not supported, or the tensor is a scalar.
    """
    return _forward(input_tensor, fft_length, 1)


@export("signal.rfft2d")
def rfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """Computes the 2-D FFT of a real tensor over the last two dimensions.

    Args:
        input_tensor: A tensor of float32 or float64.
        fft_length: A vector with the two lengths; the tensor is truncated or zero-padded.
        name: A name for the operation.

    Returns:
        A complex tensor whose last dimension has size length / 2 + 1.

    Raises:
        ValueError: The dtype is not supported, or the rank is too small.
    """
    return _forward(input_tensor, fft_length, 2)


@export("signal.rfft3d")
def rfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """Computes the 3-D FFT of a real tensor over the last three dimensions.

    Args:
        input_tensor: A tensor of float32 or float64.
        fft_length: A vector with the three lengths; the tensor is truncated or zero-padded.
        name: A name for the operation.

    Returns:
        A complex tensor whose last dimension has size length / 2 + 1.

    Raises:
        ValueError: The dtype is not supported, or the rank is too small.
    """
    return _forward(input_tensor, fft_length, 3)


@export("signal.irfft")
def irfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """Computes the inverse real FFT over the last dimension.

    Args:
        input_tensor: A complex tensor, as returned by ``tf.signal.rfft``.
        fft_length: A vector with the length of the result; by default 2 * (n - 1) for input length
            n.
        name: A name for the operation.

    Returns:
        A real tensor of the same precision.

    Raises:
        ValueError: The tensor is not complex, or is a scalar.
    """
    return _back(input_tensor, fft_length, 1)


@export("signal.irfft2d")
def irfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """Computes the inverse 2-D real FFT over the last two dimensions.

    Args:
        input_tensor: A complex tensor, as returned by ``tf.signal.rfft2d``.
        fft_length: A vector with the two sizes of the result; those that fit, the last one even, if
            None.
        name: A name for the operation.

    Returns:
        A real tensor of the same precision.

    Raises:
        ValueError: The tensor is not complex, or the rank is too small.
    """
    return _back(input_tensor, fft_length, 2)


@export("signal.irfft3d")
def irfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """Computes the inverse 3-D real FFT over the last three dimensions.

    Args:
        input_tensor: A complex tensor, as returned by ``tf.signal.rfft3d``.
        fft_length: A vector with the three sizes of the result; those that fit, the last one even,
            where None.
        name: A name for the operation.

    Returns:
        A real tensor of the same precision.

    Raises:
        ValueError: The tensor is not complex, or the rank is too small.
    """
    return _back(input_tensor, fft_length, 3)
