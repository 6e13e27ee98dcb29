"""Specs of values that are tensors, variables and composite tensors of libraries."""

from __future__ import annotations

from typing import Any

from twinflow._src.composite_tensors.component_specs import composite_spec
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import nest, specs
from twinflow._src.variables.variable import BaseResourceVariable
from twinflow._src.variables.variable_spec import VariableSpec


def type_spec_from_value(value: Any) -> Any:
    """Returns the spec of a value; that of a variable is a ``VariableSpec``.

    Args:
        value: A variable, or a value that ``tf.type_spec_from_value`` takes.

    Raises:
        TypeError: The value is not convertible to a tensor.
    """
    if isinstance(value, BaseResourceVariable):
        return VariableSpec.from_value(value)
    return specs.type_spec_from_value(value)


def convert_variables_to_tensors(values: Any) -> Any:
    """Returns a structure with the values of variables in their place, in composite tensors too.

    Args:
        values: A structure.
    """

    def convert(value: Any) -> Any:
        if isinstance(value, BaseResourceVariable):
            return convert_to_tensor(value)
        is_composite = composite_spec(value) is not None
        inner = getattr(value, "_convert_variables_to_tensors", None) if is_composite else None
        return value if inner is None else inner()

    return nest.map_structure(convert, values)
