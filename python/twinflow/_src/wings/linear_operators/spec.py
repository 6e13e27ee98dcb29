"""Operators as composite tensors: their type specs, and slices of their batch dimensions."""

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


# ------------------------------------------------------------------ slices of the batch dimensions of linear operators


def slice_operator(operator: Any, slices: Any) -> Any:
    """Returns an operator of a slice of the batch."""
    parts = slices if isinstance(slices, tuple) else (slices,)
    rank = operator.shape.rank
    if rank is None:
        raise ValueError("Cannot slice a linear operator of unknown rank.")
    return _sliced(operator, parts, operator.shape._dims[:-2])


def _sliced(operator: Any, parts: tuple[Any, ...], batch: tuple[Any, ...]) -> Any:
    """Slices the parameters of an operator that broadcasts to a batch shape."""
    arguments = dict(operator.parameters)
    for name, ndims in operator._experimental_parameter_ndims_to_matrix_ndims.items():
        value = getattr(operator, name, arguments.get(name))
        if value is not None:
            arguments[name] = _slice_parameter(value, ndims, parts, batch)
    for name in HINTS:
        if name in arguments:
            arguments[name] = getattr(operator, name)
    if "batch_shape" in arguments:
        arguments["batch_shape"] = _slice_shape(operator.batch_shape, parts)
    return type(operator)(**arguments)


def _slice_parameter(value: Any, ndims: Any, parts: tuple[Any, ...], batch: tuple[Any, ...]) -> Any:
    if isinstance(ndims, (list, tuple)):
        return [_slice_parameter(v, n, parts, batch) for v, n in zip(value, ndims)]
    if hasattr(value, "_is_linear_operator"):
        return _sliced(value, parts, batch)
    if isinstance(value, (list, tuple)):
        return [_slice_parameter(v, ndims, parts, batch) for v in value]
    return _slice_tensor(value, ndims, parts, batch)


def _slice_tensor(x: Any, ndims: int, parts: tuple[Any, ...], batch: tuple[Any, ...]) -> Any:
    """Slices the batch dimensions of a tensor as if it had been broadcast to the operator's batch."""
    dims = x.shape._dims
    inner = dims[: len(dims) - ndims]
    if not inner:  # one matrix for all
        _expand_ellipsis(parts, len(batch))
        return x
    first = len(batch) - len(inner)
    subscript: list[Any] = []
    axis = 0
    for part in _expand_ellipsis(parts, len(batch)):
        if axis >= first:
            is_broadcast = part is not None and inner[axis - first] == 1 and batch[axis] != 1
            subscript.append(
                (slice(None) if isinstance(part, slice) else 0) if is_broadcast else part
            )
        axis += part is not None
    return x[(*subscript, ...)] if subscript else x


def _expand_ellipsis(parts: tuple[Any, ...], rank: int) -> tuple[Any, ...]:
    """Returns a subscript with a part for each batch dimension."""
    used = sum(part is not None and part is not Ellipsis for part in parts)
    if used > rank:
        raise ValueError(
            f"Too many indices: the batch of the operator has {rank} dimensions, but {used} were "
            "indexed."
        )
    rest = (slice(None),) * (rank - used)
    place = next((i for i, part in enumerate(parts) if part is Ellipsis), len(parts))
    return parts[:place] + rest + parts[place + 1 :]


def _slice_shape(shape: Any, parts: tuple[Any, ...]) -> list[int]:
    """Returns the batch shape of a slice."""
    result, axis = [], 0
    for part in _expand_ellipsis(parts, shape.rank):
        if part is None:
            result.append(1)
            continue
        if isinstance(part, slice):
            stops = [
                v if not isinstance(v, Tensor) else int(v)
                for v in (part.start, part.stop, part.step)
            ]
            result.append(len(range(*slice(*stops).indices(shape[axis]))))
        axis += 1
    return result
