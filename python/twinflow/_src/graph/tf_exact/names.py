"""The names that operations get in graphs where the program gives none: TensorFlow's.

An operation is named after its type unless ``LABELS`` says otherwise. Functions that are made of several
operations put them into a name scope, with names for its steps where they are not those of their ops
(``name_tables``). Python's operators have names of their own.
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
# Those whose operations read no variables themselves.
READ_FIRST = ("neg", "abs", "invert", "lt", "le", "gt", "ge")


def apply() -> None:
    """Gives functions and operators the names of these tables; called once when all are defined."""
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
    """A public function that opens a scope in graphs or takes a name, where the tables say so."""
    if not TAKING_NAMES.isdisjoint(names):
        return _taking_names(function)
    scope = next((SCOPES[name] for name in names if name in SCOPES), None)
    return function if scope is None else _scoped(function, *_parts(scope))


def _parts(scope: tuple[Any, ...]) -> tuple[str, bool, Steps]:
    """A name scope, whether the last operation takes its name, and the names of its steps."""
    name, *rest = scope
    return name, True in rest, next((part for part in rest if isinstance(part, dict)), {})


def _take_name(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a function gives where a graph is; its last operation takes the name that the call gives."""
    name, graph = kwargs["name"], thread.scope.graph
    if graph is None or not name or not isinstance(name, str):
        return NotImplemented
    return _named(name, lambda: function(*args, **kwargs))


def _named(name: str, make: Callable[[], Any]) -> Any:
    """What a function makes; the operation of its result takes a name, unless the function saw to it."""
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
    """Whether a name, or one that was made of it, is a part of a path; one that ends in a slash is all of it."""
    if name.endswith("/"):
        return path == name[:-1]
    return re.search(rf"(^|/){re.escape(name)}(_\d+)?(/|$)", path) is not None


def _taking_names(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is called without the dispatcher; in graphs its last operation takes a name."""

    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        name = kwargs.get("name")
        if thread.scope.graph is None or not name or not isinstance(name, str):
            return function(*args, **kwargs)
        return _named(name, lambda: function(*args, **kwargs))

    return called


def _scoped(
    function: Callable[..., Any], scope: str, takes_it: bool, steps: Steps
) -> Callable[..., Any]:
    place: int | None = None

    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        nonlocal place
        if thread.scope.graph is None:
            return function(*args, **kwargs)
        if place is None:
            place = _place_of_name(function)
        name = kwargs.pop("name", None)
        if 0 <= place < len(args):
            name, args = args[place], (*args[:place], *args[place + 1 :])
        return _in_scope(
            name or scope, takes_it, lambda: function(*args, **kwargs), _given(steps, name or scope)
        )

    return called


def _given(steps: Steps, name: str) -> Steps:
    """The names of steps, with the last part of a name for those that have it."""
    if "*" not in steps.values():
        return steps
    last = name.rstrip("/").rpartition("/")[2]
    return {type: last if step == "*" else step for type, step in steps.items()}


def _place_of_name(function: Callable[..., Any]) -> int:
    """Which parameter of a function, the last one that is given by position, is the name; -1 where none is."""
    names = list(inspect.signature(function).parameters)
    return len(names) - 1 if names and names[-1] == "name" else -1


def _in_scope(
    name: str, takes_it: bool, make: Callable[[], Any], steps: Steps = MappingProxyType({})
) -> Any:
    """What a function makes in a name scope; the last operation takes the scope's name if asked."""
    scope = thread.scope
    graph = scope.graph
    path = name if name.endswith("/") else f"{graph.unique_name(name)}/"
    with graph.steps_of(path, steps) if steps else entered(scope.but(name=path)):
        try:
            result = make()
        except ValueError as error:
            raise (_renamed(error, path) if takes_it else error) from error.__cause__
    if takes_it and isinstance(result, SymbolicTensor) and result.op.name.startswith(path):
        graph.rename(result.op, path[:-1])
    return result


def _renamed(error: ValueError, path: str) -> ValueError:
    """An error that calls the operation that would have taken the scope's name by that name."""
    found = re.search(rf"\{{\{{node {re.escape(path)}(\w+)\}}\}}", str(error))
    if found is None or type(error) is not ValueError:
        return error
    return ValueError(str(error).replace(path + found[1], path[:-1])).with_traceback(
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
    """An operator of variables that in graphs takes the value, which is read before and by itself."""

    def call(self: Any, *others: Any) -> Any:
        return plain(self if thread.scope.graph is None else convert_to_tensor(self), *others)

    return call


def _operator(name: str, reflected: bool) -> Callable[[Any, Any], Any]:
    own = f"__{'r' if reflected else ''}{name}__"

    def method(self: Any, other: Any) -> Any:
        plain = getattr(Tensor, own)  # NumPy's behaviour replaces it

        def make() -> Any:
            if not reflected or is_tensor(other):
                return plain(self, other)
            return plain(self, convert_to_tensor(other, dtype=self.dtype, name="x"))

        graph = thread.scope.graph
        takes_it = (
            name not in _LOGICAL or self.dtype is bool_
        )  # of integers these have operations within
        return make() if graph is None else _in_scope(graph.step(name, name), takes_it, make)

    return method
