"""Scopes of op execution: ``tf.device``, ``tf.name_scope``, ``tf.init_scope``; the logger."""

from __future__ import annotations

import functools
import logging
import sys
from threading import get_ident
from typing import Any

from twinflow._src.core.context import Block, Scope, altered, thread
from twinflow._src.core.devices import LOCAL, DeviceSpec, DeviceSpecV1, LogicalDevice
from twinflow._src.core.tensor import EagerTensor, Tensor
from twinflow._src.dispatch.op import OPS, export

# ``tf.device`` and ``tf.name_scope``.


export("compat.v1.DeviceSpec")(DeviceSpecV1)


class _EagerDeviceContext(Block):
    """The eager context manager of ``tf.device``."""

    _device_name: Any

    def __enter__(self) -> None:
        outer, name = thread.scope, self._device_name
        if name is not None:
            if not isinstance(name, str):
                raise ValueError(f"Expecting a string device name. Got {type(name)}({name!s})")
            base = outer.device
            if base is None:
                base = "" if outer.graph is not None else _HOST
            name = _merge_names(base, name)
        scope = outer.but(device=name)
        self._changes.append((get_ident(), vars(thread), "scope", outer, scope))  # as ``_replace``
        thread.scope = scope


_HOST = f"{LOCAL}/device:CPU:0"


@functools.lru_cache(maxsize=1024)
def _merge_names(outer: str, inner: str) -> str:
    """Returns the device name of a scope within another; spellings are parsed once."""
    merged = DeviceSpec.from_string(outer).make_merged_spec(DeviceSpec.from_string(inner))
    return merged.to_string()


@export("device")
def device(device_name: Any) -> Any:
    """Returns a context manager that places operations on a device.

    Args:
        device_name: A device name in any spelling, a ``tf.DeviceSpec``, or None to ignore outer
            scopes.

    Returns:
        A context manager.

    Raises:
        RuntimeError: The argument is a function, which only graphs support.
        ValueError: The name cannot be parsed (raised on entering).
    """
    if isinstance(device_name, DeviceSpec):
        device_name = device_name.to_string()
    if isinstance(device_name, LogicalDevice):
        device_name = device_name.name
    if callable(device_name):
        raise RuntimeError("tf.device does not support functions.")
    graph = thread.scope.graph
    if graph is not None and not graph.building_function:
        return graph.device(device_name)
    context = object.__new__(_EagerDeviceContext)  # avoids the call of __init__
    context._changes, context._device_name = [], device_name
    return context


def _path(name: str, outer: Scope) -> str:
    if not name or name.endswith("/"):
        return name
    if outer.graph is not None:
        return str(outer.graph.path_of(name))
    return f"{outer.name}{name}/"


class name_scope(Block):
    """A context manager that prefixes the names of operations and variables.

    Args:
        name: The prefix; one that ends in ``/`` replaces the prefixes of outer scopes.

    Raises:
        ValueError: The name is not a string.
    """

    __module__ = "twinflow"

    def __init__(self, name: Any) -> None:
        if not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")
        super().__init__()
        self._name = name

    @property
    def name(self) -> str:
        """The prefix."""
        return self._name

    def __enter__(self) -> str:
        outer = thread.scope
        path = _path(self._name, outer)
        self._replace(thread, "scope", outer.but(name=path))
        return path


export("name_scope")(name_scope)


# ``tf.init_scope`` and queries of the current scope.


@export("init_scope")
def init_scope() -> Any:
    """Returns a context manager that lifts operations out of the functions being traced.

    The operations run once, at tracing time. They are not recorded on outer tapes and have no
    control dependencies on outer operations; name and device scopes stay.
    """
    return altered(thread, "scope", _outside)


def _outside(scope: Scope) -> Scope:
    graph = scope.graph
    while graph is not None and graph.building_function:
        graph = graph.outer
    device = scope.around if graph is None else scope.device
    return scope.but(graph=graph, device=device, controls=(), observers=())


@export("get_current_name_scope")
def get_current_name_scope() -> str:
    """Returns the path of the current name scope.

    Returns:
        The path of the enclosing ``tf.name_scope`` scopes, without a trailing slash.
    """
    return thread.scope.name.removesuffix("/")


@export("inside_function")
def inside_function() -> bool:
    """Returns True while a function is being traced.

    Returns:
        A boolean.
    """
    graph = thread.scope.graph
    return graph is not None and graph.building_function


@export("is_symbolic_tensor")
def is_symbolic_tensor(tensor: Any) -> bool:
    """Returns True if a value is a symbolic tensor of a graph.

    Args:
        tensor: Any value.

    Returns:
        A boolean.
    """
    return isinstance(tensor, Tensor) and not isinstance(tensor, EagerTensor)


# ------------------------------------------------------------------ logger


@export("get_logger")
def get_logger() -> logging.Logger:
    """Returns TensorFlow's logger.

    Returns:
        A ``logging.Logger`` that writes to standard error unless logging is configured.
    """
    logger = logging.getLogger("tensorflow")
    if not logger.handlers and not logging.getLogger().handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter(logging.BASIC_FORMAT))
        logger.addHandler(handler)
    return logger


# ------------------------------------------------------------------ ops without gradients


_without_gradient = {"Size", "Rank"}  # and the types that programs mark


@export("no_gradient")
def no_gradient(op_type: str) -> None:
    """Marks an operation type as not differentiable.

    Args:
        op_type: The type of the operation.

    Raises:
        TypeError: The type is not a string.
        KeyError: A gradient is already registered for the type.
    """
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")
    op = OPS.get(op_type)
    is_defined = op is not None and (op.no_gradient or op.gradient is not None)
    if is_defined or op_type in _without_gradient:
        raise KeyError(f"Registering two gradient with name '{op_type}'!")
    _without_gradient.add(op_type)
    if op is not None:
        op.no_gradient = True
