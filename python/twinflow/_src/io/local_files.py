"""Local file access under TensorFlow paths, with TensorFlow errors."""

from __future__ import annotations

import errno
import os
import re
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, TypeVar

from twinflow._src.core import errors
from twinflow._src.core.errors import (
    DataLossError,
    InvalidArgumentError,
    NotFoundError,
    OutOfRangeError,
)

Stream = TypeVar("Stream", bound=IO[bytes])

# Error class per errno; UnknownError for all others.
_CLASSES: dict[int, type[errors.OpError]] = {
    code: cls
    for cls, names in {
        errors.NotFoundError: "ENOENT ENXIO ESRCH ENODEV",
        errors.InvalidArgumentError: "EINVAL ENAMETOOLONG E2BIG EDESTADDRREQ EDOM EFAULT EILSEQ ENOPROTOOPT ENOTSOCK ENOTTY",
        errors.FailedPreconditionError: "EISDIR ENOTDIR ENOTEMPTY EBADF EBUSY ECHILD EPIPE ETXTBSY",
        errors.AlreadyExistsError: "EEXIST",
        errors.PermissionDeniedError: "EACCES EPERM EROFS",
        errors.ResourceExhaustedError: "EMFILE EMLINK ENFILE ENOBUFS ENOMEM ENOSPC EDQUOT",
        errors.OutOfRangeError: "EFBIG EOVERFLOW ERANGE",
        errors.UnavailableError: "EAGAIN EINTR ENOLCK",
        errors.AbortedError: "EDEADLK ESTALE",
        errors.CancelledError: "ECANCELED",
        errors.UnimplementedError: "ENOSYS ENOTSUP EXDEV",
    }.items()
    for name in names.split()
    if (code := getattr(errno, name, None)) is not None
}
_SCHEME = re.compile(r"([a-zA-Z][0-9a-zA-Z.]*)://")


def path_text(path: Any) -> str:
    """Converts a path (str, bytes or path object) to a string."""
    if isinstance(path, os.PathLike):
        path = os.fspath(path)
    if isinstance(path, bytes):
        return path.decode("utf-8", "surrogateescape")
    if not isinstance(path, str):
        raise TypeError(f"Expected binary or unicode string, got {path!r}")
    return path


def local(path: str) -> str:
    """Returns the local path of a path or ``file://`` URI."""
    match = _SCHEME.match(path)
    if match is None:
        return path
    if match[1] != "file":
        raise errors.UnimplementedError(
            None, None, f"File system scheme '{match[1]}' not implemented (file: '{path}')"
        )
    return path[match.end() :]


def failure(error: OSError, path: str) -> errors.OpError:
    """Returns the TensorFlow error of a failed system call on a path."""
    cls = _CLASSES.get(error.errno or 0, errors.UnknownError)
    return cls(None, None, f"{path}; {os.strerror(error.errno or 0)}")


@contextmanager
def explained(path: str) -> Iterator[str]:
    """Yields a local path in a context that converts OSError to TensorFlow errors."""
    local_path = local(path)
    try:
        yield local_path
    except OSError as error:
        raise failure(error, path) from None


def closing(owner: Any, file: Stream) -> Stream:
    """Closes a file when its owner is garbage collected, as TensorFlow does; returns the file."""
    weakref.finalize(owner, file.close)
    return file


def read(path: str) -> bytes:
    """Reads a file."""
    with explained(path) as local_path, open(local_path, "rb") as file:
        return file.read()


def write(path: str, contents: bytes) -> None:
    """Writes a file, and creates missing parent directories."""
    with explained(path) as local_path:
        folder = os.path.dirname(local_path)
        if folder and not os.path.exists(folder):
            os.makedirs(folder, exist_ok=True)
        with open(local_path, "wb") as file:
            file.write(contents)


# ------------------------------------------------------------------ glob patterns


_CLASS = re.compile(r"\[([!^]?)(\]?(?:\[:\w+:\]|[^]])*)\]")
_NAMED_CLASSES = {
    "alpha": "a-zA-Z",
    "digit": "0-9",
    "alnum": "a-zA-Z0-9",
    "upper": "A-Z",
    "lower": "a-z",
    "space": r"\s",
    "xdigit": "0-9a-fA-F",
}


def _class_of(match: re.Match[str]) -> str:
    """Translates a bracket expression to a regular expression."""
    inner = match[2].replace("\\", "\\\\").replace("^", "\\^")
    inner = re.sub(r"\[:(\w+):\]", lambda m: _NAMED_CLASSES.get(m[1], ""), inner)
    inner = inner.replace("[", "\\[")
    if inner.startswith("]"):
        inner = "\\" + inner
    return f"(?!/)[{'^' if match[1] else ''}{inner}]"


def _translate_pattern(pattern: str) -> re.Pattern[str]:
    """Translates a glob pattern to a regular expression; ``*`` and ``?`` match no slash."""
    parts, at = [], 0
    while at < len(pattern):
        letter = pattern[at]
        bracket = _CLASS.match(pattern, at) if letter == "[" else None
        if bracket:
            parts.append(_class_of(bracket))
            at = bracket.end()
            continue
        if letter == "\\" and at + 1 < len(pattern):
            at += 1
            letter = re.escape(pattern[at])
        else:
            letter = {"*": "[^/]*", "?": "[^/]"}.get(letter, re.escape(letter))
        parts.append(letter)
        at += 1
    return re.compile("".join(parts), re.S)


def _children(folder: str) -> list[str]:
    glue = "" if folder.endswith("/") else "/"
    try:
        return [f"{folder}{glue}{name}" for name in os.listdir(folder)]
    except OSError:
        return []


def matching(pattern: str) -> list[str]:
    """Returns the paths that match a pattern, directory by directory."""
    path = local(pattern)
    prefix = pattern[: len(pattern) - len(path)]
    special = re.search(r"[*?\[\\]", path)
    if special is None:
        return [pattern] if path and os.path.exists(path) else []
    folder = path[: max(path.rfind("/", 0, special.start()), 0)]
    if not folder:
        folder, path = ("/", path) if path.startswith("/") else (".", f"./{path}")
    path = path.rstrip("/")
    start = len(folder) + (folder != "/")
    levels = [i for i in range(start, len(path)) if path[i] == "/"] + [len(path)]
    paths = [folder]
    for end in levels:
        fits = _translate_pattern(path[:end]).fullmatch
        paths = [child for parent in paths for child in _children(parent) if fits(child)]
    return [prefix + match for match in paths]


# ------------------------------------------------------------------ errors for damaged files


class TruncatedError(DataLossError, OutOfRangeError, IndexError):
    """Error for a file that ends too early."""


class RefusedError(InvalidArgumentError, ValueError):
    """Error for an invalid request in a file, such as a newer version or a negative offset."""


def lost(message: str) -> DataLossError:
    """Returns the error for a damaged file."""
    return DataLossError(None, None, message)


def truncated(file: str, what: str) -> TruncatedError:
    """Returns the error for a file that ends too early."""
    return TruncatedError(None, None, f"Read less bytes than requested: {file} ends within {what}")


def refused(message: str) -> RefusedError:
    """Returns the error for an invalid request in a file."""
    return RefusedError(None, None, message)


def missing(message: str) -> NotFoundError:
    """Returns the error for a missing file or tensor."""
    return NotFoundError(None, None, message)
