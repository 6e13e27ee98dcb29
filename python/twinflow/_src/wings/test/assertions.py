"""Test assertions on Python values, arrays and tensors, in addition to those of ``unittest``.

As in TensorFlow, test cases are those of ``absl.testing`` where that is installed.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Sized
from typing import Any

import numpy as np

from twinflow._src.conversion.constant import public_is_tensor
from twinflow._src.core.devices import DeviceSpecV2
from twinflow._src.core.dtypes import FROM_NUMPY, float32
from twinflow._src.core.shapes import static_sizes
from twinflow._src.core.tensor import EagerTensor, Tensor

try:
    from absl.testing.absltest import TestCase
except ImportError:
    from unittest import TestCase

# ------------------------------------------------------------------ Python values


class BasicAssertions(TestCase):
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
        text = msg or f'"{value}" unexpectedly not between "{minv}" and "{maxv}"'
        self.assertLessEqual(minv, value, text)
        self.assertGreaterEqual(maxv, value, text)

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

    def _compared(self, what: str, elements: Any, expected: Any, actual: Any, msg: Any) -> None:
        suffix = f" : {msg}" if msg else ""
        self.fail(f"{what} {elements}\nExpected: {expected}\nActual: {actual}{suffix}")

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
        start, before = 0, ""
        for text in [strings] if isinstance(strings, str) else strings:
            position = target.find(text, start)
            if position < 0:
                after = f" after {before!r}" if before else ""
                self.fail(_with(f"Did not find {text!r}{after} in {target!r}", msg))
            start, before = position, text

    def assertContainsSubsequence(self, container: Any, subsequence: Any, msg: Any = None) -> None:
        """Asserts that items occur in a sequence in the given order."""
        items = iter(container)
        for item in subsequence:
            if not any(item == other for other in items):
                text = f"{subsequence} not a subsequence of {container}. First non-matching element: {item}"
                self.fail(_with(text, msg))

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


# ------------------------------------------------------------------ arrays and tensors


# Equality, closeness, shapes and dtypes.


def _holds_strings(array: Any) -> bool:
    return array.dtype.kind == "O" and all(isinstance(item, (str, bytes)) for item in array.flat)


def _as_bytes(array: Any) -> Any:
    items = [item.encode() if isinstance(item, str) else item for item in array.flat]
    return np.array(items, np.bytes_).reshape(array.shape)


def _alike(a: Any, b: Any) -> tuple[Any, Any]:
    """Returns two arrays in comparable dtypes: all strings as bytes."""
    if a.dtype.kind != b.dtype.kind and all(
        x.dtype.kind in "SU" or _holds_strings(x) for x in (a, b)
    ):
        return _as_bytes(a), _as_bytes(b)
    return a, b


def _is_real(array: Any) -> bool:
    return array.dtype.kind == "f" or (
        array.dtype in FROM_NUMPY and FROM_NUMPY[array.dtype].is_floating
    )


def _wide(array: Any) -> Any:
    """Casts dtypes that NumPy lacks to wider NumPy dtypes."""
    return array.astype(float32.np) if array.dtype.kind == "V" or array.dtype.num > 23 else array


def _name(dtype: Any) -> str:
    return FROM_NUMPY[dtype].name if dtype.kind == "V" else dtype.name


class ArrayAssertions(BasicAssertions):
    """Assertions on arrays, tensors, variables, ragged tensors, and structures of them."""

    def _GetNdArray(self, a: Any) -> Any:
        """Converts a value to an array; an object array for ragged rows."""
        if isinstance(a, EagerTensor):
            a = a.numpy()
        elif public_is_tensor(a):
            a = self.evaluate(a)
        try:
            return a if isinstance(a, np.ndarray) else np.array(a)
        except ValueError:
            return np.array(a, dtype=object)

    def assertAllEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        """Asserts that two values have the same shape and elements; NaN equals NaN.

        Args:
            a: A tensor, an array or nested lists.
            b: The expected value.
            msg: An additional message.
        """
        if _is_ragged(a) or _is_ragged(b):
            self.assertEqual(_lists(self, a), _lists(self, b), msg)
            return
        text, (a, b) = msg or "", map(self._GetNdArray, (a, b))
        same_shape = (
            f"Shape mismatch: expected {a.shape}, got {b.shape}. Contents: {b!r}. \n{text}."
        )
        self.assertEqual(a.shape, b.shape, same_shape)
        x, y = _alike(a, b)
        same = np.asarray(x == y)
        if _is_real(a) and _is_real(b):
            same = same | (np.isnan(a) & np.isnan(b))
        if not same.all():
            parts = [text, *_where(a, b, ~same, "equal", lambda v: repr(np.asarray(v)))]
            np.testing.assert_array_equal(_wide(x), _wide(y), err_msg="\n".join(parts))
            self.fail("\n".join(["Arrays are not equal", *parts]))

    def assertNotAllEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        """Asserts that two values are not equal; see ``assertAllEqual``."""
        self._assert_fails(lambda: self.assertAllEqual(a, b), "equal", msg)

    def assertAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: Any = None
    ) -> None:
        """Asserts that two structures are close: ``abs(a - b) <= atol + rtol * abs(b)``.

        Args:
            a: A tensor, an array, or lists, tuples and dictionaries of them.
            b: The expected value.
            rtol: The relative tolerance.
            atol: The absolute tolerance.
            msg: An additional message.
        """
        if _is_ragged(a) or _is_ragged(b):
            self._lists_close(_lists(self, a), _lists(self, b), (rtol, atol), "value", msg)
            return
        self._close(a, b, (rtol, atol), [], msg)

    def assertNotAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: Any = None
    ) -> None:
        """Asserts that two structures are not close; see ``assertAllClose``."""
        self._assert_fails(lambda: self.assertAllClose(a, b, rtol, atol), "close", msg)

    def _assert_fails(self, check: Any, how: str, msg: Any) -> None:
        try:
            check()
        except AssertionError:
            return
        raise AssertionError(f"The two values are {how} at all elements. {msg or ''}")

    def assertAllCloseAccordingToType(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: Any = None,
    ) -> None:
        """Asserts closeness with the tolerances of the less precise dtype; see ``assertAllClose``.

        Args:
            a: A tensor or an array.
            b: The expected value.
            rtol: The relative tolerance for float64.
            atol: The absolute tolerance for float64.
            float_rtol: The minimum relative tolerance for float32 and complex64.
            float_atol: The minimum absolute tolerance for float32 and complex64.
            half_rtol: The minimum relative tolerance for float16.
            half_atol: The minimum absolute tolerance for float16.
            bfloat16_rtol: The minimum relative tolerance for bfloat16.
            bfloat16_atol: The minimum absolute tolerance for bfloat16.
            msg: An additional message.
        """
        arrays = [self._GetNdArray(x) for x in (a, b)]
        names = {FROM_NUMPY[x.dtype].name for x in arrays if x.dtype in FROM_NUMPY}
        for kinds, r, t in (
            ({"float32", "complex64"}, float_rtol, float_atol),
            ({"float16"}, half_rtol, half_atol),
            ({"bfloat16"}, bfloat16_rtol, bfloat16_atol),
        ):
            if names & kinds:
                rtol, atol = max(rtol, r), max(atol, t)
        self.assertAllClose(arrays[0], arrays[1], rtol, atol, msg)

    # ---------------------------------------------------------------- structures
    def _close(self, a: Any, b: Any, tolerance: Any, path: Any, msg: Any) -> None:
        a, b = (x._asdict() if hasattr(x, "_asdict") else x for x in (a, b))
        if isinstance(a, dict) or isinstance(b, dict):
            self._dicts_close(a, b, tolerance, path, msg)
            return
        position, suffix = _format_path(path), msg or ""
        mismatched = f"Mismatched value: a{position} is different from b{position}. {suffix}"
        several = isinstance(a, (list, tuple))
        try:
            self._arrays_close(self._GetNdArray(a), self._GetNdArray(b), tolerance, mismatched)
        except (ValueError, TypeError) as error:
            if not several:
                what = f"Error: a{position} has {type(a)}, but b{position} has {type(b)}. {suffix}"
                error.args = (f"{error.args[0]} : {what}", *error.args[1:])
                raise
            self.assertEqual(
                len(a), len(b), f"Mismatched length: a{position} and b{position}. {suffix}"
            )
            for i, (x, y) in enumerate(zip(a, b)):
                self._close(x, y, tolerance, [*path, i], msg)

    def _dicts_close(self, a: Any, b: Any, tolerance: Any, path: Any, msg: Any) -> None:
        position, suffix = _format_path(path), msg or ""
        if not (isinstance(a, dict) and isinstance(b, dict)):
            raise ValueError(
                f"Can't compare dict to non-dict, a{position} vs b{position}. {suffix}"
            )
        keys = f"mismatched keys: a{position} has keys {a.keys()}, but b{position} has keys {b.keys()}. {suffix}"
        self.assertCountEqual(a.keys(), b.keys(), keys)
        for key in a:
            self._close(a[key], b[key], tolerance, [*path, key], msg)

    def _lists_close(self, a: Any, b: Any, tolerance: Any, path: str, msg: Any) -> None:
        self.assertEqual(type(a), type(b))
        if not isinstance(a, (list, tuple)):
            self._close(a, b, tolerance, path, msg)
            return
        self.assertLen(a, len(b), f"Length differs for {path}")
        for i, (x, y) in enumerate(zip(a, b)):
            self._lists_close(x, y, tolerance, f"{path}[{i}]", msg)

    def _arrays_close(self, a: Any, b: Any, tolerance: tuple[float, float], msg: str) -> None:
        same_shape = f"Shape mismatch: expected {a.shape}, got {b.shape} with contents {b}."
        self.assertEqual(a.shape, b.shape, same_shape)
        (rtol, atol), dtype = tolerance, a.dtype
        a, b = _wide(a), _wide(b)
        if np.allclose(a, b, rtol=rtol, atol=atol, equal_nan=True):
            return
        apart, allowed = np.abs(a - b), atol + rtol * np.abs(b)
        far = np.asarray((apart > allowed) | (np.isnan(a) != np.isnan(b)))
        parts = [msg, *_where(a, b, far, "close", str)]
        index = far if a.ndim else ()
        parts += [
            f"not close dif = {apart[index]}",
            f"not close tol = {np.asarray(allowed)[index]}",
        ]
        parts.append(f"dtype = {_name(dtype)}, shape = {a.shape}")
        np.testing.assert_allclose(
            a, b, rtol=rtol, atol=atol, err_msg="\n".join(parts), equal_nan=True
        )

    # ---------------------------------------------------------------- shapes and dtypes
    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: Any = None) -> None:
        """Asserts that two tensors or arrays have the same shape.

        Args:
            input_a: A tensor or an array.
            input_b: A tensor or an array.
            msg: An additional message.

        Raises:
            TypeError: An argument is neither a tensor nor an array.
        """
        for name, value in (("input_a", input_a), ("input_b", input_b)):
            if not isinstance(value, (np.ndarray, np.generic, Tensor)):
                raise TypeError(
                    f"{name} must be a Numpy ndarray, Numpy scalar, or a Tensor.Instead received {type(value)}"
                )
        a, b = ([*static_sizes(x.shape)] for x in (input_a, input_b))
        self.assertAllEqual(a, b, msg)

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        """Asserts that a value has a dtype.

        Args:
            target: A tensor, an array or lists.
            expected_dtype: The dtype, TensorFlow's or NumPy's.
        """
        array = self._GetNdArray(target)
        if array.dtype != expected_dtype and not (
            array.dtype in FROM_NUMPY and FROM_NUMPY[array.dtype] == expected_dtype
        ):
            self.fail(f"{array.dtype!r} != {expected_dtype!r}")


def _format_path(path: Any) -> str:
    return "".join(f"[{part}]" for part in path)


def _where(a: Any, b: Any, differs: Any, how: str, shown: Any) -> list[str]:
    """Returns the message lines with the indices and values of differing elements."""
    if not a.ndim:
        return [f"not {how} lhs = {shown(a[()])}", f"not {how} rhs = {shown(b[()])}"]
    lines = [f"not {how} where = {np.where(differs)}"]
    return [*lines, f"not {how} lhs = {shown(a[differs])}", f"not {how} rhs = {shown(b[differs])}"]


def _is_ragged(value: Any) -> bool:
    return hasattr(value, "nested_row_splits")


def _lists(case: Any, value: Any) -> Any:
    if not _is_ragged(value):
        return value
    evaluated = case.evaluate(value)
    return evaluated.to_list()


# ------------------------------------------------------------------ ranges, sets and distances


_SHOWN = 10


def _listed(mask: Any, array: Any) -> str:
    """Returns indices of an array with their elements, one per line, up to a maximum."""
    rows = np.argwhere(mask)
    lines = [f"  {row} : {array[tuple(row)]}" for row in rows[:_SHOWN]]
    return "\n".join([*lines, "  ..."] if len(rows) > _SHOWN else lines)


class RangeAssertions(ArrayAssertions):
    """Assertions on ranges, sets and distances."""

    def assertAllInRange(
        self,
        target: Any,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Asserts that all elements are within a range; NaN is not.

        Args:
            target: A real tensor or array.
            lower_bound: The lower bound.
            upper_bound: The upper bound.
            open_lower_bound: If True, the lower bound is exclusive.
            open_upper_bound: If True, the upper bound is exclusive.
        """
        array = self._GetNdArray(target)
        if array.dtype.kind not in "iufV":
            self.fail(
                f"The value of {array} does not have an ordered numeric type, instead it has type: {array.dtype}"
            )
        shown, absent = np.atleast_1d(array), np.isnan(np.atleast_1d(array))
        if absent.any():
            self.fail(
                f"{absent.sum()} of the {array.size} element(s) are NaN. Subscripts(s) and value(s) of the NaN "
                f"element(s):\n{_listed(absent, shown)}"
            )
        below = shown <= lower_bound if open_lower_bound else shown < lower_bound
        above = shown >= upper_bound if open_upper_bound else shown > upper_bound
        outside = below | above
        if outside.any():
            text = f"{'(' if open_lower_bound else '['}{lower_bound}, {upper_bound}{')' if open_upper_bound else ']'}"
            self.fail(
                f"{outside.sum()} of the {array.size} element(s) are outside the range {text}. Subscript(s) and "
                f"value(s) of the offending elements:\n{_listed(outside, shown)}"
            )

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        """Asserts that all elements are in a set.

        Args:
            target: A tensor or an array.
            expected_set: The allowed values.
        """
        others = np.setdiff1d(self._GetNdArray(target).flatten(), list(expected_set))
        if others.size:
            self.fail(
                f"{others.size} unique element(s) are not in the set {expected_set}: {others}"
            )

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        """Asserts that all elements are greater than a number."""
        self.assertGreater(np.min(self._GetNdArray(a)), comparison_target)

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        """Asserts that all elements are greater than or equal to a number."""
        self.assertGreaterEqual(np.min(self._GetNdArray(a)), comparison_target)

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        """Asserts that all elements are less than a number."""
        self.assertLess(np.max(self._GetNdArray(a)), comparison_target)

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        """Asserts that all elements are less than or equal to a number."""
        self.assertLessEqual(np.max(self._GetNdArray(a)), comparison_target)

    # ---------------------------------------------------------------- distances
    def assertNear(self, f1: Any, f2: Any, err: Any, msg: Any = None) -> None:
        """Asserts that two numbers differ by at most ``err``."""
        apart = math.fabs(f1 - f2)
        text = f"{f1:f} != {f2:f} +/- {err:f} (difference: {apart:g}){f' ({msg})' if msg else ''}"
        self.assertTrue(f1 == f2 or apart <= err, text)

    def assertArrayNear(self, farray1: Any, farray2: Any, err: Any, msg: Any = None) -> None:
        """Asserts that the numbers of two sequences differ by at most ``err``."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for f1, f2 in zip(farray1, farray2):
            self.assertNear(float(f1), float(f2), err, msg)

    def assertNDArrayNear(self, ndarray1: Any, ndarray2: Any, err: Any, msg: Any = None) -> None:
        """Asserts that the Euclidean distance of two arrays is less than ``err``."""
        self.assertTrue(np.linalg.norm(ndarray1 - ndarray2) < err, msg)

    def assertDeviceEqual(self, device1: Any, device2: Any, msg: Any = None) -> None:
        """Asserts that two names denote the same device.

        Args:
            device1: A device name, or None.
            device2: A device name, or None.
            msg: An additional message.
        """
        a, b = (DeviceSpecV2.from_string(name or "").to_string() for name in (device1, device2))
        self.assertEqual(a, b, f"Devices {a} and {b} are not equal. {msg}")

    def _assert_value(self, a: Any, b: Any, msg: Any) -> None:
        check: Callable[..., None] = (
            self.assertAllClose if self._GetNdArray(a).dtype.kind == "f" else self.assertAllEqual
        )
        check(a, b, msg=msg)
