"""Tensors of a graph that are filled like others, as TensorFlow makes them without looking at what is known."""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import constant
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import as_dtype, int32
from twinflow._src.dispatch.op import API, OPS, execute


def filled_like(tensor: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Ones in the shape of a tensor.

    Args:
        tensor: A tensor of a graph.
        dtype: The type; that of the tensor where None.
        name: A name for the operation.
    """
    with thread.scope.graph.name_scope(name or "ones_like") as path:
        if tensor.shape.is_fully_defined():
            sizes = constant(tensor.shape._dims, int32, name="Shape/shape_as_tensor")
        else:
            sizes = API["shape"](tensor)
        one = constant(1, as_dtype(dtype or tensor.dtype.base_dtype), name="Const")
        return execute(OPS["Fill"], [sizes, one], {"name": path})


def seed_ones(target: Any) -> Any:
    """The gradient with which a tape begins: ones in the shape of a tensor."""
    dims = target.shape._dims
    if dims is None or None in dims:
        return filled_like(target)
    return API["ones"](list(dims), target.dtype.base_dtype)


def no_gradient_of(output: Any) -> Any:
    """The zeros that stand for the gradient of a result that a tape's target does not depend on."""
    dims = output.shape._dims
    if dims is None or None in dims:
        return execute(OPS["ZerosLike"], [output], {"name": "zeros_like"})
    return API["zeros"](list(dims), output.dtype.base_dtype)
