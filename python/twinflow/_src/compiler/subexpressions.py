"""Common subexpression elimination: operations that compute what an earlier one has computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.core.dtypes import resource, variant
from twinflow._src.dispatch.registry import OPS
from twinflow._src.graph.ref_reads import reads_reference
from twinflow._src.graph.symbolic import Operation, SymbolicTensor

# Constants of at most so many bytes are compared by value, larger ones by slot.
_SMALL = 64


class Subexpressions:
    """The operations of a program so far, by what they compute.

    Two operations are the same if op, attributes, device and inputs are, and their results depend on
    nothing else. Reads of a variable are, if no operation with side effects is between them.

    Args:
        slot: Returns the slot of a tensor.
        constants: The values of the slots of constants.
        device: Returns the device of an operation.
    """

    def __init__(
        self, slot: Callable[[Any], int], constants: dict[int, Any], device: Callable[..., Any]
    ) -> None:
        self._slot, self._constants, self._device = slot, constants, device
        self._first: dict[Any, Operation] = {}
        self._effects = 0  # number of operations with side effects

    def earlier(self, node: Operation) -> Operation | None:
        """Returns the first operation that is the same, or None and keeps this one."""
        op = node.definition
        if op.impure and op.reads_variable == "whole":
            key = self._read_key(node)
        elif op.impure or OPS.get(op.type) is not op:
            is_stateless = OPS.get(op.type) is op and all(k.attr != "resource" for k in op.kinds)
            self._effects += not is_stateless
            return None
        else:
            key = self._key(node)
        first = node if key is None else self._first.setdefault(key, node)
        return None if first is node else first

    def _read_key(self, node: Operation) -> Any:
        (variable,) = node.arguments
        if isinstance(variable, SymbolicTensor) or getattr(variable, "is_reference", False):
            return None
        return id(variable), self._effects, self._device(node)

    def _key(self, node: Operation) -> Any:
        results = node.outputs
        if not node.tensors or any(_is_special(x) for x in (*node.tensors, *results)):
            return None
        try:
            attrs = tuple(map(_exact, node.attrs.values()))
            inputs = tuple(map(self._input, node.arguments))
        except TypeError:  # not hashable, or no tensor
            return None
        return node.definition.type, attrs, inputs, self._device(node)

    def _input(self, value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(self._input, value))
        if value is None:
            return None
        if not isinstance(value, SymbolicTensor):
            raise TypeError
        slot = self._slot(value)
        constant = self._constants.get(slot)
        if not isinstance(constant, np.ndarray) or constant.dtype.hasobject:
            return slot
        is_small = constant.nbytes <= _SMALL
        return (constant.dtype.str, constant.shape, constant.tobytes()) if is_small else slot


def _is_special(tensor: SymbolicTensor) -> bool:
    """True for handles, and for references and reads of them, whose values change."""
    dtype = tensor.dtype
    is_handle = dtype is resource or dtype is variant
    return is_handle or dtype is not dtype.base_dtype or reads_reference(tensor.op)


def _exact(value: Any) -> Any:
    """Returns a key of an attribute that keeps 1, 1.0 and True apart, and 0.0 and -0.0."""
    if isinstance(value, (list, tuple)):
        return tuple(map(_exact, value))
    if isinstance(value, float):
        return value.hex()
    hash(value)
    return type(value), value
