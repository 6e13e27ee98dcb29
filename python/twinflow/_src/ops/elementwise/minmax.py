"""Element-wise maximum and minimum, and clipping by value."""

from __future__ import annotations

from typing import Any

from twinflow._src.autodiff.reverse import unbroadcast
from twinflow._src.backends.host_checks import is_host
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.conversion.constant import dense
from twinflow._src.core.dtypes import NUMBERS, ORDERED, uint32, uint64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import broadcast, text
from twinflow._src.dispatch.op import API, Call, export, op
from twinflow._src.ops.array.select import select_elements


@op(
    "Maximum",
    ufunc="maximum",
    api=("maximum", "math.maximum"),
    shape=broadcast,
    dtypes=ORDERED,
    moves=True,
)
def maximum(xp: Any, x: Any, y: Any) -> Any:
    """Returns the maximum of x and y element-wise; NaN if either is NaN."""
    return xp.maximum(x, y)


maximum.cuda("x != x ? x : y != y ? y : max(x, y)")
# of equal numbers and NaN, NumPy says which one
maximum.scalar("{x} if {x} > {y} else {y} if {y} > {x} else {kernel}({x}, {y})")


@maximum.gradient(reads=("x", "y"))
def _(call: Call, dz: Any) -> Any:
    x, y = call.inputs
    return _selected(x >= y, x, y, dz)


def _selected(first: Any, x: Any, y: Any, dz: Any) -> Any:
    """Returns the gradients of both operands by selection; a product with 0 gives NaN for inf."""
    zeros = API["zeros_like"](dz)
    return (
        lambda: unbroadcast(API["where"](first, dz, zeros), x),
        lambda: unbroadcast(API["where"](first, zeros, dz), y),
    )


@op(
    "Minimum",
    ufunc="minimum",
    api=("minimum", "math.minimum"),
    shape=broadcast,
    dtypes=ORDERED,
    moves=True,
)
def minimum(xp: Any, x: Any, y: Any) -> Any:
    """Returns the minimum of x and y element-wise; NaN if either is NaN."""
    return xp.minimum(x, y)


minimum.cuda("x != x ? x : y != y ? y : min(x, y)")
minimum.scalar("{x} if {x} < {y} else {y} if {y} < {x} else {kernel}({x}, {y})")


@minimum.gradient(reads=("x", "y"))
def _(call: Call, dz: Any) -> Any:
    x, y = call.inputs
    return _selected(x <= y, x, y, dz)


@export("clip_by_value")
def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Any:
    """Clips the values of a tensor to a range.

    Args:
        t: A real-valued tensor, or IndexedSlices, of which the values are clipped.
        clip_value_min: The lower limit, broadcast against t.
        clip_value_max: The upper limit, broadcast against t.

    Returns:
        A tensor of the same dtype and shape, or IndexedSlices.

    Raises:
        ValueError: Broadcasting with the limits would change the shape.
    """
    values = dense(t.values if isinstance(t, IndexedSlices) else t)
    for limit, towards in ((minimum, clip_value_max), (maximum, clip_value_min)):
        shape, values = values.shape, limit(values, towards)
        shape.assert_is_compatible_with(values.shape)
    return (
        IndexedSlices(values, t.indices, t.dense_shape) if isinstance(t, IndexedSlices) else values
    )


def _clipped_shape(t: Any, clip_value_min: Any, clip_value_max: Any) -> Any:
    shapes = (t, clip_value_min, clip_value_max)
    is_static = not any(shape is None or None in shape for shape in shapes)
    if is_static and any(limit not in ((), t) for limit in shapes[1:]):
        said = zip(("input", "clip_value_min", "clip_value_max"), shapes)
        raise invalid(
            "clip_value_min and clip_value_max must be either of the same shape as input, or a scalar. "
            + "".join(f"{name} shape: {text(shape)}" for name, shape in said)
        )
    return t


@op("ClipByValue", shape=_clipped_shape, dtypes=NUMBERS - {uint32, uint64})
def clip(xp: Any, t: Any, clip_value_min: Any, clip_value_max: Any) -> Any:
    """Clips the values of a tensor to a range; real and imaginary parts separately."""
    _clipped_shape(t.shape, clip_value_min.shape, clip_value_max.shape)
    if t.dtype.kind != "c":
        return _between(xp, t, clip_value_min, clip_value_max)
    parts = ((x.real, x.imag) for x in (t, clip_value_min, clip_value_max))
    real, imaginary = (_between(xp, *part) for part in zip(*parts))
    return (real + 1j * imaginary).astype(t.dtype)


clip.batched(lambda call: call.elementwise())


def _between(xp: Any, t: Any, low: Any, high: Any) -> Any:
    scalars = not low.ndim and not high.ndim and t.dtype.kind in "fiu"
    if is_host(xp) and scalars and low <= high and not _has_both_zeros(xp, t, low, high):
        return xp.clip(t, low, high)
    below = select_elements(xp, high < t, high, t)
    return select_elements(xp, below < low, low, below)


def _has_both_zeros(xp: Any, t: Any, low: Any, high: Any) -> bool:
    """True if both 0.0 and -0.0 may be compared; they are equal, and the sign must be kept."""
    if t.dtype.kind != "f" or (low and high):
        return False
    return bool(xp.signbit(low) or xp.signbit(high) or (xp.signbit(t) & (t == 0)).any())


@clip.gradient
def _(call: Call, dy: Any) -> Any:
    where, (t, low, high) = API["where"], call.inputs
    zero = API["zeros_like"](dy)
    below, above = t < low, t > high
    return (
        where(API["logical_or"](below, above), zero, dy),
        unbroadcast(where(below, dy, zero), low),
        unbroadcast(where(above, dy, zero), high),
    )
