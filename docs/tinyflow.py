"""Tinyflow: the machine of twinflow in small, to be read from top to bottom.

A tensor is an array with operators; an operator dispatches an op, which makes a call. A tape is a list of calls, gone
through in reverse. A program is a list of calls that have not run yet. All else is conversion and caching.
Left out: devices, shape inference, control flow, in-place updates, and everything that makes it fast.
"""

import contextlib
from collections import namedtuple

import numpy as np


# ---- 1. Ops: a kernel on arrays, and the gradient rule beside it ---------------------------------
class Op:
    """An operation. An impure one reads or writes state: it runs each time, in program order."""

    def __init__(self, type, kernel, vjp=None, impure=False):
        self.type, self.kernel, self.vjp, self.impure = type, kernel, vjp, impure

    def __call__(self, *inputs):
        return dispatch(self, inputs)


def sum_to_shape(x, like):
    """The adjoint of broadcasting: sums over all axes along which ``like`` was repeated."""
    x = x.sum(axis=tuple(range(x.ndim - like.ndim)))
    return x.sum(axis=tuple(a for a, size in enumerate(like.shape) if size == 1), keepdims=True)


# A gradient rule calls ops, never NumPy: tapes differentiate it again, and programs hold it.
add = Op("AddV2", np.add, lambda dz, x, y: [sum_to(dz, x), sum_to(dz, y)])
multiply = Op("Mul", np.multiply, lambda dz, x, y: [sum_to(dz * y, x), sum_to(dz * x, y)])
sin = Op("Sin", np.sin, lambda dz, x: [dz * cos(x)])
cos = Op("Cos", np.cos, lambda dz, x: [dz * sin(x) * -1.0])
reduce_sum = Op("Sum", np.sum, lambda dz, x: [broadcast_to(dz, x)])
sum_to = Op("SumTo", sum_to_shape, lambda dz, x, like: [broadcast_to(dz, x), None])
broadcast_to = Op(
    "BroadcastTo",
    lambda x, like: np.broadcast_to(x, like.shape),
    lambda dz, x, like: [sum_to(dz, x), None],
)


# ---- 2. Values: eager tensors, symbolic tensors, variables ---------------------------------------
class Tensor:
    """An immutable array with Python's operators, each of which dispatches an op."""

    def __init__(self, value, dtype=np.float32):
        self.array = np.asarray(value, dtype)
        self.dtype = self.array.dtype

    __add__ = __radd__ = lambda self, other: add(self, other)
    __mul__ = __rmul__ = lambda self, other: multiply(self, other)


class SymbolicTensor(Tensor):
    """The output of a call that has not run: it has a dtype, and no array yet."""

    def __init__(self, dtype):
        self.dtype = dtype


class Variable(Tensor):
    """State: an array that impure ops read and replace."""

    def assign_add(self, delta):
        return assign(self, read(self) + delta)


def replace_array(variable, value):
    """Binds another array, so that tensors that were read before keep theirs."""
    variable.array = value.array
    return value.array


read = Op("ReadVariableOp", lambda variable: variable.array, lambda dz, variable: [dz], impure=True)
assign = Op("AssignVariableOp", replace_array, impure=True)

# ---- 3. Dispatch: check and convert inputs, run or trace, notify observers -----------------------
Call = namedtuple("Call", "op inputs output")
Scope = namedtuple("Scope", "trace observers")  # a call's surroundings: replaced, never changed
EAGER = scope = Scope(trace=None, observers=())
DISPATCH_CACHE = {}


@contextlib.contextmanager
def enter(inner):
    """Replaces the scope within a block."""
    global scope
    outer, scope = scope, inner
    try:
        yield
    finally:
        scope = outer


def dispatch(op, inputs):
    """Calls an op: runs its kernel, or leaves that to the program which is being traced."""
    key = (op, *((type(x), getattr(x, "dtype", None)) for x in inputs))
    if key not in DISPATCH_CACHE:  # a miss: the slow path, once for each kind of call
        dtypes = {x.dtype for x in inputs if isinstance(x, Tensor)} or {np.dtype(np.float32)}
        if len(dtypes) > 1:
            raise TypeError(f"{op.type} takes inputs of one dtype, not {sorted(map(str, dtypes))}.")
        DISPATCH_CACHE[key] = dtypes.pop()
    inputs = [convert(op, x, DISPATCH_CACHE[key]) for x in inputs]
    output = run(op, inputs) if scope.trace is None else SymbolicTensor(inputs[0].dtype)
    call = Call(op, inputs, output)
    if scope.trace is not None:
        scope.trace.append(call)
    for observer in scope.observers:
        observer.notify(call)
    return output


def convert(op, x, dtype):
    """Returns an input as a tensor; a pure op reads variables."""
    if isinstance(x, Variable) and not op.impure:
        return read(x)
    return x if isinstance(x, Tensor) else Tensor(x, dtype)


def run(op, inputs):
    """Runs a kernel: a pure one on arrays, an impure one on the variable and the tensors themselves."""
    result = op.kernel(*(inputs if op.impure else [x.array for x in inputs]))
    return Tensor(result, result.dtype)


# ---- 4. Reverse mode: a tape observes calls, the backward pass goes through them in reverse ------
class GradientTape(contextlib.ExitStack):
    """The calls that depend on variables and watched tensors."""

    def __enter__(self):
        self.calls, self.watched = [], set()
        self.watch = self.watched.add
        self.enter_context(enter(scope._replace(observers=(*scope.observers, self))))
        return self

    def notify(self, call):
        """Records a call if an input is watched; its output is watched from then on."""
        if any(isinstance(x, Variable) or x in self.watched for x in call.inputs):
            self.calls.append(call)
            self.watched.add(call.output)

    def gradient(self, target, source):
        """Returns the gradient of the sum of a tensor, None where nothing connects it to the source."""
        gradients = {target: broadcast_to(1.0, target)}
        for op, inputs, output in reversed(self.calls):
            if output not in gradients:
                continue
            if op.vjp is None:
                raise LookupError(f"No gradient defined for operation (op type: {op.type})")
            for x, dx in zip(inputs, op.vjp(gradients[output], *inputs)):
                if dx is not None:
                    gradients[x] = gradients[x] + dx if x in gradients else dx
        return gradients.get(source)


# ---- 5. Programs: traced calls as instructions, improved by passes, run by one interpreter -------
Program = namedtuple("Program", "arguments instructions result")


def trace(f, dtypes):
    """Captures a function's calls. Tensors and variables from outside are inputs as they are."""
    arguments, instructions = [SymbolicTensor(dtype) for dtype in dtypes], []
    with enter(Scope(instructions, observers=())):
        return Program(arguments, instructions, f(*arguments))


def interpret(program, arguments, run_op):
    """Calls the instructions in order on the arguments and on what came out of others."""
    values = dict(zip(program.arguments, arguments))
    for op, inputs, output in program.instructions:
        values[output] = run_op(op, [values.get(x, x) for x in inputs])
    return values.get(program.result, program.result)


def fold_constants(program):
    """A pass: traces the program anew, and runs the pure calls whose inputs are all constants."""

    def fold(op, inputs):
        is_constant = not any(op.impure or isinstance(x, SymbolicTensor) for x in inputs)
        return (run if is_constant else dispatch)(op, inputs)

    dtypes = [x.dtype for x in program.arguments]
    return trace(lambda *arguments: interpret(program, arguments, fold), dtypes)


def function(f):
    """Traces a function once for each signature of its arguments, and runs the program."""

    def call(*arguments):
        signature = tuple(x.dtype for x in arguments)
        if signature not in call.trace_cache:
            call.trace_cache[signature] = fold_constants(trace(f, signature))
        # Kernels alone run, or calls are dispatched where a tape or another trace takes part.
        run_op = run if scope == EAGER else dispatch
        return interpret(call.trace_cache[signature], arguments, run_op)

    call.trace_cache = {}
    return call
