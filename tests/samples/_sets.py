"""Sets of samples over types, special values and shapes; most ops need one line of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._values import ANY, INF, NAN, Sample, array, counted, exactly, index, ints, special, strided


def unary(types: Sequence[str], reference: Any = None, only: Any = None) -> list[Sample]:
    """Special values of every type, then shapes: scalar, empty, several dimensions, odd memory.

    Args:
        types: The types.
        reference: What NumPy says.
        only: A function that tells which of the special values to take.
    """
    found = []
    for dtype in types:
        values = special(dtype)
        found.append(Sample((values if only is None else values[only(values)],), {}, reference))
    first = types[0]
    shapes: list[Any] = [
        counted((), first),
        counted((0,), first),
        counted((2, 0, 3), first),
        counted((1, 2, 1, 3, 1, 2, 1), first),
        strided((3, 2), first),
    ]
    return found + [Sample((values,), {}, reference) for values in shapes]


def binary(types: Sequence[str], reference: Any = None, only: Any = None) -> list[Sample]:
    """All pairs of special values of every type, then shapes that broadcast.

    Args:
        types: The types.
        reference: What NumPy says.
        only: A function of both arrays that tells which pairs to take.
    """
    found = []
    for dtype in types:
        x, y = (a.ravel() for a in np.meshgrid(special(dtype), special(dtype)))
        if only is not None:
            x, y = x[only(x, y)], y[only(x, y)]
        found.append(Sample((x, y), {}, reference))
    for a, b in [
        ((), ()),
        ((3,), ()),
        ((), (2, 3)),
        ((2, 3), (3,)),
        ((2, 1), (1, 3)),
        ((0,), ()),
        ((2, 0), (1, 1)),
        ((1, 2, 1, 2, 1, 2), (2, 1, 1, 1, 2, 1)),
    ]:
        found.append(Sample((counted(a, types[0]), counted(b, types[0])), {}, reference))
    found.append(Sample((strided((2, 3), types[0]), strided((2, 3), types[0])), {}, reference))
    return found


def reduction(types: Sequence[str], reference: Any, empty: bool = True) -> list[Sample]:
    """Over all axes, none, one, several, negative ones; with and without the reduced dimensions."""

    def by_axis(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        axes = None if axis is None else tuple(np.ravel(axis).tolist())
        return np.asarray(reference(x, axis=axes, keepdims=keepdims)).astype(x.dtype)

    found = [Sample((counted((2, 3), t), ints(1)), {}, exactly(by_axis)) for t in types]
    if types[0] == "float32":
        found.append(Sample((array([[1, NAN], [INF, 2]]), ints(0)), {}, exactly(by_axis)))
    cube = counted((2, 3, 4), types[0])
    for axis in (
        ints(0),
        ints(-1),
        ints(0, 2),
        ints(-1, -3),
        ints(),
        ints(1, dtype="int64"),
        index(1),
    ):
        found.append(Sample((cube, axis), {}, exactly(by_axis)))
        found.append(Sample((cube, axis), {"keepdims": True}, exactly(by_axis)))
    found += [
        Sample((cube,), {}, exactly(by_axis)),
        Sample((cube,), {"keepdims": True}, exactly(by_axis)),
        Sample((counted((), types[0]),), {}, exactly(by_axis)),
        Sample((counted((1, 2, 1, 2, 1, 2, 1), types[0]), ints(1, 3)), {}, exactly(by_axis)),
        Sample((strided((3, 4), types[0]), ints(0)), {}, exactly(by_axis)),
    ]
    if empty:
        found.append(Sample((counted((0, 3), types[0]), ints(0)), {}, exactly(by_axis)))
    return found


def moving(
    reference: Any, *rest: Sequence[Any], types: Sequence[str] = ANY, shape: Any = (2, 3)
) -> list[Sample]:
    """Ops that move elements and look at none: every type, then further arguments.

    Args:
        reference: What NumPy says.
        *rest: For each sample the inputs after the first, and possibly a dictionary of attributes.
        types: The types.
        shape: The shape of the first input.
    """
    found = []
    for n, more in enumerate(rest):
        attrs = more[-1] if more and isinstance(more[-1], dict) else {}
        inputs = tuple(m for m in more if not isinstance(m, dict))
        for dtype in types if n == 0 else types[:1]:
            found.append(Sample((counted(shape, dtype), *inputs), attrs, exactly(reference)))
        found.append(Sample((strided(shape), *inputs), attrs, exactly(reference)))
    return found


def of(reference: Any, *calls: tuple[Any, ...]) -> list[Sample]:
    """Samples written out: inputs, then possibly a dictionary of attributes."""
    return [
        Sample(
            tuple(c for c in call if not isinstance(c, dict)),
            next((c for c in call if isinstance(c, dict)), {}),
            reference,
        )
        for call in calls
    ]
