"""Behavior switches of TensorFlow 1: eager mode, reference variables, dimensions, equality."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from twinflow._src.control_flow.cond_and_while import modes
from twinflow._src.core.shapes import Dimension, TensorShape
from twinflow._src.core.tensor import Tensor
from twinflow._src.graph.default_graph import disable_eager_execution, enable_eager_execution
from twinflow._src.variables.creation import disable_resource_variables, enable_resource_variables
from twinflow._src.variables.variable import BaseResourceVariable


def disable_v2_behavior() -> None:
    """Switches to TensorFlow 1 behavior.

    Graph mode, reference variables, ``Dimension`` objects, comparison of tensors by identity.
    """
    disable_eager_execution()
    disable_v2_tensorshape()
    disable_resource_variables()
    disable_tensor_equality()
    disable_control_flow_v2()


def enable_v2_behavior() -> None:
    """Switches to TensorFlow 2 behavior, the default."""
    enable_eager_execution()
    enable_v2_tensorshape()
    enable_resource_variables()
    enable_tensor_equality()
    enable_control_flow_v2()


# ------------------------------------------------------------------ control flow


def control_flow_v2_enabled() -> bool:
    """Returns the control flow v2 setting; conditionals and loops are functional ops anyway."""
    return modes.control_flow


def enable_control_flow_v2() -> None:
    """Enables control flow v2: conditionals and loops as functional ops."""
    modes.control_flow = True


def disable_control_flow_v2() -> None:
    """Disables control flow v2: results are named like those of v1 control flow ops."""
    modes.control_flow = False


# ------------------------------------------------------------------ replaced methods


class _Replaced:
    """Methods of classes that a mode replaces.

    Args:
        methods: The methods of the mode, by class and name.
    """

    def __init__(self, methods: dict[type, dict[str, Any]]) -> None:
        self._methods = methods
        self._before: dict[type, dict[str, Any]] = {}

    def replace(self) -> None:
        """Enables the mode: replaces the methods."""
        if not self._before:
            for cls, methods in self._methods.items():
                self._before[cls] = {name: getattr(cls, name) for name in methods}
                _set(cls, methods)

    def put_back(self) -> None:
        """Disables the mode: restores the methods."""
        for cls, methods in self._before.items():
            _set(cls, methods)
        self._before.clear()


def _set(cls: type, methods: dict[str, Any]) -> None:
    for name, method in methods.items():
        setattr(cls, name, method)


_BY_IDENTITY = {name: getattr(object, name) for name in ("__eq__", "__ne__", "__hash__")}
_equality = _Replaced(
    {Tensor: {**_BY_IDENTITY, "_USE_EQUALITY": False}, BaseResourceVariable: _BY_IDENTITY}
)


def enable_tensor_equality() -> None:
    """Makes ``==`` compare tensors and variables elementwise, the default."""
    _equality.put_back()


def disable_tensor_equality() -> None:
    """Makes ``==`` compare tensors and variables by identity; they become hashable."""
    _equality.replace()


# ------------------------------------------------------------------ Dimension objects


_ROOT = __name__.partition(".")[0]
_item, _items = TensorShape.__getitem__, TensorShape.__iter__


def _asked_by_program() -> bool:
    """True if the caller of a shape's method is user code; internal modules always get integers."""
    try:
        caller = sys._getframe(2).f_globals.get("__name__", "")
    except ValueError:  # no Python frame on the stack if called from R
        return True
    return str(caller).partition(".")[0] != _ROOT


def _dimension(shape: TensorShape, key: Any) -> Any:
    if isinstance(key, slice) or not _asked_by_program():
        return _item(shape, key)
    return Dimension(None) if shape.dims is None else shape.dims[key]


def _dimensions(shape: TensorShape) -> Iterator[Any]:
    by_program = _asked_by_program()
    sizes = _items(shape)
    return map(Dimension, sizes) if by_program else sizes


def _format_shape(shape: TensorShape) -> str:
    return f"TensorShape({shape.dims})"


def _text(shape: TensorShape) -> str:
    if shape.dims is None:
        return "<unknown>"
    return f"({', '.join(map(str, shape.dims))}{',' if len(shape.dims) == 1 else ''})"


_shapes = _Replaced(
    {
        TensorShape: {
            "__getitem__": _dimension,
            "__iter__": _dimensions,
            "__repr__": _format_shape,
            "__str__": _text,
        }
    }
)


def enable_v2_tensorshape() -> None:
    """Makes the items of a TensorShape integers or None, the default."""
    _shapes.put_back()


def disable_v2_tensorshape() -> None:
    """Makes the items of a TensorShape ``Dimension`` objects with an integer or None ``value``."""
    _shapes.replace()
