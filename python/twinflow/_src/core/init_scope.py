"""What surrounds a call, and what leads out of it: functions, names, the program's log."""

from __future__ import annotations

import logging
import sys
from typing import Any

from twinflow._src.core.context import Scope, thread
from twinflow._src.core.context_managers import altered
from twinflow._src.core.tensor import EagerTensor, Tensor
from twinflow._src.dispatch.op import OPS, export


@export("init_scope")
def init_scope() -> Any:
    """A block that is not part of the functions that are being traced around it.

    What it computes is computed while they are traced, once. No tape follows it, nothing waits for
    operations around it; names and devices stay.
    """
    return altered(thread, "scope", _outside)


def _outside(scope: Scope) -> Scope:
    graph = scope.graph
    while graph is not None and graph.building_function:
        graph = graph.outer_graph
    device = scope.around if graph is None else scope.device
    return scope.but(graph=graph, device=device, controls=(), observers=())


@export("get_current_name_scope")
def get_current_name_scope() -> str:
    """The path of the ``tf.name_scope`` blocks around, without a slash at its end."""
    return thread.scope.name.removesuffix("/")


@export("inside_function")
def inside_function() -> bool:
    """Whether a function is being traced."""
    graph = thread.scope.graph
    return graph is not None and graph.building_function


@export("is_symbolic_tensor")
def is_symbolic_tensor(tensor: Any) -> bool:
    """Whether a value is a tensor of a graph, which has no value yet.

    Args:
        tensor: A value.
    """
    return isinstance(tensor, Tensor) and not isinstance(tensor, EagerTensor)


# ------------------------------------------------------------------ the log


@export("get_logger")
def get_logger() -> logging.Logger:
    """The logger of TensorFlow's messages, which writes to standard error unless the program logs itself."""
    logger = logging.getLogger("tensorflow")
    if not logger.handlers and not logging.getLogger().handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter(logging.BASIC_FORMAT))
        logger.addHandler(handler)
    return logger


# ------------------------------------------------------------------ ops without gradients


_without_gradient: set[str] = set()


@export("no_gradient")
def no_gradient(op_type: str) -> None:
    """Tells that no gradient flows through a kind of operation.

    Args:
        op_type: The type of the operation.

    Raises:
        TypeError: It is no string.
        KeyError: The gradient of such operations is known already.
    """
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")
    op = OPS.get(op_type)
    known = op is not None and (op.no_gradient or op.gradient is not None)
    if known or op_type in _without_gradient:
        raise KeyError(f"Registering two gradient with name '{op_type}'!")
    _without_gradient.add(op_type)
    if op is not None:
        op.no_gradient = True
