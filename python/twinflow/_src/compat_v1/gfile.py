"""``tf.compat.v1.gfile``: the functions of ``tf.io.gfile`` under the names of TensorFlow 1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from twinflow._src.io import gfile_functions as new
from twinflow._src.io.gfile_class import GFile


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
