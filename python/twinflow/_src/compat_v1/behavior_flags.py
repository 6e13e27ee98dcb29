"""Behavior switches of TensorFlow 1: eager mode, reference variables, dimensions, equality."""

from __future__ import annotations

from twinflow._src.control_flow.cond_and_while import modes
from twinflow._src.core.shapes import TensorShape
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


# ------------------------------------------------------------------ equality


_BY_IDENTITY = {name: getattr(object, name) for name in ("__eq__", "__ne__", "__hash__")}
_ELEMENTWISE = {
    cls: {name: getattr(cls, name) for name in _BY_IDENTITY}
    for cls in (Tensor, BaseResourceVariable)
}


def _set_equality(enabled: bool) -> None:
    for cls, methods in _ELEMENTWISE.items():
        for name, method in (methods if enabled else _BY_IDENTITY).items():
            setattr(cls, name, method)
    Tensor._USE_EQUALITY = enabled


def enable_tensor_equality() -> None:
    """Makes ``==`` compare tensors and variables elementwise, the default."""
    _set_equality(True)


def disable_tensor_equality() -> None:
    """Makes ``==`` compare tensors and variables by identity; they become hashable."""
    _set_equality(False)


# ------------------------------------------------------------------ Dimension objects


def enable_v2_tensorshape() -> None:
    """Makes the items of a TensorShape integers or None, the default."""
    TensorShape._v2_behavior = True


def disable_v2_tensorshape() -> None:
    """Makes the items of a TensorShape ``Dimension`` objects with an integer or None ``value``."""
    TensorShape._v2_behavior = False
