"""Executor of programs: a program is generated as one Python function and compiled.

Slots become local variables, kernels and constants its globals, and each instruction one call, so
that an instruction costs what its kernel costs. Where all devices are the host, operations on
scalars (tensors of rank 0 of the usual dtypes) are operators on NumPy scalars: they take a tenth of
the time of ufuncs on arrays of rank 0, and their results are equal to the bit. A while loop becomes
a ``while`` statement around the instructions of its condition and body, loops in it included. The
line number of a traceback tells which instruction failed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import CodeType
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.compiler.fuse_elementwise import Chain, slots_of
from twinflow._src.compiler.lower import Line, as_array
from twinflow._src.compiler.place import elsewhere, holder
from twinflow._src.core import errors
from twinflow._src.core.context import thread
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.execute import explained
from twinflow._src.dispatch.registry import OPS
from twinflow._src.graph.execution_errors import in_function, is_located
from twinflow._src.graph.symbolic import SymbolicTensor

# Operators for NumPy functions of scalars.
_OPERATORS = {
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "true_divide": "/",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
    "equal": "==",
    "not_equal": "!=",
    "bitwise_and": "&",
    "bitwise_or": "|",
    "bitwise_xor": "^",
    "logical_and": "&",  # for booleans only, which have no addition or multiplication
    "logical_or": "|",
}
# Instructions of one function: to compile one takes 5 KB, which are free again afterwards.
_MOST_INSTRUCTIONS = 4096
# Python compiles at most twenty nested statements; deeper loops are calls.
_MOST_NESTED = 8
_FLOATS = frozenset(map(np.dtype, ["f4", "f8"]))
USUAL = _FLOATS | frozenset(map(np.dtype, ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]))
_FAILURES = (errors.OpError, ValueError, TypeError, MemoryError)
_FILE = "<program>"
# The initial values of slots.
Template = Sequence[Any] | Mapping[int, Any]


def is_number(tensor: Any) -> bool:
    """True if a graph tensor has rank 0 and one of the usual dtypes."""
    return isinstance(tensor, SymbolicTensor) and tensor._dims == () and tensor.dtype.np in USUAL


def to_number(value: Any) -> Any:
    """Converts a value to a NumPy scalar."""
    return np.asarray(value)[()]


def assert_not_cancelled() -> None:
    """Raises CancelledError if the program that this thread runs was cancelled."""
    if thread.cancelled is not None and thread.cancelled.is_set():
        raise errors.CancelledError(None, None, "The call was cancelled.")


class Emitter:
    """Writes the function of a program, whose parameters are one sequence or more."""

    def __init__(self, scalars: bool) -> None:
        self._scalars = scalars
        self._lines: list[str] = []
        self._indent = " "
        self._depth = 0  # of loops
        self._once: set[str] = set()  # variables that live as long as a call, None at first
        self._names: list[str] = []  # of the slots
        # True for a scalar, False for an array, None for a result that may be the one or the other
        self._numbers: list[bool | None] = []
        self._converted: dict[
            tuple[int, bool], int
        ] = {}  # the slot of a value as a scalar or array
        self._globals: dict[str, Any] = {
            "_array": np.ndarray,
            "_as_array": as_array,
            "_to_array": np.asarray,
            "_to_number": to_number,
            "_int32": np.int32,
            "_thread": thread,
            "_failures": (*_FAILURES, IndexError),
            "_check": assert_not_cancelled,
        }
        # programs that a task runs for others can be cancelled between two instructions
        self._can_be_cancelled = thread.cancelled is not None
        self._sources: dict[int, tuple[Line, list[Any]]] = {}  # by the number of the line

    def add_slot(self, number: bool | None = False) -> int:
        """Returns a new slot, a local variable."""
        self._names.append(f"v{len(self._names)}")
        self._numbers.append(number)
        return len(self._names) - 1

    def _add_constant(self, value: Any) -> int:
        """Returns a new slot that is a global."""
        is_array = isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype in USUAL
        if not self._scalars or not is_array:
            return self._add_global(value, False)
        slot = self._add_global(value[()], True)
        self._converted[slot, False] = self._add_global(value, False)
        return slot

    def _add_global(self, value: Any, number: bool) -> int:
        self._names.append(self.bind("c", value))
        self._numbers.append(number)
        return len(self._names) - 1

    def name(self, slot: int) -> str:
        """Returns the variable of a slot."""
        return self._names[slot]

    def write(self, text: str) -> None:
        """Adds a line."""
        self._lines.append(self._indent + text)

    def indent(self, by: int) -> None:
        """Changes the indentation of the lines that follow."""
        self._indent = " " * (len(self._indent) + by)

    def bind(self, prefix: str, value: Any) -> str:
        """Adds a global and returns its name."""
        name = f"{prefix}{len(self._globals)}"
        self._globals[name] = value
        return name

    def add_program(
        self,
        instructions: Sequence[Line],
        template: Template,
        feeds: dict[int, int],
        fetches: Sequence[int],
        kinds: Sequence[bool],
        varying: Iterable[int] | None = None,
        rounds: str = "",
        owned: Iterable[int] = (),
    ) -> list[int]:
        """Writes the instructions of a program; returns the emitter's slots of the results.

        ``feeds`` maps slots of the program that are fed to slots of the emitter. ``kinds`` has for
        each result True if it is required as a NumPy scalar. In a loop, ``varying`` are the feeds
        that change; instructions that do not depend on them run in the first iteration only, which
        ``rounds`` counts. ``owned`` are feeds that nobody else holds, which can be released.
        """
        at = dict(feeds)
        written = {slot for line in instructions for slot in line.written}
        used = (slot for line in instructions for slot in (*slots_of(line.step), *line.written))
        for slot in dict.fromkeys((*used, *fetches)):
            if slot in at:
                continue
            value = template[slot]
            if slot not in written:
                at[slot] = self._add_constant(value)
                continue
            at[slot] = self.add_slot()
            if value is not None:
                self.write(f"{self.name(at[slot])} = {self.bind('c', value)}")
        moved = [] if varying is None else _invariant(instructions, varying, template)
        written -= {slot for line in moved for slot in line.written}  # these stay alive
        written.update(owned)
        # those of constants alone run once in a call
        once = _invariant(moved, feeds, template) if self._depth > 1 else []
        for line in once:
            self._add_once(line, at)
        is_added = set(map(id, once))
        repeated = [line for line in moved if id(line) not in is_added]
        if repeated:
            self.write(f"if not {rounds}:")
            self.indent(1)
            for line in repeated:
                self._add_instruction(line, at, written)
            self.indent(-1)
        is_added.update(map(id, repeated))
        for line in instructions:
            if id(line) not in is_added:
                self._add_instruction(line, at, written)
        return [self._as(at[slot], kind) for slot, kind in zip(fetches, kinds)]

    def _add_once(self, line: Line, at: dict[int, int]) -> None:
        """Writes an instruction of a nested loop that reads constants, which runs once in a call."""
        first, results = len(self._names), [self.name(at[slot]) for slot in line.written]
        self.write(f"if {results[0]} is None:")
        self.indent(1)
        self._add_instruction(line, at, set())
        self.indent(-1)
        self._once.update(name for name in (*results, *self._names[first:]) if name[0] == "v")

    def _as(self, slot: int, number: bool) -> int:
        """Returns the slot of a value as a scalar or as an array."""
        if self._numbers[slot] is number:
            return slot
        other = self._converted.get((slot, number))
        if other is None:
            other = self._converted[slot, number] = self.add_slot(number)
            name, convert = self.name(slot), "{}[()]" if number else "_to_array({})"
            value = convert.format(name)
            if self._numbers[slot] is None:
                first, second = (value, name) if number else (name, value)
                value = f"{first} if type({name}) is _array else {second}"
            self.write(f"{self.name(other)} = {value}")
        return other

    def _add_instruction(self, line: Line, at: dict[int, int], written: set[int]) -> None:
        if self._can_be_cancelled:
            self.write("_check()")
        if self._scalars and self._add_nested_loop(line, at):
            self._clear(line, at, written)
            return
        writes = [at[slot] for slot in line.written]
        reads = [at[slot] if type(slot) is int else [at[i] for i in slot] for slot in line.reads]
        if not (self._scalars and self._add_operator(line, reads, writes)):
            self._call(line, reads, writes, at)
        self._clear(line, at, written)

    def _clear(self, line: Line, at: dict[int, int], written: set[int]) -> None:
        """Releases what is not read after an instruction."""
        dead = [self.name(at[slot]) for slot in line.dead if slot in written]
        if dead:
            self.write(f"{' = '.join(dead)} = None")

    def _add_nested_loop(self, line: Line, at: dict[int, int]) -> bool:
        """Writes a while loop in the body of another one; returns False for other instructions."""
        step, op = line.step, line.step.node.definition
        is_loop = op.native == "while" and step.kernel is op.kernel
        if not is_loop or self._depth == _MOST_NESTED:
            return False
        parts = step.kernel.__self__.parts()  # type: ignore[attr-defined]
        if parts is None or parts.has_lists:
            return False
        reads = [at[slot] for slot in line.reads]
        loop = [self.add_slot(number) for number in parts.values]
        for slot, read, number in zip(loop, reads, parts.values):
            self.write(f"{self.name(slot)} = {self.name(self._as(read, number))}")
        first, converted = len(self._names), dict(self._converted)
        rounds = self.add_loop(parts, loop, reads[len(loop) :])
        # conversions in the loop are those of its last iteration, if it had any
        self._converted = converted
        inside = [name for name in self._names[first:] if name[0] == "v" and name not in self._once]
        if inside:
            self.write(f"{' = '.join(inside)} = None")
        total = self.add_slot(True)
        self.write(f"{self.name(total)} = _int32({rounds})")
        at.update(zip(line.written, (*loop, total)))
        return True

    def add_loop(self, parts: LoopParts, loop: Sequence[int], outer: Sequence[int]) -> str:
        """Writes a while loop; returns the variable that counts its iterations.

        ``loop`` are the slots of the values, initial and final ones, ``outer`` those of the captures.
        """
        values, body = parts.values, parts.body.program

        def add(part: Any, kinds: Sequence[bool], varying: Iterable[int] | None = None) -> Any:
            program = part.program
            feeds = dict(zip(program.feeds, [*loop, *(outer[i] for i in part.positions)]))
            return self.add_program(
                program.instructions,
                program.template,
                feeds,
                program.fetches,
                kinds,
                varying,
                rounds,
            )

        self._depth += 1
        rounds = f"iterations{self._depth}"
        self.write(f"{rounds} = 0")
        self.write("while True:")
        self.indent(1)
        (holds, *_) = add(parts.cond, [True])
        self.write(f"if not {self.name(holds)}: break")
        extras = len(body.fetches) - len(values)
        results = add(parts.body, [*values, *[False] * extras], body.varying)
        for i, slot in enumerate(results[len(values) :]):
            self.write(f"lists[{i}].append({self.name(slot)})")
        moves = [(to, slot) for to, slot in zip(loop, results) if to != slot]
        if moves:
            targets, sources = (", ".join(map(self.name, slots)) for slots in zip(*moves))
            self.write(f"{targets} = {sources}")
        self.write(f"{rounds} += 1")
        self.indent(-1)
        self._depth -= 1
        return rounds

    def _arrays(self, read: Any) -> Any:
        if isinstance(read, list):
            return [self._as(slot, False) for slot in read]
        return self._as(read, False)

    def _expression(self, read: Any) -> str:
        if isinstance(read, list):
            return f"[{', '.join(map(self.name, read))}]"
        return self.name(read)

    def _write(self, line: Line, reads: list[Any], text: str) -> None:
        """Adds a line that can fail."""
        self.write(text)
        self._sources[len(self._lines) + 1] = line, reads

    def _call(self, line: Line, reads: list[Any], writes: list[int], at: dict[int, int]) -> None:
        step, results = line.step, self._results(line.step, writes)
        is_scalar = (
            isinstance(line.run, np.ufunc) and results[0] is not None and results[0]._dims == ()
        )
        if not (is_scalar and self._scalars):
            reads = [self._arrays(read) for read in reads]
        args = ", ".join(map(self._expression, reads))
        names = [self.name(slot) for slot in writes]
        if isinstance(step.writes, tuple):
            names = [f"({''.join(f'{name}, ' for name in names)})"] if names else []
        target = f"{names[0]} = " if names else ""
        if step.node.definition.impure:
            self.write(f"_thread.node = {self.bind('n', step.node)}")
        run = self.bind("k", line.run)
        if is_scalar:
            is_kept = self._numbers[writes[0]] = self._scalars and is_number(results[0])
            self._write(line, reads, f"{target}{'' if is_kept else '_to_array'}({run}({args}))")
            return
        if line.reads is step.reads:
            self._write(line, reads, f"{target}{run}({args})")
        else:  # a specialized kernel that fails is replaced by the op's own
            op_reads = [
                self._arrays(at[slot] if type(slot) is int else [at[i] for i in slot])
                for slot in step.reads
            ]
            kernel = functools.partial(step.kernel, step.device.xp, **step.attrs)
            self.write("try:")
            self.write(f" {target}{run}({args})")
            self.write("except _failures:")
            call = f"{self.bind('k', kernel)}({', '.join(map(self._expression, op_reads))})"
            self._write(line, op_reads, f" {target}{call}")
        for slot, result in zip(writes, results):
            name = self.name(slot)
            if self._scalars and is_number(result) and not step.device.remote:
                self._numbers[slot] = None
            elif result is None or not result._dims:
                self.write(f"if type({name}) is not _array: {name} = _as_array({name})")

    @staticmethod
    def _results(step: Any, writes: list[int]) -> list[Any]:
        """Returns the symbolic results of an instruction, or None for each of a fused chain."""
        outputs = step.node.outputs
        is_single = not isinstance(step.kernel, Chain) and len(outputs) == len(writes)
        return list(outputs) if is_single else [None] * len(writes)

    def _add_operator(self, line: Line, reads: list[Any], writes: list[int]) -> bool:
        """Writes an operation on scalars as an expression; returns False for other instructions."""
        step = line.step
        is_one = len(writes) == 1 and reads and all(type(slot) is int for slot in reads)
        is_here = not isinstance(step.kernel, Chain) and not step.device.remote
        if not (is_one and is_here) or len(step.node.tensors) != len(reads):
            return False
        if not all(map(is_number, (*step.node.tensors, *step.node.outputs))):
            return False
        scalars = self._operator(line, [f"{{{i}}}" for i in range(len(reads))])
        if scalars is None:
            return False
        reads = [self._as(slot, True) for slot in reads]
        self._numbers[writes[0]] = True
        text = scalars.format(*map(self.name, reads))
        self._write(line, reads, f"{self.name(writes[0])} = {text}")
        return True

    def _operator(self, line: Line, names: Sequence[str]) -> str | None:
        """Returns the expression of an operation on scalars, or None."""
        node = line.step.node
        text = node.definition.scalar
        if text is not None:
            operands = zip([param.name for param in node.definition.tensors], names)
            return text.format(**dict(operands), kernel=self.bind("k", line.run))
        types, ufunc = [tensor.dtype.np for tensor in node.tensors], node.definition.ufunc or ""
        if not isinstance(line.run, np.ufunc):
            to = node.outputs[0].dtype.np
            cast = (
                node.definition.kernel is OPS["Cast"].kernel and to in _FLOATS and types[0] in USUAL
            )
            return f"{self.bind('t', to.type)}({names[0]})" if cast else None
        if len(names) == 1:
            return f"-{names[0]}" if ufunc == "negative" and types[0].kind in "fi" else None
        if ufunc not in _OPERATORS or len(set(types)) > 1:
            return None
        return f"{names[0]} {_OPERATORS[ufunc]} {names[1]}"

    def compile(self, parameters: str) -> Executor:
        """Compiles the function."""
        parameters = ", ".join([parameters, *(f"{name}=None" for name in sorted(self._once))])
        source = "\n".join([f"def program({parameters}):", *self._lines])
        code = compile(source, _FILE, "exec")
        exec(code, self._globals)
        return Executor(self._globals["program"], self._sources, self._names)


class Executor:
    """A compiled program.

    ``sources`` has the instruction of each line that can fail, and the slots that it reads;
    ``names`` are the variables of the slots.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        sources: dict[int, tuple[Line, list[Any]]],
        names: Sequence[str],
    ) -> None:
        self._function, self._sources, self._names = function, sources, names
        self._code: CodeType = function.__code__

    def __call__(self, *args: Any) -> Any:
        outer = thread.node
        try:
            return self._function(*args)
        except _FAILURES as error:
            raise self._explained(error) from error.__cause__
        finally:
            thread.node = outer

    def instruction_at(self, line_number: int) -> Line | None:
        """Returns the instruction of a line of the function; None for lines that cannot fail."""
        source = self._sources.get(line_number)
        return None if source is None else source[0]

    def _explained(self, error: Exception) -> Exception:
        """Returns the error of the instruction that failed, with the name of its operation."""
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code is not self._code:
            trace = trace.tb_next
        if trace is None or trace.tb_lineno not in self._sources:
            return error
        line, reads = self._sources[trace.tb_lineno]
        values = trace.tb_frame.f_globals | trace.tb_frame.f_locals
        names = self._names
        arguments = [
            [values[names[slot]] for slot in read]
            if isinstance(read, list)
            else values[names[read]]
            for read in reads
        ]
        return _failed(line.step, arguments, error)


def _failed(step: Any, arguments: list[Any], error: Exception) -> Exception:
    """Returns the error of a graph operation: the kernel's message and the name of the node."""
    node = step.node
    if not isinstance(error, errors.OpError):
        inputs = [_tensor(x, value) for x, value in zip(node.arguments, arguments)]
        dtype = node.outputs[0].dtype if node.outputs else None
        error = explained(node.definition, inputs, node.attrs, dtype, step.device, error)
    if not isinstance(error, errors.OpError) or is_located(error.message):
        return error
    reason = error.message.split(f" [Op:{node.type}]")[0]
    return type(error)(None, node, in_function(node, reason))


def _tensor(symbol: Any, value: Any) -> Any:
    """Wraps an argument of an instruction in a tensor, for an error message."""
    if isinstance(symbol, tuple):
        return tuple(map(_tensor, symbol, value))
    if isinstance(symbol, SymbolicTensor):
        value = np.asarray(value) if isinstance(value, np.generic) else value
        return EagerTensor(value, holder(value, None), symbol.dtype)
    return value


def _invariant(
    instructions: Sequence[Line], varying: Iterable[int], template: Template
) -> list[Line]:
    """Returns the instructions of a loop body whose results are equal in all iterations."""
    changing, moved = set(varying), []
    for line in instructions:
        reads = {i for read in line.step.reads for i in ((read,) if type(read) is int else read)}
        is_initialized = any(template[slot] is not None for slot in line.written)
        is_pure = line.written and not line.step.node.definition.impure
        if is_pure and not is_initialized and changing.isdisjoint(reads):
            moved.append(line)
        else:
            changing.update(line.written)
    return moved


def executor_of(
    instructions: Sequence[Line],
    template: Template,
    feeds: Sequence[int],
    fetches: Sequence[int],
    prologue: Iterable[tuple[int, Callable[[Any], Any]]] = (),
) -> Executor | Segments:
    """Compiles a program to a function of the arrays that are fed, which returns those fetched.

    ``template`` holds the initial values of the slots, ``feeds`` and ``fetches`` are slots.
    ``prologue`` are slots of feeds, and functions that their arrays are passed through first.
    """
    if len(instructions) > _MOST_INSTRUCTIONS:
        return Segments(instructions, template, feeds, fetches, prologue)
    emitter = Emitter(not elsewhere())
    at = {slot: emitter.add_slot() for slot in dict.fromkeys(feeds)}
    emitter.write(f"({''.join(emitter.name(at[slot]) + ', ' for slot in feeds)}) = feeds")
    for slot, function in prologue:
        name = emitter.name(at[slot])
        emitter.write(f"{name} = {emitter.bind('f', function)}({name})")
    results = emitter.add_program(instructions, template, at, fetches, [False] * len(fetches))
    emitter.write(f"return [{', '.join(map(emitter.name, results))}]")
    return emitter.compile("feeds")


class Segments:
    """A long program as several functions, each compiled in bounded memory; see ``executor_of``.

    What later segments read is held between them, and passed to the last that reads it.
    """

    def __init__(
        self,
        instructions: Sequence[Line],
        template: Template,
        feeds: Sequence[int],
        fetches: Sequence[int],
        prologue: Iterable[tuple[int, Callable[[Any], Any]]],
    ) -> None:
        self._feeds, self._fetches, self._prologue = feeds, fetches, list(prologue)
        starts = range(0, len(instructions), _MOST_INSTRUCTIONS)
        parts = [instructions[start : start + _MOST_INSTRUCTIONS] for start in starts]
        reads = [
            dict.fromkeys(slot for line in part for slot in slots_of(line.step)) for part in parts
        ]
        last = {slot: i for i, slots in enumerate(reads) for slot in slots}
        last |= dict.fromkeys(fetches, len(parts))
        computed = set(feeds)
        self._segments = []
        for i, part in enumerate(parts):
            inputs = [slot for slot in reads[i] if slot in computed]
            shared = [slot for slot in inputs if last[slot] > i]
            owned = [slot for slot in inputs if last[slot] == i]
            written = dict.fromkeys(slot for line in part for slot in line.written)
            results = [slot for slot in written if last.get(slot, 0) > i]
            executor = _segment(part, template, shared, owned, results)
            self._segments.append((executor, shared, owned, results))
            computed.update(written)
        self._constants = {slot: template[slot] for slot in fetches if slot not in computed}

    def __call__(self, arrays: Iterable[Any]) -> list[Any]:
        values = self._constants | dict(zip(self._feeds, arrays))
        for slot, function in self._prologue:
            values[slot] = function(values[slot])
        for executor, shared, owned, results in self._segments:
            inputs = [values[slot] for slot in shared]
            inputs += [values.pop(slot) for slot in owned]
            values.update(zip(results, executor(inputs)))
        return [values[slot] for slot in self._fetches]


def _segment(
    instructions: Sequence[Line],
    template: Template,
    shared: Sequence[int],
    owned: Sequence[int],
    results: Sequence[int],
) -> Executor:
    """Compiles a segment; it empties the list of its inputs, of which it may release ``owned``."""
    emitter = Emitter(not elsewhere())
    at = {slot: emitter.add_slot() for slot in (*shared, *owned)}
    emitter.write(f"({''.join(emitter.name(slot) + ', ' for slot in at.values())}) = feeds")
    emitter.write("feeds.clear()")
    kinds = [False] * len(results)
    slots = emitter.add_program(instructions, template, at, results, kinds, owned=owned)
    emitter.write(f"return [{', '.join(map(emitter.name, slots))}]")
    return emitter.compile("feeds")


class LoopParts(NamedTuple):
    """A while loop on the host.

    Attributes:
        cond: The condition: its ``program``, and ``positions`` of its captures among the loop's.
        body: The body, which returns the next values, followed by those to accumulate in lists.
        values: True for each value that is a scalar.
        captures: True for each capture that is a scalar.
        has_lists: True if the body returns values to accumulate.
    """

    cond: Any
    body: Any
    values: list[bool]
    captures: list[bool]
    has_lists: bool


def loop_executor(parts: LoopParts) -> Executor:
    """Compiles a while loop to a function of the values, the captures and lists to append to.

    That returns the final values and the number of iterations.
    """
    emitter = Emitter(scalars=True)
    loop = [emitter.add_slot(number) for number in parts.values]
    outer = [emitter.add_slot(number) for number in parts.captures]
    for parameter, slots in (("values", loop), ("captures", outer)):
        emitter.write(f"({''.join(emitter.name(slot) + ', ' for slot in slots)}) = {parameter}")
    for slot, number in zip((*loop, *outer), (*parts.values, *parts.captures)):
        if number:
            emitter.write(f"{emitter.name(slot)} = _to_number({emitter.name(slot)})")
    rounds = emitter.add_loop(parts, loop, outer)
    finals = [
        f"_to_array({emitter.name(slot)})" if number else emitter.name(slot)
        for slot, number in zip(loop, parts.values)
    ]
    emitter.write(f"return [{', '.join(finals)}], {rounds}")
    return emitter.compile("values, captures, lists")
