# Computed from the op table by tools/make_stubs.py.

from collections.abc import Callable, Sequence
from typing import Any

from twinflow.compat.v1.app import flags as flags

def run(main: Callable[[list[str]], Any] | None = None, argv: Sequence[str] | None = None) -> None:
    """Parses the flags and runs a program; exits with its return value."""
