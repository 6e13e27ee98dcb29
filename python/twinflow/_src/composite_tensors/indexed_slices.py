"""IndexedSlices and IndexedSlicesSpec, and gradients of composite tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import substitute, thread
from twinflow._src.core.dtypes import DType, as_dtype, int64
from twinflow._src.core.shapes import UNKNOWN, TensorShape, static_sizes
from twinflow._src.core.specs import TensorSpec, TypeSpec
from twinflow._src.core.tensor import EagerTensor, Tensor
from twinflow._src.dispatch.execute import COMPOSITES
from twinflow._src.dispatch.op import API, Op
from twinflow._src.dispatch.registry import Call
from twinflow._src.graph.static_values import known_value

# IndexedSlices.


class IndexedSlices:
    """Sparse rows of a larger tensor: ``dense[indices[i]] = values[i]``, all other rows zero.

    Args:
        values: The rows.
        indices: Their indices, integers of rank 1; may contain duplicates.
        dense_shape: The dense shape, or None.
    """

    __module__ = "twinflow"

    _counts_as_tensor = True

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self._values, self._indices, self._dense_shape = values, indices, dense_shape

    @property
    def values(self) -> Any:
        """The rows."""
        return self._values

    @property
    def indices(self) -> Any:
        """The indices of the rows."""
        return self._indices

    @property
    def dense_shape(self) -> Any:
        """The dense shape, or None."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The static dense shape."""
        if self._dense_shape is None:
            return TensorShape(None)
        self._dense_shape.get_shape()  # fails if it is not a tensor
        sizes: Any = known_value(self._dense_shape)
        return TensorShape(None if sizes is UNKNOWN else list(sizes))

    @property
    def _type_spec(self) -> IndexedSlicesSpec:
        indices_shape = self._indices.shape.merge_with(self._values.shape[:1])
        shape = TensorShape([None]).concatenate(self._values.shape[1:])
        whole = None
        if self._dense_shape is not None:
            whole, shape = self._dense_shape.dtype, shape.merge_with(self.shape)
        return IndexedSlicesSpec(shape, self.dtype, self._indices.dtype, whole, indices_shape)

    @property
    def dtype(self) -> DType:
        """The dtype of the rows."""
        return self._values.dtype

    @property
    def device(self) -> str:
        """The device of the rows."""
        return self._values.device

    @property
    def name(self) -> str:
        """The name of the tensor of rows."""
        return self._values.name

    @property
    def op(self) -> Any:
        """The op that produces the rows, in a graph."""
        return self._values.op

    @property
    def graph(self) -> Any:
        """The graph of the rows."""
        return self._values.graph

    def consumers(self) -> list[Any]:
        """Returns the ops that consume the components, in a graph."""
        return self._type_spec._consumers(self)

    def __str__(self) -> str:
        shape = "" if self._dense_shape is None else f", dense_shape={self._dense_shape!s}"
        return f"IndexedSlices(indices={self._indices!s}, values={self._values!s}{shape})"

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(-self._values, self._indices, self._dense_shape)

    def __tf_tensor__(self, dtype: DType | None = None, name: str | None = None) -> Any:
        if dtype is not None and dtype is not self.dtype:
            raise ValueError(
                f"Incompatible tensor conversion requested to `dtype` {dtype.name} for IndexedSlices "
                f"({self}) with dtype {self.dtype.name}"
            )
        if self._dense_shape is None:
            raise ValueError(
                "Tensor conversion requested for IndexedSlices for argument "
                f"`{name or 'value'}` without dense_shape: {self}"
            )
        rows = convert_to_tensor(self._dense_shape)[0]
        return API["math.unsorted_segment_sum"](self._values, self._indices, rows)


def _tensor(value: Any) -> Any:
    return value if isinstance(value, Tensor) else convert_to_tensor(value)


class IndexedSlicesSpec(TypeSpec):
    """Type specification of IndexedSlices.

    Args:
        shape: The dense shape.
        dtype: The dtype of the rows.
        indices_dtype: The dtype of the indices.
        dense_shape_dtype: The dtype of the dense shape tensor; None if there is none.
        indices_shape: The shape of the indices.
    """

    __module__ = "twinflow"

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = "float32",
        indices_dtype: Any = int64,
        dense_shape_dtype: Any = None,
        indices_shape: Any = None,
    ) -> None:
        whole = None if dense_shape_dtype is None else as_dtype(dense_shape_dtype)
        self._parts = (
            TensorShape(shape),
            as_dtype(dtype),
            as_dtype(indices_dtype),
            whole,
            TensorShape(indices_shape).with_rank(1),
        )

    @property
    def value_type(self) -> type:
        """The Python type of values compatible with the spec."""
        return IndexedSlices

    def _serialize(self) -> tuple[Any, ...]:
        return self._parts

    @property
    def _component_specs(self) -> tuple[TensorSpec, ...]:
        """The specs of the rows, the indices and, if any, the dense shape."""
        shape, dtype, indices_dtype, whole, indices_shape = self._parts
        rows = None if shape._dims is None else [*static_sizes(indices_shape), *shape._dims[1:]]
        specs = TensorSpec(rows, dtype), TensorSpec(indices_shape, indices_dtype)
        return specs if whole is None else (*specs, TensorSpec([shape.rank], whole))

    def _to_components(self, value: Any) -> list[Any]:
        parts = [value.values, value.indices]
        return parts if value.dense_shape is None else [*parts, _tensor(value.dense_shape)]

    def _from_components(self, parts: Sequence[Any]) -> Any:
        return IndexedSlices(*parts)


def _on_values(op: Op, inputs: list[Any], attrs: dict[str, Any]) -> Any:
    """Runs an identity or a cast on the rows alone."""
    if not op.is_identity and not op.by_row:
        return NotImplemented
    (slices,) = inputs
    if op.is_identity:
        slices._type_spec  # noqa: B018 - fails if the components are inconsistent
    values = op.public(slices.values, **attrs)
    return IndexedSlices(values, slices.indices, slices.dense_shape)


COMPOSITES[IndexedSlices] = _on_values


# Gradients of composite tensors.


def is_extension(value: Any) -> bool:
    """True for an ExtensionType, which has no gradient."""
    return hasattr(type(value), "_fields_of")


def differentiated(value: Any) -> Any:
    """Returns the tensor to differentiate: the values of a ragged or sparse tensor, else the value.

    For objects of libraries that act as a variable it is the variable; in the gradient function of
    a copied operation, the copy of a tensor.
    """
    if type(value) is EagerTensor:
        return value
    value = substitute(value)
    if is_extension(value):
        name = type(value).__name__
        raise ValueError(f"Type {name} is not supported as a gradient source or gradient target.")
    inner = getattr(value, "_differentiated", None)
    if inner is not None:
        return inner
    return value.handle.variable() if hasattr(value, "_should_act_as_resource_variable") else value


def like(value: Any, gradient: Any) -> Any:
    """Returns the gradient of a value, from that of its differentiated tensor.

    Restores the composite type.
    """
    if gradient is None or type(value) is EagerTensor:
        return gradient
    make = getattr(value, "_with_differentiated", None)
    return gradient if make is None else make(gradient)


def dense_where_needed(
    call: Call, gradients: Sequence[Any], is_tracked: Callable[[Any], bool]
) -> Sequence[Any]:
    """Converts upstream IndexedSlices to tensors unless the op's gradient function accepts them."""
    if call.op.slices is True:
        return gradients
    if call.op.slices == "unreduced":
        y = call.inputs[1]
        if thread.scope.graph is not None or (y.shape.rank == 0 and not is_tracked(y)):
            return gradients
    return [convert_to_tensor(g) if type(g) is IndexedSlices else g for g in gradients]
