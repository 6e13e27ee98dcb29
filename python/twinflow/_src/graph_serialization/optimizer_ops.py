"""The operations of optimizers in imported graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.compat_v1 import optimizer_rules as rules
from twinflow._src.compat_v1.optimizer_ops import made, update_layout
from twinflow._src.core.context import thread
from twinflow._src.graph_serialization.variable_handles import variable_of

RULES: dict[str, Callable[..., Any]] = {
    "ApplyGradientDescent": rules.gradient_descent,
    "ApplyMomentum": rules.momentum,
    "ApplyAdagrad": rules.adagrad,
    "ApplyAdadelta": rules.adadelta,
    "ApplyRMSProp": rules.rmsprop,
    "ApplyCenteredRMSProp": rules.centered_rmsprop,
    "ApplyFtrl": rules.ftrl,
    "ApplyAdagradDA": rules.adagrad_da,
    "ApplyAdam": rules.adam,
}
# All types that are read.
TYPES = [f"{start}{kind}" for base in RULES for start in ("", "Resource") for kind in (base, base.replace("Apply", "SparseApply"))]


def update_of(node: Any) -> Any:
    """Adds the operation of an optimizer.

    Args:
        node: The node of a message.

    Returns:
        The operation, and what stands for its result.
    """
    base = node.type.removeprefix("Resource").replace("SparseApply", "Apply")
    count, _, _ = update_layout(node.type)
    variables = [variable_of(tensor, node.name) for tensor in node.inputs[:count]]
    rule = rules.nesterov if node.attrs.get("use_nesterov") else RULES[base]
    graph = thread.scope.graph
    attrs = {"use_nesterov": True} if rule is rules.nesterov else {}
    graph.add(made(node.type, rule), (*variables, *node.inputs[count:]), attrs, node.name)
    return graph.get_operation_by_name(node.name), [variables[0]._handle.tensor]
