"""The errors of damaged files.

TensorFlow's readers raise different classes for one and the same damage, by the function that reads:
``tf.train.load_checkpoint`` an ``IndexError`` or a ``ValueError`` where ``Saver.restore`` raises an error
of its own. The classes here are both, so that either clause catches them.
"""

from __future__ import annotations

from twinflow._src.core.errors import (
    DataLossError,
    InvalidArgumentError,
    NotFoundError,
    OutOfRangeError,
)


class TruncatedError(DataLossError, OutOfRangeError, IndexError):
    """A file ends before what it should hold."""


class RefusedError(InvalidArgumentError, ValueError):
    """A file asks for what cannot be, such as a newer program or a negative position."""


def lost(said: str) -> DataLossError:
    """The error of a damaged file."""
    return DataLossError(None, None, said)


def truncated(file: str, what: str) -> TruncatedError:
    """The error of a file that ends too early."""
    return TruncatedError(None, None, f"Read less bytes than requested: {file} ends within {what}")


def refused(said: str) -> RefusedError:
    """The error of a file that asks for what cannot be."""
    return RefusedError(None, None, said)


def missing(said: str) -> NotFoundError:
    """The error of a file or tensor that is not there."""
    return NotFoundError(None, None, said)
