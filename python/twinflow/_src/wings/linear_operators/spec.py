"""Type specs of linear operators: operators as composite tensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.specs import TensorSpec, TypeSpec
from twinflow._src.core.tensor import Tensor
from twinflow._src.variables.variable import BaseResourceVariable
from twinflow._src.variables.variable_spec import VariableSpec
from twinflow._src.wings.linear_operators.shapes import static_of

HINTS = ("is_non_singular", "is_self_adjoint", "is_positive_definite", "is_square")


class LinearOperatorSpec(TypeSpec):
    """Base class of the type specs of linear operators.

    Args:
        param_specs: The specs of the tensors and operators among the parameters, by name.
        non_tensor_params: The other parameters, by name.
        prefer_static_fields: The names of parameters that are no components where they are known.
    """

    __slots__ = ("_non_tensor_params", "_param_specs", "_prefer_static_fields")

    _operator: type

    def __init__(
        self,
        param_specs: dict[str, Any],
        non_tensor_params: dict[str, Any],
        prefer_static_fields: Sequence[str] = (),
    ) -> None:
        self._param_specs = param_specs
        self._non_tensor_params = non_tensor_params
        self._prefer_static_fields = tuple(prefer_static_fields)

    @classmethod
    def from_operator(cls, operator: Any) -> LinearOperatorSpec:
        """Returns the spec of an operator."""
        static = operator._composite_tensor_prefer_static_fields
        specs, others = {}, {}
        for name, value in parameters_of(operator):
            value = _static_if_known(value) if name in static else value
            spec = _spec_of(value)
            if spec is None:
                others[name] = value
            else:
                specs[name] = spec
        return cls(specs, others, static)

    @property
    def value_type(self) -> type:
        """The class of the operators."""
        return self._operator

    def _serialize(self) -> tuple[Any, ...]:
        return self._param_specs, self._non_tensor_params, self._prefer_static_fields

    @property
    def _component_specs(self) -> dict[str, Any]:
        return self._param_specs

    def _to_components(self, value: Any) -> Any:
        values = dict(parameters_of(value))
        return {name: values[name] for name in self._param_specs}

    def _from_components(self, components: Any) -> Any:
        return self._operator(**components, **self._non_tensor_params)


def parameters_of(operator: Any) -> Iterator[tuple[str, Any]]:
    """Yields the names and values of the fields that make up an operator, then of its hints."""
    for name in operator._composite_tensor_fields:
        yield (
            name,
            getattr(operator, name) if hasattr(operator, name) else getattr(operator, f"_{name}"),
        )
    for name in HINTS:
        yield name, getattr(operator, name)


def _static_if_known(value: Any) -> Any:
    """Returns sizes as Python values where they are known."""
    static = static_of(value) if isinstance(value, Tensor) else value
    if isinstance(static, Tensor) or static is None or isinstance(static, (int, TensorShape)):
        return static
    return int(static) if static.ndim == 0 else TensorShape(list(static))


def _spec_of(value: Any) -> Any:
    """Returns the spec of a tensor, an operator or a list of operators; None for other values."""
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype)
    spec = getattr(value, "_type_spec", None)
    if isinstance(spec, TypeSpec):
        return spec
    if isinstance(value, (list, tuple)) and value:
        specs = [_spec_of(item) for item in value]
        return None if None in specs else specs
    if isinstance(value, BaseResourceVariable):
        return VariableSpec.from_value(value)
    if hasattr(value, "shape") and hasattr(value, "dtype") and hasattr(value, "assign"):
        return TensorSpec(value.shape, value.dtype)
    return None


def make_composite_tensor(cls: Any, module_name: str = "tf.linalg") -> Any:
    """Makes a class of linear operators a composite tensor.

    Args:
        cls: A class whose ``_composite_tensor_fields`` are its parameters.
        module_name: The public module, for the name of the spec.

    Returns:
        The class.
    """
    spec = type(f"{cls.__name__}Spec", (LinearOperatorSpec,), {"__slots__": (), "_operator": cls})
    spec.__module__ = cls.__module__
    cls._type_spec = property(spec.from_operator)  # type: ignore[attr-defined]
    return cls
