"""``tf.TensorArray`` in eager execution, and ``tf.TensorArraySpec``."""

from __future__ import annotations

import operator
from contextlib import nullcontext
from types import MappingProxyType
from typing import Any

from twinflow._src.control_flow import tensor_list as lists
from twinflow._src.control_flow import tensor_list as parts
from twinflow._src.conversion.constant import constant, convert_to_tensor
from twinflow._src.core import dtypes, errors, whole_numbers
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import DType, as_dtype, int32
from twinflow._src.core.shapes import TensorShape, static_size
from twinflow._src.core.specs import TypeSpec
from twinflow._src.core.tensor import EagerTensor, Tensor
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.signature_errors import wraps
from twinflow._src.graph.static_values import array_of

# Indices.


HOLDS_VALUES = (
    "Attempting to build a graph-mode TF2-style TensorArray from either an eager-mode TensorArray or a TF1-style "
    "TensorArray.  This is not currently supported.  You may be attempting to capture a TensorArray inside a "
    "tf.function or tf.data map function. Instead, construct a new TensorArray inside the function."
)


def as_index(index: Any) -> int:
    """Returns an index of an eager tensor array as an integer; raises for a symbolic one."""
    if not isinstance(index, Tensor):
        return index if type(index) is int else whole_numbers.with_integers(index)
    if not isinstance(index, EagerTensor):
        raise NotImplementedError(HOLDS_VALUES)
    return int(index)


# Tensor arrays.


def _unwritten(count: int) -> list[Any]:
    """Returns a list of unwritten elements; ResourceExhaustedError where memory runs out."""
    try:
        return [None] * count
    except MemoryError:
        raise errors.exhausted(f"[{count}]", "variant") from None


class TensorArray:
    """A list of tensors of one dtype, which loops write and read by index.

    Args:
        dtype: The dtype of the elements.
        size: The number of elements.
        dynamic_size: Whether writes beyond the end grow the array.
        clear_after_read: Whether an element can be read only once.
        tensor_array_name: Accepted and without effect.
        handle: Not supported.
        flow: Accepted and without effect.
        infer_shape: Whether all elements must have the shape of the first one written.
        element_shape: The shape of the elements, or None.
        colocate_with_first_write_call: Accepted and without effect.
        name: Accepted and without effect.

    Raises:
        ValueError: There is no size, or a handle.
    """

    __module__ = "twinflow"

    spec_of: Any = None  # returns the tf.TensorArraySpec of an array

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        graphs = cls is TensorArray and thread.scope.graph is not None
        return super().__new__(GraphTensorArray if graphs else cls)

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
        if handle is not None:
            raise ValueError(
                "TensorArray handles are not supported when eager execution is enabled."
            )
        if size is None:
            raise ValueError(
                "Size must be declared for TensorArrays when eager execution is enabled."
            )
        self._dtype = as_dtype(dtype).base_dtype
        self._dynamic = bool(dynamic_size)
        self._clear = clear_after_read is not False
        self._infer_shape = infer_shape
        self._element_shape = TensorShape(element_shape)
        self._elements: list[Any] = _unwritten(operator.index(as_index(size)))
        self._cleared: set[int] = set()

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._dtype

    @property
    def handle(self) -> None:
        """None: there is no handle."""
        return None

    @property
    def flow(self) -> Any:
        """A placeholder scalar for the state; the elements are held directly."""
        return constant(0, dtype=int32)

    @property
    def element_shape(self) -> TensorShape:
        """The static shape of the elements."""
        return self._element_shape

    @property
    def dynamic_size(self) -> bool:
        """True if writes beyond the end grow the array."""
        return self._dynamic

    def identity(self) -> TensorArray:
        """Returns this array."""
        return self

    def grad(self, source: Any, flow: Any = None, name: str | None = None) -> Any:
        """Raises NotImplementedError: gradients pass through the elements themselves."""
        raise NotImplementedError(
            "TensorArray.grad is not supported when executing eagerly; eager's gradient implementation "
            "does not use/need this function to compute gradients of operations that use TensorArrays."
        )

    def read(self, index: Any, name: str | None = None) -> Any:
        """Returns an element, or zeros if it was not written.

        Args:
            index: Its index.
            name: A name for the operation.

        Returns:
            A tensor.

        Raises:
            OutOfRangeError: The index is out of bounds.
            InvalidArgumentError: The element was cleared by an earlier read.
        """
        i = as_index(index)
        if i < 0:
            raise errors.OutOfRangeError(
                None, None, f"Reading from negative indices (index {i}) is not allowed."
            )
        if i >= len(self._elements):
            raise errors.OutOfRangeError(
                None,
                None,
                f"Tried to read from index {i} but array size is: {len(self._elements)} ",
            )
        if self._elements[i] is None and i in self._cleared:
            raise errors.invalid(
                f"Could not read index {i} twice because it was cleared after a previous read "
                "(perhaps try setting clear_after_read = false?)"
            )
        value = self._element(i)
        if self._clear:
            self._elements[i] = None
            self._cleared.add(i)
        return value

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """Sets an element.

        Args:
            index: Its index.
            value: A tensor, or a value that can be converted to one.
            name: A name for the operation.

        Returns:
            The array.

        Raises:
            OutOfRangeError: The index is negative, or beyond the end of an array of fixed size.
            InvalidArgumentError: The value has another dtype.
            ValueError: The value has an incompatible shape.
        """
        self._set(as_index(index), value)
        return self

    def _set(self, i: int, value: Any) -> None:
        size = len(self._elements)
        if i < 0:
            message = f"Writing to negative indices (index {i}) is not allowed."
            raise errors.OutOfRangeError(None, None, message)
        if i >= size:
            if not self._dynamic:
                raise errors.OutOfRangeError(
                    None,
                    None,
                    f"Tried to write to index {i} but array is not resizeable and size is: {size} ",
                )
            self._elements.extend(_unwritten(i - size + 1))
        value = convert_to_tensor(value, dtype_hint=self._dtype)
        if value.dtype is not self._dtype:
            raise errors.invalid(
                f"TensorArray dtype is {self._dtype.name} but Op is trying to write dtype "
                f"{value.dtype.name} "
            )
        if not self._element_shape.is_compatible_with(value.shape):
            raise ValueError(
                f"Incompatible shape for value ({value.shape}), expected ({self._element_shape})"
            )
        if self._infer_shape:
            self._element_shape = self._element_shape.merge_with(value.shape)
        self._elements[i] = value

    def _element(self, i: int) -> Any:
        if self._elements[i] is None:
            self._elements[i] = API["zeros"](self._element_shape, self._dtype)
        return self._elements[i]

    def stack(self, name: str | None = None) -> Any:
        """Returns all elements as one tensor.

        Args:
            name: A name for the operation.

        Returns:
            A tensor with the elements along the first dimension.
        """
        values = [self._element(i) for i in range(len(self._elements))]
        if not values and self._element_shape.is_fully_defined():
            return API["zeros"]([0, *self._element_shape.as_list()], self._dtype)
        return API["stack"](values) if values else constant([], dtype=self._dtype)

    def gather(self, indices: Any, name: str | None = None) -> Any:
        """Returns some elements as one tensor.

        Args:
            indices: Their indices.
            name: A name for the operation.

        Returns:
            A tensor with the elements along the first dimension.
        """
        return API["stack"]([self._element(as_index(i)) for i in indices])

    def concat(self, name: str | None = None) -> Any:
        """Returns all elements concatenated along their first dimension.

        Args:
            name: A name for the operation.

        Returns:
            A tensor.

        Raises:
            InvalidArgumentError: An element is a scalar, or the shapes are incompatible.
        """
        values = [self._element(i) for i in range(len(self._elements))]
        for i, value in enumerate(values):
            if value.shape.rank == 0:
                raise errors.invalid(
                    f"Concat saw a scalar shape at index {i} but requires at least vectors."
                )
        return API["concat"](values, 0)

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """Sets the elements to the slices of a tensor along its first dimension.

        Args:
            value: A tensor.
            name: A name for the operation.

        Returns:
            The array.

        Raises:
            ValueError: There are more slices than elements, and the size is fixed.
        """
        values = API["unstack"](value)
        if len(values) > len(self._elements) and not self._dynamic:
            raise ValueError(
                f"Cannot unstack {len(values)} tensors into a TensorArray of static size "
                f"{len(self._elements)} "
            )
        self._elements = list(values)
        return self

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """Sets some elements to the slices of a tensor along its first dimension.

        Args:
            indices: Their indices.
            value: A tensor.
            name: A name for the operation.

        Returns:
            The array.
        """
        for i, part in zip(indices, API["unstack"](value)):
            self._set(as_index(i), part)
        return self

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """Sets the elements to parts of a tensor, split along its first dimension.

        Args:
            value: A tensor.
            lengths: The size of each part.
            name: A name for the operation.

        Returns:
            The array.

        Raises:
            InvalidArgumentError: The lengths do not match the tensor or the array.
        """
        value = convert_to_tensor(value, dtype_hint=self._dtype)
        if value.dtype is not self._dtype:
            raise errors.invalid(
                f"TensorArray dtype is {self._dtype.name} but Op is trying to write dtype "
                f"{value.dtype.name} "
            )
        lengths = convert_to_tensor(lengths)
        self._check_lengths(value, lengths)
        self._elements = list(API["split"](value, lengths))
        return self

    def _check_lengths(self, value: Any, lengths: Any) -> None:
        shape, total = value.shape.as_list(), int(lengths._host().sum())
        if lengths.shape.rank != 1:
            raise errors.invalid(
                f"Expected lengths to be a vector, received shape: {lengths.shape.as_list()} "
            )
        if not shape:
            raise errors.invalid(
                f"Expected value to be at least a vector, but received shape: {shape} "
            )
        if total != shape[0]:
            raise errors.invalid(
                "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is "
                f"{total} and value's shape is: {shape} "
            )
        if not self._dynamic and static_size(lengths.shape, 0) != len(self._elements):
            raise errors.invalid(
                "TensorArray's size is not equal to the size of lengths "
                f"({len(self._elements)} vs. {static_size(lengths.shape, 0)}), and the TensorArray is not marked as "
                "dynamically resizeable."
            )

    def size(self, name: str | None = None) -> Any:
        """Returns the number of elements.

        Args:
            name: A name for the operation.

        Returns:
            An int32 scalar.
        """
        return constant(len(self._elements))

    def close(self, name: str | None = None) -> None:
        """Releases the elements.

        Args:
            name: A name for the operation.
        """
        self._elements.clear()


# Type specs.


class TensorArraySpec(TypeSpec):
    """The type spec of a ``tf.TensorArray``.

    Args:
        element_shape: The shape of the elements, or None.
        dtype: Their dtype.
        dynamic_size: Whether writes beyond the end grow the array.
        infer_shape: Whether all elements have the same shape.
    """

    __module__ = "twinflow"

    __slots__ = ("_fields",)

    def __init__(
        self,
        element_shape: Any = None,
        dtype: Any = dtypes.float32,
        dynamic_size: bool = False,
        infer_shape: bool = True,
    ) -> None:
        self._fields = TensorShape(element_shape), as_dtype(dtype), dynamic_size, infer_shape

    @classmethod
    def from_value(cls, value: Any) -> TensorArraySpec:
        """Returns the type spec of an array.

        Args:
            value: A ``tf.TensorArray``.

        Raises:
            TypeError: It is no ``tf.TensorArray``.
        """
        if not isinstance(value, TensorArray):
            raise TypeError(f"Expected value to be a TensorArray, but got: `{type(value)}`")
        return cls(value.element_shape, value.dtype, value.dynamic_size, value._infer_shape)

    @property
    def value_type(self) -> type:
        """``tf.TensorArray``."""
        return TensorArray

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """True if an array or another spec is compatible with this spec.

        Args:
            spec_or_value: An array or a type spec.
        """
        of_array = isinstance(spec_or_value, TensorArray)
        return super().is_compatible_with(
            self.from_value(spec_or_value) if of_array else spec_or_value
        )

    def _serialize(self) -> tuple[Any, ...]:
        return self._fields


TensorArray.spec_of = TensorArraySpec.from_value


# Tensor arrays in graphs, backed by tensor lists: each write returns a new list.


def assert_of_graphs(array: TensorArray) -> TensorArray:
    """Returns a tensor array; raises NotImplementedError if it was made in eager execution."""
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
        array = self.with_flow(self._flow)
        array._element_shape = other._element_shape
        return array

    def _count(self) -> int:
        """Returns the static number of elements, -1 where it is unknown or dynamic."""
        size = array_of(self._size) if isinstance(self._size, Tensor) else self._size
        return -1 if size is None or self._dynamic else int(size)

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
        with _named(name, "") if name else nullcontext():
            result = parts.gather_list(self._flow, indices, self._sizes(), self._dtype)
        if self._element_shape.rank is not None:
            result.set_shape([None, *self._element_shape.as_list()])
        return result

    def concat(self, name: str | None = None) -> Any:
        """Returns all elements concatenated; see ``tf.TensorArray.concat``."""
        with _named(name, "") if name else nullcontext():
            result = parts.concat_list(self._flow, self._sizes(), [], self._dtype)[0]
        if self._element_shape.rank is not None:
            result.set_shape([None, *self._element_shape.as_list()[1:]])
        return result

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
        function = getattr(GraphTensorArray, name) if isinstance(self, GraphTensorArray) else eager
        return function(self, *args, **kwargs)

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
