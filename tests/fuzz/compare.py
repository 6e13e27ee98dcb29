"""Comparison of two descriptions of a program's results."""

from __future__ import annotations

from typing import Any

import numpy as np

_EPS = {
    "float16": 2.0**-10,
    "bfloat16": 2.0**-7,
    "float32": 2.0**-23,
    "float64": 2.0**-52,
    "complex64": 2.0**-23,
    "complex128": 2.0**-52,
}


def differences(
    program: dict[str, Any], ours: list[Any], theirs: list[Any], text: bool = True
) -> list[tuple[int, str]]:
    """Returns the statements whose results differ, each with how.

    Args:
        program: The program; its ``ulps`` say how many units in the last place each result may be off.
        ours: The descriptions of one side.
        theirs: Those of the other.
        text: True if texts of errors count.
    """
    found, scale = [], 1.0
    for i, (mine, other, ulps) in enumerate(zip(ours, theirs, program["ulps"])):
        how = _difference(mine, other, ulps, scale, text)
        if how:
            found.append((i, how))
        scale = max(scale, _largest(other))
    return found


def is_off(program: dict[str, Any], ours: list[Any], theirs: list[Any]) -> list[int]:
    """Returns the statements whose digits differ although the results count as equal."""
    known = {i for i, _ in differences(program, ours, theirs)}
    return [
        i
        for i, (a, b) in enumerate(zip(ours, theirs))
        if i not in known and _values(a) != _values(b)
    ]


def _values(x: Any) -> Any:
    return [x.get("error")] if isinstance(x, dict) else x


def _difference(mine: Any, other: Any, ulps: int, scale: float, text: bool) -> str:
    """Returns how two descriptions differ; empty where they do not."""
    if mine == other:
        return ""
    if isinstance(mine, dict) or isinstance(other, dict):
        if not (isinstance(mine, dict) and isinstance(other, dict)):
            return "error" if isinstance(mine, dict) else "no error"
        if mine["error"] != other["error"]:
            return "class of error"
        return "text" if text and mine["text"] != other["text"] else ""
    if not (isinstance(mine, list) and isinstance(other, list)) or len(mine) != len(other):
        return "structure"
    if len(mine) == 4 and isinstance(mine[3], str):
        if mine[0] != other[0]:
            return "class"
        if mine[1:3] != other[1:3]:
            return "type" if mine[1] != other[1] else "shape"
        return (
            ""
            if mine[1] in _EPS and _close(mine[3], other[3], _EPS[mine[1]], ulps, scale)
            else "values"
        )
    if mine[:1] == ["number"] == other[:1]:
        return "" if _close(mine[1], other[1], _EPS["float32"], ulps, scale) else "values"
    for a, b in zip(mine, other):
        how = _difference(a, b, ulps, scale, text)
        if how:
            return how
    return ""


def _close(mine: str, other: str, eps: float, ulps: int, scale: float) -> bool:
    """True if numbers agree: NaN with NaN, infinities by sign, others within so many units in the last place."""
    a, b = (np.array(x.split(), np.float64) for x in (mine, other))
    if not ulps:
        return bool(
            np.all((a == b) & (np.signbit(a) == np.signbit(b)) | (np.isnan(a) & np.isnan(b)))
        )
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    finite = np.isfinite(a) & np.isfinite(b)
    with np.errstate(all="ignore"):
        near = np.abs(a - b) <= ulps * eps * np.maximum(np.abs(b), scale)
    return bool(np.all(same | (finite & near)))


def _largest(x: Any) -> float:
    """The largest finite number of a description."""
    if isinstance(x, list) and len(x) == 4 and isinstance(x[3], str) and x[1] in _EPS:
        a = np.abs(np.array(x[3].split(), np.float64))
        a = a[np.isfinite(a)]
        return float(a.max()) if a.size else 0.0
    return max(map(_largest, x), default=0.0) if isinstance(x, list) else 0.0
