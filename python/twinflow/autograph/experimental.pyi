# Computed from the op table by tools/make_stubs.py.

from typing import Any

from twinflow._src.autograph.calls import Feature as Feature

def do_not_convert(func: Any = None) -> Any:
    """Marks a function as excluded from conversion."""

def set_loop_options(
    parallel_iterations: Any = None,
    swap_memory: Any = None,
    maximum_iterations: Any = None,
    shape_invariants: Any = None,
) -> None:
    """Sets options of the enclosing loop, as a statement directly in its body."""
