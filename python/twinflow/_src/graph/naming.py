"""Names of operations in graphs, and lookup of operations and tensors by name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from twinflow._src.core.context import entered, thread
from twinflow._src.core.errors import InaccessibleTensorError
from twinflow._src.graph.symbolic import Operation, SymbolicTensor

# Naming.


_VALID_NAME = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$")
_VALID_INNER_NAME = re.compile(r"^[A-Za-z0-9_.\\/>-]*$")

# The names of the inner operations of a function within its scope, by op type, where they differ
# from the default: one name for all operations of a type, or a tuple of names in order. ``""`` is
# the name of the scope itself.
Steps = Mapping[str, "str | tuple[str, ...]"]


class Names:
    """Mixin of graphs that assigns names."""

    _operations: dict[str, Operation]

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        self._steps: dict[
            str, dict[str, Iterator[str] | str]
        ] = {}  # of the current scopes, by their paths

    # ---------------------------------------------------------------- unique names
    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """Returns a name that no operation or scope of the graph has.

        Args:
            name: The base name, relative to the current name scope.
            mark_as_used: Whether to reserve the name.
        """
        return self.uniquely(thread.scope.name + name, mark_as_used)

    def uniquely(self, name: str, mark_as_used: bool = True) -> str:
        """Returns a unique name from a full path."""
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
        """Raises ValueError where a name is not valid as a scope."""
        if not (_VALID_INNER_NAME if thread.scope.name else _VALID_NAME).match(name):
            raise ValueError(
                f"'{name}' is not a valid root scope name. A root scope name has to match the following pattern: "
                f"{_VALID_NAME.pattern}"
            )

    def name_of_node(self, name: str) -> str:
        """Returns an operation's name: without a trailing slash as is, otherwise made unique."""
        return name[:-1] if name.endswith("/") else self.unique_name(name)

    def _name_of_node(self, name: str | bytes) -> str:
        name = name.decode() if isinstance(name, bytes) else name
        valid = _VALID_INNER_NAME if thread.scope.name else _VALID_NAME
        if not valid.match(name):
            raise ValueError(
                f"`{name}` is not a valid node name. Accepted names conform to Regex /{_VALID_NAME}/"
            )
        return self.name_of_node(name)

    # ---------------------------------------------------------------- inner operations of functions
    @contextmanager
    def steps_of(self, name: str, steps: Steps) -> Iterator[str]:
        """Returns a context manager for a name scope, as is if it ends in ``/``, with special names in it."""
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
        """Returns the base name of an operation without a user-defined name.

        ``label`` is the default name of the type.
        """
        path = thread.scope.name
        name = self._steps.get(path, _NO_STEPS).get(type, label)
        if not isinstance(name, str):
            name = next(name, label)
        if name:
            return name
        return (
            path if path[:-1] not in self._operations else label
        )  # the scope's own name is used once

    def labelled(self, type: str, label: str, name: str | None) -> str:
        """Returns the name of a new operation; labels may contain a scope: ``"xdivy/Xdivy"``."""
        name = name.decode() if isinstance(name, bytes) else name
        if name and not name.endswith("/"):
            self.assert_scope_name(name)  # the scope of constants among the inputs
        if not name and self._steps:
            label = self.step(type, label)
        scope, _, last = label.partition("/")
        if not last or thread.scope.name == label:
            return self._name_of_node(name or label)
        return f"{self._name_of_node(name or scope)}/{last}"

    # ---------------------------------------------------------------- renaming
    def rename(self, node: Operation, name: str) -> None:
        """Renames an operation, and the inputs within its scope; the new name must be unused."""
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
        """Releases a name, together with its unique suffix if that was the last one."""
        self._operations.pop(name)
        key, (first, _, count) = name.lower(), name.lower().rpartition("_")
        if self._names.get(key) == 1:
            del self._names[key]
        if count.isdecimal() and self._names.get(first) == int(count) + 1:
            self._names[first] = int(count)

    def _enter(self, node: Operation) -> None:
        """Registers an operation under its name, which is reserved."""
        self._operations[node.name] = node
        self._names.setdefault(node.name.lower(), 1)


_NO_STEPS: dict[str, Iterator[str] | str] = {}


# Lookup.


_FORM = 'Tensor names must be of the form "<op_name>:<output_index>".'


class Elements:
    """Mixin of graphs that looks up operations and tensors."""

    _operations: dict[str, Operation]

    def __init__(self) -> None:
        self._unfeedable: set[int] = set()
        self._unfetchable: set[int] = set()

    # ---------------------------------------------------------------- lookup
    def as_graph_element(
        self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Any:
        """Returns the operation or tensor for a value.

        Args:
            obj: An operation, a tensor, a variable, or the name of an operation or a tensor.
            allow_tensor: Whether the result may be a tensor.
            allow_operation: Whether the result may be an operation.

        Raises:
            KeyError: There is no element of this name.
            TypeError: The value cannot be converted.
            ValueError: The name is malformed, or the value belongs to another graph.
        """
        if not (allow_tensor or allow_operation):
            raise ValueError("allow_tensor and allow_operation can't both be False.")
        convert = getattr(obj, "_as_graph_element", None)
        obj = convert() if convert is not None else obj
        if isinstance(obj, (str, bytes)):
            name = obj if isinstance(obj, str) else obj.decode()
            return self._element_of_name(name, allow_tensor, allow_operation)
        for kind, allowed in ((SymbolicTensor, allow_tensor), (Operation, allow_operation)):
            if isinstance(obj, kind) and allowed:
                if obj.graph is not self:
                    what = "Tensor" if kind is SymbolicTensor else "Operation"
                    raise ValueError(f"{what} {obj} is not an element of this graph.")
                return obj
        kinds = " or ".join(
            word for word, on in (("Tensor", allow_tensor), ("Operation", allow_operation)) if on
        )
        raise TypeError(f"Can not convert a {type(obj).__name__} into a {kinds}.")

    def _element_of_name(self, name: str, allow_tensor: bool, allow_operation: bool) -> Any:
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
        """Returns the operation of a name; see ``as_graph_element``."""
        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
        return self.as_graph_element(name, allow_tensor=False)

    def get_tensor_by_name(self, name: str) -> SymbolicTensor:
        """Returns the tensor of a name; see ``as_graph_element``."""
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
        return self.as_graph_element(name, allow_operation=False)

    # ---------------------------------------------------------------- feeding and fetching
    def prevent_feeding(self, tensor: SymbolicTensor) -> None:
        """Marks a tensor as unfeedable."""
        self._unfeedable.add(id(tensor))

    def is_feedable(self, tensor: SymbolicTensor) -> bool:
        """True if a tensor may be fed."""
        return id(tensor) not in self._unfeedable

    def prevent_fetching(self, op: Operation) -> None:
        """Marks an operation and its results as unfetchable."""
        self._unfetchable.add(id(op))

    def is_fetchable(self, tensor_or_op: Any) -> bool:
        """True if an operation or a tensor may be fetched."""
        return id(getattr(tensor_or_op, "op", tensor_or_op)) not in self._unfetchable

    def assert_fetchable(self, element: Any) -> None:
        """Raises InaccessibleTensorError where an element may not be fetched."""
        if not self.is_fetchable(element):
            raise InaccessibleTensorError(
                f"Operation {getattr(element, 'op', element).name} has been marked as not fetchable. Typically "
                "this happens when it is defined in another function or code block. Use return values, "
                "explicit Python locals or TensorFlow collections to access it."
            )
