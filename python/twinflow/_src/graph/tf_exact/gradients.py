"""Gradients in the structure of TensorFlow's graphs: the same operations, order and names.

They compute the same values as the gradients of the ops, which are written for eager execution. A
program folds the shapes and removes reshapes without effect.

The order of the file: filled tensors, gradients of arithmetic, then of reductions, arrays and
losses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import numpy as np

from twinflow._src.autodiff.reverse import conjugate
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.conversion.constant import constant
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import as_dtype, float32, int32
from twinflow._src.dispatch.op import API, OPS, execute
from twinflow._src.dispatch.registry import Call
from twinflow._src.graph.ops import SELECT
from twinflow._src.graph.static_values import array_of
from twinflow._src.graph.symbolic import SymbolicTensor

# Filled tensors, added as TensorFlow does without the use of static values.


def filled_like(tensor: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Returns ones in the shape of a tensor."""
    with thread.scope.graph.name_scope(name or "ones_like") as path:
        if tensor.shape.is_fully_defined():
            sizes = constant(tensor.shape._dims, int32, name="Shape/shape_as_tensor")
        else:
            sizes = API["shape"](tensor)
        one = constant(1, as_dtype(dtype or tensor.dtype.base_dtype), name="Const")
        return execute(OPS["Fill"], [sizes, one], {"name": path})


def seed_ones(target: Any) -> Any:
    """Returns the initial gradient of a tape: ones in the shape of a tensor."""
    dims = target.shape._dims
    if dims is None or None in dims:
        return filled_like(target)
    return API["ones"](list(dims), target.dtype.base_dtype)


def no_gradient_of(output: Any) -> Any:
    """Returns zeros for the gradient of a result that is not connected to a tape's target."""
    dims = output.shape._dims
    if dims is None or None in dims:
        return execute(OPS["ZerosLike"], [output], {"name": "zeros_like"})
    return API["zeros"](list(dims), output.dtype.base_dtype)


# Gradients of arithmetic.


# Called with a call, a boolean for each input (True if its gradient is requested), and the
# gradients of the results; NotImplemented falls back to the gradient of the op.
Form = Callable[..., Any]
FORMS: dict[str, Form] = {}


def form(*types: str) -> Callable[[Form], Form]:
    """Registers the graph gradient of op types."""

    def registered(function: Form) -> Form:
        FORMS.update(dict.fromkeys(types, function))
        return function

    return registered


def step(type: str, *inputs: Any, name: str | None = None, **attrs: Any) -> Any:
    """Adds an operation that is named after its type, or ``name``."""
    return execute(OPS[type], list(inputs), {**attrs, "name": name or type})


def after(dz: Any) -> AbstractContextManager[Any]:
    """Returns a context manager with a control dependency on a gradient."""
    # Its operations do not allocate memory before the gradient is available.
    if not isinstance(dz, SymbolicTensor) or dz.graph is not thread.scope.graph:
        return nullcontext()
    return dz.graph.control_dependencies([dz])


# ------------------------------------------------------------------ reduction of broadcast
# gradients


def _reduce_each(x: Any, y: Any, dx: Any, dy: Any) -> list[Any]:
    """Returns the gradients of two broadcast tensors; None for one that is not requested."""
    if dx is None and dy is None:
        return [None, None]
    sizes = [API["shape"](x), API["shape"](y)]
    axes = _axes_of(x.shape, y.shape)
    if axes is None:
        axes = execute(OPS["BroadcastGradientArgs"], list(sizes), {})
        broadcast = [True, True]
    else:
        broadcast = [
            bool(axes[0]) or x.shape.rank < y.shape.rank,
            bool(axes[1]) or y.shape.rank < x.shape.rank,
        ]
    return [_sum_to_shape(*parts) for parts in zip((dx, dy), broadcast, axes, sizes)]


def _sum_to_shape(dz: Any, broadcast: bool, axes: Any, sizes: Any) -> Any:
    """Sums a gradient to the shape of a broadcast tensor, also over dimensions of size 1."""
    if dz is None or not broadcast:
        return dz
    return API["reshape"](step("Sum", dz, axes, keepdims=True), sizes)


def _axes_of(one: Any, other: Any) -> tuple[list[int], list[int]] | None:
    """Returns the broadcast dimensions of two shapes; None where they are unknown."""
    if one.rank is None or other.rank is None:
        return None
    rank = max(one.rank, other.rank)
    axes: tuple[list[int], list[int]] = ([], [])
    for i, (m, n) in enumerate(zip(*([1] * (rank - s.rank) + list(s._dims) for s in (one, other)))):
        if (m == 1) != (n == 1):
            axes[n == 1].append(i)
        elif m != 1 and (m is None or n is None):
            return None
    return axes


def _alike(*tensors: Any) -> bool:
    """True if tensors have the same, fully defined shape."""
    shapes = [tensor.shape for tensor in tensors]
    return shapes[0].is_fully_defined() and all(shape._dims == shapes[0]._dims for shape in shapes)


def _only_first(needs_grad: Sequence[bool], y: Any) -> bool:
    """True if only the first gradient is requested and the second input is a scalar."""
    return not needs_grad[1] and y.shape.rank == 0


# ------------------------------------------------------------------ arithmetic


@form("AddV2")
def _(call: Call, needs_grad: Sequence[bool], dz: Any) -> Sequence[Any]:
    x, y = call.inputs
    if _only_first(needs_grad, y):
        return dz, None
    if _alike(x, y, dz):
        return dz, dz
    return _reduce_each(x, y, dz if needs_grad[0] else None, dz if needs_grad[1] else None)


@form("Sub")
def _(call: Call, needs_grad: Sequence[bool], dz: Any) -> Sequence[Any]:
    x, y = call.inputs
    if _only_first(needs_grad, y):
        return dz, None
    if _alike(x, y, dz):
        return dz, -dz
    return _reduce_each(x, y, dz if needs_grad[0] else None, -dz if needs_grad[1] else None)


@form("Mul")
def _(call: Call, needs_grad: Sequence[bool], dz: Any) -> Sequence[Any]:
    x, y = call.inputs
    if _only_first(needs_grad, y):
        return step("Mul", dz, conjugate(y)), None
    if dz.dtype in (float32, int32) and _alike(x, y, dz):
        return step("Mul", dz, y), step("Mul", dz, x)
    dx = step("Mul", dz, conjugate(y)) if needs_grad[0] else None
    return _reduce_each(x, y, dx, step("Mul", conjugate(x), dz) if needs_grad[1] else None)


def _quotient(
    divide: Callable[[Any, Any], Any], call: Call, needs_grad: Sequence[bool], dz: Any
) -> Sequence[Any]:
    x, y = call.inputs
    by_x, by_y = map(conjugate, (x, y))
    return _reduce_each(x, y, divide(dz, by_y), dz * divide(divide(-by_x, by_y), by_y))


FORMS["RealDiv"] = partial(_quotient, partial(step, "RealDiv"))
FORMS["DivNoNan"] = partial(_quotient, lambda x, y: API["math.divide_no_nan"](x, y))


@form("Pow")
def _(call: Call, needs_grad: Sequence[bool], dz: Any) -> Sequence[Any]:
    x, y = call.inputs
    if _only_first(needs_grad, y):
        x, y = conjugate(x), conjugate(y)
        return dz * y * step("Pow", x, y - 1), None
    dx = _power(x, y, dz) if needs_grad[0] else None
    return _reduce_each(x, y, dx, _exponent(call, dz) if needs_grad[1] else None)


def _power(x: Any, y: Any, dz: Any) -> Any:
    by_x, by_y = conjugate(x), conjugate(y)
    return dz * by_y * step("Pow", by_x, by_y - 1)


def _exponent(call: Call, dz: Any) -> Any:
    x, z = conjugate(call.inputs[0]), conjugate(call.outputs)
    there = (
        API["not_equal"](x, 0) if x.dtype.is_complex else x > 0
    )  # the logarithm is used only where it is defined
    log = API["math.log"](_add_select_op(there, x, filled_like(x)))
    log = _add_select_op(there, log, API["zeros_like"](x))
    return dz * z * log


def _add_select_op(condition: Any, x: Any, y: Any) -> Any:
    graph = thread.scope.graph
    return graph.add(SELECT, (condition, x, y), {}, graph.unique_name("Select"))


@form("Square")
def _(call: Call, needs_grad: Sequence[bool], dz: Any) -> Sequence[Any]:
    x = call.inputs[0]
    with after(dz):
        twice = constant(2.0, dtype=x.dtype)
        return (step("Mul", dz, step("Mul", conjugate(x), twice)),)


@form("SquaredDifference")
def _(call: Call, needs_grad: Sequence[bool], dz: Any) -> Sequence[Any]:
    x, y = call.inputs
    with after(dz):
        slope = step("Mul", constant(2.0, dtype=dz.dtype, name="scalar"), dz) * (x - y)
    if _alike(x, y, dz):
        return slope, -slope
    return _reduce_each(x, y, slope if needs_grad[0] else None, -slope if needs_grad[1] else None)


def _larger(compare: str, call: Call, needs_grad: Sequence[bool], dz: Any) -> Sequence[Any]:
    x, y = call.inputs
    nothing = API["zeros_like"](dz)
    first = step(compare, x, y)
    dx = step("SelectV2", first, dz, nothing) if needs_grad[0] else None
    if _only_first(needs_grad, y):
        return dx, None
    return _reduce_each(x, y, dx, step("SelectV2", first, nothing, dz) if needs_grad[1] else None)


FORMS["Maximum"] = partial(_larger, "GreaterEqual")
FORMS["Minimum"] = partial(_larger, "LessEqual")


@form("SelectV2")
def _(call: Call, needs_grad: Sequence[bool], dz: Any) -> Sequence[Any]:
    condition, x, y = call.inputs
    nothing = API["zeros"]([], dz.dtype.base_dtype)
    dx, dy = step("SelectV2", condition, dz, nothing), step("SelectV2", condition, nothing, dz)
    z = call.outputs
    return None, _reduce_each(x, z, dx, None)[0], _reduce_each(y, z, dy, None)[0]


def _slope(name: str, call: Call, needs_grad: Sequence[bool], dz: Any) -> Sequence[Any]:
    """Returns a gradient times the derivative, which is another function."""
    with after(dz):
        return (dz * API[name](conjugate(call.inputs[0])),)


for _type, _name in (
    ("Log", "math.reciprocal"),
    ("Sin", "cos"),
    ("Sinh", "cosh"),
    ("Cosh", "sinh"),
    ("Lgamma", "math.digamma"),
):
    FORMS[_type] = partial(_slope, _name)


@form("Cos")
def _(call: Call, needs_grad: Sequence[bool], dz: Any) -> Sequence[Any]:
    with after(dz):
        return (-dz * API["sin"](conjugate(call.inputs[0])),)


@form("Log1p")
def _(call: Call, needs_grad: Sequence[bool], dz: Any) -> Sequence[Any]:
    with after(dz):
        return (dz * API["math.reciprocal"](1 + conjugate(call.inputs[0])),)


@form("L2Loss")
def _(call: Call, needs_grad: Sequence[bool], dz: Any) -> Sequence[Any]:
    return (call.inputs[0] * dz,)


# Gradients of reductions, arrays and losses.


__all__ = ["FORMS"]

# ------------------------------------------------------------------ reductions


@form("Sum")
def _broadcast_sum_gradient(call: Call, needs_grad: Sequence[bool], dz: Any) -> Sequence[Any]:
    x, axis = call.inputs[0], _axes(call)
    rank, axes = x.shape.rank, None if axis is None else array_of(axis)
    if rank is not None and axes is not None and np.array_equal(axes.reshape(-1), np.arange(rank)):
        return _spread_from_one(x, rank, dz), None
    if x.shape.is_fully_defined() and axes is not None:
        return _spread_by_known(x, axes, dz), None
    sizes = API["shape"](x)
    if not call.attrs["keepdims"]:
        dz = API["reshape"](dz, _kept_sizes(sizes, axis))
    return API["broadcast_to"](dz, sizes), None


def _axes(call: Call) -> Any:
    """Returns the tensor of the axes, also where they are implied."""
    x, axes = call.inputs[0], call.inputs[1]
    if axes is None:
        axes = call.outputs.op.implied
    if axes is not None:
        return axes
    return (
        API["range"](API["rank"](x))
        if x.shape.rank is None
        else constant(np.arange(x.shape.rank), int32)
    )


def _spread_from_one(x: Any, rank: int, dz: Any) -> Any:
    dz = API["reshape"](dz, [1] * rank)
    return API["tile"](
        dz, constant(x.shape._dims, int32) if x.shape.is_fully_defined() else API["shape"](x)
    )


def _spread_by_known(x: Any, axes: Any, dz: Any) -> Any:
    """Tiles a gradient to the shape before a reduction; the multiples are added once per graph."""
    dims = x.shape._dims
    summed = {int(a) % len(dims) for a in axes.reshape(-1)}
    kept = [1 if i in summed else n for i, n in enumerate(dims)]
    sizes = thread.scope.graph.kept_sizes
    if (dims, tuple(kept)) not in sizes:
        sizes.add((dims, tuple(kept)))
        API["math.floordiv"](np.array(dims, np.int32), API["maximum"](np.array(kept, np.int32), 1))
    dz = API["reshape"](dz, kept)
    return API["tile"](dz, [n // max(m, 1) for n, m in zip(dims, kept)])


def _kept_sizes(sizes: Any, axis: Any) -> Any:
    """Returns a shape with ones in the reduced dimensions."""
    static, axes = array_of(sizes), array_of(axis)
    if static is not None and axes is not None:
        kept = static.copy()
        kept[axes.astype(np.int64)] = 1
        return kept.tolist()
    rank = API["size"](sizes)
    axes = (axis + rank) % rank
    ones = API["ones"](API["shape"](axes), sizes.dtype)
    return API["dynamic_stitch"]([API["range"](rank), axes], [sizes, ones])


@form("Mean")
def _(call: Call, needs_grad: Sequence[bool], dz: Any) -> Sequence[Any]:
    x, z = call.inputs[0], call.outputs
    total = _broadcast_sum_gradient(call, needs_grad, dz)[0]
    if x.shape.is_fully_defined() and z.shape.is_fully_defined():
        count = constant(
            x.shape.num_elements() // max(z.shape.num_elements(), 1), dtype=total.dtype
        )
        return step("RealDiv", total, count, name="truediv"), None
    sizes = API["shape"](x)
    rank = API["size"](sizes)
    counted = API["reduce_prod"](API["gather"](sizes, (_axes(call) + rank) % rank))
    return step("RealDiv", total, API["cast"](counted, total.dtype), name="truediv"), None


@form("Max", "Min")
def _(call: Call, needs_grad: Sequence[bool], dz: Any) -> Sequence[Any]:
    """Returns the gradient of a maximum or minimum, split equally among ties."""
    x, z, axis = call.inputs[0], call.outputs, _axes(call)
    sizes = API["shape"](x)
    if call.attrs["keepdims"]:
        kept = API["shape"](z)
    else:
        kept = _kept_sizes(sizes, axis)
        z, dz = API["reshape"](z, kept), API["reshape"](dz, kept)
    chosen = API["cast"](API["equal"](z, x), dz.dtype)
    count = API["reshape"](step("Sum", chosen, axis, keepdims=False), kept)
    return step("RealDiv", chosen, count, name="truediv") * dz, None


# ------------------------------------------------------------------ arrays


@form("Reshape")
def _(call: Call, needs_grad: Sequence[bool], dz: Any) -> Sequence[Any]:
    x = call.inputs[0]
    dims = x.shape._dims
    if dims is None or dims.count(None) != 1:
        return API["reshape"](dz, API["shape"](x)), None
    return API["reshape"](dz, [-1 if n is None else n for n in dims]), None


@form("ExpandDims", "Squeeze")
def _(call: Call, needs_grad: Sequence[bool], dz: Any) -> Sequence[Any]:
    return API["reshape"](dz, API["shape"](call.inputs[0])), None


@form("Transpose")
def _(call: Call, needs_grad: Sequence[bool], dz: Any) -> Sequence[Any]:
    order = call.outputs.op.implied if call.inputs[1] is None else call.inputs[1]
    back = (
        None if order is None else API["math.invert_permutation"](order)
    )  # without axes, all dimensions are reversed
    return API["transpose"](dz, back), None


@form("StridedSlice")
def _(call: Call, needs_grad: Sequence[bool], dz: Any) -> Sequence[Any]:
    x, *bounds = call.inputs
    sizes = API["shape"](x, out_type=bounds[0].dtype)
    statics = [array_of(value) for value in (sizes, *bounds)]
    taken = [value if one is None else one for value, one in zip((sizes, *bounds), statics)]
    return step("StridedSliceGrad", *taken, dz, **call.attrs), None, None, None


@form("GatherV2")
def _(call: Call, needs_grad: Sequence[bool], dz: Any) -> Any:
    params, indices, axis = call.inputs
    axis_value = array_of(axis)
    if call.attrs["batch_dims"] or axis_value is None or axis_value != 0:
        return NotImplemented
    sizes = API["shape"](params)
    count = API["expand_dims"](API["size"](indices), 0)
    values = API["reshape"](dz, API["concat"]([count, sizes[1:]], 0))
    return IndexedSlices(values, API["reshape"](indices, count), sizes), None, None


# ------------------------------------------------------------------ losses


@form("SoftmaxCrossEntropyWithLogits")
def _(call: Call, needs_grad: Sequence[bool], dloss: Any, dderivatives: Any) -> Any:
    features, labels = (x.shape for x in call.inputs)
    if dloss is None or dderivatives is not None or not features.is_compatible_with(labels):
        return NotImplemented
    by_logits = API["expand_dims"](dloss, -1) * call.outputs[1]
    surprise = -API["nn.log_softmax"](call.inputs[0])
    return by_logits, API["expand_dims"](dloss, -1) * surprise


@form("LogSoftmax")
def _(call: Call, needs_grad: Sequence[bool], dz: Any) -> Sequence[Any]:
    y = API["exp"](call.outputs)
    return (dz - API["reduce_sum"](dz, -1, keepdims=True) * y,)
