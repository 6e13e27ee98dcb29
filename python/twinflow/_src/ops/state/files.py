"""Files read and written by operations."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import scalar, text
from twinflow._src.dispatch.op import Strings, op
from twinflow._src.io import local_files
from twinflow._src.ops.strings.text import objects

_HOST = ("CPU",)


def _one(what: str, value: Any) -> bytes:
    """The string in a tensor of rank 0."""
    if value.ndim:
        raise invalid(f"{what} tensor must be scalar, but had shape: {text(value.shape)}")
    return value[()]


def _path(value: Any) -> str:
    return local_files.path_text(_one("Input filename", value))


@op("ReadFile", api="io.read_file", shape=scalar, devices=_HOST, impure=True, no_gradient=True)
def read_file(xp: Any, filename: Strings) -> Any:
    """Returns the contents of a file.

    Args:
        filename: The path, a string.

    Returns:
        A string.

    Raises:
        NotFoundError: There is no such file.
    """
    return local_files.read(_path(filename))


@op("WriteFile", api="io.write_file", shape=lambda *_: [], devices=_HOST, impure=True, no_gradient=True)
def write_file(xp: Any, filename: Strings, contents: Strings) -> None:
    """Writes a string into a file; directories that lead to it are made.

    Args:
        filename: The path, a string.
        contents: The contents, a string.

    Returns:
        Nothing.
    """
    path = _path(filename)
    local_files.write(path, _one("Contents", contents))


@op("MatchingFiles", api="io.matching_files", shape=lambda *_: (None,), devices=_HOST, impure=True, no_gradient=True)
def matching_files(xp: Any, pattern: Strings) -> Any:
    """Returns the names of the files that match a pattern, in order.

    Args:
        pattern: A pattern as in ``tf.io.gfile.glob``, or a vector of them.

    Returns:
        A vector of strings.
    """
    if pattern.ndim > 1:
        raise invalid(
            f"Input patterns tensor must be scalar or vector, but had shape: {text(pattern.shape)}"
        )
    given = [local_files.path_text(p) for p in pattern.ravel()]
    found = [path for each in given for path in local_files.matching(each)]
    return objects(sorted(path.encode("utf-8", "surrogateescape") for path in found), (len(found),))
