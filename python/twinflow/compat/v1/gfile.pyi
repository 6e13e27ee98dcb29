# Computed from the op table by tools/make_stubs.py.

from collections.abc import Iterator
from typing import Any

from twinflow._src.compat_v1.logging import FastGFile as FastGFile
from twinflow._src.io.gfile import GFile as GFile
from twinflow._src.io.gfile import GFile as _Open

Open = _Open

def Copy(oldpath: Any, newpath: Any, overwrite: bool = False) -> None:
    """Copies a file; see ``tf.io.gfile.copy``."""

def DeleteRecursively(dirname: Any) -> None:
    """Removes a directory tree; see ``tf.io.gfile.rmtree``."""

def Exists(filename: Any) -> bool:
    """Returns True if a path exists; see ``tf.io.gfile.exists``."""

def Glob(filename: Any) -> list[str]:
    """Returns the paths that match a pattern or one of several; see ``tf.io.gfile.glob``."""

def IsDirectory(dirname: Any) -> bool:
    """Returns True if a path is a directory; see ``tf.io.gfile.isdir``."""

def ListDirectory(dirname: Any) -> list[str]:
    """Returns the names of the entries of a directory; see ``tf.io.gfile.listdir``."""

def MakeDirs(dirname: Any) -> None:
    """Creates a directory and its missing parents; see ``tf.io.gfile.makedirs``."""

def MkDir(dirname: Any) -> None:
    """Creates a directory; see ``tf.io.gfile.mkdir``."""

def Remove(filename: Any) -> None:
    """Removes a file; see ``tf.io.gfile.remove``."""

def Rename(oldname: Any, newname: Any, overwrite: bool = False) -> None:
    """Renames or moves a file or directory; see ``tf.io.gfile.rename``."""

def Stat(filename: Any) -> Any:
    """Returns file statistics; see ``tf.io.gfile.stat``."""

def Walk(top: Any, in_order: bool = True) -> Iterator[tuple[Any, Any, Any]]:
    """Walks a directory tree; see ``tf.io.gfile.walk``."""
