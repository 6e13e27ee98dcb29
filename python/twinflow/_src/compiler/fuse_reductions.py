"""Kernels of programs that go along rows: reductions over the same dimensions, and operations on each element around them.

Moments, norms and logarithms of sums are such calls. A group of threads reads a row once for each reduction and once for the
results; what is known of a row stays with its threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.backends.gpu.kernels import elementwise
from twinflow._src.backends.gpu.kernels.reductions import Reduced, kernel, layout
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.registry import Call

# Reductions: how they combine, and what becomes of the result.
_ALONG = {
    "Sum": ("Sum", "{0}"), "Mean": ("Sum", "{0} / all_.size"), "L2Loss": ("Sum", "{0} / 2"), "Prod": ("Prod", "{0}"),
    "Max": ("Max", "{0}"), "Min": ("Min", "{0}"), "Any": ("Any", "{0}"), "All": ("All", "{0}"),
}  # fmt: skip
# What gives its input in another shape.
_SHAPED = frozenset(("Reshape", "Squeeze", "ExpandDims"))
# So many reductions and lines a text has.
_STEPS, _LINES = 8, 64


class _OtherError(Exception):
    """A call that is more than reductions of one kind of rows."""


class Rows:
    """Makes the last kernel of a call, which reads what is given and what other operations give.

    Args:
        calls: The operations that depend on what is given, by the identity of the arrays that they give.
        passed: What a tensor is that was only passed on.
        number: What a tensor is in a text that is a number which depends on nothing; else None.
        is_each: Whether a text computes what an operation gives.
    """

    def __init__(
        self,
        calls: dict[int, Call],
        passed: Callable[..., Any],
        number: Callable[..., str | None],
        is_each: Callable[[Call], bool],
    ) -> None:
        self._calls, self._passed, self._number, self._is_each = calls, passed, number, is_each
        self._order: list[EagerTensor] = []  # what operations give, inputs first
        self._leaves: list[EagerTensor] = []
        self._names: dict[int, str] = {}
        self._levels: dict[
            int, int
        ] = {}  # of what rows have, or elements: after how many reductions it is known
        self._each: set[int] = set()  # what is there for each element
        self._whole: tuple[int, ...] = ()
        self._kept: tuple[
            int, ...
        ] = ()  # the shape with dimensions of size 1 in the place of those that are reduced

    def made(
        self, wanted: list[EagerTensor], xp: Any
    ) -> tuple[Callable[..., Any], list[EagerTensor]] | None:
        """The kernel as a function of arrays, and the tensors that it reads; None where there is none.

        Args:
            wanted: What the call gives, each once.
            xp: The array module.
        """
        try:
            for x in wanted:
                self._visit(x)
            reduced = [x for x in self._order if self._call(x).op.type in _ALONG]
            forms = {_form(self._call(x)) for x in reduced}
            if len(forms) != 1 or len(reduced) > _STEPS or len(self._order) > _LINES:
                return None
            self._whole, axes = forms.pop()
            self._kept = tuple(1 if i in axes else n for i, n in enumerate(self._whole))
            found = layout(self._whole, axes)
            if found is None or self._kept == self._whole:
                return None
            for x in self._leaves:
                self._add_leaf(x)
            for x in self._order:
                self._add(x, reduced)
        except _OtherError:
            return None
        inputs = [(x.dtype.np.char, id(x._array) in self._each) for x in self._leaves]
        results = [(x.dtype.np.char, id(x._array) in self._each) for x in wanted]
        before, steps, last = self._texts(wanted, reduced)
        arrays = [(x._array.shape, x.dtype.np) for x in wanted]
        return kernel(
            xp, tuple(inputs), tuple(results), tuple(steps), before, last, tuple(arrays), found
        ), self._leaves

    def _call(self, x: EagerTensor) -> Call:
        return self._calls[id(x._array)]

    def _visit(self, x: EagerTensor) -> None:
        """Notes a tensor after what it depends on."""
        if any(x._array is y._array for y in (*self._order, *self._leaves)):
            return
        call = self._calls.get(id(x._array))
        if call is None and self._number(x) is not None:
            return
        if call is None or (
            call.op.type not in _ALONG and call.op.type not in _SHAPED and not self._is_each(call)
        ):
            self._leaves.append(x)
            return
        for y in self._inputs(call):
            self._visit(y)
        self._order.append(x)

    def _inputs(self, call: Call) -> list[EagerTensor]:
        """The inputs of an operation that are no sizes and axes."""
        return [self._passed(x) for kind, x in zip(call.op.kinds, call.inputs) if not kind.host]

    # ---------------------------------------------------------------- what is there for each element, and what for each row
    def _spreads(self, x: EagerTensor) -> bool:
        """Whether a tensor has a number for each row, and spreads over its elements."""
        shape = x._array.shape
        return (1,) * (len(self._kept) - len(shape)) + shape == self._kept

    def _add_leaf(self, x: EagerTensor) -> None:
        key = id(x._array)
        if x.dtype.np.char not in elementwise.TYPES or not (
            x._array.shape == self._whole or self._spreads(x)
        ):
            raise _OtherError
        if x._array.shape == self._whole:
            self._each.add(key)
        self._names[key], self._levels[key] = f"x{len(self._names)}_", 0

    def _add(self, x: EagerTensor, reduced: list[EagerTensor]) -> None:
        call, key = self._call(x), id(x._array)
        known = [y for y in self._inputs(call) if id(y._array) in self._names]
        each = [y for y in known if id(y._array) in self._each]
        level = max((self._levels[id(y._array)] for y in known), default=0)
        rows = [y for y in known if id(y._array) not in self._each]
        if call.op.type in _ALONG:
            if not each or x.dtype.np.char not in elementwise.TYPES:
                raise _OtherError
            level = 1 + next(i for i, y in enumerate(reduced) if y is x)
        elif each:
            if (
                call.op.type in _SHAPED
                or x._array.shape != self._whole
                or not all(map(self._spreads, rows))
            ):
                raise _OtherError
            self._each.add(key)
        elif not rows or any(y._array.size != x._array.size for y in rows):
            raise _OtherError
        self._levels[key] = level
        self._names[key] = (
            self._names[id(known[0]._array)] if call.op.type in _SHAPED else f"t{len(self._names)}_"
        )

    # ---------------------------------------------------------------- texts
    def _line(self, x: EagerTensor) -> str:
        """What computes a tensor's elements."""
        call = self._call(x)
        said = [
            (y.dtype.np.char, self._names.get(id(y._array)) or self._number(y) or "")
            for y in self._inputs(call)
        ]
        return (
            elementwise.line(
                self._names[id(x._array)], call.op.type, said, call.attrs, x.dtype.np.char
            )
            or ""
        )

    def _of_each(self, wanted: list[EagerTensor]) -> str:
        """What computes numbers for each element, of what is read and of what is known of rows."""
        needed: set[int] = set()

        def need(x: EagerTensor) -> None:
            if id(x._array) in computed and id(x._array) not in needed:
                needed.add(id(x._array))
                for y in self._inputs(self._call(x)):
                    need(y)

        computed = self._each.difference(id(x._array) for x in self._leaves)
        for x in wanted:
            need(x)
        return " ".join(self._line(x) for x in self._order if id(x._array) in needed)

    def _of_rows(self, level: int) -> str:
        """What computes numbers for each row after so many reductions."""
        own = [
            x
            for x in self._order
            if id(x._array) not in self._each and self._levels[id(x._array)] == level
        ]
        return " ".join(
            self._line(x)
            for x in own
            if self._call(x).op.type not in _ALONG and self._call(x).op.type not in _SHAPED
        )

    def _texts(
        self, wanted: list[EagerTensor], reduced: list[EagerTensor]
    ) -> tuple[str, list[Reduced], str]:
        """What comes before the reductions; these; and what is computed of each element in the end."""
        steps = []
        for i, x in enumerate(reduced):
            call, name, char = self._call(x), self._names[id(x._array)], x.dtype.np.char
            given = self._inputs(call)[0]
            value, (type, then) = self._names[id(given._array)], _ALONG[call.op.type]
            value = f"{value} * {value}" if call.op.type == "L2Loss" else value
            steps.append(
                Reduced(
                    type,
                    char,
                    name,
                    self._of_each([given]),
                    value,
                    f"{name} = {then.format(name)}; {self._of_rows(i + 1)}",
                )
            )
        said = [
            (f"const auto result{i}_ = {self._names[id(x._array)]};", x)
            for i, x in enumerate(wanted)
        ]
        of_rows = " ".join(line for line, x in said if id(x._array) not in self._each)
        steps[-1] = steps[-1]._replace(then=f"{steps[-1].then} {of_rows}")
        of_each = [(line, x) for line, x in said if id(x._array) in self._each]
        return (
            self._of_rows(0),
            steps,
            " ".join(
                [self._of_each([x for _, x in of_each]), *(line for line, _ in of_each)]
            ).strip(),
        )


def _form(call: Call) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The shape that a reduction takes, and the dimensions, not negative."""
    shape = call.inputs[0]._array.shape
    axis = call.inputs[1] if len(call.inputs) > 1 else None
    if axis is None:
        return shape, tuple(range(len(shape)))
    if type(axis) is not EagerTensor or axis._device.kind != "CPU":
        raise _OtherError
    return shape, tuple(sorted(int(a) % len(shape) for a in axis._array.reshape(-1)))
