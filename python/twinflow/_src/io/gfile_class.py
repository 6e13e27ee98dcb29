"""``tf.io.gfile.GFile``: a file that is opened when it is first read or written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import IO, Any

from twinflow._src.core import errors
from twinflow._src.dispatch.op import export
from twinflow._src.io.local_files import closing, explained, path_text

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
            raise errors.invalid(
                f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2."
            )
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
