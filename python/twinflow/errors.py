"""TensorFlow's exception classes: the same names, codes and hierarchy."""

from __future__ import annotations

from typing import Any


class OpError(Exception):
    """An error raised while an operation runs.

    Args:
        node_def: The node that failed, or None.
        op: The operation that failed, or None.
        message: What went wrong, in TensorFlow's wording.
        error_code: TensorFlow's numeric code for the class.
    """

    _code = 2

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(message)
        self._node_def, self._op, self._message = node_def, op, message
        if args:
            self._code = args[0]

    @property
    def message(self) -> str:
        """The text of the error."""
        return self._message

    @property
    def op(self) -> Any:
        """The operation that failed, or None."""
        return self._op

    @property
    def node_def(self) -> Any:
        """The node that failed, or None."""
        return self._node_def

    @property
    def error_code(self) -> int:
        """TensorFlow's numeric code."""
        return self._code

    @property
    def experimental_payloads(self) -> dict[str, bytes]:
        """Additional payloads; always empty here."""
        return {}

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (None, None, self._message)


# TensorFlow's status codes.
OK = 0
CANCELLED, UNKNOWN, INVALID_ARGUMENT, DEADLINE_EXCEEDED = 1, 2, 3, 4
NOT_FOUND, ALREADY_EXISTS, PERMISSION_DENIED, RESOURCE_EXHAUSTED = 5, 6, 7, 8
FAILED_PRECONDITION, ABORTED, OUT_OF_RANGE, UNIMPLEMENTED = 9, 10, 11, 12
INTERNAL, UNAVAILABLE, DATA_LOSS, UNAUTHENTICATED = 13, 14, 15, 16


class CancelledError(OpError):
    """The operation was cancelled."""

    _code = CANCELLED


class UnknownError(OpError):
    """An error of unknown kind."""

    _code = UNKNOWN


class InvalidArgumentError(OpError):
    """An argument has a value, shape or dtype that the operation cannot take."""

    _code = INVALID_ARGUMENT
    # What is said while a graph is made, where that is known to be in other words.
    inferred: str | None = None


class DeadlineExceededError(OpError):
    """A deadline passed before the operation ended."""

    _code = DEADLINE_EXCEEDED


class NotFoundError(OpError):
    """A named thing (a file, a key, a kernel) does not exist."""

    _code = NOT_FOUND


class AlreadyExistsError(OpError):
    """A thing that was to be created exists."""

    _code = ALREADY_EXISTS


class PermissionDeniedError(OpError):
    """The caller may not do this."""

    _code = PERMISSION_DENIED


class ResourceExhaustedError(OpError):
    """Memory, disk or another resource ran out."""

    _code = RESOURCE_EXHAUSTED


class FailedPreconditionError(OpError):
    """The system is not in the state that the operation needs."""

    _code = FAILED_PRECONDITION


class AbortedError(OpError):
    """The operation was aborted."""

    _code = ABORTED


class OutOfRangeError(OpError):
    """An iteration went past the valid range."""

    _code = OUT_OF_RANGE


class UnimplementedError(OpError):
    """The operation exists but not for these arguments."""

    _code = UNIMPLEMENTED


class InternalError(OpError):
    """An invariant of the system is broken."""

    _code = INTERNAL


class UnavailableError(OpError):
    """The runtime is currently unavailable."""

    _code = UNAVAILABLE


class DataLossError(OpError):
    """Unrecoverable data loss or corruption."""

    _code = DATA_LOSS


class UnauthenticatedError(OpError):
    """The caller is not authenticated."""

    _code = UNAUTHENTICATED


class OperatorNotAllowedInGraphError(TypeError):
    """A Python operation needs a value that a symbolic tensor does not have."""


def invalid(message: str) -> InvalidArgumentError:
    """The commonest error: an InvalidArgumentError without a node."""
    return InvalidArgumentError(None, None, message)
