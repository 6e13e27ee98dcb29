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

    Args:
        xp: The array module.
        op: The op.
        dtype: The dtype of the arrays.
        kernel: The op's kernel for that module, which may have an own specialization.
        known: Its inputs that are read on the host.
        attrs: Its attributes.
    """
    kind = "CPU" if is_host(xp) else "GPU"
    rule = getattr(kernel, "specialized", None) or op.specialized.get(kind)
    return None if rule is None else rule(xp, dtype, *constants, **attrs)
