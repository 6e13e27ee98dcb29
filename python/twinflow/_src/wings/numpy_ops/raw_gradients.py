"""Gradients of the operations themselves: they are written for operators that promote nothing."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

from twinflow._src.dispatch.op import OPS


class _Inside(threading.local):
    """Where the thread is.

    Attributes:
        gradient: Whether it computes the gradient of an operation.
    """

    gradient = False


inside = _Inside()


def _marked(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def called(*args: Any) -> Any:
        outer, inside.gradient = inside.gradient, True
        try:
            return function(*args)
        finally:
            inside.gradient = outer

    return called


@functools.cache
def install() -> None:
    """Marks the gradients of all operations, once for the process."""
    for op in OPS.values():
        if op.gradient is not None:
            op.gradient = _marked(op.gradient)
