"""``TensorArraySpec``: what is known of an array of tensors."""

from __future__ import annotations

from typing import Any

from twinflow._src.control_flow.tensor_array import TensorArray
from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import as_dtype
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.type_spec import TypeSpec


class TensorArraySpec(TypeSpec):
    """The type of a ``tf.TensorArray``.

    Args:
        element_shape: The shape of the elements, or None.
        dtype: Their type.
        dynamic_size: Whether writing beyond the end makes the array longer.
        infer_shape: Whether all elements have one shape.
    """

    __module__ = "twinflow"

    __slots__ = ("_fields",)

    def __init__(
        self, element_shape: Any = None, dtype: Any = dtypes.float32, dynamic_size: bool = False, infer_shape: bool = True
    ) -> None:
        self._fields = TensorShape(element_shape), as_dtype(dtype), dynamic_size, infer_shape

    @classmethod
    def from_value(cls, value: Any) -> TensorArraySpec:
        """The type of an array.

        Args:
            value: A ``tf.TensorArray``.

        Raises:
            TypeError: It is none.
        """
        if not isinstance(value, TensorArray):
            raise TypeError(f"Expected value to be a TensorArray, but got: `{type(value)}`")
        return cls(value.element_shape, value.dtype, value.dynamic_size, value._infer_shape)

    @property
    def value_type(self) -> type:
        """``tf.TensorArray``."""
        return TensorArray

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether an array, or some array of another type, has this type.

        Args:
            spec_or_value: An array or a type.
        """
        of_array = isinstance(spec_or_value, TensorArray)
        return super().is_compatible_with(self.from_value(spec_or_value) if of_array else spec_or_value)

    def _serialize(self) -> tuple[Any, ...]:
        return self._fields


TensorArray.spec_of = TensorArraySpec.from_value
