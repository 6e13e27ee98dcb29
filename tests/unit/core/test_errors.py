"""TensorFlow's exception classes."""

import pickle

import pytest

import twinflow as tf

CODES = {
    "CancelledError": 1,
    "UnknownError": 2,
    "InvalidArgumentError": 3,
    "DeadlineExceededError": 4,
    "NotFoundError": 5,
    "AlreadyExistsError": 6,
    "PermissionDeniedError": 7,
    "ResourceExhaustedError": 8,
    "FailedPreconditionError": 9,
    "AbortedError": 10,
    "OutOfRangeError": 11,
    "UnimplementedError": 12,
    "InternalError": 13,
    "UnavailableError": 14,
    "DataLossError": 15,
    "UnauthenticatedError": 16,
}


@pytest.mark.parametrize("name", CODES)
def test_class(name):
    cls = getattr(tf.errors, name)
    error = cls(None, None, "what went wrong")
    assert issubclass(cls, tf.errors.OpError) and isinstance(error, Exception)
    assert (error.message, str(error), error.error_code) == (
        "what went wrong",
        "what went wrong",
        CODES[name],
    )
    assert error.op is None and error.node_def is None and error.experimental_payloads == {}
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is cls and again.message == error.message


def test_codes_have_names():
    assert tf.errors.INVALID_ARGUMENT == 3 and tf.errors.OK == 0


def test_a_general_error_has_the_code_that_it_is_given():
    assert tf.errors.OpError(None, None, "m", 7).error_code == 7


def test_operators_of_graphs():
    assert issubclass(tf.errors.OperatorNotAllowedInGraphError, TypeError)
