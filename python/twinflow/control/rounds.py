"""The rounds of a loop as one function of Python, which is written when the loop has shown to be a long one.

A plan looks up each operation and keeps each result as an array, which takes a microsecond; a line of Python takes a
twentieth of it. So numbers (tensors of rank 0 of the usual types) travel as NumPy's scalars, whose arithmetic is that of arrays to the bit, and
operators of Python stand for the functions of NumPy that they are; everything else is called as the plan calls it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import errors
from ..context import thread
from ..graphs.fusion import Chain
from ..graphs.plan import Line, Plan, as_array, failed
from ..graphs.symbolic import SymbolicTensor
from .subgraphs import Runner

# The functions of NumPy that are operators of Python on its scalars: of two, and of one.
_BETWEEN = {
    "add": "+", "subtract": "-", "multiply": "*", "true_divide": "/", "less": "<", "less_equal": "<=", "greater": ">",
    "greater_equal": ">=", "equal": "==", "not_equal": "!=", "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^",
}  # fmt: skip
_MOST = 1000
_LOGICAL = {"logical_and": "&", "logical_or": "|"}
_USUAL = frozenset(map(np.dtype, ["f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]))
_EXACT = frozenset(map(np.dtype, ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]))
_FLOATS = frozenset(map(np.dtype, ["f4", "f8"]))


def is_number(tensor: Any) -> bool:
    """Whether a tensor of a graph has rank 0 and one of the usual types.

    Args:
        tensor: A tensor of a graph, or a variable.
    """
    return isinstance(tensor, SymbolicTensor) and tensor._dims == () and tensor.dtype.np in _USUAL


def written(
    cond: Runner, body: Runner, values: Sequence[bool], rest: Sequence[bool]
) -> Callable[..., Any] | None:
    """Writes the function that runs a loop.

    Args:
        cond: Runs the condition.
        body: Runs a round; it gives the next values, and then what is kept of each round.
        values: Whether each of the values of the loop is a number.
        rest: Whether each of what both use from outside is a number.

    Returns:
        A function of the values, of what is used from outside, of lists that take what is kept and of the number of rounds before, which gives the last
        values and the number of rounds; None where something is not on the host, or a round is long itself.
    """
    if cond.plan._elsewhere or body.plan._elsewhere or len(body.plan._program) > _MOST:
        return None
    names, others = [f"v{i}" for i in range(len(values))], [f"r{i}" for i in range(len(rest))]
    numbers = dict(zip([*names, *others], [*values, *rest]))
    known: dict[str, Any] = {"array": np.asarray, "held": as_array, "number": _number}
    test, step = (
        _Writer(mark, runner.plan, [*names, *(others[i] for i in runner.positions)], numbers, known)
        for mark, runner in (("c", cond), ("b", body))
    )
    fetches = body.plan._fetches
    found = ", ".join(map(step.as_kind, fetches, values))
    kept = [f"kept[{i}].append({step.as_kind(slot, False)})" for i, slot in enumerate(fetches[len(values) :])]
    given, outside = ", ".join(names), ", ".join(others)
    entry = [f"{name} = number({name})" for name, is_one in numbers.items() if is_one]
    last = ", ".join(f"array({name})" if is_one else name for name, is_one in zip(names, values))
    lines = [
        "def loop(values, rest, kept, rounds):",
        *_indented(1, [f"[{given}], [{outside}] = values, rest", *entry, "while True:"]),
        *_indented(2, [*test.lines, f"if not {test.name(cond.plan._fetches[0])}: break"]),
        *_indented(2, [*step.lines, *kept, f"[{given}] = [{found}]", "rounds += 1"]),
        *_indented(1, [f"return [{last}], rounds"]),
    ]
    exec(compile("\n".join(lines), "<loop>", "exec"), known)
    return functools.partial(_as_one_step, known["loop"])


def _as_one_step(loop: Callable[..., Any], *arguments: Any) -> Any:
    """Runs a function in the course of a plan: what the thread says of its step is afterwards as it was."""
    outer = thread.node
    try:
        return loop(*arguments)
    finally:
        thread.node = outer


def _indented(depth: int, lines: Sequence[str]) -> list[str]:
    return ["    " * depth + line for line in lines]


def _number(value: Any) -> Any:
    """A number as a scalar of NumPy."""
    return np.asarray(value)[()]


class _Writer:
    """Writes the lines of a plan.

    Args:
        mark: What its names begin with.
        plan: The plan.
        feeds: The names of what it is fed.
        numbers: Whether each of these is a number.
        known: What the lines can name; more is put there.
    """

    def __init__(self, mark: str, plan: Plan, feeds: Sequence[str], numbers: dict[str, bool], known: dict[str, Any]) -> None:
        self._mark, self._known = mark, known
        self._names = dict(zip(plan._feeds, feeds))
        self._numbers = {slot: numbers[name] for slot, name in self._names.items()}
        self._made_here = {slot for line in plan._program for slot in _written(line)}
        for slot, value in enumerate(plan._template):
            if slot not in self._names and slot not in self._made_here:
                self._constant(slot, value)
        self.lines = [text for line in plan._program for text in self._line(line)]

    def _constant(self, slot: int, value: Any) -> None:
        number = isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype in _USUAL
        self._numbers[slot] = number
        self._known[self.name(slot)] = value[()] if number else value

    def name(self, slot: int) -> str:
        """The name of what is in a slot."""
        return self._names.setdefault(slot, f"{self._mark}{slot}")

    def as_kind(self, slot: int, number: bool) -> str:
        """What is in a slot, as a number or as an array."""
        if self._numbers.get(slot, False) is number:
            return self.name(slot)
        return f"number({self.name(slot)})" if number else f"array({self.name(slot)})"

    def _line(self, line: Line) -> list[str]:
        step, writes = line.step, _written(line)
        results = () if isinstance(step.kernel, Chain) else step.node.outputs
        self._numbers |= {slot: is_number(result) for slot, result in zip(writes, results)}
        short = self._operator(line)
        if short:
            return [f"{self.name(step.writes)} = {short}", *self._emptied(line)]
        return [*self._called(line, writes), *self._emptied(line)]

    def _emptied(self, line: Line) -> list[str]:
        return [f"{self.name(slot)} = None" for slot in line.dead if slot in self._made_here]

    def _operator(self, line: Line) -> str | None:
        """An operation on numbers as an expression of Python."""
        step, reads = line.step, line.step.reads
        slots = [slot for slot in reads if type(slot) is int]
        if len(slots) < len(reads) or not slots or not all(map(self._numbers.get, [*slots, step.writes])):
            return None
        types = [tensor.dtype.np for tensor in step.node.tensors]
        names = [self.name(slot) for slot in slots]
        function, whole = step.node.definition.ufunc or "", isinstance(line.run, np.ufunc)
        if whole and len(names) == 2 and len(set(types)) == 1:
            sign = _BETWEEN.get(function) or (_LOGICAL.get(function) if types[0].kind == "b" else None)
            return f"{names[0]} {sign} {names[1]}" if sign and self._keeps(sign, types[0]) else None
        return self._of_one(step, function if whole else "", types, names)

    def _keeps(self, sign: str, dtype: Any) -> bool:
        """Whether scalars compute as arrays do: quotients are of floats; booleans are added otherwise."""
        return dtype in _FLOATS if sign == "/" else dtype.kind != "b" or sign not in "+-*"

    def _of_one(self, step: Any, function: str, types: Sequence[Any], names: Sequence[str]) -> str | None:
        if len(names) != 1:
            return None
        if function == "negative" and types[0].kind in "fi":
            return f"-{names[0]}"
        result = step.node.outputs[0].dtype.np
        if step.node.type == "Cast" and result in _FLOATS and (types[0] in _EXACT or types[0] in _FLOATS):
            self._known[result.name] = result.type
            return f"{result.name}({names[0]})"
        return None

    def _called(self, line: Line, writes: Sequence[int]) -> list[str]:
        """An operation that is called with arrays."""
        step = line.step
        function = f"{self._mark}f{len(self._known)}"
        self._known[function] = _guarded(line)
        read = lambda slot: self.as_kind(slot, False)
        given = [read(r) if type(r) is int else f"[{', '.join(map(read, r))}]" for r in step.reads]
        call = f"{function}({', '.join(given)})"
        if step.writes is None:
            return [call]
        if isinstance(step.writes, int):
            return [f"{self.name(step.writes)} = {self._made(step.writes)}({call})"]
        names = [self.name(slot) for slot in writes]
        own = [f"{name} = {self._made(slot)}({name})" for name, slot in zip(names, writes)]
        return [f"[{', '.join(names)}] = {call}", *own]

    def _made(self, slot: int) -> str:
        return "number" if self._numbers.get(slot) else "held"


def _written(line: Line) -> tuple[int, ...]:
    """The slots that a step fills."""
    writes = line.step.writes
    return writes if isinstance(writes, tuple) else () if writes is None else (writes,)


def _guarded(line: Line) -> Callable[..., Any]:
    """What a plan calls for a step, whose errors say which operation it was."""
    run, step = line.run, line.step
    impure = step.node.definition.impure

    def call(*arguments: Any) -> Any:
        if impure:
            thread.node = step.node
        try:
            return run(*arguments)
        except (errors.OpError, ValueError, TypeError, MemoryError) as error:
            raise failed(step, list(arguments), error) from error

    return call
