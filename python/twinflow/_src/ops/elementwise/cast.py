"""Identity and changes of type."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.backends.cpu.elementwise import MANY, in_blocks
from twinflow._src.backends.cpu.float16 import shortened, widened
from twinflow._src.backends.host_checks import is_host
from twinflow._src.conversion.constant import constant, convert_to_tensor, is_tensor, set_cast
from twinflow._src.core import can_cast, dtypes, errors
from twinflow._src.core.context import entered, quietly, thread
from twinflow._src.core.dtypes import DType, as_dtype
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import same
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.op import API, Call, Type, export, op
from twinflow._src.ops.elementwise.minmax import clip
from twinflow._src.shape_rules.values import cast_bits

# Types between which NumPy's conversion is all that there is to a cast: to plain ones from usual ones.
_PLAIN = frozenset((dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64))
_USUAL = _PLAIN | {
    dtypes.bool_,
    dtypes.int8,
    dtypes.int16,
    dtypes.uint8,
    dtypes.uint16,
    dtypes.uint32,
    dtypes.uint64,
}


@op("Identity", api="identity", shape=same, dtypes=dtypes.ANY | {dtypes.variant})
def identity(xp: Any, input: Any) -> Any:
    """Returns a tensor of the same value.

    Args:
        input: A tensor.

    Returns:
        A tensor of the same type and shape.
    """
    return input


@identity.gradient
def _(call: Call, dy: Any) -> Any:
    return dy


@op("StopGradient", no_gradient=True, shape=same, light=True)
def _stop_gradient(xp: Any, input: Any) -> Any:
    """Returns a tensor of the same value, through which no gradient flows.

    Args:
        input: A tensor.

    Returns:
        A tensor of the same type and shape.
    """
    return input


@export("stop_gradient")
def stop_gradient(input: Any, name: str | None = None) -> Any:
    """Returns a tensor of the same value, through which no gradient flows.

    Args:
        input: A tensor.
        name: A name for the operation.

    Returns:
        A tensor of the same type and shape.
    """
    if not thread.scope.observers:
        return _stop_gradient(input)
    with entered(thread.scope.watched()):  # not even a variable that it is made of is watched
        return _stop_gradient(input)


@op("Cast", shape=same, out="dtype", light=True)
def cast_to(xp: Any, x: Any, *, dtype: Type) -> Any:
    """Returns a tensor's values in another type, as C converts them.

    Args:
        x: A tensor.
        dtype: The type of the result.

    Returns:
        A tensor of the same shape.

    Raises:
        UnimplementedError: Strings are neither made of numbers nor turned into them.
    """
    source = dtypes.FROM_NUMPY[x.dtype]
    if dtype in _PLAIN and source in _USUAL:
        return x.astype(dtype.np)
    if not can_cast.supported(source, dtype):
        what = f"Cast {source.cname} to {dtype.cname}"
        raise errors.UnimplementedError(None, None, f"{what} is not supported [Op:Cast] name: ")
    if is_host(xp) and x.size >= MANY and _takes_steps(source, dtype):
        return in_blocks(lambda block: _converted(xp, block, source, dtype), x, dtype.np)
    return _converted(xp, x, source, dtype)


def _takes_steps(source: DType, dtype: DType) -> bool:
    """Whether a conversion is more than one quick function, so that blocks of it pay."""
    floats = {source, dtype} == {dtypes.float16, dtypes.float32}
    return floats or (source.kind == "f" and dtype.kind in "uq" and dtype.size < 4)


def _converted(xp: Any, x: Any, source: DType, dtype: DType) -> Any:
    if source.kind == "c" and dtype.kind != "c":
        x = x.real
    if source in dtypes.EXPERIMENTAL:  # NumPy takes them to ordinary types only
        x = x.astype(xp.float32 if source.kind == "f" else xp.int8)
    if x.dtype.kind in "fV" and dtype.kind in "uq":
        x = _whole(xp, x, dtype)
    if is_host(xp) and (source, dtype) == (dtypes.float16, dtypes.float32):
        return widened(x)
    if is_host(xp) and (source, dtype) == (dtypes.float32, dtypes.float16):
        return shortened(x, dtype.np)
    return xp.asarray(x, order="C").astype(dtype.np).reshape(x.shape)


def _whole(xp: Any, x: Any, dtype: DType) -> Any:
    """Real numbers on their way to integers, as C converts those that do not fit."""
    if dtype.size < 4:  # a short type takes the low bits of an int
        return x.astype(xp.float64).astype(xp.int32)
    if dtype is dtypes.uint64 and x.size:
        x = x.astype(xp.float64)
        return xp.where(x < 2.0**64, x, 2.0**63)
    return x


@cast_to.gradient
def _(call: Call, dy: Any) -> Any:
    source = call.inputs[0].dtype
    numbers = source.kind in "fc" and dy.dtype.kind in "fc"
    return cast(dy, source) if numbers else None


@export("cast", "dtypes.cast")
def cast(x: Any, dtype: Any, name: str | None = None) -> Any:
    """Returns a tensor's values in another type.

    Args:
        x: A tensor or variable, or a value that can become one.
        dtype: The type of the result.
        name: A name for the operation.

    Returns:
        A tensor of the same shape; ``x`` itself where it has the type already.

    Raises:
        TypeError: ``dtype`` names no type.
        UnimplementedError: Strings are neither made of numbers nor turned into them.
    """
    if type(x) is EagerTensor and x.dtype is dtype:
        return x
    wanted = as_dtype(dtype).base_dtype
    if type(x) is not EagerTensor and not is_tensor(x):
        x = convert_to_tensor(x)
    return x if x.dtype is wanted else cast_to(x, wanted)


@export("saturate_cast", "dtypes.saturate_cast")
def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Any:
    """Returns a tensor's values in another type, limited to what it can hold.

    Args:
        value: A tensor of numbers.
        dtype: The type of the result.
        name: A name for the operation.

    Returns:
        A tensor of the same shape.

    Raises:
        TypeError: One of the types has no limits.
        NotFoundError: The tensor is of unsigned integers of 32 or 64 bits.
    """
    value = convert_to_tensor(value)
    wanted = as_dtype(dtype).base_dtype
    if value.dtype.kind == "c" and wanted.kind == "c":
        own = value.dtype.real_dtype
        if own.min < wanted.real_dtype.min or own.max > wanted.real_dtype.max:
            value = clip(value, *(complex(x, x) for x in _interval(own, wanted.real_dtype)))
        return cast(value, wanted)
    if value.dtype.kind == "c":
        value = API["math.real"](value)
    low, high = _interval(value.dtype, wanted.real_dtype)
    return cast(clip(value, constant(low, value.dtype), constant(high, value.dtype)), wanted)


def _interval(own: DType, wanted: DType) -> tuple[Any, Any]:
    """The values of a type that another one can hold, computed as doubles and converted as C does.

    The largest number of 64 bits is none of the doubles; rounded up, it becomes the smallest one.
    """
    low, high = max(float(own.min), float(wanted.min)), min(float(own.max), float(wanted.max))
    return _inside(low, own, wanted.min, 1), _inside(high, own, wanted.max, -1)


def _inside(limit: float, dtype: DType, bound: Any, towards: int) -> Any:
    """A limit as a value of a type that does not lie beyond a bound after rounding."""
    value = quietly(np.array(limit).astype, dtype.np)
    if dtype.kind == "f" and (float(value) - float(bound)) * towards < 0:
        value = np.nextafter(value, value.dtype.type(0))
    return value


@op(
    "Bitcast",
    shape=cast_bits,
    dtypes=dtypes.NUMBERS | dtypes.QUANTIZED,
    out="type",
)
def _cast_bits(xp: Any, input: Any, *, type: Type, T: Type = None) -> Any:
    """Returns the same bytes as elements of another type.

    Args:
        input: A tensor of numbers.
        type: The type of the result.
        T: The type of the tensor, of which the shape of the result depends.

    Returns:
        A tensor with a last dimension more or less where the sizes of the types differ.

    Raises:
        InvalidArgumentError: The last dimension does not fit the sizes.
    """
    old, new = input.dtype.itemsize, type.size
    if old < new:
        if not input.ndim or input.shape[-1] != new // old:
            own = dtypes.FROM_NUMPY[input.dtype].as_datatype_enum
            raise invalid(f"Cannot bitcast from {own} to {type.as_datatype_enum}")
        return xp.asarray(input, order="C").view(type.np).reshape(input.shape[:-1])
    shape = input.shape if old == new else (*input.shape, old // new)
    return xp.asarray(input, order="C").reshape(*input.shape, 1).view(type.np).reshape(shape)


@export("bitcast")
def bitcast(input: Any, type: Any, name: str | None = None) -> Any:
    """Returns the same bytes as elements of another type.

    Args:
        input: A tensor of numbers.
        type: The type of the result.
        name: A name for the operation.

    Returns:
        A tensor with a last dimension more or less where the sizes of the types differ.

    Raises:
        InvalidArgumentError: The last dimension does not fit the sizes.
    """
    if not hasattr(input, "dtype"):
        input = convert_to_tensor(input)
    return _cast_bits(input, type=type, T=as_dtype(input.dtype).base_dtype)


set_cast(cast)
