"""Real FFT ops over the innermost dimensions, and their inverses.

Along the last dimension the transform of n real numbers has n / 2 + 1 complex numbers; the others
are their conjugates.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from twinflow._src.core.dtypes import complex64, float32, float64, int32
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import Dims
from twinflow._src.dispatch.op import API, Call, Kind, OpFunction, Type, op
from twinflow._src.ops.array.padding import pad
from twinflow._src.ops.elementwise.complex_numbers import real
from twinflow._src.shape_rules.demands import at_least, value_dims, vector
from twinflow._src.wings.signal.fourier import (
    BACK,
    DIMENSIONS,
    NAMES,
    Signal,
    assert_rank,
    count,
    forward,
)

Real = Annotated[Any, Kind("Treal", default=float32, allowed=frozenset((float32, float64)))]
Lengths = Annotated[Any, Kind("fft_length", only=int32, default=int32, host=True)]


def _sizes(x: Any, fft_length: Any, rank: int, halved: bool) -> list[int]:
    """Returns the FFT lengths after validation against the input shape."""
    if fft_length.shape != (rank,):
        raise invalid(f"fft_length must have shape [{rank}]")
    sizes: list[int] = fft_length.tolist()
    for i, size in enumerate(sizes):
        if size < 0:
            raise invalid(f"fft_length[{i}] must >= 0, but got: {size}")
        needed = size // 2 + 1 if halved and i == rank - 1 else size
        axis = x.ndim - rank + i
        if 0 < x.shape[axis] < needed:
            raise invalid(
                f"Input dimension {axis} must have length of at least {needed} but got: {x.shape[axis]}"
            )
    return sizes


def _changed(dims: Dims | None, rank: int, last: Callable[[int], int], fft_length: Any) -> Any:
    """Returns the shape of a transform whose lengths are an input tensor."""
    dims = at_least(dims, rank)
    vector(value_dims(fft_length))
    if dims is None:
        return None
    known = fft_length.tolist() if isinstance(fft_length, np.ndarray) else fft_length
    sizes = known if isinstance(known, list) and len(known) == rank else [None] * rank
    tail = None if sizes[-1] is None else last(sizes[-1])
    return (*dims[: len(dims) - rank], *sizes[:-1], tail)


_REAL_DOC = """Returns the {what} over the {dimensions}.

    Args:
        input: A tensor of {given} numbers.
        fft_length: The lengths of the transform; a larger input is cut.
        {attr}: The type of the result.

    Returns:
        A tensor of {found} numbers.

    Raises:
        InvalidArgumentError: There are too few dimensions or too few numbers.
    """


def _halved(size: int) -> int:
    return size // 2 + 1 if size else 0


def _rfft_op(rank: int) -> OpFunction:
    """Returns the op of a real-to-complex FFT."""
    axes = tuple(range(-rank, 0))

    def kernel(xp: Any, input: Real, fft_length: Lengths, *, Tcomplex: Type = complex64) -> Any:
        assert_rank(input, rank)
        sizes = _sizes(input, fft_length, rank, halved=False)
        if 0 in sizes or not input.size:
            dims = (*input.shape[:-rank], *sizes[:-1], _halved(sizes[-1]))
            return xp.zeros(dims, Tcomplex.np)
        found = forward(xp.fft.rfftn, input, sizes, axes)
        return found.astype(Tcomplex.np, copy=False)

    kernel.__name__ = f"_rfft{NAMES[rank]}"
    kernel.__doc__ = _REAL_DOC.format(
        what="Fourier transform of real numbers",
        dimensions=DIMENSIONS[rank],
        given="real",
        found="complex",
        attr="Tcomplex",
    )
    shape = lambda dims, lengths, **_: _changed(dims, rank, _halved, lengths)
    made = op(f"RFFT{NAMES[rank].upper()}", shape=shape, out="Tcomplex")(kernel)
    made.gradient(lambda call, dy: _rfft_gradient(call, dy, rank))
    return made


def _irfft_op(rank: int) -> OpFunction:
    """Returns the op of a complex-to-real inverse FFT."""
    axes = tuple(range(-rank, 0))

    def kernel(xp: Any, input: Signal, fft_length: Lengths, *, Treal: Type = float32) -> Any:
        assert_rank(input, rank)
        sizes = _sizes(input, fft_length, rank, halved=True)
        if 0 in sizes or not input.size:
            return xp.zeros((*input.shape[:-rank], *sizes), Treal.np)
        return xp.fft.irfftn(input, s=sizes, axes=axes).astype(Treal.np, copy=False)

    kernel.__name__ = f"_irfft{NAMES[rank]}"
    kernel.__doc__ = _REAL_DOC.format(
        what="inverse Fourier transform to real numbers",
        dimensions=DIMENSIONS[rank],
        given="complex",
        found="real",
        attr="Treal",
    )
    shape = lambda dims, lengths, **_: _changed(dims, rank, lambda size: size, lengths)
    made = op(f"IRFFT{NAMES[rank].upper()}", shape=shape, out="Treal")(kernel)
    made.gradient(lambda call, dy: _irfft_gradient(call, dy, rank))
    return made


RFFT = {rank: _rfft_op(rank) for rank in (1, 2, 3)}
IRFFT = {rank: _irfft_op(rank) for rank in (1, 2, 3)}


def resize_inner_dims(x: Any, sizes: Any, rank: int, cut: bool = True) -> Any:
    """Truncates (if ``cut``) and zero-pads the innermost dimensions to ``sizes``."""
    own = API["shape"](x)
    wanted = API["concat"]([own[:-rank], sizes], 0)
    if cut:
        x = API["slice"](x, API["zeros_like"](own), API["minimum"](own, wanted))
    after = API["maximum"](wanted - own, 0)
    return pad(x, API["stack"]([API["zeros_like"](after), after], 1))


def _rfft_gradient(call: Call, dy: Any, rank: int) -> tuple[Any, None]:
    """Returns the gradient: the real part of the inverse FFT of dy, zero-padded to full length."""
    x, lengths = call.inputs
    whole = resize_inner_dims(dy, lengths, rank)
    found = real(BACK[rank](whole) * count(whole, range(-rank, 0)))
    return resize_inner_dims(found, API["shape"](x)[-rank:], rank), None


def _irfft_gradient(call: Call, dy: Any, rank: int) -> tuple[Any, None]:
    """Returns the gradient: the FFT of dy, in which components with a conjugate count twice."""
    x, lengths = call.inputs
    found = RFFT[rank](dy, lengths, Tcomplex=x.dtype)
    weights = twice(lengths[-1], found.dtype)
    scaled = found * weights / API["cast"](API["reduce_prod"](lengths), found.dtype)
    return resize_inner_dims(scaled, API["shape"](x)[-rank:], rank), None


def twice(size: Any, dtype: Any) -> Any:
    """Returns the multiplicity of each of the n // 2 + 1 components: 1 at 0 and n / 2, else 2.

    ``size`` is n, the number of real values.
    """
    place = API["range"](size // 2 + 1)
    alone = API["logical_or"](API["equal"](place, 0), API["equal"](place * 2, size))
    return API["cast"](API["where"](alone, 1, 2), dtype)
