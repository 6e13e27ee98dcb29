"""What files hold of operations that stand otherwise in a graph here than in TensorFlow's definitions.

Most operations take what their definition says, in its order; those do not need to be named here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..graphs.symbolic import Operation
from ..variables.ref_variable import REFERENCE_TYPES, RefVariable


class Written(NamedTuple):
    """An operation as its definition has it.

    Attributes:
        type: The type.
        arguments: One value for each input of the definition: a tensor, a variable or a tuple.
        attrs: Values of attributes, under the names of the definition.
    """

    type: str
    arguments: tuple[Any, ...]
    attrs: dict[str, Any]


# The operations on references that do the same as those on resources.
_ON_REFERENCES = {own: type for type, own in REFERENCE_TYPES.items()} | {"ReadVariableOp": "Identity"}

# Attributes that have another name in definitions.
RENAMED = {
    "keep_dims": "keepdims",
    "squeeze_dims": "axis",
    "DstT": "dtype",
}


def written(node: Operation) -> Written:
    """An operation as its definition has it.

    Args:
        node: The operation.
    """
    layout = _LAYOUTS.get(node.type)
    if layout is not None:
        return layout(node)
    type = node.type
    if node.arguments and isinstance(node.arguments[0], RefVariable):
        type = _ON_REFERENCES.get(type, type)
    return Written(type, node.arguments, node.attrs)


def _handle(node: Operation) -> Written:
    own = {"debug_name": f"{node.name}/", "allowed_devices": [], "container": ""}
    return Written(node.type, (), {**own, **node.attrs})


def _variable(node: Operation) -> Written:
    variable = node.arguments[0]
    own = {"dtype": variable.dtype.base_dtype, "shape": variable.shape, "container": "", "shared_name": ""}
    return Written(node.type, (), own)


# How the optimizers' operations are laid out here: how many variables come first in the definition, and
# which of the numbers here, the gradient being the last, follow them.
_UPDATES = {
    "ApplyGradientDescent": (1, "lr grad", "lr grad"),
    "ApplyMomentum": (2, "lr momentum grad", "lr grad momentum"),
    "ApplyAdagrad": (2, "lr grad", "lr grad"),
    "ApplyAdadelta": (3, "lr rho epsilon grad", "lr rho epsilon grad"),
    "ApplyRMSProp": (3, "lr rho momentum epsilon grad", "lr rho momentum epsilon grad"),
    "ApplyCenteredRMSProp": (4, "lr rho momentum epsilon grad", "lr rho momentum epsilon grad"),
    "ApplyFtrl": (3, "lr l1 l2 power grad", "grad lr l1 l2 power"),
    "ApplyAdagradDA": (3, "lr l1 l2 step grad", "grad lr l1 l2 step"),
    "ApplyAdam": (3, "lr beta1 beta2 epsilon power1 power2 grad", "power1 power2 lr beta1 beta2 epsilon grad"),
}


def update_layout(type: str) -> tuple[int, list[str], list[str]]:
    """The layout of an optimizer's operation.

    Args:
        type: Its type in a definition.

    Returns:
        How many variables it takes, then the names of its numbers as they stand here and in the definition.
    """
    rows = "SparseApply" in type
    count, ours, theirs = _UPDATES[type.removeprefix("Resource").replace("SparseApply", "Apply")]
    if rows:
        ours, theirs = (text.replace("grad", "grad indices") for text in (ours, theirs))
    return count, ours.split(), theirs.split()


def _update(node: Operation) -> Written:
    from ..legacy.optimizer_ops import attrs_of

    base = node.type.removeprefix("Resource")
    count = _UPDATES[base][0]
    numbers, variables = node.arguments[:-count], node.arguments[-count:]
    rows = len(numbers) > len(_UPDATES[base][1].split())
    kind = base.replace("Apply", "SparseApply") if rows else base
    type = kind if isinstance(variables[0], RefVariable) else f"Resource{kind}"
    _, ours, theirs = update_layout(type)
    by_name = dict(zip(ours, numbers, strict=True))
    return Written(type, (*variables, *(by_name[name] for name in theirs)), attrs_of(node.definition))


_LAYOUTS: dict[str, Callable[[Operation], Written]] = {
    "VarHandleOp": _handle,
    "VariableV2": _variable,
    **dict.fromkeys((f"Resource{base}" for base in _UPDATES), _update),
}
