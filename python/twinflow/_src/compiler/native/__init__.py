"""Native code where llvmlite is installed: of functions with ``jit_compile=True``, and of exact chains."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from twinflow._src.compiler.native.exact import has_compiler, with_chains
from twinflow._src.graph.func_graph import is_compiled

if TYPE_CHECKING:
    from twinflow._src.compiler.lower import Step


def compile_clusters(
    steps: list[Step],
    constants: dict[int, Any],
    fetched: set[int],
    varying: Iterable[int] | None,
) -> list[Step]:
    """Replaces instructions by native code (a pass): exact chains, and all with ``jit_compile``."""
    if not has_compiler():
        return steps
    if not any(is_compiled(step.node) for step in steps):
        return with_chains(steps, constants, fetched, varying)
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
