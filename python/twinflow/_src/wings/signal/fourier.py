"""Complex FFT ops over the innermost dimensions, and ``fftshift``.

The transforms of NumPy and CuPy compute in the precision of their input, as TensorFlow's do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import COMPLEXES, complex64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import API, Call, Kind, OpFunction, export, op
from twinflow._src.ops.array.gather import gather, where
from twinflow._src.ops.array.rearrange import roll
from twinflow._src.ops.array.shapes import shape, size_of
from twinflow._src.ops.reduce.reduce import rank
from twinflow._src.shape_rules.demands import at_least

# Complex FFT ops over the innermost dimensions.


Signal = Annotated[Any, Kind("Tcomplex", default=complex64, allowed=COMPLEXES)]
DIMENSIONS = {1: "last dimension", 2: "last two dimensions", 3: "last three dimensions"}
NAMES = {1: "", 2: "2d", 3: "3d"}


def assert_rank(x: Any, rank: int) -> None:
    if x.ndim < rank:
        raise invalid(f"Input must have rank of at least {rank} but got: {text(x.shape)}")


_COMPLEX_DOC = """Returns the {what} of complex numbers over the {dimensions}.

    Args:
        input: A tensor of complex numbers.{name}

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
    found = transform(x, s=sizes, axes=axes, norm="forward")
    found *= math.prod(sizes)
    return found


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
    kernel.__doc__ = _COMPLEX_DOC.format(what=what, dimensions=DIMENSIONS[rank], name="")
    shape = lambda dims, **_: at_least(dims, rank)
    made = op(name.upper(), shape=shape, dtypes=COMPLEXES)(kernel)
    said = "\n        name: A name for the operation."
    doc = _COMPLEX_DOC.format(what=what, dimensions=DIMENSIONS[rank], name=said)
    _publish(name, made, doc)
    return made


def _publish(title: str, made: OpFunction, doc: str) -> None:
    """Registers an FFT op as a public function; Python complex numbers become complex128."""

    def transform(input: Any, name: str | None = None) -> Any:
        if isinstance(input, (complex, list, tuple)):
            own = convert_to_tensor(input)
            input = own if own.dtype in COMPLEXES else input
        return made(input, name=name)

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
        name: A name for the operation.

    Returns:
        A tensor of the same dtype and shape.
    """
    x = convert_to_tensor(x)
    axes, half = _halves(x, axes)
    return roll(x, half, axes)


@export("signal.ifftshift")
def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Any:
    """Shifts the zero-frequency component back to index 0, the inverse of ``tf.signal.fftshift``.

    Args:
        x: A tensor, as returned by ``tf.signal.fftshift``.
        axes: The dimensions; all if None.
        name: A name for the operation.

    Returns:
        A tensor of the same dtype and shape.
    """
    x = convert_to_tensor(x)
    axes, half = _halves(x, axes)
    return roll(x, -half, axes)
