"""Fusion of row-wise reductions and the elementwise operations around them into one GPU kernel.

Moments, norms and logsumexp are such calls. A thread block reads a row once per reduction and once
for the results; per-row values stay in the threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.backends.gpu.kernels import elementwise
from twinflow._src.backends.gpu.kernels.reductions import Reduced, kernel, layout
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.registry import Call

# Reductions: the combining op, and the final expression.
_ALONG = {
    "Sum": ("Sum", "{0}"), "Mean": ("Sum", "{0} / all_.size"), "L2Loss": ("Sum", "{0} / 2"), "Prod": ("Prod", "{0}"),
    "Max": ("Max", "{0}"), "Min": ("Min", "{0}"), "Any": ("Any", "{0}"), "All": ("All", "{0}"),
}  # fmt: skip
# Ops that return their input in another shape.
_SHAPED = frozenset(("Reshape", "Squeeze", "ExpandDims"))
# Limits of reductions and statements per kernel source.
_STEPS, _LINES = 8, 64


class _OtherError(Exception):
    """The call is more than reductions over the same rows."""


class Rows:
    """Builds the last kernel of a call, which reads arguments and results of other operations.

    Args:
        calls: The operations that depend on the arguments, by the identity of their result arrays.
        passed: Returns the source of a tensor that an identity op returned.
        number: Returns the source literal of a constant scalar, else None.
        is_each: True if an operation can be part of an elementwise kernel.
    """

    def __init__(
        self,
        calls: dict[int, Call],
        passed: Callable[..., Any],
        number: Callable[..., str | None],
        is_each: Callable[[Call], bool],
    ) -> None:
        self._calls, self._passed, self._number, self._is_each = calls, passed, number, is_each
        self._order: list[EagerTensor] = []  # results of operations, in topological order
        self._leaves: list[EagerTensor] = []
        self._names: dict[int, str] = {}
        self._levels: dict[
            int, int
        ] = {}  # by tensor: the number of reductions after which it is known
        self._each: set[int] = set()  # tensors with one value per element, not per row
        self._whole: tuple[int, ...] = ()
        self._kept: tuple[int, ...] = ()  # the input shape with the reduced dimensions set to 1

    def made(
        self, wanted: list[EagerTensor], xp: Any
    ) -> tuple[Callable[..., Any], list[EagerTensor]] | None:
        """Returns the kernel as a function of arrays and its input tensors; None if unsupported.

        Args:
            wanted: The results of the call, each once.
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
        """Adds a tensor in topological order, after its dependencies."""
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
        """Returns the inputs of an operation other than sizes and axes."""
        return [self._passed(x) for kind, x in zip(call.op.kinds, call.inputs) if not kind.host]

    # ---------------------------------------------------------------- classification per element or
    # per row
    def _spreads(self, x: EagerTensor) -> bool:
        """True if a tensor has one value per row, which broadcasts over the row's elements."""
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

    # ---------------------------------------------------------------- code generation
    def _line(self, x: EagerTensor) -> str:
        """Returns the source statement that computes an element of a tensor."""
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
        """Returns the source that computes per-element values from inputs and per-row values."""
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
        """Returns the source that computes per-row values after ``level`` reductions."""
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
        """Returns the source before the reductions, the reductions, and the per-element source."""
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
    """Returns the input shape of a reduction and its axes, normalized to be non-negative."""
    shape = call.inputs[0]._array.shape
    axis = call.inputs[1] if len(call.inputs) > 1 else None
    if axis is None:
        return shape, tuple(range(len(shape)))
    if type(axis) is not EagerTensor or axis._device.kind != "CPU":
        raise _OtherError
    return shape, tuple(sorted(int(a) % len(shape) for a in axis._array.reshape(-1)))
