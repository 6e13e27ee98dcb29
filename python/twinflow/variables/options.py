"""What can be said of a variable besides its value."""

from __future__ import annotations

import enum
from typing import Any, NoReturn

_EAGER_OPERATION = "This operation is not supported when eager execution is enabled."
_EAGER_PROPERTY = "This property is not supported when eager execution is enabled."


class VariableSynchronization(enum.Enum):
    """When distributed copies of a variable are brought together."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """How distributed copies of a variable are combined, as TensorFlow 1 code names it."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3
    ONLY_FIRST_TOWER = 3


class VariableAggregationV2(enum.Enum):
    """How distributed copies of a variable are combined."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


def member(kind: type[enum.Enum], value: Any, what: str, name: str | None) -> Any:
    """A mode of a variable; the first of a kind where None.

    Raises:
        ValueError: It is no such mode.
    """
    if value is None:
        return next(iter(kind))
    if isinstance(value, (VariableSynchronization, VariableAggregation, VariableAggregationV2)):
        return value
    raise ValueError(f"Invalid variable {what} mode: {value} for variable: {name}")


class SaveSliceInfo:
    """Which part of a larger saved tensor a variable is.

    Args:
        full_name: Name of the whole.
        full_shape: Shape of the whole.
        var_offset: Where this part starts, per dimension.
        var_shape: Shape of this part.
    """

    def __init__(
        self,
        full_name: str | None = None,
        full_shape: Any = None,
        var_offset: Any = None,
        var_shape: Any = None,
    ) -> None:
        self.full_name, self.full_shape = full_name, full_shape
        self.var_offset, self.var_shape = var_offset, var_shape


class Described:
    """What can be made of a message."""

    @staticmethod
    def from_proto(variable_def: Any, import_scope: str | None = None) -> Any:
        """The variable of the default graph that a message describes.

        Args:
            variable_def: A ``VariableDef``.
            import_scope: A scope that its names are in here, or None.
        """
        from .messages import from_proto

        return from_proto(variable_def, import_scope)


class GraphAttributes:
    """What a variable has only in a graph: outside one, errors that say so."""

    @property
    def create(self) -> NoReturn:
        """The op that creates the variable in a graph."""
        raise RuntimeError(_EAGER_OPERATION)

    @property
    def initial_value(self) -> NoReturn:
        """The tensor of the initial value in a graph."""
        raise RuntimeError(_EAGER_PROPERTY)

    @property
    def op(self) -> NoReturn:
        """The op of the variable in a graph."""
        raise AttributeError("Tensor.op is undefined when eager execution is enabled.")

    @property
    def graph(self) -> NoReturn:
        """The graph of the variable."""
        raise AttributeError("Tensor.graph is undefined when eager execution is enabled.")

    def to_proto(self, export_scope: str | None = None) -> NoReturn:
        """The definition of the variable in a graph."""
        raise RuntimeError(_EAGER_OPERATION)

    @staticmethod
    def from_proto(variable_def: Any, import_scope: str | None = None) -> NoReturn:
        """A variable of a graph's definition."""
        raise RuntimeError(_EAGER_OPERATION)

    def eval(self, session: Any = None) -> NoReturn:
        """Evaluates the variable in a session."""
        raise RuntimeError(_EAGER_OPERATION)
