"""Templates: functions whose variables are created by the first call and reused by later ones."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

from twinflow._src.graph.collections import VARIABLE_STORE, GraphKeys
from twinflow._src.graph.default_graph import executing_eagerly, get_default_graph
from twinflow._src.trackable.trackable import Trackable
from twinflow._src.variables.creation import variable_creator_scope
from twinflow._src.variables.scopes import (
    AUTO_REUSE,
    VariableScope,
    pure_scope,
    unique_scope,
    variable_scope,
)
from twinflow._src.variables.store import VariableStore, store_of

_RUNNING = ("__templates",)  # the templates in their first call, outermost first


class Template(Trackable):
    """A function whose variables are created by its first call and reused by later ones.

    Args:
        name: The name of its variable scope.
        func: The function.
        unique_name: The exact name of the scope, or None.
        custom_getter: See ``variable_scope``.
    """

    def __init__(
        self, name: str, func: Callable[..., Any], unique_name: str | None, custom_getter: Any
    ) -> None:
        if name is None:
            raise ValueError("name cannot be None.")
        self._func, self._own_name = func, name
        self._unique, self._getter = unique_name, custom_getter
        self._scope: VariableScope | None = None
        self._called = False

    def open(self) -> VariableScope:
        """Returns the variable scope; created on first use."""
        if self._scope is None:
            name = self._unique or unique_scope(self._own_name)
            with pure_scope(name, custom_getter=self._getter) as scope:
                self._scope = scope
        return self._scope

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with self._entered() as self._scope, self._stored():
            if self._called:
                return self._again(*args, **kwargs)
            with self._tracking():
                result = self._func(*args, **kwargs)
        self._called = True
        return result

    def _entered(self) -> contextlib.AbstractContextManager[VariableScope]:
        """Returns a context manager for the variable scope, a new one in the first call."""
        if self._scope is not None:
            return variable_scope(self._scope, reuse=self._reuse if self._called else None)
        label = None if self._unique else self._own_name
        return variable_scope(self._unique, label, custom_getter=self._getter)

    def _again(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function with its existing variables."""
        before = {id(v) for v in self._trained()}
        result = self._func(*args, **kwargs)
        more = [v for v in self._trained() if id(v) not in before]
        if more:
            raise ValueError(
                "Trainable variable created when calling a template after the first time, perhaps you used "
                f"tf.Variable when you meant tf.get_variable: {more}"
            )
        return result

    _reuse: Any = True  # the reuse mode of calls after the first one

    def _stored(self) -> contextlib.AbstractContextManager[Any]:
        """Returns a context manager in which ``get_variable`` uses the template's variables."""
        return contextlib.nullcontext()

    def _trained(self) -> list[Any]:
        """Returns the trainable variables of the graph, not only those of the template."""
        return get_default_graph().get_collection(GraphKeys.TRAINABLE_VARIABLES)

    @contextlib.contextmanager
    def _tracking(self) -> Iterator[None]:
        """Returns a context manager that tracks new variables, or the inner templates with them."""
        running = get_default_graph().get_collection_ref(_RUNNING)
        prefix, depth = f"{self.open().name}/", len(running)

        def creator(make: Callable[..., Any], **options: Any) -> Any:
            variable = make(**options)
            inner = running[depth + 1] if len(running) > depth + 1 else None
            child, name = (
                (variable, options.get("name") or "")
                if inner is None
                else (inner, inner.open().name)
            )
            if (
                name.startswith(prefix)
                and self._lookup_dependency(name.removeprefix(prefix)) is not child
            ):
                self._track(name.removeprefix(prefix), child)
            return variable

        running.append(self)
        try:
            with variable_creator_scope(creator):
                yield
        finally:
            running.pop()

    @property
    def name(self) -> str:
        """The name of the template."""
        return self._own_name

    @property
    def func(self) -> Callable[..., Any]:
        """The function."""
        return self._func

    @property
    def variable_scope(self) -> VariableScope | None:
        """The variable scope, None before the first call."""
        return self._scope

    var_scope = variable_scope

    @property
    def variable_scope_name(self) -> str | None:
        """The name of the variable scope with a trailing slash, None before the first call."""
        return None if self._scope is None else f"{self._scope.name.rstrip('/')}/"

    def _collected(self, name: str) -> list[Any]:
        return (
            get_default_graph().get_collection(name, self.variable_scope_name)
            if self._called
            else []
        )

    @property
    def variables(self) -> list[Any]:
        """The global and local variables."""
        return self.global_variables + self.local_variables

    @property
    def trainable_variables(self) -> list[Any]:
        """The trainable variables."""
        return self._collected(GraphKeys.TRAINABLE_VARIABLES)

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The global variables that are not trainable."""
        trained = {id(v) for v in self.trainable_variables}
        return [v for v in self.global_variables if id(v) not in trained]

    @property
    def global_variables(self) -> list[Any]:
        """The global variables."""
        return self._collected(GraphKeys.GLOBAL_VARIABLES)

    @property
    def local_variables(self) -> list[Any]:
        """The local variables."""
        return self._collected(GraphKeys.LOCAL_VARIABLES)

    @property
    def weights(self) -> list[Any]:
        """The global and local variables."""
        return self.variables

    @property
    def trainable_weights(self) -> list[Any]:
        """The trainable variables."""
        return self.trainable_variables

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The global variables that are not trainable."""
        return self.non_trainable_variables


class EagerTemplate(Template):
    """A template made in eager execution, with a variable store of its own."""

    def __init__(self, name: str, func: Callable[..., Any], custom_getter: Any) -> None:
        super().__init__(name, func, None, custom_getter)
        self._store = VariableStore(keeps=True)

    _reuse = AUTO_REUSE

    @contextlib.contextmanager
    def _stored(self) -> Iterator[None]:
        graph = get_default_graph()
        around = store_of(graph)
        if around.keeps and not self._called:
            self._store = around
        self._store.opened, self._store.inside = around.opened, around.inside
        stores = graph.get_collection_ref(VARIABLE_STORE)
        stores[0] = self._store
        try:
            yield
        finally:
            stores[0] = around

    def _trained(self) -> list[Any]:
        return [v for v in self._store.variables.values() if v.trainable]

    @property
    def global_variables(self) -> list[Any]:
        """The variables, sorted by name."""
        variables = self._store.variables.values() if self._called else ()
        prefix = self.variable_scope_name
        return sorted((v for v in variables if v.name.startswith(prefix)), key=lambda v: v.name)

    @property
    def trainable_variables(self) -> list[Any]:
        """The trainable variables."""
        return [v for v in self.global_variables if v.trainable]

    @property
    def local_variables(self) -> list[Any]:
        """An empty list: all variables are global."""
        return []


def make_template(
    name_: str,
    func_: Callable[..., Any],
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Any = None,
    **kwargs: Any,
) -> Template:
    """Returns a function whose variables are created by its first call and reused by later ones.

    Args:
        name_: The name of its variable scope; a suffix makes it unique.
        func_: The function.
        create_scope_now_: Whether to create the scope now, not at the first call.
        unique_name_: The exact name of the scope, or None. Not available in eager execution.
        custom_getter_: See ``variable_scope``.
        **kwargs: Keyword arguments of every call of the function.

    Raises:
        ValueError: There is no name, or ``unique_name_`` is used in eager execution.
    """
    func = functools.partial(func_, **kwargs) if kwargs else func_
    if executing_eagerly():
        if unique_name_ is not None:
            raise ValueError("unique_name_ cannot be used when eager execution is enabled.")
        template: Template = EagerTemplate(name_, func, custom_getter_)
    else:
        template = Template(name_, func, unique_name_, custom_getter_)
    if create_scope_now_:
        template.open()
    return template
