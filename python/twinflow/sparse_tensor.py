"""SparseTensor: a tensor given by the elements that are not zero."""

from __future__ import annotations

from typing import Any

from .constant import convert_to_tensor
from .convert import unsupported
from .dtypes import DType, as_dtype, int64
from .op import API
from .shapes import TensorShape


class SparseTensor:
    """A tensor given by the elements that are not zero.

    Args:
        indices: An int64 matrix, a row for each element.
        values: The elements, a vector.
        dense_shape: The shape, an int64 vector.

    Raises:
        ValueError: The shapes of the three do not fit.
    """

    __array_priority__ = 100

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        self._indices = convert_to_tensor(indices, dtype=int64)
        self._values = convert_to_tensor(values)
        self._dense_shape = convert_to_tensor(dense_shape, dtype=int64)
        for part, rank in ((self._indices, 2), (self._values, 1), (self._dense_shape, 1)):
            if part.shape.rank != rank:
                raise ValueError(f"Shape {part.shape} must have rank {rank}")
        count, depth = self._indices.shape.as_list()
        for a, b in ((count, self._values.shape[0]), (depth, self._dense_shape.shape[0])):
            if a != b:
                raise ValueError(f"Dimensions {a} and {b} are not compatible")

    @property
    def indices(self) -> Any:
        """Where the elements lie, an int64 matrix."""
        return self._indices

    @property
    def values(self) -> Any:
        """The elements, a vector."""
        return self._values

    @property
    def dense_shape(self) -> Any:
        """The shape, an int64 vector."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return TensorShape(self._dense_shape._host().tolist())

    def get_shape(self) -> TensorShape:
        """The static shape."""
        return self.shape

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._values.dtype

    def with_values(self, new_values: Any) -> SparseTensor:
        """Returns a sparse tensor with other elements at the same places.

        Args:
            new_values: As many values.

        Returns:
            A sparse tensor.
        """
        return SparseTensor(self._indices, new_values, self._dense_shape)

    def consumers(self) -> list[Any]:
        """Returns nothing: values that are computed at once have no consumers."""
        return []

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Undefined for tensors that have a value."""
        raise NotImplementedError(
            "eval is not supported when eager execution is enabled, is .numpy() what you're looking for?"
        )

    def __repr__(self) -> str:
        return (
            f"SparseTensor(indices={self._indices!s}, values={self._values!s}, "
            f"dense_shape={self._dense_shape!s})"
        )

    def _printed(self, summarize: int) -> bytes:
        """How ``tf.print`` shows it."""
        from .ops.printing import summarized

        parts = [
            summarized(x._host(), x.dtype, summarize)
            for x in (self._indices, self._values, self._dense_shape)
        ]
        return b"'SparseTensor(indices=%s, values=%s, shape=%s)'" % tuple(parts)

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        raise unsupported(self)

    def __mul__(self, other: Any) -> Any:
        return self._with_dense("multiply", other)

    def __truediv__(self, other: Any) -> Any:
        return self._with_dense("truediv", other)

    def _with_dense(self, function: str, other: Any) -> SparseTensor:
        """An operation with the elements of a dense tensor, broadcast, at the same places."""
        other = convert_to_tensor(other, dtype_hint=self.dtype)
        if other.shape.rank:
            other = API["gather_nd"](API["broadcast_to"](other, self.shape), self._indices)
        return self.with_values(API[function](self._values, other))


class SparseTensorSpec:
    """The shape and type of a sparse tensor that is not there yet.

    Args:
        shape: The shape, possibly not fully known.
        dtype: The type of the elements.
    """

    def __init__(self, shape: Any = None, dtype: Any = "float32") -> None:
        self._shape, self._dtype = TensorShape(shape), as_dtype(dtype)

    @property
    def shape(self) -> TensorShape:
        """The shape."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._dtype

    @property
    def value_type(self) -> type:
        """The class of the values that this describes."""
        return SparseTensor

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, SparseTensorSpec)
            and self._dtype is other._dtype
            and self._shape._dims == other._shape._dims
        )

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype))

    def __repr__(self) -> str:
        return f"SparseTensorSpec({self._shape!r}, {self._dtype!r})"
