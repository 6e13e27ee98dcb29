"""SparseTensor and SparseTensorSpec: tensors in coordinate format."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

from twinflow._src.conversion.constant import convert_to_tensor, not_one_tensor
from twinflow._src.conversion.sequences import unsupported
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import DType, as_dtype, int64
from twinflow._src.core.shapes import TensorShape, static_sizes
from twinflow._src.core.specs import BatchableTypeSpec
from twinflow._src.core.tensor import EagerTensor


class SparseTensorValue(NamedTuple):
    """The value of a sparse tensor, as arrays."""

    indices: Any
    values: Any
    dense_shape: Any


class SparseTensor:
    """Tensor in coordinate format: indices and values of explicit elements.

    Args:
        indices: An int64 matrix, a row per element.
        values: The elements, a vector.
        dense_shape: The dense shape, an int64 vector.

    Raises:
        ValueError: The shapes of the components are inconsistent.
    """

    __module__ = "twinflow"

    __array_priority__ = 100
    _counts_as_tensor = True

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        graph = thread.scope.graph
        with nullcontext() if graph is None else graph.name_scope("SparseTensor"):
            self._indices = convert_to_tensor(indices, dtype=int64, name="indices")
            self._values = convert_to_tensor(values, name="values")
            self._dense_shape = convert_to_tensor(dense_shape, dtype=int64, name="dense_shape")
        self._static = _static_shape(self._dense_shape)
        count, depth = static_sizes(self._indices.shape.with_rank(2))
        (size,) = static_sizes(self._values.shape.with_rank(1))
        (rank,) = static_sizes(self._dense_shape.shape.with_rank(1))
        for a, b in ((count, size), (depth, rank)):
            if a is not None and b is not None and a != b:
                raise ValueError(f"Dimensions {a} and {b} are not compatible")

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """Creates a SparseTensor from a SparseTensor or SparseTensorValue.

        Args:
            sparse_tensor_value: A SparseTensor or SparseTensorValue.

        Returns:
            A SparseTensor with the same components.

        Raises:
            TypeError: The value has another type.
        """
        if not isinstance(sparse_tensor_value, (SparseTensor, SparseTensorValue)):
            raise TypeError(
                f"Argument sparse_tensor_value={sparse_tensor_value} is neither a SparseTensor nor "
                "SparseTensorValue."
            )
        value = sparse_tensor_value
        return cls(value.indices, value.values, value.dense_shape)

    @property
    def indices(self) -> Any:
        """The indices of the elements, an int64 matrix."""
        return self._indices

    @property
    def values(self) -> Any:
        """The elements, a vector."""
        return self._values

    @property
    def dense_shape(self) -> Any:
        """The dense shape, an int64 vector."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._static

    def get_shape(self) -> TensorShape:
        """Returns the static shape."""
        return self._static

    def set_shape(self, shape: Any) -> None:
        """Refines the static shape.

        Args:
            shape: A shape.

        Raises:
            ValueError: It is incompatible with the present static shape.
        """
        self._static = self._static.merge_with(shape)

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._values.dtype

    @property
    def op(self) -> Any:
        """The op that produces the elements, in a graph."""
        return self._values.op

    @property
    def graph(self) -> Any:
        """The graph of the components."""
        return self._indices.graph

    @property
    def _type_spec(self) -> SparseTensorSpec:
        return SparseTensorSpec(self.shape, self.dtype)

    @property
    def _differentiated(self) -> Any:
        return self._values

    def _with_differentiated(self, gradient: Any) -> SparseTensor:
        return self.with_values(gradient)

    def with_values(self, new_values: Any) -> SparseTensor:
        """Returns a SparseTensor with other elements at the same indices.

        Args:
            new_values: The elements, of the same number.

        Returns:
            A SparseTensor.
        """
        return SparseTensor(self._indices, new_values, self._dense_shape)

    def consumers(self) -> list[Any]:
        """Returns the ops that consume the components, in a graph."""
        return self._type_spec._consumers(self)

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Evaluates the tensor in a session; not available for eager tensors.

        Args:
            feed_dict: Values to feed.
            session: The session; the default one if None.

        Raises:
            ValueError: There is no session, or it belongs to another graph.
        """
        from twinflow._src.graph.symbolic import evaluated

        return evaluated(self, feed_dict, session)

    def __repr__(self) -> str:
        return (
            f"SparseTensor(indices={self._indices!s}, values={self._values!s}, "
            f"dense_shape={self._dense_shape!s})"
        )

    def _printed(self, summarize: int) -> bytes:
        """Returns the representation for ``tf.print``."""
        from twinflow._src.ops.strings.print_format import summarized

        parts = [
            summarized(x._host(), x.dtype, summarize)
            for x in (self._indices, self._values, self._dense_shape)
        ]
        return b"'SparseTensor(indices=%s, values=%s, shape=%s)'" % tuple(parts)

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        raise not_one_tensor(self, dtype, unsupported(self))

    def __mul__(self, other: Any) -> Any:
        return self._with_dense("mul", other)

    def __truediv__(self, other: Any) -> Any:
        return self._with_dense("div", other)

    def _with_dense(self, function: str, other: Any) -> SparseTensor:
        """Applies a binary op with a broadcast dense tensor, at the same indices."""
        from twinflow._src.wings.sparse import elementwise as sparse_elementwise

        return sparse_elementwise.with_dense(function, self, other)


def _static_shape(dense_shape: Any) -> TensorShape:
    from twinflow._src.graph.static_values import known_value

    sizes = (
        list(dense_shape.numpy())
        if isinstance(dense_shape, EagerTensor)
        else known_value(dense_shape)
    )
    if not hasattr(sizes, "__len__"):
        return TensorShape(None)
    return TensorShape([None if size is None or size < 0 else size for size in sizes])


class SparseTensorSpec(BatchableTypeSpec):
    """Type specification of a SparseTensor.

    Args:
        shape: The dense shape, possibly partially known.
        dtype: The dtype of the elements.
    """

    __module__ = "twinflow"

    def __init__(self, shape: Any = None, dtype: Any = "float32") -> None:
        self._shape, self._dtype = TensorShape(shape), as_dtype(dtype)

    @classmethod
    def from_value(cls, value: Any) -> SparseTensorSpec:
        """Returns the spec of a SparseTensor.

        Args:
            value: A SparseTensor.

        Raises:
            TypeError: The value has another type.
        """
        if not isinstance(value, SparseTensor):
            raise TypeError(
                f"Expected SparseTensor or SparseTensorValue. Received: {value} of type "
                f"{type(value).__name__}."
            )
        return value._type_spec

    @property
    def shape(self) -> TensorShape:
        """The shape."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._dtype

    @property
    def value_type(self) -> type:
        """The Python type of values compatible with the spec."""
        return SparseTensor

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype

    def _to_components(self, value: Any) -> list[Any]:
        return [value.indices, value.values, value.dense_shape]

    def _from_components(self, parts: Sequence[Any]) -> Any:
        value = SparseTensor(*parts)
        value.set_shape(self._shape)
        return value

    def _batch(self, batch_size: Any) -> SparseTensorSpec:
        return SparseTensorSpec(TensorShape([batch_size]).concatenate(self._shape), self._dtype)

    def _unbatch(self) -> SparseTensorSpec:
        return SparseTensorSpec(self._shape[1:], self._dtype)
