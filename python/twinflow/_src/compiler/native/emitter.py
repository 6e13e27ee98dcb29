"""Instructions of a program as LLVM code: loops over elements, moves, products and while loops.

Elementwise operations of one shape are one loop, and so are the reductions of what it computes;
other results are arrays on the stack. Sums of float32 have accumulators in float64.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir

from twinflow._src.compiler.fuse_elementwise import slots_of
from twinflow._src.compiler.lower import Step
from twinflow._src.compiler.native.formulas import (
    TYPES,
    Formula,
    Scalar,
    Scalars,
    Unsupported,
    key_of,
)
from twinflow._src.compiler.native.llvm import Function, memory_of
from twinflow._src.compiler.native.philox import join_words, numbers
from twinflow._src.core.shapes import static_sizes
from twinflow._src.dispatch.registry import Op
from twinflow._src.random.philox import emit_rounds
from twinflow._src.random.seeds import SCRAMBLER

_I64 = ir.IntType(64)
# Multiplications of a product of matrices; BLAS is faster at larger ones.
MOST_MULTIPLICATIONS = 1 << 15
# Bytes of a tensor on the stack, and segments of a move that are copied one by one.
_MOST_STACK, _MOST_SEGMENTS = 1 << 12, 16
# Up to this number of elements, functions of float32 are rounded once.
_SMALL = 7
REDUCTIONS = frozenset(("sum", "mean", "prod", "max", "min", "any", "all"))


class Value(NamedTuple):
    """A tensor: its elements in memory.

    Attributes:
        key: The dtype, such as "f4".
        shape: The sizes.
        pointer: The address of the elements, in C order.
        is_splat: True if all elements are the one in memory.
        root: The address of the tensor that it is a part of, or None.
    """

    key: str
    shape: tuple[int, ...]
    pointer: Any
    is_splat: bool = False
    root: Any = None

    @property
    def size(self) -> int:
        """The number of elements in memory."""
        return 1 if self.is_splat else math.prod(self.shape)


class _Part(NamedTuple):
    """Instructions that are emitted together: a loop over a shape, or one of another kind."""

    shape: tuple[int, ...] | None
    steps: list[Step]


class _Reduction(NamedTuple):
    """A reduction in a loop.

    Attributes:
        name: Its name.
        source: The slot that it reads.
        level: The number of loops around the one over elements that are reduced without a break.
        is_partial: True if loops around those are reduced as well.
        kept: False for each loop over a reduced dimension.
        total: The accumulator.
        result: The results.
        factor: The number of elements of a result.
    """

    name: str
    source: int
    level: int
    is_partial: bool
    kept: tuple[bool, ...]
    total: Value
    result: Value
    factor: int

    @property
    def is_direct(self) -> bool:
        """True if the innermost loop is over results, which are the accumulators."""
        return self.is_partial and self.level == len(self.kept)


def kind_of(step: Step) -> str:
    """Returns the lowering of an instruction: "element", or another of ``Op.native``."""
    op = step.node.definition
    if op.native is None:
        return "element" if op.cuda else ""
    return op.native if op.native.isidentifier() else "element"


def sizes(tensor: Any) -> tuple[int, ...]:
    """Returns the static shape of a symbolic tensor."""
    if tensor._dims is None or None in tensor._dims:
        raise Unsupported(tensor)
    return static_sizes(tensor.shape)


class Emitter:
    """Emits the instructions of programs to the end of a function.

    Attributes:
        loops: The sizes of the loops around elements that were emitted last.
    """

    def __init__(self, function: Function) -> None:
        self._function, self._b = function, function.builder
        self._scalars = Scalars(function.module, function.builder)
        self.loops: list[int] = []
        self._is_split = False

    # ---------------------------------------------------------------- programs
    def emit(
        self,
        steps: Sequence[Step],
        constants: dict[int, Any],
        values: dict[int, Value],
        fetched: set[int],
        targets: dict[int, Value],
        split: bool = False,
    ) -> None:
        """Emits instructions of a program.

        ``values`` are the tensors of slots, which is extended by all that are ``fetched`` or read
        by later parts; ``targets`` are where some slots are stored. With ``split``, the outermost
        loop runs between the first two numbers of the function, and the results of reductions over
        all loops are stored at the index of the third.
        """
        self._is_split = split
        self._constants, self._values, self._targets = constants, values, targets
        parts = scheduled(steps)
        for i, part in enumerate(parts):
            later = fetched.union(
                *(slots_of(step) for other in parts[i + 1 :] for step in other.steps)
            )
            if part.shape is None:
                self._lower(part.steps[0])
            else:
                self._emit_loops(part, later)
        for slot, target in targets.items():
            if values[slot].pointer is not target.pointer:
                self.copy(values[slot], target)

    def value(self, slot: int) -> Value:
        """Returns the tensor of a slot; constants become global."""
        value = self._values.get(slot)
        if value is None:
            array = np.asarray(self._constants[slot], order="C")
            key = key_of(array.dtype)
            pointer = self._table(memory_of(key), array.reshape(-1).tolist())
            value = self._values[slot] = Value(key, array.shape, pointer)
        return value

    def _table(self, type: ir.Type, items: Sequence[Any]) -> Any:
        """Returns the address of constant elements."""
        module = self._function.module
        kind = ir.ArrayType(type, len(items))
        table = ir.GlobalVariable(module, kind, module.get_unique_name("table"))
        table.global_constant, table.linkage = True, "internal"
        is_float = isinstance(type, (ir.FloatType, ir.DoubleType))
        table.initializer = ir.Constant(kind, [x if is_float else int(x) for x in items])
        return self._b.bitcast(table, type.as_pointer())

    def new(self, key: str, shape: Sequence[int], slot: int | None = None) -> Value:
        """Returns a new tensor: that which a slot is stored to, or one on the stack."""
        target = self._targets.get(slot, None) if slot is not None else None
        if target is not None:
            return target._replace(shape=tuple(shape))
        count = math.prod(shape)
        type, bytes = memory_of(key), count * int(key[1:])
        with self._b.goto_entry_block():
            if bytes > _MOST_STACK:
                pointer = self._b.bitcast(self._function.scratch(bytes), type.as_pointer())
            else:
                pointer = self._b.alloca(type, count)
                pointer.align = 64
        return Value(key, tuple(shape), pointer)

    def _result(self, step: Step) -> Value:
        tensor = step.node.outputs[0]
        return self.new(key_of(tensor.dtype.np), sizes(tensor), step.writes)

    # ---------------------------------------------------------------- memory
    def load(self, value: Value, index: Any) -> Scalar:
        """Returns an element, by its index in memory."""
        index = _integer(0) if value.size == 1 else index
        item = self._b.load(self._b.gep(value.pointer, [index]))
        if value.key == "b1":
            item = self._b.trunc(item, TYPES["b1"])
        return Scalar(item, value.key)

    def store(self, value: Value, index: Any, x: Any) -> None:
        """Stores an element."""
        item = self._scalars.cast(x, value.key).value
        if value.key == "b1":
            item = self._b.zext(item, memory_of("b1"))
        self._b.store(item, self._b.gep(value.pointer, [index]))

    def copy(self, source: Value, target: Value) -> None:
        """Copies all elements."""
        with self.loop(target.size) as i:
            self.store(target, i, self.load(source, i))

    @contextmanager
    def loop(self, stop: Any, start: Any = 0) -> Iterator[Any]:
        """Emits a loop over at least one index."""
        b = self._b
        start, stop = (_integer(x) if isinstance(x, int) else x for x in (start, stop))
        before, body = b.block, b.append_basic_block()
        b.branch(body)
        b.position_at_end(body)
        index = b.phi(_I64)
        index.add_incoming(start, before)
        yield index
        following = b.add(index, _integer(1), flags=("nuw", "nsw"))
        index.add_incoming(following, b.block)
        rest = b.append_basic_block()
        b.cbranch(b.icmp_signed("<", following, stop), body, rest)
        b.position_at_end(rest)

    # ---------------------------------------------------------------- loops over elements
    def _emit_loops(self, part: _Part, later: set[int]) -> None:
        assert part.shape is not None
        shape = tuple(size for size in part.shape if size != 1)
        written = {step.writes for step in part.steps if kind_of(step) not in REDUCTIONS}
        reads = {slot for step in part.steps for slot in tensors_of(step)} - written
        self._scalars.is_single = math.prod(shape) > _SMALL
        operands = {slot: self.value(slot) for slot in reads}
        patterns = {slot: _pattern(value, part.shape) for slot, value in operands.items()}
        reduced = [(step, self._axes(step)) for step in part.steps if step.writes not in written]
        kept = [
            tuple(i not in axes for i, size in enumerate(part.shape) if size != 1)
            for _, axes in reduced
        ]
        loops = _merged(shape, [*patterns.values(), *kept])
        merge = lambda pattern: tuple(pattern[first] for first, _ in loops)
        reductions = [
            self._reduction(step, merge(keeps), part.shape)
            for (step, _), keeps in zip(reduced, kept)
        ]
        results = {
            step.writes: self._result(step)
            for step in part.steps
            if step.writes in written and step.writes in later
        }
        steps = [step for step in part.steps if step.writes in written]
        counts = [size for _, size in loops]
        strides = {slot: _strides(counts, merge(pattern)) for slot, pattern in patterns.items()}
        whole = _strides(counts, [True] * len(counts))

        def body(indices: Sequence[Any]) -> None:
            registers: dict[int, Scalar] = {}

            def operand(slot: int) -> Scalar:
                if slot not in registers:
                    registers[slot] = self.load(
                        operands[slot], self._offset(indices, strides[slot])
                    )
                return registers[slot]

            for step in steps:
                registers[step.writes] = self._element(step, operand)
            for slot, result in results.items():
                self.store(result, self._offset(indices, whole), registers[slot])
            for reduction in reductions:
                x = operand(reduction.source)
                if reduction.is_direct:
                    offset = self._offset(indices, _strides(counts, reduction.kept))
                    self._accumulate(reduction.name, reduction.result, x, offset)
                else:
                    self._accumulate(reduction.name, reduction.total, x)

        for reduction in reductions:
            if reduction.is_partial:
                with self.loop(reduction.result.size) as i:
                    self.store(reduction.result, i, _identity(reduction.name, reduction.result.key))
        self.loops = counts
        self._nest(counts, [], reductions, body)
        for reduction in reductions:
            if reduction.is_partial and reduction.name == "mean":
                with self.loop(reduction.result.size) as i:
                    total = self.load(reduction.result, i)
                    self.store(
                        reduction.result, i, self._scalars.operate("/", total, reduction.factor)
                    )
        self._values |= results | {s.writes: r.result for (s, _), r in zip(reduced, reductions)}

    def _nest(
        self,
        counts: Sequence[int],
        indices: list[Any],
        reductions: Sequence[_Reduction],
        body: Callable[[Sequence[Any]], None],
    ) -> None:
        """Emits the loops within those of some indices."""
        level = len(indices)
        here = [r for r in reductions if r.level == level and not r.is_direct]
        for reduction in here:
            self.store(reduction.total, _integer(0), _identity(reduction.name, reduction.total.key))
        if level == len(counts):
            body(indices)
        else:
            start, stop = (
                self._function.numbers[:2] if self._is_split and not level else (0, counts[level])
            )
            with self.loop(stop, start) as i:
                self._nest(counts, [*indices, i], reductions, body)
        for reduction in here:
            self._finish(reduction, indices, counts)

    def _finish(self, reduction: _Reduction, indices: Sequence[Any], counts: Sequence[int]) -> None:
        """Stores an accumulator when its loops are done."""
        offset = self._offset(indices, _strides(counts, reduction.kept))
        total = self.load(reduction.total, _integer(0))
        result = self._scalars.cast(total, reduction.result.key)
        if reduction.is_partial:
            self._accumulate(reduction.name, reduction.result, result, offset)
            return
        if self._is_split and not reduction.level:  # the result of a block
            self.store(reduction.result, self._function.numbers[2], total)
            return
        if reduction.name == "mean":
            result = self._scalars.operate("/", result, reduction.factor)
        self.store(reduction.result, offset, result)

    def _reduction(self, step: Step, kept: tuple[bool, ...], shape: Sequence[int]) -> _Reduction:
        level = len(kept)
        while level and not kept[level - 1]:
            level -= 1
        result, name = self._result(step), kind_of(step)
        total = self.new(accumulator(name, result.key), ())
        count = math.prod(shape) // math.prod(sizes(step.node.outputs[0]))
        return _Reduction(
            name, step.reads[0], level, not all(kept[:level]), kept, total, result, count
        )

    def _accumulate(self, name: str, total: Value, x: Scalar, index: Any = None) -> None:
        index = _integer(0) if index is None else index
        s, before = self._scalars, self.load(total, index)
        x = s.cast(x, total.key)
        if name in ("max", "min"):
            better = s.operate(">" if name == "max" else "<", x, before)
            if x.key[0] == "f":
                better = s.operate("||", better, s.operate("!=", x, x))  # NaN stays
            after = s.select(better, x, before)
        elif name in ("any", "all"):
            after = s.operate("||" if name == "any" else "&&", before, x)
        elif x.key[0] == "f":  # LLVM may use several accumulators, so that it can vectorize
            emit = self._b.fmul if name == "prod" else self._b.fadd
            after = Scalar(emit(before.value, x.value, flags=("reassoc",)), x.key)
        else:
            after = s.operate("*" if name == "prod" else "+", before, x)
        self.store(total, index, after)

    def _axes(self, step: Step) -> set[int]:
        """Returns the axes of a reduction."""
        return axes_of(step, self._constants)

    def _offset(self, indices: Sequence[Any], strides: Sequence[int]) -> Any:
        """Returns the index in memory of an element."""
        offset = None
        for index, stride in zip(indices, strides):
            if stride:
                term = index if stride == 1 else self._b.mul(index, _integer(stride))
                offset = term if offset is None else self._b.add(offset, term)
        return _integer(0) if offset is None else offset

    def _element(self, step: Step, operand: Callable[[int], Scalar]) -> Scalar:
        """Emits one element of an elementwise operation."""
        key = key_of(step.node.outputs[0].dtype.np)
        kind, s = kind_of(step), self._scalars
        if kind == "cast":
            return s.cast(operand(step.reads[0]), key)
        if kind == "total":
            return functools.reduce(functools.partial(s.operate, "+"), map(operand, step.reads[0]))
        operands = [operand(slot) for slot in step.reads]
        return element(s, step.node.definition, step.attrs, operands, key)

    # ---------------------------------------------------------------- other operations
    def _lower(self, step: Step) -> None:
        getattr(self, f"_lower_{kind_of(step).partition('_')[0]}")(step)

    def _lower_move(self, step: Step) -> None:
        """Emits an operation whose result has elements of its inputs, and zeros."""
        data = step.reads[data_of(step)]
        sources = [self.value(slot) for slot in (data if isinstance(data, tuple) else (data,))]
        ends = np.cumsum([0, *(math.prod(source.shape) for source in sources)]).tolist()
        numbers = [  # of the elements; 0 means a zero
            np.arange(start + 1, stop + 1, dtype=np.int32).reshape(source.shape)
            for source, start, stop in zip(sources, ends, ends[1:])
        ]
        args = [self._constants.get(slot) if isinstance(slot, int) else None for slot in step.reads]
        args[data_of(step)] = numbers if isinstance(data, tuple) else numbers[0]
        results = step.kernel(np, *args, **step.attrs)
        results = results if isinstance(results, (list, tuple)) else [results]
        slots = step.writes if isinstance(step.writes, tuple) else (step.writes,)
        for slot, tensor, table in zip(slots, step.node.outputs, results, strict=True):
            self._move(slot, key_of(tensor.dtype.np), np.asarray(table), sources, ends)

    def _move(
        self,
        slot: int,
        key: str,
        table: np.ndarray[Any, Any],
        sources: list[Value],
        ends: list[int],
    ) -> None:
        """Emits a result of a move, given the number of the element at each index."""
        shape, flat = table.shape, table.reshape(-1).astype(np.int64)
        owners = np.searchsorted(ends, flat, "left") - 1  # -1: zero
        owner, first = int(owners[0]), int(flat[0])
        if (owners == owner).all() and owner >= 0 and slot not in self._targets:
            source = sources[owner]
            start = first - 1 - ends[owner]
            if source.is_splat or (flat == first).all():
                pointer = source.pointer if source.is_splat else self._at(source, start)
                root = source.root or source.pointer
                self._values[slot] = Value(key, shape, pointer, flat.size > 1, root)
                return
            if (np.diff(flat) == 1).all():
                root = source.root or source.pointer
                self._values[slot] = Value(key, shape, self._at(source, start), False, root)
                return
        result = self._values[slot] = self.new(key, shape, slot)
        steps = np.diff(flat)
        cuts = (
            np.flatnonzero((np.diff(owners) != 0) | np.append(steps[1:] != steps[:-1], False)) + 1
        )
        if len(cuts) < _MOST_SEGMENTS:
            for start, stop in zip([0, *cuts.tolist()], [*cuts.tolist(), flat.size]):
                stride = int(flat[start + 1] - flat[start]) if stop - start > 1 else 0
                owner = int(owners[start])
                base = int(flat[start]) - 1 - ends[owner] if owner >= 0 else 0
                with self.loop(stop - start) as i:
                    at = self._b.add(self._b.mul(i, _integer(stride)), _integer(base))
                    item = self.load(sources[owner], at) if owner >= 0 else 0
                    self.store(result, self._b.add(i, _integer(start)), item)
            return
        for owner in np.unique(owners).tolist():
            targets = np.flatnonzero(owners == owner)
            to = self._table(_I64, targets.tolist())
            origin = flat[targets] - 1 - ends[owner] if owner >= 0 else targets
            at = self._table(_I64, origin.tolist())
            with self.loop(len(targets)) as i:
                place = self._b.load(self._b.gep(at, [i]))
                item = self.load(sources[owner], place) if owner >= 0 else 0
                self.store(result, self._b.load(self._b.gep(to, [i])), item)

    def _at(self, value: Value, index: int) -> Any:
        return self._b.gep(value.pointer, [_integer(index)]) if index else value.pointer

    def _lower_product(self, step: Step) -> None:
        """Emits a product of matrices, or of stacks of as many matrices."""
        x, y = (self._in_memory(self.value(slot)) for slot in step.reads)
        turned = tuple(step.attrs.values())
        result = self._values[step.writes] = self._result(step)
        *batch, rows, columns = result.shape
        inner = x.shape[-2 if turned[0] else -1]
        xs, ys = (
            ((1, rows) if turned[0] else (inner, 1)),
            ((1, inner) if turned[1] else (columns, 1)),
        )
        b, s = self._b, self._scalars
        with self.loop(math.prod(batch)) as n:
            bases = [
                b.mul(n, _integer(size)) for size in (rows * inner, inner * columns, rows * columns)
            ]
            at = lambda base, i, j, strides: b.add(base, self._offset((i, j), strides))
            if columns == 1 or turned[1]:
                total = self.new("f8", ())
                with self.loop(rows) as i, self.loop(columns) as j:
                    self.store(total, _integer(0), 0)
                    with self.loop(inner) as k:
                        left = s.cast(self.load(x, at(bases[0], i, k, xs)), "f8")
                        right = s.cast(self.load(y, at(bases[1], k, j, ys)), "f8")
                        self._accumulate("sum", total, s.operate("*", left, right))
                    self.store(
                        result, at(bases[2], i, j, (columns, 1)), self.load(total, _integer(0))
                    )
                return
            with self.loop(rows) as i:
                with self.loop(columns) as j:
                    self.store(result, at(bases[2], i, j, (columns, 1)), 0)
                with self.loop(inner) as k:
                    left = self.load(x, at(bases[0], i, k, xs))
                    with self.loop(columns) as j:
                        where = at(bases[2], i, j, (columns, 1))
                        product = s.operate("*", left, self.load(y, at(bases[1], k, j, ys)))
                        self.store(result, where, s.operate("+", self.load(result, where), product))

    def _in_memory(self, value: Value) -> Value:
        """Returns a tensor with all its elements in memory."""
        if not value.is_splat:
            return value
        whole = self.new(value.key, value.shape)
        self.copy(value, whole)
        return whole

    def _lower_while(self, step: Step) -> None:
        """Emits a while loop, whose values are on the stack."""
        loop = subgraphs_of(step)
        cond, body = loop.runners()
        outer = self._constants, self._values, self._targets
        states = []
        for slot, tensor in zip(step.reads, loop.body.inputs):
            states.append(self.new(key_of(tensor.dtype.np), sizes(tensor)))
            self.copy(self.value(slot), states[-1])
        rest = [self.value(slot) for slot in step.reads[loop.count :]]
        rounds = self.new("i4", ())
        self.store(rounds, _integer(0), 0)
        b = self._b
        head, inside, after = (b.append_basic_block() for _ in range(3))
        b.branch(head)
        b.position_at_end(head)
        (holds,) = self._subgraph(cond, states, rest)
        b.cbranch(self.load(holds, _integer(0)).value, inside, after)
        b.position_at_end(inside)
        results = self._subgraph(body, states, rest)
        roots = [state.pointer for state in states]
        for i, (result, state) in enumerate(zip(results, states)):
            if result.pointer is not state.pointer and (result.root or result.pointer) in roots:
                results[i] = self.new(result.key, result.shape)
                self.copy(result, results[i])
        for result, state in zip(results, states):
            if result.pointer is not state.pointer:
                self.copy(result, state)
        self.store(
            rounds, _integer(0), self._scalars.operate("+", self.load(rounds, _integer(0)), 1)
        )
        b.branch(head)
        b.position_at_end(after)
        self._constants, self._values, self._targets = outer
        self._values |= dict(zip(step.writes, [*states, rounds]))

    def _lower_random(self, step: Step) -> None:
        """Emits random numbers of a key and a counter, or the latter of a seed."""
        s, self._scalars.is_single = self._scalars, False
        draw, tensor = kind_of(step).removeprefix("random_"), step.node.outputs[0]
        if draw == "key":
            seed = self.value(step.reads[0])
            halves = [s.cast(self.load(seed, _integer(i)), "i8").value for i in (0, 1)]
            words = emit_rounds(ir, self._b, _integer(SCRAMBLER), *halves)
            key, counter = (self.new("u8", (i + 1,), slot) for i, slot in enumerate(step.writes))
            self.store(key, _integer(0), Scalar(join_words(s, *words[:2]), "u8"))
            self.store(counter, _integer(0), 0)
            self.store(counter, _integer(1), Scalar(join_words(s, *words[2:]), "u8"))
            self._values |= {step.writes[0]: key, step.writes[1]: counter}
            return
        key, counter = (self.value(slot) for slot in step.reads[1:3])
        start = [self.load(counter, _integer(i)).value for i in (0, 1)]
        result = self._result(step)
        width = 16 // tensor.dtype.size
        blocks = -(-result.size // width)
        drawn = result if result.size == blocks * width else self.new(result.key, (blocks * width,))
        with self.loop(blocks) as i:
            low = self._b.add(start[0], i)
            carry = self._b.zext(self._b.icmp_unsigned("<", low, i), _I64)
            high = self._b.add(start[1], carry)
            words = emit_rounds(ir, self._b, self.load(key, _integer(0)).value, low, high)
            first = self._b.mul(i, _integer(width))
            for j, number in enumerate(numbers(s, draw, result.key, words)):
                self.store(drawn, self._b.add(first, _integer(j)), number)
        if drawn is not result:
            self.copy(drawn, result)
        self._values[step.writes] = result

    def _lower_branch(self, step: Step) -> None:
        """Emits a conditional operation."""
        branches, b = subgraphs_of(step), self._b
        outer = self._constants, self._values, self._targets
        index, *values = (self.value(slot) for slot in step.reads)
        explicit, rest = values[: branches.count - 1], values[branches.count - 1 :]
        results = [self.new(key_of(t.dtype.np), sizes(t)) for t in step.node.outputs]
        blocks = [b.append_basic_block() for _ in branches.graphs]
        after = b.append_basic_block()
        chosen = self.load(index, _integer(0))
        if chosen.key == "b1":
            b.cbranch(chosen.value, *blocks)
        else:
            switch = b.switch(chosen.value, blocks[-1])
            for i, block in enumerate(blocks[:-1]):
                switch.add_case(ir.Constant(chosen.value.type, i), block)
        for i, block in enumerate(blocks):
            b.position_at_end(block)
            inputs = [explicit[j] for j in branches.input_indices[i]]
            for value, result in zip(self._subgraph(branches.runner(i), inputs, rest), results):
                self.copy(value, result)
            b.branch(after)
        b.position_at_end(after)
        self._constants, self._values, self._targets = outer
        slots = step.writes if isinstance(step.writes, tuple) else (step.writes,)
        self._values |= dict(zip(slots, results))

    def _subgraph(self, runner: Any, inputs: Sequence[Value], rest: Sequence[Value]) -> list[Value]:
        """Emits the program of a subgraph for its inputs and what it captures; returns its results."""
        program = runner.program
        env = dict(zip(program.feeds, [*inputs, *(rest[i] for i in runner.positions)]))
        self.emit(program.steps, program.constants, env, set(program.fetches), {})
        return [self.value(slot) for slot in program.fetches]


def element(
    scalars: Scalars, op: Op, attrs: dict[str, Any], operands: Sequence[Scalar], key: str
) -> Scalar:
    """Emits an element of an operation by its formula; ``key`` is the dtype of the result."""
    number = key if key != "b1" else operands[0].key
    names = {param.name: x for param, x in zip(op.tensors, operands)}
    for param in op.attrs:
        names[param.name] = scalars.constant(np.float32(attrs[param.name]), number)
    text = op.cuda if op.native is None else op.native
    return scalars.cast(Formula(text or "").emit(scalars, names, number), key)


def subgraphs_of(step: Step) -> Any:
    """Returns the condition and body of a while loop, or the branches of a conditional."""
    kernel: Any = step.node.definition.kernel
    return kernel.__self__


def tensors_of(step: Step) -> list[int]:
    """Returns the slots of an elementwise operation's tensors, or of a reduction's."""
    return list(step.reads[:1]) if kind_of(step) in REDUCTIONS else slots_of(step)


def data_of(step: Step) -> int:
    """Returns the index of the first argument that is not read on the host."""
    return next(i for i, kind in enumerate(step.node.definition.kinds) if not kind.host)


def axes_of(step: Step, constants: dict[int, Any]) -> set[int]:
    """Returns the axes of a reduction."""
    rank = len(sizes(step.node.tensors[0]))
    axes = constants.get(step.reads[1]) if len(step.reads) > 1 else None
    return set(range(rank)) if axes is None else {int(a) % rank for a in axes.reshape(-1)}


def scheduled(steps: Sequence[Step]) -> list[_Part]:
    """Groups instructions: those over the elements of one shape become one loop where possible."""
    parts: list[_Part] = []
    at: dict[int, int] = {}  # the part that computes a slot
    for step in steps:
        kind = kind_of(step)
        after = [at[slot] + 1 for slot in slots_of(step) if slot in at]
        index = None
        shape: tuple[int, ...] | None = None
        if kind in REDUCTIONS:
            shape = _shape_of(step.node.tensors[0])
        elif kind in ("element", "cast", "total"):
            shape = _shape_of(step.node.outputs[0])
        if shape is not None:
            inside = [
                at[slot] + (parts[at[slot]].shape != shape or _is_reduced(slot, parts[at[slot]]))
                for slot in slots_of(step)
                if slot in at
            ]
            first = max(inside, default=0)
            index = next((i for i in range(first, len(parts)) if parts[i].shape == shape), None)
        else:
            first = max(after, default=0)
        if index is None:
            index = len(parts)
            parts.append(_Part(shape, []))
        parts[index].steps.append(step)
        for slot in step.writes if isinstance(step.writes, tuple) else (step.writes,):
            at[slot] = index
    return parts


def _is_reduced(slot: int, part: _Part) -> bool:
    return any(step.writes == slot and kind_of(step) in REDUCTIONS for step in part.steps)


def _shape_of(tensor: Any) -> tuple[int, ...]:
    """Returns a shape, for one element without dimensions."""
    shape = sizes(tensor)
    return shape if math.prod(shape) != 1 else ()


def _pattern(value: Value, shape: tuple[int, ...]) -> tuple[bool, ...]:
    """Returns for each dimension of a loop False where an operand is broadcast."""
    dims = (1,) * (len(shape) - len(value.shape)) + value.shape
    if math.prod(shape) == 1:
        return ()
    return tuple(not value.is_splat and dim == size for dim, size in zip(dims, shape) if size != 1)


def _merged(shape: Sequence[int], patterns: Sequence[tuple[bool, ...]]) -> list[tuple[int, int]]:
    """Returns the first dimension and the size of each loop: neighbours used alike are one."""
    loops: list[tuple[int, int]] = []
    for i, size in enumerate(shape):
        if i and all(pattern[i] == pattern[i - 1] for pattern in patterns):
            first, before = loops[-1]
            loops[-1] = first, before * size
        else:
            loops.append((i, size))
    return loops


def _strides(counts: Sequence[int], kept: Sequence[bool]) -> list[int]:
    """Returns the strides of an operand whose other dimensions are broadcast or reduced."""
    strides, step = [0] * len(counts), 1
    for i in reversed(range(len(counts))):
        if kept[i]:
            strides[i], step = step, step * counts[i]
    return strides


def accumulator(name: str, key: str) -> str:
    """Returns the dtype of a reduction's accumulator."""
    return "f8" if key == "f4" and name in ("sum", "mean", "prod") else key


def _identity(name: str, key: str) -> Any:
    """Returns the initial value of a reduction."""
    if name in ("max", "min"):
        if key[0] == "f":
            return -math.inf if name == "max" else math.inf
        limits = np.iinfo(np.dtype(key))
        return limits.min if name == "max" else limits.max
    return 1 if name in ("prod", "all") else 0


def _integer(value: int) -> Any:
    return ir.Constant(_I64, value)
