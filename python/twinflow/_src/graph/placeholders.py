"""Placeholders: tensors of a graph that are fed in a session."""

from __future__ import annotations

from typing import Any

from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import as_dtype, int64
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.op import API, documented_like
from twinflow._src.dispatch.registry import Kind, Op
from twinflow._src.graph.default_graph import executing_eagerly


def _passed_on(xp: Any, value: Any, *, shape: Any) -> Any:
    return value


def _with_default(node: Any) -> Any:
    value = node.arguments[0]
    return [value.dtype.base_dtype], [node.attrs["shape"]._dims], True


WITH_DEFAULT = Op("PlaceholderWithDefault", _passed_on, infer=_with_default)
WITH_DEFAULT.kinds = (Kind(),)
WITH_DEFAULT.register("gradient", lambda call, dy: dy, slices=True)


def _assert_graph(name: str) -> None:
    if executing_eagerly():
        raise RuntimeError(f"{name} is not compatible with eager execution.")


def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Any:
    """Adds a tensor that must be fed in a session.

    Args:
        dtype: The dtype.
        shape: The static shape, possibly partial.
        name: A name.

    Raises:
        RuntimeError: Eager execution is enabled.
    """
    _assert_graph("tf.placeholder()")
    dims = TensorShape(shape)._dims
    return thread.scope.graph.placeholder(as_dtype(dtype), dims, name or "Placeholder")


def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Any:
    """Adds a tensor that may be fed in a session.

    Args:
        input: The default value.
        shape: The static shape, possibly partial.
        name: A name.
    """
    graph = thread.scope.graph
    if graph is None:
        return API["identity"](input)
    label = graph.unique_name(name or "PlaceholderWithDefault")
    outer = thread.scope
    thread.scope = outer.but(name=f"{label}/")
    try:
        value = graph.own(convert_to_tensor(input, name="input"))
    finally:
        thread.scope = outer
    return graph.add(WITH_DEFAULT, (value,), {"shape": TensorShape(shape)}, label)


@documented_like(placeholder)
def sparse_placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> SparseTensor:
    """Adds a sparse tensor that must be fed in a session."""
    _assert_graph("`sparse_placeholder`")
    label = f"{name}/" if name else ""
    static = TensorShape(shape)
    rank = static.rank
    values = placeholder(dtype, [None], f"{label}values" if name else None)
    indices = placeholder(int64, [None, rank], f"{label}indices" if name else None)
    if static.is_fully_defined():
        dense = convert_to_tensor(static.as_list(), int64)
    else:
        dense = placeholder(int64, [rank], f"{label}shape" if name else None)
    result = SparseTensor(indices, values, dense)
    result.set_shape(static)
    return result
