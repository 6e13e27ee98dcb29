"""Reads of reference variables, which observe every earlier update.

TensorFlow's kernels for such variables alias their memory, so that a tensor read before an update
shows the updated value. Here an array that was read is never modified; a program reads the variable
again where the difference is visible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from twinflow._src.core.context import thread
from twinflow._src.core.errors import invalid
from twinflow._src.graph.symbolic import Operation, SymbolicTensor


def reads_reference(node: Operation) -> bool:
    """True if an operation returns the value of, or a reference to, a reference variable."""
    return node.definition.reads_variable == "reference"


# The ops that produce handles of variables; they do nothing where they are only control inputs.
SOURCES = frozenset(("VarHandleOp", "VariableV2"))


def is_memory(tensor: Any) -> bool:
    """True if a tensor is the reference, or the variable's own read, of a reference variable."""
    if not isinstance(tensor, SymbolicTensor) or not reads_reference(tensor.op):
        return False
    variable = tensor.op.arguments[0]
    return tensor.op.type == "VariableV2" or tensor is variable._snapshot


def _variable(node: Operation) -> Any:
    """Returns the variable of an operation that returns a reference or a read of it, else None."""
    variable = node.arguments[0] if node.arguments else None
    if not node.outputs or not getattr(variable, "is_reference", False):
        return None
    dtype = node.outputs[0].dtype
    return variable if reads_reference(node) or dtype is not dtype.base_dtype else None


class _FedHandle:
    """A read-only handle for a variable whose reference is fed in a session."""

    def __init__(self, handle: Any, array: Any) -> None:
        self._handle, self.array = handle, array

    def __getattr__(self, name: str) -> Any:
        return getattr(self._handle, name)

    def lend(self) -> Any:
        return self.array

    def has_value(self) -> bool:
        return True

    def update(self, write: Any) -> None:
        name = self._handle.value_dtype.cname
        raise invalid(
            f"Input 0 of node {thread.node.name} was passed {name} from _arg_{self._handle.name}_0_0:0 incompatible "
            f"with expected {name}_ref."
        )

    assign = update


class FedReference:
    """A reference variable in bodies of branches and loops, with a value fed in its place."""

    def __init__(self, variable: Any, array: Any) -> None:
        self._variable_itself, self._handle = variable, _FedHandle(variable._handle, array)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._variable_itself, name)


def fed_reference(xp: Any, array: Any, *, variable: Any) -> FedReference:
    """The kernel of the instruction that creates a ``FedReference``."""
    return FedReference(variable, array)


class Readings:
    """Tracks the slots of a program that alias reference variables, and the stale ones among them."""

    def __init__(self, step: Callable[[SymbolicTensor], Any]) -> None:
        self._step = step
        self._shown: dict[int, Any] = {}  # tensor and variable, by slot
        self._updates: dict[int, int] = {}  # number of updates, by handle
        self._seen: dict[int, int] = {}  # number of updates visible in a slot

    def behind(self, slots: Sequence[int]) -> Iterator[Any]:
        """Yields the instructions that reread stale slots, to other slots."""
        for slot in dict.fromkeys(slots):
            tensor, variable = self._shown.get(slot, (None, None))
            count = self._updates.get(id(getattr(variable, "_handle", None)), 0)
            if variable is not None and self._seen[slot] < count:
                step = self._step(tensor)
                self._shown[step.writes], self._seen[step.writes] = (tensor, variable), count
                yield step

    def note(self, node: Operation, slot: Callable[[Any], int]) -> None:
        """Records an operation whose instruction was emitted."""
        changes = node.definition.impure and not reads_reference(node)
        for value in node.arguments if changes else ():
            if getattr(value, "is_reference", False):
                self._updates[id(value._handle)] = self._updates.get(id(value._handle), 0) + 1
        variable = _variable(node)
        if variable is not None:
            slot_number = slot(node.outputs[0])
            self._shown[slot_number] = node.outputs[0], variable
            self._seen[slot_number] = self._updates.get(id(variable._handle), 0)
