"""Errors for damaged files.

TensorFlow's readers raise different classes for the same damage, depending on the function:
``tf.train.load_checkpoint`` raises ``IndexError`` or ``ValueError`` where ``Saver.restore`` raises
an ``OpError``. The classes here derive from both.
"""

from __future__ import annotations

from twinflow._src.core.errors import (
    DataLossError,
    InvalidArgumentError,
    NotFoundError,
    OutOfRangeError,
)


class TruncatedError(DataLossError, OutOfRangeError, IndexError):
    """Error for a file that ends too early."""


class RefusedError(InvalidArgumentError, ValueError):
    """Error for an invalid request in a file, such as a newer version or a negative offset."""


def lost(said: str) -> DataLossError:
    """Returns the error for a damaged file."""
    return DataLossError(None, None, said)


def truncated(file: str, what: str) -> TruncatedError:
    """Returns the error for a file that ends too early."""
    return TruncatedError(None, None, f"Read less bytes than requested: {file} ends within {what}")


def refused(said: str) -> RefusedError:
    """Returns the error for an invalid request in a file."""
    return RefusedError(None, None, said)


def missing(said: str) -> NotFoundError:
    """Returns the error for a missing file or tensor."""
    return NotFoundError(None, None, said)
