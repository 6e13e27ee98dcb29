"""Specialization of kernels for known sizes, axes and attributes, often to one array-module call.

The rules are registered on ops (``@reshape.specialize``). If a specialized function fails, the op's
own kernel runs again and raises the error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.backends.host_checks import is_host
from twinflow._src.dispatch.registry import Op


def specialize_kernel(
    xp: Any, op: Op, dtype: Any, kernel: Any, constants: list[Any], attrs: dict[str, Any]
) -> Callable[..., Any] | None:
    """Returns a function of an op's arrays specialized for its other inputs, or None.

    ``constants`` are the inputs that are read on the host. The kernel may have an own
    specialization.
    """
    kind = "CPU" if is_host(xp) else "GPU"
    rule = getattr(kernel, "specialized", None) or op.specialized.get(kind)
    return None if rule is None else rule(xp, dtype, *constants, **attrs)
