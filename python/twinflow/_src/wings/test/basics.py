"""Test assertions on Python values, in addition to those of ``unittest``."""

from __future__ import annotations

import difflib
import unittest
from collections.abc import Sized
from typing import Any


class BasicAssertions(unittest.TestCase):
    """Assertions on lengths, members, order and strings."""

    def evaluate(self, tensors: Any) -> Any:
        """Returns the values of tensors."""
        raise NotImplementedError

    def _build_failure(self, text: str, msg: Any) -> Any:
        return self.failureException(self._formatMessage(msg, text))

    def assertLen(self, container: Any, expected_len: int, msg: Any = None) -> None:
        """Asserts that a container has the given length."""
        self._assert_sized(container, msg)
        if len(container) != expected_len:
            raise self._build_failure(
                f"{container!r} has length of {len(container)}, expected {expected_len}.", msg
            )

    def assertEmpty(self, container: Any, msg: Any = None) -> None:
        """Asserts that a container is empty."""
        self._assert_sized(container, msg)
        if len(container):
            raise self._build_failure(f"{container!r} has length of {len(container)}.", msg)

    def assertNotEmpty(self, container: Any, msg: Any = None) -> None:
        """Asserts that a container is not empty."""
        self._assert_sized(container, msg)
        if not len(container):
            raise self._build_failure(f"{container!r} has length of 0.", msg)

    def _assert_sized(self, container: Any, msg: Any) -> None:
        if not isinstance(container, Sized):
            raise self._build_failure(
                f"Expected a Sized object, got: {type(container).__name__!r}", msg
            )

    def assertBetween(self, value: Any, minv: Any, maxv: Any, msg: Any = None) -> None:
        """Asserts that a value is between two others, inclusive."""
        said = msg or f'"{value}" unexpectedly not between "{minv}" and "{maxv}"'
        self.assertLessEqual(minv, value, said)
        self.assertGreaterEqual(maxv, value, said)

    def assertStartsWith(self, actual: Any, expected_start: Any, msg: Any = None) -> None:
        """Asserts that a string starts with a prefix."""
        if not actual.startswith(expected_start):
            self.fail(_with(f"{actual!r} does not start with {expected_start!r}", msg))

    def assertEndsWith(self, actual: Any, expected_end: Any, msg: Any = None) -> None:
        """Asserts that a string ends with a suffix."""
        if not actual.endswith(expected_end):
            self.fail(_with(f"{actual!r} does not end with {expected_end!r}", msg))

    def assertMultiLineEqual(self, first: Any, second: Any, msg: Any = None, **_: Any) -> None:
        """Asserts that two strings are equal, and shows the lines that differ."""
        if first != second:
            lines = difflib.ndiff(first.splitlines(), second.splitlines())
            head = f"{msg}:\n" if msg else "\n"
            raise self.failureException(head + "".join(line.rstrip("\n") + "\n" for line in lines))

    # ---------------------------------------------------------------- members
    def assertItemsEqual(self, first: Any, second: Any, msg: Any = None) -> None:
        """Asserts that two collections have the same items in any order."""
        self.assertCountEqual(first, second, msg)

    def assertSameElements(self, expected_seq: Any, actual_seq: Any, msg: Any = None) -> None:
        """Asserts that two collections have the same set of elements."""
        self._assert_no_others(
            set(expected_seq) - set(actual_seq), set(actual_seq) - set(expected_seq), msg
        )

    def _assert_no_others(self, missing: Any, unexpected: Any, msg: Any = None) -> None:
        parts = [("Expected, but missing", missing), ("Unexpected, but present", unexpected)]
        text = "".join(
            f"{title}:\n  {sorted(items, key=repr)!r}\n" for title, items in parts if items
        )
        if text:
            raise self._build_failure(text, msg)

    def assertContainsSubset(self, expected_subset: Any, actual_set: Any, msg: Any = None) -> None:
        """Asserts that a collection contains all expected elements."""
        missing = set(expected_subset) - set(actual_set)
        if missing:
            self._compared("Missing elements", missing, expected_subset, actual_set, msg)

    def assertNoCommonElements(self, expected_seq: Any, actual_seq: Any, msg: Any = None) -> None:
        """Asserts that two collections are disjoint."""
        common = set(expected_seq) & set(actual_seq)
        if common:
            self._compared("Common elements", common, expected_seq, actual_seq, msg)

    def _compared(self, what: str, found: Any, expected: Any, actual: Any, msg: Any) -> None:
        said = f" : {msg}" if msg else ""
        self.fail(f"{what} {found}\nExpected: {expected}\nActual: {actual}{said}")

    def assertSequenceAlmostEqual(
        self,
        expected_seq: Any,
        actual_seq: Any,
        places: Any = None,
        msg: Any = None,
        delta: Any = None,
    ) -> None:
        """Asserts that the numbers of two sequences are almost equal."""
        self.assertEqual(len(expected_seq), len(actual_seq), msg)
        for i, (a, b) in enumerate(zip(expected_seq, actual_seq)):
            try:
                self.assertAlmostEqual(a, b, places, msg, delta)
            except self.failureException as error:
                self.fail(f"At index {i}: {error}")

    def assertContainsInOrder(self, strings: Any, target: str, msg: Any = None) -> None:
        """Asserts that strings occur in another string in the given order."""
        place, before = 0, ""
        for text in [strings] if isinstance(strings, str) else strings:
            found = target.find(text, place)
            if found < 0:
                after = f" after {before!r}" if before else ""
                self.fail(_with(f"Did not find {text!r}{after} in {target!r}", msg))
            place, before = found, text

    def assertContainsSubsequence(self, container: Any, subsequence: Any, msg: Any = None) -> None:
        """Asserts that items occur in a sequence in the given order."""
        items = iter(container)
        for item in subsequence:
            if not any(item == other for other in items):
                said = f"{subsequence} not a subsequence of {container}. First non-matching element: {item}"
                self.fail(_with(said, msg))

    def assertDictEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        """Asserts that two dictionaries have the same keys and values."""
        self._assert_no_others(a.keys() - b.keys(), b.keys() - a.keys(), msg)
        for key, value in a.items():
            self._assert_value(value, b[key], key)

    def _assert_value(self, a: Any, b: Any, msg: Any) -> None:
        self.assertEqual(a, b, msg)

    # ---------------------------------------------------------------- exceptions
    def assertRaisesWithLiteralMatch(
        self, expected: Any, message: str, call: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        """Asserts that an exception with exactly this message is raised.

        Without ``call``, returns a context manager.
        """
        matching = _Literal(self, expected, message)
        if call is None:
            return matching
        with matching:
            call(*args, **kwargs)
        return None


class _Literal:
    """A context manager that expects an exception with an exact message."""

    def __init__(self, case: BasicAssertions, expected: Any, message: str) -> None:
        self._case, self._expected, self._message = case, expected, message

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        if error is None:
            self._case.fail(f"Expression raised no exception: {self._expected.__name__}")
        if not isinstance(error, self._expected):
            return False
        head = f"Exception message does not match.\nExpected: {self._message!r}\nActual: {str(error)!r}"
        self._case.assertMultiLineEqual(self._message, str(error), head)
        return True


def _with(text: str, msg: Any) -> str:
    return f"{text} : {msg!r}" if msg else text
