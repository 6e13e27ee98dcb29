"""Variable scopes: what holds for the variables that ``get_variable`` makes within a block."""

from __future__ import annotations

import enum
import threading
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import dtypes
from twinflow._src.core.context import entered, thread
from twinflow._src.core.shapes import TensorShape
from twinflow._src.graph.collections import VARIABLE_SCOPES
from twinflow._src.graph.default_graph import executing_eagerly, get_default_graph
from twinflow._src.variables.store import VariableStore, store_of


class _ReuseMode(enum.Enum):
    """How a variable scope finds variables."""

    AUTO_REUSE = 1


AUTO_REUSE = _ReuseMode.AUTO_REUSE

_OPTIONS = ("initializer", "regularizer", "caching_device", "partitioner", "custom_getter", "use_resource", "constraint")


def _option(name: str) -> property:
    return property(lambda self: self._options[name], doc=f"The {name.replace('_', ' ')}, or None.")


class VariableScope:
    """What holds for the variables of a block.

    Args:
        reuse: True to find variables alone, False or None to make them alone, ``AUTO_REUSE`` for both.
        name: The prefix of names.
        initializer: What makes first values.
        regularizer: A function of a variable that gives a loss.
        caching_device: Accepted and without effect.
        partitioner: What splits variables into parts.
        custom_getter: A function that gets variables instead of the usual one, which it is given.
        name_scope: The name scope.
        dtype: The type of variables.
        use_resource: Whether variables are resources.
        constraint: A function that optimizers apply after each update.
    """

    initializer, regularizer = _option("initializer"), _option("regularizer")
    caching_device, partitioner = _option("caching_device"), _option("partitioner")
    custom_getter, use_resource = _option("custom_getter"), _option("use_resource")
    constraint = _option("constraint")

    def __init__(
        self,
        reuse: Any,
        name: str = "",
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        name_scope: str = "",
        dtype: Any = dtypes.float32,
        use_resource: Any = None,
        constraint: Any = None,
    ) -> None:
        given = (initializer, regularizer, caching_device, partitioner, custom_getter, use_resource, constraint)
        self._name, self._reuse, self._dtype = name, reuse, dtype
        self._options: dict[str, Any] = dict(zip(_OPTIONS, given))
        self._name_scope = name_scope

    @property
    def name(self) -> str:
        """The prefix of names."""
        return self._name

    @property
    def original_name_scope(self) -> str:
        """The name scope in which the block began."""
        return self._name_scope

    @property
    def reuse(self) -> Any:
        """Whether variables are found, made, or both."""
        return self._reuse

    @property
    def dtype(self) -> Any:
        """The type of variables."""
        return self._dtype

    def but(self, **changes: Any) -> VariableScope:
        """A scope like this one but for what is given and not None."""
        values = {"name": self._name, "reuse": self._reuse, "dtype": self._dtype, "name_scope": self._name_scope}
        found = {**values, **self._options} | {k: v for k, v in changes.items() if v is not None}
        return VariableScope(**found)

    def reuse_variables(self) -> None:
        """From now on variables are found, not made."""
        self._reuse = True

    def set_initializer(self, initializer: Any) -> None:
        """Sets what makes first values."""
        self._options["initializer"] = initializer

    def set_dtype(self, dtype: Any) -> None:
        """Sets the type of variables."""
        self._dtype = dtype

    def set_use_resource(self, use_resource: bool) -> None:
        """Sets whether variables are resources."""
        self._options["use_resource"] = use_resource

    def set_regularizer(self, regularizer: Any) -> None:
        """Sets the function that gives a loss of a variable."""
        self._options["regularizer"] = regularizer

    def set_caching_device(self, caching_device: Any) -> None:
        """Accepted and without effect."""
        self._options["caching_device"] = caching_device

    def set_partitioner(self, partitioner: Any) -> None:
        """Sets what splits variables into parts."""
        self._options["partitioner"] = partitioner

    def set_custom_getter(self, custom_getter: Any) -> None:
        """Sets the function that gets variables."""
        self._options["custom_getter"] = custom_getter

    def get_collection(self, name: Any) -> list[Any]:
        """The values of a collection whose names begin with that of the scope."""
        return get_default_graph().get_collection(name, f"{self._name}/" if self._name else self._name)

    def trainable_variables(self) -> list[Any]:
        """The variables of the scope that optimizers train."""
        return self.get_collection("trainable_variables")

    def global_variables(self) -> list[Any]:
        """The variables of the scope that all steps share."""
        return self.get_collection("variables")

    def local_variables(self) -> list[Any]:
        """The local variables of the scope."""
        return self.get_collection("local_variables")

    def get_variable(
        self, store: VariableStore, name: str, reuse: Any = None, dtype: Any = None, **options: Any
    ) -> Any:
        """The variable of a name within the scope; see ``tf.compat.v1.get_variable``."""
        full = f"{self._name}/{name}" if self._name else name
        if executing_eagerly():
            reuse = AUTO_REUSE if store.keeps else False
        with entered(thread.scope.but(name="")):
            _assert_type(options.get("initializer"), dtype)
        found = {**options, **{k: self._options[k] for k in _OPTIONS if options.get(k) is None}}
        dtype = self._dtype if dtype is None else dtype
        shape = found.get("shape")
        found["shape"] = None if shape is None else TensorShape(shape)
        with entered(thread.scope.but(name="")):
            return store.get(full, reuse=self._reuse if reuse is None else reuse, dtype=dtypes.as_dtype(dtype), **found)


def _assert_type(value: Any, dtype: Any) -> None:
    """Raises ValueError where a first value is given that has another type than is asked for."""
    if dtype is None or value is None or callable(value):
        return
    own = convert_to_tensor(value).dtype.base_dtype
    if own != dtype:
        raise ValueError(f"Initializer type '{own}' and explicit dtype '{dtype}' don't match.")


def get_variable_scope() -> VariableScope:
    """The variable scope that surrounds."""
    found: VariableScope = scope_stack()[-1]
    return found


class _Scopes(threading.local):
    """The variable scopes that each thread has entered in a graph, the innermost last."""

    def __init__(self) -> None:
        self.stack: list[Any] = [VariableScope(False)]


def scope_stack() -> list[Any]:
    """The variable scopes that this thread has entered in the default graph."""
    held = get_default_graph().get_collection_ref(VARIABLE_SCOPES)
    if not held:
        held.append(_Scopes())
    stack: list[Any] = held[0].stack
    return stack


def enter(scope: VariableScope) -> None:
    """Makes a scope the one that surrounds."""
    scope_stack().append(scope)


def leave(scope: VariableScope, stack: list[Any]) -> None:
    """Ends a scope, which is not the innermost one where an interrupt has delayed its end."""
    stack[:] = [each for each in stack if each is not scope]


def current_store() -> VariableStore:
    """The variables that ``get_variable`` made in the default graph."""
    return store_of(get_default_graph())
