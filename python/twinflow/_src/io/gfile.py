"""``tf.io.gfile.GFile``: a file that is opened when it is first read or written.

The file system: what there is, and making, copying and removing it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import IO, Any

from twinflow._src.core import errors
from twinflow._src.dispatch.op import export
from twinflow._src.io.local_files import closing, explained, local, matching, path_text

# ``tf.io.gfile.GFile``: a file that is opened when it is first read or written.


_MODES = ("r", "w", "a", "r+", "w+", "a+")


class GFile:
    """A file of the local file system.

    Nothing is opened before it is needed. What is written goes to the end of the file; a file that is
    open for both has two places, one for reading and one for writing.

    Args:
        name: The path.
        mode: ``"r"``, ``"w"``, ``"a"``, ``"r+"``, ``"w+"`` or ``"a+"``, with a ``"b"`` for bytes.

    Raises:
        InvalidArgumentError: The mode is another.
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
        """The path, as it was given."""
        return self.__name

    @property
    def mode(self) -> str:
        """The mode, as it was given."""
        return self.__mode

    # ---------------------------------------------------------------- opening and closing
    def _reading(self) -> IO[bytes]:
        if not self._readable:
            raise errors.PermissionDeniedError(None, None, "File isn't open for reading")
        if self._reader is None:
            with explained(path_text(self.__name)) as place:
                self._reader = closing(self, open(place, "rb"))  # noqa: SIM115
        return self._reader

    def _writing(self) -> IO[bytes]:
        if not self._writable:
            raise errors.PermissionDeniedError(None, None, "File isn't open for writing")
        if self._writer is None:
            with explained(path_text(self.__name)) as place:
                self._writer = closing(self, open(place, "ab" if "a" in self.__mode else "wb"))  # noqa: SIM115
        return self._writer

    def flush(self) -> None:
        """Hands what was written to the operating system."""
        if self._writer is not None:
            self._writer.flush()

    def close(self) -> None:
        """Closes the file; reading or writing it opens it again."""
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
        """The number of bytes of the file as it is on the disk."""
        with explained(path_text(self.__name)) as place:
            return os.stat(place).st_size

    def _given(self, data: bytes) -> Any:
        return data if self._binary else data.decode("utf-8")

    def read(self, n: int = -1) -> Any:
        """The next bytes of the file.

        Args:
            n: How many; all that are left for -1.

        Returns:
            Bytes, or in a mode without ``"b"`` text.
        """
        file = self._reading()
        if n == -1:
            n = self.size() - self.tell()
        if n < 0:
            raise errors.invalid(f"Can't read a negative number of bytes: {n}")
        return self._given(file.read(n))

    def readline(self) -> Any:
        """The next line with the newline at its end, without carriage returns; empty at the end."""
        return self._given(self._reading().readline().replace(b"\r", b""))

    def readlines(self) -> list[Any]:
        """The lines that are left."""
        return list(iter(self.readline, b"" if self._binary else ""))

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def next(self) -> Any:
        """The next line; see ``readline``."""
        return self.__next__()

    # ---------------------------------------------------------------- places
    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        """Goes to a place for reading.

        Args:
            offset: How far it is.
            whence: From where: 0 for the beginning, 1 for here, 2 for the end.
            position: An older name of ``offset``.

        Raises:
            TypeError: No offset is given.
            InvalidArgumentError: There is no such ``whence``, or the place is before the beginning.
            OutOfRangeError: The place is after the end.
        """
        file = self._reading()
        offset = position if offset is None else offset
        if offset is None:
            raise TypeError("seek(): offset argument required")
        if whence not in (0, 1, 2):
            raise errors.invalid(f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2.")
        place = offset + (0, file.tell(), self.size())[whence]
        if place < 0:
            raise errors.invalid(f"Seeking to a negative position: {place}")
        if place > self.size():
            raise errors.OutOfRangeError(None, None, "reached end of file")
        file.seek(place)

    def seekable(self) -> bool:
        """Whether ``seek`` works: it does."""
        return True

    def tell(self) -> int:
        """The place for reading; in a mode that only writes, the place for writing."""
        return (self._reading() if self._readable else self._writing()).tell()

    # ---------------------------------------------------------------- writing
    def write(self, file_content: Any) -> None:
        """Writes text or bytes.

        Args:
            file_content: The text, which is written as UTF-8, or the bytes.

        Raises:
            TypeError: Something else is given.
        """
        file = self._writing()
        if not isinstance(file_content, (str, bytes, bytearray)):
            raise TypeError(f"Expected binary or unicode string, got {file_content!r}")
        file.write(file_content.encode() if isinstance(file_content, str) else file_content)


export("io.gfile.GFile")(GFile)


# The file system: what there is, and making, copying and removing it.


class FileStatistics:
    """Facts about a file.

    Attributes:
        length: The number of its bytes.
        mtime_nsec: When it was last changed, in nanoseconds.
        is_directory: Whether it is a directory.
    """

    def __init__(self, length: int, mtime_nsec: int, is_directory: bool) -> None:
        self.length, self.mtime_nsec, self.is_directory = length, mtime_nsec, is_directory


@export("io.gfile.exists")
def exists(path: Any) -> bool:
    """Whether there is a file or directory of that name.

    Args:
        path: The path.

    Raises:
        UnimplementedError: The path names another file system than the local one.
    """
    return os.path.exists(local(path_text(path)))


@export("io.gfile.isdir")
def isdir(path: Any) -> bool:
    """Whether a path is that of a directory.

    Args:
        path: The path.
    """
    return os.path.isdir(local(path_text(path)))


@export("io.gfile.mkdir")
def mkdir(path: Any) -> None:
    """Makes a directory where there is none.

    Args:
        path: Its path; the directory around it exists.

    Raises:
        NotFoundError: The directory around it does not exist.
    """
    path = path_text(path)
    if path and not exists(path):
        with explained(path) as place:
            os.mkdir(place)


@export("io.gfile.makedirs")
def makedirs(path: Any) -> None:
    """Makes a directory and those that lead to it.

    Args:
        path: Its path.

    Raises:
        FailedPreconditionError: A part of the path is a file.
    """
    path = path_text(path)
    with explained(path) as place:
        parts = place.split("/")
        for end in range(1, len(parts) + 1):
            part = "/".join(parts[:end])
            if os.path.exists(part) and not os.path.isdir(part):
                raise errors.FailedPreconditionError(None, None, f"{part} is not a directory")
        if place:
            os.makedirs(place, exist_ok=True)


@export("io.gfile.listdir")
def listdir(path: Any) -> list[str]:
    """The names of what is in a directory, in no order.

    Args:
        path: The directory.

    Raises:
        NotFoundError: There is no such directory.
    """
    path = path_text(path)
    if not isdir(path):
        raise errors.NotFoundError(None, None, f"Could not find directory {path}")
    with explained(path) as place:
        return os.listdir(place)


@export("io.gfile.glob")
def glob(pattern: Any) -> list[str]:
    """The paths that match a pattern, in no order.

    Args:
        pattern: A pattern or a list of them: ``*`` and ``?`` stand for anything but a slash, brackets
            for one of several letters, and a backslash takes a letter's meaning from it.
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
    with explained(path_text(path)) as place:
        os.remove(place)


@export("io.gfile.rmtree")
def rmtree(path: Any) -> None:
    """Removes a directory with all that is in it.

    Args:
        path: The directory.

    Raises:
        NotFoundError: There is no such directory.
    """
    path = path_text(path)
    if not exists(path):
        raise errors.NotFoundError(None, None, f"{path} not found")
    with explained(path) as place:
        if os.path.isdir(place):
            import shutil

            shutil.rmtree(place)
        else:
            os.remove(place)


def _assert_free(path: str, overwrite: bool) -> None:
    if not overwrite and exists(path):
        raise errors.AlreadyExistsError(None, None, "file already exists")


@export("io.gfile.copy")
def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copies a file, with its permissions.

    Args:
        src: The file.
        dst: The path of the copy.
        overwrite: Whether a file that is there is replaced.

    Raises:
        AlreadyExistsError: There is a file already.
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
def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Gives a file or directory another name.

    Args:
        src: The present path.
        dst: The path to have.
        overwrite: Whether a file that is there is replaced.

    Raises:
        AlreadyExistsError: There is a file already.
        NotFoundError: There is no such file.
    """
    src, dst = path_text(src), path_text(dst)
    _assert_free(dst, overwrite)
    with explained(src) as source:
        os.replace(source, local(dst))


@export("io.gfile.stat")
def stat(path: Any) -> FileStatistics:
    """Facts about a file: ``length``, ``mtime_nsec`` and ``is_directory``.

    Args:
        path: The file or directory.

    Raises:
        NotFoundError: There is no such file.
    """
    with explained(path_text(path)) as place:
        found = os.stat(place)
        return FileStatistics(found.st_size, found.st_mtime_ns, os.path.isdir(place))


@export("io.gfile.walk")
def walk(
    top: Any, topdown: bool = True, onerror: Callable[[Exception], Any] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """The directories below a directory: for each its path, its directories and its files.

    Args:
        top: The directory to start from.
        topdown: Whether a directory comes before those within it.
        onerror: Called with the error where a directory cannot be read; nothing happens where None.
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
    """Puts the parts of a path together.

    Args:
        path: The first part.
        *paths: The others; one that begins with a slash replaces what is before it.
    """
    return os.path.join(path, *paths)


@export("io.gfile.get_registered_schemes")
def get_registered_schemes() -> list[str]:
    """What the names of the file systems begin with: nothing, or ``file`` before ``://``."""
    return ["", "file"]
