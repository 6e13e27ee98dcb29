"""Gradients as TensorFlow's graphs hold them: its operations, in its order, with its names.

What they compute is what the gradients of the ops compute; those are written for values, these for readers of graphs.
A plan folds the sizes and leaves out the reshapes that change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

from twinflow._src.autodiff.reverse import conjugate
from twinflow._src.conversion.constant import constant
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import float32, int32
from twinflow._src.dispatch.op import API, OPS, execute
from twinflow._src.dispatch.registry import Call
from twinflow._src.graph.select import SELECT
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.graph.tf_exact.fills import filled_like

# Called with a call, whether the gradient of each of its inputs is wanted, and the gradients of its results;
# NotImplemented where the gradient of the op does.
Form = Callable[..., Any]
FORMS: dict[str, Form] = {}


def form(*types: str) -> Callable[[Form], Form]:
    """Registers how the gradients of ops are written in graphs.

    Args:
        *types: The types of the ops.
    """

    def registered(function: Form) -> Form:
        FORMS.update(dict.fromkeys(types, function))
        return function

    return registered


def step(type: str, *inputs: Any, name: str | None = None, **attrs: Any) -> Any:
    """Adds an operation with the name of its type, or another one.

    Args:
        type: The type.
        *inputs: Its inputs.
        name: Its name.
        **attrs: Its attributes.
    """
    return execute(OPS[type], list(inputs), {**attrs, "name": name or type})


def after(dz: Any) -> AbstractContextManager[Any]:
    """A block whose operations run when a gradient is there, so that they do not take memory before.

    Args:
        dz: The gradient.
    """
    if not isinstance(dz, SymbolicTensor) or dz.graph is not thread.scope.graph:
        return nullcontext()
    return dz.graph.control_dependencies([dz])


# ------------------------------------------------------------------ what was broadcast is summed


def _reduced(x: Any, y: Any, dx: Any, dy: Any) -> list[Any]:
    """The gradients of two tensors that were broadcast against each other; None for one that is not wanted."""
    if dx is None and dy is None:
        return [None, None]
    sizes = [API["shape"](x), API["shape"](y)]
    axes = _axes_of(x.shape, y.shape)
    if axes is None:
        axes = execute(OPS["BroadcastGradientArgs"], list(sizes), {})
        broadcast = [True, True]
    else:
        broadcast = [bool(axes[0]) or x.shape.rank < y.shape.rank, bool(axes[1]) or y.shape.rank < x.shape.rank]
    return [_summed(*parts) for parts in zip((dx, dy), broadcast, axes, sizes)]


def _summed(dz: Any, broadcast: bool, axes: Any, sizes: Any) -> Any:
    """A gradient in the shape of a tensor that was broadcast, be it by dimensions of size 1 alone."""
    if dz is None or not broadcast:
        return dz
    return API["reshape"](step("Sum", dz, axes, keepdims=True), sizes)


def _axes_of(one: Any, other: Any) -> tuple[list[int], list[int]] | None:
    """The dimensions over which two tensors of some shapes were broadcast; None where that is not known."""
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
    """Whether tensors have one shape, of which all is known."""
    shapes = [tensor.shape for tensor in tensors]
    return shapes[0].is_fully_defined() and all(shape._dims == shapes[0]._dims for shape in shapes)


def _only_first(wanted: Sequence[bool], y: Any) -> bool:
    """Whether nothing is asked for but the first gradient, and the second input is a number."""
    return not wanted[1] and y.shape.rank == 0


# ------------------------------------------------------------------ arithmetic


@form("AddV2")
def _(call: Call, wanted: Sequence[bool], dz: Any) -> Sequence[Any]:
    x, y = call.inputs
    if _only_first(wanted, y):
        return dz, None
    if _alike(x, y, dz):
        return dz, dz
    return _reduced(x, y, dz if wanted[0] else None, dz if wanted[1] else None)


@form("Sub")
def _(call: Call, wanted: Sequence[bool], dz: Any) -> Sequence[Any]:
    x, y = call.inputs
    if _only_first(wanted, y):
        return dz, None
    if _alike(x, y, dz):
        return dz, -dz
    return _reduced(x, y, dz if wanted[0] else None, -dz if wanted[1] else None)


@form("Mul")
def _(call: Call, wanted: Sequence[bool], dz: Any) -> Sequence[Any]:
    x, y = call.inputs
    if _only_first(wanted, y):
        return step("Mul", dz, conjugate(y)), None
    if dz.dtype in (float32, int32) and _alike(x, y, dz):
        return step("Mul", dz, y), step("Mul", dz, x)
    dx = step("Mul", dz, conjugate(y)) if wanted[0] else None
    return _reduced(x, y, dx, step("Mul", conjugate(x), dz) if wanted[1] else None)


def _quotient(
    divide: Callable[[Any, Any], Any], call: Call, wanted: Sequence[bool], dz: Any
) -> Sequence[Any]:
    x, y = call.inputs
    by_x, by_y = map(conjugate, (x, y))
    return _reduced(x, y, divide(dz, by_y), dz * divide(divide(-by_x, by_y), by_y))


FORMS["RealDiv"] = partial(_quotient, partial(step, "RealDiv"))
FORMS["DivNoNan"] = partial(_quotient, lambda x, y: API["math.divide_no_nan"](x, y))


@form("Pow")
def _(call: Call, wanted: Sequence[bool], dz: Any) -> Sequence[Any]:
    x, y = call.inputs
    if _only_first(wanted, y):
        x, y = conjugate(x), conjugate(y)
        return dz * y * step("Pow", x, y - 1), None
    dx = _power(x, y, dz) if wanted[0] else None
    return _reduced(x, y, dx, _exponent(call, dz) if wanted[1] else None)


def _power(x: Any, y: Any, dz: Any) -> Any:
    by_x, by_y = conjugate(x), conjugate(y)
    return dz * by_y * step("Pow", by_x, by_y - 1)


def _exponent(call: Call, dz: Any) -> Any:
    x, z = conjugate(call.inputs[0]), conjugate(call.outputs)
    there = (
        API["not_equal"](x, 0) if x.dtype.is_complex else x > 0
    )  # the logarithm counts only where there is one
    log = API["math.log"](_chosen(there, x, filled_like(x)))
    log = _chosen(there, log, API["zeros_like"](x))
    return dz * z * log


def _chosen(condition: Any, x: Any, y: Any) -> Any:
    graph = thread.scope.graph
    return graph.add(SELECT, (condition, x, y), {}, graph.unique_name("Select"))


@form("Square")
def _(call: Call, wanted: Sequence[bool], dz: Any) -> Sequence[Any]:
    x = call.inputs[0]
    with after(dz):
        twice = constant(2.0, dtype=x.dtype)
        return (step("Mul", dz, step("Mul", conjugate(x), twice)),)


@form("SquaredDifference")
def _(call: Call, wanted: Sequence[bool], dz: Any) -> Sequence[Any]:
    x, y = call.inputs
    with after(dz):
        slope = step("Mul", constant(2.0, dtype=dz.dtype, name="scalar"), dz) * (x - y)
    if _alike(x, y, dz):
        return slope, -slope
    return _reduced(x, y, slope if wanted[0] else None, -slope if wanted[1] else None)


def _larger(compare: str, call: Call, wanted: Sequence[bool], dz: Any) -> Sequence[Any]:
    x, y = call.inputs
    nothing = API["zeros_like"](dz)
    first = step(compare, x, y)
    dx = step("SelectV2", first, dz, nothing) if wanted[0] else None
    if _only_first(wanted, y):
        return dx, None
    return _reduced(x, y, dx, step("SelectV2", first, nothing, dz) if wanted[1] else None)


FORMS["Maximum"] = partial(_larger, "GreaterEqual")
FORMS["Minimum"] = partial(_larger, "LessEqual")


@form("SelectV2")
def _(call: Call, wanted: Sequence[bool], dz: Any) -> Sequence[Any]:
    condition, x, y = call.inputs
    nothing = API["zeros"]([], dz.dtype.base_dtype)
    dx, dy = step("SelectV2", condition, dz, nothing), step("SelectV2", condition, nothing, dz)
    z = call.outputs
    return None, _reduced(x, z, dx, None)[0], _reduced(y, z, dy, None)[0]


def _slope(name: str, call: Call, wanted: Sequence[bool], dz: Any) -> Sequence[Any]:
    """A gradient times the slope, which is another function."""
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
def _(call: Call, wanted: Sequence[bool], dz: Any) -> Sequence[Any]:
    with after(dz):
        return (-dz * API["sin"](conjugate(call.inputs[0])),)


@form("Log1p")
def _(call: Call, wanted: Sequence[bool], dz: Any) -> Sequence[Any]:
    with after(dz):
        return (dz * API["math.reciprocal"](1 + conjugate(call.inputs[0])),)


@form("L2Loss")
def _(call: Call, wanted: Sequence[bool], dz: Any) -> Sequence[Any]:
    return (call.inputs[0] * dz,)
