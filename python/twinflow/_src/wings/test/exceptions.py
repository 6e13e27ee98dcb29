"""Assertions on exceptions."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from typing import Any

from twinflow._src.core.errors import InvalidArgumentError, OpError
from twinflow._src.wings.test.ranges import RangeAssertions


def _predicate(expected: Any) -> Callable[[Any], bool]:
    """What tells whether an exception is the one: a function, or a pattern of its message."""
    if callable(expected):
        return expected
    return lambda error: re.search(expected, getattr(error, "message", None) or str(error)) is not None


class RaisingAssertions(RangeAssertions):
    """Assertions on what a block raises."""

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(self, exception_type: Any, expected_err_re_or_predicate: Any) -> Iterator[Any]:
        """A block that must raise an exception.

        Args:
            exception_type: Its type, or several.
            expected_err_re_or_predicate: A pattern that its message must have, or a function that takes it and tells
                whether it is the one.

        Raises:
            AssertionError: Another exception was raised, or none.
        """
        fits = _predicate(expected_err_re_or_predicate)
        try:
            yield
            names = exception_type if isinstance(exception_type, tuple) else (exception_type,)
            self.fail(f"{', '.join(kind.__name__ for kind in names)} not raised")
        except Exception as error:
            if not isinstance(error, exception_type) or not fits(error):
                raise AssertionError(f"Exception of type {type(error)}: {error}") from error

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Any:
        """A block that must raise an error of an operation; see ``assertRaisesWithPredicateMatch``."""
        return self.assertRaisesWithPredicateMatch(OpError, expected_err_re_or_predicate)

    def assertRaisesIncompatibleShapesError(self, exception_type: Any = InvalidArgumentError) -> Any:
        """A block that must raise an error about shapes that do not go together.

        Args:
            exception_type: The type of the error.
        """
        words = r"Incompatible shapes|Dimensions must be equal|required broadcastable shapes"
        return self.assertRaisesWithPredicateMatch(exception_type, words)

    def assertRaisesRegexp(self, expected_exception: Any, expected_regex: Any, *args: Any, **kwargs: Any) -> Any:
        """The older name of ``assertRaisesRegex``."""
        return self.assertRaisesRegex(expected_exception, expected_regex, *args, **kwargs)
