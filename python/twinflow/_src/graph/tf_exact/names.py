"""TensorFlow's default names of operations in graphs.

An operation is named after its type unless ``tf_name`` of the op is another. Composite functions open a
name scope, with names for inner operations where they differ from the defaults (``name_tables``).
Python's operators have names of their own.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core.context import entered, thread
from twinflow._src.core.dtypes import bool_
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.signature_errors import NAMING, wraps
from twinflow._src.graph.naming import Steps
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.graph.tf_exact.name_tables import OPERATORS, SCOPES, TAKING_NAMES
from twinflow._src.variables.variable import BaseResourceVariable

_LOGICAL = ("and", "or", "xor")
# Operators whose operations do not read variables themselves.
READ_FIRST = ("neg", "abs", "invert", "lt", "le", "gt", "ge")


def apply() -> None:
    """Applies the tables to functions and operators; called once, after all are defined."""
    NAMING.append(_take_name)
    API.passes.append(_in_scopes)
    for name in OPERATORS:
        setattr(SymbolicTensor, f"__{name}__", _operator(name, reflected=False))
        setattr(SymbolicTensor, f"__r{name}__", _operator(name, reflected=True))
        for method in (f"__{name}__", f"__r{name}__"):
            setattr(BaseResourceVariable, method, _of_variable(method))
    for name in READ_FIRST:
        setattr(
            BaseResourceVariable,
            f"__{name}__",
            _read_first(getattr(BaseResourceVariable, f"__{name}__")),
        )


def _in_scopes(names: list[str], function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a public function wrapped to open a scope or take a name, according to the tables."""
    if not TAKING_NAMES.isdisjoint(names):
        return _taking_names(function)
    scope = next((SCOPES[name] for name in names if name in SCOPES), None)
    return function if scope is None else _scope_call(function, *_parts(scope))


def _parts(scope: tuple[Any, ...]) -> tuple[str, bool, Steps]:
    """Returns a name scope, True if the last operation takes its name, and the inner names."""
    name, *rest = scope
    return name, True in rest, next((part for part in rest if isinstance(part, dict)), {})


def _take_name(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Calls a function in a graph; its last operation takes the name in the call."""
    name, graph = kwargs["name"], thread.scope.graph
    if graph is None or not name or not isinstance(name, str):
        return NotImplemented
    return _name_call(name, lambda: function(*args, **kwargs))


def _name_call(name: str, make: Callable[[], Any]) -> Any:
    """Calls a function; the operation of its result is renamed unless it already has the name."""
    graph = thread.scope.graph
    count = graph.version
    result = first = make()
    while isinstance(first, (list, tuple)) and first:
        first = first[0]
    added = isinstance(first, SymbolicTensor) and first.graph is graph and graph.version > count
    if added and first.op is graph.newest and not _has(first.op.name, name):
        graph.rename(first.op, graph.name_of_node(name))
    return result


def _has(path: str, name: str) -> bool:
    """True if a name or its unique version is part of a path; with a final slash, all of it."""
    if name.endswith("/"):
        return path == name[:-1]
    return re.search(rf"(^|/){re.escape(name)}(_\d+)?(/|$)", path) is not None


def _taking_names(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function without the dispatcher, whose last operation takes a name in graphs."""

    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        name = kwargs.get("name")
        if thread.scope.graph is None or not name or not isinstance(name, str):
            return function(*args, **kwargs)
        return _name_call(name, lambda: function(*args, **kwargs))

    return called


def _scope_call(
    function: Callable[..., Any], scope: str, takes_it: bool, steps: Steps
) -> Callable[..., Any]:
    index: int | None = None

    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        nonlocal index
        if thread.scope.graph is None:
            return function(*args, **kwargs)
        if index is None:
            index = _place_of_name(function)
        name = kwargs.pop("name", None)
        if 0 <= index < len(args):
            name, args = args[index], (*args[:index], *args[index + 1 :])
        return _in_scope(
            name or scope,
            takes_it,
            lambda: function(*args, **kwargs),
            _expand_step_names(steps, name or scope),
        )

    return called


def _expand_step_names(steps: Steps, name: str) -> Steps:
    """Returns the names of inner operations, with ``"*"`` replaced by the last part of a name."""
    if "*" not in steps.values():
        return steps
    last = name.rstrip("/").rpartition("/")[2]
    return {type: last if step == "*" else step for type, step in steps.items()}


def _place_of_name(function: Callable[..., Any]) -> int:
    """Returns the index of the ``name`` parameter, if it is the last one; else -1."""
    names = list(inspect.signature(function).parameters)
    return len(names) - 1 if names and names[-1] == "name" else -1


def _in_scope(
    name: str, takes_it: bool, make: Callable[[], Any], steps: Steps = MappingProxyType({})
) -> Any:
    """Calls a function in a name scope; the last operation takes the scope's name on request."""
    scope = thread.scope
    graph = scope.graph
    path = name if name.endswith("/") else f"{graph.unique_name(name)}/"
    with graph.steps_of(path, steps) if steps else entered(scope.but(name=path)):
        try:
            result = make()
        except ValueError as error:
            raise (_rename_error(error, path) if takes_it else error) from error.__cause__
    if takes_it and isinstance(result, SymbolicTensor) and result.op.name.startswith(path):
        graph.rename(result.op, path[:-1])
    return result


def _rename_error(error: ValueError, path: str) -> ValueError:
    """Returns an error in which the last operation is called by the name of the scope."""
    match = re.search(rf"\{{\{{node {re.escape(path)}(\w+)\}}\}}", str(error))
    if match is None or type(error) is not ValueError:
        return error
    return ValueError(str(error).replace(path + match[1], path[:-1])).with_traceback(
        error.__traceback__
    )


def _of_variable(method: str) -> Callable[[Any, Any], Any]:
    plain = getattr(BaseResourceVariable, method)

    def call(self: Any, other: Any) -> Any:
        if thread.scope.graph is None:
            return plain(self, other)
        return getattr(SymbolicTensor, method)(convert_to_tensor(self), other)

    return call


def _read_first(plain: Callable[..., Any]) -> Callable[..., Any]:
    """Returns an operator that in graphs reads the variable first, in a separate operation."""

    def call(self: Any, *others: Any) -> Any:
        return plain(self if thread.scope.graph is None else convert_to_tensor(self), *others)

    return call


def _operator(name: str, reflected: bool) -> Callable[[Any, Any], Any]:
    special = f"__{'r' if reflected else ''}{name}__"

    def method(self: Any, other: Any) -> Any:
        plain = getattr(Tensor, special)  # NumPy's behaviour replaces it

        def make() -> Any:
            if not reflected or is_tensor(other):
                return plain(self, other)
            return plain(self, convert_to_tensor(other, dtype=self.dtype, name="x"))

        graph = thread.scope.graph
        takes_it = (
            name not in _LOGICAL or self.dtype is bool_
        )  # for integers these are composed of several operations
        return make() if graph is None else _in_scope(graph.step(name, name), takes_it, make)

    return method
