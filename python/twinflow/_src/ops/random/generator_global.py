"""The random generator of the process."""

from __future__ import annotations

from typing import Any

from twinflow._src.dispatch.op import export
from twinflow._src.ops.random.generator import Generator

_global: list[Generator] = []


@export("random.get_global_generator", "random.experimental.get_global_generator")
def get_global_generator() -> Any:
    """The generator of the process; made at the first call, so that nobody can predict it."""
    if not _global:
        _global.append(Generator.from_non_deterministic_state())
    return _global[0]


@export("random.set_global_generator", "random.experimental.set_global_generator")
def set_global_generator(generator: Any) -> None:
    """Replaces the generator of the process.

    Args:
        generator: A generator.
    """
    _global[:] = [generator]
