"""Complex numbers: construction, real and imaginary part, conjugate, angle."""

from __future__ import annotations

import math
from typing import Any

from twinflow._src.autodiff.reverse import unbroadcast
from twinflow._src.conversion.constant import convert_to_tensor, dense
from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import COMPLEXES, NUMBERS
from twinflow._src.core.shapes import broadcast, same
from twinflow._src.dispatch.op import Call, documented_like, export, op
from twinflow._src.ops.array.fill import zeros_like
from twinflow._src.ops.elementwise import cast
from twinflow._src.ops.elementwise.compare import less


@op("Real", shape=same, dtypes=COMPLEXES, tout=dtypes.real_of)
def complex_real(xp: Any, input: Any) -> Any:
    """Returns the real part of a complex tensor."""
    return xp.asarray(input.real, order="C")


@complex_real.gradient(reads=())
def _(call: Call, dy: Any) -> Any:
    return make_complex(dy, zeros_like(dy))


@op("Imag", shape=same, dtypes=COMPLEXES, tout=dtypes.real_of)
def complex_imag(xp: Any, input: Any) -> Any:
    """Returns the imaginary part of a complex tensor."""
    return xp.asarray(input.imag, order="C")


@complex_imag.gradient(reads=())
def _(call: Call, dy: Any) -> Any:
    return make_complex(zeros_like(dy), dy)


@op("Conj", shape=same, dtypes=COMPLEXES)
def complex_conj(xp: Any, input: Any) -> Any:
    """Returns the complex conjugate of a tensor."""
    return xp.conj(input)


@complex_conj.gradient(reads=())
def _(call: Call, dy: Any) -> Any:
    return conj(dy)


@op("Angle", shape=same, dtypes=COMPLEXES, tout=dtypes.real_of)
def complex_angle(xp: Any, input: Any) -> Any:
    """Returns the angle (argument) of a complex tensor, in radians."""
    return xp.angle(input).astype(input.real.dtype, copy=False)


@complex_angle.gradient
def _(call: Call, dy: Any) -> Any:
    x = call.inputs[0]
    turned = make_complex(complex_imag(x), complex_real(x))
    return -make_complex(dy, zeros_like(dy)) / turned


@export("math.angle", r="Arg")
def angle(input: Any, name: str | None = None) -> Any:
    """Returns the angle (argument) of a real or complex tensor, in radians.

    Args:
        input: A numeric tensor.

    Returns:
        A tensor of the corresponding real dtype, of the same shape; 0 or pi for real numbers, by their sign.
    """
    input = dense(input)
    if input.dtype in COMPLEXES:
        return complex_angle(input)
    return cast.cast(less(input, 0), input.dtype) * math.pi


@export("math.real", r="Re")
@documented_like(angle)
def real(input: Any, name: str | None = None) -> Any:
    """Returns the real part of a real or complex tensor.

    Returns:
        A tensor of the corresponding real dtype; real tensors are returned unchanged.

    Raises:
        TypeError: The tensor is not numeric.
    """
    input = dense(input)
    if input.dtype in COMPLEXES:
        return complex_real(input)
    if input.dtype not in NUMBERS:
        raise TypeError(f"input must be a numeric tensor, but got tensor with dtype {input.dtype}")
    return convert_to_tensor(input)


@export("math.imag", r="Im")
@documented_like(angle)
def imag(input: Any, name: str | None = None) -> Any:
    """Returns the imaginary part of a real or complex tensor.

    Returns:
        A tensor of the corresponding real dtype; zeros for real tensors.
    """
    input = dense(input)
    return complex_imag(input) if input.dtype in COMPLEXES else zeros_like(input)


@export("math.conj", r="Conj")
@documented_like(real)
def conj(x: Any, name: str | None = None) -> Any:
    """Returns the complex conjugate of a tensor.

    Args:
        x: A numeric tensor.

    Returns:
        A tensor of the same dtype; real tensors are returned unchanged.
    """
    x = dense(x)
    if x.dtype in COMPLEXES:
        return complex_conj(x)
    if x.dtype not in NUMBERS:
        raise TypeError(f"Expected numeric or variant tensor, got dtype {x.dtype!r}.")
    return convert_to_tensor(x)


@op(
    "Complex",
    shape=broadcast,
    dtypes=frozenset((dtypes.float32, dtypes.float64)),
    opens_scope=True,
    tout=dtypes.complex_of,
)
def make_complex(xp: Any, real: Any, imag: Any) -> Any:
    """Converts a real and an imaginary part to a complex tensor."""
    shape = xp.broadcast_shapes(real.shape, imag.shape)
    result = xp.empty(shape, xp.result_type(real, xp.complex64))
    result.real, result.imag = real, imag
    return result


@make_complex.gradient
def _(call: Call, dz: Any) -> Any:
    real_part, imag_part = call.inputs
    return unbroadcast(complex_real(dz), real_part), unbroadcast(complex_imag(dz), imag_part)


@export("complex", "dtypes.complex")
def complex(real: Any, imag: Any, name: str | None = None) -> Any:
    """Converts a real and an imaginary part to a complex tensor.

    Args:
        real: The real parts, float32 or float64.
        imag: The imaginary parts, of the same dtype.

    Returns:
        A complex64 or complex128 tensor.

    Raises:
        TypeError: The parts have another dtype.
    """
    real, imag = dense(real), dense(imag)
    if (real.dtype.base_dtype, imag.dtype.base_dtype) not in (
        (dtypes.float32,) * 2,
        (dtypes.float64,) * 2,
    ):
        raise TypeError(
            f"The `real` and `imag` components have incorrect types: {real.dtype.name} "
            f"{imag.dtype.name}. They must be consistent, and one of {[dtypes.float32, dtypes.float64]}"
        )
    return make_complex(real, imag)
