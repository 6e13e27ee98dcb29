"""Identity, cast, saturating cast and bitcast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.backends.cpu.elementwise import MANY, in_blocks
from twinflow._src.backends.cpu.float16 import shortened, widened
from twinflow._src.backends.host_checks import is_host
from twinflow._src.conversion.constant import constant, convert_to_tensor, is_tensor, set_cast
from twinflow._src.core import dtypes, errors
from twinflow._src.core.context import entered, quietly, thread
from twinflow._src.core.dtypes import DType, as_dtype
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import UNKNOWN, same
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.op import API, Call, Type, documented_like, export, op
from twinflow._src.graph.static_values import known_elements, known_value, partial_value
from twinflow._src.ops.elementwise.minmax import clip
from twinflow._src.shape_rules.values import cast_bits

# Casts from _USUAL to _PLAIN dtypes are a plain NumPy ``astype``.
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


@op(
    "Identity",
    api="identity",
    shape=same,
    dtypes=dtypes.ANY | {dtypes.variant},
    moves=True,
    is_identity=True,
    r="+",
)
def identity(xp: Any, input: Any) -> Any:
    """Returns a tensor with the same value."""
    return input


identity.native("move")


@identity.static_value
def _(node: Any, index: int) -> Any:
    return known_value(node.tensors[0]) if node.tensors else UNKNOWN


@identity.no_op
def _(node: Any, values: Any) -> Any:
    return node.tensors[0] if node.tensors else None


identity.gradient(lambda call, dy: dy, reads=(), slices=True)


@op("StopGradient", no_gradient=True, shape=same, light=True, is_identity=True, keeps_zero=True)
def _stop_gradient(xp: Any, input: Any) -> Any:
    """Returns the input unchanged; blocks gradients."""
    return input


_stop_gradient.native("move")


@export("stop_gradient")
@documented_like(identity)
def stop_gradient(input: Any, name: str | None = None) -> Any:
    """Returns the input unchanged, and stops gradients from flowing through it."""
    if not thread.scope.observers:
        return _stop_gradient(input)
    with entered(thread.scope.watched()):  # tapes do not watch a variable that is read here either
        return _stop_gradient(input)


@op(
    "Cast",
    shape=same,
    out="dtype",
    light=True,
    opens_scope=True,
    keeps_bfloat16=True,
    by_row=True,
    keeps_zero=True,
)
def cast_to(xp: Any, x: Any, *, dtype: Type) -> Any:
    """Casts a tensor to another dtype, with the conversions of C."""
    source = dtypes.FROM_NUMPY[x.dtype]
    if dtype in _PLAIN and source in _USUAL:
        return x.astype(dtype.np)
    if not dtypes.is_castable(source, dtype):
        what = f"Cast {source.cname} to {dtype.cname}"
        raise errors.UnimplementedError(None, None, f"{what} is not supported [Op:Cast] name: ")
    if is_host(xp) and x.size >= MANY and _takes_steps(source, dtype):
        return in_blocks(lambda block: _converted(xp, block, source, dtype), x, dtype.np)
    return _converted(xp, x, source, dtype)


cast_to.native("cast")


def _takes_steps(source: DType, dtype: DType) -> bool:
    """True if a conversion takes several passes, so that blockwise processing pays."""
    floats = {source, dtype} == {dtypes.float16, dtypes.float32}
    return floats or (source.kind == "f" and dtype.kind in "uq" and dtype.size < 4)


def _converted(xp: Any, x: Any, source: DType, dtype: DType) -> Any:
    if source.kind == "c" and dtype.kind != "c":
        x = x.real
    if source in dtypes.EXPERIMENTAL:  # NumPy converts them to standard dtypes only
        x = x.astype(xp.float32 if source.kind == "f" else xp.int8)
    if x.dtype.kind in "fV" and dtype.kind in "uq":
        x = _prepare_integer_cast(xp, x, dtype)
    if is_host(xp) and (source, dtype) == (dtypes.float16, dtypes.float32):
        return widened(x)
    if is_host(xp) and (source, dtype) == (dtypes.float32, dtypes.float16):
        return shortened(x, dtype.np)
    return xp.asarray(x, order="C").astype(dtype.np).reshape(x.shape)


def _prepare_integer_cast(xp: Any, x: Any, dtype: DType) -> Any:
    """Prepares floating-point values for a cast to integers; out-of-range ones convert as in C."""
    if dtype.size < 4:  # a short integer takes the low bits of an int32
        return x.astype(xp.float64).astype(xp.int32)
    if dtype is dtypes.uint64 and x.size:
        x = x.astype(xp.float64)
        return xp.where(x < 2.0**64, x, 2.0**63)
    return x


@cast_to.specialize(devices=("GPU",))
def _(xp: Any, source: Any, /, *, dtype: DType) -> Callable[..., Any] | None:
    target = dtype.np
    return (
        (lambda x: x.astype(target))
        if source.char in _CAST_FROM and target.char in _CAST_TO
        else None
    )


# Dtypes between which a cast is just the array module's conversion: from usual to plain ones.
_CAST_TO, _CAST_FROM = frozenset("efdilq"), frozenset("?bhilqBHILQefd")


@cast_to.static_value
def _(node: Any, index: int) -> Any:
    elements, dtype = known_elements(node.tensors[0]), node.outputs[0].dtype
    if elements is None or not dtype.is_integer:
        return UNKNOWN
    return partial_value(elements, dtype)


@cast_to.gradient(reads=(), slices=True)
def _(call: Call, dy: Any) -> Any:
    source = call.inputs[0].dtype
    numbers = source.kind in "fc" and dy.dtype.kind in "fc"
    return cast(dy, source) if numbers else None


@export("cast", "dtypes.cast")
def cast(x: Any, dtype: Any, name: str | None = None) -> Any:
    """Casts a tensor to another dtype.

    Args:
        x: A tensor, a variable, or a value that converts to a tensor.
        dtype: The dtype of the result.

    Returns:
        A tensor of the same shape; ``x`` itself if it has the dtype already.

    Raises:
        TypeError: ``dtype`` is not a dtype.
        UnimplementedError: Casts from or to strings are not supported.
    """
    if type(x) is EagerTensor and x.dtype is dtype:
        return x
    target = as_dtype(dtype).base_dtype
    if type(x) is not EagerTensor and not is_tensor(x):
        x = convert_to_tensor(x)
    return x if x.dtype is target else cast_to(x, target)


@export("saturate_cast", "dtypes.saturate_cast")
def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Any:
    """Casts a tensor to another dtype, clipping values to the range of that dtype.

    Args:
        value: A numeric tensor.
        dtype: The dtype of the result.

    Returns:
        A tensor of the same shape.

    Raises:
        TypeError: One of the dtypes has no minimum and maximum.
        NotFoundError: The tensor is uint32 or uint64.
    """
    value = convert_to_tensor(value)
    target = as_dtype(dtype).base_dtype
    if value.dtype.kind == "c" and target.kind == "c":
        source = value.dtype.real_dtype
        if source.min < target.real_dtype.min or source.max > target.real_dtype.max:
            value = clip(value, *(complex(x, x) for x in _interval(source, target.real_dtype)))
        return cast(value, target)
    if value.dtype.kind == "c":
        value = API["math.real"](value)
    low, high = _interval(value.dtype, target.real_dtype)
    return cast(clip(value, constant(low, value.dtype), constant(high, value.dtype)), target)


def _interval(source: DType, target: DType) -> tuple[Any, Any]:
    """Returns the common range of two dtypes, computed as doubles and converted as in C."""
    # The largest 64-bit integer is not a double; rounded up it wraps to the smallest one.
    low, high = max(float(source.min), float(target.min)), min(float(source.max), float(target.max))
    return _inside(low, source, target.min, 1), _inside(high, source, target.max, -1)


def _inside(limit: float, dtype: DType, bound: Any, towards: int) -> Any:
    """Returns a limit in a dtype, not beyond a bound after rounding."""
    value = quietly(np.array(limit).astype, dtype.np)
    if dtype.kind == "f" and (float(value) - float(bound)) * towards < 0:
        value = np.nextafter(value, value.dtype.type(0))
    return value


@op(
    "Bitcast",
    shape=cast_bits,
    dtypes=dtypes.NUMBERS | dtypes.QUANTIZED,
    out="type",
    keeps_bfloat16=True,
    flat=True,
)
def _cast_bits(xp: Any, input: Any, *, type: Type, T: Type = None) -> Any:
    """Reinterprets the bytes of a tensor as another dtype."""
    old, new = input.dtype.itemsize, type.size
    if old < new:
        if not input.ndim or input.shape[-1] != new // old:
            source = dtypes.FROM_NUMPY[input.dtype].as_datatype_enum
            raise invalid(f"Cannot bitcast from {source} to {type.as_datatype_enum}")
        return xp.asarray(input, order="C").view(type.np).reshape(input.shape[:-1])
    shape = input.shape if old == new else (*input.shape, old // new)
    return xp.asarray(input, order="C").reshape(*input.shape, 1).view(type.np).reshape(shape)


_cast_bits.batched(lambda call: call.first())


@export("bitcast")
def bitcast(input: Any, type: Any, name: str | None = None) -> Any:
    """Reinterprets the bytes of a tensor as another dtype.

    Args:
        input: A numeric tensor.
        type: The dtype of the result.

    Returns:
        A tensor; if the element sizes differ, with one more or one less last dimension.

    Raises:
        InvalidArgumentError: The last dimension does not match the element sizes.
    """
    if not hasattr(input, "dtype"):
        input = convert_to_tensor(input)
    return _cast_bits(input, type=type, T=as_dtype(input.dtype).base_dtype)


set_cast(cast)
