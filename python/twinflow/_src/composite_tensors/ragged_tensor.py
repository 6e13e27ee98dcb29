"""RaggedTensor and RaggedTensorSpec: tensors whose rows have different lengths.

The elements are stored contiguously in ``values``; row ``i`` is ``values[splits[i]:splits[i +
1]]``. Values may themselves be ragged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from twinflow._src.composite_tensors.ragged_factories import Rows
from twinflow._src.composite_tensors.row_partition import RowPartition
from twinflow._src.conversion.constant import convert_to_tensor, not_one_tensor
from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import DType, as_dtype, int64
from twinflow._src.core.shapes import TensorShape, static_size
from twinflow._src.core.specs import BatchableTypeSpec
from twinflow._src.core.tensor import EagerTensor, Tensor
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.signature_errors import dispatched
from twinflow._src.wings.ragged.values import Converted, positive_axis

# RaggedTensor.


def _format_rows(x: Any) -> str:
    if isinstance(x, np.ndarray):
        return np.array2string(x, separator=", ") if x.size else repr(x.tolist())
    return str(x)


class RaggedTensor(Converted, Rows):
    """Tensor whose rows have different lengths; created by the ``from_...`` class methods.

    Args:
        values: The elements of all rows, a tensor or RaggedTensor.
        row_partition: The partition into rows.
        internal: True if the caller has validated both.

    Raises:
        ValueError: The constructor is called by user code.
    """

    __module__ = "twinflow"

    _counts_as_tensor = True

    __array_priority__ = 100
    # Programs attach attributes, for instance Keras its masks.
    __slots__ = ("__dict__", "__weakref__", "_partition", "_values")

    def __init__(self, values: Any, row_partition: Any, internal: bool = False) -> None:
        if not internal:
            raise ValueError(
                "RaggedTensor constructor is private; please use one of the factory methods instead "
                "(e.g., RaggedTensor.from_row_lengths())"
            )
        self._values, self._partition = values, row_partition

    @classmethod
    def _of(cls, values: Any, splits: Any, uniform: int | None = None) -> RaggedTensor:
        """Returns a ragged tensor of values and valid row splits."""
        return cls(values, RowPartition._of(splits, uniform), internal=True)

    # ---------------------------------------------------------------- properties
    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._values.dtype

    @property
    def values(self) -> Any:
        """The elements of all rows: a tensor, or a RaggedTensor of one dimension less."""
        return self._values

    @property
    def flat_values(self) -> Any:
        """The innermost values: a tensor."""
        return self._values.flat_values if isinstance(self._values, RaggedTensor) else self._values

    @property
    def row_splits(self) -> Any:
        """The row splits: offsets of the rows in ``values``."""
        return self._partition._splits

    _splits = row_splits

    @property
    def _partitions(self) -> tuple[Any, ...]:
        """The row partitions of all ragged dimensions, outermost first."""
        inner = self._values._partitions if isinstance(self._values, RaggedTensor) else ()
        return (self._partition, *inner)

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The row splits of all ragged dimensions, outermost first."""
        inner = self._values.nested_row_splits if isinstance(self._values, RaggedTensor) else ()
        return (self._splits, *inner)

    @property
    def ragged_rank(self) -> int:
        """The number of ragged dimensions."""
        return 1 + (self._values.ragged_rank if isinstance(self._values, RaggedTensor) else 0)

    @property
    def uniform_row_length(self) -> Any:
        """The length of all rows if statically uniform, else None."""
        return self._partition.uniform_row_length()

    @property
    def shape(self) -> TensorShape:
        """The shape, with None for ragged dimensions."""
        below = self._values.shape
        if below.rank is None:
            return TensorShape(None)
        return TensorShape([self._count(), self._partition._uniform, *below.as_list()[1:]])

    def get_shape(self) -> TensorShape:
        """Returns the shape, with None for ragged dimensions."""
        return self.shape

    @property
    def _type_spec(self) -> Any:

        return RaggedTensorSpec.from_value(self)

    @property
    def _differentiated(self) -> Any:
        return self.flat_values

    def _with_differentiated(self, gradient: Any) -> Any:
        return self.with_flat_values(gradient)

    def _count(self) -> Any:
        splits = self._splits.shape
        count = static_size(splits, 0)
        return None if count is None else count - 1

    def _lengths(self) -> np.ndarray[Any, Any]:
        return np.diff(self._splits._host())

    def nrows(self, out_type: Any = None, name: str | None = None) -> Any:
        """Returns the number of rows.

        Args:
            out_type: int32 or int64.
            name: A name for the op.

        Returns:
            An integer scalar.
        """
        count, dtype = (
            self._count(),
            self._splits.dtype if out_type is None else as_dtype(out_type),
        )
        if count is None:
            return API["cast"](API["shape"](self._splits)[0] - 1, dtype)
        return API["cast"](convert_to_tensor(count, dtype=self._splits.dtype), dtype)

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """Returns the lengths of the rows.

        Args:
            axis: The ragged dimension.
            name: A name for the op.

        Returns:
            An integer vector, or a ragged tensor of lengths for a dimension further in.
        """
        if type(axis) is not int and np.size(axis) == 1 and np.asarray(axis).dtype.kind in "iuf":
            axis = int(np.asarray(axis).item())
        axis = positive_axis(axis, self.ragged_rank + self.flat_values.shape.rank)
        if axis > 1 and not isinstance(self._values, RaggedTensor):
            size = static_size(self._values.shape, axis - 1)
            return self.with_values(API["fill"]([static_size(self._values.shape, 0)], size))
        if axis > 1:
            return self.with_values(self._values.row_lengths(axis - 1))
        return self._partition.row_lengths() if axis else self.nrows()

    def row_starts(self, name: str | None = None) -> Any:
        """Returns the offsets of the starts of rows in ``values``.

        Args:
            name: A name for the op.

        Returns:
            An integer vector.
        """
        return self._splits[:-1]

    def row_limits(self, name: str | None = None) -> Any:
        """Returns the offsets of the ends of rows in ``values``.

        Args:
            name: A name for the op.

        Returns:
            An integer vector.
        """
        return self._splits[1:]

    def value_rowids(self, name: str | None = None) -> Any:
        """Returns the row index of each element of ``values``.

        Args:
            name: A name for the op.

        Returns:
            An integer vector.
        """
        return self._partition.value_rowids()

    def nested_row_lengths(self, name: str | None = None) -> tuple[Any, ...]:
        """Returns the row lengths of all ragged dimensions.

        Args:
            name: A name for the op.

        Returns:
            Integer vectors, the outermost first.
        """
        return tuple(splits[1:] - splits[:-1] for splits in self.nested_row_splits)

    def nested_value_rowids(self, name: str | None = None) -> tuple[Any, ...]:
        """Returns the row index of each element, for all ragged dimensions.

        Args:
            name: A name for the op.

        Returns:
            Integer vectors, the outermost first.
        """
        inner = self._values.nested_value_rowids() if isinstance(self._values, RaggedTensor) else ()
        return (self.value_rowids(), *inner)

    def bounding_shape(
        self, axis: Any = None, name: str | None = None, out_type: Any = None
    ) -> Any:
        """Returns the shape of the smallest dense tensor that contains all rows.

        Args:
            axis: A dimension or a list of dimensions; all if None.
            name: A name for the op.
            out_type: int32 or int64.

        Returns:
            An integer vector, or a scalar for one dimension.
        """
        sizes = convert_to_tensor(self._bounds(), dtype=out_type or self._splits.dtype)
        return sizes if axis is None else API["gather"](sizes, axis)

    def _bounds(self) -> list[int]:
        lengths = self._lengths()
        longest = int(lengths.max()) if lengths.size else 0
        inner = self._values
        rest = inner._bounds()[1:] if isinstance(inner, RaggedTensor) else inner.shape.as_list()[1:]
        return [self._count(), longest, *rest]

    def consumers(self) -> list[Any]:
        """Returns the ops that consume the components, in a graph."""
        operations: list[Any] = self._type_spec._consumers(self)
        return operations

    def __repr__(self) -> str:
        if not all(
            isinstance(part, EagerTensor) for part in (self.flat_values, *self.nested_row_splits)
        ):
            return f"tf.RaggedTensor(values={self._values!s}, row_splits={self._splits!s})"
        with np.printoptions(formatter={"all": _format_rows}):
            return f"<tf.RaggedTensor {_format_rows(self.numpy())}>"

    def _set_shape(self, shape: Any) -> None:
        """Refines the static shape; that of eager values is already complete, so only checks it."""
        self.shape.assert_is_compatible_with(shape)

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        raise not_one_tensor(
            self, dtype, ValueError("TypeError: object of type 'RaggedTensor' has no len()\n")
        )

    # ---------------------------------------------------------------- Python protocols
    def __hash__(self) -> int:
        graph = getattr(self.flat_values, "graph", None)
        if graph is None or graph.building_function:
            raise TypeError("RaggedTensor is unhashable.")
        return id(self)

    def __bool__(self) -> bool:
        raise TypeError("RaggedTensor may not be used as a boolean.")

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(self._count()))

    def __getitem__(self, key: Any) -> Any:
        from twinflow._src.wings.ragged.indexing import getitem

        return getitem(self, key)


def _belong(*classes: type) -> None:
    """Sets qualified names for error messages, and dispatches class methods like functions."""
    for cls in classes:
        for name, member in list(vars(cls).items()):
            function = getattr(member, "__func__", member)
            if isinstance(function, FunctionType):
                function.__qualname__ = f"RaggedTensor.{name}"
            if isinstance(member, classmethod) and not name.startswith("_"):
                setattr(cls, name, classmethod(dispatched(function)))


_belong(Converted, Rows)


# RaggedTensorSpec.


class RaggedTensorSpec(BatchableTypeSpec):
    """Type specification of a RaggedTensor.

    Args:
        shape: The shape, with None for ragged dimensions.
        dtype: The dtype of the elements.
        ragged_rank: The number of ragged dimensions; all but the first if None.
        row_splits_dtype: int32 or int64.
        flat_values_spec: The spec of the innermost values, or None.
    """

    __module__ = "twinflow"

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        ragged_rank: int | None = None,
        row_splits_dtype: Any = int64,
        flat_values_spec: Any = None,
    ) -> None:
        self._shape = TensorShape(shape)
        self._row_splits_dtype, self._flat = as_dtype(row_splits_dtype), flat_values_spec
        if dtype is None and flat_values_spec is None:
            raise ValueError("At least one of dtype or flat_values_spec must be provided")
        self._dtype = as_dtype(flat_values_spec.dtype if dtype is None else dtype)
        rank = self._shape.rank
        if ragged_rank is None:
            if rank is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = rank - 1
        if not isinstance(ragged_rank, int):
            raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank}.")
        if rank is not None and ragged_rank >= rank:
            raise ValueError(
                f"Argument `ragged_rank` ({ragged_rank}) must be less than rank ({rank})."
            )
        self._ragged_rank = ragged_rank

    @classmethod
    def from_value(cls, value: Any) -> RaggedTensorSpec:
        """Returns the spec of a RaggedTensor.

        Args:
            value: A RaggedTensor.
        """
        dtype = value.flat_values.dtype
        return cls(value.shape, dtype, value.ragged_rank, value.row_splits.dtype)

    @property
    def shape(self) -> TensorShape:
        """The shape."""
        return self._shape

    @property
    def dtype(self) -> dtypes.DType:
        """The dtype of the elements."""
        return self._dtype

    @property
    def ragged_rank(self) -> int:
        """The number of ragged dimensions."""
        return self._ragged_rank

    @property
    def row_splits_dtype(self) -> dtypes.DType:
        """The dtype of the row splits."""
        return self._row_splits_dtype

    @property
    def value_type(self) -> type:
        """The Python type of values compatible with the spec."""
        return RaggedTensor if self._ragged_rank > 0 else Tensor

    @property
    def flat_values_spec(self) -> Any:
        """The spec of the innermost values, if given, else None."""
        return self._flat

    def _serialize(self) -> tuple[Any, ...]:
        parts = (self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype)
        return parts if self._flat is None else (*parts, self._flat)

    def _to_components(self, value: Any) -> list[Any]:
        if not isinstance(value, RaggedTensor):
            return [value]
        return [value.flat_values, *value.nested_row_splits]

    def _from_components(self, parts: Sequence[Any]) -> Any:
        result, *nested = parts
        sizes = [None] * (len(nested) + 1) if self._shape.rank is None else self._shape.as_list()
        for splits, size in zip(reversed(nested), reversed(sizes[1 : len(nested) + 1])):
            result = RaggedTensor._of(result, splits, size)
        return result

    def _batch(self, batch_size: Any) -> RaggedTensorSpec:
        shape = TensorShape([batch_size]).concatenate(self._shape)
        return RaggedTensorSpec(shape, self._dtype, self._ragged_rank + 1, self._row_splits_dtype)

    def _unbatch(self) -> RaggedTensorSpec:
        rank = self._ragged_rank - 1
        return RaggedTensorSpec(self._shape[1:], self._dtype, rank, self._row_splits_dtype)
