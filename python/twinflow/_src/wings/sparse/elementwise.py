"""Element-wise ops on sparse tensors: dispatch, and ops with a dense tensor that broadcasts."""

from __future__ import annotations

from typing import Any

from twinflow._src.autodiff.reverse import unbroadcast
from twinflow._src.backends.host_checks import known_any
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import dtypes, nest
from twinflow._src.core.dtypes import ORDERED
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.execute import COMPOSITES, execute
from twinflow._src.dispatch.op import API, Call, op
from twinflow._src.dispatch.registry import OPS, Op
from twinflow._src.wings.sparse.parts import Lengths, Places


def _broadcast_rows(xp: Any, indices: Any, shape: Any, dense: Any) -> Any:
    """Gathers the elements of a dense tensor, broadcast to a shape, at the given indices."""
    sizes_ = tuple(shape.tolist())
    outside = known_any(
        xp, lambda: (indices < 0) | (indices >= xp.asarray(sizes_, dtype=indices.dtype))
    )
    dims = (1,) * (len(sizes_) - dense.ndim) + dense.shape
    if dense.ndim > len(sizes_) or any(n not in (1, m) for n, m in zip(dims, sizes_, strict=True)):
        raise invalid(
            "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: "
            f"{text(sizes_)} vs. {text(dense.shape)}"
        )
    if outside:
        raise invalid("Provided indices are out-of-bounds w.r.t. dense side with broadcasted shape")
    return xp.broadcast_to(dense, sizes_)[tuple(indices.T)]


def _values(indices: Any, values: Any, *_: Any) -> Any:
    return values


def _dense_gradient(call: Call, of_values: Any, of_dense: Any) -> Any:
    indices, _, shape, dense = call.inputs
    scattered = API["scatter_nd"](indices, of_dense, shape)
    return None, of_values, None, unbroadcast(scattered, dense)


def _gather_dense_operand(call: Call) -> Any:
    """Gathers the elements of the dense operand at the indices of the sparse one."""
    indices, _, shape, dense = call.inputs
    return API["gather_nd"](API["broadcast_to"](dense, shape), indices)


@op("SparseDenseCwiseMul", shape=_values, dtypes=ORDERED, devices=("CPU",))
def sparse_dense_cwise_mul(
    xp: Any, sp_indices: Places, sp_values: Any, sp_shape: Lengths, dense: Any
) -> Any:
    """Multiplies a sparse tensor element-wise by a dense tensor, which is broadcast."""
    return sp_values * _broadcast_rows(xp, sp_indices, sp_shape, dense)


@sparse_dense_cwise_mul.gradient
def _(call: Call, dy: Any) -> Any:
    return _dense_gradient(call, dy * _gather_dense_operand(call), dy * call.inputs[1])


@op("SparseDenseCwiseDiv", shape=_values, dtypes=ORDERED, devices=("CPU",))
def sparse_dense_cwise_div(
    xp: Any, sp_indices: Places, sp_values: Any, sp_shape: Lengths, dense: Any
) -> Any:
    """Divides a sparse tensor element-wise by a dense tensor, which is broadcast."""
    divisors = _broadcast_rows(xp, sp_indices, sp_shape, dense)
    if known_any(xp, lambda: dense == 0):
        raise invalid(
            "SparseDenseCwiseDiv cannot divide by zero,but input dense tensor contains zero"
        )
    if dense.dtype.kind in "iu":
        return (sp_values - xp.fmod(sp_values, divisors)) // divisors
    return sp_values / divisors


@sparse_dense_cwise_div.gradient
def _(call: Call, dy: Any) -> Any:
    divisors = _gather_dense_operand(call)
    of_dense = dy * (-call.inputs[1] / API["square"](divisors))
    return _dense_gradient(call, dy / divisors, of_dense)


@op("SparseDenseCwiseAdd", shape=_values, dtypes=ORDERED, devices=("CPU",))
def sparse_dense_cwise_add(
    xp: Any, sp_indices: Places, sp_values: Any, sp_shape: Lengths, dense: Any
) -> Any:
    """Adds a dense tensor, which is broadcast, to the elements of a sparse tensor."""
    return sp_values + _broadcast_rows(xp, sp_indices, sp_shape, dense)


@sparse_dense_cwise_add.gradient
def _(call: Call, dy: Any) -> Any:
    return _dense_gradient(call, dy, dy)


_FUNCTIONS = {"mul": sparse_dense_cwise_mul, "div": sparse_dense_cwise_div}


def with_dense(name: str, sp: Any, other: Any) -> Any:
    """Implements ``*`` (``"mul"``) and ``/`` (``"div"``) of a sparse tensor and a dense operand."""
    other, values = convert_to_tensor(other, dtype=sp.dtype, name="y"), sp.values
    if name == "div" and sp.dtype.is_integer:
        wide = dtypes.float64 if sp.dtype.size >= 4 else dtypes.float32
        values, other = API["cast"](values, wide), API["cast"](other, wide)
    return sp.with_values(_FUNCTIONS[name](sp.indices, values, sp.dense_shape, other))


# Dispatch of ops outside ``tf.sparse`` that accept sparse tensors.


def dispatch_op(op: Op, inputs: list[Any], attrs: dict[str, Any]) -> Any:
    """Runs an op with a sparse input.

    Returns NotImplemented for ops that do not accept sparse tensors.
    """
    if op is OPS["Identity"]:
        return nest.map_structure(
            lambda part: execute(op, [part], attrs), inputs[0], expand_composites=True
        )
    if op.keeps_zero:
        return inputs[0].with_values(execute(op, [inputs[0].values], attrs))
    if op is OPS["Mul"] and not isinstance(inputs[0], SparseTensor):
        return inputs[1] * inputs[0]
    if op is OPS["Shape"]:
        return API["cast"](inputs[0].dense_shape, attrs["out_type"])
    return NotImplemented


COMPOSITES[SparseTensor] = dispatch_op
