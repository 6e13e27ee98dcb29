# Computed from the op table by tools/make_stubs.py.

from typing import Any, SupportsIndex

from twinflow.compat.v1.logging import warn as _warning

DEBUG: int
ERROR: int
FATAL: int
INFO: int
WARN: int
warning = _warning

def TaskLevelStatusMessage(msg: Any) -> None:
    """Logs a message of level ``ERROR``."""

def debug(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs a message of level ``DEBUG``."""

def error(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs a message of level ``ERROR``."""

def fatal(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs a message of level ``FATAL``."""

def flush() -> None:
    """Flushes the handlers of the logger."""

def get_verbosity() -> int:
    """Returns the minimum level of messages that are logged."""

def info(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs a message of level ``INFO``."""

def log(level: SupportsIndex, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs a message."""

def log_every_n(level: SupportsIndex, msg: Any, n: SupportsIndex, *args: Any) -> None:
    """Logs a message the first time and every n-th time after."""

def log_first_n(level: SupportsIndex, msg: Any, n: SupportsIndex, *args: Any) -> None:
    """Logs a message the first n times."""

def log_if(level: SupportsIndex, msg: Any, condition: Any, *args: Any) -> None:
    """Logs a message if a condition is true."""

def set_verbosity(v: Any) -> None:
    """Sets the minimum level of messages that are logged."""

def vlog(level: SupportsIndex, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs a message at a level; same as ``log``."""

def warn(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs a message of level ``WARN``."""
