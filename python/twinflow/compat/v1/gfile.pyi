# Computed from the op table by tools/make_stubs.py.

from collections.abc import Iterator
from typing import Any

from twinflow._src.compat_v1.logging import FastGFile as FastGFile
from twinflow._src.io.gfile import GFile as GFile
from twinflow._src.io.gfile import GFile as _Open

Open = _Open

def Copy(oldpath: Any, newpath: Any, overwrite: bool = False) -> None:
    """Copies a file; as ``tf.io.gfile.copy``."""

def DeleteRecursively(dirname: Any) -> None:
    """Removes a directory and all that is in it; as ``tf.io.gfile.rmtree``."""

def Exists(filename: Any) -> bool:
    """Whether there is a file or directory; as ``tf.io.gfile.exists``."""

def Glob(filename: Any) -> list[str]:
    """The files that a pattern, or one of a list of patterns, names; as ``tf.io.gfile.glob``."""

def IsDirectory(dirname: Any) -> bool:
    """Whether a path is that of a directory; as ``tf.io.gfile.isdir``."""

def ListDirectory(dirname: Any) -> list[str]:
    """The names in a directory; as ``tf.io.gfile.listdir``."""

def MakeDirs(dirname: Any) -> None:
    """Makes a directory and those around it; as ``tf.io.gfile.makedirs``."""

def MkDir(dirname: Any) -> None:
    """Makes a directory; as ``tf.io.gfile.mkdir``."""

def Remove(filename: Any) -> None:
    """Removes a file; as ``tf.io.gfile.remove``."""

def Rename(oldname: Any, newname: Any, overwrite: bool = False) -> None:
    """Renames or moves a file or directory; as ``tf.io.gfile.rename``."""

def Stat(filename: Any) -> Any:
    """Facts about a file; as ``tf.io.gfile.stat``."""

def Walk(top: Any, in_order: bool = True) -> Iterator[tuple[Any, Any, Any]]:
    """Every directory below one with what is in it; as ``tf.io.gfile.walk``."""
