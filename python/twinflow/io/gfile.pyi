# Computed from the op table by tools/make_stubs.py.

from collections.abc import Iterator
from typing import Any

from twinflow._src.io.gfile import FileStatistics
from twinflow._src.io.gfile import GFile as GFile

def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copies a file, with its permissions."""

def exists(path: Any) -> bool:
    """Whether there is a file or directory of that name."""

def get_registered_schemes() -> list[str]:
    """What the names of the file systems begin with: nothing, or ``file`` before ``://``."""

def glob(pattern: Any) -> list[str]:
    """The paths that match a pattern, in no order."""

def isdir(path: Any) -> bool:
    """Whether a path is that of a directory."""

def join(path: Any, *paths: Any) -> Any:
    """Puts the parts of a path together."""

def listdir(path: Any) -> list[str]:
    """The names of what is in a directory, in no order."""

def makedirs(path: Any) -> None:
    """Makes a directory and those that lead to it."""

def mkdir(path: Any) -> None:
    """Makes a directory where there is none."""

def remove(path: Any) -> None:
    """Removes a file."""

def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Gives a file or directory another name."""

def rmtree(path: Any) -> None:
    """Removes a directory with all that is in it."""

def stat(path: Any) -> FileStatistics:
    """Facts about a file: ``length``, ``mtime_nsec`` and ``is_directory``."""

def walk(
    top: Any, topdown: bool = True, onerror: Any = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """The directories below a directory: for each its path, its directories and its files."""
