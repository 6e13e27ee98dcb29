"""The abstract class of values that consist of several tensors."""

from __future__ import annotations

import abc
from typing import Any

from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor


class CompositeTensor(metaclass=abc.ABCMeta):
    """Base class of values that functions, loops and ``tf.nest`` take apart into tensors.

    A subclass has a type spec, whose ``_to_components`` and ``_from_components`` convert its values.
    """

    @property
    @abc.abstractmethod
    def _type_spec(self) -> Any:
        """The type spec of the value."""
        raise NotImplementedError(f"{type(self).__name__}._type_spec()")

    def _shape_invariant_to_type_spec(self, shape: Any) -> Any:
        """Returns the type spec of a loop variable with a shape invariant."""
        raise NotImplementedError(f"{type(self).__name__}._shape_invariant_to_type_spec")

    def _convert_variables_to_tensors(self) -> Any:
        """Returns this value with the values of its variables in their place."""
        return self


CompositeTensor.register(RaggedTensor)
CompositeTensor.register(SparseTensor)
CompositeTensor.register(IndexedSlices)
