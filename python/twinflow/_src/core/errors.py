"""TensorFlow's exception classes: the same names, codes and hierarchy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any


class OpError(Exception):
    """An error raised while an operation runs.

    Args:
        node_def: The node that failed, or None.
        op: The operation that failed, or None.
        message: What went wrong, in TensorFlow's wording.
        error_code: TensorFlow's numeric code for the class.
    """

    __module__ = "twinflow.errors"

    if TYPE_CHECKING:  # the subclasses with a code do not take one; see __init_subclass__
        _node_def: Any
        _op: Any
        _message: str
        _code: int
        _payloads: dict[str, bytes]

        def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None: ...

    else:

        def __init__(
            self, node_def: Any, op: Any, message: str, error_code: int, *args: Any
        ) -> None:
            super().__init__()
            self._node_def, self._op, self._message, self._code = node_def, op, message, error_code
            self._payloads = args[-1] if args and isinstance(args[-1], dict) else {}

    def __init_subclass__(cls, code: int | None = None) -> None:
        """Defines a constructor without an error code for a subclass with a fixed code."""
        if code is None:
            return

        def __init__(self: OpError, node_def: Any, op: Any, message: str, *args: Any) -> None:
            OpError.__init__(self, node_def, op, message, code, *args)

        __init__.__qualname__ = f"{cls.__name__}.__init__"
        cls.__init__ = __init__  # type: ignore[method-assign]

    def __str__(self) -> str:
        return self._message

    @property
    def message(self) -> str:
        """The error message."""
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
        """TensorFlow's numeric status code."""
        return self._code

    @property
    def experimental_payloads(self) -> dict[str, bytes]:
        """The payloads passed to the constructor."""
        return self._payloads

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (
            None,
            None,
            self._message,
            *([self._code] if type(self) is OpError else []),
        )


# TensorFlow's status codes.
OK = 0
CANCELLED, UNKNOWN, INVALID_ARGUMENT, DEADLINE_EXCEEDED = 1, 2, 3, 4
NOT_FOUND, ALREADY_EXISTS, PERMISSION_DENIED, RESOURCE_EXHAUSTED = 5, 6, 7, 8
FAILED_PRECONDITION, ABORTED, OUT_OF_RANGE, UNIMPLEMENTED = 9, 10, 11, 12
INTERNAL, UNAVAILABLE, DATA_LOSS, UNAUTHENTICATED = 13, 14, 15, 16


class CancelledError(OpError, code=CANCELLED):
    """The operation was cancelled."""

    __module__ = "twinflow.errors"


class UnknownError(OpError, code=UNKNOWN):
    """An error of unknown kind."""

    __module__ = "twinflow.errors"


class InvalidArgumentError(OpError, code=INVALID_ARGUMENT):
    """An argument has an invalid value, shape or dtype."""

    __module__ = "twinflow.errors"
    # The message at graph construction, if it is known to differ.
    inferred: str | None = None


class DeadlineExceededError(OpError, code=DEADLINE_EXCEEDED):
    """A deadline passed before the operation ended."""

    __module__ = "twinflow.errors"


class NotFoundError(OpError, code=NOT_FOUND):
    """A requested entity (a file, a key, a kernel) does not exist."""

    __module__ = "twinflow.errors"


class AlreadyExistsError(OpError, code=ALREADY_EXISTS):
    """An entity that was to be created exists."""

    __module__ = "twinflow.errors"


class PermissionDeniedError(OpError, code=PERMISSION_DENIED):
    """The caller does not have permission."""

    __module__ = "twinflow.errors"


class ResourceExhaustedError(OpError, code=RESOURCE_EXHAUSTED):
    """Memory, disk or another resource ran out."""

    __module__ = "twinflow.errors"


class FailedPreconditionError(OpError, code=FAILED_PRECONDITION):
    """The system is not in the state that the operation needs."""

    __module__ = "twinflow.errors"


class AbortedError(OpError, code=ABORTED):
    """The operation was aborted."""

    __module__ = "twinflow.errors"


class OutOfRangeError(OpError, code=OUT_OF_RANGE):
    """An iteration went past the valid range."""

    __module__ = "twinflow.errors"


class UnimplementedError(OpError, code=UNIMPLEMENTED):
    """The operation is not implemented for these arguments."""

    __module__ = "twinflow.errors"


class InternalError(OpError, code=INTERNAL):
    """An invariant of the system is broken."""

    __module__ = "twinflow.errors"


class UnavailableError(OpError, code=UNAVAILABLE):
    """The runtime is currently unavailable."""

    __module__ = "twinflow.errors"


class DataLossError(OpError, code=DATA_LOSS):
    """Unrecoverable data loss or corruption."""

    __module__ = "twinflow.errors"


class UnauthenticatedError(OpError, code=UNAUTHENTICATED):
    """The caller is not authenticated."""

    __module__ = "twinflow.errors"


class OperatorNotAllowedInGraphError(TypeError):
    """A Python operation needs a value that a symbolic tensor does not have."""

    __module__ = "twinflow.errors"


def exhausted(
    shape: str, dtype: str, device: str = "/job:localhost/replica:0/task:0/device:CPU:0"
) -> OpError:
    """Returns the out-of-memory error for a tensor; ``shape`` is as kernels print it."""
    kind, _, index = device.rpartition("/device:")[2].partition(":")
    allocator = "cpu" if kind == "CPU" else f"{kind}_{index}_bfc"
    message = f"OOM when allocating tensor with shape{shape} and type {dtype} on {device} by allocator {allocator}"
    return ResourceExhaustedError(None, None, message)


def invalid(message: str) -> InvalidArgumentError:
    """Returns an InvalidArgumentError without a node, the most frequent error."""
    return InvalidArgumentError(None, None, message)


class InaccessibleTensorError(ValueError):
    """A graph tensor is used outside its scope."""

    __module__ = "twinflow.errors"


def __dir__() -> list[str]:
    """Returns the status codes and the error classes."""
    public = OpError, OperatorNotAllowedInGraphError
    is_public = lambda x: type(x) is int or (isinstance(x, type) and issubclass(x, public))
    return sorted(name for name, value in globals().items() if is_public(value))
