"""Tensor arrays in graphs, backed by tensor lists: each write returns a new list."""

from __future__ import annotations

from contextlib import nullcontext
from types import MappingProxyType
from typing import Any

from twinflow._src.control_flow import tensor_list as lists
from twinflow._src.control_flow import tensor_list as parts
from twinflow._src.control_flow.tensor_array import HOLDS_VALUES, TensorArray
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import as_dtype, int32
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.signature_errors import wraps
from twinflow._src.graph.static_values import array_of


def assert_of_graphs(array: TensorArray) -> TensorArray:
    """Returns a tensor array that was made in a graph.

    Raises:
        NotImplementedError: It was made in eager execution.
    """
    if type(array) is TensorArray:
        raise NotImplementedError(HOLDS_VALUES)
    return array


class GraphTensorArray(TensorArray):
    """A tensor array inside a graph; see ``tf.TensorArray``."""

    def __init__(
        self,
        dtype: Any,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Any = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        self._dtype = as_dtype(dtype).base_dtype
        self._dynamic, self._infer_shape = bool(dynamic_size), infer_shape
        self._element_shape = TensorShape(element_shape)
        self._size = size
        if flow is None:
            if size is None:
                raise ValueError(
                    "Argument `size` must be provided if argument `flow` is not provided."
                )
            count = size if isinstance(size, int) else convert_to_tensor(size, int32)
            with _named(name, "TensorArrayV2", {"TensorListReserve": ""}):
                flow = lists.reserve(lists.sizes_of(self._element_shape), count, self._dtype)
        self._flow = flow

    @property
    def flow(self) -> Any:
        """The tensor list of the elements."""
        return self._flow

    def with_flow(self, flow: Any) -> GraphTensorArray:
        """Returns an array with the same options and another tensor list."""
        return GraphTensorArray(
            self._dtype,
            self._size,
            dynamic_size=self._dynamic,
            flow=flow,
            infer_shape=self._infer_shape,
            element_shape=self._element_shape,
        )

    def identity(self) -> GraphTensorArray:
        """Returns this array, with an identity of its tensor list."""
        return self.with_flow(API["identity"](self._flow))

    def like(self, other: GraphTensorArray) -> GraphTensorArray:
        """Returns this array with the element shape of another one, from an iteration of a loop."""
        found = self.with_flow(self._flow)
        found._element_shape = other._element_shape
        return found

    def _count(self) -> int:
        """Returns the static number of elements, -1 where it is unknown or dynamic."""
        known = array_of(self._size) if isinstance(self._size, Tensor) else self._size
        return -1 if known is None or self._dynamic else int(known)

    def _sizes(self) -> Any:
        return lists.sizes_of(self._element_shape)

    def _checked(self, value: Any, inner: bool = False) -> Any:
        """Returns a value as a tensor; its shape is merged into the element shape."""
        tensor = convert_to_tensor(value, dtype_hint=self._dtype)
        shape = tensor.shape[1:] if inner else tensor.shape
        if inner and tensor.dtype is not self._dtype:
            raise ValueError(
                "Trying to read from list with wrong element dtype. List has type "
                f"{tensor.dtype.cname} but expected type {self._dtype.cname}"
            )
        if self._infer_shape and not self._element_shape.is_compatible_with(shape):
            raise ValueError(
                f"Inconsistent shapes: saw {shape} but expected {self._element_shape} "
            )
        if self._infer_shape:
            self._element_shape = self._element_shape.merge_with(shape)
        return tensor

    def read(self, index: Any, name: str | None = None) -> Any:
        """Returns an element; see ``tf.TensorArray.read``."""
        with _named(name, "TensorArrayV2Read"):
            return lists.get_item(self._flow, index, self._sizes(), self._dtype)

    def write(self, index: Any, value: Any, name: str | None = None) -> GraphTensorArray:
        """Returns an array with an element replaced; see ``tf.TensorArray.write``."""
        value = self._checked(value)
        with _named(name, "TensorArrayV2Write"):
            return self.with_flow(
                lists.set_item(self._flow, index, value, self._dtype, self._dynamic)
            )

    def stack(self, name: str | None = None) -> Any:
        """Returns all elements stacked; see ``tf.TensorArray.stack``."""
        with _named(name, "TensorArrayV2Stack"):
            return lists.stack_list(self._flow, self._sizes(), self._dtype, self._count())

    def gather(self, indices: Any, name: str | None = None) -> Any:
        """Returns some elements stacked; see ``tf.TensorArray.gather``."""
        return API["gather"](self.stack(), indices)

    def concat(self, name: str | None = None) -> Any:
        """Returns all elements concatenated; see ``tf.TensorArray.concat``."""
        with _named(name, "") if name else nullcontext():
            found = parts.concat_list(self._flow, self._sizes(), [], self._dtype)[0]
        if self._element_shape.rank is not None:
            found.set_shape([None, *self._element_shape.as_list()[1:]])
        return found

    def unstack(self, value: Any, name: str | None = None) -> GraphTensorArray:
        """Returns an array with the slices of a tensor; see ``tf.TensorArray.unstack``."""
        value = self._checked(value, inner=True)
        with _named(name, "TensorArrayUnstack"):
            return self.with_flow(lists.from_tensor(value, self._sizes()))

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> GraphTensorArray:
        """Returns an array with some elements replaced; see ``tf.TensorArray.scatter``."""
        value = self._checked(value, inner=True)
        with _named(name, "TensorArrayScatter"):
            return self.with_flow(parts.scatter_list(self._flow, value, indices))

    def split(self, value: Any, lengths: Any, name: str | None = None) -> GraphTensorArray:
        """Returns an array with the parts of a tensor; see ``tf.TensorArray.split``."""
        with _named(name, "TensorArraySplit"):
            counts = API["cast"](lengths, "int64")
            return self.with_flow(parts.split_list(convert_to_tensor(value), self._sizes(), counts))

    def size(self, name: str | None = None) -> Any:
        """Returns the number of elements."""
        if self._size is not None and not self._dynamic:
            return convert_to_tensor(self._size, int32)
        with _named(name, "") if name else nullcontext():
            return lists.length(self._flow)

    def close(self, name: str | None = None) -> None:
        """Does nothing: unused tensor lists are garbage-collected."""


def _named(name: str | None, scope: str, steps: Any = MappingProxyType({})) -> Any:
    """Returns the name scope of a method's operations."""
    return thread.scope.graph.steps_of(name or scope, steps)


def _either(eager: Any, name: str) -> Any:
    """Returns a method of ``tf.TensorArray`` that dispatches on eager and graph arrays."""

    @wraps(eager)
    def method(self: TensorArray, *args: Any, **kwargs: Any) -> Any:
        found = getattr(GraphTensorArray, name) if isinstance(self, GraphTensorArray) else eager
        return found(self, *args, **kwargs)

    return method


for _name in (
    "identity",
    "read",
    "write",
    "stack",
    "gather",
    "concat",
    "unstack",
    "scatter",
    "split",
    "size",
    "close",
):
    setattr(TensorArray, _name, _either(getattr(TensorArray, _name), _name))
GraphTensorArray.__name__ = GraphTensorArray.__qualname__ = "TensorArray"
TensorArray.in_graph = GraphTensorArray
