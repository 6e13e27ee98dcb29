"""Tinyflow: the machine of twinflow in small, to be read from top to bottom.

A tensor is a NumPy array with operators. An operator dispatches an op; observers such as tapes are notified of the
call. While a function is traced, the same dispatch appends instructions to a program instead of running kernels.
Left out: devices, shape inference, control flow, in-place updates, and everything that makes it fast.
"""

import contextlib
from collections import namedtuple
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

# ---- 1. The op registry: a kernel on arrays, and the gradient rule beside it ---------------------
OPS = {}


@dataclass(eq=False)
class Op:
    """An operation. An impure one reads or writes state: it runs each time, in program order."""

    type: str
    kernel: Any
    impure: bool = False
    vjp: Any = None  # from a call and the gradient of its output to the gradients of its inputs

    def __call__(self, *inputs):
        return dispatch(self, inputs)

    def gradient(self, rule):
        """Registers the gradient rule."""
        self.vjp = rule


def op(type, **options):
    """Defines an op by its kernel."""
    return lambda kernel: OPS.setdefault(type, Op(type, kernel, **options))


@op("Mul")
def multiply(x, y):
    return x * y


@multiply.gradient  # A rule calls ops, never NumPy: tapes differentiate it again, programs hold it.
def _(call, dz):
    x, y = call.inputs
    return sum_to(dz * y, x), sum_to(dz * x, y)


add = op("AddV2")(np.add)
add.gradient(lambda call, dz: tuple(sum_to(dz, x) for x in call.inputs))
sin, cos = op("Sin")(np.sin), op("Cos")(np.cos)
sin.gradient(lambda call, dz: (dz * cos(call.inputs[0]),))
cos.gradient(lambda call, dz: (dz * sin(call.inputs[0]) * -1.0,))
reduce_sum = op("Sum")(np.sum)
reduce_sum.gradient(lambda call, dz: (broadcast_to(dz, call.inputs[0]),))
broadcast_to = op("BroadcastTo")(lambda x, like: np.broadcast_to(x, like.shape))
broadcast_to.gradient(lambda call, dz: (sum_to(dz, call.inputs[0]), None))


@op("SumTo")
def sum_to(x, like):
    """The adjoint of broadcasting: the sum over all axes along which ``like`` was repeated."""
    x = x.sum(axis=tuple(range(x.ndim - like.ndim)))
    return x.sum(axis=tuple(a for a, size in enumerate(like.shape) if size == 1), keepdims=True)


sum_to.gradient(lambda call, dz: (broadcast_to(dz, call.inputs[0]), None))


# ---- 2. Values: eager tensors, symbolic tensors, variables ---------------------------------------
class Operators:
    """Python's operators, each of which dispatches an op."""

    __add__ = __radd__ = lambda self, other: add(self, other)
    __mul__ = __rmul__ = lambda self, other: multiply(self, other)


class Tensor(Operators):
    """An immutable array."""

    def __init__(self, value, dtype=np.float32):
        self.array = np.asarray(value, dtype)
        self.dtype = self.array.dtype


class SymbolicTensor(Operators):
    """A slot of a program that is being traced: it has a dtype, and no value yet."""

    def __init__(self, slot, dtype):
        self.slot, self.dtype = slot, dtype


class Variable(Tensor):
    """State: an array that impure ops read and replace."""

    def assign_add(self, delta):
        """Adds to the value."""
        return assign(self, read(self) + delta)


read = op("ReadVariableOp", impure=True)(lambda variable: variable.array)
read.gradient(lambda call, dz: (dz,))  # the gradient of the value is that of the variable


@op("AssignVariableOp", impure=True)
def assign(variable, value):
    variable.array = value.array  # another array: tensors that were read before keep theirs
    return value.array


# ---- 3. Dispatch: a cache leads from kinds of inputs to conversions; then a kernel or an instruction
Call = namedtuple("Call", "op inputs output")  # what observers are notified of
Scope = namedtuple("Scope", "program observers")  # the surroundings of a call
scope = Scope(program=None, observers=())
DISPATCH_CACHE = {}


@contextlib.contextmanager
def entered(new):
    """Replaces the scope, which itself never changes, within a block."""
    global scope
    outer, scope = scope, new
    try:
        yield
    finally:
        scope = outer


def dispatch(op, inputs):
    """Runs an op: converts inputs, runs the kernel or appends an instruction, notifies observers."""
    key = (op, *((type(x), getattr(x, "dtype", None)) for x in inputs))
    conversions = DISPATCH_CACHE.get(key)
    if conversions is None:  # a miss: the slow path, once for each kind of call
        conversions = DISPATCH_CACHE[key] = conversions_of(op, inputs)
    inputs = tuple(convert(x) for convert, x in zip(conversions, inputs))
    output = run(op, inputs) if scope.program is None else scope.program.append(op, inputs)
    for observer in scope.observers:
        observer.notify(Call(op, inputs, output))
    return output


def conversions_of(op, inputs):
    """The conversion of each input: variables are read, numbers take the dtype of the tensors."""
    dtypes = {x.dtype for x in inputs if isinstance(x, Operators)} or {np.dtype(np.float32)}
    if len(dtypes) > 1:
        raise TypeError(f"{op.type} takes inputs of one dtype, not {sorted(map(str, dtypes))}.")
    [dtype] = dtypes

    def conversion(x):
        if isinstance(x, Variable) and not op.impure:
            return read
        return (lambda x: x) if isinstance(x, Operators) else (lambda x: Tensor(x, dtype))

    return [conversion(x) for x in inputs]


def run(op, inputs):
    """Runs a kernel: a pure one on arrays, an impure one on the variable and the tensors themselves."""
    result = op.kernel(*(inputs if op.impure else [x.array for x in inputs]))
    return Tensor(result, result.dtype)


# ---- 4. The tape: an observer, whose calls the backward pass goes through in reverse -------------
class GradientTape:
    """A record of the calls that depend on variables and watched tensors."""

    def __init__(self):
        self.calls, self.watched = [], set()

    def __enter__(self):
        self.block = entered(scope._replace(observers=(*scope.observers, self)))
        self.block.__enter__()
        return self

    def __exit__(self, *error):
        self.block.__exit__(*error)

    def watch(self, tensor):
        """Records what is computed from a tensor."""
        self.watched.add(tensor)

    def notify(self, call):
        """Records a call if an input is watched; its output is watched from then on."""
        if any(isinstance(x, Variable) or x in self.watched for x in call.inputs):
            self.calls.append(call)
            self.watched.add(call.output)

    def gradient(self, target, source):
        """Returns the gradient of the sum of a tensor, None where nothing connects it to the source."""
        gradients = {target: broadcast_to(1.0, target)}
        for call in reversed(self.calls):
            if call.output not in gradients:
                continue
            if call.op.vjp is None:
                raise LookupError(f"No gradient defined for operation (op type: {call.op.type})")
            for x, dx in zip(call.inputs, call.op.vjp(call, gradients[call.output])):
                if dx is not None:
                    gradients[x] = gradients[x] + dx if x in gradients else dx
        return gradients.get(source)


# ---- 5. Programs: instructions over slots, improved by passes, run by one executor ---------------
Instruction = namedtuple(
    "Instruction", "op inputs output"
)  # slots that it reads, and the one it writes


@dataclass
class Program:
    """A traced function. The slots of constants and of captured variables are filled beforehand."""

    slots: dict
    instructions: list
    arguments: list
    size: int = 0
    result: int = -1

    def new_slot(self, dtype):
        """Adds a slot."""
        self.size += 1
        return SymbolicTensor(self.size - 1, dtype)

    def slot_of(self, x):
        """The slot of a value; an eager tensor or a variable is captured."""
        if not isinstance(x, SymbolicTensor):
            value, x = x, self.new_slot(x.dtype)
            self.slots[x.slot] = value
        return x.slot

    def append(self, op, inputs):
        """Appends an instruction: dispatch does so while the program is traced."""
        slots, output = [self.slot_of(x) for x in inputs], self.new_slot(inputs[0].dtype)
        self.instructions.append(Instruction(op, slots, output.slot))
        return output

    def execute(self, arguments):
        """Runs kernels alone, or dispatches op by op where a tape or another trace takes part."""
        slots = {**self.slots, **dict(zip(self.arguments, arguments))}
        run_op = run if scope == Scope(None, ()) else dispatch
        for op, inputs, output in self.instructions:
            slots[output] = run_op(op, tuple(slots[i] for i in inputs))
        return slots[self.result]


def trace(f, dtypes):
    """Captures the ops that a function dispatches as a program."""
    program = Program({}, [], [])
    arguments = [program.new_slot(dtype) for dtype in dtypes]
    program.arguments = [x.slot for x in arguments]
    with entered(Scope(program, observers=())):
        program.result = program.slot_of(f(*arguments))
    return program


def fold_constants(program):
    """A pass: runs the pure instructions whose inputs are known, once and for all."""
    slots, rest = dict(program.slots), []
    for op, inputs, output in program.instructions:
        if op.impure or not all(i in slots for i in inputs):
            rest.append(Instruction(op, inputs, output))
        else:
            slots[output] = run(op, [slots[i] for i in inputs])
    return replace(program, slots=slots, instructions=rest)


def function(f):
    """Traces a function once for each signature of its arguments, and runs the program."""
    trace_cache = {}

    def call(*arguments):
        signature = tuple(x.dtype for x in arguments)
        if signature not in trace_cache:
            trace_cache[signature] = fold_constants(trace(f, signature))
        return trace_cache[signature].execute(arguments)

    call.trace_cache = trace_cache
    return call
