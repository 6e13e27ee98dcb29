"""How the operations of a graph get their names.

How the operations and tensors of a graph are found by their names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from twinflow._src.core.context import entered, thread
from twinflow._src.core.errors import InaccessibleTensorError
from twinflow._src.graph.symbolic import Operation, SymbolicTensor

# How the operations of a graph get their names.


_VALID_NAME = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$")
_VALID_INNER_NAME = re.compile(r"^[A-Za-z0-9_.\\/>-]*$")

# The names that the steps of a function have within its scope, by the types of their ops, where these are other
# ones: one name for all steps of a type, or a name for each in turn. ``""`` is the name of the scope itself.
Steps = Mapping[str, "str | tuple[str, ...]"]


class Names:
    """The part of a graph that gives names."""

    _operations: dict[str, Operation]

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        self._steps: dict[
            str, dict[str, Iterator[str] | str]
        ] = {}  # of the blocks around, by their paths

    # ---------------------------------------------------------------- free names
    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """A name that no operation or scope of the graph has.

        Args:
            name: The name to start from; within the surrounding name scope.
            mark_as_used: Whether the name is taken from now on.
        """
        return self.uniquely(thread.scope.name + name, mark_as_used)

    def uniquely(self, name: str, mark_as_used: bool = True) -> str:
        """A name that is free, like ``name``, which is a full path."""
        key = name.lower()
        count = self._names.get(key, 0)
        if mark_as_used:
            self._names[key] = count + 1
        if not count:
            return name
        free = key
        while free in self._names:
            free = f"{key}_{count}"
            count += 1
        if mark_as_used:
            self._names[free] = 1
        return f"{name}_{count - 1}"

    def assert_scope_name(self, name: str) -> None:
        """Raises ValueError where a name cannot be the first part of names."""
        if not (_VALID_INNER_NAME if thread.scope.name else _VALID_NAME).match(name):
            raise ValueError(
                f"'{name}' is not a valid root scope name. A root scope name has to match the following pattern: "
                f"{_VALID_NAME.pattern}"
            )

    def name_of_node(self, name: str) -> str:
        """The name of an operation: one that ends in a slash is taken without it, another one made unique."""
        return name[:-1] if name.endswith("/") else self.unique_name(name)

    def _name_of_node(self, name: str | bytes) -> str:
        name = name.decode() if isinstance(name, bytes) else name
        valid = _VALID_INNER_NAME if thread.scope.name else _VALID_NAME
        if not valid.match(name):
            raise ValueError(
                f"`{name}` is not a valid node name. Accepted names conform to Regex /{_VALID_NAME}/"
            )
        return self.name_of_node(name)

    # ---------------------------------------------------------------- steps of functions
    @contextmanager
    def steps_of(self, name: str, steps: Steps) -> Iterator[str]:
        """A block that is a name scope whose operations have names of their own.

        Args:
            name: The name of the scope; one that ends in ``/`` is taken as it is.
            steps: The names within it.
        """
        path = name if name.endswith("/") else f"{self.unique_name(name)}/"
        before = self._steps.get(path)
        self._steps[path] = {
            type: iter(n) if isinstance(n, tuple) else n for type, n in steps.items()
        }
        try:
            with entered(thread.scope.but(name=path)):
                yield path
        finally:
            del self._steps[path]
            if before is not None:
                self._steps[path] = before

    def step(self, type: str, label: str) -> str:
        """The name to start from for an operation of a type to which the program gives none.

        Args:
            type: The type.
            label: The name that its operations have elsewhere.
        """
        path = thread.scope.name
        found = self._steps.get(path, _NO_STEPS).get(type, label)
        if not isinstance(found, str):
            found = next(found, label)
        if found:
            return found
        return (
            path if path[:-1] not in self._operations else label
        )  # the scope's own name is given once

    def labelled(self, type: str, label: str, name: str | None) -> str:
        """The name of a new operation of an op whose label may have a scope: ``"xdivy/Xdivy"``.

        Args:
            type: The type of the op.
            label: How its operations are named.
            name: The name that the program gives, or None.
        """
        name = name.decode() if isinstance(name, bytes) else name
        if name and not name.endswith("/"):
            self.assert_scope_name(name)  # within which constants among the inputs are named
        if not name and self._steps:
            label = self.step(type, label)
        scope, _, last = label.partition("/")
        if not last or thread.scope.name == label:
            return self._name_of_node(name or label)
        return f"{self._name_of_node(name or scope)}/{last}"

    # ---------------------------------------------------------------- other names
    def rename(self, node: Operation, name: str) -> None:
        """Gives an operation another name, which must be free; inputs made for it are renamed, too."""
        before, node.name = node.name, name
        self._free(before)
        for source in node.inputs:
            inner = source.op
            if inner.name.startswith(f"{before}/"):
                self._free(inner.name)
                path = name + inner.name[len(before) :]
                inner.name = self.uniquely(path) if path in self._operations else path
                self._enter(inner)
        self._enter(node)

    def _free(self, name: str) -> None:
        """Lets another operation have a name, the last one that was given of its kind."""
        self._operations.pop(name)
        key, (first, _, count) = name.lower(), name.lower().rpartition("_")
        if self._names.get(key) == 1:
            del self._names[key]
        if count.isdecimal() and self._names.get(first) == int(count) + 1:
            self._names[first] = int(count)

    def _enter(self, node: Operation) -> None:
        """Takes an operation in under its name, which no other then gets."""
        self._operations[node.name] = node
        self._names.setdefault(node.name.lower(), 1)


_NO_STEPS: dict[str, Iterator[str] | str] = {}


# How the operations and tensors of a graph are found by their names.


_FORM = 'Tensor names must be of the form "<op_name>:<output_index>".'


class Elements:
    """The part of a graph that finds operations and tensors."""

    _operations: dict[str, Operation]

    def __init__(self) -> None:
        self._unfeedable: set[int] = set()
        self._unfetchable: set[int] = set()

    # ---------------------------------------------------------------- finding
    def as_graph_element(
        self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Any:
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
        raise ValueError(
            f"The name {name!r} looks like an (invalid) Operation name, not a Tensor. {_FORM}"
        )

    def _tensor(self, name: str) -> SymbolicTensor:
        parts = name.split(":")
        if len(parts) != 2 or not parts[1].isdigit():
            raise ValueError(
                f"The name {name!r} looks a like a Tensor name, but is not a valid one. {_FORM}"
            )
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
