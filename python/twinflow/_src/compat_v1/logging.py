"""``tf.compat.v1.logging``: messages of programs, through the logger that ``tf.get_logger`` gives."""

from __future__ import annotations

import logging
from collections import Counter
from typing import Any

from twinflow._src.dispatch.op import API

DEBUG, INFO, WARN, ERROR, FATAL = 10, 20, 30, 40, 50
_seen: Counter[Any] = Counter()


def _logger() -> logging.Logger:
    found: logging.Logger = API["get_logger"]()
    return found


def log(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs a message.

    Args:
        level: Its level.
        msg: The message, with ``%``-marks for arguments.
        *args: The arguments.
        **kwargs: Options of Python's loggers.
    """
    _logger().log(level, msg, *args, **kwargs)


def debug(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs a message of level ``DEBUG``."""
    log(DEBUG, msg, *args, **kwargs)


def info(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs a message of level ``INFO``."""
    log(INFO, msg, *args, **kwargs)


def warn(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs a message of level ``WARN``."""
    log(WARN, msg, *args, **kwargs)


warning = warn


def error(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs a message of level ``ERROR``."""
    log(ERROR, msg, *args, **kwargs)


def fatal(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs a message of level ``FATAL``."""
    log(FATAL, msg, *args, **kwargs)


def vlog(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs a message of a level; the same as ``log``."""
    log(level, msg, *args, **kwargs)


def log_if(level: int, msg: Any, condition: Any, *args: Any) -> None:
    """Logs a message where a condition holds."""
    if condition:
        log(level, msg, *args)


def log_every_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Logs a message the first time and every n-th time after."""
    log_if(level, msg, not _seen[msg, n] % n, *args)
    _seen[msg, n] += 1


def log_first_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Logs a message the first n times."""
    log_if(level, msg, _seen[msg] < n, *args)
    _seen[msg] += 1


def flush() -> None:
    """Writes out what the logger's handlers hold back."""
    for handler in _logger().handlers:
        handler.flush()


def get_verbosity() -> int:
    """Gives the level from which on messages are shown."""
    return _logger().getEffectiveLevel()


def set_verbosity(v: Any) -> None:
    """Sets the level from which on messages are shown.

    Args:
        v: The level.
    """
    _logger().setLevel(v)


def TaskLevelStatusMessage(msg: Any) -> None:
    """Logs a message of level ``ERROR``."""
    error(msg)
