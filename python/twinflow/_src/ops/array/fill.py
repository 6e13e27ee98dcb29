"""Constant-filled tensors and ranges: ``tf.fill``, ``tf.zeros``, ``tf.ones``, ``tf.range``."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np

from twinflow._src.control_flow.tensor_list import is_list, unwritten
from twinflow._src.conversion.constant import (
    constant,
    convert_to_tensor,
    is_tensor,
    register_tensor_conversion_function,
)
from twinflow._src.core import dtypes
from twinflow._src.core.context import PLAIN, runtime, thread
from twinflow._src.core.dtypes import as_dtype
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import TensorShape, same, static_sizes, text
from twinflow._src.core.tensor import EagerTensor, Tensor
from twinflow._src.dispatch.inputs import on_host, vector
from twinflow._src.dispatch.op import API, Ints, Kind, documented_like, export, op
from twinflow._src.dispatch.placement import makes
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.shape_rules.values import filled, ranged


def sizes(values: Any) -> tuple[int, ...]:
    """Returns a shape vector as a tuple; raises InvalidArgumentError if an element is negative."""
    dims = tuple(values.reshape(-1).tolist())
    if min(dims, default=0) < 0:
        raise invalid(f"Dimension {next(size for size in dims if size < 0)} must be >= 0")
    return dims


@op("Fill", shape=filled, moves=True)
def fill_with(xp: Any, dims: Ints, value: Any) -> Any:
    """Returns a tensor filled with one scalar value."""
    if value.size != 1 or value.ndim > 1:
        raise invalid(f"value must represent a scalar, got shape {text(value.shape)}")
    if dims.ndim > 1:
        raise invalid(f"dims must represent a vector, got shape {text(dims.shape)}")
    shape = sizes(dims)
    if math.prod(shape) >= 2**63:
        raise invalid(f"Shape {text(shape)} would have more than 2**63 - 1 elements")
    result = xp.empty(shape, value.dtype)
    result[...] = value.reshape(())
    return result


@fill_with.batched
def _(call: Any) -> Any:
    sizes = call.with_first(0, call.size)
    rank = call.node.outputs[0].shape.rank
    if rank is None or not call.is_batched[1]:
        return call.looped()
    return API["broadcast_to"](call.aligned(1, rank), sizes)


fill_with.native("move")
fill_with.gradient(lambda call, dy: (None, API["reduce_sum"](dy)))


@export("fill")
def fill(dims: Any, value: Any, name: str | None = None, layout: Any = None) -> Any:
    """Returns a tensor filled with one scalar value.

    Args:
        dims: The shape.
        value: A scalar.
        name: A name for the operation.
        layout: Ignored.

    Returns:
        A tensor of the scalar's dtype.

    Raises:
        InvalidArgumentError: A size is negative, or the value is not a scalar.
    """
    result = (
        _at_once(dims, value, dtypes.float32)
        if type(value) is float and abs(value) < _LARGE
        else None
    )
    return fill_with(dims, value) if result is None else result


def _shape_vector(shape: Any) -> Any:
    if is_tensor(shape):
        return shape if shape.shape.rank else API["reshape"](shape, [-1])
    if isinstance(shape, TensorShape):
        return convert_to_tensor(shape)
    if not isinstance(shape, (list, tuple, np.ndarray, range)):
        if not hasattr(shape, "__index__"):
            return _shape_of_any(shape)
        shape = [shape]
    if len(shape) and all(type(size) is int for size in shape):
        return vector(shape)
    large = any(isinstance(size, (int, np.integer)) and size >= 2**31 for size in shape)
    return convert_to_tensor(shape, dtype=dtypes.int64 if large else dtypes.int32)


def _shape_of_any(shape: Any) -> Any:
    try:
        return convert_to_tensor(TensorShape(shape))
    except (TypeError, ValueError):
        return convert_to_tensor(shape, dtype=dtypes.int32)  # raises TensorFlow's error


@export("zeros")
def zeros(
    shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None
) -> Any:
    """Returns a tensor of zeros (empty strings or False for string and bool dtypes).

    Args:
        shape: The shape: integers or a tensor of integers.
        dtype: The dtype of the elements.
        name: A name for the operation.
        layout: Ignored.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: A size is negative.
        TypeError: A size is not an integer.
    """
    dtype = as_dtype(dtype).base_dtype
    zero = {"s": "", "b": False}.get(dtype.kind, 0)
    return _filled(shape, zero, dtype)


def _filled(shape: Any, value: Any, dtype: Any) -> Any:
    """Returns a filled tensor; in a graph a ``Const`` if it has fewer than ``_SMALL`` elements."""
    result = _at_once(shape, value, dtype)
    if result is not None:
        return result
    unranked = isinstance(shape, TensorShape) and shape.rank is None
    if thread.scope.graph is None or is_tensor(shape) or unranked:
        return fill_with(_shape_vector(shape), constant(value, dtype))
    listed = isinstance(shape, (list, tuple, range, TensorShape, np.ndarray))
    sizes = list(static_sizes(shape)) if listed else [shape]
    if not all(isinstance(size, (int, np.integer)) and size >= 0 for size in sizes):
        return fill_with(_shape_vector(shape), constant(value, dtype))
    if math.prod(map(int, sizes)) >= _SMALL:
        return fill_with(convert_to_tensor(TensorShape(sizes)), constant(value, dtype))
    whole = thread.scope.graph.step("Whole", "Const")
    return constant(value, dtype, shape=sizes, name=whole)


def _at_once(shape: Any, value: Any, dtype: Any) -> EagerTensor | None:
    """Fast path of ``Fill``: eager, Python integer sizes, no observers; None on a miss."""
    home = runtime.home
    if (
        thread.scope is not PLAIN
        or home is None
        or dtype.kind not in "bifuc"
        or not makes(home, dtype)
    ):
        return None
    sizes = (shape,) if type(shape) is int else shape
    if type(sizes) not in (list, tuple) or any(type(size) is not int or size < 0 for size in sizes):
        return None
    try:
        plain = home.xp.ones if value else home.xp.zeros
        array = (
            home.xp.full(sizes, value, dtype.np) if type(value) is float else plain(sizes, dtype.np)
        )
    except (MemoryError, ValueError):  # the op's slow path raises TensorFlow's error
        return None
    return EagerTensor(array, home, dtype)


_SMALL = 1000  # elements
_LARGE = 2.0**127  # below this limit a value is finite in float32


@export("ones")
@documented_like(zeros)
def ones(
    shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None
) -> Any:
    """Returns a tensor of ones (True for bool).

    Raises:
        InvalidArgumentError: A size is negative.
        TypeError: A size is not an integer, or the dtype has no value for one.
    """
    dtype = as_dtype(dtype).base_dtype
    return _filled(shape, True if dtype.is_bool else 1, dtype)


@op(
    "ZerosLike",
    no_gradient=True,
    shape=same,
    dtypes=dtypes.ANY | {dtypes.variant},
    tf_name="zeros_like",
)
def _zeros_like(xp: Any, x: Any) -> Any:
    """Returns zeros of a tensor's dtype and shape."""
    if is_list(x):
        return unwritten(x)
    return xp.full(x.shape, b"", object) if x.dtype.kind == "O" else xp.zeros(x.shape, x.dtype)


_zeros_like.native("move")


@op(
    "OnesLike",
    no_gradient=True,
    shape=same,
    dtypes=dtypes.NUMBERS | dtypes.BOOLS,
    tf_name="ones_like",
)
def _ones_like(xp: Any, x: Any) -> Any:
    """Returns ones of a tensor's dtype and shape."""
    return xp.ones(x.shape, x.dtype)


def _like(filled: Any, full: Any, input: Any, dtype: Any) -> Any:
    if not is_tensor(input):
        input = convert_to_tensor(input)
    is_static = input.shape.is_fully_defined()
    same = dtype is None or as_dtype(dtype) is input.dtype
    if same and not (
        is_static and isinstance(input, SymbolicTensor) and input.dtype is not dtypes.variant
    ):
        return filled(input)
    dtype = input.dtype if same else dtype
    return full(input.shape if is_static else API["shape"](input), as_dtype(dtype))


@export("zeros_like")
def zeros_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Any:
    """Returns a tensor of zeros with the shape and, by default, the dtype of another tensor.

    Args:
        input: A tensor.
        dtype: The dtype of the elements; the tensor's if None.
        name: A name for the operation.
        layout: Ignored.

    Returns:
        A tensor of the same shape.
    """
    return _like(_zeros_like, zeros, input, dtype)


@export("ones_like")
@documented_like(zeros_like)
def ones_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Any:
    """Returns a tensor of ones with the shape and, by default, the dtype of another tensor."""
    return _like(_ones_like, ones, input, dtype)


# A scalar in host memory: the output shape depends on its value.
_Bound = Annotated[Any, Kind("T", host=True)]


@op(
    "Range",
    no_gradient=True,
    shape=ranged,
    dtypes=dtypes.REALS | {dtypes.int32, dtypes.int64},
    tf_name="range",
)
def numbers_apart(xp: Any, start: _Bound, limit: _Bound, delta: _Bound) -> Any:
    """Returns the sequence from ``start`` (included) to ``limit`` (excluded) in steps of ``delta``."""
    first, last, step = map(_number, ("start", "limit", "delta"), (start, limit, delta))
    if step == 0:
        raise invalid("Requires delta != 0: 0")
    if step > 0 and not first <= last:
        raise invalid(
            f"Requires start <= limit when delta > 0: {_format_number(first)}/{_format_number(last)}"
        )
    if not step > 0 and not first >= last:
        raise invalid(
            f"Requires start >= limit when delta < 0: {_format_number(first)}/{_format_number(last)}"
        )
    if start.dtype.kind == "i":
        return xp.arange(int(first), int(last), int(step), dtype=start.dtype)
    steps = abs(float((last - first) / step))  # computed in the precision of the dtype
    if not steps <= _MOST_STEPS:
        raise invalid(f"Requires ((limit - start) / delta) <= {_MOST_STEPS}")
    return (first + xp.arange(math.ceil(steps)).astype(start.dtype) * step).astype(
        start.dtype, copy=False
    )


def _format_number(number: Any) -> str:
    return str(number) if number.dtype.kind == "i" else f"{number:g}"


def _number(name: str, x: Any) -> Any:
    if x.ndim and x.shape != (1,):
        raise invalid(f"{name} must be a scalar, not shape {text(x.shape)}")
    return x.reshape(-1)[0]


_MOST_STEPS = 2**63 - 1
_RANGE_ORDER = tuple(map(as_dtype, ("int32", "int64", "float16", "bfloat16", "float32", "float64")))


@export("range")
def range_(
    start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range"
) -> Any:
    """Returns the sequence from ``start`` (included) to ``limit`` (excluded) in steps of ``delta``.

    Args:
        start: The first value, or the limit if it is the only argument.
        limit: The upper limit, excluded (the lower one for a negative ``delta``).
        delta: The step.
        dtype: The dtype of the result; the widest of the arguments' dtypes if None.

    Returns:
        A tensor of rank 1.

    Raises:
        InvalidArgumentError: ``delta`` is 0 or has the wrong sign.
    """
    if limit is None:
        start, limit = 0, start
    target = None if dtype is None else as_dtype(dtype)
    with on_host():
        values = [
            value if isinstance(value, Tensor) else convert_to_tensor(value, dtype=target, name=key)
            for key, value in {"start": start, "limit": limit, "delta": delta}.items()
        ]
        if target is None:
            assert all(value.dtype in _RANGE_ORDER for value in values)
            target = max((value.dtype for value in values), key=_RANGE_ORDER.index)
        values = [cast(value, target) for value in values]
    return numbers_apart(*values)


def _of_python_range(value: Any, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Any:
    return range_(value.start, value.stop, value.step, dtype=dtype)


register_tensor_conversion_function(range, _of_python_range)
