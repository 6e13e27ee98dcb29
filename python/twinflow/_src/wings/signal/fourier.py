"""FFT ops over the innermost dimensions, their public functions, and ``fftshift``.

The transforms of NumPy and CuPy compute in the precision of their input, as TensorFlow's do. Along
the last dimension the transform of n real numbers has n / 2 + 1 complex numbers; the others are
their conjugates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import COMPLEXES, complex64, complex128, float32, float64, int32
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import Dims, text
from twinflow._src.dispatch.op import API, Call, Kind, OpFunction, Type, documented_like, export, op
from twinflow._src.graph.static_values import array_of
from twinflow._src.ops.array.gather import gather, where
from twinflow._src.ops.array.padding import pad
from twinflow._src.ops.array.rearrange import roll
from twinflow._src.ops.array.shapes import shape, size_of
from twinflow._src.ops.elementwise.complex_numbers import real
from twinflow._src.ops.reduce.reduce import rank
from twinflow._src.shape_rules.demands import at_least, value_dims, vector

# Complex FFT ops over the innermost dimensions.


Signal = Annotated[Any, Kind("Tcomplex", default=complex64, allowed=COMPLEXES)]
DIMENSIONS = {1: "last dimension", 2: "last two dimensions", 3: "last three dimensions"}
NAMES = {1: "", 2: "2d", 3: "3d"}


def assert_rank(x: Any, rank: int) -> None:
    if x.ndim < rank:
        raise invalid(f"Input must have rank of at least {rank} but got: {text(x.shape)}")


_COMPLEX_DOC = """Returns the {what} of complex numbers over the {dimensions}.

    Args:
        input: A tensor of complex numbers.
        name: A name for the operation.

    Returns:
        A tensor of the same type and shape.

    Raises:
        InvalidArgumentError: There are too few dimensions.
    """


def forward(transform: Any, x: Any, sizes: Sequence[int], axes: Sequence[int]) -> Any:
    """Computes a forward FFT in the precision of its input.

    NumPy computes an unnormalized transform of 32-bit input in 64 bits and rounds the result, but
    not a normalized one. The transform is therefore normalized and scaled back; for sizes that are
    powers of 2 the result is bitwise that of TensorFlow.
    """
    if x.dtype.itemsize == (16 if x.dtype.kind == "c" else 8):
        return transform(x, s=sizes, axes=axes)
    result = transform(x, s=sizes, axes=axes, norm="forward")
    result *= math.prod(sizes)
    return result


def _complex_transform(rank: int, inverse: bool) -> OpFunction:
    """Returns the kernel of a complex forward or inverse FFT."""
    axes = tuple(range(-rank, 0))

    def kernel(xp: Any, input: Signal) -> Any:
        assert_rank(input, rank)
        if not input.size:
            return input.copy()
        if inverse:
            return xp.fft.ifftn(input, axes=axes)
        return forward(xp.fft.fftn, input, input.shape[-rank:], axes)

    name = f"{'i' if inverse else ''}fft{NAMES[rank]}"
    kernel.__name__ = f"_{name}"
    what = "inverse Fourier transform" if inverse else "Fourier transform"
    kernel.__doc__ = f"Returns the {what} of complex numbers over the {DIMENSIONS[rank]}."
    shape = lambda dims, **_: at_least(dims, rank)
    function = op(name.upper(), shape=shape, dtypes=COMPLEXES)(kernel)
    function.batched(lambda call: call.first())
    _publish(name, function, _COMPLEX_DOC.format(what=what, dimensions=DIMENSIONS[rank]))
    return function


def _publish(title: str, function: OpFunction, doc: str) -> None:
    """Registers an FFT op as a public function; Python complex numbers become complex128."""

    def transform(input: Any, name: str | None = None) -> Any:
        if isinstance(input, (complex, list, tuple)):
            tensor = convert_to_tensor(input)
            input = tensor if tensor.dtype in COMPLEXES else input
        return function(input, name=name)

    transform.__name__ = transform.__qualname__ = title
    transform.__doc__ = doc
    export(f"signal.{title}")(transform)


def count(x: Any, axes: Sequence[int]) -> Any:
    """Returns the number of elements along the transformed axes, in the dtype of the tensor."""
    sizes = [size_of(x, axis) for axis in axes]
    if all(isinstance(size, int) for size in sizes):
        return convert_to_tensor(float(math.prod(sizes)), dtype=x.dtype)
    return API["cast"](API["reduce_prod"](sizes), x.dtype)


def _with_gradients(forward: OpFunction, back: OpFunction, rank: int) -> None:
    """Registers the gradients of an FFT and its inverse: each is the other one, scaled."""

    @forward.gradient
    def _(call: Call, dy: Any) -> Any:
        return back(dy) * count(dy, range(-rank, 0))

    @back.gradient
    def _(call: Call, dy: Any) -> Any:
        return forward(dy) / count(dy, range(-rank, 0))


FORWARD = {rank: _complex_transform(rank, inverse=False) for rank in (1, 2, 3)}
BACK = {rank: _complex_transform(rank, inverse=True) for rank in (1, 2, 3)}
for _rank in FORWARD:
    _with_gradients(FORWARD[_rank], BACK[_rank], _rank)


# fftshift and ifftshift.


def _halves(x: Any, axes: Any) -> tuple[Any, Any]:
    """Returns the axes and half their sizes."""
    if axes is None:
        return tuple(range(x.shape.rank)), shape(x) // 2
    if isinstance(axes, int):
        return axes, shape(x)[axes] // 2
    axes = convert_to_tensor(axes)
    axes = where(axes < 0, axes + rank(x), axes)
    return axes, gather(shape(x), axes) // 2


@export("signal.fftshift")
def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Any:
    """Shifts the zero-frequency component to the center of the spectrum.

    Args:
        x: A tensor.
        axes: The dimensions; all if None.

    Returns:
        A tensor of the same dtype and shape.
    """
    x = convert_to_tensor(x)
    axes, half = _halves(x, axes)
    return roll(x, half, axes)


@export("signal.ifftshift")
@documented_like(fftshift)
def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Any:
    """Shifts the zero-frequency component back to index 0, the inverse of ``tf.signal.fftshift``.

    Args:
        x: A tensor, as returned by ``tf.signal.fftshift``.
    """
    x = convert_to_tensor(x)
    axes, half = _halves(x, axes)
    return roll(x, -half, axes)


# Real FFT ops over the innermost dimensions, and their inverses.


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


def _infer_transform(
    dims: Dims | None, rank: int, last: Callable[[int], int], fft_length: Any
) -> Any:
    """Returns the shape of a transform whose lengths are an input tensor."""
    dims = at_least(dims, rank)
    vector(value_dims(fft_length))
    if dims is None:
        return None
    static = fft_length.tolist() if isinstance(fft_length, np.ndarray) else fft_length
    sizes = static if isinstance(static, list) and len(static) == rank else [None] * rank
    tail = None if sizes[-1] is None else last(sizes[-1])
    return (*dims[: len(dims) - rank], *sizes[:-1], tail)


def _half_size(size: int) -> int:
    return size // 2 + 1 if size else 0


def _rfft_op(rank: int) -> OpFunction:
    """Returns the op of a real-to-complex FFT."""
    axes = tuple(range(-rank, 0))

    def kernel(xp: Any, input: Real, fft_length: Lengths, *, Tcomplex: Type = complex64) -> Any:
        assert_rank(input, rank)
        sizes = _sizes(input, fft_length, rank, halved=False)
        if 0 in sizes or not input.size:
            dims = (*input.shape[:-rank], *sizes[:-1], _half_size(sizes[-1]))
            return xp.zeros(dims, Tcomplex.np)
        result = forward(xp.fft.rfftn, input, sizes, axes)
        return result.astype(Tcomplex.np, copy=False)

    kernel.__name__ = f"_rfft{NAMES[rank]}"
    kernel.__doc__ = f"Returns the Fourier transform of real numbers over the {DIMENSIONS[rank]}."
    shape = lambda dims, lengths, **_: _infer_transform(dims, rank, _half_size, lengths)
    function = op(f"RFFT{NAMES[rank].upper()}", shape=shape, out="Tcomplex")(kernel)
    function.gradient(lambda call, dy: _rfft_gradient(call, dy, rank))
    function.batched(lambda call: call.first())
    return function


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
    what = "inverse Fourier transform to real numbers"
    kernel.__doc__ = f"Returns the {what} over the {DIMENSIONS[rank]}."
    shape = lambda dims, lengths, **_: _infer_transform(dims, rank, lambda size: size, lengths)
    function = op(f"IRFFT{NAMES[rank].upper()}", shape=shape, out="Treal")(kernel)
    function.gradient(lambda call, dy: _irfft_gradient(call, dy, rank))
    function.batched(lambda call: call.first())
    return function


RFFT = {rank: _rfft_op(rank) for rank in (1, 2, 3)}
IRFFT = {rank: _irfft_op(rank) for rank in (1, 2, 3)}


def resize_inner_dims(x: Any, sizes: Any, rank: int, cut: bool = True) -> Any:
    """Truncates (if ``cut``) and zero-pads the innermost dimensions to ``sizes``."""
    dims = API["shape"](x)
    target = API["concat"]([dims[:-rank], sizes], 0)
    if cut:
        x = API["slice"](x, API["zeros_like"](dims), API["minimum"](dims, target))
    after = API["maximum"](target - dims, 0)
    return pad(x, API["stack"]([API["zeros_like"](after), after], 1))


def _rfft_gradient(call: Call, dy: Any, rank: int) -> tuple[Any, None]:
    """Returns the gradient: the real part of the inverse FFT of dy, zero-padded to full length."""
    x, lengths = call.inputs
    full = resize_inner_dims(dy, lengths, rank)
    result = real(BACK[rank](full) * count(full, range(-rank, 0)))
    return resize_inner_dims(result, API["shape"](x)[-rank:], rank), None


def _irfft_gradient(call: Call, dy: Any, rank: int) -> tuple[Any, None]:
    """Returns the gradient: the FFT of dy, in which components with a conjugate count twice."""
    x, lengths = call.inputs
    result = RFFT[rank](dy, lengths, Tcomplex=x.dtype)
    weights = twice(lengths[-1], result.dtype)
    scaled = result * weights / API["cast"](API["reduce_prod"](lengths), result.dtype)
    return resize_inner_dims(scaled, API["shape"](x)[-rank:], rank), None


def twice(size: Any, dtype: Any) -> Any:
    """Returns the multiplicity of each of the n // 2 + 1 components: 1 at 0 and n / 2, else 2.

    ``size`` is n, the number of real values.
    """
    index = API["range"](size // 2 + 1)
    alone = API["logical_or"](API["equal"](index, 0), API["equal"](index * 2, size))
    return API["cast"](API["where"](alone, 1, 2), dtype)


# Public functions of real FFTs (``rfft``, ``irfft`` and their 2-D and 3-D versions).


_COMPLEX_OF = {float32: complex64, float64: complex128}


def _check_dtype(x: Any, types: Any, what: str) -> None:
    if x.dtype not in types:
        first, second = types
        raise ValueError(f"{what} requires {first!r} or {second!r} inputs, got: {x!s}")


def _lengths(x: Any, fft_length: Any, rank: int, last: Callable[[Any], Any]) -> Any:
    """Returns the FFT lengths, by default those of the tensor."""
    if fft_length is not None:
        return convert_to_tensor(fft_length, dtype=int32)
    sizes = [None] if x.shape.rank is None else x.shape.as_list()[-rank:]
    if None in sizes:
        dynamic = API["shape"](x)[-rank:]
        return API["concat"]([dynamic[:-1], API["reshape"](last(dynamic[-1]), [1])], 0)
    return convert_to_tensor([*sizes[:-1], max(0, last(sizes[-1]))], dtype=int32)


def _pad_to_lengths(x: Any, lengths: Any, rank: int, needed: Callable[[Any], Any]) -> Any:
    """Zero-pads a tensor that is shorter than the transform requires."""
    dims, sizes = x.shape._dims, array_of(lengths)
    if dims is not None and 0 in dims:
        return x
    if dims is None or sizes is None or None in dims[-rank:]:
        target = API["concat"]([lengths[:-1], API["reshape"](needed(lengths[-1]), [1])], 0)
        return resize_inner_dims(x, target, rank, cut=False)
    target = [int(size) for size in sizes[()]]
    target[-1:] = map(needed, target[-1:])
    after = [max(size - n, 0) for size, n in zip(target, dims[-rank:])]
    if not any(after):
        return x
    return pad(x, [[0, 0]] * (len(dims) - rank) + [[0, size] for size in after])


def _forward(input_tensor: Any, fft_length: Any, rank: int) -> Any:
    x = convert_to_tensor(input_tensor, dtype_hint=float32)
    _check_dtype(x, tuple(_COMPLEX_OF), RFFT[1].op.type)
    x.shape.with_rank_at_least(rank)
    lengths = _lengths(x, fft_length, rank, lambda size: size)
    x = _pad_to_lengths(x, lengths, rank, lambda size: size)
    return RFFT[rank](x, lengths, Tcomplex=_COMPLEX_OF[x.dtype])


def _back(input_tensor: Any, fft_length: Any, rank: int) -> Any:
    x = convert_to_tensor(input_tensor, dtype_hint=complex64)
    x.shape.with_rank_at_least(rank)
    _check_dtype(x, (complex64, complex128), IRFFT[1].op.type)
    lengths = _lengths(x, fft_length, rank, lambda size: 2 * (size - 1))
    x = _pad_to_lengths(x, lengths, rank, lambda size: size // 2 + 1)
    return IRFFT[rank](x, lengths, Treal=x.dtype.real_dtype)


_REAL_DOC = """Computes the {summary} over the {dimensions}.

    Args:
        input_tensor: {input}.
        fft_length: A vector with {length}
        name: A name for the operation.

    Returns:
        {returns}.

    Raises:
        ValueError: {causes}, or {rank}.
    """
# The length of each transform, by its name.
_LENGTHS = {
    "rfft": """the length of the transform; the tensor is truncated or
            zero-padded.""",
    "rfft2d": "the two lengths; the tensor is truncated or zero-padded.",
    "rfft3d": "the three lengths; the tensor is truncated or zero-padded.",
    "irfft": """the length of the result; by default 2 * (n - 1) for input length
            n.""",
    "irfft2d": """the two sizes of the result; those that fit, the last one even, if
            None.""",
    "irfft3d": """the three sizes of the result; those that fit, the last one even,
            where None.""",
}


def _define_real(rank: int, inverse: bool) -> Callable[..., Any]:
    """Defines the public function of a real FFT or of its inverse."""
    run = _back if inverse else _forward

    def transform(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
        return run(input_tensor, fft_length, rank)

    forward_name = f"rfft{NAMES[rank]}"
    title = f"i{forward_name}" if inverse else forward_name
    size = "" if rank == 1 else f"{rank}-D "
    if inverse:
        parts = {
            "summary": f"inverse {size}real FFT",
            "input": f"A complex tensor, as returned by ``tf.signal.{forward_name}``",
            "returns": "A real tensor of the same precision",
            "causes": "The tensor is not complex",
            "rank": "is a scalar" if rank == 1 else "the rank is too small",
        }
    else:
        parts = {
            "summary": f"{size}FFT of a real tensor",
            "input": "A tensor of float32 or float64",
            "returns": "A complex tensor whose last dimension has size length / 2 + 1",
            "causes": "The dtype is not supported",
            "rank": "the tensor is a scalar" if rank == 1 else "the rank is too small",
        }
    transform.__name__ = transform.__qualname__ = title
    transform.__doc__ = _REAL_DOC.format(
        dimensions=DIMENSIONS[rank], length=_LENGTHS[title], **parts
    )
    return export(f"signal.{title}")(transform)


rfft, rfft2d, rfft3d = (_define_real(rank, inverse=False) for rank in (1, 2, 3))
irfft, irfft2d, irfft3d = (_define_real(rank, inverse=True) for rank in (1, 2, 3))
