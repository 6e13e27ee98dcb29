"""Variable scopes of TensorFlow 1: ``variable_scope`` and ``get_variable``.

A variable scope holds the defaults of ``get_variable``; variables are shared by name.
"""

from __future__ import annotations

import enum
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import dtypes
from twinflow._src.core.context import Block, entered, thread
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.op import API, documented_like
from twinflow._src.graph.collections import VARIABLE_SCOPES, GraphKeys
from twinflow._src.graph.default_graph import executing_eagerly, get_default_graph
from twinflow._src.variables import creation as variable_making
from twinflow._src.variables.options import VariableAggregation, VariableSynchronization
from twinflow._src.variables.store import VariableStore, store_of

# Scopes and their options.


class _ReuseMode(enum.Enum):
    """Reuse modes of variable scopes."""

    AUTO_REUSE = 1


AUTO_REUSE = _ReuseMode.AUTO_REUSE

_OPTIONS = (
    "initializer",
    "regularizer",
    "caching_device",
    "partitioner",
    "custom_getter",
    "use_resource",
    "constraint",
)


def _option(name: str) -> property:
    return property(lambda self: self._options[name], doc=f"The {name.replace('_', ' ')}, or None.")


class VariableScope:
    """Defaults of ``get_variable`` within a variable scope.

    Args:
        reuse: True to return existing variables only, False or None to create them only,
            ``AUTO_REUSE`` for both.
        name: The name prefix.
        initializer: The default initializer.
        regularizer: A function that returns the loss of a variable.
        caching_device: Accepted and without effect.
        partitioner: The partitioner of variables.
        custom_getter: A function that gets variables and is called with the default getter.
        name_scope: The name scope.
        dtype: The dtype of variables.
        use_resource: Whether to create resource variables.
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
        values = (
            initializer,
            regularizer,
            caching_device,
            partitioner,
            custom_getter,
            use_resource,
            constraint,
        )
        self._name, self._reuse, self._dtype = name, reuse, dtype
        self._options: dict[str, Any] = dict(zip(_OPTIONS, values))
        self._name_scope = name_scope

    @property
    def name(self) -> str:
        """The name prefix."""
        return self._name

    @property
    def original_name_scope(self) -> str:
        """The name scope at the entry of the scope."""
        return self._name_scope

    @property
    def reuse(self) -> Any:
        """The reuse mode: True, False, None or ``AUTO_REUSE``."""
        return self._reuse

    @property
    def dtype(self) -> Any:
        """The default dtype of variables."""
        return self._dtype

    def but(self, **changes: Any) -> VariableScope:
        """Returns a copy of this scope with the options in ``changes`` that are not None."""
        values = {
            "name": self._name,
            "reuse": self._reuse,
            "dtype": self._dtype,
            "name_scope": self._name_scope,
        }
        settings = {**values, **self._options} | {k: v for k, v in changes.items() if v is not None}
        return VariableScope(**settings)

    def reuse_variables(self) -> None:
        """Sets the reuse mode to True: only existing variables are returned from now on."""
        self._reuse = True

    def set_initializer(self, initializer: Any) -> None:
        """Sets the default initializer."""
        self._options["initializer"] = initializer

    def set_dtype(self, dtype: Any) -> None:
        """Sets the default dtype of variables."""
        self._dtype = dtype

    def set_use_resource(self, use_resource: bool) -> None:
        """Sets whether to create resource variables."""
        self._options["use_resource"] = use_resource

    def set_regularizer(self, regularizer: Any) -> None:
        """Sets the function that returns the loss of a variable."""
        self._options["regularizer"] = regularizer

    def set_caching_device(self, caching_device: Any) -> None:
        """Sets the caching device, which has no effect."""
        self._options["caching_device"] = caching_device

    def set_partitioner(self, partitioner: Any) -> None:
        """Sets the partitioner of variables."""
        self._options["partitioner"] = partitioner

    def set_custom_getter(self, custom_getter: Any) -> None:
        """Sets the function that gets variables."""
        self._options["custom_getter"] = custom_getter

    def get_collection(self, name: Any) -> list[Any]:
        """Returns the values of a collection whose names begin with that of the scope."""
        return get_default_graph().get_collection(
            name, f"{self._name}/" if self._name else self._name
        )

    def trainable_variables(self) -> list[Any]:
        """Returns the trainable variables of the scope."""
        return self.get_collection("trainable_variables")

    def global_variables(self) -> list[Any]:
        """Returns the global variables of the scope."""
        return self.get_collection("variables")

    def local_variables(self) -> list[Any]:
        """Returns the local variables of the scope."""
        return self.get_collection("local_variables")

    def get_variable(
        self, store: VariableStore, name: str, reuse: Any = None, dtype: Any = None, **options: Any
    ) -> Any:
        """Returns the variable of a name within the scope; see ``tf.compat.v1.get_variable``."""
        full = f"{self._name}/{name}" if self._name else name
        if executing_eagerly():
            reuse = AUTO_REUSE if store.keeps else False
        with entered(thread.scope.but(name="")):
            _assert_type(options.get("initializer"), dtype)
        settings = {**options, **{k: self._options[k] for k in _OPTIONS if options.get(k) is None}}
        dtype = self._dtype if dtype is None else dtype
        shape = settings.get("shape")
        settings["shape"] = None if shape is None else TensorShape(shape)
        with entered(thread.scope.but(name="")):
            return store.get(
                full,
                reuse=self._reuse if reuse is None else reuse,
                dtype=dtypes.as_dtype(dtype),
                **settings,
            )


def _assert_type(value: Any, dtype: Any) -> None:
    """Raises ValueError where an initial value has another dtype than requested."""
    if dtype is None or value is None or callable(value):
        return
    value_dtype = convert_to_tensor(value).dtype.base_dtype
    if value_dtype != dtype:
        raise ValueError(
            f"Initializer type '{value_dtype}' and explicit dtype '{dtype}' don't match."
        )


def get_variable_scope() -> VariableScope:
    """Returns the current variable scope."""
    scope: VariableScope = scope_stack()[-1]
    return scope


class _Scopes(threading.local):
    """The stack of variable scopes that each thread has entered in a graph, innermost last."""

    def __init__(self) -> None:
        self.stack: list[Any] = [VariableScope(False)]


def scope_stack() -> list[Any]:
    """Returns the stack of variable scopes of this thread in the default graph."""
    scopes = get_default_graph().get_collection_ref(VARIABLE_SCOPES)
    if not scopes:
        scopes.append(_Scopes())
    stack: list[Any] = scopes[0].stack
    return stack


def enter(scope: VariableScope) -> None:
    """Pushes a scope on the stack."""
    scope_stack().append(scope)


def leave(scope: VariableScope, stack: list[Any]) -> None:
    """Removes a scope from the stack; after a delayed exit it is not the innermost one."""
    stack[:] = [each for each in stack if each is not scope]


def current_store() -> VariableStore:
    """Returns the variable store of the default graph."""
    return store_of(get_default_graph())


# ``variable_scope`` and ``get_variable``.


variable_making.scope_wants = lambda: get_variable_scope().use_resource


class pure_scope(Block):
    """A variable scope without a name scope; see ``variable_scope``."""

    __slots__ = ("_base", "_options", "_reuse")

    def __init__(
        self, name_or_scope: Any, reuse: Any = None, name_scope: str | None = None, **options: Any
    ) -> None:
        super().__init__()
        self._base, self._reuse, self._options = (
            name_or_scope,
            reuse,
            {"name_scope": name_scope, **options},
        )

    def __enter__(self) -> VariableScope:
        old, store, base_scope = get_variable_scope(), current_store(), self._base
        again = isinstance(base_scope, VariableScope)
        base = base_scope if again else old
        name = base_scope.name if again else f"{old.name}/{base_scope}" if old.name else base_scope
        getter = _nested(self._options.get("custom_getter"), base.custom_getter)
        scope = base.but(
            **{
                **self._options,
                "name": name,
                "reuse": self._reuse or base.reuse,
                "custom_getter": getter,
            }
        )
        scope._name = name
        self._changes.append((scope, scope_stack(), store, store.opened.copy() if again else None))
        store.open_scope(name)
        enter(scope)
        return scope

    def _restore(self) -> None:
        """Leaves the scope; it may run again after an interrupt."""
        if not self._changes:
            return
        scope, stack, store, before = self._changes[-1]
        leave(scope, stack)
        if before is None:
            store.forget_inside(scope._name)
        else:
            store.opened = before
        del self._changes[-1]


def _nested(inner: Any, outer: Any) -> Any:
    """Composes two custom getters: the inner one is called with the outer one as its getter."""
    if inner is None or outer is None:
        return inner or outer

    def both(getter: Any, *args: Any, **kwargs: Any) -> Any:
        def next_one(*inner_args: Any, **inner_kwargs: Any) -> Any:
            return outer(getter, *inner_args, **inner_kwargs)

        return inner(next_one, *args, **kwargs)

    return both


def unique_scope(prefix: str) -> str:
    """Returns a name for a variable scope that has not been opened yet."""
    current, store = get_variable_scope().name, current_store()
    name, number = f"{current}/{prefix}" if current else prefix, 0
    candidate = prefix
    while store.opened[f"{name}_{number}" if number else name]:
        number += 1
        candidate = f"{prefix}_{number}"
    return candidate


@documented_like(VariableScope)
class variable_scope(Block):
    """A context manager for a variable scope, which sets the defaults of ``get_variable``.

    Args:
        name_or_scope: A name prefix, or a variable scope to enter again.
        default_name: The prefix where ``name_or_scope`` is None; a suffix makes it unique.
        values: Accepted and without effect.
        reuse: True to return existing variables only, ``AUTO_REUSE`` to also create them, None to
            inherit the mode of the outer scope.
        auxiliary_name_scope: Whether to open a name scope, too.

    Raises:
        TypeError: ``name_or_scope`` is missing or of another type.
        ValueError: ``reuse`` is invalid.
    """

    def __init__(
        self,
        name_or_scope: Any,
        default_name: str | None = None,
        values: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        reuse: Any = None,
        dtype: Any = None,
        use_resource: Any = None,
        constraint: Any = None,
        auxiliary_name_scope: bool = True,
    ) -> None:
        if default_name is None and name_or_scope is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        if reuse not in (True, False, None, AUTO_REUSE) or (
            reuse in (0, 1) and not isinstance(reuse, bool)
        ):
            raise ValueError("The reuse parameter must be True or False or None.")
        if name_or_scope is not None and not isinstance(name_or_scope, (str, VariableScope)):
            raise TypeError("VariableScope: name_or_scope must be a string or VariableScope.")
        if not isinstance(auxiliary_name_scope, bool):
            raise TypeError(
                f"The auxiliary_name_scope must be `True` or `False`, while get {auxiliary_name_scope}"
            )
        self._scope, self._default, self._names = name_or_scope, default_name, auxiliary_name_scope
        self._reuse = reuse or None
        self._options = {
            "initializer": initializer,
            "regularizer": regularizer,
            "caching_device": caching_device,
            "partitioner": partitioner,
            "custom_getter": custom_getter,
            "dtype": dtype,
            "use_resource": use_resource,
            "constraint": constraint,
        }
        self._changes: list[Any] = []  # the context managers of each entry

    def __enter__(self) -> VariableScope:
        blocks: list[Any] = []
        self._changes.append(blocks)
        try:
            return self._entered(blocks)
        except BaseException:
            self._restore()
            raise

    def _entered(self, blocks: list[Any]) -> VariableScope:
        target = self._scope
        if isinstance(target, VariableScope):
            if target.name:
                self._name_scope(blocks, target.name.rpartition("/")[2])
            return _enter_block(blocks, pure_scope(target, self._reuse, **self._options))
        if target is None:
            if self._reuse:
                raise ValueError("reuse=True cannot be used without a name_or_scope")
            target, label = unique_scope(self._default or ""), self._default
        else:
            label = target
        path = self._name_scope(blocks, label)
        return _enter_block(
            blocks, pure_scope(target, self._reuse, name_scope=path, **self._options)
        )

    def _name_scope(self, blocks: list[Any], name: str | None) -> str:
        """Opens a name scope if requested; returns the path of the current name scope."""
        if self._names and name:
            return _enter_block(blocks, API["name_scope"](name))
        around = API["get_current_name_scope"]()
        return f"{around}/" if around else around

    def _restore(self) -> None:
        for block in reversed(self._changes[-1]):
            block._restore()
        del self._changes[-1]


def _enter_block(blocks: list[Any], block: Any) -> Any:
    """Enters a context manager, which is stored first, so that it is exited after an interrupt."""
    blocks.append(block)
    return block.__enter__()


@contextmanager
def variable_op_scope(
    values: Any,
    name_or_scope: Any,
    default_name: str | None = None,
    initializer: Any = None,
    regularizer: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    reuse: Any = None,
    dtype: Any = None,
    use_resource: Any = None,
    constraint: Any = None,
) -> Iterator[VariableScope]:
    """Opens a variable scope; the older form of ``variable_scope``, with the values first."""
    with variable_scope(
        name_or_scope,
        default_name,
        values,
        initializer,
        regularizer,
        caching_device,
        partitioner,
        custom_getter,
        reuse,
        dtype,
        use_resource,
        constraint,
    ) as scope:
        yield scope


def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: Any = None,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: Any = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
) -> Any:
    """Returns an existing variable or creates one, within the current variable scope.

    Args:
        name: The name within the scope.
        shape: The shape; that of the initializer where it is a value.
        dtype: The dtype; that of the scope where None.
        initializer: A value, or a callable that returns one for a shape and a dtype.
        regularizer: A function that returns the loss of the variable.
        trainable: Whether optimizers train it; True where None.
        collections: The collections to add it to; ``GLOBAL_VARIABLES`` where None.
        caching_device: Accepted and without effect.
        partitioner: The partitioner of the variable.
        validate_shape: Whether the variable has the static shape of its initial value.
        use_resource: Whether to create a resource variable.
        custom_getter: A function that gets the variable and is called with the default getter.
        constraint: A function that optimizers apply after each update.
        synchronization: The synchronization mode of distributed copies.
        aggregation: The aggregation mode of distributed copies.

    Returns:
        The variable.

    Raises:
        ValueError: The variable exists where it must be created, does not exist where it must be
            reused, or has another shape or dtype.
    """
    return get_variable_scope().get_variable(
        current_store(),
        name,
        dtype=dtype,
        shape=shape,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=collections,
        caching_device=caching_device,
        partitioner=partitioner,
        validate_shape=validate_shape,
        use_resource=use_resource,
        custom_getter=custom_getter,
        constraint=constraint,
        synchronization=synchronization,
        aggregation=aggregation,
    )


def get_local_variable(name: str, *args: Any, **kwargs: Any) -> Any:
    """Returns or creates a local variable, neither trained nor saved; see ``get_variable``."""
    collections = kwargs.pop("collections", None) or []
    kwargs.update(collections=[*collections, GraphKeys.LOCAL_VARIABLES], trainable=False)
    return get_variable(name, *args, **kwargs)


def no_regularizer(_: Any) -> None:
    """Returns None: a regularizer without a loss."""


def create_partitioned_variables(
    shape: Any,
    slicing: Any,
    initializer: Any,
    dtype: Any = None,
    trainable: bool = True,
    collections: Any = None,
    name: str | None = None,
    reuse: Any = None,
) -> list[Any]:
    """Creates the partitions of a variable.

    Args:
        shape: The shape of the full variable.
        slicing: The number of partitions along each dimension.
        initializer: A value, or a callable that returns one for a shape and a dtype.
        dtype: The dtype.
        trainable: Whether optimizers train it.
        collections: The collections to add the partitions to.
        name: The name of the full variable.
        reuse: See ``variable_scope``.

    Returns:
        The list of the partitions.
    """
    if len(shape) != len(slicing):
        raise ValueError(
            f"The 'shape' and 'slicing' of a partitioned Variable must have the length: shape: {shape}, slicing: {slicing}"
        )
    with variable_scope(name, "PartitionedVariable", reuse=reuse):
        partitioned = get_variable(
            "",
            shape,
            dtype,
            initializer,
            trainable=trainable,
            collections=collections,
            partitioner=lambda **_: list(slicing),
        )
        return list(partitioned)
