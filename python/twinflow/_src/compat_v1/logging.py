"""``tf.compat.v1.logging``: messages of programs, through the logger that ``tf.get_logger`` gives.

``tf.compat.v1.gfile``: the functions of ``tf.io.gfile`` under the names of TensorFlow 1.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from typing import Any

from twinflow._src.dispatch.op import API
from twinflow._src.io import gfile as new
from twinflow._src.io.gfile import GFile

# ``tf.compat.v1.logging``: messages of programs, through the logger that ``tf.get_logger`` gives.


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


# ``tf.compat.v1.gfile``: the functions of ``tf.io.gfile`` under the names of TensorFlow 1.


class FastGFile(GFile):
    """The same as ``GFile``, under a name from a time when it was another.

    Args:
        name: The path.
        mode: As of ``GFile``.
    """

    def __init__(self, name: Any, mode: str = "r") -> None:
        super().__init__(name, mode)


def exists(filename: Any) -> bool:
    """Whether there is a file or directory; as ``tf.io.gfile.exists``."""
    return new.exists(filename)


def is_directory(dirname: Any) -> bool:
    """Whether a path is that of a directory; as ``tf.io.gfile.isdir``."""
    return new.isdir(dirname)


def list_directory(dirname: Any) -> list[str]:
    """The names in a directory; as ``tf.io.gfile.listdir``."""
    return new.listdir(dirname)


def make_directory(dirname: Any) -> None:
    """Makes a directory; as ``tf.io.gfile.mkdir``."""
    new.mkdir(dirname)


def make_directories(dirname: Any) -> None:
    """Makes a directory and those around it; as ``tf.io.gfile.makedirs``."""
    new.makedirs(dirname)


def delete_recursively(dirname: Any) -> None:
    """Removes a directory and all that is in it; as ``tf.io.gfile.rmtree``."""
    new.rmtree(dirname)


def remove(filename: Any) -> None:
    """Removes a file; as ``tf.io.gfile.remove``."""
    new.remove(filename)


def copy(oldpath: Any, newpath: Any, overwrite: bool = False) -> None:
    """Copies a file; as ``tf.io.gfile.copy``."""
    new.copy(oldpath, newpath, overwrite)


def rename(oldname: Any, newname: Any, overwrite: bool = False) -> None:
    """Renames or moves a file or directory; as ``tf.io.gfile.rename``."""
    new.rename(oldname, newname, overwrite)


def matching(filename: Any) -> list[str]:
    """The files that a pattern, or one of a list of patterns, names; as ``tf.io.gfile.glob``."""
    return new.glob(filename)


def facts(filename: Any) -> new.FileStatistics:
    """Facts about a file; as ``tf.io.gfile.stat``."""
    return new.stat(filename)


def walk(top: Any, in_order: bool = True) -> Iterator[tuple[Any, Any, Any]]:
    """Every directory below one with what is in it; as ``tf.io.gfile.walk``.

    Args:
        top: The directory.
        in_order: Whether a directory comes before those within it.
    """
    return new.walk(top, in_order)
