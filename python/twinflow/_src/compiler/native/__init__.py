"""Native code where llvmlite is installed: of functions with ``jit_compile=True``, and of draws."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from twinflow._src.compiler.native.draws import with_draws
from twinflow._src.graph.func_graph import is_compiled

if TYPE_CHECKING:
    from twinflow._src.compiler.lower import Step


def compile_clusters(steps: list[Step], constants: dict[int, Any], fetched: set[int]) -> list[Step]:
    """Replaces instructions by native code (a pass): chains of draws, and all with ``jit_compile``."""
    if not any(is_compiled(step.node) for step in steps):
        has_seeds = any(step.node.definition.native == "random_key" for step in steps)
        return with_draws(steps, constants, fetched) if has_seeds else steps
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
