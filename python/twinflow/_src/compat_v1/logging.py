"""``tf.compat.v1.logging`` (through the logger of ``tf.get_logger``) and ``tf.compat.v1.gfile``."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from typing import Any

from twinflow._src.dispatch.op import API
from twinflow._src.io import gfile as new
from twinflow._src.io.gfile import GFile

# Logging.


DEBUG, INFO, WARN, ERROR, FATAL = 10, 20, 30, 40, 50
_seen: Counter[Any] = Counter()


def _logger() -> logging.Logger:
    logger: logging.Logger = API["get_logger"]()
    return logger


def log(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs a message.

    Args:
        level: Its level.
        msg: The message, with ``%`` format specifiers for the arguments.
        *args: The arguments.
        **kwargs: Options of ``logging.Logger.log``.
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
    """Logs a message at a level; same as ``log``."""
    log(level, msg, *args, **kwargs)


def log_if(level: int, msg: Any, condition: Any, *args: Any) -> None:
    """Logs a message if a condition is true."""
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
    """Flushes the handlers of the logger."""
    for handler in _logger().handlers:
        handler.flush()


def get_verbosity() -> int:
    """Returns the minimum level of messages that are logged."""
    return _logger().getEffectiveLevel()


def set_verbosity(v: Any) -> None:
    """Sets the minimum level of messages that are logged.

    Args:
        v: The level.
    """
    _logger().setLevel(v)


def TaskLevelStatusMessage(msg: Any) -> None:
    """Logs a message of level ``ERROR``."""
    error(msg)


# File system.


class FastGFile(GFile):
    """Alias of ``GFile``.

    Args:
        name: The path.
        mode: See ``GFile``.
    """

    def __init__(self, name: Any, mode: str = "r") -> None:
        super().__init__(name, mode)


def exists(filename: Any) -> bool:
    """Returns True if a path exists; see ``tf.io.gfile.exists``."""
    return new.exists(filename)


def is_directory(dirname: Any) -> bool:
    """Returns True if a path is a directory; see ``tf.io.gfile.isdir``."""
    return new.isdir(dirname)


def list_directory(dirname: Any) -> list[str]:
    """Returns the names of the entries of a directory; see ``tf.io.gfile.listdir``."""
    return new.listdir(dirname)


def make_directory(dirname: Any) -> None:
    """Creates a directory; see ``tf.io.gfile.mkdir``."""
    new.mkdir(dirname)


def make_directories(dirname: Any) -> None:
    """Creates a directory and its missing parents; see ``tf.io.gfile.makedirs``."""
    new.makedirs(dirname)


def delete_recursively(dirname: Any) -> None:
    """Removes a directory tree; see ``tf.io.gfile.rmtree``."""
    new.rmtree(dirname)


def remove(filename: Any) -> None:
    """Removes a file; see ``tf.io.gfile.remove``."""
    new.remove(filename)


def copy(oldpath: Any, newpath: Any, overwrite: bool = False) -> None:
    """Copies a file; see ``tf.io.gfile.copy``."""
    new.copy(oldpath, newpath, overwrite)


def rename(oldname: Any, newname: Any, overwrite: bool = False) -> None:
    """Renames or moves a file or directory; see ``tf.io.gfile.rename``."""
    new.rename(oldname, newname, overwrite)


def matching(filename: Any) -> list[str]:
    """Returns the paths that match a pattern or one of several; see ``tf.io.gfile.glob``."""
    return new.glob(filename)


def facts(filename: Any) -> new.FileStatistics:
    """Returns file statistics; see ``tf.io.gfile.stat``."""
    return new.stat(filename)


def walk(top: Any, in_order: bool = True) -> Iterator[tuple[Any, Any, Any]]:
    """Walks a directory tree; see ``tf.io.gfile.walk``.

    Args:
        top: The root directory.
        in_order: If True, a directory precedes its subdirectories.
    """
    return new.walk(top, in_order)
