"""Functions whose variables are made by their first call and found by later ones."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..graphs.collections import GraphKeys
from ..graphs.default import get_default_graph
from .scope_object import VariableScope
from .scopes import pure_scope, unique_scope, variable_scope


class Template:
    """A function whose variables are made by its first call and found by later ones.

    Args:
        name: The name of its variable scope.
        func: The function.
        unique_name: The name of the scope, exactly; or None.
        custom_getter: See ``variable_scope``.
    """

    def __init__(self, name: str, func: Callable[..., Any], unique_name: str | None, custom_getter: Any) -> None:
        self._func, self._own_name = func, name
        self._unique, self._getter = unique_name, custom_getter
        self._scope: VariableScope | None = None
        self._called = False

    def open(self) -> VariableScope:
        """The variable scope; made at the first call."""
        if self._scope is None:
            name = self._unique or unique_scope(self._own_name)
            with pure_scope(name, custom_getter=self._getter) as scope:
                self._scope = scope
        return self._scope

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        reuse = True if self._called else None
        with variable_scope(self.open(), reuse=reuse):
            result = self._func(*args, **kwargs)
        self._called = True
        return result

    @property
    def name(self) -> str:
        """The name that it was given."""
        return self._own_name

    @property
    def func(self) -> Callable[..., Any]:
        """The function."""
        return self._func

    @property
    def variable_scope(self) -> VariableScope | None:
        """The variable scope, None before the first call."""
        return self._scope

    @property
    def variables(self) -> list[Any]:
        """The variables."""
        return get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES, f"{self.open().name}/")

    global_variables = variables

    @property
    def trainable_variables(self) -> list[Any]:
        """The variables that optimizers train."""
        return get_default_graph().get_collection(GraphKeys.TRAINABLE_VARIABLES, f"{self.open().name}/")


def make_template(
    name_: str,
    func_: Callable[..., Any],
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Any = None,
    **kwargs: Any,
) -> Template:
    """Makes a function whose variables are made by its first call and found by later ones.

    Args:
        name_: The name of its variable scope; a number is added where it was used before.
        func_: The function.
        create_scope_now_: Whether the name is taken now, not at the first call.
        unique_name_: The name of the scope, exactly; or None.
        custom_getter_: See ``variable_scope``.
        **kwargs: Arguments that the function is always called with.
    """
    template = Template(name_, functools.partial(func_, **kwargs) if kwargs else func_, unique_name_, custom_getter_)
    if create_scope_now_:
        template.open()
    return template
