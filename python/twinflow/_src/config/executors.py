"""Executors of eager operations: they run at once, whatever a program requests."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from twinflow._src.core.errors import NotFoundError
from twinflow._src.dispatch.op import export

_EXECUTORS = ("DEFAULT", "", "SINGLE_THREADED_EXECUTOR")


@export("experimental.async_scope")
@contextlib.contextmanager
def async_scope() -> Iterator[None]:
    """Returns a context manager for operations that may run later; here they run at once."""
    yield


@export("experimental.async_clear_error")
def async_clear_error() -> None:
    """Clears errors of operations that run later; here there are none."""


@export("experimental.function_executor_type")
@contextlib.contextmanager
def function_executor_type(executor_type: str | None) -> Iterator[None]:
    """Returns a context manager for the executor of functions; all executors are the same one here.

    Args:
        executor_type: The name of the executor; None for the default.

    Raises:
        NotFoundError: There is no such executor.
    """
    if (executor_type or "") not in _EXECUTORS:
        raise NotFoundError(
            None,
            None,
            f"No executor factory registered for the given executor type: {executor_type} "
            f"Registered factories are {{{', '.join(_EXECUTORS)}}}.",
        )
    yield


@export("experimental.enable_strict_mode")
def enable_strict_mode() -> None:
    """Does nothing: names that TensorFlow advises against stay available."""
