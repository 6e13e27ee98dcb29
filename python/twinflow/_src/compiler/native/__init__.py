"""Native code for functions with ``jit_compile=True``, where llvmlite is installed."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from twinflow._src.graph.func_graph import is_compiled

if TYPE_CHECKING:
    from twinflow._src.compiler.lower import Step


def compile_clusters(steps: list[Step], constants: dict[int, Any], fetched: set[int]) -> list[Step]:
    """Replaces instructions of functions with ``jit_compile`` by native code (a pass)."""
    if not any(is_compiled(step.node) for step in steps):
        return steps
    clustered = _clustering()
    return steps if clustered is None else clustered(steps, constants, fetched)


@functools.cache
def _clustering() -> Callable[..., list[Step]] | None:
    """Returns the pass, or None where llvmlite is missing."""
    try:
        from twinflow._src.compiler.native.clusters import clustered
        from twinflow._src.compiler.native.llvm import is_available
    except ImportError:
        return None
    return clustered if is_available() else None
