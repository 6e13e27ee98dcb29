"""Variables whose tensors are references: what reads them sees every update that ran before.

TensorFlow's kernels for such variables work on the memory itself, so that a tensor that was read before an update
shows what came of it. Here arrays are never written to; a plan reads the variable again where that can be seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from twinflow._src.core.context import thread
from twinflow._src.core.errors import invalid
from twinflow._src.graph.symbolic import Operation, SymbolicTensor


def reads_reference(node: Operation) -> bool:
    """Whether an operation gives the value, or the memory, of a variable that is a reference."""
    return node.type == "VariableV2" or (
        node.type == "Identity" and not node.tensors and bool(node.arguments)
    )


# The operations that stand for the memory of variables; they do nothing where nothing but their end is waited for.
SOURCES = frozenset(("VarHandleOp", "VariableV2"))


def is_memory(tensor: Any) -> bool:
    """Whether a tensor is the memory of a variable that is a reference, or the reading of it that the variable has."""
    if not isinstance(tensor, SymbolicTensor) or not reads_reference(tensor.op):
        return False
    variable = tensor.op.arguments[0]
    return tensor.op.type == "VariableV2" or tensor is variable._snapshot


def _variable(node: Operation) -> Any:
    """The variable of an operation whose result is a reference to its memory, or a reading of that."""
    found = node.arguments[0] if node.arguments else None
    if not node.outputs or not getattr(found, "is_reference", False):
        return None
    dtype = node.outputs[0].dtype
    return found if reads_reference(node) or dtype is not dtype.base_dtype else None


class _FedHandle:
    """The memory of a variable in whose place a session was given a value: it can be read only."""

    def __init__(self, handle: Any, array: Any) -> None:
        self._handle, self.array = handle, array

    def __getattr__(self, name: str) -> Any:
        return getattr(self._handle, name)

    def lend(self) -> Any:
        return self.array

    def has_value(self) -> bool:
        return True

    def update(self, write: Any) -> None:
        own = self._handle.value_dtype.cname
        raise invalid(
            f"Input 0 of node {thread.node.name} was passed {own} from _arg_{self._handle.name}_0_0:0 incompatible "
            f"with expected {own}_ref."
        )

    assign = update


class FedReference:
    """A variable that is a reference, as bodies of branches and loops see it where a value is fed in its place.

    Args:
        variable: The variable.
        array: The value.
    """

    def __init__(self, variable: Any, array: Any) -> None:
        self._variable_itself, self._handle = variable, _FedHandle(variable._handle, array)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._variable_itself, name)


def fed_reference(xp: Any, array: Any, *, variable: Any) -> FedReference:
    """The kernel of the step that makes a ``FedReference``."""
    return FedReference(variable, array)


class Readings:
    """Which tensors of a plan show the memory of variables, and which of them are behind.

    Args:
        step: Makes the step that reads the memory for a tensor.
    """

    def __init__(self, step: Callable[[SymbolicTensor], Any]) -> None:
        self._step = step
        self._shown: dict[int, Any] = {}  # the tensor and its variable, by the slot
        self._updates: dict[int, int] = {}  # how often a variable was updated, by its handle
        self._seen: dict[int, int] = {}  # up to which update a slot shows it

    def behind(self, slots: Sequence[int]) -> Iterator[Any]:
        """The steps that bring slots up to date."""
        for slot in dict.fromkeys(slots):
            tensor, variable = self._shown.get(slot, (None, None))
            count = self._updates.get(id(getattr(variable, "_handle", None)), 0)
            if variable is not None and self._seen[slot] < count:
                self._seen[slot] = count
                yield self._step(tensor)

    def note(self, node: Operation, slot: Callable[[Any], int]) -> None:
        """Takes note of an operation that has its step now."""
        changes = node.definition.impure and not reads_reference(node)
        for value in node.arguments if changes else ():
            if getattr(value, "is_reference", False):
                self._updates[id(value._handle)] = self._updates.get(id(value._handle), 0) + 1
        variable = _variable(node)
        if variable is not None:
            place = slot(node.outputs[0])
            self._shown[place] = node.outputs[0], variable
            self._seen[place] = self._updates.get(id(variable._handle), 0)
