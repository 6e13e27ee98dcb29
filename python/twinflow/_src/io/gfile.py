"""``tf.io.gfile``: files with lazy opening, and operations of the file system."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import IO, Any

from twinflow._src.core import errors
from twinflow._src.dispatch.op import documented_like, export
from twinflow._src.io.local_files import closing, explained, local, matching, path_text

# GFile.


_MODES = ("r", "w", "a", "r+", "w+", "a+")


class GFile:
    """File of the local file system, opened on first access.

    Writes append at the write position; a file opened for both has separate read and write
    positions.

    Args:
        name: The path.
        mode: ``"r"``, ``"w"``, ``"a"``, ``"r+"``, ``"w+"`` or ``"a+"``, with a ``"b"`` for bytes.

    Raises:
        InvalidArgumentError: The mode is invalid.
    """

    __module__ = "twinflow.io.gfile"

    def __init__(self, name: Any, mode: str = "r") -> None:
        self.__name = name
        self.__mode = mode
        plain = mode.replace("b", "")
        if plain not in _MODES:
            raise errors.invalid("mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'")
        self._binary = "b" in mode
        self._readable = plain == "r" or "+" in plain
        self._writable = plain != "r"
        self._reader: IO[bytes] | None = None
        self._writer: IO[bytes] | None = None

    @property
    def name(self) -> Any:
        """The path, as passed."""
        return self.__name

    @property
    def mode(self) -> str:
        """The mode, as passed."""
        return self.__mode

    # ---------------------------------------------------------------- open and close
    def _reading(self) -> IO[bytes]:
        if not self._readable:
            raise errors.PermissionDeniedError(None, None, "File isn't open for reading")
        if self._reader is None:
            with explained(path_text(self.__name)) as local_path:
                self._reader = closing(self, open(local_path, "rb"))  # noqa: SIM115
        return self._reader

    def _writing(self) -> IO[bytes]:
        if not self._writable:
            raise errors.PermissionDeniedError(None, None, "File isn't open for writing")
        if self._writer is None:
            with explained(path_text(self.__name)) as local_path:
                self._writer = closing(self, open(local_path, "ab" if "a" in self.__mode else "wb"))  # noqa: SIM115
        return self._writer

    def flush(self) -> None:
        """Flushes written data to the operating system."""
        if self._writer is not None:
            self._writer.flush()

    def close(self) -> None:
        """Closes the file; further access reopens it."""
        for file in (self._reader, self._writer):
            if file is not None:
                file.close()
        self._reader = self._writer = None

    def __enter__(self) -> GFile:
        return self

    def __exit__(self, *exc: Any) -> None:
        self.close()

    # ---------------------------------------------------------------- reading
    def size(self) -> int:
        """Returns the size of the file on disk, in bytes."""
        with explained(path_text(self.__name)) as local_path:
            return os.stat(local_path).st_size

    def _decode(self, data: bytes) -> Any:
        return data if self._binary else data.decode("utf-8")

    def read(self, n: int = -1) -> Any:
        """Reads the next bytes of the file.

        Args:
            n: The number of bytes; -1 for all remaining ones.

        Returns:
            Bytes, or a string in a mode without ``"b"``.
        """
        file = self._reading()
        if n == -1:
            n = self.size() - self.tell()
        if n < 0:
            raise errors.invalid(f"Can't read a negative number of bytes: {n}")
        return self._decode(file.read(n))

    def readline(self) -> Any:
        """Reads the next line including the newline, without carriage returns; empty at the end."""
        return self._decode(self._reading().readline().replace(b"\r", b""))

    def readlines(self) -> list[Any]:
        """Reads the remaining lines."""
        return list(iter(self.readline, b"" if self._binary else ""))

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def next(self) -> Any:
        """Reads the next line; see ``readline``."""
        return self.__next__()

    # ---------------------------------------------------------------- positions
    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        """Sets the read position.

        Args:
            offset: The offset.
            whence: Reference of the offset: 0 for start, 1 for current position, 2 for end.
            position: Deprecated name of ``offset``.

        Raises:
            TypeError: No offset is given.
            InvalidArgumentError: ``whence`` is invalid, or the position is negative.
            OutOfRangeError: The position is after the end.
        """
        file = self._reading()
        offset = position if offset is None else offset
        if offset is None:
            raise TypeError("seek(): offset argument required")
        if whence not in (0, 1, 2):
            raise errors.invalid(f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2.")
        target = offset + (0, file.tell(), self.size())[whence]
        if target < 0:
            raise errors.invalid(f"Seeking to a negative position: {target}")
        if target > self.size():
            raise errors.OutOfRangeError(None, None, "reached end of file")
        file.seek(target)

    def seekable(self) -> bool:
        """Returns True: seeking is supported."""
        return True

    def tell(self) -> int:
        """Returns the read position; in a write-only mode, the write position."""
        return (self._reading() if self._readable else self._writing()).tell()

    # ---------------------------------------------------------------- writing
    def write(self, file_content: Any) -> None:
        """Writes a string or bytes.

        Args:
            file_content: A string, encoded as UTF-8, or bytes.

        Raises:
            TypeError: The content has another type.
        """
        file = self._writing()
        if not isinstance(file_content, (str, bytes, bytearray)):
            raise TypeError(f"Expected binary or unicode string, got {file_content!r}")
        file.write(file_content.encode() if isinstance(file_content, str) else file_content)


export("io.gfile.GFile")(GFile)


# File system.


class FileStatistics:
    """File statistics.

    Attributes:
        length: The size in bytes.
        mtime_nsec: The time of the last modification, in nanoseconds.
        is_directory: True for a directory.
    """

    def __init__(self, length: int, mtime_nsec: int, is_directory: bool) -> None:
        self.length, self.mtime_nsec, self.is_directory = length, mtime_nsec, is_directory


@export("io.gfile.exists")
def exists(path: Any) -> bool:
    """Returns True if a path exists.

    Args:
        path: The path.

    Raises:
        UnimplementedError: The path belongs to a file system that is not local.
    """
    return os.path.exists(local(path_text(path)))


@export("io.gfile.isdir")
def isdir(path: Any) -> bool:
    """Returns True if a path is a directory.

    Args:
        path: The path.
    """
    return os.path.isdir(local(path_text(path)))


@export("io.gfile.mkdir")
def mkdir(path: Any) -> None:
    """Creates a directory if it does not exist.

    Args:
        path: Its path; the parent directory must exist.

    Raises:
        NotFoundError: The parent directory does not exist.
    """
    path = path_text(path)
    if path and not exists(path):
        with explained(path) as local_path:
            os.mkdir(local_path)


@export("io.gfile.makedirs")
def makedirs(path: Any) -> None:
    """Creates a directory and its missing parents.

    Args:
        path: Its path.

    Raises:
        FailedPreconditionError: A part of the path is a file.
    """
    path = path_text(path)
    with explained(path) as local_path:
        parts = local_path.split("/")
        for end in range(1, len(parts) + 1):
            part = "/".join(parts[:end])
            if os.path.exists(part) and not os.path.isdir(part):
                raise errors.FailedPreconditionError(None, None, f"{part} is not a directory")
        if local_path:
            os.makedirs(local_path, exist_ok=True)


@export("io.gfile.listdir")
def listdir(path: Any) -> list[str]:
    """Returns the names of the entries of a directory, in no order.

    Args:
        path: The directory.

    Raises:
        NotFoundError: There is no such directory.
    """
    path = path_text(path)
    if not isdir(path):
        raise errors.NotFoundError(None, None, f"Could not find directory {path}")
    with explained(path) as local_path:
        return os.listdir(local_path)


@export("io.gfile.glob")
def glob(pattern: Any) -> list[str]:
    """Returns the paths that match a pattern, in no order.

    Args:
        pattern: A pattern or a list of patterns: ``*`` and ``?`` match anything but a slash,
            brackets match one of several characters, and a backslash escapes a character.
    """
    patterns = [pattern] if isinstance(pattern, (str, os.PathLike)) else pattern
    return [path for single in patterns for path in matching(path_text(single))]


@export("io.gfile.remove")
def remove(path: Any) -> None:
    """Removes a file.

    Args:
        path: The file.

    Raises:
        NotFoundError: There is no such file.
        FailedPreconditionError: It is a directory.
    """
    with explained(path_text(path)) as local_path:
        os.remove(local_path)


@export("io.gfile.rmtree")
@documented_like(listdir)
def rmtree(path: Any) -> None:
    """Removes a directory tree."""
    path = path_text(path)
    if not exists(path):
        raise errors.NotFoundError(None, None, f"{path} not found")
    with explained(path) as local_path:
        if os.path.isdir(local_path):
            import shutil

            shutil.rmtree(local_path)
        else:
            os.remove(local_path)


def _assert_free(path: str, overwrite: bool) -> None:
    if not overwrite and exists(path):
        raise errors.AlreadyExistsError(None, None, "file already exists")


@export("io.gfile.copy")
def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copies a file and its permissions.

    Args:
        src: The file.
        dst: The path of the copy.
        overwrite: If True, overwrites an existing file.

    Raises:
        AlreadyExistsError: The destination exists.
        NotFoundError: There is no such file.
    """
    import shutil

    src, dst = path_text(src), path_text(dst)
    _assert_free(dst, overwrite)
    with explained(src) as source, open(source, "rb") as data, explained(dst) as target:
        with open(target, "wb") as file:
            shutil.copyfileobj(data, file)
        shutil.copymode(source, target)


@export("io.gfile.rename")
@documented_like(copy)
def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Renames a file or directory.

    Args:
        src: The source path.
        dst: The destination path.
    """
    src, dst = path_text(src), path_text(dst)
    _assert_free(dst, overwrite)
    with explained(src) as source:
        os.replace(source, local(dst))


@export("io.gfile.stat")
def stat(path: Any) -> FileStatistics:
    """Returns file statistics: ``length``, ``mtime_nsec`` and ``is_directory``.

    Args:
        path: The file or directory.

    Raises:
        NotFoundError: There is no such file.
    """
    with explained(path_text(path)) as local_path:
        info = os.stat(local_path)
        return FileStatistics(info.st_size, info.st_mtime_ns, os.path.isdir(local_path))


@export("io.gfile.walk")
def walk(
    top: Any, topdown: bool = True, onerror: Callable[[Exception], Any] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Walks a directory tree; yields (path, directories, files) per directory.

    Args:
        top: The root directory.
        topdown: If True, a directory precedes its subdirectories.
        onerror: Called with the error if a directory cannot be read; None ignores it.
    """
    top = path_text(top)
    try:
        names = listdir(top)
    except errors.NotFoundError as error:
        if onerror is not None:
            onerror(error)
        return
    folders = [name for name in names if isdir(join(top, name))]
    here = top, folders, [name for name in names if name not in folders]
    if topdown:
        yield here
    for name in folders:
        yield from walk(join(top, name), topdown, onerror)
    if not topdown:
        yield here


@export("io.gfile.join")
def join(path: Any, *paths: Any) -> Any:
    """Joins the parts of a path.

    Args:
        path: The first part.
        *paths: The others; one that begins with a slash replaces the parts before it.
    """
    return os.path.join(path, *paths)


@export("io.gfile.get_registered_schemes")
def get_registered_schemes() -> list[str]:
    """Returns the registered URI schemes: none, and ``file``."""
    return ["", "file"]
