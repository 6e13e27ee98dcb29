"""What stands in a graph for the memory of a variable, and what its parts are made with."""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import DType, resource
from twinflow._src.dispatch.registry import Op
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.variables.handle import Handle


class GraphHandle(Handle):
    """Stands in a graph for the memory that a session has."""

    __slots__ = ("shared", "tensor")

    tensor: SymbolicTensor

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.shared: str | None = None  # the name of the memory that all handles of the name share

    def __del__(self) -> None:
        """Nothing ends: there was no memory."""


def _unreadable(xp: Any, **_: Any) -> Any:
    raise AssertionError("a handle is no value")


VAR_HANDLE = Op(
    "VarHandleOp", _unreadable, infer=lambda node: ([resource], [()], True), no_gradient=True
)


def first_value(value: Any, dtype: DType | None) -> Any:
    """The tensor of a variable's first value."""
    value = value() if callable(value) else value
    return convert_to_tensor(value, dtype, name="initial_value")
