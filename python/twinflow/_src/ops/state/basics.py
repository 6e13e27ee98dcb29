"""Ops that read and assign variables; the first argument of their kernels is the variable."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.dtypes import COMPLEXES, ORDERED, int32, int64
from twinflow._src.core.errors import OutOfRangeError, invalid
from twinflow._src.core.shapes import same, scalar, text
from twinflow._src.dispatch.op import Resource, op
from twinflow._src.shape_rules.values import counted_up, value_updated

_NUMBERS = ORDERED | COMPLEXES


@op("ReadVariableOp", shape=same, impure=True, reads_variable="whole")
def read(xp: Any, resource: Resource) -> Any:
    """Returns the value of a variable, without a copy."""
    return resource._handle.lend()


read.gradient(lambda call, dy: dy, reads=(), slices=True)


@op("VarIsInitializedOp", shape=scalar, no_gradient=True, impure=True)
def is_initialized(xp: Any, resource: Resource) -> Any:
    """Checks whether a variable is initialized."""
    return xp.asarray(resource._handle.has_value())


@op("AssignVariableOp", shape=value_updated, impure=True)
def assign(xp: Any, resource: Resource, value: Any, *, validate_shape: bool = False) -> None:
    """Assigns a value to a variable, in place if its buffer is not shared."""
    handle = resource._handle
    if validate_shape and handle.has_value() and value.shape != (shape := handle.lend().shape):
        raise invalid(
            "Trying to assign to variable with tensor with wrong shape. "
            f"Expected {text(shape)} got {text(value.shape)}"
        )
    handle.assign(value)


def _assert_same_shape(handle: Any, value: Any) -> None:
    array = handle.array
    shape = (handle.lend() if array is None else array).shape
    if value.shape != shape:
        raise invalid(
            f"Cannot update variable with shape {text(shape)} using a Tensor with shape "
            f"{text(value.shape)}, shapes must be equal."
        )


@op("AssignAddVariableOp", shape=value_updated, impure=True, dtypes=_NUMBERS)
def assign_add(xp: Any, resource: Resource, value: Any) -> None:
    """Adds a value to a variable."""
    _assert_same_shape(resource._handle, value)
    resource._handle.update(lambda old, out: xp.add(old, value, out=out))


@op("AssignSubVariableOp", shape=value_updated, impure=True, dtypes=_NUMBERS)
def assign_sub(xp: Any, resource: Resource, value: Any) -> None:
    """Subtracts a value from a variable."""
    _assert_same_shape(resource._handle, value)
    resource._handle.update(lambda old, out: xp.subtract(old, value, out=out))


@op(
    "ResourceCountUpTo",
    shape=counted_up,
    impure=True,
    dtypes=frozenset((int32, int64)),
)
def count_up_to(xp: Any, resource: Resource, *, limit: int) -> Any:
    """Increments a counter variable that is below a limit."""
    before: list[Any] = []

    def write(old: Any, out: Any) -> Any:
        if old.ndim:
            raise invalid(f"input is not a scalar: {text(old.shape)}")
        if old[()] >= limit:
            raise OutOfRangeError(
                None, None, f"Reached limit of {limit} [Op:ResourceCountUpTo] name: "
            )
        before.append(old.copy())
        return xp.add(old, 1, out=out)

    resource._handle.lend()  # raises if the variable is not initialized
    resource._handle.update(write)
    return before[0]
