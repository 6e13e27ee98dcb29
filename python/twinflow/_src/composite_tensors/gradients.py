"""Gradients of tensors that are made of several: those of the values of ragged and sparse ones; and IndexedSlices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.registry import Call

# Ops whose gradients hand on IndexedSlices; sums do where nothing is to be reduced.
_HANDING = frozenset(
    (
        *("AddN", "BiasAdd", "Cast", "Concat", "ConcatV2", "CustomGradient", "EnsureShape", "Identity", "IdentityN", "Neg"),
        *("PlaceholderWithDefault", "ReadVariableOp", "TensorScatterAdd"),
    )
)
_SUMS = frozenset(("Add", "AddV2", "Sub"))


def is_extension(value: Any) -> bool:
    """Whether a value is made of tensors and has no gradient of its own: of an extension type."""
    return hasattr(type(value), "_fields_of")


def differentiated(value: Any) -> Any:
    """The tensor of which a value has a gradient: of a ragged or sparse tensor its values.

    Args:
        value: A tensor, a variable, or anything else.

    Returns:
        A tensor, or the value itself.

    Raises:
        ValueError: The value is of an extension type.
    """
    if type(value) is EagerTensor:
        return value
    if is_extension(value):
        name = type(value).__name__
        raise ValueError(f"Type {name} is not supported as a gradient source or gradient target.")
    return getattr(value, "_differentiated", value)


def like(value: Any, gradient: Any) -> Any:
    """The gradient of a value, from that of what is differentiated of it.

    Args:
        value: The value.
        gradient: The gradient, or None.

    Returns:
        A ragged or sparse tensor for such a one; else the gradient itself.
    """
    if gradient is None or type(value) is EagerTensor:
        return gradient
    make = getattr(value, "_with_differentiated", None)
    return gradient if make is None else make(gradient)


def dense_where_needed(call: Call, gradients: Sequence[Any], is_tracked: Callable[[Any], bool]) -> Sequence[Any]:
    """The gradients of a call's results as the gradient of its op takes them: most take tensors for IndexedSlices.

    Args:
        call: The call.
        gradients: The gradients of its results.
        is_tracked: Tells whether a gradient by an input is asked for.
    """
    type_ = call.op.type
    if type_ in _HANDING:
        return gradients
    if type_ in _SUMS:
        y = call.inputs[1]
        if thread.scope.graph is not None or (y.shape.rank == 0 and not is_tracked(y)):
            return gradients
    return [convert_to_tensor(g) if type(g) is IndexedSlices else g for g in gradients]
