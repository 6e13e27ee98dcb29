# Computed from the op table by tools/make_stubs.py.

from collections.abc import Iterator
from typing import Any

from twinflow._src.io.gfile import FileStatistics
from twinflow._src.io.gfile import GFile as GFile

def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copies a file and its permissions."""

def exists(path: Any) -> bool:
    """Returns True if a path exists."""

def get_registered_schemes() -> list[str]:
    """Returns the registered URI schemes: none, and ``file``."""

def glob(pattern: Any) -> list[str]:
    """Returns the paths that match a pattern, in no order."""

def isdir(path: Any) -> bool:
    """Returns True if a path is a directory."""

def join(path: Any, *paths: Any) -> Any:
    """Joins the parts of a path."""

def listdir(path: Any) -> list[str]:
    """Returns the names of the entries of a directory, in no order."""

def makedirs(path: Any) -> None:
    """Creates a directory and its missing parents."""

def mkdir(path: Any) -> None:
    """Creates a directory if it does not exist."""

def remove(path: Any) -> None:
    """Removes a file."""

def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Renames a file or directory."""

def rmtree(path: Any) -> None:
    """Removes a directory tree."""

def stat(path: Any) -> FileStatistics:
    """Returns file statistics: ``length``, ``mtime_nsec`` and ``is_directory``."""

def walk(
    top: Any, topdown: bool = True, onerror: Any = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Walks a directory tree; yields (path, directories, files) per directory."""
