"""How the operations and tensors of a graph are found by their names."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.errors import InaccessibleTensorError
from twinflow._src.graph.symbolic import Operation, SymbolicTensor

_FORM = 'Tensor names must be of the form "<op_name>:<output_index>".'


class Elements:
    """The part of a graph that finds operations and tensors."""

    _operations: dict[str, Operation]

    def __init__(self) -> None:
        self._unfeedable: set[int] = set()
        self._unfetchable: set[int] = set()

    # ---------------------------------------------------------------- finding
    def as_graph_element(self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True) -> Any:
        """The operation or tensor that a value means.

        Args:
            obj: An operation, a tensor, a variable, or the name of an operation or a tensor.
            allow_tensor: Whether it may be a tensor.
            allow_operation: Whether it may be an operation.

        Raises:
            KeyError: There is none of this name.
            TypeError: The value cannot mean one.
            ValueError: The name has another form, or the value belongs to another graph.
        """
        if not (allow_tensor or allow_operation):
            raise ValueError("allow_tensor and allow_operation can't both be False.")
        own = getattr(obj, "_as_graph_element", None)
        obj = own() if own is not None else obj
        if isinstance(obj, (str, bytes)):
            name = obj if isinstance(obj, str) else obj.decode()
            return self._named(name, allow_tensor, allow_operation)
        for kind, allowed in ((SymbolicTensor, allow_tensor), (Operation, allow_operation)):
            if isinstance(obj, kind) and allowed:
                if obj.graph is not self:
                    what = "Tensor" if kind is SymbolicTensor else "Operation"
                    raise ValueError(f"{what} {obj} is not an element of this graph.")
                return obj
        wanted = " or ".join(
            word for word, on in (("Tensor", allow_tensor), ("Operation", allow_operation)) if on
        )
        raise TypeError(f"Can not convert a {type(obj).__name__} into a {wanted}.")

    def _named(self, name: str, allow_tensor: bool, allow_operation: bool) -> Any:
        if ":" in name and allow_tensor:
            return self._tensor(name)
        if ":" not in name and allow_operation:
            if name not in self._operations:
                raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")
            return self._operations[name]
        if ":" in name:
            raise ValueError(f"Name {name!r} appears to refer to a Tensor, not a Operation.")
        if name in self._operations:
            raise ValueError(f"The name {name!r} refers to an Operation, not a Tensor. {_FORM}")
        raise ValueError(f"The name {name!r} looks like an (invalid) Operation name, not a Tensor. {_FORM}")

    def _tensor(self, name: str) -> SymbolicTensor:
        parts = name.split(":")
        if len(parts) != 2 or not parts[1].isdigit():
            raise ValueError(f"The name {name!r} looks a like a Tensor name, but is not a valid one. {_FORM}")
        missing = f"The name {name!r} refers to a Tensor which does not exist. The operation, {parts[0]!r}, "
        node = self._operations.get(parts[0])
        if node is None:
            raise KeyError(f"{missing}does not exist in the graph.")
        if int(parts[1]) >= len(node.outputs):
            raise KeyError(f"{missing}exists but only has {len(node.outputs)} outputs.")
        return node.outputs[int(parts[1])]

    def get_operation_by_name(self, name: str) -> Operation:
        """The operation of a name; see ``as_graph_element``."""
        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
        return self.as_graph_element(name, allow_tensor=False)

    def get_tensor_by_name(self, name: str) -> SymbolicTensor:
        """The tensor of a name; see ``as_graph_element``."""
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
        return self.as_graph_element(name, allow_operation=False)

    # ---------------------------------------------------------------- what sessions may do with them
    def prevent_feeding(self, tensor: SymbolicTensor) -> None:
        """Forbids to give a tensor a value."""
        self._unfeedable.add(id(tensor))

    def is_feedable(self, tensor: SymbolicTensor) -> bool:
        """Whether a tensor may be given a value."""
        return id(tensor) not in self._unfeedable

    def prevent_fetching(self, op: Operation) -> None:
        """Forbids to ask for an operation and its results."""
        self._unfetchable.add(id(op))

    def is_fetchable(self, tensor_or_op: Any) -> bool:
        """Whether an operation or a tensor may be asked for."""
        return id(getattr(tensor_or_op, "op", tensor_or_op)) not in self._unfetchable

    def assert_fetchable(self, element: Any) -> None:
        """Raises InaccessibleTensorError where an element may not be asked for."""
        if not self.is_fetchable(element):
            raise InaccessibleTensorError(
                f"Operation {getattr(element, 'op', element).name} has been marked as not fetchable. Typically "
                "this happens when it is defined in another function or code block. Use return values, "
                "explicit Python locals or TensorFlow collections to access it."
            )
