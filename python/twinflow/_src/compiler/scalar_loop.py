"""While loops over one list of slots, with scalars as NumPy scalars.

A plan stores each result as an array, also if it is a scalar, which takes a microsecond; a Python
operator on NumPy scalars takes a tenth of that. Therefore the plans of condition and body are
merged over one list of slots, in which scalars (tensors of rank 0 of the usual dtypes) are NumPy
scalars, whose arithmetic equals that of arrays to the bit. Everything else is called as in the
plans.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from twinflow._src.compiler.fuse_elementwise import Chain
from twinflow._src.compiler.lower import Line, arguments_of, as_array
from twinflow._src.compiler.program import Plan, by_kernel
from twinflow._src.control_flow.if_and_case_ops import Runner
from twinflow._src.core import errors
from twinflow._src.core.context import thread
from twinflow._src.dispatch.registry import OPS
from twinflow._src.graph.symbolic import SymbolicTensor

# NumPy functions that are Python operators on NumPy scalars.
_BETWEEN: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "true_divide": operator.truediv,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
    "logical_and": operator.and_,  # for booleans only, which have no addition or multiplication
    "logical_or": operator.or_,
}
_FLOATS = frozenset(map(np.dtype, ["f4", "f8"]))
_USUAL = _FLOATS | frozenset(map(np.dtype, ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]))

# An instruction: a function of one or two slots, and the slot of its result; or a function of all
# slots.
_Act = tuple[Callable[..., Any], Any, Any, int]


def is_number(tensor: Any) -> bool:
    """True if a graph tensor has rank 0 and one of the usual dtypes."""
    return isinstance(tensor, SymbolicTensor) and tensor._dims == () and tensor.dtype.np in _USUAL


class Rounds:
    """A compiled while loop.

    Args:
        cond: Runs the condition.
        body: Runs an iteration; it returns the next values, followed by those to accumulate.
        values: For each loop variable, True if it is a scalar.
        rest: For each captured input, True if it is a scalar.
    """

    def __init__(
        self, cond: Runner, body: Runner, values: Sequence[bool], rest: Sequence[bool]
    ) -> None:
        self._count, self._given = len(values), [*values, *rest]
        slots = _Slots(self._given)
        outside = range(len(values), len(self._given))
        feeds = [
            [*range(len(values)), *(outside[i] for i in runner.positions)]
            for runner in (cond, body)
        ]
        self._test, (self._holds, *_) = slots.map_plan(cond.plan, feeds[0], [True])
        kinds = [*values, *[False] * (len(body.plan.fetches) - len(values))]
        self._round, found = slots.map_plan(body.plan, feeds[1], kinds)
        self._next, self._kept = found[: len(values)], found[len(values) :]
        self._template = slots.template

    def __call__(
        self, values: Sequence[Any], rest: Sequence[Any], kept: Sequence[list[Any]]
    ) -> tuple[list[Any], int]:
        """Runs the loop inside a plan.

        Args:
            values: The initial values.
            rest: The captured inputs of condition and body.
            kept: Lists that receive the accumulated values of each iteration.

        Returns:
            The final values, and the number of iterations.
        """
        slots, outer = self._template.copy(), thread.node
        slots[: len(self._given)] = [
            _number(x) if one else x for x, one in zip((*values, *rest), self._given)
        ]
        try:
            rounds = self._loop(slots, kept)
        finally:
            thread.node = outer
        return [
            np.asarray(x) if one else x for x, one in zip(slots[: self._count], self._given)
        ], rounds

    def _loop(self, slots: list[Any], kept: Sequence[list[Any]]) -> int:
        count, following, rounds = self._count, self._next, 0
        while True:
            _run(self._test, slots)
            if not slots[self._holds]:
                return rounds
            _run(self._round, slots)
            for column, slot in zip(kept, self._kept):
                column.append(slots[slot])
            slots[:count] = [slots[slot] for slot in following]
            rounds += 1


def _run(acts: Sequence[_Act], slots: list[Any]) -> None:
    for function, first, second, result in acts:
        if second is not None:
            slots[result] = function(slots[first], slots[second])
        elif first is not None:
            slots[result] = function(slots[first])
        else:
            function(slots)


def _number(value: Any) -> Any:
    """Converts a value to a NumPy scalar."""
    return np.asarray(value)[()]


class _Slots:
    """The slots of several merged plans.

    Args:
        given: For each input slot, True if it holds a scalar.

    Attributes:
        template: The initial values of the slots.
    """

    def __init__(self, given: Sequence[bool]) -> None:
        self._numbers = list(given)
        self.template: list[Any] = [None] * len(given)

    def map_plan(
        self, plan: Plan, feeds: Sequence[int], kinds: Sequence[bool]
    ) -> tuple[list[_Act], list[int]]:
        """Maps a plan to the slots.

        Args:
            plan: The plan.
            feeds: The slots of its feeds.
            kinds: For each of its results, True if it is required as a scalar.

        Returns:
            The instructions, and the slots of the results.
        """
        at = dict(zip(plan.feeds, feeds))
        made = {slot for line in plan.program for slot in _written(line)}
        for slot, value in enumerate(plan.template):
            if slot not in at:
                constant = (
                    slot not in made
                    and isinstance(value, np.ndarray)
                    and value.ndim == 0
                    and value.dtype in _USUAL
                )
                at[slot] = self._new(value[()] if constant else value, constant)
        acts = [act for line in plan.program for act in self._acts(line, at, made)]
        found = [self._as(at[slot], kind, acts) for slot, kind in zip(plan.fetches, kinds)]
        return acts, found

    def _new(self, value: Any, number: bool) -> int:
        self.template.append(value)
        self._numbers.append(number)
        return len(self.template) - 1

    def _as(self, slot: int, number: bool, acts: list[_Act]) -> int:
        """Returns the slot of a value as a scalar or as an array."""
        if self._numbers[slot] is number:
            return slot
        other = self._new(None, number)
        acts.append((_number if number else np.asarray, slot, None, other))
        return other

    def _acts(self, line: Line, at: dict[int, int], made: set[int]) -> list[_Act]:
        """Returns the instructions for an instruction of a plan."""
        step, writes = line.step, [at[slot] for slot in _written(line)]
        if not isinstance(step.kernel, Chain):
            for slot, result in zip(writes, step.node.outputs):
                self._numbers[slot] = is_number(result)
        acts: list[_Act] = []
        reads = [at[slot] if type(slot) is int else [at[i] for i in slot] for slot in step.reads]
        short = self._operator(line, reads, writes)
        if short is not None:
            first, second = (*reads, None)[:2]
            return [(short, first, second, writes[0])]
        given = [
            [self._as(i, False, acts) for i in r]
            if isinstance(r, list)
            else self._as(r, False, acts)
            for r in reads
        ]
        dead = [at[slot] for slot in line.dead if slot in made]
        return [*acts, (self._called(line, given, writes, dead), None, None, 0)]

    def _operator(
        self, line: Line, reads: list[Any], writes: list[int]
    ) -> Callable[..., Any] | None:
        """Returns the Python operator for an operation on scalars, or None."""
        slots = [slot for slot in reads if type(slot) is int]
        if len(writes) != 1 or len(slots) < len(reads) or not slots:
            return None
        if not all(self._numbers[slot] for slot in (*slots, *writes)):
            return None
        node = line.step.node
        types, name = [tensor.dtype.np for tensor in node.tensors], node.definition.ufunc or ""
        if not isinstance(line.run, np.ufunc):
            to = node.outputs[0].dtype.np
            return (
                to.type
                if node.definition.kernel is OPS["Cast"].kernel
                and to in _FLOATS
                and types[0] in _USUAL
                else None
            )
        if len(slots) == 1:
            return operator.neg if name == "negative" and types[0].kind in "fi" else None
        return _BETWEEN.get(name) if len(set(types)) == 1 else None

    def _called(
        self, line: Line, reads: list[Any], writes: list[int], dead: list[int]
    ) -> Callable[[list[Any]], None]:
        """Returns a function that runs an instruction as a plan does, with its error messages."""
        run, step, impure = line.run, line.step, line.step.node.definition.impure
        puts = [(slot, _number if self._numbers[slot] else as_array) for slot in writes]
        several, taken = isinstance(step.writes, tuple), len(line.reads)

        def call(slots: list[Any]) -> None:
            given = arguments_of(reads, slots)
            if impure:
                thread.node = step.node
            try:
                result = run(*given[:taken])
            except (errors.OpError, ValueError, TypeError, MemoryError) as error:
                result = by_kernel(step, line.reads, given, error)
            for (slot, put), item in zip(puts, result if several else (result,)):
                slots[slot] = put(item)
            for slot in dead:
                slots[slot] = None

        return call


def _written(line: Line) -> tuple[int, ...]:
    """Returns the slots that an instruction writes."""
    writes = line.step.writes
    return writes if isinstance(writes, tuple) else () if writes is None else (writes,)
