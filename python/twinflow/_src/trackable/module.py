"""``tf.Module``: the base class of objects with variables and submodules."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from twinflow._src.core import nest
from twinflow._src.core.scopes import name_scope
from twinflow._src.dispatch.op import export
from twinflow._src.trackable.trackable import PRIVATE, AutoTrackable
from twinflow._src.variables.variable import Variable

F = TypeVar("F", bound=Callable[..., Any])
_IDENTIFIER = re.compile(r"^[a-zA-Z_]([a-zA-Z0-9_])*$")


def _snake_case(name: str) -> str:
    """Converts CamelCase to snake case: ``MyNet2`` to ``my_net2``."""
    spaced = re.sub(r"((?<=[a-z0-9])[A-Z]|(?!^)(?<!_)[A-Z](?=[a-z]))", r"_\1", name)
    spaced = re.sub(r"^_", "__", spaced) if name.startswith("_") else spaced
    return spaced.lower()


@export("Module")
class Module(AutoTrackable):
    """Base class of objects that hold variables, functions and other modules.

    Args:
        name: The name; derived from that of the class where None.

    Raises:
        ValueError: The name is not an identifier.
    """

    __module__ = "twinflow"

    # Internal attributes, which are not traversed.
    _TF_MODULE_IGNORED_PROPERTIES: frozenset[str] = frozenset((*PRIVATE, "_self_setattr_tracking"))

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = _snake_case(type(self).__name__)
        if not _IDENTIFIER.match(name):
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be valid Python identifiers "
                "(e.g. a valid class name)."
            )
        self._name = name
        with name_scope(name) as path:
            self._name_scope = name_scope(path)

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    @property
    def name_scope(self) -> name_scope:
        """The name scope of the module."""
        return self._name_scope

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables: own ones by attribute name, then those of submodules, depth first."""
        return tuple(self._flatten(predicate=_is_variable, expand_composites=True))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """The trainable variables of this module and its submodules."""
        return tuple(self._flatten(predicate=_is_trainable, expand_composites=True))

    @property
    def non_trainable_variables(self) -> tuple[Variable, ...]:
        """The non-trainable variables of this module and its submodules."""
        return tuple(v for v in self.variables if not _is_trainable(v))

    @property
    def submodules(self) -> tuple[Module, ...]:
        """The submodules, including nested ones."""
        return tuple(self._flatten(predicate=_is_module))

    def _flatten(
        self,
        recursive: bool = True,
        predicate: Callable[[Any], bool] | None = None,
        attribute_traversal_key: Callable[[str], Any] | None = None,
        with_path: bool = False,
        expand_composites: bool = False,
    ) -> Iterator[Any]:
        """Yields the values in attributes: those of one module, then of submodules, depth first.

        Args:
            recursive: Whether to traverse submodules.
            predicate: The condition for the values; None for all values.
            attribute_traversal_key: The sort key of attribute names; the name itself where None.
            with_path: Whether to yield paths, too.
            expand_composites: Whether to expand composite tensors.

        Yields:
            Values, or pairs of a path and a value.
        """
        seen = {id(self)}
        todo: list[tuple[tuple[Any, ...], Module]] = [((), self)]
        while todo:
            path, module = todo.pop()
            leaves = []
            for inner, leaf in module._leaves(attribute_traversal_key, expand_composites):
                if id(leaf) in seen:
                    continue
                seen.add(id(leaf))
                if predicate is None or predicate(leaf):
                    yield ((*path, *inner), leaf) if with_path else leaf
                if recursive and _is_module(leaf):
                    leaves.append(((*path, *inner), leaf))
            todo.extend(reversed(leaves))

    def _leaves(self, key: Any, expand_composites: bool) -> Iterator[tuple[tuple[Any, ...], Any]]:
        for name in sorted(vars(self), key=key):
            if name not in self._TF_MODULE_IGNORED_PROPERTIES and name not in PRIVATE:
                for inner, leaf in _with_paths(vars(self)[name], expand_composites):
                    yield (name, *inner), leaf

    @classmethod
    def with_name_scope(cls, method: F) -> F:
        """Decorator for methods that run in the module's name scope.

        Args:
            method: A method of a module.

        Returns:
            A method.
        """

        @functools.wraps(method)
        def method_with_name_scope(self: Any, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        method_with_name_scope._is_rewritten = True  # type: ignore[attr-defined]
        return method_with_name_scope  # type: ignore[return-value]


def _with_paths(value: Any, expand: bool) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yields the leaves of a nested structure with their paths; dictionaries in key order."""
    if not nest.is_nested(value):
        parts = nest.flatten(value, expand_composites=expand)
        if len(parts) == 1 and parts[0] is value:
            yield (), value
        else:
            yield from (((type(value).__name__, i), part) for i, part in enumerate(parts))
        return
    items = sorted(value.items()) if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        for inner, leaf in _with_paths(item, expand):
            yield (key, *inner), leaf


def _is_variable(value: Any) -> bool:
    return isinstance(value, Variable)


def _is_trainable(value: Any) -> bool:
    return isinstance(value, Variable) and bool(value.trainable)  # type: ignore[attr-defined]


def _is_module(value: Any) -> bool:
    return isinstance(value, Module)
