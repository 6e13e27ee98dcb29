"""Assertions on how large numbers are."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.core.device_spec import DeviceSpecV2
from twinflow._src.wings.test.arrays import ArrayAssertions

_SHOWN = 10


def _listed(places: Any, array: Any) -> str:
    """Places of an array with their elements, a line each, as many as one reads."""
    rows = np.argwhere(places)
    lines = [f"  {row} : {array[tuple(row)]}" for row in rows[:_SHOWN]]
    return "\n".join([*lines, "  ..."] if len(rows) > _SHOWN else lines)


class RangeAssertions(ArrayAssertions):
    """Assertions on bounds, sets and distances."""

    def assertAllInRange(
        self,
        target: Any,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Fails where an element is outside a range, or no number.

        Args:
            target: A tensor or an array of real numbers.
            lower_bound: The smallest number.
            upper_bound: The largest number.
            open_lower_bound: Whether the smallest number itself is outside.
            open_upper_bound: Whether the largest number itself is outside.
        """
        array = self._array(target)
        if array.dtype.kind not in "iufV":
            self.fail(f"The value of {array} does not have an ordered numeric type, instead it has type: {array.dtype}")
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
        """Fails where an element is not one of some.

        Args:
            target: A tensor or an array.
            expected_set: What elements may be.
        """
        others = np.setdiff1d(self._array(target).flatten(), list(expected_set))
        if others.size:
            self.fail(f"{others.size} unique element(s) are not in the set {expected_set}: {others}")

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        """Fails where an element is not greater than a number."""
        self.assertGreater(np.min(self._array(a)), comparison_target)

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        """Fails where an element is less than a number."""
        self.assertGreaterEqual(np.min(self._array(a)), comparison_target)

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        """Fails where an element is not less than a number."""
        self.assertLess(np.max(self._array(a)), comparison_target)

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        """Fails where an element is greater than a number."""
        self.assertLessEqual(np.max(self._array(a)), comparison_target)

    # ---------------------------------------------------------------- distances
    def assertNear(self, f1: Any, f2: Any, err: Any, msg: Any = None) -> None:
        """Fails where two numbers are further apart than ``err``."""
        apart = math.fabs(f1 - f2)
        said = f"{f1:f} != {f2:f} +/- {err:f} (difference: {apart:g}){f' ({msg})' if msg else ''}"
        self.assertTrue(f1 == f2 or apart <= err, said)

    def assertArrayNear(self, farray1: Any, farray2: Any, err: Any, msg: Any = None) -> None:
        """Fails where numbers of two sequences are further apart than ``err``."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for f1, f2 in zip(farray1, farray2):
            self.assertNear(float(f1), float(f2), err, msg)

    def assertNDArrayNear(self, ndarray1: Any, ndarray2: Any, err: Any, msg: Any = None) -> None:
        """Fails where the distance of two arrays is ``err`` or more."""
        self.assertTrue(np.linalg.norm(ndarray1 - ndarray2) < err, msg)

    def assertDeviceEqual(self, device1: Any, device2: Any, msg: Any = None) -> None:
        """Fails where two names are not of one device.

        Args:
            device1: A name, or None.
            device2: Another one.
            msg: What is said besides.
        """
        a, b = (DeviceSpecV2.from_string(name or "").to_string() for name in (device1, device2))
        self.assertEqual(a, b, f"Devices {a} and {b} are not equal. {msg}")

    def _assert_value(self, a: Any, b: Any, msg: Any) -> None:
        check: Callable[..., None] = self.assertAllClose if self._array(a).dtype.kind == "f" else self.assertAllEqual
        check(a, b, msg=msg)
