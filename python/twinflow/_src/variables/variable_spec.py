"""The type spec of variables, as components of composite tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twinflow._src.core import dtypes
from twinflow._src.core.specs import DenseSpec, TensorSpec
from twinflow._src.variables.variable import BaseResourceVariable, ResourceVariable, variable_over


class VariableSpec(DenseSpec):
    """The shape and dtype of a variable.

    Args:
        shape: A value that ``tf.TensorShape`` takes.
        dtype: The dtype of the elements.
        trainable: Whether optimizers train the variable.
        alias_id: A number that variables with the same state share, or None.
    """

    __slots__ = ("alias_id", "trainable")

    _is_component = True

    def __init__(
        self,
        shape: Any,
        dtype: Any = dtypes.float32,
        trainable: Any = True,
        alias_id: int | None = None,
    ) -> None:
        super().__init__(shape, dtype)
        self.trainable, self.alias_id = trainable, alias_id

    @classmethod
    def from_value(cls, value: BaseResourceVariable) -> VariableSpec:
        """Returns the spec of a variable.

        Args:
            value: The variable.
        """
        return cls(value.shape, value.dtype, value.trainable)

    @property
    def value_type(self) -> type:
        """The class of variables."""
        return ResourceVariable

    @property
    def _component_specs(self) -> list[TensorSpec]:
        return [TensorSpec([], dtypes.resource)]

    def _serialize(self) -> tuple[Any, ...]:
        return self.shape, self.dtype, self.trainable, self.alias_id

    def _to_components(self, value: Any) -> list[Any]:
        return [value.handle]

    def _from_components(self, parts: Sequence[Any]) -> Any:
        return variable_over(parts[0].resource, self.shape)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Returns True if some variable matches both this and another spec or variable."""
        if isinstance(spec_or_value, BaseResourceVariable):
            spec_or_value = VariableSpec.from_value(spec_or_value)
        return super().is_compatible_with(spec_or_value)

    def __repr__(self) -> str:
        return (
            f"VariableSpec(shape={self.shape}, dtype={self.dtype!r}, trainable={self.trainable!r}, "
            f"alias_id={self.alias_id!r})"
        )
