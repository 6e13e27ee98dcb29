# Computed from the op table by tools/make_stubs.py.

from twinflow._src.core.errors import AbortedError as AbortedError
from twinflow._src.core.errors import AlreadyExistsError as AlreadyExistsError
from twinflow._src.core.errors import CancelledError as CancelledError
from twinflow._src.core.errors import DataLossError as DataLossError
from twinflow._src.core.errors import DeadlineExceededError as DeadlineExceededError
from twinflow._src.core.errors import FailedPreconditionError as FailedPreconditionError
from twinflow._src.core.errors import InternalError as InternalError
from twinflow._src.core.errors import InvalidArgumentError as InvalidArgumentError
from twinflow._src.core.errors import NotFoundError as NotFoundError
from twinflow._src.core.errors import (
    OperatorNotAllowedInGraphError as OperatorNotAllowedInGraphError,
)
from twinflow._src.core.errors import OpError as OpError
from twinflow._src.core.errors import OutOfRangeError as OutOfRangeError
from twinflow._src.core.errors import PermissionDeniedError as PermissionDeniedError
from twinflow._src.core.errors import ResourceExhaustedError as ResourceExhaustedError
from twinflow._src.core.errors import UnauthenticatedError as UnauthenticatedError
from twinflow._src.core.errors import UnavailableError as UnavailableError
from twinflow._src.core.errors import UnimplementedError as UnimplementedError
from twinflow._src.core.errors import UnknownError as UnknownError

ABORTED: int
ALREADY_EXISTS: int
CANCELLED: int
DATA_LOSS: int
DEADLINE_EXCEEDED: int
FAILED_PRECONDITION: int
INTERNAL: int
INVALID_ARGUMENT: int
NOT_FOUND: int
OK: int
OUT_OF_RANGE: int
PERMISSION_DENIED: int
RESOURCE_EXHAUSTED: int
UNAUTHENTICATED: int
UNAVAILABLE: int
UNIMPLEMENTED: int
UNKNOWN: int
