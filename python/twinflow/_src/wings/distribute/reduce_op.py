"""How the values of replicas become one."""

from __future__ import annotations

import enum
from typing import Any

from twinflow._src.variables.options import VariableAggregation, VariableAggregationV2


class ReduceOp(enum.Enum):
    """How the values of replicas become one: added up, or averaged."""

    __module__ = "twinflow.distribute"

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def from_variable_aggregation(aggregation: Any) -> ReduceOp:
        """What the aggregation of a variable asks for.

        Args:
            aggregation: A ``tf.VariableAggregation``.

        Raises:
            ValueError: It asks for no such thing.
        """
        if aggregation.name in ReduceOp.__members__:
            return ReduceOp[aggregation.name]
        raise ValueError(
            f"Could not convert from `tf.VariableAggregation` {aggregation} to`tf.distribute.ReduceOp` type"
        )


def reduce_op_of(given: Any) -> ReduceOp:
    """A ``ReduceOp`` of one or of its name, however that is written.

    Raises:
        ValueError: There is no such one.
    """
    return given if isinstance(given, ReduceOp) else ReduceOp(given.upper())


def has_aggregation(value: Any, *names: str) -> bool:
    """Whether an aggregation, as TensorFlow 1 or 2 names it, is one of those with a name."""
    return isinstance(value, (VariableAggregation, VariableAggregationV2)) and value.name in names
